"""Transfer as tables, as a heat map and as sentences: sources below each other, targets beside."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from lingprobe.data.core import Result
from lingprobe.data.references import try_parse_reference
from lingprobe.inside.languages.cells import TransferCell, cells
from lingprobe.inside.languages.distances import mantel
from lingprobe.metrics.multiplicity import ALPHA
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.records import format_csv
from lingprobe.pages.views import Asked
from lingprobe.tables.heat import HeatCell, HeatLook, HeatMap, draw_heat_maps
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
    format_p_value,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SOURCE = "trained on"
PIECES = {"layers": "lex", "weights": "random"}  # a bag of an encoder's own word pieces
Names = dict[str, str]


def transfer(results: Sequence[Result], asked: Asked) -> Page[tuple[TransferCell, ...]]:
    """Training in one language, test in another: a matrix with baselines and upper bounds."""
    scored = asked.beside.scored
    return transfer_page(cells(results if scored is None else scored()))


def transfer_page(found: Sequence[TransferCell]) -> Page[tuple[TransferCell, ...]]:
    """The matrix of each task and encoder."""
    names = short_names(dict.fromkeys(cell.encoder for cell in found))
    return Page(
        tuple(found),
        lambda: list(_tables(found, names)),
        {"csv": lambda: format_csv(found)},
        figure=lambda: heat(found, names),
    )


def short_names(encoders: Iterable[str]) -> Names:
    """Names of encoders by reference; a bag of an encoder's own pieces is called that."""
    parsed = {encoder: try_parse_reference(encoder) for encoder in encoders}
    bags = {
        encoder: str(one.argument)
        for encoder, one in parsed.items()
        if one is not None and set(PIECES.items()) <= set(one.options)
    }
    several = len(set(bags.values())) > 1
    called = {
        encoder: f"subwords of {PurePath(name).name}" if several else "subwords"
        for encoder, name in bags.items()
    }
    return {**label_encoders(encoder for encoder in parsed if encoder not in bags), **called}


def groups(found: Sequence[TransferCell]) -> Iterator[list[TransferCell]]:
    """The cells of each task, encoder and probe; encoders that are judged before floors."""
    ordered = sorted(found, key=lambda cell: cell.kind != "trained")
    of: dict[tuple[str, ...], list[TransferCell]] = {}
    for cell in ordered:
        if cell.kind != "oracle":
            of.setdefault((cell.task, cell.probe, cell.encoder), []).append(cell)
    yield from of.values()


def _tables(found: Sequence[TransferCell], names: Names) -> Iterator[Table]:
    tasks: dict[tuple[str, str], list[list[TransferCell]]] = {}
    for mine in groups(found):
        tasks.setdefault((mine[0].task, mine[0].probe), []).append(mine)
    for (task, probe), every in tasks.items():
        targets = list(dict.fromkeys(cell.target for mine in every for cell in mine))
        judged = [mine for mine in every if mine[0].kind == "trained"]
        floors = _best_areas([cell for mine in every if mine not in judged for cell in mine])
        sections = [
            section
            for mine in every
            for section in _sections(mine, targets, names, floors if judged else {})
        ]
        yield Table(
            (SOURCE, *targets),
            tuple(sections),
            frozenset({SOURCE}),
            tuple(_notes(every, probe)),
            title=f"{task}, from language to language",
            lead=tuple(line for mine in judged for line in _lead(mine, names)),
        )


def _best_areas(floors: Sequence[TransferCell]) -> dict[tuple[str, str], float]:
    """The largest area that a floor has in each cell."""
    areas: dict[tuple[str, str], float] = {}
    for cell in floors:
        key = cell.source, cell.target
        areas[key] = max(areas.get(key, 0.0), cell.auc)
    return areas


def _sections(
    mine: Sequence[TransferCell],
    targets: Sequence[str],
    names: Names,
    floors: dict[tuple[str, str], float],
) -> Iterator[TableSection]:
    """Accuracy of an encoder, and of one that is judged the area, the best floor, and what is
    kept.
    """
    first = mine[0]
    name = names.get(first.encoder, first.encoder)
    layers = {cell.source: cell.layer for cell in mine if cell.layer != "-"}
    which = ", ".join(f"{layer} from {source}" for source, layer in layers.items())
    has_choice = first.kind == "trained" and bool(layers)
    line = f"layer {which}, chosen on the dev of the source" if has_choice else ""
    yield _section(name, mine, targets, _score, line)
    if first.kind != "trained" and not floors:
        yield _section(f"{name}: AUC", mine, targets, lambda cell: format_number(cell.auc))
    if first.kind == "trained":
        heading = f"{name}: AUC, and in brackets that of the strongest baseline"
        yield _section(heading, mine, targets, lambda cell: _area(cell, floors))
        yield _section(f"{name}: strongest baseline", mine, targets, lambda c: _floor(c, names))
        yield _section(f"{name}: kept", mine, targets, _retention)


def _section(
    heading: str, mine: Sequence[TransferCell], targets: Sequence[str], cell: Any, line: str = ""
) -> TableSection:
    by = {(one.source, one.target): one for one in mine}
    sources = dict.fromkeys(one.source for one in mine)
    rows = tuple(
        (source, *(cell(by[source, t]) if (source, t) in by else "–" for t in targets))
        for source in sources
    )
    strong = frozenset(
        (r, c)
        for r, source in enumerate(sources)
        for c, target in enumerate(targets, 1)
        if source == target
    )
    return TableSection(heading, rows, line, strong)


def _score(cell: TransferCell) -> str:
    wider = max(cell.high - cell.score, cell.score - cell.low)
    return f"{format_number(cell.score)} ±{format_number(wider)}"


def _area(cell: TransferCell, floors: dict[tuple[str, str], float]) -> str:
    floor = floors.get((cell.source, cell.target), math.nan)
    return f"{format_number(cell.auc)} ({format_number(floor)})"


def _floor(cell: TransferCell, names: Names) -> str:
    sign = {"better": "", "worse": " (significantly above)"}.get(cell.verdict, " (not significant)")
    return f"{format_number(cell.floored)} {names.get(cell.floor, cell.floor)}{sign}"


def _retention(cell: TransferCell) -> str:
    if cell.source == cell.target:
        return "100 %"
    if math.isnan(cell.share_kept) or cell.verdict != "better":
        return "–"
    return f"{cell.share_kept:.0f} %"


def _lead(mine: Sequence[TransferCell], names: Names) -> Iterator[str]:
    yield verdict(mine, names)
    if found := mantel(mine):
        name = names.get(mine[0].encoder, mine[0].encoder)
        way = "more" if found.rho > 0 else "less"
        said = f"loses {way} between languages that are further apart"
        if found.p >= ALPHA:
            said = "is not shown to lose more or less between languages that are further apart"
        yield (
            f"{name}: transfer {said} (Spearman's ρ {found.rho:+.2f}, p {format_p_value(found.p)}:"
            f" Mantel test, {found.languages} languages, {found.pairs} pairs)."
        )


def verdict(mine: Sequence[TransferCell], names: Names) -> str:
    """What can be said of an encoder, in one sentence."""
    name = names.get(mine[0].encoder, mine[0].encoder)
    away = [cell for cell in mine if cell.source != cell.target]
    if not away:
        return f"{name}: nothing was transferred; every score is of a probe of the same language."
    better = [cell for cell in away if cell.verdict == "better"]
    known = [cell for cell in away if not math.isnan(cell.loss_p)]
    lost = [cell for cell in known if cell.loss_p < ALPHA and cell.loss > 0]
    kept = [cell.share_kept for cell in better if not math.isnan(cell.share_kept)]
    said = f"{name}: a probe from another language is above every baseline in {_of(better, away)}"
    if better:
        said += f" (by {_range([cell.over for cell in better])} points)"
    if kept:
        share = f"{min(kept):.0f}" + (f" to {max(kept):.0f}" if len(kept) > 1 else "")
        said += f", and keeps {share} % of the gain over the baseline of training in the target"
    if not known:
        return f"{said}. The upper bound was not measured."
    return f"{said}. It is significantly below the upper bound in {_of(lost, known)}."


def _of(some: Sequence[object], every: Sequence[object]) -> str:
    return f"{len(some) or 'none'} of {len(every)} cell{'s' * (len(every) > 1)}"


def _range(values: Sequence[float]) -> str:
    ends = dict.fromkeys(f"{value:.1f}" for value in (min(values), max(values)))
    return " to ".join(ends)


def _notes(every: Sequence[Sequence[TransferCell]], probe: str) -> Iterator[str]:
    cell = every[0][0]
    sizes = f"{cell.train:,} training and {cell.n:,} test examples"
    yield (
        f"Every cell has {sizes}, with the same distribution of classes; no labelled word form"
        " occurs both in the source and in the test set of the target. Scores of a column are over"
        " the same sentences. ±: the wider side of the 95 % interval."
    )
    yield (
        "Bold, on the diagonal: trained and tested in one language, the upper bound. kept: the"
        " gain over the strongest baseline, as a percentage of that of the upper bound; – where it"
        " is not significantly above. Baselines are trained in the source language, too."
    )
    yield (
        "AUC: percent of pairs of examples of two classes that are ordered correctly, at any"
        " threshold. A high AUC with an accuracy near chance means that the direction transfers"
        " and the threshold does not."
    )
    yield (
        f"Predicting from the language alone scores {format_number(cell.constant)}, as classes are"
        f" equally frequent in all. Probe: {probe.partition(',')[0]}. Intervals and tests against"
        " baselines are corrected for all cells."
    )


def heat(found: Sequence[TransferCell], names: Names) -> Figure:
    """A matrix for each task and encoder: accuracy, coloured from the constant answer to a
    hundred.
    """
    mine = [group for group in groups(found) if group[0].kind == "trained"] or list(groups(found))
    maps = [
        HeatMap(
            f"{names.get(group[0].encoder, group[0].encoder)}: {group[0].task}",
            [
                HeatCell(
                    one.source,
                    one.target,
                    format_number(one.score),
                    (one.score - one.constant) / max(100 - one.constant, 1e-9),
                    one.source == one.target,
                )
                for one in group
            ],
        )
        for group in mine
    ]
    return draw_heat_maps(
        maps, HeatLook("Trained in one language (rows), tested in another (columns).", wide=0.8)
    )
