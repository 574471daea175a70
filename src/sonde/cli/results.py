"""`sonde report`, `compare`, `card`, `layers`, `predictions`, `cache`: what was measured before."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

import sonde
from sonde.cache import size
from sonde.cli.options import (
    Cache,
    EncoderPatterns,
    Folder,
    JudgedBy,
    Output,
    Quiet,
    ReadPatterns,
    Style,
    Suite,
    TaskPatterns,
    Which,
    listed,
    put,
    remark,
    show,
)
from sonde.errors import UsageProblem

Figure = Literal["dots", "heat", "radar"]
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
                "With --suite: what people score, as `sonde annotate --score` wrote it; without:"
                " a sheet that somebody filled in, for --html."
            ),
        ),
    ] = None,
    each: Annotated[
        bool,
        typer.Option(
            "--each",
            help="A table for each task, with whole intervals and controls beside the scores.",
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
                "What encoders add to their word embeddings, and how much of that local context,"
                " random weights or a bag of words are enough for."
            ),
        ),
    ] = False,
    by: Annotated[
        str | None,
        typer.Option(
            "--by", metavar="STRATUM", help="Scores by a tag of the test examples, as `distance`."
        ),
    ] = None,
    figure: Annotated[
        Figure,
        typer.Option(
            "--figure",
            help="What is drawn where -o names a .svg, .png or .pdf file, and in HTML.",
        ),
    ] = "dots",
    html: Annotated[
        bool,
        typer.Option(
            "--html", help="Write one page for browsers: to report.html, or where -o says."
        ),
    ] = False,
) -> None:
    """Show results of earlier runs: all of a folder or, if none is named, those of the last run.

    Several tasks are shown as one table with a row per encoder; `--each` shows a table per task.
    Where `-o` names a .svg, .png or .pdf file, a figure is drawn (SVG needs nothing more, PNG and
    PDF matplotlib: `pip install 'sonde[plots]'`).

    **Examples**

    - `sonde report`
    - `sonde report results/`
    - `sonde report results/ --format csv -o results.csv`
    - `sonde report results/ --each`
    - `sonde report results/ --html -o report.html`
    - `sonde report results/ -o scores.svg`
    - `sonde report results/ --metric spearman`
    - `sonde report results/ --format mteb -o mteb_results/`
    - `sonde report results/ --classes`
    - `sonde report results/ --bits`
    - `sonde report results/ --headroom`
    - `sonde report results/ --by distance`
    - `sonde report results/ -t 'edge/dep' --read lex --read mix --by distance -o distance.png`
    - `sonde report results/ --suite conneau2018`
    """
    page = sonde.report(
        results,
        suite=suite,
        human=listed(human),
        each=each,
        classes=classes,
        bits=bits,
        headroom=headroom,
        by=by,
        figure=figure,
        tasks=task,
        encoders=encoder,
        reads=read,
        experiment=which,
        metric=metric,
    )
    if html:
        style, output = "html", output or PAGE
    put(page, style, output, "result")


def compare(
    results: Folder = None,
    which: Which = None,
    task: TaskPatterns = None,
    encoder: EncoderPatterns = None,
    read: ReadPatterns = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            "-a",
            metavar="PATTERN",
            help="Compare all others with encoders of this name (default: all pairs).",
        ),
    ] = None,
    letters: Annotated[
        bool,
        typer.Option(
            "--letters", help="Scores with letters: those that share one are not told apart."
        ),
    ] = False,
    published: Annotated[
        str | None,
        typer.Option(
            "--published",
            metavar="PAPER",
            help=(
                "What the table of `conneau2018` or `ud2019` can show, from its scores and numbers"
                " of test examples alone."
            ),
        ),
    ] = None,
    correction: Annotated[
        Literal["holm", "bh"],
        typer.Option("--correction", help="For several comparisons: Holm, or Benjamini-Hochberg."),
    ] = "holm",
    test: Annotated[
        Literal["t", "permutation", "bootstrap"],
        typer.Option(
            "--test",
            help="Jackknife over clusters and seeds; swapped answers (McNemar); drawn examples.",
        ),
    ] = "t",
    style: Style = "terminal",
    output: Output = None,
) -> None:
    """Show whether scores differ: paired differences over the same test examples, with 95 %
    intervals and p values.

    Both scores of a difference are over the same examples, so what is hard for both says nothing,
    and the interval is narrower than those of the scores; that these overlap says little. p values
    are corrected for how many differences are shown (Holm 1979), so choose what to compare with
    `-t`, `-e` and `--against` before you look. Oracles are compared only where `--against` names
    them. `--letters` shows many encoders at once.

    **Examples**

    - `sonde compare results/ --against bow:random`
    - `sonde compare results/ -t ud/tense -e 'st:*' -e 'hf:*'`
    - `sonde compare results/ -t 'edge/*' -e 'hf:*' --read lex --read mix`
    - `sonde compare results/ --letters --correction bh`
    - `sonde compare results/ -t text/trec -e 'st:*' --test permutation`
    - `sonde compare results/ --against length --format csv -o differences.csv`
    - `sonde compare --published ud2019 -t ObjNum`
    """
    if published:
        page = sonde.compare_published(published, task, correction=correction)
        put(page, style, output, "difference")
        return
    if letters and against:
        raise UsageProblem("letters are of all pairs: leave --against out")
    comparison = sonde.compare(
        results,
        against,
        correction=correction,
        test=test,
        tasks=task,
        encoders=encoder,
        reads=read,
        experiment=which,
    )
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
            help="A benchmark of the hub, for which .eval_results/ is written, too.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Where to write (default: shown as Markdown)."
        ),
    ] = None,
) -> None:
    """Write what models score for their cards on the Hugging Face hub: a section in Markdown, with
    the metadata that the hub reads.

    A folder for each model holds README.md, to be joined with the card that the model has. A
    benchmark is a data set of the hub whose tasks are called as those here.

    **Examples**

    - `sonde card results/`
    - `sonde card results/ -e 'st:*' -o cards/`
    - `sonde card results/ --benchmark me/probing -o cards/`
    """
    page = sonde.card(results, benchmark=benchmark, tasks=task, encoders=encoder, experiment=which)
    put(page, "hub" if output else "markdown", output, "result")


def layers(
    results: Folder = None,
    which: Which = None,
    task: TaskPatterns = None,
    encoder: EncoderPatterns = None,
    style: Style = "terminal",
    output: Output = None,
) -> None:
    """Show where in an encoder each task is solved: each layer alone, growing mixes, what each
    layer adds, weights.

    It shows what `sonde run --read layers --read cumulative` measured. A figure is drawn where `-o`
    names a .svg, .png or .pdf file (PNG and PDF with matplotlib: `pip install 'sonde[plots]'`),
    beside the tables; `--format html` has both on one page.

    **Examples**

    - `sonde layers results/`
    - `sonde layers results/ -t 'edge/*' -o layers.svg`
    - `sonde layers results/ --format html -o layers.html`
    - `sonde layers results/ --format csv -o layers.csv`
    """
    page = sonde.layers(results, tasks=task, encoders=encoder, experiment=which)
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
        typer.Option("--output", "-o", metavar="FOLDER", help="Where to write, one file a fit."),
    ] = Path("predictions"),
) -> None:
    """Write what probes say of each test example: gold, answer, the probability of each label,
    bits.

    Of results that `sonde run --keep scores` measured; the data have to be where they were.
    Probabilities are those of the state of a fit with the lowest loss on dev; the answer is that of
    the state with the best score, as it stands in tables.

    **Examples**

    - `sonde predictions results/ -o predictions/`
    - `sonde predictions results/ -t edge/dep --read mix -o predictions/`
    - `sonde predictions results/ -t edge/spr2 --format jiant -o predictions/`
    """
    written = sonde.predictions(
        results, output, format=style, tasks=task, encoders=encoder, reads=read, experiment=which
    )
    remark(f"{output}: {len(written):,} file{'s' * (len(written) > 1)}")


def cache(
    action: Annotated[
        Literal["show", "clean", "migrate"],
        typer.Argument(metavar="ACTION", help="show, clean or migrate."),
    ] = "show",
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="FOLDER", help="Results written with -o (default: those of the cache)."
        ),
    ] = None,
    cache: Cache = None,
    remove: Annotated[
        bool,
        typer.Option(
            "--remove", help="With migrate: delete vectors of earlier formats, which nothing reads."
        ),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="With clean: remove without asking.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Show what is kept, remove what no result needs, or write results of earlier versions of sonde
    in the format of this one.

    `clean` lists vectors by encoder. Those of encoders that no result was measured with, in the
    cache or in a folder of `-o`, are removed once you say so, and encoded anew if they are asked
    for again. Results are never removed.

    Results of an earlier version stay marked with it in every table, and are measured anew when
    they are asked for: that version did not record which code measured them. Its vectors cannot be
    migrated for the same reason. They are encoded anew when needed.

    **Examples**

    - `sonde cache`
    - `sonde cache clean`
    - `sonde cache clean --yes`
    - `sonde cache migrate results/`
    - `sonde cache migrate --remove`
    """
    if action == "migrate":
        remark(str(sonde.migrate(folder, cache=cache, remove=remove)), quiet)
        return
    if action == "clean":
        _clean(cache, yes)
        return
    holdings = sonde.holdings(folder, cache=cache)
    typer.echo(f"results  {holdings.results}\nvectors  {holdings.vectors}\n")
    if not holdings.files:
        typer.echo("nothing is kept there yet")
        return
    typer.echo(f"{'kind':<8}  {'format':<18}  {'files':>7}  {'size':>9}")
    for each in holdings.files:
        written = f"{each.format} (sonde {each.made})"
        typer.echo(f"{each.kind:<8}  {written:<18}  {len(each.files):>7,}  {size(each.bytes):>9}")


def _clean(cache: Path | None, yes: bool) -> None:
    """Show what would be removed, and remove it where somebody says so."""
    would = sonde.clean_cache(cache)
    typer.echo(str(would))
    if would.unneeded and (yes or (sys.stdin.isatty() and typer.confirm("Remove them?"))):
        sonde.clean_cache(cache, remove=True)
        remark(f"{size(would.bytes)} are free again")
    elif would.unneeded:
        remark("nothing is removed: `sonde cache clean --yes` removes them")
