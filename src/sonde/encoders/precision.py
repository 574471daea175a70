"""Which device and which precision a model runs with, found without importing torch, because both
belong to its identity.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import os
import platform
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

from sonde.core import DataProblem
from sonde.nets.precision import native_bf16, reproducible, spare_torch

Dtype = Literal["auto", "float32", "bfloat16", "float16"]


def resolved_device(asked: str) -> str:
    """The device that `auto` stands for: cuda where this torch can use one that is there, else mps
    on Apple silicon, else cpu.
    """
    if asked != "auto":
        return asked
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
    if reproducible():
        return "float32"
    kind = device.partition(":")[0]
    native = (
        (_capability() or (0, 0)) >= (8, 0) if kind == "cuda" else kind == "cpu" and native_bf16()
    )
    return "bfloat16" if native else "float32"


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
