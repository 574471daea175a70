"""The process that waits for the one that does the work, and begins again without an encoder in
which that one died.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Mapping
from typing import NoReturn

from lingprobe.data._foreign_code import WATCH, Watch

PASSED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
# what the system ends a process with for what it did
FAULTS = frozenset(
    {
        signal.SIGKILL,
        signal.SIGSEGV,
        signal.SIGABRT,
        signal.SIGBUS,
        signal.SIGILL,
        signal.SIGFPE,
        signal.SIGTRAP,
        signal.SIGSYS,
    }
)
DEATH_SIGNAL = 1  # prctl's PR_SET_PDEATHSIG: what a process gets when its parent ends
NOTE = 2**16  # bytes of a note at most


def survive() -> None:
    """Return in a process of its own. This one stays behind and ends as that one ends; where it
    dies while an encoder is at work, another one begins that knows.

    Only on Linux, where a process can be forked at any time and made to end with its parent.
    """
    if not sys.platform.startswith("linux") or threading.active_count() > 1:
        return
    died: dict[str, str] = {}
    with tempfile.TemporaryFile() as file:
        while (code := _fork_child(file.fileno(), died)) is not None:
            note = os.pread(file.fileno(), NOTE, 0).decode()
            if not note or (code < 0 and -code not in FAULTS):
                _end(code)
            died[note] = _how(code)
            name, _, doing = note.partition("\t")
            _say(f"{name}: {died[note]} {doing}; the run goes on without it")
            os.ftruncate(file.fileno(), 0)


def _fork_child(file: int, died: Mapping[str, str]) -> int | None:
    """How another process ended, by exit code or, below 0, by signal; None in that process, which
    notes in a file what is at work.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {*PASSED, signal.SIGCHLD})
    parent = os.getpid()
    if child := os.fork():
        return _wait_for_child(child)
    ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it ended meanwhile
        os._exit(1)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    mine = os.dup(file)
    WATCH.set(Watch(functools.partial(_write, mine), died))
    return None


def _write(file: int, note: str) -> None:
    os.ftruncate(file, 0)
    os.pwrite(file, note.encode(), 0)


def _say(text: str) -> None:
    sys.stderr.write(f"\nlingprobe: {text}\n")
    sys.stderr.flush()


def _wait_for_child(child: int) -> int:
    """The exit code of a process, or the number of the signal that ended it, below 0. Signals that
    somebody sends to this process are passed on; those of the terminal reach both.
    """
    while True:
        got = signal.sigwaitinfo({*PASSED, signal.SIGCHLD})
        if got.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
        elif got.si_code <= 0:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, got.si_signo)


def _how(code: int) -> str:
    if code >= 0:
        return f"its process ended by itself (exit code {code})"
    hint = "; systems do that when memory runs out" if -code == signal.SIGKILL else ""
    return f"its process was killed by signal {-code} ({signal.Signals(-code).name}{hint})"


def _end(code: int) -> NoReturn:
    """End as the other process did."""
    if code >= 0:
        os._exit(code)
    if -code in FAULTS:
        _say(f"{_how(code)}; what was computed is kept, and the same command goes on from there")
        os._exit(128 - code)
    signal.signal(-code, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {-code})
    os.kill(os.getpid(), -code)
    os._exit(128 - code)
