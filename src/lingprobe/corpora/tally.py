"""What readers count while they read: sentences, words, what was excluded and why, and what holds
of a source as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lingprobe.data.core import DataProblem

OnError = Literal["raise", "skip"]
_SHOWN = 20


@dataclass
class ProblemTally:
    """What was read and what was excluded; a reader adds to it, so that its caller can show it.

    mistold   sentences whose raw string is not made of their words, which were put together
              instead; `first` is where
    withheld  sentences without their words, skipped
    unlabelled  rows of a table that have no label, and `unlabelled_at` where and why the first;
              `secret` are those of them whose metadata say so
    said      what else there is to say about the source as a whole
    """

    sentences: int = 0
    words: int = 0
    skipped: int = 0
    problems: list[str] = field(default_factory=list)
    mistold: int = 0
    withheld: int = 0
    first: str = ""
    noted: list[str] = field(default_factory=list)
    unlabelled: int = 0
    unlabelled_at: str = ""
    secret: int = 0

    def remarks(self) -> list[str]:
        """What a reader of a table should know about the source as a whole, in sentences."""
        text = (
            f"{self.mistold:,} raw strings (# text) are not made of the words, which were put"
            f" together instead; the first: {self.first}"
        )
        return [*([text] if self.mistold else []), *self.noted]

    def say(self, remark: str, once: str = "") -> None:
        """Keep something that holds of a source as a whole, if nothing that begins with `once` was
        said before.
        """
        if not (once and any(earlier.startswith(once) for earlier in self.noted)):
            self.noted.append(remark)

    def mistell(self, where: str) -> None:
        """Count a raw string that is not made of its words."""
        self.mistold += 1
        self.first = self.first or where

    def skip(self, problem: str) -> None:
        """Count a sentence that is excluded; the first twenty reasons are kept."""
        self.skipped += 1
        if len(self.problems) < _SHOWN:
            self.problems.append(problem)

    def unlabel(self, problem: str, *, is_secret: bool) -> None:
        """Count a row that has no label, which its metadata may say."""
        self.unlabelled += 1
        self.secret += is_secret
        self.unlabelled_at = self.unlabelled_at or problem

    def refuse(self, problem: object, on_error: OnError) -> None:
        """Raise what is wrong with a sentence as a DataProblem, or count the sentence as left
        out.
        """
        if on_error == "raise":
            raise DataProblem(
                f"{problem} (on_error=skip leaves such sentences out and counts them)"
            )
        self.skip(str(problem))

    def add(self, other: ProblemTally) -> None:
        """Count what was counted of further sentences, too."""
        self.sentences += other.sentences
        self.words += other.words
        self.skipped += other.skipped
        self.problems += other.problems[: _SHOWN - len(self.problems)]
        self.mistold += other.mistold
        self.withheld += other.withheld
        self.first = self.first or other.first
        self.noted += other.noted
        self.unlabelled += other.unlabelled
        self.secret += other.secret
        self.unlabelled_at = self.unlabelled_at or other.unlabelled_at
