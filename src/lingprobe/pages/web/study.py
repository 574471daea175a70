"""What all chapters of a page read: results as lines and columns, and the answers behind each
score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from lingprobe.analysis.comparison import what
from lingprobe.analysis.encoder_verdicts import TaskVerdict
from lingprobe.analysis.opponents import select_shown
from lingprobe.analysis.row import ResultRow
from lingprobe.analysis.rows import MeasuredResults
from lingprobe.data.core import Result
from lingprobe.data.oracles import Kind
from lingprobe.data.references import shorten_reference
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.descriptions import get_question
from lingprobe.pages.grid import Grid, Line, grid
from lingprobe.pages.groups import TaskColumn
from lingprobe.pages.human import HumanAnswers
from lingprobe.pages.verdicts import Statement, statement
from lingprobe.pages.wide import firsts, label_of
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
    reads      the layers that were asked for by name, if any
    """

    questions: Mapping[str, str] = {}
    remarks: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    figure: str = "dots"
    scored: Callable[[], Sequence[Result]] | None = None
    people: tuple[HumanAnswers, ...] = ()
    folder: Path | None = None
    reads: tuple[str, ...] = ()


NOTHING = Beside()


@dataclass(frozen=True)
class Study:
    """Results as a page shows them."""

    results: MeasuredResults
    beside: Beside = NOTHING

    @cached_property
    def statement(self) -> Statement:
        """The verdicts on the encoders, which `lingprobe compare` has, too."""
        return statement(self.results, self.beside.folder)

    @cached_property
    def shown_results(self) -> MeasuredResults:
        """The results that tables show: of untrained copies the first."""
        return select_shown(self.results)

    @cached_property
    def whole_grid(self) -> Grid:
        """Scores as lines and columns, with all layers."""
        made = grid(self.shown_results)
        return replace(made, names=label_encoders(dict.fromkeys(x.encoder for x in made.lines)))

    @property
    def has_chosen(self) -> bool:
        """Whether of some encoders one layer stands for several, which was chosen on dev."""
        return self.statement.verdicts.layers > 1

    @cached_property
    def score_grid(self) -> Grid:
        """Scores as lines and columns, a line for each encoder where a layer was chosen."""
        if not self.has_chosen:
            return self.whole_grid
        kept = self.statement.verdicts.at_chosen_layers(self.whole_grid.rows)
        made = grid(self.shown_results.select(kept))
        return replace(made.without_layers(), names=self.whole_grid.names)

    @cached_property
    def firsts(self) -> dict[str, ResultRow]:
        """Of each task a row over the test examples that most are over."""
        return firsts(self.score_grid)

    @cached_property
    def _best(self) -> dict[tuple[str, Kind], list[tuple[str, ResultRow]]]:
        return {}

    @cached_property
    def _results_by_row(self) -> dict[int, Sequence[Result]]:
        return {id(one.row): one.results for one in self.results.measurements}

    def verdicts_on(self, column: TaskColumn) -> list[TaskVerdict]:
        """The verdicts on a task, the best score first."""
        every = (task for one in self.statement for task in one.tasks)
        mine = [task for task in every if task.row.task == column.task]
        return sorted(mine, key=lambda task: -task.row.score)

    @cached_property
    def _names_and_rows(self) -> dict[tuple[str, ...], tuple[str, ResultRow]]:
        every = ((line, row) for line in self.score_grid.lines for row in line.cells.values())
        return {what(row): (self.name(line, row), row) for line, row in every}

    def name_and_row(self, row: ResultRow) -> tuple[str, ResultRow]:
        """A row with what it is called, as the table of scores has them."""
        return self._names_and_rows.get(what(row), (row.encoder, row))

    def results_of(self, row: ResultRow) -> Sequence[Result]:
        """All fits behind a score."""
        return self._results_by_row[id(row)]

    def lines(self, kind: Kind) -> list[Line]:
        """The lines of a kind."""
        return [line for line in self.score_grid.lines if line.kind == kind]

    def ranked_rows(self, column: TaskColumn, kind: Kind) -> list[tuple[str, ResultRow]]:
        """The scores of a kind on a task with what they are called, the best first; those over
        other test examples are not among them.
        """
        if (column.task, kind) not in self._best:
            self._best[column.task, kind] = self._rank_rows(column, kind)
        return self._best[column.task, kind]

    def _rank_rows(self, column: TaskColumn, kind: Kind) -> list[tuple[str, ResultRow]]:
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

    def rows_in_detail(self, column: TaskColumn) -> list[tuple[str, ResultRow]]:
        """The scores of a task that are looked into: the best encoders, baseline and oracle."""
        return [
            *self.ranked_rows(column, "trained")[:DETAILED],
            *self.ranked_rows(column, "baseline")[:1],
            *self.ranked_rows(column, "oracle")[:1],
        ]

    def ceiling(self, row: ResultRow) -> float:
        """The best score of an oracle on the task of a row with its probe; NaN without."""
        oracles = (line.cells.get(row.task) for line in self.lines("oracle"))
        return max((o.score for o in oracles if o and o.probe == row.probe), default=math.nan)

    def is_above(self, row: ResultRow) -> bool:
        """Whether a row scores more than its labels' own annotation."""
        return row.kind == "trained" and row.score > self.ceiling(row)

    def name(self, line: Line, row: ResultRow) -> str:
        """What a score is called where its task stands above: oracles by what they hold."""
        return row.encoder if line.kind == "oracle" else label_of(self.score_grid, line)

    def people(self, column: TaskColumn) -> HumanAnswers | None:
        """What people say on a task; None where nobody was asked."""
        mine = (
            one for one in self.beside.people if shorten_reference(TASKS, one.task) == column.task
        )
        return next(mine, None)

    def question(self, task: str) -> str:
        """What a task asks; '' where nobody says."""
        return self.beside.questions.get(task) or get_question(task)


def many(count: int, noun: str) -> str:
    """A number of things."""
    return f"{count:,} {noun}{'s' * (count != 1)}"
