"""What encoders share whose model lies in files: a folder, the Hugging Face cache, a package, the
hub.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.references import Reference
from lingprobe.encoders.checkpoints import revisions_of
from lingprobe.encoders.hub import CodeTrust, ModelFiles, check_config, find_model_files
from lingprobe.nets.device import installed_version, resolved_device, resolved_dtype
from lingprobe.nets.precision import spare_torch

Dtype = Literal["auto", "float32", "bfloat16", "float16"]


_FULL = 4  # bytes of a number in float32


def usual_batch(device: str) -> int:
    """How many tokens go into one batch where nothing is asked for: a processor's caches hold few,
    and a GPU is not busy with less (benchmarks/large.py).
    """
    return 1024 if device == "cpu" else 16_384


def format_package_versions(*packages: str) -> str:
    """Versions of the packages that decide the last bits, as far as they are installed."""
    return " ".join(f"{p}={v}" for p in packages if (v := installed_version(p)))


def set_precision(device: str, dtype: str) -> AbstractContextManager[Any]:
    """Autocast to a precision; nothing is changed for float32."""
    import torch

    spare_torch()
    kind = torch.device(device).type
    return torch.autocast(kind, getattr(torch, dtype), enabled=dtype != "float32")


def in_precision(model: Any, dtype: str) -> Any:
    """The model with the matrices that it multiplies by in `dtype`, and all else in float32, in
    whatever precision it was stored.

    Weights in half precision beside products in another are refused by torch on a processor, and
    norms and tables of embeddings in half precision cost more accuracy than they save memory. A
    quantised model stays as it is.
    """
    import torch

    if any(getattr(module, "is_quantized", False) for module in model.modules()):
        return model
    if dtype == "float32":
        return model.float()
    half = getattr(torch, dtype)
    for module in model.modules():
        if _multiplies(module):
            module.to(half)
            continue
        for tensor in (*module.parameters(recurse=False), *module.buffers(recurse=False)):
            if tensor.is_floating_point() and tensor.itemsize < _FULL:
                # matrices of experts, which lie in one tensor; they are most of such a model
                tensor.data = tensor.data.to(half if tensor.ndim > 2 else torch.float32)
    return model


def _multiplies(module: Any) -> bool:
    """Whether a module is a matrix product and nothing else."""
    import torch
    from transformers.pytorch_utils import Conv1D

    return isinstance(module, torch.nn.Linear | Conv1D)


_FILE = "tokenizer.json"


def find_unknown_words(folder: Path, words: Sequence[str]) -> NDArray[np.bool_] | None:
    """Of which words [n] some piece is unknown to the tokeniser of a model's folder, each word
    alone; None where it cannot be told.

    Fast tokenisers keep themselves in tokenizer.json, beside the model or in the folder of its
    first module.
    """
    text = _tokenizer_text(folder)
    return None if text is None else unknown_to(text, words)


def unknown_to(text: str, words: Sequence[str]) -> NDArray[np.bool_] | None:
    """The same of a tokeniser as its tokenizer.json writes it."""
    loaded = _tokeniser(text)
    if loaded is None:
        return None
    tokeniser, number, known = loaded
    if number is None:
        return np.zeros(len(words), bool)
    new = [word for word in words if word not in known]  # folds of a task have the same words
    pieces = tokeniser.encode_batch(new, add_special_tokens=False)
    known.update({word: number in each.ids for word, each in zip(new, pieces, strict=True)})
    return np.array([known[word] for word in words], bool)


@functools.lru_cache(maxsize=4)
def _tokenizer_text(folder: Path) -> str | None:
    """The tokenizer.json of a model's folder; None where it has none that can be read."""
    file = next(
        (path for path in (folder / _FILE, *sorted(folder.glob(f"0_*/{_FILE}"))) if path.is_file()),
        None,
    )
    try:
        return None if file is None else file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


@functools.lru_cache(maxsize=4)
def _tokeniser(text: str) -> tuple[Any, int | None, dict[str, bool]] | None:
    """A tokeniser, the number of its token for the unknown, None where it has none (bytes stand
    in), and what is known of words.
    """
    try:
        from tokenizers import Tokenizer

        tokeniser, model = Tokenizer.from_str(text), json.loads(text)["model"]
    except Exception:
        # tokenizers raises its own bare Exception; what loads the model says what is wrong with it
        return None
    tokeniser.no_truncation()
    tokeniser.no_padding()
    if model.get("byte_fallback"):
        return tokeniser, None, {}
    number = (
        tokeniser.token_to_id(model["unk_token"]) if model.get("unk_token") else model.get("unk_id")
    )
    return tokeniser, number, {}


# what sentence-transformers calls models that give a vector of each token
MULTI_VECTOR_CLASS = "MultiVectorEncoder"


class SavedModel:
    """A saved model by folder or name, the device and precision that it runs with, and whether code
    that comes with it may be run.

    The fields are those of each kind of model, which explains and orders its options.
    """

    model: str
    device: str
    dtype: Dtype
    tokens: int
    trust_remote_code: bool
    code_revision: str

    takes = "sentences"

    @staticmethod
    def expand(reference: Reference) -> list[Reference]:
        """The model at each of the revisions that a reference names."""
        return revisions_of(reference)

    @property
    def files(self) -> ModelFiles:
        """Where the model lies."""
        return find_model_files(self.model, "sentence-transformers")

    @property
    def configuration(self) -> dict[str, Any]:
        """The model's configuration, as far as it is to be read."""
        return self.files.says("config.json")

    @property
    def trust(self) -> CodeTrust:
        """Whether the model's own code may be run."""
        return CodeTrust(self.trust_remote_code, self.code_revision)

    @property
    def runs(self) -> tuple[str, str]:
        """The device and the precision that it runs with."""
        device = resolved_device(self.device)
        return device, resolved_dtype(self.dtype, device)

    @property
    def batch(self) -> int:
        """How many tokens, padding included, go into one batch."""
        return self.tokens or usual_batch(self.runs[0])

    @property
    def fingerprint(self) -> str:
        """The model's files or commit, the version of its tokeniser, device class and precision."""
        device, dtype = self.runs
        return (
            f"{self.revision} {format_package_versions('tokenizers')} {device.partition(':')[0]}"
            f" {dtype}"
        )

    @property
    def revision(self) -> str:
        """The model's commit, or a digest of its files, whose configuration belongs to them."""
        self.trust.check(self.model, self.files)
        check_config(self.model, self.files)
        return self.files.fingerprint

    def unknown(self, words: Sequence[str]) -> NDArray[np.bool_] | None:
        """Of which words [n] some piece is unknown to the tokeniser; None where it cannot be
        told.
        """
        return find_unknown_words(self.files.folder, words)
