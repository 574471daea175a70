"""Which encoders each task is read with: those asked for, an oracle as the task has it, and the
bounds of a table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sonde.core import Encoder, Layered, Task
from sonde.encoders import ENCODERS
from sonde.errors import SondeError
from sonde.oracles import Informed, Kind, oracles_of
from sonde.reading import ReadingProblem, reads_of
from sonde.references import Reference

BASELINES = {False: ("length", "bow:random"), True: ("bow:random,pool=none",)}
"""Baselines that stand in every table, by whether a task is about words and not about whole
sentences.
"""
ORACLE = "gold"
NAMELESS = "-"  # the layer of an encoder that has but one
BOUND_SEEDS = 1  # bounds are there to be compared with, so that one fit is enough


class OracleProblem(SondeError, ValueError):
    """A task without the oracle that was asked for; the message says which it has."""


class Reader(NamedTuple):
    """An encoder that a task is read with, what is read of it ('' for each layer), and how often a
    probe is fitted on it.
    """

    reference: str
    encoder: Encoder
    reads: Sequence[str]
    seeds: int


@dataclass(frozen=True, slots=True)
class Reading:
    """How encoders are read: what of their layers, and how often; and the kinds of bounds that are
    read beside them.

    usual  what is read of encoders that have such layers, where `reads` says nothing
    """

    reads: Sequence[str]
    seeds: int
    bounds: Collection[Kind]
    usual: Sequence[str] = ()

    def of(self, encoder: Encoder) -> Sequence[str]:
        """What is read of an encoder; () for each of its layers."""
        if self.reads or not self.usual:
            return self.reads
        try:
            return reads_of(self.usual, layers_of(encoder))
        except ReadingProblem:
            return ()


def layers_of(encoder: Encoder) -> tuple[str, ...]:
    """The names of an encoder's layers; '-' for one that has but one."""
    if not isinstance(encoder, Layered):
        return (NAMELESS,)
    return tuple(slot.partition(".")[0] for slot in encoder.slots)


def readers(
    task: Task, words: bool, encoders: Mapping[str, Encoder], how: Reading
) -> tuple[list[Reader], dict[str, str]]:
    """The readers of a task, bounds first, and the encoders that cannot read it, with the reason.

    words  whether the task is about words of its sentences
    """
    by_reference = {
        reference: Reader(reference, encoder, (), min(how.seeds, BOUND_SEEDS))
        for reference, encoder in _bounds(task, words, how.bounds)
    }
    refused: dict[str, str] = {}
    for reference, encoder in encoders.items():
        try:
            own = (
                _oracle(reference, encoder, task)
                if isinstance(encoder, Informed)
                else (reference, encoder)
            )
            by_reference[own[0]] = Reader(
                *own, how.of(encoder) if own[1] is encoder else (), how.seeds
            )
        except OracleProblem as problem:
            refused[reference] = str(problem)
    return list(by_reference.values()), refused


def _bounds(task: Task, words: bool, kinds: Collection[Kind]) -> Iterable[tuple[str, Encoder]]:
    """The baselines of a task, and its default oracle where it has one."""
    for baseline in BASELINES[words] if "baseline" in kinds else ():
        yield ENCODERS.canonical(baseline), ENCODERS.make(baseline)
    oracle = ENCODERS.make(ORACLE)
    if "oracle" in kinds and oracles_of(task) and isinstance(oracle, Informed):
        yield _oracle(ENCODERS.canonical(ORACLE), oracle, task)


def _oracle(reference: str, encoder: Informed, task: Task) -> tuple[str, Encoder]:
    """The oracle that an encoder stands for in a task, under a reference that names it;
    OracleProblem where there is none.
    """
    known = oracles_of(task)
    if not known:
        raise OracleProblem("its data carry no annotation that an oracle could hold")
    if encoder.oracle is None:
        return _called(reference, encoder, next(iter(known)))
    if encoder.oracle not in known:
        raise OracleProblem(f"it has no oracle {encoder.oracle!r}; it has {', '.join(known)}")
    return reference, encoder


def _called(reference: str, encoder: Informed, oracle: str) -> tuple[str, Encoder]:
    """An encoder that holds a task's default oracle, and the reference with its name."""
    whole = encoder.named(oracle)
    if reference == encoder.name:  # it was given as an object
        return whole.name, whole
    return ENCODERS.canonical(replace(Reference.parse(reference), argument=oracle)), whole
