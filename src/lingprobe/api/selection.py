"""Which results are asked for: those of a folder or an experiment, by the names that they go by, or
patterns of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import NamedTuple

from lingprobe.data.core import DataProblem, Result
from lingprobe.data.references import (
    Contents,
    shorten_reference,
    try_parse_reference,
)
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.newest import keep_newest
from lingprobe.experiment.paths import RunPaths
from lingprobe.metrics import METRICS, MetricProblem, interval_of, rescore_result
from lingprobe.metrics.constant import find_metric
from lingprobe.pages.captions import shorten_task
from lingprobe.store.experiments import ExperimentRecord, list_experiments
from lingprobe.store.results import any_scores, find_scores
from lingprobe.tasks import TASKS

_FIGURES = frozenset({".svg", ".png", ".pdf", ".html", ".csv", ".tex"})


class ResultPatterns(NamedTuple):
    """Patterns of names, and how results come; all results without any.

    experiment  'last', 'all', or how many experiments ago, from 1
    scores      whether results come with their scores, where these were kept
    metric      what answers are judged by in place of the metric of their task
    trust       whether code in files that results name may run
    """

    tasks: Sequence[str] | None = None
    encoders: Sequence[str] | None = None
    reads: Sequence[str] | None = None
    experiment: str | int | None = None
    scores: bool = False
    metric: str | None = None
    trust: bool = False


class StoredResults(NamedTuple):
    """Results, and in words what was excluded."""

    results: list[Result]
    remarks: tuple[str, ...] = ()


def read_results(folder: str | Path | None, chosen: ResultPatterns) -> StoredResults:
    """The newest result of each trial in a folder, in the order in which they were asked for, of
    those chosen; without a folder, of the last run. DataProblem where there is none.

    Without a folder, results are those in the cache of the experiment that was run last.
    """
    paths = RunPaths.of(folder)
    known = dict(paths.result_store().read()) if paths.results.is_dir() else {}
    if not known:
        raise DataProblem(_nothing_in(paths.results))
    which = chosen.experiment or ("all" if folder else "last")
    every = list_experiments(paths.results)
    results, remarks = _experiment(known, every, paths.results, str(which))
    if chosen.scores or (chosen.metric and find_metric(chosen.metric).reads_scores):
        scores = find_scores(paths.results, results)
        results |= {key: replace(results[key], scores=one) for key, one in scores.items()}
    latest = _in_order(keep_newest(results.values()), results, every)
    if older := len(results) - len(latest):
        remarks.append(
            f"{older:,} older results are skipped, because they were measured again with other data"
            " or another version of the code"
        )
    return StoredResults(select_by_patterns(latest, chosen, f" in {paths.results}"), tuple(remarks))


def keeps_scores(folder: str | Path | None) -> bool:
    """Whether results of a folder, or of the last run, were kept with scores."""
    return any_scores(RunPaths.of(folder).results)


def judged_by(shown: StoredResults, metric: str) -> StoredResults:
    """The same predictions evaluated by another metric (`--metric`), without those that it cannot
    judge; DataProblem where these are all.
    """
    measure, name = METRICS.make(metric), METRICS.canonical(metric)
    results, lost = list[Result](), dict[str, list[str]]()
    for result in shown.results:
        try:
            again = rescore_result(result, name)
        except MetricProblem as problem:
            lost.setdefault(str(problem), []).append(shorten_reference(TASKS, result.trial.task))
            continue
        low, high = interval_of(measure, again.gold, [again.predicted], again.clusters)
        results.append(replace(again, low=low, high=high))
    told = [f"excluded: {', '.join(dict.fromkeys(names))}: {why}" for why, names in lost.items()]
    if not results:
        raise DataProblem(f"{metric} does not apply to any of the results: {'; '.join(told[:1])}")
    return StoredResults(results, (*shown.remarks, *told))


def _nothing_in(folder: Path) -> str:
    """That a folder has no results, and what may have been meant."""
    if folder.suffix in _FIGURES:
        return f"{folder.name} is not a folder of results; to write that file, put -o before it"
    beside = {p.name: p for p in folder.parent.glob("*") if p.is_dir()} if folder.name else {}
    near = get_close_matches(folder.name, beside, 1, 0.6)
    if near and any(RunPaths.of(beside[near[0]]).result_store().read()):
        return f"no results in {folder}; did you mean {near[0]}?"
    return f"no results in {folder}: `lingprobe run -o {folder}` makes some"


def _in_order(
    latest: Sequence[Result], results: Mapping[str, Result], every: Sequence[ExperimentRecord]
) -> list[Result]:
    """Results as they were asked for, those of the first experiment first; others last."""
    asked = dict.fromkeys(key for one in reversed(every) for key in one.ids)
    ranks = {id(results[key]): rank for rank, key in enumerate(asked) if key in results}
    return sorted(latest, key=lambda result: ranks.get(id(result), len(asked)))


def select_by_patterns(
    results: Sequence[Result], chosen: ResultPatterns, origin: str = ""
) -> list[Result]:
    """Those of the results that the patterns name; DataProblem where there is none."""
    tasks = select_references(chosen.tasks, {r.trial.task for r in results}, TASKS)
    encoders = select_references(chosen.encoders, {r.trial.encoder for r in results}, ENCODERS)
    mine = [
        r
        for r in results
        if r.trial.task in tasks
        and r.trial.encoder in encoders
        and is_asked(chosen.reads, r.trial.read)
    ]
    if not results:
        raise DataProblem(
            f"there are no results{origin} to choose from: nothing of this run was measured;"
            " --experiment all shows those of all runs"
        )
    named = [r for r in results if r.trial.task in tasks and r.trial.encoder in encoders]
    if not mine and named:
        reads = ", ".join(dict.fromkeys(r.trial.read for r in named))
        raise DataProblem(
            f"none of the {len(named):,} results{origin} of these tasks and encoders matches:"
            f" layers are {reads}"
        )
    if not mine:
        known = sorted({r.trial.task.partition(",")[0].partition(":")[0] for r in results})
        by = sorted({shorten_reference(ENCODERS, r.trial.encoder) for r in results})
        raise DataProblem(
            f"none of the {len(results):,} results{origin} matches: there are tasks"
            f" {', '.join(known[:12])} with encoders {', '.join(by[:12])}; without -t, -e and"
            " --layers all are shown"
        )
    return mine


def _experiment(
    results: dict[str, Result], known: Sequence[ExperimentRecord], folder: Path, which: str
) -> tuple[dict[str, Result], list[str]]:
    """The results of one experiment of a folder, or of all; and which of how many it is, and what
    of it is missing.
    """
    if which == "all" or not known:
        many = (
            f"results of {len(known)} experiments, one for each run; --experiment last shows the"
            " last one"
        )
        return dict(results), [many] if len(known) > 1 else []
    number = number_of(which, known, folder)
    ids, date = frozenset(known[number - 1].ids), known[number - 1].date
    mine = {key: result for key, result in results.items() if key in ids}
    remarks = []
    if len(known) > 1:
        remarks.append(
            f"experiment {number} of {len(known)} in {folder}, of {date[:16].replace('T', ' ')};"
            f" --experiment {number % len(known) + 1} shows another one, --experiment all shows"
            " all"
        )
    if lost := len(ids) - len(mine):
        remarks.append(
            f"{lost:,} of its {len(ids):,} trials have no result, because it was stopped or they"
            " failed; run the same command to continue"
        )
    return mine, remarks


def number_of(choice: str, experiments: Sequence[ExperimentRecord], folder: Path) -> int:
    """Which experiment of a folder, the last run or another, is asked for: how many ago, from 1;
    DataProblem where there is no such.
    """
    number = 1 if choice == "last" else int(choice) if choice.isdecimal() else 0
    if not 1 <= number <= len(experiments):
        raise DataProblem(
            f"--experiment {choice}: write last, all, or a number from 1 (the last) to"
            f" {len(experiments)}, the first in {folder}"
        )
    return number


def select_references(
    patterns: Sequence[str] | None, references: set[str], contents: Contents
) -> set[str]:
    """Those of the references that are asked for; all where nothing is."""
    return (
        {r for r in references if is_asked(patterns, *_list_reference_names(r, contents))}
        if patterns
        else references
    )


def is_asked(patterns: Sequence[str] | None, *names: str) -> bool:
    """Whether one of the names is asked for; all are where nothing is."""
    return not patterns or any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def find_encoders(pattern: str, results: Sequence[Result]) -> set[str]:
    """The encoders of this name; DataProblem where none of these results is of one."""
    references = {r.trial.encoder for r in results}
    theirs = select_references([pattern], references, ENCODERS)
    if not theirs:
        known = ", ".join(sorted({shorten_reference(ENCODERS, r) for r in references}))
        raise DataProblem(f"no encoder of these results is called {pattern}: there are {known}")
    return theirs


def _list_reference_names(reference: str, contents: Contents) -> tuple[str, ...]:
    """What a reference goes by: its name alone, as tables show it, in full, and its argument."""
    shown, parsed = shorten_reference(contents, reference), try_parse_reference(reference)
    place = PurePath(parsed.argument or "") if parsed else PurePath()
    name = reference.partition(",")[0].partition(":")[0]
    return name, shown, shorten_task(shown), reference, str(place), place.name
