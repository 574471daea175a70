"""Which sentences an encoder was trained on, as eight bytes of each: it is to be probed on others.

Sentences are told by letters and digits alone, so spacing, case and tokenisation do not hide them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.text import strip_to_letters
from lingprobe.data.core import Sentence
from lingprobe.data.digests import hash_bytes

Hashes = NDArray[np.uint64]


def hash_key(key: str) -> int:
    """A hash of a text by letters and digits, so spacing and case hide nothing: eight bytes that
    stand for what `strip_to_letters` makes of it, as a number; 0 where that is empty.
    """
    if not key:
        return 0
    return int.from_bytes(hash_bytes(key.encode("utf-8", "surrogatepass"), 8), "little")


def hash_sentences(sentences: Sequence[Sentence]) -> Hashes:
    """The hashes of sentences [sentences, 2]: of the text, and of the words joined with spaces; 0
    for one without letters and digits.
    """
    hashes = np.zeros((len(sentences), 2), np.uint64)
    for row, sentence in zip(hashes, sentences, strict=True):
        text, joined = strip_to_letters(sentence.text), strip_to_letters(" ".join(sentence.words))
        row[0] = hash_key(text)
        row[1] = row[0] if joined == text else hash_key(joined)
    return hashes


def are_among(hashes: Hashes, sorted_hashes: Hashes) -> NDArray[np.bool_]:
    """Which sentences, by their hashes [sentences, 2], are among those of `sorted_hashes`, which is
    sorted.
    """
    if not len(sorted_hashes):
        return np.zeros(len(hashes), bool)
    place = np.minimum(np.searchsorted(sorted_hashes, hashes), len(sorted_hashes) - 1)
    return np.asarray(((sorted_hashes[place] == hashes) & (hashes != 0)).any(1))
