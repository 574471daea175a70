"""What of a sentence tells it from others: letters and digits, and neither marks, spaces, case nor
how it was cut into words.
"""

from __future__ import annotations

import unicodedata


class _Letters(dict[int, str | None]):
    """For each character what stays of it; found when it is first met."""

    def __missing__(self, code: int) -> str | None:
        self[code] = letter = chr(code) if unicodedata.category(chr(code))[0] in "LMN" else None
        return letter


_LETTERS = _Letters()


def letters(text: str) -> str:
    """The letters (with the vowel signs of scripts that have them) and digits of a text, in lower
    case; '' where it has none.
    """
    return text.casefold().translate(_LETTERS)
