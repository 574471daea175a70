"""Sentence-transformers models, run in length-sorted batches by token budget over the model's own modules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sonde.core import Sentence
from sonde.encoders.hub import Files, files_of
from sonde.encoders.origin import called
from sonde.encoders.precision import Dtype, resolved_device, resolved_dtype, versions
from sonde.naming import Place
from sonde.vectors import Vectors


@dataclass(frozen=True)
class SentenceTransformers:
    """A sentence-transformers model by folder or name: what its own `encode` returns, faster.

    prompt   text put before each sentence; without it the model's own default prompt, as in `encode`
    tokens   how many tokens, padding included, go into one batch
    """

    model: Place
    prompt: str | None = field(default=None, kw_only=True)
    device: str = field(default="auto", kw_only=True)
    dtype: Dtype = field(default="auto", kw_only=True)
    tokens: int = field(default=1024, kw_only=True)

    @property
    def name(self) -> str:
        return f"st:{self.model}"

    @property
    def files(self) -> Files:
        """Where the model lies."""
        return files_of(self.model, "sentence-transformers")

    @property
    def runs(self) -> tuple[str, str]:
        """The device and the precision that it runs with."""
        device = resolved_device(self.device)
        return device, resolved_dtype(self.dtype, device)

    @property
    def fingerprint(self) -> str:
        """The model's files or commit, the version of its tokeniser, device class and precision."""
        device, dtype = self.runs
        return f"{self.revision} {versions('tokenizers')} {device.partition(':')[0]} {dtype}"

    @property
    def revision(self) -> str:
        """The model's commit, or a digest of its files."""
        return self.files.fingerprint

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        from sonde.encoders.sentence_forward import loaded, run  # imports torch

        device, dtype = self.runs
        model = loaded(self.files, self.model, device, dtype)
        found, cut = run(model, [s.text for s in sentences], prompt=self.prompt, dtype=dtype, tokens=self.tokens)
        return Vectors((found,), ("-",), None, cut)


@dataclass(frozen=True)
class Live:
    """A SentenceTransformer that is loaded already; a digest of its weights and modules stands for it."""

    name: str
    model: Any
    revision: str
    device: str
    dtype: str

    @property
    def fingerprint(self) -> str:
        """Weights and modules, the version of the tokeniser, device class and precision."""
        return f"{self.revision} {versions('tokenizers')} {self.device.partition(':')[0]} {self.dtype}"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        from sonde.encoders.sentence_forward import run

        found, cut = run(self.model, [s.text for s in sentences], prompt=None, dtype=self.dtype, tokens=1024)
        return Vectors((found,), ("-",), None, cut)


def live(model: Any, name: str | None = None) -> Live:
    """A loaded SentenceTransformer as an encoder; it runs on the device that it is on."""
    from sonde.encoders.sentence_forward import weights_digest

    device = str(model.device)
    dtype = resolved_dtype("auto", device)
    return Live(name or called(model), model, weights_digest(model), device, dtype)
