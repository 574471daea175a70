"""Whether what came out can be believed: the encoders of each task beside the best baseline and the
oracle, controls, and what was found odd about data and fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from lingprobe.analysis.comparison import CORRECTION, Decision
from lingprobe.metrics.multiplicity import NAMES
from lingprobe.pages.groups import Column
from lingprobe.pages.scores import score_notes
from lingprobe.pages.web.study import DETAILED, Study, many
from lingprobe.pages.wide import made_by, matrix, score_cell
from lingprobe.tables.table import Section, Table, number, p_value
from lingprobe.tables.web import Block, Chapter, Prose, Sheet

COLUMNS = (
    *("task", "verdict", "encoder", "score", "best baseline", "its score"),
    *("difference", f"p ({NAMES[CORRECTION]})", "oracle"),
)
WORDS = frozenset({"task", "encoder", "best baseline", "verdict"})
AUDIT = (
    "lingprobe inspect TASK audits the data of a task: repeats, leaks between splits, and what"
    " rules and simple models score on it without an encoder."
)
SOME = 8  # tasks that a sentence names, and encoders that have one


def trust(study: Study) -> Chapter:
    """What there is to be compared with, and what to keep in mind."""
    blocks: list[Block] = []
    if study.verdicts:
        blocks += [Prose(tuple(_findings(study)), "finding"), _sheet(study)]
        blocks.append(Prose((_correction_note(study),), "note"))
    whole = matrix(study.score_grid)
    for section in whole.sections[1:]:
        blocks.append(Sheet(replace(whole, sections=(section,))))
    problems = study.beside.problems
    blocks += [Prose(("Not everything could be measured:", *problems))] if problems else []
    notes = (
        *score_notes(study.score_grid.rows)[1:],
        *made_by(study.score_grid),
        *study.beside.remarks,
        AUDIT,
    )
    return Chapter("trust", "How far to trust the scores", (*blocks, Prose(notes, "note")))


def _correction_note(study: Study) -> str:
    return (
        f"p values, and the 95 % intervals of differences, are corrected for"
        f" {study.questions.family}; lingprobe compare shows the same. better: than every baseline,"
        " constant answers among them."
    )


def _findings(study: Study) -> Iterator[str]:
    """Of each encoder on which tasks it is better than every baseline."""
    every = study.verdicts
    counts = {
        name: sum(one.verdict == "better" for one in mine.values()) for name, mine in every.items()
    }
    for name in sorted(every, key=lambda name: -counts[name])[:SOME]:
        yield " ".join(_finding(study, name, every[name]))
    if len(every) > SOME:
        yield f"lingprobe compare has the verdicts on the {len(every) - SOME} other encoders."


def _finding(study: Study, name: str, mine: Mapping[str, Decision]) -> Iterator[str]:
    answered = {task: one for task, one in mine.items() if one.is_answered}
    asked = {task: one.verdict for task, one in mine.items() if task not in answered}
    better = sum(verdict == "better" for verdict in asked.values())
    of = many(len(asked), "task")
    if asked:
        on = f"all {of}" if better == len(asked) > 1 else f"{better} of {of}"
        yield f"{name} is significantly better than every baseline on {on}."
    for verdict, said in (("cannot be told", "It cannot be told on"), ("worse", "It is worse on")):
        if tasks := [task for task, known in asked.items() if known == verdict]:
            yield f"{said} {_names(study, tasks)}."
    for baseline in dict.fromkeys(_baseline(study, one)[0] for one in answered.values()):
        tasks = [task for task, one in answered.items() if _baseline(study, one)[0] == baseline]
        yield (
            f"On {_names(study, tasks)}, the baseline {baseline} answers the task by itself, so an"
            " encoder cannot be better."
        )


def _names(study: Study, tasks: list[str]) -> str:
    names = [
        study.score_grid.full_name(column)
        for column in study.score_grid.columns
        if column.task in tasks
    ]
    more = f" and {len(names) - SOME} more" if len(names) > SOME else ""
    return ", ".join(names[:SOME]) + more


def _baseline(study: Study, one: Decision) -> tuple[str, float]:
    """The best baseline and its score."""
    row = one.question.best.row
    return study.name_and_row(row)[0], row.score


def _sheet(study: Study) -> Sheet:
    """The verdicts on the best encoders of each task."""
    lines = [
        (column, one)
        for column in study.score_grid.columns
        for one in sorted(
            (mine[column.task] for mine in study.verdicts.values() if column.task in mine),
            key=lambda one: -one.question.one.row.score,
        )[:DETAILED]
    ]
    rows = tuple(_row(study, *line) for line in lines)
    looks = {
        (0, r, 1): "bad"
        for r, (_, one) in enumerate(lines)
        if one.verdict != "better" and not one.is_answered
    }
    caption = "Encoders against the best baseline"
    if len(study.verdicts) > DETAILED:
        caption += f", the best {DETAILED} of each task"
    return Sheet(Table(COLUMNS, (Section("", rows),), WORDS), caption, looks)


def _row(study: Study, column: Column, one: Decision) -> tuple[str, ...]:
    name, row = study.name_and_row(one.question.one.row)
    floor, floored = _baseline(study, one)
    verdict = "answered by a baseline" if one.is_answered else one.verdict
    return (
        study.score_grid.full_name(column),
        verdict + ", above its oracle" * study.is_above(row),
        name,
        score_cell(study.score_grid, row),
        floor,
        number(floored),
        f"{one.difference:+.1f} ({one.low:+.1f} – {one.high:+.1f})",
        p_value(one.corrected),
        number(study.ceiling(row)),
    )
