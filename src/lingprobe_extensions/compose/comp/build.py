"""A question, a request and sizes -> a data set of minimal pairs in which every construction has
its least share, and rules of thumb are right as often as wrong as far as that allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from lingprobe import DataProblem
from lingprobe_extensions.compose.comp.answers import Answer
from lingprobe_extensions.compose.comp.balance import (
    EVEN_SHARE_SLACK,
    Least,
    Matrix,
    SampledItems,
    ShareBalance,
    balance_constructions,
    balance_contrasts,
    round_shares,
)
from lingprobe_extensions.compose.comp.contrasts import (
    Asks,
    ContrastQuestion,
    StructureContrast,
    describe_clause,
    describe_structure,
    split_sentence,
)
from lingprobe_extensions.compose.comp.draw import (
    ContrastPairs,
    ContrastSelection,
    SamplingState,
    can_draw_pairs,
    draw_pairs,
    make_domain,
    sample_values,
    take_first_sentences,
)
from lingprobe_extensions.compose.comp.rules import Rule
from lingprobe_extensions.compose.comp.shallow import ShallowExamples, tags_of
from lingprobe_extensions.compose.comp.words import (
    NEW_COMBINATIONS,
    VocabularyPart,
    make_open_part,
    widen_request,
)
from lingprobe_extensions.compose.events.batch import ShapeBatch
from lingprobe_extensions.compose.events.cells import AdmittedSentences
from lingprobe_extensions.compose.events.grammar import list_shapes
from lingprobe_extensions.compose.events.request import GenerationRequest
from lingprobe_extensions.compose.events.shapes import ClauseShape, linearise_shape
from lingprobe_extensions.compose.events.space import admitted_cell

Held = Literal["features", "rules", "none"]
_SOME = 12  # sentences by which a contrast is judged
MIN_CONSTRUCTION_SHARES: Least = {"construction": {"": 0.055}}
# structures of train, those that only test has, and how many there must be to spare some
_TRAIN, _NEW, _FEWEST = 70, 24, 12


@dataclass(frozen=True)
class QuestionDesign:
    """What a question asks, and what must not give the answer away.

    asks      the contrasts of a structure
    request   what is asked of the generator beside words
    rules     rules of thumb that are right half of the time
    features  whether single shallow features are balanced, too; not where a shallow rule is what is
              asked
    single    whether one word is asked about
    adverbs   how often a clause has adverbs
    answer    what a reading of a sentence answers
    least     the least shares of constructions, in each part of a set that has them
    """

    asks: Asks
    request: Mapping[str, Any]
    answer: Answer
    rules: Mapping[str, Rule] = field(default_factory=dict)
    features: bool = False
    single: bool = False
    adverbs: float = 0.5
    least: Least = field(default_factory=lambda: MIN_CONSTRUCTION_SHARES)


Both = tuple[tuple[str, str], tuple[str, str]]
"""The two sentences of a pair, each with what its words realise."""


class ContrastCandidate(NamedTuple):
    """A contrast with what is asked about it and all sentences of its structure, the structure in
    words, and whether all its pairs have the same words, as far as some tell.
    """

    selection: ContrastSelection
    schema: str
    minimal: bool


class PartPairs(NamedTuple):
    """The pairs of a part, with the structure of each run of them."""

    part: VocabularyPart
    runs: tuple[tuple[str, ContrastPairs], ...]

    def asked_words(self) -> dict[str, int]:
        """For each kind the words that are asked about, in bits."""
        masks: dict[str, int] = {}
        for _, run in self.runs:
            for path in (
                {path for question in run.questions for path in question.asked} if run.first else ()
            ):
                kind = run.contrast.kind(path)
                masks[kind] = masks.get(kind, 0) | sum(
                    1 << int(number) for number in np.unique(run.values[path])
                )
        return masks

    def together(self) -> frozenset[tuple[int, ...]]:
        """The words that are asked about together, by their numbers."""
        runs = (run for _, run in self.runs if run.first)
        rows = (
            np.stack([run.values[path] for path in q.asked], 1)
            for run in runs
            for q in run.questions
        )
        return frozenset(tuple(row) for some in rows for row in np.unique(some, axis=0).tolist())


@dataclass(frozen=True)
class DatasetPlan:
    """How a set is built, whatever its size and its seed.

    design        what is asked
    own           the request
    held          what is balanced: single features and rules of thumb, these alone, or neither
    per_sentence  how many questions each sentence is asked
    memo, cells   what was found out about structures, and about parts of the space of sentences
    """

    design: QuestionDesign
    own: GenerationRequest
    held: Held
    per_sentence: int
    memo: dict[bool, tuple[list[ContrastCandidate], ShareBalance]] = field(
        default_factory=dict, repr=False, compare=False
    )
    cells: dict[object, AdmittedSentences] = field(default_factory=dict, repr=False, compare=False)

    def structures(self, *, new: bool) -> list[ClauseShape]:
        """The structures of train, or those that only test has: evenly spaced among all, where
        there are enough to spare some. Those of one clause are few, and all in train.
        """
        every = list(list_shapes(self.own.grammar))
        if len(every) < _FEWEST:
            return [] if new else every
        single = np.array([len(linearise_shape(shape).clauses) == 1 for shape in every])
        several = np.flatnonzero(~single)
        spared = several[_evenly(len(several), min(_NEW, len(every) // 6))]
        rest = np.setdiff1d(several, spared)
        kept = rest[_evenly(len(rest), min(_TRAIN, len(rest)))]
        chosen = spared if new else np.union1d(np.flatnonzero(single), kept)
        return [every[i] for i in chosen.tolist()]

    def candidates(self, *, new: bool) -> tuple[list[ContrastCandidate], ShareBalance]:
        """All contrasts of these structures, and what their shares are solved for."""
        if new not in self.memo:
            candidates, items = self._sample_items(self._selections(new))
            if not candidates:
                return [], ShareBalance.of(np.empty((0, 0)), EVEN_SHARE_SLACK)
            rules = () if self.held == "none" else tuple(self.design.rules.values())
            single = self.design.features and self.held == "features"
            of = [
                label_pair_strata(c.selection.contrast, c.selection.questions[0])
                for c in candidates
            ]
            given = ShareBalance.of(_kinds(candidates), EVEN_SHARE_SLACK).plus(
                balance_constructions(of, self.design.least)
            )
            self.memo[new] = (
                candidates,
                balance_contrasts(given, items, rules, single_features=single),
            )
        return self.memo[new]

    def _selections(self, new: bool) -> Iterator[ContrastSelection]:
        every, part = widen_request(self.own), make_open_part(self.own)
        for shape in self.structures(new=new):
            known = admitted_cell(shape, every)
            if known is None:
                continue
            for contrast in self.design.asks(linearise_shape(shape), every.language):
                selection = ContrastSelection(
                    contrast, contrast.questions[: self.per_sentence], part, known
                )
                if (
                    all(make_domain(selection).values())
                    and take_first_sentences(selection, self.cells).size
                ):
                    yield selection

    def _sample_items(
        self, selections: Iterator[ContrastSelection]
    ) -> tuple[list[ContrastCandidate], SampledItems]:
        """The contrasts, and some items of each as shallow rules see them; items whose asked words
        are not there are none.
        """
        ruled = bool(self.design.rules) or self.design.features
        candidates: list[ContrastCandidate] = []
        rows: list[tuple[list[str], list[int], int, bool]] = []
        for one in selections:
            every = self._both(one, 1 if not ruled and one.contrast.spare else _SOME)
            both = [(a, b) for a, b in every if one.contrast.minimal(a[0], b[0])]
            if not both:
                continue
            rows += (
                [(*row, len(candidates), yes) for row, yes in _items(one, both)] if ruled else []
            )
            candidates.append(
                ContrastCandidate(one, describe_structure(*both[0][0]), len(both) == len(every))
            )
        tags, places, of, yes = zip(*rows, strict=True) if rows else ((), (), (), ())
        numbers = np.array(of, np.int64)
        weight = 1 / np.maximum(1, np.bincount(numbers, minlength=len(candidates)))[numbers]
        return candidates, SampledItems(
            ShallowExamples.of(tags, places, self.own.language),
            numbers,
            np.array(yes, bool),
            weight.astype(np.float32),
        )

    def _both(self, one: ContrastSelection, n: int) -> list[Both]:
        """Some pairs of a contrast."""
        contrast = one.contrast
        values = sample_values(
            take_first_sentences(one, self.cells), contrast, n, self.design.adverbs
        )
        places = np.arange(len(next(iter(values.values()))))
        batches = (
            ShapeBatch(contrast.placed, some, places, contrast.language)
            for some in (values, contrast.second(values))
        )
        sides = (zip(batch.texts(), batch.roles(), strict=True) for batch in batches)
        return list(zip(*sides, strict=True))

    def part_candidates(
        self, part: VocabularyPart, drawing: SamplingState
    ) -> tuple[list[ContrastCandidate], ShareBalance]:
        """The contrasts that a part has words for, and what their shares are solved for."""
        every, balance = self.candidates(new=part.name == NEW_COMBINATIONS)
        candidates = [f._replace(selection=f.selection._replace(part=part)) for f in every]
        rows = [
            i
            for i, f in enumerate(candidates)
            if all(make_domain(f.selection).values())
            and can_draw_pairs(
                f.selection,
                take_first_sentences(f.selection, drawing.cells),
                drawing,
                minimal=f.minimal,
            )
        ]
        if len(rows) == len(candidates):
            return candidates, balance
        return [candidates[i] for i in rows], balance.among(rows)

    def pairs_of(
        self, part: VocabularyPart, items: int, drawing: SamplingState, number: int
    ) -> PartPairs:
        """So many items of a part, whole pairs; too few sentences are an error."""
        candidates, balance = self.part_candidates(part, drawing)
        if not candidates:
            raise DataProblem(
                f"no structure of the request has anything to ask in {part.name}; widen frames,"
                " voices or at_most"
            )
        weights = balance.shares()
        question_counts = np.array([len(f.selection.questions) for f in candidates])
        counts = round_shares(
            weights, max(1, round(items / 2 / float(question_counts @ weights))), balance.columns
        )
        runs = []
        for k, (one, n) in enumerate(zip(candidates, counts.tolist(), strict=True)):
            run = draw_pairs(one.selection, n, (number, k), drawing)
            if len(run.first) < n:
                raise DataProblem(
                    f"{n:,} pairs of {one.schema!r} are asked for in {part.name}, and its words and"
                    f" forms give {len(run.first):,}; ask for fewer sentences, or for more words or"
                    " forms"
                )
            runs.append((one.schema, run))
        return PartPairs(part, tuple(runs))


def label_pair_strata(contrast: StructureContrast, question: ContrastQuestion) -> dict[str, str]:
    """What a pair is called, to report by: the clause of the asked verb, and what the contrast says
    of itself.
    """
    return {"construction": describe_clause(contrast.placed, question.clause), **contrast.strata}


def _evenly(n: int, some: int) -> Any:
    """So many of n places, evenly spaced."""
    return (np.arange(some) * n // max(1, some) + n // (2 * max(1, some))).astype(np.int64)


def _items(
    one: ContrastSelection, both: Sequence[Both]
) -> Iterator[tuple[tuple[list[str], list[int]], bool]]:
    """The tags, the places of the asked words and the answer of each question about each
    sentence.
    """
    known, swap = tags_of(one.contrast.language), one.contrast.swap
    for question in one.questions:
        for k, asked, yes in (
            (0, question.asked, question.first),
            (1, tuple(map(swap.counterpart, question.asked)), not question.first),
        ):
            for text, roles in (pair[k] for pair in both):
                paths = roles.split(" ")
                if set(asked) <= set(paths):
                    yield (
                        (
                            [known.get(word, word) for word in split_sentence(text)],
                            [paths.index(path) for path in asked],
                        ),
                        yes,
                    )


def _kinds(candidates: Sequence[ContrastCandidate]) -> Matrix:
    """Balances that are zero where every kind of no has the same share, and as often stands for yes
    where yes has kinds too.
    """
    by_contrast = [f.selection.questions for f in candidates]
    kinds = sorted({q.negative for questions in by_contrast for q in questions})
    even = [
        [sum((q.negative == kind) - 1 / len(kinds) for q in questions) for kind in kinds]
        for questions in by_contrast
    ]
    crossed = [
        [
            sum((q.positive == kind) - (q.negative == kind) for q in questions if q.positive)
            for kind in kinds
        ]
        for questions in by_contrast
    ]
    return np.hstack([np.array(even, float), np.array(crossed, float)])
