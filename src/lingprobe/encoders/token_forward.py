"""The vectors of tokens that a model of many vectors gives (ColBERT and its like), and which of
them each word has. Imports torch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from lingprobe.data.core import Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.data.vectors import (
    Floats,
    Ints,
    Spans,
    compute_offsets,
)
from lingprobe.encoders.batches import group_rows, run_batches
from lingprobe.encoders.sentence_models import (
    LoadedSentenceModel,
    estimate_token_counts,
    preprocess_texts,
)
from lingprobe.encoders.tokens import is_space, locate_words, marks_of, of_words


@dataclass(frozen=True)
class SentenceStates:
    """One sentence: the vectors that the model keeps, the pieces of each word among them, and
    whether it was cut.
    """

    vectors: Floats
    words: Ints
    cut: bool


def run_tokens(
    ready: LoadedSentenceModel, sentences: Sequence[Sentence], tokens: int
) -> tuple[Floats, Spans, NDArray[np.bool_]]:
    """The vectors of all tokens that `encode` returns, [tokens, width], where each word's lie among
    them, and which texts were cut.

    The model reads the raw text, and words are found in it.
    """
    if not getattr(ready.model.tokenizer, "is_fast", False):
        raise EncoderStop(
            "this model's tokeniser does not give the character offsets of its tokens, so they"
            " cannot be aligned with words"
        )
    before = ready.way.before(ready.model)
    by_number: dict[int, SentenceStates] = {}

    def work(batch: Ints) -> None:
        rows = batch.tolist()
        by_number.update(
            zip(rows, _batch(ready, [sentences[r] for r in rows], before), strict=True)
        )

    sizes = estimate_token_counts([before + s.text for s in sentences])
    run_batches(work, group_rows(sizes, tokens, ready.batching), ready.model.device.type == "cpu")
    rows = [by_number[r] for r in range(len(sentences))]
    units = compute_offsets([len(row.vectors) for row in rows])
    words = [row.words + start for row, start in zip(rows, units[:-1], strict=True)]
    return (
        np.concatenate([np.zeros((0, ready.width), np.float32), *(row.vectors for row in rows)]),
        Spans(
            units,
            np.concatenate([np.zeros((0, 2), np.int64), *words]),
            compute_offsets([len(s.words) for s in sentences]),
        ),
        np.array([row.cut for row in rows], bool),
    )


def _batch(
    ready: LoadedSentenceModel, sentences: Sequence[Sentence], before: str
) -> Iterator[SentenceStates]:
    """Sentences that a model reads at once, behind a prompt."""
    texts = [s.text for s in sentences]
    features = preprocess_texts(ready.model, texts, before, ready.way.arguments)
    read, ids = _mark_text_tokens(features), [row.cpu().tolist() for row in features["input_ids"]]
    output = ready.forward(features)
    kept = output["attention_mask"].bool().cpu().numpy()
    vectors = output["token_embeddings"].float().cpu().numpy()
    if vectors.shape[:2] != read.shape:
        raise EncoderStop(
            "this model puts tokens together, so that no word can be found among its vectors"
        )
    for k, sentence in enumerate(sentences):
        own = np.array(ids[k], np.int64)[read[k]]
        characters, nowhere, cut = _characters(ready.model.tokenizer, before + sentence.text, own)
        places = locate_words(sentence.words, sentence.text) + len(before)
        words = of_words(characters, nowhere, places, cut)
        yield SentenceStates(
            vectors[k][kept[k]], _among(words, np.flatnonzero(read[k]), kept[k]), cut
        )


def _mark_text_tokens(features: dict[str, Any]) -> NDArray[np.bool_]:
    """Which tokens are the text's, [texts, tokens]: no padding, and none that a query is expanded
    with.
    """
    read = features["attention_mask"].bool()
    if isinstance(more := features.get("query_expansion_positions"), torch.Tensor):
        read &= ~more.bool()
    return np.asarray(read.cpu().numpy())


def _characters(tokenizer: Any, text: str, own: Ints) -> tuple[Ints, NDArray[np.bool_], bool]:
    """From which characters of a text each of its tokens comes, which tokens stand for none, and
    whether the text was cut.
    """
    whole = tokenizer(
        text, return_offsets_mapping=True, return_special_tokens_mask=True, verbose=False
    )
    letters = np.array(whole["offset_mapping"], np.int64).reshape(-1, 2)
    full = np.array(whole["input_ids"], np.int64)
    special = np.array(whole["special_tokens_mask"], bool)
    size = min(len(full), len(own))
    differ = np.flatnonzero(full[:size] != own[:size])
    shared = int(differ[0]) if len(differ) else size
    if not set(own[shared:].tolist()) <= set(tokenizer.all_special_ids):
        raise EncoderStop(
            "this model's tokens are not those of its tokeniser, so words cannot be found among"
            f" them: {text[:60]!r}"
        )
    nowhere, characters = np.ones(len(own), bool), np.zeros((len(own), 2), np.int64)
    space = is_space(full[:shared], letters[:shared], text, marks_of(tokenizer))
    nowhere[:shared] = special[:shared] | space
    characters[:shared] = letters[:shared]
    return characters, nowhere, bool(shared < len(full) - special[shared:].sum())


def _among(words: Ints, places: Ints, kept: NDArray[np.bool_]) -> Ints:
    """Ranges of the text's tokens as ranges of those that are kept; what the model keeps no vector
    of has none.
    """
    before = compute_offsets(kept)
    some = words[:, 1] > words[:, 0]
    ranges = np.zeros_like(words)
    ranges[some, 0] = before[places[words[some, 0]]]
    ranges[some, 1] = before[places[words[some, 1] - 1] + 1]
    return ranges
