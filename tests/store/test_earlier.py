"""Stores of earlier versions are read for ever: a store that sonde 0.1.0 wrote, in today's
hands.
"""

import csv
import io
import shutil
from pathlib import Path

import pytest

from fixtures.scored import render
from lingprobe.store.blocks import BlockFile
from lingprobe.store.results import ResultStore

KEPT = Path(__file__).parents[1] / "fixtures" / "store-0.1.0"


@pytest.fixture
def store(tmp_path):
    """A copy of the store, since what reads a store may set files aside."""
    return Path(shutil.copytree(KEPT, tmp_path / "store"))


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_its_results_are_shown_as_they_were(store):
    results = [result for _, result in ResultStore(store / "results").read()]
    now, then = table(render(results, "csv")), table((KEPT / "scores.csv").read_text("utf-8"))
    key = ("task", "encoder", "layer", "probe", "control")
    now.sort(key=lambda row: [row[k] for k in key])
    then.sort(key=lambda row: [row[k] for k in key])
    assert [shown(row, then[0]) for row in now] == [shown(row, then[0]) for row in then]


def shown(row, columns):
    """What was stored of a row: an interval over several seeds is told when it is shown, as well as
    it can be told today. The probe that was the default is named today.
    """
    row = {**row, "task": row["task"].replace(",probe=mlp", "")}
    return {k: row[k] for k in columns if k not in ("low", "high") or row["seeds"] == "1"}


def test_its_results_are_marked_with_their_version(store):
    results = [result for _, result in ResultStore(store / "results").read()]
    assert {result.provenance.format for result in results} == {1}
    assert all(result.clusters == {} for result in results)
    assert any(result.strata for result in results)
    assert {(row["version"], row["format"]) for row in table(render(results, "csv"))} == {
        ("0.1.0", "1")
    }
    for form in ("terminal", "markdown", "latex", "html"):
        shown = render(results, form)
        assert "length (0.1.0)" in shown
        assert "(0.1.0): measured by that version of lingprobe" in shown


def test_its_results_are_never_found_in_place_of_a_measurement(store):
    results = ResultStore(store / "results")
    ids = list(dict(results.read()))
    assert len(ids) == 8
    assert results.find(ids) == {}


def test_every_file_of_it_is_read_and_checked(store):
    files = [path for path in store.rglob("*") if path.suffix in (".result", ".vectors", ".plan")]
    assert len(files) == 8
    for path in files:
        block = BlockFile(path)
        block.check()
        assert (block.format, block.made) == (1, "0.1.0")
