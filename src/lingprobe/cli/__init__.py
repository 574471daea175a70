"""The command line. A command imports what it needs only when it runs, so that help is fast.

`declaration` makes a command of the class of its options. The commands are in the modules named by
their subjects, as `measuring` and `results`; `options` are those that several share, `parsing`
reads a command line.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from lingprobe.api.commands import COMMANDS as HEADINGS
from lingprobe.api.commands import GROUPS, commands
from lingprobe.cli.declaration import Declaration
from lingprobe.cli.help import PlainHelp
from lingprobe.cli.parsing import Command, sentence
from lingprobe.data._foreign_code import one_line, where
from lingprobe.data._members import attribute
from lingprobe.data._packages import load_points
from lingprobe.data.checks import check_working_folder
from lingprobe.data.errors import LingprobeError, UsageProblem
from lingprobe.data.printing import printable, printable_lines

PLACES = frozenset({"-o", "--output", "--cache"})
"""Options that name a file or folder to write to."""
COMMANDS: dict[str, Declaration] = {}
"""Declared commands by name, one in a group as `train encoder`, in the order of the help."""
_ORDER: dict[str, int] = {}
"""The place of a command or group among all."""
_FAILED: dict[str, BaseException] = {}
"""Why commands of installed packages cannot be imported, by name."""


class Group(PlainHelp, TyperGroup):
    """All commands, or those of a group. A list of them shows no options: these are read when a
    command is called.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; without any, its help is shown."""
        return super().parse_args(ctx, args or ["--help"])

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, groups among them, in the order of their headings."""
        return sorted(super().list_commands(ctx), key=lambda name: _ORDER.get(name, 0))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that arguments begin with; UsageProblem for one that cannot be imported."""
        group = "" if ctx.parent is None else f"{ctx.info_name} "
        whole = f"{group}{args[0]}" if args else ""
        if (error := _FAILED.get(whole)) and whole not in COMMANDS:
            raise UsageProblem(
                f"the command {whole}, which an installed package adds, cannot be imported:"
                f" {one_line(error)}; `lingprobe list plugins` says which"
                " package that is"
            )
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and whole in COMMANDS:
            command = COMMANDS[whole].command(name)
        return name, command, rest


app = typer.Typer(
    cls=Group,
    help="Probes sentence and token embeddings for linguistic properties.",
    epilog=(
        "Try `lingprobe run` for a first table, `lingprobe tasks` for a list of tasks, and"
        " `lingprobe run --help` for examples."
    ),
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _add_commands() -> None:
    """Add ours and those of installed packages, by heading and in their groups. A name that is
    taken is ours; a command that cannot be imported is left out; who calls it, or `lingprobe list
    plugins`, learns why.
    """
    failed: dict[str, BaseException] = {}
    points = [
        (name.replace(".", " "), found) for name, found in load_points("lingprobe.commands", failed)
    ]
    _FAILED.update({name.replace(".", " "): error for name, error in failed.items()})
    ours: list[tuple[str, str, Any]] = [
        (each.heading, each.name, attribute(each.place)) for each in commands()
    ]
    known = {*GROUPS, *(name for _, name, _ in ours)}
    added = [
        (found.heading if isinstance(found, Declaration) else "Plugins", name, found)
        for name, found in points
        if name not in known
    ]
    rank = {heading: place for place, heading in enumerate([*HEADINGS, "Plugins"])}
    groups: dict[str, typer.Typer] = {"": app}
    for heading, name, found in sorted(
        [*ours, *added], key=lambda row: rank.get(row[0], len(rank))
    ):
        group, _, last = name.rpartition(" ")
        _ORDER.setdefault(group or last, len(_ORDER))
        if group not in groups:
            text = GROUPS.get(group, "Commands of installed packages.")
            groups[group] = typer.Typer(cls=Group, rich_markup_mode=None)
            app.add_typer(groups[group], name=group, help=text, rich_help_panel=heading)
        if isinstance(found, Declaration):
            COMMANDS[name] = found
            panel = None if group else heading
            groups[group].command(last, help=found.text, rich_help_panel=panel)(lambda: None)
        else:
            with contextlib.suppress(Exception):
                groups[group].command(last, cls=Command, rich_help_panel=heading)(found)


_add_commands()

INTERRUPTED = 130
ANYWHERE = ("--debug", "--notes")  # flags that are taken wherever they are in a command


def _version(wanted: bool) -> None:
    if wanted:
        import importlib.metadata

        typer.echo(f"lingprobe {importlib.metadata.version('lingprobe')}")
        raise typer.Exit


@app.callback()
def lingprobe(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", help="Show the whole traceback of an error; works anywhere in a command."
        ),
    ] = False,
    notes: Annotated[
        bool,
        typer.Option("--notes", help="Print all notes below tables; works anywhere in a command."),
    ] = False,
) -> None:
    """Probes sentence and token embeddings for linguistic properties."""


def main() -> None:
    """Run the command line; an error is one line on standard error, and exit code 2."""
    arguments = [a for a in sys.argv[1:] if a not in ANYWHERE]
    if debug := "--debug" in sys.argv[1:]:
        # a failure that stops nothing else is told in a line, and here with its traceback
        logging.basicConfig()
        logging.getLogger("lingprobe").setLevel(logging.DEBUG)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a name that the terminal cannot show is shown as an escape
            stream.reconfigure(errors="backslashreplace")
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_Printable())
    try:
        check_places(arguments)
        with _printing(all_notes="--notes" in sys.argv[1:]):
            code = app(arguments or ["--help"], standalone_mode=False)
    except TyperException as error:
        text = sentence(error, arguments, COMMANDS)
        typer.echo(f"lingprobe: {printable(text)}", err=True)
        code = 2
    except Exception as error:
        if debug:
            raise
        code = _report_error(error)
    if code == INTERRUPTED:
        typer.echo(
            "\nlingprobe: interrupted; results so far are saved, and the same command resumes the"
            " run",
            err=True,
        )
    if code:
        sys.stderr.flush()
        sys.exit(code)


def _printing(all_notes: bool) -> contextlib.AbstractContextManager[None]:
    """What prints all notes below tables, or the first ones."""
    if not all_notes:
        return contextlib.nullcontext()
    from lingprobe.tables.notes import printing_all_notes

    return printing_all_notes()


class _Printable(logging.Formatter):
    """Warnings without what would move the terminal's cursor."""

    def format(self, record: logging.LogRecord) -> str:
        return printable_lines(super().format(record))


def check_places(arguments: Sequence[str]) -> None:
    """Refuse an output or cache that is named by nothing, as by a variable that is not set, which
    would be the folder where the command runs; and such a folder that was removed.
    """
    check_working_folder()
    for flag, value in pairwise([*arguments, "-"]):
        name, is_joined, joined = flag.partition("=")
        if name in PLACES and not (joined if is_joined else value):
            raise UsageProblem(f"{name} is empty: is a variable of the shell not set?")


def _report_error(error: Exception) -> int:
    """Say what went wrong in one line; returns the exit code: 2 for what the user can mend, 1 for
    what we must.
    """
    text = printable(" ".join(str(error).split()))
    if isinstance(error, BrokenPipeError):
        # else the interpreter complains once more on its way out
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if isinstance(error, OSError) and error.filename is not None:
        text = printable(f"{error.filename}: {(error.strerror or text).lower()}")
    if isinstance(error, OSError | LingprobeError):
        typer.echo(f"lingprobe: {text}", err=True)
        return 2
    typer.echo(
        f"lingprobe: {type(error).__name__}: {text}{where(error)} (unexpected; run again with"
        " --debug to see where)",
        err=True,
    )
    return 1
