"""Two maps over what is missing: embed, then measure. What is in the store already is neither
encoded nor fitted. A group of trials that is measured keeps its results, or tells the reason.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from tqdm.auto import tqdm

from sonde.core import DataProblem, Encoder, Layered, Prepared, Result, Sentence, Trial
from sonde.encoders import ENCODERS, make
from sonde.experiment.data import loaded
from sonde.experiment.embed import Embedded, EncoderProblem, embed, slots_of
from sonde.experiment.keys import encoder_identity, vectors_key
from sonde.experiment.measure import Batch, Group
from sonde.experiment.paths import Paths
from sonde.experiment.plan import Plan
from sonde.experiment.work import Measured, measured_in
from sonde.nets.precision import threads
from sonde.oracles import Informed
from sonde.progress import listening
from sonde.references import brief
from sonde.store.claims import Watch
from sonde.store.experiments import record
from sonde.store.kept import note

log = logging.getLogger("sonde.experiment")

BEAT = 10.0  # seconds after which the bar is drawn anew though nothing has been told
EVERY = 1.0  # seconds between two words on how far a fit is


class Bar:
    """A bar over trials, which may be many for one fit."""

    def __init__(self, bar: tqdm[Any]) -> None:
        self.bar, self.name, self.told = bar, "", time.monotonic()

    def named(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """The batches, each named as it is handed out."""
        for batch in batches:
            self.name = batch.name
            self.bar.set_postfix_str(self.name)
            yield batch

    def step(self, done: int, of: int | None) -> None:
        """The fit has made so many steps."""
        if time.monotonic() - self.told >= EVERY:
            self.told = time.monotonic()
            self.bar.set_postfix_str(f"{self.name}, step {done:,}" + (f" of {of:,}" if of else ""))

    def done(self, trials: int) -> None:
        """So many trials more are measured."""
        self.bar.set_postfix_str("", refresh=False)
        self.bar.update(trials)


@contextmanager
def encoding_bar(name: str, progress: bool) -> Iterator[None]:
    """A bar over the sentences that an encoder is given while the block runs."""
    with tqdm(total=0, desc=f"encode {name}", unit=" sentences", disable=not progress) as bar:

        def told(done: int, total: int | None) -> None:
            bar.total = total
            bar.update(done - bar.n)

        with listening(told):
            yield


@contextmanager
def bar_over(trials: int, progress: bool) -> Iterator[Bar]:
    """A bar that is drawn while the block runs, and hears what fits in this process tell; of those
    in others it knows the ends.
    """
    bar, ended = (
        tqdm(total=trials, desc="measure", unit="trial", disable=not progress or not trials),
        threading.Event(),
    )

    def beat() -> None:
        while not ended.wait(BEAT):
            bar.refresh()

    thread = threading.Thread(target=beat, name="bar", daemon=True)
    if not bar.disable:
        thread.start()
    try:
        with bar:
            shown = Bar(bar)
            with listening(shown.step):
                yield shown
    finally:
        ended.set()
        if thread.is_alive():
            thread.join()


Mapper = Callable[[Callable[[Batch], Measured], Iterable[Batch]], Iterable[Measured]]
"""Anything shaped like the builtin map."""


@dataclass(frozen=True)
class Outcome:
    """What a run ends with.

    results   one for each trial that could be measured, in the order of the plan
    failures  groups of trials, tasks or encoders that could not be, with the reason
    fresh     how many results were measured now rather than found in the store
    """

    results: tuple[Result, ...]
    failures: dict[str, str]
    fresh: int


def run(plan: Plan, paths: Paths, mapper: Mapper = map, progress: bool = True) -> Outcome:
    """Measure every trial of a plan that the store does not hold yet, and return the results of
    all.
    """
    ids = plan.ids
    record(paths.results, ids.values())
    known, groups = missing(plan, paths)
    if groups:
        paths.check()
    failures = dict(plan.refused)
    broken = fill(groups, paths, progress)
    failures |= broken
    todo = _batches(g for g in groups if g.trials[0].encoder not in broken)
    with bar_over(sum(batch.trials for batch in todo), progress) as bar:
        fresh = 0
        for measured, trials in _mapped(
            todo, lambda batches: mapper(measured_in(paths), bar.named(batches)), paths
        ):
            known |= measured.results
            fresh += measured.fresh
            if measured.failure:
                failures.setdefault(measured.name, measured.failure)
            bar.done(trials)
    # files may have moved since
    results = tuple(replace(known[i], trial=trial) for trial, i in ids.items() if i in known)
    return Outcome(results, failures, fresh)


def missing(plan: Plan, paths: Paths) -> tuple[dict[str, Result], list[Group]]:
    """The results that the store holds of a plan, by what they are stored under, and the groups of
    trials that it does not.
    """
    ids = plan.ids
    known = paths.known(ids.values())
    return known, [left for g in _groups(plan, ids) if (left := g.without(known)).trials]


class Pass(NamedTuple):
    """What is encoded for groups before they are measured: distinct sentences, in all slots that
    any group reads, kept under a key.
    """

    key: str
    encoder: Encoder
    slots: tuple[str, ...]
    sentences: list[Sentence]


def passes(groups: Iterable[Group]) -> list[Pass]:
    """What is encoded for groups, by encoder."""
    return [
        Pass(key, sharing[0].encoder, slots_of(_union(sharing)), _sentences(sharing))
        for key, sharing in _by_vectors(groups).items()
    ]


def _by_vectors(groups: Iterable[Group]) -> dict[str, list[Group]]:
    by_base: dict[str, list[Group]] = {}
    for group in groups:
        # those look at one data set, so they encode while measuring
        if not isinstance(group.encoder, Prepared | Informed):
            by_base.setdefault(group.vectors, []).append(group)
    return by_base


def _mapped(
    batches: Sequence[Batch], mapped: Callable[[Sequence[Batch]], Iterable[Measured]], paths: Paths
) -> Iterator[tuple[Measured, int]]:
    """What became of every batch, and of how many trials; what another run was at comes last."""
    store, watch, todo = paths.result_store(), Watch(), list(batches)
    held: list[Group] = []
    while todo:
        for batch, measured in zip(todo, mapped(todo), strict=True):
            held += measured.held
            yield measured, batch.trials - sum(len(group.trials) for group in measured.held)
        ready, held = watch.wait(held, lambda group: store.place(group.ids))
        todo = _batches(ready)


def _batches(groups: Iterable[Group]) -> list[Batch]:
    """Groups that can be fitted in one pass, together: the folds and controls of a task."""
    batches: dict[tuple[str, ...], list[Group]] = {}
    for group in groups:
        batches.setdefault(group.joint, []).append(group)
    return [Batch(tuple(each)) for each in batches.values()]


def _groups(plan: Plan, ids: dict[Trial, str]) -> Iterator[Group]:
    """Trials that share a fit, together."""

    def shared(t: Trial) -> tuple[str, str, str, str]:
        return t.task, t.control, t.encoder, t.probe

    for (task, control, encoder, probe), trials in groupby(
        sorted(plan.trials, key=shared), key=shared
    ):
        listed = tuple(trials)
        things = (
            plan.tasks[task],
            plan.encoders[encoder],
            plan.probes[probe],
            plan.controls[control],
        )
        ingredients = plan.ingredients(listed[0])
        yield Group(
            *things,
            listed,
            tuple(ids[t] for t in listed),
            ingredients,
            vectors_key(things[1], ingredients.encoder),
        )


def fill(groups: Sequence[Group], paths: Paths, progress: bool) -> dict[str, str]:
    """Embed every sentence that the groups read, each once; returns the encoders that failed, with
    the reason.
    """
    broken: dict[str, str] = {}
    store = paths.vector_store()
    for key, sharing in _by_vectors(groups).items():
        try:
            encoder = _union(sharing)
            with encoding_bar(encoder.name, progress), threads():
                embed(encoder, _sentences(sharing), store, key)
            _note(sharing, store.folder(key), paths)
        except EncoderProblem as problem:
            log.debug("%s", problem, exc_info=problem)
            broken |= {g.trials[0].encoder: str(problem) for g in sharing}
    return broken


def _note(groups: Sequence[Group], vectors: Path, paths: Paths) -> None:
    """Say beside the vectors that groups share whose they are, and where results of them lie."""
    name = brief(ENCODERS, groups[0].trials[0].encoder)
    identities = {str(group.ingredients.encoder) for group in groups}
    own = paths.results == paths.cache / "results"
    note(vectors, name, identities, None if own else paths.results)


def embed_ahead(
    references: Iterable[str], sentences: Sequence[Sentence], paths: Paths, progress: bool
) -> dict[str, Embedded]:
    """Fill the cache of vectors with sentences, by encoder; what became of them."""
    store, done = paths.vector_store(), {}
    for reference in [str(one) for text in references for one in ENCODERS.expand(text)]:
        encoder = make(reference)
        known = encoder_identity(ENCODERS.canonical(reference), encoder, paths.dtype)
        with encoding_bar(encoder.name, progress):
            key = vectors_key(encoder, known)
            done[reference] = embed(encoder, sentences, store, key)
        note(store.folder(key), reference, {str(known)}, None)
    return done


def _union(groups: Sequence[Group]) -> Encoder:
    """One encoder that yields every slot that the groups' encoders yield, so that one pass fills
    them all.
    """
    encoder: Any = groups[0].encoder
    if not isinstance(encoder, Layered):
        return encoder  # type: ignore[no-any-return]
    slots = dict.fromkeys(
        slot for g in groups if isinstance(g.encoder, Layered) for slot in g.encoder.slots
    )
    return encoder.asking(tuple(slots))


def _sentences(groups: Sequence[Group]) -> list[Sentence]:
    """The distinct sentences of the groups' data sets."""
    sentences: dict[Sentence, None] = {}
    for group in {g.trials[0].task: g for g in groups}.values():
        with suppress(DataProblem):  # which is told when it is measured
            sentences |= dict.fromkeys(loaded(group.task, group.ingredients.task).sentences)
    return list(sentences)
