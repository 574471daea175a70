"""All rows of a set without splits in ten folds, as SentEval divides them (binary.py and
InnerKFoldClassifier of tools/validation.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, Example
from lingprobe.datasets.settings import DatasetFold, SampleSettings
from lingprobe.datasets.splits import stratified_folds

_FOLDS, _SHUFFLED = 10, 1111
_TRAIN, _TEST = DATA_SPLITS.index("train"), DATA_SPLITS.index("test")


def make_fold(examples: Sequence[Example], fold: str | None, notes: Mapping[str, Any]) -> Dataset:
    """`splits=senteval`: one of ten outer folds of all rows as test, the first where none is asked
    for, and the others as train: repeated rows stay, and there is no dev split.
    """
    asked = SampleSettings(fold=fold).folds() or DatasetFold(0, _FOLDS)
    if asked.many != _FOLDS or asked.tested:
        raise DataProblem(f"fold={fold}: splits=senteval has ten folds; write fold=3/10")
    if len(examples) < _FOLDS:
        raise DataProblem(f"splits=senteval: {len(examples)} rows make no ten folds")
    rows = _sort_rows(examples)
    folds = stratified_folds(
        np.unique([e.label for e in rows], return_inverse=True)[1], _FOLDS, _SHUFFLED
    )
    dataset = Dataset.of([replace(example, split="train") for example in rows])
    splits = np.where(folds == asked.number, _TEST, _TRAIN).astype(np.int8)
    noted: Mapping[str, Any] = {"folds_needed": _FOLDS} if fold is None else {"fold": fold}
    return replace(dataset, splits=splits).with_notes(
        **notes, sampling=dict(noted), remarks=_repeat_remarks(dataset)
    )


def _sort_rows(examples: Sequence[Example]) -> list[Example]:
    """Rows by their number of words, then by label, that of the first file last: folds are drawn in
    this order.
    """
    labels = list(dict.fromkeys(example.label for example in examples))
    last = {label: -place for place, label in enumerate(labels)}
    return sorted(examples, key=lambda e: (len(e.sites[0].sentence.words), last[e.label]))


def _repeat_remarks(dataset: Dataset) -> list[str]:
    """What there is to say of rows that repeat others."""
    many = len(dataset) - len(np.unique(dataset.sites[:, 0, 0]))
    if not many:
        return []
    return [
        f"{many:,} of {len(dataset):,} rows repeat another; as in SentEval, folds are tested on"
        " sentences that they have in train"
    ]
