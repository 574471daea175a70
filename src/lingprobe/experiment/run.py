"""Two maps over what is missing: embed, then measure. What is in the store already is neither
encoded nor fitted. A group of trials that is measured keeps its results, or tells the reason.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from lingprobe.data.core import Encoder, PreparedEncoder, Result, Sentence, Trial
from lingprobe.data.identity import ContentIdentity
from lingprobe.data.oracles import OracleEncoder
from lingprobe.data.references import allow_code, shorten_reference
from lingprobe.datasets.controls import without_draw
from lingprobe.encoders import ENCODERS, make_encoder
from lingprobe.experiment.at_work import at_work, tell_ended_work
from lingprobe.experiment.bars import encoding_bar, measuring_bar, name_batches
from lingprobe.experiment.consistency import settle_identity
from lingprobe.experiment.data import load_task_facts
from lingprobe.experiment.earlier import explain_anew
from lingprobe.experiment.embed import (
    EmbeddedSentences,
    EncoderProblem,
    embed_sentences,
    load_vectors,
)
from lingprobe.experiment.groups import FitBatch, TrialGroup
from lingprobe.experiment.keys import vectors_key
from lingprobe.experiment.own_baselines import name_own_baselines
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialPlan
from lingprobe.experiment.portions import passing_vectors, split_groups, union_of
from lingprobe.experiment.readers import collect_encoder_names
from lingprobe.experiment.room import EncodingPass, check_disk_space
from lingprobe.experiment.runners import LOCAL_POOL, LostItem, WorkerPool
from lingprobe.experiment.shards import WHOLE_WORK_SHARE, WorkShare
from lingprobe.experiment.units import TaskDimensions, split_into_units
from lingprobe.experiment.work import MeasuredBatch, measured_in
from lingprobe.nets.precision import limit_to_agreed_threads
from lingprobe.store import failures as failed
from lingprobe.store.claims import ClaimWatch
from lingprobe.store.experiments import TrialUnit, record_experiment
from lingprobe.store.kept_vectors import note_vectors

log = logging.getLogger("lingprobe.experiment")


@dataclass(frozen=True)
class RunOutcome:
    """What a run ends with.

    results   one for each trial that could be measured, in the order of the plan
    failures  groups of trials, tasks or encoders that could not be, with the reason
    fresh     how many results were measured now rather than found in the store
    remarks   what there is to say of results that were found and not used
    """

    results: tuple[Result, ...]
    failures: dict[str, str]
    fresh: int
    remarks: tuple[str, ...] = ()


def run_plan(
    plan: TrialPlan,
    paths: RunPaths,
    workers: WorkerPool = LOCAL_POOL,
    progress: bool = True,
) -> RunOutcome:
    """Measure every trial of a plan that the store does not hold yet, and return the results of
    all; those of one's share come first, those that others have left undone after them.
    """
    tell_ended_work(paths.results)
    ids = plan.ids
    record_experiment(paths.results, list(ids.values()), _units(plan, ids, paths))
    for canary in plan.canaries.values():
        canary.keep()
    _keep_settled(plan)
    known, groups = find_missing(plan, paths)
    anew = {t: plan.ingredients(t) for group in groups for t in group.trials}
    why = explain_anew(anew, paths.result_store(), (t for t, i in ids.items() if i in known))
    if groups:
        paths.check()
    failures, fresh = dict(plan.refused), 0
    parts = split_groups(groups, paths)
    for part in parts:
        check_disk_space(part.passes, paths.vector_store())
    before = _failures(groups, paths)
    for part in parts:
        with passing_vectors(paths):
            broken = fill_cache(part.passes, paths, workers, progress)
            _keep_settled(plan)
            failures |= {shorten_reference(ENCODERS, name): why for name, why in broken.items()}
            left = [g for g in part.groups if g.trials[0].encoder not in broken]
            for measured in _fit_encoded_groups(left, paths, workers, before, progress):
                known |= measured.results
                fresh += measured.fresh
                if measured.failure:
                    failures.setdefault(measured.name, measured.failure)
    # files may have moved since
    results = tuple(replace(known[i], trial=trial) for trial, i in ids.items() if i in known)
    return RunOutcome(results, failures, fresh, (why,) if why else ())


def _keep_settled(plan: TrialPlan) -> None:
    """Keep vectors for later checks, of encoders that files do not describe in full."""
    for settled in plan.settled.values():
        settled.keep()


def find_missing(plan: TrialPlan, paths: RunPaths) -> tuple[dict[str, Result], list[TrialGroup]]:
    """The results that the store holds of a plan, so that nothing is computed twice, by what they
    are stored under, and the groups of trials that it does not.
    """
    ids = plan.ids
    known = paths.known_results(ids.values())
    groups = (group.without(known) for group in group_trials(plan, ids, paths.cache))
    return known, [group for group in groups if group.trials]


def _fit_encoded_groups(
    groups: Sequence[TrialGroup],
    paths: RunPaths,
    workers: WorkerPool,
    before: Mapping[str, str],
    progress: bool,
) -> Iterator[MeasuredBatch]:
    """What became of groups that were encoded, as they are fitted."""
    todo, work = _batches(groups, workers.shard), measured_in(paths, before)
    with measuring_bar(sum(batch.trials for batch in todo), progress) as bar:
        for measured, trials in _map_batches(
            todo, lambda batches: workers.fit(work, name_batches(batches, bar)), paths
        ):
            yield measured
            bar.set_postfix_str("", refresh=False)
            bar.update(trials)


def _map_batches(
    batches: Sequence[FitBatch],
    mapped: Callable[[Sequence[FitBatch]], Iterable[MeasuredBatch | LostItem]],
    paths: RunPaths,
) -> Iterator[tuple[MeasuredBatch, int]]:
    """What became of every batch, and of how many trials; what another run was at comes last."""
    store, watch, todo = paths.result_store(), ClaimWatch(), list(batches)
    held: list[TrialGroup] = []
    while todo:
        for batch, answer in zip(todo, mapped(todo), strict=True):
            measured = answer
            if isinstance(measured, LostItem):
                measured = MeasuredBatch(batch.name, failure=measured.why)
            held += measured.held
            _note_failures(batch, measured, paths)
            yield measured, batch.trials - sum(len(group.trials) for group in measured.held)
        ready, held = watch.wait(held, lambda group: store.place(group.ids, group.part))
        todo = _batches(ready)


def _failures(groups: Iterable[TrialGroup], paths: RunPaths) -> dict[str, str]:
    """Failed work, which the next run tries again: when units failed before, by the name of their
    place.
    """
    store, dates = paths.result_store(), dict[str, str]()
    for place in {store.place(group.ids, group.part) for group in groups}:
        if failure := failed.failure_of(place):
            dates[place.name] = failure.date
    return dates


def _note_failures(batch: FitBatch, measured: MeasuredBatch, paths: RunPaths) -> None:
    """Say beside the results of a batch's groups which have none and why, for others and later."""
    store, spared = paths.result_store(), {g.ids for g in (*measured.held, *measured.untried)}
    for group in batch.groups:
        place = store.place(group.ids, group.part)
        if group.ids[0] in measured.results:
            failed.forget_failure(place)
        elif measured.failure and group.ids not in spared:
            failed.note_failure(place, measured.failure)


def _batches(groups: Iterable[TrialGroup], shard: WorkShare = WHOLE_WORK_SHARE) -> list[FitBatch]:
    """Groups that can be fitted in one pass, together: the folds and controls of a task; those of
    a shard first.
    """
    batches: dict[tuple[str, ...], list[TrialGroup]] = {}
    for group in groups:
        batches.setdefault(group.joint, []).append(group)
    return [FitBatch(tuple(batches[joint])) for joint in shard.order(batches, lambda joint: joint)]


def _units(plan: TrialPlan, ids: dict[Trial, str], paths: RunPaths) -> list[TrialUnit]:
    """The units of work of a plan."""
    folder = paths.vector_store().folder
    return [
        TrialUnit(
            first.task,
            first.control,
            first.encoder,
            first.probe,
            ""
            if isinstance(group.encoder, PreparedEncoder | OracleEncoder)
            else folder(group.vectors).name,
            group.ids,
            group.part,
        )
        for group in group_trials(plan, ids, paths.cache)
        for first in group.trials[:1]
    ]


def group_trials(plan: TrialPlan, ids: dict[Trial, str], cache: Path) -> Iterator[TrialGroup]:
    """Trials that share a fit, together, as far as that is no more than a unit of work; draws of a
    control are like seeds, but for their labels.
    """

    def group_key(t: Trial) -> tuple[str, str, str, str]:
        return t.task, without_draw(t.control), t.encoder, t.probe

    for (task, _, encoder, probe), trials in groupby(
        sorted(plan.trials, key=group_key), key=group_key
    ):
        listed = list(trials)
        things = plan.tasks[task], plan.encoders[encoder], plan.probes[probe]
        own = name_own_baselines(things[1])
        ingredients = plan.ingredients(listed[0])
        key = vectors_key(things[1], ingredients.encoder)
        train = load_task_facts(things[0], ingredients.task, cache).train if len(listed) > 1 else 0
        for part, unit in enumerate(split_into_units(listed, TaskDimensions.of(things[1], train))):
            by_draw = sorted(unit, key=attrgetter("control"))
            for control, drawn in groupby(by_draw, attrgetter("control")):
                some = tuple(drawn)
                made_of = plan.ingredients(some[0])
                mine = tuple(ids[trial] for trial in some)
                yield TrialGroup(
                    *things, plan.controls[control], some, mine, made_of, key, part, own
                )


def fill_cache(
    passes: Iterable[EncodingPass],
    paths: RunPaths,
    workers: WorkerPool = LOCAL_POOL,
    progress: bool = False,
) -> dict[str, str]:
    """Embed every sentence of the passes, each once, one's share first; returns the encoders that
    failed, with the reason.
    """
    broken: dict[str, str] = {}
    store = paths.vector_store()
    # each share begins with encoders of its own, so that they do not wait for one another
    for one in workers.shard.order(passes, lambda one: (one.groups[0].trials[0].encoder,)):
        place = encoder_place(paths.results, store.folder(one.key).name)
        try:
            encoder = union_of(one.groups)
            name = shorten_reference(ENCODERS, one.groups[0].trials[0].encoder)
            working = at_work(f"encoding with {name}", paths.results)
            with working, encoding_bar(encoder.name, progress), limit_to_agreed_threads():
                done = embed_sentences(encoder, one.sentences, store, one.key, workers=workers)
            _check_usable(encoder, done)
            _note_shared_vectors(one.groups, store.folder(one.key), paths)
            failed.forget_failure(place)
        except EncoderProblem as problem:
            log.debug("%s", problem, exc_info=problem)
            failed.note_failure(place, str(problem))
            broken |= {g.trials[0].encoder: str(problem) for g in one.groups}
    return broken


def _check_usable(encoder: Encoder, done: EmbeddedSentences) -> None:
    """Refuse an encoder without a vector of any sentence, as one that gives NaN alone."""
    if len(done.usable) and not done.usable.any():
        raise EncoderProblem(
            f"{encoder.name} has no vector that can be used of {len(done.usable):,} sentences: of"
            f" each, {done.problems[0][1]}"
        )


def encoder_place(results: Path, vectors: str) -> Path:
    """Beside what lies the note on why an encoder failed, by the folder of its vectors."""
    return results / f"encoder-{vectors}"


def _note_shared_vectors(groups: Sequence[TrialGroup], vectors: Path, paths: RunPaths) -> None:
    """Say beside the vectors that groups share whose they are, and where results of them lie."""
    name = shorten_reference(ENCODERS, groups[0].trials[0].encoder)
    identities = {str(group.ingredients.encoder) for group in groups}
    own = paths.results == paths.cache / "results"
    note_vectors(vectors, name, identities, None if own else paths.results)


def encode_ahead(
    encoders: Sequence[Any] | Mapping[str, Any], sentences: Sequence[Sentence], paths: RunPaths
) -> dict[str, tuple[Encoder, ContentIdentity]]:
    """Encoders whose vectors of sentences are made ahead of a run, with their identities, by
    reference, or by the name that a run gives to a live thing.
    """
    tell_ended_work(paths.results)
    named = isinstance(encoders, Mapping)
    references = [] if named else [each for each in encoders if isinstance(each, str)]
    allow_code(*references)
    live = encoders if named else [each for each in encoders if not isinstance(each, str)]
    names, known = (
        collect_encoder_names(live, paths.revisions),
        dict[str, tuple[Encoder, ContentIdentity]](),
    )
    for name, encoder in names.encoders.items():
        known[name] = encoder, names.identity(name, encoder, paths)
    for name in [str(one) for text in references for one in ENCODERS.expand(text)]:
        with at_work(f"loading {name}", paths.results):
            encoder = make_encoder(name)
            known[name] = encoder, names.identity(ENCODERS.canonical(name), encoder, paths)
    settled = {
        name: settle_identity(name, identity, encoder, [sentences], paths)
        for name, (encoder, identity) in known.items()
    }
    for remark in (*names.remarks.values(), *(each.remark for each in settled.values())):
        if remark:
            log.warning("%s", remark)
    for canary in names.canaries.values():
        canary.keep()
    for each in settled.values():
        each.keep()
    return {name: (known[name][0], each.identity) for name, each in settled.items()}


def embed_ahead(
    encoders: Mapping[str, tuple[Encoder, ContentIdentity]],
    sentences: Sequence[Sentence],
    paths: RunPaths,
    progress: bool,
    workers: WorkerPool = LOCAL_POOL,
) -> dict[str, EmbeddedSentences]:
    """Fill the cache of vectors with sentences, by encoder; what became of them."""
    store, done = paths.vector_store(), {}
    for reference, (encoder, known) in encoders.items():
        name = shorten_reference(ENCODERS, reference)
        working = at_work(f"encoding with {name}", paths.results)
        with working, encoding_bar(encoder.name, progress), limit_to_agreed_threads():
            key = vectors_key(encoder, known)
            made = embed_sentences(encoder, sentences, store, key, workers=workers)
        reader = partial(load_vectors, encoder, sentences, store, key, made.usable)
        done[reference] = replace(made, reader=reader)
        note_vectors(store.folder(key), reference, {str(known)}, None)
    return done
