"""Text as it comes: nothing is lost, what is wrong is named, and memory does not grow with lines."""

from __future__ import annotations

import gzip
import lzma
import zipfile

import pyarrow
import pytest

from lingprobe.corpora import files, running
from lingprobe.corpora.running import (
    _CONTROL_REMARK,
    _CUT,
    _EMPTY,
    _HIDDEN_REMARK,
    _JOINED,
    _NOT_UTF8,
    TextPassage,
    read_passages,
)


def read(path, data, **options):
    path.write_bytes(data)
    return list(read_passages(path, **options))


def test_paragraphs_end_at_blank_lines_and_lines_at_their_ends(tmp_path):
    data = b"One\r\ntwo.\r\n\r\n  Three  \tfour.\rFive.\n"
    assert read(tmp_path / "a.txt", data) == [
        TextPassage("One two.", "a.txt", 1),
        TextPassage("Three four. Five.", "a.txt", 4),
    ]
    assert [p.text for p in read(tmp_path / "a.txt", b"# by X\n" + data, lines=True)] == [
        "One", "two.", "Three four.", "Five.",
    ]  # fmt: skip


@pytest.mark.parametrize("suffix", [".txt", ".gz", ".xz", ".zst", ".zip"])
def test_every_kind_of_file_is_read(tmp_path, suffix):
    path, data = tmp_path / f"a{suffix}", b"One.\n\nTwo."
    if suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("b/two.txt", "Two.")
            archive.writestr("a.txt", "One.")
    elif suffix == ".zst":
        with pyarrow.CompressedOutputStream(str(path), "zstd") as file:
            file.write(data)
    else:
        pack = {".gz": gzip.compress, ".xz": lzma.compress}.get(suffix, bytes)
        path.write_bytes(pack(data))
    assert [p.text for p in read_passages(path)] == ["One.", "Two."]


def test_nul_bytes_are_spaces_and_hidden_characters_vanish(tmp_path):
    data = "Na\x00ught so\u00adft \ufeffend\x07.".encode()
    assert read(tmp_path / "a.txt", data) == [
        TextPassage("Na ught soft end .", "a.txt", 1, "", (_CONTROL_REMARK, _HIDDEN_REMARK))
    ]


def test_lines_in_another_encoding_are_set_aside_with_their_bytes(tmp_path):
    got = read(tmp_path / "a.txt", b"Ein\n" + "größer\n".encode("latin-1") + b"Ende")
    assert got == [
        TextPassage("Ein", "a.txt", 1),
        TextPassage("gr\\xf6\\xdfer", "a.txt", 2, _NOT_UTF8),
        TextPassage("Ende", "a.txt", 3),
    ]


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("a.txt", b"", _EMPTY),
        ("a.txt", "One".encode("utf-16"), "UTF-16"),
        ("a.gz", b"no gzip", "a.gz is damaged"),
        ("a.zip", b"PK\x03\x04 no zip", "a.zip is damaged"),
        ("none.txt", None, "cannot open none.txt"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, data, problem):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    [got] = read_passages(path)
    assert (got.text, got.file) == ("", name)
    assert problem in got.problem
    assert str(tmp_path) not in got.problem


def test_what_stands_before_the_damage_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "CHUNK_BYTES", 1000)
    many = b"".join(b"A line %d.\n" % i for i in range(1000))
    path = tmp_path / "a.xz"
    path.write_bytes(lzma.compress(many)[:-20])
    *before, last = read_passages(path, lines=True)
    assert len(before) > 500
    assert "damaged" in last.problem


def test_a_long_line_is_cut_at_spaces_and_said(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_LONGEST", 100)
    words = [f"w{i}" for i in range(1000)]
    got = read(tmp_path / "a.txt", " ".join(words).encode())
    assert " ".join(p.text for p in got).split() == words
    assert {what for p in got for what in p.mended} == {_CUT}
    ended = read(
        tmp_path / "a.txt", b"short\n" + " ".join(words).encode() + b"\nlast\n", lines=True
    )
    assert " ".join(p.text for p in ended).split() == ["short", *words, "last"]
    assert max(len(p.text) for p in ended) <= 100
    assert not ended[0].mended
    assert not ended[-1].mended
    solid = "\u017c" * 500
    got = read(tmp_path / "a.txt", solid.encode())
    assert "".join(p.text.replace(" ", "") for p in got) == solid
    assert not any(p.problem for p in got)


def test_text_without_blank_lines_is_cut_where_a_sentence_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_ENOUGH", 50)
    monkeypatch.setattr(running, "_MOST", 400)
    got = read(tmp_path / "a.txt", b"It was a long day,\nand nobody came.\n" * 20)
    assert all(p.text.endswith("came.") and not p.mended for p in got)
    assert len(got) > 5
    got = read(tmp_path / "a.txt", b"no end in sight\n" * 100)
    assert {what for p in got for what in p.mended} == {_JOINED}
