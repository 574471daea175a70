"""The shallow baselines of a task: which encoders stand in its table beside those that are asked
for, and what they are called wherever a suite, a page or a task names one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from lingprobe.data.core import Dataset, Task
from lingprobe.data.oracles import TaskWithBaselines, about_words
from lingprobe.data.references import Reference
from lingprobe.tasks.baseline_names import (
    LENGTH_BASELINE,
    NGRAM_BASELINE,
    RANDOM_BAG_BASELINE,
    WORDS_BASELINE,
)
from lingprobe.tasks.task import DefinedTask

PAIR_FEATURES = (LENGTH_BASELINE, "overlap", "negation", "hypothesis")
"""What pairs give away without being understood."""
FEATURE_ENCODERS = frozenset({WORDS_BASELINE, *PAIR_FEATURES})
"""Encoders that give features of a text and no embedding of it."""

Unit = Literal["sentence", "pair", "words"]
"""What a label is about: a whole sentence, two of them, or words of sentences."""


def word_by_word(baseline: str) -> str:
    """The reference of a baseline that gives each word a vector of its own."""
    return f"{baseline},pool=none"


DEFAULT_BASELINE_DIMENSIONS = (
    300  # dimensions of baselines, where nothing says how wide the encoders are
)
_HASHED = (RANDOM_BAG_BASELINE, NGRAM_BASELINE)
"""Baselines that are as wide as the encoder: with more dimensions they come close to a copy of the
text.
"""
_USUAL: Mapping[Unit, Sequence[str]] = {
    "sentence": (LENGTH_BASELINE, *_HASHED),
    "pair": (*PAIR_FEATURES, *_HASHED),
    "words": tuple(map(word_by_word, _HASHED)),
}


def unit_of(dataset: Dataset) -> Unit:
    """What the labels of a data set are about."""
    if about_words(dataset):
        return "words"
    return "pair" if dataset.sites.shape[1] == 2 else "sentence"


def baselines_of(task: Task, unit: Unit, widths: Sequence[int] = ()) -> list[str]:
    """References of the baselines of a task: those of every task about such units, unless it
    declines them, and its own.

    widths  of the encoders beside them, in dimensions
    """
    usual = () if isinstance(task, DefinedTask) and not task.usual_baselines else _USUAL[unit]
    sized = [
        one for each in usual for one in _set_width(each, widths or (DEFAULT_BASELINE_DIMENSIONS,))
    ]
    return [*sized, *(task.baselines if isinstance(task, TaskWithBaselines) else ())]


def _set_width(baseline: str, widths: Sequence[int]) -> list[str]:
    """A baseline in the widths of some encoders, where it has a width of its own."""
    if not baseline.startswith(_HASHED):
        return [baseline]
    return [str(Reference.parse(baseline).plus(dim=str(width))) for width in widths]
