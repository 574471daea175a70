"""`lingprobe erase`: what is left when a property is erased from vectors, and what goes with it.
`lingprobe intervene`: what a model does without it.
"""

from __future__ import annotations

from pathlib import Path

import lingprobe
from lingprobe.cli.declaration import Arguments, command, option
from lingprobe.cli.options import (
    BATCH_SIZE,
    CACHE,
    DEVICE,
    ENCODERS,
    MODELS,
    OUTPUT,
    PAGE_STYLE,
    QUIET,
    TASKS,
    PageStyle,
    encoders_of,
    show_page,
)


@command(
    "erase",
    TASKS,
    option("measure", metavar="TASK", kind=list[str], default=None, complete="tasks"),
    MODELS,
    ENCODERS,
    option("method", metavar="METHOD"),
    option("ranks", "--rank", metavar="N", least=1),
    option("draws", metavar="N", least=1),
    option("probe", metavar="PROBE", complete="probes"),
    option("nonlinear", metavar="PROBE", complete="probes"),
    option("reads", "--read", metavar="LAYER"),
    option("limit", metavar="N", least=1),
    option("erasers", metavar="FOLDER"),
    PAGE_STYLE,
    OUTPUT,
    QUIET,
    DEVICE,
    BATCH_SIZE,
    CACHE,
)
def erase(
    given: Arguments,
    *,
    model: list[str] | None = None,
    style: PageStyle = "terminal",
    output: Path | None = None,
    quiet: bool = False,
    device: str | None = None,
    batch_size: int | None = None,
) -> None:
    """Erase a property from vectors, and show what is left of it and of others.

    **Examples**

    - `lingprobe erase -m all-MiniLM-L6-v2 -t ud/tense:en_ewt ud/subj-num:en_ewt`
    """
    encoders = encoders_of(given.get("encoders"), model, device, batch_size, quiet) or None
    page = lingprobe.erase(**{**given, "encoders": encoders}, progress=not quiet)
    show_page(page, style, output, "cell")


@command(
    "intervene",
    option("task", "--task", "-t", metavar="TASK", complete="tasks"),
    option("encoder", "--encoder", "-e", metavar="ENCODER", complete="encoders"),
    option("layer", metavar="LAYER", kind=str),
    option("pairs", metavar="TASK", complete="tasks"),
    option("doses", "--dose", metavar="X", kind=list[float]),
    option("method", metavar="METHOD"),
    option("draws", metavar="N", least=1),
    option("probe", metavar="PROBE", complete="probes"),
    option("limit", metavar="N", least=1),
    PAGE_STYLE,
    OUTPUT,
    QUIET,
    CACHE,
)
def intervene(
    given: Arguments,
    *,
    style: PageStyle = "terminal",
    output: Path | None = None,
    quiet: bool = False,
) -> None:
    """Change the states of a running model, and show what it does then.

    **Examples**

    - `lingprobe intervene -t ud/subj-num:en_ewt -e hf:bert-base-cased --layer 8`
    - `lingprobe intervene -t ud/subj-num:en -e lm:gpt2 --layer 6 --pairs minimal/agreement:en`
    """
    show_page(lingprobe.intervene(**given, progress=not quiet), style, output, "cell")
