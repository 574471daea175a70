"""Is a feature of words decodable from a model, as Finnish case? Asked of words in their sentences
and of words that stand alone, layer by layer, against the characters of the word.

A score alone says little: endings are letters, and a model is given letters. So every layer stands
beside the same probe on character n-grams of the word, on a bag of the model's own subwords, and
on the network before training.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lingprobe.analysis.comparison import (
    ComparisonDecision,
    decide_comparisons,
    describe_measurement,
    with_baselines,
)
from lingprobe.analysis.encoder_verdicts import EncoderVerdicts, judge_encoders
from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.corpora.files import uncompressed_path
from lingprobe.corpora.places import locate_path
from lingprobe.data.core import DataProblem
from lingprobe.data.references import Reference, try_parse_reference
from lingprobe.inside.languages.transfer import get_place_label
from lingprobe.inside.languages.words import TREEBANK_SUFFIX
from lingprobe.tasks import TASKS
from lingprobe.tasks.baseline_names import NGRAM_BASELINE
from lingprobe.tasks.baselines import word_by_word

Where = Literal["in sentences", "alone"]
MORPHOLOGY_TASKS: dict[str, Where] = {"edge/feat": "in sentences", "forms/feat": "alone"}


_UNCOMPARED: Mapping[str, Any] = {
    "floor": "",
    **dict.fromkeys(("floored", "over", "over_low", "over_high", "over_p"), math.nan),
    "verdict": "",
}
_FIELDS = (
    *("feature", "treebank", "where", "encoder", "layer", "kind", "train", "n"),
    *("score", "low", "high", "constant", *_UNCOMPARED),
)


@dataclass(frozen=True)
class MorphologyResults:
    """All layers of all encoders on some features, and the verdicts at the layers that are judged.

    rows      a row for each layer; scores are percent. where: in sentences, or alone; constant: the
              score of the best constant answer; floor, floored: the best baseline, and its score;
              over: how much better the layer is than that, with its interval and p, which are
              corrected for all layers of all encoders; verdict: better, worse or no significant
              difference. NaN and '' where nothing was compared
    verdicts  each at the layer that is best on dev, or, where that is not known, at the best of all
              layers, for which it is corrected
    """

    rows: ResultFrame
    verdicts: EncoderVerdicts


def list_questions(treebank: str, feature: str, size: int | None) -> list[Reference]:
    """The tasks: of words in sentences where there are some, and of words alone; each once for each
    feature that the pattern fits.
    """
    place = locate_path(treebank)
    is_tree = (
        place.is_dir() or uncompressed_path(place).suffix == TREEBANK_SUFFIX or not place.exists()
    )
    options = (("feature", feature), *((("size", str(size)),) if size else ()))
    asked = [
        Reference(name, treebank, options) for name in MORPHOLOGY_TASKS if is_tree or name[0] == "f"
    ]
    return [_fitting(one) for each in asked for one in TASKS.expand(each)]


def _fitting(reference: Reference) -> Reference:
    """With splits sampled again where the files lack some, and no larger than the data are."""
    if reference.name == "edge/feat":
        try:
            splits = {part.split for part in TASKS.make(reference).parts()}
        except DataProblem:  # told when it is loaded
            return reference
        return reference if {"train", "test"} <= splits else reference.plus(splits="sampled")
    whole = reference.without("size")
    try:
        many = len(TASKS.make(whole).load())
    except DataProblem:
        return whole
    return whole if many <= int(dict(reference.options).get("size", many)) else reference


def in_layers(encoder: str) -> str:
    """A model at all its layers, with a vector for each word; what is no model, or says which
    layers, as it is.
    """
    parsed = try_parse_reference(encoder)
    if parsed is None or parsed.name not in ("hf", "st") or parsed.argument is None:
        return encoder
    return str(Reference("hf", parsed.argument, parsed.options).plus(layers="all", pool="none"))


def list_baseline_encoders(encoders: Sequence[str]) -> list[str]:
    """The baselines of a feature of words: character n-grams of the word, and of each transformer
    random vectors of its subwords and untrained copies.
    """
    found = {word_by_word(NGRAM_BASELINE): None}
    for each in encoders:
        parsed = try_parse_reference(each)
        if parsed is not None and parsed.name == "hf" and parsed.argument:
            plain = parsed.without("layers", "weights")
            for layers in ("lex", dict(parsed.options).get("layers", "all")):
                found[str(plain.plus(layers=layers, weights="random"))] = None
    return list(found)


def morphology_of(frame: ResultFrame) -> MorphologyResults:
    """What probes of `edge/feat` and `forms/feat` say. DataProblem where there are none."""
    tasks = frame.column("task")
    mine = frame.take([number for number, task in enumerate(tasks) if _reference_of(task)])
    if not len(mine):
        raise DataProblem(
            "none of these results is of features of words: `lingprobe inside morphology` measures"
            " some"
        )
    scored = compute_scores(mine)
    asked = with_baselines(scored).of_layers
    decided = {describe_measurement(d.question.one.row): d for d in decide_comparisons(asked)}
    features, treebanks, places = zip(*map(feature_of, scored.column("task")), strict=True)
    compared = [_describe_decision(decided.get(describe_measurement(row))) for row in scored]
    columns: dict[str, Sequence[Any]] = {
        name: [cells[name] for cells in compared] for name in _UNCOMPARED
    }
    columns |= {"feature": features, "treebank": treebanks, "where": places}
    columns["constant"] = scored.column("majority")
    rows = scored.with_columns(columns).select({name: name for name in _FIELDS})
    return MorphologyResults(rows, judge_encoders(scored))


def _describe_decision(decision: ComparisonDecision | None) -> Mapping[str, Any]:
    """The columns of a comparison with the best baseline."""
    if decision is None:
        return _UNCOMPARED
    best = decision.question.best.row
    ends = decision.difference, decision.low, decision.high, decision.corrected
    values = best.encoder, best.score, *ends, decision.verdict
    return dict(zip(_UNCOMPARED, values, strict=True))


def _reference_of(task: str) -> Reference | None:
    parsed = try_parse_reference(task)
    return parsed if parsed is not None and parsed.name in MORPHOLOGY_TASKS else None


def feature_of(task: str) -> tuple[str, str, Where]:
    """The feature that a task asks for, of which treebank, and where its words stand."""
    parsed = _reference_of(task)
    assert parsed is not None
    feature = dict(parsed.options).get("feature", "")
    return feature, get_place_label(parsed.argument or ""), MORPHOLOGY_TASKS[parsed.name]
