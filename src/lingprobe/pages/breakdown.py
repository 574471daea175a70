"""Scores over parts of the test examples: by class or label (how many have it, how many were
recognised, how sure its F1 is), and by a stratum (span distance, constituent height, seen and
unseen words, target forms).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.analysis.answers import RunPredictions
from lingprobe.analysis.baselines import compute_advantages, expected_metric
from lingprobe.analysis.frame import Folds, FrameRow, ResultFrame
from lingprobe.analysis.row import PERCENT_SCALE, place_among
from lingprobe.analysis.score_columns import SCORE_KEYS, compute_scores
from lingprobe.data.cache import escape_surrogates
from lingprobe.data.core import DataProblem, Tags
from lingprobe.data.vectors import Ints
from lingprobe.metrics import METRICS, FitAnswers, floor
from lingprobe.metrics.subsets import average_over_subsets
from lingprobe.pages.captions import format_heading
from lingprobe.pages.scores import get_row_question, rows_without_control, signs_of, test_notes
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

# how a mean is called where values of the stratum stand, and whether subsets count by their size
_MEANS = {"(mean)": False, "(mean by size)": True}

_LEAST = 20  # examples that neighbouring numbers are put together to have,
_SHARE = 200  # and so many-th part of all: below, scores are noise and a picture of them a saw
_SHOWN = 30  # other values, of which the rarer ones are put together
_RARER = "(rarer)"


class StratumBin(NamedTuple):
    """Values of a stratum that are reported as one."""

    label: str
    values: frozenset[str]


def compute_stratum_rows(frame: ResultFrame, stratum: str) -> list[FrameRow]:
    """A row for each value of a stratum and each thing measured on tasks that have it, of trained
    probes; DataProblem where none has.

    Numbers go in order, and neighbours together until there are 20 test examples and half a percent
    of all; of other values the rarer go together.
    """
    runs = [frame.run(number) for number in range(len(frame))]
    tagged = frame.take([number for number, run in enumerate(runs) if stratum in run.strata])
    if not len(tagged):
        known = sorted({key for run in runs for key in run.strata})
        raise DataProblem(
            f"no result has the tag {stratum!r}; choose from"
            f" {', '.join(known) or 'nothing: these results have no tags'}"
        )
    whole = tagged.average_repeats(SCORE_KEYS)
    parts: list[_Part] = []
    for (task,), numbers in tagged.groups(("task",)).items():
        folds = whole.folds(whole.column("task").index(task))[0]
        for each in bin_values(_count_stratum_examples(folds, stratum)):
            restricted = [(k, restrict_run(tagged.run(k), stratum, each)) for k in numbers]
            mine = [(k, run) for k, run in restricted if run is not None]
            is_counted = any(has_counted_labels(run) for _, run in mine)
            parts += [_Part(k, run, each, is_counted) for k, run in mine]
    rows = compute_scores(_split_runs(tagged, parts))
    places = {_key(row): number for number, row in enumerate(whole)}
    about = {
        (_key(tagged[part.number]), escape_surrogates(part.group.label)): part for part in parts
    }
    found = []
    for row in rows:
        part = about[_key(row), row.stratum]
        number = places[_key(row)]
        found.append(
            _set_beside_whole(row, whole, number, stratum, part) if part.is_counted else _hide(row)
        )
    return found


class _Part(NamedTuple):
    """A trained probe over the test examples of one group; `number` is its row, and `is_counted`
    says whether the metric counts labels of the group.
    """

    number: int
    run: RunPredictions
    group: StratumBin
    is_counted: bool


def _split_runs(tagged: ResultFrame, parts: Sequence[_Part]) -> ResultFrame:
    """The rows of probes over the examples of groups."""
    columns: dict[str, Sequence[Any]] = {
        "subgroup": [escape_surrogates(part.group.label) for part in parts],
        "n_test": [part.run.n for part in parts],
        "constant_score": [_score_constant(part.run) for part in parts],
    }
    rows = tagged.take([part.number for part in parts])
    return rows.with_predictions([[[part.run]] for part in parts], columns)


def _score_constant(run: RunPredictions) -> float:
    """The score of the best constant answer of train in percent; NaN where it was not kept."""
    answers = run.about.constants
    if answers is None:
        return math.nan
    return PERCENT_SCALE * floor(answers, run.gold, run.predicted, run.metric)


_key = attrgetter(*SCORE_KEYS[:-1])
"""What a row is of, over whichever examples."""


def _set_beside_whole(
    row: FrameRow, whole: ResultFrame, number: int, stratum: str, part: _Part
) -> FrameRow:
    """A row of a subset with its expected score, and how much over it its own is."""
    answers, metric = whole.answers(number), METRICS.make(row.metric)
    chosen = np.flatnonzero(
        np.concatenate([_is_in_bin(run, stratum, part.group) for run in whole.folds(number)[0]])
    )
    alone, over = (
        expected_metric(metric, answers.gold, chosen),
        compute_advantages(metric, answers.gold, chosen),
    )
    if answers.redrawn or alone is None or over is None:  # each draw has labels of its own
        return row
    (low, high), more = answers.interval(over), float(np.mean(answers.scores(over)))
    return row._replace(
        expected=PERCENT_SCALE * float(np.mean(answers.scores(alone))),
        over=PERCENT_SCALE * more,
        over_low=PERCENT_SCALE * low,
        over_high=PERCENT_SCALE * high,
    )


def _hide(row: FrameRow) -> FrameRow:
    return row._replace(score=math.nan, low=math.nan, high=math.nan, majority=math.nan)


def has_counted_labels(run: RunPredictions) -> bool:
    """Whether the metric counts any label of the test examples; where it counts none, their score
    is no number.
    """
    everything = METRICS.make(run.metric).sums(run.gold, run.gold, np.zeros(run.n, np.int64), 1)
    return bool(everything.any())


def are_shown_singly(values: Collection[str]) -> bool:
    """Whether a table shows values one by one, or groups them, as numbers."""
    return len(values) <= _SHOWN or all(map(_is_number, values))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def bin_values(counts: dict[str, int]) -> list[StratumBin]:
    """How values with these counts are put together for a report."""
    try:
        numbers = sorted(counts, key=float)
    except ValueError:
        order = sorted(counts, key=lambda value: (-counts[value], value))
        shown = [StratumBin(value, frozenset([value])) for value in order[:_SHOWN]]
        rarer = frozenset(order[_SHOWN:])
        return [*shown, StratumBin(_RARER, rarer)] if rarer else shown
    groups = _neighbours(numbers, counts)
    return [
        StratumBin(g[0] if len(g) == 1 else f"{g[0]}–{g[-1]}", frozenset(g)) for g in groups if g
    ]


def _neighbours(numbers: Sequence[str], counts: Mapping[str, int]) -> list[list[str]]:
    """Numbers are grouped until each group has 20 examples and half a percent of all: numbers in
    order, put together.
    """
    groups, least = [list[str]()], max(_LEAST, sum(counts.values()) / _SHARE)
    for value in numbers:
        if sum(counts[v] for v in groups[-1]) >= least:
            groups.append([])
        groups[-1].append(value)
    if len(groups) > 1 and sum(counts[v] for v in groups[-1]) < least:
        last = groups.pop()
        groups[-1] += last
    return groups


def restrict_run(run: RunPredictions, stratum: str, to: StratumBin) -> RunPredictions | None:
    """A trained probe over its examples of some values alone; None where it has none."""
    chosen = np.flatnonzero(_is_in_bin(run, stratum, to))
    if not len(chosen):
        return None
    gold, predicted = run.gold.take(chosen), run.predicted.take(chosen)
    return replace(
        run,
        gold=gold,
        predicted=predicted,
        score=METRICS.make(run.metric)(gold, predicted),
        strata={key: t.take(chosen) for key, t in run.strata.items()},
        clusters={key: codes[chosen] for key, codes in run.clusters.items()},
    )


def _is_in_bin(run: RunPredictions, stratum: str, to: StratumBin) -> NDArray[np.bool_]:
    """Whether each example has one of some values, [n]."""
    tags = run.strata[stratum]
    return np.array([name in to.values for name in tags.names] + [False])[tags.codes]


def average_subsets(frame: ResultFrame, stratum: str) -> list[FrameRow]:
    """Rows with the means of correlations over the values of a stratum, each counting the same and
    each by its size: the ways in which scores of STS are published beside that over all. None where
    scores are no correlations, or where there is one value.
    """
    runs = [frame.run(number) for number in range(len(frame))]
    able = [stratum in run.strata and run.gold.numbers is not None for run in runs]
    scored = compute_scores(frame.take(np.flatnonzero(able).tolist()))
    return [
        mean
        for number, row in enumerate(scored)
        for mean in _average(row, scored.answers(number), scored.folds(number)[0], stratum)
    ]


def _average(row: FrameRow, answers: FitAnswers, folds: Folds, stratum: str) -> Iterator[FrameRow]:
    codes = _number_values(folds, stratum)
    if len(np.unique(codes[codes >= 0])) < 2:
        return
    for name, by_size in _MEANS.items():
        metric = average_over_subsets(METRICS.make(row.metric), codes, by_size)
        low, high = answers.interval(metric)
        score = float(np.mean(answers.scores(metric)))
        values = {
            "score": PERCENT_SCALE * score,
            "low": PERCENT_SCALE * low,
            "high": PERCENT_SCALE * high,
        }
        yield row._replace(stratum=name, n=int((codes >= 0).sum()), **values)


def _number_values(folds: Folds, stratum: str) -> Ints:
    """The value of each example of some folds as a number, -1 for none."""
    tags = [fold.strata[stratum] for fold in folds]
    names = {name: k for k, name in enumerate(dict.fromkeys(n for t in tags for n in t.names))}
    return np.concatenate(
        [np.array([*(names[n] for n in t.names), -1], np.int64)[t.codes] for t in tags]
    )


def strata_table(rows: Sequence[FrameRow], stratum: str) -> Table:
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
            _format_stratum_cells(row, signs.get(id(row), ""), layers, expected)
            for row in _sort_rows(mine)
        )
        sections.append(TableSection(format_heading(mine), body, get_row_question(mine)))
    notes = (*_explain_breakdown(plain, stratum, expected), *test_notes(plain))
    return Table(head, tuple(sections), frozenset({stratum, "encoder", "probe"}), notes)


def _sort_rows(rows: Sequence[FrameRow]) -> list[FrameRow]:
    """Rows by value, in the order in which values come first."""
    places = {value: i for i, value in enumerate(dict.fromkeys(row.stratum for row in rows))}
    return sorted(rows, key=lambda row: (places[row.stratum], place_among(row)))


def _explain_breakdown(plain: Sequence[FrameRow], stratum: str, expected: bool) -> Iterator[str]:
    yield (
        f"Each row is over the test examples with one value of {stratum}; neighbouring numbers are"
        f" grouped until there are {_LEAST} examples and half a percent of all."
    )
    yield "constant: the score of the best constant answer of train on the same examples."
    if expected:
        yield (
            "expected: the score of all test examples, with labels weighted to be as frequent as in"
            " this group; over it: the score minus that, so a difference that is not due to the"
            " labels."
        )
    if any(row.stratum in _MEANS for row in plain):
        yield (
            f"(mean): over the values of {stratum}, with equal weight; (mean by size): weighted by"
            " their number of examples. The score of all examples together may differ from both."
        )
    if any(math.isnan(row.score) for row in plain):
        yield "–: the metric does not count any label of these examples."


def _format_stratum_cells(
    row: FrameRow, sign: str, layers: bool, expected: bool
) -> tuple[str, ...]:
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


def _count_stratum_examples(folds: Folds, stratum: str) -> dict[str, int]:
    """How many test examples have each value, in all folds of one thing that was measured."""
    counts: dict[str, int] = {}
    for r in folds:
        for name, n in _frequencies(r.strata[stratum]):
            counts[name] = counts.get(name, 0) + n
    return counts


def _frequencies(tags: Tags) -> list[tuple[str, int]]:
    counts = np.bincount(tags.codes[tags.codes >= 0], minlength=len(tags.names))
    return [(name, int(n)) for name, n in zip(tags.names, counts, strict=True) if n]
