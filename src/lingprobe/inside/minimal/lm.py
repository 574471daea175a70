"""The probability of a sentence under a language model, as an encoder of one score a sentence."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.abilities import Edit, TokenPredictions
from lingprobe.data.core import Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.data.options import Help
from lingprobe.data.oracles import Kind
from lingprobe.data.reading import MARGIN_VIEW
from lingprobe.data.references import PlaceOption, Reference
from lingprobe.data.vectors import Ints, Vectors
from lingprobe.encoders.frames import SENTENCE_PLACEHOLDER, PromptFrame, tokeniser_of
from lingprobe.encoders.hub import source_of
from lingprobe.encoders.model_files import Dtype, SavedModel
from lingprobe.encoders.tokens import SubwordSplitter, WordSpacing
from lingprobe.inside.minimal.scores import score_vectors

if TYPE_CHECKING:
    from lingprobe.inside.minimal.scoring import LanguageModelScorer, ReadingPlan

# numbers of logits that are held at a time: what a processor's memory gives again and again
# without clearing it first, and what a GPU has room for
_AT_ONCE = {"cpu": 2**23, "cuda": 2**28}


@dataclass(frozen=True)
class LanguageModel(SavedModel):
    """The log-probability of a sentence under a language model: a folder, or name[@revision]."""

    model: PlaceOption
    reads: Annotated[
        Literal["auto", "causal", "masked"],
        Help(
            "causal: the sum over tokens, each after those before it and a start token; masked:"
            " the pseudo-log-likelihood, each piece with it and the later pieces of its word"
            " masked (Kauf & Ivanova 2023); auto: masked where the tokeniser has a mask"
        ),
    ] = field(default="auto", kw_only=True)
    device: str = field(default="auto", kw_only=True)
    dtype: Dtype = field(default="float32", kw_only=True)
    tokens: Annotated[
        int,
        Help("how many tokens, padding included, go into one batch; 0 for what is usual", "0"),
    ] = field(default=0, kw_only=True)
    weights: Annotated[
        Literal["trained", "random"],
        Help("trained, or random: of the same architecture drawn with `seed`"),
    ] = field(default="trained", kw_only=True)
    seed: int = field(default=0, kw_only=True)
    trust_remote_code: bool = field(default=False, kw_only=True)
    code_revision: str = field(default="", kw_only=True)
    own_view: ClassVar[str] = MARGIN_VIEW

    @property
    def name(self) -> str:
        return f"lm:{self.model}" + (",weights=random" if self.weights == "random" else "")

    @property
    def kind(self) -> Kind:
        """A baseline where the weights are drawn."""
        return "trained" if self.weights == "trained" else "baseline"

    @property
    def is_masked(self) -> bool:
        """Whether it is read as a masked model (`reads=masked`) or a causal one."""
        if self.reads == "auto":
            source = source_of(self.files, self.model, self.trust, ("tokenizer*",))
            return tokeniser_of(source).mask_token_id is not None
        return self.reads == "masked"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        scorer, _ = self._load()
        plan, cut = self._plan(sentences)
        said = scorer.log_probabilities(plan, len(sentences), self._together(scorer))
        return score_vectors(said, cut)

    def _together(self, scorer: LanguageModelScorer) -> int:
        """How many tokens go into one batch."""
        if self.is_masked:
            return self.batch
        # each token is predicted, so logits are what needs room
        most = _AT_ONCE.get(scorer.device.partition(":")[0], min(_AT_ONCE.values()))
        return max(1, min(self.batch, most // int(scorer.model.config.vocab_size)))

    @property
    def states(self) -> str:
        """The reference of the encoder of its states, subword by subword; of a causal model
        behind a start token, as states without it lie elsewhere.
        """
        options = {"pool": "none", "device": self.device, "dtype": self.dtype}
        if self.weights == "random":
            raise EncoderStop(f"{self.name}: random weights are only evaluated by probabilities")
        if not self.is_masked:
            tokenizer = self._load()[1]
            start = self._start(tokenizer)
            if start not in tokenizer("a", verbose=False)["input_ids"]:
                options["template"] = (
                    f"{tokenizer.convert_ids_to_tokens(start)}{SENTENCE_PLACEHOLDER}"
                )
        return str(Reference("hf", self.model, tuple(options.items())))

    def predictions(self, sentences: Sequence[Sentence]) -> TokenPredictions:
        """What is predicted of each sentence, token by token."""
        scorer, _ = self._load()
        plan, _ = self._plan(sentences, with_words=True)
        said, is_likeliest = scorer.predictions(plan, self._together(scorer))
        owners, _, tokens = plan.uses.T
        word = np.full(len(tokens), -1)
        order = np.argsort(owners, kind="stable")
        ends = np.searchsorted(owners[order], np.arange(len(sentences) + 1))
        for number, places in enumerate(plan.words or ()):
            mine = order[ends[number] : ends[number + 1]]
            for k, (first, last) in enumerate(places.tolist()):
                word[mine[(tokens[mine] >= first) & (tokens[mine] < last)]] = k
        return TokenPredictions(owners, word, said, is_likeliest)

    def _words(self, sentences: Sequence[Sentence]) -> list[Ints] | None:
        """The tokens first:last of each word of each sentence; None where a tokeniser does not say
        from which letters its tokens come.
        """
        _, tokenizer = self._load()
        if not tokenizer.is_fast:
            return None
        start = 0 if self.is_masked else 1
        frame = PromptFrame(special=self.is_masked)
        pieces = SubwordSplitter(tokenizer, self._limit - start, frame, WordSpacing(raw=True))
        words = pieces.of(sentences).words
        assert words is not None
        return [np.where(w[:, 1:] > w[:, :1], w + start, 0) for w in words]

    @property
    def _limit(self) -> int:
        """How many tokens the model reads at most."""
        from lingprobe.encoders.network import LoadedModel  # imports torch

        scorer, tokenizer = self._load()
        return LoadedModel(scorer.model, tokenizer, scorer.device, scorer.dtype).limit

    @contextmanager
    def replace_states(self, edits: Mapping[str, Edit]) -> Iterator[None]:
        """Replace states and what parts of blocks give, for what is scored until that ends."""
        from lingprobe.encoders.replacement import replacement_of  # imports torch
        from lingprobe.inside.minimal.scoring import network_within

        scorer, tokenizer = self._load()
        network = network_within(scorer, tokenizer)
        with replacement_of(network.model, network.layers, lambda: network.inside).by(edits):
            yield

    def _load(self) -> tuple[LanguageModelScorer, Any]:
        """The model, which was tried, and its tokeniser."""
        from lingprobe.inside.minimal.scoring import load_scorer  # imports torch

        source = source_of(self.files, self.model, self.trust)
        drawn = self.seed if self.weights == "random" else None
        return load_scorer(source, *self.runs, self.is_masked, drawn)

    def _plan(
        self, sentences: Sequence[Sentence], with_words: bool = False
    ) -> tuple[ReadingPlan, NDArray[np.bool_]]:
        """What is read and predicted, and which sentences were cut."""
        from lingprobe.encoders.replacement import find_replacement  # imports torch

        scorer, tokenizer = self._load()
        replacement = find_replacement(scorer.model.base_model)
        apart = replacement is not None and replacement.is_by_sentence
        reader, listed = (self, scorer, tokenizer), tuple(sentences)
        if replacement is not None and replacement.edits:
            return _replan_reading(reader, listed, apart, with_words)
        return _plan_reading(reader, listed, apart, with_words)

    def _causal(
        self, tokenizer: Any, texts: list[str], limit: int
    ) -> tuple[list[list[int]], NDArray[np.bool_]]:
        """The tokens of each text behind a start token, and which texts were cut."""
        start = self._start(tokenizer)
        whole = tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
        ids = [[start, *each][:limit] for each in whole] if texts else []
        return ids, np.array([len(each) + 1 > limit for each in whole], bool)

    def _start(self, tokenizer: Any) -> int:
        """The start token that every text begins with, the tokenizer's first or last mark, by
        number.
        """
        marks = (tokenizer.bos_token_id, tokenizer.eos_token_id)
        for mark in marks:
            if mark is not None:
                return int(mark)
        raise EncoderStop(
            f"{self.name}: the tokeniser has no token that a text begins or ends with, so the first"
            " token of a sentence has no probability"
        )

    def _mask(
        self, tokenizer: Any, texts: list[str], limit: int
    ) -> tuple[list[list[int]], list[list[int | None]], NDArray[np.bool_]]:
        """The tokens of each text, the word of each, None for those that the tokeniser adds, and
        which texts were cut.
        """
        if not tokenizer.is_fast or tokenizer.mask_token_id is None:
            lacks = "does not align subwords with words" if tokenizer.mask_token else "no mask"
            raise EncoderStop(
                f"{self.name}: its tokeniser has {lacks}, so it cannot be read as a masked model"
            )
        encodings = tokenizer(texts, truncation=True, max_length=limit)
        words = [encodings.word_ids(i) for i in range(len(texts))]
        cut = np.array([bool(each.overflowing) for each in encodings.encodings], bool)
        return encodings["input_ids"], words, cut


def _plan_reading(
    reader: tuple[LanguageModel, LanguageModelScorer, Any],
    sentences: tuple[Sentence, ...],
    apart: bool,
    with_words: bool,
) -> tuple[ReadingPlan, NDArray[np.bool_]]:
    """What a model that was loaded reads and predicts, each sentence by itself where that is asked
    for, and which sentences were cut.
    """
    from lingprobe.inside.minimal.scoring import plan_causal, plan_masked

    model, scorer, tokenizer = reader
    texts = [sentence.text for sentence in sentences]
    if model.is_masked:
        ids, words, cut = model._mask(tokenizer, texts, model._limit)
        plan = plan_masked(ids, words, tokenizer.mask_token_id, apart)
    else:
        ids, cut = model._causal(tokenizer, texts, model._limit)
        plan = plan_causal(ids, scorer.branching and not apart)
    located = model._words(sentences) if apart or with_words else None
    return plan._replace(words=located), cut


# the same sentences are read under one change of states after the other
_replan_reading = functools.lru_cache(maxsize=4)(_plan_reading)
