"""`lingprobe report`, `compare`, `card`, `layers` and `predictions`: what was measured before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import lingprobe
from lingprobe.api.options import SelectionOptions
from lingprobe.api.result_options import (
    CardOptions,
    CompareOptions,
    PredictionsOptions,
    ReportOptions,
)
from lingprobe.cli.declaration import command
from lingprobe.cli.options import (
    RenamedFileOptions,
    ScorePageOptions,
    check_figure,
    print_page,
    print_remark,
    rename_page,
    show_page,
)
from lingprobe.data.errors import UsageProblem
from lingprobe.data.options import Help, flag

_PAGE = Path("report.html")


@dataclass(frozen=True, kw_only=True)
class ReportCommand(ReportOptions, RenamedFileOptions, ScorePageOptions):
    """The options of `lingprobe report`."""

    html: Annotated[
        bool, Help("write everything as one HTML page: report.html, or the file of -o")
    ] = False


@command(ReportCommand)
def report(options: ReportCommand) -> None:
    """Show the results in a folder, or those of the last run.

    Several tasks are shown in one table with a row per encoder. If `-o` ends in .svg, .png or .pdf,
    it draws a figure.

    **Examples**

    - `lingprobe report`
    - `lingprobe report results/`
    - `lingprobe report results/ --format csv -o results.csv`
    - `lingprobe report results/ --html -o report.html`
    - `lingprobe report results/ -o scores.svg`
    - `lingprobe report results/ -o scores.pdf --width column`
    - `lingprobe report results/ --format mteb -o mteb_results/`
    - `lingprobe report results/ --by distance`
    - `lingprobe report results/ --view mine.py@mine`
    - `lingprobe report results/ -t 'edge/dep' --layers lex mix --by distance -o distance.png`
    - `lingprobe report results/ --suite conneau2018`
    """
    style, output = options.style, options.output
    if options.html:
        style, output = "html", output or _PAGE
    check_figure(options.figure, "dots", style, output)
    page = rename_page(lingprobe.report(**options.select(ReportOptions)), options)
    show_page(page, style, output, "result", options.width)


@dataclass(frozen=True, kw_only=True)
class CompareCommand(CompareOptions, RenamedFileOptions, ScorePageOptions):
    """The options of `lingprobe compare`."""

    letters: Annotated[
        bool,
        Help("all pairs as letters: scores that share a letter do not differ significantly"),
    ] = False
    published: Annotated[
        str | None,
        Help(
            "test differences in the published table of `conneau2018` or `ud2019`, instead of"
            " results"
        ),
        flag(metavar="PAPER"),
    ] = None
    correction: Annotated[
        Literal["bonferroni", "bh", "holm"] | None,
        Help(
            "correction of p values and intervals: Bonferroni (default), or Benjamini-Hochberg; of"
            " published tables, which have no intervals, Holm (default)"
        ),
    ] = None  # type: ignore[assignment]


@command(CompareCommand)
def compare(options: CompareCommand) -> None:
    """Test whether scores differ: paired differences with significance, 95 % intervals and p.

    Each encoder is compared with the best baseline of each task; its layer is the best on dev, and
    where a task has folds, each layer is compared. Scores are paired over the same test examples.
    p values and intervals are corrected for all comparisons shown, so choose with `-t`, `-e`,
    `--against` and `--pairs` before you look. Oracles are compared only if `--against` names them.
    `--letters` shows many encoders at once.

    **Examples**

    - `lingprobe compare results/`
    - `lingprobe compare results/ --against bow:random`
    - `lingprobe compare results/ -t ud/tense -e 'st:*' -e 'hf:*' --pairs`
    - `lingprobe compare results/ -t 'edge/*' -e 'hf:*' --layers 0 6 --pairs`
    - `lingprobe compare results/ --letters --correction bh`
    - `lingprobe compare results/ -t text/trec -e 'st:*' --test permutation`
    - `lingprobe compare results/ --against length --format csv -o differences.csv`
    - `lingprobe compare --published ud2019 -t ObjNum`
    """
    chosen = options.select(CompareOptions)
    if options.published:
        how = {name: chosen[name] for name in ("tasks", "correction") if name in chosen}
        page = rename_page(lingprobe.compare_published(options.published, **how), options)
        show_page(page, options.style, options.output, "difference", options.width)
        return
    if options.letters and options.against:
        raise UsageProblem("--letters compares all pairs: leave --against out")
    comparison = lingprobe.compare(**{**chosen, "pairs": options.pairs or options.letters})
    shown = rename_page(comparison.letters if options.letters else comparison.page, options)
    show_page(shown, options.style, options.output, "difference", options.width)


@dataclass(frozen=True, kw_only=True)
class CardCommand(CardOptions):
    """The options of `lingprobe publish card`."""

    output: Annotated[
        Path | None,
        Help("the folder to write (default: print as Markdown)"),
        flag("-o", metavar="FOLDER"),
    ] = None


@command(CardCommand)
def card(options: CardCommand) -> None:
    """Write scores for model cards on the Hugging Face hub: a section in Markdown, and metadata.

    It writes a README.md for each model, to add to the model's card. A benchmark is a data set on
    the hub whose tasks have the same names as yours.

    **Examples**

    - `lingprobe publish card results/`
    - `lingprobe publish card results/ -e 'st:*' -o cards/`
    - `lingprobe publish card results/ --benchmark me/probing -o cards/`
    """
    page = lingprobe.card(**options.select(CardOptions))
    show_page(page, "hub" if options.output else "markdown", options.output, "result")


@dataclass(frozen=True, kw_only=True)
class LayersCommand(SelectionOptions, RenamedFileOptions, ScorePageOptions):
    """The options of `lingprobe layers`."""


@command(LayersCommand)
def layers(options: LayersCommand) -> None:
    """Show scores by layer: each layer alone, growing mixes, what each layer adds, and weights.

    It shows results of `lingprobe run --layers layers cumulative`. If `-o` ends in .svg, .png
    or .pdf, it draws a figure.

    **Examples**

    - `lingprobe layers results/`
    - `lingprobe layers results/ -t 'edge/*' -o layers.svg`
    - `lingprobe layers results/ --format html -o layers.html`
    - `lingprobe layers results/ --format csv -o layers.csv`
    """
    page = rename_page(lingprobe.layers(**options.select(SelectionOptions)), options)
    if options.output is not None and page.draws(options.output):
        print_page(page, options.style)
    show_page(page, options.style, options.output, "layer", options.width)


@command(PredictionsOptions)
def predictions(options: PredictionsOptions) -> None:
    """Write the predictions of probes for each test example: gold label, answer, probabilities.

    This needs results of `lingprobe run --keep-scores`, and the data in the same place.
    Probabilities are from the state of the probe with the lowest loss on dev; answers are from the
    state with the best score on dev, as in tables.

    **Examples**

    - `lingprobe results predictions results/ -o predictions/`
    - `lingprobe results predictions results/ -t edge/dep --layers mix -o predictions/`
    - `lingprobe results predictions results/ -t edge/spr2 --format jiant -o predictions/`
    """
    written = lingprobe.predictions(**options.select(PredictionsOptions))
    print_remark(f"{options.output}: {len(written):,} file{'s' * (len(written) > 1)}")
