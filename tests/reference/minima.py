"""L-BFGS in plain loops over lists."""

from __future__ import annotations


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def along(a, b, by):
    """a + by * b."""
    return [x + by * y for x, y in zip(a, b, strict=True)]


def direction(slope, moves):
    """Minus the inverse Hessian times the gradient (Nocedal & Wright 2006, algorithm 7.4, and 7.20
    for its scale); `moves` are pairs of a step and the change of the gradient, the last one last. A
    pair without curvature says nothing, and the scale is 1 then.
    """

    def curved(step, change):
        return dot(step, change) > 1e-12 * dot(change, change)

    q, known, weights = list(slope), [move for move in moves if curved(*move)], []
    for step, change in reversed(known):
        weights.append(dot(step, q) / dot(step, change))
        q = along(q, change, -weights[-1])
    if moves and curved(*moves[-1]):
        step, change = moves[-1]
        q = [dot(step, change) / dot(change, change) * x for x in q]
    for (step, change), weight in zip(known, reversed(weights), strict=True):
        q = along(q, step, weight - dot(change, q) / dot(step, change))
    return [-x for x in q] if dot(q, slope) > 0 else [-x for x in slope]


def line_search(objective, place, value, slope, down, trials=12, enough=1e-4):
    """Steps that shrink until they bring a ten thousandth of what the slope promises (Armijo), each
    to the minimum of the parabola through what is known (3.57 and 3.58), but not below a tenth nor
    above a half of the last; no step where none of them does.
    """
    length, promise = 1.0, dot(slope, down)
    for _ in range(trials):
        tried = along(place, down, length)
        there, gradient = objective(tried)
        if there <= value + enough * length * promise + 1e-12 * abs(value):
            return tried, there, gradient
        best = -promise * length**2 / (2 * (there - value - promise * length))
        length = min(max(best, 0.1 * length), 0.5 * length)
    return place, value, slope


def descent(objective, start, tolerance, memory=12, most=300):
    """The places that a search comes through. It ends after two steps in a row that gain less than
    `tolerance` of the value before, or of a hundredth of the first value.
    """
    place, (value, slope) = list(start), objective(start)
    least, moves, small, came = 0.01 * abs(value), [], 0, []
    while small < 2 and len(came) < most:
        down = direction(slope, moves[-memory:])
        to, reached, there = line_search(objective, place, value, slope, down)
        moves.append((along(to, place, -1), along(there, slope, -1)))
        gain = (value - reached) / max(abs(value), least)
        small = small + 1 if gain < tolerance else 0
        place, value, slope = to, reached, there
        came.append(place)
    return came
