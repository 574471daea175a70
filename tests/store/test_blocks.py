import errno
import importlib.metadata
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.store import blocks
from lingprobe.store.blocks import BlockFile, DamagedFile, StoreProblem

ARRAYS = {
    "keys": np.arange(6, dtype=np.uint64).reshape(3, 2),
    "none": np.zeros((0, 4), np.float32),
    "half": np.linspace(0, 1, 5).astype(np.float16),
    "flag": np.array([True, False, True]),
}


def write(path: Path) -> Path:
    blocks.write_block_file(
        path, "test", {"word": "zażółć \ud800", "n": np.int64(3), "nan": float("nan")}, ARRAYS
    )
    return path


def test_what_was_written_is_read(tmp_path):
    block = BlockFile(write(tmp_path / "deep" / "a.block"))
    assert block.kind == "test"
    assert block.facts["word"] == "zażółć \ud800"
    assert block.facts["n"] == 3
    for name, array in ARRAYS.items():
        assert block.array(name).dtype == array.dtype
        np.testing.assert_array_equal(block.array(name), array)
        assert not block.array(name).flags.writeable


def test_the_same_content_is_the_same_bytes(tmp_path):
    assert write(tmp_path / "a").read_bytes() == write(tmp_path / "b").read_bytes()


def test_equal_arrays_are_written_once_and_read_under_each_name(tmp_path):
    layer = np.random.default_rng(0).normal(size=(500, 8)).astype(np.float32)
    one = {"layer:lex": layer, "words": np.arange(3)}
    several = {
        **one,
        "layer:0": layer.copy(),
        "layer:1": -layer,
        "as bytes": layer.view(np.uint8),
        "nan": np.full(9, np.nan),
    }
    several["nan too"] = several["nan"].copy()
    for name, arrays in (("one", one), ("several", several)):
        blocks.write_block_file(tmp_path / name, "test", {}, arrays)
        block = BlockFile(tmp_path / name)
        block.check()
        for key, array in arrays.items():
            assert block.array(key).dtype == array.dtype
            np.testing.assert_array_equal(block.array(key), array)
    places = {key: about["start"] for key, about in BlockFile(tmp_path / "several").arrays.items()}
    assert places["layer:lex"] == places["layer:0"]
    assert places["nan"] == places["nan too"]
    assert len(set(places.values())) == len(several) - 2
    written = (tmp_path / "several").stat().st_size - (tmp_path / "one").stat().st_size
    assert 2 * layer.nbytes < written < 2 * layer.nbytes + 2048


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=8))
def test_arrays_come_back_whichever_are_equal_or_empty(tmp_path_factory, given_):
    arrays = {
        str(i): np.full((length, 2), value, np.int16) for i, (value, length) in enumerate(given_)
    }
    path = tmp_path_factory.mktemp("blocks") / "a"
    blocks.write_block_file(path, "test", {}, arrays)
    block = BlockFile(path)
    for name, array in arrays.items():
        np.testing.assert_array_equal(block.array(name), array)
        assert block.array(name).shape == array.shape


def test_a_file_says_which_version_wrote_it(tmp_path):
    block = BlockFile(write(tmp_path / "a"))
    assert (block.format, block.made) == (2, importlib.metadata.version("lingprobe"))


@pytest.mark.parametrize("large", [1, 1 << 30])
def test_a_file_is_open_only_while_it_is_read(tmp_path, monkeypatch, large):
    monkeypatch.setattr(blocks, "_MAPPED", large)
    kept = [BlockFile(write(tmp_path / str(i))) for i in range(3)]
    before = len(os.listdir("/dev/fd"))
    for block in kept:
        block.check()
    found = kept[0].array("half")
    assert len(os.listdir("/dev/fd")) == before + (large == 1)
    np.testing.assert_array_equal(found, ARRAYS["half"])


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_file_that_is_gone_is_no_damage_and_is_not_set_aside(tmp_path, how, caplog):
    path = write(tmp_path / "a")
    block = BlockFile(path)
    write(tmp_path / "b").replace(path) if how == "replaced" else path.unlink()
    with pytest.raises(blocks.RemovedFile) as gone:
        block.array("keys")
    blocks.set_aside(path, gone.value)
    assert path.exists() == (how == "replaced")
    assert "cannot be read" in caplog.text
    assert not list(tmp_path.glob("*.damaged"))


_whole = {}


@given(where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_flipped_bit_anywhere_is_noticed(where, bit, tmp_path_factory):
    if not _whole:
        _whole["bytes"] = write(tmp_path_factory.mktemp("blocks") / "a").read_bytes()
        _whole["path"] = tmp_path_factory.mktemp("spoilt") / "a"
    content = bytearray(_whole["bytes"])
    content[int(where * len(content))] ^= 1 << bit
    _whole["path"].write_bytes(content)
    with pytest.raises(DamagedFile):
        BlockFile(_whole["path"]).check()


def test_every_byte_counts(tmp_path):
    content = write(tmp_path / "a").read_bytes()
    for at in range(len(content)):
        (tmp_path / "a").write_bytes(content[:at] + bytes([content[at] ^ 255]) + content[at + 1 :])
        with pytest.raises(DamagedFile):
            BlockFile(tmp_path / "a").check()


@pytest.mark.parametrize("size", [0, 1, 31, 32, 100, -1, -64])
def test_a_short_file_is_noticed(tmp_path, size):
    path = write(tmp_path / "a")
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(DamagedFile):
        BlockFile(path).check()


def test_a_longer_file_is_noticed(tmp_path):
    path = write(tmp_path / "a")
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(DamagedFile):
        BlockFile(path)


def test_a_later_format_is_refused_politely_and_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_FORMAT_VERSION", 3)
    path = write(tmp_path / "a")
    monkeypatch.undo()
    with pytest.raises(
        StoreProblem, match="format 3, this version of lingprobe reads 1 to 2: update lingprobe"
    ):
        blocks.open_block(path)
    assert path.exists()


def test_a_damaged_file_is_named_and_set_aside(tmp_path, caplog):
    path = tmp_path / "a.block"
    path.write_bytes(b"rubbish" * 100)
    assert blocks.open_block(path) is None
    assert not path.exists()
    assert (tmp_path / "a.block.damaged").exists()
    assert "a.block is damaged" in caplog.text


def test_a_damaged_file_where_nothing_can_be_written_is_left_out(tmp_path, monkeypatch, caplog):
    path = tmp_path / "a.block"
    path.write_bytes(b"rubbish" * 100)

    def read_only(*_):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "replace", read_only)
    assert blocks.open_block(path) is None
    assert path.exists()
    assert "cannot be set aside (read-only file system); it is skipped" in caplog.text
    assert "is set aside as" not in caplog.text


def test_a_full_disk_is_one_line_and_spoils_nothing(tmp_path, monkeypatch):
    path = write(tmp_path / "a")
    before = path.read_bytes()

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreProblem, match="No space left on device") as problem:
        blocks.write_block_file(path, "test", {}, {"other": np.ones(3)})
    assert "\n" not in str(problem.value)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("links", [True, False])
def test_of_two_writers_the_first_is_kept_where_that_is_asked_for(tmp_path, monkeypatch, links):
    def no_links(*_):
        raise PermissionError(errno.EPERM, "no hard links here")

    if not links:
        monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "a"
    for number in (1, 2):
        blocks.write_block_file(path, "test", {"n": number}, {}, keep=True)
        assert BlockFile(path).facts["n"] == 1
    blocks.write_block_file(path, "test", {"n": 3}, {})
    assert BlockFile(path).facts["n"] == 3
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_an_interrupt_while_writing_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "a")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="limits on file size are POSIX")
def test_a_file_size_limit_stops_a_write_cleanly(tmp_path):
    code = f"""
import resource, signal, numpy as np
from pathlib import Path
from lingprobe.store import blocks
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
blocks.write_block_file(Path({str(tmp_path)!r}) / "small", "test", {{}}, {{"a": np.zeros(10)}})
try:
    blocks.write_block_file(Path({str(tmp_path)!r}) / "large", "test", {{}}, {{"a": np.zeros(100_000)}})
except blocks.StoreProblem as problem:
    print(problem)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "File too large" in done.stdout
    assert [p.name for p in tmp_path.iterdir()] == ["small"]


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreProblem, match=r"cannot write .*file"):
        write(tmp_path / "file" / "a")


def test_leftovers_go_after_a_day_and_others_files_stay(tmp_path):
    write(tmp_path / "a.block")
    old, young, foreign = tmp_path / ".x.1.part", tmp_path / ".y.2.part", tmp_path / "notes.txt"
    for path in (old, young, foreign):
        path.write_text("")
    os.utime(old, (time.time() - 100_000,) * 2)
    os.utime(foreign, (time.time() - 100_000,) * 2)
    assert [name for _, name in blocks.list_folder_files(tmp_path, ".block")] == ["a.block"]
    assert sorted(p.name for p in tmp_path.iterdir()) == [".y.2.part", "a.block", "notes.txt"]


def test_no_folder_holds_no_files(tmp_path):
    assert blocks.list_folder_files(tmp_path / "nowhere", ".block") == []


def test_a_block_written_over_in_place_is_another_one(tmp_path):
    path = write(tmp_path / "a")
    block, content, about = BlockFile(path), path.read_bytes(), path.stat()
    with path.open("r+b") as file:
        file.write(content)
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns + 1))
    with pytest.raises(blocks.RemovedFile, match="another file took its place"):
        block.array("keys")
