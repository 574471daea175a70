"""Oracles: what a task's annotation says, told to an encoder, so that a table shows what is
possible.

A baseline says what is trivial, an oracle what a probe of this kind and size can read at all. A
task offers oracles by being `Annotated`; an encoder takes what they say by being `Informed`; `gold`
is the one built in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

from sonde.core import DataProblem, Dataset, Encoder, Sentence, Task

Kind = Literal["trained", "baseline", "oracle"]
"""What an encoder is in a table: one to be judged, or one that the others are compared with."""

Facts = Sequence[Sequence[str]]
"""What annotation says of a sentence, unit by unit: 'root.Tense=Past', 'nsubj',
'agent(help,professor)'.

For a task about spans a unit is a word, so there are as many as words. For one about whole
sentences all units are added up, so that one is enough; what is said twice counts twice. """


@runtime_checkable
class Annotated(Task, Protocol):
    """A task whose data carry the annotation that its labels are derived from.

    oracles  by name, one sentence each: what its facts are, and which test parts can be answered
             from them; the first is the default. Empty where the data have no annotation
    """

    @property
    def oracles(self) -> Mapping[str, str]: ...

    def facts(self, oracle: str, sentences: Collection[Sentence]) -> Mapping[Sentence, Facts]:
        """The facts of these sentences, and maybe of others; files are read now. A sentence may
        have none.
        """
        ...


@runtime_checkable
class Kinded(Encoder, Protocol):
    """An encoder that says what it is; one that does not is a trained one."""

    @property
    def kind(self) -> Kind: ...


@runtime_checkable
class Informed(Encoder, Protocol):
    """An encoder that holds what a task's annotation says; its vectors hold for that task's data.

    oracle  which of the task's oracles it holds; None for the task's default
    """

    @property
    def oracle(self) -> str | None: ...

    def named(self, oracle: str) -> Informed:
        """The same encoder, holding this oracle."""
        ...

    def informed(self, facts: Mapping[Sentence, Facts], words: bool) -> Encoder:
        """The encoder that knows these facts: a vector for each word, or without `words` for each
        sentence.
        """
        ...


def kind_of(encoder: Encoder) -> Kind:
    """What an encoder is in a table."""
    return encoder.kind if isinstance(encoder, Kinded) else "trained"


def oracles_of(task: Task) -> Mapping[str, str]:
    """The oracles of a task, the default first; none where its data have no annotation."""
    return task.oracles if isinstance(task, Annotated) else {}


def about_words(dataset: Dataset) -> bool:
    """Whether a data set is about words of its sentences, so that an encoder must give a vector for
    each.
    """
    return bool((dataset.sites[:, :, 1] >= 0).any())


def facts_of(task: Task, oracle: str | None, dataset: Dataset) -> Mapping[Sentence, Facts]:
    """What an oracle of a task says of its data set's sentences; DataProblem names the first that
    it does not fit.
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
