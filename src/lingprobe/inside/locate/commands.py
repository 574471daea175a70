"""`lingprobe inside locate`: where a property is, and whether the model uses it."""

from __future__ import annotations

from dataclasses import dataclass

import lingprobe
from lingprobe.cli.declaration import command
from lingprobe.cli.options import PageOptions, QuietOptions, remark, show_page
from lingprobe.inside.locate.options import LocateOptions


@dataclass(frozen=True, kw_only=True)
class LocateCommand(LocateOptions, PageOptions, QuietOptions):
    """The options of `lingprobe inside locate`."""


@command(LocateCommand)
def locate(given: LocateCommand) -> None:
    """Find where in a model a property is decodable, and whether the model uses it there.

    **Examples**

    - `lingprobe inside locate ud/subj-num:en_ewt lm:gpt2 --pairs minimal/agreement:en_ewt`
    """
    from lingprobe.inside.locate.api import estimate_locating

    chosen = given.select(LocateOptions)
    remark(estimate_locating(**chosen), given.quiet)
    page = lingprobe.locate(**{**chosen, "progress": not given.quiet})
    show_page(page, given.style, given.output, "cell")
