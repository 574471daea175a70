"""Whether fits have the memory that they take: asked in the plan, as far as sizes are known by
then, and again before each fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lingprobe.data.cache import format_bytes
from lingprobe.data.core import DataProblem, Encoder, FitJob, Probe, Trial, needs_of
from lingprobe.data.reading import ReadingProblem, read_of
from lingprobe.data.sizes import FitSize, least_memory_of
from lingprobe.experiment.data import PlanFacts
from lingprobe.experiment.units import get_width
from lingprobe.nets.device import fits_elsewhere
from lingprobe.nets.memory import memory_bound

_MANY = 2000  # labels that may be an id


def estimate_fit_size(data: PlanFacts, encoder: Encoder) -> FitSize:
    """How much a fit on a task is given, as far as a plan knows; no more than that."""
    return FitSize(data.train, data.rest, get_width(encoder), data.outputs, data.sets)


def too_large(probe: Probe, size: FitSize, bound: int | None) -> str:
    """Why a fit takes more memory than so many bytes; '' where it fits, or where nobody knows."""
    if bound is None or not needs_of(probe).train or fits_elsewhere():
        return ""
    needed = least_memory_of(probe, size)
    if needed <= bound:
        return ""
    hint = (
        "is the label an id? If not, join rare labels"
        if size.outputs > _MANY
        else "take fewer examples, or --project 256"
    )
    return (
        f"a fit of {size.train:,} examples with {size.outputs:,} labels takes at least"
        f" {format_bytes(needed)} of memory, and {format_bytes(bound)} may be used: {hint}, or"
        " allow more (--memory)"
    )


def without_heavy(
    trials: Sequence[Trial],
    probes: Mapping[str, Probe],
    data: Mapping[str, PlanFacts],
    encoders: Mapping[str, Encoder],
) -> tuple[tuple[Trial, ...], dict[str, str]]:
    """A fit that does not fit into memory alone is refused before work starts: the trials that are
    left, and what is refused, with the reason.
    """
    bound, why = memory_bound(), dict[tuple[str, str, str], str]()
    for trial in trials:
        fit = trial.task, trial.encoder, trial.probe
        if fit not in why:
            given = estimate_fit_size(data[trial.task], encoders[trial.encoder])
            why[fit] = too_large(probes[trial.probe], given, bound)
    refused = {
        "{2} on {0} by {1}".format(*(name.partition(",")[0] for name in fit)): said
        for fit, said in why.items()
        if said
    }
    kept = (one for one in trials if not why[one.task, one.encoder, one.probe])
    return tuple(kept), refused


def check_memory(probe: Probe, job: FitJob) -> None:
    """Refuse a fit that memory has no room for, before it begins. DataProblem."""
    vectors, features = job.train.vectors, 0
    for text in {cell.read for cell in job.cells}:
        try:
            how, layers = read_of(text, vectors.names)
            some = [vectors.layer(layer).shape[1] for layer in layers]
        except ReadingProblem:  # which the probe tells
            continue
        features = max(features, *some) if how == "mix" else max(features, sum(some))
    labels = job.train.labels
    sets = labels.classes is None and labels.numbers is None
    given = FitSize(len(job.train), len(job.dev), features, len(labels.names), sets)
    if why := too_large(probe, given, memory_bound()):
        raise DataProblem(why)
