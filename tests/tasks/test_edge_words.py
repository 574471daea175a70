"""Words and phrases: parts of speech, dependencies, features, constituents. What old converters got
wrong is tried here.
"""

import pytest

from fixtures.forest import forest
from lingprobe.corpora import brackets
from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS
from lingprobe.tasks.edge.treebanks import list_phrases

# multiword token, empty node, backslashes, a space, no comments, no line end
HARD = r"""1	Il	_	PRON	_	_	2	nsubj	_	_
2	a	_	VERB	V	Tense=Pres	0	root	_	_
3-4	du	_	_	_	_	_	_	_	_
3	de	_	ADP	_	_	5	case	_	_
4	le	_	DET	_	_	5	det:def	_	_
4.1	vrai	_	_	_	_	_	_	_	_
5	C:\new\u00e9	_	NOUN	N	Gender=Masc|Number=Sing	2	obj	_	_
6	10 000	_	NUM	_	_	5	nummod	_	_"""


def bank(folder, text=HARD):
    """A treebank whose sentences are all this one."""
    folder.mkdir(exist_ok=True)
    for split in ("train", "dev", "test"):
        (folder / f"toy-{split}.conllu").write_text(f"{text}\n\n{text}")
    return folder


def told(reference, split="test"):
    """The words of each span and the label, of one split."""
    return [
        (*(" ".join(s.sentence.words[slice(*s.span)]) for s in e.sites), e.label)
        for e in TASKS.make(reference).load().examples()
        if e.split == split
    ]


def test_treebanks_are_read_with_all_that_they_have(tmp_path):
    place = bank(tmp_path / "bank")
    arcs = [
        ("Il", "a", "nsubj"),
        ("de", r"C:\new\u00e9", "case"),
        ("le", r"C:\new\u00e9", "det:def"),
        (r"C:\new\u00e9", "a", "obj"),
        ("10 000", r"C:\new\u00e9", "nummod"),
    ]
    assert told(f"edge/dep:{place}") == arcs * 2  # the last sentence too
    assert ("le", r"C:\new\u00e9", "det") in told(f"edge/dep:{place},relations=universal")
    dataset = TASKS.make(f"edge/dep:{place}").load()
    assert dataset.notes["left out"] == {"roots": 6}
    assert dataset.sentences[0].text == r"Il a du C:\new\u00e9 10 000"


def test_the_root_is_its_own_head_only_where_that_is_asked_for(tmp_path):
    place = bank(tmp_path / "bank")
    edges = [
        tuple(s.span for s in e.sites) for e in TASKS.make(f"edge/dep:{place}").load().examples()
    ]
    assert all(a != b for a, b in edges)
    assert told(f"edge/dep:{place},root=self")[1] == ("a", "a", "root")
    assert len(told(f"edge/dep:{place},root=self")) == 12


def test_the_control_of_dependencies_draws_labels_for_the_dependent_and_not_for_its_head(tmp_path):
    from lingprobe.datasets.controls import CONTROLS

    place = bank(tmp_path / "bank")
    dataset = TASKS.make(f"edge/dep:{place}").load()
    changed = CONTROLS.make("word-labels")(dataset)
    labels: dict[str, set[int]] = {}
    for (sentence, start, _), label in zip(
        dataset.sites[:, 0].tolist(), changed.labels.ids.tolist(), strict=True
    ):
        labels.setdefault(dataset.sentences[sentence].words[start], set()).add(label)
    assert all(len(found) == 1 for found in labels.values())
    assert "first span" in changed.notes["control"]["definition"]


def test_distances_are_words_between(tmp_path):
    dataset = TASKS.make(f"edge/dep:{bank(tmp_path / 'bank')}").load()
    assert [e.strata["distance"] for e in dataset.examples()][:5] == ["0", "1", "0", "2", "0"]
    assert dataset.strata["distance"].names == ("0", "1", "2")


def test_tags_and_features(tmp_path):
    place = bank(tmp_path / "bank")
    assert [label for _, label in told(f"edge/pos:{place}")[:6]] == [
        "PRON",
        "VERB",
        "ADP",
        "DET",
        "NOUN",
        "NUM",
    ]
    assert told(f"edge/pos:{place},tags=xpos") == [("a", "V"), (r"C:\new\u00e9", "N")] * 2
    notes = TASKS.make(f"edge/pos:{place},tags=xpos").load().notes
    assert notes["left out"] == {"words without a tag": 24}
    assert told(f"edge/feat:{place},feature=Tense") == [("a", "Pres")] * 2
    assert (
        told(f"edge/feat:{place},feature=Gender,upos=NOUN,absent=label")
        == [(r"C:\new\u00e9", "Masc")] * 2
    )
    assert [label for _, label in told(f"edge/feat:{place},feature=Gender,absent=label")[:6]] == [
        "none"
    ] * 4 + ["Masc", "none"]
    with pytest.raises(DataProblem, match="no targets"):
        TASKS.make(f"edge/feat:{place},feature=Case").load()


def test_a_damaged_sentence_is_named_or_counted(tmp_path):
    place = bank(tmp_path / "bank")
    path = place / "toy-dev.conllu"
    path.write_text("1\tonly\n\n" + path.read_text())
    with pytest.raises(DataProblem, match=r"toy-dev\.conllu:1: 2 columns instead of 10"):
        TASKS.make(f"edge/dep:{place}").load()
    notes = TASKS.make(f"edge/dep:{place},on_error=skip").load().notes
    assert notes["source"]["skipped"] == 1
    assert "toy-dev.conllu:1" in notes["problems"][0]


TREE = (
    "(TOP (S (NP-SBJ (NP (NNP Ann))) (VP (VBZ says) (SBAR (S (VP (TO to) (VP (VB go)))))) (PRT|ADVP"
    " (RP on)) (. .)))"
)
WAYS = {
    "top": [("S", 0, 6), ("NP", 0, 1), ("VP", 1, 4), ("SBAR", 2, 4), ("VP", 3, 4), ("PRT", 4, 5)],
    "joined": [("S", 0, 6), ("NP+NP", 0, 1), ("VP", 1, 4), ("SBAR+S+VP", 2, 4), ("VP", 3, 4),
    ("PRT", 4, 5)],
    "separate": [
        ("S", 0, 6), ("NP", 0, 1), ("NP", 0, 1), ("VP", 1, 4), ("SBAR", 2, 4), ("S", 2, 4), ("VP",
        2, 4), ("VP", 3, 4), ("PRT", 4, 5),
    ],
    "set": [({"S"}, 0, 6), ({"NP"}, 0, 1), ({"VP"}, 1, 4), ({"SBAR", "S", "VP"}, 2, 4), ({"VP"},
    3, 4), ({"PRT"}, 4, 5)],
}  # fmt: skip


@pytest.mark.parametrize("unary", WAYS)
def test_phrases_over_the_same_words(unary):
    found = list_phrases(brackets.parse_brackets(TREE, "x", 1), unary)
    assert [(label, *span) for label, span in zip(found.labels, found.spans, strict=True)] == WAYS[
        unary
    ]


def test_the_node_over_the_tree_is_a_target_by_option():
    tree = brackets.parse_brackets(TREE, "x", 1)
    assert [
        list_phrases(tree, unary, root=True).labels[0]
        for unary in ("top", "joined", "separate", "set")
    ] == [
        "TOP",
        "TOP+S",
        "TOP",
        {"TOP", "S"},
    ]
    assert len(list_phrases(tree, "separate", root=True).spans) == 10


def test_heights_count_the_word_s_own_tag():
    found = list_phrases(brackets.parse_brackets(TREE, "x", 1), "separate")
    assert found.heights == ["7", "3", "2", "6", "5", "4", "3", "2", "2"]


@pytest.mark.parametrize("seed", range(5))
def test_all_ways_tell_the_same_phrases(tmp_path, seed):
    path = tmp_path / "x.ptb"
    path.write_text(forest(60, seed))
    for tree in brackets.read_brackets(path):
        ways = {unary: list_phrases(tree, unary, root=True) for unary in WAYS}
        assert len(set(ways["top"].spans)) == len(ways["top"].spans)  # no span is asked about twice
        assert (
            ways["top"].spans
            == ways["joined"].spans
            == ways["set"].spans
            == list(dict.fromkeys(ways["separate"].spans))
        )
        pieces = [
            (span, label)
            for span, labels in zip(ways["joined"].spans, ways["joined"].labels, strict=True)
            for label in labels.split("+")
        ]
        assert pieces == list(zip(ways["separate"].spans, ways["separate"].labels, strict=True))
        assert [set(label.split("+")) for label in ways["joined"].labels] == ways["set"].labels
        assert [label.split("+")[0] for label in ways["joined"].labels] == ways["top"].labels
        assert all(int(height) >= 2 for height in ways["top"].heights)


def test_siblings_over_neighbouring_words_are_no_chain():
    tree = brackets.parse_brackets("(S (NP (NN a)) (NP (NN b)) (X (NP (NN c)) (NN d)))", "x", 1)
    assert list_phrases(tree).labels == ["S", "NP", "NP", "X", "NP"]


def test_trees_and_columns_give_the_same(tmp_path):
    line = "(TOP (S (NP (-LRB- -LRB-) (NNP Ann)) (VP (VBD ran))))"
    bits = "d 0 0 -LRB- -LRB- (TOP(S(NP* - - \nd 0 1 Ann NNP *) - - \nd 0 2 ran VBD (VP*))) - - \n"
    for split in ("train", "test"):
        (tmp_path / f"{split}.ptb").write_text(f"{line}\n{line.replace('ran', 'sat')}\n")
        (tmp_path / f"{split}.gold_conll").write_text(bits + "\n" + bits.replace("ran", "sat"))
    for task in ("pos", "const"):
        trees, columns = (
            told(f"edge/{task}:{tmp_path}/train.{kind},with={tmp_path}/test.{kind}")
            for kind in ("ptb", "gold_conll")
        )
        assert trees == columns
    assert trees[:3] == [("( Ann ran", "S"), ("( Ann", "NP"), ("ran", "VP")]
