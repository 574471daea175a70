"""Files: compression, line ends, encodings, the files of a treebank, remembered digests."""

import bz2
import gzip
import lzma
import multiprocessing
import os
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.corpora import files
from lingprobe.corpora.files import (
    digest_files,
    find_treebank_files,
    read_chunks,
    read_text_lines,
    split_of,
)
from lingprobe.data.cache import cache_dir
from lingprobe.data.core import DataProblem

PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
TEXT = "Zażółć gęślą jaźń\n\nline two\u2028still line two\nlast"


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
def test_lines_are_the_same_however_the_file_is_written(tmp_path, ends, bom, suffix):
    data = bom + TEXT.replace("\n", ends).encode()
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(PACK[suffix](data))
    assert list(read_text_lines(path)) == list(enumerate(TEXT.split("\n"), 1))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_pieces_of_any_size_join_to_the_same(tmp_path, monkeypatch, size):
    monkeypatch.setattr(files, "CHUNK_BYTES", size)
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n\r\nthree\r\n\r\n\r\nfour\r")
    found = list(read_chunks(path, b"\n\n"))
    assert b"".join(found) == b"one\ntwo\n\nthree\n\n\nfour\r"
    assert all(piece.endswith(b"\n\n") for piece in found[:-1])


def test_bytes_that_are_not_utf8_are_named_by_line(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("good\ncafé\n".encode("latin-1"))
    with pytest.raises(
        DataProblem, match=r"latin\.txt:2: byte 0xe9 is not UTF-8; convert the file"
    ):
        list(read_text_lines(path))
    path.write_bytes("utf sixteen".encode("utf-16"))
    with pytest.raises(DataProblem, match=r":1: is UTF-16"):
        list(read_text_lines(path))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_a_damaged_archive_is_a_data_problem(tmp_path, suffix):
    path = tmp_path / f"a.conllu{suffix}"
    whole = PACK[suffix](os.urandom(5000))
    for data in (whole[: len(whole) // 2], b"plain text"):
        path.write_bytes(data)
        with pytest.raises(DataProblem, match=r"is damaged or not a \.(gz|bz2|xz) file"):
            list(read_chunks(path))


def test_a_missing_file_is_a_data_problem(tmp_path):
    with pytest.raises(DataProblem, match="no such file"):
        list(read_chunks(tmp_path / "none.conllu"))
    with pytest.raises(DataProblem, match="no file or folder"):
        find_treebank_files(tmp_path / "none")


def test_the_files_of_a_treebank_come_by_split(tmp_path):
    folder = tmp_path / "UD_English-XYZ"
    folder.mkdir()
    names = [
        "en_xyz-ud-test.conllu.xz",
        "en_xyz-ud-dev.conllu",
        "en_xyz-ud-train.conllu.gz",
        "README.md",
        "stats.xml",
        "LICENSE.txt",
    ]
    for name in names:
        (folder / name).touch()
    assert [(p.split, p.path.name) for p in find_treebank_files(folder)] == [
        ("train", names[2]),
        ("dev", names[1]),
        ("test", names[0]),
    ]
    assert find_treebank_files(folder / names[1]) == [("dev", folder / names[1])]


def test_a_file_that_lies_there_plain_and_compressed_is_read_once(tmp_path):
    for name in ("a-ud-dev.conllu", "a-ud-dev.conllu.xz"):
        (tmp_path / name).touch()
    assert [p.path.name for p in find_treebank_files(tmp_path)] == ["a-ud-dev.conllu"]


def test_a_folder_without_treebanks_says_where_they_are(tmp_path):
    (tmp_path / "dep").mkdir()
    (tmp_path / "dep" / "gum_train.conllu.xz").touch()
    with pytest.raises(DataProblem, match=r"did you mean .*dep"):
        find_treebank_files(tmp_path)


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("en_ewt-ud-train.conllu.xz", "train"),
        ("gum_dev.conllu", "dev"),
        ("test.conllu", "test"),
        ("x-ud-train-a.conllu", "train"),
        ("contest.conllu", ""),
    ],
)
def test_splits_are_read_off_names(tmp_path, name, split):
    assert split_of(tmp_path / name) == split


def test_a_digest_follows_content_and_order(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("a")
    two.write_text("b")
    assert digest_files([one, two]) == digest_files([one, two]) != digest_files([two, one])
    before = digest_files([one])
    one.write_text("c")
    assert digest_files([one]) != before


def test_a_digest_is_remembered_for_old_files_only(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_text("a")
    first = digest_files([path])
    # it was changed just now, and may be again within one tick
    assert not (cache_dir() / "digests").exists()
    monkeypatch.setattr(files, "_YOUNG", 0)
    assert digest_files([path]) == first
    assert len(list((cache_dir() / "digests").iterdir())) == 1
    monkeypatch.setattr("hashlib.file_digest", None)  # it is not read any more
    assert digest_files([path]) == first


@pytest.mark.parametrize("spoilt", ["{damaged", "[]", '{"value": 1}', "edited"])
def test_a_note_that_is_not_what_was_written_is_not_believed(tmp_path, monkeypatch, spoilt):
    monkeypatch.setattr(files, "_YOUNG", 0)
    path = tmp_path / "a"
    path.write_text("a")
    first = digest_files([path])
    (note,) = (cache_dir() / "digests").iterdir()
    note.write_text(note.read_text().replace(first[:4], "0000") if spoilt == "edited" else spoilt)
    assert digest_files([path]) == first


def test_a_file_is_another_when_only_its_time_of_change_says_so(tmp_path, monkeypatch):
    """Size and time of writing are as before, as after `cp -p`, or an edit that sets the time
    back.
    """
    monkeypatch.setattr(files, "_YOUNG", 0)
    path = tmp_path / "a"
    path.write_text("one")
    os.utime(path, ns=(0, 0))
    first = digest_files([path])
    assert digest_files([path]) == first
    path.write_text("two")
    os.utime(path, ns=(0, 0))
    assert digest_files([path]) != first


def _digest(path):
    return digest_files([path])


def test_several_processes_may_remember_at_once(tmp_path):
    path = tmp_path / "a"
    path.write_text("a")
    os.utime(path, ns=(10**18, 10**18))
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert len(set(pool.map(_digest, [path] * 20))) == 1


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "file"))
    path = tmp_path / "a"
    path.write_text("a")
    os.utime(path, ns=(10**18, 10**18))
    assert digest_files([path]) == digest_files([path])


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
def test_a_file_without_ends_is_refused_soon(tmp_path, suffix):
    """However little of it lies on the disk: packed zeros grow a thousandfold."""
    path = tmp_path / f"a.conllu{suffix}"
    pack = PACK[suffix]
    path.write_bytes(pack(bytes(3 * files.MAX_LINE_BYTES)))
    before = time.process_time()
    with pytest.raises(DataProblem, match=r"no sentence .* ends within 64 MiB; is it such a file"):
        list(read_chunks(path, b"\n\n"))
    assert time.process_time() - before < 3


@given(
    st.lists(
        st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b"\xef", b"\xbb", b"\xbf"]), max_size=12
    ),
    st.integers(1, 5),
    st.sampled_from([b"\n", b"\n\n"]),
)
def test_pieces_are_cut_behind_an_end_and_join_to_the_whole(parts, size, end):
    content = b"".join(parts)
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(files, "CHUNK_BYTES", size)
        patch.setattr(files, "_check_ends", lambda data, path: None)
        path = Path(folder) / "a.txt"
        path.write_bytes(content)
        found = list(read_chunks(path, end))
    assert b"".join(found) == content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    assert all(piece.endswith(end) for piece in found[:-1])
