"""The help of commands as plain text: usage, what a command is for, its options under headings.

Laid out here, and not by rich, which takes longer to import than all else that help needs.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from textwrap import wrap
from typing import Any

from typer.core import TyperArgument

_WIDEST, _NARROWEST = 100, 40  # columns of a page
_MOST_NAMES = 26  # columns of names; longer ones stand on a line of their own
_INDENT = "  "


class PlainHelp:
    """A command, or a group of some, whose help is plain text."""

    lists = False

    def rows(self) -> list[tuple[str, str, str]]:
        """The heading, the name and the text of each command below, where it lists some."""
        return []

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        columns = shutil.get_terminal_size((80, 24)).columns
        formatter.write("\n".join(_describe_command(self, ctx, _clamp_width(columns))) + "\n")


def _clamp_width(columns: int) -> int:
    return max(_NARROWEST, min(columns, _WIDEST)) - 1


def _describe_command(command: Any, ctx: Any, width: int) -> Iterator[str]:
    taken = " ".join(piece.strip("{}") for piece in command.collect_usage_pieces(ctx))
    yield from wrap(f"Usage: {ctx.command_path} {taken}", width)
    yield from _describe_text(command.help or "", width)
    parameters = command.get_params(ctx)
    parameters.sort(key=lambda each: not isinstance(each, TyperArgument))
    named = [(each, each.get_help_record(ctx)) for each in parameters]
    rows = [
        (_heading_of(each), _strip_types(record[0]), _strip_types(record[1]))
        for each, record in named
        if record
    ]
    yield from _describe_sections(rows, width)
    if command.lists:
        below = [(heading, name, _first_sentence(text)) for heading, name, text in command.rows()]
        yield from _describe_sections(below, width)
    if command.epilog:
        yield ""
        yield from wrap(_strip_markdown(command.epilog), width)


def _heading_of(parameter: Any) -> str:
    usual = "Arguments" if isinstance(parameter, TyperArgument) else "Options"
    panel = parameter.rich_help_panel
    return panel if isinstance(panel, str) else usual


def _strip_types(text: str) -> str:
    """What typer says without types and bounds, which are told where they do not hold."""
    text = re.sub(r" <\w+>$|; x[<>]=?[^;\]]+(?=\])", "", text)
    return re.sub(r"\s*\[x[<>]=?[^\]]+\]$", "", text)


def _first_sentence(text: str) -> str:
    return " ".join(text.split("\n\n", 1)[0].split())


def _describe_text(text: str, width: int) -> Iterator[str]:
    """Paragraphs, and lists of commands with a line an item."""
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.splitlines()
        if not any(lines):
            continue
        yield ""
        if lines[0].lstrip().startswith("- "):
            for item in re.split(r"^\s*- ", block, flags=re.MULTILINE)[1:]:
                yield _INDENT + _strip_markdown(item)  # to copy, however long
        else:
            yield from wrap(_strip_markdown(block), width)


def _strip_markdown(text: str) -> str:
    """Text without the marks of Markdown."""
    return " ".join(re.sub(r"\*\*([^*]+)\*\*|`([^`]+)`", r"\1\2", text).split())


def _describe_sections(rows: Iterable[tuple[str, str, str]], width: int) -> Iterator[str]:
    """Names with what they mean, under headings."""
    listed = list(rows)
    order = {heading: place for place, (heading, *_) in reversed([*enumerate(listed)])}
    for heading, mine in groupby(sorted(listed, key=lambda row: order[row[0]]), lambda row: row[0]):
        yield ""
        yield f"{heading}:"
        yield from _describe_rows([(name, text) for _, name, text in mine], width)


def _describe_rows(rows: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    fitting = [len(name) for name, _ in rows if len(name) <= _MOST_NAMES]
    column = len(_INDENT) + max(fitting, default=_MOST_NAMES) + 2
    for name, text in rows:
        lines = wrap(_strip_markdown(text), width - column, break_on_hyphens=False) or [""]
        if len(name) <= _MOST_NAMES:
            yield f"{_INDENT}{name}".ljust(column) + lines.pop(0)
        else:
            yield f"{_INDENT}{name}"
        yield from (" " * column + line for line in lines)
