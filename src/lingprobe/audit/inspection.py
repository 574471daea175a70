"""The audit of a data set: what is found in it, put together, and what has a warning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lingprobe.audit import CHECKS, repeats
from lingprobe.audit.findings import (
    Audit,
    AuditBaseline,
    AuditExample,
)
from lingprobe.audit.floors import (
    by_label,
    correlate_length_with_labels,
    count_words_read,
    floor_splits,
    score_simple_baselines,
)
from lingprobe.data._packages import load_points
from lingprobe.data.core import DATA_SPLITS, Dataset, Example, Sentence
from lingprobe.data.labels import Column, Label, NumberList
from lingprobe.data.notes import SamplingNote
from lingprobe.data.references import ReferenceProblem
from lingprobe.metrics import choose_label_metric


def list_problems(
    audit: Audit, dataset: Dataset, extra_checks: Sequence[str] = ()
) -> tuple[str, ...]:
    """What has a warning: what each check says, those of plugins and `extra_checks` behind ours.
    One that fails is named, and ends no other.
    """
    said: list[str] = []
    for name in dict.fromkeys([*CHECKS.table, *CHECKS, *extra_checks]):
        try:
            said += CHECKS.find(name)(audit, dataset)
        except ReferenceProblem:
            raise
        except Exception as error:
            said.append(f"the check {name} failed: {type(error).__name__}: {error}")
    return tuple(said)


_KEPT = ("asked", "info", "record")  # tags that hold what a file said, not what to report by
_ALTERED = "altered"  # the note in which a task names the label of its altered sentences


def audit_dataset(
    dataset: Dataset,
    seed: int = 0,
    rows: int = 20,
    metric: str | None = None,
    *,
    floors: bool = True,
    checks: Sequence[str] = (),
) -> Audit:
    """Audit a data set; `rows` examples are drawn with `seed`, the same ones each time; the metric
    is the task's, or the usual one.

    floors  whether what needs no encoder is fitted and scored; without, a large data set takes a
            second or two
    checks  further ones, as `mine.py@check`
    """
    metric = choose_label_metric(metric or dataset.labels.metric, dataset.labels)
    lengths, numbered = count_words_read(dataset), repeats.NumberedDataset.of(dataset)
    same = repeats.find_repeated_splits(numbered)
    # where both are the same, that is all to say
    scores = (
        score_simple_baselines(dataset, metric)
        if floors and floor_splits(dataset) not in same
        else {}
    )
    asked, pairs = _answers(dataset, metric) if floors else ({}, ())
    altered = dataset.notes.altered_label
    audit = Audit(
        sizes={split: len(dataset.rows(split)) for split in DATA_SPLITS},
        balance={
            split: _balance(dataset.labels.take(dataset.rows(split))) for split in DATA_SPLITS
        },
        metric=metric,
        floors=scores,
        correlation=correlate_length_with_labels(lengths, dataset.labels),
        before=_length_correlations(dataset),
        lengths=by_label(dataset, lengths),
        duplicates=repeats.find_repeats(numbered),
        contradictions=repeats.count_contradictions(numbered),
        same=same,
        shared=repeats.find_shared_sentences(numbered),
        forms=repeats.find_shared_forms(numbered),
        words=repeats.measure_known_words(dataset),
        altered=altered,
        versions=repeats.both_versions(numbered) if altered else 0,
        repeats=repeats.most_repeated(numbered),
        rows=_draw_examples(dataset, rows, seed),
        notes=dict(dataset.notes),
        asked=asked,
        pairs=pairs,
        negatives=_negatives(dataset),
    )
    return replace(audit, problems=list_problems(audit, dataset, checks))


def _answers(
    dataset: Dataset, metric: str
) -> tuple[dict[str, AuditBaseline], tuple[AuditBaseline, ...]]:
    """What extensions find that answers questions about words, and pairs of rules."""
    asked: dict[str, AuditBaseline] = {}
    pairs: tuple[AuditBaseline, ...] = ()
    for _, answers in load_points("lingprobe.answers"):
        floors, more = answers(dataset, metric)
        asked, pairs = asked | floors, pairs + more
    return asked, pairs


def _negatives(dataset: Dataset) -> dict[str, dict[str, int]]:
    """Split -> kind of negative -> examples; {} where the task says no kinds."""
    tags = dataset.strata.get("negative")
    if tags is None:
        return {}
    codes_of = {split: tags.codes[dataset.rows(split)] for split in DATA_SPLITS}
    return {
        split: {name: int((codes == k).sum()) for k, name in enumerate(tags.names)}
        for split, codes in codes_of.items()
        if len(codes)
    }


def _length_correlations(dataset: Dataset) -> dict[str, float]:
    """Correlation of length and label, before and after sampling (Pearson's r), as a data set's
    notes have it.
    """
    sample = dataset.notes.part(SamplingNote)
    if sample is None or sample.length_r_before is None or not sample.length_r_after:
        return {}
    return {"before": sample.length_r_before, "after": sample.length_r_after["all"]}


def _balance(labels: Column) -> dict[str, float]:
    return {what: round(float(value), 6) for what, value in labels.summary().items()}


def _draw_examples(dataset: Dataset, rows: int, seed: int) -> tuple[AuditExample, ...]:
    """Some examples, in the order of the data set."""
    drawn = np.sort(np.random.default_rng(seed).permutation(len(dataset))[:rows])
    return tuple(map(_format_example, dataset.take(drawn).examples()))


def _format_example(example: Example) -> AuditExample:
    """An example as a reader wants to see it: spans in brackets, numbered where there are several,
    sentences with bars between.
    """
    several = sum(span is not None for _, span in example.sites) > 1
    spans: dict[Sentence, list[tuple[str, tuple[int, int]]]] = {}
    for number, (sentence, span) in enumerate(example.sites, 1):
        if span is not None:
            spans.setdefault(sentence, []).append((str(number) if several else "", span))
    texts = [_bracket_spans(sentence, marked) for sentence, marked in spans.items()]
    texts += [sentence.text for sentence, span in example.sites if span is None]
    strata = {key: tag for key, tag in example.strata.items() if key not in _KEPT}
    return AuditExample(
        example.split,
        _format_label(example.label),
        " | ".join(texts),
        strata.pop("target", ""),
        example.asked,
        strata,
    )


def _bracket_spans(sentence: Sentence, spans: Sequence[tuple[str, tuple[int, int]]]) -> str:
    """The words of a sentence with brackets around its spans."""
    before: dict[int, str] = {}
    after: dict[int, str] = {}
    # the wider the farther out
    for name, (start, stop) in sorted(spans, key=lambda one: one[1][0] - one[1][1]):
        before[start] = before.get(start, "") + f"[{name} "
        after[stop - 1] = f" {name}]" + after.get(stop - 1, "")
    return " ".join(
        before.get(i, "") + word + after.get(i, "") for i, word in enumerate(sentence.words)
    )


def _format_label(label: Label) -> str:
    if isinstance(label, str):
        return label
    if isinstance(label, int | float):
        return f"{label:g}"
    if isinstance(label, NumberList):
        return " ".join(f"{value:g}" for value in label.values)
    if isinstance(label, Mapping):
        return ", ".join(f"{name} {weight:g}" for name, weight in sorted(label.items()))
    return ", ".join(sorted(label)) or "(none)"
