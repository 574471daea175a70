"""Mentions, roles, proto-roles, pronouns and relations as they are published, and what their
converters got wrong.
"""

import json
import re
from collections import Counter

import pytest

from lingprobe.corpora.text import tokenize_words
from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS
from lingprobe.tasks.edge.dpr import find_pronoun_pair
from lingprobe.tasks.edge.semeval import parse_relation
from lingprobe.tasks.edge.srl import classify_role
from tasks import edges


def told(reference, split="test"):
    """The words of each span and the label, of one split."""
    return [
        (*(" ".join(s.sentence.words[slice(*s.span)]) for s in e.sites), e.label)
        for e in TASKS.make(reference).all_examples().examples()
        if e.split == split
    ]


def test_pairs_of_mentions_are_in_textual_order(tmp_path):
    found = told(f"edge/coref:{edges.misc(tmp_path)}")[:10]
    assert found == [
        ("Anna", "the old clock20", "0"), ("Anna", "old", "0"), ("Anna", "Gent", "0"), ("Anna",
        "she", "1"),
        ("the old clock20", "old", "0"), ("the old clock20", "Gent", "0"), ("the old clock20",
        "she", "0"),
        ("old", "Gent", "0"), ("old", "she", "0"), ("Gent", "she", "0"),
    ]  # fmt: skip


def test_mentions_of_what_is_named_once_can_be_left_out(tmp_path):
    reference = f"edge/coref:{edges.misc(tmp_path)},singletons=false"
    dataset = TASKS.make(reference).load()
    # two sentences a document name all twice
    assert dataset.notes["left out"].get("mentions of what is named once", 0) == 0
    (tmp_path / "toy-test.conllu").write_text(
        (tmp_path / "toy-test.conllu").read_text().replace("Entity=(4-place-new)", "_", 1)
    )
    dataset = TASKS.make(reference).load()
    assert dataset.notes["left out"]["mentions of what is named once"] == 1


def test_pairs_across_sentences_stay_within_documents(tmp_path):
    dataset = TASKS.make(f"edge/coref:{edges.misc(tmp_path)},across=3").load()
    across = [e for e in dataset.examples() if e.sites[0].sentence != e.sites[1].sentence]
    assert Counter(e.strata["sentences apart"] for e in dataset.examples()) == {
        "0": 180,
        "1": 9 * 25,
    }
    assert not any("distance" in e.strata for e in across)
    first, second = across[0].sites
    assert (first.sentence.words[4], second.sentence.words[4]) == ("clock00", "clock01")
    assert Counter(e.label for e in across) == {"1": 9 * (2 * 2 + 3), "0": 9 * 18}
    with pytest.raises(DataProblem, match="across=-1"):
        TASKS.make(f"edge/coref:{tmp_path},across=-1").load()


def test_documents_without_sentences_are_cut_as_the_treebank_says(tmp_path):
    place = edges.onto(tmp_path)
    reference = f"edge/coref:{place},sentences={place}/dep"
    clause, clock = "Anna saw the old clock20", "the old clock20"
    assert told(reference)[:3] == [(clause, "the", "0"), (clause, clock, "0"), (clause, "she", "0")]
    assert told(reference)[3:6] == [("the", clock, "0"), ("the", "she", "1"), (clock, "she", "0")]
    path = place / "toy_train.conll"
    text = path.read_text()
    # goes on in the next sentence
    path.write_text(text.replace("8)7)", "8)", 1).replace("13\tthe\t(8(9)", "13\tthe\t7)(8(9)", 1))
    assert TASKS.make(reference).load().notes["left out"] == {
        "mentions in pieces, or that go beyond their sentence": 1
    }
    for wrong, why in (
        (
            text.replace("Boris", "Bruno"),
            r"toy_train\.conll:13: 'Bruno' is 'Boris' in the treebank",
        ),
        (text.replace("clock00\t8)7)", "clock00"), r"toy_train\.conll:6: 2 columns instead of 3"),
        (
            text + "# begin document\n0\tMore\t_\n",
            r"toy_train\.conll:71: the treebank has no sentence for 'More'",
        ),
        (text.replace("8)7)", "8)", 1), r"toy_train\.conll:2: the mention \(7 is never closed"),
    ):
        path.write_text(wrong)
        with pytest.raises(DataProblem, match=why):
            TASKS.make(reference).load()


def test_documents_of_a_name_may_lie_in_files_of_their_own_in_any_order(tmp_path):
    place = edges.onto(tmp_path)
    reference = f"edge/coref:{place},sentences={place}/dep"
    together = TASKS.make(reference).load()
    apart = tmp_path / "apart"
    apart.mkdir()
    for split in ("train", "dev", "test"):
        file = place / f"toy_{split}.conll"
        bank = next((place / "dep").glob(f"*{split}*"))
        ids = iter(re.findall(r"# newdoc id = (\S+)", bank.read_text("utf-8")))
        for text in file.read_text("utf-8").split("# begin document\n")[1:]:
            name = f"{split[::-1]}_{next(ids)}"  # says no split, and sorts otherwise
            bank.write_text(
                bank.read_text("utf-8").replace(
                    f"# newdoc id = {name.partition('_')[2]}\n", f"# newdoc id = {name}\n", 1
                ),
                "utf-8",
            )
            (apart / f"{name}.conll").write_text(text, "utf-8")
    found = TASKS.make(f"edge/coref:{apart},sentences={place}/dep").load()
    assert {split: len(found.rows(split)) for split in ("train", "dev", "test")} == {
        s: len(together.rows(s)) for s in ("train", "dev", "test")
    }
    assert sorted(map(str, found.examples())) == sorted(map(str, together.examples()))


def test_mentions_of_the_same_words_are_no_pair(tmp_path):
    row = "d 0 {} w NN * {}\n"
    for split in ("train", "test"):
        (tmp_path / f"{split}.conll").write_text(row.format(0, "(1)|(2)") + row.format(1, "(1)"))
    dataset = TASKS.make(f"edge/coref:{tmp_path}").all_examples()
    assert dataset.notes["left out"] == {"pairs of mentions of the same words": 2}
    assert [e.label for e in dataset.examples()] == ["1", "0"] * 2


def test_roles_of_all_kinds(tmp_path):
    place = edges.gold(tmp_path)
    found = told(f"edge/srl:{place}")[:5]
    assert found == [
        ("saw", "Anna", "ARG0"), ("saw", "the old clock20", "ARG1"), ("saw", "in Gent",
        "ARGM-LOC"), ("saw", "when she left", "ARGM-TMP"),
        ("left", "she", "ARG0"),
    ]  # fmt: skip
    dataset = TASKS.make(f"edge/srl:{place}").load()
    assert Counter(e.strata["core"] for e in dataset.examples()) == {"core": 54, "non-core": 36}
    assert {e.label for e in TASKS.make(f"edge/srl:{place},roles=non-core").load().examples()} == {
        "ARGM-LOC",
        "ARGM-TMP",
    }


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("ARG0", "core"),
        ("ARGA", "core"),
        ("ARG1-DSP", "core"),
        ("ARGM-TMP", "non-core"),
        ("R-ARG0", "reference"),
        ("C-V", "continuation"),
    ],
)
def test_kinds_of_roles(label, kind):
    assert classify_role(label) == kind


def test_a_frame_without_its_predicate_is_counted(tmp_path):
    place = edges.gold(tmp_path)
    path = place / "toy.train.gold_conll"
    path.write_text(path.read_text().replace("(V*)", "*", 1))
    notes = TASKS.make(f"edge/srl:{place}").load().notes
    assert notes["left out"] == {"arguments of a predicate that is not marked V": 4}


def test_a_property_holds_from_a_mean_of_four_on(tmp_path):
    """All who answered count, not the last; who finds it not applicable, and forms that failed, do
    not.
    """
    path, bank = edges.spr2(tmp_path)
    head = path.read_text().splitlines()[0]
    row = "{}\t1\ten-ud-{}.conllu 1\t2\t4\tTHE OLD {}\t{}\t{}\t{}"
    answers = [
        ("awareness", 3, "yes"),
        ("awareness", 5, "yes"),
        ("was_used", 5, "yes"),
        ("was_used", 2, "yes"),
        ("sentient", 5, "no"),
    ]
    answers += [("volition", "nan", "yes"), ("volition", 4, "yes"), ("volition", 1, "no")]
    clocks = {"train": "clock00", "dev": "clock10", "test": "clock20"}
    lines = [row.format(s, s, clock, *answer) for s, clock in clocks.items() for answer in answers]
    path.write_text(
        "\n".join(
            [
                head,
                *lines,
                row.format("dev", "dev", "clock10", "x", 5, "no").replace("\t2\t4\t", "\t3\t4\t"),
            ]
        )
    )
    reference = f"edge/spr2:{path},treebank={bank}"
    assert told(reference) == [("saw", "the old clock20", {"awareness", "volition"})]
    assert TASKS.make(reference).load().notes["left out"] == {
        "arguments to which nobody found a property applicable": 1
    }
    soft = told(f"{reference},soft=true")
    assert soft == [
        (
            "saw",
            "the old clock20",
            {"awareness": 0.75, "was_used": 0.625, "sentient": 0.0, "volition": 0.75},
        )
    ]


def test_annotations_that_fit_no_sentence_are_counted(tmp_path):
    path, bank = edges.spr2(tmp_path)
    rows = path.read_text().splitlines()
    rows += [
        rows[1].replace("en-ud-train.conllu 1", "en-ud-train.conllu 99"),
        rows[1].replace("the old", "the new").replace("\t2\t4", "\t2\t5"),
    ]
    path.write_text("\n".join(rows))
    notes = TASKS.make(f"edge/spr2:{path},treebank={bank}").load().notes
    assert notes["left out"] == {
        "arguments whose sentence is cut into other words there": 1,
        "arguments whose sentence the treebank does not have": 1,
    }  # fmt: skip
    ids = tmp_path / "ud_ids.json"
    ids.write_text(
        json.dumps(
            {
                f"ewt-{s}-{i}": {"sentence_id": "nowhere"}
                for s in ("train", "dev", "test")
                for i in range(7)
            }
        )
    )
    with pytest.raises(DataProblem, match="no targets"):
        TASKS.make(f"edge/spr2:{path},treebank={bank},ids={ids}").load()
    rows[3] = rows[3].replace("\t3\t", "\tthree\t").replace("\t4\t", "\tfour\t")
    path.write_text("\n".join(rows))
    with pytest.raises(DataProblem, match=r"protoroles\.tsv:4: "):
        TASKS.make(f"edge/spr2:{path},treebank={bank}").load()
    assert (
        TASKS.make(f"edge/spr2:{path},treebank={bank},on_error=skip")
        .load()
        .notes["source"]["skipped"]
        == 1
    )


def test_tables_without_sentences_or_responses_say_what_they_need(tmp_path):
    path, _ = edges.spr2(tmp_path)
    with pytest.raises(DataProblem, match=r"write treebank=FOLDER"):
        TASKS.make(f"edge/spr2:{path}").load()
    with pytest.raises(DataProblem, match="has no responses"):
        TASKS.make(f"edge/spr2:{edges.sets(tmp_path / 'sets')},soft=true").load()


def test_uds_weights_and_what_was_not_asked(tmp_path):
    path, bank = edges.uds(tmp_path)
    hard, soft = (told(f"edge/uds:{path},treebank={bank},soft={s}")[:2] for s in ("false", "true"))
    assert [(a, b) for a, b, _ in hard] == [("saw", "clock20"), ("saw", "clock21")]
    assert [label for *_, label in hard] == [
        {"awareness": 1.0, "existed_after": 0.0},
        {"awareness": 0.0, "existed_after": 1.0, "was_used": 0.0},
    ]
    assert soft[0][2]["awareness"] == pytest.approx(0.6225, abs=1e-4)
    (tmp_path / "x.zip").write_bytes(b"no zip")
    with pytest.raises(DataProblem, match=r"x\.zip is damaged or not a zip"):
        TASKS.make(f"edge/uds:{tmp_path}/x.zip,treebank={bank}").load()


def test_pronouns_and_what_they_stand_for(tmp_path):
    found = told(f"edge/dpr:{edges.recast(tmp_path)}")
    assert found[:2] == [("it", "Anna", "entailed"), ("it", "the clock20", "not-entailed")]
    assert len(found) == 12  # the last block has no blank line behind it
    sentences = TASKS.make(f"edge/dpr:{tmp_path}/dpr_data.txt").load().sentences
    assert sentences[0].text == "Anna broke the clock00, because it fell over."


PRONOUNS = {
    ("Ann met Eve before she left .", "Ann met Eve before Ann left ."): (4, 5, 0, 1),
    ("The man hit a man since he ran .", "The man hit a man since the man ran ."): (6, 7, 0, 2),
    ("Eve lost her hat .", "Eve lost Eve 's hat ."): (2, 3, 0, 1),
    ("Ann saw Eve and Eve saw her .", "Ann saw Eve and Eve saw Eve ."): (6, 7, 4, 5),
    ("Ann saw Eve .", "Ann saw Eve ."): None,
    ("Ann left .", "Bob left ."): None,
    ("She left .", "Ann left ."): None,
}


@pytest.mark.parametrize("sentences", PRONOUNS, ids=lambda s: s[0])
def test_finding_pronouns(sentences):
    text, hypothesis = (tokenize_words(s.split()) for s in sentences)
    assert find_pronoun_pair(text, hypothesis) == PRONOUNS[sentences]


def test_escapes_of_a_tokenizer_are_undone_or_kept(tmp_path):
    row = {
        "text": "She &apos;s &quot; Q &amp; A &quot; .",
        "targets": [{"span1": [0, 1], "span2": [3, 6], "label": "entailed"}],
    }
    for split in ("train", "test"):
        (tmp_path / f"{split}.json").write_text(json.dumps(row) + "\n")
    assert told(f"edge/dpr:{tmp_path}") == [("She", "Q & A", "entailed")]
    assert told(f"edge/dpr:{tmp_path},escapes=keep") == [("She", "Q &amp; A", "entailed")]


def test_nominals_as_published_and_cut():
    text = "The <e1>pot</e1>'s <e2>lid</e2>."
    assert parse_relation(text, "x")[:2] == (parse_relation(text, "x").sentence, (1, 2, 2, 3))
    assert parse_relation(text, "x").sentence.words == ("The", "pot's", "lid.")
    found = parse_relation(text, "x", cut=True)
    assert (found.sentence.words, found.span) == (("The", "pot", "'s", "lid", "."), (1, 2, 3, 4))
    assert found.sentence.text == "The pot's lid."
    assert parse_relation("<e1>a b</e1> of doves<e2>moles</e2>", "x").span == (0, 2, 3, 4)


@pytest.mark.parametrize(
    "text", ["<e1>a</e1> b", "<e1>a</e1> <e1>b</e1> <e2>c</e2>", "<e1>a</e1> <e2> </e2> b"]
)
def test_texts_without_two_nominals(text):
    with pytest.raises(ValueError, match=r"e[12]"):
        parse_relation(text, "x")


def test_dev_is_drawn_line_by_line_as_the_paper_s_code_draws(tmp_path):
    place = edges.semeval(tmp_path)
    found = {e.split: [] for e in TASKS.make(f"edge/semeval:{place}").load().examples()}
    for e in TASKS.make(f"edge/semeval:{place}").load().examples():
        found[e.split].append(int(e.sites[0].sentence.words[1][7:] if e.split != "test" else 0))
    # the first rows of the paper's own dev
    assert [n + 1 for n in found["dev"]] == [7, 25, 34, 39, 54]
    assert len(found["train"]) == 55
    path = place / "TRAIN_FILE.TXT"
    path.write_text(path.read_text().replace("<e1>spark", "<e1>spark</e1> <e1>", 1))
    with pytest.raises(DataProblem, match=r"TRAIN_FILE\.TXT:1: <e1> occurs twice"):
        TASKS.make(f"edge/semeval:{place}").load()
    dataset = TASKS.make(f"edge/semeval:{place},on_error=skip").load()
    assert (
        dataset.notes["source"]["skipped"],
        len(dataset.rows("train")),
        len(dataset.rows("dev")),
    ) == (1, 54, 5)


def test_files_of_two_kinds_of_targets_are_refused(tmp_path):
    """One span and two, a label and a list of labels: what does not fit the first target is named,
    or left out and counted.
    """
    rows = [
        {"text": "a b", "targets": [{"span1": [0, 1], "span2": [1, 2], "label": "x"}]},
        {"text": "c d", "targets": [{"span1": [0, 1], "label": "x"}]},
        {"text": "e f", "targets": [{"span1": [0, 1], "span2": [1, 2], "label": ["x"]}]},
        {"text": "g h", "targets": [{"span1": [0, 1], "span2": [1, 2], "label": "y"}]},
    ]
    for split in ("train", "test"):
        (tmp_path / f"{split}.json").write_text(
            "".join(json.dumps({**row, "text": f"{split} {row['text']}"}) + "\n" for row in rows)
        )
    with pytest.raises(
        DataProblem,
        match=(
            r"train\.json:2: one span with one label, but the first target has two spans with one"
            r" label"
        ),
    ):
        TASKS.make(f"edge/jsonl:{tmp_path}").load()
    dataset = TASKS.make(f"edge/jsonl:{tmp_path},on_error=skip").all_examples()
    assert (len(dataset), dataset.notes["source"]["skipped"]) == (4, 4)
    assert "test.json:3: two spans with a list of labels" in dataset.notes["problems"][3]


def test_what_a_file_says_of_targets_are_strata(tmp_path):
    dataset = TASKS.make(f"edge/jsonl:{edges.jsonl(tmp_path)}").load()
    assert {"distance", "height", "info", "record", "seen", "sure"} == set(dataset.strata)
    first, second = list(dataset.examples())[:2]
    assert (first.strata["height"], first.strata["sure"]) == ("2", "true")
    assert "height" not in second.strata
    assert json.loads(second.strata["info"]) == {"score": 0.5}


def test_an_empty_list_of_labels_is_an_answer(tmp_path):
    dataset = TASKS.make(f"edge/spr2:{edges.sets(tmp_path)}").load()
    labels = [e.label for e in dataset.examples()]
    assert labels[:3] == [
        {"was_used", "awareness"},
        set(),
        {"awareness", "existed_after", "was_used"},
    ]
    # and no class of nothing
    assert dataset.labels.names == ("awareness", "existed_after", "was_used")


def test_a_file_without_a_name_of_a_split_may_say_it_line_by_line(tmp_path):
    splits = ["train", "test", "train", "dev"]
    rows = [
        {"text": f"w{i}", "targets": [{"span1": [0, 1], "label": "x"}], "info": {"split": s}}
        for i, s in enumerate(splits)
    ]
    (tmp_path / "all.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [
        e.split for e in TASKS.make(f"edge/jsonl:{tmp_path}/all.json").load().examples()
    ] == splits


@pytest.mark.parametrize(
    ("task", "was", "now"),
    [
        ("srl", "(V*)", "(V*"),
        ("coref", "(2", "-"),
        ("entities", "(GPE)", "(GPE"),
        ("const", "(TOP(S(NP*)", "(TOP(NP*)"),
    ],
)
def test_columns_that_do_not_match_are_named_or_counted(tmp_path, task, was, now):
    place = edges.gold(tmp_path)
    path = place / "toy.train.gold_conll"
    path.write_text(path.read_text().replace(was, now, 1))
    with pytest.raises(DataProblem, match=r"toy\.train\.gold_conll:\d+: "):
        TASKS.make(f"edge/{task}:{place}").load()
    assert TASKS.make(f"edge/{task}:{place},on_error=skip").load().notes["source"]["skipped"] == 1


def test_mentions_that_are_none_are_named_or_counted(tmp_path):
    place = edges.misc(tmp_path)
    path = place / "toy-train.conllu"
    path.write_text(path.read_text().replace("Entity=2)", "Entity=2))", 1))
    for task in ("coref", "entities"):
        with pytest.raises(
            DataProblem, match=r"toy-train\.conllu:1: word 5: Entity=2\)\) is not mentions"
        ):
            TASKS.make(f"edge/{task}:{place}").load()
        assert (
            TASKS.make(f"edge/{task}:{place},on_error=skip").load().notes["source"]["skipped"] == 1
        )


def test_numbered_sentences_are_not_looked_for_in_a_release_that_names_them(tmp_path):
    path, bank = edges.uds(tmp_path)
    for file in bank.glob("*.conllu"):
        blocks = re.split(r"(?<=\n\n)", file.read_text("utf-8"))
        file.write_text(
            "".join(f"# sent_id = a-{k}\n{block}" for k, block in enumerate(blocks) if block)
        )
    with pytest.raises(DataProblem, match=r"later than release 1\.2.*give ids=ud_ids\.json"):
        TASKS.make(f"edge/uds:{path},treebank={bank}").load()


def test_a_malformed_treebank_of_documents_cannot_be_skipped(tmp_path):
    place = edges.onto(tmp_path)
    train = next((place / "dep").glob("*train*"))
    train.write_text(train.read_text("utf-8").replace("\t0\t", "\t99\t", 1))
    with pytest.raises(DataProblem, match=r"train.*:\d+: .*fix the file") as problem:
        TASKS.make(f"edge/coref:{place},sentences={place}/dep,on_error=skip").load()
    assert "on_error=skip" not in str(problem.value)
