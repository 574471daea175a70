"""Many sentences of a CoNLL-U file at once, in arrays over all their words, for work that goes
through whole treebanks.

A piece of the file is parsed by pyarrow's reader of separated values and checked as arrays, all
that `conllu` checks. Where anything is out of the ordinary, that piece is read by `conllu` sentence
by sentence, which finds and names what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.conllu import (
    HEAD_NUMBERS,
    ConlluFile,
    add_extra_row,
    check_ranges,
    parse_trees,
    split_header,
    standard_chunks,
)
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.corpora.trees import (
    MultiwordToken,
    TreeColumns,
    is_spelled_by,
    parse_features,
    rebuild_text,
)
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.vectors import Ints

_COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_TAB, _LINE_FEED, _HASH = b"\t\n#"
_TOLD = b"# text = "


class CodedStrings(NamedTuple):
    """A column of strings: codes [words] into the distinct values."""

    codes: Ints
    names: list[str]

    def where(self, holds: Callable[[str], bool]) -> NDArray[np.bool_]:
        """Of which words the value holds, [words]."""
        return np.fromiter(map(holds, self.names), bool, len(self.names))[self.codes]

    def take(self, rows: Ints) -> CodedStrings:
        """Those of some words."""
        return CodedStrings(self.codes[rows], self.names)

    def strings(self) -> list[str]:
        """The values."""
        values: list[str] = np.array(self.names, object)[self.codes].tolist()
        return values


@dataclass(frozen=True, slots=True)
class TreebankBatch:
    """Some sentences of a treebank in columns over their words.

    starts    [sentences + 1] where the words of each sentence begin
    parents   [words] the index of each word's head; a root is its own
    roots     [sentences] the index of each root
    depths    [sentences] how many words lie on the longest path from the root
    texts     the raw strings; words, lemmas, upos, xpos, feats, deprels as written
    """

    starts: Ints
    parents: Ints
    roots: Ints
    depths: Ints
    words: CodedStrings
    lemmas: CodedStrings
    upos: CodedStrings
    xpos: CodedStrings
    feats: CodedStrings
    deprels: CodedStrings
    texts: list[str]

    def __len__(self) -> int:
        return len(self.roots)

    def sentences(self) -> list[Sentence]:
        """The sentences: syntactic words, punctuation included, and raw strings."""
        words = self.words.strings()
        bounds = self.starts.tolist()
        return [
            Sentence(tuple(words[a:b]), text)
            for (a, b), text in zip(pairwise(bounds), self.texts, strict=True)
        ]

    def levels(self) -> Ints:
        """How many words lie on the way from the root to each word, both counted [words]."""
        return _ways(self.parents, int(np.diff(self.starts).max()))[1] + 1

    @classmethod
    def of(cls, sentences: Sequence[TreeColumns]) -> TreebankBatch:
        """The same of trees."""
        starts = np.cumsum([0, *(len(t.words) for t in sentences)])
        roots = np.array(
            [start + t.root for start, t in zip(starts, sentences, strict=False)], np.int64
        )
        heads = np.array([head for t in sentences for head in t.heads], np.int64)
        parents = heads + np.repeat(starts[:-1], np.diff(starts))
        parents[roots] = roots
        depths = np.array([t.depth for t in sentences], np.int64)
        return cls(
            starts,
            parents,
            roots,
            depths,
            _code_values(t.words for t in sentences),
            _code_values(t.lemmas for t in sentences),
            _code_values(t.upos for t in sentences),
            _code_values(t.xpos for t in sentences),
            _code_values(t.feats for t in sentences),
            _code_values(t.deprels for t in sentences),
            [t.text for t in sentences],
        )


def _code_values(sentences: Iterable[Sequence[str]]) -> CodedStrings:
    """The values of all words of some sentences, one after the other."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(v, len(numbers)) for values in sentences for v in values]
    return CodedStrings(np.array(codes, np.int64), list(numbers))


def read_treebank_batches(
    path: str | Path, on_error: OnError = "raise", tally: ProblemTally | None = None
) -> Iterator[TreebankBatch]:
    """The sentences of a file, a batch a piece; what is wrong with it is a DataProblem that names
    file and line.
    """
    source = ConlluFile(str(path), on_error, ProblemTally() if tally is None else tally)
    line = 1
    for data in standard_chunks(path):
        batch = _parse_batch(data, source.forms)
        if batch is not None:
            source.tally.sentences += len(batch)
            source.tally.words += len(batch.parents)
            yield batch
        elif one_by_one := list(parse_trees(data, line, source)):
            yield TreebankBatch.of(one_by_one)
        line += data.count(b"\n")


def _parse_batch(data: bytes, forms: dict[str, str]) -> TreebankBatch | None:
    """A batch of well-formed sentences; None where something asks for a closer look."""
    if b"\r" in data or b"\0" in data or not _is_utf8(data):
        return None
    rows = _read_whole_lines(data if data.endswith(b"\n") else data + b"\n")
    table = _read_arrow_rows(rows.data, all(rows.texts)) if rows else None
    if rows is None or table is None or table.num_rows != rows.sizes.sum():
        return None
    columns = {name: _column(table, name) for name in table.column_names}
    try:
        return _build_batch(columns, rows.sizes, rows.texts, forms)
    except (ValueError, DataProblem):
        return None


def _is_utf8(data: bytes) -> bool:
    import pyarrow as pa

    ends = pa.py_buffer(np.array([0, len(data)], np.int64))
    text = pa.Array.from_buffers(pa.large_string(), 1, [None, ends, pa.py_buffer(data)])
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


class _Rows(NamedTuple):
    """The rows of sentences without comments and blank lines, how many each sentence has, and the
    raw strings that comments tell.
    """

    data: bytes
    sizes: Ints
    texts: list[str]


def _read_whole_lines(data: bytes) -> _Rows | None:
    """Those of whole lines; None where there are none, or a comment follows a row."""
    array = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(array == _LINE_FEED)
    starts = np.concatenate([[0], ends[:-1] + 1])
    blank, comment = starts == ends, array[starts] == _HASH
    row = ~(blank | comment)
    if not row.any() or (comment[1:] & row[:-1]).any():
        return None
    begins = np.flatnonzero(~blank & np.concatenate([[True], blank[:-1]]))
    sizes = np.add.reduceat(row, begins, dtype=np.int64)
    first = starts[row & ~np.concatenate([[False], row[:-1]])]
    last = ends[row & ~np.concatenate([row[1:], [False]])] + 1
    told = np.full(len(begins), -1)
    lines = np.flatnonzero(comment & (ends - starts >= len(_TOLD)))
    heads = array[starts[lines, None] + np.arange(len(_TOLD))]
    lines = lines[(heads == np.frombuffer(_TOLD, np.uint8)).all(1)]
    told[np.searchsorted(begins, lines, "right") - 1] = lines  # of several the last stays
    whole = sizes > 0
    texts = [
        data[starts[line] + len(_TOLD) : ends[line]].decode().strip()
        if line >= 0
        else split_header(data[start:stop].decode())[2]
        for line, start, stop in zip(told[whole].tolist(), starts[begins[whole]], last, strict=True)
    ]
    return _Rows(b"".join(data[a:b] for a, b in zip(first, last, strict=True)), sizes[whole], texts)


def _read_arrow_rows(data: bytes, texted: bool) -> Any | None:
    """Rows of UTF-8 as a pyarrow table of strings by code; None where a row has not ten cells, or
    an empty one.
    """
    import pyarrow as pa
    from pyarrow import csv

    array = np.frombuffer(data, np.uint8)
    # a tab before a tab or the line's end: an empty cell
    if ((array[:-1] == _TAB) & (array[1:] <= _LINE_FEED)).any():
        return None
    names = [name for name in _COLUMNS if name not in ("deps", "misc")] + (
        [] if texted else ["misc"]
    )
    try:
        return csv.read_csv(
            pa.py_buffer(data),
            read_options=csv.ReadOptions(
                column_names=_COLUMNS, use_threads=False, block_size=len(data) + 1
            ),
            parse_options=csv.ParseOptions(
                delimiter="\t", quote_char=False, double_quote=False, ignore_empty_lines=False
            ),
            convert_options=csv.ConvertOptions(
                include_columns=names,
                column_types=dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string())),
                null_values=[],
                check_utf8=False,
            ),
        )
    except pa.ArrowInvalid:
        return None


def _column(table: Any, name: str) -> CodedStrings:
    column = table.column(name).combine_chunks()
    column = column.chunk(0) if hasattr(column, "chunk") else column
    names = column.dictionary.to_numpy(zero_copy_only=False).tolist()
    return CodedStrings(column.indices.to_numpy().astype(np.int64), names)


def _build_batch(
    columns: dict[str, CodedStrings], sizes: Ints, texts: list[str], forms: dict[str, str]
) -> TreebankBatch:
    """Rows as a batch; a ValueError or DataProblem where they are no numbered trees with
    well-formed features.
    """
    for raw in columns["feats"].names:
        parse_features(raw)
    rows = np.concatenate([[0], np.cumsum(sizes)])
    ids = columns["id"]
    numbers = np.array([int(HEAD_NUMBERS[name]) if name.isdigit() else -1 for name in ids.names])[
        ids.codes
    ]
    real = numbers >= 0
    starts = np.concatenate([[0], np.cumsum(np.add.reduceat(real, rows[:-1], dtype=np.int64))])
    lengths = np.diff(starts)
    first = np.repeat(starts[:-1], lengths)
    position = np.arange(starts[-1])
    if not lengths.all() or not np.array_equal(numbers[real], position - first):
        raise ValueError("ids")
    ranges = _ranges(columns, np.flatnonzero(~real), rows, starts, np.cumsum(real))
    of_words = {
        name: CodedStrings(c.codes[real], c.names) for name, c in columns.items() if name != "id"
    }
    heads = np.fromiter(
        (HEAD_NUMBERS[name] if name != "_" else -2 for name in of_words["head"].names), np.int64
    )[of_words["head"].codes]
    parents, roots, depths = _trees(heads, starts, first, position)
    words = CodedStrings(
        of_words["form"].codes, [forms.setdefault(w, w) for w in of_words["form"].names]
    )
    batch = TreebankBatch(
        starts,
        parents,
        roots,
        depths,
        words,
        of_words["lemma"],
        of_words["upos"],
        of_words["xpos"],
        of_words["feats"],
        of_words["deprel"],
        texts,
    )
    _check_words(batch, ranges)
    return batch if all(texts) else _with_texts(batch, of_words["misc"], ranges)


def _check_words(batch: TreebankBatch, ranges: dict[int, list[MultiwordToken]]) -> None:
    """A ValueError where words are withheld, or a raw string is not made of them."""
    hidden = batch.words.where(lambda name: not name.strip("_"))
    lengths = np.diff(batch.starts)
    many = np.add.reduceat(hidden, batch.starts[:-1], dtype=np.int64)
    if ((2 * many >= lengths) & (lengths > 1)).any():
        raise ValueError("withheld")
    words = batch.words.strings()
    for k, (a, b) in enumerate(pairwise(batch.starts.tolist())):
        text, mine = batch.texts[k], words[a:b]
        plain = k not in ranges and "".join(mine) == text.replace(" ", "")
        if text and not plain and not is_spelled_by(text, mine, ranges.get(k, ())):
            raise ValueError("text")


def _ranges(
    columns: dict[str, CodedStrings], others: Ints, rows: Ints, starts: Ints, before: Ints
) -> dict[int, list[MultiwordToken]]:
    """The multiword tokens by sentence; they and the empty nodes are checked as in `conllu`."""
    extras: dict[int, tuple[list[MultiwordToken], list[tuple[str, ...]]]] = {}
    of = np.searchsorted(rows, others, "right") - 1
    notes = columns.get("misc")
    for row, k in zip(others.tolist(), of.tolist(), strict=True):
        form, name = (columns[c].names[columns[c].codes[row]] for c in ("form", "id"))
        misc = notes.names[notes.codes[row]] if notes else "_"
        add_extra_row(
            [name, form, *"_______", misc],
            int(before[row] - starts[k]),
            extras.setdefault(k, ([], [])),
            "",
        )
    return {
        k: list(check_ranges(ranges, int(starts[k + 1] - starts[k]), ""))
        for k, (ranges, _) in extras.items()
    }


def _trees(heads: Ints, starts: Ints, first: Ints, position: Ints) -> tuple[Ints, Ints, Ints]:
    """Parents, roots and depths of heads (0-based, -1 at roots); a ValueError where a sentence is
    not one tree.
    """
    lengths = np.diff(starts)
    roots = np.flatnonzero(heads == -1)
    if (
        heads.min() < -1
        or (heads >= np.repeat(lengths, lengths)).any()
        or len(roots) != len(lengths)
    ):
        raise ValueError("heads")
    if (roots < starts[:-1]).any() or (roots >= starts[1:]).any():
        raise ValueError("roots")
    parents = np.where(heads < 0, position, heads + first)
    above, way = _ways(parents, int(lengths.max()))
    if not np.array_equal(above, np.repeat(roots, lengths)):
        raise ValueError("a circle")
    return parents, roots, np.maximum.reduceat(way, starts[:-1]) + 1


def _ways(parents: Ints, longest: int) -> tuple[Ints, Ints]:
    """The root above each word, and how many steps lead there, in sentences of at most so many
    words.

    Every word's ancestor and the way to it are doubled at once, so that a few rounds reach all
    roots.
    """
    above, way = parents, (parents != np.arange(len(parents))).astype(np.int64)
    for _ in range(longest.bit_length()):
        way = way + way[above]
        above = above[above]
    return above, way


def _with_texts(
    batch: TreebankBatch, misc: CodedStrings, ranges: dict[int, list[MultiwordToken]]
) -> TreebankBatch:
    """The batch with raw strings rebuilt where no comment told them."""
    words, notes = batch.words.strings(), misc.strings()
    bounds = batch.starts.tolist()
    texts = [
        batch.texts[k] or rebuild_text(words[a:b], notes[a:b], ranges.get(k, ()))
        for k, (a, b) in enumerate(pairwise(bounds))
    ]
    return replace(batch, texts=texts)
