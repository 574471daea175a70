"""Which sentences an encoder was trained on, as eight bytes of each: it is to be probed on others.

Sentences are told by letters and digits alone, so spacing, case and tokenisation do not hide them.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.text import strip_to_letters
from lingprobe.data.cache import open_draft
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.vectors import Ints

Hashes = NDArray[np.uint64]
SEEN = "seen.npy"
"""The file in the folder of a trained encoder."""


def hash_key(key: str) -> int:
    """Eight bytes that stand for what `letters` makes of a text, as a number; 0 where that is
    empty.
    """
    if not key:
        return 0
    whole = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(whole.digest(), "little")


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


def are_among(hashes: Hashes, seen: Hashes) -> NDArray[np.bool_]:
    """Which sentences, by their hashes [sentences, 2], are among those of `seen`, which is
    sorted.
    """
    if not len(seen):
        return np.zeros(len(hashes), bool)
    place = np.minimum(np.searchsorted(seen, hashes), len(seen) - 1)
    return np.asarray(((seen[place] == hashes) & (hashes != 0)).any(1))


@dataclass
class Collected:
    """Hashes of the texts of examples, gathered while they are read, at eight bytes a text.

    sizes  how many texts each example has
    """

    hashes: array[int] = field(default_factory=lambda: array("Q"))
    sizes: array[int] = field(default_factory=lambda: array("B"))

    def add(self, keys: Iterable[str]) -> None:
        """Another example, by what `letters` makes of each of its texts."""
        before = len(self.hashes)
        self.hashes.extend(filter(None, map(hash_key, keys)))
        self.sizes.append(len(self.hashes) - before)

    def keep(self, examples: Ints) -> None:
        """Only those of some examples, by number, in order."""
        kept = np.zeros(len(self.sizes), bool)
        kept[examples] = True
        sizes = np.frombuffer(self.sizes, np.uint8)
        hashes = np.frombuffer(self.hashes, np.uint64)[np.repeat(kept, sizes)]
        self.hashes, self.sizes = array("Q", hashes.tobytes()), array("B", sizes[kept].tobytes())

    def distinct(self) -> Hashes:
        """Each hash once, sorted."""
        hashes: Hashes = np.sort(np.frombuffer(self.hashes, np.uint64))
        new = np.ones(len(hashes), bool)  # in less memory than np.unique takes
        np.not_equal(hashes[1:], hashes[:-1], out=new[1:])
        return np.compress(new, hashes)


def write(folder: Path, seen: Hashes) -> None:
    """Keep the hashes of what an encoder was trained on in its folder."""
    with open_draft(folder / SEEN) as part, part.open("wb") as file:
        np.save(file, seen, allow_pickle=False)


def read(folder: Path, many: int) -> Hashes:
    """The hashes that a folder keeps, mapped from the file; DataProblem where they are not as many
    as there were.
    """
    try:
        seen = np.load(folder / SEEN, mmap_mode="r" if many else None, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        seen = None
    if not isinstance(seen, np.ndarray) or (seen.dtype, seen.shape) != (np.uint64, (many,)):
        raise DataProblem(
            f"{folder / SEEN}: the hashes of the {many:,} texts that the encoder was trained on are"
            " not there, or damaged; give the command of its training again, or get the file"
        )
    return seen
