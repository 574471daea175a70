"""The languages that sentences are generated in, by name.

Names are looked up in this table, in installed plugins, and in files: `mine.py@esperanto`. One is
a function from the path of a lexicon, or nothing, and that of a table of further words
(`more`), to a `Language`, which names all that there is in a language: what reads it, and what
tasks of comp/ ask in it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from lingprobe import UsageProblem
from lingprobe.extend import Contents, digest_files
from lingprobe_extensions.compose.events.language import Language

LANGUAGES = Contents(
    "language",
    "lingprobe.languages",
    {
        "english": "lingprobe_extensions.compose.events.english:english",
        "polish": "lingprobe_extensions.compose.events.polish:polish",
    },
)


def load_language(
    name: str, lexicon: Path | None = None, extra_lexicon: Path | None = None
) -> Language:
    """A language with its own lexicon, or that of a table, and further words; ReferenceProblem for
    a name that is none, UsageProblem for one of something else.
    """
    tables = [table for table in (lexicon, extra_lexicon) if table is not None]
    made = _make_language(LANGUAGES.find(name), lexicon, extra_lexicon, digest_files(tables))
    if not isinstance(made, Language):
        raise UsageProblem(f"the language {name!r} returns {made!r:.60}: give a Language")
    return made


@lru_cache(maxsize=64)
def _make_language(
    factory: Callable[..., Any], lexicon: Path | None, more: Path | None, _contents: str
) -> Any:
    """The same value for the same tables, as what is found out of a language is kept by that."""
    further = {} if more is None else {"more": more}
    return factory(*([] if lexicon is None else [lexicon]), **further)
