"""The languages that sentences are generated in, by name.

Names are looked up in this table, in installed plugins, and in files: `mine.py@esperanto`. One is
a function from the path of a lexicon, or nothing, and that of a table of further words
(`more`), to a `Language`.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

from lingprobe.data.references import Contents
from lingprobe.generation.events.language import Language

LANGUAGES = Contents(
    "language",
    "lingprobe.languages",
    {
        "english": "lingprobe.generation.events.english:english",
        "polish": "lingprobe.generation.events.polish:polish",
    },
)


def language(name: str, lexicon: Path | None = None, more: Path | None = None) -> Language:
    """A language with its own lexicon, or that of a table, and further words; ReferenceProblem for
    a name that is none.
    """
    factory = LANGUAGES.find(name)
    return cast(
        Language,
        factory(
            *([] if lexicon is None else [lexicon]), **({} if more is None else {"more": more})
        ),
    )
