"""Texts as numbers: many rows of words or pieces in one array, and the pieces that a decoder
writes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem
from lingprobe.extend import Ints, compute_offsets, describe_install, expand_ranges
from lingprobe_extensions.train.nets.heads import END_TOKEN_ID, PAD_TOKEN_ID, START_TOKEN_ID

_SPECIAL = ("<s>", "</s>", "<pad>")  # in the order of START, END and PAD


class WordNumbers(dict[str, int]):
    """The number of each word, in the order in which words were first met; one that is asked for
    gets the next.
    """

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class NumberedTexts(NamedTuple):
    """Rows of numbers, one after the other: row i is ids[starts[i]:starts[i + 1]]."""

    ids: NDArray[np.integer[Any]]
    starts: Ints

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]], number_limit: int = 2**31) -> NumberedTexts:
        """Some rows of numbers below `number_limit`."""
        lengths, ids = array("i"), array("H" if number_limit <= 2**16 else "i")
        for row in rows:
            lengths.append(len(row))
            ids.extend(row)
        return cls(
            np.frombuffer(ids, ids.typecode), compute_offsets(np.frombuffer(lengths, np.int32))
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Ints:
        """How long each row is."""
        return np.diff(self.starts)

    def lengths_of(self, rows: Ints) -> Ints:
        """How long some rows are."""
        return self.starts[rows + 1] - self.starts[rows]

    def row(self, i: int) -> NDArray[np.integer[Any]]:
        """One row."""
        return self.ids[self.starts[i] : self.starts[i + 1]]

    def take(self, rows: Ints) -> NumberedTexts:
        """Some rows, in that order."""
        units, starts = expand_ranges(self.starts[rows], self.starts[rows + 1])
        return NumberedTexts(self.ids[units], starts)

    def pad_rows(self, rows: Ints, fill: int) -> NDArray[np.int64]:
        """Some rows as a table [rows, longest]."""
        lengths = self.lengths_of(rows)
        steps = np.arange(int(lengths.max(initial=1)))
        there = steps < lengths[:, None]
        table = np.full(there.shape, fill, np.int64)
        table[there] = self.ids[(self.starts[rows, None] + steps)[there]]
        return table


def join_texts(texts: Sequence[NumberedTexts]) -> NumberedTexts:
    """The rows of some texts, one text after the other."""
    lengths = np.concatenate([part.lengths for part in texts])
    return NumberedTexts(np.concatenate([part.ids for part in texts]), compute_offsets(lengths))


class DecoderVocabulary:
    """What a decoder's text is cut into: parts of words that byte pair encoding finds (Sennrich et
    al. 2016), or words as they stand.
    """

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    @classmethod
    def of(cls, texts: Iterable[str], piece_count: int, whole_words: bool) -> DecoderVocabulary:
        """At most so many pieces of some texts; with `whole_words` words at spaces, rare ones
        excluded.
        """
        try:
            from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
        except ImportError:
            raise DataProblem(f"training needs tokenizers: {describe_install('train')}") from None
        shared: dict[str, Any] = {
            "vocab_size": piece_count,
            "special_tokens": [*_SPECIAL],
            "show_progress": False,
        }
        if whole_words:
            tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))  # noqa: S106
            tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
            shared["special_tokens"] = [*_SPECIAL, "<unk>"]
            trainer: Any = trainers.WordLevelTrainer(**shared)
        else:
            tokenizer = Tokenizer(models.BPE())
            tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
            tokenizer.decoder = decoders.ByteLevel()
            alphabet = pre_tokenizers.ByteLevel.alphabet()
            trainer = trainers.BpeTrainer(initial_alphabet=alphabet, **shared)
        tokenizer.train_from_iterator(texts, trainer)
        return cls(tokenizer)

    @classmethod
    def read(cls, text: str) -> DecoderVocabulary:
        """The pieces that `str` of them gave."""
        from tokenizers import Tokenizer

        return cls(Tokenizer.from_str(text))

    def __str__(self) -> str:
        return str(self.tokenizer.to_str())

    def __len__(self) -> int:
        return int(self.tokenizer.get_vocab_size())

    def encode(self, texts: Iterable[str]) -> NumberedTexts:
        """Each text as pieces between START and END."""
        rows = (
            [START_TOKEN_ID, *encoding.ids, END_TOKEN_ID]
            for part in _group_texts(texts)
            for encoding in self.tokenizer.encode_batch_fast(part, add_special_tokens=False)
        )
        return NumberedTexts.of(rows, len(self))

    def names(self, row: Iterable[int]) -> list[str]:
        """Pieces as they are written, without START, END and PAD."""
        return [self.tokenizer.id_to_token(int(i)) for i in row if i >= len(_SPECIAL)]

    def decode(self, rows: Iterable[Sequence[int]]) -> list[str]:
        """Texts of pieces."""
        return [str(self.tokenizer.decode(list(row))).strip() for row in rows]


def _group_texts(texts: Iterable[str]) -> Iterator[list[str]]:
    """Texts, some thousand at a time."""
    every = iter(texts)
    while part := list(islice(every, 4096)):
        yield part


def compute_perplexities(
    train: NumberedTexts, dev: NumberedTexts, piece_count: int
) -> dict[str, float]:
    """The perplexity of pieces of dev under counts of train: of single ones, and of one after the
    other (add-one, and mixed half and half with the single ones).
    """
    counts = np.bincount(train.ids, minlength=piece_count).astype(np.float64) + 1
    counts[[START_TOKEN_ID, PAD_TOKEN_ID]] = 0
    single = counts / counts.sum()
    before, after = _steps(train)
    pairs, each = np.unique(before * piece_count + after, return_counts=True)
    follow = np.bincount(before, minlength=piece_count)
    b, a = _steps(dev)
    at = np.minimum(np.searchsorted(pairs, b * piece_count + a), len(pairs) - 1)
    seen = np.where(pairs[at] == b * piece_count + a, each[at], 0)
    double = 0.5 * single[a] + 0.5 * (seen + single[a]) / (follow[b] + 1)
    return {
        "unigram": float(np.exp(-np.log(single[a]).mean())),
        "bigram": float(np.exp(-np.log(double).mean())),
    }


def _steps(texts: NumberedTexts) -> tuple[Ints, Ints]:
    """Each piece but the last of its row, and the one after it."""
    inner = np.ones(len(texts.ids), bool)
    inner[texts.starts[1:] - 1] = False
    before = np.flatnonzero(inner)
    return texts.ids[before].astype(np.int64), texts.ids[before + 1].astype(np.int64)
