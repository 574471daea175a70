"""A tagger trained on tagged sentences: it tells the tag of a word by its form and by the words
around it.

Every word is described by features (`_TEMPLATES`), looked up for each distinct form and laid out
for all tokens at once, and a linear classifier (scikit-learn's averaged stochastic gradient
descent) reads them. Neighbours count by the tag that they mostly have, so no word waits for the tag
of another, and millions of words are tagged in a minute.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem
from lingprobe.extend import (
    Floats,
    Ints,
    ProblemTally,
    read_running_text,
    read_tagged_text,
    show_progress,
    tokenize_words,
)
from lingprobe_extensions.train.parsers.tagged import check_tagged_suffix, write_tagged

Words = Sequence[str]
Example = tuple[Words, Sequence[str]]

_BLOCK = 20_000  # sentences tagged at once
_HELD_OUT = 10  # one stretch of so many is kept for testing
_STRETCH = 100  # sentences; neighbouring ones are of one text
_LEAST = 2  # tokens with a feature that is learnt
_FORM = ("word", "lower", "tail1", "tail2", "tail3", "tail4", "head2", "shape", "usual")
_TEMPLATES: tuple[tuple[tuple[str, int], ...], ...] = (
    *(((column, 0),) for column in _FORM),
    (("shape", 0), ("usual", -1)), (("lower", -1),), (("lower", 1),), (("lower", -2),), (("lower",
    2),),
    (("tail3", -1),), (("tail3", 1),), (("usual", -1),), (("usual", 1),), (("usual", -1),
    ("usual", 1)), (("usual", -2), ("usual", -1)),
    (("usual", 1), ("usual", 2)), (("usual", 0), ("usual", -1)), (("usual", 0), ("usual", 1)),
    (("lower", -1), ("lower", 0)),
    (("lower", 0), ("lower", 1)), (("usual", -1), ("tail3", 0)),
)  # fmt: skip
_MIX = np.uint64(0x9E3779B97F4A7C15)
# marks of print, as tagged corpora have them
_TYPED = dict.fromkeys("‘’“”", '"') | dict.fromkeys("—–", "--")


@dataclass(frozen=True, eq=False)
class LinearTagger:
    """What was learnt: tags; weights [features + 1, tags], the last row for features never seen,
    and bias [tags]; each form's usual tag.
    """

    tags: tuple[str, ...]
    keys: NDArray[np.uint64]
    weights: Floats
    bias: Floats
    usual: dict[str, str]

    def tag(self, sentences: Sequence[Words]) -> Iterator[tuple[str, ...]]:
        """The tags of each sentence's words, in order."""
        for block in _batch_sentences(sentences, _BLOCK):
            features = _hash_token_features(block, self.usual)
            places = np.minimum(np.searchsorted(self.keys, features), len(self.keys) - 1)
            places[self.keys[places] != features] = len(self.keys)
            scores = np.tile(self.bias, (len(features), 1))
            for column in places.T:
                scores += self.weights[column]
            names = iter([self.tags[i] for i in scores.argmax(1)])
            for words in block:
                yield tuple(islice(names, len(words)))


def train_tagger(
    examples: Sequence[Example], seed: int = 0, epochs: int = 3, progress: bool = False
) -> LinearTagger:
    """A tagger; the same examples and seed give the same one."""
    if not examples:
        raise DataProblem("no tagged sentences to train a tagger on")

    usual = _usual(examples)
    keys, table = _count_frequent_features(
        _hash_token_features([words for words, _ in examples], usual)
    )
    names, labels = np.unique([tag for _, tags in examples for tag in tags], return_inverse=True)
    if len(names) < 2:
        raise DataProblem(f"all words have the tag {names[0]}: nothing can be learnt from that")
    weights = np.zeros((len(keys) + 1, len(names)), np.float32)
    bias = np.zeros(len(names), np.float32)
    for k in show_progress(progress, range(len(names)), desc="learning to tag", unit=" tags"):
        weights[:-1, k], bias[k] = _told_apart(table, labels == k, seed, epochs)
    return LinearTagger(tuple(map(str, names)), keys, weights, bias, usual)


def _count_frequent_features(features: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], Any]:
    """The features that are frequent enough, in order, and which of them each token has, a sparse
    matrix [tokens, features].
    """
    from scipy.sparse import csr_matrix

    keys, counts = np.unique(features, return_counts=True)
    keys = keys[counts >= _LEAST]
    places = np.minimum(np.searchsorted(keys, features), len(keys) - 1)
    known = keys[places] == features
    columns = places[known].astype(np.int32)
    cells = np.ones(len(columns), np.float32), columns, np.r_[0, np.cumsum(known.sum(1))]
    return keys, csr_matrix(cells, (len(features), len(keys)))


@dataclass(frozen=True, slots=True)
class TaggedText:
    """What became of running text.

    accuracy    share of the `tested` held-out words that are tagged as in the source
    skipped     lines that were excluded; `problem` says why the first was
    """

    path: Path
    accuracy: float
    tested: int
    sentences: int
    words: int
    skipped: int = 0
    problem: str = ""


def tag_text(
    texts: Iterable[str | Path],
    source: str | Path,
    output: str | Path,
    seed: int,
    on_error: Literal["raise", "skip"],
    progress: bool,
) -> TaggedText:
    """Tag running text, by a tagger trained on a tagged source, and write it."""
    check_tagged_suffix(output)
    tally = ProblemTally()
    examples, test = split_tagged_examples(
        [(sentence.words, tags) for sentence, tags in read_tagged_text(source, on_error, tally)]
    )
    read = (sentence for path in texts for sentence in read_running_text(path, on_error, tally))
    sentences = [words for sentence in read if (words := tokenize_words(sentence.words))]
    tagger = train_tagger(examples, seed, progress=progress)
    tags = show_progress(
        progress,
        tagger.tag(sentences),
        desc="tagging",
        total=len(sentences),
        unit=" sentences",
    )
    write_tagged(output, zip(sentences, tags, strict=True))
    return TaggedText(
        Path(output),
        compute_tag_accuracy(tagger, test),
        sum(len(words) for words, _ in test),
        len(sentences),
        sum(map(len, sentences)),
        tally.skipped,
        next(iter(tally.problems), ""),
    )


def _told_apart(
    table: Any, labels: NDArray[np.bool_], seed: int, epochs: int
) -> tuple[Floats, float]:
    """Weights and a bias that tell one tag from the rest, with the margin and the constant step of
    an averaged perceptron.
    """
    from sklearn.linear_model import SGDClassifier

    step = {"learning_rate": "constant", "eta0": 0.1, "penalty": None}
    model: Any = SGDClassifier(
        loss="hinge", max_iter=epochs, tol=None, average=True, random_state=seed, **step
    )
    model.fit(table, labels)
    return model.coef_[0], float(model.intercept_[0])


def compute_tag_accuracy(tagger: LinearTagger, examples: Sequence[Example]) -> float:
    """The share of words that get the tag they have."""
    guesses = tagger.tag([words for words, _ in examples])
    right = [
        a == b
        for guess, (_, tags) in zip(guesses, examples, strict=True)
        for a, b in zip(guess, tags, strict=True)
    ]
    return float(np.mean(right))


def split_tagged_examples(examples: Iterable[Example]) -> tuple[list[Example], list[Example]]:
    """What to learn from, and what to test on: every tenth stretch of a hundred sentences, or the
    last tenth of a few.
    """
    listed = list(examples)
    stretch = max(1, min(_STRETCH, len(listed) // _HELD_OUT))
    test = [i // stretch % _HELD_OUT == _HELD_OUT - 1 for i in range(len(listed))]
    return [e for e, t in zip(listed, test, strict=True) if not t], [
        e for e, t in zip(listed, test, strict=True) if t
    ]


def _usual(examples: Sequence[Example]) -> dict[str, str]:
    """The tag that each form mostly has."""
    counts: Counter[tuple[str, str]] = Counter()
    for words, tags in examples:
        counts.update(zip(words, tags, strict=True))
    usual: dict[str, str] = {}
    for (word, tag), _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        usual.setdefault(word, tag)
    return usual


def _hash_token_features(sentences: Sequence[Words], usual: dict[str, str]) -> NDArray[np.uint64]:
    """The features of every token, [tokens, templates], each a number of 64 bits."""
    numbers: dict[str, int] = {}
    sizes = np.fromiter(map(len, sentences), np.int64, len(sentences))
    codes = (numbers.setdefault(w, len(numbers)) for words in sentences for w in words)
    forms = np.fromiter(codes, np.int64, int(sizes.sum()))
    table = np.array([_hash_form(word, usual) for word in [*numbers, ""]], np.uint64)
    around = _shift_forms(forms, sizes, len(numbers))
    features = np.empty((len(forms), len(_TEMPLATES)), np.uint64)
    for i, template in enumerate(_TEMPLATES):
        columns = [table[around[offset], _FORM.index(column)] for column, offset in template]
        features[:, i] = _mix_columns(np.full(len(forms), i + 1, np.uint64), columns)
    return features


def _mix_columns(
    mixed: NDArray[np.uint64], columns: Sequence[NDArray[np.uint64]]
) -> NDArray[np.uint64]:
    """Numbers that stand for all columns, in their order."""
    for column in columns:
        mixed = (mixed ^ column) * _MIX
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _shift_forms(forms: Ints, sizes: Ints, nothing: int) -> dict[int, Ints]:
    """The form that stands so far from each token in its sentence, by the distance."""
    sentence, places = np.repeat(np.arange(len(sizes)), sizes), np.arange(len(forms))
    around = {}
    for k in _OFFSETS:
        beside = np.clip(places + k, 0, len(forms) - 1)
        inside = (beside == places + k) & (sentence[beside] == sentence)
        around[k] = np.where(inside, forms[beside], nothing)
    return around


_OFFSETS = (-2, -1, 0, 1, 2)


def _hash_form(word: str, usual: dict[str, str]) -> list[int]:
    """Numbers that stand for a form's columns, in the order of `_FORM`."""
    word = _TYPED.get(word, word)
    lower = word.lower()
    tag = usual.get(word) or usual.get(lower) or f"?{lower[-2:]}{word[:1].isupper()}"
    values = (
        word,
        lower,
        word[-1:],
        lower[-2:],
        lower[-3:],
        lower[-4:],
        lower[:2],
        _get_word_shape(word),
        tag,
    )
    return [zlib.crc32(value.encode("utf-8", "surrogatepass")) << 8 for value in values]


def _get_word_shape(word: str) -> str:
    """What a form is made of: X capital, x small, d digit, the rest as it stands; runs are written
    once or twice.
    """
    return re.sub(
        r"(.)\1{2,}",
        r"\1\1",
        "".join(
            "X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in word
        ),
    )


def _batch_sentences(sentences: Sequence[Words], size: int) -> Iterator[Sequence[Words]]:
    for start in range(0, len(sentences), size):
        yield sentences[start : start + size]
