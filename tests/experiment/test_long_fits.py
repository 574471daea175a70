"""A run that is stopped in the middle of a long fit goes on there, with the same results."""

from __future__ import annotations

import pytest

import lingprobe
from lingprobe.data.checkpoints import State
from lingprobe.store import checkpoints
from lingprobe.store.claims import claim_file

SETTINGS = {"probes": ["mlp,hidden=5,dropout=0"], "limit": 60, "seeds": 2, "bounds": False}


def run(folder):
    return lingprobe.run(
        "ud/tense:embedded",
        "length",
        output=folder / "results",
        cache=folder / "cache",
        **SETTINGS,
    )


def told(done):
    return [
        (r.trial, r.score, r.predicted.class_names(), r.provenance.choice) for r in done.results
    ]


def test_a_fit_that_was_stopped_goes_on(tmp_path, monkeypatch):
    expected = told(run(tmp_path / "undisturbed"))
    keep, kept = checkpoints.Checkpoints.keep, []

    def stopped(self, name, state):
        keep(self, name, state)
        kept.append(state.facts["step"])
        if len(kept) == 25:
            raise KeyboardInterrupt

    monkeypatch.setattr(checkpoints, "EVERY", 0.0)
    monkeypatch.setattr(checkpoints.Checkpoints, "keep", stopped)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path)
    monkeypatch.setattr(checkpoints.Checkpoints, "keep", keep)
    monkeypatch.setattr(checkpoints, "EVERY", 600.0)
    assert kept == list(range(1, 26))
    [unit] = lingprobe.status(tmp_path / "results", cache=tmp_path / "cache").content
    [file] = (tmp_path / "results").glob("*.fit")
    size = file.stat().st_size
    assert unit.kept
    assert unit.bytes == size
    [fit] = lingprobe.clean_cache(tmp_path / "cache").fits
    assert (fit.task, fit.encoder, fit.probe) == (unit.task, "length", unit.probe)
    assert (fit.kept, fit.bytes, fit.finished, fit.running) == (unit.kept, size, False, False)
    [held] = [h for h in lingprobe.holdings(tmp_path / "results").files if h.kind == "fits"]
    assert held.files == (file,)
    copy = file.read_bytes()
    assert "how far its fit was" in str(
        lingprobe.status(tmp_path / "results", cache=tmp_path / "cache").text("markdown")
    )
    found = []
    restored = checkpoints.Checkpoints.find

    def find(self, name):
        found.append(restored(self, name))
        return found[-1]

    monkeypatch.setattr(checkpoints.Checkpoints, "find", find)
    assert told(run(tmp_path)) == expected
    assert found[0].facts["step"] == 25
    assert not list((tmp_path / "results").glob("*.fit"))
    [unit] = lingprobe.status(tmp_path / "results", cache=tmp_path / "cache").content
    assert (unit.state, unit.kept) == ("done", "")
    file.write_bytes(copy)  # as a kill between the results and the end leaves it
    [fit] = lingprobe.clean_cache(tmp_path / "cache").fits
    assert fit.finished
    assert "states of 1 fits" in str(lingprobe.clean_cache(tmp_path / "cache", remove=True))
    assert not file.exists()
    assert lingprobe.clean_cache(tmp_path / "cache").fits == ()


def test_states_of_a_fit_that_is_running_stay(tmp_path):
    results = tmp_path / "results"
    keeper = checkpoints.Checkpoints(results / "unit-1")
    keeper.keep("one", State({}, {}))
    keeper.keep("two", State({}, {}))
    with claim_file(keeper.place):
        [fit] = lingprobe.clean_cache(tmp_path, remove=True).fits
        assert (fit.task, fit.running) == ("", True)
        assert "a fit that is running" in str(lingprobe.clean_cache(tmp_path))
        assert len(list(results.glob("*.fit"))) == 2
    lingprobe.clean_cache(tmp_path, remove=True)
    assert not list(results.glob("*.fit"))
