import json
import os
from pathlib import Path

import pytest

from lingprobe.corpora.embedded import treebank_file
from lingprobe.data.cache import (
    DRAFT_SUFFIX,
    STALE_DRAFT_SECONDS,
    FileProblem,
    cache_dir,
    find_cached,
    open_draft,
    recall_value,
    remember_value,
    write_text,
)


def test_a_file_is_there_whole_or_not_at_all(tmp_path):
    path = tmp_path / "deep" / "a.txt"
    with open_draft(path) as place:
        place.write_text("new")
        assert not path.exists()
    assert path.read_text() == "new"
    with pytest.raises(KeyError), open_draft(path) as place:
        raise KeyError(place.write_text("half"))
    assert path.read_text() == "new"
    assert [p.name for p in path.parent.iterdir()] == ["a.txt"]


def test_what_cannot_be_written_is_told_and_leaves_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(
        FileProblem, match=r"cannot write .*/file/a.txt: .*; make room, or choose another place"
    ):
        write_text(tmp_path / "file" / "a.txt", "a")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileProblem, match="cannot write"):
        write_text(tmp_path / "folder", "a")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="only Linux has a disk that is always full"
)
def test_a_full_disk_is_told(tmp_path):
    with (
        pytest.raises(FileProblem, match=r"a.txt: no space left on device"),
        open_draft(tmp_path / "a.txt"),
        open("/dev/full", "w") as full,
    ):
        full.write("x" * 100_000)
    assert not list(tmp_path.iterdir())


def test_an_error_of_another_file_is_not_blamed_on_the_draft(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing"), open_draft(tmp_path / "a.txt"):
        (tmp_path / "nothing").read_text()


def test_half_characters_are_written_as_escapes(tmp_path):
    write_text(tmp_path / "a.txt", "\udcff zażółć")
    assert (tmp_path / "a.txt").read_text("utf-8") == "\\udcff zażółć"


def test_a_long_name_can_be_written(tmp_path):
    write_text(tmp_path / ("x" * 250), "a")
    assert (tmp_path / ("x" * 250)).read_text() == "a"


def test_what_is_remembered_is_recalled(tmp_path):
    assert recall_value(tmp_path / "notes", "key") is None
    remember_value(tmp_path / "notes", "key", {"a": [1, "ż\udcff"]})
    assert recall_value(tmp_path / "notes", "key") == {"a": [1, "ż\udcff"]}
    assert recall_value(tmp_path / "notes", "other") is None
    remember_value(tmp_path / "notes", "key\udcff", 2)
    assert recall_value(tmp_path / "notes", "key\udcff") == 2


def test_what_was_changed_is_not_believed(tmp_path):
    remember_value(tmp_path, "key", {"folds": 5})
    (note,) = tmp_path.iterdir()
    kept = json.loads(note.read_text())
    for spoilt in (
        {**kept, "value": {"folds": 1}},
        {**kept, "key": "other"},
        {},
        [],
        None,
        "[" * 100_000,
    ):
        note.write_text(spoilt if isinstance(spoilt, str) else json.dumps(spoilt))
        assert recall_value(tmp_path, "key") is None
    note.write_bytes(b"\xff")
    assert recall_value(tmp_path, "key") is None


def test_a_place_that_cannot_be_written_remembers_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    remember_value(tmp_path / "file", "key", 1)
    assert recall_value(tmp_path / "file", "key") is None


def test_leftovers_of_killed_processes_go_after_a_day(tmp_path):
    for name, age in (("old", STALE_DRAFT_SECONDS + 60), ("young", 0)):
        (tmp_path / f".{name}{DRAFT_SUFFIX}").touch()
        moment = (tmp_path / f".{name}{DRAFT_SUFFIX}").stat().st_mtime - age
        os.utime(tmp_path / f".{name}{DRAFT_SUFFIX}", (moment, moment))
    remember_value(tmp_path, "key", 1)
    assert [p.name for p in tmp_path.glob(".*")] == [f".young{DRAFT_SUFFIX}"]


@pytest.fixture
def shared(tmp_path, monkeypatch) -> Path:
    """A second cache that is only read."""
    place = tmp_path / "shared"
    monkeypatch.setenv("LINGPROBE_SHARED_CACHE", str(place))
    return place


def test_what_the_cache_lacks_is_read_in_the_shared_one(shared):
    own = cache_dir() / "facts"
    remember_value(shared / "facts", "a key", [1, 2])
    assert recall_value(own, "a key") == [1, 2]
    remember_value(own, "a key", [3])  # what is written goes to the own one, which comes first
    assert recall_value(own, "a key") == [3]
    assert recall_value(shared / "facts", "a key") == [1, 2]


def test_only_files_of_the_cache_are_looked_for_in_the_shared_one(shared, tmp_path):
    remember_value(shared / "facts", "a key", [1, 2])
    assert recall_value(tmp_path / "facts", "a key") is None
    missing = cache_dir() / "facts" / "none"
    assert find_cached(missing) == missing


def test_the_embedded_treebank_of_the_shared_cache_is_read_and_not_written(shared):
    whole = Path(treebank_file())
    assert whole.is_relative_to(cache_dir())  # nothing is shared yet
    other = shared / whole.relative_to(cache_dir())
    write_text(other, whole.read_text("utf-8")[:100])
    whole.unlink()
    assert treebank_file() == other
    assert not whole.exists()
