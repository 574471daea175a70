"""Scores in sentences with other content words beside those in the sentences as they are: what of a
score needs words that belong together (Hall Maudslay & Cotterell 2021), as a page.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lingprobe.analysis.comparable import explain_mismatch, group_rows_by_task
from lingprobe.analysis.comparison import (
    ComparisonQuestion,
    Decision,
    decide_comparisons,
)
from lingprobe.analysis.row import PERCENT
from lingprobe.analysis.rows import MeasuredRow, on_dev
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.references import Reference
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.records import format_csv
from lingprobe.pages.views import Asked
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)
from lingprobe.tasks.edge.exchange import Exchanges

OPTION = "exchange"
NOTES = (
    "Scores are times 100. Own words: of the sentences as they are. Others: of the same sentences"
    " with other content words of the same part of speech and features; where test alone has them,"
    " probes are trained on the same sentences.",
    "Change: paired over test examples; its interval is corrected for all rows (Bonferroni). *:"
    " significant.",
)


@dataclass(frozen=True)
class ExchangeRow:
    """What one encoder scores with the own words of sentences and with others, and the difference;
    scores are percent.

    exchange   where words were exchanged: test, or all
    low, high  the interval of the change, corrected as p is for all rows
    share      of the content words that gave way
    """

    task: str
    exchange: str
    encoder: str
    layer: str
    probe: str
    kind: str
    own: float
    others: float
    change: float
    low: float
    high: float
    p: float
    share: float
    on_dev: float
    n: int


def exchange(results: Sequence[Result], asked: Asked) -> Page[tuple[ExchangeRow, ...]]:
    """What encoders score in sentences with other content words (`exchange=`), beside what they
    score in these sentences as they are.
    """
    found = list(_pairs(results))
    if not found:
        raise DataProblem(
            "no task was measured both with and without exchange= on the same test examples:"
            " `lingprobe run -t edge/pos:TREEBANK edge/pos:TREEBANK,exchange=test -e"
            " ENCODER` measures them"
        )
    answers = decide_comparisons([ComparisonQuestion(other, (own,)) for _, own, other in found])
    rows = tuple(
        _row(task, own, answer) for (task, own, _), answer in zip(found, answers, strict=True)
    )
    return Page(rows, lambda: [_table(rows)], texts={"csv": lambda: format_csv(rows)})


def _pairs(results: Sequence[Result]) -> Iterator[tuple[str, MeasuredRow, MeasuredRow]]:
    """The task without the option, and each row with the one that is as it but for its words."""
    plain: dict[tuple[str, ...], MeasuredRow] = {}
    groups = group_rows_by_task(results, lambda _: True)  # oracles among them
    every = [(Reference.parse(one.row.task), one) for mine in groups for one in mine]
    for task, one in every:
        if OPTION not in dict(task.options):
            plain[_key(task, one)] = one
    for task, one in every:
        own = plain.get(_key(task, one))
        if OPTION in dict(task.options) and own is not None:
            # sentences are meant to differ, so that labels alone say whether trees are the same
            unknown = own._replace(row=replace(own.row, tested=""))
            if not explain_mismatch(one, unknown):
                yield str(task.without(OPTION)), own, one


def _key(task: Reference, one: MeasuredRow) -> tuple[str, ...]:
    row = one.row
    return str(task.without(OPTION)), row.metric, row.encoder, row.layer, row.probe


def _row(task: str, own: MeasuredRow, answer: Decision) -> ExchangeRow:
    row, other = own.row, answer.question.one
    told = other.result.provenance.notes.part(Exchanges)
    assert told is not None  # of every task with the option
    return ExchangeRow(
        task,
        told.where,
        row.encoder,
        row.layer,
        row.probe,
        row.kind,
        row.score,
        other.row.score,
        answer.difference,
        answer.low,
        answer.high,
        answer.corrected,
        PERCENT * told.share,
        PERCENT * on_dev(result for fit in own.fits for result in fit),
        row.n,
    )


def _table(rows: Sequence[ExchangeRow]) -> Table:
    sections = []
    for task, where in dict.fromkeys((row.task, row.exchange) for row in rows):
        mine = [row for row in rows if (row.task, row.exchange) == (task, where)]
        shown = "test" if where == "test" else "all splits"
        name = (
            f"{shorten_task(task)}: {mine[0].share:.0f} % of the content words of {shown} exchanged"
        )
        sections.append(TableSection(name, tuple(map(_line, mine))))
    head = ("encoder", "layer", "probe", "own words", "others", "change", "95 % interval", "n")
    words = frozenset({"encoder", "layer", "probe"})
    lead = tuple(map(_verdict, _best(rows)))
    return Table(head, tuple(sections), words, NOTES, "With other content words", lead)


def _line(row: ExchangeRow) -> tuple[str, ...]:
    change = f"{row.change:+.1f}{'*' * _is_significant(row)}"
    scores = (
        format_number(row.own),
        format_number(row.others),
        change,
        f"{row.low:+.1f} – {row.high:+.1f}",
    )
    return row.encoder, row.layer, row.probe, *scores, f"{row.n:,}"


def _is_significant(row: ExchangeRow) -> bool:
    return row.low > 0 or row.high < 0


def _best(rows: Sequence[ExchangeRow]) -> list[ExchangeRow]:
    """Of each trained encoder, with each probe on each task, the layer that is best on dev; on test
    where dev is not known.
    """
    groups: dict[tuple[str, ...], list[ExchangeRow]] = {}
    for row in rows:
        if row.kind == "trained":
            key = row.task, row.exchange, row.encoder, row.probe
            groups.setdefault(key, []).append(row)
    return [max(mine, key=_chosen_by) for mine in groups.values()]


def _chosen_by(row: ExchangeRow) -> float:
    return row.own if math.isnan(row.on_dev) else row.on_dev


def _verdict(row: ExchangeRow) -> str:
    """What can be said of a row, in a sentence."""
    said = f"{shorten_task(row.task)}, {row.encoder}, layer {row.layer}: {row.own:.1f} with the"
    said += f" sentences' own words, {row.others:.1f} with others; "
    if not _is_significant(row):
        return f"{said}no significant change ({row.low:+.1f} to {row.high:+.1f})."
    way = "less" if row.change < 0 else "more"
    return f"{said}significantly {way} ({row.change:+.1f}, {row.low:+.1f} to {row.high:+.1f})."
