"""What rules say of the sentences of one file, in columns: a row a sentence.

They are kept in memory, or as a Parquet file in the cache, which is there whole or not at all: what
is finished need not be done again, whichever process finished it.

Columns are words (joined), text, length (in words), depth, tags (joined) where there are some,
three hashes, and one of findings a rule. A finding stands there as JSON: a reason as text, an
answer as a list.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from json.encoder import encode_basestring_ascii as quoted
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lingprobe.corpora.batches import TreebankBatch
from lingprobe.corpora.style import AnnotationStyle
from lingprobe.corpora.tally import ProblemTally
from lingprobe.corpora.views import Block
from lingprobe.data.cache import open_draft
from lingprobe.data.core import Sentence
from lingprobe.data.labels import Label
from lingprobe.data.vectors import Ints
from lingprobe.datasets.candidates import WORD_SEPARATOR, hash_candidates, joined
from lingprobe.store.blocks import set_aside
from lingprobe.store.columns import ColumnOrigin
from lingprobe.tasks.answers import Answer, Finding
from lingprobe.tasks.memory import pause_garbage_collection

Arrow = Any
"""A table or an array of pyarrow, which is imported when it is used."""
Judge = Callable[[Block, list[Sentence]], Mapping[str, Sequence[Any]]]
"""What rules say of the sentences of a block, by rule; under `DEPTH_COLUMN` numbers, under
`TAGS_COLUMN` tuples.
"""
Read = Callable[[ProblemTally], Iterable[Block]]
"""The sentences of a file, and what is counted of those that cannot be read."""
WORDS_COLUMN, TEXT_COLUMN, LENGTH_COLUMN, DEPTH_COLUMN, TAGS_COLUMN = (
    "words",
    "text",
    "length",
    "depth",
    "tags",
)
CONTENT_COLUMN, LETTERS_COLUMN, EXACT_COLUMN = "content", "letters", "exact"
"""What `lingprobe.datasets.candidates.hash_candidates` makes of the words."""
_GROUP = 10_000  # sentences that are written and read at once
_KNOWN = 1 << 17  # findings whose JSON is remembered
_WAITING = 1 << 17  # counts of strings that are held, beside as many as there are sums, to be added
_NOTE = b"sonde"


@dataclass(frozen=True, slots=True)
class FileCounts:
    """What was counted of a file beside its sentences."""

    tally: ProblemTally = field(default_factory=ProblemTally)
    style: AnnotationStyle = field(default_factory=AnnotationStyle)

    def plain(self) -> str:
        """All of it as JSON."""
        style = {"relations": sorted(self.style.relations), "feats": sorted(self.style.feats)}
        return json.dumps({"tally": asdict(self.tally), "style": style})

    @classmethod
    def read(cls, text: str | bytes) -> FileCounts:
        """The same from JSON."""
        plain = json.loads(text)
        style = AnnotationStyle(set(plain["style"]["relations"]), set(plain["style"]["feats"]))
        return cls(ProblemTally(**plain["tally"]), style)


@dataclass(frozen=True)
class CorpusShard:
    """The columns of one file.

    read   its sentences; judge: what rules say of them
    known  the findings that were met, also in other files
    place  where the columns are kept; None: in memory
    made   by which code, which the file then says
    """

    read: Read
    judge: Judge
    known: FindingCoder
    place: Path | None = None
    made: ColumnOrigin | None = None

    @cached_property
    def _contents(self) -> tuple[FileCounts, Arrow]:
        """What was counted, and the table, of columns in memory."""
        import pyarrow as pa

        counted = FileCounts()
        with pause_garbage_collection():
            tables = list(self._tables(counted))
        return counted, pa.concat_tables(tables).unify_dictionaries() if tables else pa.table({})

    @cached_property
    def _about(self) -> tuple[FileCounts, list[int]]:
        """What was counted, and how many sentences each group has."""
        if self.place is None:
            counted, table = self._contents
            return counted, [len(table.slice(at, _GROUP)) for at in range(0, len(table), _GROUP)]
        about: tuple[FileCounts, list[int]] = self._read_file(
            lambda file: _read_shard_facts(file.metadata)
        )
        return about

    @property
    def counts(self) -> FileCounts:
        """What was counted beside the sentences."""
        return self._about[0]

    @property
    def sizes(self) -> list[int]:
        """How many sentences each group has."""
        return self._about[1]

    def __len__(self) -> int:
        return sum(self.sizes)

    def make(self) -> None:
        """Find the columns, where that was not done yet."""
        if self.place is None:
            _ = self._contents
        elif not self.place.exists():
            self._write(self.place)

    def groups(self, *columns: str) -> Iterator[Arrow]:
        """Some columns as tables of some thousand rows each."""
        return (self.group(number, columns) for number in range(len(self.sizes)))

    def group(self, number: int, columns: Sequence[str]) -> Arrow:
        """One of these tables."""
        if self.place is None:
            return self._contents[1].select(columns).slice(number * _GROUP, _GROUP)
        return self._read_file(lambda file: file.read_row_group(number, columns=list(columns)))

    def _read_file(self, ask: Callable[[Arrow], Any]) -> Any:
        """What is asked of the file; a damaged one is set aside and made anew."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        assert self.place is not None
        self.make()
        try:
            with pq.ParquetFile(self.place, page_checksum_verification=True) as file:
                return ask(file)
        except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as damage:
            set_aside(self.place, damage)
        self.make()
        with pq.ParquetFile(self.place, page_checksum_verification=True) as file:
            return ask(file)

    def _write(self, place: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        counted, writer = FileCounts(), None
        with open_draft(place) as part, pause_garbage_collection():
            try:
                for table in self._tables(counted):
                    writer = writer or pq.ParquetWriter(
                        part, table.schema, **_options(table.schema)
                    )
                    writer.write_table(table)
                writer = writer or pq.ParquetWriter(part, pa.schema([]))
                made = self.made.metadata() if self.made else {}
                writer.add_key_value_metadata({_NOTE: counted.plain(), **made})
            finally:
                if writer is not None:
                    writer.close()

    def _tables(self, counted: FileCounts) -> Iterator[Arrow]:
        """The sentences in tables of some thousand rows."""
        waiting: list[_Judged] = []
        for block in self.read(counted.tally):
            if isinstance(block, TreebankBatch):
                counted.style.add(block.deprels.names, block.feats.names)
            sentences = block.sentences()
            depths = (
                block.depths
                if isinstance(block, TreebankBatch)
                else np.zeros(len(sentences), np.int64)
            )
            waiting.append(_Judged(sentences, depths, self.judge(block, sentences)))
            if sum(len(each.sentences) for each in waiting) >= _GROUP:
                yield _build_arrow_table(waiting, self.known)
                waiting = []
        if waiting:
            yield _build_arrow_table(waiting, self.known)


def _options(schema: Arrow) -> dict[str, Any]:
    """How a file is written: hashes and texts, of which none is like another, without a
    dictionary.
    """
    distinct = (
        WORDS_COLUMN,
        TEXT_COLUMN,
        TAGS_COLUMN,
        CONTENT_COLUMN,
        LETTERS_COLUMN,
        EXACT_COLUMN,
    )
    return {
        "compression": "zstd",
        "compression_level": 1,
        "use_dictionary": [name for name in schema.names if name not in distinct],
        "write_page_checksum": True,
    }


def _read_shard_facts(metadata: Any) -> tuple[FileCounts, list[int]]:
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return FileCounts.read(metadata.metadata[_NOTE]), [group.num_rows for group in groups]


class _Judged(NamedTuple):
    """Sentences of a block, how deep their trees are (0 where the block does not say), and what
    rules say of them.
    """

    sentences: list[Sentence]
    depths: Ints
    said: Mapping[str, Sequence[Any]]


def _build_arrow_table(judged: Sequence[_Judged], known: FindingCoder) -> Arrow:
    """The columns of some blocks."""
    import pyarrow as pa

    sentences = [sentence for each in judged for sentence in each.sentences]
    words = [joined(sentence.words) for sentence in sentences]
    columns = {
        WORDS_COLUMN: _strings(words),
        TEXT_COLUMN: pa.array([sentence.text for sentence in sentences], pa.string()),
        LENGTH_COLUMN: pa.array([len(sentence.words) for sentence in sentences], pa.int64()),
        DEPTH_COLUMN: pa.array(np.concatenate([each.depths for each in judged]), pa.int64()),
        **dict(
            zip(
                (CONTENT_COLUMN, LETTERS_COLUMN, EXACT_COLUMN),
                map(pa.array, hash_candidates(words)),
                strict=True,
            )
        ),
    }
    for name in judged[0].said:
        said = [finding for each in judged for finding in each.said[name]]
        if name == TAGS_COLUMN:
            columns[name] = _strings(map(joined, said))
        elif name == DEPTH_COLUMN:
            columns[name] = pa.array(said, pa.int64())
        else:
            columns[name] = known.code_findings(said)
    return pa.table(columns)


def _strings(rows: Iterable[str]) -> Arrow:
    """A column of joined strings; null is none."""
    import pyarrow as pa

    return pa.array([row or None for row in rows], pa.string())


class FindingCoder:
    """Findings as JSON; those that recur are written once."""

    def __init__(self) -> None:
        self._texts: dict[int, tuple[Finding, str]] = {}

    def code_findings(self, findings: Sequence[Finding]) -> Arrow:
        """A column of findings, numbered in order of appearance."""
        import pyarrow as pa

        keys = pa.array(np.fromiter(map(id, findings), np.int64, len(findings)))
        objects = keys.dictionary_encode()
        codes = objects.indices.to_numpy()
        first = np.empty(len(objects.dictionary), np.int64)
        first[codes[::-1]] = np.arange(len(codes))[
            ::-1
        ]  # of several the last that is written stays
        numbers: dict[str, int] = {}
        texts = (self._text(findings[row]) for row in first.tolist())
        places = np.array([numbers.setdefault(t, len(numbers)) for t in texts], np.int32)
        return pa.DictionaryArray.from_arrays(places[codes], pa.array(list(numbers), pa.string()))

    def _text(self, finding: Finding) -> str:
        known = self._texts.get(id(finding))
        if known is None:
            if len(self._texts) > _KNOWN:
                self._texts.clear()
            known = self._texts[id(finding)] = finding, format_finding(finding)
        return known[1]


def format_finding(finding: Finding) -> str:
    """A finding as JSON."""
    if not isinstance(finding, Answer):
        return quoted(finding)
    label = quoted(finding.label) if isinstance(finding.label, str) else _of_others(finding.label)
    strata = ", ".join(f"{quoted(key)}: {quoted(tag)}" for key, tag in finding.strata.items())
    lemma = f", {quoted(finding.lemma)}" if finding.lemma else ""
    return f"[{label}, {quoted(finding.target)}, {{{strata}}}{lemma}]"


def _of_others(label: Label) -> str:
    """A score, or labels with or without weights, as JSON."""
    if isinstance(label, Mapping):
        return json.dumps({"weights": dict(label)})
    return json.dumps(label if isinstance(label, float) else {"labels": sorted(label)})


def parse_findings(texts: Iterable[str]) -> list[Finding]:
    """The findings that some JSON stands for."""
    return list(map(_finding, json.loads(f"[{','.join(texts)}]")))


def _finding(plain: Any) -> Finding:
    if isinstance(plain, str):
        return plain
    label, target, strata, *lemma = plain
    if isinstance(label, dict):
        label = label["weights"] if "weights" in label else frozenset(label["labels"])
    return Answer(label, target, strata, *lemma)


def _split_joined_strings(column: Arrow) -> Arrow:
    """The joined strings of a column as lists."""
    import pyarrow.compute as pc

    return pc.split_pattern(column.combine_chunks(), WORD_SEPARATOR)


@dataclass(frozen=True, slots=True)
class StringLists:
    """Strings of sentences: codes of all, one after the other, into the distinct ones, and
    [sentences + 1] where those of each sentence begin.
    """

    codes: Ints
    names: list[str]
    starts: Ints

    @classmethod
    def of(cls, column: Arrow) -> StringLists:
        """Those of a column of a group."""
        lists = _split_joined_strings(column)
        flat = lists.flatten().dictionary_encode()
        starts = np.concatenate([[0], np.cumsum(lists.value_lengths().fill_null(0).to_numpy())])
        return cls(flat.indices.to_numpy(), flat.dictionary.to_pylist(), starts.astype(np.int64))


def count_strings(columns: Iterable[Arrow]) -> dict[str, int]:
    """How often each string occurs in some columns."""
    import pyarrow as pa
    import pyarrow.compute as pc

    empty = {"values": pa.array([], pa.string()), "counts": pa.array([], pa.int64())}
    tables = [pa.table(empty)]  # the first has the sums so far
    for column in columns:
        tables.append(
            pa.Table.from_struct_array(pc.value_counts(_split_joined_strings(column).flatten()))
        )
        if sum(map(len, tables[1:])) > len(tables[0]) + _WAITING:
            tables = [_sum_counts(tables)]
    values, counts = _sum_counts(tables).columns
    return dict(zip(values.to_pylist(), counts.to_pylist(), strict=True))


def _sum_counts(tables: Sequence[Arrow]) -> Arrow:
    """Counts of the same string as one."""
    import pyarrow as pa

    grouped = pa.concat_tables(tables).group_by("values", use_threads=False)
    return grouped.aggregate([("counts", "sum")]).rename_columns(["values", "counts"])


def list_tuples(column: Arrow) -> list[tuple[str, ...]]:
    """The strings of each sentence; equal ones are one object."""
    known: dict[str, str] = {}
    rows = (row.split(WORD_SEPARATOR) if row else () for row in column.to_pylist())
    return [tuple(map(known.setdefault, row, row)) for row in rows]


def decode_sentences(group: Arrow) -> list[Sentence]:
    """The sentences of a group that has their words and texts."""
    texts = group.column(TEXT_COLUMN).to_pylist()
    return list(map(Sentence, list_tuples(group.column(WORDS_COLUMN)), texts))
