"""Forward passes of a transformer over batches of like length: tokenise, run, pool. Imports
torch.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lingprobe.data.abilities import TokenStates
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.data.vectors import (
    Floats,
    Ints,
    Spans,
    compute_offsets,
    expand_ranges,
)
from lingprobe.encoders.alone import Batching
from lingprobe.encoders.attention import compute_attention_offsets as word_offsets
from lingprobe.encoders.batches import (
    group_rows,
    pad_rows,
    run_batches,
)
from lingprobe.encoders.conversations import ALL_TOKENS, read_conversations, tokenize_conversations
from lingprobe.encoders.current_batch import BatchRows, mark_batch
from lingprobe.encoders.frames import PromptFrame
from lingprobe.encoders.generation import GeneratedTokens, append_written, strip_ends
from lingprobe.encoders.pooling import KeptTokens, PendingBatches, PooledBatch, PoolWish
from lingprobe.encoders.shared_start import MIN_SHARED_TOKENS, SharedStart
from lingprobe.encoders.sites import ModelSite, highest_block, is_site
from lingprobe.encoders.token_places import ALL_PLACES, PlaceRange
from lingprobe.encoders.tokens import (
    DEFAULT_WORD_SPACING,
    SubwordSplitter,
    TokenisedSentences,
    WordSpacing,
    spell_tokens,
    tokenise_texts,
)

log = logging.getLogger("lingprobe.encoders")
_LEX = "lex"
_BEGINNINGS = ("a", "7", "«")  # of sentences; a token may reach from the text before into one


@dataclass(frozen=True)
class EncodedUnits:
    """Layers asked for, over sentences or pieces, which sentences were cut, and why some
    conversations have no vectors, by number.
    """

    layers: tuple[Floats, ...]
    spans: Spans | None
    cut: NDArray[np.bool_]
    reasons: Mapping[int, str]


class ReadSentences(NamedTuple):
    """Sentences in tokens, and why some conversations have none that count, by number."""

    tokens: TokenisedSentences
    reasons: Mapping[int, str]


class HiddenStateSource(Protocol):
    """What gives the hidden states of tokens: a network, or files of what one gave."""

    @property
    def tokenizer(self) -> Any: ...
    @property
    def limit(self) -> int: ...
    @property
    def widths(self) -> tuple[int, ...]: ...
    @property
    def device(self) -> str: ...
    @property
    def batching(self) -> Batching: ...
    @property
    def side_by_side(self) -> bool: ...

    def hidden_states(
        self,
        ids: Sequence[Sequence[int]],
        types: Sequence[Sequence[int]] | None = None,
        highest: int | None = None,
    ) -> tuple[Tensor, ...]:
        """All hidden states of rows of token ids, or those up to a layer at least, each [rows,
        longest, dim].
        """
        ...

    def site_states(
        self,
        ids: Sequence[Sequence[int]],
        types: Sequence[Sequence[int]] | None,
        sites: Sequence[ModelSite],
        highest: int,
    ) -> tuple[tuple[Tensor, ...], Mapping[tuple[str, int], Tensor]]:
        """The hidden states, and of the same pass what parts of blocks gave that sites are of."""
        ...

    def site_width(self, site: ModelSite) -> int:
        """How many numbers a site has."""
        ...

    def site(self, site: ModelSite, raw: Mapping[tuple[str, int], Tensor]) -> Tensor:
        """A site's numbers [rows, tokens, width] of what parts gave."""
        ...

    def shared_start(self, ids: tuple[int, ...], highest: int) -> SharedStart | None:
        """Tokens that rows begin with, read once, as far as a layer; None where that cannot be."""
        ...

    def lexical(self, ids: Ints) -> Floats:
        """What the first layer would be given for tokens if they stood nowhere, [ids, dim]."""
        ...


@dataclass(frozen=True)
class ForwardPass:
    """How sentences go through a network.

    turns   which turns of conversations count; None where conversations are read as their texts
    writer  where the tokens behind prompts come from, where those are read
    places  which of the tokens that count are kept
    """

    network: HiddenStateSource
    frame: PromptFrame
    special: bool
    tokens: int
    words: WordSpacing = DEFAULT_WORD_SPACING
    turns: str | None = None
    writer: GeneratedTokens | None = None
    places: PlaceRange = ALL_PLACES

    def run(self, sentences: Sequence[Sentence], asked: Sequence[tuple[str, str]]) -> EncodedUnits:
        """All layers in one pass: every (layer, pooling) asked for, of every sentence; no pass for
        the layer `lex` alone.
        """
        by_piece = any(pool == "none" for _, pool in asked)
        return self.run_tokens(sentences, self.tokenize_sentences(sentences, by_piece), asked)

    def run_tokens(
        self,
        sentences: Sequence[Sentence],
        read: ReadSentences,
        asked: Sequence[tuple[str, str]],
    ) -> EncodedUnits:
        """The same of sentences that are in tokens already."""
        by_piece = any(pool == "none" for _, pool in asked)
        tokens, reasons = read
        keep = self.kept_tokens(tokens)
        nothing = (number for number, counts in enumerate(keep) if not counts.any())
        if self.places != ALL_PLACES:
            reasons = {**dict.fromkeys(nothing, "it has no token at those places"), **reasons}
        starts = np.arange(len(sentences) + 1)
        if by_piece:
            starts = compute_offsets([int(k.sum()) for k in keep])
        layers = [np.zeros((int(starts[-1]), self._width(layer)), np.float32) for layer, _ in asked]
        of_rows = self.states(tokens, {layer for layer, _ in asked})

        every, arrivals = self._read(tokens), PendingBatches()

        def work(rows: Ints) -> None:
            words = None if tokens.words is None else [tokens.words[r] for r in rows]
            with mark_batch(BatchRows(rows, words)):
                hidden = of_rows(rows)
            kept, whole = self._mark_kept(keep, rows), self._mark_kept(every, rows)
            units = expand_ranges(starts[rows], starts[rows + 1])[0] if by_piece else rows
            wishes = [
                PoolWish(pool, hidden[layer], whole if pool == "end" else kept)
                for layer, pool in asked
            ]

            def put(pooled: Sequence[Floats]) -> None:
                for target, values in zip(layers, pooled, strict=True):
                    target[units] = values

            arrivals.add(PooledBatch.of(wishes), put)

        batches = group_rows(tokens.lengths, self.tokens, self.network.batching)
        run_batches(work, batches, self.network.side_by_side)
        arrivals.finish()
        spans = _spans(sentences, tokens, keep, starts) if by_piece else None
        return EncodedUnits(tuple(layers), spans, tokens.cut, reasons)

    def read_tokens(self, sentence: Sentence, layers: Sequence[str]) -> TokenStates:
        """The tokens of a sentence with their states in some layers, in one pass."""
        return self.show_tokens(self.tokenize_sentences([sentence], by_piece=False), layers)

    def show_tokens(self, read: ReadSentences, layers: Sequence[str]) -> TokenStates:
        """The same of a sentence that is in tokens already."""
        tokens, reasons = read
        if reasons:
            raise DataProblem(reasons[0])
        if tokens.cut[0]:
            log.warning("the text is cut: the model reads %s tokens", len(tokens.ids[0]))
        states = self.states(tokens, set(layers))(np.zeros(1, np.int64))
        known = {name: np.asarray(states[name][0].float().cpu().numpy()) for name in layers}
        pieces = spell_tokens(self.network.tokenizer, tokens.ids[0])
        return TokenStates(pieces, known, self.kept_tokens(tokens)[0])

    def kept_tokens(self, tokens: TokenisedSentences) -> list[NDArray[np.bool_]]:
        """Which tokens of each sentence count."""
        counts = self._read(tokens) if tokens.inside is None else tokens.inside
        return [self.places.restrict(each) for each in counts]

    def _read(self, tokens: TokenisedSentences) -> list[NDArray[np.bool_]]:
        """The same of all that is read, the text around the sentence included."""
        if self.special:
            return [np.ones(len(special), bool) for special in tokens.special]
        return [~np.array(special, bool) for special in tokens.special]

    def _width(self, layer: str) -> int:
        if is_site(layer):
            return self.network.site_width(ModelSite.parse(layer))
        return self.network.widths[0 if layer == _LEX else int(layer)]

    def tokenize_sentences(self, sentences: Sequence[Sentence], by_piece: bool) -> ReadSentences:
        """Sentences as the model reads them: the raw text, or, for pieces, the words joined with
        spaces unless they are found in it; conversations as rendered.
        """
        if self.writer is not None and sentences:
            return self._tokenize_written(self.writer, sentences, by_piece)
        if self.turns is None or not any(sentence.turns for sentence in sentences):
            return ReadSentences(self._tokenize_texts(sentences, by_piece), {})
        tokenizer, limit = self.network.tokenizer, self.network.limit
        read, reasons = read_conversations(tokenizer, sentences, self.frame, self.turns)
        tokens = tokenize_conversations(tokenizer, limit, read, by_piece)
        assert tokens.inside is not None
        for number, inside in enumerate(tokens.inside):
            if number not in reasons and sentences[number].turns and not inside.any():
                reasons[number] = (
                    f"the turns that are read lie behind the {limit:,} tokens that the model reads"
                )
        return ReadSentences(tokens, reasons)

    def _tokenize_written(
        self, writer: GeneratedTokens, sentences: Sequence[Sentence], by_piece: bool
    ) -> ReadSentences:
        """Prompts in tokens with what is written behind them, and which of them count."""
        limit = self.network.limit - writer.longest
        if limit < 1:
            raise EncoderStop(
                f"generate={writer.longest}: the model reads {self.network.limit:,} tokens at most"
            )
        if self.turns is None:
            reasons: dict[int, str] = {}
            raw = [sentence.text for sentence in sentences]
            prompts = strip_ends(tokenise_texts(self.network.tokenizer, limit, raw, self.frame))
        else:
            read, reasons = read_conversations(
                self.network.tokenizer, sentences, self.frame, ALL_TOKENS
            )
            prompts = tokenize_conversations(self.network.tokenizer, limit, read, by_piece)
        for number, sentence in enumerate(sentences):
            if sentence.turns and sentence.turns[-1].role == "assistant" and self.turns is not None:
                reasons[number] = (
                    "it has a response already: to read that one, leave out what is generated"
                )
            elif prompts.cut[number]:
                reasons.setdefault(
                    number,
                    f"it leaves no room for {writer.longest:,} tokens: the model reads"
                    f" {self.network.limit:,}",
                )
        asked = [[] if k in reasons else ids for k, ids in enumerate(prompts.ids)]
        written = writer.write(sentences, asked)
        for number, each in enumerate(written):
            if not each:
                reasons.setdefault(number, writer.nothing)
        words = [np.zeros((len(s.words), 2), np.int64) for s in sentences] if by_piece else None
        return ReadSentences(append_written(prompts, written, self.turns or "", words), reasons)

    def _tokenize_texts(self, sentences: Sequence[Sentence], by_piece: bool) -> TokenisedSentences:
        """Texts as the model reads them."""
        network = self.network
        if by_piece:
            return SubwordSplitter(network.tokenizer, network.limit, self.frame, self.words).of(
                sentences
            )
        raw = [sentence.text for sentence in sentences]
        return tokenise_texts(network.tokenizer, network.limit, raw, self.frame)

    def states(
        self, tokens: TokenisedSentences, names: Set[str]
    ) -> Callable[[Ints], dict[str, Tensor]]:
        """A function from the rows of a batch to their layers by name, each [batch, longest,
        dim].
        """
        lexical = self._lexical(tokens) if _LEX in names else None
        highest = highest_block(names - {_LEX})
        sites = [ModelSite.parse(name) for name in sorted(names) if is_site(name)]
        start = None if sites else self._start(tokens, highest)

        def states(rows: Ints) -> dict[str, Tensor]:
            layers = {} if lexical is None else {_LEX: lexical(rows)}
            if highest is None:
                return layers
            ids = [tokens.ids[r] for r in rows]
            types = None if tokens.types is None else [tokens.types[r] for r in rows]
            if start is not None and all(map(start.begins, ids)):
                hidden = start.hidden_states(ids)
            elif not sites:
                hidden = self.network.hidden_states(ids, types, highest)
            else:
                hidden, raw = self.network.site_states(ids, types, sites, highest)
                whole = {part: _by_word(part, given, tokens, rows) for part, given in raw.items()}
                layers |= {site.name: self.network.site(site, whole) for site in sites}
            return layers | {str(n): layer for n, layer in enumerate(hidden)}

        return states

    def _start(self, tokens: TokenisedSentences, highest: int | None) -> SharedStart | None:
        """What stands before all sentences, read once; None where that is little, or cannot be.

        It follows from the text and not from the sentences, whose vectors would else depend on
        which others they are encoded with.
        """
        few = len(tokens.ids) < 2 or tokens.types is not None
        if (
            not highest
            or few
            or self.network.batching != "padded"
            or len(self._before) < MIN_SHARED_TOKENS
        ):
            return None
        return self.network.shared_start(self._before, highest)

    @functools.cached_property
    def _before(self) -> tuple[int, ...]:
        """The tokens of the text before a sentence, whatever the sentence begins with."""
        if not self.frame.before:
            return ()
        some = tokenise_texts(
            self.network.tokenizer, self.network.limit, _BEGINNINGS, self.frame
        ).ids
        return tuple(
            row[0] for row in takewhile(lambda row: len(set(row)) == 1, zip(*some, strict=False))
        )

    def _lexical(self, tokens: TokenisedSentences) -> Callable[[Ints], Tensor]:
        """The same for the layer `lex`: the form of each token, without a context."""
        ids = np.unique(np.array([i for row in tokens.ids for i in row], np.int64))
        forms = self.network.lexical(ids)

        def lexical(rows: Ints) -> Tensor:
            places = pad_rows([np.searchsorted(ids, tokens.ids[r]).tolist() for r in rows], 0)
            return torch.from_numpy(forms[places]).to(self.network.device)

        return lexical

    def _mark_kept(self, keep: Sequence[NDArray[np.bool_]], rows: Ints) -> KeptTokens:
        """Which tokens of a batch count."""
        padded = pad_rows([keep[r].tolist() for r in rows], 0).astype(bool)
        return KeptTokens(padded, self.network.device)


def _by_word(
    part: tuple[str, int], given: Tensor, tokens: TokenisedSentences, rows: Ints
) -> Tensor:
    """What a part gave, of a map how far off the words are that its words attend to."""
    if part[0] != "map":
        return given
    assert tokens.words is not None  # a map is asked for with pool=none alone
    return word_offsets(given, [tokens.words[r] for r in rows])


def _spans(
    sentences: Sequence[Sentence],
    tokens: TokenisedSentences,
    keep: Sequence[NDArray[np.bool_]],
    starts: Ints,
) -> Spans:
    """Which units are each sentence's and each word's."""
    assert tokens.words is not None
    words = [np.zeros((0, 2), np.int64)]
    for i, spans in enumerate(tokens.words):
        before = compute_offsets(keep[i])
        words.append(before[spans] + starts[i])
    return Spans(starts, np.concatenate(words), compute_offsets([len(s.words) for s in sentences]))
