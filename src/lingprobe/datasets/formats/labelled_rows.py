"""Tables of anybody, in files and in memory: a text or two, perhaps spans in them, and a label, in
columns that are named by the user or have usual names.

A row that says no text or no label is an error with its place, or excluded and counted.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from sys import intern
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, Example, Sentence
from lingprobe.data.digests import RunningDigest
from lingprobe.data.examples import add_remarks
from lingprobe.data.labels import Label, build_column
from lingprobe.datasets.formats.absent_labels import (
    ABSENT_LABEL_TEXTS,
    AbsentLabels,
    check_unlabelled,
    describe_absent,
    describe_unlabelled,
    find_absent,
)
from lingprobe.datasets.formats.chosen_columns import ColumnSelection, choose_columns
from lingprobe.datasets.formats.column_shapes import (
    MIN_HEADING_ROWS,
    TableHead,
    find_names_of_numbers,
)
from lingprobe.datasets.formats.composite_labels import single_out
from lingprobe.datasets.formats.conversations import RESPONSE_ROLE
from lingprobe.datasets.formats.header import check_examples, note_table_files
from lingprobe.datasets.formats.held_rows import HeldRows
from lingprobe.datasets.formats.kinds import Asked, as_asked, decide_kind
from lingprobe.datasets.formats.multiple_choice import list_options
from lingprobe.datasets.formats.row_labels import as_number, as_numbers
from lingprobe.datasets.formats.row_reader import PROMPT_TAG, Piece, RowForm, RowReader, decide_form
from lingprobe.datasets.formats.row_sources import open_source
from lingprobe.datasets.formats.row_spans import Offsets
from lingprobe.datasets.formats.rows import HEAD_ROWS, TableSource
from lingprobe.datasets.formats.token_rows import join_token_rows
from lingprobe.datasets.formats.usual_columns import Columns, is_numbering, is_usual, unread_span
from lingprobe.datasets.near_equal import MIN_GROUP_COUNT
from lingprobe.datasets.usual_metric import choose_metric

_TWO = 2  # classes, of which one may be rare; conversations that share a prompt


@dataclass(frozen=True, slots=True)
class Manner:
    """How a table is read.

    columns   those that the user names
    encoding  of text files; '': that of the byte order mark, or UTF-8
    on_error  whether a bad row is an error, or excluded and counted
    offsets   what the numbers of spans count; '': what fits
    """

    columns: Columns = field(default_factory=Columns)
    encoding: str = ""
    on_error: OnError = "raise"
    offsets: Offsets | Literal[""] = ""


DEFAULT_MANNER = Manner()


@dataclass(slots=True)
class _Rows:
    """Examples in columns while they are read: none stays an object of its own."""

    numbers: dict[Sentence, int] = field(default_factory=dict)
    sites: array[int] = field(default_factory=lambda: array("q"))
    labels: list[Label] = field(default_factory=list)
    splits: array[int] = field(default_factory=lambda: array("b"))
    strata: dict[str, list[str | None]] = field(default_factory=dict)

    def add(self, example: Example) -> None:
        """Take in one more, which has as many sites as those before, and tags of the same kinds; an
        empty tag is none.
        """
        for sentence, span in example.sites:
            number = self.numbers.setdefault(sentence, len(self.numbers))
            self.sites.extend((number, *(span or (-1, -1))))
        self.labels.append(example.label)
        self.splits.append(DATA_SPLITS.index(example.split))
        for key, value in example.strata.items():
            self.strata.setdefault(key, []).append(intern(value) if value else None)

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


def read_rows(files: Sequence[Piece], labels: Asked | None, manner: Manner) -> Dataset:
    """The data set in the files of a table; what was decided and excluded is in its notes."""
    tally, rows, reader, hidden = ProblemTally(), _Rows(), None, dict[str, str]()
    labelled: set[str] = set()
    for reader in _readers(files, manner, hidden):
        many, lacking, secret = len(rows.labels), tally.unlabelled, tally.secret
        for example in reader.examples(manner.on_error, tally):
            rows.add(example)
        if reader.part.split and many == len(rows.labels) and lacking < tally.unlabelled:
            tally.secret = secret + tally.unlabelled - lacking  # a test set without labels
        if many < len(rows.labels) or lacking < tally.unlabelled:
            labelled.add(reader.part.split)
    place = files[0].path if len(files) == 1 else files[0].path.parent
    if rows.labels and not any(label != frozenset() for label in rows.labels):
        raise DataProblem(f"{place}: its labels are all empty lists; name another, as label=NAME")
    rows, absent, gaps = _leave_out_unlabelled(rows, labels, tally, str(place))
    check_examples(rows.labels, place, tally)
    assert reader is not None
    if manner.on_error == "raise":
        _check_splits([part for part in files if part.path.name not in hidden], labelled)
    source, chosen = reader.source, reader.chosen
    if source.untyped and labels != "classes":
        rows.labels = as_numbers(rows.labels)
    notes = {
        "columns": chosen.plain(),
        **note_table_files([part.path for part in files], tally),
        "remarks": [*_remarks(reader, manner), *hidden.values(), *gaps],
    }
    dataset = _note_responses(_tie_prompts(rows.dataset().with_notes(**notes)))
    if labels:
        dataset = as_asked(dataset, labels, str(place))
    else:
        dataset = _decide(dataset, files[0], manner, reader, absent)
    together = [*dataset.clusters, *filter(None, [chosen.group])]
    return replace(dataset, clusters=tuple(dict.fromkeys(together)))


def _tie_prompts(dataset: Dataset) -> Dataset:
    """Conversations with one prompt share a fold: the data set with that tag; without it where no
    two have one, and with a remark in place of it where there are too few prompts to be apart.
    """
    tags = dataset.strata.get(PROMPT_TAG)
    if tags is None or PROMPT_TAG in dataset.clusters:
        return dataset
    sizes = np.bincount(tags.codes[tags.codes >= 0])
    prompts, has_repeated = int((sizes > 0).sum()), bool((sizes >= _TWO).any())
    if has_repeated and prompts + int((tags.codes < 0).sum()) >= MIN_GROUP_COUNT:
        return replace(dataset, clusters=(*dataset.clusters, PROMPT_TAG))
    strata = {name: each for name, each in dataset.strata.items() if name != PROMPT_TAG}
    dataset = replace(dataset, strata=strata)
    if not has_repeated:
        return dataset
    why = "all have one prompt" if prompts == 1 else f"there are only {prompts} prompts"
    return add_remarks(dataset, f"conversations with one prompt are not kept together, as {why}")


def _note_responses(dataset: Dataset) -> Dataset:
    """The data set with a remark where several conversations end with one response, which a probe
    of the response may then know from training.
    """
    talks = (each.turns for each in dataset.sentences if len(each.turns) > 1)
    ends = Counter(turns[-1].content for turns in talks if turns[-1].role == RESPONSE_ROLE)
    repeated = sum(many for many in ends.values() if many > 1)
    if not repeated:
        return dataset
    remark = (
        f"{repeated:,} of {ends.total():,} different conversations have a response that others have"
        " as well, which may be in training and test; group=COLUMN keeps them together"
    )
    return add_remarks(dataset, remark)


def _decide(
    dataset: Dataset, part: Piece, how: Manner, reader: RowReader, absent: AbsentLabels
) -> Dataset:
    """The data set with labels of the kind that is decided for them."""
    where, beside, names = str(part.path), "", reader.source.names
    if dataset.labels.numbers is not None and reader.chosen.label:
        others = [name for name in names if name not in reader.chosen.all()]
        beside = find_names_of_numbers(_head(part, names, how), reader.chosen.label, others)
    dataset = decide_kind(dataset, where, reader.source.mark, beside, absent.is_below_classes)
    is_named = reader.chosen.label in reader.source.classes  # as sets, by the metadata
    if (
        is_named
        or len(dataset) < MIN_HEADING_ROWS
        or (classes := single_out(dataset.labels)) is None
    ):
        return dataset
    remark = "each of its rows has one label, and they were read as classes; labels=sets overrules"
    return add_remarks(replace(dataset, labels=classes), remark)


def _remarks(reader: RowReader, how: Manner) -> list[str]:
    """What was decided about the columns and the cells of a table, in sentences."""
    source, chosen, form = reader.source, reader.chosen, reader.form
    unusual = [name for name in (*chosen.texts, chosen.label) if name and not is_usual(name)]
    told = source.remark or ("its headings are not all usual" if unusual else "")
    is_told = source.remark or (unusual and not how.columns.as_asked())
    remarks = [f"{told}: {_describe(chosen)}"] if is_told else []
    remarks += form.remarks(chosen)
    if chosen.spans and form.offsets and not how.offsets:
        other = "words" if form.offsets == "characters" else "characters"
        remarks.append(
            f"numbers of its spans were read as {form.offsets}; offsets={other} overrules"
        )
    if chosen.flags and not how.columns.label:
        remarks.append(
            f"its columns {', '.join(chosen.flags)}, of zeros and ones, were read as the classes"
            f" that hold; label={chosen.flags[0]} reads one of them"
        )
    if chosen.answers:
        better, worse = chosen.answers
        remarks.append(f"its columns {better} and {worse} were read as texts of these two classes")
    if not chosen.spans and (ends := unread_span(source.names)):
        remarks.append(
            f"its columns {' and '.join(ends)} were not read; span={'+'.join(ends)} reads the words"
            " from the one to the other as what the label is about"
        )
    return remarks


def _leave_out_unlabelled(
    rows: _Rows, labels: Asked | None, tally: ProblemTally, where: str
) -> tuple[_Rows, AbsentLabels, list[str]]:
    """The rows that have a label, which of them say that they have none, and what is said of
    these.
    """
    remarks = []
    if tally.unlabelled:
        if tally.unlabelled > tally.secret:
            lacking = tally.unlabelled - tally.secret
            check_unlabelled(lacking, len(rows.labels), tally.unlabelled_at)
        remarks.append(describe_unlabelled(tally.unlabelled, tally.unlabelled_at))
    absent = find_absent([] if labels == "classes" else rows.labels, where, rows.splits)
    if not absent.names:
        return rows, absent, remarks
    return rows.leave_out(absent.rows), absent, [*remarks, describe_absent(absent)]


def _check_splits(parts: Sequence[Piece], read: Collection[str]) -> None:
    """Refuse a file that should be a split and has no example: another split would be drawn."""
    for part in parts:
        if part.split and part.split not in read:
            raise DataProblem(
                f"{part.path}: no examples in it, so that there is no {part.split} split: download"
                " it again, or remove it"
            )


@lru_cache(maxsize=256)
def metric_of_rows(
    content: str, files: tuple[Piece, ...], labels: Asked | None, manner: Manner
) -> str:
    """The metric of the labels in files of that content, of which bad rows are excluded; all are
    read where they may be numbers, or two classes.
    """
    if labels == "scores":
        return build_column([0.0]).metric
    lenient = replace(manner, on_error="skip")
    counts: Counter[str] = Counter()
    for reader in _readers(files, lenient):
        for example in reader.examples("skip", ProblemTally()):
            label = example.label
            is_doubtful = labels != "classes" and _may_be_number(label, reader.source)
            if is_doubtful or labels == "sets" or not isinstance(label, str | float):
                return choose_metric(read_rows(files, labels, lenient).labels)
            if isinstance(label, str) and label in ABSENT_LABEL_TEXTS and labels != "classes":
                continue
            counts[str(label)] += 1
            if len(counts) > _TWO:
                return build_column([""]).metric
    return choose_metric(build_column([*counts.elements()] or [""]))


def _may_be_number(label: Label, source: TableSource) -> bool:
    """Whether a label may be a number, or several in one."""
    if isinstance(label, str):
        is_several = label[:1] in "[({" or label[:1].isdecimal()
        return is_several or (source.untyped and as_number(label) is not None)
    return isinstance(label, float)


def count_sites(files: Sequence[Piece], manner: Manner) -> int:
    """How many texts or spans each label of a table is about, one or two."""
    reader = next(_readers(files, manner), None)
    return 1 if reader is None else reader.chosen.sites


def digest_rows(held_rows: Sequence[HeldRows], manner: Manner) -> str:
    """Thirty-two hexadecimal digits that stand for what is read of rows in memory."""
    state = RunningDigest()
    for reader in _readers(held_rows, manner):
        assert isinstance(reader.part, HeldRows)
        wanted, classes = reader.chosen.plain(), reader.source.classes
        read = (*reader.chosen.all(), *reader.source.made_of)
        names = [name for name in reader.part.names if name in read]
        said = [[*classes.get(name, ())] for name in names]
        about = [reader.part.split, wanted, reader.form.offsets, names, said]
        state.add(json.dumps(about))
        for columns in reader.part.batches(names):
            state.add(json.dumps(columns, default=repr))
    return state.hex()


def _readers(
    parts: Sequence[Piece], how: Manner, hidden: dict[str, str] | None = None
) -> Iterator[RowReader]:
    """The files of a table, opened one after the other; empty ones are passed over, and so are
    those of a later split that have no labels.

    hidden  takes what there is to say of each of these, by its name
    """
    chosen, form, names = None, RowForm(), list[str]()
    for part in parts:
        source = _open(part, how)
        if not source.names:
            continue
        if chosen is None:
            head, names = _head(part, source.names, how), [*source.names]
            columns = how.columns if how.columns.as_asked() else source.columns
            chosen = choose_columns(columns, names, str(part.path), head)
            form = decide_form(head.rows, chosen, source, str(part.path), how.offsets)
        elif lacking := _lacking(source, chosen, part, names):
            if hidden is not None:
                hidden[part.path.name] = (
                    f"its {part.path.name} has no column {lacking!r} and was not read"
                )
            continue
        yield RowReader(part, source, chosen, form)


def _open(part: Piece, how: Manner) -> TableSource:
    """The table in a file, or in memory, with a row an example."""
    if isinstance(part, HeldRows):
        source = part.source()
    else:
        source = open_source(part.path, how.columns, how.encoding)
    source = join_token_rows(source)
    return source if how.columns.as_asked() else list_options(source)


def _head(part: Piece, names: Collection[str], how: Manner) -> TableHead:
    """The first rows of a file that can be read."""
    rows = islice(_open(part, how).rows(names), HEAD_ROWS)
    return TableHead([row.cells for row in rows if not row.problem])


def _lacking(
    source: TableSource, chosen: ColumnSelection, part: Piece, names: Sequence[str]
) -> str:
    """The column that a file of a split does not have, nor another that the first file lacks; ''
    where it has what the first file has. DataProblem where it has others instead.
    """
    lacking = [name for name in chosen.all() if name not in source.names]
    if part.split:
        lacking = [name for name in lacking if name != chosen.split]
    others = [name for name in source.names if name not in names and not is_numbering(name)]
    if part.split and lacking and not others:
        return lacking[0]
    if lacking:
        raise DataProblem(
            f"{part.path}: no column {lacking[0]!r}, which the file before it has; rename its"
            " columns, or name one file alone"
        )
    return ""


def _describe(chosen: ColumnSelection) -> str:
    return ", ".join(f"its column {name} is the {what}" for what, name in chosen.plain().items())
