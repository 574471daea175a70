"""Which number format products are worth computing in on this machine; asks the processor, imports nothing heavy."""

from __future__ import annotations

import functools
import platform
from pathlib import Path


@functools.cache
def native_bf16() -> bool:
    """Whether the processor multiplies bfloat16 itself (AVX-512 BF16, AMX, or Arm BF16), so that it is faster than float32."""
    if platform.system() != "Linux":
        return False
    try:
        flags = set(Path("/proc/cpuinfo").read_text("utf-8", "replace").split())
    except OSError:
        return False
    return bool(flags & {"avx512_bf16", "amx_bf16", "bf16"})
