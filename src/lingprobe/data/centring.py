"""Features without the mean of their group, such as a language, over sentences without labels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lingprobe.data.errors import DataProblem
from lingprobe.data.examples import Dataset
from lingprobe.data.notes import EMPTY_RECORD, NotePart
from lingprobe.data.vectors import Floats, Spans

CENTRED_VIEW_PART = "centred"
"""The part of a view that takes the mean off."""


@dataclass(frozen=True, slots=True)
class UnlabelledSentences(NotePart):
    """Sentences of a data set that stand for all of their group, whatever their labels are.

    by         the stratum that tells the group of each example, as language
    sentences  how many the data set has, those of examples included
    groups     of each group the first of its sentences, and the one behind the last
    """

    key: ClassVar[str] = "unlabelled"
    by: str = ""
    sentences: int = 0
    groups: Mapping[str, Sequence[int]] = EMPTY_RECORD


def centre_features(
    view_parts: Collection[str],
    dataset: Dataset,
    features: Floats,
    read: tuple[Floats, Spans | None],
) -> Floats:
    """`--centred`: subtract from features [examples, n] the mean of each example's language, or
    other group, where the view asks for it.

    read  the units that features are of, and which are those of each sentence
    DataProblem where the data set does not name the sentences of a group, or lost some.
    """
    if CENTRED_VIEW_PART not in view_parts:
        return features
    known = dataset.notes.part(UnlabelledSentences)
    if known is None or known.sentences != len(dataset.sentences):
        why = "names no unlabelled sentences" if known is None else "lost some of its sentences"
        raise DataProblem(
            f"+{CENTRED_VIEW_PART} needs the mean of each group, and the data set {why}; ask for"
            f" fewer examples by an option of the task, or leave +{CENTRED_VIEW_PART} out"
        )
    centred, tags = features.copy(), dataset.strata[known.by]
    for name, (first, stop) in known.groups.items():
        mean = _average_sentences(*read, first, stop)
        if mean.shape != features.shape[1:]:
            raise DataProblem(
                f"+{CENTRED_VIEW_PART} is for labels about one whole sentence: leave it out"
            )
        mine = [k for k, tag in enumerate(tags.names) if tag == name]
        centred[np.isin(tags.codes, mine)] -= mean
    return centred


def _average_sentences(units: Floats, spans: Spans | None, first: int, stop: int) -> Floats:
    """The mean of the means of some sentences that follow each other."""
    if spans is None:
        return np.asarray(units[first:stop].mean(0, dtype=np.float64), np.float32)
    ends = spans.sentences[first : stop + 1]
    many = np.diff(ends)
    starts = (ends[:-1] - ends[0])[many > 0]
    sums = np.add.reduceat(np.asarray(units[ends[0] : ends[-1]], np.float64), starts, axis=0)
    return np.asarray((sums / many[many > 0][:, None]).mean(0), np.float32)
