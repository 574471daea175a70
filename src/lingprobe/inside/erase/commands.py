"""`lingprobe erase`: what is left when a property is erased from vectors, and what goes with it.
`lingprobe inside intervene`: what a model does without it.
"""

from __future__ import annotations

from dataclasses import dataclass

import lingprobe
from lingprobe.cli.declaration import command
from lingprobe.cli.options import (
    EncoderOptions,
    PageOptions,
    QuietOptions,
    collect_encoder_references,
    show_page,
)
from lingprobe.inside.erase.options import EraseOptions, InterveneOptions


@dataclass(frozen=True, kw_only=True)
class EraseCommand(EraseOptions, PageOptions, EncoderOptions):
    """The options of `lingprobe erase`."""


@command(EraseCommand)
def erase(options: EraseCommand) -> None:
    """Erase a property from vectors, and show what is left of it and of others.

    **Examples**

    - `lingprobe erase -m all-MiniLM-L6-v2 -t ud/tense:en_ewt ud/subj-num:en_ewt`
    """
    chosen = {**options.select(EraseOptions), "progress": not options.quiet}
    page = lingprobe.erase(
        **{**chosen, "encoders": collect_encoder_references(options.encoders, options)}
    )
    show_page(page, options.style, options.output, "cell")


@dataclass(frozen=True, kw_only=True)
class InterveneCommand(InterveneOptions, PageOptions, QuietOptions):
    """The options of `lingprobe inside intervene`."""


@command(InterveneCommand)
def intervene(options: InterveneCommand) -> None:
    """Change the states of a running model, and show what it does then.

    **Examples**

    - `lingprobe inside intervene -t ud/subj-num:en -e lm:gpt2 --layer 6 --pairs
      minimal/agreement:en`
    """
    chosen = {**options.select(InterveneOptions), "progress": not options.quiet}
    show_page(lingprobe.intervene(**chosen), options.style, options.output, "cell")
