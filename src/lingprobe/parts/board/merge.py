"""Several submissions as results of one board: what was submitted twice counts once, and models or
data that share a name and are not the same get names of their own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from lingprobe.analysis.rows import newest
from lingprobe.data._closure import digest
from lingprobe.data.core import Result
from lingprobe.data.identity import shared_fact
from lingprobe.data.references import Reference, brief, parsed_or_none
from lingprobe.encoders import ENCODERS
from lingprobe.parts.board.frame import Fit, facts_in
from lingprobe.parts.board.lines import ModelLine
from lingprobe.parts.board.submission import Submission

State = tuple[str, ...]
SHORT = 6  # digits that tell states of one name apart


class Model(NamedTuple):
    """A model of a board: its name there, and what its submitter says of it."""

    name: str
    line: ModelLine


class Merged(NamedTuple):
    """The results of all submissions, and the models by their encoders' names in tables."""

    results: tuple[Result, ...]
    models: Mapping[str, Model]


def merge(submissions: Sequence[Submission]) -> Merged:
    """The results of some submissions together; of a fit that several have, the newest."""
    fits: dict[str, Fit] = {}
    lines: dict[str, ModelLine] = {}
    for fit in (fit for one in submissions for fit in one.fits):
        if fit.identity not in fits or fits[fit.identity].date < fit.date:
            fits[fit.identity] = fit
    named = _Names(tuple(fits.values()))
    for line in (line for one in submissions for line in one.lines):
        lines[named.encoder(line.encoder, line.identity)] = line
    results = [named.result(fit) for fit in fits.values()]
    return Merged(tuple(newest(results)), _models(lines))


def _models(lines: Mapping[str, ModelLine]) -> dict[str, Model]:
    """Models by the names that rows give their encoders; a name that several have gets the
    revision, and a number where that is the same, too.
    """
    many = Counter(line.name for line in lines.values())
    taken: Counter[str] = Counter()
    models = {}
    for encoder, line in sorted(lines.items()):
        name = line.name
        if many[line.name] > 1:
            name = f"{line.name} ({digest(line.revision or line.identity)[:SHORT]})"
        taken[name] += 1
        name += f" {taken[name]}" * (taken[name] > 1)
        models[brief(ENCODERS, encoder)] = Model(name, line)
    return models


class _Names:
    """What things are called on the board: references, with a mark where one stands for several."""

    def __init__(self, fits: Sequence[Fit]) -> None:
        self._tasks = _states((fit.task, _state(_said(fit, "task"))) for fit in fits)
        self._encoders = _states((fit.encoder, _state(_said(fit, "encoder"))) for fit in fits)

    def encoder(self, reference: str, identity: str) -> str:
        """What an encoder of some identity is called."""
        return _marked(reference, _state(identity), self._encoders)

    def result(self, fit: Fit) -> Result:
        """The result of a fit under these names."""
        made = fit.result()
        task = _marked(fit.task, _state(_said(fit, "task")), self._tasks)
        encoder = self.encoder(fit.encoder, _said(fit, "encoder"))
        return replace(made, trial=replace(made.trial, task=task, encoder=encoder))


def _said(fit: Fit, kind: str) -> str:
    return str(json.loads(fit.provenance).get("identities", {}).get(kind, ""))


def _state(identity: str) -> State:
    """What tells things of one reference apart: files, data and precision, not the code."""
    return tuple(shared_fact(fact) for fact in facts_in(identity)[1:])


def _states(pairs: Iterable[tuple[str, State]]) -> dict[str, list[State]]:
    """The states of each reference, the one that most fits have first."""
    counts: dict[str, Counter[State]] = {}
    for reference, state in pairs:
        counts.setdefault(reference, Counter())[state] += 1
    return {one: [state for state, _ in mine.most_common()] for one, mine in counts.items()}


def _marked(reference: str, state: State, states: Mapping[str, Sequence[State]]) -> str:
    """A reference, with a digest of the state as an option where it is not the usual one."""
    parsed = parsed_or_none(reference)
    if state == states.get(reference, [state])[0] or parsed is None:
        return reference
    mark = ("state", digest(*state)[:SHORT])
    return str(Reference(parsed.name, parsed.argument, (*parsed.options, mark)))
