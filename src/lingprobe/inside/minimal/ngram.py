"""The probability of a sentence by counts of words in a corpus: the baseline of minimal pairs that
needs no grammar.

Probabilities of unigrams, bigrams and so on are interpolated as Witten & Bell (1991) have it: the
more different words were seen behind a context, the more weight the shorter context has.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np

from lingprobe.corpora import text
from lingprobe.corpora.files import digest_files
from lingprobe.data.checks import check_number
from lingprobe.data.core import Sentence
from lingprobe.data.options import Help
from lingprobe.data.oracles import Kind
from lingprobe.data.reading import MARGIN_VIEW
from lingprobe.data.vectors import Vectors
from lingprobe.inside.minimal.scores import score_vectors

_START, _END = "<s>", "</s>"
Gram = tuple[str, ...]


@dataclass(frozen=True)
class NGramCounts:
    """How often each n-gram was seen, and behind each context how many words, and how many that
    differ.
    """

    order: int
    grams: Counter[Gram]
    seen: Counter[Gram]
    different: Counter[Gram]

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], order: int) -> NGramCounts:
        """The counts of some sentences, ignoring case."""
        grams = Counter[Gram]()
        for words in sentences:
            row = _pad(words, order)
            for end in range(order, len(row) + 1):
                grams.update(row[end - n : end] for n in range(1, order + 1))
        seen, behind = Counter[Gram](), defaultdict[Gram, int](int)
        for gram, count in grams.items():
            seen[gram[:-1]] += count
            behind[gram[:-1]] += 1
        return cls(order, grams, seen, Counter(behind))

    def log_probability(self, words: Sequence[str]) -> float:
        """The log-probability of a sentence and its end."""
        row = _pad(words, self.order)
        return sum(
            math.log(self._probability(row[end - self.order : end]))
            for end in range(self.order, len(row) + 1)
        )

    def _probability(self, gram: Gram) -> float:
        """Interpolated as by Witten & Bell: of the last word of an n-gram behind the others; a word
        that was never seen shares its weight with all of these.
        """
        probability = 1 / (self.different[()] + 1)
        for n in range(1, len(gram) + 1):
            context = gram[-n:-1] if n > 1 else ()
            seen, different = self.seen[context], self.different[context]
            if seen:
                part = self.grams[gram[-n:]] + different * probability
                probability = part / (seen + different)
        return probability


def _pad(words: Sequence[str], order: int) -> Gram:
    return (*[_START] * (order - 1), *(word.casefold() for word in words), _END)


@lru_cache(maxsize=2)
def _load_counts(path: Path, content: str, order: int) -> NGramCounts:
    return NGramCounts.of((sentence.words for sentence in text.read_running_text(path)), order)


@dataclass(frozen=True)
class NGramModel:
    """The log-probability of a sentence by n-grams of words in a corpus, one sentence a line: the
    baseline of minimal pairs.
    """

    path: Path
    order: Annotated[
        int,
        Help("1: single words; 3: each word behind the two before it"),
    ] = field(default=3, kw_only=True)
    own_view: ClassVar[str] = MARGIN_VIEW
    kind: ClassVar[Kind] = "baseline"
    takes = "sentences"

    def __post_init__(self) -> None:
        check_number("ngram,order", self.order, "1", "words of an n-gram")

    @property
    def name(self) -> str:
        return f"ngram:{self.path.name},order={self.order}"

    @property
    def fingerprint(self) -> str:
        """A hash of the corpus."""
        return f"{digest_files([self.path.expanduser()])} {self.order}"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        counts = _load_counts(self.path.expanduser(), self.fingerprint, self.order)
        said = [counts.log_probability(sentence.words) for sentence in sentences]
        return score_vectors(np.array(said, np.float64))
