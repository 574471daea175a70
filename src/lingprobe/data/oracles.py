"""What an encoder is compared with: baselines, and oracles, encoders of a task's annotation, which
show how high a score can be.

A baseline shows what is trivial, an oracle what a probe of this kind and size can learn at all. A
task with oracles is `AnnotatedTask`; an encoder of their facts is `OracleEncoder`; `gold` is built
in.

Two questions are asked of an encoder. *Decodable*: is it above what needs no training, a constant
answer, random vectors of words and the model before training? *Beyond the surface*: is it above
what needs no trained model, words, characters, length and the model's own input embeddings, also
under random blocks?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

from lingprobe.data.core import (
    AnnotatedTask,
    DataProblem,
    Dataset,
    Encoder,
    EncoderWithKind,
    Facts,
    Kind,
    OracleEncoder,
    Sentence,
    Task,
)

__all__ = [
    "BEYOND_SURFACE_QUESTION",
    "DECODABLE_QUESTION",
    "AnnotatedTask",
    "ComparableEncoder",
    "EncoderQuestion",
    "EncoderWithKind",
    "Facts",
    "Kind",
    "OpposingBaseline",
    "OracleEncoder",
    "ReferenceLines",
    "TaskWithBaselines",
    "about_words",
    "facts_of",
    "find_opposed",
    "find_own_baselines",
    "get_encoder_role",
    "oracles_of",
]

EncoderQuestion = Literal["decodable", "beyond the surface"]
DECODABLE_QUESTION: EncoderQuestion = "decodable"
BEYOND_SURFACE_QUESTION: EncoderQuestion = "beyond the surface"


@runtime_checkable
class OpposingBaseline(Encoder, Protocol):
    """A baseline that declares in which questions encoders must be above it; without it, in that of
    the surface. With none it is a reference line, as what reads annotation is.
    """

    @property
    def opposes(self) -> Sequence[EncoderQuestion]: ...


@runtime_checkable
class ComparableEncoder(Encoder, Protocol):
    """An encoder that has baselines of its own: untrained copies of the model, and its input
    embeddings.
    """

    @property
    def own_baselines(self) -> Mapping[str, EncoderQuestion]:
        """Their references, with the question in which each is an opponent."""
        ...


@runtime_checkable
class ReferenceLines(Task, Protocol):
    """A task that some baselines solve by its definition, as length does where length is asked."""

    @property
    def reference_lines(self) -> Sequence[str]:
        """Their references."""
        ...


@runtime_checkable
class TaskWithBaselines(Task, Protocol):
    """A task with baselines of its own: references of encoders, which stand in its table beside
    those that every task has.
    """

    @property
    def baselines(self) -> Sequence[str]: ...


def get_encoder_role(encoder: Encoder) -> Kind:
    """The place of an encoder in tables, by its `kind`: "trained" without one."""
    return encoder.kind if isinstance(encoder, EncoderWithKind) else "trained"


def find_opposed(encoder: Encoder, task: Task | None = None) -> tuple[EncoderQuestion, ...]:
    """The questions in which others must be above an encoder on a task: those that it declares, of
    other baselines that of the surface; none where it is a reference line of the task.
    """
    lines = task.reference_lines if isinstance(task, ReferenceLines) else ()
    if get_encoder_role(encoder) != "baseline" or encoder.name in lines:
        return ()
    return (
        tuple(encoder.opposes)
        if isinstance(encoder, OpposingBaseline)
        else (BEYOND_SURFACE_QUESTION,)
    )


def find_own_baselines(encoder: Encoder) -> Mapping[str, EncoderQuestion]:
    """The references of an encoder's own baselines, with the question of each."""
    return encoder.own_baselines if isinstance(encoder, ComparableEncoder) else {}


def oracles_of(task: Task) -> Mapping[str, str]:
    """The oracles of a task, the first of which every run includes; {} if its data have no
    annotation.
    """
    return task.oracles if isinstance(task, AnnotatedTask) else {}


def about_words(dataset: Dataset) -> bool:
    """Whether a data set is about words of its sentences, so that an encoder must give a vector for
    each.
    """
    return bool((dataset.sites[:, :, 1] >= 0).any())


def facts_of(task: Task, oracle: str | None, dataset: Dataset) -> Mapping[Sentence, Facts]:
    """The facts that the label is derived from, of an oracle for all sentences of a data set;
    DataProblem names the first sentence without matching facts.
    """
    assert isinstance(task, AnnotatedTask)
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
