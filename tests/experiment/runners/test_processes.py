"""Several processes: what is killed is told, what is left goes on, and nothing is fitted twice."""

import csv
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

import lingprobe
from fixtures.tables import labelled
from lingprobe.data._foreign_code import ExitingCode
from lingprobe.data.references import allow_code
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.runners import LostItem
from lingprobe.experiment.runners.processes import make_process_mapper
from lingprobe.store.blocks import StoreProblem
from lingprobe.store.results import ResultStore

LONG = 120  # seconds after which a hanging test fails


class Job:
    """Something to do."""

    def __init__(self, name, do="answer"):
        self.name, self.do = name, do


def work(job):
    """What a worker does with it."""
    if job.do == "sleep":
        time.sleep(0.3)
    elif job.do == "exit":
        os._exit(3)
    elif job.do != "answer":
        os.kill(os.getpid(), getattr(signal, job.do))
    return f"{job.name} {job.do}"


def test_answers_come_in_order():
    jobs = [Job("a", "sleep"), *(Job(str(i)) for i in range(20)), Job("b", "sleep")]
    items = list(make_process_mapper(3)(work, jobs))
    assert items == [f"{job.name} {job.do}" for job in jobs]


def test_no_more_groups_are_asked_for_than_can_be_at_work():
    asked = []
    outcomes = make_process_mapper(2)(
        work, (asked.append(i) or Job(str(i), "sleep") for i in range(6))
    )
    assert next(iter(outcomes)) == "0 sleep"
    assert len(asked) <= 4


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("SIGKILL", "its process was killed (SIGKILL; systems do that when memory runs out)"),
        ("exit", "ended by itself (exit code 3)"),
    ],
)
def test_a_worker_that_ends_is_told_and_the_others_go_on(how, said):
    jobs = [Job("a"), Job("bad", how), *(Job(str(i), "sleep") for i in range(4))]
    found = list(make_process_mapper(2)(work, jobs))
    lost = found.pop(1)
    assert isinstance(lost, LostItem)
    assert said in lost.why
    assert found == [f"{job.name} {job.do}" for job in jobs if job.name != "bad"]


def test_what_cannot_be_sent_is_told():
    jobs = [Job("a"), Job("b", threading.Lock()), Job("c")]
    a, b, c = make_process_mapper(2)(work, jobs)
    assert isinstance(b, LostItem)
    assert "cannot be sent to another process" in b.why
    assert (a, c) == ("a answer", "c answer")


def test_workers_end_with_the_iteration():
    outcomes = make_process_mapper(2)(work, [Job(str(i), "sleep") for i in range(8)])
    next(iter(outcomes))
    outcomes.close()
    assert not multiprocessing.active_children()


UNGUARDED = """
    import lingprobe
    lingprobe.evaluate("length", "table:tense.jsonl", probes=["mine.py@Easy"], baselines="none", jobs=2, progress=False)
"""


MINE = """
    import glob, os, sys, time
    import numpy as np
    from lingprobe.data.core import Predictions

    open(f"began-{os.getpid()}", "w").close()

    def vowels(sentences):
        return np.array([[s.count(v) for v in "aeiou"] for s in sentences])

    class Easy:  # needs no library that takes seconds to import
        name = "easy"
        random = False

        def fit(self, train, dev, *, cells):
            return [self for _ in cells]

        def predict(self, readings):
            return Predictions(np.zeros((len(readings), 1), np.float32), readings.labels.names, readings.labels)

    class Slow(Easy):
        name = "slow"

        def fit(self, train, dev, *, cells):
            time.sleep(0.1)
            return super().fit(train, dev, cells=cells)

    class Deadly(Easy):
        def fit(self, train, dev, *, cells):
            if "KILL" in os.environ:
                os.kill(os.getpid(), 9)
            return super().fit(train, dev, cells=cells)

    def leaves(sentences):
        sys.exit(0)

    def wanders(sentences):
        os.chdir("/")
        return vowels(sentences)

    def slow(sentences):  # until another process has work to look for
        until = time.monotonic() + 20
        while len(glob.glob("began-*")) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        return vowels(sentences)
"""


@pytest.fixture
def mine(tmp_path):
    """A folder with things of a user's."""
    (tmp_path / "mine.py").write_text(textwrap.dedent(MINE))
    labelled(tmp_path / "tense.jsonl", "saw", "sees")
    return tmp_path


def test_a_script_needs_no_guard(mine):
    (mine / "script.py").write_text(textwrap.dedent(UNGUARDED))
    command = [sys.executable, "script.py"]
    done = subprocess.run(
        command, cwd=mine, capture_output=True, text=True, check=False, timeout=LONG
    )
    assert done.returncode == 0, done.stderr


def start(folder, *arguments, **environment):
    command = [
        sys.executable,
        "-m",
        "lingprobe",
        "run",
        "--baselines",
        "none",
        *arguments,
        "-o",
        "out",
    ]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=folder, env={**os.environ, **environment}, **pipes)


def ended(process, code=0):
    """What a process wrote on standard output and standard error."""
    out, err = process.communicate(timeout=LONG)
    assert process.returncode == code, out + err
    assert "Traceback" not in err
    return out, err


EASY = ("-t", "table:tense.jsonl", "--probe", "mine.py@Easy")


def test_a_run_whose_worker_is_killed_says_so_and_goes_on(mine):
    arguments = [
        *EASY,
        "--probe",
        "mine.py@Deadly",
        "-e",
        "length",
        "-e",
        "mine.py@vowels",
        "-j",
        "2",
        "-q",
    ]
    _, said = ended(start(mine, *arguments, KILL="1"), code=1)
    assert said.count("was killed") == 2
    assert (
        "failed: table:tense.jsonl, length, mine.py@Deadly: its process was killed (SIGKILL" in said
    )
    assert len(list((mine / "out").glob("*.result"))) == 2
    ended(start(mine, *arguments))
    assert len(list((mine / "out").glob("*.result"))) == 4


def test_an_encoder_that_leaves_or_wanders_harms_nothing_but_itself(mine):
    encoders = [f"--encoder=mine.py@{name}" for name in ("leaves", "wanders", "vowels")]
    out, said = ended(start(mine, *EASY, *encoders, "--cache", "kept", "-q"), code=1)
    assert (
        "leaves failed on every sentence tried (ExitingCode: mine.py@leaves called sys.exit(0): let it"
        " return or raise)" in said
    )
    assert "vowels" in out
    assert len(list((mine / "out").glob("*.result"))) == 2
    assert (mine / "kept" / "vectors").is_dir()


def test_runs_that_share_a_store_share_the_work(mine):
    """Several at once: nothing is encoded or fitted twice."""
    controls = ("--control", "shuffled", "--control", "word-labels")
    slowly = (
        "-t",
        "table:tense.jsonl",
        "--probe",
        "mine.py@Slow",
        "-e",
        "mine.py@slow",
        "-e",
        "length",
    )
    runs = [start(mine, *slowly, *controls) for _ in range(3)]
    told = [ended(run) for run in runs]
    fresh = [int(re.findall(r"([\d,]+) trials measured", said)[0]) for _, said in told]
    assert sum(fresh) == len(dict(ResultStore(mine / "out").read())), fresh
    assert sum(count > 0 for count in fresh) > 1, fresh
    assert len({out for out, _ in told}) == 1
    assert not list((mine / "out").glob(".*"))


def test_a_folder_that_cannot_be_written_is_found_before_anything_is_encoded(tmp_path):
    (tmp_path / "file").write_text("")
    asked = []
    with pytest.raises(
        StoreProblem, match=r"cannot write into .*; make room, or choose another folder"
    ):
        lingprobe.evaluate(
            asked.append,
            "ud/tense:embedded",
            seeds=1,
            baselines="none",
            output=tmp_path / "file" / "results",
            progress=False,
        )
    assert not asked


def test_a_file_that_calls_exit_is_told(tmp_path):
    (tmp_path / "mine.py").write_text("import sys\nsys.exit(0)\n")
    allow_code(f"{tmp_path / 'mine.py'}@any")
    with pytest.raises(ExitingCode, match=r"mine.py called sys.exit\(0\)"):
        ENCODERS.make(f"{tmp_path / 'mine.py'}@any")


def test_sixty_four_open_files_are_enough(mine):
    """For a run in several processes, and for a report, over a folder of more files than that."""
    earlier = sorted(
        (Path(__file__).parents[2] / "fixtures" / "store-0.1.0" / "results").glob("*.result")
    )
    (mine / "out").mkdir()
    for number in range(100):
        (mine / "out" / f"{number:032x}.result").write_bytes(
            earlier[number % len(earlier)].read_bytes()
        )
    command = f"ulimit -n 64; exec {sys.executable} -m lingprobe"
    run = [
        "run",
        "--baselines",
        "none",
        *EASY,
        "-e",
        "mine.py@vowels",
        "-e",
        "length",
        "-j",
        "3",
        "-o",
        "out",
        "-q",
    ]
    for arguments in (run, ["report", "out", "--format", "csv"]):
        done = subprocess.run(
            ["bash", "-c", f'{command} "$@"', "-", *arguments],
            cwd=mine,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert {row["format"] for row in csv.DictReader(done.stdout.splitlines())} == {"0", "1"}
