"""Several differences over the same clusters, tested together by the largest of them: every way of
swapping the two sides of clusters is counted (Westfall & Young 1993, 2.6 and 4.1, one step).
"""

from itertools import product
from math import sqrt


def corrected(differences):
    """The p (two sides) of each row: how often any row is as large as it is, in units of its own
    spread, when the sign of each cluster is turned for all rows alike.
    """

    def size(row, signs):
        spread = sqrt(sum(value**2 for value in row))
        return abs(sum(s * value for s, value in zip(signs, row, strict=True))) / (spread or 1)

    many = len(differences[0])
    ways = [max(size(row, signs) for row in differences) for signs in product((1, -1), repeat=many)]
    seen = [size(row, [1] * many) for row in differences]
    return [sum(largest >= mine - 1e-9 for largest in ways) / len(ways) for mine in seen]
