import gc
import os
import resource
import subprocess
import sys

import numpy as np
import pytest

from lingprobe.data.core import Sentence
from lingprobe.data.vectors import Spans, Vectors
from lingprobe.store.vectors import VectorEntries, VectorStore

SLOTS = ("0.none", "1.none")


def some(count):
    return [
        Sentence.of([f"w{i}"] * (i % 5)) if i % 5 else Sentence((), f"text {i}")
        for i in range(count)
    ]


def units(sentences, shift):
    """Two units a word: [units, 3]."""
    rows = [[len(s.words), k, shift] for s in sentences for k in range(2 * len(s.words))]
    return np.array(rows, np.float32).reshape(-1, 3)


def pieces(sentences):
    words = np.cumsum([0, *(len(s.words) for s in sentences)])
    starts = np.arange(0, 2 * words[-1], 2)
    return Vectors(
        (units(sentences, 0), units(sentences, 0.1)),
        SLOTS,
        Spans(2 * words, np.stack([starts, starts + 2], 1), words),
    )


def filled(root, dtype="float32", sentences=None):
    store, known = VectorStore(root, dtype), sentences or some(300)
    for n, start in enumerate(range(0, len(known), 70)):
        store.write(
            "base",
            f"p-{n:05d}.vectors",
            known[start : start + 70],
            VectorEntries(SLOTS, pieces(known[start : start + 70]), {}),
        )
    return store, known


@pytest.fixture
def small(monkeypatch):
    """Everything counts as large, and is read in place."""
    monkeypatch.setattr("lingprobe.store.vectors.MIN_MAPPED_VECTOR_BYTES", 1)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_mapped_vectors_are_those_in_memory(tmp_path, dtype, monkeypatch):
    store, known = filled(tmp_path, dtype)
    asked = [known[i] for i in np.random.default_rng(0).permutation(300)[:200]] + [
        Sentence.of(["absent", "words"]),
        known[5],
    ]
    plain = store.read("base", SLOTS, ("0", "1"), asked)
    monkeypatch.setattr("lingprobe.store.vectors.MIN_MAPPED_VECTOR_BYTES", 1)
    vectors = store.read("base", SLOTS, ("0", "1"), asked)
    for a, b in zip(plain.layers, vectors.layers, strict=True):
        assert a.dtype == np.float32
        assert b.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(a, b)
        rows = np.random.default_rng(1).integers(len(a), size=(7, 3))
        for key in (rows, 5, -1, slice(3, 40, 2), a[:, 0] > 2, rows[:0]):
            np.testing.assert_array_equal(a[key], b[key])
            assert b[key].dtype == b.dtype
        np.testing.assert_array_equal(np.take(a, rows[0], axis=0), np.take(b, rows[0], axis=0))
        assert (b.shape, len(b), b.ndim) == (a.shape, len(a), 2)
        assert b.nbytes == a.astype(dtype).nbytes
        with pytest.raises(IndexError):
            b[len(a)]
    np.testing.assert_array_equal(plain.spans.words, vectors.spans.words)
    expected = pieces([s for s in asked if s.words[:1] != ("absent",)])
    np.testing.assert_array_equal(vectors.layers[1], expected.layers[1].astype(dtype))
    assert not any(part.flags.writeable for part in vectors.layers[1].parts.values())


def test_sentence_vectors_are_mapped_too(tmp_path, small):
    store, known = VectorStore(tmp_path), some(50)
    values = np.arange(150, dtype=np.float32).reshape(50, 3)
    store.write("base", "p-00000.vectors", known, VectorEntries(("-",), Vectors((values,)), {}))
    vectors = store.read("base", ("-",), ("-",), [*known[::-1], Sentence.of(["absent"])])
    np.testing.assert_array_equal(
        vectors.layers[0], np.concatenate([values[::-1], np.zeros((1, 3))])
    )


@pytest.mark.parametrize("many", [1, 10**9])
def test_layers_that_are_kept_once_are_read_once(tmp_path, many, monkeypatch):
    monkeypatch.setattr("lingprobe.store.vectors.MIN_MAPPED_VECTOR_BYTES", many)
    store, known = VectorStore(tmp_path), some(60)
    slots = ("lex.none", "0.none", "1.none", "2.none")
    for n, start in enumerate((0, 30)):
        parts = pieces(known[start : start + 30])
        lex, other = parts.layers
        # layer 2 is layer 1 in one block only
        layers = (lex, lex.copy(), other, lex if n else other)
        store.write(
            "base",
            f"p-{n:05d}.vectors",
            known[start : start + 30],
            VectorEntries(slots, Vectors(layers, slots, parts.spans), {}),
        )
    read = store.read("base", slots, slots, known)
    assert read.layers[0] is read.layers[1]
    assert not any(read.layers[0] is layer for layer in read.layers[2:])
    whole = pieces(known).layers
    for layer, expected in zip(read.layers[:3], (whole[0], whole[0], whole[1]), strict=True):
        np.testing.assert_array_equal(layer, expected)


def test_nothing_is_left_on_the_disk(tmp_path, small):
    store, known = filled(tmp_path)
    before = sorted(p.name for p in tmp_path.iterdir())
    vectors = store.read("base", SLOTS, ("0", "1"), known)
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    layer = vectors.layers[0]
    del vectors, store
    gc.collect()
    np.testing.assert_array_equal(layer, units(known, 0))  # a reader keeps what it reads


def test_the_same_sentences_are_looked_up_once(tmp_path, small):
    store, known = filled(tmp_path)
    first = store.read("base", SLOTS, ("0", "1"), known)
    again = store.read("base", SLOTS, ("a", "b"), known)
    assert again.layers[0] is first.layers[0]
    assert again.names == ("a", "b")
    assert store.read("base", SLOTS, ("0", "1"), known[::-1]).layers[0] is not first.layers[0]
    new = Sentence.of(["new"])
    assert store.read("base", SLOTS, ("0", "1"), [known[1], new]).spans.sentences.tolist() == [
        0,
        2,
        2,
    ]
    store.write("base", "q-00000.vectors", [new], VectorEntries(SLOTS, pieces([new]), {}))
    assert not store.missing("base", SLOTS[0], [new]).any()
    assert store.read("base", SLOTS, ("0", "1"), [known[1], new]).spans.sentences.tolist() == [
        0,
        2,
        4,
    ]


def test_reading_writes_nothing(tmp_path, small):
    store, known = filled(tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        for some in (known, known[::2], known):  # as tasks change
            found = store.read("base", SLOTS, ("0", "1"), some).layers[0]
            np.testing.assert_array_equal(found, units(some, 0))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory is asked of /proc")
def test_large_vectors_take_no_memory_of_their_own(tmp_path):
    """120 MB of vectors are read by a process that may use little memory besides."""
    known = [Sentence.of([f"s{i}", *["w"] * 19]) for i in range(2000)]
    rng = np.random.default_rng(0)
    store = VectorStore(tmp_path, "float16")
    for n, start in enumerate(range(0, 2000, 250)):
        part = known[start : start + 250]
        words = np.arange(0, 20 * len(part) + 1, 20)
        each = np.arange(20 * len(part))
        layers = (rng.normal(size=(20 * len(part), 1500)).astype(np.float16),)
        store.write(
            "base",
            f"p-{n:05d}.vectors",
            part,
            VectorEntries(
                ("0.none",),
                Vectors(layers, ("0",), Spans(words, np.stack([each, each + 1], 1), words)),
                {},
            ),
        )
    code = (
        "import re, sys, numpy as np\nfrom pathlib import Path\nfrom lingprobe.data.core import"
        " Sentence\nfrom lingprobe.store.vectors import VectorStore\nanonymous = lambda:"
        " int(re.search(r'RssAnon:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]) //"
        " 1024\nknown = [Sentence.of([f's{i}', *['w'] * 19]) for i in range(2000)][::-1]\nstore"
        f" = VectorStore(Path({str(tmp_path)!r}), 'float16')\nbefore = anonymous()\nfound ="
        " store.read('base', ['0.none'], ['0'], known)\nassert found.layers[0].shape == (40000,"
        " 1500)\nfor k in range(0, 40000, 1000):\n    assert found.layers[0][k : k +"
        " 1000].any(1).all()\nprint(anonymous() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 60, done.stdout
