"""Text as it may be shown."""

from __future__ import annotations

import unicodedata


def printable(text: str) -> str:
    """The text without characters that would move a terminal's cursor or change its colours, or are
    halves of one.
    """
    return "".join(
        (
            " "
            if c in "\t\n\r"
            else "\N{REPLACEMENT CHARACTER}"
            if unicodedata.category(c) in ("Cc", "Cs")
            else c
        )
        for c in text
    )
