"""Build the site from README.md and docs/ in build/site: `make site`. A dead link fails.

The home page is the README. Pages that are not in the menu of zensical.toml, such as design notes
and raw results, can be reached by links and are not in the search. Nor is the page of every
function, whose names would come before the pages that explain things.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
REFERENCE = "api.md"
HIDDEN = "---\nsearch:\n  exclude: true\n---\n\n"
NO_HEAD = re.compile(r"<th([^>]*)></th>")
NO_LINK = re.compile(r'<a id="__codelineno-[^>]*></a>')
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)]+)\)")


def pages(menu: list[Any]) -> Iterator[str]:
    """The files of a menu, which may have menus in it."""
    for entry in menu:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            yield from [value] if isinstance(value, str) else pages(value)


def home(readme: str) -> str:
    """The README as a page beside the others; links to files outside docs/ become plain text."""
    kept = LINK.sub(lambda link: link[0] if link[2].startswith("docs/") else link[1], readme)
    return kept.replace("](docs/", "](")


def stage(root: Path) -> Path:
    """Lay out in build/docs what the site is built from."""
    project = tomllib.loads((root / "zensical.toml").read_text("utf-8"))["project"]
    place = root / project["docs_dir"]
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(root / "docs", place, ignore=shutil.ignore_patterns("*.py", "*.txt"))
    (place / "index.md").write_text(home((root / "README.md").read_text("utf-8")), "utf-8")
    found = set(pages(project["nav"])) - {REFERENCE}
    for page in place.rglob("*.md"):
        if page.relative_to(place).as_posix() not in found:
            page.write_text(HIDDEN + page.read_text("utf-8"), "utf-8")
    return place


def accessible(page: str) -> str:
    """A page without what screen readers stumble over: columns and links without a name."""
    return NO_LINK.sub("", NO_HEAD.sub(r"<td\1></td>", page))


def build(root: Path) -> int:
    """Lay out and build the site; the code that the builder ends with."""
    place = stage(root).parent / "site"
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    code = subprocess.run(command, cwd=root, check=False).returncode  # noqa: S603
    for page in place.rglob("*.html"):
        page.write_text(accessible(page.read_text("utf-8")), "utf-8")
    return code


if __name__ == "__main__":
    sys.exit(build(ROOT))
