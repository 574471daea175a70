"""Schedules of probes against plain loops."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lingprobe.probes.schedules import AnnealingSchedule, SentEvalLoop, list_early_steps
from reference import schedules

sizes = st.one_of(st.integers(0, 200), st.integers(0, 10**5))


@given(sizes)
def test_batches_and_steps_are_as_many_as_stated(examples):
    plan = AnnealingSchedule()
    assert (plan.batch_of(examples), plan.steps_of(examples)) == schedules.fast(examples)
    assert SentEvalLoop(batch=7).batch_of(examples) == 7


@given(st.integers(1, 700), st.integers(1, 30))
def test_dev_is_looked_at_evenly_and_early(steps, many):
    plan = AnnealingSchedule(looks=many, cuts=((0.25, 4), (0.5, 1)))
    assert plan.looks_of(steps) == schedules.looks(steps, many)
    assert list_early_steps(steps) == schedules.early(steps)
    assert plan.cuts_of(steps) == {round(steps / 4): 4, round(steps / 2): 1}


def test_patience_ends_behind_so_many_misses():
    assert [SentEvalLoop(tenacity=2).over(misses) for misses in range(5)] == [False] * 3 + [
        True
    ] * 2
