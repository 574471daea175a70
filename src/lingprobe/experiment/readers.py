"""The encoders of a run: what they are called (references by themselves, live things by a name, and
a number where others have it), and which of them each task is read with: those asked for, an oracle
as the task has it, and the bounds of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.data.core import DataProblem, Encoder, Task
from lingprobe.data.errors import LingprobeError
from lingprobe.data.identity import ContentIdentity, is_stated
from lingprobe.data.oracles import Kind, OracleEncoder, get_encoder_role, oracles_of
from lingprobe.data.reading import ReadingProblem, reads_of
from lingprobe.data.references import (
    Reference,
    shorten_reference,
    try_parse_reference,
)
from lingprobe.encoders import ENCODERS, make_encoder
from lingprobe.encoders.origin import describe_state
from lingprobe.experiment.at_work import at_work
from lingprobe.experiment.canary import ConsistencyVectors, check_identity
from lingprobe.experiment.keys import identify_encoder
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.provenance import get_revision, list_layer_names
from lingprobe.experiment.units import get_width
from lingprobe.tasks import TASKS
from lingprobe.tasks.baselines import DEFAULT_BASELINE_DIMENSIONS, Unit, baselines_of

_HOW = "name them: evaluate({'first': one, 'second': other}, tasks)"
Given = Sequence[Any] | Mapping[str, Any]
Known = Callable[[], Mapping[str, set[str]]]
"""Names that have results already, with the revisions of what was called so."""


def map_encoders_by_name(encoders: Given, stored_names: Known = dict) -> dict[str, Encoder]:
    """Encoders by the name that their trials have: a canonical reference, or what a live thing is
    called.

    Of two live things of one name the second is called 'NAME #2', and so is one whose name results
    are kept under that another thing has. DataProblem where nothing tells two of them apart.
    """
    return collect_encoder_names(encoders, stored_names).encoders


def collect_encoder_names(
    encoders: Given, stored_names: Known = dict, results: Path | None = None
) -> EncoderNames:
    """The names of encoders, and which of them are those of live things; what is loaded is noted
    in the folder of results.
    """
    names = EncoderNames(stored_names, results)
    for label, thing in (
        encoders.items() if isinstance(encoders, Mapping) else ((None, thing) for thing in encoders)
    ):
        names.add(thing, label)
    return names


@dataclass
class EncoderNames:
    """Names given out so far, the things that they were given to, and the encoders made of those.

    states   what tells a live thing from others, where it says nothing of itself
    remarks   what there is to say of some, found when their identities were asked for
    canaries  their vectors of a few sentences, where none such are kept
    """

    known: Known
    results: Path | None = None
    encoders: dict[str, Encoder] = field(default_factory=dict)
    things: dict[str, Any] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    remarks: dict[str, str] = field(default_factory=dict)
    canaries: dict[str, ConsistencyVectors] = field(default_factory=dict)

    def add(self, source: Any, label: str | None) -> None:
        """Give a thing its name; a reference of several encoders gives each its own."""
        if isinstance(source, str | Reference):
            if label is not None:
                raise DataProblem(
                    f"{str(source)!r} is a reference and needs no name; {label!r} can name a model"
                    " or a function"
                )
            parsed = try_parse_reference(str(source))
            if parsed and parsed.name in TASKS.places(own=True):
                raise DataProblem(f"{parsed.name!r} is a task, but an encoder is expected here")
            with at_work(f"loading {source}", self.results):
                for reference in ENCODERS.expand(source):
                    self._refer(reference)
            return
        encoder = make_encoder(source)
        if label is not None and (taken := _reserved_kind(label)):
            raise DataProblem(
                f"{label!r} cannot name a model, since {taken!r} is an encoder of lingprobe; choose"
                " another name"
            )
        if before := next((name for name, other in self.things.items() if other is source), ""):
            raise DataProblem(f"{before!r} is given twice; once is enough for its row")
        state = "" if is_stated(encoder) else describe_state(encoder)
        name = label or self._free(encoder, state, derived=encoder is not source)
        self.encoders[name], self.things[name], self.states[name] = encoder, source, state

    def _refer(self, reference: Reference) -> None:
        """Name the encoder of a reference by it."""
        encoder, name = make_encoder(reference), ENCODERS.canonical(reference)
        if name in self.things:
            raise DataProblem(
                f"a model and an encoder of lingprobe are both called {name!r}; {_HOW}"
            )
        self.encoders[name] = encoder

    def identity(self, name: str, encoder: Encoder, paths: RunPaths) -> ContentIdentity:
        """What decides the vectors of what is called so, as they are kept."""
        reference = None if name in self.things else name
        known = identify_encoder(reference, encoder, paths.dtype, self.states.get(name, ""))
        known, remark, canary = check_identity(known, encoder, paths)
        if remark:
            self.remarks[name] = remark
        if canary is not None:
            self.canaries[name] = canary
        return known

    def identities(self, paths: RunPaths) -> tuple[dict[str, ContentIdentity], dict[str, str]]:
        """The identities of all, and what is wrong with those that cannot be used; DataProblem
        where none can.
        """
        known, broken = dict[str, ContentIdentity](), dict[str, DataProblem]()
        for name, encoder in self.encoders.items():
            try:
                with at_work(f"loading {name}", paths.results):
                    list_layer_names(encoder)
                    known[name] = self.identity(name, encoder, paths)
            except DataProblem as problem:
                broken[name] = problem
        if broken and not known:
            raise next(iter(broken.values()))
        return known, {
            shorten_reference(ENCODERS, name): str(problem) for name, problem in broken.items()
        }

    def further_identities(
        self, encoders: Mapping[str, Encoder], names: Container[str], paths: RunPaths
    ) -> dict[str, ContentIdentity]:
        """The identities of the encoders among these that are not known: baselines and oracles."""
        return {
            name: self.identity(name, encoder, paths)
            for name, encoder in encoders.items()
            if name not in names
        }

    def _free(self, encoder: Encoder, state: str, derived: bool) -> str:
        """The first of 'NAME', 'NAME #2' and so on that nothing else has; a thing that is known
        keeps the name that it has.
        """
        mine = get_revision(encoder)
        kept = self.known() if derived else {}
        for name in _numbered_names(encoder.name):
            if name in self.encoders and (
                get_revision(self.encoders[name]),
                self.states.get(name, ""),
            ) == (
                mine,
                state,
            ):
                raise DataProblem(f"two encoders are called {name!r}; {_HOW}")
            if (
                name not in self.encoders
                and kept.get(name, {mine}) == {mine}
                and not (derived and _reserved_kind(name))
            ):
                return name
        raise AssertionError("numbers do not end")


def _numbered_names(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} #{n}" for n in count(2))


def _reserved_kind(name: str) -> str:
    """The kind of encoder that a name would be taken for as a reference; '' for none."""
    parsed = try_parse_reference(name)
    return (
        parsed.name
        if parsed is not None and ("@" in parsed.name or parsed.name in ENCODERS.places())
        else ""
    )


_ORACLE = "gold"
_BOUND_SEEDS = 1  # bounds are there to be compared with, so that one fit is enough


class OracleProblem(LingprobeError, ValueError):
    """A task without the oracle that was asked for; the message says which it has."""


class EncoderReading(NamedTuple):
    """An encoder that a task is read with, what is read of it ('' for each layer), how often a
    probe is fitted on it, and whether controls are: what a copy memorises opposes nothing.
    """

    reference: str
    encoder: Encoder
    reads: Sequence[str]
    seeds: int
    has_controls: bool = True


@dataclass(frozen=True, slots=True)
class ReadingSettings:
    """How encoders are read: what of their layers, and how often; and the kinds of bounds that are
    read beside them.

    usual  what is read of encoders that have such layers, where `reads` says nothing
    own    by encoder the baselines of its own that are read beside it
    """

    reads: Sequence[str]
    seeds: int
    bounds: Collection[Kind]
    usual: Sequence[str] = ()
    own: Mapping[str, Mapping[str, Encoder]] = field(default_factory=dict)

    def of(self, encoder: Encoder) -> Sequence[str]:
        """What is read of an encoder; () for each of its layers."""
        if self.reads or not self.usual:
            return self.reads
        try:
            return reads_of(self.usual, list_layer_names(encoder))
        except ReadingProblem:
            return ()


def choose_readers(
    task: Task, unit: Unit, encoders: Mapping[str, Encoder], settings: ReadingSettings
) -> tuple[list[EncoderReading], dict[str, str]]:
    """The encoders that read a task, baselines and oracle first, which are fitted once; and the
    encoders that cannot read it, with the reason.

    unit  what the task is about
    """
    by_reference = {
        reference: EncoderReading(reference, encoder, (), min(settings.seeds, _BOUND_SEEDS))
        for reference, encoder in _bounds(
            task, unit, settings.bounds, _find_widths(encoders.values())
        )
    }
    refused: dict[str, str] = {}
    for reference, encoder in encoders.items():
        try:
            own = (
                _oracle(reference, encoder, task)
                if isinstance(encoder, OracleEncoder)
                else (reference, encoder)
            )
            for name, each in settings.own.get(reference, {}).items():
                read = (
                    settings.of(each) if list_layer_names(each) == list_layer_names(encoder) else ()
                )
                seeds = min(settings.seeds, _BOUND_SEEDS)
                by_reference.setdefault(name, EncoderReading(name, each, read, seeds, False))
            by_reference[own[0]] = EncoderReading(
                *own, settings.of(encoder) if own[1] is encoder else (), settings.seeds
            )
        except OracleProblem as problem:
            refused[reference] = str(problem)
    return list(by_reference.values()), refused


def _find_widths(encoders: Iterable[Encoder]) -> list[int]:
    """Baselines are in the width of the encoder: how wide the encoders are, each width once; of one
    that does not say it, the usual width of baselines.
    """
    judged = [encoder for encoder in encoders if get_encoder_role(encoder) == "trained"]
    return sorted({get_width(encoder) or DEFAULT_BASELINE_DIMENSIONS for encoder in judged})


def _bounds(
    task: Task, unit: Unit, kinds: Collection[Kind], widths: Sequence[int]
) -> Iterable[tuple[str, Encoder]]:
    """The baselines of a task, and its default oracle where it has one."""
    for baseline in baselines_of(task, unit, widths) if "baseline" in kinds else ():
        yield ENCODERS.canonical(baseline), ENCODERS.make(baseline)
    oracle = ENCODERS.make(_ORACLE)
    if "oracle" in kinds and oracles_of(task) and isinstance(oracle, OracleEncoder):
        yield _oracle(ENCODERS.canonical(_ORACLE), oracle, task)


def _oracle(reference: str, encoder: OracleEncoder, task: Task) -> tuple[str, Encoder]:
    """The oracle that an encoder stands for in a task, under a reference that names it;
    OracleProblem where there is none.
    """
    known = oracles_of(task)
    if not known:
        raise OracleProblem("its data have no annotation for an oracle")
    if encoder.oracle is None:
        return _with_oracle(reference, encoder, next(iter(known)))
    if encoder.oracle not in known:
        raise OracleProblem(f"it has no oracle {encoder.oracle!r}; it has {', '.join(known)}")
    return reference, encoder


def _with_oracle(reference: str, encoder: OracleEncoder, oracle: str) -> tuple[str, Encoder]:
    """An encoder that holds a task's default oracle, and the reference with its name."""
    whole = encoder.with_oracle(oracle)
    if reference == encoder.name:  # it was given as an object
        return whole.name, whole
    return ENCODERS.canonical(replace(Reference.parse(reference), argument=oracle)), whole
