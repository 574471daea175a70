"""Predictions written beside their test examples, of results that kept scores."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lingprobe.analysis.row import NO_CONTROL, said_of
from lingprobe.data._logits import ProbeLogits
from lingprobe.data.core import DataProblem, Dataset, Result
from lingprobe.data.labels import Column
from lingprobe.data.references import shorten_reference
from lingprobe.datasets.formats import jiant
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.examples import load_test_examples
from lingprobe.metrics.information import compute_pointwise_information
from lingprobe.pages.bits_view import NO_SCORES_PROBLEM
from lingprobe.pages.captions import shorten_task
from lingprobe.probes import PROBES
from lingprobe.store.items import read_written
from lingprobe.tasks import TASKS

_DIGITS = 6  # of a probability


def write_predictions(results: Sequence[Result], folder: Path, style: str = "jsonl") -> list[Path]:
    """One file for each result that kept scores; returns their paths. DataProblem where there is
    none, or the data are other ones.

    jsonl  a test example a line: its sentences and spans, what the model wrote behind them, gold
           label, the answer that was scored, and of the state with the lowest loss on dev the
           probability of each label, the bits that gold takes, and its pointwise V-information
    jiant  the records of jiant's file with `preds.proba` of each target, in the order of labels.txt
    """
    chosen = [r for r in results if r.scores is not None and r.trial.control == NO_CONTROL]
    if not chosen:
        raise DataProblem(NO_SCORES_PROBLEM)
    folder.mkdir(parents=True, exist_ok=True)
    known: dict[str, Dataset] = {}
    return [_write_result(result, known, folder, _FORMATS[style]) for result in chosen]


def _write_result(
    result: Result,
    known: dict[str, Dataset],
    folder: Path,
    form: Callable[[Dataset, Result, Path], Path],
) -> Path:
    dataset = load_test_examples(result, known, shorten_task(result.trial.task))
    return form(dataset, result, folder / _name_prediction_file(result))


def _name_prediction_file(result: Result) -> str:
    trial = result.trial
    parts = (
        shorten_task(shorten_reference(TASKS, trial.task)),
        shorten_reference(ENCODERS, trial.encoder) + said_of(trial.read),
        shorten_reference(PROBES, trial.probe),
    )
    return re.sub(r"[^\w.=+-]+", "-", "--".join((*parts, f"seed={trial.seed}"))).strip("-")


def _jsonl(dataset: Dataset, result: Result, path: Path) -> Path:
    path = path.with_name(path.name + ".jsonl")
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in _format_predictions(dataset, result):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def _format_predictions(dataset: Dataset, result: Result) -> Iterator[dict[str, Any]]:
    scores = result.scores
    assert scores is not None
    probabilities = scores.probabilities().round(_DIGITS)
    bits, pvi = (
        scores.bits(result.gold).round(_DIGITS),
        compute_pointwise_information(result.gold, scores).round(_DIGITS),
    )
    names, written = result.gold.names, read_written(result)
    for i, sites in enumerate(dataset.sites.tolist()):
        yield {
            "sentences": [dataset.sentences[sentence].text for sentence, _, _ in sites],
            **({} if written is None else {"written": written[i]}),
            "spans": [None if start < 0 else [start, stop] for _, start, stop in sites],
            "asked": [dataset.vocabulary[word] for word in dataset.asked[i].tolist()],
            "gold": _convert_label(result.gold, i),
            "answer": _convert_label(result.predicted, i),
            "probabilities": dict(zip(names, probabilities[i].tolist(), strict=True)),
            "bits": float(bits[i]),
            "pvi": float(pvi[i]),
        }


def _convert_label(labels: Column, i: int) -> Any:
    label = labels.label(i)
    return sorted(label) if isinstance(label, frozenset) else label


def _jiant(dataset: Dataset, result: Result, path: Path) -> Path:
    scores = result.scores
    assert isinstance(scores, ProbeLogits)
    names, order = result.gold.names, np.argsort(np.array(result.gold.names))
    path.mkdir(parents=True, exist_ok=True)
    (path / "labels.txt").write_text("".join(names[k] + "\n" for k in order), "utf-8")
    jiant.write_jiant(
        dataset, path / "preds.test.json", scores.probabilities()[:, order].round(_DIGITS)
    )
    return path


_FORMATS: dict[str, Callable[[Dataset, Result, Path], Path]] = {"jsonl": _jsonl, "jiant": _jiant}
