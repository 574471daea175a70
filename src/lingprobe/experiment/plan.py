"""What will be measured: references made into things, crossed into trials, and checked before any
work starts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain, product
from operator import attrgetter
from pathlib import Path
from typing import Any

from lingprobe.data._members import fault_of
from lingprobe.data.core import (
    ConfigurableTask,
    Control,
    Encoder,
    Probe,
    SamplingOptions,
    Task,
    Trial,
    needs_of,
)
from lingprobe.data.errors import DataProblem, LingprobeError
from lingprobe.data.identity import ContentIdentity, ResultIdentities, compute_identity
from lingprobe.data.oracles import BEYOND_SURFACE_QUESTION, Kind, find_opposed, get_encoder_role
from lingprobe.data.reading import EncoderWithView, ReadingProblem, parse_view, reads_of
from lingprobe.data.references import (
    Contents,
    Reference,
    allow_code,
    try_parse_reference,
)
from lingprobe.datasets.controls import CONTROLS, list_draws
from lingprobe.encoders import ENCODERS, make_encoder
from lingprobe.experiment.canary import ConsistencyVectors
from lingprobe.experiment.consistency import SettledIdentity, settle_identity
from lingprobe.experiment.data import PlanFacts, load_sentences, load_task_facts, task_identity
from lingprobe.experiment.exposure import TrainingHashes, list_memories
from lingprobe.experiment.keys import trial_id
from lingprobe.experiment.memory import without_heavy
from lingprobe.experiment.own_baselines import choose_own_baselines
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.provenance import UNNAMED_LAYER, list_layer_names
from lingprobe.experiment.readers import (
    EncoderReading,
    ReadingSettings,
    choose_readers,
    collect_encoder_names,
)
from lingprobe.metrics import METRICS
from lingprobe.probes import PROBES
from lingprobe.probes.estimators import as_probe
from lingprobe.tasks import TASKS
from lingprobe.tasks.baseline_names import WORDS_BASELINE

_NO_CONTROL = "none"  # the task itself, which every control is beside
STRONG_PROBE = "mlp"  # reads baselines of the surface, too, where that is asked for
ADDED_ROLES: tuple[Kind, ...] = ("baseline", "oracle")  # beside what was asked for, unless left out
_TOLD = 2  # reasons that a message gives in full where nothing at all can be measured


class PlanProblem(LingprobeError, ValueError):
    """A run that cannot be made as asked; the message says what to change."""


@dataclass(frozen=True)
class TrialPlan:
    """Trials, and the things that their references name.

    ids         what each trial's result is stored under
    identities  of each thing, by kind and reference
    refused     tasks that the data cannot answer, with the reason; shown beside the results
    remarks     what there is to say of encoders, by reference
    canaries    vectors by which they are known, for a run to keep
    settled     what a check of cached vectors found, for a run to keep
    """

    trials: tuple[Trial, ...]
    tasks: Mapping[str, Task]
    encoders: Mapping[str, Encoder]
    probes: Mapping[str, Probe]
    controls: Mapping[str, Control]
    identities: Mapping[tuple[str, str], ContentIdentity]
    refused: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)
    canaries: Mapping[str, ConsistencyVectors] = field(default_factory=dict)
    settled: Mapping[str, SettledIdentity] = field(default_factory=dict)

    @property
    def ids(self) -> dict[Trial, str]:
        """What each trial's result is stored under."""
        return {trial: trial_id(trial, self.ingredients(trial)) for trial in self.trials}

    @property
    def named_identities(self) -> dict[str, str]:
        """What decides each thing's numbers, by kind and reference."""
        return {f"{kind} {name}": str(known) for (kind, name), known in self.identities.items()}

    def ingredients(self, trial: Trial) -> ResultIdentities:
        """The identities of what a trial's result is made of."""
        known = self.identities
        return ResultIdentities(
            known["task", trial.task],
            known["encoder", trial.encoder],
            known["probe", trial.probe],
            known["control", trial.control],
            known["metric", self.tasks[trial.task].metric],
        )


@dataclass(frozen=True)
class TrialDesign:
    """What a user asks for, as typed; every combination becomes a trial.

    Without probes each task brings its own; `layers` says which layers of an encoder are read (each
    alone without it). The task itself, control `none`, is measured whatever other controls are
    asked for. Encoders may have names: {"mine": model}.
    baselines  kinds of encoders that each task is measured with besides, by a single fit: its
               default baselines, its default oracle
    usual      the layers of encoders that have them, where `layers` says nothing
    copies     whether encoders have their own baselines beside them where there are baselines:
               untrained copies, and input embeddings
    strong     whether baselines of the surface are read by `mlp`, too, where it can read them
    """

    tasks: Sequence[Any]
    encoders: Sequence[Any] | Mapping[str, Any]
    probes: Sequence[Any] = ()
    controls: Sequence[str] = ()
    seeds: int = 5
    layers: Sequence[str] = ()
    baselines: Collection[Kind] = ()
    usual: Sequence[str] = ()
    copies: bool = False
    strong: bool = False


def make_plan(designs: TrialDesign | Sequence[TrialDesign], paths: RunPaths) -> TrialPlan:
    """Make and check everything that a run needs; no sentence of a task is encoded, and nothing is
    fitted. Several designs make one plan of all their trials.
    """
    several = [designs] if isinstance(designs, TrialDesign) else designs
    made = [_plan_design(each, paths) for each in several]
    whole = TrialPlan(
        tuple(dict.fromkeys(trial for each in made for trial in each.trials)),
        *({name: thing for each in made for name, thing in part(each).items()} for part in _PARTS),
    )
    if not whole.trials:
        reasons = [f"{names}: {why}" for names, why in group_refusals(whole.refused)]
        more = (
            [f"and {len(reasons) - _TOLD} more tasks like these"]
            if len(reasons) > _TOLD + 1
            else reasons[_TOLD:]
        )
        told = "; ".join([*reasons[:_TOLD], *more])
        why = told or "name at least one task, one encoder and one probe that fit"
        raise PlanProblem(f"nothing to measure: {why}")
    return _settle_encoders(whole, paths)


def _settle_encoders(whole: TrialPlan, paths: RunPaths) -> TrialPlan:
    """The same plan once cached vectors were checked again, on the sentences of its tasks."""
    folds: dict[str, dict[str, str]] = {}
    for trial in whole.trials:
        parsed = try_parse_reference(trial.task)
        whole_task = str(parsed.without("fold")) if parsed else trial.task
        folds.setdefault(trial.encoder, {}).setdefault(whole_task, trial.task)
    settled = {
        name: settle_identity(
            name,
            whole.identities["encoder", name],
            whole.encoders[name],
            (load_sentences(whole.tasks[t], whole.identities["task", t]) for t in tasks.values()),
            paths,
        )
        for name, tasks in folds.items()
    }
    known = {("encoder", name): each.identity for name, each in settled.items()}
    said = {f"{name} again": each.remark for name, each in settled.items() if each.remark}
    return replace(
        whole,
        identities={**whole.identities, **known},
        remarks={**whole.remarks, **said},
        settled=settled,
    )


def group_refusals(refused: Mapping[str, str]) -> list[tuple[str, str]]:
    """Names with the reason that they share, in order, so that what is wrong with a source is said
    once; of more than four names the first three stand for all.
    """
    names: dict[str, list[str]] = {}
    for name, why in refused.items():
        names.setdefault(why, []).append(name)
    return [(_join_names(those), why) for why, those in names.items()]


def _join_names(names: Sequence[str]) -> str:
    """Names in a line that a cell of a large matrix does not make a page."""
    shown = names if len(names) <= _MOST_NAMES else names[: _MOST_NAMES - 1]
    more = f" and {len(names) - len(shown)} others" if len(shown) < len(names) else ""
    return "; ".join(shown) + more


_MOST_NAMES = 4


_PARTS: tuple[Callable[[TrialPlan], Mapping[Any, Any]], ...] = tuple(
    attrgetter(each.name) for each in fields(TrialPlan) if each.name != "trials"
)


def _plan_design(design: TrialDesign, paths: RunPaths) -> TrialPlan:
    """The plan of one design; it may be empty."""
    if design.seeds < 1:
        raise PlanProblem(f"seeds={design.seeds}: a run needs at least one")
    allow_code(*design.tasks, *design.encoders, *design.probes, *design.controls)
    named = collect_encoder_names(design.encoders, paths.revisions, paths.results)
    # what is wrong with an encoder is told before tasks are read
    asked, broken = named.identities(paths)
    encoders = {ref: each for ref, each in named.encoders.items() if ref in asked}
    tasks, refused = resolve_tasks(design.tasks, paths.cache)
    probes, own = _find_probes(design.probes)
    probes = probes or _things(PROBES, sorted({t.probe for t in tasks.values()}))
    further = _things(PROBES, [STRONG_PROBE]) if design.strong else {}
    posed_controls = [
        list_draws(control, design.seeds) for control in (_NO_CONTROL, *design.controls)
    ]
    controls = _things(CONTROLS, chain.from_iterable(posed_controls))
    if any(_reads_words(p) for p in probes.values()):
        encoders.setdefault(ENCODERS.canonical(WORDS_BASELINE), make_encoder(WORDS_BASELINE))
    known = _task_identities(design, tasks)
    taught, remarks = list_memories(encoders)
    read_by, unread = _read_by(tasks, encoders, design, known, paths, taught)
    encoders = {reader.reference: reader.encoder for mine in read_by.values() for reader in mine}
    posed = _probes_by_task(tasks, probes, own=not design.probes)
    data = {ref: load_task_facts(task, known[ref], paths.cache) for ref, task in tasks.items()}
    lacking = _lacking(posed, probes, data)
    refused |= broken | unread | _find_unfit_tasks(probes, design.layers or design.usual, lacking)
    probes |= further
    lacking |= _lacking({ref: list(further) for ref in tasks}, further, data)
    trials = tuple(
        trial
        for task, drawn in product(tasks, posed_controls)
        for reader in read_by[task]
        if reader.has_controls or drawn is posed_controls[0]
        for probe in _probes_for(reader, posed[task], probes, further)
        if (task, probe) not in lacking and _sees(probes[probe], reader.encoder)
        for trial in _trials(task, reader, (probe, probes[probe]), drawn)
    )
    trials, heavy = without_heavy(trials, probes, data, encoders)
    asked |= named.further_identities(encoders, asked, paths)
    identities = {
        **{("task", ref): each for ref, each in known.items()},
        **{("encoder", ref): asked[ref] for ref in encoders},
        **{("probe", name): compute_identity(PROBES, None, probe) for name, probe in own.items()},
        **_identities(PROBES, {name: each for name, each in probes.items() if name not in own}),
        **_identities(CONTROLS, controls),
        **_identities(METRICS, {t.metric: METRICS.make(t.metric) for t in tasks.values()}),
    }
    told = refused | heavy, named.remarks | remarks, named.canaries
    return TrialPlan(trials, tasks, encoders, probes, controls, identities, *told)


def _task_identities(design: TrialDesign, tasks: Mapping[str, Task]) -> dict[str, ContentIdentity]:
    """The identity of each task, by canonical reference."""
    given = {item.name for item in design.tasks if not isinstance(item, str | Reference)}
    return {
        name: task_identity(
            None if name in given or isinstance(task, ConfigurableTask) else name, task
        )
        for name, task in tasks.items()  # objects and their folds have no reference
    }


def _find_unfit_tasks(
    probes: Mapping[str, Probe], chosen: Sequence[str], lacking: Mapping[tuple[str, str], str]
) -> dict[str, str]:
    """The tasks and the reads that probes cannot take, with the reason."""
    refused = {
        f"{probe.partition(',')[0]} on {task.partition(',')[0]}": why
        for (task, probe), why in lacking.items()
    }
    return refused | {
        f"{name.partition(',')[0]} reading {read}": (
            "this probe cannot learn the weights of a mix; `span` can"
        )
        for (name, probe), read in product(probes.items(), chosen)
        if not _reads_words(probe) and not _can_read(probe, read)
    }


def _find_probes(asked: Sequence[Any]) -> tuple[dict[str, Probe], dict[str, Probe]]:
    """The probes that are asked for, by canonical reference or name, and those that are objects."""
    references = [text for text in asked if isinstance(text, str | Reference)]
    named = [str(ref) for text in references for ref in PROBES.expand(text)]
    objects = [as_probe(thing) for thing in asked if not isinstance(thing, str | Reference)]
    own = {probe.name: probe for probe in objects}
    if len(own) < len(objects):
        raise PlanProblem("two of the probes have the same name: give each settings of its own")
    return {**_things(PROBES, named), **own}, own


def _things(contents: Contents, references: Iterable[str]) -> dict[str, Any]:
    """What some references name, by canonical reference."""
    return {contents.canonical(ref): contents.make(ref) for ref in references}


def _trials(
    task: str, reader: EncoderReading, named: tuple[str, Probe], drawn: Sequence[str]
) -> Iterator[Trial]:
    """A trial for each read and seed, and of a control, each seed with a draw of its own."""
    reference, probe = named
    many = reader.seeds if needs_of(probe).seeds else 1
    seeds = range(max(many, min(reader.seeds, len(drawn))))
    chosen = (UNNAMED_LAYER,) if _reads_words(probe) else choose_reads(reader.encoder, reader.reads)
    for read, k in product([read for read in chosen if _can_read(probe, read)], seeds):
        yield Trial(task, reader.reference, read, reference, drawn[k % len(drawn)], k % many)


def _read_by(
    tasks: Mapping[str, Task],
    encoders: Mapping[str, Encoder],
    design: TrialDesign,
    known: Mapping[str, ContentIdentity],
    paths: RunPaths,
    taught: Mapping[str, TrainingHashes],
) -> tuple[dict[str, list[EncoderReading]], dict[str, str]]:
    """The readers of each task; and the encoders that cannot read one, or must not, with the
    reason.
    """
    own: dict[str, dict[str, Encoder]] = {}
    if design.copies and "baseline" in design.baselines:
        sizes = (load_task_facts(task, known[ref], paths.cache) for ref, task in tasks.items())
        examples = sum(size.train + size.rest for size in sizes)
        own = {name: choose_own_baselines(each, examples) for name, each in encoders.items()}
    how = ReadingSettings(design.layers, design.seeds, design.baselines, design.usual, own)
    read_by, refused = dict[str, list[EncoderReading]](), dict[str, str]()
    for reference, task in tasks.items():
        about = (
            load_task_facts(task, known[reference], paths.cache).unit
            if design.baselines
            else "sentence"
        )
        able, unread = choose_readers(task, about, encoders, how)
        unread |= {
            name: why
            for name, memory in taught.items()
            if (why := memory.refusal(task, known[reference], paths.cache))
        }
        read_by[reference] = [reader for reader in able if reader.reference not in unread]
        refused |= {
            f"{encoder.partition(',')[0]} on {reference.partition(',')[0]}": why
            for encoder, why in unread.items()
        }
    return read_by, refused


def _identities(
    contents: Contents, things: Mapping[str, Any]
) -> dict[tuple[str, str], ContentIdentity]:
    return {
        (contents.kind, ref): compute_identity(contents, ref, thing)
        for ref, thing in things.items()
    }


def choose_reads(encoder: Encoder, chosen: Sequence[str] = ()) -> tuple[str, ...]:
    """What is read of an encoder: what was chosen, checked against its layers, or each of its
    layers by name.
    """
    try:
        return reads_of(chosen, list_layer_names(encoder))
    except ReadingProblem as problem:
        raise PlanProblem(f"{encoder.name}: {problem}") from None


def _can_read(probe: Probe, read: str) -> bool:
    """Whether a probe can learn the weights of a mix, where that is what is read."""
    return read.partition(":")[0] not in ("mix", "cumulative") or needs_of(probe).mixes


def _probes_by_task(
    tasks: Mapping[str, Task], probes: Mapping[str, Probe], own: bool
) -> dict[str, list[str]]:
    """The probes of each task: its own, or all that were named."""
    return {
        ref: [PROBES.canonical(task.probe)] if own else list(probes) for ref, task in tasks.items()
    }


def _probes_for(
    reader: EncoderReading,
    posed: Iterable[str],
    probes: Mapping[str, Probe],
    further: Iterable[str],
) -> list[str]:
    """The probes of an encoder: those that read words go with `words` alone, the rest with all
    others; `--baselines strong` reads baselines of the surface by further ones.
    """
    words = ENCODERS.canonical(WORDS_BASELINE)
    mine = [ref for ref in posed if _reads_words(probes[ref]) == (reader.reference == words)]
    return list(dict.fromkeys([*mine, *(further if mine and _is_of_surface(reader) else ())]))


def _is_of_surface(reader: EncoderReading) -> bool:
    """Whether a reader is a baseline of the surface: it opposes all encoders in that question."""
    is_own = not reader.has_controls
    is_baseline = get_encoder_role(reader.encoder) == "baseline"
    return is_baseline and not is_own and BEYOND_SURFACE_QUESTION in find_opposed(reader.encoder)


def _lacking(
    posed: Mapping[str, Sequence[str]],
    probes: Mapping[str, Probe],
    of_data: Mapping[str, PlanFacts],
) -> dict[tuple[str, str], str]:
    """(task, probe) where the probe needs what the task's data lack, with what that is; `posed` are
    the probes of each task.
    """
    lacking = {}
    for ref, name in ((ref, name) for ref, mine in posed.items() for name in mine):
        needs, data = needs_of(probes[name]), of_data[ref]
        if needs.train and not data.train:
            lacking[ref, name] = (
                "the data have no train split, which this probe needs; `cosine` does not"
            )
        elif needs.stratum and needs.stratum not in data.strata:
            lacking[ref, name] = (
                f"the task does not have the tag {needs.stratum!r}, which this probe needs"
            )
    return lacking


def _sees(probe: Probe, encoder: Encoder) -> bool:
    """Whether a probe sees what an encoder is: one that learns nothing compares vectors as they
    are, whatever view they bring.
    """
    return needs_of(probe).train or not isinstance(encoder, EncoderWithView)


def _reads_words(probe: Probe) -> bool:
    return needs_of(probe).words


def resolve_tasks(items: Sequence[Any], cache: Path) -> tuple[dict[str, Task], dict[str, str]]:
    """Canonical reference or name -> task, patterns expanded and small data spread over folds; and
    what was refused.
    """
    tasks: dict[str, Task] = {}
    refused: dict[str, str] = {}
    for item in items:
        for each in TASKS.expand(item) if isinstance(item, str | Reference) else [item]:
            try:
                drawn = _expand_draws(each) if isinstance(each, Reference) else [each]
                tasks |= dict(_check_task(*fold) for one in drawn for fold in _folds(one, cache))
            except DataProblem as problem:
                refused[str(each) if isinstance(each, Reference) else each.name] = str(problem)
    return tasks, refused


def _expand_draws(reference: Reference) -> list[Reference]:
    """The reference itself, or one for each draw where it says `sample=*/5` or `fold=*/5`."""
    for key, value in reference.options:
        star, _, many = value.partition("/")
        if star == "*" and many.isdecimal() and key in ("fold", "sample"):
            plain = reference.without(key)
            if key in SamplingOptions.of(TASKS.make(plain)):
                return [plain.plus(**{key: f"{k}/{many}"}) for k in range(1, int(many) + 1)]
    return [reference]


def _folds(item: Reference | Task, cache: Path) -> Iterator[tuple[str, Task]]:
    """The task under its canonical reference or name, or each fold where the data are too small for
    one test set and the task can divide them. DataProblem where they cannot answer it.
    """
    if isinstance(item, Reference):
        known = TASKS.canonical(item)
        task, data = _with_facts(TASKS.make(item), known, cache)
    else:
        known = item.name
        task, data = _with_facts(item, None, cache)
    if (
        data.folds
        and "fold" in SamplingOptions.of(task)
        and isinstance(item, Reference | ConfigurableTask)
    ):
        # each is asked, too, since it may lack what the whole data have
        for name in data.folds:
            yield from _folds(item.plus(fold=name), cache)
    else:
        yield known, task


def _with_facts(task: Task, reference: str | None, cache: Path) -> tuple[Task, PlanFacts]:
    """A task with its facts; DataProblem where its data cannot answer it."""
    if fault := fault_of(task, Task):
        raise DataProblem(fault)
    data = load_task_facts(task, task_identity(reference, task), cache)
    if data.refused:
        raise DataProblem(data.refused)
    return task, data


def _check_task(name: str, task: Task) -> tuple[str, Task]:
    """A task whose metric, probe and view are there; what its code names may run as it does."""
    allow_code(task.metric, task.probe)
    METRICS.make(task.metric)
    parse_view(task.view)
    return name, task
