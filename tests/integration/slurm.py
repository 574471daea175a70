"""A SLURM of one node on this machine, for as long as it is asked for: real daemons with a key,
ports and folders of their own, without systemd and cgroups. It must be possible to start it, or
what asked for it fails and says why.
"""

from __future__ import annotations

import getpass
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from integration.conftest import command

LONG = 240  # seconds after which a hanging test fails
ENDED = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY"}
MAKE = "make test-cluster"
CONFIGURATION = """\
ClusterName=lingprobe
SlurmctldHost={node}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/slurmctld
SlurmdSpoolDir={folder}/slurmd
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=2
NodeName={node} NodeAddr=127.0.0.1 CPUs={slots} State=UNKNOWN
PartitionName=all Nodes={node} Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """What a user does with a cluster: submit, look, wait."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.node = socket.gethostname().partition(".")[0]
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}

    def ask(self, *arguments: str, cwd: Path | None = None, **environment: str) -> str:
        """What one of SLURM's commands says."""
        done = subprocess.run(
            [command(arguments[0], by=MAKE), *arguments[1:]],
            env={**self.environment, **environment},
            cwd=cwd or self.folder,
            capture_output=True,
            text=True,
            timeout=LONG,
            check=False,
        )
        assert done.returncode == 0, f"{' '.join(arguments)}: {done.stderr}"
        return done.stdout.strip()

    def submit(self, *arguments: str, cwd: Path, **environment: str) -> str:
        """The number of the job that `sbatch` makes of these."""
        return self.ask("sbatch", "--parsable", *arguments, cwd=cwd, **environment)

    def states(self, job: str) -> dict[int, str]:
        """The state of each task of a job's array, by its number."""
        said = self.ask("squeue", f"--jobs={job}", "--states=all", "--array", "-ho", "%K %T")
        return {int(n): state for n, state in (line.split() for line in said.splitlines())}

    def why(self, job: str) -> str:
        """What SLURM says of the tasks of an array, for those who look for an error."""
        said = self.ask("scontrol", "show", "job", job).splitlines()
        return "\n".join(line for line in said if "State=" in line or "ExitCode=" in line)

    def wait(self, job: str) -> dict[int, str]:
        """The states of the tasks of an array when all of them have ended."""
        until(lambda: set(self.states(job).values()) <= ENDED, f"job {job} did not end")
        return self.states(job)


def until(holds: Callable[[], bool], otherwise: str, seconds: float = LONG) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            pytest.fail(f"{otherwise} in {seconds:.0f} s")
        time.sleep(0.2)


@contextmanager
def cluster(slots: int) -> Iterator[Slurm]:
    """A SLURM whose node runs so many tasks at a time; all of it is gone at the end."""
    with ExitStack() as stack:
        # the path of a socket has 107 characters at most, which pytest's folders can exceed
        folder = Path(tempfile.mkdtemp(prefix="slurm-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        slurm = Slurm(folder)
        configure(slurm, slots)
        (folder / "munge.key").write_bytes(secrets.token_bytes(1024))
        (folder / "munge.key").chmod(0o600)
        munge = [f"--key-file={folder}/munge.key", f"--socket={folder}/munge.socket"]
        munge += [f"--{name}-file={folder}/munge.{name}" for name in ("pid", "log", "seed")]
        stack.enter_context(daemon(slurm, "munged", "--foreground", "--force", *munge))
        until((folder / "munge.socket").exists, "munged did not start", 30)
        stack.enter_context(daemon(slurm, "slurmctld", "-D", "-i"))
        stack.enter_context(daemon(slurm, "slurmd", "-D"))
        try:
            until(lambda: ready(slurm), "SLURM did not start", 60)
        except pytest.fail.Exception as late:
            pytest.fail(f"{late}; its logs:\n{logs(folder)}")
        stack.callback(end_jobs, slurm)
        yield slurm


def configure(slurm: Slurm, slots: int) -> None:
    """Write what the daemons read."""
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as two,
    ):
        ports = [each.getsockname()[1] for each in (one, two)]
    text = CONFIGURATION.format(
        folder=slurm.folder, node=slurm.node, user=getpass.getuser(), slots=slots, ports=ports
    )
    (slurm.folder / "slurm.conf").write_text(text)
    if slurm.ask("sbatch", "--version").split()[-1] >= "23.02":  # earlier ones do not know it
        (slurm.folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
    for name in ("slurmctld", "slurmd"):
        (slurm.folder / name).mkdir()


@contextmanager
def daemon(slurm: Slurm, name: str, *arguments: str) -> Iterator[None]:
    """One of the daemons, in the foreground of a process that ends with this."""
    with (slurm.folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [command(name, by=MAKE), *arguments],
            env=slurm.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def ready(slurm: Slurm) -> bool:
    """Whether the node takes jobs."""
    sinfo = [command("sinfo", by=MAKE), "-ho", "%T"]
    said = subprocess.run(
        sinfo, env=slurm.environment, capture_output=True, text=True, check=False, timeout=60
    )
    return said.stdout.strip() == "idle"


def end_jobs(slurm: Slurm) -> None:
    """Kill what still runs, since a job outlives the daemons."""
    slurm.ask("scancel", f"--user={getpass.getuser()}")
    until(lambda: not slurm.ask("squeue", "-h"), "jobs did not end", 60)


def logs(folder: Path) -> str:
    """The last lines that the daemons wrote."""
    return "\n".join(
        line for log in sorted(folder.glob("*.log")) for line in log.read_text().splitlines()[-8:]
    )
