"""Texts that differ in case, punctuation, numbers or spaces alone. They stay together in folds and
count together in intervals: who has trained on one knows the other's label.

They are never taken for one text, as "Is he here?" and "Is he here." need not have one label.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import regex
from numpy.typing import NDArray

from lingprobe.data.core import Dataset
from lingprobe.data.vectors import Ints
from lingprobe.datasets.groups import connect_rows, find_disputed_rows, number_equal_rows

_LARGEST_SHARE = 0.1  # of the examples: larger groups are those of a template
MIN_GROUP_COUNT = 10
_TOLD_SHARE = 0.01  # of the texts that are near-equal, from which on it is said
_LONGEST_EXAMPLE = 60  # characters
_NUMBER = r"(?<![\p{L}\p{M}\p{N}])\p{N}+(?![\p{L}\p{M}\p{N}])"  # no part of a word, as in w2
_MAX_FOLDED_TEXTS = 200_000
_IGNORED = {
    "case, punctuation, numbers or spaces": regex.compile(rf"{_NUMBER}|[\p{{P}}\p{{Z}}\p{{Cc}}]+"),
    "case, punctuation or spaces": regex.compile(r"[\p{P}\p{Z}\p{Cc}]+"),
}
"""What is ignored, the most first: where numbers are what texts differ in, they count."""
_MOST_IGNORED, _FEWER_IGNORED = _IGNORED


@lru_cache(_MAX_FOLDED_TEXTS)  # every result asks for those of its test examples
def fold_surface(text: str, ignored: str = _MOST_IGNORED) -> str:
    """A text without case, punctuation, numbers and spaces; marks and symbols, as emoji, stay. One
    that has nothing else is as it was.
    """
    folded = _IGNORED[ignored].sub("", unicodedata.normalize("NFC", text).casefold())
    return folded or text.strip()


@dataclass(frozen=True, slots=True)
class NearEqualTexts:
    """Which sentences of a data set are near-equal.

    numbers  [sentences], equal for near-equal ones; of data that are not grouped, a number each
    remark   what there is to say of it; '' for nothing
    """

    numbers: Ints
    remark: str = ""


def group_near_equal(dataset: Dataset) -> NearEqualTexts:
    """Texts that differ only in case, punctuation, numbers or spaces, as groups; not where examples
    are about words, nor where the largest group would hold more than a tenth of the examples.
    """
    alone = np.arange(len(dataset.sentences))
    if not len(dataset) or (dataset.sites[:, :, 1] >= 0).any():
        return NearEqualTexts(alone)
    remark = ""
    for ignored in _IGNORED:
        numbers, near = _number_folded(dataset, ignored)
        if not near:
            break
        share = _largest_share(dataset, numbers)
        if share is None:
            used = len(np.unique(dataset.sites[:, :, 0]))
            told = (
                f"{near:,} of {used:,} texts differ from another one only in {ignored}; such texts"
                " share a fold, and intervals count them together"
            )
            return NearEqualTexts(numbers, told if near >= _TOLD_SHARE * used else remark)
        remark = (
            f"texts that differ only in {ignored} are not kept together, as the largest group of"
            f" them has {100 * share:.0f} % of the examples"
        )
    return NearEqualTexts(alone, remark)


def _number_folded(dataset: Dataset, ignored: str) -> tuple[Ints, int]:
    """A number a sentence, equal for near-equal ones, and how many have such another one."""
    numbers, known = np.arange(len(dataset.sentences)), dict[str, int]()
    used = np.unique(dataset.sites[:, :, 0])
    for i in used.tolist():
        numbers[i] = known.setdefault(fold_surface(dataset.sentences[i].text, ignored), i)
    sizes = np.bincount(numbers[used], minlength=len(numbers))
    return numbers, int((sizes[numbers[used]] > 1).sum())


def _largest_share(dataset: Dataset, numbers: Ints) -> float | None:
    """The share of the examples in the largest group, where groups are too large or too few: by all
    sentences, and by the first ones, as where others connect everything.
    """
    for sites in (dataset.sites[:, :, 0], dataset.sites[:, :1, 0]):
        groups, before = (np.bincount(connect_rows(each)) for each in (numbers[sites], sites))
        few = len(groups) < min(MIN_GROUP_COUNT, len(before))
        if few or groups.max() > max(_LARGEST_SHARE * len(dataset), before.max()):
            return float(groups.max() / len(dataset))
    return None


def describe_contradictions(dataset: Dataset) -> str:
    """How many examples have the texts of another one and another label, with an example; ''
    for none.
    """
    if dataset.labels.numbers is not None or (dataset.sites[:, :, 1] >= 0).any():
        return ""
    texts = [unicodedata.normalize("NFC", s.text).strip() for s in dataset.sentences]
    codes = np.unique(np.array([*texts, ""], dtype=object), return_inverse=True)[1]
    asked = np.column_stack([codes[dataset.sites[:, :, 0]], dataset.asked])
    disputed = np.flatnonzero(find_disputed_rows(number_equal_rows(asked), dataset.labels.codes()))
    if not len(disputed):
        return ""
    shown = " | ".join(dataset.sentences[s].text for s in dataset.sites[disputed[0], :, 0])
    return (
        f"{len(disputed):,} examples have the text of another one and another label, such as"
        f" {_shorten(shown)!r}"
    )


def describe_shared(dataset: Dataset) -> str:
    """How many test examples have the texts of an example of train, with an example, and how many
    more have them but for case, punctuation, numbers or spaces; '' for none.
    """
    folded = group_near_equal(dataset).numbers
    parts = []
    train, test = dataset.rows("train"), dataset.rows("test")
    exact = _in_train(dataset.sites[:, :, 0], train, test)
    near = _in_train(folded[dataset.sites[:, :, 0]], train, test) & ~exact
    for shared, how in ((exact, ""), (near, " but for case, punctuation, numbers or spaces")):
        if shared.any():
            row = int(test[int(np.argmax(shared))])
            text = " | ".join(dataset.sentences[s].text for s in dataset.sites[row, :, 0])
            parts.append(
                f"{int(shared.sum()):,} of its {len(test):,} test examples have a text that train"
                f" has, too{how}, such as {_shorten(text)!r}"
            )
    return "; ".join(parts)


def _in_train(texts: Ints, train: Ints, test: Ints) -> NDArray[np.bool_]:
    numbers = number_equal_rows(texts)
    return np.isin(numbers[test], numbers[train])


def _shorten(text: str) -> str:
    """A text cut to what fits into a note."""
    return text if len(text) <= _LONGEST_EXAMPLE else f"{text[:_LONGEST_EXAMPLE]}…"
