"""States of tokens, as networks have them, pooled over those that count. Imports torch.

On a GPU nothing here waits for it before a whole batch was asked for: which tokens count is known
on the host, states are pooled in the type that they have, and all layers come back into one piece
of pinned memory, while the next batch is computed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lingprobe.data.vectors import Floats


@dataclass(frozen=True, eq=False)
class KeptTokens:
    """Which tokens of a batch count, [batch, tokens], on the host and where states are."""

    kept: NDArray[np.bool_]
    device: torch.device | str = "cpu"

    @functools.cached_property
    def mask(self) -> Tensor:
        """The same, [batch, tokens]."""
        return self._send(self.kept)

    @functools.cached_property
    def places(self) -> Tensor:
        """Which rows they are of the states of all tokens, one batch row after the other [kept]."""
        return self._send(np.flatnonzero(self.kept))

    def _send(self, array: NDArray[np.generic]) -> Tensor:
        held = torch.from_numpy(np.ascontiguousarray(array))
        if torch.device(self.device).type == "cuda":
            return held.pin_memory().to(self.device, non_blocking=True)
        return held.to(self.device)


class PoolWish(NamedTuple):
    """States [batch, tokens, dim] to be pooled over some tokens."""

    pool: str
    states: Tensor
    tokens: KeptTokens


def pool_states(pool: str, states: Tensor, mask: NDArray[np.bool_]) -> Floats:
    """The states [batch, tokens, dim] pooled over the tokens where mask [batch, tokens] is true:
    [batch, dim], zeros where none is; or those tokens.
    """
    (found,) = PooledBatch.of([PoolWish(pool, states, KeptTokens(mask, states.device))]).fetch()
    return found


@dataclass(frozen=True, eq=False)
class PooledBatch:
    """Pooled states of a batch on their way to the host.

    buffer   what they are copied to, [numbers]
    shapes   of each array
    arrived  what says that the copies are done; None where they are
    """

    buffer: Tensor
    shapes: Sequence[tuple[int, int]]
    arrived: torch.cuda.Event | None = None

    @classmethod
    def of(cls, wishes: Sequence[PoolWish]) -> PooledBatch:
        """Pool on the device, and begin to copy."""
        pooled = [pool_on_device(wish) for wish in wishes]
        on_gpu = any(each.is_cuda for each in pooled)
        shapes = [(int(each.shape[0]), int(each.shape[1])) for each in pooled]
        size = sum(rows * dim for rows, dim in shapes)
        buffer = torch.empty(size, dtype=torch.float32, pin_memory=on_gpu)
        start = 0
        for each, (rows, dim) in zip(pooled, shapes, strict=True):
            place = buffer[start : start + rows * dim].view(rows, dim)
            place.copy_(each, non_blocking=on_gpu)
            start += rows * dim
        if not on_gpu:
            return cls(buffer, shapes)
        arrived = torch.cuda.Event()  # type: ignore[no-untyped-call]
        arrived.record()
        return cls(buffer, shapes, arrived)

    def fetch(self) -> list[Floats]:
        """The arrays, once they are there."""
        if self.arrived is not None:
            self.arrived.synchronize()
        numbers, start, found = self.buffer.numpy(), 0, []
        for rows, dim in self.shapes:
            found.append(numbers[start : start + rows * dim].reshape(rows, dim))
            start += rows * dim
        return found


@dataclass
class PendingBatches:
    """Batches that come back from a device: each is put in its place while the next is computed,
    and at once where nothing has to be waited for.
    """

    waiting: list[tuple[PooledBatch, Callable[[list[Floats]], None]]] = field(default_factory=list)

    def add(self, batch: PooledBatch, put: Callable[[list[Floats]], None]) -> None:
        """A batch, and what is done with its arrays."""
        if batch.arrived is None:
            put(batch.fetch())
            return
        self.finish()
        self.waiting.append((batch, put))

    def finish(self) -> None:
        """Wait for what is left."""
        while self.waiting:
            batch, put = self.waiting.pop(0)
            put(batch.fetch())


def pool_on_device(wish: PoolWish) -> Tensor:
    """Pooled states [rows, dim] float32, where the states are: nothing here depends on values that
    only the device knows.
    """
    return _POOLS[wish.pool](wish.states, wish.tokens).float()


def _pool_mean(values: Tensor, tokens: KeptTokens) -> Tensor:
    """The mean of the kept tokens: pool=mean."""
    return _mean_where(values, tokens.mask)


def _mean_where(values: Tensor, mask: Tensor) -> Tensor:
    sums = torch.where(mask.unsqueeze(-1), values, 0).sum(1, dtype=torch.float32)
    return sums / mask.sum(1, keepdim=True).clamp(min=1)


def _rest(values: Tensor, tokens: KeptTokens) -> Tensor:
    """The mean without the first token, unless it is alone: pool=rest."""
    mask = tokens.mask
    places = torch.where(mask, torch.arange(mask.shape[1], device=mask.device), mask.shape[1])
    first = places.amin(1, keepdim=True)
    alone = mask.sum(1, keepdim=True) < 2
    return _mean_where(values, mask & (alone | (places > first)))


def _max(values: Tensor, tokens: KeptTokens) -> Tensor:
    """The largest value of each unit over the kept tokens: pool=max."""
    mask = tokens.mask
    lowest = values.masked_fill(~mask.unsqueeze(-1), -torch.inf).amax(1)
    return torch.where(mask.any(1, keepdim=True), lowest, 0)


def _pool_first_token(values: Tensor, tokens: KeptTokens) -> Tensor:
    return values[:, 0]  # the first token whether special or not: that is what [CLS] is for


def _last(values: Tensor, tokens: KeptTokens) -> Tensor:
    """The last kept token: pool=last."""
    mask = tokens.mask
    places = torch.where(mask, torch.arange(mask.shape[1], device=mask.device), -1).amax(1)
    rows = torch.arange(len(values), device=values.device)
    picked = values[rows, places.clamp(min=0)]
    return torch.where((places >= 0).unsqueeze(-1), picked, 0)


def _units(values: Tensor, tokens: KeptTokens) -> Tensor:
    return values.flatten(0, 1).index_select(0, tokens.places)


_POOLS: dict[str, Callable[[Tensor, KeptTokens], Tensor]] = {
    "mean": _pool_mean,
    "rest": _rest,
    "max": _max,
    "cls": _pool_first_token,
    "last": _last,
    "end": _last,
    "none": _units,
}
