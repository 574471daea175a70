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
def locate(options: LocateCommand) -> None:
    """Find where in a model a property is decodable, and whether the model uses it there.

    **Examples**

    - `lingprobe inside locate ud/subj-num:en_ewt lm:gpt2 --pairs minimal/agreement:en_ewt`
    """
    from lingprobe.api.measure import use_cache
    from lingprobe.inside.locate.api import plan_search, run_search
    from lingprobe.inside.locate.search import SearchDepth

    depth = SearchDepth(options.method, options.draws, options.probe, options.limit)
    with use_cache(options.cache):
        search = plan_search(options.task, options.encoder, options.pairs, depth)
        print_remark(search.estimate(), options.quiet)
        page = run_search(search, not options.quiet)
    show_page(page, options.style, options.output, "cell")
