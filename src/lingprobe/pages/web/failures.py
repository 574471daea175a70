"""Where encoders fail: by class, by what test examples have in common, and on which of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from lingprobe.analysis.class_counts import ClassCount, count_classes
from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.row import NO_CONTROL, PERCENT_SCALE
from lingprobe.pages.breakdown import (
    are_shown_singly,
    compute_stratum_rows,
)
from lingprobe.pages.groups import TaskColumn
from lingprobe.pages.human import HumanAnswers
from lingprobe.pages.web.items import TaskExamples
from lingprobe.pages.web.study import MAX_DETAILED_ENCODERS, ResultStudy, format_count
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)
from lingprobe.tables.web import (
    FoldedBlock,
    PageBlock,
    PageChapter,
    ProseBlock,
    TableSheet,
)

_MOST = 12  # classes, up to which answers are shown as a matrix; of more, the commonest mistakes
_ABOVE = (
    "Above the oracle: {}. With the same probe, the annotation that the labels come from scores"
    " lower, so something else predicts the label, or this probe does not fit the oracle's vectors"
    " well."
)


def make_failure_chapter(study: ResultStudy) -> PageChapter:
    """What is above its upper bound, then each task on its own."""
    above = [
        f"{name} on {study.score_grid.full_name(column)}"
        f" ({row.score:.1f}, oracle {study.ceiling(row):.1f})"
        for column in study.score_grid.columns
        for name, row in study.ranked_rows(column, "trained")
        if study.is_above(row)
    ]
    chosen = (
        f"For each task this shows the {format_count(MAX_DETAILED_ENCODERS, 'best encoder')}, the"
        " best baseline and the oracle; lingprobe report -e NAME --html shows others."
        if len(study.lines("trained")) > MAX_DETAILED_ENCODERS
        else "For each task this shows all encoders, the best baseline and the oracle."
    )
    items = TaskExamples(study)
    tasks = [_list_task_failures(study, items, column) for column in study.score_grid.columns]
    texts = (*([_ABOVE.format("; ".join(above))] if above else []), chosen, *items.missing)
    return PageChapter("failures", "Where it fails", (ProseBlock(texts, "note"), *tasks))


def _list_task_failures(study: ResultStudy, items: TaskExamples, column: TaskColumn) -> PageBlock:
    """All that there is on one task."""
    cells = study.rows_in_detail(column)
    blocks: list[PageBlock] = []
    if not any(row.classes for _, row in cells):
        blocks.append(ProseBlock(("Labels are numbers, so there are no classes.",), "note"))
    else:
        blocks.append(_tabulate_class_errors(cells, study, study.people(column)))
        blocks += _mistakes(study, cells)
    blocks += _list_strata_scores(study, cells)
    blocks += items.example_blocks(column)
    best = next(iter(cells), None)
    said = f": {best[0]} {best[1].score:.1f}" if best else ""
    return FoldedBlock(f"{study.score_grid.full_name(column)}{said}", tuple(blocks))


_CLASSES = ("class", "encoder", "true share", "predicted share", "recall", "F1")


def _tabulate_class_errors(
    cells: Sequence[tuple[str, FrameRow]], study: ResultStudy, people: HumanAnswers | None
) -> PageBlock:
    """Of each class its true share, the share predicted, recall, and F1."""
    counts = {name: count_classes(study.answers_of(row)) for name, row in cells}
    lines: list[tuple[str, ...]] = []
    for label in sorted({one.name for each in counts.values() for one in each}):
        for name, each in counts.items():
            one = next((one for one in each if one.name == label), _NOTHING)
            there = sum(count.there for count in each) or 1
            taken = sum(count.taken for count in each) or 1
            shares = (
                one.there / there,
                one.taken / taken,
                one.right / one.there if one.there else math.nan,
            )
            f1 = f"{format_number(one.f1)} ({format_number(one.low)} – {format_number(one.high)})"
            lines.append(
                (label, name, *(format_number(PERCENT_SCALE * share) for share in shares), f1)
            )
        if people:
            share = format_number(PERCENT_SCALE * people.shares().get(label, 0.0))
            name = f"people, of {format_count(len(people.answers), 'sentence')}"
            lines.append((label, name, "–", share, "–", "–"))
    table = Table(
        _CLASSES, (TableSection("", tuple(lines), rules=_changes(lines)),), frozenset(_CLASSES[:2])
    )
    return TableSheet(table, "Classes, in percent")


_NOTHING = ClassCount("", 0, 0, 0, math.nan, math.nan, math.nan)


def _changes(lines: Sequence[tuple[str, ...]]) -> frozenset[int]:
    """The lines whose first cell is not that of the line before."""
    return frozenset(i for i in range(1, len(lines)) if lines[i][0] != lines[i - 1][0])


def _mistakes(study: ResultStudy, cells: Sequence[tuple[str, FrameRow]]) -> Iterator[PageBlock]:
    """What the best encoder says of each class."""
    for name, row in cells[:1]:
        answers = study.answers_of(row)
        gold, predicted = answers.gold, answers.predicted
        if gold.classes is None:
            return
        labels = tuple(dict.fromkeys((*gold.names, *(x for p in predicted for x in p.names))))
        counts = np.zeros((len(labels), len(labels)), np.int64)
        place = {label: i for i, label in enumerate(labels)}
        for said in predicted:
            if said.classes is None:
                return
            pairs = zip(gold.classes.tolist(), said.classes.tolist(), strict=True)
            for true, other in pairs:
                counts[place[gold.names[true]], place[said.names[other]]] += 1
        yield (
            _matrix(name, labels, counts)
            if len(labels) <= _MOST
            else _commonest(name, labels, counts)
        )


def _matrix(name: str, labels: Sequence[str], counts: np.ndarray) -> TableSheet:
    """Of each class the percentages of what is predicted."""
    shares = PERCENT_SCALE * counts / np.maximum(counts.sum(1, keepdims=True), 1)
    rows = tuple(
        (label, *(f"{share:.1f}" for share in line))
        for label, line in zip(labels, shares, strict=True)
    )
    looks = {
        (0, r, 1 + c): f"h{min(8, round(shares[r, c] / 12.5))}"
        for r in range(len(labels))
        for c in range(len(labels))
        if shares[r, c] >= 6.25
    }
    table = Table(
        ("class", *labels),
        (TableSection("", rows),),
        frozenset({"class"}),
        groups=("", *[_PREDICTED] * len(labels)),
    )
    return TableSheet(
        table, f"Confusion matrix of {name}: predictions for the examples of each class (%)", looks
    )


_PREDICTED = "predicted"


def _commonest(name: str, labels: Sequence[str], counts: np.ndarray) -> TableSheet:
    """The commonest mistakes."""
    wrong = counts - np.diag(np.diag(counts))
    places = [divmod(int(i), len(labels)) for i in np.argsort(-wrong, axis=None)[:_MOST]]
    rows = tuple(
        (
            labels[t],
            labels[s],
            f"{wrong[t, s]:,}",
            f"{PERCENT_SCALE * wrong[t, s] / counts[t].sum():.1f}",
        )
        for t, s in places
        if wrong[t, s]
    )
    columns = ("class", "taken for", "how often", "% of the class")
    table = Table(columns, (TableSection("", rows),), frozenset(columns[:2]))
    return TableSheet(table, f"Most frequent confusions of {name}")


def _list_strata_scores(
    study: ResultStudy, cells: Sequence[tuple[str, FrameRow]]
) -> Iterator[PageBlock]:
    """Scores by each tag of the test examples that has several values, none of them too many."""
    frame = study.probes_of([row for _, row in cells])
    scored = [number for number, score in enumerate(frame.column("score")) if not math.isnan(score)]
    for stratum in dict.fromkeys(key for run in frame.runs for key in run.strata):
        mine = frame.take([number for number in scored if stratum in frame.run(number).strata])
        values = {name for run in mine.runs for name in run.strata[stratum].names}
        if len(values) < 2 or not are_shown_singly(values):
            continue
        sheet = _by(study, cells, mine, stratum)
        yield FoldedBlock(
            f"By {stratum}: {format_count(len(values), 'value')}", (sheet, ProseBlock(_BY, "note"))
        )


_BY = (
    "expected: the score of all test examples, with labels weighted to be as frequent as in this"
    " group. over it: the score minus that, so a difference that is not due to the labels.",
    "Neighbouring numbers and rare values are grouped.",
)


def _by(
    study: ResultStudy, cells: Sequence[tuple[str, FrameRow]], frame: ResultFrame, stratum: str
) -> PageBlock:
    """Scores by the values of a tag."""
    names = {(row.encoder, row.layer, row.probe): name for name, row in cells}
    rows = [row for row in compute_stratum_rows(frame, stratum) if row.control == NO_CONTROL]
    values = list(dict.fromkeys(row.stratum for row in rows))
    rows.sort(key=lambda row: values.index(row.stratum))  # encoders stay in their order
    lines = [
        (
            row.stratum,
            names[row.encoder, row.layer, row.probe],
            f"{format_number(row.score)} ({format_number(row.low)} – {format_number(row.high)})",
            format_number(row.expected),
            "–" if math.isnan(row.over) else f"{row.over:+.1f}",
            f"{row.n:,}",
        )
        for row in rows
    ]
    columns = (stratum, "encoder", "score", "expected", "over it", "n")
    table = Table(
        columns, (TableSection("", tuple(lines), rules=_changes(lines)),), frozenset(columns[:2])
    )
    return TableSheet(table, f"Scores by {stratum}")
