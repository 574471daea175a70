"""Whose vectors a cache keeps, and what of it no result needs."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lingprobe
from lingprobe.cli import app
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.store.kept_vectors import _NOTE, _RECENT
from lingprobe.testing import TINY_DATASET_FAMILIES


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache with vectors of two encoders, results of one in the cache, of the other in a
    folder.
    """
    place = tmp_path_factory.mktemp("filled")
    write_dataset(TINY_DATASET_FAMILIES["sentence"](), place / "a.jsonl")
    how = {"probes": "logreg", "seeds": 1, "baselines": "none", "cache": place / "cache"}
    task = f"table:{place / 'a.jsonl'}"
    lingprobe.evaluate("random,dim=4", task, **how)
    lingprobe.evaluate("bow:random,dim=8", task, **how, output=place / "out")
    return place


@pytest.fixture
def cache(filled, tmp_path):
    """A copy of the cache, as old as if it had been written yesterday."""
    shutil.copytree(filled / "cache", tmp_path / "cache")
    aged(tmp_path / "cache")
    return tmp_path / "cache"


def aged(folder: Path, by: float = _RECENT + 60) -> None:
    then = time.time() - by
    for path in folder.rglob("*"):
        os.utime(path, (then, then))


def by_name(cleaning):
    return {each.encoder.partition(",")[0]: each for each in cleaning.vectors}


def test_vectors_are_listed_by_encoder_with_their_size_and_results(cache):
    cleaning = lingprobe.clean_cache(cache)
    found = by_name(cleaning)
    assert set(found) == {"random", "bow:random"}
    assert {name: each.results for name, each in found.items()} == {"random": 1, "bow:random": 1}
    for each in cleaning.vectors:
        there = [path for path in each.folder.iterdir() if path.is_file()]
        assert (each.files, each.bytes) == (len(there), sum(p.stat().st_size for p in there))
    assert [each.bytes for each in cleaning.vectors] == sorted(
        (each.bytes for each in cleaning.vectors), reverse=True
    )
    assert cleaning.unneeded_vectors == ()
    assert "all of it is needed" in str(cleaning)


def test_what_a_result_needs_stays_also_that_of_a_folder_elsewhere(cache):
    lingprobe.clean_cache(cache, remove=True)
    assert len(list((cache / "vectors").iterdir())) == 2


def test_what_no_result_needs_goes_when_it_is_said_and_not_before(cache):
    shutil.rmtree(cache / "results")
    would = lingprobe.clean_cache(cache)
    assert [each.encoder.partition(",")[0] for each in would.unneeded_vectors] == ["random"]
    assert "would be removed" in str(would)
    (gone,) = would.unneeded_vectors
    assert gone.folder.is_dir()
    done = lingprobe.clean_cache(cache, remove=True)
    assert done.removed
    assert "are removed" in str(done)
    assert not gone.folder.exists()
    assert set(by_name(lingprobe.clean_cache(cache))) == {"bow:random"}


def test_vectors_that_a_run_may_be_at_stay(cache):
    shutil.rmtree(cache / "results")
    (gone,) = lingprobe.clean_cache(cache).unneeded_vectors
    os.utime(next(gone.folder.iterdir()))
    cleaning = lingprobe.clean_cache(cache, remove=True)
    assert cleaning.unneeded_vectors == ()
    assert "written within the hour" in str(cleaning)
    assert gone.folder.is_dir()


def test_vectors_without_a_note_are_shown_and_left_alone(cache):
    shutil.rmtree(cache / "results")
    for note in (cache / "vectors").rglob(_NOTE):
        note.write_text("{broken")
    aged(cache)
    cleaning = lingprobe.clean_cache(cache, remove=True)
    assert cleaning.unneeded_vectors == ()
    assert str(cleaning).count("it is unknown what made them") == 2


def test_what_was_removed_is_encoded_anew(filled, cache):
    shutil.rmtree(cache / "results")
    lingprobe.clean_cache(cache, remove=True)
    how = {"probes": "logreg", "seeds": 1, "baselines": "none", "cache": cache}
    again = lingprobe.evaluate("random,dim=4", f"table:{filled / 'a.jsonl'}", **how)
    (score,) = (r.score for r in lingprobe.results(filled / "cache" / "results"))
    assert [r.score for r in again.results] == [score]


def test_vectors_made_ahead_have_a_note_too(tmp_path):
    sentences = list(TINY_DATASET_FAMILIES["sentence"]().sentences)
    lingprobe.embed(sentences, "random,dim=4", cache=tmp_path)
    (each,) = lingprobe.clean_cache(tmp_path).vectors
    assert (each.encoder, each.results, each.recent) == ("random,dim=4", 0, True)


def test_an_empty_cache_has_nothing(tmp_path):
    assert lingprobe.clean_cache(tmp_path).vectors == ()


def test_the_command_is_dry_until_it_is_told(cache):
    shutil.rmtree(cache / "results")
    arguments = ["cache", "clean", "--cache", str(cache)]
    dry = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert "random,dim=4: no result" in dry.output
    assert "nothing was removed" in dry.output
    assert len(list((cache / "vectors").iterdir())) == 2
    done = CliRunner().invoke(app, [*arguments, "--yes"], catch_exceptions=False)
    assert "are free again" in done.output
    assert len(list((cache / "vectors").iterdir())) == 1


def test_the_command_asks_at_a_terminal(cache, monkeypatch):
    shutil.rmtree(cache / "results")
    answers = {"n\n": 2, "y\n": 1}
    for answer, left in answers.items():
        monkeypatch.setattr("typer.confirm", lambda _, said=answer: said == "y\n")
        monkeypatch.setattr("lingprobe.cli.caching.sys", Terminal)
        arguments = ["cache", "clean", "--cache", str(cache)]
        CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert len(list((cache / "vectors").iterdir())) == left


class Terminal:
    """A `sys` whose standard input is a terminal."""

    class stdin:
        @staticmethod
        def isatty() -> bool:
            return True
