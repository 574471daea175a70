"""What was counted beside a score: examples that were read, and those that could not be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from lingprobe.analysis.answers import RunPredictions

_NAMED = 5  # classes of examples that were left out


def describe_unread_data(folds: Sequence[RunPredictions]) -> dict[str, Any]:
    """What could not be read, of the data and by the encoder, and the version and format that say
    so.
    """
    counts = [fold.about.counts for fold in folds]
    unread = {
        "beyond": max(each.beyond for each in counts),
        "unaligned": max(each.unaligned for each in counts),
        "partial": max(each.partial for each in counts),
        "held": max(each.held for each in counts),
    }
    named = {f"{fate}_are": _left_out(folds, fate) for fate in ("beyond", "unaligned")}
    most = max(counts, key=lambda each: each.unusable)
    named["unusable_are"] = "; ".join(most.problems) if most.unusable else ""
    many, problem = folds[0].about.notes.malformed_sentences
    store = {
        "version": folds[0].about.version,
        "format": folds[0].about.format,
    }
    return {**unread, **named, **store, "malformed": many, "problem": problem}


def _left_out(folds: Sequence[RunPredictions], fate: str) -> str:
    """What was excluded, as `test: 3 ARG1, 2 LOC`; of folds of test, as train and dev of one are
    test of others.
    """
    every: dict[str, Counter[str]] = {}
    for fold in folds:
        for split, labels in fold.about.counts.left_out.get(fate, {}).items():
            if len(folds) == 1 or split == "test":
                every.setdefault(split, Counter()).update(labels)
    return "; ".join(f"{split}: {_most(labels)}" for split, labels in every.items())


def _most(labels: Counter[str]) -> str:
    commonest = [f"{n:,} {name}".strip() for name, n in labels.most_common(_NAMED)]
    rest = sum(labels.values()) - sum(n for _, n in labels.most_common(_NAMED))
    return ", ".join(commonest) + (f" and {rest:,} others" if rest else "")


def merge_fold_counts(folds: Sequence[RunPredictions]) -> dict[str, Any]:
    """What was counted beside a score over all folds: of sentences and of examples of all splits,
    which folds share, the most.
    """
    counts = [fold.about.counts for fold in folds]
    return {
        "train": counts[0].train,
        "unusable": max(each.unusable for each in counts),
        "unseen": sum(each.unseen for each in counts),
        "cut": max(each.cut for each in counts),
        "words": max(each.words or 0 for each in counts),
        "unknown": max(each.unknown or 0 for each in counts),
    }
