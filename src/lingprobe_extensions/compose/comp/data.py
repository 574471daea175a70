"""Minimal pairs -> a data set in columns, and what its sentences mean."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from lingprobe import Dataset, Sentence, Tags
from lingprobe.extend import Ints, column_from_codes
from lingprobe_extensions.compose.comp.build import PartPairs, label_pair_strata
from lingprobe_extensions.compose.comp.contrasts import StructureContrast, split_sentence
from lingprobe_extensions.compose.comp.draw import ContrastPairs
from lingprobe_extensions.compose.events.batch import ShapeBatch
from lingprobe_extensions.compose.events.language import Language
from lingprobe_extensions.compose.readings.gold import list_event_facts, role_fact
from lingprobe_extensions.compose.readings.reading import SentenceReading

_LABELS = ("no", "yes")
_TAGS = ("structure", "construction", "marker", "scope", "negative", "voice", "new")
Written = Literal["plain", "cased"]


class QuestionRows(NamedTuple):
    """What one question about one run of pairs adds, a row a pair: answers of the first sentences,
    asked words, and the tags of all.
    """

    first: Ints
    asked: Ints
    answer: bool
    split: int
    tags: dict[str, str]


def make_sentence(text: str, written: Written = "plain") -> Sentence:
    """A sentence of words between spaces: as it is, or with a capital and a full stop, which is a
    word of its own.
    """
    if written == "plain":
        return Sentence(tuple(split_sentence(text)), text)
    cased = text[0].upper() + text[1:]
    return Sentence((*split_sentence(cased), "."), f"{cased}.")


def parse_meaning(line: str, denying: frozenset[str]) -> tuple[str, SentenceReading]:
    """The text of a line of a batch and what it means, with what each of its words is; `denying`
    are the determiners like "no".
    """
    record = json.loads(line)
    words = tuple(
        role_fact(record["event"], role, word, {})
        for role, word in zip(record["roles"], record["words"], strict=True)
    )
    return record["text"], SentenceReading(list_event_facts(record["event"]).facts, words, denying)


def list_pair_meanings(
    part_pairs: Sequence[PartPairs], language: Language
) -> Iterator[tuple[str, SentenceReading]]:
    """The texts of all sentences and what they mean."""
    for run in (run for part in part_pairs for _, run in part.runs if run.first):
        places = np.arange(len(run.first))
        for values in (run.values, run.contrast.second(run.values)):
            lines = ShapeBatch(run.contrast.placed, values, places, language).lines()
            yield from (parse_meaning(line, language.denying) for line in lines)


def with_words(dataset: Dataset) -> Dataset:
    """The same with each asked word as a sentence of its own, for encoders to make vectors of."""
    return replace(
        dataset,
        sentences=(*dataset.sentences, *(Sentence.of([word]) for word in dataset.vocabulary)),
    )


def capitalize_sentences(dataset: Dataset) -> Dataset:
    """`written=cased`: the same with a capital and a full stop."""
    return replace(
        dataset, sentences=tuple(make_sentence(s.text, "cased") for s in dataset.sentences)
    )


def build_item_dataset(
    part_pairs: Sequence[PartPairs], language: Language, seed: int, notes: dict[str, Any]
) -> Dataset:
    """All items of some parts; both sentences of a minimal pair are in the same split, side by
    side, and pairs in an order that the seed picks.
    """
    texts: list[str] = []
    rows: list[QuestionRows] = []
    words: dict[tuple[str, int], int] = {}
    for part in part_pairs:
        for schema, run in part.runs:
            if run.first:
                rows += _list_question_rows(part, schema, run, len(texts), words)
                texts += [text for two in zip(run.first, run.second, strict=True) for text in two]
    return _dataset(rows, texts, words, (language, seed), notes)


def _list_question_rows(
    part: PartPairs, schema: str, run: ContrastPairs, start: int, words: dict[tuple[str, int], int]
) -> Iterator[QuestionRows]:
    first = start + 2 * np.arange(len(run.first))
    for question in run.questions:
        asked = [
            _number_words(run.contrast, path, run.values[path], words) for path in question.asked
        ]
        voice = next(
            at.clause.voice for at in run.contrast.placed.clauses if at.prefix == question.clause
        )
        tags = {"structure": schema, "negative": question.negative, "voice": voice}
        tags |= label_pair_strata(run.contrast, question)
        if part.part.split == 2:
            tags["new"] = part.part.name
        yield QuestionRows(first, np.stack(asked, 1), question.first, part.part.split, tags)


def _number_words(
    contrast: StructureContrast, path: str, column: Ints, words: dict[tuple[str, int], int]
) -> Ints:
    """Asked words by their place in the vocabulary, which grows."""
    kind = contrast.kind(path)
    distinct, inverse = np.unique(column, return_inverse=True)
    numbers = [words.setdefault((kind, int(number)), len(words)) for number in distinct]
    return np.array(numbers, np.int64)[inverse]


def _dataset(
    rows: list[QuestionRows],
    texts: list[str],
    words: dict[tuple[str, int], int],
    by: tuple[Language, int],
    notes: dict[str, Any],
) -> Dataset:
    language, seed = by
    sizes = [len(r.first) for r in rows]
    first, asked = np.concatenate([r.first for r in rows]), np.concatenate([r.asked for r in rows])
    answers = np.repeat([r.answer for r in rows], sizes)
    splits = np.repeat(np.array([r.split for r in rows], np.int8), sizes)
    order = np.random.default_rng([seed, 4]).permutation(len(first))
    order = order[np.argsort(splits[order], kind="stable")]
    first = first[order]
    labels = np.stack([answers[order], ~answers[order]], 1).astype(np.int64).ravel()
    tags = _list_pair_strata(rows, np.repeat(np.arange(len(rows)), sizes)[order])
    tags["pair"] = Tags(np.repeat(first // 2, 2), tuple(map(str, range(len(texts) // 2))))
    vocabulary = [language.values(kind)[number].lemma for kind, number in words]
    return Dataset.of_columns(
        map(make_sentence, texts),
        np.stack([first, first + 1], 1).ravel(),
        column_from_codes(labels, _LABELS),
        np.repeat(splits[order], 2),
        asked=(np.repeat(asked[order], 2, axis=0), vocabulary),
        strata=tags,
    ).with_notes(**notes)


def _list_pair_strata(rows: list[QuestionRows], of: Ints) -> dict[str, Tags]:
    """The tags of both items of each pair, by the row that it comes from."""
    twice = np.repeat(of, 2)
    known = {key for row in rows for key in row.tags}
    return {
        key: Tags.of(r.tags.get(key) for r in rows).take(twice) for key in _TAGS if key in known
    }
