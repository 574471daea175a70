"""What machines that share a run agree on: the first resolves device, precision, threads and the
identity of everything that is measured, and writes them beside the results; the others do as it
says, or take no work.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from lingprobe.data.cache import set_environment
from lingprobe.data.digests import digest_texts
from lingprobe.data.errors import LingprobeError
from lingprobe.nets.device import DEVICE_VARIABLE, get_device_kind, resolved_device, resolved_dtype
from lingprobe.nets.precision import (
    BFLOAT16_VARIABLE,
    THREADS_VARIABLE,
    native_bf16,
    usable_threads,
)
from lingprobe.store.blocks import open_block, write_block_file
from lingprobe.store.claims import clear_claim, hold_claim

_SUFFIX = ".agreement"
_NAMED = 16  # characters of a request's name
_TOLD = 3  # differences that a message names
_SHOWN = 60  # characters of a difference


T = TypeVar("T")


class AgreementProblem(LingprobeError, ValueError):
    """A machine that cannot use the settings of the first one; the message says what differs."""


@dataclass(frozen=True)
class MachineProfile:
    """What a machine computes with where nothing is asked for.

    half     the kinds of its devices that compute in bfloat16
    threads  of each process
    """

    device: str
    half: tuple[str, ...]
    threads: int

    @classmethod
    def current(cls, jobs: int) -> MachineProfile:
        """The machine that this is, with so many processes beside each other."""
        device = resolved_device("auto")
        half = {"cpu"} if native_bf16() else set()
        if resolved_dtype("auto", device) == "bfloat16":
            half.add(get_device_kind(device))
        return cls(device, tuple(sorted(half)), max(1, usable_threads() // jobs))

    def lacks(self, agreed: MachineProfile) -> str:
        """Why a machine cannot follow the shared plan: what it lacks to do as was agreed; '' where
        it lacks nothing.
        """
        if agreed.device not in (self.device, "cpu"):
            return f"it has no device {agreed.device}"
        used = {"cpu", get_device_kind(agreed.device)}
        if missing := sorted((set(agreed.half) - set(self.half)) & used):
            return f"its {missing[0]} does not compute in bfloat16"
        return ""

    @contextmanager
    def adopt(self) -> Iterator[None]:
        """What runs inside, worker processes included, computes with this."""
        with (
            set_environment(DEVICE_VARIABLE, self.device),
            set_environment(BFLOAT16_VARIABLE, ",".join(self.half)),
            set_environment(THREADS_VARIABLE, str(self.threads)),
        ):
            yield


@dataclass(frozen=True)
class SharedPlan:
    """What is agreed on, in a file that is there once the first machine has written it."""

    file: Path
    machine: MachineProfile

    def settle(self, identities: Mapping[str, str], refused: Mapping[str, str]) -> None:
        """Write down the identities of what is measured, by name, or compare them with what was
        written; AgreementProblem where they are others.

        refused  what cannot be measured here, with the reason
        """
        facts = {"machine": asdict(self.machine), "things": dict(identities)}
        if (block := open_block(self.file)) is None:
            write_block_file(self.file, "agreement", facts, {}, keep=True)
            return
        agreed: Mapping[str, str] = block.facts["things"]
        told = [_difference(n, identities.get(n), agreed.get(n)) for n in {**agreed, **identities}]
        if told := [text for text in told if text]:
            why = f" ({next(iter(refused.values()))})" if refused else ""
            raise AgreementProblem(_refusal("; ".join(told[:_TOLD]) + why, self.file))


@contextmanager
def share_plan(
    file: Path,
    jobs: int,
    planned: Callable[[], T],
    identify: Callable[[T], tuple[Mapping[str, str], Mapping[str, str]]],
) -> Iterator[T]:
    """What all machines have in common that share a run, as agreed on in a file: their plan;
    inside, they compute alike.

    planned   makes the plan
    identify  the identities of what it measures, by name, and what is refused, with the reason
    """
    with reach_agreement(file.with_name(file.name + _SUFFIX), jobs) as agreement:
        plan = planned()
        agreement.settle(*identify(plan))
    with agreement.machine.adopt():
        yield plan


def name_request(*parts: Any) -> str:
    """A name for what is asked for, the same on every machine: plain values, as they are typed."""
    return digest_texts(json.dumps(parts, ensure_ascii=False, default=str))[:_NAMED]


@contextmanager
def reach_agreement(file: Path, jobs: int) -> Iterator[SharedPlan]:
    """The shared plan, which the first machine writes, and others wait for and follow; one that
    cannot says so.
    """
    here = MachineProfile.current(jobs)
    with ExitStack() as stack:
        if file.exists():
            clear_claim(file)
        else:
            stack.enter_context(hold_claim(file))
        block = open_block(file)
        known = here if block is None else _machine(block.facts["machine"])
        if lacking := here.lacks(known):
            raise AgreementProblem(_refusal(lacking, file))
        with known.adopt():
            yield SharedPlan(file, known)


def _machine(said: Mapping[str, Any]) -> MachineProfile:
    return MachineProfile(said["device"], tuple(said["half"]), said["threads"])


def _refusal(why: str, file: Path) -> str:
    return (
        f"this machine takes no jobs, because it cannot compute as {file} states: {why}; use a"
        " machine like the first one, or remove that file to measure everything again"
    )


def _difference(name: str, here: str | None, agreed: str | None) -> str:
    """How a thing differs from what was agreed; '' where it does not."""
    if here == agreed:
        return ""
    if here is None or agreed is None:
        return f"{name} is {'not there' if here is None else 'not in it'}"
    mine, theirs = json.loads(here), json.loads(agreed)
    if mine[1] != theirs[1]:
        return f"{name} is of another version of the code, or of packages"
    said = [
        f"{a[:_SHOWN]!r} for {b[:_SHOWN]!r}" for a, b in zip(mine, theirs, strict=False) if a != b
    ]
    return f"{name} has {said[0] if said else 'other settings'}"
