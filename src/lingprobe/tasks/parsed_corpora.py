"""Files as questions read them: a parsed corpus has sentences and what rules say of each of them,
so that all tasks of the same files read them once. docs/design/columns.md says how.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.files import digest_files
from lingprobe.corpora.machine import read_confidences
from lingprobe.corpora.style import AnnotationStyle
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.corpora.views import Block, read_blocks
from lingprobe.data._closure import root_of
from lingprobe.data.cache import cache_dir
from lingprobe.data.core import DATA_SPLITS, DataProblem, Sentence
from lingprobe.data.digests import digest_texts
from lingprobe.data.vectors import Ints
from lingprobe.store.columns import COLUMNS_FOLDER, COLUMNS_SUFFIX, ColumnOrigin
from lingprobe.tasks.answers import RuleFindings
from lingprobe.tasks.memory import CorpusCache
from lingprobe.tasks.shards import (
    DEPTH_COLUMN,
    LENGTH_COLUMN,
    TEXT_COLUMN,
    WORDS_COLUMN,
    CorpusShard,
    FindingCoder,
    Judge,
    StringLists,
    count_strings,
    decode_sentences,
    list_tuples,
    parse_findings,
)
from lingprobe.tasks.sources import NamedFile

_MIN_COLUMN_FILE_BYTES = 32 << 20  # bytes of files from which on their columns are kept on disk

S = TypeVar("S", bound=np.generic)


@dataclass(frozen=True)
class ParsedCorpus:
    """The sentences of some files and what rules say of them, in columns that are read when they
    are asked for.

    sources   the files; shards: the columns of each
    rows      which of all their sentences it has, ascending; None: all
    splits    [sentences] 0 train, 1 dev, 2 test as the files' names say, -1 where they do not
    whole     whether forms are counted in the sentences that it has not, too
    left_out  sentences by reason
    noted     what is said of it beside what was counted while it was read
    """

    sources: tuple[NamedFile, ...]
    shards: tuple[CorpusShard, ...]
    splits: NDArray[np.int8]
    rows: Ints | None = None
    whole: bool = False
    left_out: Mapping[str, int] = field(default_factory=dict)
    noted: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.splits)

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the files."""
        return tuple(str(source.part.path) for source in self.sources)

    @cached_property
    def tally(self) -> ProblemTally:
        """What was counted while they were read."""
        tally = ProblemTally()
        for shard in self.shards:
            tally.add(shard.counts.tally)
        tally.noted += self.noted
        return tally

    def names(self, rows: Ints) -> list[str]:
        """The names of the sources that some sentences are reported by."""
        return [self.sources[file].name for file in self.number_files(rows).tolist()]

    def number_files(self, rows: Ints) -> Ints:
        """Which of the files some sentences are of."""
        rows = rows if self.rows is None else self.rows[rows]
        starts = np.cumsum([0, *map(len, self.shards)])
        return np.searchsorted(starts, rows, "right") - 1

    def mine(self, values: NDArray[S]) -> NDArray[S]:
        """Of values of all sentences of the files those of the corpus."""
        return values if self.rows is None else values[self.rows]

    def columns(self, *names: str) -> tuple[Ints, ...]:
        """Columns of a number a sentence."""
        columns = [np.empty(sum(map(len, self.shards)), np.int64) for _ in names]
        first = 0
        for group in (group for shard in self.shards for group in shard.groups(*names)):
            for column, name in zip(columns, names, strict=True):
                column[first : first + len(group)] = group.column(name).to_numpy()
            first += len(group)
        return tuple(map(self.mine, columns))

    def findings(self, rule: str) -> RuleFindings:
        """What a rule says of each sentence."""
        import pyarrow as pa

        arrays = [
            array
            for shard in self.shards
            for group in shard.groups(rule)
            for array in group.column(rule).chunks
        ]
        column = pa.chunked_array(arrays).unify_dictionaries()  # distinct ones as they appear
        codes = np.concatenate([array.indices.to_numpy() for array in column.chunks])
        return RuleFindings.of(
            self.mine(codes), parse_findings(column.chunk(0).dictionary.to_pylist())
        )

    def words(self) -> Iterator[StringLists]:
        """The words of the sentences, some thousand sentences at once."""
        for group in self._groups(self.rows, WORDS_COLUMN):
            yield StringLists.of(group.column(WORDS_COLUMN))

    def read(self, *more: str) -> Iterator[tuple[list[Sentence], list[list[tuple[str, ...]]]]]:
        """The sentences, some thousand at once, with further columns of lists."""
        for group in self._groups(self.rows, WORDS_COLUMN, TEXT_COLUMN, *more):
            yield decode_sentences(group), [list_tuples(group.column(name)) for name in more]

    def read_rows(
        self, rows: Ints, *more: str
    ) -> tuple[list[Sentence], list[list[tuple[str, ...]]]]:
        """Some sentences by their rows, in any order, with further columns of lists."""
        rows = rows if self.rows is None else self.rows[rows]
        order = np.argsort(rows)
        columns: list[list[Any]] = [[] for _ in range(1 + len(more))]
        for group in self._groups(rows[order], WORDS_COLUMN, TEXT_COLUMN, *more):
            columns[0] += decode_sentences(group)
            for column, name in zip(columns[1:], more, strict=True):
                column.extend(list_tuples(group.column(name)))
        place = np.argsort(order)
        first, *others = ([column[i] for i in place] for column in columns)
        return first, others

    def _groups(self, rows: Ints | None, *columns: str) -> Iterator[Any]:
        """Tables of some columns of some rows of all sentences, given in order; None: of all."""
        first = 0
        for shard in self.shards:
            for number, size in enumerate(shard.sizes):
                if rows is None:
                    yield shard.group(number, columns)
                else:
                    a, b = np.searchsorted(rows, (first, first + size))
                    if b > a:
                        yield shard.group(number, columns).take(rows[a:b] - first)
                first += size

    @cached_property
    def forms(self) -> Mapping[str, int]:
        """How often each word form occurs."""
        return count_strings(
            group.column(WORDS_COLUMN)
            for group in self._groups(None if self.whole else self.rows, WORDS_COLUMN)
        )

    @cached_property
    def confidences(self) -> NDArray[np.float64]:
        """How sure a parser was of each sentence; NaN where it does not say."""
        sure: list[float] = []
        for source, shard in zip(self.sources, self.shards, strict=True):
            known = read_confidences([source.part.path])
            for group in shard.groups(WORDS_COLUMN):
                words = list_tuples(group.column(WORDS_COLUMN))
                sure += (known.get(hash(each), np.nan) for each in words)
        return self.mine(np.array(sure))

    def surer(self, least: float) -> ParsedCorpus:
        """`min_confidence`: the sentences of which a parser was at least so sure; what that makes
        of them is said.

        DataProblem where no parser told how sure it was.
        """
        known = self.confidences
        if np.isnan(known).all():
            raise DataProblem(
                f"min_confidence={least}: {self.files[0]} does not give the confidence of a parser"
            )
        rows = np.flatnonzero(known >= least)
        if not len(rows):
            raise DataProblem(
                f"min_confidence={least}: the parser has no sentence with this confidence; the"
                f" highest is {np.nanmax(known):.2f}"
            )
        return self.part(rows, noted=(*self.noted, self._bias(least, rows)))

    def part(self, rows: Ints, **changed: Any) -> ParsedCorpus:
        """Some of its sentences, by ascending rows."""
        mine = rows if self.rows is None else self.rows[rows]
        return replace(self, rows=mine, **{"splits": self.splits[rows], **changed})

    def _bias(self, least: float, rows: Ints) -> str:
        """What the surer sentences are like, beside all."""
        lengths, depths = self.columns(LENGTH_COLUMN, DEPTH_COLUMN)
        deep = (
            f", and trees are {depths[rows].mean():.1f} deep, not {depths.mean():.1f}"
            if depths.any()
            else ""
        )
        return (
            f"min_confidence={least:g} keeps {100 * len(rows) / len(lengths):.0f} % of the"
            f" sentences; they have {lengths[rows].mean():.1f} words, all have"
            f" {lengths.mean():.1f}{deep}"
        )

    def styles(self) -> dict[str, AnnotationStyle]:
        """The style of annotation of each file."""
        return {
            file: shard.counts.style for file, shard in zip(self.files, self.shards, strict=True)
        }

    def foreign_values(self, read: Collection[str]) -> str:
        """Which features have none of UD's values, in words; '' where all have some."""
        styles = self.styles().values()
        return "; ".join(filter(None, (style.foreign_values(read) for style in styles)))

    def refuse_first_release(self) -> None:
        """A DataProblem where a treebank has the relations of release 1, which rules about
        relations would misread.
        """
        for path, style in self.styles().items():
            if old := style.first_release():
                raise DataProblem(
                    f"{path} {old}, and this is about relations of release 2: get a newer release"
                    " of the treebank, or convert it"
                )

    def nothing(self, which: str = "sentences") -> DataProblem:
        """What is raised where there are none."""
        problems = self.tally.problems
        first = f"; the first problem: {problems[0]}" if problems else ""
        return DataProblem(f"no {which} in {', '.join(self.files)}{first}")


def is_large(paths: Iterable[Path]) -> bool:
    """Whether what is made of some files is too much to be kept in memory."""
    return sum(path.stat().st_size for path in paths) > _MIN_COLUMN_FILE_BYTES


Reads = Callable[[Path, OnError, ProblemTally], Iterable[Block]]
"""The sentences of a file, and what is counted of the others."""


def read_all_sentences(path: Path, on_error: OnError, tally: ProblemTally) -> Iterator[Block]:
    """All sentences of a file."""
    return read_blocks(path, on_error, tally)


@dataclass(frozen=True, slots=True)
class SentenceRules:
    """What is put to the sentences of a file.

    judge    what they say; roots: where its code begins
    options  what else decides it, as text; None: it cannot be told, and nothing is kept on disk
    """

    judge: Judge
    roots: tuple[str, ...]
    options: str | None = ""

    @property
    def code_version(self) -> ColumnOrigin:
        """The code that decides columns."""
        return ColumnOrigin.now((root_of(parsed_corpus), *self.roots))

    def place(self, path: Path, on_error: OnError) -> Path | None:
        """Where columns of a file are kept on disk, under what stands for all that decides them."""
        if self.options is None:
            return None
        name = digest_texts(self.code_version.code, self.options, on_error, digest_files([path]))
        return cache_dir() / COLUMNS_FOLDER / f"{name}{COLUMNS_SUFFIX}"


def parsed_corpus(
    files: Sequence[NamedFile],
    on_error: OnError,
    rules: SentenceRules | Callable[[Path], SentenceRules],
    reads: Reads = read_all_sentences,
) -> ParsedCorpus:
    """The sentences of some files, and what rules say of them; rules may depend on the file's name,
    which tells the language.

    Large files are gone through in random order, so that several processes do different ones.
    """
    paths = [source.part.path for source in files]
    large = is_large(paths)
    known = FindingCoder()
    of_files = [rules if isinstance(rules, SentenceRules) else rules(path) for path in paths]
    shards = tuple(
        CorpusShard(
            partial(reads, path, on_error),
            of_file.judge,
            known,
            of_file.place(path, on_error) if large else None,
            of_file.code_version if large else None,
        )
        for path, of_file in zip(paths, of_files, strict=True)
    )
    for shard in random.SystemRandom().sample(shards, len(shards)) if large else shards:
        shard.make()
    codes = [DATA_SPLITS.index(source.part.split) if source.part.split else -1 for source in files]
    splits = np.repeat(np.array(codes, np.int8), list(map(len, shards)))
    corpus = ParsedCorpus(tuple(files), shards, splits)
    if not len(corpus):
        raise corpus.nothing()
    return corpus


CORPUS_CACHE: CorpusCache[ParsedCorpus] = CorpusCache()
"""The corpora that were read last."""
