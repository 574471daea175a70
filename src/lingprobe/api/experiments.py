"""Experiments in files: the settings of a run as TOML, to be run again, and by others."""

from __future__ import annotations

import importlib.metadata
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_origin

from lingprobe.api.arguments import as_list, takes_options
from lingprobe.api.encoders import configure, model
from lingprobe.api.evaluation import Evaluation
from lingprobe.api.measure import estimate, run
from lingprobe.api.options import (
    ExperimentFile,
    LanguageOptions,
    ModelOptions,
    PlanOptions,
    ProbedOptions,
    RunOptions,
)
from lingprobe.data.cache import write_text
from lingprobe.data.checks import check_regular
from lingprobe.data.errors import UsageProblem
from lingprobe.data.options import DeclaredOption, declared_options
from lingprobe.data.references import (
    Contents,
    Reference,
    resolve_beside,
)
from lingprobe.data.suggestions import suggest_name
from lingprobe.datasets.controls import CONTROLS
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.estimate import Estimate
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS
from lingprobe.tasks.find import expand_tasks, get_tasks

_MACHINE = ("cache", "jobs", "progress", "shard")
"""Options of a run that belong to a machine, and not to an experiment."""
_KEYS: Mapping[str, DeclaredOption] = {
    name: option
    for kind in (ProbedOptions, ModelOptions, LanguageOptions, RunOptions)
    for name, option in declared_options(kind).items()
    if name not in _MACHINE
}
"""The keys of an experiment."""
_KINDS: Mapping[type, str] = {str: "a text", int: "a whole number", bool: "true or false"}
_ROOMS: dict[str, Contents] = {
    "tasks": TASKS,
    "encoders": ENCODERS,
    "probes": PROBES,
    "controls": CONTROLS,
}
_CODE = (*_ROOMS, "models")  # lists whose items may name code
_COPY = "experiment.toml"


@dataclass(frozen=True)
class Experiment:
    """The settings of a run, read from a file.

    file      the file
    settings  keywords of `run`
    """

    file: Path
    settings: Mapping[str, Any]

    def estimate(self) -> Estimate:
        """What the run would do; nothing is encoded or fitted."""
        known = {**declared_options(PlanOptions), **declared_options(ProbedOptions)}
        return estimate(**{k: v for k, v in self.settings.items() if k in known})

    def run(
        self, *, jobs: int | str = 1, progress: bool = False, shard: str | None = None
    ) -> Evaluation:
        """Run it, with `shard` this machine's share first; a copy with every default filled in is
        written to the folder of results.
        """
        evaluation = run(**self.settings, jobs=jobs, progress=progress, shard=shard)
        write_text(Path(self.settings["output"]) / _COPY, self.resolve())
        return evaluation

    def resolve(self) -> str:
        """The experiment as TOML, with patterns expanded and every default filled in."""
        defaults = {
            name: option.default
            for name, option in declared_options(RunOptions).items()
            if name in _KEYS and option.default is not None
        }
        settings = {**defaults, **self.settings}
        lines = [
            f"# {self.file.name}, as lingprobe {importlib.metadata.version('lingprobe')} ran it"
        ]
        settings["tasks"] = expand_tasks(settings.get("tasks", ()), settings["on_error"])
        for key, value in settings.items():
            whole = _canonical(_ROOMS[key], value) if key in _ROOMS else value
            if whole not in ([], ()):
                lines.append(f"{key} = {json.dumps(whole, ensure_ascii=False)}")
        return "\n".join(lines) + "\n"


@takes_options(ExperimentFile)
def read_experiment(file: str | Path) -> Experiment:
    """The experiment that a TOML file describes: keywords of `run`, and `models`, `device`,
    `batch_size` and `languages` as on the command line.

    UsageProblem if the file is not an experiment.

        experiment = lingprobe.read_experiment("experiment.toml")
        print(experiment.estimate())
    """
    path = Path(file)
    check_regular(path, UsageProblem)
    try:
        said = tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise UsageProblem(f"cannot read {path}: {(error.strerror or '').lower()}") from None
    except (ValueError, RecursionError) as error:
        raise UsageProblem(f"{path} is not valid TOML: {error}") from None
    settings = {key: _check_setting(path, key, value) for key, value in said.items()}
    if not settings.get("output"):
        raise UsageProblem(f'{path}: add a folder for the results, such as output = "results"')
    for key in _CODE:
        settings[key] = [resolve_beside(path, each) for each in settings.get(key, ())]
    if "suite" in settings:
        settings["suite"] = resolve_beside(path, settings["suite"])
    _own_names(settings)
    return Experiment(path, {key: value for key, value in settings.items() if value != []})


def _own_names(settings: dict[str, Any]) -> None:
    """Put references in the place of models, languages and options of several encoders."""
    settings["encoders"] += [
        model(name, settings.get("tasks")) for name in settings.pop("models", ())
    ]
    options = {k: settings.pop(k) for k in ("device", "batch_size") if k in settings}
    settings["encoders"] = configure(settings["encoders"], **options)
    if languages := settings.pop("languages", ()):
        families = settings["tasks"] or ["ud"]
        settings["tasks"] = [task for each in families for task in get_tasks(languages, each)]


def _check_setting(path: Path, key: str, value: Any) -> Any:
    """The value of a key, where there is such a key and it holds such values."""
    if key not in _KEYS:
        near = suggest_name("option", key, _KEYS, 0.6)
        meant = f"did you mean {near}?" if near else f"there are {', '.join(_KEYS)}"
        raise UsageProblem(f"{path}: no experiment has a key {key!r}; {meant}")
    kind = _KEYS[key].read_as
    if get_origin(kind) is list:
        if key in ("tasks", "encoders") and not value:
            raise UsageProblem(f"{path}: {key} = {value!r}: name at least one, or leave {key} out")
        if all(isinstance(each, str) for each in as_list(value)):
            return as_list(value)
        raise UsageProblem(f"{path}: {key} = {value!r}: write a list of texts")
    plain = kind if kind in _KINDS else str
    if type(value) is not plain:
        choices = ", ".join(map(repr, _KEYS[key].choices))
        wanted = f"choose one of {choices}" if choices else f"write {_KINDS[plain]}"
        raise UsageProblem(f"{path}: {key} = {value!r}: {wanted}")
    return value


def _canonical(contents: Contents, references: Iterable[str | Reference]) -> list[str]:
    """References with their options filled in, patterns expanded; an option that is none may still
    be set by a run, as folds are.
    """
    every = [each for reference in references for each in contents.expand(reference)]
    return [str(_set(Reference.parse(contents.canonical(each)))) for each in every]


def _set(reference: Reference) -> Reference:
    return reference.without(*(key for key, value in reference.options if value == "none"))
