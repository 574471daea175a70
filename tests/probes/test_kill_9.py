"""Kill -9 in the middle of a long fit: a second process goes on where the first one was, and ends
in the bits of a fit that nothing disturbed.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time

import numpy as np
import pytest

from lingprobe.data.checkpoints import keeping
from lingprobe.nets.precision import limit_threads
from lingprobe.store.checkpoints import Checkpoints
from probes.pairs import scored_pairs
from probes.test_device import classes, said
from probes.test_span import readings as spans

FITS = {  # of hundreds of steps
    "mlp,hidden=10,precision=float32": (classes, ("0", "1")),
    "relatedness": (scored_pairs, ("-",)),
    "span,projection=8,hidden=8": (spans, ("mix",)),
}


class Telling(Checkpoints):
    """Keeps a state at every step, and tells the step."""

    due = True

    def __init__(self, place, pipe):
        super().__init__(place)
        self.pipe = pipe

    def keep(self, name, state):
        super().keep(name, state)
        self.pipe.send(state.facts["step"])


class Finding(Checkpoints):
    """Goes on from what was kept, and remembers the step."""

    step = 0

    def find(self, name):
        if found := super().find(name):
            self.step = found.facts["step"]
        return found


def fitted(probe, keeper):
    """What a probe says, fitted in one thread."""
    make, reads = FITS[probe]
    with limit_threads(1), keeping(keeper):
        return said(probe, make(), reads, seeds=(0,))


def elsewhere(probe, place, pipe):
    fitted(probe, Telling(place, pipe))


@pytest.fixture(scope="module")
def processes():
    """Makes processes that have this module imported, and have computed nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
        yield context


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
@pytest.mark.parametrize("probe", FITS)
def test_a_fit_that_is_killed_ends_in_the_bits_of_an_undisturbed_one(probe, processes, tmp_path):
    chance = np.random.default_rng(len(probe))
    here, there = processes.Pipe(duplex=False)
    first = processes.Process(target=elsewhere, args=(probe, tmp_path / "unit", there))
    first.start()
    there.close()
    step, last = 0, int(chance.integers(20, 60))
    while step < last:
        step = here.recv()
    time.sleep(chance.uniform(0, 0.02))  # to wherever it is then, writing or not
    first.kill()
    first.join()
    assert first.exitcode == -signal.SIGKILL
    second = Finding(tmp_path / "unit")
    found = fitted(probe, second)
    assert second.step >= last
    expected = fitted(probe, Checkpoints(tmp_path / "undisturbed"))
    for (scores, choice), (wanted, told) in zip(found, expected, strict=True):
        np.testing.assert_array_equal(scores, wanted)
        assert dict(choice) == dict(told)
