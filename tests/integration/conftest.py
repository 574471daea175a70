"""What these tests need is installed by `make test-integration` and `make test-cluster`; where it is missing they fail,
since what is skipped silently is not tested.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # the fixtures of all tests
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def command(*names: str, by: str = "make test-integration") -> str:
    """The first of these commands that is there; the test fails where none is."""
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"])  # daemons are there
    for name in names:
        if found := shutil.which(name, path=places):
            return found
    pytest.fail(f"{' or '.join(names)} is not installed: `{by}` installs it")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium of the system."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.fail("playwright is not installed: `make test-integration` installs it")
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=command(*BROWSERS), args=sandbox)
        yield chromium
        chromium.close()
