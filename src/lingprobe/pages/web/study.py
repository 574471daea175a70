"""What all chapters of a page read: results as lines and columns, and the answers behind each
score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from lingprobe.analysis.comparison import Decision, Questions, decisions, what, with_baselines
from lingprobe.analysis.row import Row
from lingprobe.analysis.rows import groups_of
from lingprobe.data.core import Result
from lingprobe.data.oracles import Kind
from lingprobe.data.references import brief
from lingprobe.judgements.score import Judged
from lingprobe.pages.descriptions import question_of
from lingprobe.pages.groups import Column
from lingprobe.pages.wide import Grid, Line, firsts, grid, label_of
from lingprobe.tasks import TASKS

DETAILED = 3  # of the encoders that are judged: the best of each task


class Beside(NamedTuple):
    """What is known of results that does not lie in them.

    questions  what each task asks, by the name that tables give it
    remarks    what there is to say of the results that were read
    problems   what could not be measured
    figure     the figure that is drawn of scores
    people     what people say of test sentences
    scored     gives the same results with probabilities, where these were kept
    folder     where the results are; None for those of the last run
    """

    questions: Mapping[str, str] = {}
    remarks: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    figure: str = "dots"
    scored: Callable[[], Sequence[Result]] | None = None
    people: tuple[Judged, ...] = ()
    folder: Path | None = None


NOTHING = Beside()


@dataclass(frozen=True)
class Study:
    """Results as a page shows them."""

    results: tuple[Result, ...]
    beside: Beside = NOTHING

    @cached_property
    def score_grid(self) -> Grid:
        """Scores as lines and columns."""
        return grid(self.results)

    @cached_property
    def firsts(self) -> dict[str, Row]:
        """Of each task a row over the test examples that most are over."""
        return firsts(self.score_grid)

    @cached_property
    def _best(self) -> dict[tuple[str, Kind], list[tuple[str, Row]]]:
        return {}

    @cached_property
    def _groups(self) -> dict[int, list[Result]]:
        every = groups_of(self.results).values()
        return {id(row): group for row, group in zip(self.score_grid.rows, every, strict=True)}

    @cached_property
    def questions(self) -> Questions:
        """Each encoder against the baselines of each task, which `lingprobe compare` asks, too;
        none of baselines alone.
        """
        return with_baselines(self.results) if self.lines("trained") else Questions([], "")

    @cached_property
    def verdicts(self) -> dict[str, dict[str, Decision]]:
        """By encoder and task the verdict on the encoder: of the layer that was chosen on dev, else
        of the best of all layers that the correction counts.
        """
        verdicts: dict[str, dict[str, Decision]] = {}
        for one in decisions(self.questions.asked):
            row = one.question.one.row
            mine = verdicts.setdefault(self.encoder(row), {})
            if row.task not in mine or mine[row.task].question.one.row.score < row.score:
                mine[row.task] = one
        return verdicts

    def chosen_on(self, encoder: str) -> str:
        """The split on which the layers of an encoder were chosen, dev or test; '' where it has no
        choice.
        """
        asked = [q for q in self.questions.asked if self.encoder(q.one.row) == encoder]
        if any(question.layers > 1 for question in asked):
            return "dev"
        return "test" if len(asked) > len(self.verdicts[encoder]) else ""

    @cached_property
    def _names_and_rows(self) -> dict[tuple[str, ...], tuple[str, Row]]:
        every = ((line, row) for line in self.score_grid.lines for row in line.cells.values())
        return {what(row): (self.name(line, row), row) for line, row in every}

    def name_and_row(self, row: Row) -> tuple[str, Row]:
        """A row with what it is called, as the table of scores has them."""
        return self._names_and_rows.get(what(row), (row.encoder, row))

    def encoder(self, row: Row) -> str:
        """The encoder of a row, with its probe where several read it."""
        name = self.score_grid.names.get(row.encoder, row.encoder)
        return f"{name}, {row.probe}" if self.score_grid.has_probes else name

    def results_of(self, row: Row) -> list[Result]:
        """All fits behind a score."""
        return self._groups[id(row)]

    def lines(self, kind: Kind) -> list[Line]:
        """The lines of a kind."""
        return [line for line in self.score_grid.lines if line.kind == kind]

    def ranked_rows(self, column: Column, kind: Kind) -> list[tuple[str, Row]]:
        """The scores of a kind on a task with what they are called, the best first; those over
        other test examples are not among them.
        """
        if (column.task, kind) not in self._best:
            self._best[column.task, kind] = self._rank_rows(column, kind)
        return self._best[column.task, kind]

    def _rank_rows(self, column: Column, kind: Kind) -> list[tuple[str, Row]]:
        cells = [
            (self.name(line, row), row)
            for line in self.lines(kind)
            if (row := line.cells.get(column.task))
        ]
        whole = [
            (name, row)
            for name, row in cells
            if not self.score_grid.signs.get(id(row)) and not math.isnan(row.score)
        ]
        return sorted(whole, key=lambda each: -each[1].score)

    def rows_in_detail(self, column: Column) -> list[tuple[str, Row]]:
        """The scores of a task that are looked into: the best encoders, baseline and oracle."""
        return [
            *self.ranked_rows(column, "trained")[:DETAILED],
            *self.ranked_rows(column, "baseline")[:1],
            *self.ranked_rows(column, "oracle")[:1],
        ]

    def ceiling(self, row: Row) -> float:
        """The best score of an oracle on the task of a row with its probe; NaN without."""
        oracles = (line.cells.get(row.task) for line in self.lines("oracle"))
        return max((o.score for o in oracles if o and o.probe == row.probe), default=math.nan)

    def is_above(self, row: Row) -> bool:
        """Whether a row scores more than its labels' own annotation."""
        return row.kind == "trained" and row.score > self.ceiling(row)

    def name(self, line: Line, row: Row) -> str:
        """What a score is called where its task stands above: oracles by what they hold."""
        return row.encoder if line.kind == "oracle" else label_of(self.score_grid, line)

    def people(self, column: Column) -> Judged | None:
        """What people say on a task; None where nobody was asked."""
        mine = (one for one in self.beside.people if brief(TASKS, one.task) == column.task)
        return next(mine, None)

    def question(self, task: str) -> str:
        """What a task asks; '' where nobody says."""
        return self.beside.questions.get(task) or question_of(task)


def many(count: int, noun: str) -> str:
    """A number of things."""
    return f"{count:,} {noun}{'s' * (count != 1)}"
