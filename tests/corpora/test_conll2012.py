"""CoNLL-2012 columns in their layouts; coreference and entities in the other ways that they are
written.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.corpora.conll2012 import LabelledSpan, parse_chains, parse_spans, read_conll2012
from lingprobe.corpora.conllu import read_conllu
from lingprobe.corpora.mentions import EntityMention, MentionReader
from lingprobe.corpora.tally import ProblemTally
from lingprobe.data.core import DataProblem
from tasks.edges import gold, misc

ROLES = "\n".join(
    [
        "d 0 0 -LRB- -LRB- (TOP(S* - - * *",
        "d 0 1 Ann NNP (NP*) - - (ARG0*) (ARG0*",
        "d 0 2 ran VBD (VP* run run.01 (V*) *)",
        "d 0 3 up RP * - - (C-V*) *",
        "d 0 4 bills NNS *))) pay pay.01 * (V*)",
    ]
)  # PropBank's layout; the second predicate stands behind an argument of two words


def blocks(path, text, **more):
    path.write_text(text)
    return list(read_conll2012(path, **more))


def test_ontonotes_layout(tmp_path):
    block = next(read_conll2012(gold(tmp_path) / "toy.train.gold_conll"))
    assert block.words[:2] == ("Anna", "saw")
    assert block.tags[:2] == ("NNP", "VBD")
    assert block.entities() == [("PERSON", 0, 1), ("GPE", 6, 7)]
    saw, left = block.arguments()
    assert saw == [
        ("ARG0", 0, 1),
        ("V", 1, 2),
        ("ARG1", 2, 5),
        ("ARGM-LOC", 5, 7),
        ("ARGM-TMP", 7, 10),
    ]
    assert left == [("ARG0", 8, 9), ("V", 9, 10)]
    assert block.mentions() == [("1", 0, 1), ("2", 2, 5), ("1", 8, 9)]
    assert [(label, a, b) for label, a, b in zip(block.tree().labels, block.tree().starts,
    block.tree().stops, strict=True)][:4] == [
        ("ROOT", 0, 11), ("S", 0, 11), ("NP", 0, 1), ("VP", 1, 10),
    ]  # fmt: skip
    assert block.document == "a/b 0"


def test_propbank_layout_and_escapes(tmp_path):
    (block,) = blocks(tmp_path / "x", ROLES)
    assert block.words == ("(", "Ann", "ran", "up", "bills")
    assert block.tree().words == block.words
    first, second = block.arguments()
    assert first == [("ARG0", 1, 2), ("V", 2, 3), ("C-V", 3, 4)]
    assert second == [("ARG0", 1, 3), ("V", 4, 5)]
    with pytest.raises(
        DataProblem, match=r"x:1: 10 columns and 2 predicates; named entities are in CoNLL-2012"
    ):
        block.entities()


def test_slashed_marks_lose_their_slash(tmp_path):
    (block,) = blocks(tmp_path / "x", ROLES.replace("Ann", "/.").replace("bills", "1/2"))
    assert block.words == ("(", ".", "ran", "up", "1/2")


def test_litbank_layout(tmp_path):
    (block,) = blocks(
        tmp_path / "x",
        "d\t0\t0\tthe\t_\t_\t(1|(2\nd\t0\t1\tman\t_\t_\t2)\nd\t0\t2\tran\t_\t_\t1)\n",
    )
    assert block.mentions() == [("2", 0, 2), ("1", 0, 3)]


def test_the_last_sentence_needs_no_blank_line_and_comments_are_passed_over(tmp_path):
    text = f"#begin document (d); part 000\n{ROLES}\n\n\n# sent_id = 2\n{ROLES}"
    assert [block.line for block in blocks(tmp_path / "x", text)] == [2, 10]
    assert blocks(tmp_path / "x", "") == []


BAD = {
    ROLES.replace(" (C-V*)", ""): "4: 9 columns, the first word of the sentence has 10",
    "d 0 0 word": "1: 4 columns; a row has document, part, number, word",
}


@pytest.mark.parametrize("text", BAD)
def test_rows_that_do_not_fit_are_named_or_counted(tmp_path, text):
    with pytest.raises(DataProblem, match=f"x:{BAD[text]}"):
        blocks(tmp_path / "x", text)
    tally = ProblemTally()
    assert len(blocks(tmp_path / "x", f"{text}\n\n{ROLES}", on_error="skip", tally=tally)) == 1
    assert (tally.sentences, tally.skipped, tally.words) == (1, 1, 5)


def test_columns_that_do_not_fit_the_predicates_are_named(tmp_path):
    (block,) = blocks(tmp_path / "x", ROLES.replace("run.01", "-"))
    with pytest.raises(
        DataProblem, match="x:1: 10 columns and 1 predicates; there are 8 columns and one"
    ):
        block.arguments()
    (block,) = blocks(tmp_path / "x", ROLES.replace("(S*", "*"))
    with pytest.raises(DataProblem, match="x:1: the brackets are not those of one whole tree"):
        block.tree()


@pytest.mark.parametrize(
    ("column", "why"),
    [
        ("(A* *", "1: .A is never closed"),
        ("* *)", "2: .* closes what was never"),
        ("* x", "2: 'x' is no br"),
    ],
)
def test_brackets_that_do_not_match(column, why):
    with pytest.raises(DataProblem, match=f"f:{why}"):
        parse_spans(column.split(), "f", 1)


@pytest.mark.parametrize("column", ["(1 -", "- 1)", "(1 2)", "x -"])
def test_mentions_that_do_not_match(column):
    with pytest.raises(DataProblem, match="f:1: "):
        parse_chains(column.split(), "f:1")


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(1, 3), st.sampled_from("123")),
        max_size=6,
        unique=True,
    )
)
def test_mentions_are_read_as_written(drawn):
    wanted = sorted({(a, a + size, chain) for a, size, chain in drawn})
    crossing = any(c == d and a < e < b < f for a, b, c in wanted for e, f, d in wanted)
    cells = [[] for _ in range(10)]
    for a, b, chain in sorted(wanted, key=lambda m: (m[0], -m[1])):
        cells[a].append(f"({chain})" if b == a + 1 else f"({chain}")
    for a, b, chain in sorted(wanted, key=lambda m: -m[0]):
        if b > a + 1:
            cells[b - 1].append(f"{chain})")
    found = parse_chains(["|".join(cell) or "-" for cell in cells], "f:1")
    if not crossing:  # mentions of one chain that cross cannot be told apart from ones that nest
        assert [(m.start, m.stop, m.label) for m in found] == wanted
    assert all(isinstance(m, LabelledSpan) for m in found)


def test_mentions_in_misc(tmp_path):
    tree = next(read_conllu(misc(tmp_path) / "toy-train.conllu"))
    found = [
        (0, 1, "1", "person"),
        (2, 5, "2", "object"),
        (3, 4, "3", "object"),
        (6, 7, "4", "place"),
        (8, 9, "1", "person"),
    ]
    assert MentionReader().of(tree) == found


HEAD = "# global.Entity = GRP-infstat-etype\n"


def mentioned(tmp_path, *values, head=HEAD):
    rows = [
        f"{i + 1}\tw\t_\tX\t_\t_\t{0 if i == 0 else 1}\t{'root' if i == 0 else 'dep'}\t_\t{v}"
        for i, v in enumerate(values)
    ]
    path = tmp_path / "x.conllu"
    path.write_text(head + "\n".join(rows) + "\n\n")
    reader = MentionReader()
    return [reader.of(tree) for tree in read_conllu(path)], reader


def test_fields_stand_where_the_header_says(tmp_path):
    (found,), _ = mentioned(
        tmp_path, "SpaceAfter=No|Entity=(a-new-person", "Entity=(b-giv-place)a)"
    )
    assert found == [EntityMention(0, 2, "a", "person"), EntityMention(1, 2, "b", "place")]
    (found,), _ = mentioned(tmp_path, "Entity=(a)", head="# global.Entity = GRP\n")
    assert found == [EntityMention(0, 1, "a", "")]


def test_mentions_in_pieces_or_beyond_the_sentence_are_counted(tmp_path):
    (found,), reader = mentioned(
        tmp_path,
        "Entity=(a[1/2]-new-person)",
        "Entity=(b-new-person",
        "Entity=(a[2/2]-new-person)",
        "Entity=c)",
    )
    assert found == []
    assert reader.unfinished == 4
    with pytest.raises(DataProblem, match=r"x\.conllu:1: word 1: Entity=\( is not mentions"):
        mentioned(tmp_path, "Entity=(")


def test_a_cell_without_end_is_refused_at_once():
    with pytest.raises(DataProblem, match="never opened, or is none"):
        parse_chains(["a" * 1_000_000], "file:1")
