"""What people score on a task, as a small JSON file that a report can read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from sonde.cache import write_text
from sonde.core import DataProblem


@dataclass(frozen=True, slots=True)
class Bound:
    """The share of sampled test sentences that people get right by majority vote, and what it was
    counted from.

    task, data   the canonical reference, and thirty-two digits that stand for its examples
    mode         blind: which label? check: is this label right?
    n            sentences that anybody judged; `unjudged` are left out
    score        share of them that the majority gets right; a tie counts as chance among the tied
                 labels
    low, high    its 95 % interval
    alpha        Krippendorff's alpha among annotators; None for one annotator
    classes      for each gold label: sentences, and what those count for together
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


def write_bound(bound: Bound, to: Path) -> None:
    """Write a bound whole or not at all."""
    write_text(to, json.dumps(asdict(bound), indent=2, ensure_ascii=False) + "\n")


def read_bound(file: Path) -> Bound:
    """The bound in a file; DataProblem where it holds none."""
    try:
        values = json.loads(file.read_text("utf-8"))
        bound = Bound(**{f.name: values[f.name] for f in fields(Bound)})
        if not 0 <= bound.low <= bound.score <= bound.high <= 1:
            raise ValueError("the score is not within its interval")
    except OSError as error:
        raise DataProblem(f"cannot read {file}: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise DataProblem(
            f"{file} is no bound ({error}); `sonde annotate --score SHEET... -o {file.name}`"
            " writes one"
        ) from None
    return bound
