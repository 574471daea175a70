"""A worker elsewhere takes no work that it would do otherwise."""

import os
from dataclasses import replace

import pytest

from lingprobe.experiment.agreement import MachineProfile
from lingprobe.experiment.runners import RunnerProblem
from lingprobe.experiment.runners.setting import WorkerEnvironment, mark_folders


@pytest.fixture
def setting(tmp_path, monkeypatch):
    """That of a run in a folder, of this very machine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    os.environ["LINGPROBE_DATA"] = "data"
    with mark_folders([tmp_path / "out", tmp_path / "cache"]) as marks:
        yield WorkerEnvironment(marks, tmp_path, 1).with_machine(MachineProfile.current(1))


def test_a_worker_that_is_alike_computes_as_it_is_told(setting, tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    del os.environ["LINGPROBE_DATA"]
    setting.adopt(0)
    assert os.environ["OMP_NUM_THREADS"] == "1"
    assert os.environ["LINGPROBE_DATA"] == "data"
    assert os.getcwd() == str(tmp_path)


@pytest.mark.parametrize("folder", ["out", "cache"])
def test_folders_of_the_same_name_elsewhere_are_not_the_same(setting, tmp_path, folder):
    next((tmp_path / folder).iterdir()).unlink()
    with pytest.raises(RunnerProblem, match=f"does not see .*{folder} as the machine does"):
        setting.adopt(0)


def test_marks_are_removed(tmp_path):
    with mark_folders([tmp_path / "a"]):
        assert len(list((tmp_path / "a").iterdir())) == 1
    assert not list((tmp_path / "a").iterdir())


def test_other_versions_and_other_code_take_no_work(setting):
    other = replace(setting, versions={**setting.versions, "numpy": "0.1"})
    with pytest.raises(RunnerProblem, match="another version of numpy: install the same"):
        other.adopt(0)
    with pytest.raises(RunnerProblem, match="has other code of lingprobe"):
        replace(setting, code="other").adopt(0)


def test_only_who_encodes_needs_the_device(setting):
    other = replace(setting, machine=MachineProfile("cuda", (), 1))
    other.adopt(0)
    with pytest.raises(RunnerProblem, match="cannot compute as the others do: it has no device"):
        other.adopt(1)
