"""The same HSIC from matrices of sentences by sentences, which is quicker where sentences are few:
a pair of layers costs their squared number, however wide vectors are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.inside.geometry.rows import Doubles, LayerVectors, make_jackknife_groups

_MOST = 2_048  # sentences
_ROOM = 2**30  # bytes of all matrices


class LinearKernel(NamedTuple):
    """A linear kernel without its diagonal.

    products  [n, n]
    sums      [n, groups + 1] of rows: whole, and without each group; 0 for sentences of the group
    """

    products: NDArray[np.float32]
    sums: Doubles


def fits_in_memory(sentences: int, layers: int) -> bool:
    """Whether the kernels of so many layers fit in memory."""
    return sentences <= _MOST and 4 * sentences**2 * layers <= _ROOM


def compute_kernel(rows: LayerVectors) -> LinearKernel:
    """The kernel of a representation."""
    many = rows.shape[0]
    x = rows.read(0, many)
    x = x - x.mean(0)
    products = x @ x.T
    np.fill_diagonal(products, 0)
    parts = make_jackknife_groups(many)
    whole = products.sum(1)
    sums = np.repeat(whole[:, None], len(parts) + 1, 1)
    for k, (start, stop) in enumerate(parts, 1):
        sums[:, k] -= products[:, start:stop].sum(1)
        sums[start:stop, k] = 0
    return LinearKernel(products.astype(np.float32), sums)


def kernel_hsics(x: LinearKernel, y: LinearKernel) -> Doubles:
    """HSIC of two representations, and without each group of sentences, [groups + 1]."""
    parts = make_jackknife_groups(len(x.products))
    whole = _multiply_rows(x.products, y.products)
    within = [_multiply_rows(*(k.products[a:b, a:b] for k in (x, y))).sum() for a, b in parts]
    touched = 2 * np.add.reduceat(whole, [start for start, _ in parts]) - within
    trace = whole.sum() - np.array([0.0, *touched])
    n = len(whole) - np.array([0, *(stop - start for start, stop in parts)])
    both, k, l_ = (x.sums * y.sums).sum(0), x.sums.sum(0), y.sums.sum(0)
    inner = trace + k * l_ / ((n - 1) * (n - 2)) - 2 * both / (n - 2)
    return np.asarray(inner / (n * (n - 3)))


def _multiply_rows(x: NDArray[np.float32], y: NDArray[np.float32]) -> Doubles:
    """The inner product of each row with that of the other matrix [n]: one pass, and no matrix."""
    return np.asarray(np.einsum("ij,ij->i", x, y), np.float64)
