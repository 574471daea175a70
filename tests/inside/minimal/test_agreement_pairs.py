"""Pairs of a treebank: the verb alone changes, in number alone, and what is doubtful is left out."""

from __future__ import annotations

from collections import Counter

import pytest

from lingprobe.corpora import conllu
from lingprobe.corpora.text import split_words
from lingprobe.inside.minimal.agreement import build_agreement_pairs, paradigms_of, with_unimorph
from lingprobe.tasks import TASKS

SING, PLUR = "Number=Sing|Person=3|VerbForm=Fin", "Number=Plur|Person=3|VerbForm=Fin"
PAST = "Tense=Past|VerbForm=Fin"
DOG, DOGS = ("dog", "dog", "NOUN", "Number=Sing"), ("dogs", "dog", "NOUN", "Number=Plur")
BARKS, BARK = ("barks", "bark", "VERB", SING), ("bark", "bark", "VERB", PLUR)


def block(*words, heads=(), text=""):
    """A sentence of words (form, lemma, upos, feats): without heads, subjects of the last one."""
    last = len(words)
    rows = [f"# text = {text or ' '.join(word[0] for word in words)}"]
    for i, (form, lemma, upos, feats) in enumerate(words, 1):
        head, deprel = heads[i - 1] if heads else (0, "root") if i == last else (last, "nsubj")
        rows.append(f"{i}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{deprel}\t_\t_")
    return "\n".join(rows) + "\n\n"


@pytest.fixture
def made(tmp_path):
    def make(*blocks, forms=None):
        (tmp_path / "bank.conllu").write_text("".join(blocks))
        trees = list(conllu.read_conllu(tmp_path / "bank.conllu"))
        paradigms, reasons = paradigms_of(trees), Counter()
        if forms is not None:
            (tmp_path / "forms.tsv").write_text(forms)
            paradigms = with_unimorph(paradigms, tmp_path / "forms.tsv")
        return list(build_agreement_pairs(trees, paradigms, reasons)), reasons

    return make


def test_the_verb_gets_the_other_number(made):
    pairs, reasons = made(block(DOG, BARKS, text="dog  barks"), block(DOGS, BARK))
    assert [(p.good, p.bad, p.group) for p in pairs] == [
        ("dog  barks", "dog  bark", "bark"),
        ("dogs bark", "dogs barks", "bark"),
    ]
    assert not reasons


def test_capitals_and_the_raw_text_stay(made):
    first = ("Barks", "bark", "VERB", SING)
    pairs, _ = made(
        block(first, DOG, heads=[(0, "root"), (1, "nsubj")], text="Barks dog"), block(DOGS, BARK)
    )
    assert [pair.bad for pair in pairs] == ["Bark dog", "dogs barks"]
    assert [pair.tags["order"] for pair in pairs] == ["verb first", "subject first"]


def test_the_auxiliary_agrees_where_there_is_one(made):
    sing = ("is", "be", "AUX", SING), ("are", "be", "AUX", PLUR)
    words = [(DOG, sing[0]), (DOGS, sing[1])]
    blocks = [
        block(noun, aux, ("barking", "bark", "VERB", "VerbForm=Part"),
              heads=[(3, "nsubj"), (3, "aux"), (0, "root")])
        for noun, aux in words
    ]  # fmt: skip
    assert [pair.bad for pair in made(*blocks)[0]] == ["dog are barking", "dogs is barking"]


def test_a_noun_of_the_other_number_between_them_is_an_attractor(made):
    other = block(
        DOG, ("cats", "cat", "NOUN", "Number=Plur"), BARKS,
        heads=[(3, "nsubj"), (1, "nmod"), (0, "root")],
    )  # fmt: skip
    pairs, _ = made(other, block(DOGS, BARK))
    assert [pair.tags["attractors"] for pair in pairs] == ["1", "none"]
    assert [pair.tags["distance"] for pair in pairs] == ["1", "0"]


@pytest.mark.parametrize(
    ("blocks", "reason"),
    [
        ([block(DOG, BARKS)], "no form of the other number"),
        (
            [block(DOG, ("sets", "set", "VERB", SING)), block(DOGS, ("set", "set", "VERB", PLUR)),
             block(DOG, ("set", "set", "VERB", f"Number=Sing|Person=3|{PAST}"))],
            "a form that stands for both numbers",
        ),
        (
            [block(DOG, ("brks", "bark", "VERB", f"{SING}|Typo=Yes"))],
            "a verb that is misspelt or not standard",
        ),
        ([block(("who", "who", "PRON", "_"), BARKS)], "a subject without number"),
        (
            [block(("koiraa", "koira", "NOUN", "Case=Par|Number=Sing"), BARKS)],
            "a subject whose case or number is not that of one noun",
        ),
        ([block(DOGS, BARKS)], "a subject whose case or number is not that of one noun"),
    ],
)  # fmt: skip
def test_what_is_doubtful_is_left_out_and_counted(made, blocks, reason):
    assert made(*blocks)[1][reason] >= 1


def test_two_forms_of_the_other_number_are_no_pair(made):
    _, reasons = made(
        block(DOG, BARKS), block(DOGS, BARK), block(DOGS, ("barken", "bark", "VERB", PLUR))
    )
    assert reasons["several forms of the other number"] == 1


def test_a_form_beside_a_commoner_one_is_no_pair(made):
    """Welsh *yw* and *mae* are both *is*, so that *maen*, the plural of *mae*, is none of *yw*."""
    yw = ("yw", "bark", "VERB", SING)
    pairs, reasons = made(*[block(DOG, BARKS)] * 2, block(DOG, yw), block(DOGS, BARK))
    assert [(pair.good, pair.bad) for pair in pairs][2:] == [("dogs bark", "dogs barks")]
    assert reasons["another form of the same number, which is as common"] == 1


def test_no_neighbour_is_elided_beside_one_form_alone(made):
    """*il n'est* and *il n'sont* differ in more than number, and so do *ils ne sont*, *ne est*."""
    il, ils = (("il", "il", "PRON", "Number=Sing"), ("ils", "il", "PRON", "Number=Plur"))
    est, sont = ("est", "être", "VERB", SING), ("sont", "être", "VERB", PLUR)
    heads = [(3, "nsubj"), (3, "advmod"), (0, "root")]
    elided, whole = ("n'", "ne", "ADV", "_"), ("ne", "ne", "ADV", "_")
    pairs, reasons = made(
        block(il, elided, est, heads=heads, text="il n'est"),
        block(ils, whole, sont, heads=heads),
        block(il, ("là", "là", "ADV", "_"), est, heads=heads),
    )
    assert [pair.bad for pair in pairs] == ["il là sont"]
    assert reasons["a word beside the verb that is elided beside one of both forms"] == 2
    mae, maen = ("mae", "bod", "VERB", SING), ("maen", "bod", "VERB", PLUR)
    article, after = ("'r", "y", "DET", "_"), [(0, "root"), (3, "det"), (1, "nsubj")]
    pairs, _ = made(
        block(mae, article, DOG, heads=after, text="mae'r dog"),
        block(maen, ("y", "y", "DET", "_"), DOGS, heads=after),
    )
    assert [pair.good for pair in pairs] == ["maen y dogs"]


def test_where_plurals_need_not_agree_they_are_left_out(made):
    """As in Turkish, where a plural subject often has a verb in the singular."""
    pairs, reasons = made(block(DOG, BARKS), block(DOGS, BARK), block(DOGS, BARKS))
    assert [pair.good for pair in pairs] == ["dog barks"]
    assert reasons["a number with which verbs need not agree"] == 1


def test_a_plural_without_gender_gets_the_singular_of_the_subjects_gender(made):
    """As in the past of Russian."""
    past = "Tense=Past|VerbForm=Fin"
    cat = [("кошка", "кошка", "NOUN", f"Gender=Fem|Number={n}") for n in ("Sing", "Plur")]
    cat[1] = ("кошки", *cat[1][1:])
    pairs, _ = made(
        block(cat[0], ("спала", "спать", "VERB", f"Gender=Fem|Number=Sing|{past}")),
        block(
            ("кот", "кот", "NOUN", "Gender=Masc|Number=Sing"),
            ("спал", "спать", "VERB", f"Gender=Masc|Number=Sing|{past}"),
        ),
        block(cat[1], ("спали", "спать", "VERB", f"Number=Plur|{past}")),
    )
    assert [pair.bad for pair in pairs] == ["кошка спали", "кот спали", "кошки спала"]


def test_unimorph_gives_the_forms_that_a_treebank_lacks(made):
    table = "bark\tbarks\tV;PRS;3;SG\nbark\tbark\tV;PRS;3;PL\n"
    pairs, _ = made(block(DOG, BARKS), forms=table)
    assert [pair.bad for pair in pairs] == ["dog bark"]


def test_a_verb_is_in_one_split_of_the_embedded_treebank():
    data = TASKS.make("minimal/agreement:embedded").load()
    verbs = data.strata["target"].codes
    splits = [set(verbs[data.rows(name)].tolist()) for name in ("train", "dev", "test")]
    assert all(splits)
    assert len(set.union(*splits)) == sum(map(len, splits))
    assert data.notes["left out"]


def test_pairs_are_chosen_by_the_words_of_a_text(tmp_path):
    """A text with the words of some pairs, in capitals: no pair with any other word is taken."""
    whole = TASKS.make("minimal/agreement:embedded").load()
    texts = [sentence.text for sentence in whole.sentences]
    pairs = [{texts[a], texts[b]} for a, b in whole.sites[:, :, 0].tolist()]
    text = tmp_path / "novel.txt"
    text.write_text("\n".join(line.upper() for pair in pairs[:150] for line in sorted(pair)))
    some = TASKS.make(f"minimal/agreement:embedded,words={text}").load()
    own = {sentence.text for sentence in some.sentences}
    known = {
        word for line in text.read_text().casefold().splitlines() for word in split_words(line)
    }
    assert 100 < len(some) < len(whole)
    assert all(set(split_words(line.casefold())) <= known for line in own)
    assert some.notes["left out"]["a word that novel.txt lacks"] > 0
