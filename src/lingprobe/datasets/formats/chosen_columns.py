"""The columns of a table that are read: those that are named, have usual names, or are told by
their cells. Where several could be meant, the user is asked, with the options that would work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lingprobe.data.core import DataProblem
from lingprobe.datasets.formats.column_shapes import ColumnShape, TableHead
from lingprobe.datasets.formats.conversations import is_conversation, split_role
from lingprobe.datasets.formats.folders import SPLIT_NAMES
from lingprobe.datasets.formats.usual_columns import (
    ANNOTATION_ANSWER_COLUMN,
    EXCHANGE_COLUMNS,
    IGNORE_ANSWER,
    LABEL_COLUMNS,
    PREFERENCE_COLUMNS,
    SPAN_COLUMNS,
    SPLIT_COLUMNS,
    TEXT_COLUMNS,
    TEXT_PAIR_COLUMNS,
    Columns,
    find_heading,
    format_headings,
    has_text_end,
    has_usual_end,
    index_names,
    is_numbering,
    is_usual,
    normalise_heading,
)


@dataclass(frozen=True, slots=True)
class ColumnSelection:
    """The columns of a table that are read, by their headings; '' for none.

    roles    of the turns that are read of a text that is a conversation, '' for all
    flags    columns of zeros and ones, whose headings are the classes
    answers  two columns of texts, whose headings are the classes
    accepted the column that says whether an annotation holds; it may be the label itself
    is_exchange  whether two texts, or a text and each answer, are a prompt and the response to it,
                 one conversation
    """

    texts: tuple[str, ...]
    label: str
    group: str = ""
    split: str = ""
    spans: tuple[tuple[str, ...], ...] = ()
    roles: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    accepted: str = ""
    is_exchange: bool = False

    def plain(self) -> dict[str, str]:
        """The columns by what they hold, as notes have them."""
        roles = (*self.roles, "", "")
        texts = [f"{n}.{role}" if role else n for n, role in zip(self.texts, roles, strict=False)]
        named = dict(zip(("text", "text2"), texts, strict=False))
        named |= dict(zip(("span", "span2"), map("+".join, self.spans), strict=False))
        label = self.label or "+".join(self.flags) or "+".join(self.answers)
        named |= {"label": label, "group": self.group, "split": self.split}
        return {what: name for what, name in named.items() if name}

    def all(self) -> list[str]:
        """The headings of all columns that are read."""
        ends = [name for span in self.spans for name in span]
        more = (*self.flags, *self.answers, self.label, self.group, self.split, self.accepted)
        return [name for name in dict.fromkeys((*self.texts, *ends, *more)) if name]

    @property
    def sites(self) -> int:
        """How many texts or spans a label is about."""
        if self.is_exchange:
            return 1
        return len(self.spans) or len(self.texts) + bool(self.answers)


def choose_columns(
    columns: Columns, names: Sequence[str], location: str, head: TableHead | None = None
) -> ColumnSelection:
    """The columns to read of those that a table has. DataProblem where one is not there, or where
    several could be meant.
    """
    return _Choice(names, location, head or TableHead()).choose(columns)


@dataclass(frozen=True, slots=True)
class _Choice:
    """A table whose columns are chosen."""

    names: Sequence[str]
    where: str
    head: TableHead

    def choose(self, columns: Columns) -> ColumnSelection:
        """The columns to read, of which some are named."""
        asked = columns.as_asked()
        spans = self._spans(asked)
        flags = self._named_flags(asked)
        roles, given = self._find_named(asked)
        ends = [name for span in spans for name in span]
        free = [n for n in self.names if n not in (*given.values(), *ends, *flags)]
        is_open = not flags and "label" not in given
        answers = self._answers(free) if is_open else ()
        free = [name for name in free if name not in answers]
        texts = self._texts(given, free, bool(answers), is_open)
        free = [name for name in free if name not in texts]
        label = given.get("label", "")
        if is_open and not answers:
            label = self._label(free, texts)
            flags = () if label else tuple(self.head.find_flags(_drop_numbering(free)))
        split = given.get("split") or self._split([n for n in free if n not in (label, *flags)])
        group, accepted = given.get("group", ""), self._find_accepted(free, label)
        if "label" not in given and self._is_judged(label, accepted):
            label = accepted
        may_be_exchange = not spans and "text" not in columns.as_asked()
        is_exchange = may_be_exchange and _is_exchange(texts, bool(answers))
        chosen = ColumnSelection(
            texts, label, group, split, spans, roles, flags, answers, accepted, is_exchange
        )
        self._check(chosen)
        return chosen

    def _find_named(self, asked: dict[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
        """The columns that are named, by option; the roles of conversations beside them."""
        roles, given = [], {}
        for option, name in asked.items():
            column, role = split_role(name, self.names) if option.startswith("text") else ("", "")
            given[option] = column or find_heading(name, self.names, option, self.where)
            if option.startswith("text"):
                roles.append(role)
        return (tuple(roles) if any(roles) else ()), given

    def _named_flags(self, asked: dict[str, str]) -> tuple[str, ...]:
        """The columns of classes that label=A+B names, which is taken out."""
        label = asked.get("label", "")
        if "+" not in label or label in self.names:
            return ()
        parts = asked.pop("label").split("+")
        return tuple(find_heading(part, self.names, "label", self.where) for part in parts)

    def _spans(self, asked: dict[str, str]) -> tuple[tuple[str, ...], ...]:
        """The columns of the spans, which are taken out of those that were asked for."""
        found = []
        for option, usual in zip(("span", "span2"), SPAN_COLUMNS, strict=True):
            if option in asked:
                name = asked.pop(option)
                parts = [name] if name in self.names else name.split("+")
                if len(parts) > 2:
                    raise DataProblem(
                        f"{self.where}: {option}={name}: a span has one column, or two:"
                        f" {option}=START+END"
                    )
                found.append(
                    tuple(find_heading(part, self.names, option, self.where) for part in parts)
                )
            else:
                found.append(
                    tuple(name for name in self.names if normalise_heading(name) in usual)[:1]
                )
        first, second = found
        if second and not first:
            raise DataProblem(
                f"{self.where}: there is span2= but no span=; name the first span, too"
            )
        return tuple(span for span in (first, second) if span)

    def _answers(self, free: Sequence[str]) -> tuple[str, ...]:
        """Two columns of texts of which the first are the better answers; () where a label says
        more.
        """
        by_name = index_names(free)
        if any(key in tier for tier in LABEL_COLUMNS[:2] for key in by_name):
            return ()
        for pair in PREFERENCE_COLUMNS:
            if by_name.keys() >= set(pair) and all(self._holds_texts(by_name[key]) for key in pair):
                return tuple(by_name[key] for key in pair)
        return ()

    def _holds_texts(self, name: str) -> bool:
        cells = self.head.shape(name).cells
        several = [
            cell if isinstance(cell, list) and not is_conversation(cell) else [cell]
            for cell in cells
        ]
        flat = [text for cell in several for text in cell if text]
        return bool(flat) and ColumnShape(flat).is_text

    def _texts(
        self, given: dict[str, str], free: Sequence[str], has_answers: bool, is_open: bool
    ) -> tuple[str, ...]:
        """The columns of the text, or of two texts."""
        if "text" in given:
            return tuple(given[option] for option in ("text", "text2") if option in given)
        if "text2" not in given and not has_answers and (pair := self._pair(free)):
            return pair
        first = (
            self._usual(TEXT_COLUMNS[:-1], free, "text")
            or self._find_saying(has_text_end, free)
            or self._usual(TEXT_COLUMNS[-1:], free, "text")
        )
        if not first and has_answers:
            return ()
        first = first or self._last(free) or self._refuse("text", free, given, is_open)
        return (first, given["text2"]) if "text2" in given else (first,)

    def _pair(self, free: Sequence[str]) -> tuple[str, ...]:
        """The columns of two texts that go together by their names; () where none do."""
        by_name = index_names(free)
        pairs = [pair for pair in TEXT_PAIR_COLUMNS if by_name.keys() >= set(pair)]
        shapes = [self.head.shape(by_name[name]) for pair in pairs for name in pair]
        if len(pairs) > 1 or any(shape.is_nested for shape in shapes):
            pairs = [p for p in pairs if all(self.head.shape(by_name[n]).may_be_text for n in p)]
        if not pairs:
            return ()
        every = dict.fromkeys(by_name[name] for pair in pairs for name in pair)
        every |= dict.fromkeys(by_name[name] for name in TEXT_COLUMNS[0] if name in by_name)
        one, two = (by_name[name] for name in pairs[0])
        if len(every) > 2:
            several = ", ".join(map(repr, every))
            raise DataProblem(
                f"{self.where}: which of the texts {several} is the label about? Name two of them,"
                f" as text={one},text2={two}, or one, as text={one}"
            )
        return one, two

    def _usual(self, tiers: Sequence[Sequence[str]], free: Sequence[str], option: str) -> str:
        """The column with a usual name, of several the one that comes first; ''."""
        by_name = index_names(free)
        for tier in tiers:
            usual = {by_name[key] for key in by_name if key in tier}
            found = list(
                dict.fromkeys(n for n in free if n in usual or normalise_heading(n) in tier)
            )
            if len(found) > 1:
                several = " or ".join(map(repr, found))
                raise DataProblem(
                    f"{self.where}: which column is the {option}, {several}? Name it, as"
                    f" {option}={found[0]}"
                )
            if found:
                return found[0]
        return ""

    def _label(self, free: Sequence[str], texts: Sequence[str]) -> str:
        """The column of the label; '' where columns of zeros and ones are."""
        if name := self._usual(LABEL_COLUMNS, free, "label"):
            return name
        if name := self._find_saying(has_usual_end, free) or self._last(free):
            return name
        if len(self.head.find_flags(_drop_numbering(free))) > 1:
            return ""
        known = dict(zip(("text", "text2"), texts, strict=False))
        return self._refuse("label", free, known, True)

    @staticmethod
    def _find_saying(says: Callable[[str], bool], free: Sequence[str]) -> str:
        """The column whose heading says what it is by one of its words; '' for none, or several."""
        saying = [name for name in free if says(name) and not is_usual(name)]
        return saying[0] if len(saying) == 1 else ""

    def _last(self, free: Sequence[str]) -> str:
        """Of one text and one label, what is not the one is the other; '' where it is not alone."""
        left = _drop_numbering(free)
        rest = [name for name in left if not is_usual(name)]
        return rest[0] if len(rest) == 1 else ""

    def _split(self, free: Sequence[str]) -> str:
        """The column of splits by its name, and by its cells but for the first name; ''."""
        for name in sorted((n for n in free if normalise_heading(n) in SPLIT_COLUMNS), key=len):
            cells = {str(cell).strip().casefold() for cell in self.head.shape(name).cells}
            if normalise_heading(name) == SPLIT_COLUMNS[0] or (
                cells and cells <= SPLIT_NAMES.keys()
            ):
                return name
        return ""

    def _find_accepted(self, free: Sequence[str], label: str) -> str:
        """The column that says whether annotations hold; ''."""
        name = index_names([n for n in free if n != label]).get(ANNOTATION_ANSWER_COLUMN[0], "")
        cells = {str(cell) for cell in self.head.shape(name).cells} if name else set()
        return name if cells and cells <= ANNOTATION_ANSWER_COLUMN[1] else ""

    def _is_judged(self, label: str, accepted: str) -> bool:
        """Whether one label was accepted for some rows, and rejected for others."""
        if not (label and accepted) or self.head.shape(label).distinct > 1:
            return False
        return {str(cell) for cell in self.head.shape(accepted).cells} >= ANNOTATION_ANSWER_COLUMN[
            1
        ] - {IGNORE_ANSWER}

    def _refuse(
        self, option: str, free: Sequence[str], known: dict[str, str], is_open: bool
    ) -> str:
        """An error that names the columns that seem right, where none has a usual name."""
        rest = [name for name in _drop_numbering(free) if not is_usual(name)]
        work = self.head.propose([*known.values(), *free] if is_open else free, known)
        work = work or self.head.propose([*known.values(), *free], {})
        remedy = f"name it, as {option}=NAME"
        if option == "text" and is_open and self.head.rows and not work:
            remedy += ", and the label; no column seems one by its cells"
        elif work or rest:
            seems = ", as it seems" if work else ""
            remedy = f"add {work or f'{option}={rest[0]}'} to the task{seems}"
        raise DataProblem(
            f"{self.where}: no column has a usual name of a {option}, as {option!r}: {remedy};"
            f" {format_headings(self.names)}"
        )

    def _check(self, chosen: ColumnSelection) -> None:
        """Refuse columns that are two things, or are not alone with their names."""
        texts, where = chosen.texts, self.where
        if chosen.spans and len(chosen.spans) < len(texts):
            raise DataProblem(
                f"{where}: two texts ({', '.join(map(repr, texts))}) need a span each: add span2=,"
                f" or name one text, as text={texts[0]}"
            )
        ends = [name for span in chosen.spans for name in span]
        texts = texts[:1] if chosen.roles else texts
        used = [*texts, *ends, *filter(None, (chosen.label, chosen.split)), *chosen.flags]
        if twice := next((name for name in used if used.count(name) > 1), ""):
            raise DataProblem(f"{where}: column {twice!r} cannot be two things; name another")
        if twice := next((name for name in used if self.names.count(name) > 1), ""):
            raise DataProblem(f"{where}: two columns are called {twice!r}; rename one")


def _drop_numbering(names: Sequence[str]) -> list[str]:
    """The headings but those of what numbers rows."""
    return [name for name in names if not is_numbering(name)]


def _is_exchange(texts: Sequence[str], has_answers: bool) -> bool:
    """Whether columns are a prompt and the response to it; or a prompt, beside columns of
    answers.
    """
    names = tuple(map(normalise_heading, texts))
    if has_answers:
        return len(names) == 1 and names[0] in {prompt for prompt, _ in EXCHANGE_COLUMNS}
    return names in EXCHANGE_COLUMNS
