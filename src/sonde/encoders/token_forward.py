"""The vectors of tokens that a model of many vectors gives (ColBERT and its like), and which of
them each word has. Imports torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sonde.core import EncoderStop, Sentence
from sonde.encoders.batches import grouped
from sonde.encoders.parallel import spread
from sonde.encoders.pieces import located, of_words
from sonde.encoders.sentence_features import preprocessed
from sonde.encoders.sentence_forward import about
from sonde.encoders.sentence_models import Ready
from sonde.encoders.tokens import is_space, marks_of
from sonde.vectors import Floats, Ints, Spans


@dataclass(frozen=True)
class Row:
    """One sentence: the vectors that the model keeps, the pieces of each word among them, and
    whether it was cut.
    """

    vectors: Floats
    words: Ints
    cut: bool


def run_tokens(
    ready: Ready, sentences: Sequence[Sentence], tokens: int
) -> tuple[Floats, Spans, NDArray[np.bool_]]:
    """The vectors of all tokens that `encode` returns, [tokens, width], where each word's lie among
    them, and which texts were cut.

    The model reads the raw text, and words are found in it.
    """
    if not getattr(ready.model.tokenizer, "is_fast", False):
        raise EncoderStop(
            "this model's tokeniser does not say from which letters its tokens come, so words"
            " cannot be found among them"
        )
    before = ready.way.before(ready.model)
    texts = [before + s.text for s in sentences]
    rows: list[Row] = [
        Row(np.zeros((0, ready.width), np.float32), np.zeros((0, 2), np.int64), False)
    ] * len(texts)

    def work(batch: Ints) -> None:
        features = preprocessed(
            ready.model, [sentences[r].text for r in batch], before, ready.way.arguments
        )
        read, given = _read(features), [row.cpu().tolist() for row in features["input_ids"]]
        found = ready.forward(features)
        kept, vectors = (
            found["attention_mask"].bool().cpu().numpy(),
            found["token_embeddings"].float().cpu().numpy(),
        )
        if vectors.shape[:2] != read.shape:
            raise EncoderStop(
                "this model puts tokens together, so that no word can be found among its vectors"
            )
        for k, r in enumerate(batch.tolist()):
            ids = np.array(given[k], np.int64)
            rows[r] = _row(
                ready.model.tokenizer,
                texts[r],
                (ids, read[k], kept[k]),
                vectors[k],
                (sentences[r], len(before)),
            )

    spread(work, grouped(about(texts), tokens, ready.batching), ready.model.device.type == "cpu")
    units = np.concatenate([[0], np.cumsum([len(row.vectors) for row in rows], dtype=np.int64)])
    words = [row.words + start for row, start in zip(rows, units, strict=False)]
    first = np.concatenate([[0], np.cumsum([len(s.words) for s in sentences], dtype=np.int64)])
    spans = Spans(units, np.concatenate([np.zeros((0, 2), np.int64), *words]), first)
    whole = np.concatenate([np.zeros((0, ready.width), np.float32), *(row.vectors for row in rows)])
    return whole, spans, np.array([row.cut for row in rows], bool)


def _read(features: dict[str, Any]) -> NDArray[np.bool_]:
    """Which tokens are the text's, [texts, tokens]: no padding, and none that a query is expanded
    with.
    """
    found = features["attention_mask"].bool()
    if isinstance(more := features.get("query_expansion_positions"), torch.Tensor):
        found &= ~more.bool()
    return np.asarray(found.cpu().numpy())


def _row(
    tokenizer: Any,
    text: str,
    tokens: tuple[Ints, NDArray[np.bool_], NDArray[np.bool_]],
    vectors: Floats,
    of: tuple[Sentence, int],
) -> Row:
    """The vectors that are kept of one text, and which of them each word has."""
    (ids, read, kept), (sentence, start) = tokens, of
    own = ids[read]
    whole = tokenizer(
        text, return_offsets_mapping=True, return_special_tokens_mask=True, verbose=False
    )
    letters, full = (
        np.array(whole["offset_mapping"], np.int64).reshape(-1, 2),
        np.array(whole["input_ids"], np.int64),
    )
    size = min(len(full), len(own))
    differ = np.flatnonzero(full[:size] != own[:size])
    shared = int(differ[0]) if len(differ) else size
    if not set(own[shared:].tolist()) <= set(tokenizer.all_special_ids):
        raise EncoderStop(
            "this model's tokens are not those of its tokeniser, so words cannot be found among"
            f" them: {text[:60]!r}"
        )
    nowhere = np.ones(len(own), bool)
    nowhere[:shared] = np.array(whole["special_tokens_mask"][:shared], bool)
    nowhere[:shared] |= is_space(full[:shared], letters[:shared], text, marks_of(tokenizer))
    characters = np.zeros((len(own), 2), np.int64)
    characters[:shared] = letters[:shared]
    cut = shared < len(full) - sum(whole["special_tokens_mask"][shared:])
    found = of_words(characters, nowhere, located(sentence.words, sentence.text) + start, cut)
    return Row(vectors[kept], _among(found, np.flatnonzero(read), kept), cut)


def _among(words: Ints, places: Ints, kept: NDArray[np.bool_]) -> Ints:
    """Ranges of the text's tokens as ranges of those that are kept; what the model keeps no vector
    of has none.
    """
    before = np.concatenate([[0], np.cumsum(kept)])
    some = words[:, 1] > words[:, 0]
    found = np.zeros_like(words)
    found[some, 0] = before[places[words[some, 0]]]
    found[some, 1] = before[places[words[some, 1] - 1] + 1]
    return found
