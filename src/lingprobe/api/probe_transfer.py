"""Does it hold elsewhere? A probe that was trained on one data set, tested on others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lingprobe.analysis.detection import rate_among
from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.api.tables import tasks_given
from lingprobe.data._logits import ProbeLogits
from lingprobe.data.core import DataProblem, Dataset
from lingprobe.data.errors import UsageProblem
from lingprobe.data.labels import Column, column_from_codes
from lingprobe.data.references import Reference, shorten_reference
from lingprobe.data.scored_labels import ScoredLabels
from lingprobe.data.vectors import Ints
from lingprobe.datasets.splits import code_shared_groups
from lingprobe.experiment.data import load_examples
from lingprobe.metrics import interval_of
from lingprobe.metrics.constant import find_metric
from lingprobe.metrics.independent import compare_independent
from lingprobe.pages.records import make_dataframe
from lingprobe.store.probe_folder import ProbeFacts
from lingprobe.tasks import TASKS
from lingprobe.tasks.find import expand_tasks

Doubles = NDArray[np.float64]
Kind = Literal["classes", "sets", "scores"]

_RANKS = "auroc"
_NONE = (math.nan, math.nan, math.nan)
_OWN = "own test"


class LogitsOfTexts(Protocol):
    """Logits [n, outputs] of texts, and by number why some have none."""

    @property
    def logits(self) -> Doubles: ...
    @property
    def reasons(self) -> Mapping[int, str]: ...


class ScoringProbe(Protocol):
    """What data sets are tested with: a trained probe."""

    @property
    def facts(self) -> ProbeFacts: ...

    def score_texts(self, texts: Sequence[Any]) -> LogitsOfTexts:
        """Logits of texts, and why some have none."""
        ...


class OwnTest(NamedTuple):
    """The probe's own test examples: classes [n], margins [n] of the positive one, and what they
    share [ways, n].
    """

    is_positive: NDArray[np.bool_]
    margins: Doubles
    clusters: Ints


@dataclass(frozen=True, slots=True)
class TransferScore:
    """How a trained probe does on one data set. Scores, shares and differences are percent, with
    95 % intervals over what was sampled together.

    n           examples
    prevalence  the share of the positive class; NaN where labels are not two classes
    difference  from the score on its own test
    auroc       the area under the ROC curve, whatever the metric; NaN where labels are not two
                classes
    recall      the share of the positive class above the threshold that was set on the probe's own
                dev, and `achieved` of the other; NaN where there is none
    fpr         the rate that the threshold was set for
    unusable    texts that could not be encoded
    """

    data: str
    n: int
    prevalence: float
    metric: str
    score: float
    low: float
    high: float
    difference: float = math.nan
    difference_low: float = math.nan
    difference_high: float = math.nan
    auroc: float = math.nan
    auroc_low: float = math.nan
    auroc_high: float = math.nan
    recall: float = math.nan
    recall_low: float = math.nan
    recall_high: float = math.nan
    achieved: float = math.nan
    achieved_low: float = math.nan
    achieved_high: float = math.nan
    fpr: float = math.nan
    unusable: int = 0

    def __str__(self) -> str:
        parts = [f"{self.data}: {self.metric} {self.score:.1f} [{self.low:.1f}, {self.high:.1f}]"]
        if not math.isnan(self.difference):
            parts.append(
                f"{self.difference:+.1f} [{self.difference_low:+.1f}, {self.difference_high:+.1f}]"
                f" from its {_OWN}"
            )
        if not math.isnan(self.auroc) and self.metric != _RANKS:
            parts.append(f"AUROC {self.auroc:.1f} [{self.auroc_low:.1f}, {self.auroc_high:.1f}]")
        if not math.isnan(self.recall):
            parts.append(
                f"recall {self.recall:.1f} [{self.recall_low:.1f}, {self.recall_high:.1f}] at"
                f" {self.achieved:.1f} % false positives"
                f" [{self.achieved_low:.1f}, {self.achieved_high:.1f}] where"
                f" {PERCENT_SCALE * self.fpr:g} % was set"
            )
        if not math.isnan(self.prevalence):
            parts.append(f"{self.prevalence:.1f} % positive")
        lost = f", {self.unusable:,} not encoded" if self.unusable else ""
        return f"{'; '.join(parts)}; n = {self.n:,}{lost}"


@dataclass(frozen=True, repr=False)
class ProbeTransfer:
    """A trained probe on its own test and on other data. Printing it begins with where it holds
    least; it iterates over its scores.
    """

    own: TransferScore
    others: tuple[TransferScore, ...]

    @property
    def headline(self) -> str:
        """Where the probe holds least, in a sentence."""
        worst = min(self.others, key=lambda each: each.difference)
        falls = worst.difference_high < 0
        verdict = "does not hold" if falls else "holds within the interval"
        return (
            f"The probe {verdict} on {worst.data}: {worst.metric} {worst.score:.1f} against"
            f" {self.own.score:.1f} on its {_OWN}, a difference of {worst.difference:+.1f} (95 % CI"
            f" {worst.difference_low:+.1f} to {worst.difference_high:+.1f})."
        )

    def to_dataframe(self) -> Any:
        """The scores as a frame of pandas, or of polars or pyarrow where it is not installed."""
        return make_dataframe([*self], TransferScore)

    def __iter__(self) -> Iterator[TransferScore]:
        return iter((self.own, *self.others))

    def __len__(self) -> int:
        return 1 + len(self.others)

    def __str__(self) -> str:
        return "\n".join([self.headline, "", *(f"- {each}" for each in self)])

    def __repr__(self) -> str:
        return f"ProbeTransfer({len(self.others):,} data sets)"


def name_label_kind(labels: Column) -> Kind:
    """Of which kind labels are."""
    if labels.classes is not None:
        return "classes"
    return "scores" if labels.numbers is not None else "sets"


def measure_elsewhere(
    probe: ScoringProbe, own: OwnTest, data: Any, cut: tuple[float, float]
) -> ProbeTransfer:
    """A probe on all examples of other data sets.

    cut  the rate of false positives and the margin of its threshold; NaN for none
    DataProblem for labels that the probe does not know; UsageProblem for data that are not whole
    texts.
    """
    tested = _score_own(probe.facts, own, cut)
    others = []
    for name, dataset in _load_tasks(data):
        gold = _align_labels(dataset, probe.facts, name)
        texts = [dataset.sentences[k] for k in dataset.sites[:, 0, 0].tolist()]
        done = probe.score_texts(texts)
        rows = np.setdiff1d(np.arange(len(gold)), [*done.reasons])
        if not len(rows):
            raise DataProblem(f"{name}: no text of it could be encoded")
        clusters = {key: codes[rows] for key, codes in code_shared_groups(dataset).items()}
        labelled = LabelledScores(gold.take(rows), done.logits[rows], clusters)
        score = _score_labelled(name, probe.facts, labelled, cut)
        others.append(_compare(score, tested, len(done.reasons)))
    if not others:
        raise UsageProblem("give data to test the probe on")
    return ProbeTransfer(tested, tuple(others))


class LabelledScores(NamedTuple):
    """Labels and scores [n, outputs] of examples, and what these share."""

    gold: Column
    scores: Doubles
    clusters: Mapping[str, Ints]


def _load_tasks(data: Any) -> Iterator[tuple[str, Dataset]]:
    """The data sets, with their names."""
    for item in expand_tasks(tasks_given(data)):
        made = TASKS.make(item) if isinstance(item, Reference) else item
        name = shorten_reference(TASKS, str(item)) if isinstance(item, Reference) else made.name
        yield name, load_examples(made)


def _align_labels(dataset: Dataset, facts: ProbeFacts, name: str) -> Column:
    """The labels under the names that the probe knows."""
    if not dataset.of_sentences:
        raise UsageProblem(
            f"{name} is about words, spans or pairs, and the probe reads whole texts"
        )
    labels = dataset.labels
    if name_label_kind(labels) != facts.kind:
        raise DataProblem(
            f"the labels of {name} are {name_label_kind(labels)}, and the probe predicts"
            f" {facts.kind}"
        )
    if facts.kind == "scores":
        return labels
    if unknown := [each for each in labels.names if each not in facts.labels]:
        known = ", ".join(facts.labels[:20])
        raise DataProblem(f"{name} has the label {unknown[0]!r}; the probe knows {known}")
    places = np.array([facts.labels.index(each) for each in labels.names], np.int64)
    return labels.with_names(places, facts.labels)


def _score_own(facts: ProbeFacts, own: OwnTest, cut: tuple[float, float]) -> TransferScore:
    """The score on the probe's own test."""
    score = facts.score
    found = score.score, score.low, score.high
    if not facts.positive:
        return TransferScore(_OWN, score.n, math.nan, facts.metric, *found)
    place = facts.labels.index(facts.positive)
    codes = np.where(own.is_positive, place, 1 - place)
    sides = np.stack([-own.margins, own.margins], 1) / 2
    scores = sides if place else sides[:, ::-1]
    clusters = {str(k): each for k, each in enumerate(own.clusters)}
    labelled = LabelledScores(column_from_codes(codes, facts.labels), scores, clusters)
    share = _rate_prevalence(facts, labelled)
    known = TransferScore(_OWN, score.n, share, facts.metric, *found)
    return replace(known, **_rate_two_classes(facts, labelled, cut))


def _score_labelled(
    name: str, facts: ProbeFacts, labelled: LabelledScores, cut: tuple[float, float]
) -> TransferScore:
    """The score on a data set by the probe's metric, and of two classes the rest."""
    score, many = _rate(facts.metric, labelled), len(labelled.gold)
    if not facts.positive:
        return TransferScore(name, many, math.nan, facts.metric, *score)
    share = _rate_prevalence(facts, labelled)
    known = TransferScore(name, many, share, facts.metric, *score)
    return replace(known, **_rate_two_classes(facts, labelled, cut))


def _rate(metric: str, labelled: LabelledScores) -> tuple[float, float, float]:
    """A score with its interval, in percent; NaN where one class is missing."""
    gold, scores, clusters = labelled
    measure = find_metric(metric)
    single = scores.astype(np.float32)
    predicted: Column = gold.decode(single)
    if measure.reads_scores:
        if not gold.vary() or gold.link is None:
            return _NONE
        logits = ProbeLogits.of(single, gold.link, gold, np.arange(len(gold)))
        predicted = ScoredLabels.of(predicted, gold.names, logits)
    score = measure(gold, predicted)
    low, high = interval_of(measure, gold, [predicted], clusters)
    return PERCENT_SCALE * score, PERCENT_SCALE * low, PERCENT_SCALE * high


def _rate_prevalence(facts: ProbeFacts, labelled: LabelledScores) -> float:
    """The prevalence: the share of the positive class among the labels, in percent."""
    place = facts.labels.index(facts.positive)
    return PERCENT_SCALE * float((labelled.gold.matrix() == place).mean())


def _rate_two_classes(
    facts: ProbeFacts, labelled: LabelledScores, cut: tuple[float, float]
) -> dict[str, Any]:
    """AUROC, recall and the rate of false positives, each with its interval, and the rate that was
    set for, by field.
    """
    place, (fpr, margin) = facts.labels.index(facts.positive), cut
    is_positive = labelled.gold.matrix() == place
    margins = labelled.scores[:, place] - labelled.scores[:, 1 - place]
    named = _name_interval("auroc", _rate(_RANKS, labelled)) | {"fpr": fpr}
    if math.isnan(margin):
        return named
    above = (margins > margin)[None]
    for field, among in (("recall", is_positive), ("achieved", ~is_positive)):
        named |= _name_interval(field, rate_among(above, among, labelled.clusters))
    return named


def _name_interval(field: str, values: tuple[float, float, float]) -> dict[str, Any]:
    """A value and the ends of its interval by field."""
    return dict(zip((field, f"{field}_low", f"{field}_high"), values, strict=True))


def _compare(score: TransferScore, own: TransferScore, lost: int) -> TransferScore:
    """The score with its difference from that on the probe's own test."""
    found = compare_independent(
        (score.score, score.low, score.high), (own.score, own.low, own.high)
    )
    return replace(score, unusable=lost, **_name_interval("difference", found))
