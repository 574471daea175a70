"""The road of tasks about spans: word pieces of a transformer, all its layers in one pass, read in
memory and from the disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from test_run import Tiny

from fixtures.models import transformer
from lingprobe.data.core import Result, Sentence
from lingprobe.data.vectors import Spans, Vectors
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialDesign, make_plan
from lingprobe.experiment.run import run_plan
from lingprobe.testing import TINY_DATASET_FAMILIES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spans")


@pytest.fixture(scope="module")
def model(folder: Path) -> Path:
    return transformer(folder / "model")


@pytest.mark.parametrize(
    ("probe", "reads", "dtype"),
    [
        ("span,projection=4,hidden=0", ("lex", "mix"), "float32"),
        ("logreg", ("top", "cat:lex+top"), "float16"),
    ],
)
def test_vectors_on_the_disk_give_the_results_of_those_in_memory(
    model, folder, probe, reads, dtype, monkeypatch
):
    def measured(name: str) -> dict[str, Result]:
        paths = RunPaths.of(folder / name / dtype, folder / "cache", dtype)
        encoder = f"hf:{model},layers=lex+all,pool=none,dtype=float32"
        outcome = run_plan(
            make_plan(
                TrialDesign([Tiny("spans")], [encoder], [probe], seeds=1, layers=reads), paths
            ),
            paths,
            progress=False,
        )
        assert not outcome.failures
        assert outcome.fresh == len(reads)
        return {r.trial.read: r for r in outcome.results}

    plain = measured("memory")
    monkeypatch.setattr("lingprobe.store.vectors.MIN_MAPPED_VECTOR_BYTES", 1)
    mapped = measured("disk")
    assert set(plain) == set(mapped) == set(reads)
    for read, result in plain.items():
        for a, b in zip(
            result.predicted.arrays().values(),
            mapped[read].predicted.arrays().values(),
            strict=True,
        ):
            assert np.array_equal(a, b), read
        assert result.provenance.counts.unaligned == 0


@dataclass(frozen=True)
class Massive:
    """A unit for each word, behind one of the whole sentence (as [BOS] is) that is beyond float16;
    so are the words called so.
    """

    beyond: tuple[str, ...] = ()
    name: str = "massive"
    takes = "sentences"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        counts = np.array([len(s.words) for s in sentences], np.int64)
        ends, first = np.cumsum([0, *(counts + 1)]), np.cumsum([0, *counts])
        at = np.arange(first[-1]) + np.repeat(np.arange(len(counts)), counts) + 1
        units = np.full((ends[-1], 4), 1e9, np.float32)
        words = [w for s in sentences for w in s.words]
        units[at] = [[hash_of(w), len(w), 1e9 if w in self.beyond else 0, 1] for w in words]
        return Vectors((units,), ("-",), Spans(ends, np.stack([at, at + 1], 1), first))


def hash_of(word: str) -> float:
    return sum(map(ord, word)) % 97 / 10


@pytest.mark.parametrize("beyond", [(), ("clever",)])
def test_in_half_precision_a_token_that_nobody_reads_costs_no_example(beyond, folder):
    def measured(task: str, dtype: str) -> tuple[list[Result], dict[str, str]]:
        paths = RunPaths.of(folder / f"massive{len(beyond)}", folder / "cache", dtype)
        encoder = Massive(beyond, f"massive {dtype}")
        outcome = run_plan(
            make_plan(TrialDesign([Tiny(task)], [encoder], ["logreg"], seeds=1), paths),
            paths,
            progress=False,
        )
        return list(outcome.results), outcome.failures

    ((full,), _), ((half,), failures) = (
        measured("span", dtype) for dtype in ("float32", "float16")
    )
    counts = half.provenance.counts
    spans = [(s, a, b) for s, a, b in TINY_DATASET_FAMILIES["span"]().sites[:, 0].tolist()]
    words = [s.words for s in TINY_DATASET_FAMILIES["span"]().sentences]
    lost = sum(any(w in beyond for w in words[s][a:b]) for s, a, b in spans)
    assert not failures
    assert counts.unusable == lost
    assert half.n + counts.train + counts.dev == len(spans) - lost
    if not beyond:
        assert half.n == full.n
    else:
        assert lost
        assert "not finite, or outside the range of the stored precision" in counts.problems[0]
    # whole sentences are read with that token, so that none is left
    _, failures = measured("sentence", "float16")
    assert any("could not be encoded" in why for why in failures.values())
