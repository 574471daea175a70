"""Controls are fitted with the settings that a probe chose for the task itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from lingprobe.data.core import Cell, Dataset, Example, FitJob, Sentence, Site
from lingprobe.data.latest import LruCache
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Vectors
from lingprobe.datasets.controls import CONTROLS
from lingprobe.experiment import settings
from lingprobe.experiment.groups import FitBatch
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialDesign, make_plan
from lingprobe.experiment.run import find_missing, run_plan
from lingprobe.experiment.settings import SettingsRequest, fit_wanted, keeps_settings
from lingprobe.experiment.work import measured_in
from lingprobe.probes import PROBES

GRID = "logreg,c=1e-05,c=100"


ALL = pytest.mark.parametrize(
    ("probe", "names"),
    [
        ("logreg", ["c"]),
        ("mlp,precision=float32", ["hidden", "dropout", "l2"]),
        ("mlp,protocol=senteval", ["hidden", "dropout", "l2"]),
        ("sparse,k=2", ["c"]),
    ],
)


def dataset(n: int = 240) -> Dataset:
    """Two classes that the number in a sentence tells, but for some."""
    rng = np.random.default_rng(3)
    examples = []
    for i in range(n):
        told = int(rng.integers(2))
        label = told if rng.random() < 0.85 else 1 - told
        split = "train" if i < n // 2 else "dev" if i < 3 * n // 4 else "test"
        sentence = Sentence.of([f"w{told}", *(f"x{k}" for k in rng.integers(30, size=4)), f"{i}"])
        examples.append(Example((Site(sentence),), "ab"[label], split))
    return Dataset.of(examples)


@dataclass(frozen=True)
class Noisy:
    """The task."""

    name: str = "noisy"
    probe: str = "logreg"
    metric: str = "accuracy"
    view: str = "mean"
    question: str = "Which is it?"

    def load(self) -> Dataset:
        return dataset()


@dataclass(frozen=True)
class Summed:
    """A random vector for each word, summed."""

    name: str = "summed"
    fingerprint: str = "1"
    takes = "sentences"

    def encode(self, sentences: Any) -> Vectors:
        def vector(word: str) -> Any:
            return np.random.default_rng([len(word), *word.encode()]).normal(size=24)

        rows = [np.sum([vector(w) for w in s.words], 0) for s in sentences]
        return Vectors((np.array(rows, np.float32).reshape(-1, 24),))


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was chosen in another test is not known here."""
    monkeypatch.setattr(settings, "_CHOICES", LruCache(settings._MOST))


def measured(tmp_path, probe: str, controls: list[str], seeds: int = 3) -> dict[Any, Any]:
    """Results by control and seed."""
    paths = RunPaths.of(tmp_path / "results", tmp_path / "cache")
    design = TrialDesign([Noisy()], [Summed()], [probe], controls, seeds=seeds)
    outcome = run_plan(make_plan(design, paths), paths, progress=False)
    assert not outcome.failures
    return {(r.trial.control, r.trial.seed): r for r in outcome.results}


def chosen(result: Any, *names: str) -> list[Any]:
    return [result.provenance.choice[name] for name in names]


@ALL
def test_a_control_has_the_settings_of_the_task(tmp_path, probe, names):
    results = measured(tmp_path, probe, ["none", "shuffled", "word-labels,least=1"])
    seeds = {seed for control, seed in results if control == "none"}
    for (control, seed), result in results.items():
        own = results["none", seed if seed in seeds else 0]
        assert chosen(result, *names) == chosen(own, *names), control


def test_the_settings_are_those_of_the_task_and_not_the_best_for_the_control(tmp_path):
    task = dataset()
    vectors = Summed().encode(task.sentences)
    readings = Readings(task, vectors)
    probe = PROBES.make(GRID)

    def best(data: Dataset, seed: int = 0) -> float:
        mine = replace(readings, dataset=data)
        [fitted] = probe.fit(mine.split("train"), mine.split("dev"), cells=(Cell("-", seed),))
        return fitted.choice["c"]

    draws = [CONTROLS.make(f"shuffled,seed={k}")(task) for k in range(5)]
    own = best(task)
    others = [k for k, draw in enumerate(draws) if best(draw) != own]
    assert others, "the test needs a draw for which another C is best"
    results = measured(tmp_path, GRID, ["none", *(f"shuffled,seed={k}" for k in others)])
    for k in others:
        [result] = [r for (control, _), r in results.items() if control == f"shuffled,seed={k}"]
        assert chosen(result, "c") == [own]
        # the same fit by hand
        mine = replace(readings, dataset=draws[k])
        alone = PROBES.make(f"logreg,c={own}")
        [fitted] = alone.fit(mine.split("train"), mine.split("dev"), cells=(Cell("-", 0),))
        said = fitted.predict(mine.split("test")).decoded
        assert np.array_equal(said.classes, result.predicted.classes)


@ALL
def test_a_control_alone_is_that_beside_its_task(tmp_path, monkeypatch, probe, names):
    beside = measured(tmp_path / "a", probe, ["shuffled"])
    monkeypatch.setattr(settings, "_CHOICES", LruCache(settings._MOST))
    paths = RunPaths.of(tmp_path / "b" / "results", tmp_path / "b" / "cache")
    design = TrialDesign([Noisy()], [Summed()], [probe], ["shuffled"], seeds=3)
    _, groups = find_missing(make_plan(design, paths), paths)
    controls = tuple(one for one in groups if one.trials[0].control != "none")
    alone: dict[str, Any] = {}
    for control in controls:
        done = measured_in(paths)(FitBatch((control,)))
        assert not done.failure
        alone |= done.results
    assert len(alone) == 3
    for result in alone.values():
        other = beside[result.trial.control, result.trial.seed]
        assert chosen(result, *names) == chosen(other, *names)
        assert chosen(result, "dev") == pytest.approx(chosen(other, "dev"))
        assert np.array_equal(result.predicted.classes, other.predicted.classes)


def test_noise_in_labels_is_tuned_for_itself(tmp_path):
    results = measured(tmp_path, GRID, ["none", "label-noise,wrong=50"], seeds=1)
    own, noisy = (r for _, r in sorted(results.items(), reverse=True))
    assert chosen(own, "c") == [100.0] or chosen(noisy, "c") != chosen(own, "c")
    assert not keeps_settings(PROBES.make(GRID), CONTROLS.make("label-noise,wrong=50"))
    assert not keeps_settings(PROBES.make(GRID), CONTROLS.make("none"))
    assert not keeps_settings(PROBES.make("logreg,c=1"), CONTROLS.make("shuffled"))
    assert not keeps_settings(PROBES.make("majority"), CONTROLS.make("shuffled"))
    for control in ("shuffled", "word-labels"):
        assert keeps_settings(PROBES.make(GRID), CONTROLS.make(control))


@dataclass
class Counted:
    """A probe that counts what it is asked for; its choice differs by seed."""

    size: int | None = None
    asked: list[tuple[int | None, int, int]] = field(default_factory=list)
    name: str = "counted"

    @property
    def settings(self) -> list[dict[str, Any]]:
        return [{"size": k} for k in ((0, 1, 2) if self.size is None else (self.size,))]

    def with_settings(self, chosen: Mapping[str, Any]) -> Counted:
        return Counted(chosen["size"], self.asked)

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Any]:
        self.asked += [(self.size, cell.seed, len(train)) for cell in cells]
        return [Told(cell.seed % 3 if self.size is None else self.size, cell) for cell in cells]


@dataclass(frozen=True)
class Told:
    size: int
    cell: Cell

    @property
    def choice(self) -> dict[str, Any]:
        return {"size": self.size, "dev": 0.5}

    def predict(self, readings: Readings) -> Any:
        raise NotImplementedError


def test_settings_are_of_the_same_cell_and_are_looked_for_once():
    probe, readings = Counted(), Readings(dataset(), Summed().encode(dataset().sentences))
    train, dev = readings.split("train"), readings.split("dev")
    cells = tuple(Cell("-", seed) for seed in (4, 2, 0))
    own = FitJob(train, dev, cells, probe)
    controls = [
        SettingsRequest(FitJob(train, dev, (cell,), probe), "subject", own._replace(cells=(cell,)))
        for cell in (*cells, cells[0])
    ]
    found = fit_wanted(probe, [controls[0], SettingsRequest(own, "subject"), *controls[1:]])
    assert [[one.cell.seed for one in each] for each in found] == [[4], [4, 2, 0], [2], [0], [4]]
    assert [[one.size for one in each] for each in found] == [[1], [1, 2, 0], [2], [0], [1]]
    assert [each[:2] for each in probe.asked[:3]] == [(None, 4), (None, 2), (None, 0)]
    assert all(size is not None for size, *_ in probe.asked[3:])
    assert len(probe.asked) == 7
    # remembered: a control that comes later asks for nothing but its own fit
    fit_wanted(probe, [controls[1]])
    assert probe.asked[7:] == [(2, 2, len(train))]
    # of another subject nothing is known: it is chosen for once, for all that ask
    other = [one._replace(subject="other") for one in (controls[1], controls[1], controls[2])]
    fit_wanted(probe, other)
    assert [size for size, *_ in probe.asked[8:]].count(None) == 2


def test_the_oldest_choices_are_forgotten():
    known: LruCache[dict[str, int]] = LruCache(2)
    cells = [("subject", Cell("-", k)) for k in range(3)]
    for cell in cells:
        known.keep(cell, {"c": 1})
    assert [known.find(cell) for cell in cells] == [None, {"c": 1}, {"c": 1}]
    # what was found last stays, and what is kept again counts once
    known.find(cells[1])
    known.keep(cells[1], {"c": 2})
    known.keep(cells[0], {"c": 3})
    assert [known.find(cell) for cell in cells] == [{"c": 3}, {"c": 2}, None]
