"""What people score on a task: a bound with its interval, as a small JSON file that a report can
read, and as a table that also shows how far they agree and counts by class.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from lingprobe.analysis.row import PERCENT
from lingprobe.data.cache import write_text
from lingprobe.data.core import DataProblem
from lingprobe.data.references import shorten_reference
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)
from lingprobe.tasks import TASKS


@dataclass(frozen=True, slots=True)
class Bound:
    """The share of sampled test sentences that people get right by majority vote, with the counts
    behind it.

    task, data   the canonical reference, and a hash of its examples (32 digits)
    mode         blind: which label? check: is this label right?
    n            sentences with at least one judgement; `unjudged` are left out
    score        share of them that the majority gets right; a tie counts as chance among the tied
                 labels
    low, high    its 95 % interval
    alpha        Krippendorff's alpha among annotators; None for one annotator
    classes      for each gold label: sentences, and the sum of their scores; for each cell where
                 rows were drawn `by` a stratum
    """

    task: str
    data: str
    mode: str
    annotators: int
    n: int
    unjudged: int
    ties: int
    score: float
    low: float
    high: float
    alpha: float | None
    classes: Mapping[str, tuple[int, float]]
    by: str = ""


def write_bound(bound: Bound, to: Path) -> None:
    """Write a bound whole or not at all; DataProblem where the rows were no random sample."""
    if bound.by:
        raise DataProblem(
            f"the rows of the sheet were drawn by {bound.by}, the rare ones first, so their score"
            " is no bound; leave -o out, or write a sheet without --by"
        )
    write_text(to, json.dumps(asdict(bound), indent=2, ensure_ascii=False) + "\n")


def read_bound(file: Path) -> Bound:
    """The bound in a file; DataProblem where it holds none."""
    try:
        values = json.loads(file.read_text("utf-8"))
        bound = Bound(**{f.name: values[f.name] for f in fields(Bound) if f.name != "by"})
        if not 0 <= bound.low <= bound.score <= bound.high <= 1:
            raise ValueError("the score is not within its interval")
    except OSError as error:
        raise DataProblem(f"cannot read {file}: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise DataProblem(
            f"{file} does not contain a bound ({error}); `lingprobe annotate --score SHEET... -o"
            f" {file.name}` writes one"
        ) from None
    return bound


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
        format_number(PERCENT * bound.score),
        f"{format_number(PERCENT * bound.low)} – {format_number(PERCENT * bound.high)}",
        f"{bound.n:,}",
    )
    all_rows = ("all", *share)
    rows = [
        (name, format_number(PERCENT * total / n), "", f"{n:,}")
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
            f" {bound.unjudged:,} sentences without a judgement, left out."
        ),
    )
    if bound.by:
        notes += (
            f"Rows were drawn by {bound.by}, the rare ones first: the score of all is none of the"
            " test set.",
        )
    section = TableSection(
        shorten_reference(TASKS, bound.task),
        (all_rows, *rows),
        QUESTIONS.get(bound.mode, bound.mode),
    )
    return Table(
        ("label", "right, %", "95 % interval", "n"), (section,), frozenset({"label"}), notes
    )
