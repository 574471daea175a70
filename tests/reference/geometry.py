"""Geometry of representations in plain loops over matrices of sentences by sentences: unbiased HSIC
(Song et al. 2012, equation 5), CKA (Kornblith et al. 2019, equation 4), the mean cosine
(Ethayarajh 2019), what a dimension adds to it (Timkey & van Schijndel 2021), TwoNN (Facco et al.
2017), and the error of the best rotation (Golub & Van Loan, 6.4.1).
"""

import math

Matrix = list[list[float]]


def kernel(x: Matrix) -> Matrix:
    return [[sum(a * b for a, b in zip(u, v, strict=True)) for v in x] for u in x]


def unbiased_hsic(x: Matrix, y: Matrix) -> float:
    """Every sum is over different sentences."""
    n, k, l_ = len(x), kernel(x), kernel(y)
    for i in range(n):
        k[i][i] = l_[i][i] = 0.0
    trace = sum(k[i][j] * l_[j][i] for i in range(n) for j in range(n))
    sums = sum(map(sum, k)) * sum(map(sum, l_)) / ((n - 1) * (n - 2))
    both = sum(k[i][j] * l_[j][m] for i in range(n) for j in range(n) for m in range(n))
    return (trace + sums - 2 * both / (n - 2)) / (n * (n - 3))


def debiased_cka(x: Matrix, y: Matrix) -> float:
    return unbiased_hsic(x, y) / math.sqrt(unbiased_hsic(x, x) * unbiased_hsic(y, y))


def plain_cka(x: Matrix, y: Matrix) -> float:
    """The biased estimate, of centred vectors: |Y'X|^2 / (|X'X| |Y'Y|)."""

    def centred(z: Matrix) -> Matrix:
        means = [sum(column) / len(z) for column in zip(*z, strict=True)]
        return [[a - m for a, m in zip(row, means, strict=True)] for row in z]

    def squared(u: Matrix, v: Matrix) -> float:
        k, l_ = kernel(u), kernel(v)
        return sum(a * b for r, s in zip(k, l_, strict=True) for a, b in zip(r, s, strict=True))

    x, y = centred(x), centred(y)
    return squared(x, y) / math.sqrt(squared(x, x) * squared(y, y))


def mean_cosine(x: Matrix, dimensions: range | None = None) -> float:
    """Over all pairs of different rows; of some dimensions, their part of it."""
    total, pairs = 0.0, 0
    for i, u in enumerate(x):
        for v in x[:i]:
            lengths = math.sqrt(sum(a * a for a in u)) * math.sqrt(sum(a * a for a in v))
            some = dimensions or range(len(u))
            total, pairs = total + sum(u[d] * v[d] for d in some) / lengths, pairs + 1
    return total / pairs


def two_nn(x: Matrix, discarded: float = 0.1) -> float:
    ratios = []
    for i, u in enumerate(x):
        near = sorted(math.dist(u, v) for j, v in enumerate(x) if j != i)
        ratios.append(near[1] / near[0])
    ratios.sort()
    n = len(ratios)
    points = [(math.log(r), -math.log(1 - (i + 1) / n)) for i, r in enumerate(ratios) if i + 1 < n]
    points = points[: int(n * (1 - discarded))]
    return sum(a * b for a, b in points) / sum(a * a for a, _ in points)


def rotation_error(x: Matrix, y: Matrix, singular_values: list[float]) -> float:
    """The least |XR - Y|^2: |X|^2 + |Y|^2 - 2 times the sum of the singular values of X'Y."""
    squares = sum(a * a for row in (*x, *y) for a in row)
    return squares - 2 * sum(singular_values)
