"""Rows of `sets.toml`: what they say is what tasks read, and none stands for nothing."""

from __future__ import annotations

from dataclasses import fields

import pytest

from lingprobe.corpora.columns import ColumnLayout
from lingprobe.tasks import TASKS
from lingprobe.tasks.released import sets

ROWS = sets._read_file()
RELEASE = {"layout", "folders", "files", "rows", "train", "dev", "test", "subsets"} | {
    *("beside", "some", "needs", "fetched"),
}


def test_every_row_is_a_task_and_every_layout_is_used():
    families = [name for name in TASKS.table if name.startswith(("pair/", "text/"))]
    assert {*ROWS["tasks"]} == {*families} - {"pair/jsonl"}
    used = {row["layout"] for task in ROWS["tasks"].values() for row in task["releases"]}
    used |= {cells["like"] for cells in ROWS["layouts"].values() if "like" in cells}
    assert used == {*ROWS["layouts"]}


def test_rows_have_no_cell_that_nothing_reads():
    known = {field.name for field in fields(ColumnLayout)} | {"like"}
    for cells in ROWS["layouts"].values():
        assert {*cells} <= known
    for task in ROWS["tasks"].values():
        assert {*task} == {"question", "releases"}
        assert all({*row} <= RELEASE for row in task["releases"])


def test_a_layout_has_the_cells_of_the_one_that_it_is_like_and_its_own():
    table, like = sets.make_layout("snli-table"), sets.make_layout("snli")
    assert (table.called, table.absent) == (like.called, like.absent)
    assert (like.called[0], like.beside) == (("entailment", "entailment"), 3)
    assert (table.label, table.beside, table.text, table.second) == (0, 1, 5, 6)
    assert sets.make_layout("polarity").ends == ((".pos", "positive"), (".neg", "negative"))


@pytest.mark.parametrize(
    ("row", "files"),
    [
        ({"rows": ["a.pos", "a.neg"]}, [("", ("a.pos",)), ("", ("a.neg",))]),
        (
            {"files": [["a-{split}", "b-{split}"]]},
            [(split, (f"a-{split}", f"b-{split}")) for split in ("train", "dev", "test")],
        ),
        (
            {"test": ["gs.{subset}", "in.{subset}"], "subsets": ["x", "y"]},
            [("test", (name,)) for name in ("gs.x", "in.x", "gs.y", "in.y")],
        ),
    ],
)
def test_files_are_listed_by_split_and_subset(row, files):
    assert list(sets._list_files(row)) == files
