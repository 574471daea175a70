"""Sentences -> the vector cache: what is missing is planned, encoded block by block, and committed.

A block is encoded by one call and written as one file, so a run that is killed loses one block at
most, and the next run encodes that block again with the same sentences in the same order: batches,
and with them the last bits, do not change.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sonde.core import Encoder, Layered, Prepared, Sentence
from sonde.experiment.attempt import PROBES, EncoderProblem, EncoderRun
from sonde.experiment.shards import WHOLE, Shard
from sonde.progress import tell
from sonde.store import plans
from sonde.store.claims import shared
from sonde.store.folder import Index, Keys, distinct, keys_of
from sonde.store.vectors import Entries, VectorStore
from sonde.vectors import Ints, Vectors

__all__ = ["Embedded", "EncoderProblem", "embed", "vectors"]

Job = tuple[plans.Plan, int]
"""A block of a plan, by number."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """What became of some sentences.

    usable    [sentences] which of them have vectors
    problems  (sentence index, reason) for those that have none, and for those some tokens of which
              have none
    encoded, cached, cut   how many distinct sentences were encoded now, were there already, were
                           read only in part
    """

    usable: NDArray[np.bool_]
    problems: tuple[tuple[int, str], ...]
    encoded: int
    cached: int
    cut: int
    seconds: float


@dataclass(frozen=True)
class Request:
    """Distinct sentences wanted in some slots of an encoder's folder."""

    encoder: Encoder
    sentences: Sequence[Sentence]
    keys: Keys
    slots: tuple[str, ...]
    store: VectorStore
    base: str


def embed(
    encoder: Encoder,
    sentences: Sequence[Sentence],
    store: VectorStore,
    key: str,
    retry: bool = True,
    shard: Shard = WHOLE,
) -> Embedded:
    """Encode and keep what the store does not hold yet, the blocks of a shard first; `key` is what
    the encoder's vectors are cached under.

    Sentences that cannot be encoded are told in the result; with `retry`, those of earlier calls
    are tried again. A broken encoder is an EncoderProblem. What was encoded is kept in any case.
    """
    start = time.perf_counter()
    every = keys_of(sentences)
    first, inverse = distinct(every)
    request = Request(
        encoder, [sentences[i] for i in first.tolist()], every[first], slots_of(encoder), store, key
    )
    before = after = store.lacking(key, request.slots, request.keys)
    todo = before if retry else before & ~_failed_before(request, before)
    if todo.any():
        ready = encoder.prepare(sentences) if isinstance(encoder, Prepared) else encoder
        _fill(replace(request, encoder=ready), todo, shard)
        after = store.lacking(key, request.slots, request.keys)
    reasons = _reasons(request, after)
    bad = np.zeros(len(first), bool)
    bad[list(reasons)] = True
    usable = ~bad[inverse]
    reasons = {
        i: f"some of its tokens: {why}"
        for i, why in store.lost(key, request.slots, request.keys).items()
    } | reasons
    problems = tuple((i, reasons[k]) for i, k in enumerate(inverse.tolist()) if k in reasons)
    cut = int(store.cut(key, request.slots, request.keys).sum())
    encoded, cached = (before.any(0) & ~after.any(0)).sum(), (~before.any(0)).sum()
    return Embedded(usable, problems, int(encoded), int(cached), cut, time.perf_counter() - start)


def _failed_before(request: Request, lacking: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the missing sentences could not be encoded by an earlier call, [sentences]."""
    known = request.store.failures(request.base) if lacking.any() else {}
    return np.array(
        [key.tobytes() in known for key in request.keys] if known else np.zeros(len(request.keys)),
        bool,
    )


def _reasons(request: Request, lacking: NDArray[np.bool_]) -> dict[int, str]:
    """Why sentences cannot be used, by number."""
    absent = np.flatnonzero(lacking.any(0)).tolist()
    reasons = request.store.refused(request.base, request.slots, request.keys)
    if absent:
        failures = request.store.failures(request.base)
        reasons |= {
            i: failures.get(request.keys[i].tobytes(), "it was not encoded") for i in absent
        }
    return reasons


def vectors(
    encoder: Encoder,
    sentences: Sequence[Sentence],
    store: VectorStore,
    key: str,
    usable: NDArray[np.bool_] | None = None,
) -> Vectors:
    """The stored vectors of embedded sentences, in their order; unusable ones are zeros, or have no
    units.

    Where one that was `usable` [sentences] is there no longer, it is a StoreProblem.
    """
    slots = slots_of(encoder)
    return store.read(key, slots, [slot.partition(".")[0] for slot in slots], sentences, usable)


def slots_of(encoder: Encoder) -> tuple[str, ...]:
    """The slots of the cache that an encoder fills; '-' for one without layers."""
    return tuple(encoder.slots) if isinstance(encoder, Layered) else ("-",)


def _fill(request: Request, lacking: NDArray[np.bool_], shard: Shard) -> None:
    """Encode every block that is missing, and tell how many of its sentences are done."""
    jobs = shard.order(_jobs(request, lacking), lambda job: (job[0].name(job[1]),))
    runs: dict[tuple[str, ...], EncoderRun] = {}
    done, total = 0, sum(len(plan.part(block)) for plan, block in jobs)
    tell(done, total)
    # others may encode the same
    for (plan, block), missing in shared(jobs, lambda job: job[0].place(job[1])):
        if plan.slots not in runs:
            runs[plan.slots] = _run_for(request, plan, lacking)
        if missing:
            _encode(runs[plan.slots], plan, block, request)
        done += len(plan.part(block))
        tell(done, total)


def _encode(run: EncoderRun, plan: plans.Plan, block: int, request: Request) -> None:
    """Encode and commit one block, and note which of its sentences could not be encoded."""
    keys = plan.part(block)
    done = run.encode(plan.sentences(block))
    if done.failed:
        request.store.record(
            request.base,
            plan.name(block),
            {keys[row].tobytes(): why for row, why in done.failed.items()},
        )
    if done.vectors is not None:
        request.store.write(
            request.base,
            plan.name(block),
            keys[done.rows],
            Entries(plan.slots, done.vectors, done.refused),
        )


def _run_for(request: Request, plan: plans.Plan, lacking: NDArray[np.bool_]) -> EncoderRun:
    """The encoder, asked for a plan's slots, with sentences to tell whether it works: first those
    that did before.
    """
    encoder = request.encoder
    asked = (
        encoder.asking(plan.slots)
        if isinstance(encoder, Layered) and plan.slots != encoder.slots
        else encoder
    )

    def candidates() -> list[Sentence]:
        refused = request.store.refused(request.base, request.slots, request.keys)
        cached = [i for i in np.flatnonzero(~lacking.any(0)).tolist() if i not in refused][:1]
        new = np.flatnonzero(lacking.any(0))
        spread = new[np.linspace(0, len(new) - 1, PROBES).round().astype(int)] if len(new) else new
        return [request.sentences[i] for i in dict.fromkeys([*cached, *spread.tolist()])]

    return EncoderRun(
        asked, plan.slots, request.store.dtype, candidates, request.store.widths(request.base)
    )


def _jobs(request: Request, lacking: NDArray[np.bool_]) -> list[Job]:
    """Blocks that together hold all that is missing: first those of plans that were not finished,
    then of new plans.

    Sentences that miss the same slots go together, so that each is encoded once and no entry is
    made twice.
    """
    folder = request.store.folder(request.base)
    # as they were when `lacking` was found
    open_blocks = list(plans.unfinished(folder, request.store.committed(request.base)))
    jobs: list[Job] = []
    patterns, which = np.unique(lacking, axis=1, return_inverse=True)
    for number in range(patterns.shape[1]):
        slots = tuple(
            s for s, misses in zip(request.slots, patterns[:, number], strict=True) if misses
        )
        left = np.flatnonzero(which.ravel() == number)
        if not slots:
            continue
        for plan, blocks in open_blocks:
            if set(slots) <= set(plan.slots):
                usable, left = _usable(plan, blocks, request.keys, left)
                jobs += [(plan, block) for block in usable if (plan, block) not in jobs]
        if len(left):
            new = plans.draw_up(
                folder, [request.sentences[i] for i in left.tolist()], request.keys[left], slots
            )
            jobs += [(new, block) for block in range(len(new))]
    return jobs


def _usable(
    plan: plans.Plan, blocks: Sequence[int], keys: Keys, left: Ints
) -> tuple[list[int], Ints]:
    """The unfinished blocks of which at least half is wanted, and what they leave to be planned
    anew.
    """
    index = Index.of(keys[left])
    chosen, still = [], np.ones(len(left), bool)
    for block in blocks:
        numbers = index.find(plan.part(block))
        numbers = numbers[numbers >= 0]
        if len(numbers) * 2 >= len(plan.part(block)):
            chosen.append(block)
            still[numbers] = False
    return chosen, left[still]
