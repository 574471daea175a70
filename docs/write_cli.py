"""Write docs/cli.md from the commands themselves: `make docs`. A test holds the page to what the
commands say.
"""

from __future__ import annotations

import inspect
import re
import typing
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from typer.models import ArgumentInfo

from lingprobe.cli import COMMANDS

PAGE = Path(__file__).with_name("cli.md")
HEAD = """# The command line

This page is generated from the commands; `lingprobe COMMAND --help` has more examples. Every
command takes `--debug` (the whole traceback of an error) and `--notes` (all notes below tables).
Exit codes: 0, success; 1, something could not be measured; 2, wrong usage or data. `…` after a
value: several may follow, or the option may be repeated.
"""
SHARED = "Options of several commands"
LISTINGS = ("tasks", "encoders", "list")
EXAMPLES, COMMON = 2, 3  # examples of a command; commands that share a row of the tables
REPEATED = re.compile(r"; (several may follow|may be repeated)(?=[.;]| \()")
EXAMPLE = re.compile(r"^- .*(?:\n(?!- |\n|$).*)*\n?", re.M)
TABLE = ["| option | meaning | default |", "|---|---|---|"]


def page() -> str:
    """The whole page."""
    rows = {name: list(_rows(each.callback())) for name, each in COMMANDS.items()}
    counts = Counter(row for each in rows.values() for row in each)
    common: dict[str, str] = {}  # of a flag that means two things, what it mostly means
    for row, n in counts.most_common():
        if n >= COMMON and row.startswith("| `-"):
            common.setdefault(_flag(row), row)
    sections = [_command(name, rows[name], common) for name in COMMANDS if name not in LISTINGS]
    listed = "\n".join(_command(name, rows[name], common, "###") for name in LISTINGS)
    return "\n".join(
        [
            HEAD,
            f"## {SHARED}\n",
            *TABLE,
            *common.values(),
            "",
            *sections,
            f"## What there is: {', '.join(LISTINGS)}\n",
            listed,
        ]
    )


def _command(name: str, rows: list[str], common: dict[str, str], level: str = "##") -> str:
    command = COMMANDS[name].callback()
    usage = [
        _usage(p, kind, info)
        for p, kind, info in _parameters(command)
        if isinstance(info, ArgumentInfo)
    ]
    own = [row for row in rows if common.get(_flag(row)) != row]
    shared = ", ".join(_flag(row) for row in rows if row not in own)
    link = f"[Shared](#{SHARED.lower().replace(' ', '-')})"
    return "\n".join(
        [
            f"{level} {name}",
            "",
            f"    {' '.join(['lingprobe', name, *usage, '[OPTIONS]'])}",
            "",
            _shortened(inspect.getdoc(command) or ""),
            "",
            *([*TABLE, *own, ""] if own else []),
            *([f"{link}: {shared}.", ""] if shared else []),
        ]
    )


def _flag(row: str) -> str:
    """The first flag of a row, such as `--task`."""
    return row.removeprefix("| ").partition("`,")[0].partition("` ")[0].rstrip("`") + "`"


def _shortened(text: str) -> str:
    """A docstring with its first examples only."""
    before, mark, examples = text.partition("**Examples**\n")
    kept = "".join(each[0] for each in list(EXAMPLE.finditer(examples))[:EXAMPLES])
    return before + mark + "\n" + kept.rstrip() if mark else text


def _parameters(command: Callable[..., Any]) -> list[tuple[inspect.Parameter, Any, Any]]:
    hints = typing.get_type_hints(command, include_extras=True)
    return [
        (p, *typing.get_args(hints[p.name])) for p in inspect.signature(command).parameters.values()
    ]


def _usage(parameter: inspect.Parameter, kind: Any, info: Any) -> str:
    several = "..." if "list" in str(kind) else ""
    return (
        f"{info.metavar}{several}"
        if parameter.default is parameter.empty
        else f"[{info.metavar}]{several}"
    )


def _rows(command: Callable[..., Any]) -> Iterator[str]:
    for parameter, kind, info in _parameters(command):
        declared = (
            info.default,
            *(info.param_decls or ()),
        )  # typer keeps the first flag where a default would stand
        flags = [f"`{flag}`" for flag in declared if str(flag).startswith("-")]
        value = "" if isinstance(info, ArgumentInfo) else _value(kind, info)
        said, repeated = REPEATED.subn("", _cell(info.help))
        default = parameter.default
        without = (
            "required"
            if default is parameter.empty
            else ""
            if default is None or default is False or default == ""
            else f"`{default}`"
        )
        name = ", ".join(flags or [f"`{info.metavar}`"]) + value + "…" * bool(repeated)
        yield f"| {name} | {said} | {without} |"


def _value(kind: Any, info: Any) -> str:
    """What stands after a flag."""
    if kind is bool:
        return ""
    literal = next(
        (k for k in (kind, *typing.get_args(kind)) if typing.get_origin(k) is typing.Literal), None
    )
    choices = "|".join(typing.get_args(literal)) if literal else "N"
    return f" {_cell(info.metavar or choices)}"


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
