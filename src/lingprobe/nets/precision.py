"""Which number format products are worth computing in on this machine: the processor is asked what
it has, and timed once; torch is imported for that alone.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
import math
import os
import platform
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import product
from pathlib import Path

from lingprobe.data.cache import (
    cache_dir,
    recall_value,
    remember_value,
    set_environment,
)

_TILES = 0x1D  # the CPUID leaf that describes AMX tiles


# set in the environment, so that worker processes know it, too
_REPRODUCIBLE = "LINGPROBE_REPRODUCIBLE"
BFLOAT16_VARIABLE = (
    "LINGPROBE_BFLOAT16"  # kinds of devices that compute in bfloat16 where they can, with commas
)
THREADS_VARIABLE = "LINGPROBE_THREADS"  # how many threads a process computes with
_GAIN = "LINGPROBE_BFLOAT16_GAIN"  # what was measured, for worker processes
_FOLDER = "formats"  # of the cache
_SHAPE = (
    256,
    384,
    1536,
)  # tokens, numbers in and out: a small model's layer, where the gain is least
_TURNS = 6
_BESIDE = 0.16  # share of the time of a network in float32 that products are not
_WORTH = 1.1  # times as fast: two digits are not given away for less
_WHICH = frozenset(
    {"vendor_id", "cpu family", "model", "model name", "stepping", "cpuid level", "flags"}
    | {"CPU implementer", "CPU architecture", "CPU variant", "CPU part", "Features"}
)
"""What /proc/cpuinfo says of a kind of processor."""
_LIMITS = ("ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY")
"""Variables that limit the instructions that torch multiplies with."""
_LEVELS = {"avx512f": "avx512", "avx2": "avx2", "avx": "avx", "asimd": "neon"}
"""Instructions that the order of sums, and so last bits, depends on: a processor's flag, and what
it is called.
"""


def must_be_reproducible() -> bool:
    """Whether everything is to be computed in float32 by one thread."""
    return os.environ.get(_REPRODUCIBLE) == "1"


def compute_reproducibly(enabled: bool) -> AbstractContextManager[None]:
    """`--reproducible`: what runs inside, worker processes included, is computed in float32 and
    with one thread where that is wanted.
    """
    return set_environment(_REPRODUCIBLE, "1" if enabled else None)


@contextmanager
def limit_threads(count: int) -> Iterator[None]:
    """Torch and the linear algebra of numpy use so many threads inside; they are restored after."""
    import torch
    from threadpoolctl import threadpool_limits

    threads = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        with threadpool_limits(count):
            yield
    finally:
        torch.set_num_threads(threads)


def limit_to_agreed_threads() -> AbstractContextManager[None]:
    """The threads that work is to be done with: one where it must be reproducible, as many as
    machines that share it agreed on, else as many as there are, but no more than a container's
    share of its machine. Torch does not look at that, and threads beyond it stop each other.
    """
    count = 1 if must_be_reproducible() else int(os.environ.get(THREADS_VARIABLE) or 0)
    if not count and "OMP_NUM_THREADS" not in os.environ:
        usable = usable_threads()
        count = usable if usable < _seen_threads() else 0
    return limit_threads(count) if count else nullcontext()


def usable_threads() -> int:
    """As many threads as a process may use here."""
    if must_be_reproducible():
        return 1
    if said := os.environ.get(THREADS_VARIABLE) or os.environ.get("OMP_NUM_THREADS"):
        return max(1, int(said.partition(",")[0]))  # OpenMP takes a number for each level
    import joblib

    return int(joblib.cpu_count())


def _seen_threads() -> int:
    """As many as the system shows."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def half_allowed(kind: str) -> bool:
    """Whether a kind of device may compute in bfloat16 where it can: nobody asked for reproducible
    numbers, and machines that share the work have not agreed otherwise.
    """
    allowed = os.environ.get(BFLOAT16_VARIABLE)
    return not must_be_reproducible() and (allowed is None or kind in allowed.split(","))


def get_processor_kind() -> str:
    """The kind of processor, as 'x86_64 avx512': two kinds agree but for the last bits of what they
    compute.
    """
    return f"{platform.machine()} {get_processor_level()}".strip()


@functools.cache
def get_processor_level() -> str:
    """The widest instructions of the processor, as 'avx512'; empty where they are not known."""
    facts = read_cpuinfo()
    flags = set(facts.get("flags", facts.get("Features", "")).split())
    return next((name for flag, name in _LEVELS.items() if flag in flags), "")


def native_bf16() -> bool:
    """Whether products are worth computing in bfloat16: the processor has them, they were measured
    to be faster than those of float32, and they are allowed.
    """
    return half_allowed("cpu") and _has_bf16() and half_gain() >= _WORTH


def _has_bf16() -> bool:
    """Whether the processor says that it multiplies bfloat16 itself (AVX-512 BF16, AMX, or Arm
    BF16), and can.
    """
    processor = read_cpuinfo()
    flags = set(processor.get("flags", processor.get("Features", "")).split())
    return bool(flags & {"avx512_bf16", "amx_bf16", "bf16"}) and not half_hidden_amx(processor)


def beside_products(half: bool) -> float:
    """How long a network takes beside its products in float32: in bfloat16 these are faster, and
    the rest is not.
    """
    return _BESIDE + (1 / max(1.0, half_gain()) if half else 1.0)


def half_gain() -> float:
    """How many times as fast products in bfloat16 are here as those in float32, timed once for a
    processor, a torch and a limit of its instructions; the cache remembers it; 0 without them.
    """
    said = os.environ.get(_GAIN)
    return float(said) if said else _measured_gain()


@functools.cache
def _measured_gain() -> float:
    try:
        torch = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return 0.0
    processor = {key: value for key, value in read_cpuinfo().items() if key in _WHICH}
    key = json.dumps([processor, torch, [os.environ.get(name) for name in _LIMITS], _SHAPE])
    known = recall_value(cache_dir() / _FOLDER, key)
    if not isinstance(known, float):
        known = _time_formats()
        remember_value(cache_dir() / _FOLDER, key, known)
    return known


def _time_formats() -> float:
    """How many times as long a layer's product takes in float32 as in bfloat16, on one thread, its
    input made smaller as autocast does it.
    """
    spare_torch()
    import torch

    rows, inputs, outputs = _SHAPE
    data, weights = torch.ones(rows, inputs), torch.ones(outputs, inputs)
    half = weights.bfloat16()
    took = {True: math.inf, False: math.inf}
    with limit_threads(1), torch.inference_mode():
        for turn, smaller in product(range(1 + _TURNS), (False, True)):
            start = time.perf_counter()
            if smaller:
                torch.nn.functional.linear(data.bfloat16(), half)
            else:
                torch.nn.functional.linear(data, weights)
            if turn:  # the first prepares
                took[smaller] = min(took[smaller], time.perf_counter() - start)
    return took[False] / took[True]


def passing_on() -> AbstractContextManager[None]:
    """Worker processes that start inside compute as this one does, also where what was measured
    cannot be remembered.
    """
    measured = _measured_gain.cache_info().currsize > 0
    return set_environment(_GAIN, repr(half_gain()) if measured else None)


def read_cpuinfo() -> Mapping[str, str]:
    """The first processor's entry in /proc/cpuinfo; empty where there is none."""
    if platform.system() != "Linux":
        return {}
    try:
        entry = Path("/proc/cpuinfo").read_text("utf-8", "replace").partition("\n\n")[0]
    except OSError:
        return {}
    return {
        key.strip(): value.strip()
        for key, _, value in (line.partition(":") for line in entry.splitlines())
    }


def half_hidden_amx(processor: Mapping[str, str]) -> bool:
    """Whether a virtual machine announces AMX and hides what describes it.

    oneDNN, which multiplies bfloat16 for torch, then configures no tiles and dies of an illegal
    instruction; without AMX it is slower there than float32.
    """
    return (
        "amx_tile" in processor.get("flags", "").split()
        and int(processor.get("cpuid level", _TILES)) < _TILES
    )


def spare_torch() -> None:
    """Keep oneDNN off an AMX that would kill the process; to be called before the first product in
    bfloat16 on a processor.
    """
    if half_hidden_amx(read_cpuinfo()):
        # read once, at oneDNN's first product
        os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")
