"""Writing data sets as jiant's JSON lines, one file a split; what jiant files said of themselves
comes back as it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.edges import SentenceRecord, SpanTarget, format_record
from lingprobe.data.core import DataProblem, Dataset
from lingprobe.data.labels import MIN_LABEL_WEIGHT

TARGET_INFO_STRATUM, SENTENCE_RECORD_STRATUM = "info", "record"
"""Strata with JSON texts: what a file says of a target beside spans and label; its line, and what
it says of the sentence.
"""


def write_jiant(dataset: Dataset, path: Path, proba: NDArray[Any] | None = None) -> dict[str, int]:
    """Write the examples of a data set of one split; returns counts: examples, and what the format
    could not hold.

    proba  [examples, labels]: the probability of each label, as jiant writes predictions: as
           `preds.proba` of each target
    """
    counts = {"examples": len(dataset), "words with spaces": 0, "raw texts not kept": 0}
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for record in _records(dataset, counts, proba):
            file.write(format_record(record) + "\n")
    return counts


def _records(
    dataset: Dataset, counts: dict[str, int], proba: NDArray[Any] | None
) -> Iterator[SentenceRecord]:
    """Neighbouring examples of one sentence, or of one line of a jiant file, together."""
    _check_writable_spans(dataset)
    record = dataset.strata.get(SENTENCE_RECORD_STRATUM)
    lines = record.codes if record else np.full(len(dataset), -1)
    keys = list(zip(dataset.sites[:, 0, 0].tolist(), lines.tolist(), strict=True))
    for (number, line), rows in groupby(range(len(dataset)), keys.__getitem__):
        sentence = dataset.sentences[number]
        words = [word.replace(" ", "_") for word in sentence.words]
        text = " ".join(words)
        counts["words with spaces"] += sum(" " in word for word in sentence.words)
        counts["raw texts not kept"] += text != sentence.text
        more = json.loads(record.names[line])[1] if record and line >= 0 else {"info": {}}
        targets = [(i, _target(dataset, i)) for i in rows]
        if proba is not None:
            more = {**more, "preds": {}}
            targets = [
                (i, t._replace(more={**t.more, "preds": {"proba": proba[i].tolist()}}))
                for i, t in targets
            ]
        yield SentenceRecord(text, tuple(words), tuple(target for _, target in targets), more, 0)


def _check_writable_spans(dataset: Dataset) -> None:
    if dataset.labels.numbers is not None:
        raise DataProblem("jiant's format holds labels, not scores; write Parquet or JSONL instead")
    if (
        dataset.asked.shape[1]
        or dataset.sites.shape[1] > 2
        or (dataset.sites[:, :, 0] != dataset.sites[:, :1, 0]).any()
    ):
        raise DataProblem(
            "jiant's format holds labels of one or two spans of one sentence; write Parquet or"
            " JSONL instead"
        )


def _target(dataset: Dataset, i: int) -> SpanTarget:
    """Example i; a whole sentence is a span, too."""
    spans = [
        (int(a), int(b)) if a >= 0 else (0, len(dataset.sentences[s].words))
        for s, a, b in dataset.sites[i].tolist()
    ]
    more = _target_info(dataset, i)
    label, weights = _format_jiant_label(dataset, i)
    if "label" in more:
        label = tuple(more.pop("label"))
    if weights:
        more.setdefault("info", {})["weights"] = weights
    return SpanTarget(spans[0], spans[1] if len(spans) > 1 else None, label, more)


def _target_info(dataset: Dataset, i: int) -> dict[str, Any]:
    """What a jiant file said of the target, or its strata where it came from elsewhere."""
    if SENTENCE_RECORD_STRATUM in dataset.strata:
        info = dataset.strata.get(TARGET_INFO_STRATUM)
        said: dict[str, Any] = (
            json.loads(info.names[info.codes[i]]) if info and info.codes[i] >= 0 else {}
        )
        return said
    tags = {
        key: stratum.names[stratum.codes[i]]
        for key, stratum in dataset.strata.items()
        if stratum.codes[i] >= 0
    }
    return {"info": tags} if tags else {}


def _format_jiant_label(dataset: Dataset, i: int) -> tuple[str | tuple[str, ...], dict[str, float]]:
    """The label, or those that hold, and their weights where they are more than that."""
    (label,) = dataset.labels.take(np.array([i])).plain()
    if isinstance(label, str):
        return label, {}
    weights: dict[str, float] = label if isinstance(label, dict) else dict.fromkeys(label, 1.0)
    held = tuple(sorted(name for name, weight in weights.items() if weight >= MIN_LABEL_WEIGHT))
    return held, weights if isinstance(label, dict) else {}
