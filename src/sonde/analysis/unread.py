"""What of the data could not be read, and what an encoder could not: counts that stand below every
table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sonde.core import Result
from sonde.tasks.parsed import malformed

NAMED = 5  # classes of examples that were left out


def unread(folds: Sequence[Result]) -> dict[str, Any]:
    """What could not be read, of the data and by the encoder, and the version and format that say
    so.
    """
    counts = {
        fate: sum(int(counted(r).get(fate, 0)) for r in folds)
        for fate in ("beyond", "unaligned", "partial")
    }
    named = {f"{fate}_are": _left_out(folds, fate) for fate in ("beyond", "unaligned")}
    many, problem = malformed(folds[0].provenance.get("notes") or {})
    made = {
        "version": dict(folds[0].provenance.get("versions") or {}).get("sonde", ""),
        "format": folds[0].provenance.get("format", 0),
    }
    return {**counts, **named, **made, "malformed": many, "problem": problem}


def _left_out(folds: Sequence[Result], fate: str) -> str:
    """What was left out, as `test: 3 ARG1, 2 LOC`."""
    every: dict[str, Counter[str]] = {}
    for fold in folds:
        for split, labels in dict(counted(fold).get("left out") or {}).get(fate, {}).items():
            every.setdefault(split, Counter()).update(labels)
    return "; ".join(f"{split}: {_most(labels)}" for split, labels in every.items())


def _most(labels: Counter[str]) -> str:
    told = [f"{n:,} {name}".strip() for name, n in labels.most_common(NAMED)]
    rest = sum(labels.values()) - sum(n for _, n in labels.most_common(NAMED))
    return ", ".join(told) + (f" and {rest:,} others" if rest else "")


def counted(result: Result) -> dict[str, Any]:
    """What was counted while a result was measured."""
    return dict(result.provenance.get("counts") or {})


def counts(folds: Sequence[Result]) -> dict[str, Any]:
    """What was counted beside the score; of sentences, which folds share, the most."""
    told = [counted(result) for result in folds]
    found = {"train": int(told[0].get("train", 0))}
    found |= {name: sum(int(each.get(name, 0)) for each in told) for name in ("unusable", "unseen")}
    return found | {
        name: max(int(each.get(name, 0)) for each in told) for name in ("cut", "words", "unknown")
    }
