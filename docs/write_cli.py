"""Write docs/cli.md from the commands themselves: `make docs`. A test holds the page to what the
commands say.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.models import ArgumentInfo

from lingprobe.cli import COMMANDS

PAGE = Path(__file__).with_name("cli.md")
HEAD = """# The command line

This page is generated from the commands themselves; `lingprobe COMMAND --help` says the same. Every
command takes `--debug`, which shows the whole traceback of an error. Exit codes: 0, all is well;
1, something could not be measured; 2, something is wrong with what was asked for or with the data,
and the one line on standard error says what.

"""


def page() -> str:
    """The whole page."""
    return HEAD + "\n".join(_command(name, each.callback()) for name, each in COMMANDS.items())


def _command(name: str, command: Callable[..., Any]) -> str:
    hints = typing.get_type_hints(command, include_extras=True)
    parameters = [
        (p, *typing.get_args(hints[p.name])) for p in inspect.signature(command).parameters.values()
    ]
    usage = [
        _usage(p, kind, info) for p, kind, info in parameters if isinstance(info, ArgumentInfo)
    ]
    table = [
        "| option | what it does | default |",
        "|---|---|---|",
        *(_row(*parameter) for parameter in parameters),
    ]
    return "\n".join(
        [
            f"## {name}",
            "",
            f"    {' '.join(['lingprobe', name, *usage, '[OPTIONS]'])}",
            "",
            inspect.getdoc(command) or "",
            "",
            *table,
            "",
        ]
    )


def _usage(parameter: inspect.Parameter, kind: Any, info: Any) -> str:
    several = "..." if "list" in str(kind) else ""
    return (
        f"{info.metavar}{several}"
        if parameter.default is parameter.empty
        else f"[{info.metavar}]{several}"
    )


def _row(parameter: inspect.Parameter, kind: Any, info: Any) -> str:
    declared = (
        info.default,
        *(info.param_decls or ()),
    )  # typer keeps the first flag where a default would stand
    flags = [f"`{flag}`" for flag in declared if str(flag).startswith("-")] or [f"`{info.metavar}`"]
    value = "" if isinstance(info, ArgumentInfo) else _value(kind, info)
    default = parameter.default
    without = (
        "required"
        if default is parameter.empty
        else ""
        if default is None or default is False
        else f"`{default}`"
    )
    return f"| {', '.join(flags)}{value} | {_cell(info.help)} | {without} |"


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
