"""Each extension can be taken out: the core lists, checks and runs without it. What it may import
is a contract of import-linter.
"""

from __future__ import annotations

import importlib.metadata
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
import os
import sys
import lingprobe
assert os.path.dirname(lingprobe.__path__[0]) == os.getcwd()
from lingprobe.api.listing import CONTENTS_PLACES
from lingprobe.cli import COMMANDS, app
from lingprobe.data._packages import entry_points

for group in sys.argv[3].split():
    for point in entry_points(f"lingprobe.{group}"):
        assert not {*sys.argv[1].split()} & {*point.value.split(".")}, point
for kind in CONTENTS_PLACES:
    for entry in lingprobe.available(kind):
        assert not entry.problem, entry
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.testing import TINY_DATASET_FAMILIES, check_encoder, check_probe, check_task
check_encoder("length")
if sys.argv[4]:
    for family in ("sentence", "asked", "span"):
        write_dataset(TINY_DATASET_FAMILIES[family](), f"{family}.parquet")
        check_task(f"table:{family}.parquet")
    check_task("ud/tense:embedded")
    check_probe("mlp", kinds=("classes",))
app([*"run -t ud/tense:embedded -e length --seeds 1 --limit 99 --probe".split(), sys.argv[2]])
"""


AWAY = {**{name: [name] for name in NAMES}, "all": NAMES}
FORKS = """
import os, runpy, sys
import pyarrow.parquet, pydantic, scipy.stats, sklearn.linear_model, torch, typer  # once for all
for folder in sys.argv[1:]:
    if os.fork() == 0:
        break
    _, status = os.wait()
    open(f"{folder}/code", "w").write(str(os.waitstatus_to_exitcode(status)))
else:
    sys.exit()
for number in (1, 2):
    os.dup2(os.open(f"{folder}/printed{number}", os.O_CREAT | os.O_WRONLY), number)
os.chdir(folder)
sys.path.insert(0, folder)
sys.argv = ["-c", *open("arguments").read().split(chr(10))]
runpy.run_path("conforms.py", run_name="__main__")
"""


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """For each extension, and for all, a folder in which Python ran without: the copies of one
    process, that all find lingprobe in a folder of their own.
    """
    folders = {name: tmp_path_factory.mktemp(name) for name in AWAY}
    for name, away in AWAY.items():
        (folder := folders[name]).joinpath("lingprobe").symlink_to(PACKAGE)
        (rest := folder / "lingprobe_extensions").mkdir()
        for file in BESIDE.iterdir():
            if file.name not in (*away, "__pycache__"):
                (rest / file.name).symlink_to(file)
        arguments = [" ".join(away), CENTROID, " ".join(GROUPS), "all" if name == "all" else ""]
        (folder / "arguments").write_text("\n".join(arguments), "utf-8")
        (folder / "conforms.py").write_text(CONFORMS, "utf-8")
    subprocess.run([sys.executable, "-c", FORKS, *map(str, folders.values())], check=True)
    return folders


@pytest.mark.parametrize("name", AWAY)
def test_the_core_stands_without_extensions(name, ended):
    """Their folders are gone, and what was installed still names them; without any, the core's own
    tasks and probes keep their promises as well.
    """
    out, error = ((ended[name] / f"printed{n}").read_text("utf-8") for n in (1, 2))
    assert (ended[name] / "code").read_text("utf-8") == "0", error
    assert "length" in out


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
