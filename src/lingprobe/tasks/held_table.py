"""A task from rows in memory, or from a data set that somebody made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lingprobe.data.core import Dataset, SamplingOptions
from lingprobe.data.digests import digest_texts
from lingprobe.data.notes import SamplingNote
from lingprobe.data.oracles import about_words
from lingprobe.datasets.formats.held_rows import HeldRows
from lingprobe.datasets.formats.kinds import Asked
from lingprobe.datasets.formats.labelled_rows import (
    DEFAULT_MANNER,
    Manner,
    count_sites,
    metric_of_rows,
    read_rows,
)
from lingprobe.datasets.usual_metric import choose_metric
from lingprobe.tasks.table import TEXT_PAIR_VIEW, draw_splits, remark_on_metric

Held = tuple[HeldRows, ...] | Dataset
"""Rows, in a piece for each split, or a data set."""


@dataclass(frozen=True, slots=True)
class Handling:
    """How rows in memory become a task; what is not said is as for `table:`.

    how     which columns are read, and what is done about bad rows
    labels  whether numbers are classes or scores
    """

    how: Manner = DEFAULT_MANNER
    labels: Asked | None = None
    metric: str = ""
    probe: str = "linear"
    view: str = ""
    clusters: tuple[str, ...] = ()
    seed: int = 0
    fold: str | None = None


@dataclass(frozen=True, slots=True)
class HeldTable:
    """Which label do these rows give the example?

    title     the name, without the fold
    content   stands for the rows
    handling  how they become a task
    rows      what was handed over
    """

    title: str
    content: str
    handling: Handling
    rows: Held = field(compare=False, repr=False)

    @classmethod
    def of(cls, rows: Held, content: str, title: str, handling: Handling) -> HeldTable:
        """The task, judged by a metric and read by a view that fit its rows, unless they are
        named.
        """
        if not handling.metric:
            handling = replace(handling, metric=_usual_metric(rows, content, handling))
        if not handling.view:
            view = TEXT_PAIR_VIEW if _is_of_pairs(rows, handling) else "mean"
            handling = replace(handling, view=view)
        return cls(title, content, handling, rows)

    @property
    def name(self) -> str:
        """The title, with the fold where it is one."""
        fold = self.handling.fold
        return f"{self.title},fold={fold}" if fold else self.title

    @property
    def question(self) -> str:
        """What the probe answers."""
        return f"Which label does the example have in {self.title}?"

    @property
    def metric(self) -> str:
        """How answers are judged."""
        return self.handling.metric

    @property
    def probe(self) -> str:
        """What it is read with where nothing else is said."""
        return self.handling.probe

    @property
    def view(self) -> str:
        """How units are brought together."""
        return self.handling.view

    @property
    def sampling(self) -> SamplingOptions:
        """What a run may set."""
        return SamplingOptions(fold=True, on_error=True)

    @property
    def fingerprint(self) -> str:
        """A hash of the rows and of all that decides what is made of them; folds agree on it."""
        return digest_texts(self.content, repr(replace(self.handling, fold=None)))

    def plus(self, **options: str) -> HeldTable:
        """The same rows, of which another fold is the test split, or bad ones are excluded."""
        how, fold = self.handling.how, self.handling.fold
        own: Mapping[str, Any] = {"on_error": how.on_error, "fold": fold, **options}
        how = replace(how, on_error=own["on_error"])
        return replace(self, handling=replace(self.handling, how=how, fold=own["fold"]))

    def load(self) -> Dataset:
        """The examples, with the splits that `table:` would give them."""
        rows, done = self.rows, self.handling
        dataset = rows if isinstance(rows, Dataset) else read_rows(rows, done.labels, done.how)
        dataset = remark_on_metric(dataset, self.metric)
        return draw_splits(dataset, self.title, done.clusters, done.fold, done.seed)


def _usual_metric(rows: Held, content: str, handling: Handling) -> str:
    """The metric of the labels; a data set that was drawn from a corpus has that of their kind."""
    if not isinstance(rows, Dataset):
        return metric_of_rows(content, rows, handling.labels, handling.how)
    drawn = rows.notes.part(SamplingNote)
    return choose_metric(rows.labels) if drawn is None else rows.labels.metric


def _is_of_pairs(rows: Held, handling: Handling) -> bool:
    """Whether labels are about two whole texts."""
    if isinstance(rows, Dataset):
        return rows.sites.shape[1] == 2 and not about_words(rows)
    return count_sites(rows, handling.how) == 2
