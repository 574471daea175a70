import gzip
import lzma
import struct
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.corpora import files
from lingprobe.data.cache import cache_dir
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.reading import POOLS
from lingprobe.encoders import ENCODERS, make_encoder, tables, word_files
from lingprobe.encoders.tables import FileTable

TEXT = "4 3\nthe 1 0 0\ncat 0 2 0\n10 000 5 5 5\nthe 9 9 9\n"
SAT = Sentence.of(["the", "cat", "sat"])
UNKNOWN = Sentence.of(["sat", "Cat"])
NONE = Sentence((), "")


def binary(words: dict[str, list[float]], newline: bytes = b"\n") -> bytes:
    rows = [w.encode() + b" " + np.array(v, "<f4").tobytes() + newline for w, v in words.items()]
    return f"{len(words)} {len(next(iter(words.values())))}\n".encode() + b"".join(rows)


def vectors_of(path: Path, sentence: Sentence, options: str = "") -> list[float]:
    return make_encoder(f"static:{path}{options}").encode([sentence]).layers[0][0].tolist()


@pytest.mark.parametrize("pool", ["mean", "max", "sum"])
def test_random_words_are_the_same_everywhere_and_pooled_as_by_hand(pool):
    bag = make_encoder(f"bow:random,dim=7,pool={pool}")
    words = make_encoder("bow:random,dim=7,pool=none").encode([SAT]).layers[0]
    by_hand = {"mean": words.mean(0), "max": words.max(0), "sum": words.sum(0)}[pool]
    vectors = bag.encode([NONE, Sentence.of(["sat", "the", "cat"]), SAT]).layers[0]
    assert np.allclose(vectors, [np.zeros(7), by_hand, by_hand], atol=1e-6)
    assert np.array_equal(
        vectors[1:], bag.encode([UNKNOWN, Sentence.of(["sat", "the", "cat"]), SAT]).layers[0][1:]
    )


def test_lowercase_joins_forms():
    a, b = (
        make_encoder("bow:random,lowercase=true")
        .encode([Sentence.of(["Cat"]), Sentence.of(["cat"])])
        .layers[0]
    )
    assert np.array_equal(a, b)
    a, b = make_encoder("bow:random").encode([Sentence.of(["Cat"]), Sentence.of(["cat"])]).layers[0]
    assert not np.allclose(a, b)


def test_every_word_is_a_unit_and_those_that_the_table_lacks_are_all_one(tmp_path):
    (path := tmp_path / "a.vec").write_text(TEXT)
    vectors = make_encoder(f"static:{path},pool=none").encode([UNKNOWN, SAT, NONE])
    assert vectors.layers[0].tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 0]]
    assert vectors.spans.sentences.tolist() == [0, 2, 5, 5]
    assert vectors.spans.words.tolist() == [[i, i + 1] for i in range(5)]
    assert vectors.spans.first_word.tolist() == [0, 2, 5, 5]
    sums = POOLS["mean"](
        vectors.layers[0], vectors.spans.sentences[:-1], vectors.spans.sentences[1:]
    ) * [
        [2],
        [3],
        [1],
    ]
    assert np.allclose(
        sums, make_encoder(f"static:{path},pool=sum").encode([UNKNOWN, SAT, NONE]).layers[0]
    )


@pytest.mark.parametrize("name", ["a.vec", "a.txt.gz", "a.vec.xz"])
def test_text_files_plain_and_packed(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(
        {".gz": gzip.compress, ".xz": lzma.compress}.get(path.suffix, bytes)(TEXT.encode())
    )
    assert vectors_of(path, SAT) == [0.5, 1, 0]  # 'sat' is left out; the first of two 'the' counts
    assert vectors_of(path, UNKNOWN) == [0, 0, 0]
    assert vectors_of(path, Sentence.of(["10 000"])) == [5, 5, 5]  # a word with a space in it
    assert vectors_of(path, NONE) == [0, 0, 0]


def test_glove_has_no_header_and_words_with_spaces(tmp_path):
    (path := tmp_path / "glove.txt").write_text("the 1 0 0\n. . . 0 0 3\n€ 0 1 0\n")
    assert vectors_of(path, Sentence.of(["the", ". . .", "€", "."])) == pytest.approx(
        [1 / 3, 1 / 3, 1]
    )


@pytest.mark.parametrize("newline", [b"\n", b""])
@pytest.mark.parametrize("suffix", [".bin", ".bin.gz"])
def test_word2vec_binary(tmp_path, newline, suffix):
    path = tmp_path / f"a{suffix}"
    content = binary({"the": [1, 0, 0], "cat": [0, 2, 0], "żółć": [0, 0, 4]}, newline)
    path.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
    assert vectors_of(path, SAT) == [0.5, 1, 0]
    assert vectors_of(path, Sentence.of(["żółć"])) == [0, 0, 4]


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("short.vec", "2 3\nthe 1 0 0\ncat 0 2\n", "short.vec:3: 2 numbers follow the word"),
        ("long.vec", "2 3\nthe 1 0 0\ncat 0.5 2 0 7\n", "long.vec:3: 4 numbers follow the word"),
        ("ends.vec", "3 3\nthe 1 0 0\ncat 0 2 0\n", "promises 3 words, the file holds 2"),
        ("prose.txt", "this is prose\n", "prose.txt:1: not a file of word vectors"),
        ("empty.vec", "", "empty.vec:1: not a file of word vectors"),
        ("header.vec", "0 3\n", "contains no word vectors"),
        ("wide.vec", "3 99999999\nthe 1 0 0\n", "promises vectors of 99,999,999 dimensions"),
        (
            "comma.vec",
            "2 3\nthe 0,1 0,2 0,3\ncat 0,4 0,5 0,6\n",
            "comma.vec:2: numbers with decimal commas, as 0,1; write points",
        ),
        (
            "comma.txt",
            "the 0,1 0,2 0,3\ncat 0,4 0,5 0,6\n",
            "comma.txt:1: numbers with decimal commas",
        ),
        (
            "first.vec",
            "3 3\nthe 1 0 O\ncat 0 2 0\nsat 1 1 1\n",
            "the vector of 'the' does not have 3 dimensions",
        ),
        (
            "none.vec",
            "3 3\nthe cat sat on\nthe mat and on\nthe rat was gone\n",
            "the vector of 'the' does not have 3 dimensions",
        ),
        ("tabs.txt", "the\t1\t0\t0\n", "tabs.txt:1: .* not by tabs or several: fix them"),
        ("tab.vec", "1 3\nthe\t1 0 0\n", "tab.vec:2: .* not by tabs or several"),
        ("two.txt", "the  1  0  0  2\n", "two.txt:1: .* not by tabs or several"),
        ("three.txt", "the  1  0  0\n", "three.txt:1: .* not by tabs or several"),
        ("few.vec", "3 3\nthe 1 0\ncat 0 2 0\nsat 1 1 1\n", "few.vec:2: 2 numbers follow the word"),
    ],
)
def test_malformed_files_are_named_with_the_line(tmp_path, name, content, where):
    (path := tmp_path / name).write_text(content)
    with pytest.raises(DataProblem, match=where):
        make_encoder(f"static:{path}").encode([SAT])


@given(st.integers(8, 60), st.integers(1, 6), st.integers(0, 2**32))
def test_binary_files_of_any_numbers_are_read_as_binary(dim, words, seed):
    """Also where bytes of the first record happen to read as numbers."""
    numbers = np.random.default_rng(seed).normal(size=(words, dim)).astype("<f4")
    content = binary({f"w{i}": row for i, row in enumerate(numbers)})
    with tempfile.TemporaryDirectory() as folder:
        (path := Path(folder) / "a.bin").write_bytes(content)
        assert vectors_of(path, Sentence.of([f"w{words - 1}"])) == numbers[-1].tolist()


MODEL = struct.Struct("<ii 12i d iii qq")


@pytest.mark.parametrize(
    "change",
    [
        {2: 0},
        {2: 1 << 28},
        {10: 1 << 30},
        {10: -1},
        {11: -(1 << 31)},
        {12: 1 << 30},
        {16: 1 << 30},
        {16: -5},
    ],
)
def test_fasttext_models_that_promise_too_much_are_refused_at_once(tmp_path, change):
    fields = [793712314, 12, 4, 5, 5, 1, 5, 1, 1, 2, 100, 3, 6, 100, 1e-4, 10, 10, 0, 50, -1]
    for place, value in change.items():
        fields[place] = value
    (path := tmp_path / "a.bin").write_bytes(MODEL.pack(*fields) + bytes(110 * 16))
    with pytest.raises(DataProblem, match="a fastText model of"):
        make_encoder(f"static:{path}").encode([SAT])


def test_words_that_are_not_numbers_are_named(tmp_path):
    (path := tmp_path / "a.vec").write_text("2 3\nthe 1 0 0\ncat 0 x 0\n")
    with pytest.raises(DataProblem, match="the vector of 'cat' does not have 3 dimensions"):
        make_encoder(f"static:{path}").encode([SAT])


def test_damaged_files_are_problems(tmp_path):
    (cut := tmp_path / "a.bin").write_bytes(binary({"the": [1, 0, 0], "cat": [0, 2, 0]})[:-6])
    with pytest.raises(DataProblem, match="record 2 of 2 is cut short"):
        make_encoder(f"static:{cut}").encode([SAT])
    (packed := tmp_path / "a.vec.gz").write_bytes(gzip.compress(TEXT.encode() * 50)[:-20])
    with pytest.raises(DataProblem, match="damaged"):
        make_encoder(f"static:{packed}").encode([SAT])
    with pytest.raises(DataProblem, match="no such file"):
        make_encoder("static:/nowhere.vec").encode([SAT])


def test_only_asked_words_are_kept(tmp_path):
    (path := tmp_path / "a.vec").write_text(
        "1000 2\n" + "".join(f"w{i} {i} 1\n" for i in range(1000))
    )
    table = FileTable(path)
    assert table.look_up(["w7", "w9"])[0].tolist() == [[7, 1], [9, 1]]
    assert FileTable(path).look_up(["w999", "w7", "no"])[1].tolist() == [True, True, False]
    kept = tables._open_vector_cache(path, table.fingerprint, tables._MOST).kept
    assert set(kept) == {"w7", "w9", "w999", "no"}


def test_words_that_were_not_asked_for_lately_are_forgotten(tmp_path, monkeypatch):
    (path := tmp_path / "a.vec").write_text("".join(f"w{i} {i} 1\n" for i in range(1000)))
    table, found = FileTable(path, most=10), []
    rows = tables._open_vector_cache(path, table.fingerprint, 10)
    find = rows.file.find
    monkeypatch.setattr(
        word_files.WordIndex, "find", lambda _, words: (found.extend(words), find(words))[1]
    )
    for start in range(9, 900, 9):
        asked = ["w1", "no", *(f"w{start + i}" for i in range(9))]
        vectors, known = table.look_up(asked)
        assert vectors[:, 0].tolist() == [1, 0, *range(start, start + 9)]
        assert known.tolist() == [w != "no" for w in asked]
        assert len(rows.kept) + len(rows.before) <= 4 * 10
    assert found.count("w1") == found.count("no") == found.count("w500") == 1
    assert table.look_up(["w500"])[0].tolist() == [[500, 1]]
    assert found.count("w500") == 2


@pytest.fixture
def another_process(monkeypatch):
    """Files as if they were large and old, and what forgets all that this process knows of them."""
    monkeypatch.setattr(word_files, "_LARGE", 0)
    monkeypatch.setattr(files, "_YOUNG", -(10**18))
    return tables._open_vector_cache.cache_clear


@pytest.mark.parametrize("name", ["a.vec", "a.vec.gz", "a.bin"])
def test_places_of_words_are_found_with_the_digest_and_remembered(
    tmp_path, monkeypatch, another_process, name
):
    rows = {"the": [1, 0, 0], "cat": [0, 2, 0]}
    packed = gzip.compress(TEXT.encode()) if name.endswith("gz") else TEXT.encode()
    (path := tmp_path / name).write_bytes(binary(rows) if name == "a.bin" else packed)
    opening, read = files.open_file, []
    monkeypatch.setattr(
        files, "open_file", lambda *given, **how: read.append(1) or opening(*given, **how)
    )
    table = FileTable(path)
    assert table.fingerprint == files.digest_files([path])
    first = table.look_up(["the", "cat", "no"])
    once = len(read)
    another_process()
    for again, wanted in zip(table.look_up(["the", "cat", "no"]), first, strict=True):
        assert again.tolist() == wanted.tolist()
    assert first[1].tolist() == [True, True, False]
    assert len(read) == once


def test_remembered_places_that_were_changed_are_not_believed(tmp_path, another_process):
    (path := tmp_path / "a.vec").write_text(TEXT)
    table = FileTable(path)
    first = table.look_up(["the", "cat"])
    (kept,) = (cache_dir() / "words").glob("*.npy")
    data = bytearray(kept.read_bytes())
    data[-8:] = bytes(8)
    kept.write_bytes(data)
    another_process()
    assert table.look_up(["the", "cat"])[0].tolist() == first[0].tolist()
    kept.write_bytes(b"")
    another_process()
    assert table.look_up(["the", "cat"])[0].tolist() == first[0].tolist()


def test_places_of_words_are_found_where_no_cache_can_be_written(
    tmp_path, monkeypatch, another_process
):
    (path := tmp_path / "a.vec").write_text(TEXT)
    (blocked := tmp_path / "blocked").write_text("")
    monkeypatch.setenv("LINGPROBE_CACHE", str(blocked))
    assert FileTable(path).look_up(["the", "no"])[1].tolist() == [True, False]


@pytest.mark.parametrize("promise", [b"1 3", b"2 2", b"1 8"])
def test_a_binary_file_that_goes_on_after_what_it_promises_is_refused(tmp_path, promise):
    """Its header is wrong: words would be missing, or of other numbers."""
    content = binary({"the": [1, 0, 0], "cat": [0, 2, 0], "sat": [1, 2, 3], "on": [3, 2, 1]}, b"")
    (path := tmp_path / "a.bin").write_bytes(promise + content[content.index(b"\n") :])
    with pytest.raises(
        DataProblem, match=r"a\.bin: its header promises \d words of \d dimensions, and"
    ):
        make_encoder(f"static:{path}").encode([SAT])


def test_words_that_a_file_lacks_are_told(tmp_path):
    (path := tmp_path / "a.vec").write_text(TEXT)
    words = [*SAT.words, "THE"]
    told = make_encoder(f"static:{path}").unknown(words).tolist()
    assert told == [not np.any(vectors_of(path, Sentence.of([w]))) for w in words]
    assert make_encoder(f"static:{path},lowercase=true").unknown(["THE"]).tolist() == [False]
    assert make_encoder("bow:random").unknown(words) is None
    path.write_text("the nan 0 0\n")
    assert make_encoder(f"static:{path}").unknown(["the"]) is None  # whoever encodes is told


def test_coverage_counts_what_is_unknown(tmp_path):
    (path := tmp_path / "a.vec").write_text(TEXT)
    assert make_encoder(f"static:{path}").coverage([SAT, UNKNOWN, NONE]) == {
        "words": 5,
        "unknown": 3,
        "sentences unread": 1,
    }


def test_fingerprint_follows_the_file(tmp_path):
    (path := tmp_path / "a.vec").write_text(TEXT)
    before = make_encoder(f"static:{path}").table.fingerprint
    path.write_text(TEXT.replace("2", "3"))
    assert make_encoder(f"static:{path}").table.fingerprint != before
    assert ENCODERS.canonical(f"static:{path}") == f"static:{path},lowercase=false,pool=mean"


def test_fasttext_models_with_subwords(tmp_path):
    gensim = pytest.importorskip("gensim")
    fasttext = pytest.importorskip("gensim.models.fasttext")
    lines = [["the", "cat", "sat"], ["the", "dog", "sat"]] * 5
    model = gensim.models.FastText(lines, vector_size=8, min_count=1, workers=1, bucket=500)
    path = tmp_path / "m.bin"
    fasttext.save_facebook_model(model, str(path))
    bag = make_encoder(f"static:{path}")
    assert np.allclose(
        bag.encode([SAT]).layers[0][0],
        model.wv.vectors_for_all(["the", "cat", "sat"]).vectors.mean(0),
        atol=1e-5,
    )
    assert np.abs(bag.encode([Sentence.of(["cats"])]).layers[0]).sum() > 0  # from its parts
    (broken := tmp_path / "b.bin").write_bytes(path.read_bytes()[:200])
    with pytest.raises(
        DataProblem, match="a fastText model of 4 words and 8 dimensions is not 200 bytes long"
    ):
        make_encoder(f"static:{broken}").encode([SAT])


@pytest.mark.parametrize("header", ["", "2 3\n"])
def test_a_byte_order_mark_is_no_part_of_the_first_word(tmp_path, header):
    (file := tmp_path / "words.vec").write_bytes(f"\ufeff{header}the 1 2 3\ndog 4 5 6\n".encode())
    found, known = ENCODERS.make(f"static:{file}").table.look_up(["the", "dog"])
    assert known.tolist() == [True, True]
    assert found.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_a_word_may_be_a_space(tmp_path):
    """As in vectors of Google News that gensim has saved as text."""
    path = tmp_path / "a.vec"
    path.write_text("4 3\nthe 1 0 0\n  -0.5 2 0\na\u00a0b 3 -3 .5\n\u00a0 4 4 4\n")
    assert vectors_of(path, Sentence.of([" "])) == [-0.5, 2, 0]
    assert vectors_of(path, Sentence.of(["a\u00a0b"])) == [3, -3, 0.5]
    assert vectors_of(path, Sentence.of(["\u00a0"])) == [4, 4, 4]
    assert FileTable(path).look_up([" ", "the", "cat"])[1].tolist() == [True, True, False]
