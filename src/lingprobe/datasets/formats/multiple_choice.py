"""Tables of multiple choice, as `question, choices, answer`: each option is a row beside its
question, correct or incorrect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

from lingprobe.datasets.formats.column_shapes import ColumnShape
from lingprobe.datasets.formats.row_labels import BLANK_CHARACTERS
from lingprobe.datasets.formats.rows import HEAD_ROWS, RowCells, TableSource
from lingprobe.datasets.formats.usual_columns import Columns, normalise_heading

_QUESTIONS = (
    *("question", "questionstem", "stem", "sentence", "premise", "ctx", "context", "goal"),
    *("startphrase", "sent1", "prompt", "query", "text", "input", "story", "problem"),
)
_OPTIONS = (
    *("choices", "choicestext", "options", "endings", "candidates", "answers", "choice", "option"),
    *("questionchoices", "mc1targets"),
)
_ANSWERS = (
    *("answerkey", "answer", "label", "correct", "correctanswer", "answeridx", "answerindex"),
    *("correctoption", "correctchoice", "gold", "goldlabel", "cop", "target", "labels"),
)
_NUMBERED = re.compile(
    r"(choice|option|ending|sol|solution|opt|op|answer|distractor|incorrectanswer|wronganswer)"
    r"([0-9]|[a-j])"
)
_WRONG = ("distractor", "incorrectanswer", "wronganswer")
"""What columns of options are called that stand beside the correct one."""
_LETTERS = "abcdefghij"
_FEWEST_OPTIONS = 2
_MOST = 0.9  # of the first rows, at least, are questions with options and an answer
_HIDDEN = ("", "None", "-1")
"""Answers of test sets that are not published."""
_CORRECT, _INCORRECT = "correct", "incorrect"
_NAMES = ("question", "option", "is_correct", "row")


@dataclass(frozen=True, slots=True)
class ChoiceColumns:
    """The headings of the question, of its options (one of lists, or several) and of the answer.

    questions    those that may be the question, the likeliest first
    is_from_one  whether the number of the first option is 1
    """

    questions: tuple[str, ...]
    options: tuple[str, ...]
    answer: str
    is_from_one: bool = False

    @property
    def question(self) -> str:
        """The heading of the question."""
        return self.questions[0]

    def read(self, cells: Mapping[str, Any]) -> tuple[list[str], int | None]:
        """The options of a row and which is correct; None where the row does not say."""
        if len(self.options) > 1:
            options = [cells.get(name) for name in self.options]
            return [str(text) for text in options if text is not None], self._index(cells, options)
        texts, names, truths = _read_options(cells.get(self.options[0]))
        if truths:
            is_one = truths.count(1) == 1
            return texts, truths.index(1) if is_one else None
        return texts, self._index(cells, texts, names)

    def _index(
        self, cells: Mapping[str, Any], options: Sequence[Any], names: Sequence[str] = ()
    ) -> int | None:
        cell = cells.get(self.answer)
        said = "" if cell is None else str(cell).strip(BLANK_CHARACTERS)
        if said in names:
            return names.index(said)
        if said.isdecimal() and not isinstance(cell, bool):
            index = int(said) - self.is_from_one
            return index if 0 <= index < len(options) else None
        if len(said) == 1 and said.casefold() in _LETTERS[: len(options)]:
            return _LETTERS.index(said.casefold())
        texts = [str(option).strip(BLANK_CHARACTERS) for option in options]
        return texts.index(said) if said and texts.count(said) == 1 else None


def list_options(source: TableSource) -> TableSource:
    """The table with a row an option, where it is one of multiple choice; else as it is."""
    columns = _find_columns(source.names)
    if columns is None:
        return source
    rows = source.rows(source.names)  # which some tables give once
    head = list(islice(rows, HEAD_ROWS))
    every = chain(head, rows)
    columns = _decide(head, columns)
    if not _is_multiple_choice(head, columns):
        return replace(source, rows=lambda wanted: every)
    rest = [n for n in source.names if n not in (*columns.options, columns.answer, *_NAMES)]
    question, option, label, item = _NAMES
    told = f"; text={columns.question},label={columns.answer} reads its answers as labels"
    return replace(
        source,
        names=[*_NAMES, *(name for name in rest if name != columns.question)],
        rows=lambda wanted: chain.from_iterable(_rows_of(row, columns) for row in every),
        columns=Columns(text=question, text2=option, label=label, group=item),
        made_of=(columns.question, *columns.options, columns.answer),
        classes={},
        remark="each of its options was read beside its question, as correct or not"
        + (told if columns.answer not in ("", *columns.options) else ""),
    )


def _find_columns(names: Sequence[str]) -> ChoiceColumns | None:
    """The columns of multiple choice, by their headings."""
    by_name = {normalise_heading(name): name for name in reversed(names)}
    questions = tuple(by_name[name] for name in _QUESTIONS if name in by_name)
    options = tuple(by_name[name] for name in _OPTIONS if name in by_name)[:1]
    options = _find_numbered(by_name) or options
    free = {key: name for key, name in by_name.items() if name not in options}
    answer = next((free[name] for name in _ANSWERS if name in free), "")
    if options and normalise_heading(options[0])[:-1] in _WRONG and answer:
        options = answer, *options
    has_truths = bool(options) and normalise_heading(options[0]) == "mc1targets"
    questions = tuple(name for name in questions if name not in (*options, answer))
    if not questions or not options or not (answer or has_truths):
        return None
    return ChoiceColumns(questions, options, answer)


def _find_numbered(by_name: Mapping[str, str]) -> tuple[str, ...]:
    """Columns of one option each: ending0 to ending3, opa to opd, A to D; () where none are."""
    if all(letter in by_name for letter in "abcd"):
        return tuple(by_name[letter] for letter in _LETTERS if letter in by_name)
    found: dict[str, list[str]] = {}
    for key in sorted(by_name):
        if match := _NUMBERED.fullmatch(key):
            found.setdefault(match[1], []).append(by_name[key])
    several = [names for names in found.values() if len(names) >= _FEWEST_OPTIONS]
    return tuple(several[0]) if len(several) == 1 else ()


def _read_options(cell: Any) -> tuple[list[str], list[str], list[int]]:
    """The texts of options, what they are called, and which are true, where the cell says it."""
    if isinstance(cell, dict):
        texts = cell.get("text") or cell.get("choices") or []
        called, truths = cell.get("label") or [], cell.get("labels") or []
        is_said = isinstance(truths, list) and {*truths} <= {0, 1}
        return [*map(str, texts)], [*map(str, called)], [*truths] if is_said else []
    if not isinstance(cell, list):
        return [], [], []
    if all(isinstance(option, dict) for option in cell):
        texts = [str(option.get("text", "")) for option in cell]
        called = [str(option.get("label", option.get("para", ""))) for option in cell]
        return texts, called, []
    return ([*cell], [], []) if all(isinstance(option, str) for option in cell) else ([], [], [])


def _decide(head: Sequence[RowCells], columns: ChoiceColumns) -> ChoiceColumns:
    """The columns with the question that is a text and the number of the first option, by the
    first rows.
    """
    cells = [row.cells for row in head if not row.problem]
    said = [str(row.get(columns.answer)).strip(BLANK_CHARACTERS) for row in cells]
    numbers = {int(cell) for cell in said if cell.isdecimal()}
    most = max((len(columns.read(row)[0]) for row in cells), default=0)
    texts = [n for n in columns.questions if ColumnShape([row.get(n) for row in cells]).is_text]
    is_from_one = most in numbers and 0 not in numbers
    questions = (*texts, *columns.questions)
    return replace(columns, questions=questions, is_from_one=is_from_one)


def _is_multiple_choice(head: Sequence[RowCells], columns: ChoiceColumns) -> bool:
    """Whether the first rows are questions with several options, of which one is correct where an
    answer is said.
    """
    cells = [row.cells for row in head if not row.problem]
    good = 0
    for row in cells:
        options, correct = columns.read(row)
        is_hidden = str(row.get(columns.answer, "?")).strip(BLANK_CHARACTERS) in _HIDDEN
        is_text = isinstance(row.get(columns.question), str)
        good += is_text and len(options) >= _FEWEST_OPTIONS and (is_hidden or correct is not None)
    return bool(cells) and good >= _MOST * len(cells)


def _rows_of(row: RowCells, columns: ChoiceColumns) -> Iterator[RowCells]:
    """A row for each option of a question, in order; one without a label where none is correct."""
    if row.problem:
        yield row
        return
    options, correct = columns.read(row.cells)
    for i, option in enumerate(options):
        label = None if correct is None else _CORRECT if i == correct else _INCORRECT
        values = row.cells.get(columns.question), option, label, str(row.number)
        yield RowCells(row.number, {**row.cells, **dict(zip(_NAMES, values, strict=True))})
        if correct is None:
            return
