"""Hashes of the sentences that an encoder was trained on."""

from __future__ import annotations

import numpy as np
import pytest

import lingprobe
from lingprobe.corpora.text import strip_to_letters
from lingprobe.corpora.training_sentences import (
    are_among,
    hash_key,
    hash_sentences,
)
from lingprobe.data.core import Sentence
from lingprobe_extensions.train.seen import SEEN_TEXTS_FILE, TextHashes, read_seen, write_seen


def collected(*examples: tuple[str, ...]) -> TextHashes:
    made = TextHashes()
    for texts in examples:
        made.add(map(strip_to_letters, texts))
    return made


def test_a_sentence_is_told_by_its_letters_whatever_its_words():
    seen = collected(("I don't know.", "Ich weiß nicht."), ("...",)).distinct()
    asked = [
        Sentence(("I", "do", "n't", "know", "."), "I don’t know ."),
        Sentence(("ICH", "WEISS", "NICHT"), "another text"),
        Sentence.of(["I", "know"]),
        Sentence.of(["...", "!"]),
        Sentence.of(["ich", "weiß", "nicht", "3"]),
    ]
    assert are_among(hash_sentences(asked), seen).tolist() == [True, True, False, False, False]


def test_hashes_are_the_same_on_every_machine():
    """What `printf adog | b2sum -l 64` prints, read with the lowest byte first."""
    assert hash_key("adog") == int.from_bytes(bytes.fromhex("27b1a0f754b61c67"), "little")
    assert hash_key("") == 0


def test_examples_that_are_not_kept_were_not_seen():
    made = collected(("one", "two"), ("three",), (), ("four", "two"))
    made.keep(np.array([1, 3]))
    assert set(made.distinct().tolist()) == {hash_key("three"), hash_key("four"), hash_key("two")}
    made.add(["five"])
    assert len(made.distinct()) == 4
    made.keep(np.array([2]))
    assert made.distinct().tolist() == [hash_key("five")]


def test_nothing_is_among_nothing():
    assert not are_among(hash_sentences([Sentence.of(["a"])]), collected().distinct()).any()
    assert are_among(hash_sentences([]), collected(("a",)).distinct()).tolist() == []


@pytest.mark.parametrize("texts", [(), ("a", "b")])
def test_what_is_written_is_read(texts, tmp_path):
    seen = collected(texts).distinct()
    write_seen(tmp_path, seen)
    np.testing.assert_array_equal(read_seen(tmp_path, len(texts)), seen)
    assert np.load(tmp_path / SEEN_TEXTS_FILE, allow_pickle=False).dtype == np.uint64


def test_a_damaged_file_is_said(tmp_path):
    write_seen(tmp_path, collected(("a", "b")).distinct())
    for damage in (b"", (tmp_path / SEEN_TEXTS_FILE).read_bytes()[:-8], b"\x80\x04K\x01."):
        (tmp_path / SEEN_TEXTS_FILE).write_bytes(damage)
        with pytest.raises(lingprobe.DataProblem, match=r"seen\.npy: the hashes of the 2 texts"):
            read_seen(tmp_path, 2)
    (tmp_path / SEEN_TEXTS_FILE).unlink()
    with pytest.raises(lingprobe.DataProblem, match=r"seen\.npy: the hashes of the 2 texts"):
        read_seen(tmp_path, 2)
