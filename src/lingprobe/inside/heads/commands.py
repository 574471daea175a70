"""`lingprobe inside heads`: which heads a model's choices rest on."""

from __future__ import annotations

from dataclasses import dataclass

import lingprobe
from lingprobe.cli.declaration import command
from lingprobe.cli.options import PageOptions, QuietOptions, show_page
from lingprobe.inside.heads.options import HeadsOptions


@dataclass(frozen=True, kw_only=True)
class HeadsCommand(HeadsOptions, PageOptions, QuietOptions):
    """The options of `lingprobe inside heads`."""


@command(HeadsCommand)
def heads(options: HeadsCommand) -> None:
    """Ablate and patch each head, beside its probe.

    **Examples**

    - `lingprobe inside heads -t ud/subj-num:en_ewt -e lm:gpt2 --pairs minimal/agreement:en_ewt`
    """
    chosen = {**options.select(HeadsOptions), "progress": not options.quiet}
    show_page(lingprobe.rank_heads(**chosen), options.style, options.output, "cell")
