"""An audit as tables: what deserves a look first, then sizes and balance, floors, overlap, what was counted, rows to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sonde.audit import Audit, Row
from sonde.core import SPLITS
from sonde.report.table import Section, Table, number

MANY = 40  # classes, of which the most and the least frequent are shown
WORDS = frozenset({"what", "class", "label", "sentence", "split", "target", "asked", "strata", "note", "value", ""})


def audited(audit: Audit, title: str) -> list[Table]:
    """The tables of an audit, in the order in which they should be read."""
    found = audit.problems or ("Nothing stands out.",)
    first = Table((), (), WORDS, tuple(f"- {problem}" for problem in found), title)
    return [first, _balance(audit), _floors(audit), _overlap(audit), _notes(audit.notes), _rows(audit.rows)]


def _table(heading: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]], line: str = "") -> Table:
    return Table(columns, (Section(heading, tuple(rows), line),), WORDS)


def _balance(audit: Audit) -> Table:
    labels = list(dict.fromkeys(label for counts in audit.balance.values() for label in counts))
    train = audit.balance["train"]
    labels.sort(key=lambda label: -train.get(label, 0))
    shown = labels if len(labels) <= MANY else [*labels[: MANY // 2], *labels[-MANY // 2 :]]
    rows = [(label, *(f"{audit.balance[s].get(label, 0):,g}" for s in SPLITS), _words(audit.lengths, label)) for label in shown]
    left = f"The {MANY // 2} most and least frequent of {len(labels)} classes." if shown is not labels else ""
    rows.append(("all", *(f"{audit.sizes[s]:,}" for s in SPLITS), ""))
    return _table("Examples", ("class", *SPLITS, "mean words"), rows, left)


def _words(lengths: Mapping[str, float], label: str) -> str:
    return number(lengths[label]) if label in lengths else ""


def _floors(audit: Audit) -> Table:
    floors = (("best constant", audit.majority), ("length alone", audit.length), ("words alone (Naive Bayes)", audit.naive_bayes))
    rows = [(name, number(100 * value)) for name, value in floors]
    line = f"Correlation of length and label: {audit.correlation:.3f}."
    return _table("What needs no encoder", ("what", f"{audit.metric}, %"), rows, line)


def _overlap(audit: Audit) -> Table:
    rows = [(f"sentences of {b} that are in {a}", f"{n:,}") for (a, b), n in ((pair.split("/"), n) for pair, n in audit.shared.items())]
    rows += [(f"questions asked twice in {split}", f"{n:,}") for split, n in audit.duplicates.items()]
    rows.append(("questions with two answers", f"{audit.contradictions:,}"))
    rows += [(f"target forms of {split} that are in train", f"{100 * share:.1f} %") for split, share in audit.targets.items()]
    rows += [(f"distinct words of {split} that are in train", f"{100 * share:.1f} %") for split, share in audit.words.items()]
    return _table("Overlap", ("what", "how much"), rows)


def _notes(notes: Mapping[str, Any]) -> Table:
    return _table("Counted while building", ("note", "value"), list(_flat(notes)))


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Nested counts as (dotted name, value)."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, float):
        yield name, f"{value:,.4g}"
    elif isinstance(value, int) and not isinstance(value, bool):
        yield name, f"{value:,}"
    else:
        yield name, ", ".join(map(str, value)) or "none" if isinstance(value, list | tuple) else str(value)


def _rows(rows: Sequence[Row]) -> Table:
    every = [(row.split, row.label, row.target, " ".join(row.asked), _strata(row.strata), row.text) for row in rows]
    columns = ("split", "label", "target", "asked", "strata", "sentence")
    kept = [i for i in range(len(columns)) if any(row[i] for row in every)]
    return _table("Rows to read", tuple(columns[i] for i in kept), [tuple(row[i] for i in kept) for row in every])


def _strata(strata: Mapping[str, str]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in strata.items())
