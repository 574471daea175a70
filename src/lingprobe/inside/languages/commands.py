"""`lingprobe languages`: what treebanks support; `lingprobe transfer`: train here, test there;
`lingprobe morphology`: which features of words a model knows.
"""

from __future__ import annotations

from pathlib import Path

import lingprobe
from lingprobe.cli.declaration import Arguments, argument, command, option
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
    TASKS,
    PageStyle,
    encoders_of,
    show_page,
)


@command(
    "survey",
    argument("treebanks", "TREEBANK", kind=list[str]),
    option("tasks", "--task", "-t", metavar="TASK", complete="tasks"),
    PAGE_STYLE,
    OUTPUT,
)
def languages(
    given: Arguments, *, style: PageStyle = "terminal", output: Path | None = None
) -> None:
    """Show which treebanks answer which questions, with what has a warning.

    CSV has also what classes consist of, the best rule of one word, and every auxiliary.

    **Examples**

    - `lingprobe languages`
    - `lingprobe languages en_ewt pl_pdb -t ud/tense -t ud/passive`
    - `lingprobe languages -o survey.csv`
    - `lingprobe languages -o survey.svg`
    """
    show_page(lingprobe.survey(**given), style, output, "line")


MEASURED = (
    option("output", "-o", metavar="FOLDER"),
    PAGE_STYLE,
    option("to", metavar="FILE", help="Write the page to a file: a table or figure."),
    QUIET,
    DEVICE,
    BATCH_SIZE,
    CACHE,
)
"""Options of what measures and then shows a page."""


@command(
    "transfer",
    TASKS,
    option("train", metavar="TREEBANK"),
    option("test", metavar="TREEBANK"),
    MODELS,
    ENCODERS,
    option("by", metavar="TAG"),
    "centred",
    option("size", metavar="N", least=2),
    option("distances", metavar="FILE"),
    option("probes", "--probe", metavar="PROBE", complete="probes"),
    option("seeds", metavar="N", least=1),
    option("reads", "--read", metavar="READ"),
    *MEASURED,
    STORE,
)
def transfer(
    given: Arguments,
    *,
    model: list[str] | None = None,
    style: PageStyle = "terminal",
    to: Path | None = None,
    quiet: bool = False,
    device: str | None = None,
    batch_size: int | None = None,
) -> None:
    """Train a probe in one language and test it in another, and show the matrix.

    Every cell has the same classes and numbers of examples. Beside an encoder stand baselines that
    travel, trained in the source too, and the upper bound: the same probe trained in the target.

    **Examples**

    - `lingprobe transfer -t ud/tense --train en_ewt --test pl_pdb tr_imst -m xlm-roberta-base`
    - `lingprobe transfer -t ud/tense --train en_ewt pl_pdb --test en_ewt pl_pdb -e bow:random
      --to transfer.svg`
    - `lingprobe transfer -t ud/tense --train en_ewt --test fr_gsd --by construction --centred
      -m xlm-roberta-base`
    """
    encoders = encoders_of(given.get("encoders"), model, device, batch_size, quiet) or None
    page = lingprobe.transfer(**{**given, "encoders": encoders}, progress=not quiet)
    show_page(page, style, to, "cell")


@command(
    "morphology",
    argument("treebank", "TREEBANK"),
    MODELS,
    ENCODERS,
    option("feature", metavar="FEATURE"),
    option("size", metavar="N", least=20),
    *MEASURED,
)
def morphology(
    given: Arguments,
    *,
    model: list[str] | None = None,
    style: PageStyle = "terminal",
    to: Path | None = None,
    quiet: bool = False,
    device: str | None = None,
    batch_size: int | None = None,
) -> None:
    """Show whether a model knows a feature of words, layer by layer.

    **Examples**

    - `lingprobe morphology fi_tdt --feature Case -m xlm-roberta-base`
    """
    encoders = encoders_of(given.get("encoders"), model, device, batch_size, quiet) or None
    page = lingprobe.morphology(**{**given, "encoders": encoders}, progress=not quiet)
    show_page(page, style, to, "layer")
