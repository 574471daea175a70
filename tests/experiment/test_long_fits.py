"""A run that is stopped in the middle of a long fit goes on there, with the same results."""

from __future__ import annotations

import pytest

import sonde
from sonde.store import checkpoints

SETTINGS = {"probes": ["mlp,hidden=5,dropout=0"], "limit": 60, "seeds": 2, "bounds": False}


def run(folder):
    return sonde.run(
        "ud/tense:embedded",
        "length",
        output=folder / "results",
        cache=folder / "cache",
        **SETTINGS,
    )


def told(done):
    return [(r.trial, r.score, r.predicted.class_names(), r.provenance.choice) for r in done]


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
    assert list((tmp_path / "results").glob("*.fit"))
    [unit] = sonde.status(tmp_path / "results", cache=tmp_path / "cache").content
    assert unit.kept
    assert "how far its fit was" in str(
        sonde.status(tmp_path / "results", cache=tmp_path / "cache").text("markdown")
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
    [unit] = sonde.status(tmp_path / "results", cache=tmp_path / "cache").content
    assert (unit.state, unit.kept) == ("done", "")
