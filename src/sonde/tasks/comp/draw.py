"""Contrasts -> minimal pairs of sentences: words by the decision diagrams of the generator, many at
a time, none twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sonde.generation.events.batch import Batch
from sonde.generation.events.boxes import Box
from sonde.generation.events.cells import Cell, Values
from sonde.generation.events.diagram import Problem
from sonde.generation.events.permute import Permutation
from sonde.generation.events.shapes import Variable
from sonde.tasks.comp.answers import Reader
from sonde.tasks.comp.contrasts import SPARE, Contrast, Question
from sonde.tasks.comp.words import Part

AT_ONCE = 1 << 14
FEW = 128  # sentences by which it is tried first whether a part has any
SOME = 1024  # the same where pairs may have other words, or be unclear


class Pairs(NamedTuple):
    """Minimal pairs of one contrast: what is asked of both sentences, their texts, and the values
    of the first ones.
    """

    contrast: Contrast
    questions: tuple[Question, ...]
    first: list[str]
    second: list[str]
    values: Values


class Drawn(NamedTuple):
    """What draws share.

    adverbs  how often a clause that may have adverbs has some
    reader   what confirms labels; None where they are not
    unclear  pairs that readings did not confirm, with what was asked
    said     all sentences so far, of which none comes again
    cells    parts of the space of sentences, with what was found out about them
    """

    seed: int
    adverbs: float
    reader: Reader | None
    unclear: list[tuple[str, tuple[str, ...]]]
    said: set[str]
    cells: dict[object, Cell]


class Wanted(NamedTuple):
    """What is drawn: sentences of a contrast, about some questions, for a part of a set; `known` is
    all that its structure has.
    """

    contrast: Contrast
    questions: tuple[Question, ...]
    part: Part
    known: Cell


def pairs(wanted: Wanted, n: int, key: tuple[int, ...], drawn: Drawn) -> Pairs:
    """As many new pairs as asked for, or all that there are."""
    contrast, found = wanted.contrast, cell(wanted, drawn.cells)
    order, rng = (
        Permutation(max(1, found.size), (drawn.seed, *key)),
        np.random.default_rng([drawn.seed, *key]),
    )
    first: list[str] = []
    second: list[str] = []
    kept: list[Values] = []
    start = barren = 0
    while len(first) < n and start < found.size:
        some = round((n - len(first)) * 1.2 / wanted.part.share(wanted.questions[0])) + 8
        step = min(AT_ONCE, some << barren)
        values = _values(wanted, found, order(np.arange(start, min(start + step, found.size))))
        values = _thinned(values, drawn.adverbs, rng)
        ones, others = _texts(contrast, values), _texts(contrast, contrast.second(values))
        rows = _new(_Told(wanted, values, ones, others), drawn, n - len(first))
        first += [ones[i] for i in rows]
        second += [others[i] for i in rows]
        kept.append({path: column[rows] for path, column in values.items()})
        start += step
        minimal = rows or not ones or any(map(contrast.minimal, ones, others))
        barren = 0 if minimal else barren + 1
    return Pairs(
        contrast,
        wanted.questions,
        first,
        second,
        {p: np.concatenate([k[p] for k in kept]) for p in kept[0]} if kept else {},
    )


def sample(found: Cell, contrast: Contrast, n: int, adverbs: float) -> Values:
    """Values of some of the first sentences of a contrast, perhaps repeated."""
    values = found.values(Permutation(found.size, (0,))(np.arange(min(n, found.size))))
    return _thinned(contrast.drawn(values), adverbs, np.random.default_rng(0))


def room(wanted: Wanted, found: Cell, drawn: Drawn, *, minimal: bool) -> bool:
    """Whether a part has pairs of a contrast at all, as far as some of them tell: its pairs of
    words may leave none. Where not all pairs are `minimal`, perhaps none of them is, or none that
    readings confirm.
    """
    single = len(wanted.questions) == 1 or len(wanted.questions[0].asked) == 1
    if not found.size or (minimal and single):
        return found.size > 0
    order = Permutation(found.size, (0,))
    # a few tell of nearly all contrasts that there are some
    ranges = ((0, FEW), (FEW, AT_ONCE if minimal else SOME))
    tried = (
        _values(wanted, found, order(np.arange(start, min(stop, found.size))))
        for start, stop in ranges
        if start < found.size
    )
    return any(len(next(iter(v.values()))) and (minimal or _any(wanted, v, drawn)) for v in tried)


def _any(wanted: Wanted, values: Values, drawn: Drawn) -> bool:
    """Whether some pair has the same words, and labels that readings confirm."""
    contrast = wanted.contrast
    told = _Told(
        wanted, values, _texts(contrast, values), _texts(contrast, contrast.second(values))
    )
    return any(
        contrast.minimal(*both) and not told.unclear(i, drawn)
        for i, both in enumerate(zip(told.ones, told.others, strict=True))
    )


def _values(wanted: Wanted, found: Cell, numbers: Any) -> Values:
    """The values of first sentences by their numbers, of those whose asked words belong here."""
    values = wanted.contrast.drawn(found.values(numbers))
    inside = _inside(values, wanted)
    return {path: column[inside] for path, column in values.items()}


def _inside(values: Values, wanted: Wanted) -> NDArray[np.bool_]:
    """Which rows ask about pairs of words that belong to the part, [n]."""
    found = np.ones(len(next(iter(values.values()))), bool)
    for question in wanted.questions:
        if len(question.asked) == 2:
            kinds = tuple(wanted.contrast.kind(path) for path in question.asked)
            found &= wanted.part.has(kinds, tuple(values[path] for path in question.asked))
    return found


def _thinned(values: Values, share: float, rng: np.random.Generator) -> Values:
    """The same with adverbs left out of some clauses; the row without adverbs is the first."""
    n = len(next(iter(values.values())))
    return {
        p: np.where(rng.random(n) < share, column, 0) if p.endswith("adverbs") else column
        for p, column in values.items()
    }


def _texts(contrast: Contrast, values: Values) -> list[str]:
    places = np.arange(len(next(iter(values.values()))))
    return Batch(contrast.placed, values, places, contrast.language).texts()


class _Told(NamedTuple):
    """Pairs of sentences, and their values."""

    wanted: Wanted
    values: Values
    ones: list[str]
    others: list[str]

    def unclear(self, i: int, drawn: Drawn) -> tuple[str, ...]:
        """The asked words of the first label of a pair that readings do not confirm; nothing where
        they confirm all.
        """
        for question in self.wanted.questions if drawn.reader is not None else ():
            asked = tuple(
                self.wanted.contrast.lemma(path, int(self.values[path][i]))
                for path in question.asked
            )
            for text, label in (
                (self.ones[i], question.first),
                (self.others[i], not question.first),
            ):
                if drawn.reader is not None and not drawn.reader.confirmed(text, asked, label):
                    return asked
        return ()


def _new(told: _Told, drawn: Drawn, n: int) -> list[int]:
    """The first n rows of which neither sentence was said before, whose labels readings confirm,
    and that have the words they should; they are said now.
    """
    rows: list[int] = []
    for i, both in enumerate(zip(told.ones, told.others, strict=True)):
        if len(rows) == n:
            break
        if not drawn.said.isdisjoint(both) or not told.wanted.contrast.minimal(*both):
            continue
        if asked := told.unclear(i, drawn):
            drawn.unclear.append((" / ".join(both), asked))
            continue
        drawn.said.update(both)
        rows.append(i)
    return rows


def domain(wanted: Wanted) -> dict[str, int]:
    """What each variable may be in a part of a set; 0 where it has nothing to be."""
    contrast, part, known = wanted.contrast, wanted.part, wanted.known.problem
    named = {path for question in wanted.questions for path in question.asked}
    found = {}
    for path, kind in _variables(wanted):
        words = (
            part.domains[kind] & part.seen.get(kind, -1) if path in named else part.fillers[kind]
        )
        found[path] = words & known.domain.get(path, words) & contrast.limits.get(path, words)
    return found


def cell(wanted: Wanted, cells: dict[object, Cell]) -> Cell:
    """The first sentences that a contrast has in a part of a set."""
    contrast, problem, narrowed = wanted.contrast, wanted.known.problem, domain(wanted)
    forbidden = (
        box
        for box in _forbidden(contrast, problem.forbidden)
        if all(narrowed.get(p, 0) & mask for p, mask in box.items())
    )
    boxes = {frozenset(box.items()): box for box in forbidden}
    required = {
        tuple(frozenset(box.items()) for box in some): some
        for some in _required(contrast, problem.required)
    }
    key = (
        contrast.placed.shape,
        frozenset(narrowed.items()),
        frozenset(boxes),
        frozenset(required),
    )
    if key not in cells:
        cells[key] = Cell(
            contrast.placed,
            Problem(_variables(wanted), narrowed, tuple(boxes.values()), tuple(required.values())),
        )
    return cells[key]


def _variables(wanted: Wanted) -> tuple[Variable, ...]:
    spare = wanted.contrast.spare
    return wanted.known.problem.variables + ((Variable(SPARE, spare),) if spare else ())


def _required(
    contrast: Contrast, required: tuple[tuple[Box, ...], ...]
) -> Iterator[tuple[Box, ...]]:
    """What both sentences must be."""
    yield from required
    if not contrast.swap.field:
        yield from (tuple(map(contrast.mirrored, some)) for some in required)


def _forbidden(contrast: Contrast, boxes: tuple[Box, ...]) -> Iterator[Box]:
    """What neither sentence may be: the boxes, and those of the second sentence as boxes of the
    first.
    """
    yield from boxes
    if not contrast.swap.field:
        yield from map(contrast.mirrored, boxes)
    if contrast.tied is not None:
        a, b = contrast.tied.a, contrast.tied.b
        yield from (
            {a if path == b else path: mask for path, mask in box.items()}
            for box in boxes
            if b in box and a not in box
        )
