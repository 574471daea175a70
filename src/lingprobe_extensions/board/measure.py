"""Submitted models, measured by the operator of a board: the tasks, probes, controls and layers of
a submission, on the operator's data, with baselines and upper bounds beside.

What a submission names is a stranger's: code in files, models' own code and other machines that it
refers to are not followed, nor is anything outside the working folder. The model is the operator's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, NamedTuple
from urllib.parse import unquote

import lingprobe
from lingprobe import DataProblem, Estimate, PlanProblem, Result, UsageProblem
from lingprobe.extend import (
    as_list,
    get_contents,
    get_encoder_kind,
    is_code_allowed,
    shorten_reference,
    strip_fold,
    try_parse_reference,
)
from lingprobe_extensions.board.merge import list_models
from lingprobe_extensions.board.submission import BoardSubmission

_NO_LAYER, _NO_CONTROL = "-", "none"


class MeasureJob(NamedTuple):
    """What is measured in one run: some tasks in one way.

    model  the name of the submitted model; encoder: what it is measured as
    """

    model: str
    encoder: Any
    tasks: tuple[str, ...]
    probes: tuple[str, ...]
    controls: tuple[str, ...]
    layers: tuple[str, ...]
    seeds: int

    def settings(self, store: str | Path) -> dict[str, Any]:
        """The arguments of `run`."""
        return {
            "tasks": list(self.tasks),
            "encoders": [self.encoder],
            "probes": list(self.probes),
            "controls": list(self.controls),
            "layers": list(self.layers),
            "seeds": self.seeds,
            "output": store,
        }


@dataclass(frozen=True)
class BoardEstimate:
    """What measuring submitted models would take; printing it shows this.

    estimates  by the name of the model, one for each way in which its tasks are measured
    refused    what would not be measured, and why
    """

    estimates: Mapping[str, Sequence[Estimate]]
    refused: Sequence[str] = ()

    def __str__(self) -> str:
        every = [(name, one) for name, mine in self.estimates.items() for one in mine]
        lines = [*(f"{name}: {one}" for name, one in every), *self.refused]
        return "\n".join(lines) or "nothing to measure: no submitted model is named"


class MeasuredModels(NamedTuple):
    """What became of submitted models.

    encoders  the references in the operator's results by the names of models
    problems  what could not be measured, and why
    """

    encoders: Mapping[str, str]
    problems: tuple[str, ...] = ()


def parse_models(encoders: Any, submissions: Sequence[BoardSubmission]) -> dict[str, Any]:
    """Names of submitted models with what they are measured as, of a mapping or of texts
    NAME=REFERENCE; UsageProblem for a name that no submission has, or several have.
    """
    if isinstance(encoders, Mapping):
        models = dict(encoders)
    else:
        models = {}
        for text in as_list(encoders):
            name, sign, reference = str(text).partition("=")
            if not (sign and name and reference):
                raise UsageProblem(
                    f"{text}: write NAME=REFERENCE, the name of a submitted model and what it is"
                    " measured as, such as -e mine=st:FOLDER"
                )
            models[name] = reference
    known = list_models(submissions)
    for name in models:
        if name not in known:
            names = f"there are {', '.join(sorted(known))}" if known else "there are none"
            raise UsageProblem(f"no submission has a model {name!r}: {names}")
        if len(known[name]) > 1:
            raise UsageProblem(
                f"{len(known[name])} submissions name a model {name!r}: measure them with separate"
                " boards, or ask for other names"
            )
    return models


def list_jobs(
    models: Mapping[str, Any], submissions: Sequence[BoardSubmission]
) -> tuple[list[MeasureJob], list[str]]:
    """What there is to measure, and what of it is refused."""
    known = list_models(submissions)
    jobs, refused = [], list[str]()
    for name, encoder in models.items():
        (submission,) = known[name]
        references = {line.encoder for line in submission.lines if line.name == name}
        mine = [r for r in submission.results if r.trial.encoder in references]
        jobs += _jobs_of(name, encoder, mine, refused)
    return jobs, refused


def _jobs_of(
    name: str, encoder: Any, results: Sequence[Result], refused: list[str]
) -> list[MeasureJob]:
    tasks: dict[str, list[Result]] = {}
    for one in results:
        tasks.setdefault(strip_fold(one.trial.task), []).append(one)
    ways: dict[tuple[Any, ...], list[str]] = {}
    for task, mine in tasks.items():
        probes = _sort(one.trial.probe for one in mine)
        controls = _sort(one.trial.control for one in mine)
        layers = _sort(one.trial.read for one in mine)
        if why := _explain_refusal(task, *probes, *controls, *(one.metric for one in mine)):
            refused.append(f"{name}: {shorten_reference(get_contents('tasks'), task)}: {why}")
            continue
        seeds = len({one.trial.seed for one in mine})
        ways.setdefault((probes, controls, layers, seeds), []).append(task)
    return [
        MeasureJob(
            name,
            encoder,
            tuple(mine),
            probes,
            tuple(control for control in controls if control != _NO_CONTROL),
            tuple(layer for layer in layers if layer != _NO_LAYER),
            seeds,
        )
        for (probes, controls, layers, seeds), mine in ways.items()
    ]


def _sort(texts: Any) -> tuple[str, ...]:
    return tuple(sorted(set(texts)))


def _explain_refusal(*references: str) -> str:
    """Why a submission is refused that names code, another machine or a file outside the working
    folder; '' where it names none.
    """
    if not is_code_allowed(*references):
        return "it names code in a file, which is not run"
    text = unquote(" ".join(references))
    if "trust_remote_code=true" in text:
        return "it would run a model's own code"
    if "://" in text:
        return "it names another machine"
    parsed = (try_parse_reference(reference) for reference in references)
    places = [PurePath(unquote(one.argument or "")) for one in parsed if one]
    if any(place.is_absolute() or ".." in place.parts for place in places):
        return "it names a file outside the working folder"
    return ""


def estimate_jobs(
    jobs: Sequence[MeasureJob], store: str | Path, refused: Sequence[str]
) -> BoardEstimate:
    """What the jobs would take."""
    estimates: dict[str, list[Estimate]] = {}
    for job in jobs:
        estimates.setdefault(job.model, []).append(lingprobe.estimate(**job.settings(store)))
    return BoardEstimate(estimates, refused)


def measure_models(
    jobs: Sequence[MeasureJob], store: str | Path, *, progress: bool
) -> MeasuredModels:
    """Measure what is not in the store, model by model; a job that was stopped continues."""
    encoders: dict[str, str] = {}
    problems = list[str]()
    for job in jobs:
        try:
            done = lingprobe.run(**job.settings(store), progress=progress)
        except (DataProblem, PlanProblem) as problem:
            problems.append(f"{job.model}: {problem}")
            continue
        trained = [r.trial.encoder for r in done.results if get_encoder_kind(r) == "trained"]
        if trained:
            encoders[job.model] = trained[0]
        problems += [f"{job.model}: {problem}" for problem in done.problems]
    return MeasuredModels(encoders, tuple(problems))
