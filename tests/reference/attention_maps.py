"""Which word each word attends to most, in plain loops over the pieces (Clark et al. 2019, section
4.1 for pieces and words, 4.2 for what counts).
"""


def pointed(attention, words):
    """How many words off the word is that each word attends to most, by `attention[i][j]`, that of
    piece i to piece j; `words` are lists of pieces.
    """
    found = []
    for here, mine in enumerate(words):
        best, most = 0, -1.0
        for there, other in enumerate(words):
            to = sum(sum(attention[i][j] for j in other) for i in mine) / len(mine)
            if there != here and to > most:
                best, most = there - here, to
        found.append(best)
    return found


def scaled_softmax(query, key, allowed):
    """Weights of attention of one head, from queries and keys as lists of numbers (Vaswani et al.
    2017, equation 1); `allowed[i][j]` says whether i may look at j.
    """
    from math import exp, sqrt

    rows = []
    for i, q in enumerate(query):
        scores = [
            exp(sum(a * b for a, b in zip(q, k, strict=True)) / sqrt(len(q))) * allowed[i][j]
            for j, k in enumerate(key)
        ]
        rows.append([score / (sum(scores) or 1.0) for score in scores])
    return rows
