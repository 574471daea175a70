"""Where in a model a property is, and whether the model uses it, as a function."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from lingprobe.analysis.frame import ResultFrame
from lingprobe.api.arguments import takes_options
from lingprobe.api.measure import at
from lingprobe.data.progress import show_progress
from lingprobe.data.references import allow_code
from lingprobe.inside.erase.fitting import check_floors
from lingprobe.inside.erase.target import Target
from lingprobe.inside.locate.options import LocateOptions
from lingprobe.inside.locate.search import SearchDepth, SiteSearch
from lingprobe.inside.locate.views import LOCATE_VIEW
from lingprobe.pages.view_page import show_frame
from lingprobe.tables.page import Page


@takes_options(LocateOptions)
def locate(
    task: str,
    encoder: Any,
    *,
    pairs: str = "",
    method: Literal["leace", "inlp", "mean"] = "leace",
    draws: int = 5,
    probe: str = "logreg",
    limit: int | None = None,
    cache: str | Path | None = None,
    progress: bool = False,
) -> Page[ResultFrame]:
    """Find where in a model a property is decodable, and whether the model uses it there.

    Layers, MLPs and attention outputs are probed, and the heads of the block of the layer that is
    best on dev. The states of that layer and of its block's parts are erased, moved and exchanged.
    What was measured is kept, so that a call that was stopped goes on. UsageProblem for a model
    whose states cannot be replaced, DataProblem for too few pairs.

        print(lingprobe.locate("ud/tense:en_ewt", "hf:all-MiniLM-L6-v2"))
        print(lingprobe.locate("ud/tense:en_ewt", (model, tokenizer)))
    """
    allow_code(probe)
    check_floors(method, draws)
    with at(cache):
        search = _search(task, encoder, pairs, SearchDepth(method, draws, probe, limit))
        with show_progress(progress, total=search.steps, desc="locate", unit=" steps") as shown:
            runs, facts = search.run(shown.update)
    return show_frame(LOCATE_VIEW, ResultFrame.of_runs(runs), facts)


def estimate_locating(
    task: str,
    encoder: Any,
    *,
    pairs: str = "",
    method: Literal["leace", "inlp", "mean"] = "leace",
    draws: int = 5,
    probe: str = "logreg",
    limit: int | None = None,
    cache: str | Path | None = None,
) -> str:
    """In a sentence how long `locate` takes with these options, where nothing was measured yet."""
    allow_code(probe)
    check_floors(method, draws)
    with at(cache):
        return _search(task, encoder, pairs, SearchDepth(method, draws, probe, limit)).estimate()


def _search(task: str, encoder: Any, pairs: str, depth: SearchDepth) -> SiteSearch:
    if isinstance(encoder, str):
        allow_code(encoder)
    return SiteSearch(Target.of(task, encoder, depth.limit), task, pairs, depth)
