"""Shares of a run for many machines, dealt by a keyed hash of what is asked for, so that nobody
has to hand them out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from lingprobe.data.digests import hash_bytes
from lingprobe.data.errors import UsageProblem

T = TypeVar("T")

MAX_SLURM_ARRAY_TASKS = 4_000_000  # tasks of an array, whatever a cluster allows of them
_KEY = b"sonde shards 1"  # another key deals in another way


@dataclass(frozen=True)
class WorkShare:
    """The number-th share of so many, numbers from 1. It comes first; what other shares have left
    undone comes after it, that of the next share first.
    """

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, text: str, environ: Mapping[str, str] | None = None) -> WorkShare:
        """The share that a text names: '3/16', or 'slurm' for that of a task of a SLURM array, or
        of a step of several tasks, as their variables say. UsageProblem for anything else.
        """
        if text == "slurm":
            return _of_slurm(os.environ if environ is None else environ)
        said = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
        if said is None or not 1 <= int(said[1]) <= int(said[2]):
            raise UsageProblem(
                f"shard {text!r}: write NUMBER/OF, as 3/16, with numbers from 1, or slurm inside of"
                " a SLURM job"
            )
        return cls(int(said[1]), int(said[2]))

    def turn(self, *request: str) -> int:
        """How many shares come before the one that a unit of work falls into; 0 for one's own.

        request  what the unit is, as it was asked for: the same on every machine
        """
        said = hash_bytes("\x1e".join(request).encode(), 8, _KEY)
        return (int.from_bytes(said) - (self.number - 1)) % self.of

    def order(self, units: Iterable[T], request: Callable[[T], tuple[str, ...]]) -> list[T]:
        """A machine's own share first, then what is left of the others: units of work in that
        order.
        """
        return sorted(units, key=lambda unit: self.turn(*request(unit)))


WHOLE_WORK_SHARE = WorkShare()


def _of_slurm(environ: Mapping[str, str]) -> WorkShare:
    """The share of a task of an array, times that of a task of its step. Where an array has gaps,
    as one of two tasks that were lost, two may begin with the same share: it is an order of work
    only.

    https://slurm.schedmd.com/job_array.html#env_vars, https://slurm.schedmd.com/srun.html
    """
    array = "SLURM_ARRAY_TASK_ID" in environ
    if not array and "SLURM_PROCID" not in environ:
        raise UsageProblem(
            "shard slurm: neither SLURM_ARRAY_TASK_ID nor SLURM_PROCID is set; start it in a job"
            " that `lingprobe cluster slurm` writes, or write --shard 3/16"
        )
    try:
        values = {name: int(environ.get(name, usual)) for name, usual in _SLURM.items()}
    except ValueError as error:
        raise UsageProblem(f"shard slurm: a variable of SLURM is not a number ({error})") from None
    step = max(values["SLURM_ARRAY_TASK_STEP"], 1)
    count = max(values["SLURM_ARRAY_TASK_COUNT"], 1)
    index = (values["SLURM_ARRAY_TASK_ID"] - values["SLURM_ARRAY_TASK_MIN"]) // step % count
    tasks = max(values["SLURM_NTASKS"], 1)
    return WorkShare.parse(f"{index * tasks + values['SLURM_PROCID'] + 1}/{count * tasks}")


_SLURM = {
    "SLURM_ARRAY_TASK_ID": 0,
    "SLURM_ARRAY_TASK_MIN": 0,
    "SLURM_ARRAY_TASK_STEP": 1,
    "SLURM_ARRAY_TASK_COUNT": 1,
    "SLURM_PROCID": 0,
    "SLURM_NTASKS": 1,
}
"""The variables that say which task of how many a process is, and what they are where SLURM says
nothing.
"""
