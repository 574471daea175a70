"""The same HSIC from matrices of sentences by sentences, which is quicker where sentences are few:
a pair of layers costs their squared number, however wide vectors are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.inside.geometry.rows import Doubles, LayerVectors, make_jackknife_groups

MOST = 2_048  # sentences
ROOM = 2**30  # bytes of all matrices


class LinearKernel(NamedTuple):
    """A linear kernel without its diagonal.

    products  [n, n]
    sums      [n, groups + 1] of rows: whole, and without each group; 0 for sentences of the group
    """

    products: NDArray[np.float32]
    sums: Doubles


def fits_in_memory(sentences: int, layers: int) -> bool:
    """Whether the kernels of so many layers fit in memory."""
    return sentences <= MOST and 4 * sentences**2 * layers <= ROOM


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
    many = len(x.products)
    starts = [start for start, _ in make_jackknife_groups(many)]
    blocks = np.add.reduceat(x.products * y.products, starts, axis=1, dtype=np.float64)
    blocks = np.add.reduceat(blocks, starts, axis=0)
    trace = blocks.sum() - np.array([0.0, *(2 * blocks.sum(1) - blocks.diagonal())])
    n = many - np.array([0, *(stop - start for start, stop in make_jackknife_groups(many))])
    both, k, l_ = (x.sums * y.sums).sum(0), x.sums.sum(0), y.sums.sum(0)
    inner = trace + k * l_ / ((n - 1) * (n - 2)) - 2 * both / (n - 2)
    return np.asarray(inner / (n * (n - 3)))
