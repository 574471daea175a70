"""Encoders on tasks: run, estimate, evaluate, suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from lingprobe.api.arguments import (
    argument_texts,
    as_list,
    is_missing,
    takes_options,
)
from lingprobe.api.encoders import make_reference
from lingprobe.api.evaluation import Evaluation
from lingprobe.api.options import PlanOptions, ProbedOptions, RunOptions
from lingprobe.api.planned_run import PlannedRun
from lingprobe.api.tables import tasks_given
from lingprobe.api.trackers import check_tracker, log_scores
from lingprobe.data.cache import set_environment
from lingprobe.data.errors import UsageProblem, describe_torch, has_torch
from lingprobe.data.references import allow_code, shorten_reference
from lingprobe.experiment.agreement import name_request, share_plan
from lingprobe.experiment.at_work import tell_ended_work
from lingprobe.experiment.estimate import Estimate, estimate_plan
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import ADDED_ROLES, TrialDesign, TrialPlan, make_plan
from lingprobe.experiment.run import run_plan
from lingprobe.experiment.runners import WorkerPool, open_workers
from lingprobe.experiment.shards import WHOLE_WORK_SHARE, WorkShare
from lingprobe.nets.device import fitting_on
from lingprobe.nets.memory import limit_memory
from lingprobe.nets.precision import compute_reproducibly
from lingprobe.nets.precision import must_be_reproducible as is_reproducible
from lingprobe.pages.open_files import refresh_named
from lingprobe.suites import SUITES
from lingprobe.suites.suite import Suite, SuiteRequest, make_designs
from lingprobe.tasks import TASKS, limit_tasks
from lingprobe.tasks.find import expand_tasks
from lingprobe.tasks.repeats import strip_fold

_EMBEDDED_TASKS = tuple(f"ud/{name}:embedded" for name in ("sent-len", "passive", "tense"))
_EMBEDDED_ENCODERS = ("untrained:bilstm-max,layers=1,hidden=128",)
_EMBEDDED_LIMIT = 4_000  # examples: a table in seconds
_SEEDS, _EMBEDDED_SEEDS = 5, 3
_FIRST_LOOK = (
    "A preview: at most {limit:,} examples per task. For numbers to publish, name the tasks, which"
    " takes all examples."
)


class Settings(TypedDict, total=False):
    """How an evaluation is made; the keyword parameters of `run`."""

    cache: str | Path | None
    probes: Sequence[str]
    layers: Sequence[str]
    seeds: int | None
    output: str | Path | None
    dtype: Literal["float32", "float16", "bfloat16", "none"]
    on_error: Literal["raise", "skip"]
    limit: int | None
    suite: str | None
    controls: Sequence[str]
    baselines: Literal["default", "strong", "none"]
    copies: bool
    keep_scores: bool
    texts: bool
    probe_device: str
    project: int | None
    memory: str | None
    jobs: int | str
    shard: str | None
    progress: bool
    reproducible: bool
    log_to: str | None


@takes_options(RunOptions, ProbedOptions)
def run(tasks: Any = None, encoders: Any = None, **settings: Unpack[Settings]) -> Evaluation:
    """Probe encoders on tasks, as `lingprobe run` does.

    Tasks may be data of your own, as for `evaluate`; an encoder may be a SentenceTransformer, any
    object with `encode(list[str])`, a function list[str] -> [n, dim], a SentEval pair `(batcher,
    prepare)`, or, to name models, a mapping of names to them. A model without a name is named after
    its card or its path, and a second one of the same name 'NAME #2'.

    Nothing is measured twice, and a run that was stopped continues where it stopped. PlanProblem if
    nothing can be measured, ReferenceProblem for an unknown name, UsageProblem for tasks or probes
    together with a suite. Failures during the run are listed in `failures`, and everything else
    continues.

        evaluation = lingprobe.run("ud/tense:UD_English-EWT", "length", probes=["logreg"])
        print(evaluation)
    """
    asked = RunOptions(**settings)
    jobs = asked.jobs
    part = WHOLE_WORK_SHARE if asked.shard is None else WorkShare.parse(asked.shard)
    check_tracker(asked.log_to, part)
    with ExitStack() as stack:
        stack.enter_context(use_cache(asked.cache))
        stack.enter_context(compute_reproducibly(asked.reproducible))
        stack.enter_context(fitting_on(asked.probe_device))
        workers = stack.enter_context(_workers(jobs, part, paths_of(asked)))
        if asked.memory is not None or str(jobs).isdecimal():  # else other machines have their own
            stack.enter_context(limit_memory(asked.memory, workers.processes))
        if asked.shard is None:
            made, paths, remarks = _make_plan(tasks, encoders, asked)
        else:
            made, paths, remarks = stack.enter_context(_shared_plan(tasks, encoders, asked, jobs))
        outcome = run_plan(made, paths, workers, asked.progress)
        remarks += (*made.remarks.values(), *outcome.remarks)
        unwritten = refresh_named(paths.results, asked.output)
        log_scores(outcome.results, asked.log_to)
    return Evaluation(
        outcome.results,
        outcome.failures | unwritten,
        frozenset(made.refused),
        outcome.fresh,
        _questions(made),
        paths.results,
        asked.suite,
        remarks,
        PlannedRun(made, paths),
    )


@takes_options(PlanOptions, ProbedOptions)
def estimate(tasks: Any = None, encoders: Any = None, **settings: Any) -> Estimate:
    """What `run` would do with the same arguments, and about how long it would take; no sentence of
    a task is encoded, and nothing is fitted.

        print(lingprobe.estimate("ud/*:UD_English-EWT", "st:all-MiniLM-L6-v2"))

    """
    asked = PlanOptions(**settings)
    with use_cache(asked.cache), fitting_on(asked.probe_device), limit_memory(asked.memory):
        made, paths, _ = _make_plan(tasks, encoders, asked)
        return estimate_plan(made, paths)


@takes_options(RunOptions, without=["suite"])
def evaluate(encoder: Any, tasks: Any, **settings: Unpack[Settings]) -> Evaluation:
    """Probe one encoder or several on tasks: `run` with the encoder first. UsageProblem for None.

        class Mine:
            def encode(self, texts): ...

        print(lingprobe.evaluate(Mine(), "ud/*:UD_English-EWT"))
        print(lingprobe.evaluate(Mine(), (texts, labels)))

    encoder   as for `run`: a reference, a model, a function, or several of these
    """
    for name, given in (("encoder", encoder), ("tasks", tasks)):
        if given is None:
            raise UsageProblem(f"evaluate needs {name}, and {name} is None")
    return run(tasks, encoder, **settings)


@takes_options(RunOptions, without=["suite", "probes"])
def suite(reference: str, encoders: Any = None, **settings: Unpack[Settings]) -> Evaluation:
    """Measure encoders on a paper's tasks with its protocol; printing it shows the paper's table
    with rows for these encoders. `available("suites")` lists the suites.

        print(lingprobe.suite("ud2019:UD_English-EWT", "st:all-MiniLM-L6-v2"))

    reference  such as 'ud2019:TREEBANK'; DataProblem if its data are missing
    """
    settings["suite"] = reference
    return run(None, encoders, **settings)


@contextmanager
def _workers(jobs: int | str, part: WorkShare, paths: RunPaths) -> Iterator[WorkerPool]:
    """Who does the work of a run, its own share first."""
    if part != WHOLE_WORK_SHARE and not str(jobs).isdecimal():
        raise UsageProblem("a run on a Ray cluster has no shares: leave --shard out")
    if part != WHOLE_WORK_SHARE and paths.passing:
        raise UsageProblem(
            "dtype=none: machines cannot share vectors that are not kept; leave --shard out, or"
            " keep them (dtype=bfloat16)"
        )
    allow_code(jobs)
    paths.check()  # before a plan encodes a few sentences
    tell_ended_work(paths.results)
    with open_workers(jobs, (paths.results, paths.cache)) as workers:
        yield replace(workers, shard=part)


def use_cache(cache: str | Path | None) -> Any:
    """What runs inside, worker processes included, keeps what it keeps in this cache folder."""
    return set_environment("LINGPROBE_CACHE", None if cache is None else str(cache))


def paths_of(options: PlanOptions) -> RunPaths:
    """Where what a run makes is kept."""
    paths = RunPaths.of(options.output, options.cache, options.dtype, options.project)
    return replace(paths, scores=options.keep_scores, texts=options.texts)


def _check_arguments(tasks: Any, asked: PlanOptions) -> None:
    """Refuse what does not go together, and empty lists. UsageProblem."""
    if tasks is not None and is_missing(tasks):
        raise UsageProblem("the list of tasks is empty: name at least one task")
    if asked.suite is not None and not (is_missing(tasks) and is_missing(asked.probes)):
        raise UsageProblem("a suite brings its own tasks and probes: leave both out")
    if asked.suite is not None and asked.limit is not None:
        raise UsageProblem(
            "a suite compares scores with published ones, which are over all examples: leave the"
            " limit out"
        )


def _make_plan(
    tasks: Any, encoders: Any, asked: PlanOptions
) -> tuple[TrialPlan, RunPaths, tuple[str, ...]]:
    """What is to be measured, where it is kept, and what there is to say beside."""
    _check_arguments(tasks, asked)
    allow_code(asked.suite)
    demo = tasks is None and encoders is None and asked.suite is None
    usual = _EMBEDDED_SEEDS if demo else _SEEDS
    design = TrialDesign(
        tasks_given(tasks) or list(_EMBEDDED_TASKS),
        resolve_encoders(encoders, asked.suite, tasks),
        as_list(asked.probes),
        as_list(asked.controls) or (["shuffled"] if demo else []),
        usual if asked.seeds is None else asked.seeds,
        as_list(asked.layers),
        () if asked.baselines == "none" else ADDED_ROLES,
        copies=asked.copies,
        strong=asked.baselines == "strong",
    )
    remarks: tuple[str, ...] = ()
    if asked.suite is not None:
        designs, remarks = _of_suite(asked.suite, design, asked.on_error)
        return make_plan(designs, paths_of(asked)), paths_of(asked), remarks
    first = demo and not asked.probes
    limit = _EMBEDDED_LIMIT if first and asked.limit is None else asked.limit
    if first and limit is not None:
        remarks = (_FIRST_LOOK.format(limit=limit),)
    if encoders is None and not has_torch():
        remarks += (f"No network stands in the table: {describe_torch()}.",)
    every = limit_tasks(expand_tasks(design.tasks, asked.on_error), limit)
    return make_plan(replace(design, tasks=every), paths_of(asked)), paths_of(asked), remarks


def _shared_plan(
    tasks: Any, encoders: Any, asked: PlanOptions, jobs: int | str
) -> AbstractContextManager[tuple[TrialPlan, RunPaths, tuple[str, ...]]]:
    """The plan that all machines have that share a run, which compute alike inside."""
    kept = asked.select(PlanOptions)
    kept = {name: kept[name] for name in kept if name not in ("output", "cache", "memory")}
    request = name_request(
        is_reproducible(), kept, argument_texts(tasks_given(tasks)), argument_texts(encoders)
    )
    return share_plan(
        paths_of(asked).results / request,
        int(jobs) if str(jobs).isdecimal() else 1,
        lambda: _make_plan(tasks, encoders, asked),
        lambda planned: (planned[0].named_identities, planned[0].refused),
    )


def resolve_encoders(argument: Any, suite: str | None, tasks: Any = None) -> Any:
    """The encoders of a run; a tuple, or a model that is a sequence, is one encoder."""
    if argument is None:
        return list(_EMBEDDED_ENCODERS) if suite is None and has_torch() else []
    if is_missing(argument):
        raise UsageProblem("the list of encoders is empty: name at least one encoder")
    if isinstance(argument, Mapping):
        return argument
    given = argument if isinstance(argument, list) else [argument]
    return [make_reference(each, tasks) for each in given]


def _of_suite(
    reference: str, design: TrialDesign, on_error: str
) -> tuple[list[TrialDesign], tuple[str, ...]]:
    """What a run of a suite measures, and what it cannot, in words."""
    chosen: Suite = SUITES.make(reference)
    left = design.encoders, design.controls, design.seeds, design.layers
    measured = make_designs(chosen, SuiteRequest(*left, on_error, bool(design.baselines)))
    lacking = ", ".join(chosen.lacking())
    remark = f"not measured, because the data are missing: {lacking}"
    return measured, (remark,) if lacking else ()


def _questions(made: TrialPlan) -> dict[str, str]:
    """What each task of a plan asks, by the name that it has in tables."""
    return {
        shorten_reference(TASKS, strip_fold(reference)): task.question
        for reference, task in made.tasks.items()
    }
