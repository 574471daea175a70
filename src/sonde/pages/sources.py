"""Notes below a table about the sources that its tasks were made of: what is odd about them, and in
what they differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sonde.analysis.posed import unlike
from sonde.analysis.row import Row
from sonde.references import parsed_or_none

SOME = 0.001  # of the words, from which on those that an encoder does not know are told
ALIKE = {
    "classes": "classes=",
    "training examples": "size=",
    "test examples": "size=",
    "what classes consist of": "forms=simple",
}
"""What makes sources alike that differ in something."""


def source_notes(rows: Sequence[Row], named: Callable[[str], str]) -> list[str]:
    """What there is to say of the sources; `named` shortens the name of a task."""
    return [*_remarks(rows, named), *_unknown(rows, named), *_compared(rows)]


def _remarks(rows: Sequence[Row], named: Callable[[str], str]) -> list[str]:
    """What holds of sources as a whole, each said once for all tasks."""
    tasks: dict[str, dict[str, None]] = {}
    for row in rows:
        for remark in row.posed.remarks:
            tasks.setdefault(remark, {})[named(row.task)] = None
    return [f"{', '.join(those)}: {remark}." for remark, those in tasks.items()]


def _unknown(rows: Sequence[Row], named: Callable[[str], str]) -> list[str]:
    """Words that an encoder reads as the token for the unknown, by encoder and task."""
    shares: dict[str, dict[str, float]] = {}
    for row in rows:
        if row.words and row.unknown / row.words >= SOME:
            shares.setdefault(row.encoder, {})[named(row.task)] = row.unknown / row.words
    return [
        f"{encoder}: words that it does not know are"
        f" {', '.join(f'{100 * share:.1f} % of {task}' for task, share in mine.items())}."
        for encoder, mine in shares.items()
    ]


def _compared(rows: Sequence[Row]) -> list[str]:
    """Questions that are asked of several sources, and not alike."""
    asked: dict[str, dict[str, Row]] = {}
    for row in rows:
        parsed = parsed_or_none(row.task)
        if (
            parsed is not None
            and parsed.argument is not None
            and parsed.name.partition("/")[0] in FAMILIES
        ):
            asked.setdefault(parsed.name, {}).setdefault(row.task, row)
    remarks = []
    for question, sources in asked.items():
        differences = (
            unlike([(row.posed, row.train, row.n) for row in sources.values()])
            if len(sources) > 1
            else []
        )
        if differences:
            remedies = dict.fromkeys(
                remedy
                for what, remedy in ALIKE.items()
                if any(d.startswith(what) for d in differences)
            )
            fitting = [r for r in remedies if r != "forms=simple" or question.endswith("tense")]
            how = (
                f" ({' and '.join(fitting)} {'makes' if len(fitting) == 1 else 'make'} them alike)"
                if fitting
                else ""
            )
            remarks.append(
                f"{question}: its sources differ in {', '.join(differences)}, so their scores are"
                f" not one comparison{how}."
            )
    return remarks


FAMILIES = frozenset({"ud", "tree"})
"""Families whose tasks take the options that make sources alike."""
