"""Which number format products are worth computing in on this machine; asks the processor, imports
nothing heavy.
"""

from __future__ import annotations

import functools
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from lingprobe.data._old_names import variable
from lingprobe.data.cache import environment

TILES = 0x1D  # the CPUID leaf that describes AMX tiles


# set in the environment, so that worker processes know it, too
REPRODUCIBLE = "LINGPROBE_REPRODUCIBLE"
HALF = "LINGPROBE_BFLOAT16"  # kinds of devices that compute in bfloat16 where they can, with commas
THREADS = "LINGPROBE_THREADS"  # how many threads a process computes with
LEVELS = {"avx512f": "avx512", "avx2": "avx2", "avx": "avx", "asimd": "neon"}
"""Instructions that the order of sums, and so last bits, depends on: a processor's flag, and what
it is called.
"""


def reproducible() -> bool:
    """Whether everything is to be computed in float32 by one thread."""
    return variable(REPRODUCIBLE) == "1"


def reproducing(enabled: bool) -> AbstractContextManager[None]:
    """What runs inside, worker processes included, is computed in float32 by one thread where that
    is wanted.
    """
    return environment(REPRODUCIBLE, "1" if enabled else None)


@contextmanager
def limit_threads(count: int) -> Iterator[None]:
    """Torch and the linear algebra of numpy use so many threads inside."""
    import torch
    from threadpoolctl import threadpool_limits

    threads = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        with threadpool_limits(count):
            yield
    finally:
        torch.set_num_threads(threads)


def threads() -> AbstractContextManager[None]:
    """The threads that work is to be done with: one where it must be reproducible, as many as
    machines that share it agreed on, else as many as there are.
    """
    count = 1 if reproducible() else int(variable(THREADS) or 0)
    return limit_threads(count) if count else nullcontext()


def usable_threads() -> int:
    """As many threads as a process may use here."""
    if reproducible():
        return 1
    if said := variable(THREADS) or os.environ.get("OMP_NUM_THREADS"):
        return max(1, int(said.partition(",")[0]))  # OpenMP takes a number for each level
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def half_allowed(kind: str) -> bool:
    """Whether a kind of device may compute in bfloat16 where it can: nobody asked for reproducible
    numbers, and machines that share the work have not agreed otherwise.
    """
    allowed = variable(HALF)
    return not reproducible() and (allowed is None or kind in allowed.split(","))


def processor() -> str:
    """The kind of processor, as 'x86_64 avx512': two kinds agree but for the last bits of what they
    compute.
    """
    facts = read_cpuinfo()
    flags = set(facts.get("flags", facts.get("Features", "")).split())
    level = next((name for flag, name in LEVELS.items() if flag in flags), "")
    return f"{platform.machine()} {level}".strip()


def native_bf16() -> bool:
    """Whether products are worth computing in bfloat16: the processor has them, and they are
    allowed.
    """
    return half_allowed("cpu") and _has_bf16()


@functools.cache
def _has_bf16() -> bool:
    """Whether the processor multiplies bfloat16 itself (AVX-512 BF16, AMX, or Arm BF16), so that it
    is faster than float32.
    """
    processor = read_cpuinfo()
    flags = set(processor.get("flags", processor.get("Features", "")).split())
    return bool(flags & {"avx512_bf16", "amx_bf16", "bf16"}) and not half_hidden_amx(processor)


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
        and int(processor.get("cpuid level", TILES)) < TILES
    )


def spare_torch() -> None:
    """Keep oneDNN off an AMX that would kill the process; to be called before the first product in
    bfloat16 on a processor.
    """
    if half_hidden_amx(read_cpuinfo()):
        # read once, at oneDNN's first product
        os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")
