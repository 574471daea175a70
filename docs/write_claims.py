"""Write anew the tables of claims and their verdicts in docs/claims.md: `make docs`. A test holds
the page to them.
"""

from __future__ import annotations

import re
from pathlib import Path

import lingprobe

PAGE = Path(__file__).parent / "claims.md"
TABLE = re.compile(r"(<!-- claims of (\w+) -->\n)(?:\|.*\n)*")
HEAD = (
    "| claim | section | agree | needed | verdict | recipes |\n|---|---|---:|---:|---|---|\n",
    "| claim | section | agree | needed | verdict |\n|---|---|---:|---:|---|\n",
)


def page(text: str) -> str:
    """The page with its tables as the data are now."""
    return TABLE.sub(lambda place: place[1] + _table(place[2]), text)


def _table(paper: str) -> str:
    """A line for each claim of a paper; without a column of recipes where nothing is known of
    them.
    """
    tested = lingprobe.claims(published=paper).content
    known = any(one.recipes for one in tested)
    lines = []
    for one in tested:
        agree = f"{one.agree} of {one.compared}" if one.compared else ""
        needed = str(one.needed) if one.needed < one.compared else ""
        cells = [
            one.claim,
            one.where,
            agree,
            needed,
            one.verdict,
            *([one.recipes] if known else []),
        ]
        lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |\n")
    return HEAD[not known] + "".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
