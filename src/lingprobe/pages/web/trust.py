"""Whether what came out can be believed: the encoders of each task beside the best baseline and the
oracle, controls, and what was found odd about data and fits.
"""

from __future__ import annotations

from dataclasses import replace

from lingprobe.analysis.comparison import find_order_changes
from lingprobe.analysis.contests import DEFAULT_CORRECTION
from lingprobe.analysis.encoder_verdicts import (
    RELEVANT_DIFFERENCE_POINTS,
    QuestionAnswer,
    TaskVerdict,
)
from lingprobe.analysis.row import said_of
from lingprobe.metrics.multiplicity import CORRECTION_NAMES
from lingprobe.pages.groups import TaskColumn
from lingprobe.pages.orders import order_notes
from lingprobe.pages.scores import describe_scores
from lingprobe.pages.verdicts import round_up
from lingprobe.pages.web.study import MAX_DETAILED_ENCODERS, ResultStudy
from lingprobe.pages.wide import build_wide_table, made_by, score_cell
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
    format_p_value,
)
from lingprobe.tables.web import (
    FoldedBlock,
    PageBlock,
    PageChapter,
    ProseBlock,
    TableSheet,
)

_COLUMNS = (
    *("task", "encoder", "question", "verdict", "score", "best baseline", "difference"),
    *(f"p ({CORRECTION_NAMES[DEFAULT_CORRECTION]})", "oracle", "n for 1 point"),
)
_WORDS = frozenset({"task", "encoder", "best baseline", "question", "verdict"})
_AUDIT = (
    "lingprobe inspect TASK audits the data of a task: repeats, leaks between splits, and what"
    " rules and simple models score on it without an encoder."
)
_DECIDE = (
    "better: than every baseline that the question has, a constant answer among them. n for 1"
    " point: test examples that detect a difference of 1 point with a power of 80 %; –: these do."
)


def make_trust_chapter(study: ResultStudy) -> PageChapter:
    """What there is to be compared with, and what to keep in mind."""
    blocks: list[PageBlock] = []
    if study.statement.sentences:
        blocks += [_sheet(study), ProseBlock((_DECIDE,), "note")]
    whole = build_wide_table(study.score_grid)
    for section in whole.sections[1:]:
        blocks.append(TableSheet(replace(whole, sections=(section,))))
    problems = study.beside.problems
    blocks += [ProseBlock(("Not everything could be measured:", *problems))] if problems else []
    notes = (
        *order_notes(find_order_changes(study.scores)),
        *describe_scores(study.score_grid.rows)[1:],
        *made_by(study.score_grid),
        *study.beside.remarks,
        _AUDIT,
    )
    blocks.append(FoldedBlock("Data and probes: caveats", (ProseBlock(notes, "note"),)))
    return PageChapter("trust", "How far to trust the scores", tuple(blocks))


def _sheet(study: ResultStudy) -> TableSheet:
    """The verdicts on the best encoders of each task."""
    lines = [
        (column, one, answer)
        for column in study.score_grid.columns
        for one in study.verdicts_on(column)[:MAX_DETAILED_ENCODERS]
        for answer in one.answers
    ]
    rows = tuple(_build_trust_row(study, *line) for line in lines)
    looks = {(0, r, c): "whole" for r in range(len(lines)) for c in (1, 2, 3, 5)}
    looks |= {(0, r, 3): "bad" for r, (*_, one) in enumerate(lines) if one.verdict == "worse"}
    rules = frozenset(r for r in range(1, len(lines)) if lines[r][0] != lines[r - 1][0])
    caption = "Encoders against the best baseline"
    if len(study.statement) > MAX_DETAILED_ENCODERS:
        caption += f", the best {MAX_DETAILED_ENCODERS} of each task"
    return TableSheet(
        Table(_COLUMNS, (TableSection("", rows, rules=rules),), _WORDS), caption, looks
    )


def _build_trust_row(
    study: ResultStudy, column: TaskColumn, one: TaskVerdict, answer: QuestionAnswer
) -> tuple[str, ...]:
    name, row = study.name_and_row(one.row)
    known = answer.decision
    is_chosen = study.has_chosen and one.layers > 1
    return (
        study.score_grid.full_name(column),
        name + said_of(row.layer) * is_chosen,
        answer.question,
        answer.verdict + ", above its oracle" * study.is_above(row),
        score_cell(study.score_grid, row),
        f"{study.name_and_row(answer.baseline)[0]} {format_number(answer.baseline.score)}",
        f"{known.difference:+.1f} [{known.low:+.1f}, {known.high:+.1f}]".replace("-", "−"),
        format_p_value(known.corrected),
        format_number(study.ceiling(row)),
        _examples_needed(answer),
    )


def _examples_needed(one: QuestionAnswer) -> str:
    """How many test examples detect a difference of a point; a dash where these do."""
    if one.decision.detectable <= RELEVANT_DIFFERENCE_POINTS:
        return "–"
    needed = one.needed_examples(RELEVANT_DIFFERENCE_POINTS)
    return f"{round_up(needed):,}" if needed else ""
