"""`benchmarks/recording.py` finds a copy of a checkout the same, and edits that change numbers in
it where they change them.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EDITS = {
    "scores.argmax(1)": "scores.argmin(1)",
    "default_rng([self.settings.seed, 2])": "default_rng([self.settings.seed, 9])",
}


def checkout(place: Path, edits: dict[str, str]) -> Path:
    """A copy of this checkout's sources with edits, wherever the lines lie that they are about, and
    with what was compiled of the other files.
    """
    shutil.copytree(ROOT / "src", place / "src")
    shutil.copy(ROOT / "pyproject.toml", place)
    for old, new in edits.items():
        files = [file for file in place.rglob("*.py") if old in file.read_text("utf-8")]
        assert files, f"no file has {old!r} any more: edit another line that decides a number"
        for file in files:
            file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
    return place


def compared(*arguments: object) -> tuple[int, str]:
    command = [sys.executable, ROOT / "benchmarks" / "recording.py", *arguments, "--only", "table"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A folder in which this checkout and a copy of it were recorded, and what came of comparing
    them.
    """
    place = tmp_path_factory.mktemp("recording")
    return place, compared(ROOT, checkout(place / "copy", {}), "--output", place / "out")


def test_a_copy_is_found_the_same(recorded):
    _, (code, said) = recorded
    assert code == 0, said
    assert "requests=1 " in said
    assert "differing=0 failed=0" in said
    assert int(said.rpartition("fields=")[2].split()[0]) > 15


def test_edits_that_change_numbers_are_found_where_they_do(recorded, tmp_path):
    code, said = compared(
        recorded[0] / "out" / "old",
        checkout(tmp_path, EDITS),
        "--output",
        tmp_path / "out",
        "--all",
    )
    assert code == 1, said
    differing = [line for line in said.splitlines() if line.startswith("  DIFFERS")]
    fields = {line.partition(" #0: ")[2].partition(":")[0] for line in differing}
    assert {"score", "predicted"} <= fields
    assert "gold" not in fields  # the file says which examples are test
    assert any("sampled.jsonl: rows: row" in line for line in differing), said
    assert any("numbers in 2.out: lines" in line for line in differing), said


def test_what_fails_on_both_sides_is_a_failure(recorded, tmp_path):
    edit = {"def main(": "raise SystemExit(3)\n\n\ndef main("}
    broken = checkout(tmp_path, edit)
    code, said = compared(recorded[0] / "out" / "old", broken, "--output", tmp_path / "out")
    assert code == 1, said
    assert "ended with 3" in said
    assert "FAILED in new" in said
    assert "failed=1" in said
