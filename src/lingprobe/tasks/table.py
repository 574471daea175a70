"""A task from a table on disk: anybody's labelled sentences, what `lingprobe build` wrote, or
SentEval's files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Literal

from lingprobe.corpora.files import uncompressed_path
from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, SamplingOptions
from lingprobe.data.digests import digest_texts
from lingprobe.data.examples import add_remarks
from lingprobe.data.notes import SamplingNote
from lingprobe.data.options import Help
from lingprobe.datasets.folds import select_test_fold
from lingprobe.datasets.formats.folders import digest_parts, table_parts
from lingprobe.datasets.formats.kinds import Asked
from lingprobe.datasets.formats.labelled_rows import Manner
from lingprobe.datasets.formats.row_spans import Offsets
from lingprobe.datasets.formats.tables import has_pairs, read_dataset, usual_metric
from lingprobe.datasets.formats.usual_columns import Columns
from lingprobe.datasets.near_equal import (
    describe_contradictions,
    describe_shared,
    group_near_equal,
)
from lingprobe.datasets.splits import carve_dev
from lingprobe.datasets.usual_metric import describe_rare_class
from lingprobe.tasks.memory import pause_garbage_collection

TEXT_PAIR_VIEW = "mean+contrast"  # the view of two texts, as pair/ reads them
_REDRAWN = "it has a dev split but no test split, so all splits are sampled from all of its rows"


@dataclass(frozen=True, slots=True)
class TableTask:
    """Which label does the table give the example?"""

    path: Annotated[
        Path,
        Help("a file, or a folder with a file for each split"),
    ]
    _: KW_ONLY
    metric: Annotated[
        str,
        Help(
            "without: accuracy of classes, or auroc where one of two is rarer than a fifth;"
            " micro-f1 of label sets, pearson of scores"
        ),
    ] = "none"
    probe: str = "linear"
    view: Annotated[
        str,
        Help(
            "mean: of units; for two texts or spans in columns that is mean+contrast, as pair/"
            " reads them"
        ),
    ] = "mean"
    seed: int = 0
    clusters: Annotated[
        tuple[str, ...],
        Help(
            "a column whose equal values were sampled together, as a speaker or a document,"
            " which intervals then know; may be repeated"
        ),
    ] = ()
    labels: Annotated[
        Asked | None,
        Help(
            "classes or scores: what numbers are; sets: cells list several labels; without, the"
            " file's metadata decide, or else whole numbers about one text, at most 50 different"
            " ones with at least ten examples each, are classes"
        ),
    ] = None
    text: Annotated[
        str | None,
        Help(
            "the columns, by heading or, from 1, by number; label=A+B names columns of 0 and 1,"
            " text=messages.user a role; without, those with usual names"
        ),
    ] = None
    text2: Annotated[
        str | None,
        Help(
            "the columns, by heading or, from 1, by number; label=A+B names columns of 0 and 1,"
            " text=messages.user a role; without, those with usual names"
        ),
    ] = None
    label: Annotated[
        str | None,
        Help(
            "the columns, by heading or, from 1, by number; label=A+B names columns of 0 and 1,"
            " text=messages.user a role; without, those with usual names"
        ),
    ] = None
    span: Annotated[
        str | None,
        Help(
            "the columns of the words that the label is about, as those words or as [start, end];"
            " two columns as START+END"
        ),
    ] = None
    span2: Annotated[
        str | None,
        Help(
            "the columns of the words that the label is about, as those words or as [start, end];"
            " two columns as START+END"
        ),
    ] = None
    offsets: Annotated[
        Offsets | None,
        Help("what the numbers of spans count, words or characters; without, what fits"),
    ] = None
    group: Annotated[
        str | None,
        Help("the column of what rows have in common, as a document: such rows are in one split"),
    ] = None
    split: Annotated[
        str | None,
        Help(
            "the columns, by heading or, from 1, by number; label=A+B names columns of 0 and 1,"
            " text=messages.user a role; without, those with usual names"
        ),
    ] = None
    encoding: Annotated[
        str | None,
        Help("of a text file; without, UTF-8, or UTF-16 with a byte order mark"),
    ] = None
    on_error: Annotated[
        Literal["raise", "skip"],
        Help("raise: a bad row is an error; skip: bad rows are excluded and counted"),
    ] = "raise"
    fold: Annotated[
        str | None,
        Help("i/k: fold i of k is the test split, of a table that has none"),
    ] = None

    def __post_init__(self) -> None:
        if self.metric == "none":
            object.__setattr__(self, "metric", usual_metric(self.path, self.labels, self._manner))
        if self.view == "mean" and has_pairs(self.path, self._manner):
            object.__setattr__(self, "view", TEXT_PAIR_VIEW)

    @property
    def _manner(self) -> Manner:
        options = asdict(self)
        named = {option.name: options[option.name] or "" for option in fields(Columns)}
        return Manner(Columns(**named), self.encoding or "", self.on_error, self.offsets or "")

    @property
    def name(self) -> str:
        """The name of the file without its suffixes, or of the folder; with the fold where it is
        one.
        """
        title = uncompressed_path(self.path).stem
        return f"{title},fold={self.fold}" if self.fold else title

    @property
    def question(self) -> str:
        """What the probe answers."""
        return f"Which label does {self.path.name} give the example?"

    @property
    def sampling(self) -> SamplingOptions:
        """What a run may set."""
        return SamplingOptions(fold=True, on_error=True)

    @property
    def fingerprint(self) -> str:
        """A hash of the files, and of how they are read; folds of a table agree on it."""
        parts = table_parts(self.path.expanduser())
        content = digest_parts(parts)
        options = [item for item in asdict(self).items() if item[0] not in ("path", "fold")]
        return digest_texts(content, *(part.split for part in parts), repr(options))

    def load(self) -> Dataset:
        """The examples in the file; without a test split it is drawn, in folds where classes are
        rare, and without a dev split a tenth of train becomes one, by `seed`.
        """
        with pause_garbage_collection():
            dataset = read_dataset(self.path, labels=self.labels, manner=self._manner)
        dataset = remark_on_metric(dataset, self.metric)
        return draw_splits(dataset, str(self.path), self.clusters, self.fold, self.seed)


def remark_on_metric(dataset: Dataset, metric: str) -> Dataset:
    """The data set, with why AUROC judges it where one of its two classes is rare."""
    remark = describe_rare_class(dataset.labels, metric)
    return add_remarks(dataset, remark) if remark else dataset


def draw_splits(
    dataset: Dataset, location: str, clusters: Sequence[str], fold: str | None, seed: int
) -> Dataset:
    """The data set with the splits that it lacks, and the strata by which examples were drawn
    together.
    """
    if lacking := [name for name in clusters if name not in dataset.strata]:
        has = ", ".join(dataset.strata) or "none"
        raise DataProblem(
            f"{location} has no subgroup {lacking[0]!r} to sample examples by; it has: {has}"
        )
    every = tuple(dict.fromkeys([*dataset.clusters, *clusters]))
    near = "" if len(dataset.rows("test")) else group_near_equal(dataset).remark
    remarks = [remark for remark in (describe_contradictions(dataset), near) if remark]
    dataset = add_remarks(dataset, *remarks) if remarks else dataset
    return carve_dev(_with_test(replace(dataset, clusters=every), location, fold, seed), seed)


def _with_test(dataset: Dataset, where: str, fold: str | None, seed: int) -> Dataset:
    """The data set with its own test split, or one that is drawn."""
    if not len(dataset.rows("test")):
        if len(dataset.rows("dev")):
            dataset = add_remarks(dataset, _REDRAWN)
        return select_test_fold(dataset, fold, seed)
    if fold:
        raise DataProblem(
            f"{where} has a test split, and fold= divides tables that have none: leave it out"
        )
    if not len(dataset.rows("train")):
        has = ", ".join(split for split in DATA_SPLITS if len(dataset.rows(split)))
        raise DataProblem(
            f"{where} has no train examples (it has {has}): mark some of its rows as train"
        )
    if shared := describe_shared(dataset):
        dataset = add_remarks(dataset, shared)
    drawn = dataset.notes.part(SamplingNote)  # of a data set that was built: its splits stay
    return dataset if drawn is None else dataset.with_notes(replace(drawn, folds_needed=1))
