"""A task from a table on disk: anybody's labelled sentences, what `lingprobe build` wrote, or
SentEval's files.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Literal

from lingprobe.corpora.files import digest, uncompressed_path
from lingprobe.data.core import SPLITS, DataProblem, Dataset, Sampling
from lingprobe.data.labels import KINDS
from lingprobe.datasets import carve_dev
from lingprobe.datasets.folds import divide
from lingprobe.datasets.formats.folders import table_parts
from lingprobe.datasets.formats.kinds import Asked
from lingprobe.datasets.formats.labelled_rows import Manner
from lingprobe.datasets.formats.row_spans import Offsets
from lingprobe.datasets.formats.tables import has_pairs, loss, read
from lingprobe.datasets.formats.usual_columns import Columns
from lingprobe.tasks.memory import pause_garbage_collection

OF_PAIRS = "mean+contrast"  # the view of two texts, as pair/ reads them


@dataclass(frozen=True, slots=True)
class Table:
    """Which label does the table give the example?

    path      a file, or a folder with a file for each split
    metric    without: accuracy of classes, micro-f1 of label sets, pearson of scores
    view      without: the mean of units; of two texts or spans in columns, as pair/ reads them
    clusters  a stratum whose examples were drawn together, as a speaker or a document, which
              intervals then know; may be repeated
    labels    whether numbers are classes or scores; without, the file's metadata decide, or else
              whole numbers about one text, at most 50 different ones with at least ten examples
              each, are classes
    text, text2, label, split  the columns, by heading or, from 1, by number; without, those with
              usual names
    span, span2  the columns of the words that the label is about, as those words or as
              [start, end]; two columns as START+END
    offsets   what the numbers of spans count, words or characters; without, what fits
    group     the column of what rows have in common, as a document: such rows are in one split
    encoding  of a text file; without, UTF-8, or UTF-16 with a byte order mark
    on_error  raise: a bad row is an error; skip: bad rows are left out and counted
    fold      i/k: fold i of k is the test split, of a table that has none
    """

    path: Path
    _: KW_ONLY
    metric: str = "none"
    probe: str = "mlp"
    view: str = "none"
    seed: int = 0
    clusters: tuple[str, ...] = ()
    labels: Asked | None = None
    text: str | None = None
    text2: str | None = None
    label: str | None = None
    span: str | None = None
    span2: str | None = None
    offsets: Offsets | None = None
    group: str | None = None
    split: str | None = None
    encoding: str | None = None
    on_error: Literal["raise", "skip"] = "raise"
    fold: str | None = None

    def __post_init__(self) -> None:
        if self.metric == "none":
            metric = KINDS[loss(self.path, labels=self.labels, how=self._manner)].metric
            object.__setattr__(self, "metric", metric)
        if self.view == "none":
            view = OF_PAIRS if has_pairs(self.path, self._manner) else "mean"
            object.__setattr__(self, "view", view)

    @property
    def _manner(self) -> Manner:
        columns = Columns(
            text=self.text or "",
            text2=self.text2 or "",
            span=self.span or "",
            span2=self.span2 or "",
            label=self.label or "",
            group=self.group or "",
            split=self.split or "",
        )
        return Manner(columns, self.encoding or "", self.on_error, self.offsets or "")

    @property
    def name(self) -> str:
        """The name of the file without its suffixes, or of the folder."""
        return uncompressed_path(self.path).stem

    @property
    def question(self) -> str:
        """What the probe answers."""
        return f"Which label does {self.path.name} give the example?"

    @property
    def sampling(self) -> Sampling:
        """What a run may set."""
        return Sampling(fold=True, on_error=True)

    @property
    def fingerprint(self) -> str:
        """A hash of the files."""
        parts = table_parts(self.path.expanduser())
        content = digest(part.path for part in parts)
        splits = ",".join(part.split for part in parts)
        return f"{splits}:{content}" if splits else content

    def load(self) -> Dataset:
        """The examples in the file; without a test split it is drawn, in folds where classes are
        rare, and without a dev split a tenth of train becomes one, by `seed`.
        """
        with pause_garbage_collection():
            dataset = read(self.path, labels=self.labels, how=self._manner)
        if lacking := [name for name in self.clusters if name not in dataset.strata]:
            has = ", ".join(dataset.strata) or "none"
            raise DataProblem(
                f"{self.path} has no stratum {lacking[0]!r} that examples could be drawn together"
                f" by; its strata: {has}"
            )
        clusters = tuple(dict.fromkeys([*dataset.clusters, *self.clusters]))
        return carve_dev(self._with_test(replace(dataset, clusters=clusters)), self.seed)

    def _with_test(self, dataset: Dataset) -> Dataset:
        """The data set with its own test split, or one that is drawn."""
        if not len(dataset.rows("test")):
            return divide(dataset, self.fold, self.seed)
        if self.fold:
            raise DataProblem(
                f"{self.path} has a test split, and fold= divides tables that have none: leave it"
                " out"
            )
        if not len(dataset.rows("train")):
            has = ", ".join(split for split in SPLITS if len(dataset.rows(split)))
            raise DataProblem(
                f"{self.path} has no train examples (it has {has}): mark some of its rows as train"
            )
        return dataset
