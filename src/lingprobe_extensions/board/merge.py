"""What an operator measured and what others submitted, as one board: what was submitted twice
counts once, a submission of a model that was measured is known as that model, and models or data
that share a name and are not the same get names of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from lingprobe import Reference, Result
from lingprobe.extend import (
    get_contents,
    get_encoder_kind,
    shorten_reference,
    strip_fold,
    try_parse_reference,
)
from lingprobe_extensions.board.frame import digest_strings, facts_in
from lingprobe_extensions.board.lines import ModelLine
from lingprobe_extensions.board.submission import BoardSubmission, DescribedResults

_DRAWN = re.compile(r"^((?:(?:fold|sample) of \d+ )+)[0-9a-f]{32}$")  # other examples of one set
_SHORT = 6  # digits that tell states of one name apart
_STORED = frozenset({"acts", "arrow", "npy", "npz", "parquet"})  # encoders that look vectors up
_OTHER_DATA = (
    "{}: what is reported was measured on other data, so that it stands as a task of its own"
)
States = Mapping[str, Sequence[tuple[str, ...]]]
"""By reference what it stands for, the commonest first: files, data and precision, not the code."""


class ListedModel(NamedTuple):
    """A model of a board: its name there, and what is known of it.

    line          what the operator's results say of it, else what its submitter says
    submitted     what its submitter says, where the operator measured it; None for nobody
    is_measured   whether the operator measured it
    """

    name: str
    line: ModelLine
    submitted: ModelLine | None = None
    is_measured: bool = False

    @property
    def is_from_vectors(self) -> bool:
        """Whether it was measured from a file of vectors, whose model nobody has run here."""
        parsed = try_parse_reference(self.line.encoder)
        return self.is_measured and parsed is not None and parsed.name in _STORED

    @property
    def declared(self) -> Mapping[str, str]:
        """What its submitter declares."""
        return self.stated.declared

    @property
    def parameters(self) -> int | None:
        """How many it has, as its files say here, else as its submitter says."""
        own = self.line.parameters
        return self.stated.parameters if own is None else own

    @property
    def stated(self) -> ModelLine:
        """The line of its submitter; the operator's for nobody."""
        return self.submitted or self.line


class BoardResults(NamedTuple):
    """All results of a board, and the models by their encoders' names in tables.

    measured  by the operator
    reported  of models, by submitters; what baselines scored elsewhere is not among them
    remarks   which tasks were submitted of other data than the operator's
    """

    measured: tuple[Result, ...]
    reported: tuple[Result, ...]
    models: Mapping[str, ListedModel]
    remarks: tuple[str, ...] = ()


def merge_submissions(
    submissions: Sequence[BoardSubmission],
    own: DescribedResults = DescribedResults(),  # noqa: B008
    bound: Mapping[str, str] = MappingProxyType({}),
) -> BoardResults:
    """What was measured and what was submitted together. What several submitted counts as the first
    of them has it, so that nobody replaces what others submitted.

    bound  names of submitted models with the encoders that they were measured as
    """
    same = _Same(own, submissions)
    results, first = [], dict[tuple[str, ...], int]()
    lines: dict[str, ModelLine] = {}
    for number, submission in enumerate(submissions):
        names = {line.encoder: bound.get(line.name) for line in submission.lines}
        for one in submission.results:
            if get_encoder_kind(one) != "trained":
                continue
            encoder = names.get(one.trial.encoder) or same.encoder(one.trial.encoder, one)
            trial = replace(one.trial, task=same.task(one), encoder=encoder)
            row = strip_fold(trial.task), encoder, trial.read, trial.probe, trial.control
            if first.setdefault(row, number) == number:
                results.append(replace(one, trial=trial))
        for line in submission.lines:
            encoder = names[line.encoder] or same.model(line.encoder, line.identity)
            lines.setdefault(encoder, line)
    given = {encoder: name for name, encoder in bound.items()}
    models = _models(own.lines, lines, given)
    return BoardResults(own.results, tuple(results), models, tuple(same.other_data))


def list_models(submissions: Sequence[BoardSubmission]) -> dict[str, list[BoardSubmission]]:
    """The submissions of each name of a model."""
    named: dict[str, list[BoardSubmission]] = {}
    for submission in submissions:
        for line in submission.lines:
            named.setdefault(line.name, []).append(submission)
    return named


class _Same:
    """What references of submissions are called on a board, where the operator's stand for what
    they stand for in the operator's results.
    """

    def __init__(self, own: DescribedResults, submissions: Sequence[BoardSubmission]) -> None:
        submitted = [one for each in submissions for one in each.results]
        several = submitted, own.results
        tasks = [[(r.trial.task, _identity(r, "task")) for r in each] for each in several]
        encoders = [[(r.trial.encoder, _identity(r, "encoder")) for r in each] for each in several]
        self.tasks: States = {**_states(tasks[0]), **_states(tasks[1])}
        self.encoders: States = {**_states(encoders[0]), **_states(encoders[1])}
        self.places = dict(_locate_task_data(own.results))
        self.here = set(_states(tasks[1]))
        self.other_data: dict[str, None] = {}
        self.measured = {_model_key(line.identity): line for line in own.lines}
        self.names = {line.encoder for line in own.lines}

    def task(self, result: Result) -> str:
        """The operator's reference of a task that has the same data, wherever these lie."""
        reference, identity = result.trial.task, _identity(result, "task")
        parsed = try_parse_reference(reference)
        place = self.places.get(_place_key(identity))
        if parsed is not None and place is not None:
            return str(replace(parsed, argument=place))
        marked = _mark_reference(reference, identity, self.tasks)
        if marked != reference and reference in self.here:
            name = shorten_reference(get_contents("tasks"), strip_fold(reference))
            self.other_data[_OTHER_DATA.format(name)] = None
        return marked

    def encoder(self, reference: str, result: Result) -> str:
        """What is in the measured results is recognized by its files or code: the operator's
        reference of such a model.
        """
        return self.model(reference, _identity(result, "encoder"))

    def model(self, reference: str, identity: str) -> str:
        """The same, of what a line says."""
        if known := self.measured.get(_model_key(identity)):
            return known.encoder
        if reference in self.names:
            return _mark(reference, identity)
        return _mark_reference(reference, identity, self.encoders)


def _locate_task_data(results: Sequence[Result]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Where the data of tasks lie, by what else stands for a task."""
    for one in results:
        parsed = try_parse_reference(one.trial.task)
        if parsed is not None and parsed.argument is not None:
            yield _place_key(_identity(one, "task")), parsed.argument


def _place_key(identity: str) -> tuple[str, ...]:
    """Stands for a task wherever its data lie: how it is asked for, and what is in them."""
    return strip_fold(facts_in(identity)[0]), *_state(identity)


def _model_key(identity: str) -> tuple[str, ...]:
    """Stands for a model wherever its files lie: how it is asked for, its files, data and
    precision; of code in a file, and of what has no files, the code as well.
    """
    name, *facts = facts_in(identity)
    return (name, *facts) if facts and "@" not in name else (identity,)


def _models(
    measured: Sequence[ModelLine], reported: Mapping[str, ModelLine], given: Mapping[str, str]
) -> dict[str, ListedModel]:
    """Models by the names that rows give their encoders. What was measured has the name that the
    operator gives it, or its own; a submitted name that is another model's gets a digest of the
    revision, and a number where that is the same, too.
    """
    models, taken = dict[str, ListedModel](), Counter[str]()

    def add(encoder: str, name: str, *facts: ModelLine | None, is_measured: bool) -> None:
        line, submitted = facts
        assert line is not None
        taken[name] += 1
        name += f" {taken[name]}" * (taken[name] > 1)
        short = shorten_reference(get_contents("encoders"), encoder)
        models[short] = ListedModel(name, line, submitted, is_measured)

    for line in sorted(measured, key=lambda one: one.encoder):
        name = given.get(line.encoder, line.name)
        add(line.encoder, name, line, reported.get(line.encoder), is_measured=True)
    here = {line.encoder for line in measured}
    others = {encoder: line for encoder, line in sorted(reported.items()) if encoder not in here}
    names = Counter([*taken, *(line.name for line in others.values())])
    for encoder, line in others.items():
        mark = f" ({digest_strings(line.revision or line.identity)[:_SHORT]})"
        add(encoder, line.name + mark * (names[line.name] > 1), line, None, is_measured=False)
    return models


def _state(identity: str) -> tuple[str, ...]:
    return tuple(_DRAWN.sub(r"\1", fact) for fact in facts_in(identity)[1:])


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
    state = _state(identity)
    return reference if state == states.get(reference, [state])[0] else _mark(reference, *state)


def _mark(reference: str, *state: str) -> str:
    parsed = try_parse_reference(reference)
    if parsed is None:
        return reference
    mark = ("state", digest_strings(*state)[:_SHORT])
    return str(Reference(parsed.name, parsed.argument, (*parsed.options, mark)))
