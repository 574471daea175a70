"""What somebody meant who wrote a name that there is not: by its meaning, or else by its spelling.

What things are called elsewhere is data, in `suggestions.tsv`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

_TYPED = 0.75  # how alike spellings are of which one is a slip of the other


def suggest_name(kind: str, name: str, choices: Iterable[str], cutoff: float = _TYPED) -> str:
    """The name of that kind that was meant, of those that there are; '' where none is like it."""
    names, found = list(choices), _by_meaning(kind, name)
    same = next((each for each in names if _fold_name(each) == _fold_name(name)), "")
    for form in (
        same,
        found,
        f"{found}s",
        found.replace("-", "_"),
    ):  # as options and arguments have it
        if form in names:
            return form
    return next(iter(difflib.get_close_matches(name, names, 1, cutoff)), "")


def get_advice(kind: str, name: str) -> str:
    """What to do instead, where there is no thing of that meaning; '' where nothing is known."""
    found = _by_meaning(kind, name)
    return found if " " in found else ""


def _by_meaning(kind: str, name: str) -> str:
    return _load_suggestions().get((kind, _fold_name(name)), "")


def _fold_name(name: str) -> str:
    """A name without capitals and what parts its words."""
    return re.sub(r"[-_. ]", "", name.casefold())


@lru_cache(maxsize=1)
def _load_suggestions() -> dict[tuple[str, str], str]:
    lines = Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {(kind, word): meant for kind, meant, words in rows for word in words.split()}
