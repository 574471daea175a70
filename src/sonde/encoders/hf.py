"""Any layer of a transformer of the Hugging Face library, pooled over the sentence or kept as word pieces.

Layer 0 is the embeddings, layer L the last; where a model ends with a norm, layer L is taken after it (as transformers
returns it). One forward pass fills every (layer, pooling) that is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sonde.core import DataProblem, Sentence
from sonde.encoders.hub import Files, files_of
from sonde.encoders.precision import Dtype, resolved_device, resolved_dtype, versions
from sonde.vectors import Vectors

Pool = Literal["mean", "max", "cls", "last", "none"]
RECIPE = 1  # raised when the vectors of the same options change
PIECES = 2  # raised when the pieces that a word has change


@dataclass(frozen=True)
class HuggingFace:
    """A transformer by folder or hub name[@revision]: one layer, several or all, pooled over its real tokens.

    layers    last, penultimate (as the BERT rows of Krasnowska-Kieraś & Wróblewska 2019, 4.4), all, N, N-M, N+M
    pool      mean, max, cls (the first token), last (the last token), none (word pieces, aligned to words)
    special   whether tokens that the tokeniser adds, such as [CLS], count as tokens in mean, max, last and none
    spaces    whether a piece that is nothing but the space before a word ('▁', 'Ġ') belongs to the word
    tokens    how many tokens, padding included, go into one batch
    """

    model: str
    layers: str = field(default="last", kw_only=True)
    pool: Pool = field(default="mean", kw_only=True)
    prompt: str = field(default="", kw_only=True)
    special: bool = field(default=True, kw_only=True)
    spaces: bool = field(default=False, kw_only=True)
    device: str = field(default="auto", kw_only=True)
    dtype: Dtype = field(default="auto", kw_only=True)
    tokens: int = field(default=1024, kw_only=True)

    @property
    def name(self) -> str:
        return f"hf:{self.model}"

    @property
    def files(self) -> Files:
        """Where the model lies."""
        return files_of(self.model)

    @property
    def runs(self) -> tuple[str, str]:
        """The device and the precision that it runs with."""
        device = resolved_device(self.device)
        return device, resolved_dtype(self.dtype, device)

    @property
    def fingerprint(self) -> str:
        """The model's files or commit, versions, device class and precision."""
        device, dtype = self.runs
        return f"{self.files.fingerprint} {versions('torch', 'transformers', 'tokenizers')} {device.partition(':')[0]} {dtype}"

    @property
    def base(self) -> str:
        units = f",units=pieces/{PIECES},spaces={self.spaces}" if self.pool == "none" else ""
        return f"hf/{RECIPE}:{self.model},prompt={self.prompt!r},special={self.special},tokens={self.tokens}{units}"

    @property
    def slots(self) -> tuple[str, ...]:
        return tuple(f"{n}.{self.pool}" for n in layer_numbers(self.layers, depth(self.files.config(), self.model)))

    def asking(self, slots: tuple[str, ...]) -> Asked:
        forms = {slot.partition(".")[2] for slot in slots}
        if "none" in forms and len(forms) > 1:
            raise ValueError("word pieces and sentence vectors have different units; ask for them one after the other")
        return Asked(self, slots)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return self.asking(self.slots).encode(sentences)


@dataclass(frozen=True)
class Asked:
    """A transformer that yields some slots ('layer.pooling') of its cache."""

    encoder: HuggingFace
    slots: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.encoder.name

    @property
    def base(self) -> str:
        return self.encoder.base

    @property
    def fingerprint(self) -> str:
        """That of the encoder."""
        return self.encoder.fingerprint

    def asking(self, slots: tuple[str, ...]) -> Asked:
        return self.encoder.asking(slots)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        from sonde.encoders.forward import Passes, loaded  # imports torch

        encoder = self.encoder
        device, dtype = encoder.runs
        network = loaded(str(encoder.files.folder), device, dtype)
        asked = [(int(n), form) for n, _, form in (slot.partition(".") for slot in self.slots)]
        found = Passes(network, encoder.prompt, encoder.special, encoder.tokens, encoder.spaces).run(sentences, asked)
        names = tuple(str(n) for n, _ in asked)
        return Vectors(found.layers, names if len(set(names)) == len(names) else self.slots, found.spans, found.cut)


def layer_numbers(text: str, last: int) -> tuple[int, ...]:
    """The layers that `last`, `penultimate`, `all`, `N`, `N-M` (a range) or `N+M` (some) stand for in a model with `last` layers."""
    named = {"last": (last,), "penultimate": (last - 1,), "all": tuple(range(last + 1))}
    if text in named:
        return named[text]
    found: list[int] = []
    for part in text.split("+"):
        first, dash, end = part.partition("-")
        if not first.isdigit() or (dash and not end.isdigit()):
            raise DataProblem(f"layers={text}: write last, penultimate, all, a number, a range 0-{last}, or some as 0+{last}")
        found += range(int(first), int(end or first) + 1)
    if not found or max(found) > last:
        raise DataProblem(f"layers={text}: the model has layers 0 (its embeddings) to {last}")
    return tuple(dict.fromkeys(found))


def depth(config: dict[str, Any], model: str) -> int:
    """How many layers a model has, read from its config.json; of an encoder and decoder, the encoder's."""
    keys = ("encoder_layers", "num_hidden_layers", "n_layers", "n_layer", "num_layers")
    parts: list[Any] = [config, config.get("text_config"), config.get("encoder")]
    found = [part[key] for part in parts if isinstance(part, dict) for key in keys if isinstance(part.get(key), int)]
    if found:
        return int(found[0])
    raise DataProblem(f"{model}: config.json does not say how many layers the model has ({', '.join(keys)})")
