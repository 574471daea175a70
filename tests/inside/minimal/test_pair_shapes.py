"""Minimal pairs in the shapes in which people have them: other headings, formats and folders."""

from __future__ import annotations

import json

import pytest

from fixtures.shapes.made import gz, lines, objects, parquet, quoted
from lingprobe.data.core import DataProblem
from lingprobe.inside.minimal.pairs import PairColumns, list_pair_files, read_minimal_pairs
from lingprobe.tasks import TASKS

GOOD = [f"The girl {i} walks ." for i in range(42)]
BAD = [f"The girl {i} walk ." for i in range(42)]
PARADIGMS = [f"p{i % 7}" for i in range(42)]
TRUE = list(zip(GOOD, BAD, PARADIGMS, strict=True))
HEADINGS = [
    ("sentence_good", "sentence_bad"),
    ("good_sentence", "bad_sentence"),
    ("Good Sentence", "Bad Sentence"),
    ("sen", "wrong_sen"),
    ("source_sentence", "target_sentence"),
    ("grammatical", "ungrammatical"),
    ("sentence_grammatical", "sentence_ungrammatical"),
    ("sentence_acceptable", "sentence_unacceptable"),
    ("prefix_acceptable", "prefix_unacceptable"),
    ("correct_sentence", "wrong_sentence"),
    ("correct", "incorrect"),
    ("good_text", "bad_text"),
    ("sent_good", "sent_bad"),
    ("pos", "neg"),
    ("right", "wrong"),
    ("chosen", "rejected"),
    ("pair.good", "pair.bad"),
]
_SEMICOLONS = quoted([("sentence_good", "sentence_bad", "uid"), *TRUE], ";")
_OBJECTS = [{"sentence_good": good, "sentence_bad": bad, "UID": name} for good, bad, name in TRUE]
_COLUMNS = {key: [row[key] for row in _OBJECTS] for key in _OBJECTS[0]}
SHAPES = {
    "semicolons": {"a.csv": _SEMICOLONS},
    "semicolons, quoted, with a mark": {
        "a.csv": "\ufeff" + quoted([("sentence_good", "sentence_bad", "uid"), *TRUE], ";", True)
    },
    "semicolons in TSV": {"a.tsv": _SEMICOLONS},
    "tabs": {"a.tsv": lines([("sentence_good", "sentence_bad", "uid"), *TRUE])},
    "lines": {"a.jsonl": objects(_OBJECTS)},
    "lines, compressed": {"a.jsonl.gz": gz(objects(_OBJECTS))},
    "a list": {"a.json": json.dumps(_OBJECTS)},
    "a list under a key": {"a.json": json.dumps({"version": 1, "data": _OBJECTS})},
    "columns": {"a.json": json.dumps(_COLUMNS)},
    "Parquet": {"data/train-00000-of-00001.parquet": parquet(_COLUMNS)},
    "objects": {
        "a.jsonl": objects(
            [{"pair": {"good": good, "bad": bad}, "uid": name} for good, bad, name in TRUE]
        )
    },
    "a sentence a row": {
        "a.csv": quoted(
            [
                ("text", "label", "uid"),
                *(
                    (text, label, name)
                    for good, bad, name in TRUE
                    for text, label in ((good, "correct"), (bad, "incorrect"))
                ),
            ]
        )
    },
}


def save(folder, content):
    for name, data in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)


def found(folder, columns=None):
    pairs = [
        pair
        for file in list_pair_files(folder)
        for pair in read_minimal_pairs(file, columns or PairColumns())
    ]
    return [(pair.good, pair.bad, pair.group) for pair in pairs]


@pytest.mark.parametrize(("good", "bad"), HEADINGS)
def test_the_sides_are_found_by_their_headings(tmp_path, good, bad):
    rows = [(i, good, "news", bad, name) for i, (good, bad, name) in enumerate(TRUE)]
    save(tmp_path, {"a.csv": quoted([("id", good, "source", bad, "uid"), *rows])})
    assert found(tmp_path) == TRUE


@pytest.mark.parametrize("shape", SHAPES)
def test_the_pairs_of_a_shape_are_true(tmp_path, shape):
    save(tmp_path, SHAPES[shape])
    assert found(tmp_path) == TRUE
    assert len(TASKS.make(f"minimal/pairs:{tmp_path}").load()) == len(TRUE)


def test_a_file_a_paradigm_in_parquet_and_with_semicolons(tmp_path):
    for number in range(7):
        some = [row for row in TRUE if row[2] == f"p{number}"]
        columns = {"sen": [good for good, _, _ in some], "wrong_sen": [bad for _, bad, _ in some]}
        save(tmp_path, {f"hub/p{number}/train-00000-of-00001.parquet": parquet(columns)})
        text = quoted([("sentence_good", "sentence_bad"), *((g, b) for g, b, _ in some)], ";")
        save(tmp_path, {f"csv/p{number}.csv": text})
    for place in ("hub", "csv"):
        assert sorted(found(tmp_path / place)) == sorted(TRUE)


def test_headings_that_say_nothing_are_asked_with_what_would_work(tmp_path):
    rows = [(name, good, bad) for good, bad, name in TRUE]
    save(tmp_path, {"a.csv": quoted([("uid", "sentence1", "sentence2"), *rows])})
    said = "a.csv:2: no good sentence: add good=sentence1,bad=sentence2 to the task, or the other"
    with pytest.raises(DataProblem, match=said):
        found(tmp_path)
    assert found(tmp_path, PairColumns("sentence1", "sentence2")) == TRUE
    numbered = [(str(number), *row) for number, row in enumerate(rows)]
    save(tmp_path / "of-pandas", {"a.csv": quoted([("", "uid", "sent1", "sent2"), *numbered])})
    with pytest.raises(DataProblem, match="no good sentence: add good=sent1,bad=sent2"):
        found(tmp_path / "of-pandas")
    task = TASKS.make(f"minimal/pairs:{tmp_path / 'a.csv'},good=sentence1,bad=sentence2")
    assert len(task.load()) == len(TRUE)
