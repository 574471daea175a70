"""Verdicts on encoders in words: a sentence for each, how to read it, and what to do next. They
stand above tables and open pages; `analysis.encoder_verdicts` decides them.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path

from lingprobe.analysis.comparable import ComparedRow
from lingprobe.analysis.contests import DEFAULT_CORRECTION
from lingprobe.analysis.encoder_verdicts import (
    EncoderVerdict,
    EncoderVerdicts,
    QuestionAnswer,
    TaskVerdict,
    judge_encoders,
)
from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.opponents import ENCODER_QUESTIONS, find_relation
from lingprobe.analysis.row import CONSTANT_ENCODER
from lingprobe.data.oracles import DECODABLE_QUESTION
from lingprobe.data.references import try_parse_reference
from lingprobe.metrics.clusters import MIN_CLUSTER_COUNT, MIN_SEED_COUNT
from lingprobe.metrics.multiplicity import CORRECTION_NAMES
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.groups import arrange_columns
from lingprobe.pages.unreadable import WordCount, describe_unreadable

_SOME = 8  # encoders that have a sentence
_FEW = 3  # tasks that a sentence names
_MANY = 6  # opponents that a line names
_MAX_SHOWN_EXAMPLES = 1_000_000  # test examples; more are not named
_FEW_CLUSTERS = (
    f"whose test examples form fewer than {MIN_CLUSTER_COUNT} clusters (such as paradigms), too few"
    " for an interval"
)
_PLANNED_POINTS = (1.0, 5.0)  # differences for which sample sizes are said


@dataclass(frozen=True, repr=False)
class VerdictStatement:
    """The verdicts on the encoders of some results; printing it shows them in words.

    verdicts  their values: iterate over `verdicts.encoders`
    names     of encoders and of tasks, by reference
    folder    of the results; None for those of the last run
    """

    verdicts: EncoderVerdicts
    names: Mapping[str, str]
    folder: Path | None = None

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each encoder, those first that have most yeses."""
        ranked = sorted(self.verdicts.encoders, key=_count_answers, reverse=True)
        said = [self.sentence(one) for one in ranked[:_SOME]]
        if len(ranked) > _SOME:
            rest = len(ranked) - _SOME
            said.append(
                f"`lingprobe compare{self.folder_argument}` has the verdicts on {rest} more."
            )
        return tuple(said)

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences, what they rest on, and what to do next."""
        if not self.verdicts.encoders:
            return (f"No model was measured, so only baselines are shown. {self.next_step}",)
        return (*self.unreadable, *self.sentences, *self.copies, self.basis, self.next_step)

    @property
    def unreadable(self) -> tuple[str, ...]:
        """A line for each encoder that cannot read the text of a task."""
        counts = [
            self._count_words(task.row) for one in self.verdicts.encoders for task in one.tasks
        ]
        return describe_unreadable(counts, self._name, self._name)

    def _count_words(self, row: FrameRow) -> WordCount:
        return WordCount(row.encoder, row.task, row.words, row.unknown)

    @property
    def copies(self) -> tuple[str, ...]:
        """A line on encoders beside which no untrained copy was measured; () where all have one."""
        lacking = [
            one for one in self.verdicts.encoders if not one.copies and one.tasks[0].row.train
        ]
        if not lacking:
            return ()
        names = ", ".join(dict.fromkeys(self._name(one.encoder) for one in lacking[:_FEW]))
        names += f" and {len(lacking) - _FEW} more" * (len(lacking) > _FEW)
        possible = [copy for one in lacking for copy in one.possible_copies[:1]]
        how = f"; `-e {possible[0]}` adds one" if possible else ""
        return (
            f"Without an untrained copy of {names}, part of this may come from the architecture"
            f" alone{how}.",
        )

    @property
    def basis(self) -> str:
        """How layers were chosen, what was corrected for, that a table with `--limit` is a preview,
        and what was excluded for speed.
        """
        return " ".join(self._basis())

    def _basis(self) -> Iterator[str]:
        yield (
            f"Verdicts and 95 % intervals [in brackets] are corrected for {self.verdicts.family}:"
            f" {CORRECTION_NAMES[DEFAULT_CORRECTION]}."
        )
        yield self._explain_questions()
        is_open = [
            answer
            for one in self.verdicts.encoders
            for question in ENCODER_QUESTIONS
            for answer in one.answers(question)
            if answer.verdict == "no significant difference"
            and not self._count_words(answer.row).is_unreadable
        ]
        if is_open:
            yield f"There is {_detectable(is_open)}."
        solved = [answer for answer in self._answers if answer.verdict == "solved by a baseline"]
        if solved:
            yield f"Not counted: {self._name_answered(solved)}."
        few = [answer for answer in self._answers if answer.verdict == "too few clusters"]
        if few and len(few) < len(self._answers):
            yield f"Not judged: {self._name_few(few)}."
        if self.verdicts.limit:
            yield (
                f"At most {self.verdicts.limit:,} examples per task: a preview, not for"
                " publication."
            )

    def _explain_questions(self) -> str:
        """What *decodable* and *beyond the surface* mean: which baselines opposed encoders in each
        question.
        """
        parts = []
        for question in ENCODER_QUESTIONS:
            answers = [answer for answer in self._answers if answer.question == question]
            posed = [answer.decision.question for answer in answers]
            pairs = [(each.one, other) for each in posed for other in each.others]
            names = list(dict.fromkeys(self._name_with_spread(*pair) for pair in pairs))
            if answers:
                parts.append(f"{_predicate(answers[0])}: above {_list_first(names, _MANY)}")
        return "; ".join(parts) + "."

    @property
    def _answers(self) -> list[QuestionAnswer]:
        """All answers to all questions."""
        tasks = (task for one in self.verdicts.encoders for task in one.tasks)
        return [answer for task in tasks for answer in task.answers]

    @property
    def layers(self) -> str:
        """The layer that was chosen of each encoder, and how all are shown."""
        chosen = [
            f"{self._name(one.encoder)}: "
            + ", ".join(f"{self._name(task.row.task)} {task.row.layer}" for task in one.tasks)
            for one in self.verdicts.encoders
            if any(task.layers > 1 for task in one.tasks)
        ]
        return (
            f"Layers are the best on dev, of up to {self.verdicts.layers} ({'; '.join(chosen)})."
            f" All layers: `lingprobe report{self.folder_argument} --layers '*'`."
        )

    @property
    def next_step(self) -> str:
        """What would tell more."""
        judged, where = self.verdicts.encoders, self.folder_argument
        if not judged:
            return "Next: `lingprobe run -m MODEL` measures a model beside them."
        is_open = any(
            not self._count_words(answer.row).is_unreadable
            for one in judged
            for question in ENCODER_QUESTIONS
            for answer in one.tasks_with("no significant difference", question)
        )
        if is_open and self.verdicts.limit:
            return "Next: the same run without `--limit`, which detects smaller differences."
        if is_open:
            return f"Next: `lingprobe compare{where}` shows which differences can be detected."
        if len(judged) > 1:
            return f"Next: `lingprobe compare{where} --pairs` compares the encoders."
        if one := self._with_one_layer():
            return f"Next: `-e {one},layers=all` shows in which layer it is."
        command = f"lingprobe report{where} --html"
        return f"Next: `{command}` has an error analysis and reliability checks."

    @property
    def folder_argument(self) -> str:
        """The folder as a command takes it."""
        if self.folder is None:
            return ""
        folder, here = self.folder.absolute(), Path.cwd()
        return (
            f" {shlex.quote(str(folder.relative_to(here) if here in folder.parents else folder))}"
        )

    def _with_one_layer(self) -> str:
        """A transformer of which one layer was read; '' where there is none."""
        one = try_parse_reference(self.verdicts.encoders[0].encoder)
        is_one = one is not None and one.name == "hf" and "layers" not in dict(one.options)
        return self.verdicts.encoders[0].encoder if is_one else ""

    def sentence(self, verdict: EncoderVerdict) -> str:
        """The sentence for an encoder above the table: what is decodable, and what is beyond the
        surface.
        """
        name = self._name(verdict.encoder) + (f" ({verdict.probe})" if verdict.probe else "")
        answers = [answer for task in verdict.tasks for answer in task.answers]
        if not any(map(_is_counted, answers)):
            solved = [each for each in answers if each.verdict == "solved by a baseline"]
            few = [each for each in answers if each.verdict == "too few clusters"]
            reasons = [self._name_answered(solved), self._name_few(few)]
            return f"{name} is not judged here: {'; '.join(filter(None, reasons))}."
        parts: list[str] = []
        for question in ENCODER_QUESTIONS:
            parts += filter(None, [self._of_question(verdict.answers(question), not parts)])
        tasks = [task for task in verdict.tasks if any(map(_is_counted, task.answers))]
        size = f", n = {tasks[0].row.n:,}" if len(tasks) == 1 else ""
        return f"{name}{_layer(tasks)}: {'; '.join(parts)}{size}."

    def _of_question(self, answers: Sequence[QuestionAnswer], is_first: bool) -> str:
        """Yes, with the advantage, or the baselines from which an encoder does not differ
        significantly, on all tasks; '' where there is none.
        """
        counted = [answer for answer in answers if _is_counted(answer)]
        if not counted:
            return ""
        yes = [answer for answer in counted if answer.verdict == "better"]
        worse = [answer for answer in counted if answer.verdict == "worse"]
        is_open = [answer for answer in counted if answer not in (*yes, *worse)]
        parts = [self._affirm(yes, counted, is_first)]
        if worse:
            which = f" on {self._list_tasks(worse)}" if len(counted) > 1 else ""
            parts.append(f"worse than {self._list_blocking(worse)}{which} ({_range(worse)})")
        if is_open:
            which = f" on {self._list_tasks(is_open)}" if len(counted) > 1 else ""
            limits = sorted(answer.limit for answer in is_open)
            ends = " to ".join(dict.fromkeys(f"{max(x, 0.0):.1f}" for x in (limits[0], limits[-1])))
            parts.append(
                f"no significant difference{which} from {self._list_blocking(is_open)} (any"
                f" advantage is below {ends} points)"
            )
        return ", ".join(parts)

    def _affirm(
        self, yes: Sequence[QuestionAnswer], counted: Sequence[QuestionAnswer], is_first: bool
    ) -> str:
        """On how many tasks the answer is yes, on which, and by how much."""
        what, names = _predicate(counted[0]), ""
        if len(counted) == 1:
            told = f"{self._name(counted[0].row.task)} is " * is_first
            told += "not shown to be " * (not yes) + what
        elif len(yes) == len(counted):
            many = "both" if len(yes) == 2 else f"all {len(yes)}"
            told = f"{many} tasks are {what}" if is_first else f"{many} are {what}"
        else:
            many = f"{len(yes) or 'none'} of {len(counted)}{' tasks' * is_first}"
            told = f"{many} {'is' if len(yes) < 2 else 'are'} {what}"
            names = self._list_tasks(yes) if len(yes) <= _FEW else ""
        if not yes:
            return told
        by = _range(yes, f" over {self._list_strongest(yes)}")
        return f"{told} ({': '.join(filter(None, (names, by)))})"

    def _list_tasks(self, answers: Sequence[QuestionAnswer]) -> str:
        """The names of some tasks, or how many they are."""
        if len(answers) > _FEW:
            return str(len(answers))
        return ", ".join(self._name(answer.row.task) for answer in answers)

    def _list_blocking(self, answers: Sequence[QuestionAnswer]) -> str:
        """The opponents that encoders are least surely above, those first that stand in the way on
        most tasks.
        """
        return self._list_opponents(answers, [each.decision.blocking for each in answers])

    def _list_strongest(self, answers: Sequence[QuestionAnswer]) -> str:
        """The opponents with the highest scores, which differences are from."""
        return self._list_opponents(answers, [each.decision.question.best for each in answers])

    def _list_opponents(
        self, answers: Sequence[QuestionAnswer], opponents: Sequence[ComparedRow]
    ) -> str:
        """What the opponent of each answer is called, the commonest first."""
        counts = Counter(
            self._name_opponent(answer.decision.question.one, opponent)
            for answer, opponent in zip(answers, opponents, strict=True)
        )
        return _list_first([name for name, _ in counts.most_common()], _FEW)

    def _name_with_spread(self, one: ComparedRow, other: ComparedRow) -> str:
        """What an opponent is called, with what the intervals know of several copies."""
        spread = " (with the spread between them)" * (other.copies >= MIN_SEED_COUNT)
        return self._name_opponent(one, other) + spread

    def _name_opponent(self, one: ComparedRow, other: ComparedRow) -> str:
        """What an opponent is called: what it is to the encoder, or its name."""
        named = self._name(other.row.encoder) + _reader(one.row, other.row)
        return name_relation(one, other) or named

    def _name_answered(self, answers: Sequence[QuestionAnswer]) -> str:
        """The tasks that baselines solve, with these."""
        by: dict[str, dict[str, None]] = {}
        for answer in answers:
            name = self._name(answer.baseline.encoder) + _reader(answer.row, answer.baseline)
            by.setdefault(name, {})[self._name(answer.row.task)] = None
        return "; ".join(f"{', '.join(mine)}, which {name} solves" for name, mine in by.items())

    def _name_few(self, answers: Sequence[QuestionAnswer]) -> str:
        """The tasks whose test examples form too few clusters."""
        names = dict.fromkeys(self._name(answer.row.task) for answer in answers)
        return f"{', '.join(names)}, {_FEW_CLUSTERS}" if names else ""

    def _name(self, reference: str) -> str:
        return self.names.get(reference, reference)

    def __iter__(self) -> Iterator[EncoderVerdict]:
        return iter(self.verdicts.encoders)

    def __len__(self) -> int:
        return len(self.verdicts.encoders)

    def __repr__(self) -> str:
        return f"Statement({len(self)} encoders, {self.verdicts.family})"

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape(line)}</p>" for line in self.lines)


def make_statement(scored: ResultFrame, folder: Path | None = None) -> VerdictStatement:
    """The verdicts on the encoders of some scores, in words."""
    verdicts = judge_encoders(scored)
    tasks_judged = [task for one in verdicts.encoders for task in one.tasks]
    rows = [
        row
        for task in tasks_judged
        for answer in task.answers
        for row in (answer.row, answer.baseline, answer.blocking)
    ]
    columns = arrange_columns(list(dict.fromkeys(row.task for row in rows))) if rows else []
    tasks = {column.task: column.name for column in columns}
    if len(set(tasks.values())) < len(tasks):
        tasks = {c.task: f"{c.name} ({c.group})" if c.group else c.name for c in columns}
    encoders = label_encoders(dict.fromkeys(row.encoder for row in rows))
    constant = {CONSTANT_ENCODER: "one constant answer"}
    return VerdictStatement(verdicts, {**tasks, **encoders, **constant}, folder)


def _list_first(names: Sequence[str], count: int) -> str:
    """The first of some names, and how many more there are."""
    return ", ".join(names[:count]) + f" and {len(names) - count} more" * (len(names) > count)


def _layer(tasks: Sequence[TaskVerdict]) -> str:
    """Which of several layers is judged."""
    of = sorted({task.layers for task in tasks if task.layers > 1})
    if not of:
        return ""
    best = "" if all(task.on_dev for task in tasks) else f"the best of {of[-1]} layers"
    layer = f"layer {tasks[0].row.layer}" if len(tasks) == 1 else ""
    return f" at {', '.join(filter(None, (layer, best)))}" if layer or best else ""


def _is_counted(answer: QuestionAnswer) -> bool:
    """Whether something can be said."""
    return answer.verdict not in ("solved by a baseline", "too few clusters")


def _reader(row: FrameRow, baseline: FrameRow) -> str:
    """The probe that reads a baseline, where it is not that of the encoder."""
    return f" read by {baseline.probe}" if baseline.probe != row.probe else ""


def _count_answers(one: EncoderVerdict) -> tuple[int, ...]:
    """On how many tasks the answer to each question is yes."""
    return tuple(len(one.tasks_with("better", question)) for question in ENCODER_QUESTIONS)


def _predicate(answer: QuestionAnswer) -> str:
    """What a yes says of a task; without a probe nothing is decoded."""
    if answer.question != DECODABLE_QUESTION:
        return answer.question
    return answer.question if answer.row.train else "predicted above chance"


def _points(answer: QuestionAnswer) -> str:
    one = answer.decision
    low, high = (-one.high, -one.low) if answer.verdict == "worse" else (one.low, one.high)
    return f"{abs(one.difference):.1f} [{low:.1f}, {high:.1f}]".replace("-", "−")


def _range(answers: Sequence[QuestionAnswer], over: str = "") -> str:
    """The smallest and the largest of some differences, with their intervals."""
    ordered = sorted(answers, key=lambda answer: abs(answer.decision.difference))
    ends = dict.fromkeys((_points(ordered[0]), _points(ordered[-1])))
    return f"by {' to '.join(ends)} points{over}"


def _detectable(answers: Sequence[QuestionAnswer]) -> str:
    """The smallest differences that the test examples of some tasks detect, and how many examples
    smaller ones need. They are of differences fixed beforehand, never of those observed.
    """
    found = sorted(answer.decision.detectable for answer in answers)
    ends = dict.fromkeys(f"{points:.1f}" for points in (found[0], found[-1]))
    unit = "point" if [*ends] == ["1.0"] else "points"
    here = f"80 % power for a difference of {' to '.join(ends)} {unit}"
    sizes = [
        (points, _format_sizes(answers, points)) for points in _PLANNED_POINTS if points < found[-1]
    ]
    planned = [
        f"{points:.0f} point{'s' * (points != 1)} would need {many} test examples"
        for points, many in sizes
        if many
    ]
    return f"{here} ({', '.join(planned)})" if planned else here


def _format_sizes(answers: Sequence[QuestionAnswer], points: float) -> str:
    """How many test examples such a difference needs, to two digits; '' where that is unknown."""
    needed = sorted(answer.needed_examples(points) for answer in answers)
    if not needed[0]:
        return ""
    if needed[-1] > _MAX_SHOWN_EXAMPLES:
        return f"more than {_MAX_SHOWN_EXAMPLES:,}"
    return " to ".join(dict.fromkeys(f"{round_up(n):,}" for n in (needed[0], needed[-1])))


def round_up(number: int) -> int:
    """A number to two digits, upwards."""
    unit = int(10 ** max(len(str(number)) - 2, 0))
    return -(-number // unit) * unit


def name_relation(compared_row: ComparedRow, opponent: ComparedRow) -> str:
    """What an opponent is to an encoder, as its untrained copy; '' for one with its own name."""
    many = opponent.copies
    owned = {
        "constant": "one constant answer",
        "copy": "its untrained copy" if many < 2 else f"its {many} untrained copies",
        "copy of its blocks": (
            "its copy with untrained blocks"
            if many < 2
            else f"its {many} copies with untrained blocks"
        ),
        "input embeddings": "its input embeddings",
    }
    return owned.get(find_relation(compared_row, opponent), "")
