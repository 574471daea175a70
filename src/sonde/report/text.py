"""Text as it may be shown."""

from __future__ import annotations

import unicodedata


def printable(text: str) -> str:
    """The text without characters that would move a terminal's cursor or change its colours."""
    return "".join(" " if c in "\t\n\r" else "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) == "Cc" else c for c in text)
