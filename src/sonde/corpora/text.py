"""Running text, one sentence a line, for the tasks that need no tree.

Words are runs of letters and digits (with inner hyphens and apostrophes); every other visible
character is a word of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sonde.core import DataProblem, Sentence
from sonde.corpora.files import chunks, decoded
from sonde.corpora.tally import OnError, Tally

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
