"""What a parser's errors cost: counted on sentences whose errors are known, and kept with a corpus,
whose tables then show it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from itertools import combinations

import pytest

import lingprobe
from fixtures.chains import Chain
from lingprobe.annotators.parser import Annotation
from lingprobe.audit.parses import (
    ClassAgreement,
    LabelledParse,
    TaskAgreement,
    _constituents,
    _dependencies,
    _get_finding_label,
    _make_classes,
    _match_by_words,
    compare_parses,
)
from lingprobe.tasks.ud.family import OTHER_SCHEMA

STEMS = [a + b for a in ("bal", "dor", "fen", "gim", "hul") for b in ("a", "e", "i", "o", "u", "y")]
TENSES = {"sleeps": "Pres", "slept": "Past"}


def bank(path, many=30):
    """Sentences like `Bala sleeps .`, as many in the present as in the past."""
    blocks = []
    for stem in STEMS[:many]:
        for verb, tense in TENSES.items():
            name = stem.capitalize()
            rows = [
                f"1\t{name}\t{name}\tPROPN\t_\tNumber=Sing\t2\tnsubj\t_\t_",
                f"2\t{verb}\tsleep\tVERB\t_\tMood=Ind|Tense={tense}|VerbForm=Fin\t0\troot\t_\t_",
                "3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_",
            ]
            blocks.append("\n".join([f"# text = {name} {verb} .", *rows]) + "\n\n")
    path.write_text("".join(blocks))
    return path


@dataclass
class Mistaken:
    """Right, but that it takes the present for the past where a name ends in a vowel of `errs`, and
    finds no verb where one ends in y; it is less sure of these.
    """

    errs: str = "ei"
    name: str = "mistaken"
    fingerprint: str = "m1"

    def annotate(self, sentences):
        for words in sentences:
            present = words[1].endswith("s")
            wrong = words[0][-1] in self.errs and present
            tense = "Pres" if present and not wrong else "Past"
            lost = words[0][-1] == "y"
            yield Annotation(
                ("PROPN", "X" if lost else "VERB", "PUNCT"),
                feats=("Number=Sing", "_" if lost else f"Tense={tense}|VerbForm=Fin", "_"),
                heads=(1, -1, 1),
                deprels=("nsubj", "root", "punct"),
                confidence=0.2 if wrong or lost else 0.9,
            )


def test_labels_are_counted_both_ways_by_class(tmp_path):
    audit = lingprobe.audit_parser(bank(tmp_path / "gold.conllu"), Mistaken()).content
    assert (audit.sentences, audit.alone, audit.parser) == (60, 0, "mistaken")
    (tense,) = [each for each in audit.tasks if each.task == "ud/tense"]
    # of thirty sentences each, ten in the present are said to be past, and five of each are lost
    found = {c.label: (c.said, c.wanted, c.right) for c in tense.classes}
    assert found == {"pres": (15, 30, 15), "past": (35, 30, 25)}
    assert tense.wrong == pytest.approx(100 * (10 / 35) / 2)
    assert tense.margin == pytest.approx(196 * (25 * 10 / 35**3) ** 0.5 / 2)
    assert {c.label: round(c.recall, 3) for c in tense.classes} == {"pres": 0.5, "past": 0.833}


def agreed(*classes):
    """A task's agreement, from (said, wanted, right) of its classes."""
    same = (ClassAgreement(str(i), *counts) for i, counts in enumerate(classes))
    return TaskAgreement("ud/sent-type", tuple(same))


def test_a_class_that_a_parser_never_has_counts_as_wrong():
    never = agreed((200, 176, 170), (0, 24, 0))
    assert never.wrong == pytest.approx(100 * (30 / 200 + 1) / 2)
    hardly = agreed((200, 176, 170), (4, 24, 4))
    assert hardly.wrong == pytest.approx(100 * (30 / 200 + 20 / 24) / 2)
    assert hardly.margin == pytest.approx(
        196 * (0.85 * 0.15 / 200 + (4 / 24) * (20 / 24) / 24) ** 0.5 / 2
    )
    both_rare = agreed((100, 100, 90), (50, 50, 50), (3, 4, 0))
    assert both_rare.wrong == pytest.approx(100 * 0.1 / 2)


def test_a_task_of_one_class_has_no_score(tmp_path):
    for classes in (((200, 200, 200),), ((200, 195, 195), (0, 5, 0))):
        assert not agreed(*classes).has_classes
        assert math.isnan(agreed(*classes).wrong)
    page = str(lingprobe.audit_parser(bank(tmp_path / "gold.conllu"), Mistaken()))
    (row,) = [line for line in page.splitlines() if "ud/passive" in line and "fewer" in line]
    assert row.split() == "ud/passive 50 – – – fewer than two classes".split()


def test_surer_sentences_are_told_apart(tmp_path):
    page = lingprobe.audit_parser(bank(tmp_path / "gold.conllu"), Mistaken())
    every, *surer = page.content.cuts
    assert [cut.least for cut in surer] == [0.2, 0.9]
    assert (every.share, surer[-1].share, surer[-1].length) == (1.0, 40 / 60, 3.0)
    (tense,) = [each for each in surer[-1].tasks if each.task == "ud/tense"]
    assert tense.wrong == 0
    text = page.text("markdown")
    assert "| ud/tense | 50 | 80.0 | 66.7 | 14.3 ± 7.5 | an upper bound |" in text
    assert "its labels do not depend on trees" in text
    assert "≥ 0.9 " in text


TREES = (
    "(ROOT (S (NP (DT The) (NN {a})) (VP (VBD saw) (NP (DT the) (NN {b}))) (. .)))\n",
    "(ROOT (S (NP (DT The) (NNS {a})) (VP (VBP see) (NP (DT the) (NN {b}))) (. .)))\n",
)


def test_constituents_are_judged_too(tmp_path):
    pairs = [(a, b) for a in STEMS[:5] for b in STEMS[:4]]
    trees = [tree.format(a=a, b=b) for tree in TREES for a, b in pairs]
    (tmp_path / "gold.mrg").write_text("".join(trees))
    wrong = [tree.replace("NNS", "NN") if i % 4 == 0 else tree for i, tree in enumerate(trees)]
    (tmp_path / "parsed.mrg").write_text("".join(wrong[:-2]))
    audit = lingprobe.audit_parser(tmp_path / "gold.mrg", tmp_path / "parsed.mrg").content
    assert (audit.sentences, audit.alone) == (38, 2)
    (number,) = [each for each in audit.tasks if each.task == "tree/subj-num"]
    found = {c.label: (c.said, c.wanted, c.right) for c in number.classes}
    assert found == {"NN": (20, 20, 20), "NNS": (13, 18, 13)}


def test_how_sure_a_parser_is_of_phrases_is_read_from_its_dependencies(tmp_path):
    tree = "(ROOT (S (NP (DT the) (NN {0})) (VP (VBD ran) (ADVP (RB far) (RB off))) (. .)))"
    rows = "".join(f"{i}\t{{}}\t_\tX\t_\t_\t{i - 1}\tdep\t_\t_\n" for i in range(1, 7))
    names, said = ("dog", "cat"), tmp_path / "said.conllu"
    (tmp_path / "a.mrg").write_text("\n".join(map(tree.format, names)))
    said.write_text(
        "".join(
            f"# confidence = {sure}\n{rows.format('the', name, 'ran', 'far', 'off', '.')}\n"
            for name, sure in zip(names, (0.25, 0.75), strict=True)
        ).replace("\tdep\t", "\troot\t", 1)
    )
    phrases = [tmp_path / "a.mrg"]
    cuts = compare_parses(phrases, [*phrases, said], ("p", "f")).cuts
    assert [(cut.least, cut.share) for cut in cuts] == [(0, 1), (0.375, 0.5), (0.5, 0.5), (0.625, 0.5)]  # fmt: skip
    assert len(compare_parses(phrases, phrases, ("p", "f")).cuts) == 1


def test_a_passive_without_an_auxiliary_is_no_class_and_depths_are_numbers(tmp_path):
    rows = (
        "1\tliber\tliber\tNOUN\t_\tNumber=Sing\t2\t{rel}\t_\t_",
        "2\tlegitur\tlego\tVERB\t_\tMood=Ind|Tense=Pres|VerbForm=Fin|Voice={voice}\t0\troot\t_\t_",
        "3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_",
    )
    path = tmp_path / "a.conllu"
    for voice, rel, said in (("Pass", "nsubj:pass", ""), ("Act", "nsubj", "active")):
        path.write_text("\n".join(rows).format(voice=voice, rel=rel) + "\n\n")
        (judged,) = _dependencies([path])
        assert judged.labels["ud/passive"] == said
    tree = tmp_path / "a.mrg"
    tree.write_text("(ROOT (S (NP (DT a) (NN b)) (VP (VBD c) (ADVP (RB d) (RB e))) (. .)))")
    (judged,) = _constituents([tree])
    assert judged.labels["tree/tree-depth"] == "5"


def test_of_many_labels_of_the_root_the_nineteen_commonest_of_gold_are_classes():
    def judged(k):
        return LabelledParse(("w",), 1, 1.0, {"ud/top-deps": k and f"c{k:02}"})

    pairs = [(judged(k), judged(j)) for k in range(1, 21) for j in [k, 21, 0][: 2 + (k > 1)]]
    _make_classes(pairs)
    gold, said = ([pair[side].labels["ud/top-deps"] for pair in pairs] for side in (0, 1))
    assert set(gold) == {*(f"c{k:02}" for k in range(2, 21)), OTHER_SCHEMA}
    assert gold[:2] == said[:2] == [OTHER_SCHEMA] * 2  # the rarest of gold, and what gold never has
    assert said[2:5] == ["c02", OTHER_SCHEMA, ""]


def test_classes_of_a_corpus_are_made_where_trees_are_compared(tmp_path):
    """Of the dependents of the root, twenty combinations are more than there are classes."""
    names = "advcl advmod aux ccomp csubj obj iobj obl nsubj parataxis".split()
    trees = []
    for k, two in enumerate(combinations(names, 2)):
        rows = [f"{i}\t{k}\t_\tNOUN\t_\t_\t3\t{rel}\t_\t_" for i, rel in enumerate(two, 1)]
        trees.append("\n".join([*rows, "3\tis\t_\tVERB\t_\t_\t0\troot\t_\t_"]) + "\n\n")
    (tmp_path / "a.conllu").write_text("".join(trees))
    judged = _dependencies([tmp_path / "a.conllu"])
    assert len({each.labels["ud/top-deps"] for each in judged}) == len(trees) == 45
    (top,) = [
        each
        for each in compare_parses(*[[tmp_path / "a.conllu"]] * 2, ("p", "f")).tasks
        if each.task == "ud/top-deps"
    ]
    assert len(top.classes) == 20
    assert {c.label: c.said for c in top.classes}[OTHER_SCHEMA] == 45 - 19


def test_the_confidence_of_dependencies_is_kept_where_no_phrases_are_parsed(tmp_path):
    bank(tmp_path / "gold.conllu", 2)
    said = (tmp_path / "gold.conllu").read_text().replace("# text", "# confidence = 0.5\n# text")
    (tmp_path / "said.conllu").write_text(said)
    audit = compare_parses([tmp_path / "gold.conllu"], [tmp_path / "said.conllu"], ("p", "f"))
    assert [cut.least for cut in audit.cuts] == [0, 0.5]
    assert (audit.parser, audit.fingerprint, audit.learnt) == ("p", "f", 0)
    tree = tmp_path / "a.mrg"
    tree.write_text("(ROOT (S (NP (DT a) (NN b)) (VP (VBD c) (ADVP (RB d) (RB e))) (. .)))")
    both = [tmp_path / "gold.conllu", tree], [tmp_path / "said.conllu"]
    assert [cut.least for cut in compare_parses(*both, ("p", "f")).cuts] == [0, 0.5]
    with pytest.raises(lingprobe.DataProblem, match="with the same words"):
        compare_parses([tree], [tmp_path / "said.conllu"], ("p", "f"))


def test_equal_sentences_are_paired_in_order_and_the_last_stays_for_further_ones():
    def named(name, words="a"):
        return LabelledParse(tuple(words), 1, 1.0, {"ud/tense": name})

    gold = [named("1"), named("2", "b"), named("3"), named("4"), named("5", "c")]
    said = [named("x"), named("y"), named("z", "b")]
    pairs, alone = _match_by_words(gold, said)
    found = [(true.labels["ud/tense"], mine.labels["ud/tense"]) for true, mine in pairs]
    assert found == [("1", "x"), ("2", "z"), ("3", "y"), ("4", "y")]
    assert alone == 1


def test_what_a_rule_gives_a_reason_for_has_no_label():
    assert [_get_finding_label(each) for each in ("too short", 3, True)] == ["", "3", "True"]


def test_gold_files_without_trees_are_refused(tmp_path):
    (tmp_path / "gold.txt").write_text("The dogs bark.\n")
    with pytest.raises(lingprobe.DataProblem, match=r"gold\.txt has no trees; give a treebank"):
        lingprobe.audit_parser(tmp_path / "gold.txt", Chain())


def test_other_words_are_no_match(tmp_path):
    bank(tmp_path / "gold.conllu")
    other = (
        (tmp_path / "gold.conllu").read_text().replace("sleeps", "dozes").replace("slept", "dozed")
    )
    (tmp_path / "parsed.conllu").write_text(other)
    with pytest.raises(lingprobe.DataProblem, match="with the same words"):
        lingprobe.audit_parser(tmp_path / "gold.conllu", tmp_path / "parsed.conllu")


@pytest.fixture
def corpus(tmp_path):
    """A corpus that the parser parsed, enough for a task."""
    text, names = tmp_path / "a.txt", ("Anna", "Eve", "Lili", "Otto", "Ulu")
    said = (f"{name} {stem}{end}." for name in names for stem in STEMS for end in ("s", "ed"))
    text.write_text("\n\n".join(said))
    lingprobe.parse(text, Mistaken(), tmp_path / "parsed")
    return tmp_path / "parsed"


def table(task):
    """A table of scores of a task."""
    done = lingprobe.run(task, "length", probes="logreg", seeds=1, baselines="none")
    return done.report().with_all_notes().text("markdown")


def test_a_corpus_keeps_its_parser_s_audit_and_tables_show_it(corpus, tmp_path):
    gold, task = bank(tmp_path / "gold.conllu"), f"ud/tense:{corpus}"
    before = table(task)
    assert (
        "labels come from a parser, not from people: mistaken (m1); lingprobe data audit-parser"
        in before
    )
    lingprobe.audit_parser(gold, Mistaken(), into=corpus)
    after = table(task)
    assert "14.3 % of them differ from those of gold trees" in after
    assert "gold labels would score 85.7" in after
    assert "gold labels" not in before


def test_audits_on_other_gold_trees_add_up(corpus, tmp_path):
    pairs = [(a, b) for a in STEMS[:5] for b in STEMS[:4]]
    trees = "".join(tree.format(a=a, b=b) for tree in TREES for a, b in pairs)
    (tmp_path / "gold.mrg").write_text(trees)
    (tmp_path / "said").mkdir()
    (tmp_path / "said" / "a.mrg").write_text(trees)
    note = {"parser": {"name": "mistaken", "fingerprint": "m1"}}
    (tmp_path / "said" / "parsed.json").write_text(json.dumps(note))
    lingprobe.audit_parser(bank(tmp_path / "gold.conllu"), Mistaken(), into=corpus)
    lingprobe.audit_parser(tmp_path / "gold.mrg", tmp_path / "said", into=corpus)
    kept = json.loads((corpus / "audit.json").read_text())["tasks"]
    assert kept["ud/tense"]["gold"] == ["gold.conllu"]
    assert kept["tree/subj-num"]["gold"] == ["gold.mrg"]
    assert "according to an audit on gold.conllu" in table(f"ud/tense:{corpus}")


def test_labels_that_are_mostly_wrong_are_taken_only_where_that_is_accepted(corpus, tmp_path):
    gold = bank(tmp_path / "gold.conllu")
    lingprobe.audit_parser(gold, Mistaken(errs="aeiou"), into=corpus)
    with pytest.raises(lingprobe.DataProblem, match=r"75.0 % of the labels .* noise=accept"):
        lingprobe.build(f"ud/tense:{corpus}", tmp_path / "x.jsonl")
    lingprobe.build(f"ud/tense:{corpus},noise=accept", tmp_path / "x.jsonl")


def test_the_surer_part_of_a_corpus_is_taken_and_its_bias_said(corpus, tmp_path):
    found = lingprobe.inspect(f"ud/tense:{corpus},min_confidence=0.5").content
    (said,) = [p for p in found.problems if "min_confidence" in p]
    assert "min_confidence=0.5 keeps 80 % of the sentences; they have 3.0 words" in said
    with pytest.raises(lingprobe.DataProblem, match=r"the highest is 0\.90"):
        lingprobe.build(f"ud/tense:{corpus},min_confidence=0.95", tmp_path / "x.jsonl")
    gold = bank(tmp_path / "gold.conllu")
    with pytest.raises(lingprobe.DataProblem, match="does not give the confidence of a parser"):
        lingprobe.build(f"ud/tense:{gold},min_confidence=0.5", tmp_path / "x.jsonl")


def test_an_audit_is_kept_only_with_its_own_parser_s_corpus(corpus, tmp_path):
    gold = bank(tmp_path / "gold.conllu")
    with pytest.raises(lingprobe.DataProblem, match="was parsed by mistaken"):
        lingprobe.audit_parser(gold, Mistaken(fingerprint="m2"), into=corpus)
    with pytest.raises(lingprobe.DataProblem, match="was not written by `lingprobe parse`"):
        lingprobe.audit_parser(gold, Mistaken(), into=tmp_path)


def test_words_agree_as_the_shared_task_counts_them(tmp_path):
    page = lingprobe.audit_parser(bank(tmp_path / "gold.conllu"), Mistaken())
    found = page.content.agreement
    # of 60 sentences of three words, ten have no verb
    assert found["UPOS"] == pytest.approx(100 * 170 / 180)
    assert found["UAS"] == found["LAS"] == 100
    assert "Agreement with gold: UPOS 94.4, " in str(page)


def test_phrases_agree_as_evalb_counts_them_in_sentences_of_any_length(tmp_path):
    gold, said = tmp_path / "gold.ptb", tmp_path / "said.ptb"
    tree = "(TOP (S (NP (DT the) (NN dog)) (VP (VBD ran) (ADVP (RB off))) (. .)))"
    short = "(TOP (FRAG (NN rain)))"
    gold.write_text(f"{tree}\n{short}\n")
    said.write_text(f"{tree.replace('(ADVP (RB off))', '(RB off)')}\n{short}\n")
    # S, NP, VP and FRAG are right, of 5 phrases; 4 are told
    found = lingprobe.audit_parser(gold, said).content.agreement
    assert found == {"F1": pytest.approx(200 * 4 / 9)}
