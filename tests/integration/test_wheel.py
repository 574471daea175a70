"""A wheel has what is no code, too: templates, BibTeX, tables of papers."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
PAGE = """
import lingprobe
assert lingprobe.__file__.startswith(FOLDER), lingprobe.__file__
results = lingprobe.evaluate("length", "ud/tense:embedded", probes="logreg", seeds=1)
results.report().write("report.html")
"""


def test_a_page_is_made_by_what_a_wheel_holds(tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "unpacked")
    unpacked = str(tmp_path / "unpacked")
    subprocess.run(
        [sys.executable, "-c", PAGE.replace("FOLDER", repr(unpacked))],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": unpacked},
        check=True,
    )
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "@inproceedings{krasnowska" in page
    assert "prefers-color-scheme: dark" in page
