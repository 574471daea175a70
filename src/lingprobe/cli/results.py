"""`lingprobe report`, `compare`, `card`, `layers` and `predictions`: what was measured before."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import lingprobe
from lingprobe.cli.declaration import Arguments, command, option
from lingprobe.cli.options import (
    METRIC,
    READ_SELECTION,
    SELECTION,
    SIZED_OUTPUT,
    STYLE,
    SUITE,
    TO_FOLDER,
    Style,
    check_figure,
    remark,
    show,
    show_page,
)
from lingprobe.data.errors import UsageProblem

PAGE = Path("report.html")


@command(
    "report",
    *READ_SELECTION,
    METRIC,
    STYLE,
    *SIZED_OUTPUT,
    SUITE,
    option("human", metavar="FILE"),
    "each",
    "classes",
    "bits",
    "headroom",
    option("by", metavar="STRATUM"),
    option("view", metavar="VIEW", complete="views"),
    option("figure", metavar="FIGURE", complete="figures"),
    option("html", help="Write everything as one HTML page: report.html, or the file of -o."),
    "trust",
)
def report(
    given: Arguments,
    *,
    style: Style = "terminal",
    output: Path | None = None,
    width: str | None = None,
    html: bool = False,
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
    - `lingprobe report results/ -o scores.pdf --width column`
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
    if html:
        style, output = "html", output or PAGE
    check_figure(given["figure"], "dots", style, output)
    page = lingprobe.report(**given)
    show_page(page, style, output, "result", width)


@command(
    "compare",
    *READ_SELECTION,
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
    *SIZED_OUTPUT,
    "trust",
)
def compare(
    given: Arguments,
    *,
    letters: bool = False,
    published: str | None = None,
    correction: Literal["bonferroni", "bh", "holm"] | None = None,
    style: Style = "terminal",
    output: Path | None = None,
    width: str | None = None,
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
        show_page(page, style, output, "difference", width)
        return
    if letters and "against" in given:
        raise UsageProblem("--letters compares all pairs: leave --against out")
    comparison = lingprobe.compare(**{**given, **corrected, "pairs": given["pairs"] or letters})
    shown = comparison.letters if letters else comparison.page
    show_page(shown, style, output, "difference", width)


@command(
    "card",
    *SELECTION,
    option("benchmark", metavar="OWNER/NAME"),
    TO_FOLDER.but(help="Where to write (default: print as Markdown)."),
    "trust",
)
def card(given: Arguments, *, output: Path | None = None) -> None:
    """Write scores for model cards on the Hugging Face hub: a section in Markdown, and metadata.

    It writes a README.md for each model, to add to the model's card. A benchmark is a data set on
    the hub whose tasks have the same names as yours.

    **Examples**

    - `lingprobe card results/`
    - `lingprobe card results/ -e 'st:*' -o cards/`
    - `lingprobe card results/ --benchmark me/probing -o cards/`
    """
    page = lingprobe.card(**given)
    show_page(page, "hub" if output else "markdown", output, "result")


@command("layers", *SELECTION, STYLE, *SIZED_OUTPUT, "trust")
def layers(
    given: Arguments,
    *,
    style: Style = "terminal",
    output: Path | None = None,
    width: str | None = None,
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
    page = lingprobe.layers(**given)
    if output is not None and page.draws(output):
        show(page, style)
    show_page(page, style, output, "task", width)


@command("predictions", *READ_SELECTION, option("format", "-f"), TO_FOLDER, "trust")
def predictions(given: Arguments) -> None:
    """Write the predictions of probes for each test example: gold label, answer, probabilities.

    This needs results of `lingprobe run --keep scores`, and the data in the same place.
    Probabilities are from the state of the probe with the lowest loss on dev; answers are from the
    state with the best score on dev, as in tables.

    **Examples**

    - `lingprobe predictions results/ -o predictions/`
    - `lingprobe predictions results/ -t edge/dep --read mix -o predictions/`
    - `lingprobe predictions results/ -t edge/spr2 --format jiant -o predictions/`
    """
    written = lingprobe.predictions(**given)
    remark(f"{given['output']}: {len(written):,} file{'s' * (len(written) > 1)}")
