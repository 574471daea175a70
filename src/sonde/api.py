"""The Python road: `evaluate(encoder, tasks)` does what `sonde run` does and returns the same
table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sonde.core import Result
from sonde.experiment.places import Places
from sonde.experiment.plan import BOUNDS, Wanted, plan
from sonde.experiment.run import run
from sonde.experiment.runners import local
from sonde.nets.precision import reproducing

if TYPE_CHECKING:
    from sonde.pages.compare import Comparison


@dataclass(frozen=True)
class Settings:
    """How an evaluation is made: probes, controls and seeds as `sonde run` names them, and where
    and how things are kept.

    bounds        whether each task's default baselines and oracle stand in the table too, fitted
                  once with the same probe
    reproducible  float32 and one thread throughout: the same numbers again on processors of one
                  kind, however many cores
    """

    probes: Sequence[str] = ()
    controls: Sequence[str] = ()
    seeds: int = 5
    bounds: bool = True
    reads: Sequence[str] = ()
    output: str | Path | None = None
    cache: str | Path | None = None
    store: str = "float32"
    keep_scores: bool = False
    jobs: int = 1
    progress: bool = True
    reproducible: bool = False


@dataclass(frozen=True)
class Evaluation:
    """Results of an evaluation; printing it shows the table, and what failed. `failures` names what
    could not be measured, and why.
    """

    results: tuple[Result, ...]
    failures: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        from sonde.pages import render  # the report is wanted only when somebody looks

        shown = (
            [render(self.results, "terminal")] if self.results else ["nothing could be measured"]
        )
        return "\n".join(
            (*shown, *(f"failed: {name}: {reason}" for name, reason in self.failures.items()))
        )


def evaluate(encoder: Any, tasks: Any, **settings: Any) -> Evaluation:
    """Probe one encoder or several on tasks.

    encoder   a reference ('st:all-MiniLM-L6-v2'), a SentenceTransformer, any object with
              `encode(list[str])`, a function list[str] -> [n, dim], or a SentEval pair `(batcher,
              prepare)`; a list of these; or, to name models, a mapping of names to them. A model
              without a name goes by its card or its path, and a second one of that name by 'NAME
              #2'
    tasks     a reference or a Task object, or several; patterns such as 'ud/*:PATH' are expanded
    settings  the fields of `Settings`: probes, controls, seeds, bounds, reads, output, cache,
              store, keep_scores, jobs, progress
    """
    chosen = Settings(**settings)
    encoders = encoder if isinstance(encoder, list | Mapping) else [encoder]
    listed = list(tasks) if isinstance(tasks, Iterable) and not isinstance(tasks, str) else [tasks]
    places = replace(
        Places.of(chosen.output, chosen.cache, chosen.store), scores=chosen.keep_scores
    )
    with reproducing(chosen.reproducible):
        beside = BOUNDS if chosen.bounds else ()
        made = plan(
            Wanted(
                listed, encoders, chosen.probes, chosen.controls, chosen.seeds, chosen.reads, beside
            ),
            places,
        )
        outcome = run(made, places, local(chosen.jobs), chosen.progress)
    return Evaluation(outcome.results, dict(outcome.failures))


def compare(
    results: Evaluation | Sequence[Result] | str | Path, against: str | None = None
) -> Comparison:
    """Whether scores differ: paired differences over the same test examples, as `sonde compare`
    shows them; printing it shows the table.

    results  an evaluation, results chosen from several ([r for r in found if ...]), or a folder
             that `sonde run` or `evaluate` wrote
    against  the encoder that all others are compared with, by its name or a pattern ('bow:random');
             all pairs without
    Fields of `.found` are percent; `.corrected` is p corrected for all that is compared here.
    DataProblem where nothing can be.
    """
    from sonde.analysis.rows import newest
    from sonde.pages.asked import of_encoder
    from sonde.pages.compare import compared

    if isinstance(results, str | Path):
        results = newest(dict(Places.of(results).result_store().read()).values())
    listed = list(results.results if isinstance(results, Evaluation) else results)
    return compared(listed, of_encoder(against, listed) if against else None)
