"""Digests of content, and bytes that a key decides. No other module calls `hashlib`.

What is stored under a digest is found again only as long as equal content has an equal digest, so
what these functions return must not change. Digests are BLAKE2b, of 16 bytes unless a size is
given; SHA-256 and SHA-1 are for checksums that others publish or compare.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Piece = str | bytes | bytearray | memoryview | NDArray[Any]

Algorithm = Literal["blake2b", "sha256", "sha1"]


class RunningDigest:
    """The digest of pieces that follow each other, with nothing between them.

    Text counts as UTF-8 (halves of characters included), an array by its numbers in C order,
    without dtype and shape.
    """

    def __init__(self, algorithm: Algorithm = "blake2b", size: int = 16) -> None:
        self._state: Any = (
            hashlib.blake2b(digest_size=size)
            if algorithm == "blake2b"
            else hashlib.new(algorithm, usedforsecurity=False)
        )

    def add(self, *pieces: Piece) -> None:
        """Append pieces; arrays that are contiguous are not copied."""
        for piece in pieces:
            self._state.update(_buffer(piece))

    def hex(self) -> str:
        """The digest of all pieces so far, in hexadecimal digits."""
        text: str = self._state.hexdigest()
        return text


def digest_pieces(*pieces: Piece, size: int = 16) -> str:
    """The digest of pieces that follow each other, in 2 * `size` hexadecimal digits."""
    running = RunningDigest(size=size)
    running.add(*pieces)
    return running.hex()


def digest_texts(*texts: str) -> str:
    """Thirty-two hexadecimal digits that stand for some texts, told apart by a separator."""
    return hashlib.blake2b(
        "\x1e".join(texts).encode("utf-8", "surrogatepass"), digest_size=16
    ).hexdigest()


def hash_bytes(content: bytes, size: int, key: bytes = b"") -> bytes:
    """A digest of `size` bytes, 1 to 64, by a key where there is one."""
    return hashlib.blake2b(content, digest_size=size, key=key).digest()


def checksum_bytes(content: bytes) -> bytes:
    """The SHA-256 of some bytes, in 32 bytes."""
    return hashlib.sha256(content).digest()


def checksum_file(path: Path) -> str:
    """The SHA-256 of a file as it lies on the disk, in 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stretch_key(key: bytes, size: int, bits: Literal[128, 256] = 256) -> bytes:
    """As many pseudo-random bytes as asked for, which the key decides (SHAKE-128 or -256)."""
    return (hashlib.shake_128 if bits == 128 else hashlib.shake_256)(key).digest(size)


def _buffer(piece: Piece) -> Any:
    """What a hash reads of a piece."""
    if isinstance(piece, str):
        return piece.encode("utf-8", "surrogatepass")
    if isinstance(piece, bytes | bytearray | memoryview):
        return piece
    import numpy as np

    return np.ascontiguousarray(piece).data
