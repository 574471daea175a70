"""Probabilities of sentences in plain loops: the sum over tokens of a causal model, the
pseudo-log-likelihood of a masked one (Kauf & Ivanova 2023, section 3), and interpolated n-grams
(Witten & Bell 1991, method C).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch

Logits = Callable[[Sequence[int]], torch.Tensor]
"""Token ids of one text -> [tokens, vocabulary]."""


def causal(logits: Logits, start: int, ids: Sequence[int]) -> float:
    """The log-probability of tokens behind a start token, one pass a token."""
    total = 0.0
    for n, token in enumerate(ids):
        scores = logits([start, *ids[:n]])[-1].double()
        total += float(scores[token] - torch.logsumexp(scores, 0))
    return total


def masked(logits: Logits, mask: int, ids: Sequence[int], words: Sequence[int | None]) -> float:
    """The pseudo-log-likelihood of the pieces of words: each is predicted where it and the pieces
    of its word to its right are masked.
    """
    total = 0.0
    for n, word in enumerate(words):
        if word is None:
            continue
        seen = [mask if k >= n and words[k] == word else ids[k] for k in range(len(ids))]
        scores = logits(seen)[n].double()
        total += float(scores[ids[n]] - torch.logsumexp(scores, 0))
    return total


def witten_bell(corpus: Sequence[Sequence[str]], order: int, sentence: Sequence[str]) -> float:
    """The log-probability of a sentence and its end, by counting through the corpus each time."""

    def padded(words: Sequence[str]) -> list[str]:
        return ["<s>"] * (order - 1) + list(words) + ["</s>"]

    rows = [padded(words) for words in corpus]

    def probability(word: str, context: list[str]) -> float:
        followers = [
            row[i]
            for row in rows
            for i in range(order - 1, len(row))
            if row[i - len(context) : i] == context
        ]
        types = len(set(followers))
        vocabulary = len({row[i] for row in rows for i in range(order - 1, len(row))})
        shorter = probability(word, context[1:]) if context else 1 / (vocabulary + 1)
        if not followers:
            return shorter
        return (followers.count(word) + types * shorter) / (len(followers) + types)

    row = padded(sentence)
    return sum(
        math.log(probability(row[i], row[i - order + 1 : i])) for i in range(order - 1, len(row))
    )
