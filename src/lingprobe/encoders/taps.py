"""Where a running model is read and changed: what its blocks and their parts are given and give.
`forward` is wrapped for good, so the model has to be one of ours. Imports torch.

A site is read before it is changed, so it gives what it was. States lie in a model as they lie:
with tokens first, with all tokens one after the other; here they are always [rows, tokens, width].
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import wraps
from typing import Any

from torch import Tensor

from lingprobe.data.abilities import Edit
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders.blocks import first_states

Turn = tuple[int, int, int]
Place = tuple[str, int]
"""A part and its block: `pre` and `post` (what the block is given and gives), `attn`, `mlp`,
`heads`.
"""
Raw = Mapping[Place, Tensor]
"""By part and block what was caught of it: [rows, tokens, width], of `heads` side by side, and
`map` [rows, heads, tokens, tokens].
"""
Forward = Callable[..., Any]


class _Pass(threading.local):
    """The pass that a thread is at: what it is to catch, at which block it is, the rows and tokens
    of its states, what was caught.
    """

    def __init__(self) -> None:
        self.wanted: Set[Place] = frozenset()
        self.block, self.shape = 0, (0, 0)
        self.caught: dict[Place, Tensor] = {}


class ModuleTaps:
    """The wrapped functions of one model.

    turn   the axes of its states that are rows, tokens and width
    edits  what is changed at present
    """

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.edits: Mapping[Place, Edit] = {}
        self._current = _Pass()

    @contextmanager
    def catching(self, shape: tuple[int, int], wanted: Set[Place]) -> Iterator[dict[Place, Tensor]]:
        """Catch what is wanted of this thread's passes over rows of tokens of a shape."""
        current = self._current
        current.wanted, current.shape, current.caught = wanted, shape, {}
        try:
            yield current.caught
        finally:
            current.wanted, current.caught = frozenset(), {}

    def weigh(self, weights: Tensor) -> None:
        """Note weights of attention, where they are wanted of this block."""
        key = "map", self._current.block
        if key in self._current.wanted:
            self._current.caught[key] = weights

    def begin(self, forward: Forward) -> Forward:
        """A model's function, with whose calls blocks are counted anew: one block may be called for
        every layer (ALBERT), and a pass may end early.
        """

        @wraps(forward)
        def run_model(*given: Any, **named: Any) -> Any:
            self._current.block = 0
            return forward(*given, **named)

        return run_model

    def around_block(self, forward: Forward) -> Forward:
        """A block's function."""
        run = self.around(("pre",), ("post",), forward)

        @wraps(forward)
        def run_block(*given: Any, **named: Any) -> Any:
            self._current.block += 1
            if self.edits and not self._current.wanted:  # else the shape is known
                states = first_states([*given, *named.values()])
                if states is not None and states.ndim == len(self.turn):
                    rows, tokens, _ = states.permute(self.turn).shape
                    self._current.shape = rows, tokens
            return run(*given, **named)

        return run_block

    def around(self, before: Iterable[str], behind: Iterable[str], forward: Forward) -> Forward:
        """A module's function: which parts are what it is given, and which what it gives."""
        firsts, lasts = tuple(before), tuple(behind)

        @wraps(forward)
        def run(*given: Any, **named: Any) -> Any:
            for kind in firsts:
                values = [*given, *named.values()]
                if change := self._meet(kind, values):
                    given = tuple(map(change, given))
                    named = {name: change(value) for name, value in named.items()}
            back = forward(*given, **named)
            for kind in lasts:
                held = list(back) if isinstance(back, tuple | list) else [back]
                if change := self._meet(kind, held):
                    is_plain = isinstance(back, Tensor)
                    back = change(back) if is_plain else type(back)(map(change, held))
            return back

        return run

    def _meet(self, kind: str, values: Sequence[Any]) -> Callable[[Any], Any] | None:
        """Catch the first states among some values, where they are wanted; and what puts others in
        their place, where they are changed.
        """
        key, current = (kind, self._current.block), self._current
        edit = self.edits.get(key)
        if edit is None and key not in current.wanted:
            return None
        value, states = self._find(values)
        if states is not None and key in current.wanted:
            current.caught[key] = states.detach().clone()
        if edit is None:
            return None
        if states is None:
            raise EncoderStop(
                f"{kind} of block {key[1]} of this model is nothing that lies as rows of tokens, so"
                " it cannot be changed"
            )
        new = edit(states)
        put = new.reshape(value.shape) if value.ndim == 2 else new.permute(self.turn)
        return lambda each: put if each is value else each

    def _find(self, values: Sequence[Any]) -> tuple[Any, Tensor | None]:
        """The first states among some values: as they lie, and as rows of tokens."""
        for value in values:
            if (laid := arrange_states(value, self._current.shape, self.turn)) is not None:
                return value, laid
        return None, None


def arrange_states(value: Any, shape: tuple[int, int], turn: Turn) -> Tensor | None:
    """States as rows of tokens, [rows, tokens, width]; None where a value is nothing of that kind.
    Some models put all tokens one after the other (OPT).
    """
    if not isinstance(value, Tensor) or not value.is_floating_point():
        return None
    if value.ndim == 2 and value.shape[0] == shape[0] * shape[1]:
        return value.reshape(*shape, -1)
    turned = value.permute(turn) if value.ndim == 3 else None
    return turned if turned is not None and turned.shape[:2] == shape else None
