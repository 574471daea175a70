"""Rows of several data sets as one: train and dev of the one, test of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lingprobe.data.centring import UnlabelledSentences
from lingprobe.data.core import DataProblem, Dataset, Sentence, Tags
from lingprobe.data.labels import Column, column_from_codes
from lingprobe.data.vectors import Ints

TRAIN_CODE, DEV_CODE, TEST_CODE = range(3)


@dataclass(frozen=True, slots=True)
class RowSelection:
    """Some rows of a data set, the split that they become, and where they are from."""

    dataset: Dataset
    rows: Ints
    split: int
    origin: str

    @property
    def sentences(self) -> list[Sentence]:
        """Those that the rows are about, each once."""
        used = np.unique(self.dataset.sites[self.rows, :, 0]).tolist()
        return [self.dataset.sentences[k] for k in used]


def join_datasets(
    selections: Sequence[RowSelection],
    unlabelled: Sequence[RowSelection],
    classes: Sequence[str],
    by: str,
) -> Dataset:
    """One data set of rows of several; sentences that count without their labels come first.

    by  the stratum that says where a row is from
    """
    if len({part.dataset.sites.shape[1] for part in selections}) > 1:
        raise DataProblem(f"the task is about one site in one {by}, and two in another")
    numbers: dict[Sentence, int] = {}
    groups: dict[str, tuple[int, int]] = {}
    for part in unlabelled:
        first = len(numbers)
        for sentence in part.sentences:
            numbers.setdefault(sentence, len(numbers))
        groups.setdefault(part.origin, (first, len(numbers)))
    sites, codes = [], []
    place = {name: k for k, name in enumerate(classes)}
    for part in selections:
        for sentence in part.sentences:
            numbers.setdefault(sentence, len(numbers))
        mine = part.dataset.sites[part.rows].copy()
        new = {k: numbers[part.dataset.sentences[k]] for k in np.unique(mine[:, :, 0]).tolist()}
        mine[:, :, 0] = np.vectorize(new.get, otypes=[np.int64])(mine[:, :, 0])
        sites.append(mine)
        codes += [place[name] for name in part.dataset.labels.take(part.rows).class_names()]
    labels: Column = column_from_codes(np.array(codes, np.int64), classes)
    splits = np.repeat([part.split for part in selections], [len(part.rows) for part in selections])
    whole = Dataset.of_columns(
        numbers, np.concatenate(sites), labels, splits, strata=_join_strata(selections, by)
    )
    clusters = dict.fromkeys(name for part in selections for name in part.dataset.clusters)
    whole = replace(whole, clusters=tuple(clusters))
    return whole.with_notes(UnlabelledSentences(by, len(numbers), groups)) if unlabelled else whole


def _join_strata(parts: Sequence[RowSelection], by: str) -> dict[str, Tags | Sequence[str | None]]:
    """The tags of all rows, and where they are from."""
    names = dict.fromkeys(name for part in parts for name in part.dataset.strata)
    strata: dict[str, Tags | Sequence[str | None]] = {
        name: [value for part in parts for value in _values(part, name)] for name in names
    }
    return {**strata, by: [part.origin for part in parts for _ in part.rows]}


def _values(part: RowSelection, name: str) -> list[str | None]:
    tags = part.dataset.strata.get(name)
    if tags is None:
        return [None] * len(part.rows)
    return [tags.names[k] if k >= 0 else None for k in tags.codes[part.rows].tolist()]
