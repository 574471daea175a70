import contextlib
import csv
import gzip
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import DataProblem, Dataset, Example, Sentence, Site
from lingprobe.data.labels import COLUMN_KINDS_BY_LOSS, LabelSets
from lingprobe.datasets.formats.tables import (
    choose_writing,
    read_dataset,
    usual_metric,
    write_dataset,
)
from lingprobe.testing import TINY_DATASET_FAMILIES, same_dataset

LOSSLESS = ["parquet", "jsonl"]
text = st.text(max_size=12)
words = st.lists(text, max_size=5)


@st.composite
def datasets(draw):
    """Any data set that an author can write, of every label column."""
    label = draw(
        st.sampled_from(
            [
                text,
                st.floats(allow_nan=False, allow_infinity=False),
                st.frozensets(text, max_size=3),
                st.dictionaries(text, st.floats(0, 1, width=32), max_size=3),
            ]
        )
    )
    sites, slots = draw(st.integers(1, 3)), draw(st.integers(0, 2))
    sentence = st.builds(Sentence, words.map(tuple), text)

    @st.composite
    def site(draw):
        found = draw(sentence)
        if not found.words or draw(st.booleans()):
            return Site(found)
        start = draw(st.integers(0, len(found.words) - 1))
        return Site(found, (start, draw(st.integers(start + 1, len(found.words)))))

    example = st.builds(
        Example,
        st.lists(site(), min_size=sites, max_size=sites).map(tuple),
        label,
        st.sampled_from(["train", "dev", "test"]),
        st.lists(text, min_size=slots, max_size=slots).map(tuple),
        st.dictionaries(text, text, max_size=2),
    )
    notes = draw(st.dictionaries(text, st.integers() | text, max_size=2))
    return Dataset.of(draw(st.lists(example, min_size=1, max_size=6)), notes)


@pytest.mark.parametrize("suffix", LOSSLESS)
@pytest.mark.parametrize("family", TINY_DATASET_FAMILIES)
def test_every_family_comes_back_equal(tmp_path, family, suffix):
    dataset = TINY_DATASET_FAMILIES[family]()
    assert write_dataset(dataset, tmp_path / f"a.{suffix}") == {"examples": 100}
    same_dataset(read_dataset(tmp_path / f"a.{suffix}"), dataset)
    assert [p.name for p in tmp_path.iterdir()] == [f"a.{suffix}"]


@pytest.mark.parametrize("suffix", LOSSLESS)
def test_whatever_an_author_writes_comes_back_equal(tmp_path, suffix):
    @given(datasets())
    def check(dataset):
        write_dataset(dataset, tmp_path / f"a.{suffix}")
        same_dataset(read_dataset(tmp_path / f"a.{suffix}"), dataset)

    check()


@pytest.mark.parametrize("suffix", LOSSLESS)
def test_names_that_no_example_uses_any_more_are_kept_in_place(tmp_path, suffix):
    whole = TINY_DATASET_FAMILIES["asked"]()
    part = whole.take(np.array([7, 3]))
    write_dataset(part, tmp_path / f"a.{suffix}")
    back = read_dataset(tmp_path / f"a.{suffix}")
    assert (back.labels.names, back.vocabulary) == (whole.labels.names, whole.vocabulary)
    assert list(back.examples()) == list(part.examples())


@pytest.mark.parametrize("suffix", LOSSLESS)
def test_weights_that_are_not_partial_come_back(tmp_path, suffix):
    dataset = TINY_DATASET_FAMILIES["span"]((3, 1, 1))
    weights = np.linspace(0, 1, len(dataset.labels.ids)).astype(np.float32)
    labels = LabelSets(dataset.labels.offsets, dataset.labels.ids, weights, dataset.labels.names)
    weighted = Dataset(dataset.sentences, dataset.sites, labels, dataset.splits, dataset.asked)
    write_dataset(weighted, tmp_path / f"a.{suffix}")
    same_dataset(read_dataset(tmp_path / f"a.{suffix}"), weighted)


@pytest.mark.parametrize(
    ("label", "kind"),
    [("x", "softmax"), (2.5, "squared"), (["x"], "sigmoid"), ({"x": 0.5}, "sigmoid")],
)
def test_the_kind_of_labels_is_known_before_all_is_read(tmp_path, label, kind):
    (tmp_path / "a.jsonl").write_text("\n" + line(label=label) + "\n{ broken")
    assert usual_metric(tmp_path / "a.jsonl") == COLUMN_KINDS_BY_LOSS[kind].metric
    dataset = Dataset.of(
        [
            Example.about(
                Sentence.of(["a"]),
                label if label == 2.5 else frozenset(label) if label == ["x"] else label,
            )
        ]
    )
    for suffix in LOSSLESS:
        write_dataset(dataset, tmp_path / f"b.{suffix}")
        assert usual_metric(tmp_path / f"b.{suffix}") == COLUMN_KINDS_BY_LOSS[kind].metric


def test_senteval_files_come_back_equal(tmp_path):
    dataset = TINY_DATASET_FAMILIES["sentence"]()
    assert write_dataset(dataset, tmp_path / "a.txt") == {
        "examples": 100,
        "words with spaces": 0,
        "raw texts not kept": 0,
    }
    back = read_dataset(tmp_path / "a.txt")
    assert [(e.sites, e.label, e.split) for e in back.examples()] == [
        (e.sites, e.label, e.split) for e in dataset.examples()
    ]
    assert (tmp_path / "a.txt").read_text().splitlines()[0].split("\t")[:2] == ["tr", "PAST"]


def test_quotes_are_data(tmp_path):
    # SentEval's rows have unbalanced quotes: a CSV reader with its defaults merges such rows (4
    # rows became 2)
    rows = [
        'tr\tPRES\t" But why summon a ghost ?',
        "tr\tPAST\tI cowered .",
        'va\tPRES\t" The implications scare me .',
        'te\tPAST\tHe " left .',
    ]
    file = tmp_path / "past_present.txt"
    file.write_text("\n".join(rows) + "\n")
    assert len(list(csv.reader(io.StringIO(file.read_text()), delimiter="\t"))) < 4
    dataset = read_dataset(file)
    assert len(dataset) == 4
    assert dataset.sentences[0].words[0] == '"'


def test_windows_line_ends_byte_order_mark_blank_lines_and_gzip(tmp_path):
    with gzip.open(tmp_path / "a.tsv.gz", "wb") as file:
        file.write("\ufefftr\tx\ta b\r\n\r\nva\tx\tc\r\n   \r\nte\tx\td".encode())
    dataset = read_dataset(tmp_path / "a.tsv.gz")
    assert [e.sites[0].sentence.text for e in dataset.examples()] == ["a b", "c", "d"]
    assert dataset.notes["read"] == {"examples": 3, "words": 4, "blank lines": 2}


def test_only_line_feeds_end_lines(tmp_path):
    (tmp_path / "a.tsv").write_bytes("tr\tx\ta\u2028b\x0c\x85c\n".encode())
    assert read_dataset(tmp_path / "a.tsv").sentences[0].words == ("a\u2028b\x0c\x85c",)


def test_labels_that_only_test_has_are_kept(tmp_path):
    (tmp_path / "a.tsv").write_text("tr\tx\ta\nva\ty\tb\nte\tz\tc\n")
    assert read_dataset(tmp_path / "a.tsv").labels.names == ("x", "y", "z")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("tr\tx\ta\ntr\tx\n", r"a\.tsv:2: 2 columns, not at least 3"),
        ("tr\tx\ta\n\nxx\tx\tb\n", r"a\.tsv:3: split 'xx' is not one of tr, va, te"),
        ("tr\t \ta\n", r"a\.tsv:1: the label is empty"),
        ("\n\n", "no examples"),
        ("", "no examples"),
        (b"tr\tx\ta\ntr\tx\t\xe9\n", r"a\.tsv:2: byte 0xe9 is not UTF-8"),
    ],
)
def test_problems_of_tsv_say_where(tmp_path, content, said):
    (tmp_path / "a.tsv").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataProblem, match=said):
        read_dataset(tmp_path / "a.tsv")


def line(**row):
    return json.dumps({"split": "train", "label": "x", "text": "a b"} | row)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", r"a\.jsonl:1: not JSON"),
        ("[1]", "a row is an object"),
        ("[" * 100_000, r"a\.jsonl:1: (nested too deeply|not JSON)"),
        (line() + "\n\n" + line(split="xx"), r"a\.jsonl:3: split 'xx' is not one of train"),
        (line(label=None), r"a\.jsonl:1: there is no label in column 'label'"),
        (line(label=["x", 1.5]), "label 1.5 is not a name"),
        (line(label={"x": "1"}), "label '1' is neither a name nor a number"),
        ('{"split": "train", "label": NaN, "text": "a"}', "there is no label in column"),
        ('{"split": "train", "label": 1e999, "text": "a"}', "too large a number"),
        (line(label=10**400), "a number of 401 digits"),
        (line(label=10**39) + "9" * 5000, "not JSON"),
        (line().replace('"x"', "9" * 5000), r"a\.jsonl:1: a number of 5000 digits"),
        (
            '{"split": "train", "label": "x", "text": "a", "label": "y"}',
            r"a\.jsonl:1: the key 'label' occurs twice",
        ),
        (
            '{"split": "train", "label": "x", "text": "a", "strata": {"a": "b", "a": "c"}}',
            "the key 'a' occurs twice",
        ),
        (line(text="a \ud800"), "one half of a character"),
        (
            json.dumps({"sonde": 1, "names": 5}),
            r"a\.jsonl:1: names of the header is a list of different strings, found 5; fix it",
        ),
        (json.dumps({"sonde": 1, "names": ["x", "x"]}), "names of the header"),
        (json.dumps({"sonde": 1, "vocabulary": {}}), "vocabulary of the header"),
        (json.dumps({"sonde": 1, "strata": []}), "strata of the header is an object"),
        (json.dumps({"sonde": 1, "strata": {"a": 3}}), "strata of the header"),
        (json.dumps({"sonde": 1, "notes": "x"}), "notes of the header is an object"),
        (json.dumps({"sonde": 1, "partial": 1}), "partial of the header is true or false"),
        (
            json.dumps({"sonde": 1, "loss": "hinge"}),
            "loss of the header is one of softmax, sigmoid, squared",
        ),
        (line(label={"a": 0.5, "b": "c"}), "label 'c' is neither"),
        (line(label={"a": True, "b": 1}), "label"),
        (line(text=3), "column 'text' has '3' where a text is expected"),
        ('{"split": "train", "label": "x"}', "no column has a usual name of a text"),
        (line(words=["a", 3]), "words is a list of strings"),
        (line(words=None), "words is a list of strings"),
        (line(words=["a", "b"], span=[0, 9]), r"span \[0, 9\] is not .* words 0 to 2"),
        (line(words=["a", "b"], span=[1, 1]), "span"),
        (line(words=["a", "b"], span=[False, True]), "span"),
        (line(words=["a", "b"], asked="dog"), "asked is a list of strings"),
        (line(strata={"a": 1}), "strata must be an object"),
        (line(sites=[]), "sites is a list"),
        (
            line() + "\n" + line(label=1),
            r"a\.jsonl:2: its label is a score, that of the first row a class",
        ),
        (line() + "\n" + line(asked=["a"]), r"a\.jsonl:2: .*1 asked words"),
        (json.dumps({"sonde": 99}) + "\n" + line(), "format 99"),
        (
            json.dumps({"sonde": 1, "names": ["y"]}) + "\n" + line(),
            "'x', which the header does not list",
        ),
        (
            json.dumps({"sonde": 1, "loss": "squared"}) + "\n" + line(),
            "the header speaks of squared",
        ),
        ("", "no examples"),
    ],
)
def test_problems_of_json_lines_say_where(tmp_path, content, said):
    (tmp_path / "a.jsonl").write_text(content)
    with pytest.raises(DataProblem, match=said):
        read_dataset(tmp_path / "a.jsonl")


def test_lines_written_by_hand_will_do(tmp_path):
    (tmp_path / "a.jsonl").write_text(
        line() + "\n" + line(words=["A", "B"], span=[0, 1], split="test", strata={"k": "v"})
    )
    first, second = read_dataset(tmp_path / "a.jsonl").examples()
    assert first == Example.about(Sentence(("a", "b"), "a b"), "x")
    assert second == Example(
        (Site(Sentence(("A", "B"), "a b"), (0, 1)),), "x", "test", strata={"k": "v"}
    )


ONE = {"text": ["a"], "words": [["a"]]}
NO_WEIGHT, NO_WEIGHTS = (pa.array([value], pa.list_(pa.float64())) for value in ([None], None))


def test_tables_of_other_tools_will_do(tmp_path):
    pq.write_table(
        pa.table(
            {"split": ["train", "test"], "label": [1, 2], "text": ["a b", "c"], "more": [None, 1]}
        ),
        tmp_path / "a.parquet",
    )
    examples = list(read_dataset(tmp_path / "a.parquet").examples())
    assert [(e.label, e.sites[0].sentence.words) for e in examples] == [
        (1.0, ("a", "b")),
        (2.0, ("c",)),
    ]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"split": ["train"], "label": ["x"]}, "usual name of a text, as 'text'"),
        ({"split": ["train"], "text": ["a"]}, "usual name of a label, as 'label'"),
        ({"split": ["xx"], "label": ["x"], "text": ["a"]}, "row 1: split 'xx'"),
        ({"split": ["train"], "label": [None], "text": ["a"]}, "row 1: there is no label"),
        ({"split": ["train"], "label": [float("nan")], "text": ["a"]}, "row 1: there is no label"),
        (
            {"split": ["train"], "label": ["x"], "text": [None]},
            "row 1: there is no text in column 'text'",
        ),
        (
            {"split": ["train"], "label": ["x"], **ONE, "start": [0], "stop": [2]},
            "row 1: start 0 and stop 2",
        ),
        ({"split": ["train"], "labels": [None], "text": ["a"]}, "row 1: there is no label"),
        (
            {"split": ["train"], "label": ["x"], "text": ["a"], "words": ["the cat"]},
            "column 'words' holds string, expected lists of strings",
        ),
        (
            {"split": ["train"], "label": ["x"], **ONE, "asked": ["dog"]},
            "column 'asked' holds string",
        ),
        (
            {"split": ["train"], "label": ["x"], "text": ["a"], "text2": [1]},
            "row 1: column 'text2' has '1' where a text is expected",
        ),
        (
            {"split": ["train"], "label": [[1.5]], "text": ["a"]},
            "row 1: label 1.5 is not a name",
        ),
        (
            {"split": ["train"], "label": ["x"], **ONE, "start": ["0"], "stop": [1]},
            "column 'start' holds string, expected whole",
        ),
        (
            {"split": ["train"], "label": ["x"], "text": ["a"], "words": [["a", None]]},
            "row 1: words is null",
        ),
        (
            {"split": ["train"], "labels": [["a", None]], "text": ["a"]},
            "row 1: label None is not a name",
        ),
        (
            {"split": ["train"], "labels": [["a", "a"]], **ONE},
            "row 1: a label occurs twice",
        ),
        (
            {"split": ["train"], "labels": [["a"]], "weights": [[1.0, 2.0]], "text": ["a"]},
            "row 1: 1 labels with weights .1.0, 2.0.",
        ),
        (
            {"split": ["train"], "labels": [["a"]], "weights": NO_WEIGHT, "text": ["a"]},
            "row 1: 1 labels with weights",
        ),
        (
            {"split": ["train"], "labels": [["a"]], "weights": NO_WEIGHTS, "text": ["a"]},
            "row 1: 1 labels with",
        ),
        (
            {
                "split": pa.array([], pa.string()),
                "label": pa.array([], pa.string()),
                "text": pa.array([], pa.string()),
            },
            "no examples",
        ),
    ],
)
def test_problems_of_parquet_say_where(tmp_path, columns, said):
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    with pytest.raises(DataProblem, match=said):
        read_dataset(tmp_path / "a.parquet")


def test_dictionaries_and_large_types_of_other_tools_will_do(tmp_path):
    columns = {
        "split": pa.array(["train", "test"]).dictionary_encode(),
        "labels": pa.array([["a"], []], pa.large_list(pa.large_string())),
        "words": pa.array([["x", "y"], ["z", "w"]], pa.list_(pa.string(), 2)),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    examples = list(read_dataset(tmp_path / "a.parquet").examples())
    assert [(e.label, e.sites[0].sentence.words) for e in examples] == [
        (frozenset("a"), ("x", "y")),
        (frozenset(), ("z", "w")),
    ]


@pytest.mark.parametrize("first", range(8))
def test_parquet_with_a_changed_byte_is_read_or_refused(tmp_path, first):
    write_dataset(TINY_DATASET_FAMILIES["span"](), tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    for where in range(first, len(content), len(content) // 25):
        changed = bytearray(content)
        changed[where] ^= 255
        (tmp_path / "a.parquet").write_bytes(changed)
        with contextlib.suppress(DataProblem):
            read_dataset(tmp_path / "a.parquet")


def test_text_that_no_file_can_hold_is_refused_and_leaves_nothing(tmp_path):
    dataset = Dataset.of(
        [
            Example.about(Sentence(("a\udcff",), "a\udcff"), "x", split)
            for split in ("train", "test")
        ]
    )
    for name in ("a.jsonl", "a.parquet", "a.tsv"):
        with pytest.raises(DataProblem, match="contains a lone surrogate"):
            write_dataset(dataset, tmp_path / name)
    words = "y" * 40 + "\udcff" + "z" * 40
    long = Dataset.of([Example.about(Sentence((words,), words), "x", "train")])
    with pytest.raises(
        DataProblem, match=rf": '{'y' * 20}.udcff{'z' * 20}' contains a lone surrogate"
    ):
        write_dataset(long, tmp_path / "a.tsv")
    assert not list(tmp_path.iterdir())


def test_damaged_parquet_is_said_to_be_damaged(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(DataProblem, match="not a Parquet file"):
        read_dataset(tmp_path / "a.parquet")


@pytest.mark.parametrize("family", ["asked", "span", "spans", "pair"])
def test_senteval_refuses_what_it_cannot_hold_and_leaves_nothing(tmp_path, family):
    with pytest.raises(DataProblem, match="write Parquet or JSONL"):
        write_dataset(TINY_DATASET_FAMILIES[family](), tmp_path / "a.tsv")
    assert list(tmp_path.iterdir()) == []


def test_senteval_counts_what_it_loses_and_refuses_labels_with_tabs(tmp_path):
    sentence = Sentence(("12 000", "voters\u00a0left"), "12 000 voters left.")
    assert write_dataset(Dataset.of([Example.about(sentence, "x")]), tmp_path / "a.tsv") == {
        "examples": 1,
        "words with spaces": 2,
        "raw texts not kept": 1,
    }
    assert read_dataset(tmp_path / "a.tsv").sentences[0].words == ("12", "000", "voters", "left")
    with pytest.raises(DataProblem, match="cannot stand in a table"):
        write_dataset(Dataset.of([Example.about(sentence, "x\ty")]), tmp_path / "b.tsv")


def test_jiant_has_a_file_of_each_split_and_holds_no_scores(tmp_path):
    spans = TINY_DATASET_FAMILIES["spans"]()
    train = spans.take(spans.rows("train"))
    counts = write_dataset(train, tmp_path / "edges.json", "jiant")
    assert counts["examples"] == len(train)
    assert [file.name for file in tmp_path.iterdir()] == ["edges.train.json"]
    with pytest.raises(DataProblem, match="not scores"):
        write_dataset(TINY_DATASET_FAMILIES["pair"](), tmp_path / "pairs.json", "jiant")


def test_a_table_without_examples_is_none(tmp_path):
    (tmp_path / "a.jsonl").write_text("\n", "utf-8")
    with pytest.raises(DataProblem, match="no examples in it"):
        read_dataset(tmp_path / "a.jsonl")


def test_formats_by_name(tmp_path):
    dataset = TINY_DATASET_FAMILIES["sentence"]((2, 2, 2))
    for name, said in (
        ("a.csv", "should end with"),
        ("a.tsv.gz", "uncompressed"),
        ("no/a.tsv", "no folder"),
    ):
        with pytest.raises(DataProblem, match=said):
            write_dataset(dataset, tmp_path / name)
    write_dataset(dataset, tmp_path / "a.data", "senteval")
    assert len(read_dataset(tmp_path / "a.data", "senteval")) == 6
    with pytest.raises(DataProblem, match="no file"):
        read_dataset(tmp_path / "none.tsv")


def test_an_older_table_stays_when_writing_fails(tmp_path):
    write_dataset(TINY_DATASET_FAMILIES["sentence"]((2, 2, 2)), tmp_path / "a.tsv")
    before = (tmp_path / "a.tsv").read_bytes()
    with pytest.raises(DataProblem):
        write_dataset(TINY_DATASET_FAMILIES["pair"]((2, 2, 2)), tmp_path / "a.tsv")
    assert (tmp_path / "a.tsv").read_bytes() == before


def test_published_rows_are_read(data):
    folder = data / "published_probing" / "SentEval-probing-rows"
    for file in sorted(folder.glob("*.txt")):
        expected = sum(1 for row in file.read_bytes().split(b"\n") if row.strip())
        assert len(read_dataset(file)) == expected


@pytest.mark.parametrize(
    ("name", "view", "message"),
    [
        ("set.tsv", "mean+asked", "no place for asked words"),
        ("set.docx", "mean", "the name should end with"),
        ("set.jsonl.gz", "mean", "written uncompressed"),
        ("none/set.jsonl", "mean", "no folder"),
    ],
)
def test_what_cannot_be_written_is_refused_before_there_are_data(name, view, message, tmp_path):
    with pytest.raises(DataProblem, match=message):
        choose_writing(tmp_path / name, view=view)
    assert choose_writing(tmp_path / "set.jsonl", view="mean+asked") == "jsonl"
