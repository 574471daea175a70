"""Who is at work on what: a note beside a file that is not there yet, so that runs that share a
store share the work.

Nothing depends on a claim but who does what: files are written whole, and where two do the same,
one of the two is kept. So nobody waits for the dead. A claim of this machine is void as soon as its
process is gone, any claim when its file has not changed for a minute of watching; whoever holds it
touches it every ten seconds, as a sign of life.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

Job = TypeVar("Job")

_SUFFIX = ".claim"
_BEAT = 10.0  # seconds between two signs of life
_PATIENCE = 60.0  # seconds without one after which a claim is void
_FIRST, _PAUSE = 0.01, 0.2  # seconds between two looks at what others hold: at first, and at most


def claim_of(target: Path) -> Path:
    """Where the claim to make a file lies."""
    return target.with_name(f".{target.name}{_SUFFIX}")


@contextlib.contextmanager
def claim_file(target: Path, doing: str = "") -> Iterator[bool]:
    """Claim to make a file for as long as the block runs; False where somebody else is at it.

    Where no note can be left, as on a disk that is full, the claim is taken for granted.

    doing  what for, in words, for the next run where the process ends without a word
    """
    claim, mine = claim_of(target), _note(doing)
    if not _leave_note(claim, mine):
        yield False
        return
    ended = threading.Event()
    threading.Thread(target=_live, args=(claim, ended), name="claim", daemon=True).start()
    try:
        yield True
    finally:
        ended.set()
        with contextlib.suppress(OSError, ValueError):
            if claim.read_text("utf-8") == mine:
                claim.unlink()


def _leave_note(claim: Path, note: str) -> bool:
    """Leave a note, once a void one is out of the way; False where there is one that holds."""
    try:
        claim.parent.mkdir(parents=True, exist_ok=True)
    except OSError:
        return True
    for _ in range(2):
        try:
            with claim.open("x", encoding="utf-8") as file:
                file.write(note)
        except FileExistsError:
            if not _is_abandoned(claim):
                return False
            claim.unlink(missing_ok=True)
        except OSError:
            return True
        else:
            return True
    return False


def _live(claim: Path, ended: threading.Event) -> None:
    while not ended.wait(_BEAT):
        with contextlib.suppress(OSError):
            os.utime(claim)


class LockHolder(NamedTuple):
    """Who is at work on a file: the machine, its process, and since when."""

    machine: str
    process: int
    since: str


def find_holder(target: Path) -> LockHolder | None:
    """Who is at work on a file, as far as its claim and this machine's clock tell; None where
    nobody is.
    """
    claim = claim_of(target)
    known = _holder(claim)
    try:
        silent = time.time() - claim.stat().st_mtime
    except OSError:
        return None
    return known if silent < _PATIENCE and not _is_abandoned(claim) else None


def remove_abandoned(folder: Path) -> dict[str, LockHolder]:
    """What processes of this machine were doing when they ended without a word, and which they
    were, by the claims that they left in a folder; these are removed.
    """
    found: dict[str, LockHolder] = {}
    for claim in sorted(folder.glob(f".*{_SUFFIX}")):
        if _is_abandoned(claim):
            known = _holder(claim)
            if known is not None and (doing := _read_note(claim).get("doing")):
                found[str(doing)] = known
            claim.unlink(missing_ok=True)
    return found


def _read_note(claim: Path) -> dict[str, Any]:
    """What a claim says; nothing where it is gone, or not written to its end yet."""
    try:
        said = json.loads(claim.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def _holder(claim: Path) -> LockHolder | None:
    said = _read_note(claim)
    try:
        machine = str(said["machine"]).partition(" ")[0]
        return LockHolder(machine, int(said["process"]), str(said.get("since", "")))
    except (ValueError, KeyError, TypeError):
        return None


class ClaimWatch:
    """Claims of others, looked at again and again."""

    def __init__(self) -> None:
        self._seen: dict[Path, tuple[int, float]] = {}

    def free(self, target: Path) -> bool:
        """Whether others may take over what nobody claims to make any longer, as after a minute
        without a sign of life, when the claim is removed.
        """
        claim = claim_of(target)
        try:
            changed = claim.stat().st_mtime_ns
        except OSError:
            return True
        known, since = self._seen.setdefault(claim, (changed, time.monotonic()))
        if known != changed:
            self._seen[claim] = (changed, time.monotonic())
            return False
        if _is_abandoned(claim) or time.monotonic() - since > _PATIENCE:
            claim.unlink(missing_ok=True)
            return True
        return False

    def wait(
        self, jobs: Sequence[Job], target: Callable[[Job], Path]
    ) -> tuple[list[Job], list[Job]]:
        """Those of some jobs that nobody claims any longer, as soon as there is one, and the
        others.
        """
        pause = _FIRST
        while jobs:
            ready: list[Job] = []
            rest: list[Job] = []
            for job in jobs:
                (ready if self.free(target(job)) else rest).append(job)
            if ready:
                return ready, rest
            time.sleep(pause)
            pause = min(2 * pause, _PAUSE)
        return [], []


def make_once(target: Path, make: Callable[[], None]) -> bool:
    """Make a file unless it is there, claimed meanwhile; False where somebody else is at it."""
    if target.exists():
        return True
    with claim_file(target) as mine:
        if mine and not target.exists():
            make()
        return mine


@contextlib.contextmanager
def hold_claim(target: Path) -> Iterator[None]:
    """Claim to make or change a file while the block runs, once nobody else does."""
    watch = ClaimWatch()
    while True:
        with claim_file(target) as mine:
            if mine:
                yield
                return
        watch.wait([target], lambda path: path)


def clear_claim(target: Path) -> None:
    """Remove the claim of a process that was killed, of a file that is there."""
    claim = claim_of(target)
    if _is_abandoned(claim):
        claim.unlink(missing_ok=True)


def _note(doing: str) -> str:
    return json.dumps(
        {
            "machine": _machine(),
            "process": os.getpid(),
            "began": _began(os.getpid()),
            "thread": threading.get_ident(),
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
            "doing": doing,
        }
    )


def _is_abandoned(claim: Path) -> bool:
    """Whether a claim is of a process of this machine that is no more."""
    note = _read_note(claim)
    try:
        return bool(note["machine"] == _machine() and _began(int(note["process"])) != note["began"])
    except (ValueError, KeyError, TypeError):
        return False


@functools.cache
def _machine() -> str:
    """The machine since it was started, and the part of it whose processes have numbers that mean
    something here.
    """
    parts = [socket.gethostname()]
    with contextlib.suppress(OSError):
        parts += [
            Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
            str(Path("/proc/self/ns/pid").readlink()),
        ]
    return " ".join(parts)


def _began(process: int) -> str:
    """When a process began, in whatever unit the system has; '' for one that is not there or has
    ended.
    """
    try:
        fields = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
        return "" if fields[0] in (b"Z", b"X") else fields[19].decode()
    except OSError:
        if Path("/proc/self/stat").exists():
            return ""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return ""
    except OSError:
        pass
    return "alive"
