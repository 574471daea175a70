"""What lies in a store that version 0.1.0 wrote."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lingprobe.cli import app
from lingprobe.store.holdings import list_holdings

KEPT = Path(__file__).parents[1] / "fixtures" / "store-0.1.0"


@pytest.fixture
def store(tmp_path):
    return Path(shutil.copytree(KEPT, tmp_path / "store"))


def formats(store):
    return {
        (each.kind, each.format): len(each.files)
        for each in list_holdings(store / "results", store / "cache")
    }


def test_files_of_an_earlier_format_are_listed_with_the_version_that_wrote_them(store):
    assert formats(store) == {("results", 1): 4, ("vectors", 1): 4}
    where = [str(store / "results"), "--cache", str(store / "cache")]
    assert "1 (lingprobe 0.1.0)" in CliRunner().invoke(app, ["cache", "show", *where]).output
