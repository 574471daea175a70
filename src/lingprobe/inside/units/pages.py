"""How many units a property takes, as a page: verdicts first, then a line for each curve, its
scores by the number of units, and which units they are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from lingprobe.data.core import DataProblem, Result
from lingprobe.data.references import try_parse_reference
from lingprobe.inside.units.counts import (
    Curve,
    Least,
    UnitRow,
    basis_decision,
    common_share,
    curves,
    read_by,
    units_of,
)
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.records import format_csv
from lingprobe.pages.views import Asked
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

SEVERAL = 8  # units that are named
NOTES = (
    "Scores are times 100. All: logreg on all dimensions. Least k: the smallest measured number of"
    " dimensions that reaches 95 % of the gain over the constant answer, with an interval over"
    " bootstrap samples of the test examples; more: not reached.",
    "Same: the mean share of dimensions that two seeds, which rank on different halves of train,"
    " have in common at the least k.",
)
WORDS = frozenset({"encoder", "layer", "ranked by", "basis"})


def units(results: Sequence[Result], asked: Asked) -> Page[tuple[UnitRow, ...]]:
    """How many units of a vector it takes to tell a property, and which; `units:overlap` compares
    them between tasks and encoders.
    """
    made = curves(results)
    if not made:
        raise DataProblem(
            "no task was measured with sparse probes: `lingprobe run -t TASK -e ENCODER --probe"
            " logreg --probe sparse,k=1 --probe sparse,k=8` measures them"
        )
    rows = tuple(row for curve in made for row in curve.rows)
    if asked.argument == "overlap":
        return Page(rows, lambda: [_overlaps(made)], texts={"csv": lambda: format_csv(rows)})
    tables = [_overview(made), _by_number(made), *_telling(made)]
    return Page(rows, lambda: tables, texts={"csv": lambda: format_csv(rows)})


def verdict(curve: Curve, made: Sequence[Curve]) -> str:
    """What can be said of a curve in the vectors' own basis, in a few sentences."""
    row = curve.rows[0]
    said = f"{shorten_task(row.task)}, {row.encoder}{_layer(row)}: "
    if curve.full is None:
        return f"{said}the score with all dimensions was not measured; add --probe logreg."
    full = f"{curve.full.row.score:.1f}"
    if curve.least is None:
        said += f"all dimensions score {full}, not significantly above the constant answer's"
        return f"{said} {curve.majority:.1f}, so the property is not decodable."
    said += f"{_enough(curve.least)} the gain of all {curve.width:,} ({full};"
    said += f" constant {curve.majority:.1f})."
    turned = [c for c in made if c.key == curve.key and c.rows[0].rotate]
    return said + _basis(curve, turned) + _compare_untrained(curve, made)


def _enough(least: Least) -> str:
    if math.isinf(least.k):
        return "no measured number of dimensions reaches 95 % of"
    many = "1 dimension reaches" if least.k == 1 else f"{least.k:.0f} dimensions reach"
    return f"{many} 95 % (interval {_interval(least)}) of"


def _interval(least: Least) -> str:
    """The interval, 'more' where it ends beyond all numbers that were measured."""
    if math.isinf(least.low):
        return "more"
    return f"{_count(least.low)} to {_count(least.high)}"


def _layer(row: UnitRow) -> str:
    return "" if row.layer == "-" else f", layer {row.layer}"


def _basis(curve: Curve, turned: Sequence[Curve]) -> str:
    """Whether the basis is special."""
    if not turned:
        return ""
    each = ", ".join("none" if c.least is None else _count(c.least.k) for c in turned)
    said = f" In a rotated basis it takes {each}"
    decision = basis_decision(curve, turned)
    if decision is None:
        return f"{said}."
    if decision.verdict == "better":
        return f"{said}; as many rotated dimensions score significantly lower: a privileged basis."
    said += "; as many rotated dimensions do not score significantly lower"
    return f"{said}, so the basis is not shown to be privileged."


def _count(k: float) -> str:
    return "more" if math.isinf(k) else f"{k:.0f}"


def _compare_untrained(curve: Curve, made: Sequence[Curve]) -> str:
    """The same in the untrained network, or along random directions in place of an autoencoder's,
    without which nothing is a finding.
    """
    if curve.kind != "trained":
        return ""
    network, floor = _network(curve.rows[0].encoder), _floor_of(curve)
    floors = [
        c
        for c in made
        if c.kind == "baseline"
        and _network(c.rows[0].encoder) == network
        and (c.rows[0].task, *c.key[2:]) == (curve.rows[0].task, *curve.key[2:])
        and not c.rows[0].rotate
    ]
    if not floors:
        return f" {floor.capitalize()} (weights=random) was not measured, so this is not a finding."
    best = max(floors, key=lambda c: c.full.row.score if c.full else -math.inf)
    if best.full is None:
        return f" All dimensions of {floor} were not measured; add --probe logreg."
    said = f" All dimensions of {floor} score {best.full.row.score:.1f}"
    least = "nothing" if best.least is None else _count(best.least.k)
    return f"{said}, and it takes {least} to reach 95 % of that."


def _floor_of(curve: Curve) -> str:
    """What the baseline of a curve is called."""
    known = try_parse_reference(curve.rows[0].encoder)
    is_sparse = known is not None and known.name == "sae"
    return "an encoder with random directions" if is_sparse else "the untrained network"


def _network(encoder: str) -> str:
    known = try_parse_reference(encoder)
    return encoder if known is None else str(known.without("weights", "seed", "lexical"))


def _overview(made: Sequence[Curve]) -> Table:
    """One line for each curve, a section for each task."""
    tasks = dict.fromkeys(curve.rows[0].task for curve in made)
    sections = tuple(
        TableSection(shorten_task(task), tuple(_line(c) for c in made if c.rows[0].task == task))
        for task in tasks
    )
    head = ("units", "all", "constant", "least k", "95 % interval", "same", "n")
    own = [c for c in made if not c.rows[0].rotate and c.kind == "trained"]
    lead = tuple(verdict(curve, made) for curve in own)
    columns = ("encoder", "layer", "ranked by", "basis", *head)
    return Table(columns, sections, WORDS, NOTES, "Dimensions needed", lead)


def _line(curve: Curve) -> tuple[str, ...]:
    row, least = curve.rows[0], curve.least
    full = math.nan if curve.full is None else curve.full.row.score
    ends = ("–", "–")
    if least is not None:
        ends = _count(least.k), _interval(least)
    own = f"{curve.width:,}", format_number(full), format_number(curve.majority)
    same = format_number(100 * curve.overlap)
    return *_name(row), *own, *ends, same, f"{row.n:,}"


def _name(row: UnitRow) -> tuple[str, str, str, str]:
    basis = f"rotation {row.rotate}" if row.rotate else "own"
    return row.encoder, row.layer, row.by, basis


def _by_number(made: Sequence[Curve]) -> Table:
    """Scores by the number of units."""
    ks = sorted({row.k for curve in made for row in curve.rows})
    sections = []
    for task in dict.fromkeys(curve.rows[0].task for curve in made):
        lines = []
        for curve in made:
            if curve.rows[0].task == task:
                scores = {row.k: format_number(row.score) for row in curve.rows}
                full = math.nan if curve.full is None else curve.full.row.score
                cells = [scores.get(k, "") for k in ks]
                lines.append((*_name(curve.rows[0]), *cells, format_number(full)))
        sections.append(TableSection(shorten_task(task), tuple(lines)))
    columns = ("encoder", "layer", "ranked by", "basis", *(f"k = {k}" for k in ks), "all")
    return Table(columns, tuple(sections), WORDS, (), "Scores by the number of dimensions")


def _telling(made: Sequence[Curve]) -> list[Table]:
    """Which units are chosen, and the sentences that drive them, where these were kept."""
    sections = []
    for curve in made:
        if curve.rows[0].rotate:
            continue
        row, fits = curve.rows[0], curve.units()
        counts = Counter(unit for fit in fits for unit in fit)
        best = [f"{unit} ({n} of {len(fits)})" for unit, n in counts.most_common(SEVERAL)]
        heading = f"{shorten_task(row.task)}, {row.encoder}{_layer(row)}, {row.by}"
        chosen = ", ".join(best) if curve.is_chosen else f"all {curve.width:,}, so none"
        lines = [("chosen, of fits", "", chosen), *_driver_lines(curve)]
        sections.append(TableSection(heading, tuple(lines)))
    if not sections:
        return []
    columns = ("unit", "value", "label and sentence")
    return [Table(columns, tuple(sections), frozenset({"unit", columns[2]}), (), "Which units")]


def _driver_lines(curve: Curve) -> list[tuple[str, str, str]]:
    """The sentences that drive the best units up and down, of the first fit that kept some."""
    for one in curve.measured[::-1]:
        kept = read_by(one.result)
        if kept.examples:
            return [
                (f"{unit} {way}", f"{value:.2f}", f"{label}: {text}")
                for unit, examples in zip(kept.units, kept.examples, strict=False)
                for way in ("up", "down")
                for value, label, text in examples[way]
            ]
    return []


def _overlaps(made: Sequence[Curve]) -> Table:
    """Which share of units two curves have in common, mean over their fits; of vectors with as many
    units, in their own basis.
    """
    own = [curve for curve in made if not curve.rows[0].rotate]
    lines = []
    for place, one in enumerate(own):
        for other in own[place + 1 :]:
            if one.width != other.width or one.rows[0].by != other.rows[0].by:
                continue
            pairs = [(a, b) for a in units_of(one.focus) for b in units_of(other.focus)]
            share = sum(common_share(*pair) for pair in pairs) / len(pairs)
            chance = max(len(pairs[0][0]), len(pairs[0][1])) / one.width
            cells = format_number(100 * share), format_number(100 * min(chance, 1.0))
            lines.append((_label_of(one), _label_of(other), *cells))
    note = "Shared: percent of the dimensions of the smaller set. Chance: of random dimensions."
    columns = ("units of", "and of", "shared", "chance")
    words = frozenset(columns[:2])
    return Table(columns, (TableSection("", tuple(lines)),), words, (note,), "Shared dimensions")


def _label_of(curve: Curve) -> str:
    row = curve.rows[0]
    many = len(curve.units()[0])
    return f"{shorten_task(row.task)}, {row.encoder}{_layer(row)} ({many} of {curve.width:,})"
