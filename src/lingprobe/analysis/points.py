"""Where encoders stand on a curve: at an epoch or a step of their training, or by a setting in
which trainings differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, NamedTuple

from lingprobe.data.core import DataProblem, Result
from lingprobe.data.errors import UsageProblem
from lingprobe.data.notes import Checkpoint
from lingprobe.data.references import (
    Reference,
    shorten_reference,
    try_parse_reference,
)
from lingprobe.encoders import ENCODERS
from lingprobe.encoders.checkpoints import named_point
from lingprobe.encoders.facts import facts_or_none

PASSING = frozenset({"device", "precision"})
"""Settings that are not told apart by."""


class Point(NamedTuple):
    """Where on which curve an encoder is, and whether its reference says so by number."""

    run: str
    at: int
    unit: str
    outright: bool
    known: Checkpoint | None


def places(results: Sequence[Result]) -> dict[str, Point]:
    """Where in a training each encoder was; those of which nothing says it are excluded."""
    each = _encoders(results)
    return {name: point for name, r in each.items() if (point := _point(r)) is not None}


def _encoders(results: Sequence[Result]) -> dict[str, Result]:
    """A result of each encoder, one that says where in its training it was if there is any."""
    each: dict[str, Result] = {}
    for result in results:
        if result.trial.encoder not in each or result.provenance.checkpoint is not None:
            each[result.trial.encoder] = result
    return each


def _point(result: Result) -> Point | None:
    """Where in a training an encoder was, as it says itself or as its name says."""
    shown, known = shorten_reference(ENCODERS, result.trial.encoder), result.provenance.checkpoint
    if known is None:
        named = named_point(shown)
        return None if named is None else Point(*named, True, None)
    parsed = try_parse_reference(shown) or Reference(shown)
    outright = dict(parsed.options).get(known.unit) == str(known.at)
    return Point(str(parsed.without(known.unit)), known.at, known.unit, outright, known)


def by_setting(results: Sequence[Result], name: str) -> dict[str, Point]:
    """Trained encoders at their best epochs, by the value of a setting; trainings that differ in
    nothing else are one curve. DataProblem where no folder of a training is there any more,
    UsageProblem for a name that is no setting with whole numbers.
    """
    found: dict[str, tuple[Mapping[str, Any], Result]] = {}
    for encoder, result in _encoders(results).items():
        parsed = try_parse_reference(shorten_reference(ENCODERS, encoder)) or Reference(encoder)
        best = dict(parsed.options).get("epoch", "best") == "best"
        if parsed.name == "trained" and best and (facts := facts_or_none(parsed.argument or "")):
            found[encoder] = facts, result
    if not found:
        raise DataProblem(
            "settings are read from the folders of the trainings, and none of the measured ones"
            " was found: name encoders as trained:FOLDER, without an epoch"
        )
    recipes = {encoder: _recipe(facts, name) for encoder, (facts, _) in found.items()}
    called = _name_recipes(recipes.values())
    points = {}
    for encoder, (facts, result) in found.items():
        run, at = called[json.dumps(recipes[encoder], sort_keys=True)], _value(facts, name)
        points[encoder] = Point(run, at, name, True, _checkpoint_at(result, at, name))
    return points


def _value(facts: Mapping[str, Any], name: str) -> int:
    settings = facts["settings"]
    if type(value := settings.get(name)) is not int:
        known = ", ".join(sorted(key for key, each in settings.items() if type(each) is int))
        raise UsageProblem(
            f"no setting {name!r} of trainings is a whole number: choose from {known}"
        )
    return int(value)


def _checkpoint_at(result: Result, at: int, unit: str) -> Checkpoint | None:
    """The figures of the epoch that was read, as those of the point."""
    known = result.provenance.checkpoint
    return None if known is None else replace(known, at=at, unit=unit, of=0, best=0)


def _recipe(facts: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What a training was made with, but for one setting."""
    settings = {k: v for k, v in facts["settings"].items() if k != name and k not in PASSING}
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
