"""What probes say beyond their answers, from results that kept scores: V-information in bits (Xu et
al. 2020), calibration, and predictions written beside their examples.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lingprobe.analysis.answers import (
    differences,
    digest_test_set,
    join_answers,
    mark_test_sets,
    missing,
)
from lingprobe.analysis.row import NO_CONTROL, said_of
from lingprobe.analysis.rows import (
    groups_of,
    repeats,
    strip_fold,
)
from lingprobe.data._logits import Logits
from lingprobe.data.core import DataProblem, Dataset, Result
from lingprobe.data.labels import Column
from lingprobe.data.references import ReferenceProblem, shorten_reference
from lingprobe.datasets.formats import jiant
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.measure import about
from lingprobe.metrics.information import calibration_error, mean_over, pointwise
from lingprobe.pages.captions import shorten_task
from lingprobe.probes import PROBES
from lingprobe.store.items import read_items, read_written
from lingprobe.tables.table import Table, TableSection
from lingprobe.tasks import TASKS

COLUMNS = (
    "encoder",
    "layer",
    "probe",
    "H(Y)",
    "H(Y|X)",
    "V-information",
    "95 % interval",
    "share",
    "ECE",
    "n",
)
NOTES = (
    (
        "Bits per test example. H(Y): cross-entropy of the labels under their frequencies in"
        " train. H(Y|X): cross-entropy under the probe, at its lowest loss on dev."
    ),
    (
        "V-information (Xu et al. 2020): the difference, with its interval over test examples, and"
        " over seeds (if at least three); share: of H(Y). Below 0, the probe is worse than the"
        " label frequencies."
    ),
    (
        "ECE: expected calibration error, the difference between probabilities and accuracy (Guo"
        " et al. 2017)."
    ),
)


@dataclass(frozen=True, slots=True)
class Bits:
    """What vectors tell of a task's labels, in bits a test example.

    null         that the labels take under their shares in train
    bits         that they take under the probe
    information  the difference, with its 95 % interval
    error        expected calibration error, 0 to 1
    tested, missing  a digest of the test examples, and folds that were not measured, as in a row of
                     scores
    """

    task: str
    encoder: str
    layer: str
    probe: str
    null: float
    bits: float
    information: float
    low: float
    high: float
    error: float
    n: int
    seeds: int
    tested: str = ""
    missing: str = ""


def bits(results: Sequence[Result]) -> list[Bits]:
    """What each thing measured tells, over all its seeds and folds; DataProblem where no result
    kept scores.
    """
    return [_bits(group) for group in groups_of(with_scores(results)).values()]


def with_scores(results: Sequence[Result]) -> list[Result]:
    """The results that kept scores, without controls; DataProblem where there is none."""
    chosen = [
        result
        for result in results
        if result.scores is not None and result.trial.control == NO_CONTROL
    ]
    if not chosen:
        raise DataProblem(
            "no result here has stored scores: measure with `lingprobe run --keep-scores` (not for"
            " labels that are numbers)"
        )
    return chosen


def _bits(group: Sequence[Result]) -> Bits:
    every = repeats(group)
    whole = [
        [(result.gold, result.scores) for result in folds if result.scores is not None]
        for folds in every
    ]
    pvi = np.stack(
        [np.concatenate([pointwise(gold, scores) for gold, scores in each]) for each in whole]
    )
    null = float(np.concatenate([scores.null_bits(gold) for gold, scores in whole[0]]).mean())
    mean, trial = mean_over(pvi, join_answers(every).clusters), group[0].trial
    errors = [
        float(
            np.average(
                [calibration_error(*pair) for pair in each], weights=[len(gold) for gold, _ in each]
            )
        )
        for each in whole
    ]
    names = (
        shorten_reference(TASKS, strip_fold(trial.task)),
        shorten_reference(ENCODERS, trial.encoder),
        trial.read,
        shorten_reference(PROBES, trial.probe),
    )
    over = digest_test_set(every[0]), missing(every[0])
    return Bits(
        *names,
        null,
        null - mean.value,
        *mean,
        float(np.mean(errors)),
        pvi.shape[1],
        len(whole),
        *over,
    )


def bits_table(rows: Sequence[Bits]) -> Table:
    """The same as a table, one section a task."""
    sections, notes = [], list(NOTES)
    for task in dict.fromkeys(row.task for row in rows):
        mine = [row for row in rows if row.task == task]
        sections.append(
            TableSection(
                shorten_task(task),
                tuple(
                    _cells(row, sign) for row, sign in zip(mine, mark_test_sets(mine), strict=True)
                ),
            )
        )
        notes += differences(mine, shorten_task(task))
    return Table(COLUMNS, tuple(sections), frozenset({"encoder", "probe"}), tuple(notes))


def _cells(row: Bits, sign: str) -> tuple[str, ...]:
    numbers = (
        f"{row.null:.3f}",
        f"{row.bits:.3f}",
        f"{row.information:.3f}{sign}",
        f"{row.low:.3f} – {row.high:.3f}",
    )
    share = f"{row.information / row.null:.1%}" if row.null > 0 else "–"
    return (row.encoder, row.layer, row.probe, *numbers, share, f"{row.error:.3f}", f"{row.n:,}")


DIGITS = 6  # of a probability


def write(results: Sequence[Result], folder: Path, style: str = "jsonl") -> list[Path]:
    """One file for each result that kept scores; returns their paths. DataProblem where there is
    none, or the data are other ones.

    jsonl  a test example a line: its sentences and spans, what the model wrote behind them, gold
           label, the answer that was scored, and of the state with the lowest loss on dev the
           probability of each label, the bits that gold takes, and its pointwise V-information
    jiant  the records of jiant's file with `preds.proba` of each target, in the order of labels.txt
    """
    chosen = with_scores(results)
    folder.mkdir(parents=True, exist_ok=True)
    known: dict[str, Dataset] = {}
    return [_write_predictions(result, known, folder, FORMATS[style]) for result in chosen]


def _write_predictions(
    result: Result,
    known: dict[str, Dataset],
    folder: Path,
    form: Callable[[Dataset, Result, Path], Path],
) -> Path:
    dataset = examples_of(result, known)
    return form(dataset, result, folder / _name(result))


def examples_of(
    result: Result, known: dict[str, Dataset], *, runs_own_code: bool = True
) -> Dataset:
    """The test examples of a result in its order: those that were kept beside it, or else of its
    data set, which is loaded; DataProblem where the data are gone or other ones, or where some
    examples were excluded and it kept no scores, which say which. The data set that was loaded last
    is kept in `known`.
    """
    if (kept := read_items(result)) is not None:
        return kept
    task = result.trial.task
    if "@" in task and not runs_own_code:
        raise DataProblem("the task is your own code, which a report does not run")
    if task not in known:
        known.clear()
        known[task] = _load_dataset(task)
    rows = result.scores.rows if result.scores else known[task].rows("test")
    dataset = (
        known[task].take(rows) if not len(rows) or rows.max() < len(known[task]) else known[task]
    )
    if about(dataset) != result.provenance.tested:
        raise DataProblem(
            f"{shorten_task(task)}: its test examples have changed since they were measured; run it"
            " again"
        )
    return dataset


def _load_dataset(task: str) -> Dataset:
    try:
        return TASKS.make(task).load()  # type: ignore[no-any-return]
    except ReferenceProblem as problem:
        raise DataProblem(
            f"{task}: predictions are shown with their examples, which only a task with a reference"
            f" can load ({problem})"
        ) from None


def _name(result: Result) -> str:
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
        for row in _lines(dataset, result):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def _lines(dataset: Dataset, result: Result) -> Iterator[dict[str, Any]]:
    scores = result.scores
    assert scores is not None
    probabilities = scores.probabilities().round(DIGITS)
    bits, pvi = scores.bits(result.gold).round(DIGITS), pointwise(result.gold, scores).round(DIGITS)
    names, written = result.gold.names, read_written(result)
    for i, sites in enumerate(dataset.sites.tolist()):
        yield {
            "sentences": [dataset.sentences[sentence].text for sentence, _, _ in sites],
            **({} if written is None else {"written": written[i]}),
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
