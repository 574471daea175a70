"""Trees in brackets: every layout that treebanks use, what is taken out, and what is refused."""

import gzip
import lzma
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.corpora import files
from lingprobe.corpora.brackets import (
    BRACKET_SUFFIXES,
    BracketTree,
    read_brackets,
)
from lingprobe.corpora.tally import ProblemTally
from lingprobe.data.core import DataProblem
from lingprobe_extensions.train.linear_trees import format_bracket_tree

ONE = "(ROOT (S (NP (DT The) (NN cat)) (VP (VBD slept)) (. .)))"
TWO = "(ROOT (NP (NN Silence)))"
PENN = """
( (S
    (NP-SBJ-1 (NNP Ms.) (NNP Haag) )
    (VP (VBZ seems)
      (S
        (NP-SBJ (-NONE- *-1) )
        (VP (TO to)
          (VP (VB play)
            (NP (NNP Elianti) )))))
    (. .) ))
"""


@pytest.fixture
def trees(tmp_path):
    def given_text(text, **options):
        path = tmp_path / "a.ptb"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return list(read_brackets(path, **options))

    return given_text


def problem(trees, text):
    with pytest.raises(DataProblem) as caught:
        trees(text)
    return str(caught.value)


def test_a_tree_in_columns(trees):
    (tree,) = trees(ONE)
    assert tree.words == ("The", "cat", "slept", ".")
    assert tree.tags == ("DT", "NN", "VBD", ".")
    assert tree.labels == ("ROOT", "S", "NP", "VP")
    assert tree.starts == (0, 0, 0, 2)
    assert tree.stops == (4, 4, 2, 3)
    assert tree.parents == (-1, 0, 1, 1)
    assert tree.line == 1
    assert tree.sentence.text == "The cat slept."
    assert [tuple(child) for child in tree.children(1)] == [
        ("NP", 0, 2, 2),
        ("VP", 2, 3, 3),
        (".", 3, 4, -1),
    ]
    assert [tuple(child) for child in tree.children(2)] == [("DT", 0, 1, -1), ("NN", 1, 2, -1)]


@pytest.mark.parametrize(
    "text",
    [
        f"{ONE}\n{TWO}\n",
        f"{ONE}{TWO}",
        f"\n\n  {ONE}   {TWO}\n\n",
        ONE.replace(" (", "\n  (") + "\n\n" + TWO.replace(" (", "\r\n\t("),
        ONE.replace(" (", "\n(") + "\n" + TWO.replace(" (", "\n("),
        ONE.replace("(ROOT", "(") + TWO.replace("(ROOT", "("),
        ONE.replace("(ROOT", "(TOP") + TWO.replace("(ROOT", "(S1"),
        ONE[6:-1] + "\n" + TWO[6:-1],
        b"\xef\xbb\xbf" + f"{ONE}\n{TWO}".encode(),
    ],
    ids=[
        "lines",
        "one line",
        "blanks",
        "pretty",
        "not indented",
        "unlabelled",
        "TOP and S1",
        "no wrapper",
        "byte order mark",
    ],
)
def test_layouts_and_wrappers_make_no_difference(trees, text):
    assert [format_bracket_tree(tree) for tree in trees(text)] == [ONE, TWO]


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".mrg.gz", gzip.compress), (".ptb.xz", lzma.compress)]
)
def test_compressed_files(tmp_path, suffix, compress):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(compress(f"{ONE}\n{TWO}\n".encode()))
    assert [len(tree.words) for tree in read_brackets(path)] == [4, 1]


def test_traces_and_what_they_leave_empty_go_unless_kept(trees):
    (tree,) = trees(PENN)
    assert tree.words == ("Ms.", "Haag", "seems", "to", "play", "Elianti", ".")
    assert tree.labels == ("ROOT", "S", "NP", "VP", "S", "VP", "VP", "NP")
    assert tree.functions == ("", "", "-SBJ-1", "", "", "", "", "")
    assert tree.has(2, "SBJ")
    assert not tree.has(3, "SBJ")
    (whole,) = trees(PENN, traces=True)
    assert whole.words == ("Ms.", "Haag", "seems", "*-1", "to", "play", "Elianti", ".")
    assert format_bracket_tree(whole).count("NP-SBJ") == 2
    tally = ProblemTally()
    assert not trees("( (NP (-NONE- *)))", tally=tally)
    assert tally.skipped == 1


def test_function_tags_are_cut_but_brackets_and_mixtures_are_no_function_tags(trees):
    (tree,) = trees("( (S (PRN (-LRB- -LRB-) (NP=2 (NN x)) (-RRB- -RRB-)) (PRT|ADVP (RP up))))")
    assert tree.labels == ("ROOT", "S", "PRN", "NP", "PRT|ADVP")
    assert tree.functions[3] == "=2"
    assert tree.tags == ("-LRB-", "NN", "-RRB-", "RP")


def test_tokens_are_unescaped(trees):
    raw = "-LRB- -RRB- -LCB- -RCB- -LSB- -RSB- `` '' 1\\/2 \\* :-RRB- '"
    (tree,) = trees("(X " + " ".join(f"(T {word})" for word in raw.split()) + ")")
    assert tree.words == ("(", ")", "{", "}", "[", "]", '"', '"', "1/2", "*", ":)", "'")
    assert tree.labels == ("ROOT", "X")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"{ONE}\n\n(ROOT (S (NN x)\n{TWO}\n",
            "a.ptb:3: a bracket is not closed before the next tree begins",
        ),
        (f"{ONE}\n(ROOT (S (NN x))", "a.ptb:2: a bracket is not closed before the file ends"),
        (f"{ONE})\n{TWO}\n", "a.ptb:1: a bracket is closed that was never opened"),
        (f"{ONE}\nwords\n{TWO}\n", "a.ptb:2: text outside brackets"),
        (f"{ONE}\n{TWO}\nend\n", "a.ptb:3: text outside brackets"),
        ("(ROOT (S\n (NP (DT the)\n  ((NN cat)))))", "a.ptb:3: a bracket without a label"),
        ("(ROOT (S\n (NP (DT the) cat)))", "a.ptb:2: a word beside phrases"),
        ("(ROOT (S\n (NP)))", "a.ptb:2: a phrase without words"),
        (
            "#1:1.[0] NP(Head:Ncb:台)#\n",
            "a.ptb:1: text outside brackets; only trees and blank lines are allowed; this is the"
            " format of the Sinica Treebank",
        ),
        ("(S (sn.e-SUJ (da0ms0 El el)))", "'El'); this is the format of AnCora and CESS"),
        (b"(ROOT (NN a))\n(ROOT\n(NN \xff))", "a.ptb:3: byte 0xff is not UTF-8"),
    ],
)
def test_errors_say_where_and_what(trees, text, message):
    assert message in problem(trees, text)


def test_bad_trees_can_be_left_out_and_counted(trees):
    text = f"{ONE}\n(ROOT (S (NN x)\n{TWO}\n(ROOT (S ()))\njunk\n{TWO}\n({ONE}\n{ONE})\n{TWO}\n"
    tally = ProblemTally()
    found = trees(text, on_error="skip", tally=tally)
    assert [tree.line for tree in found] == [1, 3, 6, 8, 9]
    assert tally.skipped == 5
    assert tally.sentences == len(found)
    assert all("a.ptb:" in told for told in tally.problems)


def test_files_longer_than_a_piece_are_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "CHUNK_BYTES", 64)
    path = tmp_path / "long.ptb"
    path.write_text(f"{ONE}\n{TWO}\n\n{PENN}\n" * 50)
    found = list(read_brackets(path))
    assert len(found) == 150
    assert found[0].words[1] is found[3].words[1]
    lines = path.read_text().split("\n")
    assert all(lines[tree.line - 1].startswith("(") for tree in found)


def test_a_treebank_is_a_file_or_a_folder_with_splits_in_its_names(tmp_path):
    for name in ("en-train.ptb.xz", "en-dev.ptb", "en-test.mrg", "README", "notes.txt"):
        (tmp_path / name).write_text(ONE)
    found = files.find_treebank_files(tmp_path, BRACKET_SUFFIXES)
    assert [(part.split, part.path.name) for part in found] == [
        ("train", "en-train.ptb.xz"),
        ("dev", "en-dev.ptb"),
        ("test", "en-test.mrg"),
    ]
    with pytest.raises(DataProblem, match=r"no \.mrg, .* did you mean"):
        files.find_treebank_files(tmp_path.parent, BRACKET_SUFFIXES)


LABELS = st.sampled_from(["S", "NP", "NP-SBJ", "VP=1", "-LRB-", "X|Y", "ADJP-PRD-2"])
WORDS = st.text(
    st.characters(categories=["L", "N", "P", "S"], exclude_characters="\\`'"),
    min_size=1,
    max_size=4,
)
PRETERMINALS = st.builds(
    "({} {})".format,
    st.sampled_from(["NN", "-LRB-", ".", "PRP$"]),
    WORDS.map(lambda w: w.replace("(", "-LRB-").replace(")", "-RRB-")),
)
PHRASES = st.recursive(
    PRETERMINALS,
    lambda inner: st.builds(
        "({} {})".format, LABELS, st.lists(inner, min_size=1, max_size=3).map(" ".join)
    ),
    max_leaves=12,
)


@given(st.lists(PHRASES, min_size=1, max_size=3), st.sampled_from([" ", "\n", "\n   "]))
def test_a_tree_written_and_read_back_is_itself(tmp_path_factory, phrases, blank):
    path = tmp_path_factory.mktemp("trees") / "a.ptb"
    path.write_text("(ROOT " + " ".join(phrases).replace(" (", blank + "(") + ")", encoding="utf-8")
    (tree,) = read_brackets(path)
    path.write_text(format_bracket_tree(tree), encoding="utf-8")
    (again,) = read_brackets(path)
    assert again._replace(file="", line=0) == tree._replace(file="", line=0)
    check(tree)


def check(tree: BracketTree) -> None:
    assert len(tree.words) == len(tree.tags) == tree.stops[0]
    for node, below in enumerate(tree.below):
        assert (below[0].start, below[-1].stop) == (tree.starts[node], tree.stops[node])
        assert all(a.stop == b.start for a, b in pairwise(below))
        assert all(
            child.node < 0 or tree.parents[child.node] == node < child.node for child in below
        )
