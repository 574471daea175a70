"""Erase a task from an encoder's vectors and measure others, or from the states of a running model
and measure what it does, as functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, Literal

from lingprobe.analysis.frame import ProbeRun, ResultFrame
from lingprobe.api.arguments import as_list, takes_options
from lingprobe.api.measure import resolve_encoders, use_cache
from lingprobe.api.tables import tasks_given
from lingprobe.data.core import DataProblem
from lingprobe.data.digests import digest_texts
from lingprobe.data.progress import show_progress
from lingprobe.data.reading import ReadingProblem, read_of
from lingprobe.data.references import (
    allow_code,
    shorten_reference,
    try_parse_reference,
)
from lingprobe.encoders import ENCODERS, kind_of_reference
from lingprobe.experiment.data import load_dataset
from lingprobe.experiment.groups import TrialGroup
from lingprobe.experiment.measure import PreparedGroup, prepare_group
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialDesign, TrialPlan, make_plan, resolve_tasks
from lingprobe.experiment.portions import split_groups
from lingprobe.experiment.run import fill_cache, group_trials
from lingprobe.inside.erase.division import FourWaySplit, divide_for_erasure
from lingprobe.inside.erase.effect_cells import EffectCell
from lingprobe.inside.erase.effect_pages import effect_page
from lingprobe.inside.erase.files import ERASER_SUFFIX, FittedEraser, seen_in
from lingprobe.inside.erase.fitting import check_floors
from lingprobe.inside.erase.matrix import (
    NONLINEAR_PROBE,
    ORDINARY_PROBE,
    ErasureMatrix,
    ErasureTask,
    ProbeFitter,
)
from lingprobe.inside.erase.options import EraseOptions, InterveneOptions
from lingprobe.inside.erase.target import LayerInterventions, ProbedModel
from lingprobe.inside.erase.views import ERASURE_VIEW
from lingprobe.metrics import choose_label_metric
from lingprobe.pages.view_page import show_frame
from lingprobe.probes import PROBES
from lingprobe.tables.page import Page
from lingprobe.tasks import TASKS, limit_tasks
from lingprobe.tasks.find import expand_tasks
from lingprobe.tasks.repeats import strip_fold


@takes_options(EraseOptions)
def erase(
    tasks: Any,
    encoders: Any = None,
    *,
    measure: Any = (),
    method: Literal["leace", "inlp", "mean"] = "leace",
    ranks: Sequence[int] = (),
    draws: int = 5,
    probe: str = "logreg",
    nonlinear: str = "mlp",
    layers: Sequence[str] = (),
    erasers: str | Path | None = None,
    limit: int | None = None,
    cache: str | Path | None = None,
    progress: bool = False,
) -> Page[ResultFrame]:
    """Erase tasks from vectors and measure what is left.

    reads      layers (default: each)
    DataProblem where the data are too small for three parts. `.content` is a `ResultFrame` with a
    row for each pair of tasks.

        print(lingprobe.erase(["ud/tense:en_ewt", "ud/subj-num:en_ewt"], "st:all-MiniLM-L6-v2"))
    """
    check_floors(method, draws)
    allow_code(probe, nonlinear)
    with use_cache(cache):
        paths = RunPaths.of(None, cache)
        own, others = (limit_tasks(_expand(each), limit) for each in (tasks, measure))
        design = TrialDesign(
            [*own, *others],
            resolve_encoders(encoders, None),
            [probe],
            seeds=1,
            layers=as_list(layers),
        )
        made = make_plan(design, paths)
        erased = frozenset(map(_task_name, resolve_tasks(own, paths.cache)[0]))
        bench = ProbeFitter(
            PROBES.make(probe),
            PROBES.make(nonlinear) if nonlinear else None,
            {
                ORDINARY_PROBE: _probe_name(probe),
                NONLINEAR_PROBE: _nonlinear_name(nonlinear, probe),
            },
        )
        how = ErasureSettings(erased, method, list(ranks) or [None], draws)
        encoded = list(_encode(made, paths, progress))
        frame = ResultFrame.of_runs(_measure(encoded, how, bench, (erasers, progress)))
    remarks = [f"refused: {name}: {why}" for name, why in made.refused.items()]
    page = show_frame(ERASURE_VIEW, frame, {"fits": bench.counts, "draws": draws})
    return page.with_remarks([*remarks, *_folds(made)])


@takes_options(InterveneOptions)
def intervene(
    task: str,
    encoder: str,
    *,
    layer: int | str,
    pairs: str = "",
    doses: Sequence[float] = (0.5, 1.0, 2.0),
    method: Literal["leace", "inlp", "mean"] = "leace",
    draws: int = 5,
    probe: str = "logreg",
    limit: int | None = None,
    cache: str | Path | None = None,
    progress: bool = False,
) -> Page[tuple[EffectCell, ...]]:
    """Change a layer's states while the model runs.

    UsageProblem for an encoder whose states cannot be replaced, DataProblem for too few pairs.

        print(lingprobe.intervene("ud/subj-num:en_ewt", "hf:bert-base-cased", layer=8))
    """
    check_floors(method, draws)
    allow_code(probe, encoder)
    with use_cache(cache):
        target = ProbedModel.of(task, encoder, limit)
        how = LayerInterventions(str(layer), tuple(doses), method, draws, probe)
        with show_progress(progress, total=None, desc=f"layer {layer}", unit=" readings") as shown:
            effects = how.measure(target, pairs, limit, shown.update)
    return effect_page(effects, draws)


def _expand(tasks: Any) -> list[Any]:
    return expand_tasks(tasks_given(tasks)) if tasks else []


def _probe_name(probe: str) -> str:
    return shorten_reference(PROBES, PROBES.canonical(probe))


def _nonlinear_name(nonlinear: str, probe: str) -> str:
    """What the nonlinear probe is called beside the other, from which it is told by its name."""
    if not nonlinear:
        return ""
    name = _probe_name(nonlinear)
    return f"{name} (nonlinear)" if name == _probe_name(probe) else name


@dataclass(frozen=True)
class ErasureSettings:
    """What is erased, and how."""

    erased: frozenset[str]
    method: str
    ranks: Sequence[int | None]
    draws: int


def _folds(made: TrialPlan) -> list[str]:
    """What is said where a task has several test sets."""
    parsed = [(name, try_parse_reference(name)) for name in made.tasks]
    few = {
        _task_name(n): None for n, one in parsed if one and "/" in dict(one.options).get("fold", "")
    }
    return [
        f"{name}: its data are small, so its test set is the first of its folds" for name in few
    ]


def _task_name(task: str) -> str:
    """What a task is called in tables."""
    return shorten_reference(TASKS, strip_fold(task))


def _encode(made: TrialPlan, paths: RunPaths, progress: bool) -> Iterator[list[PreparedGroup]]:
    """The examples of all tasks beside their vectors, for each encoder; of folds the first."""
    groups: dict[tuple[str, str], TrialGroup] = {}
    order = {name: place for place, name in enumerate(made.tasks)}
    every = group_trials(made, made.ids, paths.cache)
    for group in sorted(every, key=lambda each: order[each.trials[0].task]):
        trial = group.trials[0]
        key = trial.encoder, strip_fold(trial.task)
        before = groups.get(key)
        if before is None:
            groups[key] = group
        elif before.trials[0].task == trial.task:  # a unit of work more of the same
            groups[key] = replace(before, trials=before.trials + group.trials)
    for portion in split_groups(list(groups.values()), paths):
        for name, why in fill_cache(portion.passes, paths, progress=progress).items():
            raise DataProblem(f"{name}: {why}")
    store = paths.vector_store()
    for encoder in dict.fromkeys(encoder for encoder, _ in groups):
        yield [
            prepare_group(group, load_dataset(group.task, group.ingredients.task), store)
            for (name, _), group in groups.items()
            if name == encoder
        ]


def _measure(
    encoded: Sequence[list[PreparedGroup]],
    how: ErasureSettings,
    bench: ProbeFitter,
    more: tuple[str | Path | None, bool],
) -> Iterator[ProbeRun]:
    """The probes of every matrix, each of one encoder, layer and rank."""
    to, progress = more
    for every in encoded:
        reference = every[0].group.trials[0].encoder
        name = shorten_reference(ENCODERS, reference)
        encoder = name, kind_of_reference(reference)
        divisions = divide_for_erasure([one.readings.dataset for one in every])
        reads = dict.fromkeys(t.read for one in every for t in one.group.trials)
        for read, rank in product(reads, how.ranks):
            subjects = [
                _subject(one, read, rows) for one, rows in zip(every, divisions, strict=True)
            ]
            own = [one for one in subjects if one.task in how.erased]
            matrix = ErasureMatrix(bench, encoder, own, subjects, how.method, rank, how.draws)
            many = len(own) * len(subjects)
            with show_progress(progress, total=many, desc=f"erase {name}", unit=" cells") as shown:
                for runs in matrix.runs():
                    yield from runs
                    shown.update(1)
            if to is not None:
                _save(
                    matrix, {_task_name(one.group.trials[0].task): one for one in every}, Path(to)
                )


def _subject(one: PreparedGroup, read: str, rows: FourWaySplit) -> ErasureTask:
    """A task at a layer; ReadingProblem for what is no layer, UsageProblem for vectors of which
    only the probe knows what they are.
    """
    trial, readings = one.group.trials[0], one.readings
    known = read_of(read, readings.vectors.names)
    if known.how != "layer" or known.layers != known.whole_layers:
        raise ReadingProblem(f"erase takes single layers, and {read!r} is not one")
    (layer,) = known.layers
    name, seed = _task_name(trial.task), one.group.ingredients.task.without_code
    metric = choose_label_metric(one.group.task.metric, readings.labels)
    return ErasureTask(name, seed, metric, layer, readings, rows)


def _save(matrix: ErasureMatrix, every: dict[str, PreparedGroup], folder: Path) -> None:
    """Write the erasers, one a task."""
    for subject in matrix.erased:
        group = every[subject.task].group
        rows = subject.readings.take(subject.division.eraser)
        sentences = {s.key.hex(): s for s in map(rows.sentence, range(len(rows)))}
        made_of = {
            "task": str(group.ingredients.task),
            "encoder": str(group.ingredients.encoder),
            "sentences": digest_texts(*sorted(sentences)),
        }
        eraser = matrix.erasers[subject.task]
        made = FittedEraser(
            *(eraser, matrix.method, subject.task, group.trials[0].encoder, subject.read),
            *(len(rows), made_of, seen_in(list(sentences.values()))),
        )
        name = group.task.name.replace("/", "-").replace(",", "-")
        layer = "" if subject.read == "-" else f"-{subject.read.replace(':', '.')}"
        end = f"{layer}-{matrix.method}-{eraser.rank}-{made.identity[:8]}{ERASER_SUFFIX}"
        made.save(folder / f"{name}{end}")
