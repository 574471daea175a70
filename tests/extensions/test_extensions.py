"""Each extension can be taken out: the core lists, checks and runs without it. What it may import
is a contract of import-linter.
"""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lingprobe
import lingprobe_extensions
from fixtures.plugin import CENTROID
from lingprobe.data._packages import entry_points, is_own_module

PACKAGE, BESIDE = Path(lingprobe.__file__).parent, Path(lingprobe_extensions.__file__).parent
NAMES = sorted(file.parent.name for file in BESIDE.glob("*/__init__.py"))
GROUPS = (
    *("about", "answers", "commands", "encoders", "functions", "kinds", "parsers", "sheets"),
    "tasks",
)
CONFORMS = """
import sys
import lingprobe
from lingprobe.api.listing import KINDS
from lingprobe.cli import COMMANDS, app
from lingprobe.data._packages import entry_points

for group in sys.argv[3].split():
    for point in entry_points(f"lingprobe.{group}"):
        assert not {*sys.argv[1].split()} & {*point.value.split(".")}, point
for kind in KINDS:
    for entry in lingprobe.available(kind):
        assert not entry.problem, entry
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.testing import FAMILIES, check_encoder, check_probe, check_task
check_encoder("length")
if sys.argv[4]:
    for family in ("sentence", "asked", "span"):
        write_dataset(FAMILIES[family](), f"{family}.parquet")
        check_task(f"table:{family}.parquet")
    check_task("ud/tense:embedded")
    check_probe("mlp", kinds=("classes",))
app([*"run -t ud/tense:embedded -e length --seeds 1 --limit 99 --probe".split(), sys.argv[2]])
"""


@pytest.mark.parametrize("away", [*([name] for name in NAMES), NAMES], ids=[*NAMES, "all"])
def test_the_core_stands_without_extensions(away, tmp_path):
    """Their folders are gone, and what was installed still names them; without any, the core's own
    tasks and probes keep their promises as well.
    """
    (tmp_path / "lingprobe").symlink_to(PACKAGE)
    (rest := tmp_path / "lingprobe_extensions").mkdir()
    for file in BESIDE.iterdir():
        if file.name not in (*away, "__pycache__"):
            (rest / file.name).symlink_to(file)
    arguments = [" ".join(away), CENTROID, " ".join(GROUPS), "all" if away == NAMES else ""]
    done = subprocess.run(
        [sys.executable, "-c", CONFORMS, *arguments],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "length" in done.stdout


def test_every_extension_is_found_by_entry_points():
    offered = [p for group in GROUPS for p in entry_points(f"lingprobe.{group}")]
    assert {p.module.split(".")[1] for p in offered if is_own_module(p.value)} == set(NAMES)
    ours = [
        p
        for p in importlib.metadata.distribution("lingprobe").entry_points
        if p.group.startswith("lingprobe.")
    ]
    assert {p.group.removeprefix("lingprobe.") for p in ours} == set(GROUPS)
    assert all(p.load() is not None for p in ours)
