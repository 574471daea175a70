"""The area under the ROC curve by counting pairs, and its variance by their placements (DeLong,
DeLong & Clarke-Pearson 1988); of several classes the mean over pairs of classes (Hand & Till 2001).
"""

from itertools import combinations


def won(a: float, b: float) -> float:
    return 1.0 if a > b else 0.5 if a == b else 0.0


def area(gold: list[int], scores: list[list[float]]) -> float:
    """Of each pair of classes, whether an example of the first has the higher score of it, and the
    other way around.
    """
    areas = []
    for i, j in combinations(sorted(set(gold)), 2):
        for one, other in ((i, j), (j, i)):
            ones = [s[one] for g, s in zip(gold, scores, strict=True) if g == one]
            others = [s[one] for g, s in zip(gold, scores, strict=True) if g == other]
            pairs = [won(a, b) for a in ones for b in others]
            areas.append(sum(pairs) / len(pairs))
    return sum(areas) / len(areas)


def variance(gold: list[int], scores: list[float]) -> float:
    """Of the area of two classes, by one score: DeLong's, with the sizes as divisors."""
    ones = [s for g, s in zip(gold, scores, strict=True) if g == 1]
    others = [s for g, s in zip(gold, scores, strict=True) if g == 0]
    first = [sum(won(a, b) for b in others) / len(others) for a in ones]
    second = [sum(won(a, b) for a in ones) / len(ones) for b in others]
    mean = sum(first) / len(first)
    return (
        sum((v - mean) ** 2 for v in first) / len(ones) ** 2
        + sum((v - mean) ** 2 for v in second) / len(others) ** 2
    )
