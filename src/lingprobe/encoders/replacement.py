"""States of a model that are replaced while the rest of it runs. Imports torch.

State k is what block k + 1 is given. `forward` of each block is wrapped for good, so the model has
to be one of ours; where nothing is replaced it is given what it was given before.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from torch import Tensor

from lingprobe.data.examples import EncoderStop
from lingprobe.encoders.blocks import Layers, first_states

Edit = Callable[[Tensor], Tensor]
"""States [..., dim] -> as many others."""


class Replacement:
    """The blocks of a model, and what their states are replaced by at present; for one reader of
    the model at a time.
    """

    def __init__(self, model: Any, layers: Layers) -> None:
        self.edits: Mapping[int, Edit] = {}
        self._widths, self._kind = layers.widths, model.config.model_type
        blocks = model.get_submodule(layers.blocks)
        self._children = list({id(child): child for child in blocks.children()}.values())
        for number, child in enumerate(self._children):
            child.forward = self._wrap(number, child.forward)

    @contextmanager
    def by(self, edits: Mapping[int, Edit]) -> Iterator[None]:
        """Replace states by layer until the block ends. EncoderStop where there is no such state,
        or where it cannot be replaced.
        """
        last = len(self._widths) - 1
        if len(self._children) != last:  # as ALBERT, whose block is run again and again
            raise EncoderStop(
                f"a {self._kind} model has no block of its own for each layer, so no state of it"
                " can be replaced"
            )
        if bad := [number for number in edits if not 0 <= number < last]:
            raise EncoderStop(
                f"nothing of the model reads state {bad[0]}: take one from 0 to {last - 1}"
            )
        before, self.edits = self.edits, {**self.edits, **edits}
        try:
            yield
        finally:
            self.edits = before

    def _wrap(self, number: int, forward: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(forward)
        def run_block(*given: Any, **named: Any) -> Any:
            edit = self.edits.get(number)
            if edit is None:
                return forward(*given, **named)
            states = first_states([*given, *named.values()])
            if states is None or states.shape[-1] != self._widths[number]:
                raise EncoderStop(
                    f"the states of a {self._kind} model lie otherwise than [rows, tokens, width],"
                    " so they cannot be replaced"
                )
            new = edit(states)
            return forward(
                *(new if each is states else each for each in given),
                **{name: new if each is states else each for name, each in named.items()},
            )

        return run_block


@functools.lru_cache(maxsize=4)
def replacement_of(model: Any, layers: Layers) -> Replacement:
    """What replaces the states of a model; the same for the same model."""
    return Replacement(model, layers)
