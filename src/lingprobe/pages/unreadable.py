"""Encoders that cannot read a text: a third of its words are unknown to their vocabulary, as in a
script that it has no letters of. More examples change nothing then, so it is said first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from lingprobe.analysis.frame import ResultFrame

_UNREADABLE = 1 / 3
"""Of the words, from which on an encoder cannot read a text."""
_MAX_NAMED = 4  # texts that a line names


class WordCount(NamedTuple):
    """How many words of a task, or of a treebank, an encoder was given, and how many of these its
    vocabulary does not have.
    """

    encoder: str
    task: str
    words: int
    unknown: int

    @property
    def is_unreadable(self) -> bool:
        """Whether so many words are unknown that the encoder cannot read it."""
        return self.words > 0 and self.unknown >= _UNREADABLE * self.words


def count_read_words(frame: ResultFrame, task: str = "task") -> list[WordCount]:
    """The words of the test sentences of the trained encoders of a frame, by a column that names
    tasks; of all sentences where results do not say it of these.
    """
    counts = []
    for number, name in enumerate(frame.column(task)):
        row = frame[number]
        if row.role == "trained":
            total = unknown = 0
            for run in (run for folds in frame.folds(number) for run in folds):
                told = run.about.counts
                has_test = told.test_words is not None
                total += (told.test_words if has_test else told.words) or 0
                unknown += (told.test_unknown if has_test else told.unknown) or 0
            counts.append(WordCount(row.encoder, name, total, unknown))
    return counts


def describe_unreadable(
    counts: Iterable[WordCount],
    name_encoder: Callable[[str], str] = str,
    name_task: Callable[[str], str] = str,
) -> tuple[str, ...]:
    """A line for each encoder that cannot read something."""
    shares: dict[str, dict[str, float]] = {}
    for count in counts:
        if count.is_unreadable:
            mine = shares.setdefault(name_encoder(count.encoder), {})
            name = name_task(count.task)
            mine[name] = max(mine.get(name, 0.0), count.unknown / count.words)
    return tuple(_describe(encoder, mine) for encoder, mine in shares.items())


def _describe(encoder: str, shares: dict[str, float]) -> str:
    listed = [f"{name} ({100 * share:.0f} %)" for name, share in shares.items()]
    rest = len(listed) - _MAX_NAMED
    more = f" and {rest} more" if rest > 0 else ""
    return (
        f"{encoder} cannot read {', '.join(listed[:_MAX_NAMED])}{more}: so many of the words are"
        " out of its vocabulary, and more examples would not change that."
    )
