"""Checks of arguments and options: what is refused, and the sentence that says so."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

from lingprobe.data.errors import LingprobeError, ReferenceProblem, UsageProblem

_WHOLE_NUMBERS = {
    "seeds": "how often each probe is trained",
    "limit": "how many examples of each task are used at most",
}


def check_choice(kind: str, name: str, choices: Collection[str]) -> None:
    """UsageProblem for the name of a kind of thing that is not one of those known."""
    if name not in choices:
        raise UsageProblem(f"no {kind} {name!r}: choose one of {', '.join(choices)}")


def check_working_folder() -> None:
    """Refuse to begin in a folder that was removed, where much would fail later. UsageProblem."""
    try:
        os.getcwd()
    except OSError as error:
        said = (error.strerror or str(error)).lower()
        raise UsageProblem(f"the working folder is gone ({said}): change to another (cd)") from None


def check_regular(path: Path, problem: type[LingprobeError] = ReferenceProblem) -> None:
    """The problem for what would keep a reader waiting for ever: a pipe, a socket, a device."""
    with suppress(OSError):
        kind = path.expanduser().stat().st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
            raise problem(
                f"{path} is a pipe, a socket or a device, and files are read more than once: write"
                " what it gives to a file"
            )


def check_number(
    name: str,
    value: float | Iterable[float] | None,
    bounds: str,
    meaning: str = "",
    problem: type[LingprobeError] = ReferenceProblem,
) -> None:
    """The problem for a number, or one of several, that is not within bounds: '1' for 1 or more,
    '>0' for more than 0, '0-100' with both ends, '0-<1' without the upper one. None is no number.
    """
    above, (low, _, high) = bounds.startswith(">"), bounds.lstrip(">").partition("-")
    least, below, most = float(low), high.startswith("<"), float(high.lstrip("<") or "inf")
    for each in [value] if isinstance(value, int | float) else value or ():
        if (least < each if above else least <= each) and (each < most if below else each <= most):
            continue
        end = f" {'and below' if below else 'to'} {most:g}" if high else "" if above else " on"
        wanted = f"write a number {'above' if above else 'from'} {low}{end}"
        raise problem(f"{name}={each}: {wanted}{f', {meaning}' * bool(meaning)}")


def check_values(**values: object) -> None:
    """UsageProblem for one of `_WHOLE_NUMBERS` that is neither a whole number nor None, and for any
    other that is neither True nor False.
    """
    for name, value in values.items():
        is_flag = isinstance(value, bool)
        if name in _WHOLE_NUMBERS and (is_flag or not (value is None or isinstance(value, int))):
            raise UsageProblem(f"{name}={value!r}: give a whole number, {_WHOLE_NUMBERS[name]}")
        if name not in _WHOLE_NUMBERS and not is_flag:
            raise UsageProblem(f"{name}={value!r}: give True or False")
