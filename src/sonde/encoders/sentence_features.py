"""Texts as a model of sentence-transformers reads them, tokenised at once where that comes to the
same. Imports torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sonde.vectors import Ints

# texts by which our features are compared with the model's own
TRIAL = ["Sonde reads  Sentences, ", "été 2", ""]


@dataclass(frozen=True)
class Tokenised:
    """Texts as token ids, what the model wants beside them, and which texts were cut."""

    ids: list[list[int]]
    types: bool
    left: bool
    pad: int
    beside: dict[str, Any]
    cut: NDArray[np.bool_]

    @property
    def lengths(self) -> Ints:
        """Tokens of each text."""
        return np.array([len(i) for i in self.ids], np.int64)

    def features_of_all(self) -> dict[str, Any]:
        """All texts as one batch."""
        return self.features(np.arange(len(self.ids)))

    def features(self, rows: Ints) -> dict[str, Any]:
        """A batch as the model's own `preprocess` would make it."""
        longest = max(len(self.ids[r]) for r in rows)
        ids = np.full((len(rows), longest), self.pad, np.int64)
        mask = np.zeros((len(rows), longest), np.int64)
        for k, r in enumerate(rows):
            place = (
                slice(longest - len(self.ids[r]), longest)
                if self.left
                else slice(0, len(self.ids[r]))
            )
            ids[k, place], mask[k, place] = self.ids[r], 1
        fields = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
        if self.types:
            fields["token_type_ids"] = torch.zeros_like(fields["input_ids"])
        return {**fields, **self.beside}


def tokenised(
    model: Any, whole: list[str], prompt: str, more: Mapping[str, str]
) -> Tokenised | None:
    """All texts (prompt included) tokenised at once by a fast tokeniser; None where the model
    prepares its input in a way of its own.

    Which it is, is found by preparing a few texts both ways.
    """
    tokenizer = getattr(model, "tokenizer", None)
    limit = getattr(model, "max_seq_length", None)
    if tokenizer is None or not getattr(tokenizer, "is_fast", False) or not isinstance(limit, int):
        return None
    theirs = preprocessed(model, TRIAL, prompt, more)
    tensors = {k: v for k, v in theirs.items() if isinstance(v, torch.Tensor)}
    beside = {k: v for k, v in theirs.items() if k not in tensors}
    types = "token_type_ids" in tensors

    def tokenise(texts: list[str]) -> Tokenised:
        encodings = (
            tokenizer(texts, truncation=True, max_length=limit, padding=False).encodings
            if texts
            else []
        )
        cut = np.array([bool(e.overflowing) for e in encodings], bool)
        left = getattr(tokenizer, "padding_side", "right") == "left"
        return Tokenised(
            [e.ids for e in encodings], types, left, tokenizer.pad_token_id or 0, beside, cut
        )

    ours = tokenise([prompt + text for text in TRIAL]).features_of_all()
    same = set(ours) == set(theirs) and all(torch.equal(ours[k], v) for k, v in tensors.items())
    return tokenise(whole) if same else None


def preprocessed(
    model: Any, texts: Sequence[str], prompt: str, more: Mapping[str, str]
) -> dict[str, Any]:
    """A batch as the model prepares it."""
    if hasattr(model, "preprocess"):
        return dict(model.preprocess(list(texts), prompt=prompt or None, **more))
    return dict(model.tokenize([prompt + text for text in texts], **more))
