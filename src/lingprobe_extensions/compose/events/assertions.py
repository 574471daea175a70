"""What a sentence asserts of each of its clauses: that it happens, that it does not, or neither.

Polarity is a matter of the verb; what is asserted also hangs on quantifiers, modals and on the
clause around. "No man slept" says of sleeping that it did not happen though its verb is positive;
"not every", "not often", "not quietly", "every ... no", modals, the restriction of "no" and
"every", indefinites in the scope of a negation or a modal, and what is said or thought leave it
open. What a factive verb takes is presupposed, negated or not (Kiparsky & Kiparsky 1970); what
"prove" takes holds if the proving is asserted (Karttunen 1971).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe_extensions.compose.events.cells import Values
from lingprobe_extensions.compose.events.language import Language
from lingprobe_extensions.compose.events.meaning import SentenceEvent
from lingprobe_extensions.compose.events.shapes import ClauseAt, LinearisedShape
from lingprobe_extensions.compose.events.skeleton import analyze_event

ASSERTION_STATUSES: Final = ("happens", "does not", "open")
_HAPPENS, _DOES_NOT, OPEN_STATUS = range(3)
# adverbs that a negation may be about, and not about the verb
_NARROWING: Final = frozenset({"frequency", "manner"})

Flags = NDArray[np.bool_]
Codes = NDArray[np.int8]


def event_assertions(event: SentenceEvent, language: Language) -> dict[str, str]:
    """Whether each clause of an event is asserted, negated, or left open, by what its paths begin
    with: '' is the main clause, 'agent.relative.' one in it.
    """
    placed, row = analyze_event(event, language)
    by_clause = find_assertions(
        placed, {path: np.array([value]) for path, value in row.items()}, language
    )
    return {prefix: ASSERTION_STATUSES[int(codes[0])] for prefix, codes in by_clause.items()}


def find_assertions(
    placed: LinearisedShape, values: Values, language: Language
) -> dict[str, Codes]:
    """The same of many sentences of one shape: for each clause [n] places in
    `ASSERTION_STATUSES`.
    """
    n = len(next(iter(values.values())))
    real: dict[str, Flags] = {"": np.ones(n, bool)}  # where a clause stands for what is the case
    codes: dict[str, Codes] = {}
    for at in placed.clauses:  # those around come first
        clause, actual = (
            _Clause.of(at, placed, values, language),
            real.get(at.prefix, np.zeros(n, bool)),
        )
        codes[at.prefix] = np.where(actual, clause.status(), OPEN_STATUS).astype(np.int8)
        for path, known in clause.restrictors():
            real.setdefault(f"{path}.relative.", actual & known)
        real[f"{at.prefix}also."] = actual
        if at.clause.content is not None:
            real[f"{at.prefix}content."] = actual & _content_holds(
                at, codes[at.prefix], values, language
            )
    return codes


class _Tables(NamedTuple):
    """What forms, rows of adverbs and phrase forms of a language decide, by number."""

    negative: Flags
    modal: Flags
    narrowing: Flags
    forces: tuple[Flags, Flags, Flags]


@cache
def _build_assertion_tables(language: Language) -> _Tables:
    adverbs = language.values("adverb")
    narrow = [not _NARROWING.isdisjoint(adverb.classes) for adverb in adverbs]
    forces = np.array([language.forces.get(phrase.determiner, "") for phrase in language.phrases])
    return _Tables(
        np.array([form.polarity == "negative" for form in language.forms]),
        np.array([form.tense in (None, "future") for form in language.forms]),
        np.array([any(narrow[i] for i in row) for row in language.adverbs]),
        (forces == "none", forces == "every", forces == "some"),
    )


class _Phrase(NamedTuple):
    """A phrase of a clause: its path, whether it is the subject, of two verbs even, and in which
    sentences it has which force.
    """

    path: str
    subject: bool
    twice: bool
    none: Flags
    every: Flags
    some: Flags


class _Clause(NamedTuple):
    """What decides on a clause, [n] each: is the verb negated, is there a modal, is it told how or
    how often, and the phrases as said.
    """

    negative: Flags
    modal: Flags
    narrowed: Flags
    phrases: tuple[_Phrase, ...]

    @classmethod
    def of(
        cls, at: ClauseAt, placed: LinearisedShape, values: Values, language: Language
    ) -> _Clause:
        """The clause at some place."""
        form, tables = values[f"{at.prefix}form"], _build_assertion_tables(language)
        rows = values[f"{at.prefix}adverbs"] if at.clause.adverbs else np.zeros(len(form), np.int64)
        return cls(
            tables.negative[form],
            tables.modal[form],
            tables.narrowing[rows],
            tuple(_list_clause_assertions(at, placed, values, tables)),
        )

    def status(self) -> Codes:
        """What is asserted if the clause stood alone."""
        negations = self.negative.astype(np.int8)
        unclear, every = self.modal.copy(), np.zeros_like(self.modal)
        for phrase in self.phrases:
            unclear |= phrase.every & (negations > 0)
            # nobody did both; each did it to some, or nobody had it done by all
            unclear |= phrase.none & (phrase.twice | every)
            negations += phrase.none
            every |= phrase.every
        unclear |= self.narrowed & (negations > 0)  # it may have happened otherwise, or less often
        return np.where(unclear | (negations > 1), OPEN_STATUS, negations).astype(np.int8)

    def restrictors(self) -> Iterator[tuple[str, Flags]]:
        """Phrases, and where their relative clause is told of somebody that there is."""
        negated = np.zeros_like(self.negative)
        for phrase in self.phrases:
            narrow = self.modal | negated | (False if phrase.subject else self.negative)
            yield phrase.path, ~(phrase.none | phrase.every | (phrase.some & narrow))
            negated = negated | phrase.none


def _list_clause_assertions(
    at: ClauseAt, placed: LinearisedShape, values: Values, tables: _Tables
) -> Iterator[_Phrase]:
    """What is said in a clause; a shared subject stands before both verbs."""
    none, every, some = tables.forces
    joined = at.clause.also is not None or at.prefix.endswith("also.")
    for place, subject in placed.arguments(at):
        for path in placed.nouns(place):
            form = values[f"{path}.form"]
            yield _Phrase(path, subject, subject and joined, none[form], every[form], some[form])


def _content_holds(at: ClauseAt, status: Codes, values: Values, language: Language) -> Flags:
    """Where what a verb takes is told as true."""
    verb = values[f"{at.prefix}predicate"]
    factive, veridical = (
        np.array([flag in e.flags for e in language.values("verb")])[verb]
        for flag in ("factive", "veridical")
    )
    holds: Flags = factive | (veridical & (status == _HAPPENS))
    return holds
