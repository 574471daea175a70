"""Tables that people open in spreadsheets, which compute what looks like a formula."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import IO, Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe(text: str) -> str:
    """The text with a space in front where a spreadsheet would compute it; a dash alone is left as
    it is.
    """
    return f" {text}" if text.startswith(FORMULA) and len(text) > 1 else text


def table(file: IO[str], path: Path) -> Any:
    """A writer of rows, with commas where the name of the file ends with .csv, which spreadsheets
    cut at commas, else with tabs.
    """
    return csv.writer(
        file, delimiter="," if path.suffix.lower() == ".csv" else "\t", lineterminator="\n"
    )
