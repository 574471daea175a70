"""Rows that hang together, as they have something in common."""

from __future__ import annotations

import numpy as np

from lingprobe.data.vectors import Ints


def connect_rows(ties: Ints) -> Ints:
    """A number a row [n], equal for rows that hang together: they have a tie [n, ties] in common,
    or through other rows.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, many = ties.shape
    # a node for every row, and one for every tie
    ends = np.repeat(np.arange(n), many), n + ties.ravel()
    size = int(ends[1].max()) + 1
    graph = coo_array((np.ones(n * many, np.int8), ends), (size, size))
    return np.unique(connected_components(graph, directed=False)[1][:n], return_inverse=True)[
        1
    ].astype(np.int64)
