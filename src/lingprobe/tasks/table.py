"""A task from a table on disk: what `lingprobe build` wrote, SentEval's files, or lines of one's
own.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path

from lingprobe.corpora.files import digest, uncompressed_path
from lingprobe.data.core import SPLITS, DataProblem, Dataset
from lingprobe.data.labels import KINDS
from lingprobe.datasets import carve_dev
from lingprobe.datasets.formats.kinds import Asked
from lingprobe.datasets.formats.tables import loss, read


@dataclass(frozen=True, slots=True)
class Table:
    """Which label does the table give the example?

    metric    without: accuracy of classes, micro-f1 of label sets, pearson of scores
    clusters  a stratum whose examples were drawn together, as a speaker or a document, which
              intervals then know; may be repeated
    labels    whether numbers are classes or scores; without, the file's metadata decide, or else
              whole numbers about one text, at most 50 different ones with at least ten examples
              each, are classes
    """

    path: Path
    _: KW_ONLY
    metric: str = "none"
    probe: str = "mlp"
    view: str = "mean"
    seed: int = 0
    clusters: tuple[str, ...] = ()
    labels: Asked | None = None

    def __post_init__(self) -> None:
        if self.metric == "none":
            metric = KINDS[loss(self.path, labels=self.labels)].metric
            object.__setattr__(self, "metric", metric)

    @property
    def name(self) -> str:
        """The file's name without its suffixes."""
        return uncompressed_path(self.path).stem

    @property
    def question(self) -> str:
        """What the probe answers."""
        return f"Which label does {self.path.name} give the example?"

    @property
    def fingerprint(self) -> str:
        """A hash of the file."""
        return digest([self.path])

    def load(self) -> Dataset:
        """The examples in the file; without a dev split, a tenth of train becomes one, by
        `seed`.
        """
        dataset = read(self.path, labels=self.labels)
        if lacking := [name for name in self.clusters if name not in dataset.strata]:
            has = ", ".join(dataset.strata) or "none"
            raise DataProblem(
                f"{self.path} has no stratum {lacking[0]!r} that examples could be drawn together"
                f" by; its strata: {has}"
            )
        for split in ("train", "test"):
            if not len(dataset.rows(split)):
                has = ", ".join(s for s in SPLITS if len(dataset.rows(s)))
                raise DataProblem(
                    f"{self.path} has no {split} examples (it has {has}): mark some of its rows as"
                    f" {split}"
                )
        return carve_dev(
            replace(dataset, clusters=tuple(dict.fromkeys([*dataset.clusters, *self.clusters]))),
            self.seed,
        )
