"""All sentences that a request admits, numbered from 0: counted exactly without listing them, each
reached by its number.

A request becomes one cell a shape, and a cell one decision diagram. Counting and finding a number
need no search, so nothing can hang; a request that admits nothing says which of its parts clash.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, combinations, islice, pairwise

from lingprobe import DataProblem
from lingprobe_extensions.compose.events.cells import AdmittedSentences
from lingprobe_extensions.compose.events.diagram import ShapeConstraints
from lingprobe_extensions.compose.events.grammar import list_shapes
from lingprobe_extensions.compose.events.language import Language
from lingprobe_extensions.compose.events.meaning import SentenceEvent
from lingprobe_extensions.compose.events.patterns import PartialPattern, find_boxes
from lingprobe_extensions.compose.events.request import GenerationRequest
from lingprobe_extensions.compose.events.shapes import (
    Box,
    ClauseShape,
    LinearisedShape,
    linearise_shape,
)
from lingprobe_extensions.compose.events.skeleton import make_event

_LARGEST = 10_000_000  # edges of all diagrams; one takes about 50 bytes
# structures of a request; each costs some milliseconds, and combinations of many parts have no end
_MOST = 5_000


@dataclass(frozen=True)
class SentenceSpace:
    """The sentences of a request: cells in a row."""

    language: Language
    cells: tuple[AdmittedSentences, ...]

    @cached_property
    def starts(self) -> list[int]:
        """The number of the first sentence of each cell, and how many there are in all."""
        return [0, *accumulate(cell.size for cell in self.cells)]

    @property
    def size(self) -> int:
        """The possible sentences, counted exactly."""
        return self.starts[-1]

    def find(self, number: int) -> tuple[AdmittedSentences, int]:
        """The cell that a number lies in, and its number there."""
        if not 0 <= number < self.size:
            raise DataProblem(
                f"sentence {number:,} is not there: numbers go from 0 to {self.size - 1:,}"
            )
        k = bisect_right(self.starts, number) - 1
        return self.cells[k], number - self.starts[k]

    def event_at(self, number: int) -> SentenceEvent:
        """The event with a number."""
        cell, inside = self.find(number)
        values = cell.values([inside])
        return make_event(
            cell.placed, {path: int(v[0]) for path, v in values.items()}, self.language
        )

    def having(self, pattern: PartialPattern, *, main: bool = True) -> SentenceSpace:
        """The part of the space in which the main clause (or any) is as a pattern says."""
        cells = []
        for cell in self.cells:
            alternatives = tuple(find_boxes(pattern, cell.placed, self.language, main=main))
            cells.append(
                AdmittedSentences(
                    cell.placed,
                    replace(cell.problem, required=(*cell.problem.required, alternatives)),
                )
            )
        return SentenceSpace(self.language, tuple(cell for cell in cells if cell.size))


def make_space(request: GenerationRequest) -> SentenceSpace:
    """All sentences that a request admits; one that admits none is an error that says what
    clashes.
    """
    sentences = _space(request)
    if not sentences.size:
        raise DataProblem(f"no sentence is as requested: {_clash(request)}")
    return sentences


def _space(request: GenerationRequest) -> SentenceSpace:
    some = list(islice(list_shapes(request.grammar), _MOST + 1))
    if len(some) > _MOST:
        raise DataProblem(
            f"the request has more than {_MOST:,} structures; lower at_most or relatives.depth, or"
            " set at_most.together"
        )
    cells = []
    edges = 0
    for cell in (admitted_cell(shape, request) for shape in some):
        if cell is not None and cell.size:
            cells.append(cell)
            edges += cell.edges
        if edges > _LARGEST:
            raise DataProblem(
                f"the request needs diagrams of more than {_LARGEST:,} edges; lower at_most, or"
                " name fewer words, classes or values"
            )
    return SentenceSpace(request.language, tuple(cells))


def admitted_cell(shape: ClauseShape, request: GenerationRequest) -> AdmittedSentences | None:
    """The sentences of one shape that a request admits; None where it is clear at once that there
    are none.
    """
    placed, language = linearise_shape(shape), request.language
    domain = _domain(placed, request)
    if domain is None:
        return None
    required = [
        tuple(find_boxes(c.pattern, placed, language, main=c.main)) for c in request.require
    ]
    required += [tuple(_somewhere(masks, placed, language)) for _, masks in request.needed]
    if not all(required):
        return None
    forbidden = [
        box
        for c in request.prohibit
        for box in find_boxes(c.pattern, placed, language, main=c.main)
    ]
    forbidden += [rule.box for rule in language.rules(placed) if rule.name not in request.allow]
    forbidden += _mixed_numbers(placed, language) if request.matched else []
    return AdmittedSentences(
        placed,
        ShapeConstraints(
            placed.variables, domain, tuple(_telling(forbidden, domain)), tuple(required)
        ),
    )


def _telling(forbidden: Iterable[Box], domain: Box) -> Iterator[Box]:
    """The boxes that keep something of a domain out."""
    return (box for box in forbidden if all(domain[path] & mask for path, mask in box.items()))


def _domain(placed: LinearisedShape, request: GenerationRequest) -> Box | None:
    """What each variable may be before anything is required; None where one has nothing to be."""
    domain = {v.path: request.domains[v.kind] for v in placed.variables}
    for at in placed.clauses:
        domain[f"{at.prefix}predicate"] &= request.language.lexicon.mask(
            "verb", frame=at.clause.frame
        )
    return domain if all(domain.values()) else None


def _somewhere(
    masks: Mapping[str, int], placed: LinearisedShape, language: Language
) -> Iterator[Box]:
    """Sentences in which a word is, wherever a shape has a place for it."""
    adverbs = masks.get("adverb", 0)
    rows = language.mask("adverbs", lambda row: any(adverbs >> i & 1 for i in row))
    for variable in placed.variables:
        mask = rows if variable.kind == "adverbs" else masks.get(variable.kind, 0)
        if mask:
            yield {variable.path: mask}


def _mixed_numbers(placed: LinearisedShape, language: Language) -> list[Box]:
    """`matched_number`: all nouns of a sentence have the same number. What it excludes: nouns of
    both numbers, neighbour by neighbour.
    """
    paths = [v.path for v in placed.variables if v.kind == "phrase"]
    one, many = (
        language.having("phrase", "number", (number,)) for number in ("singular", "plural")
    )
    return [{a: x, b: y} for a, b in pairwise(paths) for x, y in ((one, many), (many, one))]


def _clash(request: GenerationRequest) -> str:
    """What conflicts: the smallest set of requirements that cannot be met together, found by
    leaving out one after another.
    """
    names = [c.name for c in (*request.require, *request.prohibit)] + [
        f"require_words {word!r}" for word, _ in request.needed
    ]
    clash = list(names)
    if request.matched:
        names.append("matched_number")
        clash.append("matched_number")
    if not _space(_only(request, [])).size:
        return _cause(_only(request, []))
    for name in names:
        fewer = [k for k in clash if k != name]
        if not _space(_only(request, fewer)).size:
            clash = fewer
    return f"{_join_names(clash)} cannot be met" + (
        " together" if len(clash) > 1 else " with these words, features and structures"
    )


_LIFTED = {  # kind of variable -> what of a request would have to be wider
    "noun": "other nouns (nouns, classes, bands)",
    "verb": "other verbs (verbs, bands, frames)",
    "form": "other values of tense, modal, aspect or polarity",
    "phrase": "other values of number or determiner",
    "relativiser": "another relativiser",
    "adjective": "other adjectives",
    "preposition": "other prepositions",
}


def _cause(request: GenerationRequest) -> str:
    """Why words, features and structures leave nothing: the parts that would let sentences in if
    they were wider.
    """
    grammar, language = request.grammar, request.language
    if next(list_shapes(grammar), None) is None:
        if "clausal" in grammar.frames:
            return (
                'a clausal verb takes a clause: set "complements" in at_most to 1 or more, and name'
                " another frame for that clause"
            )
        return "frames, voices and at_most admit no structure"
    every = {kind: language.mask(kind, lambda value: True) for kind in _LIFTED}
    wider = {
        kinds: {**request.domains, **{kind: every[kind] for kind in kinds}}
        for n in (1, 2)
        for kinds in combinations(_LIFTED, n)
    }
    helping: list[str] = []
    for kinds, domains in wider.items():
        if len(kinds) == 1 or not helping:  # two together where no one alone is enough
            helping += (
                [" with ".join(_LIFTED[kind] for kind in kinds)]
                if _space(replace(request, domains=domains)).size
                else []
            )
    if not helping and _space(replace(request, allow=frozenset(language.allowed))).size:
        helping.append(f"allow, of {', '.join(language.allowed)}")
    helps = f"; what would help: {', '.join(helping)}" if helping else ""
    return f"the words, features and structures leave nothing{helps}"


def _join_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _only(request: GenerationRequest, names: Sequence[str]) -> GenerationRequest:
    """The request with only some of its requirements."""
    return replace(
        request,
        require=tuple(c for c in request.require if c.name in names),
        prohibit=tuple(c for c in request.prohibit if c.name in names),
        needed=tuple(n for n in request.needed if f"require_words {n[0]!r}" in names),
        matched="matched_number" in names,
    )


def iterate_events(sentences: SentenceSpace) -> Iterator[SentenceEvent]:
    """Every event of a space in the order of the numbers; for small ones."""
    return (sentences.event_at(number) for number in range(sentences.size))
