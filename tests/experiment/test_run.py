"""The road from references to results, over a tiny data set of every family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from lingprobe.data.core import Dataset, Sentence
from lingprobe.data.vectors import Vectors
from lingprobe.experiment.groups import FitBatch
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import PlanProblem, TrialDesign, TrialPlan, make_plan
from lingprobe.experiment.run import find_missing, run_plan
from lingprobe.experiment.runners import WorkerPool
from lingprobe.experiment.work import measured_in
from lingprobe.testing.tiny import TINY_DATASET_FAMILIES

METRICS = {
    "sentence": "accuracy",
    "asked": "accuracy",
    "span": "micro-f1",
    "spans": "micro-f1",
    "pair": "pearson",
}
VIEWS = {
    "sentence": "mean",
    "asked": "mean+asked",
    "span": "mean",
    "spans": "mean",
    "pair": "mean+contrast",
}


@dataclass(frozen=True)
class Tiny:
    """A task over the tiny data set of one family."""

    family: str
    probe: str = "logreg"
    question: str = "What is it?"

    @property
    def name(self) -> str:
        return f"tiny/{self.family}"

    @property
    def metric(self) -> str:
        return METRICS[self.family]

    @property
    def view(self) -> str:
        return VIEWS[self.family]

    def load(self) -> Dataset:
        return TINY_DATASET_FAMILIES[self.family]()


@dataclass(frozen=True)
class Counting:
    """Letter counts of a sentence; it counts how often it is asked."""

    name: str = "counting"
    fingerprint: str = "1"
    asked: list[int] = field(default_factory=list, compare=False)
    takes = "sentences"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        self.asked.append(len(sentences))
        rows = [[s.text.count(c) for c in "abcdefghijklmnopqrstuvwxyz "] for s in sentences]
        return Vectors((np.array(rows, np.float32).reshape(len(sentences), 27),))


@dataclass(frozen=True)
class Failing:
    """Raises on one sentence, gives NaN for another, and letter counts for the rest."""

    raises: str
    breaks: str
    name: str = "failing"
    fingerprint: str = "1"
    takes = "sentences"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        if any(s.text == self.raises for s in sentences):
            raise RuntimeError("the model tripped\nover two lines")
        found = Counting().encode(sentences).layers[0].copy()
        found[[s.text == self.breaks for s in sentences]] = np.nan
        return Vectors((found,))


@pytest.fixture
def paths(tmp_path: Path) -> RunPaths:
    return RunPaths.of(tmp_path / "results", tmp_path / "cache")


def test_every_family_goes_the_same_road(paths: RunPaths) -> None:
    tasks = [Tiny(family) for family in TINY_DATASET_FAMILIES]
    made = make_plan(
        TrialDesign(tasks, ["bow:random,pool=none"], ["logreg", "majority"], seeds=2), paths
    )
    outcome = run_plan(made, paths, progress=False)
    assert not outcome.failures
    assert {r.trial.task for r in outcome.results} == {t.name for t in tasks}
    for result in outcome.results:
        assert result.low <= result.score <= result.high
        assert result.n == 20
        assert result.provenance.counts.train == 60


def test_a_second_run_encodes_nothing_and_fits_nothing(paths: RunPaths) -> None:
    encoder = Counting()
    made = make_plan(TrialDesign([Tiny("sentence")], [encoder], ["mlp"], seeds=2), paths)
    first = run_plan(made, paths, progress=False)
    assert first.fresh == 2
    second = make_plan(TrialDesign([Tiny("sentence")], [encoder], ["mlp"], seeds=2), paths)
    asked = list(encoder.asked)
    again = run_plan(second, paths, progress=False)
    assert encoder.asked == asked
    assert again.fresh == 0
    assert [r.score for r in again.results] == [r.score for r in first.results]


def test_the_bar_says_how_far_a_fit_is(
    paths: RunPaths, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("lingprobe.experiment.bars._SECONDS", 0.0)
    monkeypatch.setattr("lingprobe.data.progress.is_watched", lambda: True)
    run_plan(
        make_plan(TrialDesign([Tiny("sentence")], [Counting()], ["mlp"], seeds=1), paths), paths
    )
    shown = capsys.readouterr().err
    assert "measure " in shown
    assert "step 1 of 560" in shown
    assert "1/1" in shown.rpartition("\r")[2]
    assert "step" not in shown.rpartition("\r")[2]


def test_more_seeds_fit_only_what_is_missing(paths: RunPaths) -> None:
    def results(seeds: int) -> tuple[int, dict[int, float]]:
        outcome = run_plan(
            make_plan(TrialDesign([Tiny("sentence")], [Counting()], ["mlp"], seeds=seeds), paths),
            paths,
            progress=False,
        )
        return outcome.fresh, {r.trial.seed: r.score for r in outcome.results}

    _, two = results(2)
    fresh, three = results(3)
    assert fresh == 1
    assert {seed: three[seed] for seed in two} == two


def test_what_cannot_be_encoded_is_counted_and_the_rest_is_measured(paths: RunPaths) -> None:
    data = TINY_DATASET_FAMILIES["sentence"]()
    raises, breaks = data.sentences[3].text, data.sentences[70].text
    made = make_plan(TrialDesign([Tiny("sentence")], [Failing(raises, breaks)], ["logreg"]), paths)
    outcome = run_plan(made, paths, progress=False)
    counts = outcome.results[0].provenance.counts
    assert counts.unusable == 2
    assert any("the model tripped" in reason for reason in counts.problems)


def test_an_encoder_that_always_fails_spares_the_others(paths: RunPaths) -> None:
    class Broken(Counting):
        takes = "sentences"

        def encode(self, sentences: Sequence[Sentence]) -> Vectors:
            raise RuntimeError("no model here")

    made = make_plan(
        TrialDesign([Tiny("sentence")], [Broken(name="broken"), Counting()], ["logreg"]), paths
    )
    outcome = run_plan(made, paths, progress=False)
    assert [r.trial.encoder for r in outcome.results] == ["counting"]
    assert "no model here" in outcome.failures["broken"]


def test_spans_need_vectors_of_words(paths: RunPaths) -> None:
    outcome = run_plan(
        make_plan(TrialDesign([Tiny("span")], [Counting()], ["logreg"]), paths),
        paths,
        progress=False,
    )
    assert not outcome.results
    assert "one vector a sentence" in next(iter(outcome.failures.values()))


def test_any_map_will_do(paths: RunPaths) -> None:
    made = make_plan(
        TrialDesign([Tiny("sentence"), Tiny("asked")], [Counting()], ["logreg"]), paths
    )
    listing = WorkerPool(fit=lambda f, groups: [f(g) for g in groups])
    backwards = run_plan(made, paths, listing, progress=False)
    assert len(backwards.results) == 2


def test_the_order_of_a_result_is_that_of_the_plan(paths: RunPaths) -> None:
    made = make_plan(
        TrialDesign(
            [Tiny("sentence"), Tiny("asked")], [Counting(), "length"], ["logreg", "majority"]
        ),
        paths,
    )
    outcome = run_plan(made, paths, progress=False)
    assert [r.trial for r in outcome.results] == list(made.trials)


def test_changed_data_are_another_task(paths: RunPaths) -> None:
    @dataclass(frozen=True)
    class Changing(Tiny):
        seed: int = 0

        def load(self) -> Dataset:
            return TINY_DATASET_FAMILIES["sentence"](seed=self.seed)

    def ids(seed: int) -> set[str]:
        made: TrialPlan = make_plan(
            TrialDesign([Changing("sentence", seed=seed)], ["length"], ["logreg"]), paths
        )
        return set(made.ids.values())

    assert ids(0) == ids(0)
    assert not ids(0) & ids(1)


def test_word_reading_probes_go_with_words_alone(paths: RunPaths) -> None:
    made = make_plan(TrialDesign([Tiny("sentence")], ["length"], ["logreg", "nb-uni-tfidf"]), paths)
    pairs = {(t.encoder.partition(",")[0], t.probe.partition(",")[0]) for t in made.trials}
    assert pairs == {("length", "logreg"), ("words", "nb-uni-tfidf")}


def test_a_probe_goes_only_with_tasks_that_write_what_it_reads(paths: RunPaths) -> None:
    made = make_plan(
        TrialDesign([Tiny("sentence"), Tiny("asked")], ["length"], ["majority-feature"]), paths
    )
    assert {t.task for t in made.trials} == {"tiny/sentence"}
    assert "majority-feature" in made.refused["majority-feature on tiny/asked"]
    assert run_plan(made, paths, progress=False).results[0].score > 0.9


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (TrialDesign([Tiny("sentence")], ["length"], ["logreg"], seeds=0), "at least one"),
        (
            TrialDesign([Tiny("sentence")], ["length"], ["logreg"], layers=["7"]),
            "no layer called '7'",
        ),
        (TrialDesign([], ["length"], ["logreg"]), "nothing to measure"),
    ],
)
def test_what_cannot_be_run_is_said_before_work_starts(
    wanted: TrialDesign, said: str, paths: RunPaths
) -> None:
    with pytest.raises(PlanProblem, match=said):
        make_plan(wanted, paths)


def test_a_control_takes_the_signal_away(paths: RunPaths) -> None:
    made = make_plan(
        TrialDesign([Tiny("sentence")], [Counting()], ["logreg"], controls=["none", "shuffled"]),
        paths,
    )
    scores = {
        r.trial.control.partition(",")[0]: r.score
        for r in run_plan(made, paths, progress=False).results
    }
    assert set(scores) == {"none", "shuffled"}


def test_a_group_that_raises_is_told_in_one_line(paths: RunPaths) -> None:
    made = make_plan(TrialDesign([Tiny("sentence")], [Counting()], ["logreg"]), paths)
    _, [group] = find_missing(made, paths)
    measured = measured_in(paths)(FitBatch((group,)))
    assert measured.results
