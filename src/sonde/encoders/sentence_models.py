"""Models of sentence-transformers, loaded as what they are and tried once. Imports torch."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from sonde.core import EncoderStop
from sonde.encoders.alone import Batching, alike, batching, told
from sonde.encoders.hub import Source, first_line, quiet_loading, unloadable
from sonde.encoders.precision import check_device, computing, half_products
from sonde.encoders.saved import MANY
from sonde.encoders.sentence_features import TRIAL, Tokenised, preprocessed, tokenised


@dataclass(frozen=True)
class Way:
    """How a model is asked for its vectors.

    prompt   text before each sentence; None for the one that the model itself would take
    task     query, document, or '' for what plain `encode` does
    """

    prompt: str | None = None
    task: str = ""

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
class Ready:
    """A model that is loaded and was tried: which of the library's classes it is, how wide its
    vectors are, what may be in a batch.
    """

    model: Any
    form: str
    dtype: str
    way: Way
    width: int
    batching: Batching

    def forward(self, features: dict[str, Any]) -> dict[str, Any]:
        """What the model's modules make of a batch."""
        return forward(self.model, features, self.way, self.dtype)

    def embedded(self, features: dict[str, Any]) -> Tensor:
        """One vector a text, [texts, width], as the model's own `encode` would return it."""
        return embedded(self.model, self.forward(features))


@functools.lru_cache(maxsize=2)
def loaded(source: Source, form: str, device: str, dtype: str, way: Way) -> Ready:
    """A model of some class on its device."""
    try:
        import sentence_transformers
    except ImportError:
        raise EncoderStop(
            "sentence-transformers is not installed: pip install 'sonde[st]'"
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
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise EncoderStop(unloadable(source.name, "sentence-transformers", error)) from error
    return replace(ready(model, form, way, dtype, source.name), model=half_products(model, dtype))


def ready(model: Any, form: str, way: Way, dtype: str, name: str) -> Ready:
    """Try a model on a few texts, as it is, and have it run in `dtype` from then on.

    EncoderStop where it cannot read them, as one that routes texts by task and is told none.
    """
    before = way.before(model)
    try:
        features = preprocessed(model, TRIAL, before, way.arguments)
        output = forward(model, features, way, "float32")
    except (ValueError, KeyError, RuntimeError, AttributeError, TypeError) as error:
        routes = any(type(module).__name__ in ("Router", "Asym") for module in model.modules())
        hint = (
            "; it routes texts by task, so write task=query or task=document"
            if routes and not way.task
            else ""
        )
        raise EncoderStop(f"{name} cannot encode a text: {first_line(error)}{hint}") from error
    key = "token_embeddings" if form == MANY else "sentence_embedding"
    if not isinstance(output.get(key), Tensor):
        raise EncoderStop(f"{name} gives no {key}, so that there is nothing to read")
    width = int((output[key] if form == MANY else embedded(model, output)).shape[-1])
    tried = Ready(model, form, "float32", way, width, "padded")
    return replace(tried, batching=_batching(tried, before, name), dtype=dtype)


def forward(model: Any, features: dict[str, Any], way: Way, dtype: str) -> dict[str, Any]:
    """What a model's modules make of a batch."""
    placed = {k: v.to(model.device) if isinstance(v, Tensor) else v for k, v in features.items()}
    active = getattr(model, "max_active_dims", None)
    told_more = way.arguments | ({"max_active_dims": active} if active is not None else {})
    with torch.inference_mode(), computing(str(model.device), dtype):
        return dict(model(placed, **told_more))


def embedded(model: Any, output: dict[str, Any]) -> Tensor:
    """One vector a text of what a model's modules made."""
    values: Tensor = output["sentence_embedding"]
    if (active := getattr(model, "max_active_dims", None)) is not None:
        from sentence_transformers.util import select_max_active_dims

        values = select_max_active_dims(values, max_active_dims=active)
    if (width := getattr(model, "truncate_dim", None)) is not None:
        values = values[:, :width]
    return (values.to_dense() if values.is_sparse else values).float()


def _batching(tried: Ready, before: str, name: str) -> Batching:
    """Which texts may be in one batch: rows of token ids are compared where we tokenise, and whole
    texts where the model does.
    """
    dtype = next((p.dtype for p in tried.model.parameters()), torch.float32)

    def vectors(features: dict[str, Any]) -> list[Sequence[Tensor]]:
        output = tried.forward(features)
        if tried.form != MANY:
            return [[row[None]] for row in embedded(tried.model, output)]
        masks = output["attention_mask"].bool()
        return [[row[mask]] for row, mask in zip(output["token_embeddings"], masks, strict=True)]

    made = tokenised(tried.model, [before + TRIAL[0] + " " + TRIAL[0]], before, tried.way.arguments)
    if made is not None:
        of_rows: Tokenised = made
        return batching(
            name,
            lambda rows: vectors(
                replace(of_rows, ids=[list(row) for row in rows]).features_of_all()
            ),
            made.ids[0],
            dtype,
        )
    long, short = TRIAL[0] + " " + TRIAL[0], TRIAL[1]
    alone, beside = (
        vectors(preprocessed(tried.model, texts, before, tried.way.arguments))
        for texts in ([short], [long, short])
    )
    return told(name, "padded" if alike(alone[0], beside[1], dtype) else "single")
