"""Models of sentence-transformers: loaded as what they are, tried once, and run on texts, which are
tokenised at once where that comes to the same. Imports torch.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lingprobe.data.core import DataProblem
from lingprobe.data.errors import describe_install
from lingprobe.data.examples import EncoderStop
from lingprobe.data.vectors import Floats, Ints
from lingprobe.encoders.alone import (
    Batching,
    are_vectors_close,
    choose_batching,
    get_tolerance,
    log_batching,
)
from lingprobe.encoders.batches import group_rows, run_batches
from lingprobe.encoders.hub import ModelSource, explain_unloadable, first_line, quiet_loading
from lingprobe.encoders.loading import check_blocks, check_tokenizer
from lingprobe.encoders.model_files import MULTI_VECTOR_CLASS, in_precision, set_precision
from lingprobe.encoders.random_weights import redraw_modules
from lingprobe.nets.device import check_device

# texts by which our features are compared with the model's own
_TRIAL = ["Sonde reads  Sentences, ", "été 2", ""]


@dataclass(frozen=True)
class TokenisedTexts:
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


def tokenize_texts(
    model: Any, texts: list[str], prompt: str, arguments: Mapping[str, str]
) -> TokenisedTexts | None:
    """All texts (prompt included) tokenised at once by a fast tokeniser; None where the model
    prepares its input in a way of its own.

    Which it is, is found by preparing a few texts both ways.
    """
    tokenizer = getattr(model, "tokenizer", None)
    limit = getattr(model, "max_seq_length", None)
    if tokenizer is None or not getattr(tokenizer, "is_fast", False) or not isinstance(limit, int):
        return None
    theirs = preprocess_texts(model, _TRIAL, prompt, arguments)
    tensors = {k: v for k, v in theirs.items() if isinstance(v, torch.Tensor)}
    beside = {k: v for k, v in theirs.items() if k not in tensors}
    types = "token_type_ids" in tensors

    def tokenise(texts: list[str]) -> TokenisedTexts:
        encodings = (
            tokenizer(texts, truncation=True, max_length=limit, padding=False).encodings
            if texts
            else []
        )
        cut = np.array([bool(e.overflowing) for e in encodings], bool)
        left = getattr(tokenizer, "padding_side", "right") == "left"
        return TokenisedTexts(
            [e.ids for e in encodings], types, left, tokenizer.pad_token_id or 0, beside, cut
        )

    ours = tokenise([prompt + text for text in _TRIAL]).features_of_all()
    same = set(ours) == set(theirs) and all(torch.equal(ours[k], v) for k, v in tensors.items())
    return tokenise(texts) if same else None


def preprocess_texts(
    model: Any, texts: Sequence[str], prompt: str, arguments: Mapping[str, str]
) -> dict[str, Any]:
    """A batch as the model prepares it."""
    if hasattr(model, "preprocess"):
        return dict(model.preprocess(list(texts), prompt=prompt or None, **arguments))
    return dict(model.tokenize([prompt + text for text in texts], **arguments))


@dataclass(frozen=True)
class EncodeSettings:
    """How a model is asked for its vectors.

    prompt   text before each sentence; None for the one that the model itself would take
    task     query, document, or '' for what plain `encode` does
    width    how many numbers of a vector are kept; None for all, or for what the model says
    """

    prompt: str | None = None
    task: str = ""
    width: int | None = None

    def before(self, model: Any) -> str:
        """The prompt that is put before each text, as `encode`, `encode_query` and
        `encode_document` choose it.
        """
        if self.prompt is not None:
            return self.prompt
        prompts = getattr(model, "prompts", None) or {}
        candidates = {"query": ("query",), "document": ("document", "passage", "corpus")}.get(
            self.task, ()
        )
        name = next(
            (name for name in candidates if name in prompts),
            getattr(model, "default_prompt_name", None),
        )
        return str(prompts.get(name, "")) if name else ""

    @property
    def arguments(self) -> dict[str, str]:
        """What the model's modules are told beside the text."""
        return {"task": self.task} if self.task else {}


@dataclass(frozen=True)
class LoadedSentenceModel:
    """A model that is loaded and was tried: which of the library's classes it is, how wide its
    vectors are, what may be in a batch.
    """

    model: Any
    form: str
    dtype: str
    way: EncodeSettings
    width: int
    batching: Batching

    def forward(self, features: dict[str, Any]) -> dict[str, Any]:
        """What the model's modules make of a batch."""
        return run_modules(self.model, features, self.way, self.dtype)

    def embed_texts(self, features: dict[str, Any]) -> Tensor:
        """One vector a text, [texts, width], as the model's own `encode` would return it."""
        return sentence_vectors(self.model, self.forward(features), self.way)


@functools.lru_cache(maxsize=2)
def load_sentence_model(
    source: ModelSource,
    form: str,
    device: str,
    dtype: str,
    way: EncodeSettings,
    drawn: tuple[int, bool] | None = None,
) -> LoadedSentenceModel:
    """A model of some class on its device; `drawn` is the seed of random weights, and whether those
    below the first layer stay as they were trained.
    """
    try:
        import sentence_transformers
    except ImportError:
        raise EncoderStop(
            f"sentence-transformers is not installed: {describe_install('st')}"
        ) from None
    kind = getattr(sentence_transformers, form, None)
    if kind is None:
        raise EncoderStop(
            f"{source.name} is a {form}, which sentence-transformers"
            f" {sentence_transformers.__version__} does not know; update it"
        )
    check_device(device)
    more = {"code_revision": source.trust.code_revision} if source.trust.code_revision else {}
    where = {"revision": source.revision} if source.revision else {}
    try:
        with quiet_loading():
            code = {"model_kwargs": dict(more), "config_kwargs": dict(more)} if more else {}
            model = kind(
                source.name, device=device, trust_remote_code=source.trust.given, **where, **code
            ).eval()
        check_blocks(Path(source.name), model)
        if drawn is not None:
            redraw_modules(model, *drawn)
    except DataProblem:
        raise
    except Exception as error:  # of every library that reads a part of a model
        raise EncoderStop(
            explain_unloadable(source.name, "sentence-transformers", error)
        ) from error
    return prepare_sentence_model(in_precision(model, dtype), form, way, dtype, source.name)


def prepare_sentence_model(
    model: Any, form: str, way: EncodeSettings, dtype: str, name: str
) -> LoadedSentenceModel:
    """Try a model on a few texts; it multiplies in `dtype`.

    EncoderStop where it cannot read them, as one that routes texts by task and is told none.
    """
    check_tokenizer(name, getattr(model, "tokenizer", None))
    before = way.before(model)
    try:
        features = preprocess_texts(model, _TRIAL, before, way.arguments)
        output = run_modules(model, features, way, dtype)
    except Exception as error:
        routes = any(type(module).__name__ in ("Router", "Asym") for module in model.modules())
        hint = (
            "; it routes texts by task, so write task=query or task=document"
            if routes and not way.task
            else "; has its tokenizer tokens, [PAD] perhaps, that it has no vectors for?"
            if isinstance(error, IndexError)
            else ""
        )
        raise EncoderStop(f"{name} cannot encode a text: {first_line(error)}{hint}") from error
    key = "token_embeddings" if form == MULTI_VECTOR_CLASS else "sentence_embedding"
    if not isinstance(output.get(key), Tensor):
        raise EncoderStop(f"{name} has no output {key}")
    if torch.isnan(output[key]).any():
        raise EncoderStop(f"{name} has NaN in its vectors: are its weights damaged?")
    width = int(
        (output[key] if form == MULTI_VECTOR_CLASS else sentence_vectors(model, output, way)).shape[
            -1
        ]
    )
    if way.width is not None and width < way.width:
        raise EncoderStop(
            f"{name}: truncate_dim={way.width}, and its vectors have {width} dimensions"
        )
    trial = LoadedSentenceModel(model, form, dtype, way, width, "padded")
    return replace(trial, batching=_batching(trial, before, name))


def run_modules(
    model: Any, features: dict[str, Any], way: EncodeSettings, dtype: str
) -> dict[str, Any]:
    """What a model's modules make of a batch."""
    placed = {k: v.to(model.device) if isinstance(v, Tensor) else v for k, v in features.items()}
    active = getattr(model, "max_active_dims", None)
    told_more = way.arguments | ({"max_active_dims": active} if active is not None else {})
    with torch.inference_mode(), set_precision(str(model.device), dtype):
        return dict(model(placed, **told_more))


def sentence_vectors(model: Any, output: dict[str, Any], way: EncodeSettings) -> Tensor:
    """One vector a text of what a model's modules made."""
    values: Tensor = output["sentence_embedding"]
    if (active := getattr(model, "max_active_dims", None)) is not None:
        from sentence_transformers.util import select_max_active_dims

        values = select_max_active_dims(values, max_active_dims=active)
    width = way.width if way.width is not None else getattr(model, "truncate_dim", None)
    if width is not None:
        values = values[:, :width]
    return (values.to_dense() if values.is_sparse else values).float()


def _batching(trial: LoadedSentenceModel, before: str, name: str) -> Batching:
    """Which texts may be in one batch: rows of token ids are compared where we tokenise, and whole
    texts where the model does.
    """
    limit = get_tolerance(trial.model, trial.dtype)

    def vectors(features: dict[str, Any]) -> list[Sequence[Tensor]]:
        output = trial.forward(features)
        if trial.form != MULTI_VECTOR_CLASS:
            return [[row[None]] for row in sentence_vectors(trial.model, output, trial.way)]
        masks = output["attention_mask"].bool()
        return [[row[mask]] for row, mask in zip(output["token_embeddings"], masks, strict=True)]

    tokens = tokenize_texts(
        trial.model, [before + _TRIAL[0] + " " + _TRIAL[0]], before, trial.way.arguments
    )
    if tokens is not None:
        of_rows: TokenisedTexts = tokens
        return choose_batching(
            name,
            lambda rows: vectors(
                replace(of_rows, ids=[list(row) for row in rows]).features_of_all()
            ),
            tokens.ids[0],
            limit,
        )
    long, short = _TRIAL[0] + " " + _TRIAL[0], _TRIAL[1]
    alone, beside = (
        vectors(preprocess_texts(trial.model, texts, before, trial.way.arguments))
        for texts in ([short], [long, short])
    )
    return log_batching(
        name, "padded" if are_vectors_close(alone[0], beside[1], limit) else "single"
    )


def run_texts(
    ready: LoadedSentenceModel, texts: Sequence[str], tokens: int
) -> tuple[Floats, NDArray[np.bool_]]:
    """Vectors [texts, width] as the model's `encode` returns them, and which texts were cut."""
    model, more = ready.model, ready.way.arguments
    before = ready.way.before(model)
    whole = [before + text for text in texts]
    tokenised_texts = tokenize_texts(model, whole, before, more)
    lengths = tokenised_texts.lengths if tokenised_texts else estimate_token_counts(whole)
    vectors = np.zeros((len(texts), ready.width), np.float32)

    def work(rows: Ints) -> None:
        features = (
            tokenised_texts.features(rows)
            if tokenised_texts
            else preprocess_texts(model, [texts[r] for r in rows], before, more)
        )
        vectors[rows] = ready.embed_texts(features).cpu().numpy()

    run_batches(work, group_rows(lengths, tokens, ready.batching), model.device.type == "cpu")
    return vectors, tokenised_texts.cut if tokenised_texts else np.zeros(len(texts), bool)


def estimate_token_counts(texts: Sequence[str]) -> Ints:
    """About how many tokens each text has, for models that do not show them."""
    return np.array([1 + len(text) // 4 for text in texts], np.int64)
