"""Test examples that the best encoder of a task gets right and wrong, where the data are where they
were; those first that the probe is surest of, where its probabilities were kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.analysis.frame import FrameRow
from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.data.core import DataProblem, Dataset
from lingprobe.experiment.examples import AnsweredExamples
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.groups import TaskColumn
from lingprobe.pages.human import HumanAnswers
from lingprobe.pages.web.study import ResultStudy
from lingprobe.tables.table import Table, TableSection
from lingprobe.tables.web import (
    FoldedBlock,
    PageBlock,
    ProseBlock,
    TableSheet,
)

Doubles = NDArray[np.float64]

_SOME = 8  # examples of a kind
_KEEP = (
    "Examples stand in the order of the data. Measured with --keep-scores (in Python"
    " keep_scores=True), those come first that the probe is surest of."
)
_SUREST = "The most confident predictions first"
_FIRST = "The first in the data"
_COLUMNS = ("gold", "predicted", "confidence, %", "example")
_WORDS = frozenset({"gold", "predicted", "example"})


class AnsweredExample(NamedTuple):
    """A test example with the answer that was given, and how sure that is, from 0 to 1; and what
    the model wrote behind it, where it writes.
    """

    text: str
    gold: str
    said: str
    is_right: bool
    sure: float
    written: str = ""

    @property
    def display_text(self) -> str:
        """The text, and what was written behind it."""
        return f"{self.text} → {self.written}" if self.written else self.text


class TaskExamples:
    """Examples by task; `missing` says why there are none."""

    def __init__(self, study: ResultStudy) -> None:
        self.study = study

    @property
    def missing(self) -> tuple[str, ...]:
        """What is not shown, and why."""
        reader = self.study.beside.examples
        return () if reader and reader.has_scores else (_KEEP,)

    def example_blocks(self, column: TaskColumn) -> Iterator[PageBlock]:
        """Wrong and right examples of the best encoder, the surest mistakes first."""
        for name, row in self.study.rows_in_detail(column)[:1]:
            yield from self._of(column, name, row)

    def _of(self, column: TaskColumn, name: str, row: FrameRow) -> Iterator[PageBlock]:
        reader, folds = self.study.beside.examples, self.study.folds_of(row)
        if reader is None:
            return
        try:
            read = [reader.read(fold.trial, shorten_task(fold.trial.task)) for fold in folds]
            items = [item for examples in read for item in _list_items(examples)]
        except (DataProblem, OSError) as problem:
            yield ProseBlock((f"No examples: {problem}.",), "note")
            return
        yield from _apart(name, items, self.study.people(column))
        for title, right in (("wrong", False), ("right", True)):
            mine = sorted((x for x in items if x.is_right == right), key=lambda x: -x.sure)[:_SOME]
            rows = tuple((x.gold, x.said, _percent(x.sure), x.display_text) for x in mine)
            table = Table(_COLUMNS, (TableSection("", rows),), _WORDS)
            caption = _FIRST if any(math.isnan(x.sure) for x in mine) else _SUREST
            if rows:
                yield FoldedBlock(
                    f"Examples that {name} gets {title}", (TableSheet(table, caption),)
                )


def _list_items(examples: AnsweredExamples) -> Iterator[AnsweredExample]:
    """The test examples of one fit."""
    dataset, gold, said, scores, written = examples
    probable = scores.probabilities() if scores else None
    for i in range(len(gold)):
        label, answer = gold.label(i), said.label(i)
        one, sure = answer in gold.names, math.nan
        if probable is not None:
            sure = probable[i, gold.names.index(str(answer))] if one else _certain(probable[i])
        yield AnsweredExample(
            _format_item_text(dataset, i),
            _format_label(label),
            _format_label(answer),
            label == answer,
            float(sure),
            "" if written is None else " ‖ ".join(filter(None, written[i])),
        )


def _apart(
    name: str, items: Sequence[AnsweredExample], people: HumanAnswers | None
) -> Iterator[PageBlock]:
    """The sentences of which people say something else than the probe."""
    if people is None:
        return
    asked = [(item, labels) for item in items if (labels := people.of(item.text))]
    rows = tuple(
        (item.gold, " or ".join(labels), item.said, item.text)
        for item, labels in asked
        if item.said not in labels
    )
    table = Table(_APART, (TableSection("", rows),), frozenset(_APART))
    caption = f"{len(rows)} of the {len(asked)} test sentences that people judged"
    yield FoldedBlock(f"Where people and {name} differ", (TableSheet(table, caption),))


_APART = ("gold", "people", "predicted", "example")


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{PERCENT_SCALE * share:.0f}"


def _certain(probable: Doubles) -> float:
    """How far the probabilities of several labels are from even, on average."""
    return float(np.maximum(probable, 1 - probable).mean())


def _format_label(label: object) -> str:
    return ", ".join(sorted(map(str, label))) if isinstance(label, frozenset) else str(label)


def _format_item_text(dataset: Dataset, i: int) -> str:
    """The sentences of an example, and the words that its label is about."""
    sites = dataset.sites[i].tolist()
    texts = dict.fromkeys(dataset.sentences[sentence].text for sentence, _, _ in sites)
    words = [
        " ".join(dataset.sentences[sentence].words[start:stop])
        for sentence, start, stop in sites
        if start >= 0
    ]
    words += [dataset.vocabulary[word] for word in dataset.asked[i].tolist()]
    return " ‖ ".join(texts) + "".join(f" [{word}]" for word in words)
