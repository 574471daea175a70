"""One run on many machines: how far it is, and the script of a job that does it."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from lingprobe.api.arguments import takes_options
from lingprobe.api.options import SlurmOptions, StatusOptions
from lingprobe.api.selection import number_of
from lingprobe.data.cache import cache_dir
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import UsageProblem
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.shards import MAX_SLURM_ARRAY_TASKS
from lingprobe.experiment.status import UnitStatus, encodings_of, list_unit_status
from lingprobe.pages.status import status_page
from lingprobe.store.experiments import list_experiments
from lingprobe.tables.page import Page

_SHARDED = ("run", "experiment", "embed")  # commands that have --shard


@takes_options(StatusOptions)
def status(
    folder: str | Path | None = None,
    *,
    experiment: str | int = "last",
    cache: str | Path | None = None,
) -> Page[tuple[UnitStatus, ...]]:
    """The progress of a run on one or several machines: for each encoder and task, how many units
    of work are done, running, failed (and why) and waiting. It is read from the store only.

    DataProblem if nothing was run there. `.content` has a `UnitStatus` for each unit.

        print(lingprobe.status("results/"))
        print([unit.why for unit in lingprobe.status("results/").content if unit.state == "failed"])
    """
    paths = RunPaths.of(folder, cache)
    known = list_experiments(paths.results)
    if not known:
        raise DataProblem(f"nothing was run in {paths.results}: `lingprobe run -o {paths.results}`")
    asked = known[number_of(str(experiment), known, paths.results) - 1]
    if not asked.units:
        raise DataProblem(
            f"{paths.results} was run by an earlier version of lingprobe, which did not record its"
            " jobs: run the same command again"
        )
    return status_page(list_unit_status(asked, paths), encodings_of(asked, paths))


@takes_options(SlurmOptions)
def slurm(
    arguments: Sequence[str],
    *,
    shards: int,
    at_once: int = 0,
    cpus: int = 1,
    gpus: int = 0,
    memory: str = "",
    time: str = "",
    partition: str = "",
    sbatch: Sequence[str] = (),
) -> str:
    """The script of a SLURM job array that runs one command of lingprobe in shares. Read it and
    give it to sbatch; nothing is submitted.

    UsageProblem for a command that cannot run in shares.

        print(lingprobe.slurm(["run", "-t", "ud/*:UD_English-EWT", "-o", "results"], shards=16))
    """
    command = list(arguments)
    if not command or command[0] not in _SHARDED or "--shard" in command:
        raise UsageProblem(
            f"lingprobe {' '.join(command)}: give one of {', '.join(_SHARDED)} with its options,"
            " but without --shard"
        )
    if not 1 <= shards <= MAX_SLURM_ARRAY_TASKS:
        raise UsageProblem(
            f"{shards} shards: an array has from 1 to {MAX_SLURM_ARRAY_TASKS:,} tasks"
        )
    options = {
        "job-name": "lingprobe",
        "array": f"1-{shards}" + (f"%{at_once}" if at_once else ""),
        "ntasks": "1",
        "cpus-per-task": str(cpus),
        "gpus": str(gpus or ""),
        "mem": memory,
        "time": time,
        "partition": partition,
        "output": "lingprobe-%A-%a.log",
    }
    asked = [f"--{name}={value}" for name, value in options.items() if value]
    return _SCRIPT.format(
        options="\n".join(f"#SBATCH {each}" for each in (*asked, *sbatch)),
        shards=shards,
        folder=shlex.quote(os.getcwd()),
        cache=shlex.quote(str(cache_dir().absolute())),
        command=shlex.join([sys.executable, "-m", "lingprobe", *command, "--shard", "slurm"]),
    )


_SCRIPT = """\
#!/bin/bash
{options}

# One run in {shards} shares: each task does its own share first, then what others left undone, and
# ends when everything is done. Tasks may start at any time, fail, or be cancelled: submit this
# again to continue. `lingprobe cluster status` shows the progress.
set -eu
cd {folder}
export LINGPROBE_CACHE={cache}  # every node must see it, and the folder of results
export OMP_NUM_THREADS="${{SLURM_CPUS_PER_TASK:-1}}"
exec {command}
"""
