"""A table of scores from several sources, in plain loops over (encoder, family, model)."""

from __future__ import annotations

from math import isnan


def joined(sources):
    """Where each score of each source belongs: encoders as (name, family), and the cells. An
    encoder of a later source is the one of its name; else the only one of its model, where its
    source has no other of that model; else of that model's family, where its source has no other
    family of that model.
    """
    rows, cells = [], {}
    for source in sources:
        known = list(rows)
        for (name, family, model), column, value in source:
            same = [row for row in known if row[0] == name]
            siblings = [row for row in known if row[2] == model]
            alone = {row[0] for row, *_ in source if row[2] == model} == {name}
            one_family = {row[1] for row, *_ in source if row[2] == model} == {family}
            if same:
                row = same[0]
            elif model and alone and len(siblings) == 1:
                row = siblings[0]
            elif model and one_family and siblings:
                row = (name, siblings[0][1], model)
            else:
                row = (name, family, model)
            if row not in rows:
                rows.append(row)
            cells[row[0], column] = value
    return [row[:2] for row in rows], cells


def within(groups, x, y, correlation):
    """The mean correlation within groups of three or more, by how many of each have both scores;
    the number of these groups, and of those in which it is above and below 0.
    """
    each = []
    for group in dict.fromkeys(groups):
        pairs = [
            (a, b)
            for g, a, b in zip(groups, x, y, strict=True)
            if g == group and not isnan(a) and not isnan(b)
        ]
        if len(pairs) >= 3:
            each.append((correlation(*zip(*pairs, strict=True)), len(pairs)))
    if not each:
        return None, 0, 0, 0
    mean = sum(r * n for r, n in each) / sum(n for _, n in each)
    above, below = (sum(sign * r > 1e-9 for r, _ in each) for sign in (1, -1))
    return mean, len(each), above, below


def exact_p(x, y, correlation):
    """The share of all orders of y whose correlation is as far from 0 as that which is seen."""
    from itertools import permutations

    seen = abs(correlation(x, y)) - 1e-9
    orders = list(permutations(y))
    return sum(abs(correlation(x, order)) >= seen for order in orders) / len(orders)
