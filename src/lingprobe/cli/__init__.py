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
from typing import Annotated

import typer
from typer.exceptions import TyperException

from lingprobe.cli.catalogue import COMMAND_CATALOGUE, CommandGroup
from lingprobe.cli.parsing import explain_parse_error
from lingprobe.data._foreign_code import locate_error
from lingprobe.data.checks import check_working_folder
from lingprobe.data.errors import LingprobeError, UsageProblem
from lingprobe.data.printing import printable_lines, strip_unprintable

_PLACES = frozenset({"-o", "--output", "--cache"})
"""Options that name a file or folder to write to."""
COMMANDS = COMMAND_CATALOGUE
"""Declared commands by name, one in a group as `train encoder`, in the order of the help."""

app = typer.Typer(
    cls=CommandGroup,
    help="Probes sentence and token embeddings for linguistic properties.",
    epilog=(
        "Try `lingprobe run` for a first table, `lingprobe tasks` for a list of tasks, and"
        " `lingprobe run --help` for examples."
    ),
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


_INTERRUPTED = 130
_ANYWHERE = ("--debug", "--notes")  # flags that are taken wherever they are in a command


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
    arguments = [a for a in sys.argv[1:] if a not in _ANYWHERE]
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
        text = explain_parse_error(error, arguments, COMMANDS)
        typer.echo(f"lingprobe: {strip_unprintable(text)}", err=True)
        code = 2
    except Exception as error:
        if debug:
            raise
        code = _report_error(error)
    if code == _INTERRUPTED:
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
        if name in _PLACES and not (joined if is_joined else value):
            raise UsageProblem(f"{name} is empty: is a variable of the shell not set?")


def _report_error(error: Exception) -> int:
    """Say what went wrong in one line; returns the exit code: 2 for what the user can mend, 1 for
    what we must.
    """
    text = strip_unprintable(" ".join(str(error).split()))
    if isinstance(error, BrokenPipeError):
        # else the interpreter complains once more on its way out
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if isinstance(error, OSError) and error.filename is not None:
        text = strip_unprintable(f"{error.filename}: {(error.strerror or text).lower()}")
    if isinstance(error, OSError | LingprobeError):
        typer.echo(f"lingprobe: {text}", err=True)
        return 2
    typer.echo(
        f"lingprobe: {type(error).__name__}: {text}{locate_error(error)} (unexpected; run again"
        " with --debug to see where)",
        err=True,
    )
    return 1
