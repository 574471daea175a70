"""What a reader sees who knows words by their form and where they stand, and no structure.

Nouns and verbs are told by their form alone (singular, plural; -s, -ed, -ing), adverbs, adjectives
and prepositions by their kind; every other word is itself. Of the asked words there is what stands
around them and nearest to them, how many of each kind come before and after them, and which of two
comes first. Nothing tells what stands between two asked words, which is nearly a parse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe import Dataset
from lingprobe.extend import Ints, NotePart
from lingprobe_extensions.compose.events.language import Language
from lingprobe_extensions.compose.events.languages import LANGUAGES, load_language

Flags = NDArray[np.bool_]
Tags = Sequence[str]
_OPEN = ("noun", "verb", "adverb", "adjective", "preposition")  # kinds that are told by a tag
_NEAREST = ("noun", "auxiliary", "verb or negation", "relative")
_COUNTED = ("noun", "verb", "link", "by", "and", "negation")
_AROUND = (-2, -1, 1, 2)  # places of words around an asked one
_MOST = 3  # of a kind before or after are told apart
_FAR = 8  # words before an asked one are counted up to here
_END = "the end"


@dataclass(frozen=True, slots=True)
class WrittenIn(NotePart):
    """The language of a data set, where that is in a file."""

    key: ClassVar[str] = "language"
    name: str = ""


class ShallowExamples(NamedTuple):
    """Examples as a shallow reader has them: the tags of their words, and the places of the asked
    ones.

    codes   [n, length] into tags, -1 beyond the end of a sentence
    places  [n, slots]; -1 where an asked word does not stand
    signs   what tags are signs of: 'noun', 'verb', and those of the language
    """

    codes: Ints
    tags: tuple[str, ...]
    places: Ints
    signs: Mapping[str, Tags]

    @classmethod
    def of(
        cls, sentences: Sequence[Tags], places: Sequence[Sequence[int]], language: Language
    ) -> ShallowExamples:
        """The same of tags and places one by one."""
        numbers: dict[str, int] = {}
        codes = np.full((len(sentences), max(map(len, sentences), default=0)), -1, np.int64)
        for row, tags in zip(codes, sentences, strict=True):
            row[: len(tags)] = [numbers.setdefault(tag, len(numbers)) for tag in tags]
        slots = len(places[0]) if len(places) else 0
        return cls(
            codes,
            tuple(numbers),
            np.array(places, np.int64).reshape(len(sentences), slots),
            _list_form_signs(language),
        )

    def are(self, sign: str) -> Flags:
        """Which words are signs of something [n, length]."""
        return np.append(np.isin(self.tags, self.signs[sign]), False)[self.codes]

    def tag_numbers(self, places: Ints) -> Ints:
        """The tags at some places by number [n]; -1 beyond a sentence."""
        inside = (places >= 0) & (places < (self.codes >= 0).sum(1))
        codes = self.codes[np.arange(len(self.codes)), np.where(inside, places, 0)]
        return np.where(inside, codes, -1)

    def at(self, places: Ints) -> NDArray[np.str_]:
        """The tags at some places [n]; beyond a sentence there is its end."""
        tags: NDArray[np.str_] = np.array([*self.tags, _END])[self.tag_numbers(places)]
        return tags


@cache
def _list_form_signs(language: Language) -> Mapping[str, Tags]:
    verbs = language.tags["verb"]
    return {
        **dict.fromkeys((*_NEAREST, *_COUNTED, "not"), ()),
        "noun": language.tags["noun"],
        "verb": verbs,
        "verb or negation": (*verbs, *language.signs.get("negation", ())),
        **language.signs,
    }


class ShallowFeatures(NamedTuple):
    """What holds of each example [n, features], by name."""

    holds: Flags
    names: tuple[str, ...]


def extract_shallow_features(examples: ShallowExamples) -> ShallowFeatures:
    """All that tells some examples from others; of two that always agree, or never, the first."""
    by_name = {name: holds for name, holds in _all(examples) if holds.any() and not holds.all()}
    if not by_name:
        return ShallowFeatures(np.zeros((len(examples.codes), 0), bool), ())
    holds = np.stack(list(by_name.values()), 1)
    _, first = np.unique(np.packbits(holds ^ holds[:1], axis=0), axis=1, return_index=True)
    columns = np.sort(first)
    return ShallowFeatures(holds[:, columns], tuple(np.array(list(by_name))[columns].tolist()))


def _all(seen: ShallowExamples) -> Iterator[tuple[str, Flags]]:
    of = {sign: seen.are(sign) for sign in (*_NEAREST, *_COUNTED)}
    several = seen.places.shape[1] > 1
    for k, place in enumerate(seen.places.T):
        what = f"asked word {k + 1}" if several else "the asked word"
        yield from _around(seen, of, place, what)
    plural = [tag for tag in seen.signs["noun"] if tag.startswith("nouns")]
    for side in ("first", "last"):
        tag = seen.at(_find_first_place(of["noun"], last=side == "last"))
        yield f"the {side} noun is plural", np.isin(tag, plural)
    if several:
        yield "asked word 1 is before asked word 2", seen.places[:, 0] < seen.places[:, 1]


def _around(
    seen: ShallowExamples, of: Mapping[str, Flags], place: Ints, what: str
) -> Iterator[tuple[str, Flags]]:
    index = np.arange(seen.codes.shape[1])
    for away in _AROUND:
        tag = seen.at(place + away)
        yield from (
            (f"{away:+d} of {what} is {name!r}", tag == name) for name in (*seen.tags, _END)
        )
    for side, where in (("before", index < place[:, None]), ("after", index > place[:, None])):
        for sign in _NEAREST:
            tag = seen.at(_find_first_place(of[sign] & where, last=side == "before"))
            yield from (
                (f"nearest {sign} {side} {what} is {one!r}", tag == one)
                for one in (*(one for one in seen.signs[sign] if one in seen.tags), _END)
            )
        for sign in _COUNTED:
            yield from _at_least((of[sign] & where).sum(1), f"{sign} {side} {what}", _MOST)
    yield from _at_least(place, f"words before {what}", _FAR)


def _find_first_place(where: Flags, *, last: bool) -> Ints:
    """The first place (or the last) at which something holds [n]; -1 where it holds nowhere."""
    at = where.shape[1] - 1 - where[:, ::-1].argmax(1) if last else where.argmax(1)
    return np.where(where.any(1), at, -1)


def _at_least(counts: Ints, name: str, most: int) -> Iterator[tuple[str, Flags]]:
    yield from ((f"{name}: {least} or more", counts >= least) for least in range(1, most + 1))


@lru_cache(maxsize=8)
def tags_of(language: Language) -> Mapping[str, str]:
    """The tag of each form of a language's lexicon; a form that is a noun's and a verb's counts as
    the noun's.
    """
    tags: dict[str, str] = {}
    for kind in _OPEN:
        for entry in language.lexicon.entries[kind]:
            names = language.tags.get(kind, (kind,) * len(entry.forms))
            for form, tag in zip(entry.forms, names, strict=False):  # some verbs have no participle
                tags.setdefault(form, tag)
    return tags


def language_of(dataset: Dataset) -> Language | None:
    """The language that a data set of a user's own names, or else the first that has all asked
    words; None where none has, or where none is asked.
    """
    written = dataset.notes.part(WrittenIn)
    if written is not None:
        return load_language(written.name)
    usual = (load_language(one.name) for one in LANGUAGES.expand("*"))
    return next((one for one in usual if _knows(one, dataset)), None)


def _knows(language: Language, dataset: Dataset) -> bool:
    words = {dataset.vocabulary[w] for w in np.unique(dataset.asked)}
    return bool(words) and words <= {lemma for kind in _lemmas(language).values() for lemma in kind}


def list_slot_kinds(dataset: Dataset, language: Language) -> tuple[str, ...]:
    """What each slot asks about: 'noun', 'verb' or 'adjective'; '' for what is none."""
    slots = [{dataset.vocabulary[w] for w in np.unique(slot)} for slot in dataset.asked.T]
    return tuple(
        next((kind for kind, forms in _lemmas(language).items() if words <= forms.keys()), "")
        for words in slots
    )


def shallow_examples(dataset: Dataset, language: Language | None = None) -> ShallowExamples | None:
    """The examples as a shallow reader has them; None where they are not about whole sentences, or
    no language has all asked words. Codes of tags are the same for all examples over the same
    sentences.
    """
    known = language or language_of(dataset)
    if known is None or not dataset.of_sentences or not _knows(known, dataset):
        return None
    lemmas, tags = _lemmas(known), tags_of(known)
    words = [[word.lower() for word in sentence.words] for sentence in dataset.sentences]
    asked_forms = [
        frozenset().union(*(forms.get(lemma, frozenset()) for forms in lemmas.values()))
        for lemma in dataset.vocabulary
    ]
    rows = dataset.sites[:, 0, 0]
    places = [
        [_find_first_form(words[s], asked_forms[w]) for w in slots]
        for s, slots in zip(rows.tolist(), dataset.asked.tolist(), strict=True)
    ]
    sentences = ShallowExamples.of(
        [[tags.get(word, word) for word in s] for s in words], [()] * len(words), known
    )
    return sentences._replace(
        codes=sentences.codes[rows],
        places=np.array(places, np.int64).reshape(len(dataset), -1),
    )


def _find_first_form(words: list[str], forms: frozenset[str]) -> int:
    """Where one of some forms stands first; -1 where none does."""
    return next((i for i, word in enumerate(words) if word in forms), -1)


@cache
def _lemmas(language: Language) -> dict[str, dict[str, frozenset[str]]]:
    """Kind -> lemma -> its forms."""
    by_kind: dict[str, dict[str, frozenset[str]]] = {"noun": {}, "verb": {}, "adjective": {}}
    for kind, lemmas in by_kind.items():
        for entry in language.lexicon.entries[kind]:
            lemmas[entry.lemma] = lemmas.get(entry.lemma, frozenset()) | set(entry.forms)
    return by_kind
