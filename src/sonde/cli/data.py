"""`sonde build` and `sonde inspect`: a data set as a file, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from sonde.cli.options import Cache, OnError, remark, settled, tolerant

WIDTH = 140  # of an audit that is not shown in a terminal
Task = Annotated[str, typer.Argument(metavar="TASK", help="A task, as `ud/tense:PATH`.")]


def build(
    task: Task,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write; its suffix says the format."
        ),
    ],
    style: Annotated[
        Literal["parquet", "jsonl", "senteval", "jiant"] | None,
        typer.Option("--format", help="The format, whatever the suffix."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--audit",
            metavar="FILE",
            help="Where to write what `sonde inspect` says of it, as Markdown.",
        ),
    ] = None,
    on_error: OnError = "raise",
) -> None:
    """Write the data set of a task to a file: Parquet, JSON lines, the TSV that SentEval reads, or
    the files a split that jiant reads.

    What is wrong with it is said on standard error: repeats, forms and sentences in several splits,
    few or uneven examples. With `--audit`, what needs no encoder is scored as well, and the whole
    audit is written beside it.

    **Examples**

    - `sonde build ud/tense:UD_English-EWT -o tense.parquet`
    - `sonde build ud/tense:UD_English-EWT -o tense.jsonl --audit tense.md`
    - `sonde build ud/tense:UD_English-EWT -o tense.txt --format senteval`
    - `sonde build edge/dep:UD_English-EWT -o edges.json --format jiant`
    """
    from sonde.audit import inspect as audit
    from sonde.audit.page import audited
    from sonde.cache import write_text
    from sonde.datasets.formats.tables import write
    from sonde.experiment.data import load
    from sonde.tables.markup import markdown
    from sonde.tasks import TASKS

    (reference,) = tolerant([task], on_error)
    made = TASKS.make(reference)
    dataset = load(made)
    told = write(dataset, output, style)
    # a file a split
    written = output.with_suffix(f".*{output.suffix}") if style == "jiant" else output
    remark(f"{written}: " + ", ".join(f"{key} {value:,}" for key, value in told.items()))
    found = audit(dataset, metric=made.metric, floors=report is not None)
    for problem in found.problems:
        remark(f"- {problem}")
    if report is not None:
        write_text(
            report, "\n".join(map(markdown, audited(found, f"{reference}: {made.question}")))
        )


def inspect(
    task: Task,
    sample: Annotated[int, typer.Option("--sample", min=0, help="How many examples to show.")] = 20,
    seed: Annotated[int, typer.Option("--seed", help="Which examples to show.")] = 0,
    on_error: OnError = "raise",
    cache: Cache = None,
    style: Annotated[
        Literal["terminal", "markdown"], typer.Option("--format", help="How to show it.")
    ] = "terminal",
) -> None:
    """Audit the data set of a task: balance, what needs no encoder, repeats, forms in several
    splits, and rows to read.

    A released data set is read as it was published, whatever splits it lacks.

    **Examples**

    - `sonde inspect ud/tense:UD_English-EWT`
    - `sonde inspect ud/obj-num:UD_Polish-PDB --sample 50 --on-error skip`
    - `sonde inspect xprobe/tree-depth:xprobe/en`
    """
    from sonde.audit import inspect as audit
    from sonde.audit.page import audited
    from sonde.tables.markup import markdown
    from sonde.tables.terminal import show
    from sonde.tasks import TASKS

    settled(cache)
    (reference,) = tolerant([task], on_error)
    made = TASKS.make(reference)
    dataset = getattr(made, "found", made.load)()
    tables = audited(audit(dataset, seed, sample, made.metric), f"{reference}: {made.question}")
    if style == "markdown":
        typer.echo("\n".join(map(markdown, tables)), nl=False)
    else:
        for table in tables:
            show(table, WIDTH)
