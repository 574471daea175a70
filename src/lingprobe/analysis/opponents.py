"""What an encoder must be above, question by question: the baselines that oppose all encoders, its
own untrained copies, and its own input embeddings.

Whether something is *decodable* because of training is asked against what needs none, whether it is
*beyond the surface* against what needs no model. What a baseline opposes it says itself
(`data.oracles`); it stands in the provenance of results.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from lingprobe.analysis.comparable import (
    ComparedRow,
    explain_mismatch,
    get_constant_answer,
    list_compared,
)
from lingprobe.analysis.frame import LEXICAL_LAYER, ResultFrame
from lingprobe.analysis.row import CONSTANT_ENCODER
from lingprobe.data.oracles import BEYOND_SURFACE_QUESTION, DECODABLE_QUESTION, EncoderQuestion
from lingprobe.data.references import remove_options
from lingprobe.encoders import opposed_by_reference
from lingprobe.encoders.own_baselines import INPUT_LAYERS, is_copy
from lingprobe.tasks.repeats import option_of

ENCODER_QUESTIONS: tuple[EncoderQuestion, ...] = (DECODABLE_QUESTION, BEYOND_SURFACE_QUESTION)
Relation = Literal["", "constant", "copy", "copy of its blocks", "input embeddings"]


def choose_layers(rows: Sequence[ComparedRow]) -> Iterator[tuple[ComparedRow, int]]:
    """The layer with the best score on dev, of what a probe reads of an encoder, with the number it
    is chosen from. Without scores on dev, as with folds, every layer is compared.
    """
    groups: dict[tuple[str, str], list[ComparedRow]] = {}
    for one in rows:
        groups.setdefault((one.row.encoder, one.row.probe), []).append(one)
    for reads in groups.values():
        scores = [one.row.dev_score for one in reads]
        known = not any(map(math.isnan, scores))
        if known:
            yield reads[scores.index(max(scores))], len(reads)
        else:
            yield from ((one, 1) for one in reads)


def list_opponents(
    compared_row: ComparedRow, rows: Sequence[ComparedRow], question: EncoderQuestion
) -> tuple[ComparedRow, ...]:
    """What a row must be above for the answer yes, among the rows of its task; the constant answer
    first. Empty where nothing opposes it but the constant, in the question of the surface.

    Copies that differ by their seed alone are one opponent, each at the layer that is best on dev.
    """
    able = [other for other in rows if not explain_mismatch(compared_row, other)]
    found = _match_width(
        compared_row, [other for other in able if question in _list_opposed_questions(other)]
    )
    if question == DECODABLE_QUESTION:  # by a stronger probe too much is decodable from anything
        found = [other for other in found if other.row.probe == compared_row.row.probe] or found
    own = compared_row.about.own_baselines
    mine = [other for other in able if own.get(other.encoder) == question]
    like = [other for other in mine if other.row.probe == compared_row.row.probe] or mine
    found += _merge_copies([other for other, _ in choose_layers(like)])
    if question == BEYOND_SURFACE_QUESTION:
        found += [other for other in able if _is_embedding_of(other, compared_row)]
        if not found:
            return ()
    fixed = [get_constant_answer(compared_row)] if compared_row.answers.gold.has_constant else []
    return (*fixed, *found)


def find_ceiling(compared_row: ComparedRow, rows: Sequence[ComparedRow]) -> float:
    """The score of the best oracle over the test examples of a row, percent; NaN without."""
    oracles = (other for other in rows if other.row.kind == "oracle")
    scores = [other.row.score for other in oracles if not explain_mismatch(compared_row, other)]
    return max(scores, default=math.nan)


def find_relation(compared_row: ComparedRow, opponent: ComparedRow) -> Relation:
    """What an opponent is to an encoder; '' for one that opposes all."""
    if opponent.row.encoder == CONSTANT_ENCODER:
        return "constant"
    reference = opponent.encoder
    is_own = reference in compared_row.about.own_baselines
    if is_own and is_copy(reference):
        return "copy of its blocks" if option_of(reference, "lexical") == "trained" else "copy"
    return "input embeddings" if is_own or _is_embedding_of(opponent, compared_row) else ""


def select_shown(scored: ResultFrame) -> ResultFrame:
    """Scores as tables show them: of untrained copies of a kind the first, at its best layer."""
    every = list_compared(scored)
    own = {name for one in every for name in one.about.own_baselines if is_copy(name)}
    copies = [(number, one) for number, one in enumerate(every) if one.encoder in own]
    best: dict[tuple[str, ...], tuple[str, float, int]] = {}
    for number, one in copies:
        row, name = one.row, remove_options(one.encoder, "seed")
        key = row.task, name, row.probe, row.control
        rank = _seed_of(one.encoder), -row.score, number
        if key not in best or rank[:2] < best[key][:2]:
            best[key] = rank
    dropped = {number for number, _ in copies} - {number for *_, number in best.values()}
    if not dropped:
        return scored
    return scored.take([number for number in range(len(scored)) if number not in dropped])


def _seed_of(reference: str) -> str:
    return option_of(reference, "seed")


def _match_width(one: ComparedRow, rows: Sequence[ComparedRow]) -> list[ComparedRow]:
    """Of baselines that differ by their width alone the one that is as wide as the vectors of a
    row; all where none is, or that is not known.
    """
    width = str(one.about.width)
    kinds = [remove_options(other.encoder, "dim") for other in rows]
    fitting = {
        kind
        for kind, other in zip(kinds, rows, strict=True)
        if option_of(other.encoder, "dim") == width
    }
    return [
        other
        for kind, other in zip(kinds, rows, strict=True)
        if kind not in fitting or option_of(other.encoder, "dim") == width
    ]


def _list_opposed_questions(one: ComparedRow) -> Sequence[str]:
    """The questions in which a row opposes all others; results of an earlier version do not say, so
    that their reference is asked.
    """
    if one.row.kind != "baseline" or one.row.layer == LEXICAL_LAYER:
        return ()
    known = one.about.opposes
    return opposed_by_reference(one.encoder) if known is None else known


def _is_embedding_of(other: ComparedRow, one: ComparedRow) -> bool:
    """Whether a row is of the input embeddings of the encoder of another, which may be itself."""
    layers = {other.row.layer, one.row.layer}
    return (
        other.row.layer in INPUT_LAYERS
        and layers != {LEXICAL_LAYER}
        and (other.row.encoder, other.row.probe) == (one.row.encoder, one.row.probe)
    )


def _merge_copies(rows: Sequence[ComparedRow]) -> list[ComparedRow]:
    """Rows that differ by the seed of their weights as one, and by layer where several of a copy
    stand beside each other.
    """
    groups: dict[tuple[str, str, str], list[ComparedRow]] = {}
    encoders = [other.row.encoder for other in rows]
    for other in rows:
        name = remove_options(other.encoder, "seed")
        layer = other.row.layer if encoders.count(other.row.encoder) > 1 else ""
        groups.setdefault((name, layer, other.row.probe), []).append(other)
    return [_merge(mine) for mine in groups.values()]


def _merge(mine: Sequence[ComparedRow]) -> ComparedRow:
    """Some copies as one row, whose fits they are: the first of each, as those of one copy vary
    less.
    """
    if len(mine) == 1:
        return mine[0]._replace(copies=1)
    first = mine[0]
    answers = replace(first.answers, predicted=[one.answers.predicted[0] for one in mine])
    score = float(np.mean([one.row.score for one in mine]))
    row = first.row._replace(score=score, low=math.nan, high=math.nan, seeds=len(mine))
    return ComparedRow(row, answers, [one.fits[0] for one in mine], len(mine))
