"""Write the verdicts on papers' claims anew: docs/results/claims.csv, and the tables in
docs/suites.md: `make docs`. A test holds both to the data.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from pathlib import Path

import lingprobe
from lingprobe_extensions.papers.claim_tests import PAPERS_WITH_CLAIMS

DOCS = Path(__file__).parent
PAGE, FILE = DOCS / "suites.md", DOCS / "results" / "claims.csv"
COLUMNS = ("paper", "section", "claim", "agree", "compared", "needed", "verdict", "recipes")
VERDICTS = ("holds", "inconclusive", "does not hold", "not in a table")


def text() -> str:
    """All claims as CSV, a line for each."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for paper in PAPERS_WITH_CLAIMS:
        for one in lingprobe.claims(published=paper).content:
            counts = (one.agree, one.compared, one.needed) if one.compared else ("", "", "")
            writer.writerow((paper, one.where, one.claim, *counts, one.verdict, one.recipes))
    return file.getvalue()


def page(shown: str, claims: str) -> str:
    """The page with its tables as the CSV has them."""
    rows = list(csv.DictReader(io.StringIO(claims)))
    for name, table in (("counted", _counted(rows)), ("refuted", _refuted(rows))):
        place = re.compile(rf"(<!-- claims {name} -->\n)(?:\|.*\n)*")
        shown = place.sub(lambda found, table=table: found[1] + table, shown)
    return shown


def _counted(rows: list[dict[str, str]]) -> str:
    """How many claims of each paper have which verdict."""
    lines = ["| paper | claims | " + " | ".join(VERDICTS) + " |", "|---|---:|" + "---:|" * 4]
    for paper in dict.fromkeys(row["paper"] for row in rows):
        found = Counter(row["verdict"] for row in rows if row["paper"] == paper)
        cells = [str(found.total()), *(str(found[verdict]) for verdict in VERDICTS)]
        lines.append(f"| `{paper}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _refuted(rows: list[dict[str, str]]) -> str:
    """The claims that their papers' own tables contradict."""
    lines = ["| claim | paper | comparisons that agree |", "|---|---|---:|"]
    for row in rows:
        if row["verdict"] == "does not hold":
            agree = f"{row['agree']} of {row['compared']}"
            lines.append(f"| {row['claim']} | `{row['paper']}` | {agree} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
    PAGE.write_text(page(PAGE.read_text("utf-8"), FILE.read_text("utf-8")), "utf-8")
