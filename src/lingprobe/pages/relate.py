"""Correlations between columns of scores as tables: a matrix, what its columns are, and, where
encoders are variants of one another, what holds over all of them and within families.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from lingprobe.analysis.relation import Correlation, CorrelationTable
from lingprobe.data.checks import check_choice
from lingprobe.metrics.multiplicity import CORRECTION_NAMES
from lingprobe.pages.records import format_csv
from lingprobe.pages.relate_figures import RELATION_CHARTS
from lingprobe.pages.wide import BOLD_MARK
from lingprobe.tables.page import Page
from lingprobe.tables.table import Table, TableSection, format_coefficient

_WORDS = frozenset({"", "column", "source", "language", "metric"})
CORRELATION_NAMES = {"spearman": "Spearman's ρ", "pearson": "Pearson's r", "kendall": "Kendall's τ"}

Cell = Callable[[Correlation], str]


def relation_page(relation: CorrelationTable, figure: str = "heat") -> Page[CorrelationTable]:
    """The correlations of a table of scores in every format; UsageProblem for a figure that there
    is not.
    """
    check_choice("figure", figure, RELATION_CHARTS)
    return Page(
        relation,
        lambda: tabulate_relation(relation),
        {"csv": lambda: format_csv(relation.found)},
        figure=lambda: RELATION_CHARTS[figure](relation),
        remarks=relation.table.remarks,
    )


def tabulate_relation(relation: CorrelationTable) -> list[Table]:
    """The matrix, the columns, and what there is to see of variants."""
    made = [tabulate_correlations(relation), tabulate_columns(relation)]
    if any(one.groups for one in relation.found) and len(relation.table.families) < len(
        relation.table.rows
    ):
        made[1:1] = [tabulate_variants(relation)]
    return made


def tabulate_correlations(relation: CorrelationTable) -> Table:
    """Each column with each other; significant correlations are strong."""
    counts = {one.n for one in relation.found}
    unit = "families" if relation.families else "encoders"

    def cell(one: Correlation) -> str:
        n = f" ({one.n})" if len(counts) > 1 else ""
        return f"{format_coefficient(one.correlation)}{n}"

    over = f"{min(counts)}" if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
    heading = f"{CORRELATION_NAMES[relation.asked.method]} over {over} {unit}"
    section = _section(relation, heading, cell, lambda one: one.is_significant)
    return _build_relation_table(relation, [section], _reading(relation, len(counts) > 1))


def tabulate_variants(relation: CorrelationTable) -> Table:
    """The correlations over all encoders, and their mean within families."""

    def over_all(one: Correlation) -> str:
        return format_coefficient(one.over_all)

    def within(one: Correlation) -> str:
        signs = f" ({one.positive}+ {one.negative}−)" if one.groups else ""
        return f"{format_coefficient(one.within)}{signs}"

    sections = [_section(relation, "within families of variants", within)]
    if relation.families:
        heading = f"over all {len(relation.table.rows):,} encoders, variants or not"
        sections.insert(0, _section(relation, heading, over_all))
    notes = (
        "Within: the mean correlation within families of at least three variants, weighted by"
        " their size; in brackets, the number of families where it is positive and negative. If"
        " it differs from the correlation between families, tasks that correlate across models do"
        " not correlate across variants of a model.",
    )
    return _build_relation_table(relation, sections, notes)


def tabulate_columns(relation: CorrelationTable) -> Table:
    """What the columns are: who measured them, their range, and how reliable they are."""
    table = relation.table
    lines = []
    for i in sorted({*relation.across, *relation.down}):
        column, known = table.columns[i], table.scores[~np.isnan(table.scores[:, i]), i]
        reliability = table.reliability(i)
        lines.append(
            (
                column.name,
                column.source,
                column.language,
                column.metric,
                f"{len(known):,}",
                f"{known.min():.1f}",
                f"{known.max():.1f}",
                "–" if math.isnan(reliability) else f"{reliability:.2f}",
            )
        )
    head = (
        "column",
        "source",
        "language",
        "metric",
        "encoders",
        "lowest",
        "highest",
        "reliability",
    )
    notes = (
        "reliability: the share of a column's variance that is between encoders rather than"
        " seeds; – if seeds are not known. Low reliability or a small range of scores pulls"
        " correlations towards zero.",
    )
    return Table(head, (TableSection("columns", tuple(lines)),), _WORDS, notes)


def _section(
    relation: CorrelationTable,
    heading: str,
    cell: Cell,
    bold: Callable[[Correlation], bool] = lambda one: False,
) -> TableSection:
    found = _by_names(relation)
    names = [column.name for column in relation.table.columns]
    body, strong = [], set()
    square = relation.across == relation.down
    for r, i in enumerate(relation.down[square:]):
        line = [names[i]]
        for c, j in enumerate(relation.across[: len(relation.across) - square], 1):
            one = found.get((names[i], names[j])) if not square or j < i else None
            line.append(cell(one) if one else "")
            if one and bold(one):
                strong.add((r, c))
        body.append(tuple(line))
    return TableSection(heading, tuple(body), strong=frozenset(strong))


def _by_names(relation: CorrelationTable) -> Mapping[tuple[str, str], Correlation]:
    pairs = {(one.first, one.second): one for one in relation.found}
    return pairs | {(b, a): one for (a, b), one in pairs.items()}


def _build_relation_table(
    relation: CorrelationTable, sections: Sequence[TableSection], notes: Sequence[str]
) -> Table:
    square = relation.across == relation.down
    across = relation.across[: len(relation.across) - square]
    head = ("", *(relation.table.columns[j].name for j in across))
    return Table(head, tuple(sections), _WORDS, tuple(notes), mark=BOLD_MARK)


def _reading(relation: CorrelationTable, counted: bool) -> list[str]:
    """How to read the matrix."""
    notes = list(relation.notes)
    sources = {column.source for column in relation.table.columns}
    if len(sources) > 1:
        notes.append(
            f"Columns of {', '.join(sorted(sources))} were measured in different ways, so"
            " correlations may differ because of the method, not the task."
        )
    tests = [one for one in relation.found if not math.isnan(one.p)]
    if tests:
        how = {"exact": "all permutations", "permutation": "random permutations"}
        ways = dict.fromkeys(how.get(one.how, "an approximation") for one in tests)
        unit = "families, each with the mean of its variants" if relation.families else "encoders"
        notes.append(
            f"Bold ({BOLD_MARK} in a terminal): p ≤ 0.05 after correction for {len(tests):,}"
            f" pair{'s' * (len(tests) > 1)} ({CORRECTION_NAMES[relation.asked.correction]}); p by"
            f" {' and '.join(ways)} of {unit}."
        )
        significant = sum(one.is_significant for one in tests)
        notes.append(
            f"Significant: {significant:,} of {len(tests):,}. CSV and the figure of dots have"
            " intervals."
        )
    if counted:
        notes.append(
            "In brackets: the number of encoders, since not all have a score in all columns."
        )
    return notes
