"""The road of tasks about spans: word pieces of a transformer, all its layers in one pass, read in memory and from the disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_run import Tiny

from fixtures.models import transformer
from sonde.core import Result
from sonde.experiment.places import Places
from sonde.experiment.plan import Wanted, plan
from sonde.experiment.run import run
from sonde.store import gather


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spans")


@pytest.fixture(scope="module")
def model(folder: Path) -> Path:
    return transformer(folder / "model")


@pytest.mark.parametrize(
    ("probe", "reads", "dtype"),
    [("span,projection=4,hidden=0", ("lex", "mix"), "float32"), ("logreg", ("top", "cat:lex+top"), "float16")],
)
def test_vectors_on_the_disk_give_the_results_of_those_in_memory(model, folder, probe, reads, dtype, monkeypatch):
    def measured(name: str) -> dict[str, Result]:
        places = Places.of(folder / name / dtype, folder / "cache", dtype)
        encoder = f"hf:{model},layers=lex+all,pool=none,dtype=float32"
        outcome = run(plan(Wanted([Tiny("spans")], [encoder], [probe], seeds=1, reads=reads), places), places, progress=False)
        assert not outcome.failures
        assert outcome.fresh == len(reads)
        return {r.trial.read: r for r in outcome.results}

    plain = measured("memory")
    monkeypatch.setattr("sonde.store.vectors.LARGE", 1)
    monkeypatch.setattr(gather, "PART", 5_000)
    mapped = measured("disk")
    assert set(plain) == set(mapped) == set(reads)
    for read, result in plain.items():
        for a, b in zip(result.predicted.arrays().values(), mapped[read].predicted.arrays().values(), strict=True):
            assert np.array_equal(a, b), read
        assert result.provenance["counts"]["unaligned"] == 0
