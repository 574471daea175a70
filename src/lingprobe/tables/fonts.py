"""Fonts for what the font of figures lacks, as Chinese or Hindi: of those that are installed, the
ones that have most of it; of what none has, a sentence says which to install.
"""

from __future__ import annotations

import contextlib
import logging
import unicodedata
from collections.abc import Iterator, Set
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

log = logging.getLogger("lingprobe.figures")

_EAST_ASIAN = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "FULLWIDTH", "BOPOMOFO", "IDEOGRAPHIC")


def find_absent_letters(figure: Figure) -> frozenset[int]:
    """The code points in a figure's texts that the font which is set has no letter for."""
    from matplotlib.font_manager import FontProperties, findfont
    from matplotlib.text import Text

    ticks = (t for axes in figure.axes for t in (*axes.get_xticklabels(), *axes.get_yticklabels()))
    every = {text.get_text() for text in (*figure.findobj(Text), *ticks)}
    found = frozenset(ord(c) for text in every for c in text if c.isprintable() and c > "\x7f")
    return found - _letters(findfont(FontProperties())) if found else found


def find_font_families(code_points: Set[int]) -> tuple[list[str], frozenset[int]]:
    """Families of installed fonts that have these code points, and those that none of them has."""
    chosen, left = _choose(code_points)
    if left and _add_new_fonts():
        return _choose(code_points)
    return chosen, left


def _choose(wanted: Set[int]) -> tuple[list[str], frozenset[int]]:
    """Families of the fonts that matplotlib knows, those with most of these code points first."""
    from matplotlib.font_manager import fontManager

    plain = {
        entry.name: entry.fname
        for entry in sorted(fontManager.ttflist, key=lambda each: (each.name, each.fname))
        if entry.style == "normal"
        and entry.weight in (400, "normal", "regular")
        # which has a box for every letter
        and "last resort" not in entry.name.lower()
    }
    have = {name: wanted & _letters(file) for name, file in plain.items()}
    chosen, left = [], frozenset(wanted)
    while left and have:
        best = max(have, key=lambda name: len(have[name] & left))
        if not have[best] & left:
            break
        chosen.append(best)
        left -= have.pop(best)
    return chosen, left


def _add_new_fonts() -> bool:
    """Whether there are fonts that were installed after matplotlib made its list."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    known = {entry.fname for entry in fontManager.ttflist}
    new = sorted(set(findSystemFonts()) - known)
    for file in new:
        with contextlib.suppress(OSError, RuntimeError):  # a font that cannot be read is none
            fontManager.addfont(file)
    return bool(new)


def _letters(file: str) -> frozenset[int]:
    """The code points that a font has letters for."""
    from matplotlib.font_manager import get_font

    try:
        return frozenset(get_font(file).get_charmap())
    except (OSError, RuntimeError):  # a font that cannot be read has none
        return frozenset()


def warn_absent(code_points: Set[int], to: Path) -> None:
    """Say what cannot be drawn, and what would help."""
    letters = "".join(map(chr, sorted(code_points)))
    several = f"{letters[:8]}… ({len(letters)})" if len(letters) > 8 else letters
    log.warning(
        "%s: no installed font has %s, so that boxes are drawn: install %s, or write .svg, which"
        " is shown with the fonts of whoever opens it",
        to,
        several,
        " and ".join(dict.fromkeys(_choose_fonts(letters))),
    )


def _choose_fonts(letters: str) -> Iterator[str]:
    """A font for each letter."""
    for letter in letters:
        script = unicodedata.name(letter, "").partition(" ")[0].partition("-")[0]
        if script in _EAST_ASIAN:
            yield "Noto Sans CJK (Debian: fonts-noto-cjk)"
        else:
            yield f"Noto Sans with {script.title() or 'these letters'} (Debian: fonts-noto-core)"
