"""`lingprobe inside geometry`: layers, encoders or languages beside each other."""

from __future__ import annotations

from dataclasses import dataclass

import lingprobe
from lingprobe.cli.declaration import command
from lingprobe.cli.options import (
    EncoderOptions,
    PageOptions,
    collect_encoder_references,
    show_page,
)
from lingprobe.inside.geometry.options import GeometryOptions


@dataclass(frozen=True, kw_only=True)
class GeometryCommand(GeometryOptions, PageOptions, EncoderOptions):
    """The options of `lingprobe inside geometry`."""


@command(GeometryCommand)
def geometry(options: GeometryCommand) -> None:
    """Compare layers, encoders or languages: CKA, anisotropy, intrinsic dimension, translations.

    **Examples**

    - `lingprobe inside geometry en_pud -e hf:bert-base-cased,layers=all
      hf:roberta-base,layers=all`
    - `lingprobe inside geometry en_pud pl_pud -e hf:xlm-roberta-base,layers=all -o languages.svg`
    """
    chosen = {**options.select(GeometryOptions), "progress": not options.quiet}
    page = lingprobe.geometry(
        **{**chosen, "encoders": collect_encoder_references(options.encoders, options)}
    )
    show_page(page, options.style, options.output, "measure")
