"""Shares of a run: who does what, told by nobody."""

import pytest

from lingprobe.data.errors import UsageProblem
from lingprobe.experiment.shards import WHOLE_WORK_SHARE, WorkShare

UNITS = [(f"ud/task{i}", f"encoder{j}", "logreg") for i in range(40) for j in range(5)]


@pytest.mark.parametrize("of", [1, 2, 3, 16])
def test_every_unit_is_in_one_share_and_shares_are_alike(of):
    shards = [WorkShare(number, of) for number in range(1, of + 1)]
    mine = [[unit for unit in UNITS if shard.turn(*unit) == 0] for shard in shards]
    assert sorted(unit for each in mine for unit in each) == sorted(UNITS)
    sizes = [len(each) for each in mine]
    assert max(sizes) < 3 * len(UNITS) / of
    assert min(sizes) > 0


def test_the_deal_is_the_same_everywhere_and_always():
    assert [WorkShare(1, 16).turn(*unit) for unit in UNITS[:8]] == [7, 5, 13, 15, 8, 1, 2, 3]


def test_ones_own_share_comes_first_and_then_that_of_the_next():
    for number in (1, 2, 3):
        shard = WorkShare(number, 3)
        order = [shard.turn(*unit) for unit in shard.order(UNITS, lambda unit: unit)]
        assert order == sorted(order)
        assert set(order) == {0, 1, 2}
    second = [unit for unit in UNITS if WorkShare(2, 3).turn(*unit) == 0]
    assert [unit for unit in UNITS if WorkShare(1, 3).turn(*unit) == 1] == second


def test_without_shares_the_order_stays():
    assert WHOLE_WORK_SHARE.order(UNITS, lambda unit: unit) == UNITS


def test_a_share_is_read():
    assert WorkShare.parse("3/16") == WorkShare(3, 16)
    assert WorkShare.parse("1/1") == WHOLE_WORK_SHARE


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "-1/4", "1/0", "3/16/1", "a/b", "1 / 2"])
def test_what_is_no_share_is_told(text):
    with pytest.raises(UsageProblem, match="write NUMBER/OF, as 3/16"):
        WorkShare.parse(text)


@pytest.mark.parametrize(
    ("said", "shard"),
    [
        ("ID=1 COUNT=4 MIN=1 MAX=4 STEP=1", WorkShare(1, 4)),
        ("ID=4 COUNT=4 MIN=1 MAX=4 STEP=1", WorkShare(4, 4)),
        ("ID=0 COUNT=16 MIN=0 MAX=15 STEP=1", WorkShare(1, 16)),
        ("ID=30 COUNT=16 MIN=0 MAX=30 STEP=2", WorkShare(16, 16)),
        # one task that is submitted again by itself does whatever is left
        ("ID=7 COUNT=1 MIN=7 MAX=7 STEP=1", WorkShare(1, 1)),
        # two that are: --array=3,7
        ("ID=3 COUNT=2 MIN=3 MAX=7 STEP=1", WorkShare(1, 2)),
        ("ID=7 COUNT=2 MIN=3 MAX=7 STEP=1", WorkShare(1, 2)),
    ],
)
def test_a_task_of_an_array_has_its_share(said, shard):
    pairs = dict(each.split("=") for each in said.split())
    assert WorkShare.parse("slurm", {f"SLURM_ARRAY_TASK_{k}": v for k, v in pairs.items()}) == shard


def test_tasks_of_a_step_share_what_their_job_has():
    step = {"SLURM_NTASKS": "2", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "1"}
    shards = [
        WorkShare.parse("slurm", {**step, "SLURM_ARRAY_TASK_ID": str(task), "SLURM_PROCID": str(n)})
        for task in (1, 2, 3)
        for n in (0, 1)
    ]
    assert shards == [WorkShare(number, 6) for number in range(1, 7)]


def test_slurm_without_its_variables_is_told():
    with pytest.raises(UsageProblem, match="neither SLURM_ARRAY_TASK_ID nor SLURM_PROCID is set"):
        WorkShare.parse("slurm", {})
    with pytest.raises(UsageProblem, match="a variable of SLURM is not a number"):
        WorkShare.parse("slurm", {"SLURM_ARRAY_TASK_ID": "one"})
