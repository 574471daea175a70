"""What can be said of encoders, task by task: what is linearly decodable from them, what of that is
beyond the surface, and which differences so much data can show. The decisions are those of
`comparison`; what is said of them is in `pages`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from lingprobe.analysis.comparison import ComparisonDecision, decide_comparisons, with_opponents
from lingprobe.analysis.contests import Verdict
from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.opponents import ENCODER_QUESTIONS, Relation, find_relation
from lingprobe.analysis.row import NO_CONTROL, PERCENT_SCALE
from lingprobe.data.oracles import BEYOND_SURFACE_QUESTION, DECODABLE_QUESTION, EncoderQuestion
from lingprobe.data.references import shorten_reference
from lingprobe.encoders import ENCODERS
from lingprobe.tasks.limits import LIMIT_OPTION
from lingprobe.tasks.repeats import option_of

RELEVANT_DIFFERENCE_POINTS = 1.0  # percent: the smallest difference that is worth looking for
_FEWEST_EXAMPLES = 30  # from which on the variance of a difference says how many would be needed


class QuestionAnswer(NamedTuple):
    """The answer to one question about an encoder on a task.

    decision  the difference from the best of its opponents, with its interval and p
    """

    decision: ComparisonDecision

    @property
    def question(self) -> EncoderQuestion:
        """Decodable, or beyond the surface."""
        return self.decision.question.asks or DECODABLE_QUESTION

    @property
    def verdict(self) -> Verdict:
        """Better than every opponent is yes; worse than one, or no significant difference, is no;
        nothing is said where a baseline solves the task by itself, nor where its test examples form
        fewer than six clusters, as paradigms.
        """
        return self.decision.verdict

    @property
    def row(self) -> FrameRow:
        """The score of the encoder."""
        return self.decision.question.one.row

    @property
    def baseline(self) -> FrameRow:
        """The best of the opponents."""
        return self.decision.question.best.row

    @property
    def blocking(self) -> FrameRow:
        """The opponent that the encoder is least surely above, which stands in the way of a yes."""
        return self.decision.blocking.row

    @property
    def relation(self) -> Relation:
        """What that opponent is to the encoder: its untrained copy, or its input embeddings."""
        return find_relation(self.decision.question.one, self.decision.blocking)

    @property
    def limit(self) -> float:
        """The upper limit of any advantage over the best opponent, percent."""
        return self.decision.high

    @property
    def copies(self) -> int:
        """The number of untrained copies that are opponents; of several kinds that of the most."""
        return max(other.copies for other in self.decision.question.others)

    def needed_examples(self, points: float) -> int:
        """About how many test examples detect a difference of so many points, fixed beforehand,
        with a power of 80 %, by the variance of the paired difference; 0 where the examples are too
        few to know it.
        """
        if self.row.n < _FEWEST_EXAMPLES:
            return 0
        times = self.decision.student.times(self.decision.level, points / PERCENT_SCALE)
        return math.ceil(int(self.row.n) * times) if math.isfinite(times) else 0


class TaskVerdict(NamedTuple):
    """What can be said of an encoder on a task; both answers are of the layer which was chosen on
    dev, or of the best of all layers that were compared.

    answers  those to the questions that have opponents
    layers   how many the row's was chosen from
    on_dev   whether it was chosen on dev; otherwise the family counts each layer
    """

    answers: tuple[QuestionAnswer, ...]
    layers: int = 1
    on_dev: bool = True

    @property
    def row(self) -> FrameRow:
        """The score of the encoder."""
        return self.answers[0].row

    @property
    def decodable(self) -> QuestionAnswer | None:
        """Decodable: whether it is above the constant, random word vectors and untrained copies of
        the model; None where no such baseline was measured.
        """
        return self.answer(DECODABLE_QUESTION)

    @property
    def surface(self) -> QuestionAnswer | None:
        """Beyond the surface: whether it is above words, characters, length and its own input
        embeddings; None where no such baseline was measured.
        """
        return self.answer(BEYOND_SURFACE_QUESTION)

    def answer(self, question: EncoderQuestion) -> QuestionAnswer | None:
        """The answer to a question; None where nothing opposes it."""
        return next((one for one in self.answers if one.question == question), None)

    @property
    def strictest(self) -> QuestionAnswer:
        """The answer with the smaller advantage: above every opponent of both questions where it is
        yes.
        """
        return min(self.answers, key=lambda answer: answer.decision.low)


class EncoderVerdict(NamedTuple):
    """What can be said of an encoder on each task.

    probe  the one that read it, where tasks were read by several; '' where each had its own
    """

    encoder: str
    probe: str
    tasks: tuple[TaskVerdict, ...]

    def answers(self, question: EncoderQuestion) -> list[QuestionAnswer]:
        """The answers to a question, task by task."""
        return [answer for task in self.tasks if (answer := task.answer(question))]

    def tasks_with(
        self, verdict: Verdict, question: EncoderQuestion = DECODABLE_QUESTION
    ) -> list[TaskVerdict]:
        """The tasks with a verdict on a question."""
        return [
            task
            for task in self.tasks
            if (answer := task.answer(question)) and answer.verdict == verdict
        ]

    @property
    def copies(self) -> int:
        """The number of untrained copies that opposed it on every task; 0 for none."""
        return min((answer.copies for answer in self.answers(DECODABLE_QUESTION)), default=0)

    @property
    def possible_copies(self) -> tuple[str, ...]:
        """Short references of untrained copies that there could be; () where it has none."""
        own = self.tasks[0].answers[0].decision.question.one.about.own_baselines
        copies = [name for name, question in own.items() if question == DECODABLE_QUESTION]
        return tuple(shorten_reference(ENCODERS, name) for name in copies)


class EncoderVerdicts(NamedTuple):
    """What can be said of each encoder.

    encoders   the encoders that are judged, in the order of the results
    family     what p values and intervals are corrected for
    limit      the most examples of a task that were used, for a first look; 0 for all
    decisions  all comparisons, which are of each layer where dev did not choose
    """

    encoders: tuple[EncoderVerdict, ...]
    family: str
    limit: int
    decisions: tuple[ComparisonDecision, ...] = ()

    @property
    def comparisons(self) -> int:
        """How many p values and intervals are corrected for, in the question of what is
        decodable.
        """
        return sum(decision.question.asks == DECODABLE_QUESTION for decision in self.decisions)

    @property
    def layers(self) -> int:
        """From how many layers of an encoder, at most, one was chosen on dev; 1 where dev did not
        choose every time.
        """
        tasks = [task for one in self.encoders for task in one.tasks]
        chose = all(task.on_dev for task in tasks)
        return max((task.layers for task in tasks), default=1) if chose else 1

    def at_chosen_layers(self, scored: ResultFrame) -> ResultFrame:
        """Of the rows of an encoder's layers the one that is judged, of those of a baseline the
        best; all other rows as they are.
        """
        baselines = [row for row in scored if row.kind == "baseline" and row.control == NO_CONTROL]
        judged = [task.row for one in self.encoders for task in one.tasks]
        ranked = sorted(baselines, key=lambda row: row.score)
        layers = {_without_layer(row): row.layer for row in (*ranked, *judged)}
        return scored.take_rows(
            row for row in scored if layers.get(_without_layer(row), row.layer) == row.layer
        )


def _without_layer(row: FrameRow) -> tuple[str, ...]:
    return row.task, row.encoder, row.probe, row.kind


def judge_encoders(scored: ResultFrame) -> EncoderVerdicts:
    """The verdict on each encoder, which a table begins with (decodable? beyond the surface?); none
    where only baselines were measured.
    """
    limit = max(map(_read_limit, scored.column("task")), default=0)
    if "trained" not in scored.column("role"):
        return EncoderVerdicts((), "", limit)
    questions = with_opponents(scored)
    asked: dict[tuple[str, str, str], list[ComparisonDecision]] = {}
    decided = decide_comparisons(questions.asked)
    for decision in decided:
        row = decision.question.one.row
        asked.setdefault((row.encoder, row.probe, row.task), []).append(decision)
    several = len({(encoder, task) for encoder, _, task in asked}) < len(asked)
    encoders: dict[tuple[str, str], list[TaskVerdict]] = {}
    for (encoder, probe, _), mine in asked.items():
        key = encoder, probe if several else ""
        encoders.setdefault(key, []).append(_task_verdict(mine))
    judged = tuple(EncoderVerdict(*what, tuple(tasks)) for what, tasks in encoders.items())
    return EncoderVerdicts(judged, questions.family, limit, tuple(decided))


def _task_verdict(mine: Sequence[ComparisonDecision]) -> TaskVerdict:
    """Of the layers that were compared that with the highest score, since all are in the family."""
    best = max(mine, key=lambda decision: decision.question.one.row.score).question
    answers = {d.question.asks: QuestionAnswer(d) for d in mine if d.question.one is best.one}
    layers = len({id(decision.question.one) for decision in mine})
    chosen = best.layers if layers == 1 else layers
    ordered = tuple(answers[asks] for asks in ENCODER_QUESTIONS if asks in answers)
    return TaskVerdict(ordered, chosen, layers == 1)


def _read_limit(task: str) -> int:
    """The most examples that were used of a task; 0 for all."""
    limit = option_of(task, LIMIT_OPTION)
    return int(limit) if limit.isdecimal() else 0
