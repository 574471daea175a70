"""Which device torch is to compute on, and in which precision: found without importing torch,
because both belong to identities.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.metadata
import logging
import os
import platform
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from lingprobe.data._foreign_code import one_line
from lingprobe.data.cache import set_environment
from lingprobe.data.errors import DataProblem, UsageProblem
from lingprobe.data.suggestions import suggest_name
from lingprobe.nets.precision import half_allowed, native_bf16

T = TypeVar("T")
U = TypeVar("U")
log = logging.getLogger("lingprobe.probes")
DEVICE_VARIABLE = (
    "LINGPROBE_DEVICE"  # what `auto` stands for, where machines that share the work agreed on it
)
_NAMES = ("auto", "cpu", "cuda", "mps", "xpu", "xla", "hpu", "npu", "mtia", "hip")
_FITS = "LINGPROBE_PROBE_DEVICE"  # what probes are fitted on, as it was asked for


def check_device_name(device: str, option: str = "device") -> None:
    """Refuse what is no device of torch, before any work."""
    if get_device_kind(device) in _NAMES:
        return
    meant = f"cuda:{device}" if device.isdecimal() else suggest_name("device", device, _NAMES)
    hint = f"did you mean {meant}?" if meant else "write cpu, cuda, cuda:1, mps or auto"
    raise UsageProblem(f"{option}={device}: {hint}")


def resolved_device(device: str) -> str:
    """`device=auto`: cuda where this torch can use one that is there, else mps on Apple silicon,
    else cpu.
    """
    check_device_name(device)
    if device != "auto":
        if get_device_kind(device) == "cuda" and not _cuda_is_possible():
            raise DataProblem(
                f"device={device}: there is no CUDA device here that this torch can use; write"
                " device=cpu, or leave it out"
            )
        return device
    if agreed := os.environ.get(DEVICE_VARIABLE):
        return agreed
    if platform.system() == "Darwin" and platform.machine() == "arm64":
        return "mps"
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES", "all") in ("", "-1")
    return (
        "cuda"
        if not hidden and "+cpu" not in installed_version("torch") and _capability() is not None
        else "cpu"
    )


def resolved_dtype(dtype: str, device: str) -> str:
    """`dtype=auto`: bfloat16 where the hardware multiplies it natively, else float32."""
    if dtype != "auto":
        return dtype
    sort = get_device_kind(device)
    native = (
        (_capability() or (0, 0)) >= (8, 0) if sort == "cuda" else sort == "cpu" and native_bf16()
    )
    return "bfloat16" if native and half_allowed(sort) else "float32"


def fitting_on(device: str) -> AbstractContextManager[None]:
    """`--probe-device`: probes are fitted on this device inside, in worker processes, too;
    UsageProblem where they cannot be, as on mps.
    """
    check_device_name(device, "probe_device")
    if device not in ("auto", "cpu") and not re.fullmatch("cuda(:[0-9]+)?", device):
        raise UsageProblem(
            f"probe_device={device!r}: probes are fitted on cpu, cuda, cuda:N or auto; other"
            " devices lack float64, which their sums are taken in"
        )
    return set_environment(_FITS, device)


def fits_elsewhere() -> bool:
    """Whether probes were asked to be fitted on another device than the processor, if there is
    one.
    """
    return (os.environ.get(_FITS) or "cpu") != "cpu"


def fit_device() -> str:
    """Probes are fitted on the processor, unless another device was asked for; `auto` is that of
    encoders where it is CUDA.
    """
    device = resolved_device(os.environ.get(_FITS) or "cpu")
    return device if device.startswith("cuda") else "cpu"


@runtime_checkable
class DeviceAwareProbe(Protocol):
    """A probe that may be fitted on several devices: which one it is here."""

    __slots__ = ()

    @property
    def device(self) -> str:
        """What it is fitted on."""
        return fit_device()

    @property
    def fingerprint(self) -> str:
        """The kind of device that it is fitted on."""
        return get_device_kind(self.device)


def get_device_kind(device: str) -> str:
    """A device without its number, as identities know it: 'cuda' of 'cuda:1'."""
    return device.partition(":")[0]


def in_halves(
    work: Callable[[Sequence[T]], list[U]],
    items: Sequence[T],
    noun: str = "fit",
    otherwise: str = "fit on the processor, with probe_device=cpu",
) -> list[U]:
    """What `work` makes of each item: of all at once, or of half of them at a time where the device
    has no memory for more.

    noun, otherwise  what an item is, and what to do where there is no memory for one
    """
    import torch

    try:
        return work(items)
    except torch.cuda.OutOfMemoryError as error:
        if len(items) < 2:
            raise DataProblem(
                f"the GPU has no memory for one {noun} ({one_line(error)}): {otherwise}"
            ) from None
    torch.cuda.empty_cache()
    middle = len(items) // 2
    log.info("the GPU has no memory for %d times one %s; half of them go first", len(items), noun)
    halves = items[:middle], items[middle:]
    return [each for half in halves for each in in_halves(work, half, noun, otherwise)]


def check_device(device: str) -> None:
    """Refuse a device that torch cannot use here."""
    import torch

    usable = {
        "cpu": True,
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
    }
    if not usable.get(get_device_kind(device), True):
        raise DataProblem(f"torch cannot use the device {device!r} here; write device=cpu")


def free_memory() -> int | None:
    """Bytes of memory that this process can still take, as Linux and the limit of a container say;
    None on other systems.
    """
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvail"))
    except (OSError, StopIteration):
        return None
    with contextlib.suppress(OSError, ValueError):  # no limit, or none that is a number
        limit, used = (
            int(Path("/sys/fs/cgroup", name).read_text())
            for name in ("memory.max", "memory.current")
        )
        counts = Path("/sys/fs/cgroup/memory.stat").read_text().split()
        files = int(counts[counts.index("inactive_file") + 1])  # of files, given back when needed
        return min(free, limit - used + files)
    return free


def _cuda_is_possible() -> bool:
    """Whether torch may find a CUDA device, or one of AMD, which it calls so; asked of neither."""
    if platform.system() != "Linux":
        return True
    present = any(Path("/dev", name).exists() for name in ("nvidiactl", "nvmap", "kfd", "dxg"))
    return present and "+cpu" not in installed_version("torch")


@functools.cache
def installed_version(package: str) -> str:
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
