"""`lingprobe report`, `compare`, `card`, `layers` and `predictions`: what was measured before."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

import lingprobe
from lingprobe.cli.completing import names
from lingprobe.cli.derived import Given, command, option
from lingprobe.cli.options import (
    OUTPUT,
    READ_PATTERNS,
    SELECTION,
    STYLE,
    EncoderPatterns,
    Folder,
    JudgedBy,
    Output,
    ReadPatterns,
    Style,
    Styles,
    Suite,
    TaskPatterns,
    Trust,
    Which,
    listed,
    put,
    remark,
    show,
)
from lingprobe.data.errors import UsageProblem

PAGE = Path("report.html")


def report(
    results: Folder = None,
    which: Which = None,
    task: TaskPatterns = None,
    encoder: EncoderPatterns = None,
    read: ReadPatterns = None,
    metric: JudgedBy = None,
    style: Style = "terminal",
    output: Output = None,
    suite: Suite = None,
    human: Annotated[
        list[Path] | None,
        typer.Option(
            "--human",
            metavar="FILE",
            help=(
                "Human labels: with --suite, a bound written by `lingprobe annotate --score`; with"
                " --html, filled sheets."
            ),
        ),
    ] = None,
    each: Annotated[
        bool,
        typer.Option(
            "--each",
            help="One table per task, with full intervals, and controls next to the scores.",
        ),
    ] = False,
    classes: Annotated[
        bool, typer.Option("--classes", help="Counts and F1 by class or label instead of scores.")
    ] = False,
    bits: Annotated[
        bool,
        typer.Option(
            "--bits",
            help=(
                "V-information and calibration instead of scores, for results with `--keep scores`."
            ),
        ),
    ] = False,
    headroom: Annotated[
        bool,
        typer.Option(
            "--headroom",
            help=(
                "Gains over word embeddings, and how much of them local context, random weights"
                " or a bag of words reach."
            ),
        ),
    ] = False,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="STRATUM",
            help=("Scores by a tag of the test examples, such as `distance`."),
        ),
    ] = None,
    view: Annotated[
        str | None,
        typer.Option(
            "--view",
            metavar="VIEW",
            help="One of these by name, or `mine.py@view`; `lingprobe list views` lists them.",
            autocompletion=names("views"),
        ),
    ] = None,
    figure: Annotated[
        str,
        typer.Option(
            "--figure",
            metavar="FIGURE",
            help=(
                "The figure, if -o ends in .svg, .png or .pdf, and in HTML: `dots`, `heat`, `radar`"
                " or `mine.py@figure`."
            ),
            autocompletion=names("figures"),
        ),
    ] = "dots",
    html: Annotated[
        bool,
        typer.Option(
            "--html", help="Write everything as one HTML page: report.html, or the file of -o."
        ),
    ] = False,
    trust: Trust = False,
) -> None:
    """Show the results in a folder, or those of the last run.

    Several tasks are shown in one table with a row per encoder; `--each` shows a table per task. If
    `-o` ends in .svg, .png or .pdf, it draws a figure.

    **Examples**

    - `lingprobe report`
    - `lingprobe report results/`
    - `lingprobe report results/ --format csv -o results.csv`
    - `lingprobe report results/ --each`
    - `lingprobe report results/ --html -o report.html`
    - `lingprobe report results/ -o scores.svg`
    - `lingprobe report results/ --metric spearman`
    - `lingprobe report results/ --format mteb -o mteb_results/`
    - `lingprobe report results/ --classes`
    - `lingprobe report results/ --bits`
    - `lingprobe report results/ --headroom`
    - `lingprobe report results/ --by distance`
    - `lingprobe report results/ --view mine.py@mine`
    - `lingprobe report results/ -t 'edge/dep' --read lex --read mix --by distance -o distance.png`
    - `lingprobe report results/ --suite conneau2018`
    """
    page = lingprobe.report(
        results,
        suite=suite,
        human=listed(human),
        each=each,
        classes=classes,
        bits=bits,
        headroom=headroom,
        by=by,
        view=view,
        figure=figure,
        tasks=task,
        encoders=encoder,
        reads=read,
        experiment=which,
        trust=trust,
        metric=metric,
    )
    if html:
        style, output = "html", output or PAGE
    put(page, style, output, "result")


@command(
    "compare",
    *SELECTION,
    READ_PATTERNS,
    option("against", "-a", metavar="PATTERN"),
    "pairs",
    option(
        "letters",
        help="All pairs as letters: scores that share a letter do not differ significantly.",
    ),
    option(
        "published",
        metavar="PAPER",
        help=(
            "Test differences in the published table of `conneau2018` or `ud2019`, instead of"
            " results."
        ),
    ),
    option(
        "correction",
        help=(
            "Correction of p values and intervals: Bonferroni (default), or Benjamini-Hochberg; of"
            " published tables, which have no intervals, Holm (default)."
        ),
    ),
    "test",
    STYLE,
    OUTPUT,
    "trust",
)
def compare(
    given: Given,
    *,
    letters: bool = False,
    published: str | None = None,
    correction: Literal["bonferroni", "bh", "holm"] | None = None,
    style: Styles = "terminal",
    output: Path | None = None,
) -> None:
    """Test whether scores differ: paired differences with verdicts, 95 % intervals and p values.

    Each encoder is compared with the best baseline of each task; its layer is the best on dev, and
    where a task has folds, each layer is compared. Scores are paired over the same test examples.
    p values and intervals are corrected for all comparisons shown, so choose with `-t`, `-e`,
    `--against` and `--pairs` before you look. Oracles are compared only if `--against` names them.
    `--letters` shows many encoders at once.

    **Examples**

    - `lingprobe compare results/`
    - `lingprobe compare results/ --against bow:random`
    - `lingprobe compare results/ -t ud/tense -e 'st:*' -e 'hf:*' --pairs`
    - `lingprobe compare results/ -t 'edge/*' -e 'hf:*' --read 0 --read 6 --pairs`
    - `lingprobe compare results/ --letters --correction bh`
    - `lingprobe compare results/ -t text/trec -e 'st:*' --test permutation`
    - `lingprobe compare results/ --against length --format csv -o differences.csv`
    - `lingprobe compare --published ud2019 -t ObjNum`
    """
    corrected = {"correction": correction} if correction else {}
    if published:
        page = lingprobe.compare_published(published, given.get("tasks"), **corrected)
        put(page, style, output, "difference")
        return
    if letters and "against" in given:
        raise UsageProblem("--letters compares all pairs: leave --against out")
    comparison = lingprobe.compare(**{**given, **corrected, "pairs": given["pairs"] or letters})
    put(comparison.letters if letters else comparison.page, style, output, "difference")


def card(
    results: Folder = None,
    which: Which = None,
    task: TaskPatterns = None,
    encoder: EncoderPatterns = None,
    benchmark: Annotated[
        str | None,
        typer.Option(
            "--benchmark",
            metavar="OWNER/NAME",
            help="A benchmark of the hub, to also write .eval_results/.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Where to write (default: print as Markdown)."
        ),
    ] = None,
    trust: Trust = False,
) -> None:
    """Write scores for model cards on the Hugging Face hub: a section in Markdown, and metadata.

    It writes a README.md for each model, to add to the model's card. A benchmark is a data set on
    the hub whose tasks have the same names as yours.

    **Examples**

    - `lingprobe card results/`
    - `lingprobe card results/ -e 'st:*' -o cards/`
    - `lingprobe card results/ --benchmark me/probing -o cards/`
    """
    page = lingprobe.card(
        results, benchmark=benchmark, tasks=task, encoders=encoder, experiment=which, trust=trust
    )
    put(page, "hub" if output else "markdown", output, "result")


def layers(
    results: Folder = None,
    which: Which = None,
    task: TaskPatterns = None,
    encoder: EncoderPatterns = None,
    style: Style = "terminal",
    output: Output = None,
    trust: Trust = False,
) -> None:
    """Show scores by layer: each layer alone, growing mixes, what each layer adds, and weights.

    It shows results of `lingprobe run --read layers --read cumulative`. If `-o` ends in .svg, .png
    or .pdf, it draws a figure; `--format html` has tables and figure on one page.

    **Examples**

    - `lingprobe layers results/`
    - `lingprobe layers results/ -t 'edge/*' -o layers.svg`
    - `lingprobe layers results/ --format html -o layers.html`
    - `lingprobe layers results/ --format csv -o layers.csv`
    """
    page = lingprobe.layers(
        results,
        tasks=task,
        encoders=encoder,
        experiment=which,
        trust=trust,
    )
    if output is not None and page.draws(output):
        show(page, style)
    put(page, style, output, "task")


def predictions(
    results: Folder = None,
    which: Which = None,
    task: TaskPatterns = None,
    encoder: EncoderPatterns = None,
    read: ReadPatterns = None,
    style: Annotated[
        Literal["jsonl", "jiant"],
        typer.Option("--format", "-f", help="JSON lines, or jiant's files."),
    ] = "jsonl",
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where to write, one file per fit."),
    ] = Path("predictions"),
    trust: Trust = False,
) -> None:
    """Write the predictions of probes for each test example: gold label, answer, probabilities.

    This needs results of `lingprobe run --keep scores`, and the data in the same place.
    Probabilities are from the state of the probe with the lowest loss on dev; answers are from the
    state with the best score on dev, as in tables.

    **Examples**

    - `lingprobe predictions results/ -o predictions/`
    - `lingprobe predictions results/ -t edge/dep --read mix -o predictions/`
    - `lingprobe predictions results/ -t edge/spr2 --format jiant -o predictions/`
    """
    written = lingprobe.predictions(
        results,
        output,
        format=style,
        tasks=task,
        encoders=encoder,
        reads=read,
        experiment=which,
        trust=trust,
    )
    remark(f"{output}: {len(written):,} file{'s' * (len(written) > 1)}")
