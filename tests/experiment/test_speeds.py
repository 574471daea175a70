"""How fast a machine is, and how long work takes it."""

import math

from lingprobe.data.sizes import WorkAmount
from lingprobe.experiment.speeds import MachineSpeeds, measure_speeds


def test_what_multiplies_moves_and_calls_takes_its_time_one_after_the_other():
    machine = MachineSpeeds(products=100.0, memory=10.0, step=0.5)
    assert machine.seconds(WorkAmount(products=300, moved=20, steps=4)) == 3 + 2 + 2
    assert machine.seconds(WorkAmount(products=300).times(2)) == 6
    assert machine.seconds(WorkAmount()) == 0


def test_this_machine_is_measured_once():
    speeds = measure_speeds()
    assert all(math.isfinite(each) and each > 0 for each in speeds)
    assert measure_speeds() is speeds
