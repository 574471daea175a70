"""`lingprobe geometry`: layers, encoders or languages beside each other."""

from __future__ import annotations

from pathlib import Path

import lingprobe
from lingprobe.cli.declaration import Arguments, argument, command
from lingprobe.cli.options import (
    BATCH_SIZE,
    CACHE,
    DEVICE,
    ENCODERS,
    MODELS,
    OUTPUT,
    PAGE_STYLE,
    QUIET,
    STORE,
    PageStyle,
    encoders_of,
    show_page,
)


@command(
    "geometry",
    argument("corpora", "TEXT", kind=list[str]),
    MODELS,
    ENCODERS,
    "untrained",
    PAGE_STYLE,
    OUTPUT,
    QUIET,
    DEVICE,
    BATCH_SIZE,
    CACHE,
    STORE,
)
def geometry(
    given: Arguments,
    *,
    model: list[str] | None = None,
    style: PageStyle = "terminal",
    output: Path | None = None,
    quiet: bool = False,
    device: str | None = None,
    batch_size: int | None = None,
) -> None:
    """Compare layers, encoders or languages: CKA, anisotropy, intrinsic dimension, translations.

    **Examples**

    - `lingprobe geometry en_pud -e hf:bert-base-cased,layers=all -e hf:roberta-base,layers=all`
    - `lingprobe geometry en_pud pl_pud -e hf:xlm-roberta-base,layers=all -o languages.svg`
    """
    encoders = encoders_of(given.get("encoders"), model, device, batch_size, quiet) or None
    page = lingprobe.geometry(**{**given, "encoders": encoders}, progress=not quiet)
    show_page(page, style, output, "measure")
