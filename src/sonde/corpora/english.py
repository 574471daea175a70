"""English words as its treebanks have them: straight quotes, clitics split off (do n't, it 's), no
marks of italics.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

CLITIC = re.compile(r"(?i)(?<=\w)(n't|'(?:s|re|ve|ll|d|m))$")
"""The clitic that ends a word with straight quotes."""
_STRAIGHT = str.maketrans("‘’“”", "''\"\"")
_QUOTES = frozenset("‘’“”'\"")


def split(word: str) -> list[str]:
    """A word with straight quotes, its clitic split off."""
    straight = word.translate(_STRAIGHT)
    clitic = CLITIC.search(straight)
    return [straight] if clitic is None else [straight[: clitic.start()], clitic[0]]


def tokens(words: Iterable[str]) -> tuple[str, ...]:
    """The words of running text as a treebank would have them; `_italics_` lose their marks, and
    quotes that curl keep their sides.
    """
    parts: list[str] = []
    for word in words:
        if word.isalpha() or word in _QUOTES:
            parts.append(word)
        elif bare := word.strip("_"):
            parts += split(bare)
    return tuple(parts)
