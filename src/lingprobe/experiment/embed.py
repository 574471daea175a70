"""Sentences -> the vector cache: what is missing is planned, encoded block by block, and committed.

A block is encoded by one call and written as one file, so a run that is killed loses one block at
most, and the next run encodes that block again with the same sentences in the same order: batches,
and with them the last bits, do not change.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import Encoder, LayeredEncoder, PreparedEncoder, Sentence
from lingprobe.data.progress import report_progress
from lingprobe.data.vectors import Ints, Vectors
from lingprobe.experiment.attempt import TRIED_SENTENCE_COUNT, EncoderProblem, EncoderRun
from lingprobe.experiment.runners import LOCAL_POOL, LostItem, WorkerPool
from lingprobe.store import plans
from lingprobe.store.blocks import StoreProblem
from lingprobe.store.claims import ClaimWatch, make_once
from lingprobe.store.folder import KeyIndex, Keys, find_first_keys, keys_of
from lingprobe.store.vectors import VectorEntries, VectorStore

__all__ = ["EmbeddedSentences", "EncoderProblem", "embed_sentences", "load_vectors"]

Job = tuple[plans.EncodingPlan, int]
"""A block of a plan, by number."""


@dataclass(frozen=True, slots=True)
class EmbeddedSentences:
    """The outcome of encoding sentences.

    usable    [sentences] which of them have vectors
    problems  (sentence index, reason) for sentences without vectors, or with tokens without vectors
    encoded, cached, cut   how many distinct sentences were encoded now, were in the cache, or were
                           truncated
    """

    usable: NDArray[np.bool_]
    problems: tuple[tuple[int, str], ...]
    encoded: int
    cached: int
    cut: int
    seconds: float
    reader: Callable[[], Vectors] | None = field(default=None, repr=False, compare=False)

    @property
    def vectors(self) -> Vectors:
        """The vectors of the sentences in their order, read from the cache: `layers` are arrays
        [n, dim], or [units, dim] where an encoder gives a vector for each token, `names` what they
        are called; of what is not usable zeros, or no units. StoreProblem where they are there no
        longer.
        """
        if self.reader is None:
            raise StoreProblem("these vectors were not kept: ask lingprobe.embed for them")
        return self.reader()


@dataclass(frozen=True)
class EmbeddingRequest:
    """Distinct sentences wanted in some slots of an encoder's folder."""

    encoder: Encoder
    sentences: Sequence[Sentence]
    keys: Keys
    slots: tuple[str, ...]
    store: VectorStore
    base: str


def embed_sentences(
    encoder: Encoder,
    sentences: Sequence[Sentence],
    store: VectorStore,
    key: str,
    retry: bool = True,
    workers: WorkerPool = LOCAL_POOL,
) -> EmbeddedSentences:
    """Vectors are computed once and kept: encode what the store does not hold yet, the blocks of
    one's share first.

    key  what the encoder's vectors are cached under

    Sentences that cannot be encoded are told in the result; with `retry`, those of earlier calls
    are tried again. A broken encoder is an EncoderProblem. What was encoded is kept in any case.
    """
    start = time.perf_counter()
    every = keys_of(sentences)
    first, inverse = find_first_keys(every)
    request = EmbeddingRequest(
        encoder, [sentences[i] for i in first.tolist()], every[first], slots_of(encoder), store, key
    )
    before = after = store.lacking(key, request.slots, request.keys)
    todo = before if retry else before & ~_failed_before(request, before)
    if todo.any():
        ready = encoder.prepare(sentences) if isinstance(encoder, PreparedEncoder) else encoder
        _fill(replace(request, encoder=ready), todo, workers)
        after = store.lacking(key, request.slots, request.keys)
    reasons = _reasons(request, after)
    bad = np.zeros(len(first), bool)
    bad[list(reasons)] = True
    usable = ~bad[inverse]
    reasons = {
        i: f"some of its tokens: {why}"
        for i, why in store.loss_reasons(key, request.slots, request.keys).items()
    } | reasons
    problems = tuple((i, reasons[k]) for i, k in enumerate(inverse.tolist()) if k in reasons)
    cut = int(store.cut(key, request.slots, request.keys).sum())
    encoded, cached = (before.any(0) & ~after.any(0)).sum(), (~before.any(0)).sum()
    return EmbeddedSentences(
        usable, problems, int(encoded), int(cached), cut, time.perf_counter() - start
    )


def _failed_before(request: EmbeddingRequest, lacking: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the missing sentences could not be encoded by an earlier call, [sentences]."""
    known = request.store.failures(request.base) if lacking.any() else {}
    return np.array(
        [key.tobytes() in known for key in request.keys] if known else np.zeros(len(request.keys)),
        bool,
    )


def _reasons(request: EmbeddingRequest, lacking: NDArray[np.bool_]) -> dict[int, str]:
    """Why sentences cannot be used, by number."""
    absent = np.flatnonzero(lacking.any(0)).tolist()
    reasons = request.store.refusal_reasons(request.base, request.slots, request.keys)
    if absent:
        failures = request.store.failures(request.base)
        reasons |= {
            i: failures.get(request.keys[i].tobytes(), "it was not encoded") for i in absent
        }
    return reasons


def load_vectors(
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
    names = [slot.rpartition(".")[0] or slot for slot in slots]
    return store.read(key, slots, names, sentences, usable)


def slots_of(encoder: Encoder) -> tuple[str, ...]:
    """The slots of the cache that an encoder fills; '-' for one without layers."""
    return tuple(encoder.slots) if isinstance(encoder, LayeredEncoder) else ("-",)


def _fill(request: EmbeddingRequest, lacking: NDArray[np.bool_], workers: WorkerPool) -> None:
    """Encode every block that is missing, and tell how many of its sentences are done; blocks that
    others are at come last.
    """
    todo = workers.shard.order(_jobs(request, lacking), lambda job: (job[0].name(job[1]),))
    names = [plan.name(block) for plan, block in todo]
    done, total = 0, sum(len(plan.part(block)) for plan, block in todo)
    report_progress(done, total)
    work, watch, held = _Encoding(request, lacking), ClaimWatch(), list[Job]()
    while todo:
        for job, made in zip(todo, workers.encode(work, todo), strict=True):
            if isinstance(made, LostItem):
                raise EncoderProblem(f"{request.encoder.name}: {made.why}")
            if not made:
                held.append(job)
                continue
            done += len(job[0].part(job[1]))
            report_progress(done, total)
        todo, held = watch.wait(held, lambda job: job[0].place(job[1]))
    request.store.expect(request.base, names)


class _Encoding:
    """Encodes one block after another; it pickles when the encoder does."""

    def __init__(self, request: EmbeddingRequest, lacking: NDArray[np.bool_]) -> None:
        self.request, self.lacking = request, lacking
        self.runs: dict[tuple[str, ...], EncoderRun] = {}

    def __call__(self, job: Job) -> bool:
        """Encode and commit a block, and note which of its sentences could not be encoded; False
        where another run is at it.
        """
        plan, block = job
        if plan.slots not in self.runs:
            self.runs[plan.slots] = _run_for(self.request, plan, self.lacking)
        return make_once(plan.place(block), lambda: self._encode(plan, block))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "runs": {}}

    def _encode(self, plan: plans.EncodingPlan, block: int) -> None:
        keys, store, base = plan.part(block), self.request.store, self.request.base
        done = self.runs[plan.slots].encode(plan.sentences(block))
        if done.failed:
            reasons = {keys[row].tobytes(): why for row, why in done.failed.items()}
            store.record(base, plan.name(block), reasons)
        if done.vectors is not None:
            entries = VectorEntries(plan.slots, done.vectors, done.refused)
            store.write(base, plan.name(block), keys[done.rows], entries)


def _run_for(
    request: EmbeddingRequest, plan: plans.EncodingPlan, lacking: NDArray[np.bool_]
) -> EncoderRun:
    """The encoder, asked for a plan's slots, with sentences to tell whether it works: first those
    that did before.
    """
    encoder = request.encoder
    asked = (
        encoder.asking(plan.slots)
        if isinstance(encoder, LayeredEncoder) and plan.slots != encoder.slots
        else encoder
    )

    def candidates() -> list[Sentence]:
        refused = request.store.refusal_reasons(request.base, request.slots, request.keys)
        cached = [i for i in np.flatnonzero(~lacking.any(0)).tolist() if i not in refused][:1]
        new = np.flatnonzero(lacking.any(0))
        spread = (
            new[np.linspace(0, len(new) - 1, TRIED_SENTENCE_COUNT).round().astype(int)]
            if len(new)
            else new
        )
        return [request.sentences[i] for i in dict.fromkeys([*cached, *spread.tolist()])]

    return EncoderRun(
        asked, plan.slots, request.store.kept, candidates, request.store.widths(request.base)
    )


def _jobs(request: EmbeddingRequest, lacking: NDArray[np.bool_]) -> list[Job]:
    """Blocks that together hold all that is missing: first those of plans that were not finished,
    then of new plans.

    Sentences that miss the same slots go together, so that each is encoded once and no entry is
    made twice.
    """
    folder = request.store.folder(request.base)
    # as they were when `lacking` was found
    open_blocks = list(plans.unfinished_plans(folder, request.store.committed_names(request.base)))
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
    plan: plans.EncodingPlan, blocks: Sequence[int], keys: Keys, left: Ints
) -> tuple[list[int], Ints]:
    """The unfinished blocks of which at least half is wanted, and what they leave to be planned
    anew.
    """
    index = KeyIndex.of(keys[left])
    chosen, still = [], np.ones(len(left), bool)
    for block in blocks:
        numbers = index.find(plan.part(block))
        numbers = numbers[numbers >= 0]
        if len(numbers) * 2 >= len(plan.part(block)):
            chosen.append(block)
            still[numbers] = False
    return chosen, left[still]
