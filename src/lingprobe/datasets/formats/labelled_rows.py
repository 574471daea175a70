"""Tables of anybody, in files and in memory: a text or two, perhaps spans in them, and a label, in
columns that are named by the user or have usual names.

A row that says no text or no label is an error with its place, or left out and counted.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from sys import intern
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.files import CorpusPart
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.corpora.text import split_words as cut
from lingprobe.data.core import SPLITS, DataProblem, Dataset, Example, Sentence, Site
from lingprobe.data.digests import RunningDigest
from lingprobe.data.labels import Label, column
from lingprobe.datasets.formats.absent_labels import (
    ABSENT,
    check_unlabelled,
    describe_absent,
    describe_unlabelled,
    find_absent,
)
from lingprobe.datasets.formats.header import (
    apply_header,
    check_examples,
    refuse_row,
    source_notes,
)
from lingprobe.datasets.formats.held_rows import HeldRows
from lingprobe.datasets.formats.kinds import Asked
from lingprobe.datasets.formats.row_labels import (
    BLANK,
    NoLabel,
    as_number,
    as_numbers,
    read_class,
    read_number,
    read_set,
    read_weight,
    split_of_cell,
)
from lingprobe.datasets.formats.row_sources import HEAD, Row, Source, open_source
from lingprobe.datasets.formats.row_spans import (
    MOST,
    BadRow,
    Offsets,
    decide_offsets,
    find_site,
    read_span,
)
from lingprobe.datasets.formats.usual_columns import Chosen, Columns, choose, unread_span
from lingprobe.datasets.usual_metric import choose_metric

_TWO = 2  # classes, of which one may be rare


@dataclass(frozen=True, slots=True)
class Manner:
    """How a table is read.

    columns   those that the user names
    encoding  of text files; '': that of the byte order mark, or UTF-8
    on_error  whether a bad row is an error, or left out and counted
    offsets   what the numbers of spans count; '': what fits
    """

    columns: Columns = field(default_factory=Columns)
    encoding: str = ""
    on_error: OnError = "raise"
    offsets: Offsets | Literal[""] = ""


PLAIN = Manner()
NO_WORD_LABEL = (None, -100)  # what datasets of words with labels have where a word has none
Piece = CorpusPart | HeldRows
"""A file of a table, or rows in memory."""


@dataclass(frozen=True, slots=True)
class _Reader:
    """One file while it is read: where its cells come from, and which are wanted."""

    part: Piece
    source: Source
    chosen: Chosen
    offsets: Offsets | Literal[""] = ""
    of_words: bool = False

    def examples(self, how: Manner, tally: ProblemTally) -> Iterator[Example]:
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
                if isinstance(problem, NoLabel) and how.on_error == "raise":
                    tally.unlabel(f"{where}: {problem}", is_secret=problem.secret)
                else:
                    refuse_row(f"{where}: {problem}", how.on_error, tally)
            else:
                tally.sentences += 1
                yield from made

    def _examples(self, cells: Mapping[str, Any]) -> list[Example]:
        """The example of a row, or those of its words that have a label."""
        label = cells.get(self.chosen.label)
        if not self.of_words:
            return [self._example(cells, self._label(label))]
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
            if each not in NO_WORD_LABEL
        ]

    def _example(self, cells: Mapping[str, Any], label: Label) -> Example:
        sites = tuple(Site(self._sentence(cells.get(name), name)) for name in self.chosen.texts)
        if self.chosen.spans:
            sites = tuple(self._span(cells, k) for k in range(len(self.chosen.spans)))
        split = self.part.split or "train"
        if self.chosen.split and not self.part.split:
            split = split_of_cell(cells.get(self.chosen.split))
        group = cells.get(self.chosen.group) if self.chosen.group else None
        if self.chosen.group and not str("" if group is None else group).strip():
            raise BadRow(f"no {self.chosen.group} in its column; group= needs one in every row")
        strata = {self.chosen.group: str(group).strip()} if self.chosen.group else {}
        return Example(sites, label, split, strata=strata)

    def _sentence(self, cell: Any, column: str) -> Sentence:
        """The text of a cell, or its words, of which equal ones are one in memory."""
        if isinstance(cell, list) and cell and all(isinstance(word, str) for word in cell):
            made = Sentence.of(map(intern, cell))
        elif cell is None or isinstance(cell, str):
            made = Sentence.of(map(intern, cut(cell or "")), cell)
        else:
            raise BadRow(f"column {column!r} has {str(cell)[:40]!r} where a text is expected")
        if not made.text.strip(BLANK):
            raise BadRow(f"there is no text in column {column!r}")
        if "\0" in made.text:
            raise BadRow(f"the text in column {column!r} has a NUL in it")
        return made

    def _span(self, cells: Mapping[str, Any], number: int) -> Site:
        """One of the spans, in the text of that number or the only one."""
        text = cells[self.chosen.texts[number if len(self.chosen.texts) > 1 else 0]]
        span = read_span([cells.get(name) for name in self.chosen.spans[number]])
        return find_site(text, span, self.offsets)

    def _label(self, cell: Any) -> Label:
        """The label of a cell: a class, a score, or a set of classes."""
        column, names = self.chosen.label, self.source.classes.get(self.chosen.label, ())
        if isinstance(cell, list):
            return read_set(cell, names, column)
        if isinstance(cell, dict):
            return {str(name): read_weight(weight, column) for name, weight in cell.items()}
        if names or isinstance(cell, str | bool):
            return read_class(cell, names, column)
        return read_number(cell, column)


@dataclass(slots=True)
class _Rows:
    """Examples in columns while they are read: none stays an object of its own."""

    numbers: dict[Sentence, int] = field(default_factory=dict)
    sites: array[int] = field(default_factory=lambda: array("q"))
    labels: list[Label] = field(default_factory=list)
    splits: array[int] = field(default_factory=lambda: array("b"))
    strata: dict[str, list[str | None]] = field(default_factory=dict)

    def add(self, example: Example) -> None:
        """Take in one more, which has as many sites as those before."""
        for sentence, span in example.sites:
            number = self.numbers.setdefault(sentence, len(self.numbers))
            self.sites.extend((number, *(span or (-1, -1))))
        self.labels.append(example.label)
        self.splits.append(SPLITS.index(example.split))
        for key, value in example.strata.items():
            self.strata.setdefault(key, []).append(intern(value))

    def leave_out(self, rows: NDArray[np.bool_]) -> _Rows:
        """The same without some."""
        kept = _Rows()
        width = len(self.sites) // len(self.labels)
        sentences = list(self.numbers)
        for i in np.flatnonzero(~rows).tolist():
            places = [self.sites[k : k + 3] for k in range(i * width, (i + 1) * width, 3)]
            for number, start, stop in places:
                again = kept.numbers.setdefault(sentences[number], len(kept.numbers))
                kept.sites.extend((again, start, stop))
            kept.labels.append(self.labels[i])
            kept.splits.append(self.splits[i])
            for key, values in self.strata.items():
                kept.strata.setdefault(key, []).append(values[i])
        return kept

    def dataset(self) -> Dataset:
        """All that were taken in."""
        sites = np.array(self.sites, np.int64).reshape(len(self.labels), -1, 3)
        return Dataset.of_columns(self.numbers, sites, self.labels, self.splits, strata=self.strata)


def read_rows(parts: Sequence[Piece], labels: Asked | None, how: Manner) -> Dataset:
    """The data set in the files of a table; what was decided and left out is in its notes."""
    tally, rows, reader = ProblemTally(), _Rows(), None
    for reader in _readers(parts, how):
        for example in reader.examples(how, tally):
            rows.add(example)
    place = parts[0].path if len(parts) == 1 else parts[0].path.parent
    rows, absent = _leave_out_unlabelled(rows, labels, tally, str(place))
    check_examples(rows.labels, place, tally)
    if how.on_error == "raise":
        _check_splits(parts, {SPLITS[code] for code in rows.splits})
    assert reader is not None
    source, chosen = reader.source, reader.chosen
    if source.untyped and labels != "classes":
        rows.labels = as_numbers(rows.labels)
    remarks = [f"{source.remark}: {_describe(chosen)}"] if source.remark else []
    remarks += absent
    if reader.of_words:
        remarks.append("its labels, as many as words in each row, were read as those of the words")
    if chosen.spans and reader.offsets and not how.offsets:
        other = "words" if reader.offsets == "characters" else "characters"
        remarks.append(
            f"numbers of its spans were read as {reader.offsets}; offsets={other} overrules"
        )
    if not chosen.spans and (ends := unread_span(source.names)):
        remarks.append(
            f"its columns {' and '.join(ends)} were not read; span={'+'.join(ends)} reads the words"
            " from the one to the other as what the label is about"
        )
    notes = {
        "columns": chosen.plain(),
        **source_notes([part.path for part in parts], tally),
        "remarks": remarks,
    }
    dataset = apply_header(rows.dataset().with_notes(**notes), {}, str(place), labels)
    together = (*dataset.clusters, chosen.group) if chosen.group else dataset.clusters
    return replace(dataset, clusters=together)


def _leave_out_unlabelled(
    rows: _Rows, labels: Asked | None, tally: ProblemTally, where: str
) -> tuple[_Rows, list[str]]:
    """The rows that have a label, and what is said of the others."""
    remarks = []
    if tally.unlabelled:
        if tally.unlabelled > tally.secret:
            check_unlabelled(tally.unlabelled, len(rows.labels), tally.unlabelled_at)
        remarks.append(describe_unlabelled(tally.unlabelled, tally.unlabelled_at))
    if labels == "classes":
        return rows, remarks
    absent = find_absent(rows.labels, where)
    if not absent.names:
        return rows, remarks
    return rows.leave_out(absent.rows), [*remarks, describe_absent(absent)]


def _check_splits(parts: Sequence[Piece], read: Collection[str]) -> None:
    """Refuse a file that should be a split and has no example: another split would be drawn."""
    for part in parts:
        if part.split and part.split not in read:
            raise DataProblem(
                f"{part.path}: no examples in it, so that there is no {part.split} split: get it"
                " again, or remove it"
            )


@lru_cache(maxsize=256)
def metric_of_rows(
    content: str, parts: tuple[Piece, ...], labels: Asked | None, how: Manner
) -> str:
    """The metric of the labels in files of that content, of which bad rows are left out; all are
    read where they may be numbers, or two classes.
    """
    if labels == "scores":
        return column([0.0]).metric
    lenient = replace(how, on_error="skip")
    counts: Counter[str] = Counter()
    for reader in _readers(parts, lenient):
        for example in reader.examples(lenient, ProblemTally()):
            label = example.label
            if labels != "classes" and _may_be_number(label, reader.source):
                return choose_metric(read_rows(parts, None, lenient).labels)
            if not isinstance(label, str | float):
                return column([label]).metric
            if isinstance(label, str) and label in ABSENT and labels != "classes":
                continue
            counts[str(label)] += 1
            if len(counts) > _TWO:
                return column([""]).metric
    return choose_metric(column([*counts.elements()] or [""]))


def _may_be_number(label: Label, source: Source) -> bool:
    if isinstance(label, str):
        return source.untyped and as_number(label) is not None
    return isinstance(label, float)


def count_sites(parts: Sequence[Piece], how: Manner) -> int:
    """How many texts or spans each label of a table is about, one or two."""
    reader = next(_readers(parts, how), None)
    return 1 if reader is None else reader.chosen.sites


def digest_rows(parts: Sequence[HeldRows], how: Manner) -> str:
    """Thirty-two hexadecimal digits that stand for what is read of rows in memory."""
    state = RunningDigest()
    for reader in _readers(parts, how):
        assert isinstance(reader.part, HeldRows)
        wanted, classes = reader.chosen.plain(), reader.source.classes
        names = [name for name in reader.source.names if name in reader.chosen.all()]
        said = [[*classes.get(name, ())] for name in names]
        about = [reader.part.split, wanted, reader.offsets, names, said]
        state.add(json.dumps(about))
        for columns in reader.part.batches(names):
            state.add(json.dumps(columns, default=repr))
    return state.hex()


def _readers(parts: Sequence[Piece], how: Manner) -> Iterator[_Reader]:
    """The files of a table, opened one after the other; empty ones are passed over."""
    chosen, offsets, of_words = None, how.offsets, False
    for part in parts:
        source = _open(part, how)
        if source.names:
            first, chosen = chosen is None, _choose(source, chosen, how.columns, part)
            if first and chosen.spans and not offsets:
                offsets = _decide_offsets(_head(part, chosen, how), chosen, part)
            elif first and len(chosen.texts) == 1 and not source.untyped:
                of_words = _are_of_words(_head(part, chosen, how), chosen)
            yield _Reader(part, source, chosen, offsets, of_words)


def _open(part: Piece, how: Manner) -> Source:
    """The table in a file, or in memory."""
    if isinstance(part, HeldRows):
        return part.source()
    return open_source(part.path, how.columns, how.encoding)


def _head(part: Piece, chosen: Chosen, how: Manner) -> Iterator[Row]:
    """The first rows of a file."""
    return islice(_open(part, how).rows(chosen.all()), HEAD)


def _are_of_words(rows: Iterable[Row], chosen: Chosen) -> bool:
    """Whether the labels are those of single words: rows have as many as words, but for slips."""
    lists = [
        (row.cells.get(chosen.texts[0]), row.cells.get(chosen.label))
        for row in rows
        if not row.problem
    ]
    alike = sum(
        isinstance(words, list) and isinstance(labels, list) and len(words) == len(labels)
        for words, labels in lists
    )
    return bool(lists) and alike >= MOST * len(lists)


def _decide_offsets(rows: Iterable[Row], chosen: Chosen, part: Piece) -> Offsets | Literal[""]:
    """What the numbers of the spans in a file count, by its first rows."""
    texts = chosen.texts if len(chosen.texts) > 1 else chosen.texts * 2
    said = []
    for row in rows:
        for text, span in zip(texts, chosen.spans, strict=False):
            with suppress(BadRow):
                said.append((row.cells.get(text), read_span([row.cells.get(n) for n in span])))
    return decide_offsets(said, str(part.path))


def _choose(source: Source, earlier: Chosen | None, columns: Columns, part: Piece) -> Chosen:
    """The columns of a file: those of the file before it, or those that are named or usual."""
    where = str(part.path)
    if earlier is None:
        return choose(columns if columns.as_asked() else source.columns, source.names, where)
    lacking = [name for name in earlier.all() if name not in source.names]
    if lacking == [earlier.split] and part.split:
        lacking = []
    if lacking:
        raise DataProblem(f"{where}: no column {lacking[0]!r}, which the file before it has")
    return earlier


def _describe(chosen: Chosen) -> str:
    return ", ".join(f"its column {name} is the {what}" for what, name in chosen.plain().items())


def _check_alike(example: Example, first: Example) -> None:
    kinds = ("a class", "a score", "a set of labels")
    one, other = (
        0 if isinstance(each.label, str) else 1 if isinstance(each.label, float) else 2
        for each in (example, first)
    )
    if one != other:
        raise BadRow(f"its label is {kinds[one]}, that of the first row {kinds[other]}")
