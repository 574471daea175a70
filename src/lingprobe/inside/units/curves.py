"""How many units it takes: of scores by the number of units the least number that reaches 95 % of
what all units have over the constant answer, with its interval; and which units these are.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from lingprobe.analysis.answers import join_constants
from lingprobe.analysis.contests import (
    AnswerContest,
    ContestOpponent,
    decide_contests,
    describe_outcome,
)
from lingprobe.analysis.frame import Columns, ResultFrame
from lingprobe.analysis.row import NO_CONTROL, PERCENT_SCALE
from lingprobe.analysis.statistics import are_comparable
from lingprobe.data.core import DataProblem
from lingprobe.data.references import Reference, remove_options, try_parse_reference
from lingprobe.inside.units.notes import UnitsRead
from lingprobe.metrics.constant import find_metric
from lingprobe.metrics.metric import Doubles
from lingprobe.metrics.resampling import joint_draws
from lingprobe.pages.captions import shorten_task

CURVE_KEYS = ("task", "metric", "encoder", "layer", "by", "rotate")
_SHARE = 0.95  # of what all units have over the constant answer
_DRAWS, _LEVEL = 2_000, 0.95
_MOST_UNITS = 8  # that are named
_FULL, _SPARSE = "logreg", "sparse"


def split_probes(frame: ResultFrame) -> ResultFrame:
    """The rows of sparse probes and of those of all units, with how units were ranked (`by`), the
    seed of the rotation (`rotate`, '' for the basis that the vectors have), how many there are
    (`k`, 0 for all), and the encoder without its weights (`network`) as columns.
    """
    rows = frame.where(control=NO_CONTROL, role=("baseline", "trained"))
    rows = rows.arrange_roles("task", "metric")
    probes = list(map(try_parse_reference, rows.column("full_probe")))
    kept = [k for k, probe in enumerate(probes) if probe and probe.name in (_FULL, _SPARSE)]
    known = [probe for k in kept if (probe := probes[k]) is not None]
    taken = rows.take(kept)
    split = taken.with_columns(
        {
            "by": [_option(probe, "by") for probe in known],
            "rotate": [_option(probe, "rotate") for probe in known],
            "k": [int(_option(p, "k") or 1) if p.name == _SPARSE else 0 for p in known],
            "is_curve": [True] * len(known),
            "is_sparse": [probe.name == _SPARSE for probe in known],
            "network": list(map(_name_network, taken.column("encoder"))),
            "is_feature": list(map(_is_autoencoder, taken.column("encoder"))),
        }
    )
    return split.arrange(CURVE_KEYS, "k")


def _option(probe: Reference, name: str) -> str:
    """What a probe was given, '' for none."""
    value = dict(probe.options).get(name, "")
    return "" if value == "none" else value


def _name_network(encoder: str) -> str:
    return remove_options(encoder, "weights", "seed", "lexical")


def _is_autoencoder(encoder: str) -> bool:
    known = try_parse_reference(encoder)
    return known is not None and known.name == "sae"


def common_share(left_units: Sequence[int], right_units: Sequence[int]) -> float:
    """Which share of the units of the shorter list the other has, too."""
    size = min(len(left_units), len(right_units))
    return len(set(left_units) & set(right_units)) / size if size else math.nan


class LeastUnits(NamedTuple):
    """The least k that reaches the share of the gain, with an interval over bootstrap samples (95
    %); infinite where no number that was measured does.
    """

    k: float
    low: float
    high: float


@dataclass(frozen=True)
class UnitCurve:
    """The scores of one layer by the number of units: rows of a frame, the fewest units first.

    numbers  of the rows; full: of the row of all units, None where that was not measured
    """

    shown: ResultFrame
    numbers: Sequence[int]
    frame: ResultFrame
    full: int | None

    def get(self, column: str) -> Any:
        """What all rows have in a column."""
        return self.shown.column(column)[self.numbers[0]]

    @cached_property
    def constant(self) -> float:
        """The score of the constant answer."""
        (score,) = join_constants(self.shown.folds(self.numbers[0])[0]).scores(self.get("metric"))
        return PERCENT_SCALE * score

    @cached_property
    def full_score(self) -> float:
        """What all units score; NaN where that was not measured."""
        return math.nan if self.full is None else self.frame.score(self.full)

    @cached_property
    def fewest_units(self) -> LeastUnits | None:
        """The least k, the smallest measured number of dimensions that reaches 95 % of the gain of
        all; None where there is nothing to reach.
        """
        if self.full is None:
            return None
        constant = join_constants(self.shown.folds(self.numbers[0])[0])
        own = list(map(self.shown.answers, self.numbers))
        answers = [self.frame.answers(self.full), constant, *own]
        draws = joint_draws(self.get("metric"), answers, _DRAWS)
        if np.quantile(draws[0] - draws[1], (1 - _LEVEL) / 2) <= 0:
            return None
        scores = np.array([self.full_score, self.constant, *map(self.shown.score, self.numbers)])
        return _find_least([self.shown.column("k")[k] for k in self.numbers], scores, draws)

    @cached_property
    def focus(self) -> int:
        """The row of the least number of units that is enough; of the most where none is."""
        ks = [self.shown.column("k")[number] for number in self.numbers]
        k = self.fewest_units.k if self.fewest_units is not None else math.inf
        return self.numbers[ks.index(int(k)) if k in ks else -1]

    @cached_property
    def units(self) -> list[list[int]]:
        """The units of each fit of what is asked about, in the order of their rank."""
        fits = self.shown.folds(self.focus)
        return [list(_read_units(fold).units) for folds in fits for fold in folds]

    @cached_property
    def width(self) -> int:
        """How many units there are."""
        return _read_units(self.shown.folds(self.numbers[0])[0][0]).width

    @property
    def is_chosen(self) -> bool:
        """Whether what is asked about reads some units, and leaves others out."""
        return any(len(units) < self.width for units in self.units)

    @property
    def overlap(self) -> float:
        """The mean share of units that two fits of what is asked about have in common; NaN of one,
        and where they read all units, which no fit chose.
        """
        shares = [common_share(*pair) for pair in combinations(self.units, 2)]
        return float(np.mean(shares)) if shares and self.is_chosen else math.nan

    def count_units(self) -> list[tuple[int, int]]:
        """The units of most fits, with the number of these."""
        return Counter(unit for fit in self.units for unit in fit).most_common(_MOST_UNITS)

    @property
    def examples(self) -> list[list[Any]]:
        """The sentences that drive the best units up and down, of the most units whose first fit
        kept some: unit and way, value, label and sentence.
        """
        for number in self.numbers[::-1]:
            kept = _read_units(self.shown.folds(number)[0][0])
            if kept.examples:
                return [
                    [f"{unit} {way}", f"{value:.2f}", f"{label}: {text}"]
                    for unit, examples in zip(kept.units, kept.examples, strict=False)
                    for way in ("up", "down")
                    for value, label, text in examples[way]
                ]
        return []

    def decide_basis(self, turned: Sequence[UnitCurve]) -> str:
        """Whether the basis is privileged: units that are asked about predict more than as many
        rotated dimensions of each rotation; '' where no rotation was measured with as many.
        """
        k = self.shown.column("k")[self.focus]
        numbers = [n for curve in turned for n in curve.numbers if self.shown.column("k")[n] == k]
        others = [n for n in numbers if are_comparable(self.shown, self.focus, self.shown, n)]
        if not others:
            return ""
        opponents = [ContestOpponent(self.shown.answers(number)) for number in others]
        metric = find_metric(self.get("metric"))
        (outcome,) = decide_contests(
            [AnswerContest(metric, self.shown.answers(self.focus), opponents)]
        )
        return describe_outcome(outcome.difference, outcome.corrected, outcome.detectable)


def _read_units(fold: Any) -> UnitsRead:
    """What a sparse probe kept with a result."""
    return fold.about.choice.part(UnitsRead) or UnitsRead()


def _find_least(ks: Sequence[int], scores: Doubles, draws: Doubles) -> LeastUnits:
    """The least k of scores [full, constant, each k], and of draws of them [.., draws]."""
    drawn = np.sort(_find_first(ks, draws))
    beyond = int((1 - _LEVEL) / 2 * len(drawn))
    value = float(_find_first(ks, scores[:, None])[0])
    return LeastUnits(value, float(drawn[beyond]), float(drawn[-1 - beyond]))


def _find_first(ks: Sequence[int], scores: Doubles) -> Doubles:
    """For each draw the first k whose score is enough, [draws]; infinity where none is."""
    wanted = scores[1] + _SHARE * (scores[0] - scores[1])
    enough = scores[2:] >= wanted - 1e-9
    first = np.array(ks, np.float64)[enough.argmax(0)]
    return np.where(enough.any(0), first, math.inf)


@dataclass(frozen=True)
class UnitCounts:
    """What scores by the number of units say, for all rows of a curve.

    full, constant  the scores of all units, NaN where not measured, and of the constant answer
    width           how many units there are; `share`: of what they have above the constant answer
    least           the least number that is enough, with the ends of its interval, infinite where
                    no number is; NaN where there is nothing to reach (`has_least`)
    units           which units each fit reads at it; `chosen`: those of most fits, with how many
    overlap         the share of them that two fits have in common; `is_chosen`: whether some were
                    left out
    examples        sentences that drive them, as JSON
    turned          the least number in other bases, and whether this basis is better (`basis`)
    untrained       whether the untrained network was measured, with what all its units score
                    (`untrained_full`) and its least number (`untrained_least`)
    """

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        curves = [
            UnitCurve(shown, numbers, frame, self._find_full(shown, numbers[0], frame))
            for numbers in shown.groups(CURVE_KEYS).values()
        ]
        cells: list[Mapping[str, Any]] = [{} for _ in range(len(shown))]
        for curve in curves:
            known = self._describe(curve) | self._compare(curve, curves)
            gap = curve.full_score - curve.constant
            for number in curve.numbers:
                above = shown.score(number) - curve.constant
                cells[number] = {**known, "share": above / gap if gap > 0 else math.nan}
        return {name: [cell[name] for cell in cells] for name in (cells[0] if cells else ())}

    def _find_full(self, shown: ResultFrame, number: int, frame: ResultFrame) -> int | None:
        """The row of the dense probe over the same vectors."""
        row = shown[number]
        numbers = frame.groups(("task", "metric", "encoder", "layer", "is_sparse"))
        full = numbers.get((row.task, row.metric, row.encoder, row.layer, False), [])
        return next((k for k in full if are_comparable(frame, k, shown, number)), None)

    def _describe(self, curve: UnitCurve) -> dict[str, Any]:
        least = curve.fewest_units or LeastUnits(math.nan, math.nan, math.nan)
        return {
            "full": curve.full_score,
            "constant": curve.constant,
            "width": curve.width,
            "has_least": curve.fewest_units is not None,
            "least": least.k,
            "least_low": least.low,
            "least_high": least.high,
            "units": curve.units,
            "chosen": [list(pair) for pair in curve.count_units()],
            "overlap": curve.overlap,
            "is_chosen": curve.is_chosen,
            "examples": json.dumps(curve.examples),
        }

    def _compare(self, curve: UnitCurve, curves: Sequence[UnitCurve]) -> dict[str, Any]:
        """What other curves say of one."""
        same = ("task", "encoder", "layer", "by")
        turned = [
            other
            for other in curves
            if other.get("rotate") and all(other.get(x) == curve.get(x) for x in same)
        ]
        alike = ("task", "network", "layer", "by")
        floors = [
            other
            for other in curves
            if other.get("role") == "baseline"
            and not other.get("rotate")
            and all(other.get(x) == curve.get(x) for x in alike)
        ]
        scores = [-math.inf if math.isnan(f.full_score) else f.full_score for f in floors]
        best = floors[scores.index(max(scores))] if floors else None
        least = [
            math.nan if other.fewest_units is None else other.fewest_units.k for other in turned
        ]
        own = (
            curve.get("rotate") == "" and curve.full is not None and curve.fewest_units is not None
        )
        return {
            "turned": least,
            "basis": curve.decide_basis(turned) if own and turned else "",
            "untrained": best is not None,
            "untrained_full": math.nan if best is None else best.full_score,
            "untrained_least": best.fewest_units.k if best and best.fewest_units else math.nan,
        }


def add_units(shown: ResultFrame) -> ResultFrame:
    """The rows, and for each curve in the basis of the vectors one for the units that were chosen
    and one for each sentence that drives some: with `unit`, `value` and `text`.
    """
    rows = shown.with_columns(dict.fromkeys(("unit", "value", "text"), [""] * len(shown)))
    numbers: list[int] = []
    lines: list[list[str]] = []
    for number in _list_own_curves(shown):
        examples = [["", "", ""], *json.loads(shown.column("examples")[number])]
        lines += examples
        numbers += [number] * len(examples)
    further = zip(*lines, strict=True) if lines else ((), (), ())
    texts = dict(zip(("unit", "value", "text"), map(list, further), strict=True))
    made = rows.take(numbers).with_columns({**texts, "is_curve": [False] * len(numbers)})
    return rows.append(made)


def add_pairs(shown: ResultFrame) -> ResultFrame:
    """The rows, and one for each two curves of vectors with as many units, in their own basis
    (`first`, `second`): percent of units that they have in common, mean over their fits
    (`shared`), and of random ones (`chance`). DataProblem where there are none.
    """
    names = ("first", "second")
    rows = shown.with_columns({name: [""] * len(shown) for name in names})
    rows = rows.with_columns({name: [math.nan] * len(shown) for name in ("shared", "chance")})
    numbers: list[int] = []
    made: dict[str, list[Any]] = {name: [] for name in (*names, "shared", "chance")}
    for place, other in combinations(_list_own_curves(shown), 2):
        pair = shown[place], shown[other]
        if len({(row.width, row.by) for row in pair}) > 1:
            continue
        fits = [(a, b) for a in pair[0].units for b in pair[1].units]
        numbers.append(place)
        for name, row in zip(names, pair, strict=True):
            made[name].append(_name_curve(row))
        made["shared"].append(PERCENT_SCALE * sum(common_share(*each) for each in fits) / len(fits))
        chance = max(map(len, fits[0])) / pair[0].width
        made["chance"].append(PERCENT_SCALE * min(chance, 1.0))
    if not numbers:
        raise DataProblem(
            "only one curve of vectors with so many dimensions was measured, so none are shared:"
            " measure several tasks, layers or encoders"
        )
    further = rows.take(numbers).with_columns({**made, "is_curve": [False] * len(numbers)})
    return rows.append(further)


def _list_own_curves(shown: ResultFrame) -> list[int]:
    """The first row of each curve in the basis of the vectors."""
    first = [numbers[0] for numbers in shown.groups(CURVE_KEYS).values()]
    return [number for number in first if not shown.column("rotate")[number]]


def _name_curve(row: Any) -> str:
    layer = "" if row.layer == "-" else f", layer {row.layer}"
    units = f"{len(row.units[0])} of {row.width:,}"
    return f"{shorten_task(row.task)}, {row.encoder}{layer} ({units})"
