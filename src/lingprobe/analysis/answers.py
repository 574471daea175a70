"""Answers over test examples: those of several seeds and folds of one thing put together, and which
test examples a score is over. Scores over different ones stand beside each other only with a mark
that says so.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

import numpy as np

from lingprobe.data._logits import ProbeLogits
from lingprobe.data.core import Result, Tags, Trial
from lingprobe.data.digests import digest_pieces
from lingprobe.data.labels import Column, build_column, join_columns
from lingprobe.data.notes import BoundaryDensity, ResultProvenance, ThresholdNote
from lingprobe.data.scored_labels import ScoredLabels
from lingprobe.data.vectors import Ints
from lingprobe.metrics import FitAnswers
from lingprobe.metrics.clusters import MIN_SEED_COUNT
from lingprobe.metrics.constant import (
    CONSTANT_CLASS_KIND,
    CONSTANT_SET_KIND,
    answered_labels,
    constant_column,
)
from lingprobe.metrics.fold_dependence import VarianceInflation, compute_fold_dependence

T = TypeVar("T")
_UNKNOWN_TRIAL = Trial("", "", "", "", "", 0)
_SIGNS = ("*", "†", "‡", "§", "¶")


class ComparableScore(Protocol):
    """A score over so many test examples, which are told by a digest where the result has one."""

    @property
    def n(self) -> int: ...
    @property
    def tested(self) -> str: ...
    @property
    def missing(self) -> str: ...


def digest_test_set(folds: Iterable[RunPredictions]) -> str:
    """A digest of the test examples of some folds; '' for results of a version that did not keep
    it.
    """
    parts = [fold.tested for fold in folds]
    return digest_pieces(" ".join(sorted(parts)), size=8) if all(parts) else ""


def name_missing_folds(folds: Iterable[str]) -> str:
    """The folds that are missing among some, given as references have them (`1/3`), as `fold 3 of
    3`; '' where they are whole.
    """
    pairs = [match.groups() for fold in folds if (match := re.fullmatch(r"(\d+)/(\d+)", fold))]
    many = max((int(of) for _, of in pairs), default=0)
    lost = sorted(set(range(1, many + 1)) - {int(k) for k, _ in pairs})
    return f"fold{'s' * (len(lost) > 1)} {', '.join(map(str, lost))} of {many}" if lost else ""


def select_alike(
    repeats: Iterable[list[T]], test_of: Callable[[T], tuple[str, str]]
) -> list[list[T]]:
    """Of fits, each given by its folds, those over the test examples that most folds, and most
    fits, are over; `test_of` gives the fold of one, and what stands for its test examples.
    """
    by_test: dict[tuple[tuple[str, str], ...], list[list[T]]] = {}
    for folds in repeats:
        by_test.setdefault(tuple(map(test_of, folds)), []).append(folds)
    return max(by_test.values(), key=lambda fits: (len(fits[0]), len(fits)), default=[])


def mark_test_sets(rows: Sequence[ComparableScore]) -> list[str]:
    """A mark for each of some rows: '' where it is over the test examples that most are over, whole
    ones before parts of them, a sign over different test examples.
    """
    known = {row.n: row.tested for row in rows if row.tested}
    # a version of old kept no digest
    tests = [row.tested or known.get(row.n, str(row.n)) for row in rows]
    counts = Counter(tests)
    rank = {
        test: (not row.missing, counts[test], row.n) for test, row in zip(tests, rows, strict=True)
    }
    order = sorted(rank, key=rank.__getitem__, reverse=True)
    signs = ("", *(sign * times for times in range(1, 1 + len(order)) for sign in _SIGNS))
    sign_of = dict(zip(order, signs, strict=False))
    return [sign_of[test] for test in tests]


def describe_differences(rows: Sequence[ComparableScore], subject: str) -> list[str]:
    """What the signs of some rows (`marks`) mean, one sentence each, and what parts of the data are
    missing where all are alike.
    """
    return [
        f"{sign} {subject}: {text}".lstrip()
        for sign, text in describe_test_sets(rows, mark_test_sets(rows))
    ]


def describe_test_sets(
    rows: Sequence[ComparableScore], signs: Sequence[str]
) -> list[tuple[str, str]]:
    """What the signs of some rows mean, each with a sentence about what it stands beside."""
    pairs = zip(rows, signs, strict=True)
    sets = {(sign, row.n, row.missing) for row, sign in pairs if sign or row.missing}
    return [
        (
            sign,
            f"over {n:,} test examples, which differ from those of scores without a"
            f" mark{_missing_note(lost)}; do not compare the two."
            if sign
            else f"{lost} {'are' if lost.startswith('folds') else 'is'} missing, so scores are over"
            f" {n:,} test examples only.",
        )
        for sign, n, lost in sorted(sets)
    ]


def _missing_note(missing: str) -> str:
    return f" ({missing} missing)" if missing else ""


@dataclass(frozen=True, slots=True, eq=False)
class RunPredictions:
    """What one trained probe answers on test, beside what is right.

    predicted  with scores where the metric judges these
    clusters   codes of what examples were drawn together
    constants  the constant answers that are best on train, by kind
    logits     the scores of labels, where they were kept
    tested     a digest of the test examples; '' where it is not known
    density    at the boundary, by which folds err together
    n_train    examples that the probe was fitted to
    mix        the weights of layers in the mix that the probe reads; () where none is learnt
    trial      what was measured, by references with all options
    about      what else is known of how it was measured
    strata     tags of the test examples, by their name
    score      as it was stored, a share, and its metric; None where it is found in the answers
    """

    gold: Column
    predicted: Column
    clusters: Mapping[str, Ints] = field(default_factory=dict)
    constants: Mapping[str, Sequence[str]] = field(default_factory=dict)
    logits: ProbeLogits | None = None
    tested: str = ""
    density: BoundaryDensity = field(default_factory=BoundaryDensity)
    n_train: int = 0
    mix: Sequence[float] = ()
    trial: Trial = _UNKNOWN_TRIAL
    about: ResultProvenance = field(default_factory=ResultProvenance)
    strata: Mapping[str, Tags] = field(default_factory=dict)
    score: float | None = None
    metric: str = ""

    @classmethod
    def of(cls, result: Result) -> RunPredictions:
        """Those of a result."""
        about = result.provenance
        return cls(
            result.gold,
            answered_labels(result, result.metric),
            result.clusters,
            about.constants or {},
            result.scores,
            about.tested,
            about.choice.part(BoundaryDensity) or BoundaryDensity(),
            about.counts.train,
            about.choice.mix,
            result.trial,
            about,
            result.strata,
            result.score,
            result.metric,
        )

    @property
    def thresholds(self) -> ThresholdNote:
        """Those that were set on dev, with the class that is positive."""
        return self.about.choice.part(ThresholdNote) or ThresholdNote()

    @property
    def n(self) -> int:
        """The number of test examples."""
        return len(self.gold)


def join_answers(fits: Sequence[Sequence[Result]]) -> FitAnswers:
    """The answers of some fits, each given by the results of its folds."""
    return join_predictions([list(map(RunPredictions.of, folds)) for folds in fits])


def join_predictions(fits: Sequence[Sequence[RunPredictions]]) -> FitAnswers:
    """The answers of some fits, each given by those of its folds, which are the same for all; the
    labels are those of each fit, where the draws of a control differ in them.
    """
    predicted = tuple(join_columns([fold.predicted for fold in folds]) for folds in fits)
    is_redrawn = len({folds[0].trial.control for folds in fits}) > 1
    labelled = fits if is_redrawn else fits[:1]
    golds = tuple(join_columns([fold.gold for fold in folds]) for folds in labelled)
    tied = () if is_redrawn else tuple(map(_tie_folds, fits))
    return FitAnswers(golds[0], predicted, _clusters(fits[0]), golds if is_redrawn else (), tied)


def join_constants(folds: Sequence[RunPredictions]) -> FitAnswers:
    """The constant answer that is best on train, over the test examples of all folds: a class, or a
    set where the probe may answer with sets; of scores their mean.
    """
    answers = join_predictions(
        [[replace(fold, predicted=_constant(fold), density=BoundaryDensity()) for fold in folds]]
    )
    if (numbers := answers.gold.numbers) is None:
        return answers
    return replace(answers, predicted=(build_column([float(numbers.mean())] * len(numbers)),))


def _constant(fold: RunPredictions) -> Column:
    if isinstance(fold.predicted, ScoredLabels):
        return fold.predicted.as_constant()
    if fold.gold.numbers is not None:
        return fold.predicted
    gold, known = fold.gold, fold.constants
    if not known:  # version 0.1 did not keep them
        commonest = Counter(gold.class_names()).most_common(1)
        known = (
            {CONSTANT_SET_KIND: ()}
            if gold.classes is None
            else {CONSTANT_CLASS_KIND: (commonest[0][0],)}
        )
    has_sets = CONSTANT_SET_KIND in known and (
        fold.predicted.classes is None or gold.classes is None
    )
    kind = CONSTANT_SET_KIND if has_sets else CONSTANT_CLASS_KIND
    return constant_column(known[kind], gold.names, fold.n, kind)


def _tie_folds(folds: Sequence[RunPredictions]) -> VarianceInflation:
    """By how much folds err together since they share training examples, as `FitAnswers.tied`; NaN
    where their probes do not say, and 0 of a single fold.
    """
    if len(folds) < 2:
        return VarianceInflation(0.0, 0.0)
    tied = [(fold.density, fold.n, fold.n_train) for fold in folds]
    return tie_densities(tied, [*folds[0].gold.counts().values()])


def tie_densities(
    folds: Sequence[tuple[BoundaryDensity, int, int]], classes: Sequence[int]
) -> VarianceInflation:
    """The tie of some folds, each the densities at its boundary, how many examples it tests, and
    how many it was fitted to; `classes` has the examples of each class.
    """
    total, density, ranks, shared = sum(tested for _, tested, _ in folds), 0.0, 0.0, 0.0
    for each, tested, train in folds:
        density += each.density * tested / total
        ranks += each.ranks * tested / total
        # of what it was fitted to, only what is tested in turn errs together with it
        shared += min((total - tested) / max(train, 1), 1.0) * tested / total
    return VarianceInflation(shared * compute_fold_dependence(density, classes), shared * ranks**2)


def are_equal(left_column: Column, right_column: Column) -> bool:
    """Whether two columns have the same labels of the same names."""
    if left_column is right_column:
        return True
    arrays = right_column.arrays()
    return (
        len(left_column) == len(right_column)
        and left_column.names == right_column.names
        and all(
            np.array_equal(a, arrays[k], equal_nan=a.dtype.kind == "f")
            for k, a in left_column.arrays().items()
        )
    )


def find_mismatch(
    scores: Iterable[float], golds: tuple[Column, Column], tests: Iterable[str]
) -> str:
    """Why two scores cannot be compared, '' where they can: both are known, and over the same test
    examples by their labels and their digests, '' for one that is not known.
    """
    if any(map(math.isnan, scores)):
        return "one has no score"
    if are_equal(*golds) and len({*tests} - {""}) < 2:
        return ""
    return f"they are over different test examples ({len(golds[0]):,} and {len(golds[1]):,})"


class RepeatedScore(Protocol):
    """A score over so many fits, which may vary with a seed, and over test examples that were drawn
    together by something.
    """

    @property
    def clusters(self) -> str: ...
    @property
    def seeds(self) -> int: ...
    @property
    def is_seeded(self) -> bool: ...


def describe_interval_base(fit: str, rows: Iterable[RepeatedScore]) -> str:
    """What the intervals of some rows are over: fits (as 'seed'), and test examples by what they
    share; and what they do not cover.
    """
    listed = list(rows)
    shared = dict.fromkeys(name for row in listed for name in row.clusters.split(", ") if name)
    by = f" (clustered by {', '.join(shared)})" if shared else ""
    fits = f"{fit}s and " if any(row.seeds >= MIN_SEED_COUNT for row in listed) else ""
    few = f" {few_seeds_note(fit)}" if has_few_seeds(listed) else ""
    return f"intervals are over {fits}test examples{by}, for this training set.{few}"


def has_few_seeds(rows: Iterable[RepeatedScore]) -> bool:
    """Whether fits vary with a seed by more than was measured."""
    return any(row.is_seeded and row.seeds < MIN_SEED_COUNT for row in rows)


def few_seeds_note(fit: str, subject: str = " they") -> str:
    """What intervals do not cover where `has_few_seeds`."""
    return (
        f"With fewer than {MIN_SEED_COUNT} {fit}s{subject} do not cover variation between {fit}s."
    )


def _clusters(folds: Sequence[RunPredictions]) -> dict[str, Ints]:
    """The codes of some folds one after the other: folds share nothing."""
    clusters = {}
    for name in {name for fold in folds for name in fold.clusters}:
        parts, start = [], 0
        for fold in folds:
            codes = fold.clusters.get(name, np.full(fold.n, -1))
            parts.append(np.where(codes < 0, -1, codes + start))
            start += int(codes.max(initial=-1)) + 1
        clusters[name] = np.concatenate(parts)
    return dict(sorted(clusters.items()))
