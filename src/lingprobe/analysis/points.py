"""Where encoders stand on a curve: at an epoch or a step of their training, or by a setting in
which trainings differ.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, NamedTuple

from lingprobe.analysis.frame import ResultFrame
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import UsageProblem
from lingprobe.data.notes import Checkpoint
from lingprobe.data.references import Reference, try_parse_reference
from lingprobe.encoders.checkpoints import named_point
from lingprobe.encoders.facts import facts_or_none

_PASSING = frozenset({"device", "precision"})
"""Settings that are not told apart by."""


class CurvePoint(NamedTuple):
    """Where on which curve an encoder is, and whether its reference says so by number."""

    run: str
    at: int
    unit: str
    outright: bool
    known: Checkpoint | None


@dataclass(frozen=True, slots=True)
class TrainingHistory:
    """A training, as far as results tell of it.

    name       the encoder's reference without the point
    unit       of points: epoch, step, or the setting in which trainings differ
    objective  what it was trained for; '' where nobody says
    figure     of dev, by which the best point is told
    best, of   that point, and how many there were; 0 where nobody says
    figures    by point: the loss of train, and figures of dev
    trivial    figures of what needs no encoder
    """

    name: str
    unit: str
    objective: str = ""
    figure: str = ""
    best: int = 0
    of: int = 0
    figures: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    trivial: Mapping[str, float] = field(default_factory=dict)

    def value(self, at: int, figure: str = "") -> float:
        """A figure at a point (default: that of dev); NaN where it is not known."""
        return self.figures.get(at, {}).get(figure or self.figure, math.nan)


def find_points(frame: ResultFrame) -> dict[str, CurvePoint]:
    """Where in a training each encoder was, as it says itself or as its name says; those of which
    nothing says it are excluded. The frame has `checkpoint` of `RUN_EXTRAS`.
    """
    points = {encoder: _point(encoder, known) for encoder, known in _checkpoints(frame).items()}
    return {encoder: point for encoder, point in points.items() if point is not None}


def _checkpoints(frame: ResultFrame) -> dict[str, Checkpoint | None]:
    """By encoder what is known of the training at its point."""
    found: dict[str, Checkpoint | None] = {}
    if not len(frame):
        return found
    for encoder, known in zip(frame.column("encoder"), frame.column("checkpoint"), strict=True):
        if encoder not in found or known:
            found[encoder] = Checkpoint.read(json.loads(known)) if known else None
    return found


def _point(encoder: str, known: Checkpoint | None) -> CurvePoint | None:
    if known is None:
        named = named_point(encoder)
        return None if named is None else CurvePoint(*named, True, None)
    parsed = try_parse_reference(encoder) or Reference(encoder)
    outright = dict(parsed.options).get(known.unit) == str(known.at)
    return CurvePoint(str(parsed.without(known.unit)), known.at, known.unit, outright, known)


def list_trainings(points: Iterable[CurvePoint]) -> list[TrainingHistory]:
    """The trainings, in the order in which they come; what is known last of one holds."""
    made: dict[str, TrainingHistory] = {}
    for point in points:
        before = made.get(point.run, TrainingHistory(point.run, point.unit))
        known = point.known
        if known is None:
            made[point.run] = before
            continue
        figures = {**before.figures, **({known.at: known.figures} if known.figures else {})}
        newer = known.of >= before.of
        made[point.run] = replace(
            before,
            objective=known.objective,
            figure=known.figure,
            best=known.best if newer else before.best,
            of=max(known.of, before.of),
            figures=dict(sorted(figures.items())),
            trivial=known.trivial,
        )
    return list(made.values())


def tell_best_points(frame: ResultFrame) -> list[str]:
    """The best epoch of each training on dev, which a ring marks, where several of one were
    measured.
    """
    points = find_points(frame).values()
    told = []
    for history in list_trainings(points):
        many = len({point.at for point in points if point.run == history.name})
        if many > 1 and history.best:
            value = history.value(history.best)
            said = "" if math.isnan(value) else f" ({history.figure} {value:,.1f})"
            told.append(f"{history.name}: {history.unit} {history.best} is the best on dev{said}.")
    return told


def find_settings(frame: ResultFrame, name: str) -> dict[str, CurvePoint]:
    """`--by` a setting: trainings that differ only in this setting are one curve, each at its best
    epoch, by its value. DataProblem where no folder of a training is there any more.
    """
    found: dict[str, tuple[Mapping[str, Any], Checkpoint | None]] = {}
    for encoder, known in _checkpoints(frame).items():
        parsed = try_parse_reference(encoder) or Reference(encoder)
        best = dict(parsed.options).get("epoch", "best") == "best"
        if parsed.name == "trained" and best and (facts := facts_or_none(parsed.argument or "")):
            found[encoder] = facts, known
    if not found:
        raise DataProblem(
            "settings are read from the folders of the trainings, and none of the measured ones"
            " was found: name encoders as trained:FOLDER, without an epoch"
        )
    recipes = {encoder: _recipe(facts, name) for encoder, (facts, _) in found.items()}
    called = _name_recipes(recipes.values())
    points = {}
    for encoder, (facts, known) in found.items():
        run, at = called[json.dumps(recipes[encoder], sort_keys=True)], _value(facts, name)
        # the figures of the epoch that was read are those of the point
        here = None if known is None else replace(known, at=at, unit=name, of=0, best=0)
        points[encoder] = CurvePoint(run, at, name, True, here)
    return points


def _value(facts: Mapping[str, Any], name: str) -> int:
    settings = facts["settings"]
    if type(value := settings.get(name)) is not int:
        known = ", ".join(sorted(key for key, each in settings.items() if type(each) is int))
        raise UsageProblem(
            f"no setting {name!r} of trainings is a whole number: choose from {known}"
        )
    return int(value)


def _recipe(facts: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What a training was made with, but for one setting."""
    settings = {k: v for k, v in facts["settings"].items() if k != name and k not in _PASSING}
    files = ", ".join(PurePath(path).name for path in facts["files"])
    title = f"{facts['architecture']}, {facts['objective']}: {files}"
    return {"title": title, "files": sorted(facts["files"].values()), **settings}


def _name_recipes(recipes: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """A name for each recipe: its title, with the settings in which those of one title differ."""
    every = {json.dumps(recipe, sort_keys=True): recipe for recipe in recipes}
    names = {}
    for key, recipe in every.items():
        same = [other for other in every.values() if other["title"] == recipe["title"]]
        apart = [k for k, v in recipe.items() if any(other.get(k) != v for other in same)]
        more = [f"{k}={str(recipe[k])[:40]}" for k in apart if k != "files"]
        names[key] = "; ".join([recipe["title"], *more])
        if "files" in apart:  # of one name
            names[key] += f"; {'+'.join(mark[:6] for mark in recipe['files'])}"
    return names
