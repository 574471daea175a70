"""Geometry as tables: sentences first, then layers beside what is most like them, how the vectors
of each lie, and languages.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from statistics import fmean

from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.inside.geometry.answers import (
    ROTATED_RETRIEVAL,
    UNCHANGED_RETRIEVAL,
    Names,
    by_encoder,
    chosen_layer,
    describe_comparisons,
    encoder_pairs,
    is_between,
    select_layer_steps,
    select_measures,
)
from lingprobe.inside.geometry.comparisons import GeometryRow
from lingprobe.inside.geometry.figure import draw_geometry_heat
from lingprobe.inside.geometry.similarity import null_deviation
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.records import format_csv
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

_CENTRED = "retrieval centred"
_LAYER = frozenset({"layer", "compared with"})
_ONE_DRAW = "Untrained: the same networks with random weights from one seed; other seeds vary."


def geometry_page(rows: Sequence[GeometryRow]) -> Page[tuple[GeometryRow, ...]]:
    """The tables of what was measured."""
    encoders = (name for row in rows for name in (row.encoder, row.other_encoder) if name)
    names = label_encoders(dict.fromkeys(encoders))
    return Page(
        tuple(rows),
        lambda: list(_build_geometry_tables(rows, names)),
        {"csv": lambda: format_csv(rows), "json": lambda: _json(rows)},
        figure=lambda: draw_geometry_heat(rows, names),
    )


def _json(rows: Sequence[GeometryRow]) -> str:
    """A list of objects; null where something is not measured."""
    plain = [
        {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in asdict(row).items()}
        for row in rows
    ]
    return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"


def _build_geometry_tables(rows: Sequence[GeometryRow], names: Names) -> Iterator[Table]:
    lead = tuple(describe_comparisons(rows, names))
    if any(map(is_between, rows)):
        yield _by_language(rows, names, lead)
        yield _language_pairs(rows, names)
        return
    if select_measures(rows, "cka"):
        yield _by_likeness(rows, names, lead)
        lead = ()
    yield _by_layer(rows, names, lead)


# ---- one text


def _by_likeness(rows: Sequence[GeometryRow], names: Names, lead: tuple[str, ...]) -> Table:
    """For each layer the one that is most like it in another encoder, and the next of its own."""
    sections = []
    for (one, other), mine in encoder_pairs(rows).items():
        called = names.get(one, one), names.get(other, other)
        if one == other:
            heading, lines = f"{called[0]}: each layer and the next", select_layer_steps(mine)
        else:
            heading, lines = f"{called[0]}, and what is most like it in {called[1]}", _best(mine)
        sections.append(TableSection(heading, tuple(map(_likeness, lines))))
    n = rows[0].n
    notes = (
        f"CKA: linear, debiased, over {n:,} sentences; 1 for representations that are the same but"
        " for a rotation and a scale. For randomly paired sentences it is 0.000 ±"
        f" {null_deviation(n):.4f} (all pairings). 95 % interval: jackknife over stretches of the"
        " text. It ignores that the most similar layers were selected.",
        _ONE_DRAW,
    )
    head = ("layer", "compared with", "CKA", "95 % interval", "untrained")
    return Table(head, tuple(sections), _LAYER, notes, "Representation similarity", lead)


def _best(mine: Sequence[GeometryRow]) -> list[GeometryRow]:
    layers: dict[str, GeometryRow] = {}
    for row in mine:
        if row.layer not in layers or row.value > layers[row.layer].value:
            layers[row.layer] = row
    return list(layers.values())


def _likeness(row: GeometryRow) -> tuple[str, ...]:
    value, between = _value(row, 2), _between(row, 2)
    return row.layer, row.other_layer, value, between, _format_value(row.untrained, 2)


def _by_layer(rows: Sequence[GeometryRow], names: Names, lead: tuple[str, ...]) -> Table:
    """How the vectors of each layer lie."""
    sections = []
    for encoder, mine in by_encoder([row for row in rows if row.measure != "cka"]).items():
        layers = dict.fromkeys(row.layer for row in mine)
        by = {(row.layer, row.measure): row for row in mine}
        lines = tuple(_lie(name, {m: by[name, m] for n, m in by if n == name}) for name in layers)
        sections.append(TableSection(names.get(encoder, encoder), lines))
    notes = (
        "Cosine: of two sentences, over all pairs. Largest: the dimension (from 0) that adds most"
        " to it, and how much (Timkey & van Schijndel 2021). Outlying: dimensions with five times"
        " the average variance (Rudman et al. 2023). Norm: mean, and standard deviation over mean.",
        "Intrinsic: dimension by the two nearest neighbours (TwoNN, Facco et al. 2017), too low"
        " where it is above about ten.",
        _ONE_DRAW,
    )
    first = ("cosine", "95 % interval", "untrained", "largest", "outlying", "norm", "±")
    head = ("layer", *first, "intrinsic", "95 % interval", "untrained")
    return Table(head, tuple(sections), _LAYER, notes, "How vectors lie", lead)


def _lie(layer: str, by: dict[str, GeometryRow]) -> tuple[str, ...]:
    cosine, intrinsic, share = by["cosine"], by["dimension"], by["share"].value
    top = f"{by['top'].value:.0f}: {PERCENT_SCALE * share:.0f} %" if not math.isnan(share) else "–"
    outlying = f"{by['outlying'].value:.0f}"
    norm = _format_value(by["norm"].value, 2), f"{PERCENT_SCALE * by['variation'].value:.0f} %"
    cosines = _value(cosine, 2), _between(cosine, 2), _format_value(cosine.untrained, 2)
    ends = (
        format_number(intrinsic.value),
        _between(intrinsic, 1),
        format_number(intrinsic.untrained),
    )
    return layer, *cosines, top, outlying, *norm, *ends


# ---- several texts


def _by_language(rows: Sequence[GeometryRow], names: Names, lead: tuple[str, ...]) -> Table:
    """The layers of each encoder, over all pairs of languages."""
    sections = []
    for encoder, mine in by_encoder(rows).items():
        layers = list(dict.fromkeys(row.layer for row in mine))
        lines = tuple(_means(name, [r for r in mine if r.layer == name]) for name in layers)
        best = layers.index(chosen_layer(mine))
        strong = frozenset({(best, 4)})
        sections.append(TableSection(names.get(encoder, encoder), lines, strong=strong))
    found = next(row for row in rows if row.measure == ROTATED_RETRIEVAL)
    notes = (
        "As is, centred, rotated: percent of sentences whose translation has the highest cosine of"
        f" {PERCENT_SCALE / found.chance:.0f} sentences; as vectors are, without the mean of each"
        " language, and after a rotation (orthogonal Procrustes) that was learnt on the other"
        f" sentences. Mean of both directions and all pairs, {found.n:,} sentences each; by chance"
        f" {found.chance:.1f}.",
        "Error: squared distance of translations after rotation, over the sum of both squared"
        " lengths. CKA: linear, debiased. Bold: the layer that is best on the first fifth of the"
        " sentences, which are not in these numbers.",
        _ONE_DRAW,
    )
    head = ("layer", "CKA", "as is", "centred", "rotated", "untrained", "error", "untrained")
    return Table(head, tuple(sections), _LAYER, notes, "Languages", lead)


def _means(layer: str, mine: Sequence[GeometryRow]) -> tuple[str, ...]:
    """The means over all pairs."""
    found = {
        name: fmean(r.value for r in select_measures(mine, name))
        for name in (UNCHANGED_RETRIEVAL, _CENTRED, ROTATED_RETRIEVAL)
    }
    cka = fmean(row.value for row in select_measures(mine, "cka"))
    error = select_measures(mine, "error")
    errors = (fmean(r.value for r in error), fmean(r.untrained for r in error))
    drawn = fmean(row.untrained for row in select_measures(mine, ROTATED_RETRIEVAL))
    shares = map(format_number, found.values())
    return (
        layer,
        _format_value(cka, 2),
        *shares,
        format_number(drawn),
        *(_format_value(e, 2) for e in errors),
    )


def _language_pairs(rows: Sequence[GeometryRow], names: Names) -> Table:
    """From each language to each, in the layer that was chosen."""
    texts = list(dict.fromkeys(name for row in rows for name in (row.text, row.other_text)))
    sections = []
    for encoder, mine in by_encoder(rows).items():
        layer = chosen_layer(mine)
        by = {
            (r.text, r.other_text): r
            for r in select_measures(mine, ROTATED_RETRIEVAL)
            if r.layer == layer
        }
        lines = tuple((one, *(_retrieval(by.get((one, t))) for t in texts)) for one in texts)
        heading = names.get(encoder, encoder) + ("" if layer == "-" else f", layer {layer}")
        sections.append(TableSection(heading, lines))
    notes = ("Retrieval from one language to another, after rotation, with its 95 % interval.",)
    words = frozenset({"from"})
    return Table(("from", *texts), tuple(sections), words, notes, "Translation retrieval")


def _retrieval(row: GeometryRow | None) -> str:
    return "" if row is None else f"{row.value:.1f} [{row.low:.0f}, {row.high:.0f}]"


def _value(row: GeometryRow, digits: int) -> str:
    return _format_value(row.value, digits)


def _between(row: GeometryRow, digits: int) -> str:
    if math.isnan(row.low):
        return "–"
    return f"{_format_value(row.low, digits)} – {_format_value(row.high, digits)}"


def _format_value(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"
