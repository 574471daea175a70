"""Shapes that people have are read right, or refused in one sentence with the options that work."""

from __future__ import annotations

import re

import pytest

from fixtures.shapes.choices import CHOICES
from fixtures.shapes.delimited import DELIMITED
from fixtures.shapes.folders import FOLDERS
from fixtures.shapes.objects import OBJECTS
from fixtures.shapes.talks import CONVERSATIONS
from lingprobe.data.core import DataProblem
from lingprobe.datasets.formats.labelled_rows import Manner
from lingprobe.datasets.formats.tables import read_dataset
from lingprobe.datasets.formats.usual_columns import Columns
from lingprobe.tasks import TASKS

SHAPES = [*DELIMITED, *OBJECTS, *CONVERSATIONS, *FOLDERS, *CHOICES]
_OPTIONS = re.compile(r"\b(?:text2?|label|labels|split|span)=[^,;:\s]+(?:,\w+=[^,;:\s]+)*")


def save(shape, folder):
    """The files of a shape; returns what is named to read them."""
    for name, content in shape.files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / shape.opened


def read_with(place, options):
    """The rows that are read with options of the reference."""
    named = dict(pair.split("=") for pair in options.split(",") if pair)
    labels, on_error = named.pop("labels", None), named.pop("on_error", "raise")
    return read_dataset(place, labels=labels, manner=Manner(Columns(**named), on_error=on_error))


def content(dataset):
    """Texts (and the words of a span), label and split of each example, in order."""
    rows = []
    for example in dataset.examples():
        site = example.sites[0]
        texts = tuple(each.sentence.text for each in example.sites)
        if site.span:
            start, stop = site.span
            texts = (texts[0], " ".join(site.sentence.words[start:stop]))
        label = set(example.label) if isinstance(example.label, frozenset) else example.label
        rows.append((texts if len(texts) > 1 else texts[0], label, example.split))
    return rows


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_the_rows_of_a_shape_are_true(tmp_path, shape):
    place = save(shape, tmp_path)
    if shape.asked:
        with pytest.raises(DataProblem) as asked:
            read_with(place, "")
        assert "\n" not in str(asked.value)
        assert shape.options in _OPTIONS.findall(str(asked.value))
    dataset = read_with(place, shape.options)
    assert content(dataset) == [(t, y, split or "train") for t, y, split in shape.rows]
    said = "; ".join(dataset.notes.remarks)
    assert [piece for piece in shape.says if piece not in said] == [], said


def test_there_are_sixty_shapes_each_with_its_source():
    names = [shape.name for shape in SHAPES]
    assert len(set(names)) == len(names) >= 60
    assert all(shape.source for shape in SHAPES)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_shape_is_a_task_with_the_options_that_are_printed(tmp_path, shape):
    place = save(shape, tmp_path)
    options = f",{shape.options}" if shape.options else ""
    task = TASKS.make(f"table:{place}{options}")
    dataset = task.load()
    assert len(dataset) == len(shape.rows)
    assert task.metric in (dataset.labels.metric, "auroc")
