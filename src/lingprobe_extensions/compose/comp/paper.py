"""The sets of Ettinger et al. 2018 as they were built: whole sentences, as many questions with yes
as with no about each, pairs held out.

After section 7 of the paper and the sets that were released: test is filled first, with questions
about a few held-out pairs, then train, from other sentences and about all other pairs. Nothing else
is controlled, so what gives answers away there does so here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lingprobe import DataProblem, Dataset, Example, Sentence, Site
from lingprobe.extend import carve_dev
from lingprobe_extensions.compose.comp.contrasts import (
    describe_structure,
    get_noun_role,
    nouns,
    order,
)
from lingprobe_extensions.compose.comp.words import PAPER_LEXICON
from lingprobe_extensions.compose.events.batch import ShapeBatch, map_in_order
from lingprobe_extensions.compose.events.draw import draw_from_space
from lingprobe_extensions.compose.events.language import Language
from lingprobe_extensions.compose.events.request import GenerationRequest
from lingprobe_extensions.compose.events.shapes import LinearisedShape
from lingprobe_extensions.compose.events.space import make_space

ETTINGER_LANGUAGE = "english"
_REQUEST: Mapping[str, Any] = {
    "language": ETTINGER_LANGUAGE,
    **PAPER_LEXICON,
    "polarity": ["positive"],
    "at_most": {"relatives": 1},
    "even_structures": True,
}
_NEGATED: Mapping[str, Any] = {
    **_REQUEST,
    "polarity": ["positive", "negative"],
    "aspect": ["progressive"],
    "voices": ["active"],
    "relatives": {"voices": ["active"]},
    "at_most": {"relatives": 1, "adverbs": 3},
}
ETTINGER_REQUESTS: Mapping[str, Mapping[str, Any]] = {
    "content1": {**_REQUEST, "voices": ["active"], "relatives": {"voices": ["active"]}},
    **dict.fromkeys(("content2", "order", "sem-role"), _REQUEST),
    "negation": _NEGATED,
}
_SINGLE = ("content1", "negation")
# drawn for a set of the paper's size; it has 9,224 for all but content1 and negation
_SENTENCES = 10_000
_HELD = {
    ("professor", "help"), ("man", "call"), ("woman", "meet"), ("scientist", "recommend"),
    ("lawyer", "follow"), ("doctor", "help"),
    ("student", "call"),
}  # fmt: skip


class SentenceQuestion(NamedTuple):
    """A question about a sentence, its answer, and what kind of no it would be."""

    words: tuple[str, ...]
    yes: bool
    negative: str
    voice: str


class SentenceCandidate(NamedTuple):
    """A sentence, its structure in words, all that could be asked of it, and how it is written with
    its event.
    """

    sentence: Sentence
    schema: str
    questions: tuple[SentenceQuestion, ...]
    line: str


class AskedWords(NamedTuple):
    """The words that are asked about, and pairs of them that only test asks about."""

    nouns: tuple[str, ...]
    verbs: tuple[str, ...]
    held: frozenset[tuple[str, ...]]


Ask = Callable[
    [ShapeBatch, AskedWords, np.random.Generator], Iterator[tuple[SentenceQuestion, ...]]
]


Sentences = Mapping[str, Sequence["SentenceCandidate"]]
"""Those of test and of train, in a random order."""


def build_dataset(
    name: str,
    sentences: Sentences,
    requests: Mapping[str, GenerationRequest],
    sizes: tuple[int, int, int],
    seed: int,
    per_sentence: int | None,
) -> Dataset:
    """`mode=paper`: the items of a set as the paper built it, not in pairs; `requests` are those of
    train and test, sizes those of train, dev (carved from train) and test.
    """
    pool = _pool(requests["train"], single=name in _SINGLE)
    half = None if per_sentence is None else max(1, per_sentence // 2)
    examples: list[Example] = []
    used: set[Sentence] = set()
    for split, items in (("test", sizes[2]), ("train", sizes[0] + sizes[1])):
        rng, count = np.random.default_rng([seed, 5, split == "test"]), 0
        for candidate in sentences[split]:
            if count >= items or candidate.sentence in used:
                continue
            mine = [
                q
                for q in candidate.questions
                if not pool.held or (q.words in pool.held) == (split == "test")
            ]
            even = list(_even(mine, half, rng))
            examples += [_make_paper_example(candidate, question, split) for question in even]
            count += len(even)
            used |= {candidate.sentence} if even else set()
        if count < items:
            raise DataProblem(
                f"{items:,} items are asked for in {split}, and the sentences give {count:,}; ask"
                " for fewer"
            )
    dataset = Dataset.of(
        examples, {"held out": sorted(map(" ".join, pool.held)), "sentences": len(used)}
    )
    return carve_dev(dataset, seed, sizes[1] / (sizes[0] + sizes[1])) if sizes[1] else dataset


def list_drawn(sentences: Sentences) -> tuple[SentenceCandidate, ...]:
    """All sentences that were drawn for a set."""
    same = sentences["test"] is sentences["train"]
    return (*sentences["train"], *(() if same else sentences["test"]))


def draw_paper_sentences(
    name: str, requests: Mapping[str, GenerationRequest], sizes: tuple[int, int, int], seed: int
) -> Sentences:
    """The sentences of test and of train; only negation has other adverbs in test, so its sentences
    differ at once.
    """
    pool, n = _pool(requests["train"], single=name in _SINGLE), max(_SENTENCES, 2 * sum(sizes))
    if name == "negation":
        return {
            split: _candidates(name, one, pool, seed + (split == "test"), n)
            for split, one in requests.items()
        }
    return dict.fromkeys(("test", "train"), _candidates(name, requests["train"], pool, seed, n))


def _pool(request: GenerationRequest, *, single: bool) -> AskedWords:
    language, domains = request.language, request.domains
    some, verbs = (
        [e for i, e in enumerate(language.values(kind)) if domains[kind] >> i & 1]
        for kind in ("noun", "verb")
    )
    names = tuple(e.lemma for e in some)
    if single:
        return AskedWords(names, tuple(e.lemma for e in verbs), frozenset())
    if set(names) == set(PAPER_LEXICON["nouns"]):
        return AskedWords(names, tuple(e.lemma for e in verbs), frozenset(_HELD))
    last = [e.lemma for e in verbs if "transitive" in e.classes] or [e.lemma for e in verbs]
    return AskedWords(
        names,
        tuple(e.lemma for e in verbs),
        frozenset((noun, last[i % len(last)]) for i, noun in enumerate(names)),
    )


def _candidates(
    name: str, request: GenerationRequest, pool: AskedWords, seed: int, n: int
) -> list[SentenceCandidate]:
    """Sentences in a random order with all that could be asked."""
    sentences = make_space(request)
    rng = np.random.default_rng([seed, 6])
    candidates: list[SentenceCandidate] = []
    for length, batches in draw_from_space(
        sentences, min(sentences.size, n), seed, even=request.even
    ).chunks():
        candidates += map_in_order(
            (_drop_adverbs(batch, rng) for batch in batches),
            length,
            lambda batch: _batch(name, batch, pool, rng),
        )
    return candidates


def _batch(
    name: str, batch: ShapeBatch, pool: AskedWords, rng: np.random.Generator
) -> list[SentenceCandidate]:
    texts, roles = batch.texts(), batch.roles()
    return [
        SentenceCandidate(
            Sentence(tuple(text.split(" ")), text), describe_structure(text, paths), questions, line
        )
        for text, paths, questions, line in zip(
            texts, roles, _ASKS[name](batch, pool, rng), batch.lines(), strict=True
        )
    ]


def _even(
    questions: Sequence[SentenceQuestion], half: int | None, rng: np.random.Generator
) -> Iterator[SentenceQuestion]:
    """As many questions with yes as with no, in a random choice."""
    sides = [[q for q in questions if q.yes is yes] for yes in (True, False)]
    n = min(len(side) for side in sides)
    n = n if half is None else min(n, half)
    for side in sides:
        yield from (side[int(i)] for i in rng.permutation(len(side))[:n])


def _make_paper_example(
    candidate: SentenceCandidate, question: SentenceQuestion, split: str
) -> Example:
    strata = {"structure": candidate.schema, "voice": question.voice} | (
        {} if question.yes else {"negative": question.negative}
    )
    return Example(
        (Site(candidate.sentence),), "yes" if question.yes else "no", split, question.words, strata
    )


def _lemmas(batch: ShapeBatch, path: str) -> list[str]:
    kind = next(v.kind for v in batch.placed.variables if v.path == path)
    known: Sequence[Any] = batch.language.values(kind)
    return [known[number].lemma for number in batch.values[path].tolist()]


def _pair_nouns_with_verbs(
    batch: ShapeBatch, judge: Callable[[LinearisedShape, Language, str, int], tuple[bool, str]]
) -> Iterator[tuple[SentenceQuestion, ...]]:
    """Every noun of a sentence with every verb; whether it is yes is a matter of structure."""
    placed, columns = batch.placed, []
    for k, at in enumerate(placed.clauses):
        verbs = _lemmas(batch, f"{at.prefix}predicate")
        for noun in nouns(placed):
            yes, negative = judge(placed, batch.language, noun, k)
            voice = at.clause.voice
            columns.append(
                [
                    SentenceQuestion(two, yes, negative, voice)
                    for two in zip(_lemmas(batch, noun), verbs, strict=True)
                ]
            )
    return zip(*columns, strict=True)


def _roles(
    batch: ShapeBatch, pool: AskedWords, rng: np.random.Generator
) -> Iterator[tuple[SentenceQuestion, ...]]:
    def judge(
        placed: LinearisedShape, language: Language, noun: str, clause: int
    ) -> tuple[bool, str]:
        kind = get_noun_role(placed.clauses[clause], noun, placed)
        return kind == "agent", kind

    return _pair_nouns_with_verbs(batch, judge)


def _orders(
    batch: ShapeBatch, pool: AskedWords, rng: np.random.Generator
) -> Iterator[tuple[SentenceQuestion, ...]]:
    def judge(
        placed: LinearisedShape, language: Language, noun: str, clause: int
    ) -> tuple[bool, str]:
        places, at = order(placed, language), placed.clauses[clause]
        return places[noun] < places[f"{at.prefix}predicate"], get_noun_role(at, noun, placed)

    return _pair_nouns_with_verbs(batch, judge)


def _contents2(
    batch: ShapeBatch, pool: AskedWords, rng: np.random.Generator
) -> Iterator[tuple[SentenceQuestion, ...]]:
    """Both words are there, or exactly one of them is."""
    there = _pair_nouns_with_verbs(batch, lambda placed, language, noun, clause: (True, ""))
    for both in there:
        some, verbs = {q.words[0] for q in both}, {q.words[1] for q in both}
        absent = [
            SentenceQuestion((noun, verb), False, "verb absent", "")
            for noun in some
            for verb in pool.verbs
            if verb not in verbs
        ]
        absent += [
            SentenceQuestion((noun, verb), False, "noun absent", "")
            for noun in pool.nouns
            if noun not in some
            for verb in verbs
        ]
        yield (*both, *sorted(absent))


def _contents1(
    batch: ShapeBatch, pool: AskedWords, rng: np.random.Generator
) -> Iterator[tuple[SentenceQuestion, ...]]:
    """A verb is there, or is not."""
    columns = [
        (_lemmas(batch, f"{at.prefix}predicate"), at.clause.voice) for at in batch.placed.clauses
    ]
    for i in range(len(batch.places)):
        there = {verbs[i]: voice for verbs, voice in columns}
        yield tuple(
            SentenceQuestion((verb,), verb in there, "absent", there.get(verb, ""))
            for verb in pool.verbs
        )


def _negations(
    batch: ShapeBatch, pool: AskedWords, rng: np.random.Generator
) -> Iterator[tuple[SentenceQuestion, ...]]:
    """Of two verbs one is negated; other sentences are not asked about."""
    forms = batch.language.forms
    columns = [
        (_lemmas(batch, f"{at.prefix}predicate"), batch.values[f"{at.prefix}form"].tolist(), at)
        for at in batch.placed.clauses
    ]
    for i in range(len(batch.places)):
        clauses = [
            (verbs[i], forms[form[i]].polarity == "positive", at) for verbs, form, at in columns
        ]
        one = len(clauses) == 2 and sum(positive for _, positive, _ in clauses) == 1
        yield (
            tuple(
                SentenceQuestion((v,), yes, "relative" if at.prefix else "main", at.clause.voice)
                for v, yes, at in clauses
            )
            if one
            else ()
        )


def _drop_adverbs(batch: ShapeBatch, rng: np.random.Generator) -> ShapeBatch:
    """The same with as many adverbs a clause as the paper's sets have: a normal number around 1,
    rounded, never more than there are.
    """
    rows = {row: i for i, row in enumerate(batch.language.adverbs)}
    values = dict(batch.values)
    for path in (p for p in values if p.endswith("adverbs")):
        most = np.clip(np.rint(rng.normal(1, 1, len(batch.places))), 0, 3).astype(int).tolist()
        thinned = (
            _some(batch.language.adverbs[row], n, rng)
            for row, n in zip(values[path].tolist(), most, strict=True)
        )
        values[path] = np.array([rows[row] for row in thinned], np.int64)
    return batch._replace(values=values)


def _some(row: tuple[int, ...], n: int, rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(row[i] for i in sorted(rng.permutation(len(row))[:n]))


_ASKS: Mapping[str, Ask] = {
    "content1": _contents1,
    "content2": _contents2,
    "order": _orders,
    "sem-role": _roles,
    "negation": _negations,
}
