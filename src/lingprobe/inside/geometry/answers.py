"""What can be said of a comparison, in one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.inside.geometry.comparisons import GeometryRow
from lingprobe.inside.geometry.neighbours import MAX_NEIGHBOUR_SENTENCES
from lingprobe.metrics.intervals import interval

Names = Mapping[str, str]
ROTATED_RETRIEVAL, UNCHANGED_RETRIEVAL = "retrieval rotated", "retrieval as is"


def select_measures(rows: Sequence[GeometryRow], *measures: str) -> list[GeometryRow]:
    """The rows of some measures."""
    return [row for row in rows if row.measure in measures]


def is_between(row: GeometryRow) -> bool:
    """Whether a row compares languages."""
    return row.other_text not in ("", row.text)


def encoder_pairs(rows: Sequence[GeometryRow]) -> dict[tuple[str, str], list[GeometryRow]]:
    """CKA of layers by the encoders that they are of."""
    pairs: dict[tuple[str, str], list[GeometryRow]] = {}
    for row in select_measures(rows, "cka"):
        pairs.setdefault((row.encoder, row.other_encoder), []).append(row)
    return pairs


def select_layer_steps(rows: Sequence[GeometryRow]) -> list[GeometryRow]:
    """Of all pairs of layers of an encoder those of which one follows the other."""
    order = list(dict.fromkeys(name for row in rows for name in (row.layer, row.other_layer)))
    return [row for row in rows if (row.layer, row.other_layer) in pairwise(order)]


def by_encoder(rows: Sequence[GeometryRow]) -> dict[str, list[GeometryRow]]:
    """Rows by the encoder that they are of."""
    groups: dict[str, list[GeometryRow]] = {}
    for row in rows:
        groups.setdefault(row.encoder, []).append(row)
    return groups


def chosen_layer(rows: Sequence[GeometryRow]) -> str:
    """The layer chosen on the first fifth: of an encoder, that whose rotation finds most
    translations there.
    """
    layers: dict[str, list[float]] = {}
    for row in select_measures(rows, ROTATED_RETRIEVAL):
        layers.setdefault(row.layer, []).append(row.dev)
    return max(layers, key=lambda name: fmean(layers[name]))


def describe_comparisons(rows: Sequence[GeometryRow], names: Names) -> Iterator[str]:
    """One sentence for each comparison."""
    if any(map(is_between, rows)):
        for encoder, mine in by_encoder(rows).items():
            yield _of_languages(names.get(encoder, encoder), mine)
        return
    for (one, other), pairs in encoder_pairs(rows).items():
        if one != other:
            yield _of_encoders(names.get(one, one), names.get(other, other), pairs)
        elif len(pairs) > 1:
            yield _of_steps(names.get(one, one), select_layer_steps(pairs))
    for encoder, mine in by_encoder(
        select_measures(rows, "cosine", "share", "top", "dimension")
    ).items():
        yield _of_vectors(names.get(encoder, encoder), mine)


def _of_encoders(one: str, other: str, pairs: Sequence[GeometryRow]) -> str:
    best = max(pairs, key=_get_sort_key)
    if math.isnan(best.value):
        return f"{one} and {other}: {_NO_CKA}."
    ends = (_layer(best.layer, one), _layer(best.other_layer, other))
    if len(pairs) == 1:
        return f"{one} and {other}: CKA {_with_interval(best)}{_describe_similarity(best)}."
    return (
        f"{ends[0]} is most like {ends[1]}: CKA {_with_interval(best)}{_describe_similarity(best)}."
    )


def _of_steps(name: str, mine: Sequence[GeometryRow]) -> str:
    least = min(mine, key=lambda row: math.inf if math.isnan(row.value) else row.value)
    if math.isnan(least.value):
        return f"{name}: {_NO_CKA}."
    between = f"{least.layer} to {least.other_layer}"
    return f"{name} changes most from layer {between}: CKA {_with_interval(least)}."


def _of_vectors(name: str, mine: Sequence[GeometryRow]) -> str:
    """Anisotropy where it is largest, and the dimension of the last layer."""
    cosine = max(select_measures(mine, "cosine"), key=_get_sort_key)
    several = len(select_measures(mine, "cosine")) > 1
    at = f" in layer {cosine.layer}, the largest" if several else ""
    said = f"{name}: two sentences have a mean cosine of {_with_interval(cosine, at)}"
    share, top = (
        next(row.value for row in select_measures(mine, measure) if row.layer == cosine.layer)
        for measure in ("share", "top")
    )
    if share >= 0.1:
        said += f" (dimension {top:.0f} alone makes {PERCENT_SCALE * share:.0f} % of it)"
    last = select_measures(mine, "dimension")[-1]
    if math.isnan(last.value):
        return f"{said}."
    where = f"of layer {last.layer} " if several else ""
    said += f". The intrinsic dimension {where}is {_with_interval(last, digits=1)}"
    if last.n < min(cosine.n, MAX_NEIGHBOUR_SENTENCES):  # vectors that equal another's are left out
        said += f", of {last.n:,} distinct vectors"
    return f"{said}."


def _of_languages(name: str, mine: Sequence[GeometryRow]) -> str:
    layer = chosen_layer(mine)
    here = [row for row in mine if row.layer == layer]
    found, plain = (
        select_measures(here, ROTATED_RETRIEVAL),
        select_measures(here, UNCHANGED_RETRIEVAL),
    )
    value = fmean(row.value for row in found)
    at = f" in layer {layer}, chosen on other sentences" if len({r.layer for r in mine}) > 1 else ""
    said = f"{name}: a rotation learnt on other sentences finds {value:.1f} %"
    if len({frozenset((row.text, row.other_text)) for row in found}) == 1:
        said += f" {_share_interval(found)}"
        said += f" of the translations between {found[0].text} and {found[0].other_text}{at}"
    else:
        low, high = min(found, key=_get_sort_key), max(found, key=_get_sort_key)
        said += f" of translations{at} ({_way(low)} to {_way(high)})"
    said += f"; without it {fmean(row.value for row in plain):.1f}"
    said += f", by chance {found[0].chance:.1f}"
    drawn = fmean(row.untrained for row in found)
    if math.isnan(drawn):
        return f"{said}{_NO_FLOOR}."
    like = "; the untrained network finds as many" if drawn >= value else ""
    return f"{said}, untrained {drawn:.1f}{like}."


def _share_interval(found: Sequence[GeometryRow]) -> str:
    """Of both directions together, whose hits are of the same sentences: that of the mean, as if
    each sentence had one answer.
    """
    n, share = found[0].n, fmean(row.value for row in found) / PERCENT_SCALE
    hits = [[1.0] * round(n * share) + [0.0] * (n - round(n * share))]
    low, high = interval(hits)
    return f"[{PERCENT_SCALE * low:.1f}, {PERCENT_SCALE * high:.1f}]"


_NO_CKA = "CKA is not defined where all vectors are the same"
_NO_FLOOR = "; not yet a finding, as no untrained network was measured"


def _with_interval(row: GeometryRow, at: str = "", digits: int = 2) -> str:
    """A number with its interval, and beside it that of untrained networks."""
    said = f"{row.value:.{digits}f} [{row.low:.{digits}f}, {row.high:.{digits}f}]{at}"
    return said + (
        _NO_FLOOR if math.isnan(row.untrained) else f"; untrained {row.untrained:.{digits}f}"
    )


def _describe_similarity(row: GeometryRow) -> str:
    return ", so networks are as alike before training" if row.untrained >= row.low else ""


def _layer(layer: str, name: str) -> str:
    return name if layer == "-" else f"layer {layer} of {name}"


def _way(row: GeometryRow) -> str:
    return f"{row.text} to {row.other_text} {row.value:.1f}"


def _get_sort_key(row: GeometryRow) -> float:
    return -math.inf if math.isnan(row.value) else row.value
