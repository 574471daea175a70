import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from lingprobe.store import claims
from lingprobe.store.claims import ClaimWatch, claim_file, claim_of, make_once

HOLD = """
import sys, time
from pathlib import Path
from lingprobe.store.claims import claim_file
with claim_file(Path(sys.argv[1])) as mine:
    print(mine, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the claim to `unit`."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "unit")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    yield process
    process.kill()
    process.communicate()


def test_one_at_a_time_holds_a_claim(tmp_path):
    with (
        claim_file(tmp_path / "deep" / "unit") as mine,
        claim_file(tmp_path / "deep" / "unit") as other,
        claim_file(tmp_path / "deep" / "b") as b,
    ):
        assert (mine, other, b) == (True, False, True)
    with claim_file(tmp_path / "deep" / "unit") as mine:
        assert mine
    assert not list((tmp_path / "deep").iterdir())


def test_a_claim_ends_with_an_error(tmp_path):
    with pytest.raises(KeyError), claim_file(tmp_path / "unit"):
        raise KeyError
    with claim_file(tmp_path / "unit") as mine:
        assert mine


def test_a_claim_of_a_living_process_holds(tmp_path, holder):
    with claim_file(tmp_path / "unit") as mine:
        assert not mine
    assert not ClaimWatch().free(tmp_path / "unit")


@pytest.mark.parametrize("reaped", [True, False])
def test_a_claim_of_a_killed_process_is_void_at_once(tmp_path, holder, reaped):
    holder.send_signal(signal.SIGKILL)
    if reaped:
        holder.wait()
    else:
        time.sleep(0.5)  # it is a zombie now
    with claim_file(tmp_path / "unit") as mine:
        assert mine
    assert not claim_of(tmp_path / "unit").exists()


def test_a_claim_of_a_killed_process_is_seen_by_those_who_wait(tmp_path, holder):
    threading.Timer(0.3, holder.kill).start()
    start = time.monotonic()
    assert ClaimWatch().wait(["unit"], lambda name: tmp_path / name) == (["unit"], [])
    assert time.monotonic() - start < 5


def test_a_process_that_stands_still_holds_nobody_up_for_long(tmp_path, holder, monkeypatch):
    monkeypatch.setattr(claims, "_PATIENCE", 0.5)
    holder.send_signal(signal.SIGSTOP)
    assert ClaimWatch().wait(["unit"], lambda name: tmp_path / name) == (["unit"], [])
    with claim_file(tmp_path / "unit") as mine:
        assert mine


def test_a_claim_of_another_machine_holds_for_as_long_as_it_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "_PATIENCE", 0.6)
    claim, watch = claim_of(tmp_path / "unit"), ClaimWatch()
    claim.write_text(json.dumps({"machine": "elsewhere", "process": 1, "began": "1"}))
    for beat in range(8):
        os.utime(claim, (beat, beat))
        assert not watch.free(tmp_path / "unit")
        time.sleep(0.1)
    time.sleep(0.7)
    assert watch.free(tmp_path / "unit")


def test_whoever_holds_a_claim_shows_that_it_lives(tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "_BEAT", 0.05)
    with claim_file(tmp_path / "unit"):
        os.utime(claim_of(tmp_path / "unit"), (0, 0))
        time.sleep(0.5)
        assert claim_of(tmp_path / "unit").stat().st_mtime > 0


def test_a_claim_that_was_taken_over_is_left_to_its_new_holder(tmp_path):
    with claim_file(tmp_path / "unit"):
        claim_of(tmp_path / "unit").write_text("another's")
    assert claim_of(tmp_path / "unit").read_text() == "another's"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"machine": 1}', "\udcff"])
def test_a_claim_that_cannot_be_read_holds_for_a_while(tmp_path, monkeypatch, content):
    monkeypatch.setattr(claims, "_PATIENCE", 0.2)
    claim_of(tmp_path / "unit").write_bytes(content.encode("utf-8", "surrogateescape"))
    with claim_file(tmp_path / "unit") as mine:
        assert not mine
    assert ClaimWatch().wait(["unit"], lambda name: tmp_path / name) == (["unit"], [])


def test_where_no_note_can_be_left_the_work_is_done(tmp_path):
    (tmp_path / "file").write_text("")
    with claim_file(tmp_path / "file" / "unit") as mine:
        assert mine


def test_a_file_is_made_once_and_not_by_two(tmp_path, holder):
    made = []
    assert make_once(tmp_path / "new", lambda: made.append("new"))
    assert not make_once(tmp_path / "unit", lambda: made.append("unit"))
    (tmp_path / "there").touch()
    assert make_once(tmp_path / "there", lambda: made.append("there"))
    holder.kill()
    holder.wait()
    assert make_once(tmp_path / "unit", lambda: made.append("unit"))
    assert made == ["new", "unit"]
    assert not list(tmp_path.glob(".*"))


def test_what_a_killed_process_claimed_is_cleared_once_the_file_is_there(tmp_path, holder):
    (tmp_path / "unit").touch()
    claims.clear_claim(tmp_path / "unit")
    assert claim_of(tmp_path / "unit").is_file()  # its process lives
    holder.kill()
    holder.wait()
    claims.clear_claim(tmp_path / "unit")
    assert not claim_of(tmp_path / "unit").exists()
