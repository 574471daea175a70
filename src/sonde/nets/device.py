"""Which device torch is to compute on, and in which precision: found without importing torch,
because both belong to identities.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import os
import platform
from pathlib import Path

from sonde.examples import DataProblem
from sonde.nets.precision import half_allowed, native_bf16

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
        if not hidden and "+cpu" not in installed("torch") and _capability() is not None
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
    return present and "+cpu" not in installed("torch")


def installed(package: str) -> str:
    """The version of a package that is installed; '' where it is not."""
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
