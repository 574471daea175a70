"""Results of a store that sonde 0.1.0 wrote, in the format of today."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lingprobe.cli import app
from lingprobe.pages import render
from lingprobe.store.blocks import FORMAT, Block, StoreProblem
from lingprobe.store.migration import holdings, migrate
from lingprobe.store.results import ResultStore

KEPT = Path(__file__).parents[1] / "fixtures" / "store-0.1.0"


@pytest.fixture
def store(tmp_path):
    return Path(shutil.copytree(KEPT, tmp_path / "store"))


def shown(store, form="csv"):
    return render(
        sorted((r for _, r in ResultStore(store / "results").read()), key=lambda r: str(r.trial)),
        form,
    )


def formats(store):
    return {
        (each.kind, each.format): len(each.files)
        for each in holdings(store / "results", store / "cache")
    }


def test_results_are_rewritten_and_shown_as_before_marks_included(store):
    before = {form: shown(store, form) for form in ("csv", "terminal")}
    assert formats(store) == {("results", 1): 4, ("vectors", 1): 4}
    done = migrate(store / "results", store / "cache")
    assert (done.results, done.files, len(done.left), done.removed, done.damaged) == (
        8,
        4,
        4,
        0,
        [],
    )
    assert formats(store) == {("results", FORMAT): 4, ("vectors", 1): 4}
    assert {form: shown(store, form) for form in before} == before
    assert "(0.1.0)" in before["terminal"]


def test_a_second_migration_does_nothing(store):
    migrate(store / "results", store / "cache", remove=True)
    files = sorted(store.rglob("*.result"))
    again = migrate(store / "results", store / "cache", remove=True)
    assert (again.results, again.files, again.left, again.removed) == (0, 0, [], 0)
    assert sorted(store.rglob("*.result")) == files


def test_rewritten_results_never_stand_in_for_a_measurement(store):
    results = ResultStore(store / "results")
    ids = list(dict(results.read()))
    migrate(store / "results", store / "cache")
    assert set(dict(results.read())) == set(ids)
    assert results.find(ids) == {}


def test_vectors_stay_until_they_are_removed(store):
    assert len(migrate(store / "results", store / "cache").left) == 4
    assert migrate(store / "results", store / "cache", remove=True).removed == 4
    assert not list(store.rglob("*.vectors"))
    assert not list(store.rglob("*.plan"))


def test_a_damaged_file_is_set_aside_and_the_others_are_rewritten(store):
    victim = sorted((store / "results").glob("*.result"))[0]
    victim.write_bytes(victim.read_bytes()[:-1] + b"!")
    done = migrate(store / "results", store / "cache")
    assert (done.files, done.damaged) == (3, [victim])
    assert victim.with_name(victim.name + ".damaged").exists()


def test_where_nothing_can_be_written_nothing_is_lost(store, monkeypatch):
    before = shown(store)

    def full(*_args, **_more):
        raise StoreProblem("no space left on device")

    monkeypatch.setattr("lingprobe.store.results.write", full)
    with pytest.raises(StoreProblem, match="no space"):
        migrate(store / "results", store / "cache")
    assert shown(store) == before


def test_the_command_shows_what_there_is_and_says_what_it_did(store):
    where = [str(store / "results"), "--cache", str(store / "cache")]
    assert "1 (lingprobe 0.1.0)" in CliRunner().invoke(app, ["cache", "show", *where]).output
    done = CliRunner().invoke(app, ["cache", "migrate", *where]).output
    assert "8 results in 4 files" in done
    assert "4 files of vectors" in done
    again = CliRunner().invoke(app, ["cache", "migrate", "--remove", *where]).output
    assert "4 files of vectors of earlier versions are deleted" in again
    assert (
        "everything is in the format"
        in CliRunner().invoke(app, ["cache", "migrate", *where]).output
    )


def test_a_file_that_another_process_migrated_meanwhile_is_no_loss(store):
    block = Block(sorted((store / "results").glob("*.result"))[0])
    assert block.format == 1
    store_of_results = ResultStore(store / "results")
    assert store_of_results.rewrite(block) == store_of_results.rewrite(block) == 2
    assert len(list((store / "results").glob("earlier-*.result"))) == 1
