"""What machines agree on that share a run."""

import json
import os
import subprocess
import sys
import threading

import pytest

import lingprobe
from lingprobe.experiment.agreement import (
    AgreementProblem,
    MachineProfile,
    name_request,
    reach_agreement,
    share_plan,
)
from lingprobe.nets import device, precision
from lingprobe.nets.device import resolved_device, resolved_dtype
from lingprobe.nets.precision import native_bf16, usable_threads
from lingprobe.store.claims import claim_of

CPU = MachineProfile("cpu", (), 2)
THINGS = {"encoder hf": json.dumps(["hf:file", "c0de", "abc cpu float32"])}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "request.agreement"


def on(monkeypatch, machine):
    """Be another machine."""
    monkeypatch.setattr(MachineProfile, "current", classmethod(lambda cls, jobs: machine))


def settle(file, things=THINGS, refused=()):
    with reach_agreement(file, 1) as agreement:
        agreement.settle(things, dict(refused))
    return agreement.machine


def test_the_first_resolves_and_others_compute_as_it_does(file, monkeypatch):
    on(monkeypatch, CPU)
    assert settle(file) == CPU
    on(monkeypatch, MachineProfile("cuda", ("cpu", "cuda"), 16))
    with reach_agreement(file, 1) as agreement:
        assert agreement.machine == CPU
        assert (resolved_device("auto"), usable_threads()) == ("cpu", 2)
        monkeypatch.setattr(precision, "_has_bf16", lambda: True)
        monkeypatch.setattr(device, "_capability", lambda: (9, 0))
        assert not native_bf16()
        assert resolved_dtype("auto", "cuda") == resolved_dtype("auto", "cpu") == "float32"
        assert resolved_dtype("bfloat16", "cpu") == "bfloat16"  # which was asked for
    assert native_bf16()
    assert not {"LINGPROBE_DEVICE", "LINGPROBE_BFLOAT16", "LINGPROBE_THREADS"} & os.environ.keys()


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (MachineProfile("cuda", ("cuda",), 2), CPU, "it has no device cuda"),
        (MachineProfile("cpu", ("cpu",), 2), CPU, "its cpu does not compute in bfloat16"),
        (
            MachineProfile("cuda", ("cuda",), 2),
            MachineProfile("cuda", ("cpu",), 2),
            "its cuda does not compute in bfloat16",
        ),
    ],
)
def test_a_machine_that_cannot_do_it_says_so(file, monkeypatch, first, second, said):
    on(monkeypatch, first)
    settle(file)
    on(monkeypatch, second)
    with pytest.raises(AgreementProblem, match=f"takes no jobs, .*: {said}; use a machine"):
        settle(file)


@pytest.mark.parametrize(
    ("things", "said"),
    [
        ({}, "encoder hf is not there"),
        (THINGS | {"task t": "[]"}, "task t is not in it"),
        ({"encoder hf": '["hf:file", "0ther", "abc"]'}, "encoder hf is of another version of the"),
        (
            {"encoder hf": '["hf:file", "c0de", "abc cuda bfloat16"]'},
            "encoder hf has 'abc cuda bfloat16' for 'abc cpu float32'",
        ),
    ],
)
def test_what_would_be_measured_otherwise_is_named(file, monkeypatch, things, said):
    on(monkeypatch, CPU)
    settle(file)
    with pytest.raises(AgreementProblem, match=said):
        settle(file, things, {"task t": "no file t"})
    assert settle(file) == CPU
    file.unlink()
    assert settle(file, things) == CPU


def test_others_wait_for_the_first(file, monkeypatch):
    on(monkeypatch, CPU)
    began, told = threading.Event(), []

    def first():
        with reach_agreement(file, 1) as agreement:
            began.set()
            told.append("first plans")
            agreement.settle(THINGS, {})
            told.append("first has settled")

    thread = threading.Thread(target=first)
    thread.start()
    assert began.wait(10)
    settle(file)
    told.append("second has settled")
    thread.join()
    assert told == ["first plans", "first has settled", "second has settled"]


def test_a_first_one_that_fails_leaves_it_to_the_next(file, monkeypatch):
    on(monkeypatch, CPU)
    with pytest.raises(KeyError), share_plan(file, 1, {}.popitem, lambda plan: ({}, {})):
        pass
    assert settle(file) == CPU


def test_a_request_is_what_was_typed():
    assert name_request("run", ["ud/tense"], {"seeds": 5}) == name_request(
        "run", ("ud/tense",), {"seeds": 5}
    )
    assert name_request("run", ["ud/tense"]) != name_request("run", ["ud/passive"])


def test_threads_are_shared_among_the_processes_of_a_machine(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "8,2")
    assert MachineProfile.current(1).threads == 8
    assert MachineProfile.current(3).threads == 2
    assert MachineProfile.current(16).threads == 1


def test_a_run_whose_data_have_changed_since_takes_no_work(tmp_path):
    lines = [f"the {w} {'sees' if i % 2 else 'saw'} it {i}" for i, w in enumerate("ab" * 30)]
    table = tmp_path / "t.tsv"

    def write(split):
        rows = [f"{split(i)}\t{'O' if i % 2 else 'C'}\t{s}" for i, s in enumerate(lines)]
        table.write_text("\n".join(rows) + "\n")

    def run():
        settings = {"probes": "majority", "baselines": "none", "output": tmp_path / "out"}
        return lingprobe.run(f"senteval/somo:{table}", "length", shard="1/2", **settings)

    write(lambda i: ("tr", "va", "te")[i % 3])
    assert len(run()) == 1
    assert run().fresh == 0
    write(lambda i: ("te", "va", "tr")[i % 3])
    with pytest.raises(AgreementProblem, match=r"task senteval.* has '.*' for '"):
        run()


def test_the_claim_of_a_killed_share_is_cleared_by_the_next(tmp_path):
    file = tmp_path / "a.agreement"
    with reach_agreement(file, 1) as agreement:
        agreement.settle({}, {})
    killed = subprocess.run(
        [
            sys.executable,
            "-c",
            "import os, sys; from pathlib import Path; from lingprobe.store.claims import"
            " claim_file\n"
            "with claim_file(Path(sys.argv[1])): os._exit(9)",
            str(file),
        ],
        check=False,
    )
    assert killed.returncode == 9
    assert claim_of(file).is_file()
    with reach_agreement(file, 1):
        pass
    assert [p.name for p in tmp_path.iterdir()] == [file.name]
