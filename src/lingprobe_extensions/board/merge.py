"""Several submissions as results of one board: what was submitted twice counts once, and models or
data that share a name and are not the same get names of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from lingprobe import Reference, Result
from lingprobe.extend import (
    get_contents,
    shorten_reference,
    strip_fold,
    try_parse_reference,
)
from lingprobe_extensions.board.frame import digest, facts_in
from lingprobe_extensions.board.lines import ModelLine
from lingprobe_extensions.board.submission import Submission

DRAWN = re.compile(r"^((?:(?:fold|sample) of \d+ )+)[0-9a-f]{32}$")  # other examples of one set
SHORT = 6  # digits that tell states of one name apart
States = Mapping[str, Sequence[tuple[str, ...]]]
"""By reference what it stands for, the commonest first: files, data and precision, not the code."""


class Model(NamedTuple):
    """A model of a board: its name there, and what its submitter says of it."""

    name: str
    line: ModelLine


class Merged(NamedTuple):
    """The results of all submissions, and the models by their encoders' names in tables."""

    results: tuple[Result, ...]
    models: Mapping[str, Model]


def merge(submissions: Sequence[Submission]) -> Merged:
    """The results of some submissions together. What several have measured counts as the first of
    them has it, so that nobody replaces what others submitted.
    """
    every = [result for one in submissions for result in one.results]
    tasks = _states((one.trial.task, _identity(one, "task")) for one in every)
    encoders = _states((one.trial.encoder, _identity(one, "encoder")) for one in every)
    results, first = [], dict[tuple[str, ...], int]()
    lines: dict[str, ModelLine] = {}
    for number, submission in enumerate(submissions):
        for one in submission.results:
            task = _mark_reference(one.trial.task, _identity(one, "task"), tasks)
            encoder = _mark_reference(one.trial.encoder, _identity(one, "encoder"), encoders)
            trial = replace(one.trial, task=task, encoder=encoder)
            row = strip_fold(task), encoder, trial.read, trial.probe, trial.control
            if first.setdefault(row, number) == number:
                results.append(replace(one, trial=trial))
        for line in submission.lines:
            lines.setdefault(_mark_reference(line.encoder, line.identity, encoders), line)
    return Merged(tuple(results), _models(lines))


def _models(lines: Mapping[str, ModelLine]) -> dict[str, Model]:
    """Models by the names that rows give their encoders; a name that several have gets a digest of
    the revision, and a number where that is the same, too.
    """
    many, taken = Counter(line.name for line in lines.values()), Counter[str]()
    models = {}
    for encoder, line in sorted(lines.items()):
        mark = f" ({digest(line.revision or line.identity)[:SHORT]})"
        name = line.name + mark * (many[line.name] > 1)
        taken[name] += 1
        name += f" {taken[name]}" * (taken[name] > 1)
        models[shorten_reference(get_contents("encoders"), encoder)] = Model(name, line)
    return models


def _state(identity: str) -> tuple[str, ...]:
    return tuple(DRAWN.sub(r"\1", fact) for fact in facts_in(identity)[1:])


def _identity(result: Result, kind: str) -> str:
    return str(result.provenance.identities.get(kind, ""))


def _states(pairs: Iterable[tuple[str, str]]) -> States:
    """Of references with identities."""
    counts: dict[str, Counter[tuple[str, ...]]] = {}
    for reference, identity in pairs:
        counts.setdefault(reference, Counter())[_state(identity)] += 1
    return {each: [state for state, _ in mine.most_common()] for each, mine in counts.items()}


def _mark_reference(reference: str, identity: str, states: States) -> str:
    """A reference, with a digest of what it stands for as an option where that is not the usual."""
    parsed, state = try_parse_reference(reference), _state(identity)
    if parsed is None or state == states.get(reference, [state])[0]:
        return reference
    mark = ("state", digest(*state)[:SHORT])
    return str(Reference(parsed.name, parsed.argument, (*parsed.options, mark)))
