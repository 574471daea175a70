"""An audit as tables: what has a warning first, then sizes and balance, baselines, overlap, what
was counted, rows to read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lingprobe.audit.findings import Audit, AuditExample, SplitOverlap
from lingprobe.data.core import DATA_SPLITS
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

_WIDTH = 140  # of an audit that is not shown in a terminal
_PAIRS = 3  # of rules: those that say most together
_MANY = 40  # classes, of which the most and the least frequent are shown
_WORDS = frozenset(
    {
        "what",
        "kind",
        "class",
        "label",
        "sentence",
        "split",
        "target",
        "asked",
        "strata",
        "note",
        "value",
        "where",
        "fitted and scored",
        "remark",
        "",
    }
)


def audit_page(audit: Audit, title: str) -> Page[Audit]:
    """An audit with its tables."""
    return Page(audit, lambda: audit_tables(audit, title), width=_WIDTH)


def audit_tables(audit: Audit, title: str) -> list[Table]:
    """The tables of an audit, in the order in which they should be read."""
    problems = audit.problems or ("No warnings.",)
    first = Table((), (), _WORDS, tuple(f"- {problem}" for problem in problems), title)
    floors = [_floors(audit)] if audit.floors else []
    asked = [_question_rules(audit)] if audit.asked else []
    return [
        first,
        _balance(audit),
        *([_negatives(audit)] if audit.negatives else []),
        *floors,
        *asked,
        _overlap(audit),
        *_repeats(audit),
        _format_audit_notes(audit.notes),
        *([_tabulate_rows(audit.rows)] if audit.rows else []),
    ]


def _build_audit_table(
    heading: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]], line: str = ""
) -> Table:
    return Table(columns, (TableSection(heading, tuple(rows), line),), _WORDS)


def _balance(audit: Audit) -> Table:
    labels = list(dict.fromkeys(label for counts in audit.balance.values() for label in counts))
    train = audit.balance["train"]
    labels.sort(key=lambda label: -train.get(label, 0))
    shown = labels if len(labels) <= _MANY else [*labels[: _MANY // 2], *labels[-_MANY // 2 :]]
    rows = [
        (
            label,
            *(f"{audit.balance[s].get(label, 0):,g}" for s in DATA_SPLITS),
            _describe_length(audit.lengths, label),
        )
        for label in shown
    ]
    left = (
        f"The {_MANY // 2} most and least frequent of {len(labels)} classes."
        if shown is not labels
        else ""
    )
    rows.append(("all", *(f"{audit.sizes[s]:,}" for s in DATA_SPLITS), ""))
    return _build_audit_table("Examples", ("class", *DATA_SPLITS, "mean words"), rows, left)


def _negatives(audit: Audit) -> Table:
    counts = audit.negatives
    rows = [
        (kind, *(f"{counts[split].get(kind, 0):,}" for split in counts))
        for kind in sorted({k for c in counts.values() for k in c})
    ]
    return _build_audit_table("Kinds of negatives", ("kind", *counts), rows)


def _describe_length(lengths: Mapping[str, float], label: str) -> str:
    return format_number(lengths[label]) if label in lengths else ""


def _floors(audit: Audit) -> Table:
    """Scores without an encoder, with the correlation of length and label."""
    rows = [
        (
            f.name,
            format_number(100 * f.score),
            ""
            if key in ("constant", "set")
            else f"{format_number(100 * f.low)} – {format_number(100 * f.high)}",
            f.about,
        )
        for key, f in audit.floors.items()
    ]
    kept = 4 if any(row[3] for row in rows) else 3
    columns = ("what", f"{audit.metric}, %", "95 % interval", "fitted and scored")[:kept]
    return _build_audit_table(
        "Scores without an encoder", columns, [row[:kept] for row in rows], _correlation_note(audit)
    )


def _question_rules(audit: Audit) -> Table:
    """What answers questions about words, with the pairs of rules that say more than either of the
    two.
    """
    alone = {name: floor.score for name, floor in audit.asked.items()}
    more = [
        pair
        for pair in audit.pairs
        if pair.score > max(alone[name] for name in pair.name.split("; "))
    ]
    shown = [*audit.asked.values(), *more[:_PAIRS]]
    rows = [
        (
            f.name,
            format_number(100 * f.score),
            f"{format_number(100 * f.low)} – {format_number(100 * f.high)}" * (f.low < f.high),
            f.about,
        )
        for f in shown
    ]
    columns = ("what", f"{audit.metric}, %", "95 % interval", "remark")
    line = (
        f"{len(more) or 'None'} of {len(audit.pairs)} pairs of rules score higher than the better"
        " of the two."
        if audit.pairs
        else ""
    )
    return _build_audit_table(
        ("Scores without composition"), columns, rows, line.replace("none say", "none says")
    )


def _correlation_note(audit: Audit) -> str:
    now = f"Correlation of length and label: {audit.correlation:.3f}."
    before = audit.before
    return (
        f"{now} Pearson's r was {before['before']:.3f} before sampling,"
        f" {before['after']:.3f} after."
        if before
        else now
    )


def _overlap(audit: Audit) -> Table:
    """What splits share: sentences and target forms; and examples that repeat another one."""
    some = {split for split, n in audit.sizes.items() if n}
    rows = []
    forms = {f"{name} form": pairs for name, pairs in audit.forms.items()}
    for what, pairs in {"sentence": audit.shared, **forms}.items():
        for pair, shared in pairs.items():
            first, second = pair.split("/")
            if {first, second} <= some:
                rows.append(
                    (f"examples of {second} with a {what} of {first}", _format_overlap(shared))
                )
    rows += [
        (f"examples of {split} that repeat another one", f"{n:,}")
        for split, n in audit.duplicates.items()
        if split in some
    ]
    rows.append(
        ("examples that repeat another one with a different label", f"{audit.contradictions:,}")
    )
    if audit.altered:
        rows.append(
            (
                ("examples with a sentence in both versions (original and altered)"),
                f"{audit.versions:,}",
            )
        )
    if "train" in some:
        rows += [
            (f"distinct words of {split} that are in train", f"{100 * share:.1f} %")
            for split, share in audit.words.items()
            if split in some
        ]
    return _build_audit_table("Overlap", ("what", "how much"), rows)


def _format_overlap(shared: SplitOverlap) -> str:
    return f"{shared.examples:,} ({shared.distinct:,} distinct)" if shared.examples else "0"


def _repeats(audit: Audit) -> list[Table]:
    rows = [
        (
            f"{sum(r.places.values()):,}",
            ", ".join(f"{place} {n:,}" for place, n in r.places.items()),
            r.text,
        )
        for r in audit.repeats
    ]
    line = "The most frequent ones, and their splits."
    return (
        [
            _build_audit_table(
                "Sentences that occur more than once", ("examples", "where", "sentence"), rows, line
            )
        ]
        if rows
        else []
    )


def _format_audit_notes(notes: Mapping[str, Any]) -> Table:
    """What was excluded when the data set was built, and why."""
    return _build_audit_table("Counted while building", ("note", "value"), list(_flat(notes)))


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Nested counts as (dotted name, value); settings, which count nothing, on one line."""
    if name.endswith("settings") and isinstance(value, Mapping):
        yield (
            name,
            ", ".join(
                f"{key} {':'.join(_format_value(v).split(', '))}"
                for key, v in value.items()
                if v is not None
            ),
        )
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    else:
        yield name, _format_value(value)


def _format_value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return ", ".join(map(str, value)) or "none" if isinstance(value, list | tuple) else str(value)


def _tabulate_rows(rows: Sequence[AuditExample]) -> Table:
    every = [
        (
            row.split,
            row.label,
            row.target,
            " ".join(row.asked),
            _format_strata(row.strata),
            row.text,
        )
        for row in rows
    ]
    columns = ("split", "label", "target", "asked", "strata", "sentence")
    kept = [i for i in range(len(columns)) if any(row[i] for row in every)]
    return _build_audit_table(
        "Sample of examples",
        tuple(columns[i] for i in kept),
        [tuple(row[i] for i in kept) for row in every],
    )


def _format_strata(strata: Mapping[str, str]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in strata.items())
