"""What a tagger reads of each word, and how an averaged perceptron with a margin learns from that, in
plain loops.
"""

from __future__ import annotations

from itertools import groupby, permutations, product

TYPED = {"‘": '"', "’": '"', "“": '"', "”": '"', "—": "--", "–": "--"}


def columns(word, usual):
    """What is known of a form, by name."""
    word = TYPED.get(word, word)
    lower = word.lower()
    marks = [
        "X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in word
    ]
    guess = f"?{lower[-2:]}{word[:1].isupper()}"
    return {
        "word": word,
        "lower": lower,
        **{f"tail{n}": (word if n == 1 else lower)[-n:] for n in (1, 2, 3, 4)},
        "head2": lower[:2],
        "shape": "".join(c * min(2, len(list(run))) for c, run in groupby(marks)),
        "usual": usual.get(word) or usual.get(lower) or guess,
    }


TEMPLATES = """
word, lower, tail1, tail2, tail3, tail4, head2, shape, usual, shape usual-1,
lower-1, lower+1, lower-2, lower+2, tail3-1, tail3+1, usual-1, usual+1, usual-1 usual+1,
usual-2 usual-1, usual+1 usual+2, usual usual-1, usual usual+1,
lower-1 lower, lower lower+1, usual-1 tail3
"""


def read(sentence, at, usual):
    """All that is read of one word of a sentence, a column of itself or of a word so far off, or of
    two together: pairs of what is read and what it is.
    """

    def of(column):
        name, offset = (column[:-2], int(column[-2:])) if column[-2] in "+-" else (column, 0)
        inside = 0 <= at + offset < len(sentence)
        return columns(sentence[at + offset] if inside else "", usual)[name]

    templates = [template.split() for template in TEMPLATES.split(",")]
    return [(tuple(template), tuple(map(of, template))) for template in templates]


def usual(sentences):
    """The tag that each form mostly has, the first by the alphabet of equal ones."""
    counts = {}
    for words, tags in sentences:
        for word, tag in zip(words, tags, strict=True):
            counts.setdefault(word, {}).setdefault(tag, 0)
            counts[word][tag] += 1
    return {w: min(tags, key=lambda tag: (-tags[tag], tag)) for w, tags in counts.items()}


def perceptrons(rows, labels, epochs, rate=0.1, slowly=0.01):
    """All (weights, bias) that an averaged perceptron with a margin of 1 comes to, whatever order
    the examples of each epoch have: a step at each example that is not beyond the margin, of the
    bias a hundredth, as scikit-learn has it for rows of few numbers; then the mean after each.
    """
    made = []
    for orders in product(permutations(range(len(rows))), repeat=epochs):
        weights, bias, sums, biases = [0.0] * len(rows[0]), 0.0, [0.0] * len(rows[0]), 0.0
        for i in (i for order in orders for i in order):
            sign = 1 if labels[i] else -1
            score = sum(w * x for w, x in zip(weights, rows[i], strict=True)) + bias
            if sign * score <= 1:
                weights = [w + rate * sign * x for w, x in zip(weights, rows[i], strict=True)]
                bias += slowly * rate * sign
            sums = [a + b for a, b in zip(sums, weights, strict=True)]
            biases += bias
        steps = epochs * len(rows)
        made.append(([each / steps for each in sums], biases / steps))
    return made
