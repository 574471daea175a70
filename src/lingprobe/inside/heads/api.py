"""Heads ranked by what a model does without them, beside what a probe finds in them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

from lingprobe.analysis.frame import ProbeRun, ResultFrame
from lingprobe.api.arguments import takes_options
from lingprobe.api.measure import evaluate, use_cache
from lingprobe.data.abilities import PredictiveEncoder
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import UsageProblem
from lingprobe.data.progress import show_progress
from lingprobe.data.references import allow_code
from lingprobe.inside.erase.behaviour import SentencePreferences, pairs_for
from lingprobe.inside.erase.effect_cells import CHOICE_MEASURE
from lingprobe.inside.erase.target import ProbedModel, read_task
from lingprobe.inside.heads.effects import SiteEffects, make_effect_runs
from lingprobe.inside.heads.options import HeadsOptions
from lingprobe.inside.heads.views import HEADS_VIEW
from lingprobe.inside.minimal.lm import LanguageModel
from lingprobe.pages.view_page import show_frame
from lingprobe.probes import PROBES
from lingprobe.tables.page import Page


@takes_options(HeadsOptions)
def rank_heads(
    task: str,
    encoder: str,
    *,
    pairs: str,
    probe: str = "logreg",
    limit: int | None = None,
    cache: str | Path | None = None,
    progress: bool = False,
) -> Page[ResultFrame]:
    """Rank heads by what the model does without them.

    UsageProblem for a model that is not causal, DataProblem for too few pairs.

        print(lingprobe.rank_heads("ud/subj-num:en", "lm:gpt2", pairs="minimal/agreement:en"))
    """
    allow_code(probe, encoder)
    with use_cache(cache):
        target = ProbedModel.of(task, encoder, limit)
        effects = choose_pairs(target, pairs, limit)
        probed = probe_sites(target, task, "head:*.*", probe, limit)
        many = len(effects.sites)
        with show_progress(progress, total=many, desc="heads", unit=" heads") as shown:
            source, margins = effects.measure(shown.update)
        runs = [*probed, *make_effect_runs(probed, margins, effects.pairs.data)]
    return show_frame(HEADS_VIEW, ResultFrame.of_runs(runs), {"patch_source": source})


def choose_pairs(target: ProbedModel, pairs: str, limit: int | None) -> SiteEffects:
    """A model's preferences between pairs, with its heads changed."""
    model = target.model
    if not isinstance(model, PredictiveEncoder) or (
        isinstance(model, LanguageModel) and model.is_masked
    ):
        raise UsageProblem(
            f"{target.reference}: heads are ablated and patched where a causal language model"
            " chooses between sentences: take lm:MODEL of a causal model; a probe of each head is"
            " `lingprobe run -e 'hf:MODEL,layers=head:*.*'` and `lingprobe report --view heads`"
        )
    read = read_task(pairs, limit)
    chosen = pairs_for(read.dataset, target.task.dataset, ())
    named = CHOICE_MEASURE, read.task.metric
    return SiteEffects.of(
        target, chosen, SentencePreferences.of(chosen, model, PROBES.make(read.task.probe), named)
    )


def probe_sites(
    target: ProbedModel,
    task: str,
    layers: str,
    probe: str,
    limit: int | None,
    baselines: Literal["default", "none"] = "none",
) -> list[ProbeRun]:
    """A trained probe of each of some layers and sites, which is kept as those of a run, and of the
    task's baselines where they are asked for; DataProblem where there is none.
    """
    found = evaluate(
        target.asking(layers), task, probes=[probe], seeds=1, baselines=baselines, copies=False,
        limit=limit,
    )  # fmt: skip
    for name, why in found.failures.items():
        raise DataProblem(f"{name}: {why}")
    return [
        replace(run, keys={**run.keys, "encoder": target.reference})
        if run.keys["role"] == "trained"
        else run
        for run in map(ProbeRun.of, found.results)
    ]
