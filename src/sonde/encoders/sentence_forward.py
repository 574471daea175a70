"""Batches of texts through the modules of a SentenceTransformer. Imports torch."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sonde.core import DataProblem
from sonde.encoders.batches import batches
from sonde.encoders.hub import Files, quiet_loading
from sonde.encoders.parallel import spread
from sonde.encoders.precision import check_device, computing, half_products
from sonde.vectors import Floats, Ints

TRIAL = ["Sonde reads  Sentences, ", "été 2", ""]  # texts by which our features are compared with the model's own


@functools.lru_cache(maxsize=2)
def loaded(files: Files, name: str, device: str, dtype: str = "float32") -> Any:
    """The model of some files, on its device."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise DataProblem("sentence-transformers is not installed: pip install 'sonde[st]'") from None
    check_device(device)
    whole = not files.commit or (files.folder / "modules.json").is_file()
    where = {"model_name_or_path": str(files.folder)} if whole else {"model_name_or_path": name.partition("@")[0], "revision": files.commit}
    try:
        with quiet_loading():
            model = SentenceTransformer(**where, device=device).eval()
    except (OSError, ValueError, KeyError) as error:
        raise DataProblem(f"{name}: sentence-transformers cannot load this model: {str(error).strip().splitlines()[0]}") from error
    return half_products(model, dtype)


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

    def features(self, rows: Ints) -> dict[str, Any]:
        """A batch as the model's own `preprocess` would make it."""
        longest = max(len(self.ids[r]) for r in rows)
        ids = np.full((len(rows), longest), self.pad, np.int64)
        mask = np.zeros((len(rows), longest), np.int64)
        for k, r in enumerate(rows):
            place = slice(longest - len(self.ids[r]), longest) if self.left else slice(0, len(self.ids[r]))
            ids[k, place], mask[k, place] = self.ids[r], 1
        found = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
        if self.types:
            found["token_type_ids"] = torch.zeros_like(found["input_ids"])
        return {**found, **self.beside}


def run(model: Any, texts: Sequence[str], *, prompt: str | None, dtype: str, tokens: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Vectors [texts, dim] as the model's `encode` returns them, and which texts were cut."""
    before = _default_prompt(model) if prompt is None else prompt
    whole = [before + text for text in texts]
    made = _tokenised(model, whole, before)
    lengths = made.lengths if made else np.array([1 + len(text) // 4 for text in whole], np.int64)
    found = np.zeros((len(texts), _dimension(model)), np.float32)

    def work(rows: Ints) -> None:
        features = made.features(rows) if made else _preprocessed(model, [texts[r] for r in rows], before)
        found[rows] = _forward(model, features, dtype)

    spread(work, batches(lengths, tokens), model.device.type == "cpu")
    return found, made.cut if made else np.zeros(len(texts), bool)


def weights_digest(model: Any) -> str:
    """Thirty-two hexadecimal digits that stand for a model's modules and weights."""
    state = hashlib.blake2b(f"{model} {getattr(model, 'prompts', None)} {_default_prompt(model)!r}".encode(), digest_size=16)
    for name, value in model.state_dict().items():
        state.update(name.encode())
        state.update(value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return state.hexdigest()


def _forward(model: Any, features: dict[str, Any], dtype: str) -> Floats:
    placed = {k: v.to(model.device) if isinstance(v, torch.Tensor) else v for k, v in features.items()}
    with torch.inference_mode(), computing(str(model.device), dtype):
        values = model(placed)["sentence_embedding"]
    if (kept := getattr(model, "truncate_dim", None)) is not None:
        values = values[:, :kept]
    return np.asarray(values.float().cpu().numpy(), np.float32)


def _tokenised(model: Any, whole: list[str], prompt: str) -> Tokenised | None:
    """All texts tokenised at once by a fast tokeniser; None where the model prepares its input in a way of its own.

    Which it is, is found by preparing a few texts both ways.
    """
    tokenizer = getattr(model, "tokenizer", None)
    limit = getattr(model, "max_seq_length", None)
    if tokenizer is None or not getattr(tokenizer, "is_fast", False) or not isinstance(limit, int):
        return None
    theirs = _preprocessed(model, TRIAL, prompt)
    tensors = {k: v for k, v in theirs.items() if isinstance(v, torch.Tensor)}
    beside = {k: v for k, v in theirs.items() if k not in tensors}
    types = "token_type_ids" in tensors

    def tokenise(texts: list[str]) -> Tokenised:
        encodings = tokenizer(texts, truncation=True, max_length=limit, padding=False).encodings if texts else []
        cut = np.array([bool(e.overflowing) for e in encodings], bool)
        left = getattr(tokenizer, "padding_side", "right") == "left"
        return Tokenised([e.ids for e in encodings], types, left, tokenizer.pad_token_id or 0, beside, cut)

    ours = tokenise([prompt + text for text in TRIAL]).features(np.arange(len(TRIAL)))
    same = set(ours) == set(theirs) and all(torch.equal(ours[k], v) for k, v in tensors.items())
    return tokenise(whole) if same else None


def _preprocessed(model: Any, texts: list[str], prompt: str) -> dict[str, Any]:
    if hasattr(model, "preprocess"):
        return dict(model.preprocess(texts, prompt=prompt or None))
    return dict(model.tokenize([prompt + text for text in texts]))


def _default_prompt(model: Any) -> str:
    name = getattr(model, "default_prompt_name", None)
    return str((getattr(model, "prompts", None) or {}).get(name, "")) if name else ""


def _dimension(model: Any) -> int:
    if (kept := getattr(model, "truncate_dim", None)) is not None:
        return int(kept)
    ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
    return int(ask() or 0)
