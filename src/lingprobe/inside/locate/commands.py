"""`lingprobe inside locate`: where a property is, and whether the model uses it."""

from __future__ import annotations

from dataclasses import dataclass

from lingprobe.cli.declaration import command
from lingprobe.cli.options import PageOptions, QuietOptions, print_remark, show_page
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
    from lingprobe.api.measure import use_cache
    from lingprobe.inside.locate.api import plan_search, run_search
    from lingprobe.inside.locate.search import SearchDepth

    depth = SearchDepth(given.method, given.draws, given.probe, given.limit)
    with use_cache(given.cache):
        search = plan_search(given.task, given.encoder, given.pairs, depth)
        print_remark(search.estimate(), given.quiet)
        page = run_search(search, not given.quiet)
    show_page(page, given.style, given.output, "cell")
