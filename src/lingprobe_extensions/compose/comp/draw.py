"""Contrasts -> minimal pairs of sentences: words by the decision diagrams of the generator, many at
a time, none twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe_extensions.compose.comp.answers import LabelChecker
from lingprobe_extensions.compose.comp.contrasts import (
    SPARE_WORD_PATH,
    ContrastQuestion,
    StructureContrast,
)
from lingprobe_extensions.compose.comp.words import VocabularyPart
from lingprobe_extensions.compose.events.batch import ShapeBatch
from lingprobe_extensions.compose.events.cells import AdmittedSentences, Values
from lingprobe_extensions.compose.events.diagram import ShapeConstraints
from lingprobe_extensions.compose.events.draw import KeyedPermutation
from lingprobe_extensions.compose.events.shapes import Box, ShapeVariable

_AT_ONCE = 1 << 14
_FEW = 128  # sentences by which it is tried first whether a part has any
_SOME = 1024  # the same where pairs may have other words, or be unclear


class ContrastPairs(NamedTuple):
    """Minimal pairs of one contrast: what is asked of both sentences, their texts, and the values
    of the first ones.
    """

    contrast: StructureContrast
    questions: tuple[ContrastQuestion, ...]
    first: list[str]
    second: list[str]
    values: Values


UnclearPair = tuple[str, tuple[str, ...]]
"""The two sentences of a pair, with what was asked of them."""


class SamplingState(NamedTuple):
    """What draws share.

    adverbs  how often a clause that may have adverbs has some
    reader   what confirms labels; None where they are not
    unclear  pairs that readings did not confirm
    texts    all sentences so far, of which none comes again
    cells    parts of the space of sentences, with what was found out about them
    """

    seed: int
    adverbs: float
    reader: LabelChecker | None
    unclear: list[UnclearPair]
    texts: set[str]
    cells: dict[object, AdmittedSentences]


class ContrastSelection(NamedTuple):
    """What is drawn: sentences of a contrast, about some questions, for a part of a set; `known` is
    all that its structure has.
    """

    contrast: StructureContrast
    questions: tuple[ContrastQuestion, ...]
    part: VocabularyPart
    known: AdmittedSentences


def draw_pairs(
    selection: ContrastSelection, n: int, key: tuple[int, ...], drawing: SamplingState
) -> ContrastPairs:
    """As many new pairs as asked for, or all that there are."""
    contrast, sentences = selection.contrast, take_first_sentences(selection, drawing.cells)
    order = KeyedPermutation(max(1, sentences.size), (drawing.seed, *key))
    rng = np.random.default_rng([drawing.seed, *key])
    result = ContrastPairs(contrast, selection.questions, [], [], {})
    chunks: list[Values] = []
    start = barren = 0
    while len(result.first) < n and start < sentences.size:
        left = n - len(result.first)
        stop = start + min(_AT_ONCE, _enough(selection, left) << barren)
        values = _values(selection, sentences, order(np.arange(start, min(stop, sentences.size))))
        values = _drop_adverbs(values, drawing.adverbs, rng)
        ones, others = _texts(contrast, values), _texts(contrast, contrast.second(values))
        rows = _new(_Candidates(selection, values, ones, others), drawing, left)
        result.first.extend(ones[i] for i in rows)
        result.second.extend(others[i] for i in rows)
        chunks.append({path: column[rows] for path, column in values.items()})
        start = stop
        minimal = rows or not ones or any(map(contrast.minimal, ones, others))
        barren = 0 if minimal else barren + 1
    paths = chunks[0] if chunks else ()
    return result._replace(values={p: np.concatenate([k[p] for k in chunks]) for p in paths})


def _enough(selection: ContrastSelection, n: int) -> int:
    """About how many sentences hold n that have the asked words of a part."""
    return round(n * 1.2 / selection.part.share(selection.questions[0])) + 8


def sample_values(
    sentences: AdmittedSentences, contrast: StructureContrast, n: int, adverbs: float
) -> Values:
    """Values of some of the first sentences of a contrast, perhaps repeated."""
    values = sentences.values(
        KeyedPermutation(sentences.size, (0,))(np.arange(min(n, sentences.size)))
    )
    return _drop_adverbs(contrast.with_ties(values), adverbs, np.random.default_rng(0))


def can_draw_pairs(
    selection: ContrastSelection,
    sentences: AdmittedSentences,
    drawing: SamplingState,
    *,
    minimal: bool,
) -> bool:
    """Whether a part has pairs of a contrast at all, as far as some of them tell: its pairs of
    words may leave none. Where not all pairs are `minimal`, perhaps none of them is, or none that
    readings confirm.
    """
    single = len(selection.questions) == 1 or len(selection.questions[0].asked) == 1
    if not sentences.size or (minimal and single):
        return sentences.size > 0
    order = KeyedPermutation(sentences.size, (0,))
    # a few tell of nearly all contrasts that there are some
    ranges = ((0, _FEW), (_FEW, _AT_ONCE if minimal else _SOME))
    tried = (
        _values(selection, sentences, order(np.arange(start, min(stop, sentences.size))))
        for start, stop in ranges
        if start < sentences.size
    )
    return any(
        len(next(iter(v.values()))) and (minimal or _any(selection, v, drawing)) for v in tried
    )


def _any(selection: ContrastSelection, values: Values, drawing: SamplingState) -> bool:
    """Whether some pair has the same words, and labels that readings confirm."""
    contrast = selection.contrast
    candidates = _Candidates(
        selection, values, _texts(contrast, values), _texts(contrast, contrast.second(values))
    )
    return any(
        contrast.minimal(*both) and not candidates.unclear(i, drawing)
        for i, both in enumerate(zip(candidates.ones, candidates.others, strict=True))
    )


def _values(selection: ContrastSelection, sentences: AdmittedSentences, numbers: Any) -> Values:
    """The values of first sentences by their numbers, of those whose asked words belong here."""
    values = selection.contrast.with_ties(sentences.values(numbers))
    inside = _inside(values, selection)
    return {path: column[inside] for path, column in values.items()}


def _inside(values: Values, selection: ContrastSelection) -> NDArray[np.bool_]:
    """Which rows ask about pairs of words that belong to the part, [n]."""
    rows = np.ones(len(next(iter(values.values()))), bool)
    for question in selection.questions:
        if len(question.asked) == 2:
            kinds = tuple(selection.contrast.kind(path) for path in question.asked)
            rows &= selection.part.has(kinds, tuple(values[path] for path in question.asked))
    return rows


def _drop_adverbs(values: Values, share: float, rng: np.random.Generator) -> Values:
    """The same with adverbs excluded from some clauses; the row without adverbs is the first."""
    n = len(next(iter(values.values())))
    return {
        p: np.where(rng.random(n) < share, column, 0) if p.endswith("adverbs") else column
        for p, column in values.items()
    }


def _texts(contrast: StructureContrast, values: Values) -> list[str]:
    places = np.arange(len(next(iter(values.values()))))
    return ShapeBatch(contrast.placed, values, places, contrast.language).texts()


class _Candidates(NamedTuple):
    """Pairs of sentences, and their values."""

    selection: ContrastSelection
    values: Values
    ones: list[str]
    others: list[str]

    def unclear(self, i: int, drawing: SamplingState) -> tuple[str, ...]:
        """The asked words of the first label of a pair that readings do not confirm; nothing where
        they confirm all.
        """
        for question in self.selection.questions if drawing.reader is not None else ():
            asked = tuple(
                self.selection.contrast.lemma(path, int(self.values[path][i]))
                for path in question.asked
            )
            for text, label in (
                (self.ones[i], question.first),
                (self.others[i], not question.first),
            ):
                if drawing.reader is not None and not drawing.reader.confirm_label(
                    text, asked, label
                ):
                    return asked
        return ()


def _new(candidates: _Candidates, drawing: SamplingState, n: int) -> list[int]:
    """The first n rows of which neither sentence was said before, whose labels readings confirm,
    and that have the words they should; they are said now.
    """
    rows: list[int] = []
    for i, both in enumerate(zip(candidates.ones, candidates.others, strict=True)):
        if len(rows) == n:
            break
        if not drawing.texts.isdisjoint(both) or not candidates.selection.contrast.minimal(*both):
            continue
        if asked := candidates.unclear(i, drawing):
            drawing.unclear.append((" / ".join(both), asked))
            continue
        drawing.texts.update(both)
        rows.append(i)
    return rows


def make_domain(selection: ContrastSelection) -> dict[str, int]:
    """What each variable may be in a part of a set; 0 where it has nothing to be."""
    contrast, part, known = selection.contrast, selection.part, selection.known.problem
    named = {path for question in selection.questions for path in question.asked}
    domains = {}
    for path, kind in _variables(selection):
        words = (
            part.domains[kind] & part.seen.get(kind, -1) if path in named else part.fillers[kind]
        )
        domains[path] = words & known.domain.get(path, words) & contrast.limits.get(path, words)
    return domains


def take_first_sentences(
    selection: ContrastSelection, cells: dict[object, AdmittedSentences]
) -> AdmittedSentences:
    """The first sentences that a contrast has in a part of a set."""
    contrast, problem, narrowed = (
        selection.contrast,
        selection.known.problem,
        make_domain(selection),
    )
    forbidden = (
        box
        for box in _forbidden(contrast, problem.forbidden)
        if all(narrowed.get(p, 0) & mask for p, mask in box.items())
    )
    boxes = {frozenset(box.items()): box for box in forbidden}
    required = {
        tuple(frozenset(box.items()) for box in some): some
        for some in _required_boxes(contrast, problem.required)
    }
    key = (
        contrast.placed.shape,
        frozenset(narrowed.items()),
        frozenset(boxes),
        frozenset(required),
    )
    if key not in cells:
        cells[key] = AdmittedSentences(
            contrast.placed,
            ShapeConstraints(
                _variables(selection), narrowed, tuple(boxes.values()), tuple(required.values())
            ),
        )
    return cells[key]


def _variables(selection: ContrastSelection) -> tuple[ShapeVariable, ...]:
    spare = selection.contrast.spare
    return selection.known.problem.variables + (
        (ShapeVariable(SPARE_WORD_PATH, spare),) if spare else ()
    )


def _required_boxes(
    contrast: StructureContrast, required: tuple[tuple[Box, ...], ...]
) -> Iterator[tuple[Box, ...]]:
    """What both sentences must be."""
    yield from required
    if not contrast.swap.field:
        yield from (tuple(map(contrast.mirror_box, some)) for some in required)


def _forbidden(contrast: StructureContrast, boxes: tuple[Box, ...]) -> Iterator[Box]:
    """What neither sentence may be: the boxes, and those of the second sentence as boxes of the
    first.
    """
    yield from boxes
    if not contrast.swap.field:
        yield from map(contrast.mirror_box, boxes)
    if contrast.tied is not None:
        a, b = contrast.tied.a, contrast.tied.b
        yield from (
            {a if path == b else path: mask for path, mask in box.items()}
            for box in boxes
            if b in box and a not in box
        )
