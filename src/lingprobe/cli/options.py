"""Options that several commands share, and how they show what they found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

import lingprobe
from lingprobe.cli.declaration import Option, argument, option
from lingprobe.cli.parsing import FILE
from lingprobe.data.errors import UsageProblem
from lingprobe.data.printing import printable_lines

if TYPE_CHECKING:
    from lingprobe.tables.page import Page

SPEED, MORE = "Speed and storage", "Further options"
"""What groups of options are called in help."""

# how parameters of several functions are written
TASK = argument("task", "TASK")
TASKS = option("tasks", "--task", "-t", metavar="TASK", complete="tasks")
ENCODERS = option("encoders", "--encoder", "-e", metavar="ENCODER", complete="encoders")
SUITE = option("suite", metavar="SUITE", complete="suites")
CACHE = option("cache", metavar="FOLDER", panel=SPEED)
STORE = option("store", metavar="DTYPE", panel=SPEED)
PROJECT = option("project", metavar="N", least=1, panel=SPEED)
SHARD = option("shard", metavar="N/OF", panel=SPEED)
JOBS = option("jobs", "-j", metavar="N|ray", panel=SPEED)
ON_ERROR = option("on_error", metavar="raise|skip", panel=MORE)
TO_FILE = option("output", "-o", metavar="FILE")
TO_FOLDER = option("output", "-o", metavar="FOLDER")
FOLDER = argument(
    "results",
    "FOLDER",
    kind=Path,
    help="Results of `run -o` (default: the last run).",
)
WHICH = option("experiment", metavar="N")
SELECTION = (
    FOLDER,
    WHICH,
    option("tasks", "--task", "-t", metavar="PATTERN"),
    option("encoders", "--encoder", "-e", metavar="PATTERN"),
)
READ_SELECTION = (*SELECTION, option("reads", "--read", metavar="PATTERN"))
METRIC = option("metric", metavar="METRIC")

# what functions have no parameter for: keywords of commands
MODELS = option(
    "model",
    "-m",
    metavar="NAME",
    help=(
        "A model by its name on the Hugging Face hub, or its folder: loaded with"
        " sentence-transformers if possible, else with transformers; for tasks about words its"
        " subwords (`hf:NAME,pool=none`). May be repeated."
    ),
)
DEVICE = option(
    "device",
    metavar="DEVICE",
    help="Default device for models: cpu, cuda, cuda:1 or mps (default: the fastest).",
    panel=SPEED,
)
BATCH_SIZE = option(
    "batch_size",
    metavar="N",
    least=1,
    help=(
        "Sentences per batch, for encoders with the option batch_size; hf and st have tokens per"
        " batch instead (`st:NAME,tokens=2048`)."
    ),
    panel=SPEED,
)
DRY_RUN = option("dry_run", help="Only estimate how much there is to do, and the time.")
PAGE_STYLE = option(
    "style",
    "--format",
    "-f",
    metavar="FORMAT",
    help="terminal, markdown, latex, html or csv.",
)
STYLE = PAGE_STYLE.but(
    help="terminal, markdown, latex, html or csv; of scores also parquet or mteb."
)
OUTPUT = option("output", "-o", metavar=FILE, help="A file to write, instead of printing.")
WIDTH = option(
    "width",
    metavar="WIDTH",
    help=(
        "Width in a paper of a figure or a table in LaTeX: `column` (77 mm), `text` (139.7 mm), or"
        " millimetres, as `90mm` (default: figures for screens, tables as wide as they are)."
    ),
)
SIZED_OUTPUT = (OUTPUT, WIDTH)
QUIET = option(
    "quiet", "-q", help="Print only results and errors, without progress bars and remarks."
)
SHARED_OPTIONS: Mapping[str, tuple[Option, ...]] = {
    "tasks": (TASKS,),
    "on_error": (ON_ERROR,),
    "file": (TO_FILE,),
    "folder": (TO_FOLDER,),
    "selection": SELECTION,
    "selection of layers": READ_SELECTION,
    "style": (PAGE_STYLE,),
    "page": (OUTPUT,),
    "quiet": (QUIET,),
}
"""Options that commands share, those of extensions too, by what they are for."""
PageStyle = Literal["terminal", "markdown", "latex", "html", "csv"]
Style = Literal[PageStyle, "parquet", "mteb"]


def encoders_of(
    encoders: list[str] | None,
    models: list[str] | None,
    device: str | None,
    batch_size: int | None,
    quiet: bool,
    tasks: list[str] | None = None,
) -> list[str]:
    """The references of all encoders that were asked for, with their options; what reads a model is
    said.
    """
    references = as_list(encoders)
    for name in as_list(models):
        references.append(lingprobe.model(name, tasks))
        if name != references[-1]:
            remark(f"{name}: read as {references[-1]}", quiet)
    given = {"device": device, "batch_size": batch_size}
    options = {key: value for key, value in given.items() if value is not None}
    return lingprobe.configure(references, **options) if options else references


def names_encoder(text: str) -> bool:
    """Whether a text is the reference of an encoder, and no file."""
    from lingprobe.data.references import try_parse_reference
    from lingprobe.encoders import ENCODERS

    parsed = try_parse_reference(text)
    known = parsed is not None and ("@" in parsed.name or parsed.name in ENCODERS.places())
    return known and not Path(text).exists()


def tasks_of(tasks: list[str] | None, languages: list[str] | None) -> list[str] | None:
    """The tasks that were asked for, on all treebanks of some languages where these are named."""
    if not languages:
        return tasks
    families = as_list(tasks) or ["ud"]
    if placed := [each for each in families if ":" in each]:
        raise UsageProblem(
            f"-l finds the treebanks itself: write {placed[0].partition(':')[0]} for {placed[0]}"
        )
    for each in families:
        lingprobe.available("tasks", each if "/" in each else f"{each}/*")  # or says what there is
    return [task for each in families for task in lingprobe.get_tasks(languages, each)]


def remark(text: str, quiet: bool = False) -> None:
    """Say something beside the results, on standard error."""
    if not quiet:
        echo(text, err=True)


def echo(text: str, err: bool = False) -> None:
    """Print text that names what others wrote, without what would move the terminal's cursor."""
    typer.echo(printable_lines(text), err=err)


def show(page: Page[Any], style: str = "terminal") -> None:
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


def show_page(
    page: Page[Any],
    style: str = "terminal",
    output: Path | None = None,
    what: str = "",
    width: str | None = None,
) -> None:
    """Write a page to a file and say how much it holds, or print it."""
    for text in page.remarks:
        remark(text)
    if output is None and width:
        typer.echo(page.text(style, width=width), nl=False)
    elif output is None:
        show(page, style)
    else:
        page.write(output, None if style == "terminal" else style, width=width)
        many = len(page.content)
        remark(f"{output}: {many:,} {what}{'s' * (many > 1)}")


def as_list(values: Iterable[Any] | None) -> list[Any]:
    """What was repeated on the command line, maybe not once."""
    return list(values or ())
