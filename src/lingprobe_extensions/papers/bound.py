"""What people score on a task: a bound with its interval, as a small JSON file that a report can
read, and as a table that also shows how far they agree and counts by class.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from lingprobe import DataProblem, HumanBound, Page, Table
from lingprobe.extend import (
    TableSection,
    format_number,
    get_contents,
    shorten_reference,
    write_text,
)


def write_bound(bound: HumanBound, to: Path) -> None:
    """Write a bound whole or not at all; DataProblem where the rows were no random sample."""
    if bound.by:
        raise DataProblem(
            f"the rows of the sheet were sampled by {bound.by}, rare values first, so their score"
            " is not an estimate of human performance; omit -o, or write a sheet without --by"
        )
    write_text(to, json.dumps(asdict(bound), indent=2, ensure_ascii=False) + "\n")


_QUESTIONS = {
    "blind": "Which label? (labels hidden)",
    "check": "Is this label right? (labels shown)",
}


def people_page(bound: HumanBound) -> Page[HumanBound]:
    """A bound with its table."""
    return Page(bound, lambda: [tabulate_people(bound)])


def tabulate_people(bound: HumanBound) -> Table:
    """A bound and what it was counted from."""
    share = (
        format_number(100 * bound.score),
        f"{format_number(100 * bound.low)} – {format_number(100 * bound.high)}",
        f"{bound.n:,}",
    )
    all_rows = ("all", *share)
    rows = [
        (name, format_number(100 * total / n), "", f"{n:,}")
        for name, (n, total) in bound.classes.items()
    ]
    agreement = (
        "one annotator, so no agreement"
        if bound.alpha is None
        else f"Krippendorff's alpha {bound.alpha:.3f}"
    )
    notes: tuple[str, ...] = (
        (
            f"{bound.annotators:,} annotator{'s' * (bound.annotators > 1)}, majority vote;"
            f" {agreement}."
        ),
        (
            f"{bound.ties:,} ties, each counted as chance among the tied answers;"
            f" {bound.unjudged:,} sentences without a judgement, excluded."
        ),
    )
    if bound.by:
        notes += (
            f"Rows were sampled by {bound.by}, rare values first: the overall score is not that of"
            " the test set.",
        )
    section = TableSection(
        shorten_reference(get_contents("tasks"), bound.task),
        (all_rows, *rows),
        _QUESTIONS.get(bound.mode, bound.mode),
    )
    return Table(
        ("label", "right, %", "95 % interval", "n"), (section,), frozenset({"label"}), notes
    )
