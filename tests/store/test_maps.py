"""Files that are mapped without one that stays open."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import numpy as np
import pytest

from lingprobe.store import maps
from lingprobe.store.maps import map_file


def mapped(path: Path) -> int:
    """How often a process has mapped a file."""
    return Path("/proc/self/maps").read_text().count(str(path))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(range(256)) * 50)
    return path


@pytest.mark.parametrize("own", [True, False])
def test_the_bytes_are_those_of_the_file_and_cannot_be_written(file, own, monkeypatch):
    if not own:
        monkeypatch.setattr(maps, "_calls", lambda: None)
    with file.open("rb") as opened:
        array = map_file(opened)
    assert array.tobytes() == file.read_bytes()
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="maps are asked of /proc")
def test_it_is_mapped_for_as_long_as_a_part_lives_and_no_file_stays_open(file):
    with file.open("rb") as opened:
        array = map_file(opened)
    opened_files = {os.readlink(f"/proc/self/fd/{fd}") for fd in _open_files()}
    assert str(file) not in opened_files
    part = np.frombuffer(array[100:200], np.uint8)
    del array
    gc.collect()
    assert mapped(file) == 1
    assert part.tolist() == list(range(100, 200))
    del part
    gc.collect()
    assert mapped(file) == 0


def _open_files() -> list[str]:
    return [fd for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}")]


def test_an_empty_file_has_no_bytes(tmp_path):
    (tmp_path / "empty").touch()
    with (tmp_path / "empty").open("rb") as opened:
        assert not len(map_file(opened))
