"""What encoders share whose model lies in files: a folder, the Hugging Face cache, a package or the
hub. Which device and precision it runs with is found without importing torch, because both belong
to its identity.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import json
import os
import platform
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sonde.core import DataProblem
from sonde.encoders.checkpoints import revisions_of
from sonde.encoders.hub import Files, Trust, files_of
from sonde.nets.precision import half_allowed, native_bf16, spare_torch
from sonde.references import Reference

Dtype = Literal["auto", "float32", "bfloat16", "float16"]
DEVICE = "SONDE_DEVICE"  # what `auto` stands for, where machines that share the work agreed on it


def resolved_device(asked: str) -> str:
    """The device that `auto` stands for: cuda where this torch can use one that is there, else mps
    on Apple silicon, else cpu.
    """
    if asked != "auto":
        if asked.partition(":")[0] == "cuda" and not _cuda_is_possible():
            raise DataProblem(
                f"device={asked}: there is no CUDA device here that this torch can use; write"
                " device=cpu, or leave it out"
            )
        return asked
    if agreed := os.environ.get(DEVICE):
        return agreed
    if platform.system() == "Darwin" and platform.machine() == "arm64":
        return "mps"
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES", "all") in ("", "-1")
    return (
        "cuda"
        if not hidden and "+cpu" not in _version("torch") and _capability() is not None
        else "cpu"
    )


def resolved_dtype(asked: str, device: str) -> str:
    """The precision that `auto` stands for: bfloat16 where the hardware multiplies it natively,
    else float32.
    """
    if asked != "auto":
        return asked
    kind = device.partition(":")[0]
    native = (
        (_capability() or (0, 0)) >= (8, 0) if kind == "cuda" else kind == "cpu" and native_bf16()
    )
    return "bfloat16" if native and half_allowed(kind) else "float32"


def usual_batch(device: str) -> int:
    """How many tokens go into one batch where nothing is asked for: a processor's caches hold few,
    and a GPU is not busy with less (benchmarks/large.py).
    """
    return 1024 if device == "cpu" else 16_384


def versions(*packages: str) -> str:
    """Versions of the packages that decide the last bits, as far as they are installed."""
    return " ".join(f"{p}={v}" for p in packages if (v := _version(p)))


def computing(device: str, dtype: str) -> AbstractContextManager[Any]:
    """Autocast to a precision; nothing is changed for float32."""
    import torch

    spare_torch()
    kind = torch.device(device).type
    return torch.autocast(kind, getattr(torch, dtype), enabled=dtype != "float32")


def half_products(model: Any, dtype: str) -> Any:
    """The model with the matrices of its linear layers in `dtype`: what autocast would make of them
    again for every batch.
    """
    import torch

    for module in model.modules() if dtype != "float32" else ():
        if isinstance(module, torch.nn.Linear):
            module.to(getattr(torch, dtype))
    return model


def check_device(device: str) -> None:
    """Refuse a device that torch cannot use here."""
    import torch

    kind = device.partition(":")[0]
    usable = {
        "cpu": True,
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
    }
    if not usable.get(kind, True):
        raise DataProblem(f"torch cannot use the device {device!r} here; write device=cpu")


def _cuda_is_possible() -> bool:
    """Whether torch may find a CUDA device, or one of AMD, which it calls so; asked of neither."""
    if platform.system() != "Linux":
        return True
    present = any(Path("/dev", name).exists() for name in ("nvidiactl", "nvmap", "kfd", "dxg"))
    return present and "+cpu" not in _version("torch")


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


@functools.cache
def _capability() -> tuple[int, int] | None:
    """The compute capability of the first NVIDIA device, asked of NVML (which, unlike CUDA,
    survives a fork); None without one.
    """
    if not Path("/dev/nvidiactl").exists():
        return None
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    handle, major, minor = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_int()
    asked = (
        nvml.nvmlInit_v2() == 0
        and nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(handle)) == 0
        and nvml.nvmlDeviceGetCudaComputeCapability(
            handle, ctypes.byref(major), ctypes.byref(minor)
        )
        == 0
    )
    return (major.value, minor.value) if asked else None


FILE = "tokenizer.json"


def unknown(folder: Path, words: Sequence[str]) -> NDArray[np.bool_] | None:
    """Of which words [n] some piece is unknown to the tokeniser of a model's folder, each word
    alone; None where it cannot be told.

    Fast tokenisers keep themselves in tokenizer.json, beside the model or in the folder of its
    first module.
    """
    loaded = _tokeniser(folder)
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
def _tokeniser(folder: Path) -> tuple[Any, int | None, dict[str, bool]] | None:
    """A tokeniser, the number of its token for the unknown, None where it has none (bytes stand
    in), and what is known of words.
    """
    file = next(
        (path for path in (folder / FILE, *sorted(folder.glob(f"0_*/{FILE}"))) if path.is_file()),
        None,
    )
    if file is None:
        return None
    try:
        from tokenizers import Tokenizer

        text = file.read_text("utf-8")
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
MANY = "MultiVectorEncoder"


class Saved:
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
    def expanded(reference: Reference) -> list[Reference]:
        """The model at each of the revisions that a reference names."""
        return revisions_of(reference)

    @property
    def files(self) -> Files:
        """Where the model lies."""
        return files_of(self.model, "sentence-transformers")

    @property
    def trust(self) -> Trust:
        """Whether the model's own code may be run."""
        return Trust(self.trust_remote_code, self.code_revision)

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
        return f"{self.revision} {versions('tokenizers')} {device.partition(':')[0]} {dtype}"

    @property
    def revision(self) -> str:
        """The model's commit, or a digest of its files."""
        self.trust.check(self.model, self.files)
        return self.files.fingerprint

    def unknown(self, words: Sequence[str]) -> NDArray[np.bool_] | None:
        """Of which words [n] some piece is unknown to the tokeniser; None where it cannot be
        told.
        """
        return unknown(self.files.folder, words)
