"""Sentences, examples about them, and data sets of examples in columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.digests import hash_bytes
from lingprobe.data.errors import DataProblem
from lingprobe.data.labels import Column, Label, build_column
from lingprobe.data.notes import DatasetNotes, NotePart
from lingprobe.data.vectors import Ints, Vectors

DATA_SPLITS = ("train", "dev", "test")


class EncoderStop(DataProblem):
    """An encoder must not go on; other errors leave out the sentences that they come from."""


class PartRefused(DataProblem):
    """Sentences that have no vectors, among others that have some.

    vectors  of all sentences, with zeros for those without
    reasons  why each of these has none, by its number
    """

    def __init__(self, vectors: Vectors, reasons: Mapping[int, str]) -> None:
        super().__init__(next(iter(reasons.values())))
        self.vectors, self.reasons = vectors, reasons


class ChatTurn(NamedTuple):
    """What one role says in a conversation."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words in order, and the raw text; of a conversation its turns as well, whose contents are the
    text, a line each.
    """

    words: tuple[str, ...]
    text: str
    turns: tuple[ChatTurn, ...] = ()
    _key: bytes | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def of(
        cls, words: Iterable[str], text: str | None = None, turns: Iterable[Sequence[str]] = ()
    ) -> Sentence:
        """A sentence from its words; without a raw text they are joined with spaces.

        turns  of a conversation, a role and a content each
        """
        words = tuple(words)
        known = tuple(ChatTurn(role, content) for role, content in turns)
        return cls(words, " ".join(words) if text is None else text, known)

    @property
    def plain(self) -> tuple[Any, ...]:
        """What `of` makes the sentence of again, as JSON has it."""
        text = None if self.text == " ".join(self.words) else self.text
        return (self.words, text, self.turns) if self.turns else (self.words, text)

    @property
    def key(self) -> bytes:
        """A hash of words, text and turns, 16 bytes; the key of cached vectors."""
        if self._key is None:  # every fit over a sentence asks for it
            object.__setattr__(self, "_key", self._digest())
        return cast(bytes, self._key)

    def _digest(self) -> bytes:
        # so that no two sentences run together
        lengths = ",".join(str(len(word)) for word in self.words)
        content = f"{lengths};{''.join(self.words)}{self.text}"
        for role, said in self.turns:
            content += f"\0{len(role)},{len(said)};{role}{said}"
        return hash_bytes(content.encode("utf-8", "surrogatepass"), 16)


class Site(NamedTuple):
    """A whole sentence, or the words span[0]:span[1] of it."""

    sentence: Sentence
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """A label about one or more sites.

    label   a class (str), a score (float), a set of labels, or a mapping of labels to weights (only
            those annotated)
    split   'train', 'dev' or 'test'
    asked   the words that the question is about, in order, one slot each
    strata  tags to report by: target form, distance, construction, seen or unseen
    """

    sites: tuple[Site, ...]
    label: Label
    split: str = "train"
    asked: tuple[str, ...] = ()
    strata: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def about(
        cls, sentence: Sentence, label: Label, split: str = "train", **strata: str
    ) -> Example:
        """A label about one whole sentence."""
        return cls((Site(sentence),), label, split, strata=strata)


@dataclass(frozen=True, slots=True)
class Tags:
    """One tag per example: codes [n] into names, -1 for none."""

    codes: Ints
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: Iterable[str | None]) -> Tags:
        """Tags from names, in order of appearance; None for no tag."""
        numbers: dict[str | None, int] = {None: -1}
        codes = [numbers.setdefault(value, len(numbers) - 1) for value in values]
        return cls(np.array(codes, np.int64), tuple(name for name in numbers if name is not None))

    def take(self, rows: Ints) -> Tags:
        """The tags of the examples rows [k]."""
        return Tags(self.codes[rows], self.names)

    def without_unused(self) -> Tags:
        """The same without names that no example has."""
        used = np.unique(self.codes[self.codes >= 0])
        codes = np.where(self.codes < 0, -1, np.searchsorted(used, self.codes))
        return Tags(codes, tuple(self.names[i] for i in used))


_NO_TAGS: Mapping[str, Tags] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Dataset:
    """Examples in columns.

    sentences   the distinct sentences
    sites       [examples, sites, 3] int64: sentence, start, stop; start and stop are -1 for a whole
                sentence
    labels      one label column (classes, scores, or label sets)
    splits      [examples] int8: 0 train, 1 dev, 2 test
    asked       [examples, slots] int64 into vocabulary
    vocabulary  the asked words
    strata      tags to report by
    notes       counts from building the data set: kept, excluded and why, correlations; always
                shown
    clusters    the tags whose examples were sampled together, as those of a sentence and of the
                words of a span always are
    """

    sentences: tuple[Sentence, ...]
    sites: Ints
    labels: Column
    splits: NDArray[np.int8]
    asked: Ints
    vocabulary: tuple[str, ...] = ()
    strata: Mapping[str, Tags] = field(default_factory=dict)
    notes: DatasetNotes = field(default_factory=DatasetNotes)
    clusters: tuple[str, ...] = ("target", "pair")

    def __post_init__(self) -> None:
        if not isinstance(self.notes, DatasetNotes):  # of whoever writes a plain mapping
            object.__setattr__(self, "notes", DatasetNotes(self.notes))

    @classmethod
    def of_columns(
        cls,
        sentences: Iterable[Sentence],
        sites: Ints,
        labels: Column | Sequence[Label],
        splits: Sequence[int] | NDArray[Any],
        *,
        asked: tuple[Ints, Iterable[str]] | None = None,
        strata: Mapping[str, Tags | Sequence[str | None]] = _NO_TAGS,
    ) -> Dataset:
        """A data set from columns. DataProblem for a span that is empty or outside its sentence.

        sites   [examples, sites, 3] as of data sets, or [examples] the numbers of whole sentences
        labels  a column, or a label an example
        splits  [examples] as of data sets; -1 where the source does not say
        asked   [examples, slots] codes, and the words that they stand for
        strata  tags, or a name an example, None where there is none
        """
        known = tuple(sentences)
        if sites.ndim == 1:
            sites = np.stack([sites, *np.full((2, len(sites)), -1)], 1)[:, None]
        _check_spans(sites, known)
        words, vocabulary = asked or (np.empty((len(sites), 0), np.int64), ())
        return cls(
            known,
            sites,
            labels if isinstance(labels, Column) else build_column(labels),
            np.asarray(splits, np.int8),
            words,
            tuple(vocabulary),
            {key: v if isinstance(v, Tags) else Tags.of(v) for key, v in strata.items()},
        )

    @classmethod
    def of(cls, examples: Iterable[Example], notes: Mapping[str, Any] | None = None) -> Dataset:
        """A data set from examples. DataProblem for none, and for one unlike the first."""
        listed = list(examples)
        if not listed:
            raise DataProblem("no examples: the task's question has no answer in the data")
        numbers: dict[Sentence, int] = {}
        vocabulary: dict[str, int] = {}
        shape = (len(listed[0].sites), len(listed[0].asked))
        sites = np.empty((len(listed), shape[0], 3), np.int64)
        asked = np.empty((len(listed), shape[1]), np.int64)
        for i, example in enumerate(listed):
            _check_example(example, shape, i)
            for k, (sentence, span) in enumerate(example.sites):
                sites[i, k] = (numbers.setdefault(sentence, len(numbers)), *(span or (-1, -1)))
            asked[i] = [vocabulary.setdefault(word, len(vocabulary)) for word in example.asked]
        keys = sorted({key for example in listed for key in example.strata})
        return cls.of_columns(
            numbers,
            sites,
            [example.label for example in listed],
            [DATA_SPLITS.index(example.split) for example in listed],
            asked=(asked, vocabulary),
            strata={key: [example.strata.get(key) for example in listed] for key in keys},
        ).with_notes(**(notes or {}))

    def __len__(self) -> int:
        return len(self.sites)

    @property
    def of_sentences(self) -> bool:
        """Whether each example is one whole sentence."""
        return self.sites.shape[1] == 1 and not (self.sites[:, :, 1] >= 0).any()

    def one_hot_asked(self) -> NDArray[np.float32]:
        """The asked words one-hot, one block a slot, [examples, slots x vocabulary]."""
        size = len(self.vocabulary)
        hot = np.zeros((len(self), self.asked.shape[1] * size), np.float32)
        for slot, words in enumerate(self.asked.T):
            hot[np.arange(len(self)), slot * size + words] = 1
        return hot

    def rows(self, split: str) -> Ints:
        """Which examples [k] belong to a split, in order."""
        return np.flatnonzero(self.splits == DATA_SPLITS.index(split))

    def examples(self) -> Iterator[Example]:
        """The examples one by one, with labels by name."""
        for i in range(len(self)):
            sites = tuple(
                Site(self.sentences[s], None if a < 0 else (int(a), int(b)))
                for s, a, b in self.sites[i]
            )
            strata = {k: t.names[t.codes[i]] for k, t in self.strata.items() if t.codes[i] >= 0}
            asked = tuple(self.vocabulary[w] for w in self.asked[i])
            yield Example(sites, self.labels.label(i), DATA_SPLITS[self.splits[i]], asked, strata)

    def take(self, rows: Ints) -> Dataset:
        """The examples rows [k], in that order, over the same sentences."""
        strata = {key: tags.take(rows) for key, tags in self.strata.items()}
        columns: dict[str, Any] = {
            "sites": self.sites[rows],
            "splits": self.splits[rows],
            "asked": self.asked[rows],
        }
        return replace(self, labels=self.labels.take(rows), strata=strata, **columns)

    def with_notes(self, *parts: NotePart, **notes: Any) -> Dataset:
        """The same examples with more notes."""
        return replace(self, notes=self.notes.plus(*parts, **notes))


def add_remarks(dataset: Dataset, *remarks: str) -> Dataset:
    """The same data set with more to say below its scores."""
    return dataset.with_notes(remarks=[*dataset.notes.remarks, *remarks])


def _check_example(example: Example, shape: tuple[int, int], i: int) -> None:
    if example.split not in DATA_SPLITS:
        raise DataProblem(
            f"example {i}: split {example.split!r} is not one of {', '.join(DATA_SPLITS)}"
        )
    if (len(example.sites), len(example.asked)) != shape:
        own = (len(example.sites), len(example.asked))
        raise DataProblem(
            f"example {i} has {own[0]} sites and {own[1]} asked words, the first has {shape[0]}"
            f" and {shape[1]}"
        )


def _check_spans(sites: Ints, sentences: tuple[Sentence, ...]) -> None:
    number, start, stop = np.moveaxis(sites, 2, 0)
    if (start == -1).all() and (stop == -1).all():
        return
    sizes = np.array([len(s.words) for s in sentences], np.int64)[number]
    inside = (start >= 0) & (start < stop) & (stop <= sizes)
    for i, k in np.argwhere(~(inside | ((start == -1) & (stop == -1)))).tolist():
        sentence = sentences[number[i, k]]
        raise DataProblem(
            f"example {i}: span ({start[i, k]}, {stop[i, k]}) is outside a sentence of"
            f" {len(sentence.words)} words: {sentence.text[:60]!r}"
        )
