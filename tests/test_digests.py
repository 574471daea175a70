"""Digests against hashlib and known answers: what is stored under one must be found again."""

import hashlib

import numpy as np
import pytest

from lingprobe.data.digests import (
    RunningDigest,
    checksum_bytes,
    checksum_file,
    digest_pieces,
    digest_texts,
    hash_bytes,
    stretch_key,
)

ARRAYS = [
    np.arange(6, dtype=np.int64).reshape(2, 3),
    np.arange(6, dtype=np.float32).reshape(2, 3).T,
    np.zeros((0, 5)),
    np.array(3.0),
    np.array(["ab", "c"]),
    np.array([True, False]),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype}{a.shape}")
def test_an_array_counts_by_its_numbers_in_c_order(array):
    whole = hashlib.blake2b(array.tobytes(), digest_size=16).hexdigest()
    assert digest_pieces(array) == whole


def test_pieces_follow_each_other():
    running = RunningDigest()
    running.add("ab", b"c")
    running.add(bytearray(b"d"), memoryview(b"e"))
    assert running.hex() == digest_pieces("abcde") == digest_pieces(b"abcde")
    assert running.hex() == hashlib.blake2b(b"abcde", digest_size=16).hexdigest()
    assert digest_pieces("a", size=8) == hashlib.blake2b(b"a", digest_size=8).hexdigest()


def test_halves_of_characters_count():
    assert digest_pieces("\udc80") != digest_pieces("\udc81")
    assert digest_texts("\udc80") != digest_texts("\udc81")


def test_texts_are_told_apart():
    assert digest_texts("ab", "c") != digest_texts("a", "bc")
    assert digest_texts("a", "b") == hashlib.blake2b(b"a\x1eb", digest_size=16).hexdigest()


def test_published_answers(tmp_path):
    """RFC 7693 for BLAKE2b, FIPS 180-4 for SHA-256 and SHA-1, FIPS 202 for SHAKE."""
    assert hash_bytes(b"abc", 64).hex().startswith("ba80a53f981c4d0d6a2797b69f12f6e9")
    assert checksum_bytes(b"abc").hex().startswith("ba7816bf8f01cfea414140de5dae2223")
    (tmp_path / "abc").write_bytes(b"abc")
    assert checksum_file(tmp_path / "abc") == checksum_bytes(b"abc").hex()
    running = RunningDigest("sha1")
    running.add("abc")
    assert running.hex() == "a9993e364706816aba3e25717850c26c9cd0d89d"
    assert stretch_key(b"", 4, 128).hex() == "7f9c2ba4"
    assert stretch_key(b"", 4).hex() == "46b9dd2b"


def test_a_key_decides_too():
    keyed = hash_bytes(b"a", 8, b"key")
    assert keyed == hashlib.blake2b(b"a", digest_size=8, key=b"key").digest()
    assert keyed != hash_bytes(b"a", 8)
