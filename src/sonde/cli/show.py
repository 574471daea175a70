"""`sonde report`: results that lie on disk, in the format that is wanted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from sonde.cli import papers
from sonde.cli.options import (
    EncoderPatterns,
    Folder,
    Output,
    ReadPatterns,
    Suite,
    TaskPatterns,
    Which,
    put,
    remark,
)

if TYPE_CHECKING:
    from sonde.core import Result

Format = Literal["terminal", "markdown", "csv", "parquet", "latex", "html", "mteb"]


def report(
    results: Folder = None,
    which: Which = None,
    task: TaskPatterns = None,
    encoder: EncoderPatterns = None,
    read: ReadPatterns = None,
    style: Annotated[Format, typer.Option("--format", "-f", help="How to show it.")] = "terminal",
    output: Output = None,
    suite: Suite = None,
    human: Annotated[
        list[Path] | None,
        typer.Option(
            "--human",
            metavar="FILE",
            help="With --suite: what people score, as `sonde annotate --score` wrote it.",
        ),
    ] = None,
    classes: Annotated[
        bool, typer.Option("--classes", help="Counts and F1 by class or label in place of scores.")
    ] = False,
    bits: Annotated[
        bool,
        typer.Option(
            "--bits",
            help=(
                "V-information and calibration in place of scores, of results with `--keep scores`."
            ),
        ),
    ] = False,
    by: Annotated[
        str | None,
        typer.Option(
            "--by", metavar="STRATUM", help="Scores by a tag of the test examples, as `distance`."
        ),
    ] = None,
) -> None:
    """Show results that were measured before: all of a folder, or, without one, those that were
    asked for together last.

    **Examples**

    - `sonde report`
    - `sonde report --experiment 2`
    - `sonde report results/`
    - `sonde report results/ --format csv -o results.csv`
    - `sonde report results/ --format latex`
    - `sonde report results/ --format mteb -o mteb_results/`
    - `sonde report results/ --classes`
    - `sonde report results/ --bits`
    - `sonde report results/ --by distance`
    - `sonde report results/ -t 'edge/dep' --read lex --read mix --by distance -o distance.png`
    - `sonde report results/ --suite conneau2018`
    """
    view = View(classes, bits, by)
    _check(view, style, output, suite, human or [])
    found = found_in(results, which, bits, tasks=task, encoders=encoder, reads=read)
    if bits:
        text: str | None = _bits(found, style)
    else:
        text = (
            _by(found, by, style, output)
            if by
            else _laid_out(found, style, output, suite, human or [], classes)
        )
    if text is not None:
        put(text, output)
    if output is not None:
        remark(f"{output}: {len(found):,} result{'s' * (len(found) > 1)}")


class View(NamedTuple):
    """What is shown in place of scores: counts by class, bits, or scores by a stratum."""

    classes: bool
    bits: bool
    by: str | None

    @property
    def options(self) -> list[str]:
        """The options that ask for it, as they are written."""
        asked = {"--classes": self.classes, "--bits": self.bits, "--by": self.by is not None}
        return [option for option, wanted in asked.items() if wanted]


def _check(
    view: View, style: str, output: Path | None, suite: str | None, human: list[Path]
) -> None:
    """Refuse options that do not go together."""
    from sonde.pages import PAGES
    from sonde.pages.plots import is_figure

    if view.by is None and is_figure(output):
        raise typer.BadParameter(
            "figures are drawn of scores by a stratum (--by), and by `sonde layers`",
            param_hint="--output",
        )
    if style == "parquet" and output is None:
        raise typer.BadParameter("parquet is not text: give a file with -o", param_hint="--format")
    if suite is None and human:
        raise typer.BadParameter(
            "a bound stands in a paper's table: name it with --suite", param_hint="--human"
        )
    formats = [*PAGES] if view.classes else [*PAGES, "csv"]
    if view.options and (len(view.options) > 1 or style not in formats or suite is not None):
        raise typer.BadParameter(
            f"shown as {', '.join(formats)}, of all results, by itself", param_hint=view.options[0]
        )


def _laid_out(
    found: list[Result],
    style: str,
    output: Path | None,
    suite: str | None,
    human: list[Path],
    classes: bool,
) -> str | None:
    """The report as text; None where it was shown or written already."""
    from sonde.pages import FILES, PAGES, render, write
    from sonde.pages import classes as by_class

    if suite is not None:
        if output is None or style != "parquet":
            return papers.shown(suite, found, style, human, to_file=output is not None)
        papers.listed(suite, found, output, human)
    elif output is not None and style in FILES:
        write(found, style, output)
    else:
        return PAGES[style](by_class(found)) if classes else render(found, style)
    return None


def _by(found: list[Result], stratum: str, style: str, output: Path | None) -> str | None:
    """Scores by a stratum as text; None where they were drawn."""
    from sonde.pages import PAGES, by_stratum, strata_table
    from sonde.pages.plots import is_figure, strata_figure
    from sonde.pages.records import csv

    rows = by_stratum(found, stratum)
    if output is not None and is_figure(output):
        strata_figure(rows, stratum, output)
        return None
    return csv(rows) if style == "csv" else PAGES[style](strata_table(rows, stratum))


def _bits(found: list[Result], style: str) -> str:
    """V-information and calibration as text."""
    from sonde.pages import PAGES
    from sonde.pages.information import bits, bits_table
    from sonde.pages.records import csv

    rows = bits(found)
    return csv(rows) if style == "csv" else PAGES[style](bits_table(rows))


def found_in(
    folder: Path | None, which: str | None = None, scores: bool = False, **asked: list[str] | None
) -> list[Result]:
    """The newest result of each trial in a folder, ordered by trial, of those asked for; says what
    is left out.

    scores  whether they come with their scores, where these were kept
    which  'last' (what `sonde run` without a folder kept), 'all' (without, where there is a
           folder), or how many experiments ago
    asked  patterns of `tasks`, `encoders` and `reads`; all without
    """
    from sonde.analysis.rows import newest
    from sonde.core import DataProblem
    from sonde.encoders import ENCODERS
    from sonde.experiment.places import Places
    from sonde.pages.asked import asked_for, is_asked
    from sonde.store.scores import find_scores
    from sonde.tasks import TASKS

    places = Places.of(folder)
    found = dict(places.result_store().read()) if places.results.is_dir() else {}
    if not found:
        raise DataProblem(
            f"no results in {places.results}: `sonde run -o {places.results}` makes some"
        )
    found = _experiment(found, places.results, which or ("all" if folder else "last"))
    if scores:
        found |= {
            key: replace(found[key], scores=one)
            for key, one in find_scores(places.results, found).items()
        }
    kept = newest(found.values())
    if older := len(found) - len(kept):
        remark(
            f"{older:,} older results are left out: the same was measured again since, with other"
            " data or another version of the code"
        )
    mine = asked_for(asked.get("tasks"), {r.trial.task for r in kept}, TASKS)
    theirs = asked_for(asked.get("encoders"), {r.trial.encoder for r in kept}, ENCODERS)
    chosen = [
        r
        for r in kept
        if r.trial.task in mine
        and r.trial.encoder in theirs
        and is_asked(asked.get("reads"), r.trial.read)
    ]
    if not chosen:
        known = sorted({r.trial.task.partition(",")[0].partition(":")[0] for r in kept})
        raise DataProblem(
            f"none of the {len(kept):,} results in {places.results} is of what was asked for; they"
            f" are of {', '.join(known[:12])}, and without -t, -e and --read all are shown"
        )
    return chosen


def _experiment(found: dict[str, Result], folder: Path, which: str) -> dict[str, Result]:
    """The results of one experiment of a folder, or of all; says which of how many it is, and what
    of it is missing.
    """
    from sonde.core import DataProblem
    from sonde.store.experiments import experiments

    known = experiments(folder)
    if which == "all" or not known:
        if len(known) > 1:
            remark(
                f"results of {len(known)} experiments, each of which is a run; --experiment last"
                " shows what was asked for last"
            )
        return found
    number = 1 if which == "last" else int(which) if which.isdecimal() else 0
    if not 1 <= number <= len(known):
        raise DataProblem(
            f"--experiment {which}: write last, all, or a number from 1 (the last) to {len(known)},"
            f" the first in {folder}"
        )
    ids = known[number - 1].ids
    mine = {key: result for key, result in found.items() if key in ids}
    if len(known) > 1:
        when = known[number - 1].date[:16].replace("T", " ")
        remark(
            f"experiment {number} of {len(known)} in {folder}, of {when}; --experiment"
            f" {number % len(known) + 1} shows another, all all"
        )
    if lost := len(ids) - len(mine):
        remark(
            f"{lost:,} of its {len(ids):,} trials have no result: it was stopped, or they could not"
            " be measured; run the same to go on"
        )
    return mine
