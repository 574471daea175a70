"""What an encoder may say of itself beside its vectors, and a probe beside its fits: whoever has
one of these is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import Encoder, Predictor, Probe, Sentence
from lingprobe.data.labels import Column
from lingprobe.data.notes import Checkpoint
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Ints


@runtime_checkable
class CheckpointedEncoder(Protocol):
    """An encoder that knows at which point of its training it is; of others, names may tell."""

    @property
    def point_of_training(self) -> Checkpoint: ...


@runtime_checkable
class RemoteEncoder(Protocol):
    """An encoder that sends sentences to another machine: which one, as a plan says."""

    @property
    def sends_to(self) -> str: ...


@runtime_checkable
class LookupEncoder(Protocol):
    """An encoder that looks vectors up which are there already."""

    def check_there(self, sentences: Sequence[Sentence]) -> None:
        """DataProblem where some sentences have none, as encoding them would raise it."""


@runtime_checkable
class EncoderWithWidth(Protocol):
    """An encoder that knows how many numbers its vectors have before it has made any (0 where it
    does not), and whether each word of a sentence has one.
    """

    @property
    def width(self) -> int: ...
    @property
    def by_word(self) -> bool: ...


@runtime_checkable
class CostedEncoder(Protocol):
    """An encoder that knows about how many additions and multiplications a word takes."""

    @property
    def word_operations(self) -> float: ...


@runtime_checkable
class AveragingEncoder(Protocol):
    """An encoder of means over tokens that was looked at for a token that every sentence has and
    that holds most of the norm: which, by layer.
    """

    @property
    def constant_tokens(self) -> Mapping[str, str]: ...


@runtime_checkable
class PromptEncoder(Protocol):
    """An encoder that reads more than the sentence: the whole, with {sentence} in its place; ''
    where it does not.
    """

    @property
    def reads(self) -> str: ...


@runtime_checkable
class WithholdingEncoder(Protocol):
    """An encoder whose vectors of some sentences must not be probed, as something was fitted on
    these: examples about them are excluded and counted.
    """

    def withholds(self, sentences: Sequence[Sentence]) -> NDArray[np.bool_]:
        """Which of some sentences those are, [sentences]."""


Edit = Callable[[Any], Any]
"""Tensors [..., dim] -> such tensors."""


@runtime_checkable
class OfSentences(Protocol):
    """An edit that depends on the sentences of the current batch, of which each is to be read by
    itself.
    """

    by_sentence: ClassVar[bool]

    def __call__(self, x: Any) -> Any: ...


@runtime_checkable
class PatchableEncoder(Encoder, Protocol):
    """An encoder whose model runs on with other states, for whoever encodes inside the context."""

    def replace_states(self, edits: Mapping[str, Edit]) -> AbstractContextManager[None]:
        """Replace the states of layers (`3`), and what parts of blocks give (`mlp:3`, `attn:3`,
        `head:3.2`). EncoderStop where that cannot be.
        """


class TokenPredictions(NamedTuple):
    """What a language model predicts, [tokens] each: of which sentence, and of which word of it (-1
    for none), with which log-probability in nats, and whether it is the likeliest token.
    """

    sentence: Ints
    word: Ints
    said: NDArray[np.float64]
    is_likeliest: NDArray[np.bool_]


@runtime_checkable
class PredictiveEncoder(PatchableEncoder, Protocol):
    """An encoder of log-probabilities of sentences.

    states  the reference of an encoder of the states of the same model
    """

    @property
    def states(self) -> str: ...

    def predictions(self, sentences: Sequence[Sentence]) -> TokenPredictions:
        """What is predicted of each sentence, token by token."""


@runtime_checkable
class TunedProbe(Probe, Protocol):
    """A probe that chooses some of its settings on dev, for each predictor.

    settings  all that it chooses from; of a predictor, `choice` has the chosen ones under the same
              names
    """

    @property
    def settings(self) -> Sequence[Mapping[str, Any]]: ...

    def with_settings(self, settings: Mapping[str, Any]) -> Probe:
        """The same probe with these settings alone, so that nothing is left to choose. What else
        `settings` has is ignored.
        """


@runtime_checkable
class ModelSelectingProbe(TunedProbe, Protocol):
    """A probe that compares kinds of models once for a task and an encoder: all folds, layers and
    controls keep the one that is chosen.
    """

    def with_choice(self, train: Readings, dev: Readings, reads: Sequence[str] = ()) -> Probe:
        """The same probe with what it chooses by the training examples of one fold and all layers
        of the encoder, or by what these reads take of them.
        """


class TokenStates(NamedTuple):
    """The tokens that a model reads of a text, with the states of some layers.

    pieces   [tokens] the characters of the text that each stands for, or else how the tokenizer
             writes it
    states   by layer [tokens, dim] float32
    counted  [tokens] whether pooling counts them
    """

    pieces: tuple[str, ...]
    states: Mapping[str, NDArray[np.float32]]
    counted: NDArray[np.bool_]


@runtime_checkable
class TokenReading(Encoder, Protocol):
    """An encoder that shows the states of single tokens, whatever its pooling."""

    def read_tokens(self, sentence: Sentence, layers: Sequence[str]) -> TokenStates:
        """The tokens of a sentence, in the order in which they are read."""


@runtime_checkable
class TextWriting(Encoder, Protocol):
    """An encoder that may read tokens which it writes itself, behind each text."""

    def find_written(self, sentences: Sequence[Sentence]) -> list[str | None]:
        """What was written behind each of some texts; None where nothing was, or is not known."""


class HeldOutScores(NamedTuple):
    """Labels of dev examples, and their scores [n, outputs] by a fit that has not seen them."""

    labels: Column
    scores: NDArray[np.floating]


class UnfoldedWeights(NamedTuple):
    """Scores [n, outputs] = features @ weights.T + bias, of features as the encoder gives them.

    weights  [outputs, features]
    bias     [outputs]
    cuts     [outputs] the log odds from which on labels of sets are predicted; None for 0
    """

    weights: NDArray[np.float64]
    bias: NDArray[np.float64]
    cuts: NDArray[np.float64] | None = None


@runtime_checkable
class UnfoldablePredictor(Predictor, Protocol):
    """A predictor whose scores are a linear map of features, so that it can be kept as numbers.

    read      which layer it reads
    held_out  scores of dev, from which thresholds are set; without examples where there is no dev
    """

    @property
    def read(self) -> str: ...
    @property
    def held_out(self) -> HeldOutScores: ...

    def unfold(self) -> UnfoldedWeights:
        """Its weights with the scaling of features folded in."""
