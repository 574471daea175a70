"""Count the words that readers have before them, page by page: `python docs/count_words.py`.

Design notes and raw results are files for contributors and not counted. The generated reference is
counted apart.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
GENERATED = ("docs/api.md", "docs/cli.md")
OUTSIDE = ("docs/design/", "docs/results/raw/")
MOST, MOST_GENERATED = 60_000, 12_000


def words(root: Path = ROOT) -> dict[str, int]:
    """The number of words of each page. Code and output count; rules of tables do not."""
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    names = {page: page.relative_to(root).as_posix() for page in pages}
    return {
        name: sum(bool(re.search(r"\w", word)) for word in page.read_text("utf-8").split())
        for page, name in names.items()
        if not name.startswith(OUTSIDE)
    }


def sums(counts: dict[str, int]) -> tuple[int, int]:
    """All words for readers, and those of the generated reference."""
    generated = sum(counts.get(name, 0) for name in GENERATED)
    return sum(counts.values()) - generated, generated


if __name__ == "__main__":
    counted = words()
    for name, count in sorted(counted.items(), key=lambda pair: -pair[1]):
        print(f"{count:7,}  {name}")  # noqa: T201
    print("{:7,}  for readers\n{:7,}  generated".format(*sums(counted)))  # noqa: T201
