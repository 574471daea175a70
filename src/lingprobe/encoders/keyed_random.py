"""Random numbers drawn by a key: the same key gives the same numbers in every process and with
every version of numpy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lingprobe.data.digests import stretch_key
from lingprobe.data.vectors import Floats


def draw_normals(keys: Sequence[bytes], dim: int, salt: str) -> Floats:
    """Standard normal vectors [keys, dim], each drawn by SHAKE-256 of salt and key (Box and Muller,
    1958).
    """
    half = (dim + 1) // 2
    vectors = np.empty((len(keys), 2 * half), np.float32)
    head = salt.encode() + b"\x1f"
    for start in range(0, len(keys), 4096):  # in runs, so that float64 temporaries stay small
        digests = [stretch_key(head + key, 8 * half) for key in keys[start : start + 4096]]
        uniform = (np.frombuffer(b"".join(digests), "<u4").reshape(-1, 2, half) + 0.5) / 2**32
        radius, angle = np.sqrt(-2 * np.log(uniform[:, 0])), 2 * np.pi * uniform[:, 1]
        vectors[start : start + 4096] = np.concatenate(
            [radius * np.cos(angle), radius * np.sin(angle)], 1
        )
    return vectors[:, :dim]
