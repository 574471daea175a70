"""A function as an encoder: mine.py@vowels."""

import numpy as np


def vowels(sentences: list[str]) -> np.ndarray:
    """How often each vowel occurs in the sentence."""
    return np.array([[sentence.lower().count(v) for v in "aeiou"] for sentence in sentences])
