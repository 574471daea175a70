"""jiant's JSON lines, read and written: words between single spaces, nothing lost, everything wrong
named by its line.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.corpora import edges
from lingprobe.corpora.edges import format_record, read_edge_records
from lingprobe.corpora.tally import ProblemTally
from lingprobe.data.core import DataProblem, Dataset, Example, Sentence, Site
from lingprobe.datasets.formats import tables
from lingprobe.tasks import TASKS
from tasks.edges import jsonl, sets


def row(**more):
    return {
        "text": "a b c",
        "targets": [{"span1": [0, 1], "span2": [1, 3], "label": "x"}],
        "info": {},
        **more,
    }


def lines(path, *rows):
    path.write_text(
        "".join(
            (r if isinstance(r, str) else json.dumps(r, ensure_ascii=False)) + "\n" for r in rows
        ),
        "utf-8",
    )
    return path


def target(**more):
    return {"targets": [{"span1": [0, 1], "label": "x", **more}]}


WRONG = {
    '{"text": "a"': "not JSON",
    "[1]": "a line is an object",
    json.dumps(row(text=3)): "text is a string with words",
    json.dumps(row(text=" ")): "text is a string with words",
    json.dumps(row(text="a  b c")): "word 1 of the text is empty",
    json.dumps(row(targets={})): "targets is a list",
    json.dumps(row(targets=[3])): "target 0 is an object",
    json.dumps({"targets": []}): "no text: a string with words",
    json.dumps({"text": "a"}): "no targets: a list",
    json.dumps(row(targets=None)): "targets is a list .* found null",
    json.dumps(row(**target(span1=[1, 1]))): r"span1 of target 0, \[1, 1\], contains no word",
    json.dumps(row(**target(span1=[2, 1]))): r"span1 of target 0, \[2, 1\], contains no word",
    '{"text": "a b", "targets": [{"span1": [0, NaN], "label": "x"}]}': (
        r"span1 of target 0 is \[start, stop\] .* found \[0, NaN\]"
    ),
    '{"text": "a b", "targets": [{"span1": [0, 1], "label": NaN}]}': (
        "label of target 0 is a string .* found NaN"
    ),
    '{"text": "a b", "targets": [{"span1": [0, %s], "label": "x"}]}'
    % ("9" * 5000): "a number of 5000 digits",
    '{"text": "a b", "text": "c", "targets": []}': "'text' occurs twice",
    '{"text": "a b", "targets": [{"span1": [0, 1], "label": "x", "label": "y"}]}': (
        "'label' occurs twice"
    ),
    r'{"text": "a \ud800", "targets": []}': "one half of a character",
    json.dumps(row(**target(label=" "))): "target 0 has a label without a name",
    json.dumps(row(**target(label=["a", ""]))): "target 0 has a label without a name",
    json.dumps({"text": "a", "targets": [{"label": "x"}]}): "target 0 has no span1",
    json.dumps(row(**target(span1=[-1, 1]))): "outside a sentence of 3 words",
    json.dumps(row(**target(span2=[1, 4]))): "span2 of target 0.*outside a sentence of 3 words",
    json.dumps(row(**target(span1=[0.0, 1]))): r"span1 of target 0 is \[start, stop\]",
    json.dumps(row(**target(span1=[True, 2]))): r"span1 of target 0 is \[start, stop\]",
    json.dumps(row(**target(label=3))): "label of target 0 is a string or a list of strings",
    json.dumps(row(**target(label=["a", 1]))): "label of target 0 is a string or a list of strings",
    json.dumps(row(**target(label=["a", "a"]))): "has a label twice",
    json.dumps({"text": "a", "targets": [{"span1": [0, 1]}]}): "target 0 has no label",
    "[" * 100_000: "nested too deeply",
}


@pytest.mark.parametrize("bad", WRONG, ids=lambda bad: bad[:60])
def test_what_is_wrong_is_said_with_its_line_or_counted(tmp_path, bad):
    path = lines(tmp_path / "x.json", row(), "", bad, row())
    with pytest.raises(DataProblem, match=rf"x\.json:3: .*{WRONG[bad]}"):
        list(read_edge_records(path))
    tally = ProblemTally()
    assert [r.line for r in read_edge_records(path, "skip", tally)] == [1, 4]
    assert (tally.sentences, tally.skipped) == (2, 1)
    assert "x.json:3" in tally.problems[0]


def test_lines_that_are_not_utf8_are_named_or_counted(tmp_path):
    path = lines(tmp_path / "x.json", row(), row(text="é b c"), row())
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xe9"))
    with pytest.raises(DataProblem, match=r"x\.json:2: byte 0xe9 is not UTF-8"):
        list(read_edge_records(path))
    tally = ProblemTally()
    assert [r.line for r in read_edge_records(path, "skip", tally)] == [1, 3]
    assert (tally.sentences, tally.skipped) == (2, 1)


def test_a_line_may_be_long_and_pairs_of_halves_are_characters(tmp_path):
    long = " ".join(["w"] * 200_000)
    path = lines(
        tmp_path / "x.json", row(text=long, targets=[{"span1": [199_999, 200_000], "label": "x"}])
    )
    path.write_text(path.read_text() + r'{"text": "a \ud83d\ude00", "targets": []}' + "\n")
    first, second = read_edge_records(path)
    assert first.targets[0].span1 == (199_999, 200_000)
    assert second.words == ("a", "\N{GRINNING FACE}")


def test_only_single_spaces_part_words(tmp_path):
    text = "il a 10\u00a0000 ans\u2003ici \u3000 caf\u00e9\u0085"
    (record,) = read_edge_records(
        lines(tmp_path / "x.json", row(text=text, **target(span1=[2, 3])))
    )
    assert record.words == ("il", "a", "10\u00a0000", "ans\u2003ici", "\u3000", "café\u0085")
    assert len(record.words) != len(text.split())


def test_backslashes_and_quotes_are_data(tmp_path):
    word = 'a\\b"\\n\\u00e9\\'
    (record,) = read_edge_records(lines(tmp_path / "x.json", row(text=word, **target())))
    assert record.words == (word,)
    assert json.loads(format_record(record))["text"] == word


word = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters=" \n\r"), min_size=1, max_size=4
).filter(str.strip)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=3,
)


@st.composite
def records(draw):
    words = draw(st.lists(word, min_size=1, max_size=6))
    span = st.integers(0, len(words) - 1).flatmap(
        lambda a: st.tuples(st.just(a), st.integers(a + 1, len(words))).map(list)
    )
    label = word if draw(st.booleans()) else st.lists(word, unique=True, max_size=3)
    more = st.fixed_dictionaries(
        {},
        optional={"info": st.dictionaries(st.text(max_size=3), plain, max_size=2), "score": plain},
    )
    two = draw(st.booleans())
    targets = [
        {
            "span1": draw(span),
            **({"span2": draw(span)} if two else {}),
            "label": draw(label),
            **draw(more),
        }
        for _ in range(draw(st.integers(0, 3)))
    ]
    return {"text": " ".join(words), "targets": targets, **draw(more)}


@given(st.lists(records(), max_size=4))
def test_a_file_comes_back_as_it_was(tmp_path_factory, rows):
    path = lines(tmp_path_factory.mktemp("x") / "x.json", *rows)
    assert [json.loads(format_record(record)) for record in read_edge_records(path)] == rows


@pytest.mark.parametrize("write", [jsonl, sets])
@pytest.mark.parametrize("through", ["", "x.parquet", "x.jsonl"])
def test_a_data_set_comes_back_as_it_was(tmp_path, write, through):
    folder = write(tmp_path / "in")
    dataset = TASKS.make(f"edge/jsonl:{folder}").load()
    if through:
        tables.write_dataset(dataset, tmp_path / through)
        dataset = tables.read_dataset(tmp_path / through)
    assert tables.write_dataset(dataset, tmp_path / "out.json", "jiant")["examples"] == len(dataset)
    for split in ("train", "dev", "test"):
        (was,) = folder.glob(f"*{split}*")
        now = tmp_path / f"out.{split}.json"
        assert [json.loads(line) for line in now.read_text().splitlines()] == [
            json.loads(line) for line in was.read_text().splitlines()
        ]


def test_neighbouring_lines_of_one_sentence_stay_apart(tmp_path):
    rows = [row(info={"id": 1}), row(info={"id": 2}), row(targets=[]), row(info={"id": 2})]
    lines(tmp_path / "train.json", *rows)
    lines(tmp_path / "test.json", row(text="d e f"))
    dataset = TASKS.make(f"edge/jsonl:{tmp_path}").all_examples()
    assert dataset.notes["left out"] == {"sentences without targets": 1}
    tables.write_dataset(dataset, tmp_path / "out.json", "jiant")
    assert [
        json.loads(line)["info"] for line in (tmp_path / "out.train.json").read_text().splitlines()
    ] == [
        {"id": 1},
        {"id": 2},
        {"id": 2},
    ]


def test_examples_from_elsewhere_are_written_with_their_strata(tmp_path):
    sentence = Sentence(("a b", "c"), "a bc")
    sites = (Site(sentence, (0, 1)), Site(sentence, (1, 2)))
    weights = {"x": 0.75, "y": 0.25}
    dataset = Dataset.of(
        [
            Example(sites, weights, "train", strata={"core": "yes"}),
            Example(sites, {"z": 1.0}, "train"),
        ]
    )
    counts = tables.write_dataset(dataset, tmp_path / "out.json", "jiant")
    assert counts == {"examples": 2, "words with spaces": 1, "raw texts not kept": 1}
    (record,) = edges.read_edge_records(tmp_path / "out.train.json")
    assert record.words == ("a_b", "c")
    assert [t.label for t in record.targets] == [("x",), ("z",)]
    assert record.targets[0].more == {"info": {"core": "yes", "weights": weights}}


def test_what_the_format_cannot_hold_is_refused(tmp_path):
    one, two = Sentence.of(("a",)), Sentence.of(("b",))
    across = Dataset.of([Example((Site(one, (0, 1)), Site(two, (0, 1))), "x")])
    scores = Dataset.of([Example((Site(one),), 0.5)])
    for dataset, why in ((across, "of one sentence"), (scores, "not scores")):
        with pytest.raises(DataProblem, match=why):
            tables.write_dataset(dataset, tmp_path / "out.json", "jiant")
    assert not list(tmp_path.iterdir())


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.floats(allow_nan=False)
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "targets", "span1", "span2", "label"]), inner)
    ),
    max_leaves=8,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "text": st.just("a b") | anything,
            "targets": st.lists(anything, max_size=2) | anything,
        },
    )
    | anything
)
def test_whatever_a_line_holds_it_is_a_record_or_left_out_with_its_line(tmp_path_factory, value):
    path = lines(tmp_path_factory.mktemp("x") / "x.json", json.dumps(value))
    tally = ProblemTally()
    found = [json.loads(format_record(record)) for record in read_edge_records(path, "skip", tally)]
    assert found == [value] or (not found and tally.problems[0].startswith(f"{path}:1: "))
