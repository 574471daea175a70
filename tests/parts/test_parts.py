"""Each part can be taken out: the rest lists, checks and runs without it. That nothing imports a
part is a contract of import-linter.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import lingprobe
from lingprobe import parts

PACKAGE = Path(lingprobe.__file__).parent
NAMES = [part.__name__.rpartition(".")[2] for part in parts.parts()]
CONFORMS = """
import sys
import lingprobe
from lingprobe import parts
from lingprobe.api.listing import ROOMS

assert "lingprobe.parts." + sys.argv[1] not in [part.__name__ for part in parts.parts()]
for kind in ROOMS:
    for entry in lingprobe.available(kind):
        assert not entry.problem, entry
from lingprobe.testing import check_encoder
check_encoder("length")
"""


def python(folder: Path, *arguments: str) -> str:
    """What Python prints that reads lingprobe from a folder."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": str(folder), "LINGPROBE_CACHE": str(folder / "cache")},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_the_rest_stands_without_a_part(name, tmp_path):
    copy = tmp_path / "lingprobe"
    (copy / "parts").mkdir(parents=True)
    for folder in (PACKAGE, PACKAGE / "parts"):
        for each in folder.iterdir():
            if each.name not in ("parts", name):
                (copy / each.relative_to(PACKAGE)).symlink_to(each)
    python(tmp_path, "-c", CONFORMS, name)
    run = "run -t ud/tense:embedded -e length --probe logreg --seeds 1 --limit 99"
    table = python(tmp_path, "-m", "lingprobe", *run.split())
    assert "length" in table


def test_there_are_parts():
    assert len(NAMES) >= 3
