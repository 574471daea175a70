"""Labels that are not there are left out and counted from every source, or asked for, and are no
class.
"""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lingprobe
from lingprobe.data.core import DataProblem, Dataset, Example, Sentence
from lingprobe.datasets.formats.absent_labels import ABSENT_LABEL_TEXTS, find_absent
from lingprobe.datasets.formats.tables import read_dataset, write_dataset
from lingprobe.tasks import TASKS


def mixed(absent, many=8, rest=("yes", "no"), n=100):
    """So many absent labels among others that come in turn."""
    labels = [rest[i % len(rest)] for i in range(n - many)]
    step = max(len(labels) // max(many, 1), 1)
    for k in range(many):
        labels.insert(k * step + k, absent)
    return labels


def texts(n):
    return [f"text number {i} of them" for i in range(n)]


def write_csv(path, labels):
    with path.open("w", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [("text", "label"), *zip(texts(len(labels)), labels, strict=True)]
        )
    return path


def write_jsonl(path, labels):
    rows = zip(texts(len(labels)), labels, strict=True)
    path.write_text("\n".join(json.dumps({"text": t, "label": y}) for t, y in rows))
    return path


def write_parquet(path, labels):
    pq.write_table(pa.table({"text": texts(len(labels)), "label": labels}), path)
    return path


WRITERS = {"csv": write_csv, "jsonl": write_jsonl, "parquet": write_parquet}


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("absent", sorted(ABSENT_LABEL_TEXTS))
def test_what_tools_write_for_none_is_no_class(tmp_path, suffix, absent):
    labels = mixed(absent)
    data = read_dataset(WRITERS[suffix](tmp_path / f"own.{suffix}", labels))
    assert data.labels.names == ("no", "yes")
    assert len(data) == 92
    said = f"8 rows whose label is {absent!r} were skipped; labels=classes keeps such rows"
    assert said in data.notes.remarks
    kept = read_dataset(tmp_path / f"own.{suffix}", labels="classes")
    assert len(kept.labels.names) == 3
    # each example keeps its own text
    expected = {t: y for t, y in zip(texts(100), labels, strict=True) if y != absent}
    assert {e.sites[0].sentence.text: e.label for e in data.examples()} == expected


@pytest.mark.parametrize("suffix", WRITERS)
def test_empty_cells_are_left_out_and_counted(tmp_path, suffix):
    empty = "" if suffix == "csv" else None
    path = WRITERS[suffix](tmp_path / f"own.{suffix}", mixed(empty))
    data = read_dataset(path)
    assert len(data) == 92
    (said,) = (remark for remark in data.notes.remarks if "without a label" in remark)
    assert said.startswith("8 rows without a label were skipped; the first: ")
    many = WRITERS[suffix](tmp_path / f"many.{suffix}", mixed(empty, 30))
    with pytest.raises(DataProblem, match="so 30 % of its rows have no label"):
        read_dataset(many)


@pytest.mark.parametrize("kind", ["frame", "lists", "series"])
def test_data_in_memory_are_read_alike(kind):
    labels = mixed(None)
    frame = pd.DataFrame({"text": texts(100), "label": labels})
    as_text = frame.assign(label=frame.label.astype(str))
    data = {
        "frame": as_text,
        "lists": (texts(100), labels),
        "series": (as_text.text, as_text.label),
    }[kind]
    task = lingprobe.table(data)
    loaded = task.load()
    assert loaded.labels.names == ("no", "yes")
    assert len(loaded) == 92
    assert any("8 rows" in remark for remark in loaded.notes.remarks)


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("rest", [(0, 1), (0, 1, 2)])
@pytest.mark.parametrize("number", [-1, -100])
def test_numbers_below_those_of_classes_are_no_class(tmp_path, suffix, rest, number):
    """As in SNLI, of whose pairs some have no label that annotators agree on, and as losses of
    torch and transformers ignore -100.
    """
    path = WRITERS[suffix](tmp_path / f"own.{suffix}", mixed(number, 8, rest))
    data = read_dataset(path)
    assert data.labels.names == tuple(map(str, rest))
    assert any(f"8 rows whose label is '{number}" in remark for remark in data.notes.remarks)


def test_minus_one_may_be_a_class(tmp_path):
    polar = read_dataset(write_csv(tmp_path / "a.csv", [-1, 1] * 50))
    assert polar.labels.names == ("-1", "1")
    three = read_dataset(write_csv(tmp_path / "b.csv", [-1, 0, 1] * 30))
    assert three.labels.names == ("-1", "0", "1")
    many = write_csv(tmp_path / "c.csv", mixed(-1, 40, (0, 1, 2)))
    with pytest.raises(DataProblem, match="40 % of its labels are '-1', which may say"):
        read_dataset(many)


def test_a_question_mark_is_no_class_where_all_others_have_letters():
    sure = find_absent(mixed("?"), "own")
    assert sure.names == ("?",)
    assert sure.rows.sum() == 8
    assert not find_absent(mixed("?", 8, (".", "!")), "own").names
    assert not find_absent(mixed("?", 8, ("word", "!")), "own").names


@pytest.mark.parametrize("name", ["none", "NONE", "Nan", "na", "n.a."])
def test_classes_that_are_called_nearly_so_stay(name):
    assert not find_absent(mixed(name), "own").names


def test_what_may_be_a_class_is_asked():
    with pytest.raises(DataProblem, match="30 % of its labels are 'None', which may say"):
        find_absent(mixed("None", 30), "own")
    assert not find_absent(mixed("-", 8, ("one",)), "own").names  # one class alone is left


def test_sets_and_numbers_have_none():
    assert not find_absent([frozenset("a"), frozenset("b")], "own").rows.any()
    assert not find_absent([0.5, 1.5, -1.0], "own").rows.any()


def test_the_metric_is_that_of_the_classes_that_are_left(tmp_path):
    labels = mixed("-", 8, ("common",) * 11 + ("rare",))
    path = write_csv(tmp_path / "own.csv", labels)
    assert TASKS.make(f"table:{path}").metric == "auroc"
    assert np.isin(read_dataset(path).labels.names, ("common", "rare")).all()


def test_pairs_with_dashes_have_three_classes(tmp_path):
    """MultiNLI's and SNLI's lines as they are released."""
    names = ("entailment", "neutral", "contradiction")
    rows = [
        {"gold_label": label, "sentence1": f"A man {i}.", "sentence2": f"A woman {i}."}
        for i, label in enumerate(mixed("-", 6, names))
    ]
    (tmp_path / "mnli.jsonl").write_text("\n".join(map(json.dumps, rows)))
    data = read_dataset(tmp_path / "mnli.jsonl")
    assert set(data.labels.names) == set(names)
    assert len(data) == 94


@pytest.mark.parametrize("suffix", ["tsv", "jsonl"])
@pytest.mark.parametrize("absent", ["-", "nan", "None", "?"])
def test_files_with_splits_of_their_own_lose_them_as_well(tmp_path, suffix, absent):
    labels, file = mixed(absent), tmp_path / f"a.{suffix}"
    rows = [
        (("train", "dev", "test")[i % 3], y, t)
        for i, (y, t) in enumerate(zip(labels, texts(100), strict=True))
    ]
    if suffix == "tsv":
        file.write_text(
            "".join(
                f"{ {'train': 'tr', 'dev': 'va', 'test': 'te'}[s] }\t{y}\t{t}\n" for s, y, t in rows
            )
        )
    else:
        file.write_text(
            "".join(
                json.dumps({"split": s, "label": y, "sites": [{"text": t}]}) + "\n"
                for s, y, t in rows
            )
        )
    dataset = read_dataset(file)
    assert dataset.labels.counts() == {"no": 46, "yes": 46}
    assert f"8 rows whose label is {absent!r} were skipped" in dataset.notes.remarks[0]
    assert absent in read_dataset(file, labels="classes").labels.names


def test_what_was_written_here_keeps_its_labels(tmp_path):
    labels = mixed("-")
    made = Dataset.of(
        [Example.about(Sentence.of([t]), y) for t, y in zip(texts(100), labels, strict=True)]
    )
    for suffix in ("jsonl", "parquet"):
        write_dataset(made, tmp_path / f"a.{suffix}")
        assert read_dataset(tmp_path / f"a.{suffix}").labels.counts()["-"] == 8


@pytest.mark.parametrize("absent", ["-", "", "-1"])
def test_a_test_file_of_absent_labels_is_a_hidden_test_set(tmp_path, absent):
    rest = ("0", "1", "2") if absent == "-1" else ("yes", "no")
    for split in ("train", "dev", "test"):
        labels = [absent] * 100 if split == "test" else mixed(absent, 0, rest)
        write_csv(tmp_path / f"{split}.csv", labels)
    dataset = read_dataset(tmp_path)
    assert len(dataset) == 200
    assert set(dataset.labels.names) == set(rest)
    assert any("100 rows" in remark for remark in dataset.notes.remarks)
