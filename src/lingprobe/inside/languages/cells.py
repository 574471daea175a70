"""Results of `transfer` as cells of a matrix: what a probe reaches in a target that was trained in
a source, beside floors that travel and beside the same probe trained in the target.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from lingprobe.analysis.comparable import explain_mismatch, group_rows_by_task
from lingprobe.analysis.comparison import (
    ComparisonQuestion,
    Decision,
    decide_comparisons,
    with_baselines,
)
from lingprobe.analysis.rows import MeasuredRow, get_encoder_kind
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.references import try_parse_reference
from lingprobe.inside.languages.auc import auc_of
from lingprobe.inside.languages.transfer import label

NAN = math.nan


class Pair(NamedTuple):
    """What a reference of `transfer` says: the question with what decides it, source and target."""

    task: str
    source: str
    target: str

    @property
    def is_upper(self) -> bool:
        """Whether the probe was trained in the language that it is tested in."""
        return self.source == self.target


@dataclass(frozen=True, slots=True)
class TransferCell:
    """An encoder, trained in one language and tested in another. Scores are percent; NaN where
    something was not measured.

    source, target  the treebanks; the same for the upper bound
    kind            trained, or baseline: a floor that travels
    train, n        examples that the probe was fitted on, and those of the target
    auc             the area under the ROC curve, which needs no threshold, with its interval
    floor           the best baseline in this cell, and its score
    over            how much better the encoder is than that, with an interval and p that are
                    corrected for all cells
    upper           what the encoder scores that was trained in the target
    loss            how much that is above the score, with its interval and p
    share_kept      percent of what the upper bound is above the floor that is left
    distance        between the two languages, where a file gave it
    """

    task: str
    encoder: str
    layer: str
    probe: str
    kind: str
    source: str
    target: str
    train: int
    n: int
    score: float
    low: float
    high: float
    constant: float
    auc: float
    auc_low: float
    auc_high: float
    floor: str = ""
    floored: float = NAN
    over: float = NAN
    over_low: float = NAN
    over_high: float = NAN
    over_p: float = NAN
    verdict: str = ""
    upper: float = NAN
    loss: float = NAN
    loss_low: float = NAN
    loss_high: float = NAN
    loss_p: float = NAN
    distance: float = NAN

    @property
    def share_kept(self) -> float:
        """Percent of what training in the target reaches above the floor; NaN where it reaches
        nothing.
        """
        gain = self.upper - self.floored
        return 100 * (self.score - self.floored) / gain if gain > 0 else NAN


def cells(results: Sequence[Result]) -> list[TransferCell]:
    """The cells of all results of `transfer`, each at the layer that is best on the source's dev.
    DataProblem where there are none.
    """
    known = {r.trial.task: pair for r in results if (pair := pair_of(r.trial.task))}
    mine = list(_at_best_layers([r for r in results if r.trial.task in known], known))
    measured = [one for group in group_rows_by_task(mine) for one in group]
    if not measured:
        raise DataProblem(
            "none of these results is of transfer: `lingprobe transfer` measures some"
        )
    floors = {_key(d.question.one): d for d in decide_comparisons(with_baselines(mine).asked)}
    uppers = _against_upper(measured)
    return [_cell(one, floors.get(_key(one)), uppers) for one in measured]


def pair_of(task: str) -> Pair | None:
    """What a reference says, if it is one of `transfer`."""
    parsed = try_parse_reference(task)
    if parsed is None or parsed.name != "transfer" or parsed.argument is None:
        return None
    options = dict(parsed.options)
    said = [options.get("task", "")]
    said += [
        f"{key}={options[key]}" for key in ("by", "training") if options.get(key, "none") != "none"
    ]
    said += ["centred"] * (options.get("centred") == "true")
    return Pair(", ".join(said), label(parsed.argument), label(options.get("test", "")))


def _at_best_layers(results: Sequence[Result], known: dict[str, Pair]) -> Iterator[Result]:
    """Of each encoder the layer that is best on the dev of each source, the same for all targets:
    what dev of a target says, nobody has who has no labels there.
    """
    groups: dict[tuple[str, ...], dict[str, list[Result]]] = {}
    for result in results:
        trial, pair = result.trial, known[result.trial.task]
        of = pair.task, pair.source, trial.encoder, trial.probe
        groups.setdefault(of, {}).setdefault(trial.read, []).append(result)
    for reads in groups.values():
        yield from max(reads.values(), key=_mean_dev)


def _mean_dev(results: Sequence[Result]) -> float:
    scores = [result.provenance.choice.dev for result in results]
    known = [score for score in scores if not math.isnan(score)]
    return sum(known) / len(known) if known else -math.inf


def _key(one: MeasuredRow) -> tuple[str, ...]:
    return one.row.task, one.row.encoder, one.row.layer, one.row.probe


def _pair(one: MeasuredRow) -> Pair:
    pair = pair_of(one.row.task)
    assert pair is not None
    return pair


def _against_upper(measured: Sequence[MeasuredRow]) -> dict[tuple[str, ...], Decision]:
    """How much less a probe from elsewhere scores than one of the target, over the same test
    examples; layers may differ, since each is chosen in its source.
    """
    uppers = {_without_source(one): one for one in measured if _pair(one).is_upper}
    asked = [
        ComparisonQuestion(one, (upper,))
        for one in measured
        if get_encoder_kind(one.result) == "trained" and not _pair(one).is_upper
        if (upper := uppers.get(_without_source(one))) and not explain_mismatch(one, upper)
    ]
    return {_key(d.question.one): d for d in decide_comparisons(asked)} if asked else {}


def _without_source(one: MeasuredRow) -> tuple[str, ...]:
    pair = _pair(one)
    return pair.task, pair.target, one.row.encoder, one.row.probe


def _cell(
    one: MeasuredRow, floor: Decision | None, uppers: dict[tuple[str, ...], Decision]
) -> TransferCell:
    row, pair = one.row, _pair(one)
    area, area_low, area_high = (100 * value for value in auc_of(one.fits))
    cell = TransferCell(
        *(pair.task, row.encoder, row.layer, row.probe, row.kind, pair.source, pair.target),
        *(row.train, row.n),
        *(row.score, row.low, row.high, row.majority, area, area_low, area_high),
    )
    if floor is not None:
        best = floor.question.best.row
        cell = replace(
            cell,
            floor=best.encoder,
            floored=best.score,
            over=floor.difference,
            over_low=floor.low,
            over_high=floor.high,
            over_p=floor.corrected,
            verdict=floor.verdict,
        )
    if pair.is_upper:
        return replace(cell, upper=row.score)
    loss = uppers.get(_key(one))
    if loss is None:
        return cell
    return replace(
        cell,
        upper=loss.question.best.row.score,
        loss=-loss.difference,
        loss_low=-loss.high,
        loss_high=-loss.low,
        loss_p=loss.corrected,
    )
