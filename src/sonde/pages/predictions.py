"""What probes say of each test example, written beside the example: from results that kept scores,
and the data they were measured on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sonde._logits import Logits
from sonde.analysis.row import said_of
from sonde.core import DataProblem, Dataset, Result
from sonde.datasets.formats import jiant
from sonde.encoders import ENCODERS
from sonde.experiment.measure import about
from sonde.labels import Column
from sonde.metrics.information import pointwise
from sonde.pages.headings import short
from sonde.pages.information import with_scores
from sonde.probes import PROBES
from sonde.references import ReferenceProblem, brief
from sonde.tasks import TASKS

DIGITS = 6  # of a probability


def write(results: Sequence[Result], folder: Path, style: str = "jsonl") -> list[Path]:
    """One file for each result that kept scores; returns their paths. DataProblem where there is
    none, or the data are other ones.

    jsonl  a test example a line: its sentences and spans, gold label, the answer that was scored,
           and of the state with the lowest loss on dev the probability of each label, the bits that
           gold takes, and its pointwise V-information
    jiant  the records of jiant's file with `preds.proba` of each target, in the order of labels.txt
    """
    chosen = with_scores(results)
    folder.mkdir(parents=True, exist_ok=True)
    known: dict[str, Dataset] = {}
    return [_written(result, known, folder, FORMATS[style]) for result in chosen]


def _written(
    result: Result,
    known: dict[str, Dataset],
    folder: Path,
    form: Callable[[Dataset, Result, Path], Path],
) -> Path:
    task = result.trial.task
    if task not in known:
        known.clear()
        known[task] = _loaded(task)
    assert result.scores is not None
    rows = result.scores.rows
    dataset = (
        known[task].take(rows) if not len(rows) or rows.max() < len(known[task]) else known[task]
    )
    if about(dataset) != result.provenance.tested:
        raise DataProblem(
            f"{short(task)}: its test examples are no longer those that were measured; run again"
            " with the data as they are"
        )
    return form(dataset, result, folder / _name(result))


def _loaded(task: str) -> Dataset:
    try:
        return TASKS.make(task).load()  # type: ignore[no-any-return]
    except ReferenceProblem as problem:
        raise DataProblem(
            f"{task}: predictions stand beside examples, which only a task with a reference can"
            f" load ({problem})"
        ) from None


def _name(result: Result) -> str:
    trial = result.trial
    parts = (
        short(brief(TASKS, trial.task)),
        brief(ENCODERS, trial.encoder) + said_of(trial.read),
        brief(PROBES, trial.probe),
    )
    return re.sub(r"[^\w.=+-]+", "-", "--".join((*parts, f"seed={trial.seed}"))).strip("-")


def _jsonl(dataset: Dataset, result: Result, path: Path) -> Path:
    path = path.with_name(path.name + ".jsonl")
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in _lines(dataset, result):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def _lines(dataset: Dataset, result: Result) -> Iterator[dict[str, Any]]:
    scores = result.scores
    assert scores is not None
    probabilities = scores.probabilities().round(DIGITS)
    bits, pvi = scores.bits(result.gold).round(DIGITS), pointwise(result.gold, scores).round(DIGITS)
    names = result.gold.names
    for i, sites in enumerate(dataset.sites.tolist()):
        yield {
            "sentences": [dataset.sentences[sentence].text for sentence, _, _ in sites],
            "spans": [None if start < 0 else [start, stop] for _, start, stop in sites],
            "asked": [dataset.vocabulary[word] for word in dataset.asked[i].tolist()],
            "gold": _plain(result.gold, i),
            "answer": _plain(result.predicted, i),
            "probabilities": dict(zip(names, probabilities[i].tolist(), strict=True)),
            "bits": float(bits[i]),
            "pvi": float(pvi[i]),
        }


def _plain(labels: Column, i: int) -> Any:
    label = labels.label(i)
    return sorted(label) if isinstance(label, frozenset) else label


def _jiant(dataset: Dataset, result: Result, path: Path) -> Path:
    scores = result.scores
    assert isinstance(scores, Logits)
    names, order = result.gold.names, np.argsort(np.array(result.gold.names))
    path.mkdir(parents=True, exist_ok=True)
    (path / "labels.txt").write_text("".join(names[k] + "\n" for k in order), "utf-8")
    jiant.write(dataset, path / "preds.test.json", scores.probabilities()[:, order].round(DIGITS))
    return path


FORMATS: dict[str, Callable[[Dataset, Result, Path], Path]] = {"jsonl": _jsonl, "jiant": _jiant}
