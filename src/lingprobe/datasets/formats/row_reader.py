"""The examples in the rows of one file: texts, words, spans and conversations with their labels.

What the cells of a table hold is decided once, by the first rows of its first file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from sys import intern
from typing import Any, Literal

from lingprobe.corpora.files import CorpusPart
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.corpora.text import split_words as cut
from lingprobe.data.core import Example, Sentence, Site
from lingprobe.data.examples import ChatTurn
from lingprobe.data.labels import Label
from lingprobe.datasets.formats.chosen_columns import ColumnSelection
from lingprobe.datasets.formats.column_shapes import MIN_HEADING_ROWS
from lingprobe.datasets.formats.composite_labels import (
    FLAGS_REMARK,
    are_flags,
    are_named_flags,
    name_flags,
    parse_list,
)
from lingprobe.datasets.formats.conversations import (
    RESPONSE_ROLE,
    arrange_turns,
    is_conversation,
    join_turns,
    name_prompt,
    read_turns,
)
from lingprobe.datasets.formats.header import refuse_row
from lingprobe.datasets.formats.held_rows import HeldRows
from lingprobe.datasets.formats.row_annotations import (
    are_annotations,
    end_at_last,
    read_annotation,
    unwrap_results,
)
from lingprobe.datasets.formats.row_labels import (
    BLANK_CHARACTERS,
    NoLabel,
    read_class,
    read_flags,
    read_number,
    read_set,
    read_weight,
    split_of_cell,
)
from lingprobe.datasets.formats.row_spans import (
    MIN_CONSISTENT_ROW_SHARE,
    BadRow,
    Offsets,
    decide_offsets,
    find_site,
    read_span,
)
from lingprobe.datasets.formats.rows import TableSource
from lingprobe.datasets.formats.usual_columns import ACCEPT_ANSWER, IGNORE_ANSWER, normalise_heading

_WORDS = 2  # in a cell, at least, in the mean, where a text's cells are words and their labels
_TOKENS_OF_GLINER = "tokenizedtext"  # whose spans end with their last word
_NO_WORD_LABEL = (None, -100)  # what datasets of words with labels have where a word has none
PROMPT_TAG = "prompt"
"""The tag of conversations by what stands before the response."""
Piece = CorpusPart | HeldRows
"""A file of a table, or rows in memory."""


@dataclass(frozen=True, slots=True)
class RowForm:
    """What the cells of a table hold.

    offsets     what numbers of spans count
    of_words    whether labels are those of single words
    as_lists    whether words and their labels are lists written as text, or parted by spaces
    flags       what labels of zeros and ones are
    annotated   whether labels are lists of spans with labels
    mixed       whether some labels are lists, and others a name
    closed      whether these spans end with their last word or character, not behind it
    talks       whether texts are conversations
    """

    offsets: Offsets | Literal[""] = ""
    of_words: bool = False
    as_lists: bool = False
    flags: Literal["", "lists", "objects"] = ""
    annotated: bool = False
    mixed: bool = False
    closed: bool = False
    talks: bool = False

    def remarks(self, chosen: ColumnSelection) -> list[str]:
        """What was decided and the user did not say, in sentences."""
        remarks = []
        if self.of_words:
            how = "its labels, as many as words in each row, were read as those of the words"
            remarks.append(how)
        if chosen.accepted and chosen.accepted == chosen.label:
            remarks.append(
                f"its labels say whether one label, the same for all, was {ACCEPT_ANSWER}ed"
            )
        if self.flags:
            named = "its labels, objects of zeros and ones, were read as the names of the ones"
            remarks.append(named if self.flags == "objects" else FLAGS_REMARK)
        if self.annotated:
            counted = f", whose numbers count {self.offsets}" if self.offsets else ""
            ends = " and whose ends are the last words" if self.closed else ""
            remarks.append(
                f"its labels, lists of spans{counted}{ends}, were read as a label for each span"
            )
        if chosen.is_exchange and chosen.answers:
            (one,) = chosen.texts
            remarks.append(
                f"its column {one} and each of the two were read as a conversation; text={one}"
                " reads two texts"
            )
        elif chosen.is_exchange:
            one, two = chosen.texts
            remarks.append(
                f"its columns {one} and {two} were read as a conversation of two turns;"
                f" text={one},text2={two} reads two texts"
            )
        elif self.talks and not chosen.roles:
            column = (*chosen.texts, *chosen.answers)[0]
            remarks.append(
                f"its column {column} has conversations, which encoders without template=chat read"
                f" as the texts of their turns, a line each; text={column}.user reads one role"
            )
        return remarks


def decide_form(
    rows: Sequence[Mapping[str, Any]],
    chosen: ColumnSelection,
    source: TableSource,
    location: str,
    offsets: Offsets | Literal[""],
) -> RowForm:
    """What the cells of some first rows hold; DataProblem where numbers of spans may count words or
    characters.
    """
    form = RowForm(talks=_talk(rows, chosen))
    if chosen.spans:
        return replace(form, offsets=offsets or _decide_offsets(rows, chosen, location))
    if not chosen.label:
        return form
    cells = [unwrap_results(row.get(chosen.label)) for row in rows]
    if len(chosen.texts) == 1:
        texts = [row.get(chosen.texts[0]) for row in rows]
        if are_annotations(cells):
            is_closed = normalise_heading(chosen.texts[0]) == _TOKENS_OF_GLINER
            return replace(form, annotated=True, **_decide_ends(texts, cells, is_closed))
        if _are_of_words(texts, cells, source.untyped):
            return replace(form, of_words=True, as_lists=source.untyped)
    mixed = {type(cell) for cell in cells} >= {list, str}
    return replace(form, flags=_find_flags(cells, source.untyped), mixed=mixed)


@dataclass(frozen=True, slots=True)
class RowReader:
    """One file while it is read: where its cells come from, and what they hold."""

    part: Piece
    source: TableSource
    chosen: ColumnSelection
    form: RowForm = RowForm()

    def examples(self, on_error: OnError, tally: ProblemTally) -> Iterator[Example]:
        """The examples, of which a bad one is refused or counted."""
        first = None
        for row in self.source.rows(self.chosen.all()):
            try:
                if row.problem:
                    raise BadRow(row.problem)
                made = self._examples(row.cells)
                for example in made:
                    first = first or example
                    _check_alike(example, first)
            except BadRow as problem:
                where = f"{self.part.path}{self.source.unit}{row.number}"
                if isinstance(problem, NoLabel) and on_error == "raise":
                    tally.unlabel(f"{where}: {problem}", is_secret=problem.secret)
                else:
                    refuse_row(f"{where}: {problem}", on_error, tally)
            else:
                tally.sentences += 1
                yield from made

    def _examples(self, cells: Mapping[str, Any]) -> list[Example]:
        """The example of a row, or those of its words, spans or answers that have a label."""
        if column := self.chosen.accepted:
            judged, is_label = cells.get(column), column == self.chosen.label
            if judged == IGNORE_ANSWER or (judged != ACCEPT_ANSWER and not is_label):
                said = f"is {IGNORE_ANSWER!r}" if is_label else f"is not {ACCEPT_ANSWER!r}"
                raise NoLabel(f"its {column} {said}")
        if self.chosen.flags:
            return [self._example(cells, read_flags(cells, self.chosen.flags))]
        if self.chosen.answers:
            return self._examples_of_answers(cells)
        label = unwrap_results(cells.get(self.chosen.label))
        if self.form.of_words:
            return self._examples_of_words(cells, label)
        if self.form.annotated:
            return self._examples_of_spans(cells, label)
        return [self._example(cells, self._label(label))]

    def _examples_of_words(self, cells: Mapping[str, Any], label: Any) -> list[Example]:
        """An example for each word that has a label."""
        if self.form.as_lists:
            label = _cut_list(str(label))
        whole = self._example(cells, "")
        ((sentence, _),) = whole.sites
        if not isinstance(label, list) or len(label) != len(sentence.words):
            many = len(label) if isinstance(label, list) else 1
            raise BadRow(f"{many} labels for {len(sentence.words)} words")
        names = self.source.classes.get(self.chosen.label, ())
        return [
            replace(
                whole,
                sites=(Site(sentence, (i, i + 1)),),
                label=read_class(each, names, self.chosen.label),
            )
            for i, each in enumerate(label)
            if each not in _NO_WORD_LABEL
        ]

    def _examples_of_spans(self, cells: Mapping[str, Any], label: Any) -> list[Example]:
        """An example for each span of a text."""
        whole, text = self._example(cells, ""), cells[self.chosen.texts[0]]
        found = [read_annotation(entry) for entry in label or ()]
        return [
            replace(
                whole,
                sites=(find_site(text, (start, end + self.form.closed), self.form.offsets),),
                label=intern(name),
            )
            for start, end, name in found
        ]

    def _examples_of_answers(self, cells: Mapping[str, Any]) -> list[Example]:
        """An example for each answer, with what it answers where that is a column."""
        made = []
        for name in self.chosen.answers:
            answers = cells.get(name)
            is_several = isinstance(answers, list) and not is_conversation(answers)
            for answer in answers if is_several and answers else [answers]:
                example = self._example({**cells, name: answer}, name, (name,))
                made.append(example)
        return made

    def _example(
        self, cells: Mapping[str, Any], label: Label, more: tuple[str, ...] = ()
    ) -> Example:
        texts = (*self.chosen.texts, *more)
        roles = (*self.chosen.roles, *("" for _ in texts))
        sites = tuple(
            Site(self.read_sentence(cells.get(name), name, role))
            for name, role in zip(() if self.chosen.is_exchange else texts, roles, strict=False)
        )
        if self.chosen.is_exchange:
            sites = (Site(self._exchange(cells, more)),)
        elif self.chosen.spans:
            sites = tuple(self._span(cells, k) for k in range(len(self.chosen.spans)))
        split = self.part.split or "train"
        if self.chosen.split and not self.part.split:
            split = split_of_cell(cells.get(self.chosen.split))
        group = cells.get(self.chosen.group) if self.chosen.group else None
        if self.chosen.group and not str("" if group is None else group).strip():
            raise BadRow(f"no {self.chosen.group} in its column; group= needs one in every row")
        strata = {self.chosen.group: str(group).strip()} if self.chosen.group else {}
        if len(sites) == 1 and (self.form.talks or self.chosen.is_exchange):
            strata.setdefault(PROMPT_TAG, name_prompt(sites[0].sentence.turns))
        return Example(sites, label, split, strata=strata)

    def read_sentence(self, cell: Any, column: str, role: str = "") -> Sentence:
        """The text of a cell, or its words, of which equal ones are one in memory."""
        if self.form.talks and is_conversation(cell := arrange_turns(cell)):
            if not role:
                return self._conversation(read_turns(cell), column)
            cell = join_turns(cell, role)
        if self.form.as_lists and isinstance(cell, str):
            cell = _cut_list(cell)
        if isinstance(cell, list) and cell and all(isinstance(word, str) for word in cell):
            made = Sentence.of(map(intern, cell))
        elif cell is None or isinstance(cell, str):
            made = Sentence.of(map(intern, cut(cell or "")), cell)
        else:
            raise BadRow(f"column {column!r} has {str(cell)[:40]!r} where a text is expected")
        return self._check_text(made, column)

    def read_text(self, cells: Mapping[str, Any]) -> Sentence:
        """The only text of a row, or its conversation. BadRow where there is none."""
        if self.chosen.is_exchange:
            return self._exchange(cells)
        (name,) = self.chosen.texts
        return self.read_sentence(cells.get(name), name)

    def _conversation(self, turns: Sequence[ChatTurn], column: str) -> Sentence:
        """A conversation, whose text is that of its turns, a line each."""
        text = "\n".join(turn.content for turn in turns)
        return self._check_text(Sentence.of(map(intern, cut(text)), text, turns), column)

    def _exchange(self, cells: Mapping[str, Any], more: tuple[str, ...] = ()) -> Sentence:
        """The conversation that two columns are, a prompt and the response to it."""
        names = (*self.chosen.texts, *more)
        asked, answer = (cells.get(name) for name in names)
        if is_conversation(turns := arrange_turns(asked)):
            before = read_turns(turns)
        else:
            before = (ChatTurn("user", self.read_sentence(asked, names[0]).text),)
        if is_conversation(turns := arrange_turns(answer)):
            said = read_turns(turns)
            is_whole = said[: len(before)] == before
            return self._conversation(said if is_whole else (*before, *said), names[1])
        text = self.read_sentence(answer, names[1]).text
        return self._conversation((*before, ChatTurn(RESPONSE_ROLE, text)), names[0])

    @staticmethod
    def _check_text(made: Sentence, column: str) -> Sentence:
        """The same sentence, unless there is nothing to read in it."""
        if not made.text.strip(BLANK_CHARACTERS):
            raise BadRow(f"there is no text in column {column!r}")
        if "\0" in made.text:
            raise BadRow(f"the text in column {column!r} has a NUL in it")
        return made

    def _span(self, cells: Mapping[str, Any], number: int) -> Site:
        """One of the spans, in the text of that number or the only one; of a conversation in the
        contents of its turns, a line each.
        """
        cell = cells[self.chosen.texts[number if len(self.chosen.texts) > 1 else 0]]
        span = read_span([cells.get(name) for name in self.chosen.spans[number]])
        if not is_conversation(turns := arrange_turns(cell)):
            return find_site(cell, span, self.form.offsets)
        site = find_site(join_turns(turns), span, self.form.offsets)
        sentence = site.sentence
        return Site(Sentence.of(sentence.words, sentence.text, read_turns(turns)), site.span)

    def _label(self, cell: Any) -> Label:
        """The label of a cell: a class, a score, or a set of classes."""
        column, names = self.chosen.label, self.source.classes.get(self.chosen.label, ())
        if self.form.mixed and isinstance(cell, str):
            cell = [cell]
        if isinstance(cell, list):
            return name_flags(cell, names) if self.form.flags else read_set(cell, names, column)
        if isinstance(cell, dict) and self.form.flags:
            return read_flags(cell, list(cell))
        if isinstance(cell, dict):
            return {str(name): read_weight(weight, column) for name, weight in cell.items()}
        if names or isinstance(cell, str | bool):
            return read_class(cell, names, column)
        return read_number(cell, column)


def _talk(rows: Sequence[Mapping[str, Any]], chosen: ColumnSelection) -> bool:
    """Whether a text is a conversation."""
    names = (*chosen.texts, *chosen.answers)
    return any(is_conversation(arrange_turns(row.get(name))) for row in rows for name in names)


def _as_lists(cells: Sequence[Any]) -> list[Any]:
    """Cells of text as the lists that they are written as, or as words with spaces between."""
    return [_cut_list(cell) if isinstance(cell, str) else cell for cell in cells]


def _cut_list(cell: str) -> list[str]:
    listed = parse_list(cell)
    return cell.split() if listed is None else listed


def _are_of_words(texts: Sequence[Any], labels: Sequence[Any], untyped: bool) -> bool:
    """Whether the labels are those of single words: rows have as many as words, but for slips."""
    if untyped:
        texts, labels = _as_lists(texts), _as_lists(labels)
        if sum(map(len, labels)) < _WORDS * len(labels):
            return False
    alike = sum(
        isinstance(words, list) and isinstance(each, list) and len(words) == len(each)
        for words, each in zip(texts, labels, strict=True)
    )
    return bool(texts) and alike >= MIN_CONSISTENT_ROW_SHARE * len(texts)


def _find_flags(cells: Sequence[Any], untyped: bool) -> Literal["", "lists", "objects"]:
    """What labels of zeros and ones are; '' where they are others."""
    if len(cells) >= MIN_HEADING_ROWS and are_named_flags(cells):
        return "objects"
    lists = [cell for cell in cells if isinstance(cell, list)]
    return "lists" if lists and not untyped and are_flags(lists) else ""


def _decide_offsets(
    rows: Sequence[Mapping[str, Any]], chosen: ColumnSelection, where: str
) -> Offsets | Literal[""]:
    """What the numbers of the spans in a file count, by its first rows."""
    texts = chosen.texts if len(chosen.texts) > 1 else chosen.texts * 2
    said = []
    for row in rows:
        for text, span in zip(texts, chosen.spans, strict=False):
            with suppress(BadRow):
                known = _join_conversation(row.get(text))
                said.append((known, read_span([row.get(name) for name in span])))
    return decide_offsets(said, where)


def _join_conversation(cell: Any) -> Any:
    """The contents of a conversation, a line each; another cell as it is."""
    turns = arrange_turns(cell)
    return join_turns(turns) if is_conversation(turns) else cell


def _decide_ends(texts: Sequence[Any], cells: Sequence[Any], is_closed: bool) -> dict[str, Any]:
    """What the numbers of annotated spans count, and whether they end with the last."""
    rows = [(text, cell) for text, cell in zip(texts, cells, strict=True) if isinstance(cell, list)]
    in_words = all(isinstance(text, list) for text, _ in rows)
    closed = is_closed or end_at_last(rows)
    return {"closed": closed, "offsets": "words" if in_words else "characters"}


def _check_alike(example: Example, first: Example) -> None:
    kinds = ("a class", "a score", "a set of labels")
    one, other = (
        0 if isinstance(each.label, str) else 1 if isinstance(each.label, float) else 2
        for each in (example, first)
    )
    if one != other:
        raise BadRow(f"its label is {kinds[one]}, that of the first row {kinds[other]}")
