"""Where in a model a property is, and whether the model uses it, as a function."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from lingprobe.analysis.frame import ResultFrame
from lingprobe.api.arguments import takes_options
from lingprobe.api.measure import use_cache
from lingprobe.data.progress import show_progress
from lingprobe.data.references import allow_code
from lingprobe.inside.erase.fitting import check_floors
from lingprobe.inside.erase.target import ProbedModel
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
    with use_cache(cache):
        search = plan_search(task, encoder, pairs, SearchDepth(method, draws, probe, limit))
        return run_search(search, progress)


def plan_search(task: str, encoder: Any, pairs: str, depth: SearchDepth) -> SiteSearch:
    """What `locate` is going to measure, with the model and the task loaded."""
    allow_code(depth.probe)
    check_floors(depth.method, depth.draws)
    if isinstance(encoder, str):
        allow_code(encoder)
    return SiteSearch(ProbedModel.of(task, encoder, depth.limit), task, pairs, depth)


def run_search(search: SiteSearch, progress: bool) -> Page[ResultFrame]:
    """Measure it, and what is shown of it."""
    with show_progress(progress, total=search.steps, desc="locate", unit=" steps") as shown:
        runs, facts = search.run(shown.update)
    return show_frame(LOCATE_VIEW, ResultFrame.of_runs(runs), facts)
