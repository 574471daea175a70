"""A suite: the tasks of a paper under the paper's protocol, beside the paper's table. Only where
results are over the files that its authors released do its figures and theirs stand in one table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, groupby
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.corpora.files import digest_files
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.oracles import Kind
from lingprobe.data.references import (
    Reference,
    ReferenceProblem,
    shorten_reference,
)
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.plan import TrialDesign
from lingprobe.metrics import MetricProblem, constant_result, rescore_result
from lingprobe.probes import PROBES
from lingprobe.suites.facts import (
    CellResults,
    PaperTable,
    ScorePlace,
    merge_reasons,
)
from lingprobe.suites.mixed_data import join_data_rows
from lingprobe.tasks import TASKS, make_tolerant
from lingprobe.tasks.baseline_names import LENGTH_BASELINE, WORDS_BASELINE
from lingprobe.tasks.baselines import PAIR_FEATURES
from lingprobe.tasks.released.receipts import all_published

_COSINE = "cosine"
_ORACLES: tuple[Kind, ...] = ("oracle",)
"""What stands in a suite's table besides: the baselines are the paper's."""


class SuiteBaseline(NamedTuple):
    """A baseline of the paper, by its name there: an encoder and the probe that reads it. Without a
    probe it is one of tasks about pairs and of tables, and read with the column's own.
    """

    name: str
    encoder: str
    probe: str = ""


MAJORITY_BASELINE = SuiteBaseline("Majority vote", WORDS_BASELINE, "majority")
SENTENCE_BASELINES = (
    MAJORITY_BASELINE,
    # one feature needs steep weights to tell neighbouring lengths apart
    SuiteBaseline("Length", LENGTH_BASELINE, "logreg,c=1,c=100,c=10000"),
    SuiteBaseline("NB-uni-tfidf", WORDS_BASELINE, "nb-uni-tfidf"),
    SuiteBaseline("NB-bi-tfidf", WORDS_BASELINE, "nb-bi-tfidf"),
)
"""Those of Conneau et al. 2018, Table 2."""
PAIR_BASELINES = tuple(SuiteBaseline(encoder.capitalize(), encoder) for encoder in PAIR_FEATURES)


class SuiteColumn(NamedTuple):
    """A column of the table: the last name of its tasks (`tense` of `senteval/tense`), and the
    probe that the paper reads with.

    A column with a metric of its own judges the answers of another column of that task by it, as
    core roles among all; one without a task is the paper's alone.
    """

    task: str
    probe: str
    metric: str = ""


@dataclass(frozen=True)
class Suite:
    """A paper's table and how to measure what stands in it.

    columns    one for each column of the paper's table, in its order
    families   families whose tasks of the columns' names may stand in the table ('senteval' for
               `senteval/tense`)
    runs       the tasks that a run measures, as one reference under the family's name, or one for
               each column that has data, once or for each of several draws; None where the data are
               not named
    missing    what to write where they are not
    floors     baselines of the paper, measured with the rest
    different  why a result is not over the data of the paper's figures; '' where it is
    constant   the name of a row of the best constant answers, which is derived from the results;
               '' for none
    mixed      whether columns are over data of their own, so that a row goes over several data sets
    layers     which layers of encoders are read where the user does not say
    unasked    columns whose data the user did not name, and need not
    block_of   the block of the table over whose kind of test examples a task is, where blocks
               differ in that (`English`); '' where that is not known
    task_of    the last name of the task that a reference is of, where its name does not say
               ('coref' for edge/jsonl:FILE,as=coref)
    """

    name: str
    paper: PaperTable
    columns: tuple[SuiteColumn, ...]
    families: tuple[str, ...]
    runs: Reference | tuple[Reference | None, ...] | None = None
    missing: str = ""
    floors: tuple[SuiteBaseline, ...] = ()
    different: Callable[[Reference, Result], str] = lambda reference, result: (
        "the tasks were built from other sentences"
    )
    constant: str = ""
    mixed: bool = False
    layers: tuple[str, ...] = ()
    unasked: frozenset[str] = frozenset()
    block_of: Callable[[Reference, Result | None], str] = lambda reference, result: ""
    task_of: Callable[[Reference], str] = lambda reference: reference.name.rpartition("/")[2]

    def tasks(self) -> list[Reference]:
        """The references of the columns' tasks; DataProblem where the suite does not say which data
        it runs on.
        """
        return [reference for _, reference in self.column_tasks()]

    def column_tasks(self) -> list[tuple[SuiteColumn, Reference]]:
        """The columns that are measured, each with its task; DataProblem where the suite does not
        say which data it runs on.
        """
        runs = self.runs
        if runs is None:
            raise DataProblem(f"{self.name} needs data to run on: {self.missing}")
        if isinstance(runs, Reference):
            measured = [column for column in self.columns if column.task]
            return [(column, runs.with_name(f"{runs.name}/{column.task}")) for column in measured]
        pairs = [(column, run) for column, run in zip(cycle(self.columns), runs) if run is not None]
        if not pairs:
            raise DataProblem(f"{self.name}: none of its data were found: {self.missing}")
        return pairs

    def over(self) -> frozenset[Reference]:
        """The tasks that the suite measures, as `told_data` writes them; none where it does not
        name the data that it runs on.
        """
        runs = self.runs if isinstance(self.runs, tuple) else (self.runs,)
        said = any(run is not None and run.argument is not None for run in runs)
        return frozenset(told_data(task) for task in self.tasks()) if said else frozenset()

    def lacking(self) -> list[str]:
        """The names of columns that are not measured because their data are not there."""
        runs = self.runs if isinstance(self.runs, tuple) else ()
        pairs = zip(cycle(self.paper.columns), cycle(self.columns), runs, strict=False)
        return [
            name
            for name, column, run in pairs
            if run is None and column.task and not column.metric and name not in self.unasked
        ]

    def locate_task(self, task: str, result: Result | None = None) -> ScorePlace | None:
        """Where a task's scores stand; None for a task that the table has no column for. Without a
        result, data count as different.
        """
        try:
            full = Reference.parse(task)
            short = Reference.parse(shorten_reference(TASKS, task)).without(
                "fold", "sample", "on_error"
            )
        except ReferenceProblem:
            return None
        family, last = short.name.rpartition("/")[0], self.task_of(short)
        names = [column.task for column in self.columns]
        if family not in self.families or last not in names:
            return None
        why = (
            "nothing was measured on it"
            if result is None
            else self.different(full.without("fold", "sample"), result)
        )
        block = self.block_of(full, result)
        if block and not why and block not in [each.heading for each in self.paper.blocks]:
            return None  # it would be ranked among figures of the other blocks
        data = str(short.with_name(f"{family}/*"))
        return ScorePlace(names.index(last), data, why, block)

    def floor_of(self, column: int, result: Result) -> str:
        """The paper's baseline that a result in a column is of; '' for none."""
        trial = result.trial
        floors = self.floors_of(self.columns[column], Reference.parse(trial.task))
        named = ((_canonical(f.probe), ENCODERS.canonical(f.encoder), f.name) for f in floors)
        return next((name for *how, name in named if how == [trial.probe, trial.encoder]), "")

    def floors_of(self, column: SuiteColumn, task: Reference) -> list[SuiteBaseline]:
        """The paper's baselines of a column that some task stands in, each with its probe."""
        pair = task.name.startswith(("pair/", "table", "structure/"))
        if pair and column.probe == _COSINE:
            return []
        return [
            floor._replace(probe=floor.probe or column.probe)
            for floor in self.floors
            if pair == (not floor.probe)
        ]


def list_family_tasks(
    family: str, path: str | None, with_: tuple[str, ...] = (), task: tuple[str, ...] = ()
) -> Reference:
    """The tasks of a family on some data; `task=KEY=VALUE` gives an option to all of them, as
    'size=2000'. Raises ReferenceProblem.
    """
    wrong = next((text for text in task if "=" not in text), None)
    if wrong is not None:
        raise ReferenceProblem(
            f"task={wrong}: give an option of the tasks with its value, as task=size=2000"
        )
    options = [(key, value) for key, _, value in (text.partition("=") for text in task)]
    return Reference(family, path, (*(("with", other) for other in with_), *options))


Encoders = Sequence[Any] | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SuiteRequest:
    """What a run of a suite leaves to its user."""

    encoders: Encoders
    controls: Sequence[str] = ()
    seeds: int = 5
    layers: Sequence[str] = ()
    on_error: str = "raise"
    baselines: bool = True


def make_designs(suite: Suite, request: SuiteRequest) -> list[TrialDesign]:
    """What a suite measures, as the paper measured its own: every encoder with each column's probe
    of the protocol, the tasks' oracles, and the paper's baselines.
    """
    pairs = [
        (column, make_tolerant(task, request.on_error)) for column, task in suite.column_tasks()
    ]
    pairs.sort(key=lambda pair: pair[0].probe)
    by_probe = {
        probe: [task for _, task in mine]
        for probe, mine in groupby(pairs, key=lambda pair: pair[0].probe)
    }
    how = (request.controls, request.seeds, request.layers)
    planned = [
        TrialDesign(tasks, request.encoders, (probe,), *how, usual=suite.layers)
        for probe, tasks in by_probe.items()
        if request.encoders
    ]
    floors: dict[SuiteBaseline, list[Reference]] = {}
    for column, task in pairs:
        for floor in suite.floors_of(column, task):
            floors.setdefault(floor, []).append(task)
    planned += [
        TrialDesign(mine, (floor.encoder,), (floor.probe,), request.controls, request.seeds)
        for floor, mine in floors.items()
    ]
    possible = [
        TrialDesign(tasks, (), (probe,), request.controls, request.seeds, baselines=_ORACLES)
        for probe, tasks in by_probe.items()
    ]
    return [*planned, *(possible if request.baselines else ())]


def told_data(task: str | Reference) -> Reference:
    """A task's full reference without what does not say which data it is over, and with paths in
    full.
    """
    try:
        full = Reference.parse(TASKS.canonical(task))
    except (ReferenceProblem, ImportError, AttributeError, OSError):
        # results outlive options and plugins
        full = Reference.parse(str(task))
    full = full.without("fold", "sample", "on_error")
    options = tuple((key, _in_full(value)) for key, value in full.options)
    return Reference(full.name, None if full.argument is None else _in_full(full.argument), options)


def _in_full(text: str) -> str:
    """A path that is there, from the root; any other text as it is."""
    path = Path(text).expanduser()
    return str(path.resolve()) if text and path.exists() else text


class TableResults(NamedTuple):
    """The results that stand in a suite's table, and how many of its tasks' results were measured
    with other probes.
    """

    entries: tuple[CellResults, ...]
    others: int


def select_suite_results(suite: Suite, results: Iterable[Result]) -> TableResults:
    """The results that belong in the table: on its tasks, on the data that the suite names if it
    does, and with its probes.
    """
    probes = [_canonical(column.probe) if column.probe else "" for column in suite.columns]
    groups: dict[tuple[Any, ...], list[Result]] = {}
    others = 0
    for place, result in _place_results(suite, results):
        trial = result.trial
        floor = suite.floor_of(place.column, result)
        if floor or trial.probe == probes[place.column]:
            for column, judged in _rescore_columns(suite, place.column, result):
                key = (
                    place._replace(column=column),
                    floor,
                    trial.encoder,
                    trial.read,
                    trial.probe,
                    trial.control,
                )
                groups.setdefault(key, []).append(judged)
        else:
            others += 1
    entries = [CellResults(key[0], key[1], tuple(mine)) for key, mine in groups.items()]
    entries = [*_constants(suite, entries), *entries]
    whole = merge_reasons(entries)
    if suite.mixed:
        names = zip(suite.paper.columns, suite.columns, strict=True)
        own = {i: name for i, (name, column) in enumerate(names) if not column.metric}
        whole = join_data_rows(own, whole)
    order = [suite.constant, *(floor.name for floor in suite.floors)]
    return TableResults(
        tuple(sorted(whole, key=lambda e: order.index(e.floor) if e.floor else len(order))), others
    )


def _place_results(suite: Suite, results: Iterable[Result]) -> Iterator[tuple[ScorePlace, Result]]:
    """The results on the suite's tasks, and on the data that it names if it does, each with its
    place.
    """
    # finding out whether files are the published ones reads them
    places: dict[tuple[str, str], ScorePlace | None] = {}
    over = suite.over()
    for result in results:
        task = result.trial.task
        data = task, result.provenance.identity("task", task)
        if data not in places:
            mine = suite.locate_task(task) is not None and (not over or told_data(task) in over)
            places[data] = suite.locate_task(task, result) if mine else None
        if (place := places[data]) is not None:
            yield place, result


def _rescore_columns(suite: Suite, column: int, result: Result) -> list[tuple[int, Result]]:
    """A result in its column, and judged by the metrics of further columns of the same task."""
    judged = [(column, result)]
    for i, other in enumerate(suite.columns):
        if other.metric and other.task == suite.columns[column].task:
            try:
                judged.append((i, rescore_result(result, other.metric)))
            except MetricProblem:
                continue  # the data have no label of this sort
    return judged


def _constants(suite: Suite, entries: Sequence[CellResults]) -> list[CellResults]:
    """The best constant answer of each column, as if it had been measured with the first that
    was.
    """
    constants: dict[ScorePlace, CellResults] = {}
    for place, _, results in entries:
        first = min(r.trial.seed for r in results)
        mine = [
            r for r in results if r.trial.seed == first and "set" in (r.provenance.constants or ())
        ]
        if suite.constant and mine and results[0].trial.control == "none":
            constants.setdefault(
                place,
                CellResults(place, suite.constant, tuple(constant_result(r, "set") for r in mine)),
            )
    return list(constants.values())


def _canonical(probe: str) -> str:
    return PROBES.canonical(probe)


def explain_released_difference(
    reference: Reference, result: Result, family: str, collection: str
) -> str:
    """Why a result is over different data, not the released files of a family; '' where it is over
    these, as far as checksums or a receipt of `fetch` say.
    """
    if not reference.name.startswith(f"{family}/"):
        return "the tasks were built from other sentences"
    options = (
        Reference.parse(shorten_reference(TASKS, str(reference))).without("on_error", "dev").options
    )
    if options:
        return (
            "the files were not read as they are"
            f" ({', '.join(f'{key}={value}' for key, value in options)})"
        )
    try:
        paths = [part.path for part in TASKS.make(reference).parts()]
        same = digest_files(paths) in result.provenance.identity("task", result.trial.task)
    except DataProblem:
        return "the files are gone, so they cannot be checked"
    if not same:
        return "the files were changed since they were measured"
    answer = all_published(paths)
    if answer is None:
        return (
            "no checksum of the published files is known, and there is no receipt of `lingprobe"
            f" fetch {collection}` next to these"
        )
    return "" if answer else "the files are not the published ones"
