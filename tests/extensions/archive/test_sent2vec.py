"""Sent2Vec's binary files against a plain reading of the fork's rules."""

import lzma
import struct

import numpy as np
import pytest

from extensions.archive.plain import mixed
from fixtures.models import SENTENCES
from fixtures.published import sent2vec
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.encoders import ENCODERS
from lingprobe_extensions.archive.sent2vec import ModelHeader, ngram_rows

TEXTS = [
    *SENTENCES[:12],
    Sentence((), ""),
    Sentence.of(("zzz",)),
    Sentence.of(("the", "zzz", "the")),
]


def read_plainly(path):
    """Words and vectors of a file, byte by byte."""
    data = path.read_bytes()
    dim, longest, buckets = (struct.unpack_from("<i", data, 4 * i)[0] for i in (2, 7, 10))
    at = 14 * 4 + 8
    entries = struct.unpack_from("<i", data, at)[0]
    at += 28
    words = []
    for _ in range(entries):
        end = data.index(b"\0", at)
        words.append(data[at:end].decode())
        at = end + 1 + 9
    rows, _ = struct.unpack_from("<2q", data, at + 1)
    vectors = np.frombuffer(data, "<f4", rows * dim, at + 17).reshape(rows, dim)
    return words, vectors.astype(np.float64), longest, buckets


def ngrams_plainly(ids, words, longest, buckets):
    """The rows of a sentence's words and n-grams, with Python's whole numbers."""
    rows = list(ids)
    for i, first in enumerate(ids):
        number = first
        for j in range(i + 1, min(len(ids), i + longest)):
            number = (number * 116049371 + ids[j]) % 2**64
            rows.append(words + number % buckets)
    return rows


@pytest.mark.parametrize(("longest", "more"), [(1, 0), (2, 0), (3, 0), (2, 1)])
def test_vectors_are_means_over_words_and_ngrams(tmp_path, longest, more):
    """Also of a file with one row more, as the authors' program has written it since 2019."""
    path = sent2vec(tmp_path / "model.bin", longest, more=more)
    words, vectors, said, buckets = read_plainly(path)
    assert said == longest
    wanted = np.zeros((len(TEXTS), vectors.shape[1]))
    for target, sentence in zip(wanted, TEXTS, strict=True):
        ids = [words.index(w.lower()) for w in sentence.words if w.lower() in words]
        if ids:
            target[:] = vectors[ngrams_plainly(ids, len(words), longest, buckets)].mean(0)
    encoder = ENCODERS.make(f"sent2vec:{path}")
    assert np.abs(encoder.encode(TEXTS).layers[0] - wanted).max() < 1e-5
    turned, order = mixed(TEXTS)
    assert np.abs(encoder.encode(turned).layers[0] - wanted[order]).max() < 1e-5
    alone = np.concatenate([encoder.encode([s]).layers[0] for s in TEXTS])
    assert np.abs(alone - wanted).max() < 1e-5


def test_vectors_are_those_that_the_authors_program_prints(data, tmp_path):
    folder = data / "golden" / "sent2vec"
    (tmp_path / "model.bin").write_bytes(
        lzma.decompress((folder / "model-bigrams.bin.xz").read_bytes())
    )
    lines = (folder / "sentences.txt").read_text().splitlines()
    printed = np.loadtxt(folder / "vectors.txt")
    encoder = ENCODERS.make(f"sent2vec:{tmp_path}/model.bin")
    vectors = encoder.encode([Sentence.of(line.split()) for line in lines]).layers[0]
    # five digits, of numbers below ten
    assert np.abs(vectors - printed).max() < 5.1e-5


def test_bigrams_have_the_numbers_of_the_fork():
    """Word 3 before word 5: 3 x 116049371 + 5 = 348148118; large ids wrap round 64 bits."""
    rows = ngram_rows(
        np.array([3, 5, 2**30]), np.array([0, 2, 3]), 100, ModelHeader(4, 2, 2_000_000)
    )
    assert rows[0].tolist() == [100 + 348148118 % 2_000_000, -1, -1]
    three = ngram_rows(np.array([2**30, 7, 9]), np.array([0, 3]), 10, ModelHeader(4, 3, 1000))
    both = ((2**30 * 116049371 + 7) * 116049371 + 9) % 2**64
    assert three[1].tolist() == [10 + both % 1000, -1, -1]


def test_words_have_their_own_vectors(tmp_path):
    path = sent2vec(tmp_path / "model.bin")
    words, vectors, *_ = read_plainly(path)
    encoder = ENCODERS.make(f"sent2vec:{path},pool=none")
    found = encoder.encode([Sentence.of(("The", "zzz"))])
    assert np.allclose(found.layers[0], [vectors[words.index("the")], np.zeros(6)])
    assert encoder.unknown(["The", "zzz"]).tolist() == [False, True]
    cased = ENCODERS.make(f"sent2vec:{path},lowercase=false")
    assert cased.unknown(["The", "the"]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"magic": 7}, "not a Sent2Vec model"),
        ({"version": 3}, "static:"),
        ({"model": 2}, "static:"),
        ({"dim": 0}, "download it again"),
        ({"dim": 7}, "download it again"),
    ],
)
def test_other_files_are_told_in_one_sentence(tmp_path, odd, said):
    path = sent2vec(tmp_path / "model.bin", **({"dim": 6} | {}))
    head = list(struct.unpack_from("<14i", path.read_bytes()))
    for name, value in odd.items():
        head[{"magic": 0, "version": 1, "dim": 2, "model": 9}[name]] = value
    path.write_bytes(struct.pack("<14i", *head) + path.read_bytes()[56:])
    with pytest.raises(DataProblem, match=said):
        ENCODERS.make(f"sent2vec:{path}").encode(SENTENCES[:1])


@pytest.mark.parametrize("part", [0.01, 0.04, 0.2, 0.5])
def test_cut_files_are_told(tmp_path, part):
    path = sent2vec(tmp_path / "model.bin")
    data = path.read_bytes()
    path.write_bytes(data[: int(part * len(data))])
    with pytest.raises(DataProblem, match="cut short"):
        ENCODERS.make(f"sent2vec:{path}").encode(SENTENCES[:1])
