"""Options that several commands share, and how they show what they found."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import sonde
from sonde.cli.completing import names
from sonde.errors import UsageProblem

if TYPE_CHECKING:
    from sonde.tables.page import Page

Tasks = Annotated[
    list[str] | None,
    typer.Option(
        "--task",
        "-t",
        metavar="REFERENCE",
        autocompletion=names("tasks"),
        help=(
            "Tasks, as `ud/tense:PATH`, or by pattern, as `ud/*:PATH`; several may follow one `-t`."
        ),
    ),
]
Languages = Annotated[
    list[str] | None,
    typer.Option(
        "--language",
        "-l",
        metavar="LANGUAGE",
        help=(
            "On every treebank in this language (pol, pl, Polish) in the working folder, or in"
            " $SONDE_TREEBANKS; `-t` then has no path. May be repeated."
        ),
    ),
]
Encoders = Annotated[
    list[str] | None,
    typer.Option(
        "--encoder",
        "-e",
        metavar="REFERENCE",
        autocompletion=names("encoders"),
        help="Encoders, as `st:NAME_OR_PATH` or `npz:FILE`; several may follow one `-e`.",
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        metavar="NAME",
        help=(
            "A model by its name on the hub, or its folder: read with sentence-transformers if it"
            " is one of these, else with transformers; may be repeated."
        ),
    ),
]
Device = Annotated[
    str | None,
    typer.Option(
        "--device",
        metavar="DEVICE",
        help="Device for models that name none: cpu, cuda, cuda:1 or mps (default: the best).",
    ),
]
ProbeDevice = Annotated[
    str,
    typer.Option(
        "--probe-device",
        metavar="DEVICE",
        help="Where probes are fitted: cpu, cuda, cuda:1, or auto (CUDA where there is one).",
    ),
]
BatchSize = Annotated[
    int | None,
    typer.Option(
        "--batch-size",
        min=1,
        metavar="N",
        help=(
            "Sentences in a batch, for encoders with an option batch_size; hf and st fill batches"
            " by tokens (`st:NAME,tokens=2048`)."
        ),
    ),
]
Suite = Annotated[
    str | None,
    typer.Option(
        "--suite",
        metavar="REFERENCE",
        autocompletion=names("suites"),
        help=(
            "A paper's tasks, protocol and table, as `ud2019:TREEBANK`; `sonde suites` lists them."
        ),
    ),
]
Probes = Annotated[
    list[str] | None,
    typer.Option(
        "--probe",
        metavar="REFERENCE",
        autocompletion=names("probes"),
        help="A probe, as `mlp` or `logreg` (default: each task's own).",
    ),
]
Controls = Annotated[
    list[str] | None,
    typer.Option(
        "--control",
        metavar="REFERENCE",
        autocompletion=names("controls"),
        help="A control beside the scores, as `shuffled`.",
    ),
]
Reads = Annotated[
    list[str] | None,
    typer.Option(
        "--read",
        metavar="READ",
        help=(
            "What to read: a layer by name, top, cat:lex+top, mix, mix:0-3, cumulative (default:"
            " each layer)."
        ),
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", help="The random seed: which sentences are drawn, and in which order."),
]
Style = Annotated[
    Literal["terminal", "markdown", "latex", "html", "csv", "parquet", "mteb"],
    typer.Option("--format", "-f", help="The format; parquet and mteb hold scores only."),
]
PageStyle = Annotated[
    Literal["terminal", "markdown", "latex", "html", "csv"],
    typer.Option("--format", "-f", help="The format."),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="PATH", help="Where to write.")
]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="FOLDER",
        help="Where vectors are kept (default: $SONDE_CACHE, or the user's cache folder).",
    ),
]
Store = Annotated[
    Literal["float32", "float16", "bfloat16", "none"],
    typer.Option(
        "--store",
        help=(
            "How vectors are kept: as they are; rounded to half the bytes (float16 has more digits,"
            " bfloat16 also holds large values); or, with none, only until they are measured, one"
            " encoder at a time. Results record it."
        ),
    ),
]
Ahead = Annotated[
    Literal["float32", "float16", "bfloat16"],
    typer.Option("--store", help="How vectors are kept, as by the run that reads them."),
]
Keep = Annotated[
    Literal["scores"] | None,
    typer.Option(
        "--keep",
        help=(
            "What else to keep: scores, for V-information, calibration and `sonde predictions` (2"
            " bytes an example and label)."
        ),
    ),
]
OnError = Annotated[
    Literal["raise", "skip"],
    typer.Option(
        "--on-error",
        help=(
            "What to do about a malformed sentence in a treebank: stop and name it, or skip and"
            " count it."
        ),
    ),
]
Bounds = Annotated[
    bool,
    typer.Option(
        "--bounds/--no-bounds",
        help=(
            "Show each task's default baselines and oracle, too: what is trivial, and what is"
            " possible."
        ),
    ),
]
Reproducible = Annotated[
    bool,
    typer.Option(
        "--reproducible",
        help="Compute in float32 and with one thread: slower, but the same numbers every time.",
    ),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="No progress bars and no remarks; results and errors only."),
]


Folder = Annotated[
    Path | None,
    typer.Argument(
        metavar="FOLDER", help="What `sonde run -o` wrote (default: the results of the last run)."
    ),
]
Which = Annotated[
    str | None,
    typer.Option(
        "--experiment",
        metavar="N",
        help=(
            "Which run to show: last, the N-th last, or all (default: all if a folder is named,"
            " else last)."
        ),
    ),
]
TaskPatterns = Annotated[
    list[str] | None,
    typer.Option(
        "--task",
        "-t",
        metavar="PATTERN",
        help="Only tasks of this name, as `edge/*`, or as tables show them; may be repeated.",
    ),
]
EncoderPatterns = Annotated[
    list[str] | None,
    typer.Option(
        "--encoder",
        "-e",
        metavar="PATTERN",
        help="Only encoders of this name, as `hf`, or as tables show them; may be repeated.",
    ),
]
ReadPatterns = Annotated[
    list[str] | None,
    typer.Option(
        "--read",
        metavar="PATTERN",
        help="Only results of these reads, as `lex` or `mix*`; may be repeated.",
    ),
]


JudgedBy = Annotated[
    str | None,
    typer.Option(
        "--metric",
        metavar="METRIC",
        help="Judge the same answers by another metric, as `spearman` or `micro-f1,only=1`.",
    ),
]


def encoders_of(
    encoders: list[str] | None,
    models: list[str] | None,
    device: str | None,
    batch_size: int | None,
    quiet: bool,
) -> list[str]:
    """The references of all encoders that were asked for, with their options; what reads a model is
    said.
    """
    references = listed(encoders)
    for name in listed(models):
        references.append(sonde.model(name))
        remark(f"{name}: read as {references[-1]}", quiet)
    given = {"device": device, "batch_size": batch_size}
    options = {key: value for key, value in given.items() if value is not None}
    return sonde.configure(references, **options) if options else references


def tasks_of(tasks: list[str] | None, languages: list[str] | None) -> list[str] | None:
    """The tasks that were asked for, on all treebanks of some languages where these are named."""
    if not languages:
        return tasks
    families = listed(tasks) or ["ud"]
    if placed := [each for each in families if ":" in each]:
        raise UsageProblem(
            f"-l finds the treebanks itself: write {placed[0].partition(':')[0]} for {placed[0]}"
        )
    for each in families:
        sonde.available("tasks", each if "/" in each else f"{each}/*")  # or says what there is
    return [task for each in families for task in sonde.get_tasks(languages, each)]


def remark(text: str, quiet: bool = False) -> None:
    """Say something beside the results, on standard error."""
    if not quiet:
        typer.echo(text, err=True)


def show(page: Page[Any], style: str = "terminal") -> None:
    """Print a page on standard output, in colour where there is a terminal."""
    from rich.console import Console

    console = Console()
    if style == "terminal" and console.is_terminal:
        console.print(page)
    else:
        typer.echo(page.text(style), nl=False)


def put(page: Page[Any], style: str, output: Path | None, what: str) -> None:
    """Write a page to a file and say how much it holds, or print it."""
    for text in page.remarks:
        remark(text)
    if output is None:
        show(page, style)
    else:
        page.write(output, None if style == "terminal" else style)
        many = len(page.content)
        remark(f"{output}: {many:,} {what}{'s' * (many > 1)}")


def listed(values: Iterable[Any] | None) -> list[Any]:
    """What was repeated on the command line, maybe not once."""
    return list(values or ())
