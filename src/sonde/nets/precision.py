"""Which number format products are worth computing in on this machine; asks the processor, imports nothing heavy."""

from __future__ import annotations

import functools
import os
import platform
from collections.abc import Mapping
from pathlib import Path

TILES = 0x1D  # the CPUID leaf that describes AMX tiles


@functools.cache
def native_bf16() -> bool:
    """Whether the processor multiplies bfloat16 itself (AVX-512 BF16, AMX, or Arm BF16), so that it is faster than float32."""
    processor = described()
    flags = set(processor.get("flags", processor.get("Features", "")).split())
    return bool(flags & {"avx512_bf16", "amx_bf16", "bf16"}) and not half_hidden_amx(processor)


def described() -> Mapping[str, str]:
    """The first processor's entry in /proc/cpuinfo; empty where there is none."""
    if platform.system() != "Linux":
        return {}
    try:
        entry = Path("/proc/cpuinfo").read_text("utf-8", "replace").partition("\n\n")[0]
    except OSError:
        return {}
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in entry.splitlines())}


def half_hidden_amx(processor: Mapping[str, str]) -> bool:
    """Whether a virtual machine announces AMX and hides what describes it.

    oneDNN, which multiplies bfloat16 for torch, then configures no tiles and dies of an illegal instruction; without AMX
    it is slower there than float32.
    """
    return "amx_tile" in processor.get("flags", "").split() and int(processor.get("cpuid level", TILES)) < TILES


def spare_torch() -> None:
    """Keep oneDNN off an AMX that would kill the process; to be called before the first product in bfloat16 on a processor."""
    if half_hidden_amx(described()):
        os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")  # read once, at oneDNN's first product
