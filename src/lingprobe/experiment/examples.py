"""The test examples of a result, from what was kept beside it or from its data set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from lingprobe.data._logits import ProbeLogits
from lingprobe.data.core import DataProblem, Dataset, Result, Trial
from lingprobe.data.labels import Column
from lingprobe.data.references import ReferenceProblem
from lingprobe.experiment.site_digests import digest_sites
from lingprobe.store.items import read_items, read_written
from lingprobe.tasks import TASKS


class AnsweredExamples(NamedTuple):
    """The test examples of a trained probe, with what is right and what it predicts.

    scores   of labels, where these were kept
    written  what a model wrote behind the texts of each example, where that was kept
    """

    dataset: Dataset
    gold: Column
    predicted: Column
    scores: ProbeLogits | None
    written: Sequence[Sequence[str | None]] | None


@dataclass(frozen=True)
class ExampleReader:
    """Reads test examples when a page asks for them.

    results  gives the results, with scores where these were kept
    """

    results: Callable[[], Sequence[Result]]

    @cached_property
    def _by_trial(self) -> dict[Trial, Result]:
        return {result.trial: result for result in self.results()}

    @cached_property
    def _datasets(self) -> dict[str, Dataset]:
        return {}

    @property
    def has_scores(self) -> bool:
        """Whether scores of labels were kept."""
        return any(result.scores is not None for result in self._by_trial.values())

    def read(self, trial: Trial, task_name: str) -> AnsweredExamples:
        """The test examples of a trial, as of `load_test_examples`; nobody's code is run."""
        result = self._by_trial[trial]
        dataset = load_test_examples(result, self._datasets, task_name, runs_own_code=False)
        answered = result.gold, result.predicted, result.scores
        return AnsweredExamples(dataset, *answered, read_written(result))


def load_test_examples(
    result: Result, datasets: dict[str, Dataset], task_name: str, *, runs_own_code: bool = True
) -> Dataset:
    """The test examples of a result in its order: those that were kept beside it, or else of its
    data set, which is loaded; DataProblem where the data are gone or other ones, or where some
    examples were excluded and it kept no scores, which say which. The data set that was loaded last
    is kept in `datasets`; messages call the task by `task_name`.
    """
    if (kept := read_items(result)) is not None:
        return kept
    task = result.trial.task
    if "@" in task and not runs_own_code:
        raise DataProblem("the task is your own code, which a report does not run")
    if task not in datasets:
        datasets.clear()
        datasets[task] = _load_dataset(task)
    rows = result.scores.rows if result.scores else datasets[task].rows("test")
    dataset = (
        datasets[task].take(rows)
        if not len(rows) or rows.max() < len(datasets[task])
        else datasets[task]
    )
    if digest_sites(dataset) != result.provenance.tested:
        raise DataProblem(
            f"{task_name}: its test examples have changed since they were measured; run it again"
        )
    return dataset


def _load_dataset(task: str) -> Dataset:
    try:
        return TASKS.make(task).load()  # type: ignore[no-any-return]
    except ReferenceProblem as problem:
        raise DataProblem(
            f"{task}: predictions are shown with their examples, which only a task with a reference"
            f" can load ({problem})"
        ) from None
