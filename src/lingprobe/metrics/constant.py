"""The baseline of a table: what answers score that are the same for every example."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from lingprobe.data._code import is_code_allowed
from lingprobe.data._logits import ProbeLogits, null_scores
from lingprobe.data.core import Result
from lingprobe.data.labels import Column, column_from_codes
from lingprobe.data.notes import ProbeChoice
from lingprobe.data.references import ReferenceProblem
from lingprobe.data.scored_labels import ScoredLabels
from lingprobe.data.vectors import Ints
from lingprobe.metrics.metric import METRICS, Doubles, Metric

_TRIED = 50  # commonest classes tried as the constant; accuracy and F1 never prefer a rarer one
_HALF = 0.5  # of the examples: what more have is prevalent
CONSTANT_CLASS_KIND, _PREVALENT, CONSTANT_SET_KIND = "class", "prevalent", "set"


def best_constant(train: Column, test: Column, metric: str | Metric) -> float:
    """The metric on test of the constant answer that is best on train: a class, or a label set, or
    for a metric of scores the label frequencies; 0 for correlations of numbers.
    """
    measure = find_metric(metric)
    if train.numbers is not None or not train.has_constant or not len(train):
        return 0.0
    if measure.reads_scores and test.link is not None:
        null = np.tile(null_scores(train), (len(test), 1))
        scores = ProbeLogits.of(null, test.link, train, np.arange(len(test)))
        return measure(test, ScoredLabels.of(test.decode(null), train.names, scores))
    kind = CONSTANT_SET_KIND if train.classes is None else CONSTANT_CLASS_KIND
    return measure(
        test, constant_column(constant_labels(train, measure, kind), train.names, len(test), kind)
    )


def choose_constants(train: Column, metric: str | Metric) -> dict[str, tuple[str, ...]]:
    """Constant answers chosen on train: the one label that scores best (`class`), every label that
    half of the examples have (`prevalent`), and the best `set` of labels; {} for scores.

    A set answers classes, too, where a probe has a sigmoid for each label: on two balanced classes
    both together have a micro F1 of 66.7. Where only one class can be right (accuracy), there is
    but the class.
    """
    if train.numbers is not None or not train.has_constant or not len(train):
        return {}
    measure = find_metric(metric)
    if measure.reads_scores:  # these answers stand beside it, and it does not choose them
        measure = find_metric(train.metric)
    kinds = (
        [CONSTANT_CLASS_KIND, _PREVALENT, CONSTANT_SET_KIND]
        if train.classes is None or measure.several
        else [CONSTANT_CLASS_KIND]
    )
    return {kind: constant_labels(train, measure, kind) for kind in kinds}


def floor(
    answers: Mapping[str, Iterable[str]], gold: Column, predicted: Column, metric: str | Metric
) -> float:
    """What the best of some constant answers scores that may be given where `predicted` was: a set
    where that holds sets; of a metric of scores, the label frequencies in train.
    """
    measure = find_metric(metric)
    if measure.reads_scores and isinstance(predicted, ScoredLabels):
        return measure(gold, predicted.as_constant())
    kind = (
        CONSTANT_SET_KIND
        if CONSTANT_SET_KIND in answers and (predicted.classes is None or gold.classes is None)
        else CONSTANT_CLASS_KIND
    )
    return (
        measure(gold, constant_column(answers[kind], gold.names, len(gold), kind))
        if answers
        else 0.0
    )


def constant_labels(train: Column, metric: Metric, kind: str) -> tuple[str, ...]:
    """The labels of the constant answer of a kind.

    Sets are tried in order of the labels' shares, and the best one for micro F1 is always among
    these: adding a label pays as long as its share is above half the F1 so far.
    """
    different, counts = _different(train)
    share = _shares(different, counts)
    order = np.argsort(-share, kind="stable")
    if kind == _PREVALENT:
        return tuple(train.names[i] for i in order if share[i] >= _HALF)
    sets = (
        [order[:k] for k in range(len(order) + 1)]
        if kind == CONSTANT_SET_KIND
        else [order[i : i + 1] for i in range(min(len(order), _TRIED))]
    )
    answers = [tuple(train.names[i] for i in ids) for ids in sets]
    return max(
        answers,
        key=lambda labels: _score_answer(
            different, counts, metric, constant_column(labels, train.names, len(different), kind)
        ),
    )


def constant_column(labels: Iterable[str], names: tuple[str, ...], n: int, kind: str) -> Column:
    """The constant answer of a kind n times: as a class, or as a label set."""
    ids = np.array([names.index(label) for label in labels], np.int64)
    return column_from_codes(
        np.full(n, ids[0]) if kind == CONSTANT_CLASS_KIND else np.tile(ids, (n, 1)), names
    )


def constant_result(result: Result, kind: str) -> Result:
    """The result that a constant answer of train would have had over the same examples; its
    interval is told with that of others.
    """
    labels = (result.provenance.constants or {})[kind]
    answer = constant_column(labels, result.gold.names, result.n, kind)
    scored = answered_labels(result, result.metric)
    if isinstance(scored, ScoredLabels):
        answer = scored.as_constant()
    about = replace(result.provenance, choice=ProbeChoice())
    nothing = float("nan")
    score = find_metric(result.metric)(result.gold, answer)
    return replace(
        result, predicted=answer, score=score, low=nothing, high=nothing, provenance=about
    )


def rescore_result(result: Result, metric: str) -> Result:
    """The same answers judged by another metric; the interval is told with that of others.
    MetricProblem where it counts no label, or judges scores that were not kept.
    """
    predicted, nothing = answered_labels(result, metric), float("nan")
    score = find_metric(metric)(result.gold, predicted)
    least = floor(result.provenance.constants or {}, result.gold, predicted, metric)
    again = replace(result, predicted=predicted, metric=metric, score=score, majority=least)
    return replace(again, low=nothing, high=nothing)


def answered_labels(result: Result, metric: str | Metric) -> Column:
    """What a result answered, with the scores that it keeps where a metric judges these."""
    predicted = result.predicted
    if isinstance(predicted, ScoredLabels):
        return predicted if find_metric(metric).reads_scores else predicted.predicted
    if result.scores is None or not find_metric(metric).reads_scores:
        return predicted
    return ScoredLabels.of(predicted, result.gold.names, result.scores)


def find_metric(metric: str | Metric) -> Metric:
    """The metric that a reference names; a metric names itself."""
    if isinstance(metric, Metric):
        return metric
    measure: Metric = _own_metric(metric) if metric in METRICS.table else METRICS.make(metric)
    return measure


def choose_label_metric(metric: str, labels: Column) -> str:
    """The metric where it judges labels; where it judges scores, and there are none, what stands in
    for it: balanced accuracy of classes, micro-F1 of label sets.
    """
    if not find_metric(metric).reads_scores:
        return metric
    return labels.metric if labels.classes is None else "balanced-accuracy"


@cache
def judges_scores(name: str) -> bool:
    """Whether the metric of this name judges scores; not one that is no longer here, or whose file
    may not run.
    """
    try:
        return is_code_allowed(name) and find_metric(name).reads_scores
    except (ReferenceProblem, ImportError, AttributeError, OSError):
        return False


@cache
def _own_metric(name: str) -> Metric:
    """One of the metrics that lingprobe has: it is the same each time, as others need not be."""
    measure: Metric = METRICS.make(name)
    return measure


def _different(labels: Column) -> tuple[Column, Ints]:
    """The labels that differ, each once, and how often each is there: scores of constants need no
    more.
    """
    _, first, counts = np.unique(
        np.nan_to_num(labels.matrix(), nan=-1), axis=0, return_index=True, return_counts=True
    )
    return labels.take(first), counts


def _score_answer(different: Column, counts: Ints, metric: Metric, answer: Column) -> float:
    each = metric.sums(different, answer, np.arange(len(counts)), len(counts))
    return float(metric.value(counts @ each))


def _shares(different: Column, counts: Ints) -> Doubles:
    """The share of examples that have each label, of those that were annotated for it."""
    if different.classes is not None:  # there may be too many for a matrix
        codes, many = different.classes, len(different.names)
        return np.asarray(np.bincount(codes, counts, many) / counts.sum(), np.float64)
    matrix = different.sets().matrix()
    annotated = counts @ ~np.isnan(matrix)
    return np.asarray(
        (counts @ (np.nan_to_num(matrix) >= _HALF)) / np.maximum(annotated, 1), np.float64
    )
