"""What all sentences have before them, read once: a model that reads from left to right keeps what
its attention made of it (keys and values), and each sentence goes on from there. Imports torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from lingprobe.encoders.alone import are_vectors_close

MIN_SHARED_TOKENS = 8  # tokens from which on it pays to read them once
_TRIED = 6  # tokens behind them on which a model is tried

Rows = Sequence[Sequence[int]]


class ContinuableNetwork(Protocol):
    """A network that can go on from what it read before."""

    @property
    def limit(self) -> int: ...

    def hidden_states(
        self, ids: Rows, types: Rows | None = None, highest: int | None = None
    ) -> tuple[Tensor, ...]: ...

    def continue_from(
        self, ids: Rows, cache: Any, before: int, highest: int | None
    ) -> tuple[Tensor, ...]:
        """The hidden states of rows of token ids that stand behind so many tokens, of which the
        cache has keys and values; it takes up those of the rows.
        """
        ...


@dataclass(frozen=True)
class SharedStart:
    """Tokens that rows begin with, as a network has read them.

    ids      the tokens
    kept     keys and values of each block, [1, heads, tokens, width] each
    states   their hidden states, [1, tokens, dim] each
    highest  the highest layer that was read
    """

    network: ContinuableNetwork
    ids: tuple[int, ...]
    kept: tuple[tuple[Tensor, Tensor], ...]
    states: tuple[Tensor, ...]
    highest: int

    def begins(self, row: Sequence[int]) -> bool:
        """Whether a row begins with them, and goes on."""
        return len(row) > len(self.ids) and tuple(row[: len(self.ids)]) == self.ids

    @torch.inference_mode()
    def hidden_states(self, rows: Rows) -> tuple[Tensor, ...]:
        """The hidden states of rows that begin with them, [rows, longest, dim] each."""
        from transformers import DynamicCache

        many = len(rows)
        cache = DynamicCache(
            [tuple(each.expand(many, -1, -1, -1) for each in pair) for pair in self.kept]
        )
        rest = [row[len(self.ids) :] for row in rows]
        behind = self.network.continue_from(rest, cache, len(self.ids), self.highest)
        return tuple(
            torch.cat([first.expand(many, -1, -1), last], 1)
            for first, last in zip(self.states, behind, strict=True)
        )


def shared_start(
    network: ContinuableNetwork, ids: tuple[int, ...], highest: int, tolerance: float
) -> SharedStart | None:
    """A prompt is read once, not with every sentence: tokens that rows begin with; None where a
    network does not keep what it read, or where vectors would differ by more than that share of
    their length.
    """
    rows = [[*ids, *ids[:_TRIED]], [*ids, *ids[1:3]]]
    if len(rows[0]) > network.limit:
        return None
    try:
        start = _read_start(network, ids, highest)
        found, wanted = start.hidden_states(rows), network.hidden_states(rows, None, highest)
        same = len(found) == len(wanted) and all(
            are_vectors_close(
                [a[k, : len(row)] for a in found], [b[k, : len(row)] for b in wanted], tolerance
            )
            for k, row in enumerate(rows)
        )
    except Exception:  # whatever models raise that keep something else, or nothing
        return None
    return start if same else None


@torch.inference_mode()
def _read_start(network: ContinuableNetwork, ids: tuple[int, ...], highest: int) -> SharedStart:
    from transformers import DynamicCache

    cache = DynamicCache()
    states = network.continue_from([ids], cache, 0, highest)
    kept = tuple((layer.keys, layer.values) for layer in cache.layers)
    return SharedStart(network, ids, kept, states, highest)
