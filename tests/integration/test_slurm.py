"""A run in shares on a real SLURM of one node: it does what one process does, whatever is killed."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from experiment.test_sharing import ASKED, MINE, content, vectors
from integration.slurm import LONG, cluster, until

pytestmark = pytest.mark.cluster

CHEAP = "-t ud/tense:embedded ud/passive:embedded -e length bow:random --limit 300 --probe logreg"
RUN = ["run", *CHEAP.split(), "--seeds", "1", "--baselines", "none"]
SLOW = ["run", *ASKED]  # with SLOW set, each unit of work takes 1.5 s


@pytest.fixture(scope="module")
def slurm():
    with cluster(slots=4) as started:
        yield started


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with things of a user's, and the cache of the jobs."""
    (tmp_path / "mine.py").write_text(textwrap.dedent(MINE))
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    return tmp_path


def lingprobe(folder, *arguments, code=0):
    """What a command prints."""
    command = [sys.executable, "-m", "lingprobe", *arguments]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=LONG, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def job(folder, *run):
    """The script of an array of four tasks, as it is printed."""
    lingprobe(folder, "cluster", "slurm", "--shards", "4", "-o", "job.sh", "--", *run, "-o", "many")
    return "job.sh"


def measured(folder, number):
    """How many trials each task of an array says that it measured."""
    logs = [log.read_text() for log in folder.glob(f"lingprobe-{number}-*.log")]
    return [int(re.search(r"(\d+) trials? measured", log)[1]) for log in logs]


def assert_as_one_process(folder, *run):
    """All is done, and is what one process gives, bit for bit."""
    status = lingprobe(folder, "cluster", "status", "many")
    assert re.search(r"(\d+) of \1 jobs are done", status)
    lingprobe(folder, *run, "-o", "one", "--cache", "one-cache", "-q")
    assert content(folder / "many") == content(folder / "one")
    assert vectors(folder / "cache") == vectors(folder / "one-cache")
    assert len(content(folder / "one")) >= 4


def workers(folder):
    """The processes that are at a unit of work, by the number of their task."""
    found = {}
    for claim in folder.rglob(".*.claim"):
        with contextlib.suppress(OSError):  # a claim is gone when its work is done
            number = int(re.search(r'"process": (\d+)', claim.read_text())[1])
            said = Path(f"/proc/{number}/environ").read_text()  # nothing, once it has ended
            found |= {int(n): number for n in re.findall(r"SLURM_ARRAY_TASK_ID=(\d+)", said)}
    return found


def test_an_array_gives_what_one_process_gives(slurm, here):
    number = slurm.submit(job(here, *RUN), cwd=here)
    states = slurm.wait(number)
    assert states == dict.fromkeys([1, 2, 3, 4], "COMPLETED"), slurm.why(number)
    assert sum(measured(here, number)) == len(content(here / "many"))
    assert not list((here / "many").glob(".*"))
    assert_as_one_process(here, *RUN)


def test_a_task_that_is_killed_loses_nothing(slurm, here):
    number = slurm.submit(job(here, *SLOW), cwd=here, SLOW="1")
    until(lambda: bool(workers(here)), "no task began its work")
    task, process = workers(here).popitem()
    os.kill(process, signal.SIGKILL)
    states = slurm.wait(number)
    assert states.pop(task) == "FAILED"
    assert set(states.values()) == {"COMPLETED"}, slurm.why(number)
    again = slurm.submit(f"--array={task}", "job.sh", cwd=here)
    assert slurm.wait(again) == {task: "COMPLETED"}
    assert measured(here, again) == [0]
    assert_as_one_process(here, *SLOW)


def test_an_array_that_is_killed_goes_on_when_it_is_submitted_again(slurm, here):
    number = slurm.submit(job(here, *SLOW), cwd=here, SLOW="1")
    until(lambda: bool(content(here / "many")), "nothing was measured")
    slurm.ask("scancel", "--signal=KILL", "--full", number)
    assert "COMPLETED" not in slurm.wait(number).values()
    left = len(content(here / "many"))
    lingprobe(here, "cluster", "status", "many", code=1)
    again = slurm.submit("job.sh", cwd=here)
    assert slurm.wait(again) == dict.fromkeys([1, 2, 3, 4], "COMPLETED")
    assert sum(measured(here, again)) + left == len(content(here / "many"))
    assert_as_one_process(here, *SLOW)
