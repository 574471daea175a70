"""A language: whose.py@whose is English whose relative clauses begin with *who* alone."""

from dataclasses import replace

from lingprobe_extensions.compose.events.english import english
from lingprobe_extensions.compose.events.language import Language


def whose(*lexicon, **more) -> Language:
    """English with *who* and without *that*."""
    made = english(*lexicon, **more)
    return replace(made, name="whose", defaults={**made.defaults, "relativiser": ("who",)})
