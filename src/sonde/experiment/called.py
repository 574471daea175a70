"""What the encoders of a run are called: references by themselves, live things by a name, and a
number where others have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from sonde.core import DataProblem, Encoder
from sonde.encoders import ENCODERS
from sonde.encoders import make as make_encoder
from sonde.encoders.origin import state_of
from sonde.experiment.keys import encoder_identity
from sonde.experiment.provenance import revision
from sonde.identity import Identity, Stated
from sonde.references import Reference, parsed_or_none

HOW = "name them: evaluate({'first': one, 'second': other}, tasks)"
Given = Sequence[Any] | Mapping[str, Any]
Known = Callable[[], Mapping[str, set[str]]]
"""Names that have results already, with the revisions of what was called so."""


def encoders_of(given: Given, known: Known = dict) -> dict[str, Encoder]:
    """Encoders by the name that their trials have: a canonical reference, or what a live thing is
    called.

    Of two live things of one name the second is called 'NAME #2', and so is one whose name results
    are kept under that another thing has. DataProblem where nothing tells two of them apart.
    """
    return names_of(given, known).encoders


def names_of(given: Given, known: Known = dict) -> Names:
    """The names of encoders, and which of them are those of live things."""
    names = Names(known)
    for label, thing in (
        given.items() if isinstance(given, Mapping) else ((None, thing) for thing in given)
    ):
        names.add(thing, label)
    return names


@dataclass
class Names:
    """Names given out so far, the things that they were given to, and the encoders made of those.

    states   what tells a live thing from others, where it says nothing of itself
    """

    known: Known
    encoders: dict[str, Encoder] = field(default_factory=dict)
    things: dict[str, Any] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)

    def add(self, thing: Any, label: str | None) -> None:
        """Give a thing its name."""
        encoder = make_encoder(thing)
        if isinstance(thing, str | Reference):
            name = ENCODERS.canonical(thing)
            if label is not None:
                raise DataProblem(
                    f"{str(thing)!r} is a reference and goes by itself; {label!r} can name a model"
                    " or a function"
                )
            if name in self.things:
                raise DataProblem(
                    f"a model and an encoder of sonde are both called {name!r}; {HOW}"
                )
            self.encoders[name] = encoder
            return
        if label is not None and (taken := _reserved(label)):
            raise DataProblem(
                f"{label!r} cannot name a model, since {taken!r} is an encoder of sonde; choose"
                " another name"
            )
        if before := next((name for name, other in self.things.items() if other is thing), ""):
            raise DataProblem(f"{before!r} is given twice; once is enough for its row")
        state = "" if isinstance(encoder, Stated) else state_of(encoder)
        name = label or self._free(encoder, state, derived=encoder is not thing)
        self.encoders[name], self.things[name], self.states[name] = encoder, thing, state

    def identity(self, name: str, encoder: Encoder, kept: str) -> Identity:
        """What decides the vectors of what is called so, kept in some type."""
        return encoder_identity(
            None if name in self.things else name, encoder, kept, self.states.get(name, "")
        )

    def _free(self, encoder: Encoder, state: str, derived: bool) -> str:
        """The first of 'NAME', 'NAME #2' and so on that nothing else has; a thing that is known
        keeps the name that it has.
        """
        mine = revision(encoder)
        kept = self.known() if derived else {}
        for name in _numbered(encoder.name):
            if name in self.encoders and (
                revision(self.encoders[name]),
                self.states.get(name, ""),
            ) == (
                mine,
                state,
            ):
                raise DataProblem(
                    f"two encoders are called {name!r}, and nothing tells them apart; {HOW}"
                )
            if (
                name not in self.encoders
                and kept.get(name, {mine}) == {mine}
                and not (derived and _reserved(name))
            ):
                return name
        raise AssertionError("numbers do not end")


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} #{n}" for n in count(2))


def _reserved(name: str) -> str:
    """The kind of encoder that a name would be taken for as a reference; '' for none."""
    parsed = parsed_or_none(name)
    return (
        parsed.name
        if parsed is not None and ("@" in parsed.name or parsed.name in ENCODERS.places())
        else ""
    )
