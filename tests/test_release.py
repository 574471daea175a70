"""What says whether a checkout can be released: each thing that does not hold is said."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "release" / "check.py"


@pytest.fixture
def checkout(tmp_path):
    """A repository with what the check of versions reads."""
    for name in ("pyproject.toml", "CHANGELOG.md", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "release").mkdir()
    shutil.copy(SCRIPT, tmp_path / "release")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, *"-c user.name=a -c user.email=a@b commit -q -m all".split())
    return tmp_path


def git(folder, *arguments):
    subprocess.run(["git", *arguments], cwd=folder, check=True)


def release(folder, text):
    """State a version in place of that of development."""
    file = folder / "pyproject.toml"
    now = tomllib.loads(file.read_text("utf-8"))["project"]["version"]
    file.write_text(file.read_text("utf-8").replace(f'version = "{now}"', f'version = "{text}"'))


def check(folder, *steps):
    command = [sys.executable, "release/check.py", *steps]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_this_version_is_consistent(checkout):
    done = check(checkout, "version")
    assert done.returncode == 0, done.stderr


def test_a_development_version_has_no_tag(checkout):
    git(checkout, "tag", "v0.2.0")
    assert "nothing is tagged" in check(checkout, "version").stderr


def test_a_release_has_a_heading_a_citation_and_a_tag(checkout):
    release(checkout, "9.9.9")
    assert "the changelog starts with [Unreleased]" in check(checkout, "version").stderr
    changes = checkout / "CHANGELOG.md"
    changes.write_text(changes.read_text("utf-8").replace("[Unreleased]", "[9.9.9]"), "utf-8")
    assert "CITATION.cff says another" in check(checkout, "version").stderr
    cited = checkout / "CITATION.cff"
    text = re.sub(r"(?m)^version: .*$", "version: 9.9.9", cited.read_text("utf-8"))
    cited.write_text(text, "utf-8")
    assert "no tag v9.9.9" in check(checkout, "version").stderr
    git(checkout, "tag", "v9.9.9")
    done = check(checkout, "version")
    assert done.returncode == 0, done.stderr


def test_unknown_steps_are_named():
    assert "no step is called typos" in check(ROOT, "typos").stderr


def packed(folder, wheel, sdist):
    """A wheel and an sdist with files of these names."""
    with zipfile.ZipFile(folder / "x.whl", "w") as archive:
        for name in wheel:
            archive.writestr(name, "")
    empty = folder / "empty"
    empty.touch()
    with tarfile.open(folder / "x.tar.gz", "w:gz") as archive:
        for name in sdist:
            archive.add(empty, f"lingprobe-1/{name}")
    return folder / "x.whl", folder / "x.tar.gz"


def test_wheel_and_sdist_hold_what_is_committed_and_nothing_else(tmp_path):
    script = runpy.run_path(str(SCRIPT))
    contents, unfit = script["_check_contents"], script["Unfit"]
    files = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")[:-1]
    package = [name.removeprefix("src/") for name in files if name.startswith("src/")]
    meta = "lingprobe-1.dist-info/METADATA"
    contents(*packed(tmp_path, [*package, meta], [*files, "PKG-INFO"]))
    with pytest.raises(unfit, match=r"the wheel differs .*tests/secret"):
        contents(*packed(tmp_path, [*package, "tests/secret"], files))
    with pytest.raises(unfit, match=r"the wheel differs .*py\.typed"):
        contents(*packed(tmp_path, [n for n in package if n != "lingprobe/py.typed"], files))
    with pytest.raises(unfit, match=r"the sdist differs .*Makefile"):
        contents(*packed(tmp_path, package, [n for n in files if n != "Makefile"]))
