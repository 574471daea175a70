"""Models of transformers that are loaded already, with their tokenizers: the road of `hf:` without
its files, so that a model and its folder give the same vectors.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import DataProblem, Encoder
from lingprobe.data.oracles import EncoderQuestion
from lingprobe.encoders.frames import tokeniser_of
from lingprobe.encoders.hf import HuggingFace
from lingprobe.encoders.hub import CodeTrust, find_model_files, source_of
from lingprobe.encoders.live_options import check_options, format_model_options, without_memory
from lingprobe.encoders.model_files import unknown_to
from lingprobe.encoders.origin import name_of
from lingprobe.encoders.st import LiveSentenceTransformer, class_of
from lingprobe.nets.device import resolved_dtype

if TYPE_CHECKING:
    from lingprobe.encoders.network import LoadedModel

_WRAPPERS = {"OptimizedModule": "_orig_mod", "DataParallel": "module"}
_WRAPPERS |= {"DistributedDataParallel": "module"}
"""What torch wraps models in, and where they are inside."""
_TOKENS = ("tokenizer*", "vocab*", "*.model", "spiece*")


class ModelAndTokenizer(NamedTuple):
    """A model of transformers or PEFT, and its tokenizer."""

    model: Any
    tokenizer: Any


@dataclass(frozen=True)
class LiveTransformer(HuggingFace):
    """A loaded transformer; a digest of its weights, settings and tokenizer stands for it.

    parts  the model and its tokenizer; the model is left as it is, and so is its training
    """

    parts: ModelAndTokenizer = field(kw_only=True)

    @property
    def name(self) -> str:
        return self.model + format_model_options(self)

    @functools.cached_property
    def revision(self) -> str:
        """A digest of weights, settings and tokenizer."""
        from lingprobe.encoders.live_models import model_digest, tokenizer_digest

        return f"{model_digest(self.parts.model)} {tokenizer_digest(self.parts.tokenizer)}"

    @property
    def own_baselines(self) -> dict[str, EncoderQuestion]:
        """None: no reference names the model, nor a copy of it."""
        return {}

    @property
    def configuration(self) -> dict[str, Any]:
        """The model's configuration."""
        return dict(self.parts.model.config.to_dict())

    @property
    def runs(self) -> tuple[str, str]:
        """The device that the model is on, and the precision; quantised weights as they are."""
        device = str(self.parts.model.device)
        return device, self.quantization_method or resolved_dtype(self.dtype, device)

    @property
    def depth(self) -> int:
        """How many layers the model has."""
        return len(self.network.widths) - 1

    @functools.cached_property
    def network(self) -> LoadedModel:
        """The model, tried once."""
        from lingprobe.encoders.live_models import network_of

        device, dtype = self.runs
        precision = "float32" if self.quantization_method else dtype
        return network_of(self.parts, self.name, device, precision, self.generates)

    def __getstate__(self) -> dict[str, Any]:
        return without_memory(self)

    def load(self) -> LoadedModel:
        """The model, ready to be run."""
        return self.network

    def load_tokenizer(self) -> Any:
        """The model's tokenizer."""
        return self.parts.tokenizer

    def unknown(self, words: Sequence[str]) -> NDArray[np.bool_] | None:
        """Of which words [n] some piece is unknown to the tokenizer; None where it cannot be
        told.
        """
        backend = getattr(self.parts.tokenizer, "backend_tokenizer", None)
        return None if backend is None else unknown_to(backend.to_str(), words)


def live_model(source: Any, name: str | None, options: dict[str, Any]) -> Encoder | None:
    """A loaded model of transformers or sentence-transformers as an encoder, with options as hf:
    and st: have them; None for anything else. UsageProblem for an option that it lacks.
    """
    if isinstance(
        source, LiveTransformer | LiveSentenceTransformer
    ):  # its weights may be others by now
        return replace(source, **options)
    if (parts := transformer_in(source)) is not None:
        check_options(type(parts.model).__name__, options, LiveTransformer)
        return LiveTransformer(name or _name(parts.model), parts=parts, **options)
    if is_of(source, "sentence_transformers", "StaticEmbedding"):
        from sentence_transformers import SentenceTransformer

        device = next(source.parameters()).device
        return live_model(
            SentenceTransformer(modules=[source], device=str(device)),
            name or type(source).__name__,
            options,
        )
    if class_of(source):
        check_options(type(source).__name__, options, LiveSentenceTransformer)
        return LiveSentenceTransformer(name or name_of(source), source, **options)
    if is_of(source, "transformers", "PreTrainedTokenizerBase"):
        raise DataProblem(
            f"a {type(source).__name__} gives no vectors; write evaluate((model, tokenizer), tasks)"
        )
    if is_of(source, "torch", "Module") and not hasattr(source, "encode"):
        raise DataProblem(
            f"a {type(source).__name__} of torch reads no text; give (model, tokenizer) of"
            " transformers, a SentenceTransformer, or a function list[str] -> array that calls it"
        )
    return None


def transformer_in(source: Any) -> ModelAndTokenizer | None:
    """The model of transformers and its tokenizer in a thing: a pair of them, a pipeline, or a
    model that was loaded from where its tokenizer is, too. None for anything else.
    """
    if isinstance(source, tuple) and len(source) == 2:
        model, other = map(unwrap_model, source if is_model(source[0]) else source[::-1])
        return ModelAndTokenizer(model, _tokenizer(model, other)) if is_model(model) else None
    if is_of(source, "transformers", "Pipeline"):
        return ModelAndTokenizer(
            unwrap_model(source.model), _tokenizer(source.model, source.tokenizer)
        )
    model = unwrap_model(source)
    return ModelAndTokenizer(model, _tokenizer_beside(model)) if is_model(model) else None


def unwrap_model(thing: Any) -> Any:
    """A model without what torch wrapped it in, to compile it or to train it on several GPUs."""
    inside = _WRAPPERS.get(type(thing).__name__) if is_of(thing, "torch", "Module") else None
    return unwrap_model(getattr(thing, inside)) if inside and hasattr(thing, inside) else thing


def is_model(candidate: Any) -> bool:
    """Whether a thing is a model of transformers, or one of these with an adapter of PEFT."""
    bare = unwrap_model(candidate)
    return is_of(bare, "transformers", "PreTrainedModel") or is_of(bare, "peft", "PeftModel")


def is_of(candidate: Any, package: str, *names: str) -> bool:
    """Whether a thing is of a class of a package by its name; nothing is imported."""
    classes = (c for c in type(candidate).__mro__ if c.__module__.partition(".")[0] == package)
    return any(c.__name__ in names for c in classes)


def _tokenizer(model: Any, thing: Any) -> Any:
    """The tokenizer beside a model, perhaps inside a processor."""
    inside = getattr(thing, "tokenizer", thing)
    if is_of(inside, "transformers", "PreTrainedTokenizerBase"):
        return inside
    kind = "none" if thing is None else f"a {type(thing).__name__}"
    raise DataProblem(
        f"beside the {type(model).__name__} there should be its tokenizer, and there is {kind};"
        " write evaluate((model, tokenizer), tasks)"
    )


def _tokenizer_beside(model: Any) -> Any:
    """The tokenizer that lies where a model was loaded from; DataProblem where none does."""
    place = str(getattr(model.config, "_name_or_path", "") or "")
    try:
        files = (
            find_model_files(place, "sentence-transformers", organisation_first=False)
            if place
            else None
        )
        source = files and source_of(files, place, CodeTrust(), _TOKENS)
        if source and any(any(files.folder.glob(pattern)) for pattern in _TOKENS if files):
            return tokeniser_of(source)
    except DataProblem:
        pass
    raise DataProblem(
        f"a {type(model).__name__} alone reads no text, and no tokenizer lies where it came from"
        f" ({place or 'nowhere'}); write evaluate((model, tokenizer), tasks)"
    )


def _name(model: Any) -> str:
    adapters = model.peft_config.values() if hasattr(model, "get_base_model") else ()
    kinds = sorted({str(getattr(c.peft_type, "value", c.peft_type)) for c in adapters})
    return " + ".join([name_of(model), *kinds])
