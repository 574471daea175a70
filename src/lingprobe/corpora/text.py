"""Running text: one sentence a line, for the tasks that need no tree; as English treebanks cut it;
and what of it tells sentences apart.

Words are runs of letters and digits (with inner hyphens and apostrophes); every other visible
character is a word of its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from lingprobe.core import DataProblem, Sentence
from lingprobe.corpora.files import chunks, decoded
from lingprobe.corpora.tally import OnError, Tally

_WORD = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")


def words(line: str) -> tuple[str, ...]:
    """The words of a line, marks included."""
    return tuple(_WORD.findall(line))


def read(
    path: str | Path, on_error: OnError = "raise", tally: Tally | None = None
) -> Iterator[Sentence]:
    """The sentences of a file, in order; blank lines and lines that begin with `# ` are no
    sentences.
    """
    tally = Tally() if tally is None else tally
    number = 1
    forms: dict[str, str] = {}  # one string a distinct form
    for data in chunks(path):
        for raw in data.removesuffix(b"\n").split(b"\n"):
            try:
                line = decoded(raw, path, number).strip()
            except DataProblem as problem:
                if on_error == "raise":
                    raise
                tally.skip(str(problem))
                line = ""
            number += 1
            tokens = words(line)
            if tokens and not line.startswith("# "):
                tally.sentences += 1
                tally.words += len(tokens)
                yield Sentence(tuple(map(forms.setdefault, tokens, tokens)), line)


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


# of ASCII what are no letters and digits
_MARKS = bytes(code for code in range(128) if not chr(code).isalnum())


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
    if text.isascii():
        return text.lower().encode().translate(None, _MARKS).decode()
    return text.casefold().translate(_LETTERS)
