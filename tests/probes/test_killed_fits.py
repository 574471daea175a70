"""Fits that are killed and go on: they end in the bits of one that nothing disturbed, wherever it
was.
"""

from __future__ import annotations

import numpy as np
import pytest

from lingprobe.data.checkpoints import keeping
from lingprobe.nets import device
from lingprobe.store import checkpoints
from lingprobe.store.checkpoints import Checkpoints, forget, kept_states
from probes.elsewhere import elsewhere
from probes.test_device import PROBED, _short, said  # noqa: F401

FIRST = PROBED[0]


class Killed(BaseException):
    """A process that ends."""


class Mortal(Checkpoints):
    """Keeps a state at every step, until the process is killed after so many of them."""

    def __init__(self, place, lives):
        super().__init__(place)
        self.lives = lives

    due = True

    def keep(self, name, state):
        super().keep(name, state)
        self.lives -= 1
        if not self.lives:
            raise Killed


def kept(place, probe, given, reads, lives=0):
    """What a probe says, how often states were kept, and whether it was killed."""
    keeper = Mortal(place, lives)
    try:
        with keeping(keeper):
            return said(probe, given, reads), -keeper.lives, False
    except Killed:
        return None, lives, True


@pytest.mark.parametrize(("probe", "make", "reads"), PROBED, ids=[each[0] for each in PROBED])
def test_a_fit_that_is_killed_ends_in_the_same_bits(probe, make, reads, tmp_path):
    given = make()
    expected = said(probe, given, reads)
    _, many, _ = kept(tmp_path / "undisturbed", probe, given, reads)
    for lives in sorted({1, many // 2, many - 1}):
        place = tmp_path / f"unit-{lives}"
        assert kept(place, probe, given, reads, lives)[2]
        kept(place, probe, given, reads, 2)  # and again, two steps later
        found, left, killed = kept(place, probe, given, reads)
        assert not killed
        assert left < many  # it did go on
        for (scores, choice), (wanted, told) in zip(found, expected, strict=True):
            np.testing.assert_array_equal(scores, wanted)
            assert dict(choice) == dict(told)


def test_a_fit_on_another_device_is_gone_on_with_there(tmp_path, monkeypatch):
    probe, make, reads = "mlp,precision=float32", *FIRST[1:]
    given = make()
    expected = said(probe, given, reads)
    with elsewhere() as place:
        monkeypatch.setattr(device, "fit_device", lambda: place)
        assert kept(tmp_path / "unit", probe, given, reads, 5)[2]
        found, _, _ = kept(tmp_path / "unit", probe, given, reads)
    for (scores, _), (wanted, _) in zip(found, expected, strict=True):
        np.testing.assert_array_equal(scores, wanted)


def test_other_data_are_another_fit(tmp_path):
    probe, make, reads = FIRST
    assert kept(tmp_path / "unit", probe, make(), reads, 8)[2]
    other = make((120, 50, 20))
    found, _, _ = kept(tmp_path / "unit", probe, other, reads)
    for (scores, _), (wanted, _) in zip(found, said(probe, other, reads), strict=True):
        np.testing.assert_array_equal(scores, wanted)


@pytest.mark.parametrize("damage", [lambda b: b[:-9], lambda b: b[:-900] + bytes(900)])
def test_a_damaged_state_is_set_aside_and_the_fit_starts_anew(damage, tmp_path):
    probe, make, reads = FIRST
    place = tmp_path / "unit"
    assert kept(place, probe, make(), reads, 4)[2]
    for file in tmp_path.glob("*.fit"):
        file.write_bytes(damage(file.read_bytes()))
    found, _, _ = kept(place, probe, make(), reads)
    for (scores, _), (wanted, _) in zip(found, said(probe, make(), reads), strict=True):
        np.testing.assert_array_equal(scores, wanted)
    assert list(tmp_path.glob("*.damaged"))


def test_short_fits_keep_nothing_and_states_are_forgotten(tmp_path, monkeypatch):
    probe, make, reads = FIRST
    place = tmp_path / "unit"
    with keeping(Checkpoints(place)):
        said(probe, make(), reads)
    assert not list(tmp_path.iterdir())
    assert kept_states(place) == ("", 0)
    monkeypatch.setattr(checkpoints, "EVERY", 0.0)
    with keeping(Checkpoints(place)):
        said(probe, make(), reads)
    assert {file.suffix for file in tmp_path.iterdir()} == {".fit"}
    assert kept_states(place).bytes == sum(file.stat().st_size for file in tmp_path.iterdir())
    forget(tmp_path / "unit-1")  # another part of the same
    assert list(tmp_path.iterdir())
    forget(place)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_stops_no_fit(tmp_path, monkeypatch, caplog):
    probe, make, reads = FIRST
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(checkpoints, "EVERY", 0.0)
    with keeping(Checkpoints(tmp_path / "file" / "unit")):
        assert said(probe, make(), reads)
    assert "no state of a long fit is kept" in caplog.text
