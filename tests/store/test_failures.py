"""Why units of work failed, kept beside the place of their results."""

from pathlib import Path

from lingprobe.store.failures import failure_of, forget_failure, note_failure


def test_a_failure_is_kept_until_it_is_forgotten(tmp_path):
    place = tmp_path / "3f8a01c2d4e5f607"
    assert failure_of(place) is None
    note_failure(place, "the model tripped")
    first = failure_of(place)
    assert first is not None
    assert first.why == "the model tripped"
    assert first.machine
    note_failure(place, "again")
    second = failure_of(place)
    assert second.why == "again"
    assert second.date > first.date
    forget_failure(place)
    forget_failure(place)
    assert failure_of(place) is None
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_does_without(tmp_path):
    (tmp_path / "file").write_text("")
    place = tmp_path / "file" / "3f8a01c2d4e5f607"
    note_failure(place, "the model tripped")
    forget_failure(place)


def test_a_damaged_note_counts_as_none(tmp_path, caplog):
    place = Path(tmp_path / "3f8a01c2d4e5f607")
    note_failure(place, "the model tripped")
    (tmp_path / "3f8a01c2d4e5f607.failed").write_bytes(b"sonde")
    assert failure_of(place) is None
    assert "damaged" in caplog.text
