"""Rows that are equal, or hang together as they have something in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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


def number_equal_rows(table: Ints) -> Ints:
    """A number a row [n], equal for equal rows; columns are joined pair by pair, which sorts
    numbers rather than rows.
    """
    numbers = np.zeros(len(table), np.int64)
    for column in table.T:
        codes = np.unique(column, return_inverse=True)[1].ravel()
        numbers = np.unique(numbers * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[
            1
        ].ravel()
    return numbers


def find_disputed_rows(groups: Ints, answers: Ints) -> NDArray[np.bool_]:
    """Of which rows the group has several answers."""
    size = int(answers.max(initial=0)) + 1
    pairs = np.unique(groups * size + answers)
    several = np.bincount(pairs // size, minlength=int(groups.max(initial=0)) + 1) > 1
    return np.asarray(several[groups])
