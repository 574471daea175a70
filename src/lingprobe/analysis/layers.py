"""Results over the layers of an encoder -> where in it each task is solved (Tenney et al. 2019b,
"BERT Rediscovers ...").

Layers are told by what was read: `0` to `L` alone, `mix:0-l` for growing mixes (`mix` is that of
all), `lex` below them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lingprobe.analysis.answers import join_answers
from lingprobe.analysis.row import (
    NO_CONTROL,
    PERCENT,
    ResultRow,
)
from lingprobe.analysis.rows import (
    on_dev,
    repeats,
    rows,
    strip_fold,
)
from lingprobe.data.core import Result
from lingprobe.data.reading import MIX
from lingprobe.data.references import shorten_reference
from lingprobe.encoders import ENCODERS
from lingprobe.metrics.layers import (
    Expected,
    centre_of_gravity,
    drawn_scores,
    expected_layer,
    from_uniform,
    gain_divergence,
    over_seeds,
)
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS

NOTHING = float("nan")
EVEN = 0.05  # bits below which weights are as good as equal: one of 0.25 among six of 0.125 is 0.06


class Mean(NamedTuple):
    """A mean over seeds and its 95 % interval, NaN where there are fewer than three."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Depth:
    """The scores of each layer of an encoder on one task.

    single      layer -> its score alone
    on_dev      layer -> what the probe scored on dev when it read the layer alone
    cumulative  layer l -> the score of the mix of 0 to l
    lexical     the score of word embeddings without positions; None if they were not read
    weights     of the layers in the mix of all, mean over seeds, [L + 1]; () if there is none
    gravity     centre of gravity of these weights; NaN if they are nearly equal, as before training
    uneven      how far they are from equal weights, in bits
    expected    the expected layer: the mean layer at which the mixes gain; NaN with the reason if
                there is none
    gained      how far the gains are from equal gains of all layers, in bits; NaN if there are none
    """

    task: str
    encoder: str
    probe: str
    single: Mapping[int, ResultRow]
    on_dev: Mapping[int, float]
    cumulative: Mapping[int, ResultRow]
    lexical: ResultRow | None
    weights: tuple[float, ...]
    gravity: Mean
    uneven: float
    expected: Expected
    gained: float

    @property
    def layers(self) -> range:
        """The layers with a score, from 0."""
        last = max([*self.single, *self.cumulative, len(self.weights) - 1])
        return range(last + 1)

    @property
    def best(self) -> int | None:
        """The layer with the highest score alone on dev, or on test where dev is not known; None if
        none was read alone.
        """
        score = (
            self.on_dev if self.is_chosen_on_dev else {k: r.score for k, r in self.single.items()}
        )
        return max(score, key=score.__getitem__, default=None)

    @property
    def is_chosen_on_dev(self) -> bool:
        """Whether what the layers scored on dev is known."""
        return not any(map(math.isnan, self.on_dev.values()))

    @property
    def is_mixed(self) -> bool:
        """Whether a mix of several layers was read."""
        return len(self.cumulative) > 1 or bool(self.weights) or not self.single

    @property
    def rows(self) -> list[ResultRow]:
        """All that was measured."""
        return [
            *self.single.values(),
            *self.cumulative.values(),
            *([self.lexical] if self.lexical else []),
        ]


def depths(results: Sequence[Result]) -> list[Depth]:
    """One `Depth` for each task, encoder and probe of which two layers or a mix were read, earliest
    tasks first.
    """
    groups: dict[tuple[str, str, str], dict[str, list[Result]]] = {}
    for r in results:
        if r.trial.control == NO_CONTROL:
            key = strip_fold(r.trial.task), r.trial.encoder, r.trial.probe
            groups.setdefault(key, {}).setdefault(r.trial.read, []).append(r)
    depths = [
        _depth(key, by_read)
        for key, by_read in groups.items()
        if len(by_read) > 1
        and any(re.fullmatch(r"\d+|mix(:0-\d+)?", read) or read == MIX for read in by_read)
    ]
    return sorted(
        depths,
        key=lambda d: (
            math.isnan(d.expected.layer),
            d.expected.layer,
            math.isnan(d.gravity.value),
            d.gravity.value,
        ),
    )


def _layers(reads: Iterable[str], pattern: str) -> dict[int, str]:
    """Reads by their layer, which is the group of the pattern."""
    return {int(m[1]): read for read in reads if (m := re.fullmatch(pattern, read))}


def _depth(key: tuple[str, str, str], by_read: Mapping[str, list[Result]]) -> Depth:
    task, encoder, probe = key
    single, mixes = _layers(by_read, r"(\d+)"), _layers(by_read, r"mix:0-(\d+)")
    whole = "mix" if "mix" in by_read else MIX
    weights = _weights(by_read.get(whole) or [])
    last = max([*single, *mixes, len(weights[0]) - 1 if weights else 0])
    if whole in by_read:
        mixes.setdefault(last, whole)
    if 0 in single:
        mixes.setdefault(0, single[0])  # a mix of one layer is that layer
    if not weights and last in mixes:
        weights = _weights(by_read[mixes[last]])
    by_read = _alike(by_read, set(mixes.values()))
    scored = {read: rows(group)[0] for read, group in by_read.items()}
    mean = tuple(np.mean(weights, 0).tolist()) if weights else ()
    expected, bits = _expected_layer(by_read, mixes, last)
    uneven = float(np.mean([from_uniform(w) for w in weights])) if weights else NOTHING
    moved = weights if uneven >= EVEN else []
    gravity = over_seeds([centre_of_gravity(w) for w in moved]) if moved else (NOTHING,) * 3
    return Depth(
        task=shorten_reference(TASKS, task),
        encoder=shorten_reference(ENCODERS, encoder),
        probe=shorten_reference(PROBES, probe),
        single={layer: scored[read] for layer, read in sorted(single.items())},
        on_dev={layer: on_dev(by_read[read]) for layer, read in sorted(single.items())},
        cumulative={layer: scored[read] for layer, read in sorted(mixes.items())},
        lexical=scored.get("lex"),
        weights=mean,
        gravity=Mean(*gravity),
        uneven=uneven,
        expected=expected,
        gained=bits,
    )


def _alike(by_read: Mapping[str, list[Result]], mixes: Iterable[str]) -> Mapping[str, list[Result]]:
    """Growing mixes under those seeds alone that all of them have, so that no difference of seeds
    is what a layer adds.
    """
    shared = [set(map(_fit, by_read[read])) for read in mixes]
    common = set.intersection(*shared) if shared else set()
    return (
        {**by_read, **{read: [r for r in by_read[read] if _fit(r) in common] for read in mixes}}
        if common
        else by_read
    )


def _fit(result: Result) -> tuple[str, int]:
    """What fits of several reads have in common that are of the same fold and sample, under the
    same seed.
    """
    return result.trial.task, result.trial.seed


def _weights(results: Sequence[Result]) -> list[list[float]]:
    """Mixing weights of each fit that tells them, those of a shorter mix left out."""
    weights = [list(r.provenance.choice.mix) for r in results]
    longest = max(map(len, weights), default=0)
    return [w for w in weights if longest > 1 and len(w) == longest]


def _expected_layer(
    by_read: Mapping[str, list[Result]], mixes: Mapping[int, str], last: int
) -> tuple[Expected, float]:
    """The expected layer with its interval, and how unevenly layers add, where every growing mix
    was measured.
    """
    missing = [f"mix:0-{layer}" for layer in range(last + 1) if layer not in mixes]
    if missing or last < 2:
        rest = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        why = (
            f"not measured: {', '.join(missing[:3])}{rest} (--layers cumulative)"
            if last
            else "there is only one layer"
        )
        return _no_expected_layer(why)
    runs = [repeats(by_read[mixes[layer]]) for layer in range(last + 1)]
    if len({frozenset(map(_fit, by_read[read])) for read in mixes.values()}) > 1:
        return _no_expected_layer("the mixes have no seeds in common")
    answers = [join_answers(mine) for mine in runs]
    first = answers[0]
    if any(len(each.gold) != len(first.gold) for each in answers):
        return _no_expected_layer("the mixes were scored over different examples")
    scores = [PERCENT * float(np.mean([rows_score(r) for r in mine])) for mine in runs]
    metric = runs[0][0][0].metric
    expected = expected_layer(
        scores,
        PERCENT
        * drawn_scores(metric, first.gold, [each.predicted for each in answers], first.clusters),
    )
    return expected, NOTHING if expected.why else gain_divergence(scores)


def _no_expected_layer(why: str) -> tuple[Expected, float]:
    """No expected layer, for a reason."""
    return Expected(NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, why), NOTHING


def rows_score(folds: Sequence[Result]) -> float:
    """The score of one seed over all folds, as a share."""
    return rows(folds)[0].score / PERCENT if len(folds) > 1 else folds[0].score
