"""What a worker on another machine must have in common with the one that it works for."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from lingprobe.data._closure import digest_code
from lingprobe.data.cache import DRAFT_SUFFIX
from lingprobe.experiment.agreement import MachineProfile
from lingprobe.experiment.keys import EMBEDDING_CODE
from lingprobe.experiment.provenance import list_versions
from lingprobe.experiment.runners import RunnerProblem

# how variables begin that workers need
_PASSED = ("LINGPROBE_", "HF_", "TRANSFORMERS_")


@contextmanager
def mark_folders(folders: Sequence[Path]) -> Iterator[tuple[Path, ...]]:
    """A file in each folder, by which a node tells that it sees the same one."""
    marks = tuple(folder / f".{secrets.token_hex(4)}.ray{DRAFT_SUFFIX}" for folder in folders)
    try:
        for mark in marks:
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
        yield marks
    finally:
        for mark in marks:
            with suppress(OSError):
                mark.unlink(missing_ok=True)


@dataclass(frozen=True)
class WorkerEnvironment:
    """What a worker must have in common with the machine that it works for."""

    marks: tuple[Path, ...]
    cwd: Path
    threads: int
    machine: MachineProfile | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    versions: Mapping[str, str] = field(default_factory=list_versions)

    def with_machine(self, machine: MachineProfile) -> WorkerEnvironment:
        """The same with what is known once it is agreed how to compute."""
        variables = {k: v for k, v in os.environ.items() if k.startswith(_PASSED)}
        return replace(self, machine=machine, variables=variables, code=_code())

    def adopt(self, gpus: float) -> None:
        """A node with other packages, another version or other folders ends the run; else make this
        process one that can do the work. RunnerProblem.
        """
        os.environ["OMP_NUM_THREADS"] = str(self.threads)
        if not self.cwd.is_dir() or not all(mark.exists() for mark in self.marks):
            seen = [self.cwd, *(mark.parent for mark in self.marks if not mark.exists())]
            raise RunnerProblem(
                f"does not see {seen[-1]} as the machine does that started the run: choose folders"
                " that all nodes share, for --cache and -o, and start the run in one"
            )
        os.chdir(self.cwd)
        if other := [p for p, v in self.versions.items() if list_versions().get(p) != v]:
            raise RunnerProblem(f"has another version of {', '.join(other)}: install the same")
        if self.code and self.code != _code():
            raise RunnerProblem("has other code of lingprobe: install the same")
        if self.machine is not None:
            asked = self.machine if gpus else replace(self.machine, device="cpu")
            # before the variables are there that say what was agreed on
            if lacking := MachineProfile.current(1).lacks(asked):
                raise RunnerProblem(f"cannot compute as the others do: {lacking}")
        os.environ |= self.variables


def _code() -> str:
    return digest_code("lingprobe.experiment.work:measure_batch", *EMBEDDING_CODE)
