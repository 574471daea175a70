"""How things are shared out, and brought to one scale, in plain loops."""

from __future__ import annotations

from math import exp, floor, log, log2, sqrt


def largest_remainders(total, weights):
    """Hare's quota: whole shares first, what is left to the largest remainders, the first of equal
    ones.
    """
    exact = [total * weight / sum(weights) for weight in weights]
    whole = [floor(share) for share in exact]
    for i in sorted(range(len(exact)), key=lambda i: whole[i] - exact[i])[: total - sum(whole)]:
        whole[i] += 1
    return whole


def place(group, need, quota):
    """The part for a group with so many examples of each class: of those that it overfills least,
    one of which no class takes more than a tenth; of these the emptiest, then the largest.
    """
    some = [c for c, n in enumerate(group) if n]

    def rank(part):
        over = sum(max(group[c] - need[part][c], 0) for c in some)
        small = all(10 * group[c] <= quota[part][c] for c in some)
        empty = sum(group[c] * need[part][c] / quota[part][c] for c in some)
        return round(over, 9), not small, -round(empty, 9), -sum(quota[part][c] for c in some), part

    return min(range(len(need)), key=rank)


def gaussian(lengths, filled=0.9):
    """How many of each length to keep for a Gaussian with the mean and deviation of all, as high as
    it can be with nine tenths of it there.
    """
    mean = sum(lengths) / len(lengths)
    deviation = sqrt(sum((x - mean) ** 2 for x in lengths) / len(lengths))
    there = {x: lengths.count(x) for x in range(max(lengths) + 1)}
    bell = {x: exp(-(((x - mean) / deviation) ** 2) / 2) for x in there}
    share = {x: bell[x] / sum(bell.values()) for x in there}
    heights = sorted(there[x] / share[x] for x in there)
    fits = [
        h for h in [0, *heights] if sum(min(there[x], h * share[x]) for x in there) >= filled * h
    ]
    return {x: min(there[x], round(max(fits) * share[x])) for x in there}


def softmax_loss(scores, label):
    """Minus the logarithm of the chance of a class."""
    return log(sum(exp(score) for score in scores)) - scores[label]


def sigmoid_loss(scores, labels):
    """Minus the logarithms of the chances of what holds and what does not; None is not known."""
    chances = [1 / (1 + exp(-score)) for score in scores]
    return sum(
        -log(chance if label else 1 - chance)
        for chance, label in zip(chances, labels, strict=True)
        if label is not None
    )


def prior_code(labels, classes):
    """Krichevsky & Trofimov 1981: the bits of each label for one who has seen those before it."""
    return [
        -log2((labels[:i].count(label) + 0.5) / (i + classes / 2)) for i, label in enumerate(labels)
    ]


def pooled(pool, states, counts):
    """Tokens [tokens][dim] to one vector: those that count, but for `cls`, which is the first."""
    some = [state for state, here in zip(states, counts, strict=True) if here]
    if pool == "cls":
        return states[0]
    if not some:
        return [0.0] * len(states[0])
    if pool == "rest" and len(some) > 1:  # the mean without the first that counts
        return pooled("mean", some[1:], [True] * (len(some) - 1))
    columns = list(zip(*some, strict=True))
    return {
        "mean": [sum(column) / len(some) for column in columns],
        "rest": [sum(column) / len(some) for column in columns],
        "max": [max(column) for column in columns],
        "last": list(some[-1]),
        "end": list(some[-1]),
    }[pool]


def by_appearance(codes):
    """Codes numbered anew in the order in which they appear, and the old ones by new one."""
    order = []
    for code in codes:
        if code not in order:
            order.append(code)
    return [order.index(code) for code in codes], order


def missed(balances, slack, least, prices):
    """By how much prices miss the conditions of Karush, Kuhn and Tucker: shares are proportional to
    exp(balances times prices); each sum of a balance and its slack times price is zero, or where it
    is a least one, zero or more, and zero where its price is above zero; no such price is negative.
    """
    logits = [sum(b * p for b, p in zip(row, prices, strict=True)) for row in balances]
    weights = [exp(logit - max(logits)) for logit in logits]
    off = 0.0
    for k, price in enumerate(prices):
        total = sum(w * row[k] for w, row in zip(weights, balances, strict=True)) / sum(weights)
        total += slack[k] * price
        if least[k]:
            off = max(off, -price, abs(total) if price > 0 else -total)
        else:
            off = max(off, abs(total))
    return off
