"""Encoders on tasks: run, estimate, evaluate, suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from lingprobe.analysis.rows import strip_fold
from lingprobe.api.arguments import (
    argument_texts,
    as_list,
    nothing,
    options_of,
    show_keywords,
)
from lingprobe.api.encoders import reference
from lingprobe.api.evaluation import Evaluation
from lingprobe.api.tables import tasks_given
from lingprobe.api.trackers import check_tracker, log_scores
from lingprobe.data.cache import set_environment
from lingprobe.data.checks import check_values
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import allow_code, shorten_reference
from lingprobe.experiment.agreement import alike, request_of
from lingprobe.experiment.at_work import tell_ended_work
from lingprobe.experiment.estimate import Estimate
from lingprobe.experiment.estimate import estimate as estimated
from lingprobe.experiment.paths import Paths
from lingprobe.experiment.plan import BOUNDS, Design, Plan, plan
from lingprobe.experiment.run import run as measured
from lingprobe.experiment.runners import Workers, working
from lingprobe.experiment.shards import WHOLE, Shard
from lingprobe.nets.device import fitting_on
from lingprobe.nets.memory import limit_memory
from lingprobe.nets.precision import reproducible as is_reproducible
from lingprobe.nets.precision import reproducing
from lingprobe.pages.open_files import refresh_named
from lingprobe.suites import SUITES
from lingprobe.suites.suite import Suite, SuiteRequest, designs
from lingprobe.tasks import TASKS, limit_tasks
from lingprobe.tasks.find import expand_tasks

EMBEDDED_TASKS = tuple(f"ud/{name}:embedded" for name in ("sent-len", "passive", "tense"))
EMBEDDED_ENCODERS = ("untrained:bilstm-max,layers=1,hidden=128",)
EMBEDDED_LIMIT = 4_000  # examples: a table in seconds
SEEDS, EMBEDDED_SEEDS = 5, 3
FIRST_LOOK = (
    "A preview: at most {limit:,} examples per task. For numbers to publish, name the tasks, which"
    " takes all examples."
)


class Settings(TypedDict, total=False):
    """How an evaluation is made; the keyword parameters of `run`.

    probes        probes, such as 'linear' or 'mlp' (default: each task's own)
    controls      controls to measure beside the scores, such as 'shuffled'
    reads         which layers the probe sees: one by name, 'top', 'layers', 'cat:lex+top', 'mix',
                  'mix:0-3' or 'cumulative' (default: each layer alone)
    seeds         how often each probe is trained (default: 5)
    bounds        also measure the default baselines and oracle of each task, fitted once with the
                  same probe
    copies        beside these also measure untrained copies of each transformer (random weights,
                  and random blocks over trained embeddings), and its input embeddings
    output        the folder of results, with MODEL/TASK.json and results.parquet to read (default:
                  the user's cache folder)
    cache         the folder of vectors (default: $LINGPROBE_CACHE, or the user's cache folder)
    store         how vectors are stored: 'float32', 'float16' (values below 65,504), 'bfloat16'
                  (two digits), or 'none', only until they are measured
    keep_scores   whether to keep probabilities, for `report(bits=True)` and `predictions`
    on_error      what to do about a malformed sentence in a treebank: 'raise' an error for the
                  task, or 'skip' and count it
    limit         at most this many examples of each task, for a first look; tables mark such tasks
    jobs          how many processes fit probes in parallel; or 'ray', a cluster that encodes and
                  fits: 'ray:10.0.0.1:6379,cpus=4,gpus=1' (docs/cluster.md)
    progress      whether bars are drawn on standard error
    reproducible  compute in float32 with one thread: slower, but the same numbers on all processors
                  of one kind
    shard         this machine's share of the work, such as '3/16', or 'slurm' in a SLURM array;
                  after its share, it does what the others have left
    project       store wider vectors as this many numbers, by a random projection that is always
                  the same
    probe_device  where probes are fitted: 'cpu', 'cuda', 'cuda:1', or 'auto' (CUDA where there is
                  one)
    memory        most memory of fits, such as '8GB' (default: three quarters of what is free)
    log_to        a tracker that gets the scores, by task and layer, each encoder as one of its
                  runs: 'tensorboard:FOLDER' (default: runs) or 'wandb:PROJECT'
    """

    probes: Sequence[str]
    controls: Sequence[str]
    reads: Sequence[str]
    seeds: int | None
    bounds: bool
    copies: bool
    output: str | Path | None
    cache: str | Path | None
    store: Literal["float32", "float16", "bfloat16", "none"]
    keep_scores: bool
    on_error: Literal["raise", "skip"]
    limit: int | None
    jobs: int | str
    progress: bool
    reproducible: bool
    shard: str | None
    probe_device: str
    project: int | None
    memory: str | None
    log_to: str | None


@show_keywords({})
def run(
    tasks: Any = None,
    encoders: Any = None,
    *,
    suite: str | None = None,
    probes: Sequence[str] = (),
    controls: Sequence[str] = (),
    reads: Sequence[str] = (),
    seeds: int | None = None,
    bounds: bool = True,
    copies: bool = True,
    output: str | Path | None = None,
    cache: str | Path | None = None,
    store: Literal["float32", "float16", "bfloat16", "none"] = "float32",
    keep_scores: bool = False,
    on_error: Literal["raise", "skip"] = "raise",
    limit: int | None = None,
    jobs: int | str = 1,
    progress: bool = False,
    reproducible: bool = False,
    shard: str | None = None,
    probe_device: str = "cpu",
    project: int | None = None,
    memory: str | None = None,
    log_to: str | None = None,
) -> Evaluation:
    """Probe encoders on tasks, as `lingprobe run` does.

    tasks     tasks with their data, such as 'ud/tense:en_ewt', or a pattern, such as 'ud/*:en_ewt'
              (default: three on a built-in corpus, with a linear probe); in Python also data of
              your own, as for `evaluate`
    encoders  encoders, such as 'hf:bert-base-cased,layers=all' or 'npz:FILE' (`lingprobe encoders`
              lists all kinds), or the name of a model on the hub or its folder (default: an
              untrained network); in Python also a
              SentenceTransformer, any object with `encode(list[str])`, a function list[str] -> [n,
              dim], a SentEval pair `(batcher, prepare)`, or, to name models, a mapping of names to
              them. A model without a name is named after its card or its path, and a second one of
              the same name 'NAME #2'
    suite     a paper's tasks, protocol and table, such as 'ud2019:TREEBANK', instead of tasks and
              probes (`lingprobe suites` lists them)
    All other parameters are the fields of `Settings`.

    Nothing is measured twice, and a run that was stopped continues where it stopped. PlanProblem if
    nothing can be measured, ReferenceProblem for an unknown name, UsageProblem for tasks or probes
    together with a suite. Failures during the run are listed in `failures`, and everything else
    continues.

        evaluation = lingprobe.run("ud/tense:UD_English-EWT", "length", probes=["logreg"])
        print(evaluation)
    """
    what = suite, probes, controls, reads, seeds, bounds, copies, output, cache, store, keep_scores
    asked = Asked(*what, on_error, limit, probe_device, project, memory)
    part = WHOLE if shard is None else Shard.parse(shard)
    check_tracker(log_to, part)
    with ExitStack() as stack:
        stack.enter_context(at(cache))
        stack.enter_context(reproducing(reproducible))
        stack.enter_context(fitting_on(probe_device))
        workers = stack.enter_context(_workers(jobs, part, asked.paths))
        if memory is not None or str(jobs).isdecimal():  # else other machines have their own
            stack.enter_context(limit_memory(memory, workers.processes))
        if shard is None:
            made, paths, remarks = _make_plan(tasks, encoders, asked)
        else:
            made, paths, remarks = stack.enter_context(_shared_plan(tasks, encoders, asked, jobs))
        outcome = measured(made, paths, workers, progress)
        remarks += (*made.remarks.values(), *outcome.remarks)
        unwritten = refresh_named(paths.results, output)
        log_scores(outcome.results, log_to)
    return Evaluation(
        outcome.results,
        outcome.failures | unwritten,
        frozenset(made.refused),
        outcome.fresh,
        _questions(made),
        paths.results,
        suite,
        remarks,
    )


@show_keywords(options_of(run, without=["jobs", "progress", "reproducible", "shard", "log_to"]))
def estimate(tasks: Any = None, encoders: Any = None, **settings: Any) -> Estimate:
    """What `run` would do with the same arguments, and about how long it would take; no sentence of
    a task is encoded, and nothing is fitted.

        print(lingprobe.estimate("ud/*:UD_English-EWT", "st:all-MiniLM-L6-v2"))

    tasks, encoders, suite  as of `run`
    settings                the fields of `Settings` that say what is measured and where it is kept
    """
    asked = Asked(**settings)
    with at(asked.cache), fitting_on(asked.probe_device), limit_memory(asked.memory):
        made, paths, _ = _make_plan(tasks, encoders, asked)
        return estimated(made, paths)


@show_keywords(options_of(run, without=["suite"]))
def evaluate(encoder: Any, tasks: Any, **settings: Unpack[Settings]) -> Evaluation:
    """Probe one encoder or several on tasks: `run` with the encoder first. UsageProblem for None.

        class Mine:
            def encode(self, texts): ...

        print(lingprobe.evaluate(Mine(), "ud/*:UD_English-EWT"))
        print(lingprobe.evaluate(Mine(), (texts, labels)))

    encoder   as for `run`: a reference, a model, a function, or several of these
    tasks     a DataFrame, a Dataset or DatasetDict of `datasets`, (texts, labels), {'name': one of
              these}, a file of a table, a reference or a Task object; or a list of these
    settings  the fields of `Settings`
    """
    for name, given in (("encoder", encoder), ("tasks", tasks)):
        if given is None:
            raise UsageProblem(f"evaluate needs {name}, and {name} is None")
    return run(tasks, encoder, **settings)


@show_keywords(options_of(run, without=["suite", "probes"]))
def suite(reference: str, encoders: Any = None, **settings: Unpack[Settings]) -> Evaluation:
    """Measure encoders on a paper's tasks with its protocol; printing it shows the paper's table
    with rows for these encoders. `available("suites")` lists the suites.

        print(lingprobe.suite("ud2019:UD_English-EWT", "st:all-MiniLM-L6-v2"))

    reference  such as 'ud2019:TREEBANK'; DataProblem if its data are missing
    encoders   as for `run` (default: only the paper's baselines)
    settings   the fields of `Settings` except probes, which the suite defines
    """
    return run(None, encoders, suite=reference, **settings)


@contextmanager
def _workers(jobs: int | str, part: Shard, paths: Paths) -> Iterator[Workers]:
    """Who does the work of a run, its own share first."""
    if part != WHOLE and not str(jobs).isdecimal():
        raise UsageProblem("a run on a Ray cluster has no shares: leave --shard out")
    if part != WHOLE and paths.passing:
        raise UsageProblem(
            "store=none: machines cannot share vectors that are not kept; leave --shard out, or"
            " keep them (store=bfloat16)"
        )
    allow_code(jobs)
    paths.check()  # before a plan encodes a few sentences
    tell_ended_work(paths.results)
    with working(jobs, (paths.results, paths.cache)) as workers:
        yield replace(workers, shard=part)


def at(cache: str | Path | None) -> Any:
    """What runs inside, worker processes included, keeps what it keeps in this cache folder."""
    return set_environment("LINGPROBE_CACHE", None if cache is None else str(cache))


@dataclass(frozen=True)
class Asked:
    """What decides the plan of a run, of the keywords of `run`."""

    suite: str | None = None
    probes: Sequence[str] = ()
    controls: Sequence[str] = ()
    reads: Sequence[str] = ()
    seeds: int | None = None
    bounds: bool = True
    copies: bool = True
    output: str | Path | None = None
    cache: str | Path | None = None
    store: Literal["float32", "float16", "bfloat16", "none"] = "float32"
    keep_scores: bool = False
    on_error: Literal["raise", "skip"] = "raise"
    limit: int | None = None
    probe_device: str = "cpu"
    project: int | None = None
    memory: str | None = None

    @property
    def paths(self) -> Paths:
        """Where things are kept."""
        paths = Paths.of(self.output, self.cache, self.store, self.project)
        return replace(paths, scores=self.keep_scores)

    def check(self, tasks: Any) -> None:
        """Refuse what does not go together, and empty lists. UsageProblem."""
        if tasks is not None and nothing(tasks):
            raise UsageProblem("the list of tasks is empty: name at least one task")
        check_values(seeds=self.seeds, limit=self.limit)
        check_values(bounds=self.bounds, copies=self.copies, keep_scores=self.keep_scores)
        if self.suite is not None and not (nothing(tasks) and nothing(self.probes)):
            raise UsageProblem("a suite brings its own tasks and probes: leave both out")
        if self.suite is not None and self.limit is not None:
            raise UsageProblem(
                "a suite compares scores with published ones, which are over all examples: leave"
                " the limit out"
            )


def _make_plan(tasks: Any, encoders: Any, asked: Asked) -> tuple[Plan, Paths, tuple[str, ...]]:
    """What is to be measured, where it is kept, and what there is to say beside."""
    asked.check(tasks)
    allow_code(asked.suite)
    demo = tasks is None and encoders is None and asked.suite is None
    usual = EMBEDDED_SEEDS if demo else SEEDS
    design = Design(
        tasks_given(tasks) or list(EMBEDDED_TASKS),
        encoders_of(encoders, asked.suite, tasks),
        as_list(asked.probes),
        as_list(asked.controls) or (["shuffled"] if demo else []),
        usual if asked.seeds is None else asked.seeds,
        as_list(asked.reads),
        BOUNDS if asked.bounds else (),
        copies=asked.copies,
    )
    remarks: tuple[str, ...] = ()
    if asked.suite is not None:
        designs, remarks = _of_suite(asked.suite, design, asked.on_error)
        return plan(designs, asked.paths), asked.paths, remarks
    first = demo and not asked.probes
    limit = EMBEDDED_LIMIT if first and asked.limit is None else asked.limit
    if first and limit is not None:
        remarks = (FIRST_LOOK.format(limit=limit),)
    every = limit_tasks(expand_tasks(design.tasks, asked.on_error), limit)
    return plan(replace(design, tasks=every), asked.paths), asked.paths, remarks


def _shared_plan(
    tasks: Any, encoders: Any, asked: Asked, jobs: int | str
) -> AbstractContextManager[tuple[Plan, Paths, tuple[str, ...]]]:
    """The plan that all machines have that share a run, which compute alike inside."""
    kept = {k: v for k, v in asdict(asked).items() if k not in ("output", "cache", "memory")}
    request = request_of(
        is_reproducible(), kept, argument_texts(tasks_given(tasks)), argument_texts(encoders)
    )
    return alike(
        asked.paths.results / request,
        int(jobs) if str(jobs).isdecimal() else 1,
        lambda: _make_plan(tasks, encoders, asked),
        lambda planned: (planned[0].named_identities, planned[0].refused),
    )


def encoders_of(argument: Any, suite: str | None, tasks: Any = None) -> Any:
    """The encoders of a run; a tuple, or a model that is a sequence, is one encoder."""
    if argument is None:
        return [] if suite else list(EMBEDDED_ENCODERS)
    if nothing(argument):
        raise UsageProblem("the list of encoders is empty: name at least one encoder")
    if isinstance(argument, Mapping):
        return argument
    given = argument if isinstance(argument, list) else [argument]
    return [reference(each, tasks) for each in given]


def _of_suite(
    reference: str, design: Design, on_error: str
) -> tuple[list[Design], tuple[str, ...]]:
    """What a run of a suite measures, and what it cannot, in words."""
    chosen: Suite = SUITES.make(reference)
    left = design.encoders, design.controls, design.seeds, design.reads
    measured = designs(chosen, SuiteRequest(*left, on_error, bool(design.bounds)))
    lacking = ", ".join(chosen.lacking())
    remark = f"not measured, because the data are missing: {lacking}"
    return measured, (remark,) if lacking else ()


def _questions(made: Plan) -> dict[str, str]:
    """What each task of a plan asks, by the name that it has in tables."""
    return {
        shorten_reference(TASKS, strip_fold(reference)): task.question
        for reference, task in made.tasks.items()
    }
