"""Whether two languages lie in a space alike: the rotation that maps one onto the other (orthogonal
Procrustes, Schönemann 1966), learnt on parallel sentences and judged on others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.inside.geometry.rows import Doubles

ROTATION_FOLD_COUNT = 5
RETRIEVAL_WAYS = ("as is", "centred", "rotated")
Hits = NDArray[np.bool_]


class LanguageAlignment(NamedTuple):
    """What came of mapping one language onto another.

    hits    [ways, 2, n] whether a sentence's translation has the highest cosine of all sentences of
            its fold: as vectors are, without the mean of each language, and rotated as well; from
            the first language to the second, and back
    errors  [folds] squared distance of translations after rotation, over the sum of both squared
            lengths: 0 for a mere rotation, 1 for vectors that have nothing to do with each other
    """

    hits: Hits
    errors: Doubles


def compute_rotation(x: Doubles, y: Doubles) -> Doubles:
    """The rotation that maps one language onto the other best (orthogonal Procrustes): the matrix R
    with orthonormal columns or rows for which xR is nearest to y, [p, q].
    """
    left, _, right = np.linalg.svd(x.T @ y, full_matrices=False)
    return np.asarray(left @ right)


def make_test_folds(sentence_count: int) -> list[NDArray[np.int64]]:
    """The test sentences of each fold; neighbours stay together, as they are of one text."""
    return np.array_split(np.arange(sentence_count), ROTATION_FOLD_COUNT)


def align_vectors(x: Doubles, y: Doubles) -> LanguageAlignment:
    """How many sentences find their translation as is, centred and rotated, the rotation learnt on
    the other four fifths: parallel vectors x [n, p] mapped onto y [n, q]. Ways without a rotation
    need p = q.
    """
    hits, errors = np.zeros((len(RETRIEVAL_WAYS), 2, len(x)), bool), []
    for test in make_test_folds(len(x)):
        train = np.ones(len(x), bool)
        train[test] = False
        middle = x[train].mean(0), y[train].mean(0)
        turn = compute_rotation(x[train] - middle[0], y[train] - middle[1])
        one, other = x[test] - middle[0], y[test] - middle[1]
        turned = one @ turn
        for way, pair in enumerate(((x[test], y[test]), (one, other), (turned, other))):
            hits[way][:, test] = find_translations(*pair)
        whole = float((one**2).sum() + (other**2).sum())
        errors.append(float(((turned - other) ** 2).sum()) / whole if whole else np.nan)
    return LanguageAlignment(hits, np.array(errors))


def find_translations(x: Doubles, y: Doubles) -> Hits:
    """How many sentences have their translation as the nearest by cosine: whether row i of y has
    the highest with row i of x, and the other way around, [2, n]; one that shares it with another
    has not.
    """
    cosines = _scale_to_unit_length(x) @ _scale_to_unit_length(y).T
    own = np.diagonal(cosines).copy()
    np.fill_diagonal(cosines, -np.inf)
    return np.stack([own > cosines.max(1), own > cosines.max(0)])


def _scale_to_unit_length(x: Doubles) -> Doubles:
    norms = np.sqrt((x**2).sum(1, keepdims=True))
    return np.asarray(x / np.where(norms > 0, norms, 1))
