"""Encoders that end their process: the run goes on without them, and says which they were."""

import csv
import io
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lingprobe.experiment.deaths import LOADED, at_work

MINE = """
import os
import signal

import numpy as np


def good(texts):
    return np.array([[len(text), text.count("a")] for text in texts], np.float32)


class Fault:
    name = "fault"

    def __init__(self):
        os.kill(os.getpid(), signal.SIGSEGV)


def late(texts):  # after the few sentences by which it is known
    if len(texts) > 7:
        os._exit(3)
    return good(texts)
"""
SCRIPT = """
import os
import signal
from pathlib import Path

from lingprobe.cli.survival import survive
from lingprobe.experiment.deaths import ENCODING, LOADED, Died, at_work


def work(doing, what):
    try:
        with at_work("one", doing, Path("results").absolute()):
            what()
    except Died as death:
        print(doing, "|", death, flush=True)
"""
SPLITS = ("tr", "va", "te")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks on Linux alone")


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "ends.py").write_text("import os\nos._exit(0)\n")
    (tmp_path / "results").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def script(text):
    return [sys.executable, "-c", SCRIPT + text]


def ran(command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


@linux
def test_encoders_that_kill_their_process_are_rows_with_the_reason(here):
    rows = [f"{split}\t{'ab'[k % 2]}\tword{k} {split}" for split in SPLITS for k in range(8)]
    (here / "rows.tsv").write_text("\n".join([*rows, ""]))
    line = "run -t table:rows.tsv --probe logreg --no-bounds -f csv -o results --cache cache -e"
    mine = ["mine.py@good", "mine.py@Fault", "mine.py@late", "ends.py@thing"]
    done = ran([sys.executable, "-m", "lingprobe", *line.split(), *mine])
    assert done.returncode == 1, done.stderr
    deaths = {
        "mine.py@Fault": "its process was killed by signal 11 (SIGSEGV) while it was loaded",
        "mine.py@late": "its process ended by itself (exit code 3) while it encoded",
        "ends.py@thing": "its process ended by itself (exit code 0) while it was loaded",
    }
    said = done.stderr.splitlines()
    for name, why in deaths.items():
        assert f"failed: {name}: {why}" in said
        assert f"lingprobe: {name}: {why}; the run goes on without it" in said
    [row] = csv.DictReader(io.StringIO(done.stdout))
    assert row["encoder"] == "mine.py@good"
    assert not list((here / "results").glob(".work-*"))


@linux
def test_what_died_is_not_tried_again_at_that_and_is_at_other_things(here):
    text = """
survive()
work(LOADED, lambda: print("loaded", flush=True))
work(ENCODING, lambda: os.kill(os.getpid(), signal.SIGKILL))
os._exit(7)
"""
    done = ran(script(text))
    why = "its process was killed by signal 9 (SIGKILL; systems do that when memory runs out)"
    said = f"{why} while it encoded"
    assert done.stdout.splitlines() == ["loaded", "loaded", f"while it encoded | {said}"]
    assert done.stderr.strip() == f"lingprobe: one: {said}; the run goes on without it"
    assert done.returncode == 7
    assert not list((here / "results").iterdir())


@linux
def test_a_process_that_dies_of_anything_else_is_said_and_not_begun_again(here):
    text = "survive()\nprint('once', flush=True)\nos.kill(os.getpid(), signal.SIGSEGV)"
    done = ran(script(text))
    assert (done.stdout, done.returncode) == ("once\n", 128 + signal.SIGSEGV)
    assert done.stderr.strip() == (
        "lingprobe: its process was killed by signal 11 (SIGSEGV); what was computed is kept, and"
        " the same command goes on from there"
    )


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_who_ends_one_of_the_processes_ends_both_as_one_would_end(here, number):
    waits = f"signal.signal({signal.SIGINT:d}, signal.SIG_DFL)\nsurvive()\n"
    waits += "work(LOADED, lambda: (print('waits', flush=True), os.read(0, 1)))"
    pipe = subprocess.PIPE
    with subprocess.Popen(script(waits), stdin=pipe, stdout=pipe, stderr=pipe) as going:
        assert going.stdout.readline() == b"waits\n"
        [child] = Path(f"/proc/{going.pid}/task/{going.pid}/children").read_text().split()
        going.send_signal(number)
        assert going.communicate(timeout=60) == (b"", b"")
    assert going.returncode == -number
    deadline = time.monotonic() + 10
    while runs(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not runs(child)


def runs(process):
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_a_run_that_nobody_watched_names_the_encoder_the_next_time(here, caplog):
    assert ran(script("work(LOADED, lambda: os._exit(3))")).returncode == 3
    for _ in range(2):
        with at_work("one", LOADED, Path("results").absolute()):
            assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("one: an earlier run died while this encoder was at work")
    assert not list(Path("results").iterdir())
