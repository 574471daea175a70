"""An encoder at several points of its training: what a reference of several stands for, and how far
each had come.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from lingprobe.data.core import DataProblem
from lingprobe.data.references import Reference, try_parse_reference

_REVISIONS = "revisions"
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}
_POINT = re.compile(
    r"(?<![a-z])(?P<unit>step|epoch|checkpoint|ckpt|iter|iteration)s?[-_= ]?"
    r"(?P<number>\d+)(?P<times>[km]?)(?![a-z0-9])",
    re.IGNORECASE,
)
"""How names of models say how far they had come: step1000, seed_0-step_20k, checkpoint-500."""


class CheckpointName(NamedTuple):
    """A point of a training as a name says it: the name without it, and how far it had come."""

    run: str
    at: int
    unit: str


def revisions_of(reference: Reference) -> list[Reference]:
    """The model at each of its revisions: `NAME,revisions=step1000+step2000`, where each in turn
    replaces the star of a name; a star without revisions is for folders in the order of their
    steps.
    """
    name, options = reference.argument or "", dict(reference.options)
    if _REVISIONS in options:
        texts = [text for text in options[_REVISIONS].split("+") if text]
        named = "*" not in name
        if not texts or (named and "@" in name):
            raise DataProblem(
                f"{reference}: write NAME,revisions=A+B for NAME@A and NAME@B, or a star in the"
                " name for each of them"
            )
        names = [f"{name}@{text}" if named else name.replace("*", text) for text in texts]
    elif "*" in name:
        names = _folders(name)
    else:
        return [reference]
    plain = reference.without(_REVISIONS)
    return [replace(plain, argument=each) for each in dict.fromkeys(names)]


def _folders(pattern: str) -> list[str]:
    """The folders that a pattern fits, those of a training in the order of its steps."""
    path = Path(pattern).expanduser()
    root = Path(path.anchor) if path.is_absolute() else Path()
    found = [
        str(folder) for folder in root.glob(str(path.relative_to(path.anchor))) if folder.is_dir()
    ]
    if not found:
        raise DataProblem(
            f"no folder matches {pattern}; of a model on the hub, write"
            f" {pattern},revisions=A+B, each of which is put in place of the star"
        )
    return sorted(found, key=lambda folder: (_parse_step(folder), folder))


def _parse_step(folder: str) -> int:
    named = _POINT.search(Path(folder).name)
    return _parse_count(named) if named else -1


def _parse_count(named: re.Match[str]) -> int:
    return int(named["number"]) * _TIMES[named["times"].lower()]


def named_point(reference: str) -> CheckpointName | None:
    """The step of a training that a name or revision says, as `step1000`; None where it says
    none.
    """
    parsed = try_parse_reference(reference)
    name = (parsed.argument if parsed is not None and parsed.argument else None) or reference
    at = name.find("@") + 1
    found = list(_POINT.finditer(name, at or name.rfind("/") + 1))
    if not found:
        return None
    last = found[-1]
    # all that a revision says is about the point, as step1000-tokens4B
    before, after = (name[: at - 1], "") if at else (name[: last.start()], name[last.end() :])
    run = before.rstrip("-_ ,/") + after
    if parsed is not None and name == parsed.argument:
        run = str(replace(parsed, argument=run))
    unit = "epoch" if last["unit"].lower() == "epoch" else "step"
    return CheckpointName(run, _parse_count(last), unit)
