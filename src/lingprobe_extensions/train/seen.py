"""Hashes of the texts that an encoder was trained on, gathered while they are read, and kept in its
folder: it is to be probed on others.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem
from lingprobe.extend import ArrayFile, Ints, hash_key, open_draft

Hashes = NDArray[np.uint64]
SEEN_TEXTS_FILE = "seen.npy"
"""The file in the folder of a trained encoder."""


@dataclass
class TextHashes:
    """Hashes of the texts of examples, gathered while they are read, at eight bytes a text.

    sizes  how many texts each example has
    """

    hashes: array[int] = field(default_factory=lambda: array("Q"))
    sizes: array[int] = field(default_factory=lambda: array("B"))

    def add(self, keys: Iterable[str]) -> None:
        """Another example, by what `strip_to_letters` makes of each of its texts."""
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


def write_seen(folder: Path, hashes: Hashes) -> None:
    """Store a hash of each text that an encoder was trained on in its folder."""
    with open_draft(folder / SEEN_TEXTS_FILE) as part, part.open("wb") as file:
        np.save(file, hashes, allow_pickle=False)


def read_seen(folder: Path, text_count: int) -> Hashes:
    """The hashes that a folder keeps, mapped from the file; DataProblem where they are not as many
    as there were.
    """
    try:
        seen = ArrayFile(folder / SEEN_TEXTS_FILE)[""]
    except (DataProblem, KeyError):
        seen = None
    if seen is None or seen.dtype != np.uint64 or seen.shape != (text_count,):
        raise DataProblem(
            f"{folder / SEEN_TEXTS_FILE}: the hashes of the {text_count:,} texts that the encoder"
            " was trained on are not there, or damaged; give the command of its training again, or"
            " get the file"
        )
    return seen
