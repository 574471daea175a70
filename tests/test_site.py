"""The site: every page is in its menu, no link is dead, and nothing is loaded from elsewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def pages(menu):
    """The files of a menu, which may have menus in it."""
    for entry in menu:
        values = entry.values() if isinstance(entry, dict) else [entry]
        for value in values:
            yield from [value] if isinstance(value, str) else pages(value)


def build(folder):
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(DOCS, folder / "docs")
    shutil.copy(ROOT / "zensical.toml", folder)
    return folder


def test_every_page_is_in_the_menu():
    menu = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"]
    assert sorted(pages(menu)) == sorted(
        path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")
    )


def test_the_site_is_built_without_a_dead_link_and_a_dead_one_is_found(copy):
    done = build(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    site = copy / "build" / "site"
    assert (site / "index.html").is_file()
    html = "".join(path.read_text("utf-8") for path in site.rglob("*.html"))
    loaded = re.findall(r'<(?:script|img|iframe)[^>]*\ssrc="?(https?://[^">]+)', html)
    loaded += re.findall(r'<link[^>]*rel="?stylesheet"?[^>]*href="?(https?://[^">]+)', html)
    assert not loaded
    start = copy / "docs" / "start.md"
    start.write_text(start.read_text("utf-8") + "\n[gone](nowhere.md)\n", "utf-8")
    assert build(copy).returncode != 0
