"""What options were called before, for whoever types an old name. It stands beside no code that
measures, so that no result is another one for it.
"""

from __future__ import annotations

from collections.abc import Collection

from lingprobe.data.suggestions import suggest

_RENAMED = {
    "bounds": "baselines",
    "folder": "output",
    "keep": "keep-scores",
    "no-bounds": "no-baselines",
    "read": "layers",
    "reads": "layers",
    "store": "dtype",
    "to": "page",
}


def suggest_option(name: str, known: Collection[str], cutoff: float = 0.75) -> str:
    """The option that was meant by a name that there is not: the new name of an old one, or one
    that is like it; '' where there is none.
    """
    new = _RENAMED.get(name, "")
    return new if new in known else suggest("option", name, known, cutoff)
