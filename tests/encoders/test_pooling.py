"""Pooling on a device: nothing waits for it before the batch is asked for, and what comes back is
what the processor gives.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from lingprobe.encoders.pooling import (
    _POOLS,
    KeptTokens,
    PendingBatches,
    PooledBatch,
    PoolWish,
    pool_on_device,
    pool_states,
)
from probes.elsewhere import PLACE, elsewhere

KEPT = np.array([[0, 1, 1, 0, 1], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], bool)


def draw_states(dtype=torch.float32, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(3, 5, 4, generator=generator).to(dtype)


@pytest.mark.parametrize("pool", _POOLS)
def test_no_value_of_the_device_is_asked_for(pool):
    """A tensor on `meta` has a shape and no numbers, so that whatever needs one is an error."""
    states = torch.empty(3, 5, 4, dtype=torch.bfloat16, device="meta")
    pooled = pool_on_device(PoolWish(pool, states, KeptTokens(KEPT, "meta")))
    assert pooled.device.type == "meta"
    assert pooled.dtype == torch.float32
    assert pooled.shape == (int(KEPT.sum()) if pool == "none" else 3, 4)


@pytest.mark.parametrize("pool", _POOLS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_states_of_half_the_bits_are_pooled_as_if_they_were_widened_first(pool, dtype):
    states = draw_states(dtype)
    found, expected = pool_states(pool, states, KEPT), pool_states(pool, states.float(), KEPT)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_all_layers_come_back_at_once_as_the_processor_gives_them(monkeypatch):
    wishes = [(pool, draw_states(seed=k)) for k, pool in enumerate(_POOLS)]
    here = [pool_states(pool, states, KEPT) for pool, states in wishes]
    with elsewhere():
        tokens = KeptTokens(KEPT, PLACE)
        away = [PoolWish(pool, states.to(PLACE), tokens) for pool, states in wishes]
        found = PooledBatch.of(away).fetch()
    assert len(found) == len(here)
    for one, other in zip(found, here, strict=True):
        assert np.array_equal(one, other)


class Event:
    """Says when it is waited for."""

    def __init__(self, name, said):
        self.name, self.said = name, said

    def synchronize(self):
        self.said.append(f"waited for {self.name}")


def test_a_batch_is_waited_for_while_the_next_is_computed():
    said, arrivals = [], PendingBatches()
    for name in "abc":
        said.append(f"computed {name}")
        batch = PooledBatch(torch.zeros(2), [(1, 2)], Event(name, said))
        arrivals.add(batch, lambda arrays, name=name: said.append(f"put {name}"))
    arrivals.finish()
    order = ["computed a", "computed b", "waited for a", "put a"]
    order += ["computed c", "waited for b", "put b", "waited for c", "put c"]
    assert said == order


def test_what_is_there_is_put_at_once():
    found, arrivals = [], PendingBatches()
    arrivals.add(PooledBatch.of([PoolWish("mean", draw_states(), KeptTokens(KEPT))]), found.extend)
    assert len(found) == 1
    assert not arrivals.waiting
