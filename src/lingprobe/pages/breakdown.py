"""Scores over parts of the test examples: by class or label (how many have it, how many were
recognised, how sure its F1 is), and by a stratum (span distance, constituent height, seen and
unseen words, target forms).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.analysis.answers import join_answers
from lingprobe.analysis.baselines import beyond, expected_metric
from lingprobe.analysis.row import (
    ResultRow,
)
from lingprobe.analysis.rows import (
    groups_of,
    repeats,
    rows,
    strip_fold,
)
from lingprobe.data.core import DataProblem, Result, Tags
from lingprobe.metrics import METRICS, Answers, floor
from lingprobe.metrics.compare import micro_f1
from lingprobe.pages.captions import heading
from lingprobe.pages.scores import about, rows_without_control, signs_of, test_notes
from lingprobe.pages.subsets import MEANS
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

Flags = NDArray[np.bool_]
YES = micro_f1(only=("yes",))
COLUMNS = ("class", "examples", "correct", "recall, %", "mistaken for it", "F1", "95 % interval")


LEAST = 20  # examples that neighbouring numbers are put together to have,
SHARE = 200  # and so many-th part of all: below, scores are noise and a picture of them a saw
SHOWN = 30  # other values, of which the rarer ones are put together
RARER = "(rarer)"


class Bin(NamedTuple):
    """Values of a stratum that are reported as one."""

    label: str
    values: frozenset[str]


def compute_stratum_rows(results: Sequence[Result], stratum: str) -> list[ResultRow]:
    """A row for each value of a stratum and each thing measured on tasks that have it; DataProblem
    where none has.

    Numbers go in order, and neighbours together until there are 20 test examples and half a percent
    of all; of other values the rarer go together.
    """
    tagged = [r for r in results if stratum in r.strata]
    if not tagged:
        known = sorted({key for r in results for key in r.strata})
        raise DataProblem(
            f"no result has the tag {stratum!r}; choose from"
            f" {', '.join(known) or 'nothing: these results have no tags'}"
        )
    rows: list[ResultRow] = []
    by_task: dict[str, list[Result]] = {}
    for result in tagged:
        by_task.setdefault(strip_fold(result.trial.task), []).append(result)
    for mine in by_task.values():
        whole = {
            key: _Whole(fits := repeats(group), join_answers(fits))
            for key, group in groups_of(mine).items()
        }
        for each in bins(_counts(next(iter(whole.values())).fits[0], stratum)):
            rows += _of_bin(mine, whole, stratum, each)
    return rows


def _of_bin(
    results: Sequence[Result], whole: Mapping[tuple[str, ...], _Whole], stratum: str, each: Bin
) -> Iterator[ResultRow]:
    """The rows of some values of a stratum, for results of one task."""
    parts = [part for r in results if (part := restrict_result(r, stratum, each)) is not None]
    scored = [replace(row, stratum=each.label) for row in rows(parts)]
    if not any(map(has_counted_labels, parts)):
        yield from map(_without_score, scored)
        return
    for row, key in zip(scored, groups_of(parts), strict=True):
        yield _beside(row, whole[key], stratum, each)


class _Whole(NamedTuple):
    """One thing that was measured over all test examples: its results by fit and fold, and their
    answers.
    """

    fits: Sequence[Sequence[Result]]
    answers: Answers


def _beside(row: ResultRow, whole: _Whole, stratum: str, to: Bin) -> ResultRow:
    """A row of a stratum with what its labels let expect, and how much more it is."""
    answers, metric = whole.answers, METRICS.make(row.metric)
    chosen = np.flatnonzero(
        np.concatenate([_is_in_bin(result, stratum, to) for result in whole.fits[0]])
    )
    alone, over = (
        expected_metric(metric, answers.gold, chosen),
        beyond(metric, answers.gold, chosen),
    )
    if answers.redrawn or alone is None or over is None:  # each draw has labels of its own
        return row
    (low, high), more = answers.interval(over), float(np.mean(answers.scores(over)))
    return replace(
        row,
        expected=100 * float(np.mean(answers.scores(alone))),
        over=100 * more,
        over_low=100 * low,
        over_high=100 * high,
    )


def _without_score(row: ResultRow) -> ResultRow:
    return replace(row, score=math.nan, low=math.nan, high=math.nan, majority=math.nan)


def has_counted_labels(result: Result) -> bool:
    """Whether the metric counts any label of the test examples; where it counts none, their score
    is no number.
    """
    everything = METRICS.make(result.metric).sums(
        result.gold, result.gold, np.zeros(result.n, np.int64), 1
    )
    return bool(everything.any())


def are_shown_singly(values: Collection[str]) -> bool:
    """Whether a table shows values one by one, or groups them, as numbers."""
    return len(values) <= SHOWN or all(map(_is_number, values))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def bins(counts: dict[str, int]) -> list[Bin]:
    """How values with these counts are put together for a report."""
    try:
        numbers = sorted(counts, key=float)
    except ValueError:
        order = sorted(counts, key=lambda value: (-counts[value], value))
        shown = [Bin(value, frozenset([value])) for value in order[:SHOWN]]
        rarer = frozenset(order[SHOWN:])
        return [*shown, Bin(RARER, rarer)] if rarer else shown
    groups = _neighbours(numbers, counts)
    return [Bin(g[0] if len(g) == 1 else f"{g[0]}–{g[-1]}", frozenset(g)) for g in groups if g]


def _neighbours(numbers: Sequence[str], counts: Mapping[str, int]) -> list[list[str]]:
    """Numbers in order, put together until there are enough examples of each group."""
    groups, least = [list[str]()], max(LEAST, sum(counts.values()) / SHARE)
    for value in numbers:
        if sum(counts[v] for v in groups[-1]) >= least:
            groups.append([])
        groups[-1].append(value)
    if len(groups) > 1 and sum(counts[v] for v in groups[-1]) < least:
        last = groups.pop()
        groups[-1] += last
    return groups


def restrict_result(result: Result, stratum: str, to: Bin) -> Result | None:
    """A result over its examples of some values alone; None where it has none. Its interval is told
    with that of other seeds.
    """
    chosen = np.flatnonzero(_is_in_bin(result, stratum, to))
    if not len(chosen):
        return None
    gold, predicted = result.gold.take(chosen), result.predicted.take(chosen)
    answers = result.provenance.constants
    return replace(
        result,
        gold=gold,
        predicted=predicted,
        score=METRICS.make(result.metric)(gold, predicted),
        low=math.nan,
        high=math.nan,
        majority=math.nan if answers is None else floor(answers, gold, predicted, result.metric),
        strata={key: t.take(chosen) for key, t in result.strata.items()},
        clusters={key: codes[chosen] for key, codes in result.clusters.items()},
    )


def _is_in_bin(result: Result, stratum: str, to: Bin) -> NDArray[np.bool_]:
    """Whether each example has one of some values, [n]."""
    tags = result.strata[stratum]
    return np.array([name in to.values for name in tags.names] + [False])[tags.codes]


def strata_table(rows: Sequence[ResultRow], stratum: str) -> Table:
    """Rows by the values of a stratum as a table, one section a task; baselines first and oracles
    last within each value.
    """
    plain = rows_without_control(rows)
    signs = signs_of(plain)
    layers = any(row.layer != "-" for row in plain)
    expected = any(not math.isnan(row.expected) for row in plain)
    beside = ("expected", "over it", "95 % interval") if expected else ()
    layer = ("layer",) if layers else ()
    head = (stratum, "encoder", *layer, "probe", "score", "95 % interval", "constant", *beside, "n")
    sections = []
    for task in dict.fromkeys(row.task for row in plain):
        mine = [row for row in plain if row.task == task]
        body = tuple(
            _cells(row, signs.get(id(row), ""), layers, expected) for row in _sort_rows(mine)
        )
        sections.append(TableSection(heading(mine), body, about(mine)))
    notes = (*_notes(plain, stratum, expected), *test_notes(plain))
    return Table(head, tuple(sections), frozenset({stratum, "encoder", "probe"}), notes)


def _sort_rows(rows: Sequence[ResultRow]) -> list[ResultRow]:
    """Rows by value, in the order in which values come first."""
    places = {value: i for i, value in enumerate(dict.fromkeys(row.stratum for row in rows))}
    return sorted(rows, key=lambda row: (places[row.stratum], row.place))


def _notes(plain: Sequence[ResultRow], stratum: str, expected: bool) -> Iterator[str]:
    yield (
        f"Each row is over the test examples with one value of {stratum}; neighbouring numbers are"
        f" grouped until there are {LEAST} examples and half a percent of all."
    )
    yield "constant: the score of the best constant answer of train on the same examples."
    if expected:
        yield (
            "expected: the score of all test examples, with labels weighted to be as frequent as in"
            " this group; over it: the score minus that, so a difference that is not due to the"
            " labels."
        )
    if any(row.stratum in MEANS for row in plain):
        yield (
            f"(mean): over the values of {stratum}, with equal weight; (mean by size): weighted by"
            " their number of examples. The score of all examples together may differ from both."
        )
    if any(math.isnan(row.score) for row in plain):
        yield "–: the metric does not count any label of these examples."


def _cells(row: ResultRow, sign: str, layers: bool, expected: bool) -> tuple[str, ...]:
    layer = (row.layer,) if layers else ()
    beside: tuple[str, ...] = ("–", "–", "–") if expected else ()
    if expected and not math.isnan(row.expected):
        beside = (
            format_number(row.expected),
            f"{row.over:+.1f}",
            f"{row.over_low:+.1f} – {row.over_high:+.1f}",
        )
    return (
        *(
            row.stratum,
            row.encoder,
            *layer,
            row.probe,
            format_number(row.score) + sign,
            _span(row.low, row.high),
            format_number(row.majority),
        ),
        *(*beside, f"{row.n:,}"),
    )


def _span(low: float, high: float) -> str:
    return "–" if math.isnan(low) else f"{format_number(low)} – {format_number(high)}"


def _counts(folds: Iterable[Result], stratum: str) -> dict[str, int]:
    """How many test examples have each value, in all folds of one thing that was measured."""
    counts: dict[str, int] = {}
    for r in folds:
        for name, n in _frequencies(r.strata[stratum]):
            counts[name] = counts.get(name, 0) + n
    return counts


def _frequencies(tags: Tags) -> list[tuple[str, int]]:
    counts = np.bincount(tags.codes[tags.codes >= 0], minlength=len(tags.names))
    return [(name, int(n)) for name, n in zip(tags.names, counts, strict=True) if n]
