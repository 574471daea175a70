"""What kind of labels a table has: numbers may be classes or scores."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lingprobe.data.core import DataProblem
from lingprobe.datasets.formats.tables import read_dataset, usual_metric, write_dataset
from lingprobe.tasks import TASKS
from lingprobe.testing import TINY_DATASET_FAMILIES

SPLITS = ("train", "dev", "test")
GRADES = [i % 4 for i in range(60)]


def jsonl(path, labels, texts=1):
    rows = [
        {
            "split": SPLITS[i % 3],
            "label": label,
            "sites": [{"text": f"text {i} of {k}"} for k in range(texts)],
        }
        for i, label in enumerate(labels)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def parquet(path, labels, metadata=None):
    columns = {
        "split": [SPLITS[i % 3] for i in range(len(labels))],
        "text": [f"text {i}" for i in range(len(labels))],
        "label": pa.array(labels),
    }
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), path)
    return path


HUB = {
    "huggingface": json.dumps(
        {"info": {"features": {"label": {"names": ["no", "yes"], "_type": "ClassLabel"}}}}
    )
}


@pytest.mark.parametrize("write_labels", [jsonl, parquet])
def test_few_frequent_whole_numbers_about_one_text_are_classes(tmp_path, write_labels):
    suffix = write_labels.__name__
    numbers = write_labels(tmp_path / f"a.{suffix}", GRADES)
    strings = write_labels(tmp_path / f"b.{suffix}", [str(label) for label in GRADES])
    dataset = read_dataset(numbers)
    assert usual_metric(numbers) == "accuracy"
    assert dataset.labels.loss == "softmax"
    assert dataset.labels.names == read_dataset(strings).labels.names
    np.testing.assert_array_equal(dataset.labels.ids, read_dataset(strings).labels.ids)
    assert TASKS.make(f"table:{numbers}").metric == "accuracy"
    [remark] = dataset.notes.remarks
    assert remark == (
        "its labels, whole numbers 0 to 3, were read as classes; labels=scores overrules"
    )


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ([*GRADES, *[4] * 9], "as 4 is the label of 9 only"),
        ([*GRADES, 2.5], ""),
    ],
)
def test_other_numbers_are_scores(tmp_path, labels, why):
    file = jsonl(tmp_path / "a.jsonl", labels)
    assert usual_metric(file) == "pearson"
    assert read_dataset(file).labels.loss == "squared"
    assert TASKS.make(f"table:{file}").metric == "pearson"
    expected = f"its labels, whole numbers {why}, were read as scores; labels=classes overrules"
    assert read_dataset(file).notes.remarks == ((expected,) if why else ())


def test_what_many_whole_numbers_are_is_asked(tmp_path):
    file = jsonl(tmp_path / "a.jsonl", list(range(51)) * 10)
    with pytest.raises(DataProblem, match="one text, 51 different ones, may be classes or graded"):
        read_dataset(file)
    assert usual_metric(file, "scores") == "pearson"
    assert len(read_dataset(file, labels="classes").labels.names) == 51


def test_at_most_fifty_numbers_with_ten_examples_each_are_classes(tmp_path):
    assert usual_metric(jsonl(tmp_path / "a.jsonl", list(range(50)) * 10)) == "accuracy"


def test_what_grades_about_two_texts_are_is_asked(tmp_path):
    file = jsonl(tmp_path / "a.jsonl", GRADES, texts=2)
    with pytest.raises(DataProblem, match="add labels=classes or labels=scores"):
        TASKS.make(f"table:{file}")
    assert TASKS.make(f"table:{file},labels=scores").load().labels.loss == "squared"
    assert TASKS.make(f"table:{file},labels=classes").load().labels.loss == "softmax"
    assert usual_metric(jsonl(tmp_path / "b.jsonl", [2.5, *GRADES], texts=2)) == "pearson"


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_what_a_file_says_of_itself_holds(tmp_path, suffix):
    scores = read_dataset(jsonl(tmp_path / "a.jsonl", GRADES, texts=2), labels="scores")
    write_dataset(scores, tmp_path / f"b.{suffix}")
    assert usual_metric(tmp_path / f"b.{suffix}") == "pearson"
    assert read_dataset(tmp_path / f"b.{suffix}").labels.loss == "squared"
    assert read_dataset(tmp_path / f"b.{suffix}", labels="classes").labels.names == tuple("0123")


def test_names_of_classes_come_from_the_metadata(tmp_path):
    file = parquet(tmp_path / "a.parquet", [0, 1, 1], HUB)
    assert usual_metric(file) == "accuracy"
    assert read_dataset(file).labels.class_names() == ["no", "yes", "yes"]
    kept = read_dataset(parquet(tmp_path / "b.parquet", [0, -1, 1], HUB))
    assert kept.labels.class_names() == ["no", "yes"]
    (said,) = (remark for remark in kept.notes.remarks if "label" in remark)
    assert said.startswith("1 row without a label was skipped; the first: ")
    assert said.endswith("row 2: label -1 means no label, as in a hidden test set")
    with pytest.raises(DataProblem, match="row 2: label 2 is not a number of the 2 classes"):
        read_dataset(parquet(tmp_path / "b.parquet", [0, 2, 1], HUB))


def test_the_option_decides(tmp_path):
    file = jsonl(tmp_path / "a.jsonl", [*GRADES, *[4] * 9])
    task = TASKS.make(f"table:{file},labels=classes")
    assert task.metric == "accuracy"
    assert task.load().labels.names == tuple("01234")
    assert not task.load().notes.remarks
    graded = tmp_path / "a.tsv"
    graded.write_text("".join(f"{s}\t{i}.5\ta b\n" for i in range(3) for s in ("tr", "te")))
    assert read_dataset(graded, labels="scores").labels.values.tolist() == [
        0.5,
        0.5,
        1.5,
        1.5,
        2.5,
        2.5,
    ]
    with pytest.raises(DataProblem, match="a label is a decimal"):
        read_dataset(jsonl(tmp_path / "b.jsonl", [0.5, 1]), labels="classes")
    with pytest.raises(DataProblem, match=r"labels=scores needs numbers.*'x'"):
        read_dataset(jsonl(tmp_path / "c.jsonl", ["x", "1"]), labels="scores")
    write_dataset(TINY_DATASET_FAMILIES["span"](), tmp_path / "d.jsonl")
    with pytest.raises(DataProblem, match="a set of labels"):
        read_dataset(tmp_path / "d.jsonl", labels="scores")


@pytest.mark.parametrize(("classes", "examples"), [(60, 119), (1001, 10_009)])
@pytest.mark.parametrize("suffix", ["jsonl", "tsv"])
def test_labels_that_are_hardly_shared_may_be_ids(tmp_path, classes, examples, suffix):
    file = tmp_path / f"a.{suffix}"
    labels = [f"c{i % classes}" for i in range(examples)]
    if suffix == "jsonl":
        jsonl(file, labels)
    else:
        file.write_text("".join(f"tr\t{label}\ta b\n" for label in labels))
    said = f"{classes:,} labels of {examples:,} examples: is this an identifier"
    with pytest.raises(DataProblem, match=said):
        read_dataset(file)
    assert len(read_dataset(file, labels="classes").labels.names) == classes
    assert len(read_dataset(jsonl(tmp_path / "b.jsonl", [*labels, "c0"])).labels.names) == classes
