"""What people score on a task, as a table: the bound with its interval, how far they agree, and
counts by class.
"""

from __future__ import annotations

from sonde.analysis.row import PERCENT
from sonde.judgements.bound import Bound
from sonde.references import brief
from sonde.tables.page import Page
from sonde.tables.table import Section, Table, number
from sonde.tasks import TASKS

QUESTIONS = {
    "blind": "Which label? (labels hidden)",
    "check": "Is this label right? (labels shown)",
}


def people_page(bound: Bound) -> Page[Bound]:
    """A bound with its table."""
    return Page(bound, lambda: [people(bound)])


def people(bound: Bound) -> Table:
    """A bound and what it was counted from."""
    share = (
        number(PERCENT * bound.score),
        f"{number(PERCENT * bound.low)} – {number(PERCENT * bound.high)}",
        f"{bound.n:,}",
    )
    all_rows = ("all", *share)
    rows = [
        (name, number(PERCENT * total / n), "", f"{n:,}")
        for name, (n, total) in bound.classes.items()
    ]
    agreement = (
        "one annotator, so nothing to agree on"
        if bound.alpha is None
        else f"Krippendorff's alpha {bound.alpha:.3f}"
    )
    notes = (
        (
            f"{bound.annotators:,} annotator{'s' * (bound.annotators > 1)}, majority vote;"
            f" {agreement}."
        ),
        (
            f"{bound.ties:,} ties, each counted as chance among the tied answers;"
            f" {bound.unjudged:,} sentences that nobody judged, left out."
        ),
    )
    section = Section(
        brief(TASKS, bound.task), (all_rows, *rows), QUESTIONS.get(bound.mode, bound.mode)
    )
    return Table(
        ("label", "right, %", "95 % interval", "n"), (section,), frozenset({"label"}), notes
    )
