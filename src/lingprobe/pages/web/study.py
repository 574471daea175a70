"""What all chapters of a page read: results as lines and columns, and the answers behind each
score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from lingprobe.analysis.answers import RunPredictions
from lingprobe.analysis.comparison import describe_measurement
from lingprobe.analysis.encoder_verdicts import TaskVerdict
from lingprobe.analysis.frame import Folds, FrameRow, ResultFrame
from lingprobe.analysis.opponents import select_shown
from lingprobe.analysis.score_columns import SCORE_KEYS
from lingprobe.data.oracles import Kind
from lingprobe.data.references import shorten_reference
from lingprobe.experiment.examples import ExampleReader
from lingprobe.metrics import FitAnswers
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.descriptions import get_question
from lingprobe.pages.grid import EncoderLine, ScoreGrid, make_grid
from lingprobe.pages.groups import TaskColumn
from lingprobe.pages.human import HumanAnswers
from lingprobe.pages.verdicts import VerdictStatement, make_statement
from lingprobe.pages.wide import label_of, select_first_rows
from lingprobe.tasks import TASKS

MAX_DETAILED_ENCODERS = 3  # of the encoders that are judged: the best of each task


class StudyContext(NamedTuple):
    """What is known of results that does not lie in them.

    questions  what each task asks, by the name that tables give it
    remarks    what there is to say of the results that were read
    problems   what could not be measured
    figure     the figure that is drawn of scores
    people     what people say of test sentences
    examples   reads test examples; None where none are shown
    folder     where the results are; None for those of the last run
    reads      the layers that were asked for by name, if any
    """

    questions: Mapping[str, str] = {}
    remarks: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    figure: str = "dots"
    examples: ExampleReader | None = None
    people: tuple[HumanAnswers, ...] = ()
    folder: Path | None = None
    reads: tuple[str, ...] = ()


EMPTY_STUDY_CONTEXT = StudyContext()


@dataclass(frozen=True)
class ResultStudy:
    """Results as a page shows them.

    frame   the trained probes
    scores  the scores of all fits of each thing
    """

    frame: ResultFrame
    scores: ResultFrame
    beside: StudyContext = EMPTY_STUDY_CONTEXT

    @cached_property
    def statement(self) -> VerdictStatement:
        """The verdicts on the encoders, which `lingprobe compare` has, too."""
        return make_statement(self.scores, self.beside.folder)

    @cached_property
    def runs(self) -> list[RunPredictions]:
        """The predictions of all trained probes."""
        return self.frame.runs

    @cached_property
    def table_scores(self) -> ResultFrame:
        """The scores that tables show: of untrained copies the first."""
        return select_shown(self.scores)

    @cached_property
    def whole_grid(self) -> ScoreGrid:
        """Scores as lines and columns, with all layers."""
        made = make_grid(self.table_scores)
        return replace(made, names=label_encoders(dict.fromkeys(x.encoder for x in made.lines)))

    @property
    def has_chosen(self) -> bool:
        """Whether of some encoders one layer stands for several, which was chosen on dev."""
        return self.statement.verdicts.layers > 1

    @cached_property
    def score_grid(self) -> ScoreGrid:
        """Scores as lines and columns, a line for each encoder where a layer was chosen."""
        if not self.has_chosen:
            return self.whole_grid
        made = make_grid(self.statement.verdicts.at_chosen_layers(self.table_scores))
        return replace(made.without_layers(), names=self.whole_grid.names)

    @cached_property
    def firsts(self) -> dict[str, FrameRow]:
        """Of each task a row over the test examples that most are over."""
        return select_first_rows(self.score_grid)

    @cached_property
    def _best(self) -> dict[tuple[str, Kind], list[tuple[str, FrameRow]]]:
        return {}

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {id(row): number for number, row in enumerate(self.scores)}

    def verdicts_on(self, column: TaskColumn) -> list[TaskVerdict]:
        """The verdicts on a task, the best score first."""
        every = (task for one in self.statement for task in one.tasks)
        mine = [task for task in every if task.row.task == column.task]
        return sorted(mine, key=lambda task: -task.row.score)

    @cached_property
    def _names_and_rows(self) -> dict[tuple[str, ...], tuple[str, FrameRow]]:
        every = ((line, row) for line in self.score_grid.lines for row in line.cells.values())
        return {describe_measurement(row): (self.name(line, row), row) for line, row in every}

    def name_and_row(self, row: FrameRow) -> tuple[str, FrameRow]:
        """A row with what it is called, as the table of scores has them."""
        return self._names_and_rows.get(describe_measurement(row), (row.encoder, row))

    def answers_of(self, row: FrameRow) -> FitAnswers:
        """The answers behind a score."""
        return self.scores.answers(self._numbers[id(row)])

    def folds_of(self, row: FrameRow) -> Folds:
        """What the first fit behind a score predicts, by fold."""
        return self.scores.folds(self._numbers[id(row)])[0]

    def probes_of(self, rows: Sequence[FrameRow]) -> ResultFrame:
        """The trained probes behind some scores."""
        places = self.frame.groups(SCORE_KEYS)
        keys = map(attrgetter(*SCORE_KEYS), rows)
        return self.frame.take([number for key in keys for number in places[key]])

    def lines(self, kind: Kind) -> list[EncoderLine]:
        """The lines of a kind."""
        return [line for line in self.score_grid.lines if line.kind == kind]

    def ranked_rows(self, column: TaskColumn, kind: Kind) -> list[tuple[str, FrameRow]]:
        """The scores of a kind on a task with what they are called, the best first; those over
        other test examples are not among them.
        """
        if (column.task, kind) not in self._best:
            self._best[column.task, kind] = self._rank_rows(column, kind)
        return self._best[column.task, kind]

    def _rank_rows(self, column: TaskColumn, kind: Kind) -> list[tuple[str, FrameRow]]:
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

    def rows_in_detail(self, column: TaskColumn) -> list[tuple[str, FrameRow]]:
        """The best encoders of a task, of more than three the best three, for which errors are
        shown, the best baseline and the oracle.
        """
        return [
            *self.ranked_rows(column, "trained")[:MAX_DETAILED_ENCODERS],
            *self.ranked_rows(column, "baseline")[:1],
            *self.ranked_rows(column, "oracle")[:1],
        ]

    def ceiling(self, row: FrameRow) -> float:
        """The best score of an oracle on the task of a row with its probe; NaN without."""
        oracles = (line.cells.get(row.task) for line in self.lines("oracle"))
        return max((o.score for o in oracles if o and o.probe == row.probe), default=math.nan)

    def is_above(self, row: FrameRow) -> bool:
        """Whether a row scores more than its labels' own annotation."""
        return bool(row.kind == "trained" and row.score > self.ceiling(row))

    def name(self, line: EncoderLine, row: FrameRow) -> str:
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


def format_count(count: int, noun: str) -> str:
    """A number of things."""
    return f"{count:,} {noun}{'s' * (count != 1)}"
