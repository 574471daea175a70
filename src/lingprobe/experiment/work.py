"""One unit of work: a batch of groups of trials is measured and its results are kept, or the reason
is told.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from lingprobe.data._foreign_code import foreign_code, one_line
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.reading import ReadingProblem
from lingprobe.experiment.data import load_dataset
from lingprobe.experiment.groups import FitBatch, TrialGroup
from lingprobe.experiment.measure import PreparedGroup, fit_groups, prepare_group
from lingprobe.experiment.memory import check_memory
from lingprobe.experiment.paths import RunPaths
from lingprobe.metrics.constant import find_metric
from lingprobe.nets.memory import at_most
from lingprobe.nets.precision import limit_to_agreed_threads
from lingprobe.store.blocks import StoreProblem
from lingprobe.store.claims import claim_file
from lingprobe.store.failures import failure_of

log = logging.getLogger("lingprobe.experiment")
# bytes of vectors that are held at once for the sake of one fit
_ROOM = 2**28


@dataclass(frozen=True)
class MeasuredBatch:
    """What became of a batch.

    results  of its trials, by what they are stored under
    failure  why some have none, '' where all have theirs
    fresh    how many of the results were measured now, and not by another run meanwhile
    held     the groups that another run is at just now
    untried  the groups that failed in another run since this one began
    """

    name: str
    results: Mapping[str, Result] = field(default_factory=dict)
    failure: str = ""
    fresh: int = 0
    held: tuple[TrialGroup, ...] = ()
    untried: tuple[TrialGroup, ...] = ()


def measure_batch(
    batch: FitBatch, paths: RunPaths, before: Mapping[str, str] | None = None
) -> MeasuredBatch:
    """Fit and score the trials of some groups and keep the results; a failure is told, never
    raised, so others go on.

    before  when groups failed before this run began, by the name of their place: those are tried
            again, and what failed since in another run is not
    """
    store, work = paths.result_store(), _Work(batch.name, paths)
    mine: list[TrialGroup] = []
    held: list[TrialGroup] = []
    first = batch.groups[0].trials[0]
    doing = f"fitting {first.probe} on {first.encoder} for {first.task}"
    with ExitStack() as claims:
        for group in batch.groups:
            own = claims.enter_context(claim_file(store.place(group.ids, group.part), doing))
            (mine if own else held).append(group)
        known = paths.known_results([i for group in mine for i in group.ids])
        todo = [left for group in mine if (left := group.without(known)).trials]
        untried = [group for group in todo if work.failed_since(group, before or {})]
        spared = {group.ids for group in untried}
        for parts in work.prepare_groups([group for group in todo if group.ids not in spared]):
            work.fit(parts)
    return MeasuredBatch(
        batch.name,
        known | work.results,
        next(iter(work.failures), ""),
        len(work.results),
        tuple(held),
        tuple(untried),
    )


class _Work:
    """Results as they come in, and what went wrong."""

    def __init__(self, name: str, paths: RunPaths) -> None:
        self.name, self.paths = name, paths
        self.results: dict[str, Result] = {}
        self.failures: list[str] = []

    def failed_since(self, group: TrialGroup, before: Mapping[str, str]) -> bool:
        """Whether a group failed in another run meanwhile."""
        place = self.paths.result_store().place(group.ids, group.part)
        failure = failure_of(place)
        if failure is None or failure.date == before.get(place.name):
            return False
        self.failures.append(f"{failure.why} (on {failure.machine})")
        return True

    def prepare_groups(self, groups: Sequence[TrialGroup]) -> Iterator[list[PreparedGroup]]:
        """The groups with their data and vectors, as many at once as there is room for."""
        parts: list[PreparedGroup] = []
        for group in groups:
            if (part := self._ready(group, parts[-1] if parts else None)) is None:
                continue
            shares = parts and parts[-1].readings.vectors is part.readings.vectors
            if (
                parts
                and not shares
                and sum(one.size for one in parts) + part.size > at_most(_ROOM, 0.25)
            ):
                yield parts
                parts = []
            parts.append(part)
        if parts:
            yield parts

    def _ready(self, group: TrialGroup, before: PreparedGroup | None) -> PreparedGroup | None:
        try:
            with foreign_code(group.name), limit_to_agreed_threads():
                whole = load_dataset(group.task, group.ingredients.task)
                scores = self.paths.scores or find_metric(group.task.metric).reads_scores
                part = prepare_group(group, whole, self.paths.vector_store(), scores, before)
                check_memory(group.probe, part.job)
                return part
        except Exception as error:
            self._fail(error)
            return None

    def _fail(self, error: Exception) -> None:
        log.debug("%s", self.name, exc_info=error)
        self.failures.append(_describe_error(error))

    def fit(self, groups: Sequence[PreparedGroup]) -> None:
        """Fit groups, and keep their results; what fails together is tried alone."""
        try:
            with foreign_code(self.name), limit_to_agreed_threads():
                results = fit_groups(groups)
            for part, each in zip(groups, results, strict=True):
                placed = [replace(result, folder=self.paths.results) for result in each]
                kept = list(zip(part.group.ids, placed, strict=True))
                tested = part.readings.split("test").dataset
                self.paths.keep_items(placed[0], tested)
                self.paths.keep_written(placed[0], tested, part.group.encoder)
                self.paths.keep(kept)
                self.results |= dict(kept)
        except Exception as error:
            if len(groups) == 1:
                self._fail(error)
                return
            for part in groups:
                if part.group.ids[0] not in self.results:
                    self.fit([part])


def _describe_error(error: Exception) -> str:
    """An error in one line; ours say all in their words."""
    if isinstance(error, DataProblem | ReadingProblem | StoreProblem):
        return str(error).strip().partition("\n")[0]
    return one_line(error)


def measured_in(
    paths: RunPaths, before: Mapping[str, str] | None = None
) -> functools.partial[MeasuredBatch]:
    """`measure_batch` with all but the batch filled in: the function that a mapper maps."""
    return functools.partial(measure_batch, paths=paths, before=before)
