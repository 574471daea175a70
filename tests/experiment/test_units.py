"""Units of work: what is large is cut, always alike, and a kill loses one unit at most."""

import pytest

from experiment.test_sharing import content
from lingprobe.data.core import Trial
from lingprobe.experiment import units, work
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialDesign, make_plan
from lingprobe.experiment.run import find_missing, run_plan
from lingprobe.experiment.status import list_unit_status
from lingprobe.experiment.units import TaskDimensions, split_into_units
from lingprobe.store.experiments import list_experiments


def trials(reads, seeds):
    return [Trial("t", "e", read, "p", "none", seed) for read in reads for seed in range(seeds)]


SIZE = TaskDimensions(examples=100, width=10, layers=("0", "1", "2"))


def test_what_is_small_is_one_unit():
    asked = trials("012", 5)
    assert list(split_into_units(asked, SIZE)) == [tuple(asked)]


@pytest.mark.parametrize(
    ("largest", "sizes"),
    [(15_000, [15]), (10_000, [10, 5]), (9_999, [5] * 3), (3_000, [3, 2] * 3), (1, [1] * 15)],
)
def test_reads_are_cut_before_seeds(monkeypatch, largest, sizes):
    monkeypatch.setattr(units, "_LARGEST", largest)
    asked = trials("012", 5)
    made = list(split_into_units(asked, SIZE))
    assert [len(unit) for unit in made] == sizes
    assert [trial for unit in made for trial in unit] == asked


def test_a_read_of_several_layers_costs_as_much_as_they_do(monkeypatch):
    monkeypatch.setattr(units, "_LARGEST", 3_000)
    asked = trials(["mix", "cat:0+1", "0"], 1)
    assert [len(unit) for unit in split_into_units(asked, SIZE)] == [1, 2]


@pytest.fixture
def asked(tmp_path):
    """A plan of one task whose three seeds would be fitted in one pass, and its paths."""
    paths = RunPaths.of(tmp_path / "out", tmp_path / "cache")
    tasks = ["ud/tense:embedded,limit=200"]
    return make_plan(
        TrialDesign(tasks, ["bow:random,dim=8"], ["mlp"], ["shuffled"], seeds=3), paths
    ), paths


def test_a_run_that_was_cut_goes_on_behind_the_last_unit(asked, monkeypatch, tmp_path):
    made, paths = asked
    assert len(find_missing(made, paths)[1]) == 4  # the task, and each draw of the control
    monkeypatch.setattr(units, "_LARGEST", 1)
    assert len(find_missing(made, paths)[1]) == 6
    alone, fitted = work.fit_groups, []

    def dies(parts):
        if len(fitted) == 2:
            raise KeyboardInterrupt
        fitted.append(parts)
        return alone(parts)

    monkeypatch.setattr(work, "fit_groups", dies)
    with pytest.raises(KeyboardInterrupt):
        run_plan(made, paths, progress=False)
    states = [unit.state for unit in list_unit_status(list_experiments(paths.results)[0], paths)]
    assert sorted(states) == ["done"] * 4 + ["waiting"] * 2
    monkeypatch.setattr(work, "fit_groups", alone)
    assert run_plan(made, paths, progress=False).fresh == 2
    undisturbed = RunPaths.of(tmp_path / "other", tmp_path / "cache")
    run_plan(made, undisturbed, progress=False)
    assert content(paths.results) == content(undisturbed.results)
