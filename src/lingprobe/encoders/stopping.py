"""Passes of a model that end where the highest layer is known that is asked for. Imports torch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import torch
from torch import Tensor, nn

from lingprobe.data.errors import LingprobeError
from lingprobe.encoders.blocks import first_states

Stopped = Callable[[int, Callable[[], Any]], tuple[Tensor, ...]]
"""Runs a model until the block above a layer is called, and gives what all blocks were given."""


class _Known(LingprobeError):
    """The layer is known that a pass is to end at."""


class _Pass(threading.local):
    """The pass that a thread is at: where it ends, and what blocks were given."""

    def __init__(self) -> None:
        self.end: int | None = None
        self.given: list[Tensor | None] = []


def make_stoppable(
    blocks: nn.Module, outputs: Sequence[Tensor], run: Callable[[], Any]
) -> Stopped | None:
    """A model runs no further than the highest layer asked for: make its blocks end a pass; None
    where what they are given in `run` is not, bit by bit, what the whole pass says.

    `forward` is wrapped, as where layers are found, and stays so: the model has to be one of ours.
    """
    current = _Pass()

    def watch(forward: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(forward)
        def note(*given: Any, **named: Any) -> Any:
            if current.end is not None:
                current.given.append(first_states([*given, *named.values()]))
                if len(current.given) > current.end:
                    raise _Known
            return forward(*given, **named)

        return note

    for child in {id(child): child for child in blocks.children()}.values():
        child.forward = watch(child.forward)

    def run_to(layer: int, run: Callable[[], Any]) -> tuple[Tensor, ...]:
        given: list[Tensor | None] = []
        current.end, current.given = layer, given
        try:
            run()
        except _Known:
            pass
        finally:
            current.end, current.given = None, []
        return tuple(each for each in given if each is not None)

    blocks_given = run_to(len(outputs) - 1, run)
    same = len(blocks_given) == len(outputs) and all(map(torch.equal, blocks_given, outputs))
    return run_to if same else None
