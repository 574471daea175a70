"""English words to chunks (nouns with what stands before them, verb groups, and the small words
between), and what structures ask of chunks.

Most strings are cut in one way; where words are ambiguous ("cook", "really often") in several, each
a row of chunks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from lingprobe_extensions.compose.readings.english_words import (
    DETERMINER_FORMS,
    HELPER_FORMS,
    LINKING_WORD_CODES,
    MODAL_VERBS,
    REFLEXIVE_PRONOUNS,
    choose_article,
    english_words,
)
from lingprobe_extensions.compose.readings.reading import LemmaFact
from lingprobe_extensions.compose.readings.structure import (
    ChunkConstraint,
    Row,
    Rules,
    WordChunk,
    cut_into_chunks,
    fits_frame,
    get_number,
    list_grades,
    may_grade,
    verb_facts,
)
from lingprobe_extensions.compose.readings.words import Extra, FormAnalysis, Words

_SHARING = "sharing "  # begins the trait of verbs in a form that helping verbs ask for
_ALIVE = frozenset({"person", "animal"})


def _agrees(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """Whether a verb has the number of its subject; joined nouns are plural."""
    verb = chunks[rule.place].number
    return verb is None or verb == get_number(chunks, rule.others)


def _shares_verb_form(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """Whether a verb after "and" has the form that the helping verbs of another ask for."""
    return any(
        form.startswith(_SHARING)
        for form in chunks[rule.place].traits & chunks[rule.others[0]].traits
    )


def _relative(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """Whether a relativiser goes with its nouns: "who" with people and animals, "which" with
    animals and things.
    """
    kind = chunks[rule.place].kind
    classes = {"W": _ALIVE, "H": frozenset({"animal", "thing"})}.get(kind)
    return classes is None or all(chunks[head].traits & classes for head in rule.others)


def _late(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """Whether an adverb may stand after the verb: "slept quietly", not "slept always"."""
    return "late" in chunks[rule.place].traits


def _reflexive(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """Whether "himself" and the like may be said of some nouns."""
    (kind,) = chunks[rule.place].traits
    if get_number(chunks, rule.others) == "plural" or kind == "plural":
        return kind == "plural" and get_number(chunks, rule.others) == "plural"
    traits = chunks[rule.others[0]].traits
    if kind == "neuter":
        return "person" not in traits
    return "thing" not in traits and not traits & ({"masculine", "feminine"} - {kind})


def _is_expected_role(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """Whether a role is filled as one expects: things are given to somebody, and saws are for
    things.
    """
    if rule.detail == "recipient":
        return all(
            chunks[other].kind == "R" or chunks[other].traits & _ALIVE for other in rule.others
        )
    if rule.detail == "gift" or (
        rule.detail == "patient" and "of things" in chunks[rule.place].traits
    ):
        return all(
            chunks[other].kind == "R" or "thing" in chunks[other].traits for other in rule.others
        )
    return True


ENGLISH_CHUNK_RULES: Rules = {
    "agrees": _agrees,
    "shares": _shares_verb_form,
    "frame": fits_frame,
    "relative": _relative,
    "late": _late,
    "reflexive": _reflexive,
    "fits": _is_expected_role,
}


_NEXT = {  # what is wanted, the form that comes -> what is wanted then, and what that adds
    ("base", "have"): ("participle", "perfect"),
    ("base", "be"): ("predicate", ""),
    ("participle", "been"): ("predicate", "perfect"),
    ("predicate", "being"): ("passive", "progressive"),
}
_ENDS = {  # what is wanted, the form of the verb -> what that adds; a verb group ends with it
    ("plain", "base"): (),
    ("base", "base"): (),
    ("participle", "participle"): ("perfect",),
    ("predicate", "ing"): ("progressive",),
    ("predicate", "participle"): ("passive",),
    ("passive", "participle"): ("passive",),
}
_SMALL = {"T": "link", "W": "link", "H": "link", "&": "conjunction", "b": "marker", "t": "marker"}
_FINITE = {
    "base": ("present", "plural"),
    "singular": ("present", "singular"),
    "past": ("past", None),
}


def english_rows(words: Sequence[str], more: Extra = ()) -> list[Row]:
    """All ways to cut English words into chunks; `more` are words that the reader's table lacks."""
    return cut_into_chunks(words, _cutter(more).chunks)


@lru_cache(maxsize=8)
def _cutter(more: Extra) -> _Cutter:
    return _Cutter(english_words(more))


class _Chain(NamedTuple):
    """What stands between a helping word and the verb.

    expected   the form that the verb has to have
    added      what the helping words add: perfect, progressive, passive
    kinds      of all words; `adverbs` those that are adverbs
    """

    expected: str
    added: list[str]
    kinds: list[str]
    adverbs: list[str]


class _Cutter:
    """The chunks of words of a vocabulary; each question is answered once."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.opening = cache(self._opening)
        self.adverbs = cache(
            lambda word: [entry for entry in self.words.get(word, ()) if entry.kind == "adverb"]
        )
        self.bare = cache(self._bare)
        self.nouns = lru_cache(maxsize=1 << 15)(self._nouns)
        self.verbs = lru_cache(maxsize=1 << 15)(self._verbs)

    def chunks(self, words: Sequence[str], start: int) -> Iterator[tuple[int, WordChunk]]:
        """The chunks that can begin at a word, with the word after each."""
        small, kinds = self.opening(words[start])
        yield from ((start + 1, chunk) for chunk in small)
        if "determiner" in kinds:
            first = 2 if words[start] == "not" else 1
            for stop in self._noun_stops(words, start + first):
                yield from (
                    (stop, chunk)
                    for chunk in self.nouns(
                        (" ".join(words[start : start + first]), *words[start + first : stop])
                    )
                )
        if "verb" in kinds:
            stop = self._verb_stop(words, start)
            yield from ((stop, chunk) for chunk in self.verbs(tuple(words[start:stop])))
            if self._is_after_and(words, start):
                yield from ((start + 1, chunk) for chunk in self.bare(words[start]))
        if start + 1 < len(words) and self._is_grading(words[start], words[start + 1]):
            yield start + 2, self._grade(words[start], words[start + 1])

    def _opening(self, word: str) -> tuple[tuple[WordChunk, ...], frozenset[str]]:
        """The chunks that a word is by itself, and the kinds of longer ones that it may begin."""
        small = (
            [
                WordChunk(
                    LINKING_WORD_CODES[word],
                    word,
                    words=(_small(_SMALL[LINKING_WORD_CODES[word]], word),),
                )
            ]
            if word in LINKING_WORD_CODES
            else []
        )
        if word in REFLEXIVE_PRONOUNS:
            traits = frozenset({REFLEXIVE_PRONOUNS[word]})
            small.append(WordChunk("R", word, traits=traits, words=(_small("reflexive", word),)))
        entries = self.words.get(word, ())
        small += [
            WordChunk("n", word, words=(_small("preposition", word),))
            for entry in entries
            if entry.kind == "preposition"
        ]
        small += [
            WordChunk("d", word, traits=entry.traits, words=(_small("adverb", word),))
            for entry in entries
            if entry.kind == "adverb"
        ]
        kinds = {kind for entry in entries for kind in (entry.kind, *entry.traits)}
        kinds |= {"determiner"} if word in DETERMINER_FORMS or word == "not" else set()
        kinds |= {"verb"} if word in MODAL_VERBS or word in HELPER_FORMS else set()
        return tuple(small), frozenset(kinds)

    def _grade(self, first: str, second: str) -> WordChunk:
        """Two adverbs as one."""
        each = (_small("adverb", first), _small("adverb", second))
        return WordChunk("d", f"{first} {second}", traits=self.opening(second)[1], words=each)

    def _is_grading(self, first: str, second: str) -> bool:
        return may_grade(self.opening(first)[1], self.opening(second)[1])

    def _noun_stops(self, words: Sequence[str], at: int) -> Iterator[int]:
        """Where a noun that a determiner begins may end: after nouns that only adjectives come
        before.
        """
        while at < len(words):
            kinds = self.opening(words[at])[1]
            at += 1
            if "noun" in kinds:
                yield at
            if "adjective" not in kinds:
                return

    def _nouns(self, words: tuple[str, ...]) -> tuple[WordChunk, ...]:
        """Determiner, adjectives and noun, in each number that all of them allow."""
        first, *adjectives, noun = words
        determiner, numbers = DETERMINER_FORMS.get(first, ("", ()))
        if determiner == "a" and choose_article(words[1]) != first:
            return ()
        chunks = []
        for kind, lemma, form, traits in self.words[noun]:
            if kind == "noun" and form in numbers:
                before = (LemmaFact(lemma, "determiner", determiner),) * len(first.split())
                before += tuple(
                    LemmaFact(lemma, "adjective", adjective) for adjective in adjectives
                )
                facts = frozenset({LemmaFact(lemma, "number", form), *before})
                each = (*before, LemmaFact(lemma, "noun", ""))
                chunks.append(WordChunk("N", lemma, form, traits, (facts,), each))
        return tuple(chunks)

    def _verb_stop(self, words: Sequence[str], at: int) -> int:
        """The word after a verb group: a verb, or helping words and whatever is between them and
        the verb.
        """
        if words[at] in MODAL_VERBS or words[at] in HELPER_FORMS:
            at += 1
            while at < len(words) - 1 and (
                words[at] in ("not", "have", "be", "been", "being") or self.adverbs(words[at])
            ):
                at += 1
        return min(at + 1, len(words))

    def _verbs(self, words: tuple[str, ...]) -> tuple[WordChunk, ...]:
        """Verb groups: a finite verb, or helping words, "not", adverbs and a verb in a row that
        English allows.
        """
        if words[0] in MODAL_VERBS:
            return tuple(self._auxiliary_groups(words, "base", {"modal": words[0]}, None))
        if words[0] in HELPER_FORMS:
            lemma, tense, number = HELPER_FORMS[words[0]]
            expected = {"do": "plain", "have": "participle", "be": "predicate"}[lemma]
            return tuple(self._auxiliary_groups(words, expected, {"tense": tense}, number))
        chunks = []
        for verb in self._main(words[0]):
            if verb.form in _FINITE:
                tense, number = _FINITE[verb.form]
                features = {
                    "tense": tense,
                    "aspect": "simple",
                    "polarity": "positive",
                    "voice": "active",
                }
                chunks.append(
                    _group(
                        verb, "A", number, features, (LemmaFact(verb.lemma, "predicate", ""),), [()]
                    )
                )
        return tuple(chunks)

    def _auxiliary_groups(
        self, words: tuple[str, ...], expected: str, features: dict[str, str], number: str | None
    ) -> Iterator[WordChunk]:
        """Verb groups that begin with a helping word."""
        chain = self._chain(words[1:-1], expected)
        if chain is None or len(words) < 2:
            return
        kinds = ("modal" if "modal" in features else "auxiliary", *chain.kinds, "predicate")
        for verb in self._main(words[-1]):
            if (chain.expected, verb.form) in _ENDS:
                parts = [*chain.added, *_ENDS[chain.expected, verb.form]]
                voice = "passive" if "passive" in parts else "active"
                perfect = " ".join(part for part in ("perfect", "progressive") if part in parts)
                all_features = {
                    **features,
                    "aspect": perfect or "simple",
                    "polarity": "negative" if "negation" in kinds else "positive",
                    "voice": voice,
                }
                yield _group(
                    verb._replace(traits=verb.traits | {_SHARING + verb.form}),
                    voice[0].upper(),
                    number,
                    all_features,
                    tuple(_part(verb.lemma, *pair) for pair in zip(kinds, words, strict=True)),
                    list_grades(chain.adverbs, self._is_grading),
                )

    def _chain(self, words: tuple[str, ...], expected: str) -> _Chain | None:
        """What stands between a helping word and the verb, "not" before a second helping word; None
        where English does not allow it.
        """
        kinds: list[str] = []
        added: list[str] = []
        adverbs: list[str] = []
        for word in words:
            if word == "not" and "negation" not in kinds and not added:
                kinds.append("negation")
            elif (expected, word) in _NEXT:
                expected, more = _NEXT[expected, word]
                added.append(more)
                kinds.append("auxiliary")
            elif self.adverbs(word):
                adverbs.append(word)
                kinds.append("adverb")
            else:
                return None
        return _Chain(expected, added, kinds, adverbs)

    def _is_after_and(self, words: Sequence[str], at: int) -> bool:
        """Whether "and" stands before a word, or before the adverbs before it."""
        while at > 0 and self.adverbs(words[at - 1]):
            at -= 1
        return at > 0 and words[at - 1] == "and"

    def _bare(self, word: str) -> tuple[WordChunk, ...]:
        """Verbs that would share the helping verbs of another: "has helped the man and seen the
        woman".
        """
        forms = [verb for verb in self._main(word) if verb.form in ("base", "participle", "ing")]
        each = ((verb, (LemmaFact(verb.lemma, "predicate", ""),)) for verb in forms)
        return tuple(
            WordChunk("B", verb.lemma, traits=verb.traits | {_SHARING + verb.form}, words=words)
            for verb, words in each
        )

    def _main(self, word: str) -> list[FormAnalysis]:
        return [entry for entry in self.words.get(word, ()) if entry.kind == "verb"]


def _small(kind: str, word: str) -> LemmaFact:
    """A word that is itself, of no lemma."""
    return LemmaFact("", kind, word)


def _part(verb: str, kind: str, word: str) -> LemmaFact:
    """A word of a verb group."""
    return (
        _small(kind, word)
        if kind == "adverb"
        else LemmaFact(verb, kind, word if kind == "modal" else "")
    )


def _group(
    verb: FormAnalysis,
    kind: str,
    number: str | None,
    features: dict[str, str],
    words: tuple[LemmaFact, ...],
    adverbs: Sequence[tuple[str, ...]],
) -> WordChunk:
    facts = verb_facts(verb.lemma, features, adverbs)
    return WordChunk(kind, verb.lemma, number, verb.traits, facts, words)
