"""Which words a set asks about, which only fill its test sentences, and what is new in each part of
test.

Words of two kinds that are asked about together fall into five classes each, in turn. A noun of
class i is asked about together with a verb of class j in the test part `pairs` if i + j is 0 modulo
5, in dev if it is 1, and otherwise in train: a Latin square, so that every word is asked about in
each. The other parts of test ask about pairs that train asked about, so that each part has one
thing new.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from operator import or_
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem
from lingprobe.extend import read_json_document
from lingprobe_extensions.compose.comp.contrasts import ContrastQuestion
from lingprobe_extensions.compose.events.language import Numbers
from lingprobe_extensions.compose.events.request import GenerationRequest, parse_generation_request
from lingprobe_extensions.compose.events.shapes import list_members

_CLASSES = 5
PAPER_LEXICON: Mapping[str, Any] = {
    "nouns": ["professor", "student", "woman", "man", "doctor", "scientist", "lawyer"],
    "verbs": {
        "transitive": ["call", "help", "follow", "recommend", "meet"],
        "intransitive": ["dance", "sleep"],
    },
}  # Ettinger et al. 2018, section 5 and their released sets
LARGER_LEXICON: Mapping[str, Any] = {
    "nouns": [
        *PAPER_LEXICON["nouns"],
        "teacher",
        "farmer",
        "nurse",
        "writer",
        "judge",
        "pilot",
        "singer",
        "actor",
    ],
    "verbs": {
        "transitive": [
            *PAPER_LEXICON["verbs"]["transitive"],
            "visit",
            "thank",
            "praise",
            "warn",
            "interview",
        ],
        "intransitive": [*PAPER_LEXICON["verbs"]["intransitive"], "laugh", "argue", "hesitate"],
    },
}
_EVERY = frozenset(range(_CLASSES))
_SORTS = frozenset({"stative", "unpassive", "perfective", "m1", "m2", "m3", "f", "n"})
_FILLERS = 10  # held-out nouns, and held-out verbs of each frame
# what is new in the parts of test
_SENTENCES, _PAIRS, NEW_COMBINATIONS, _LEMMAS = "sentences", "pairs", "combinations", "lemmas"
_SEEN_PAIRS = (_SENTENCES, NEW_COMBINATIONS, _LEMMAS)


@dataclass(frozen=True, slots=True)
class VocabularyPart:
    """A part of a set.

    name      'train', 'dev', or what is new in this part of test
    split     0 train, 1 dev, 2 test
    residues  which sums of classes its pairs of asked words have
    domains   for each kind of variable what it may be where it is asked about
    fillers   the same elsewhere
    seen      words that train asks about, where that is known: no others are asked about here
    together  pairs of them that train asks about, where no others are to be asked about here
    """

    name: str
    split: int
    residues: frozenset[int]
    domains: Mapping[str, int]
    fillers: Mapping[str, int]
    seen: Mapping[str, int] = field(default_factory=dict)
    together: frozenset[tuple[int, ...]] | None = None

    def has(self, kinds: tuple[str, ...], words: tuple[Numbers, ...]) -> NDArray[np.bool_]:
        """Which pairs of asked words, each of a kind, belong here, [n]."""
        mine = np.array([k in self.residues for k in range(_CLASSES)])
        ranks = (
            _ranks(self.domains[kind])[column] for kind, column in zip(kinds, words, strict=True)
        )
        inside: NDArray[np.bool_] = mine[sum(ranks) % _CLASSES]
        if self.together is not None:
            rows = zip(*(column.tolist() for column in words), strict=True)
            inside = inside & np.fromiter(
                (row in self.together for row in rows), np.bool_, len(inside)
            )
        return inside

    def after(
        self, seen: Mapping[str, int], together: frozenset[tuple[int, ...]]
    ) -> VocabularyPart:
        """The same once it is known what train asks about."""
        return replace(self, seen=seen, together=together if self.name in _SEEN_PAIRS else None)

    def share(self, question: ContrastQuestion) -> float:
        """About how many of the sentences that a question can be asked of have words that belong
        here.
        """
        return len(self.residues) / _CLASSES if len(question.asked) == 2 else 1.0


@lru_cache(maxsize=64)
def _ranks(mask: int) -> Numbers:
    """The place of each word of a mask among them, by number."""
    numbers = list_members(mask)
    ranks = np.zeros(numbers[-1] + 1, np.int64)
    ranks[list(numbers)] = np.arange(len(numbers))
    return ranks


def complete_request(file: str | None, usual: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a request asks for, with a file's own keys in place of the usual ones."""
    if file is None:
        return usual
    place = Path(file).expanduser()
    own = read_json_document(place)
    if not isinstance(own, dict):
        raise DataProblem(f"{place}: a request is a JSON object")
    return {**usual, **own}


def parse_request(value: Mapping[str, Any], file: str | None) -> GenerationRequest:
    """The request; what is wrong is named with the file that it comes from."""
    try:
        return parse_generation_request(dict(value))
    except DataProblem as problem:
        raise DataProblem(f"{file}: {problem}" if file else str(problem)) from None


def build_vocabulary_parts(
    request: GenerationRequest, seed: int, *, single: bool
) -> tuple[VocabularyPart, ...]:
    """What is new in test, part by part (`--by new`): sentences, pairs, combinations, lemmas; then
    dev and train. `single` says that one word is asked about, so that no pairs can be held out.
    """
    domains = dict(request.domains)
    rows = _divide_adverbs(request, np.random.default_rng([seed, 2]))
    held = {
        kind: _some(request, kind, np.random.default_rng([seed, 3])) for kind in ("noun", "verb")
    }
    known, new = {**domains, "adverbs": rows[0]}, {**domains, "adverbs": rows[1]}
    mine, fresh, tuning = (
        (_EVERY,) * 3 if single else (frozenset({2, 3, 4}), frozenset({0}), frozenset({1}))
    )
    tests = [
        VocabularyPart(_SENTENCES, 2, mine, new, new),
        VocabularyPart(NEW_COMBINATIONS, 2, mine, new, new),
    ]
    if not single:
        tests.insert(1, VocabularyPart(_PAIRS, 2, fresh, new, new))
    if all(held.values()):
        tests.append(VocabularyPart(_LEMMAS, 2, mine, new, {**new, **held}))
    return (
        *tests,
        VocabularyPart("dev", 1, tuning, known, known),
        VocabularyPart("train", 0, mine, known, known),
    )


def make_open_part(request: GenerationRequest) -> VocabularyPart:
    """A part that has all of the request's own words."""
    return VocabularyPart("anything", 0, _EVERY, request.domains, request.domains)


def widen_request(request: GenerationRequest) -> GenerationRequest:
    """The request with all words that may be held out, too."""
    more = {kind: reduce(or_, _like(request, kind).values(), 0) for kind in ("noun", "verb")}
    return replace(
        request, domains={kind: mask | more.get(kind, 0) for kind, mask in request.domains.items()}
    )


def _divide_adverbs(request: GenerationRequest, rng: np.random.Generator) -> tuple[int, int]:
    """Adverbs of train, and others of test: two thirds of the adverbs of each kind, and the rest,
    as rows.
    """
    language = request.language
    rows = [language.adverbs[i] for i in list_members(request.domains["adverbs"])]
    kinds: dict[tuple[str, ...], list[int]] = {}
    for i in sorted({i for row in rows for i in row}):
        kinds.setdefault(language.values("adverb")[i].classes, []).append(i)
    known: set[int] = set()
    for some in kinds.values():
        known |= set(rng.permutation(some)[: max(1, round(len(some) * 2 / 3))].tolist())
    sides = (lambda row: set(row) <= known), (lambda row: not set(row) & known)
    train, test = (language.mask("adverbs", side) & request.domains["adverbs"] for side in sides)
    return train, test


def _some(request: GenerationRequest, kind: str, rng: np.random.Generator) -> int:
    """Words that are held out: of each sort as many as are wanted."""
    chosen = (
        rng.permutation(list_members(mask))[:_FILLERS] for mask in _like(request, kind).values()
    )
    return sum(1 << int(i) for some in chosen for i in some)


def _like(request: GenerationRequest, kind: str) -> dict[object, int]:
    """Words like those that are asked about, which are not, by sort: what they name, or their frame
    and what they take.
    """
    entries = request.language.values(kind)
    sorts = dict.fromkeys(_sort(entries[i]) for i in list_members(request.domains[kind]))
    lemmas = {
        request.language.values(k)[i].lemma
        for k in ("noun", "verb")
        for i in list_members(request.domains[k])
    }
    return {
        sort: sum(
            1 << i for i, e in enumerate(entries) if _sort(e) == sort and e.lemma not in lemmas
        )
        for sort in sorts
    }


def _sort(entry: Any) -> object:
    return entry.classes, tuple(sorted(entry.takes.items())), entry.flags & _SORTS
