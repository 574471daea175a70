"""Batches of texts through the modules of a sentence-transformers model. Imports torch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sonde.encoders.batches import grouped
from sonde.encoders.parallel import spread
from sonde.encoders.sentence_features import preprocessed, tokenised
from sonde.encoders.sentence_models import Ready
from sonde.vectors import Floats, Ints


def run(ready: Ready, texts: Sequence[str], tokens: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Vectors [texts, width] as the model's `encode` returns them, and which texts were cut."""
    model, more = ready.model, ready.way.arguments
    before = ready.way.before(model)
    whole = [before + text for text in texts]
    made = tokenised(model, whole, before, more)
    lengths = made.lengths if made else about(whole)
    vectors = np.zeros((len(texts), ready.width), np.float32)

    def work(rows: Ints) -> None:
        features = (
            made.features(rows)
            if made
            else preprocessed(model, [texts[r] for r in rows], before, more)
        )
        vectors[rows] = ready.embedded(features).cpu().numpy()

    spread(work, grouped(lengths, tokens, ready.batching), model.device.type == "cpu")
    return vectors, made.cut if made else np.zeros(len(texts), bool)


def about(texts: Sequence[str]) -> Ints:
    """About how many tokens each text has, for models that do not show them."""
    return np.array([1 + len(text) // 4 for text in texts], np.int64)


def weights_digest(model: Any) -> str:
    """Thirty-two hexadecimal digits that stand for a model's modules and weights."""
    said = (
        f"{model} {getattr(model, 'prompts', None)} {getattr(model, 'default_prompt_name', None)!r}"
    )
    state = hashlib.blake2b(said.encode(), digest_size=16)
    for name, value in model.state_dict().items():
        state.update(name.encode())
        state.update(
            value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        )
    return state.hexdigest()
