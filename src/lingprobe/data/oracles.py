"""Oracles: encoders of a task's annotation, which show how high a score can be.

A baseline shows what is trivial, an oracle what a probe of this kind and size can learn at all. A
task with oracles is `Annotated`; an encoder of their facts is `Informed`; `gold` is built in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from lingprobe.data.core import (
    Annotated,
    DataProblem,
    Dataset,
    Encoder,
    Facts,
    Informed,
    Kind,
    Kinded,
    Sentence,
    Task,
)

__all__ = [
    "Annotated",
    "Facts",
    "Floored",
    "Informed",
    "Kind",
    "Kinded",
    "about_words",
    "facts_of",
    "kind_of",
    "oracles_of",
]


@runtime_checkable
class Floored(Task, Protocol):
    """A task with baselines of its own: references of encoders, which stand in its table beside
    those that every task has.
    """

    @property
    def baselines(self) -> Sequence[str]: ...


def kind_of(encoder: Encoder) -> Kind:
    """The role of an encoder in a table."""
    return encoder.kind if isinstance(encoder, Kinded) else "trained"


def oracles_of(task: Task) -> Mapping[str, str]:
    """The oracles of a task, the default first; {} if its data have no annotation."""
    return task.oracles if isinstance(task, Annotated) else {}


def about_words(dataset: Dataset) -> bool:
    """Whether a data set is about words of its sentences, so that an encoder must give a vector for
    each.
    """
    return bool((dataset.sites[:, :, 1] >= 0).any())


def facts_of(task: Task, oracle: str | None, dataset: Dataset) -> Mapping[Sentence, Facts]:
    """The facts of an oracle for all sentences of a data set; DataProblem names the first sentence
    without matching facts.
    """
    assert isinstance(task, Annotated)
    name, words = oracle or next(iter(task.oracles)), about_words(dataset)
    known = task.facts(name, dataset.sentences)
    for sentence in dataset.sentences:
        shown = f"{task.name}: its oracle {name!r} has"
        if sentence not in known:
            raise DataProblem(
                f"{shown} nothing on {sentence.text[:60]!r}; write () where there are no facts"
            )
        if words and len(known[sentence]) != len(sentence.words):
            units = f"{len(known[sentence])} units for the {len(sentence.words)} words"
            raise DataProblem(
                f"{shown} {units} of {sentence.text[:60]!r}; of a task about spans a unit is a word"
            )
    return {sentence: known[sentence] for sentence in dataset.sentences}
