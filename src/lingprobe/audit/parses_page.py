"""An audit of a parser as tables: what its errors cost each task, class by class, and among the
sentences of which it is surer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from lingprobe.audit.parses import (
    TASKS_WITHOUT_PARSES,
    ClassAgreement,
    ConfidenceCut,
    ParserAudit,
    TaskAgreement,
)
from lingprobe.corpora.machine import MAX_LABEL_NOISE_PERCENT, NOTED_LABEL_NOISE_PERCENT
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

_WORDS = frozenset({"task", "class", "", "then"})
_MANY = 24  # classes of a task that are shown


def parser_page(audit: ParserAudit) -> Page[ParserAudit]:
    """An audit of a parser with its tables."""
    return Page(audit, lambda: list(_tables(audit)))


def _tables(audit: ParserAudit) -> Iterator[Table]:
    yield _tabulate_parser_tasks(audit)
    if len(audit.cuts) > 1:
        yield _surer(audit.cuts)
    yield _tabulate_classes(audit.cuts)


def _tabulate_parser_tasks(audit: ParserAudit) -> Table:
    rows = [*map(_build_agreement_row, audit.tasks)]
    families = dict.fromkeys(f"{each.task.partition('/')[0]}/" for each in audit.tasks)
    rows += [
        (task, "–", "–", "–", "–", "its labels do not depend on trees")
        for family in families
        for task in TASKS_WITHOUT_PARSES[family]
    ]
    alone = f"; {audit.alone:,} more occur only in gold" if audit.alone else ""
    line = f"{audit.sentences:,} sentences of {', '.join(audit.gold)}{alone}"
    notes = (
        "of parses: percent of the labels from parses that the gold tree also gives; of gold:"
        " percent of the labels from gold trees that the parse also gives.",
        "wrong: percent of labels that differ from the gold tree's in a class-balanced set, as"
        " tasks have, with its 95 % interval; a class with fewer than ten labels from parses, but"
        " more from gold trees, counts by those that parses miss; classes that are as rare in both"
        " are excluded.",
        f"Tasks with more than {NOTED_LABEL_NOISE_PERCENT} % of wrong labels show the figure in the"
        f" heading; tasks with more than {MAX_LABEL_NOISE_PERCENT} % need noise=accept. According"
        " to human annotators, the labels that Conneau et al. (2018) made by parsing are wrong in"
        " 12 to 16 % of cases (their Table 2).",
    )
    title = f"Labels from {audit.parser or 'a parser'} against those from gold trees"
    head = ("task", "labels", "of parses", "of gold", "wrong", "then")
    agreed = ", ".join(f"{name} {value:.1f}" for name, value in audit.agreement.items())
    said = [f"Agreement with gold: {agreed}."] if agreed else []
    if audit.learnt:
        said.append(
            f"Warning: the parser was trained on {audit.learnt:,} of the gold sentences; on others"
            " it may be worse."
        )
    return Table(head, (TableSection(line, tuple(rows)),), _WORDS, (*said, *notes), title)


def _build_agreement_row(each: TaskAgreement) -> tuple[str, ...]:
    total = each.total
    if not each.has_classes:
        return each.task, f"{total.said:,}", "–", "–", "–", "fewer than two classes"
    return (
        each.task,
        f"{total.said:,}",
        format_number(100 * total.precision),
        format_number(100 * total.recall),
        f"{each.wrong:.1f} ± {each.margin:.1f}",
        _then(each.wrong),
    )


def _then(wrong: float) -> str:
    """Whether a task is offered, offered with the figure and the upper bound, or refused unless
    `noise=accept`, by the percent of wrong labels.
    """
    if wrong < NOTED_LABEL_NOISE_PERCENT:
        return "offered"
    return "an upper bound" if wrong <= MAX_LABEL_NOISE_PERCENT else "noise=accept"


def _surer(cuts: Sequence[ConfidenceCut]) -> Table:
    """What the surer sentences are like, and how many of their labels are wrong."""
    rows = [
        ("percent of the sentences", *(format_number(100 * cut.share) for cut in cuts)),
        ("words of a sentence", *(format_number(cut.length) for cut in cuts)),
        ("depth of its tree", *(format_number(cut.depth) for cut in cuts)),
    ]
    wrong = [{each.task: each.wrong for each in cut.tasks} for cut in cuts]
    rows += [
        (f"wrong: {task}", *(format_number(each.get(task, math.nan)) for each in wrong))
        for task in wrong[0]
    ]
    head = ("", *_list_cut_heads(cuts))
    return Table(
        head, (TableSection("Sentences by the confidence of the parser", tuple(rows)),), _WORDS
    )


def _list_cut_heads(cuts: Sequence[ConfidenceCut]) -> list[str]:
    return ["all", *(f"≥ {cut.least:.2g}" for cut in cuts[1:])]


def _tabulate_classes(cuts: Sequence[ConfidenceCut]) -> Table:
    """Classes one by one, and what share of the labels each has among surer sentences."""
    later = [{each.task: each for each in cut.tasks} for cut in cuts]
    rows = [
        (each.task, c.label, f"{c.wanted:,}", f"{c.said:,}", format_number(100 * c.precision),
         format_number(100 * c.recall),
         *(_format_label_share(by.get(each.task), c.label) for by in later))
        for each in cuts[0].tasks
        for c in each.classes[:_MANY]
    ]  # fmt: skip
    head = ("task", "class", "gold", "parses", "of parses", "of gold", *_list_cut_heads(cuts))
    line = "`all` and thresholds of confidence: percent of a task's labels from parses"
    return Table(head, (TableSection("Class by class", tuple(rows), line),), _WORDS)


def _format_label_share(task: TaskAgreement | None, label: str) -> str:
    if task is None:
        return "–"
    said: dict[str, ClassAgreement] = {c.label: c for c in task.classes}
    total = task.total.said
    return format_number(100 * said[label].said / total) if total and label in said else "–"
