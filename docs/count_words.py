"""Count the words that readers have before them, page by page: `python docs/count_words.py`.

Pages for readers are those of the menu of the site, whose home is the README; design notes and raw
results are files for contributors. The generated reference is counted apart, and so are the design
notes that people write.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
GENERATED = ("api.md", "cli.md")
GENERATED_NOTES = ("map.md",)
MOST, MOST_GENERATED, MOST_NOTES = 45_000, 13_300, 25_000
MOST_PAGE = 900  # of one page that is not generated
COMMENT = re.compile(r"<!--.*?-->", re.S)
MENU = re.compile(r'= "([\w/-]+\.md)"')


def words(root: Path = ROOT) -> dict[str, int]:
    """The number of words of each page. Code and output count; comments and rules of tables do
    not.
    """
    listed = MENU.findall((root / "zensical.toml").read_text("utf-8"))
    return {name: _words(root, name) for name in listed}


def note_words(root: Path = ROOT) -> dict[str, int]:
    """The number of words of each design note that is not generated."""
    notes = sorted((root / "docs" / "design").glob("*.md"))
    return {
        note.name: _words(root, f"design/{note.name}")
        for note in notes
        if note.name not in GENERATED_NOTES
    }


def _words(root: Path, name: str) -> int:
    page = root / "README.md" if name == "index.md" else root / "docs" / name
    shown = COMMENT.sub("", page.read_text("utf-8"))
    return sum(bool(re.search(r"\w", word)) for word in shown.split())


def sums(counts: dict[str, int]) -> tuple[int, int]:
    """All words for readers, and those of the generated reference."""
    generated = sum(counts.get(name, 0) for name in GENERATED)
    return sum(counts.values()) - generated, generated


if __name__ == "__main__":
    counted = words()
    for name, count in sorted(counted.items(), key=lambda pair: -pair[1]):
        print(f"{count:7,}  {name}")  # noqa: T201
    print("{:7,}  for readers\n{:7,}  generated".format(*sums(counted)))  # noqa: T201
    print(f"{sum(note_words().values()):7,}  in design notes")  # noqa: T201
