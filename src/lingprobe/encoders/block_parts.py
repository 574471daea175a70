"""Which modules are the parts of a transformer's block, by what one pass gave. Imports torch.

What a module is called decides nothing. The parts of a block are the two modules whose outputs,
added to what the block is given, lead to what it returns, in the order of sums and norms that the
model has. The one behind which attention was computed is its attention, the other its MLP. Heads
are what attention makes of values, where a module is given just these, one head beside the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lingprobe.encoders.sites import BLOCK_PART_SITES

Doubles = NDArray[np.float64]

_MARKED = 256  # numbers of a state by which sums are recognised
_CLOSE = 1e-5  # how far a sum may be off, of the largest number: rounding is a hundredth of that
_NO_SUM = "what its blocks return is not the sum of what they are given and of two parts"
_NO_ATTENTION = "no attention is computed in the block"
_NO_HEADS = "no module of the block is given the heads side by side"


@dataclass(frozen=True)
class ModuleCall:
    """A module's call: what it was given first and what it returned, in rows of tokens, None where
    that is no state.
    """

    module: str
    given: Tensor | None
    back: Tensor | None


@dataclass
class BlockRecording:
    """What was seen of one block: its calls, inner ones first; weights of attention, each with the
    number of calls before it; and what they made of values.
    """

    given: Tensor
    calls: list[ModuleCall] = field(default_factory=list)
    weights: list[tuple[int, Tensor]] = field(default_factory=list)
    mixed: list[Tensor] = field(default_factory=list)
    back: Tensor | None = None


@dataclass(frozen=True)
class BlockModules:
    """The modules of a block: those that give what attention and MLP add, and the one that is given
    the heads, of which there are `many`; '' for none, and `why`.
    """

    attn: str = ""
    mlp: str = ""
    heads: str = ""
    many: int = 0
    width: int = 0
    whole: int = 0
    why: Mapping[str, str] = field(default_factory=dict)


def find_parts(block: BlockRecording) -> BlockModules:
    """Which modules are the attention, the MLP and the heads of a block, checked by adding up what
    they give.
    """
    why: dict[str, str] = {}
    names = {"attn": "", "mlp": ""}
    both = _summands(block)
    if not block.weights:
        why |= dict.fromkeys((*BLOCK_PART_SITES, "heads", "map"), _NO_ATTENTION)
    elif both is None:
        why |= dict.fromkeys(BLOCK_PART_SITES, _NO_SUM)
    else:
        is_first = block.weights[0][0] <= both[0]
        order = both if is_first else both[::-1]
        names = dict(zip(BLOCK_PART_SITES, (block.calls[n].module for n in order), strict=True))
    heads, many, width = _find_head_module(block)
    if not heads:
        why.setdefault("heads", _NO_HEADS)
    many = many or (block.weights[0][1].shape[1] if block.weights else 0)
    if block.weights and (len(block.weights) > 1 or block.weights[0][1].shape[1] != many):
        why["map"] = "attention is computed more than once in the block"
    whole = block.given.shape[-1] if block.given.ndim == 3 else 0
    return BlockModules(names["attn"], names["mlp"], heads, many, width, whole, why)


def _find_head_module(block: BlockRecording) -> tuple[str, int, int]:
    """The module that is given what attention made of values, heads side by side; how many there
    are, and how wide that is.
    """
    for mixed in block.mixed if block.weights else ():
        beside = mixed.transpose(1, 2).flatten(2)
        for call in block.calls:
            given = call.given
            if given is not None and given.shape == beside.shape and torch.equal(given, beside):
                return call.module, mixed.shape[1], beside.shape[-1]
    return "", 0, 0


@dataclass(frozen=True)
class _Marks:
    """Some numbers, always the same, of states: of what calls were given and what they returned
    [calls, _MARKED], and of what the block returned [_MARKED]; NaN for what is no such state.
    """

    given: Doubles
    back: Doubles
    end: Doubles

    def same(self, rows: Doubles, row: Doubles) -> Any:
        """Which rows are this one, but for rounding."""
        return (np.abs(rows - row) <= _CLOSE * np.abs(self.end).max()).all(-1)

    def forms(self, state: Doubles) -> list[Doubles]:
        """A state, and what modules made of it, such as norms."""
        return [state, *self.back[self.same(self.given, state)]]

    def is_known(self, state: Doubles) -> bool:
        """Whether a module was given a state, or returned it."""
        return bool((self.same(self.given, state) | self.same(self.back, state)).any())

    def is_end(self, state: Doubles) -> bool:
        """Whether a state, or what a module made of it, is what the block returned."""
        return any(self.same(form, self.end) for form in self.forms(state))


def _summands(block: BlockRecording) -> tuple[int, int] | None:
    """The two calls whose outputs lead from what a block is given to what it returns: one after the
    other, or both at once; the inner module's where one returns what another does.
    """
    if block.back is None or block.back.shape != block.given.shape:
        return None
    places = np.random.default_rng(0).integers(0, block.back.numel(), _MARKED)

    def mark(states: Sequence[Tensor | None]) -> Doubles:
        rows = np.full((len(states), _MARKED), np.nan)
        for row, state in zip(rows, states, strict=True):
            if state is not None and state.shape == block.given.shape:
                row[:] = state.double().cpu().numpy().ravel()[places]
        return rows

    start, end = mark([block.given, block.back])
    marks = _Marks(
        mark([call.given for call in block.calls]), mark([call.back for call in block.calls]), end
    )
    times = Counter(call.module for call in block.calls)
    once = [n for n, call in enumerate(block.calls) if times[call.module] == 1]
    pairs = list(combinations(once, 2))
    return next(chain(_in_turn(marks, start, pairs), _at_once(marks, start, pairs)), None)


def _in_turn(
    marks: _Marks, start: Doubles, pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Pairs of calls of which the second adds to what the first made of the start."""
    for before in marks.forms(start):
        firsts = dict.fromkeys(one for one, _ in pairs)
        known = {one for one in firsts if marks.is_known(before + marks.back[one])}
        for one, other in (pair for pair in pairs if pair[0] in known):
            between = marks.forms(before + marks.back[one])
            if any(marks.is_end(state + marks.back[other]) for state in between):
                yield one, other


def _at_once(
    marks: _Marks, start: Doubles, pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Pairs of calls that both add to the start."""
    for before in marks.forms(start):
        for one, other in pairs:
            if marks.is_end(before + marks.back[one] + marks.back[other]):
                yield one, other
