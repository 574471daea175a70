"""What people score and say on a task, as pages show it: the reading of a finished score (which
`lingprobe data annotate --score` wrote), and the answers on filled sheets, which an extension
reads.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NamedTuple

from lingprobe.data._packages import load_points
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import UsageProblem


@dataclass(frozen=True, slots=True)
class HumanBound:
    """The share of sampled test sentences that people get right by majority vote, with the counts
    behind it.

    task, data   the canonical reference, and a hash of its examples (32 digits)
    mode         blind: which label? check: is this label right?
    n            sentences with at least one judgement; `unjudged` are excluded
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


def read_bound(file: Path) -> HumanBound:
    """The bound in a file; DataProblem where it holds none."""
    try:
        values = json.loads(file.read_text("utf-8"))
        bound = HumanBound(**{f.name: values[f.name] for f in fields(HumanBound) if f.name != "by"})
        if not 0 <= bound.low <= bound.score <= bound.high <= 1:
            raise ValueError("the score is not within its interval")
    except OSError as error:
        raise DataProblem(f"cannot read {file}: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise DataProblem(
            f"{file} does not contain a bound ({error}); `lingprobe data annotate --score SHEET..."
            f" -o {file.name}` writes one"
        ) from None
    return bound


class HumanAnswers(NamedTuple):
    """What people say of sentences whose labels they did not see.

    task     the canonical reference
    answers  the letters of a sentence -> the labels with the most votes
    """

    task: str
    answers: Mapping[str, tuple[str, ...]]

    @staticmethod
    def key(text: str) -> str:
        """What no spreadsheet corrects: letters and digits."""
        return "".join(c for c in text.casefold() if c.isalnum())

    def of(self, sentence: str) -> tuple[str, ...]:
        """The labels with the most votes for a sentence; () where nobody judged it."""
        return self.answers.get(self.key(sentence), ())

    def shares(self) -> dict[str, float]:
        """How often each label is given; where several tie, each counts as a part."""
        counts = Counter[str]()
        for labels in self.answers.values():
            counts.update({label: 1 / len(labels) for label in labels})
        return {label: count / len(self.answers) for label, count in counts.items()}


def read_answers(files: Sequence[Path]) -> tuple[HumanAnswers, ...]:
    """What people say on filled sheets, by what is installed to read them. UsageProblem where
    nothing is, DataProblem for a sheet that cannot be read.
    """
    if not files:
        return ()
    readers = dict(load_points("lingprobe.sheets"))
    if not readers:
        raise UsageProblem(
            f"{files[0]}: nothing that is installed reads filled sheets; the extension `papers`"
            " does"
        )
    read = next(iter(readers.values()))
    return tuple(read(files))
