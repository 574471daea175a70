"""Rows of scores: one a task, encoder, layer, probe and control, over all seeds and folds, with all
that tables, pages and files say of it. Every comparison is made of these rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lingprobe.analysis.answers import RunPredictions, digest_test_set
from lingprobe.analysis.computing import describe_computation
from lingprobe.analysis.counting import describe_unread_data, merge_fold_counts
from lingprobe.analysis.frame import Columns, Folds, ResultFrame, is_seeded
from lingprobe.analysis.memorization import measure_memorization
from lingprobe.analysis.questions import PosedQuestion, describe_question
from lingprobe.analysis.row import NO_CONTROL, PERCENT_SCALE
from lingprobe.data.cache import escape_surrogates
from lingprobe.data.notes import CodeLengthNote, MembersCompared, ThresholdCounts
from lingprobe.datasets.usual_metric import RANKING_METRIC
from lingprobe.metrics import FitAnswers
from lingprobe.metrics.thresholds import FALSE_POSITIVE_RATES, recall_at_rates

SCORE_KEYS = ("task", "encoder", "layer", "probe", "control", "metric", "subgroup")
"""What tells rows of scores apart."""
_QUESTION = ("classes", "question_classes", "made_of", "word_rule", "word_score", "remarks")
_ALSO = {
    "majority": "constant_score",
    "n": "n_test",
    "kind": "role",
    "stratum": "subgroup",
}
"""What columns are called in files, and in the frame."""
_COUNTED = frozenset({*SCORE_KEYS, "seeds", "samples", "missing", "left_out"})
"""Columns that a frame has where repeats were averaged."""
_UNKNOWN = math.nan
SCORE_FIELDS: Mapping[str, Any] = {
    **dict.fromkeys(SCORE_KEYS[:-1], ""),
    **dict.fromkeys(("score", "low", "high", "majority"), _UNKNOWN),
    **dict.fromkeys(("n", "seeds", "folds", "train", "unusable", "cut", "unseen"), 0),
    "kind": "trained",
    "samples": 1,
    "stratum": "",
    **dict.fromkeys(("expected", "over", "over_low", "over_high"), _UNKNOWN),
    "average_precision": _UNKNOWN,
    **dict.fromkeys(("recall_at_1", "achieved_1", "recall_at_5", "achieved_5"), _UNKNOWN),
    **dict.fromkeys(("tied", "bits", "compression", "over_prior"), _UNKNOWN),
    "draws": 1,
    **dict.fromkeys(("selectivity", "selective_low", "selective_high"), _UNKNOWN),
    "keyed": "",
    **dict.fromkeys(("keys_seen", "on_seen", "on_unseen"), _UNKNOWN),
    **dict.fromkeys(("beyond", "unaligned", "partial"), 0),
    "rule": "",
    "ruled": _UNKNOWN,
    "malformed": 0,
    **dict.fromkeys(("problem", "unusable_are", "beyond_are", "unaligned_are", "clusters"), ""),
    **dict.fromkeys(("constant_token", "model", "compared"), ""),
    **dict.fromkeys(("words", "unknown", "held"), 0),
    **dict.fromkeys(("tested", "missing"), ""),
    "left_out": 0,
    **dict.fromkeys(("computed", "version"), ""),
    "format": 0,
    "holds": "",
    "is_seeded": True,
    **dict(zip(_QUESTION, (0, 0, "", "", 0.0, ""), strict=True)),
}
"""The columns of CSV, Parquet and data frames in order, each with what it has where nothing is
known; `docs/columns.md` says what they mean.
"""


def compute_scores(frame: ResultFrame) -> ResultFrame:
    """The rows of CSV and Parquet: one for each encoder, layer, probe and control on a task, over
    all seeds and folds, in the order in which things first come.
    """
    return add_score_columns(frame.average_repeats(SCORE_KEYS))


def add_score_columns(averaged: ResultFrame) -> ResultFrame:
    """Rows that are over all repeats with the columns of `ScoreColumns`."""
    return averaged.with_columns(ScoreColumns().compute(averaged, averaged))


@dataclass(frozen=True)
class ScoreColumns:
    """All of `SCORE_FIELDS`, and what tables say of the question and its sources: the names of the
    classes (`class_names`), how many they are in words (`class_size`), the commonest construction
    of each (`commonest`), remarks one by one (`source_remarks`), and the percent of labels that
    are known to be wrong (`wrong`).
    """

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        others = frame.find_others(shown, {"control": NO_CONTROL})
        rows = [
            self._describe(shown, number, frame.folds(plain[0]) if plain else ())
            for number, plain in enumerate(others)
        ]
        unused = {**SCORE_FIELDS, **PosedQuestion().columns()}
        added = {
            name: [_storable(row.get(name, default)) for row in rows]
            for name, default in unused.items()
            if name not in _COUNTED
        }
        return {**added, **{name: shown.column(known) for name, known in _ALSO.items()}}

    def _describe(
        self, shown: ResultFrame, number: int, plain: Sequence[Folds]
    ) -> Mapping[str, Any]:
        fits, answers = shown.folds(number), shown.answers(number)
        metric = shown.column("metric")[number]
        runs, first = [run for folds in fits for run in folds], fits[0][0]
        low, high = shown.interval(number)
        return {
            "score": shown.score(number),
            "low": low,
            "high": high,
            "folds": len(fits[0]),
            "draws": len({folds[0].trial.control for folds in fits}),
            "clusters": ", ".join(answers.clusters),
            "tied": answers.tie(metric),
            "tested": digest_test_set(fits[0]),
            "computed": describe_computation(runs),
            "constant_token": first.about.constant_tokens.get(shown.column("layer")[number], ""),
            "holds": first.about.oracle,
            "is_seeded": is_seeded(first.trial, first.about),
            **_find_rule(first),
            **_rank_examples(metric, answers, fits),
            **describe_question(fits[0], answers.gold).columns(),
            **merge_fold_counts(fits[0]),
            **_measure_code(runs),
            **_name_models(runs),
            **describe_unread_data(fits[0]),
            **measure_memorization(metric, fits, plain),
        }


def _storable(cell: Any) -> Any:
    if isinstance(cell, list):
        return list(map(_storable, cell))
    return escape_surrogates(cell) if isinstance(cell, str) else cell


def _rank_examples(metric: str, answers: FitAnswers, fits: Sequence[Folds]) -> dict[str, float]:
    """Beside AUROC: average precision, and recall at rates of false positives, with the rates that
    were achieved, each the mean over fits.
    """
    if metric != RANKING_METRIC:
        return {}
    found = {
        "average_precision": PERCENT_SCALE * float(np.mean(answers.scores("average-precision"))),
    }
    every = [
        recall_at_rates([run.about.choice.part(ThresholdCounts) or ThresholdCounts() for run in f])
        for f in fits
    ]
    for rate in FALSE_POSITIVE_RATES:
        recall, achieved = np.mean([fit[rate] for fit in every], 0).tolist()
        found[f"recall_at_{PERCENT_SCALE * rate:.0f}"] = PERCENT_SCALE * recall
        found[f"achieved_{PERCENT_SCALE * rate:.0f}"] = PERCENT_SCALE * achieved
    return found


def _measure_code(runs: Sequence[RunPredictions]) -> dict[str, float]:
    """Mean length in bits of the codes for the labels that probes made, and how many times longer
    those without vectors are.
    """
    codes = [run.about.choice.part(CodeLengthNote) or CodeLengthNote() for run in runs]
    bits = np.array([code.bits for code in codes])
    uniform = np.array([code.uniform for code in codes])
    prior = np.array([code.prior for code in codes])
    return {
        "bits": float(bits.mean()),
        "compression": float((uniform / bits).mean()),
        "over_prior": float((prior / bits).mean()),
    }


def _name_models(runs: Sequence[RunPredictions]) -> dict[str, str]:
    """Which models a probe chose, and the log losses that it compared, as text."""
    parts = [run.about.choice.part(MembersCompared) or MembersCompared() for run in runs]
    losses = [f"{name} {loss:.3f}" for name, loss in parts[0].losses.items()]
    models = dict.fromkeys(part.model for part in parts if part.model)
    return {"model": " or ".join(models), "compared": ", ".join(losses)}


def _find_rule(run: RunPredictions) -> dict[str, Any]:
    """The best of the rules of thumb that the task's notes have, and its score in percent."""
    rules = run.about.notes.rules
    best = max(rules, key=lambda name: float(rules[name]), default="")
    return {"rule": best, "ruled": PERCENT_SCALE * float(rules[best])} if best else {}
