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
from fixtures.plugin import CENTROID
from lingprobe import parts

PACKAGE = Path(lingprobe.__file__).parent
NAMES = [part.__name__.rpartition(".")[2] for part in parts.parts()]
CONFORMS = """
import sys
import lingprobe
from lingprobe import parts
from lingprobe.api.listing import KINDS

assert "lingprobe.parts." + sys.argv[1] not in [part.__name__ for part in parts.parts()]
for kind in KINDS:
    for entry in lingprobe.available(kind):
        assert not entry.problem, entry
from lingprobe.testing import check_encoder
check_encoder("length")
from lingprobe.cli import app
app([*"run -t ud/tense:embedded -e length --seeds 1 --limit 99 --probe".split(), sys.argv[2]])
"""


@pytest.mark.parametrize("name", NAMES)
def test_the_rest_stands_without_a_part(name, tmp_path):
    copy = tmp_path / "lingprobe"
    (copy / "parts").mkdir(parents=True)
    for folder in (PACKAGE, PACKAGE / "parts"):
        for each in folder.iterdir():
            if each.name not in ("parts", name):
                (copy / each.relative_to(PACKAGE)).symlink_to(each)
    done = subprocess.run(
        [sys.executable, "-c", CONFORMS, name, CENTROID],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "length" in done.stdout


def test_there_are_parts():
    assert len(NAMES) >= 4
