"""Text from any source, made harmless where it is shown."""

from __future__ import annotations

import unicodedata

_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""What overrides the direction of text, so that it reads otherwise than it is written."""
_SPACES = frozenset("\t\n\r")
_UNSHOWN = "\N{REPLACEMENT CHARACTER}"


def strip_unprintable(text: str) -> str:
    """The text without characters that would move a terminal's cursor, change its colours or the
    direction of text, or are halves of one.
    """
    if text.isprintable():  # as nearly all is
        return text
    return "".join(map(_show_letter, text))


def printable_lines(text: str) -> str:
    """The same of each line."""
    return "\n".join(map(strip_unprintable, text.split("\n")))


def _show_letter(letter: str) -> str:
    if letter in _SPACES:
        return " "
    hidden = letter in _BIDI or unicodedata.category(letter) in ("Cc", "Cs")
    return _UNSHOWN if hidden else letter
