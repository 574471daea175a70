"""Options that the command line alone has, by groups that commands share, and how commands show
what they found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import lingprobe
from lingprobe.api.options import ModelOptions
from lingprobe.cli.parsing import FILE_METAVAR
from lingprobe.data.errors import UsageProblem
from lingprobe.data.options import Help, Options, flag
from lingprobe.data.printing import printable_lines

if TYPE_CHECKING:
    from lingprobe.tables.page import Page

PageStyle = Literal["terminal", "markdown", "latex", "html", "csv"]
ScoreStyle = Literal["terminal", "markdown", "latex", "html", "csv", "parquet", "mteb"]


@dataclass(frozen=True, kw_only=True)
class QuietOptions(Options):
    """What is said beside the results."""

    quiet: Annotated[
        bool, Help("print only results and errors, without progress bars and notes"), flag("-q")
    ] = False


@dataclass(frozen=True, kw_only=True)
class TrialOptions(Options):
    """Whether anything is done."""

    dry_run: Annotated[bool, Help("only estimate how much there is to do, and the time")] = False


@dataclass(frozen=True, kw_only=True)
class EncoderOptions(ModelOptions, QuietOptions):
    """Models by their names, and what is said of how they are read."""


@dataclass(frozen=True, kw_only=True)
class StyleOptions(Options):
    """How a page is printed."""

    style: Annotated[
        PageStyle,
        Help("terminal, markdown, latex, html or csv"),
        flag("--format", "-f", metavar="FORMAT"),
    ] = "terminal"


@dataclass(frozen=True, kw_only=True)
class ScorePageOptions(Options):
    """How a page of scores is printed."""

    style: Annotated[
        ScoreStyle,
        Help("terminal, markdown, latex, html or csv; of scores also parquet or mteb"),
        flag("--format", "-f", metavar="FORMAT"),
    ] = "terminal"


@dataclass(frozen=True, kw_only=True)
class FileOptions(Options):
    """Where a page is written."""

    output: Annotated[
        Path | None,
        Help("a file to write, instead of printing"),
        flag("-o", metavar=FILE_METAVAR),
    ] = None


@dataclass(frozen=True, kw_only=True)
class PageOptions(FileOptions, StyleOptions):
    """How a page is printed, or where it is written."""


@dataclass(frozen=True, kw_only=True)
class SizedFileOptions(FileOptions):
    """Where a page is written, and how wide it is."""

    width: Annotated[
        str | None,
        Help(
            "width in a paper of a figure or a table in LaTeX: `column` (77 mm), `text` (139.7 mm)"
            " or `90mm`"
        ),
        flag(metavar="WIDTH"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class RenamedFileOptions(SizedFileOptions):
    """Where a page is written, and what its rows are called."""

    rename: Annotated[
        Sequence[str],
        Help("call a row or column otherwise than the table"),
        flag(metavar="NAME=OTHER"),
    ] = ()


def collect_encoder_references(
    encoders: Iterable[str] | None, encoder_options: EncoderOptions, tasks: list[str] | None = None
) -> list[str] | None:
    """The encoders that `-e` and `-m` name, with options for all, as references; None for none;
    what reads a model is said.
    """
    references = collect_repeated(encoders)
    for name in encoder_options.models:
        references.append(lingprobe.model(name, tasks))
        if name != references[-1]:
            print_remark(f"{name}: read as {references[-1]}", encoder_options.quiet)
    chosen = {"device": encoder_options.device, "batch_size": encoder_options.batch_size}
    options = {key: value for key, value in chosen.items() if value is not None}
    return (lingprobe.configure(references, **options) if options else references) or None


def names_encoder(text: str) -> bool:
    """Whether a text is the reference of an encoder, and no file."""
    from lingprobe.data.references import try_parse_reference
    from lingprobe.encoders import ENCODERS

    parsed = try_parse_reference(text)
    known = parsed is not None and ("@" in parsed.name or parsed.name in ENCODERS.places())
    return known and not Path(text).exists()


def collect_task_references(
    tasks: Iterable[str] | None, languages: Sequence[str]
) -> list[str] | None:
    """The tasks that `-t` names, on all treebanks of the languages that `-l` names; None for
    none.
    """
    if not languages:
        return collect_repeated(tasks) or None
    families = collect_repeated(tasks) or ["ud"]
    if placed := [each for each in families if ":" in each]:
        raise UsageProblem(
            f"-l finds the treebanks itself: write {placed[0].partition(':')[0]} for {placed[0]}"
        )
    for each in families:
        lingprobe.available("tasks", each if "/" in each else f"{each}/*")  # or says what there is
    return [task for each in families for task in lingprobe.get_tasks(list(languages), each)]


def print_remark(text: str, quiet: bool = False) -> None:
    """Say something beside the results, on standard error."""
    if not quiet:
        print_safely(text, err=True)


def print_safely(text: str, err: bool = False) -> None:
    """Print text that names what others wrote, without what would move the terminal's cursor."""
    typer.echo(printable_lines(text), err=err)


def print_page(page: Page[Any], style: str = "terminal") -> None:
    """Print a page on standard output, in colour where there is a terminal."""
    from rich.console import Console

    console = Console()
    if style == "terminal" and console.is_terminal:
        console.print(page)
    else:
        typer.echo(page.text(style), nl=False)


def check_figure(figure: str, usual: str, style: str, output: Path | None) -> None:
    """Refuse a figure that is asked for, and would be drawn nowhere."""
    from lingprobe.tables.page import is_figure

    if figure != usual and style != "html" and not is_figure(output):
        raise UsageProblem(f"--figure {figure}: name the file to draw it to, as -o {figure}.svg")


def rename_page(page: Page[Any], options: RenamedFileOptions) -> Page[Any]:
    """The page with the names that `--rename` asks for; UsageProblem for what names nothing."""
    names = {}
    for text in options.rename:
        name, sign, other = text.rpartition("=")
        if not (name and sign and other):
            raise UsageProblem(f"--rename {text}: write NAME=OTHER")
        names[name] = other
    return page.rename(names) if names else page


def show_page(
    page: Page[Any],
    style: str = "terminal",
    output: Path | None = None,
    noun: str = "",
    width: str | None = None,
) -> None:
    """Write a page to a file and say how much it holds, or print it."""
    for text in page.remarks:
        print_remark(text)
    if output is None and width:
        typer.echo(page.text(style, width=width), nl=False)
    elif output is None:
        print_page(page, style)
    else:
        page.write(output, None if style == "terminal" else style, width=width)
        many = len(page.content)
        print_remark(f"{output}: {many:,} {noun}{'s' * (many > 1)}")


def collect_repeated(values: Iterable[Any] | None) -> list[Any]:
    """What was repeated on the command line, maybe not once."""
    return list(values or ())
