"""Checks of a treebank as a whole: its release, the names of its values, its words and its raw
strings.
"""

import pytest

from lingprobe.corpora.batches import read_treebank_batches
from lingprobe.corpora.conllu import read_conllu
from lingprobe.corpora.style import AnnotationStyle
from lingprobe.corpora.tally import ProblemTally
from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS


def rows(*words, text="", ranges=()):
    """A sentence of words (form, upos, feats, head, deprel), with multiword tokens before the words
    that they begin with.
    """
    lines = [f"# text = {text}"] if text else []
    for i, (form, upos, feats, head, deprel) in enumerate(words, 1):
        lines += [
            f"{name}\t{whole}" + "\t_" * 8 for name, whole in ranges if name.startswith(f"{i}-")
        ]
        lines.append("\t".join([str(i), form, form, upos, "_", feats, str(head), deprel, "_", "_"]))
    return "\n".join(lines) + "\n\n"


def sees(verb="sees", number="Sing", obj="dobj", text=""):
    words = [
        ("dog", "NOUN", f"Number={number}", 2, "nsubj"),
        (verb, "VERB", "Tense=Pres|VerbForm=Fin", 0, "root"),
    ]
    return rows(*words, ("cat", "NOUN", f"Number={number}", 2, obj), text=text)


@pytest.mark.parametrize(
    ("relations", "first"),
    [
        (
            {"nsubj", "dobj", "nmod"},
            "is annotated after release 1 of Universal Dependencies (it has dobj)",
        ),
        (
            {"nsubjpass", "auxpass"},
            "is annotated after release 1 of Universal Dependencies (it has auxpass, nsubjpass)",
        ),
        ({"nsubj", "obj"}, ""),
        ({"nsubj", "nmod"}, ""),
        ({"dobj", "obj"}, ""),  # a slip of the annotators
        (set(), ""),
    ],
)
def test_release_1_is_told_by_its_relations(relations, first):
    assert AnnotationStyle(relations).first_release() == first


def test_values_that_are_not_those_of_ud_are_named():
    style = AnnotationStyle(
        feats={"Number=Sg|Case=Nom", "Number=Pl", "Tense=Pres", "VerbForm=Fin", "_"}
    )
    said = "Number is written Pl, Sg there, and Universal Dependencies has no such values"
    assert style.foreign_values(["Number"]) == said
    assert style.foreign_values(["Voice"]) == ""  # what is not read does not matter
    fine = AnnotationStyle(
        feats={"Number=Dual,Plur", "Mood=Ind,Sub", "Voice=Cau", "VerbForm=Fin,Inf"}
    )
    assert fine.foreign_values(["Number", "Mood", "Voice", "VerbForm"]) == ""


ASKED_OF_RELATIONS = ("top-deps", "passive", "tense", "subj-num", "obj-num", "sent-type", "feat")


@pytest.mark.parametrize("name", ASKED_OF_RELATIONS)
def test_a_treebank_of_release_1_is_refused_by_name(tmp_path, name):
    path = tmp_path / "old.conllu"
    path.write_text(sees() * 3)
    options = ",feature=Number,of=obj" if name == "feat" else ""
    with pytest.raises(
        DataProblem, match=r"old\.conllu is annotated after release 1 .*get a newer release"
    ):
        TASKS.make(f"ud/{name}:{path}{options}").load()


def test_relations_of_release_1_may_be_probed_as_they_are(tmp_path):
    path = tmp_path / "old.conllu"
    path.write_text("".join(sees(f"sees{i}") for i in range(30)))
    for name in ("edge/dep", "edge/pos"):
        notes = TASKS.make(f"{name}:{path}").load().notes
        assert ("release 1" in str(notes.get("remarks", ""))) == (name == "edge/dep")


def test_a_refusal_names_values_that_are_spelled_otherwise(tmp_path):
    path = tmp_path / "sg.conllu"
    path.write_text(sees(number="Sg", obj="obj") * 3)
    with pytest.raises(DataProblem, match="Number is written Sg there, and Universal"):
        TASKS.make(f"ud/subj-num:{path}").load()


def both(path):
    """What the two readers of CoNLL-U make of a file: raw strings, and the tally."""
    one, many = ProblemTally(), ProblemTally()
    slow = [tree.text for tree in read_conllu(path, "raise", one)]
    fast = [text for batch in read_treebank_batches(path, "raise", many) for text in batch.texts]
    assert (slow, one) == (fast, many)
    return slow, one


def test_a_raw_string_that_is_not_made_of_the_words_is_put_together_from_them(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(
        "".join(sees(f"sees{i}", text="The same wrong sentence.") for i in range(3))
        + sees(text="dog  sees cat")
    )
    texts, tally = both(path)
    assert texts == ["dog sees0 cat", "dog sees1 cat", "dog sees2 cat", "dog  sees cat"]
    assert (tally.mistold, tally.first) == (3, f"{path}:1")
    assert tally.remarks() == [
        "3 raw strings (# text) are not made of the words, which were put together instead; the"
        f" first: {path}:1"
    ]
    assert "remarks" in TASKS.make(f"edge/pos:{path},splits=sampled").load().notes


def test_multiword_tokens_and_spaces_are_no_contradiction(tmp_path):
    path = tmp_path / "a.conllu"
    words = [
        ("a b", "X", "_", 0, "root"),
        ("de", "ADP", "_", 3, "case"),
        ("el", "DET", "_", 1, "det"),
        (".", "PUNCT", "_", 1, "punct"),
    ]
    path.write_text(
        rows(*words, text="ab del .", ranges=[("2-3", "del")])
        + rows(*words, text="a b de el.", ranges=[("2-3", "del")])
    )
    texts, tally = both(path)
    assert tally.mistold == 1
    assert texts == ["ab del .", "a b del ."]


def test_withheld_words_are_left_out_and_counted(tmp_path):
    path = tmp_path / "a.conllu"
    hidden = rows(
        ("___", "X", "_", 0, "root"), ("__", "X", "_", 1, "dep"), (".", "PUNCT", "_", 1, "punct")
    )
    line = rows(("_______", "PUNCT", "_", 0, "root"))
    path.write_text(line + sees(obj="obj") + hidden + line + sees(obj="obj"))
    texts, tally = both(path)
    # a line that is drawn, before anything else is hidden
    assert texts == ["_______", "dog sees cat", "dog sees cat"]
    assert (tally.skipped, tally.withheld) == (2, 2)
    assert "words are withheld" in tally.problems[0]
    path.write_text(hidden * 3)
    for name in ("ud/tense", "ud/sent-len", "edge/pos", "edge/dep"):
        with pytest.raises(DataProblem, match="its words are withheld"):
            TASKS.make(f"{name}:{path}").load()


def test_a_line_of_spaces_loses_no_sentence(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(
        "\t\n".join(sees(f"sees{i}", obj="obj").rstrip("\n") + "\n" for i in range(60)) + "\n"
    )
    with pytest.raises(
        DataProblem,
        match=r"a\.conllu:4: the line between sentences must be empty, without spaces or tabs",
    ):
        list(read_conllu(path))
    one, many = ProblemTally(), ProblemTally()
    assert (
        len(list(read_conllu(path, "skip", one)))
        == sum(map(len, read_treebank_batches(path, "skip", many)))
        == 60
    )
    assert one == many
    assert (one.skipped, len(one.remarks())) == (0, 1)


def test_lines_that_end_in_cr_alone_are_named(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(sees(obj="obj").replace("\n", "\r"), newline="")
    for name in ("ud/tense", "edge/pos"):
        with pytest.raises(
            DataProblem, match=r"a\.conllu:1: its lines end in CR alone; convert it"
        ):
            TASKS.make(f"{name}:{path}").load()
