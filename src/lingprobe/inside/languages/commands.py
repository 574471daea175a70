"""`lingprobe data languages`: what treebanks support; `lingprobe transfer`: train here, test there;
`lingprobe inside morphology`: which features of words a model knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import lingprobe
from lingprobe.api.options import MeasureOptions
from lingprobe.cli.declaration import command
from lingprobe.cli.options import (
    EncoderOptions,
    PageOptions,
    StyleOptions,
    collect_encoder_references,
    print_page,
    show_page,
)
from lingprobe.data.options import Help, flag
from lingprobe.inside.languages.options import MorphologyOptions, SurveyOptions, TransferOptions


@dataclass(frozen=True, kw_only=True)
class LanguagesCommand(PageOptions, SurveyOptions):
    """The options of `lingprobe data languages`."""


@command(LanguagesCommand)
def languages(options: LanguagesCommand) -> None:
    """Show which treebanks answer which questions, with what has a warning.

    CSV has also what classes consist of, the best rule of one word, and every auxiliary.

    **Examples**

    - `lingprobe data languages`
    - `lingprobe data languages en_ewt pl_pdb -t ud/tense -t ud/passive`
    - `lingprobe data languages -o survey.csv`
    - `lingprobe data languages --figure map -o survey.svg`
    """
    page = lingprobe.survey(**options.select(SurveyOptions))
    show_page(page, options.style, options.output, "line")


@dataclass(frozen=True, kw_only=True)
class ShownOptions(MeasureOptions, StyleOptions, EncoderOptions):
    """Options of what measures, keeps results in a folder, and then shows a page."""

    page: Annotated[
        Path | None,
        Help("write the page to a file: a table or figure"),
        flag(metavar="FILE"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TransferCommand(TransferOptions, ShownOptions):
    """The options of `lingprobe transfer`."""


@command(TransferCommand)
def transfer(options: TransferCommand) -> None:
    """Train a probe in one language and test it in another, and show the matrix.

    Every cell has the same classes and numbers of examples. Baselines are trained in the source,
    too; the upper bound is the same probe trained in the target.

    **Examples**

    - `lingprobe transfer -t ud/tense --train en_ewt --test pl_pdb tr_imst -m xlm-roberta-base`
    - `lingprobe transfer -t ud/tense --train en_ewt pl_pdb --test en_ewt pl_pdb -e bow:random
      --page transfer.svg`
    - `lingprobe transfer -t ud/tense --train en_ewt --test fr_gsd --by construction --centred
      -m xlm-roberta-base`
    """
    chosen = {**options.select(TransferOptions, MeasureOptions), "progress": not options.quiet}
    page = lingprobe.transfer(
        **{**chosen, "encoders": collect_encoder_references(options.encoders, options)}
    )
    show_page(page, options.style, options.page, "cell")


@dataclass(frozen=True, kw_only=True)
class MorphologyCommand(MorphologyOptions, ShownOptions):
    """The options of `lingprobe inside morphology`."""


@command(MorphologyCommand)
def morphology(options: MorphologyCommand) -> None:
    """Show whether a feature of words is decodable from a model, layer by layer.

    **Examples**

    - `lingprobe inside morphology fi_tdt --feature Case -m xlm-roberta-base`
    """
    chosen = {**options.select(MorphologyOptions, MeasureOptions), "progress": not options.quiet}
    page = lingprobe.morphology(
        **{**chosen, "encoders": collect_encoder_references(options.encoders, options)}
    )
    if options.page is not None and page.draws(options.page):
        print_page(page, options.style)
    show_page(page, options.style, options.page, "layer")
