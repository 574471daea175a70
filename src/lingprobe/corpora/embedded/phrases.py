"""Words with their dependents, chance that is seeded, and the CoNLL-U lines that a tree is written
as; noun phrases, prepositional phrases and verb groups of the embedded grammar, with their
agreement.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lingprobe.corpora.embedded.lexicon import LEXICON, Noun, Verb

T = TypeVar("T")


# as good as frozen: built by the hundred thousand, where frozen costs threefold
@dataclass(slots=True)
class Word:
    """A word with the dependents before and after it; `tight` words are written without a space
    before them.
    """

    form: str
    lemma: str
    upos: str
    feats: str = "_"
    deprel: str = "dep"
    left: tuple[Word, ...] = ()
    right: tuple[Word, ...] = ()
    tight: bool = False

    def under(self, deprel: str) -> Word:
        """The same word in another relation to its head."""
        return Word(
            self.form, self.lemma, self.upos, self.feats, deprel, self.left, self.right, self.tight
        )

    def plus(self, left: Sequence[Word] = (), right: Sequence[Word] = ()) -> Word:
        """The same word with more dependents at its outer edges."""
        left, right = (*left, *self.left), (*self.right, *right)
        return Word(
            self.form, self.lemma, self.upos, self.feats, self.deprel, left, right, self.tight
        )


def uninflected(form: str, upos: str, feats: str, deprel: str) -> Word:
    """A word that is written like its lemma."""
    return Word(form, form, upos, feats, deprel)


class Chance:
    """Seeded draws; `lush` is how likely optional material is in the sentence at hand."""

    def __init__(self, seed: int) -> None:
        # Only random() is used: its sequence is the same in every Python, that of choice() is not
        # promised.
        self._random = random.Random(seed).random  # noqa: S311
        self.lush = 0.5

    def pick(self, things: Sequence[T]) -> T:
        """One of the things, each as likely."""
        return things[int(self._random() * len(things))]

    def hit(self, share: float) -> bool:
        """True in that share of draws."""
        return self._random() < share

    def more(self, depth: int) -> bool:
        """Whether to add optional material at this depth of the tree."""
        return depth < 5 and self._random() < self.lush * 0.8**depth

    def fresh(self) -> None:
        """A new lushness, for a new sentence."""
        self.lush = 0.95 * self._random()


def flat(word: Word) -> list[Word]:
    """The words of a tree in the order in which they are spoken."""
    words: list[Word] = []
    _gather(word, words)
    return words


def _gather(word: Word, words: list[Word]) -> None:
    for child in word.left:
        _gather(child, words)
    words.append(word)
    for child in word.right:
        _gather(child, words)


def lines(ordered: Sequence[Word], name: str) -> Iterator[str]:
    """One sentence as CoNLL-U, its empty line included, of its words in order."""
    number = {id(word): i for i, word in enumerate(ordered, 1)}
    heads = {id(child): number[id(word)] for word in ordered for child in (*word.left, *word.right)}
    first = ordered[0].form
    forms = [first[0].upper() + first[1:], *(word.form for word in ordered[1:])]
    yield f"# sent_id = {name}"
    yield f"# text = {_text(ordered, forms)}"
    tight = [*(word.tight for word in ordered[1:]), False]
    for i, (word, form, close) in enumerate(zip(ordered, forms, tight, strict=True), 1):
        head = heads.get(id(word), 0)
        misc = "SpaceAfter=No" if close else "_"
        yield (
            f"{i}\t{form}\t{word.lemma}\t{word.upos}\t_\t{word.feats}\t{head}\t{word.deprel}\t_\t{misc}"
        )
    yield ""


def _text(words: Sequence[Word], forms: Sequence[str]) -> str:
    beside = zip(words[1:], forms[1:], strict=True)
    return forms[0] + "".join(form if word.tight else " " + form for word, form in beside)


Relative = Callable[[Chance, Noun, str, int], Word]
"""Writes a relative clause about a noun of some number, at some depth."""

PRONOUNS = {
    "i": ("Sing", "1"),
    "you": ("Sing", "2"),
    "he": ("Sing", "3"),
    "she": ("Sing", "3"),
    "we": ("Plur", "1"),
    "they": ("Plur", "3"),
}
OBJECTS = {"i": "me", "you": "you", "he": "him", "she": "her", "we": "us", "they": "them"}
BE = {
    ("Pres", "Sing", "1"): "am",
    ("Pres", "Sing", "3"): "is",
    ("Past", "Sing", "1"): "was",
    ("Past", "Sing", "3"): "was",
}
AUXILIARIES = {
    "be": Verb("be", "is", "was", "been", "being"),
    "have": Verb("have", "has", "had", "had", "having"),
    "do": Verb("do", "does", "did", "done", "doing"),
}
MODALS = ("can", "could", "may", "might", "must", "should", "will", "would")


@dataclass(slots=True)
class Phrase:
    """A noun phrase and what a verb has to agree with."""

    word: Word
    number: str
    person: str = "3"

    def under(self, deprel: str) -> Phrase:
        """The same phrase in another relation to its head."""
        return Phrase(self.word.under(deprel), self.number, self.person)


@dataclass(frozen=True, slots=True)
class Form:
    """What a verb group is inflected for."""

    tense: str = "Pres"
    aspect: str = "simple"
    passive: bool = False
    negative: bool = False
    question: bool = False


def determiner(chance: Chance, number: str) -> Word:
    """A determiner; most fit both numbers, so that they give the number of their noun away only now
    and then.
    """
    if chance.hit(0.55):
        return _the()
    if chance.hit(0.5):
        form, feats = chance.pick(
            (("my", "1"), ("your", "2"), ("her", "3"), ("our", "1"), ("their", "3"))
        )
        return uninflected(
            form, "PRON", f"Case=Gen|Person={feats}|Poss=Yes|PronType=Prs", "nmod:poss"
        )
    if number == "Plur":
        form, feats = chance.pick(
            (
                ("these", "Number=Plur|PronType=Dem"),
                ("some", "PronType=Ind"),
                ("many", "_"),
                ("several", "_"),
            )
        )
        return Word(
            form,
            "this" if form == "these" else form,
            "ADJ" if feats == "_" else "DET",
            feats,
            "amod" if feats == "_" else "det",
        )
    form, feats = chance.pick(
        (
            ("a", "Definite=Ind|PronType=Art"),
            ("this", "Number=Sing|PronType=Dem"),
            ("every", "PronType=Tot"),
        )
    )
    return uninflected(form, "DET", feats, "det")


def _the() -> Word:
    return uninflected("the", "DET", "Definite=Def|PronType=Art", "det")


def nominal(chance: Chance, kind: str, depth: int, relative: Relative) -> Phrase:
    """Determiner, adjectives, noun, and now and then a possessor, a place or a relative clause."""
    noun = chance.pick(LEXICON.nouns[kind])
    number = "Plur" if chance.hit(0.5) else "Sing"
    owned = chance.lush > 0.3 and chance.hit(0.1)
    left = [possessor(chance, depth, relative) if owned else determiner(chance, number)]
    if chance.more(depth):
        left.append(adjective(chance, kind, depth))
        if chance.more(depth + 2):
            left.append(_adjective(chance.pick(LEXICON.adjectives["any"])))
    right = _behind(chance, noun, number, depth, relative) if chance.more(depth + 1) else ()
    form = noun.plural if number == "Plur" else noun.singular
    left[0] = _an(left, form)
    return Phrase(
        Word(form, noun.singular, "NOUN", f"Number={number}", left=tuple(left), right=right), number
    )


def _behind(
    chance: Chance, noun: Noun, number: str, depth: int, relative: Relative
) -> tuple[Word, ...]:
    """What stands behind a noun: a relative clause or a place."""
    if chance.hit(0.5):
        return (relative(chance, noun, number, depth + 2),)
    return (place(chance, depth + 1, relative).under("nmod"),)


def _an(left: list[Word], form: str) -> Word:
    """The determiner, `a` becoming `an` before a vowel that is heard."""
    following = form if len(left) == 1 else (left[1].left or (left[1],))[0].form
    return (
        Word("an", "a", "DET", left[0].feats, "det")
        if left[0].form == "a" and vowel(following)
        else left[0]
    )


def vowel(word: str) -> bool:
    """Whether a word begins with a vowel that is heard, so that `an` goes before it."""
    return (word[0] in "aeiou" and not word.startswith(("use", "uni"))) or word.startswith("hon")


def adjective(chance: Chance, kind: str, depth: int) -> Word:
    """An adjective that suits the noun, now and then with a degree adverb."""
    word = _adjective(chance.pick(LEXICON.adjectives[kind]))
    return word.plus(degree(chance)) if chance.more(depth + 2) else word


def _adjective(form: str) -> Word:
    return uninflected(form, "ADJ", "Degree=Pos", "amod")


def degree(chance: Chance) -> tuple[Word, ...]:
    """One degree adverb."""
    return (adverb(chance.pick(LEXICON.degree)),)


def adverb(form: str) -> Word:
    """An adverb beside a verb, an adjective or another adverb."""
    return uninflected(form, "ADV", "_", "advmod")


def possessor(chance: Chance, depth: int, relative: Relative) -> Word:
    """A name or a person with 's."""
    mark = Word("'s", "'s", "PART", "_", "case", tight=True)
    if depth > 1 or chance.hit(0.6):
        owner = name(chance).word
    else:
        noun = chance.pick(LEXICON.nouns["person"])
        owner = uninflected(noun.singular, "NOUN", "Number=Sing", "dep").plus((_the(),))
    return owner.under("nmod:poss").plus(right=(mark,))


def name(chance: Chance) -> Phrase:
    """A person by name."""
    form = chance.pick(LEXICON.names)
    return Phrase(Word(form, form, "PROPN", "Number=Sing"), "Sing")


def pronoun(chance: Chance, case: str = "Nom") -> Phrase:
    """A personal pronoun."""
    lemma = chance.pick(tuple(PRONOUNS))
    number, person = PRONOUNS[lemma]
    form = OBJECTS[lemma] if case == "Acc" else "I" if lemma == "i" else lemma
    feats = f"Case={case}|Number={number}|Person={person}|PronType=Prs"
    return Phrase(Word(form, "I" if lemma == "i" else lemma, "PRON", feats), number, person)


def person(chance: Chance, depth: int, relative: Relative, case: str = "Nom") -> Phrase:
    """Somebody: a noun phrase most of the time, or two of them, a name, a pronoun."""
    if chance.hit(0.1):
        return name(chance)
    if chance.hit(0.08):
        return pronoun(chance, case)
    first = nominal(chance, "person", depth, relative)
    if not chance.more(depth + 2):
        return first
    second = nominal(chance, "person", depth + 2, relative).word.under("conj")
    both = first.word.plus(right=(second.plus(left=(uninflected("and", "CCONJ", "_", "cc"),)),))
    return Phrase(both, "Plur")


def place(chance: Chance, depth: int, relative: Relative) -> Word:
    """Where or when: a prepositional phrase that fits every tense."""
    if chance.hit(0.2):
        noun = chance.pick(LEXICON.times)
        preposition = chance.pick(("after", "before"))
        return _case(uninflected(noun, "NOUN", "Number=Sing", "obl"), preposition)
    return _case(
        nominal(chance, "place", depth + 1, relative).word.under("obl"), chance.pick(LEXICON.near)
    )


def _case(noun: Word, preposition: str) -> Word:
    return noun.plus(left=(uninflected(preposition, "ADP", "_", "case"),))


def prepositional(preposition: str, noun: Word, deprel: str) -> Word:
    """A noun phrase behind a preposition."""
    return _case(noun, preposition).under(deprel)


def verb_group(
    chance: Chance, verb: Verb, form: Form, subject: Phrase
) -> tuple[tuple[Word, ...], Word]:
    """The auxiliaries of a verb, and the verb; each is inflected as the one before it asks."""
    words: list[Word] = []
    inflection = "finite"
    if form.aspect == "modal":
        words.append(uninflected(chance.pick(MODALS), "AUX", "VerbForm=Fin", "aux"))
        inflection = "base"
    for name in _chain(form):
        auxiliary = AUXILIARIES[name.removesuffix(":pass")]
        deprel = "aux:pass" if name == "be:pass" else "aux"
        words.append(_inflected(auxiliary, inflection, form.tense, subject, "AUX").under(deprel))
        inflection = NEXT_FORM[name]
    return tuple(words), _inflected(verb, inflection, form.tense, subject, "VERB")


NEXT_FORM = {"have": "participle", "be": "gerund", "be:pass": "passive", "do": "base"}
"""The form of the verb that stands behind each auxiliary."""


def _chain(form: Form) -> list[str]:
    """The auxiliaries that a form needs behind a modal, in order."""
    chain = [
        *(["have"] if form.aspect == "perfect" else []),
        *(["be"] if form.aspect == "progressive" else []),
        *(["be:pass"] if form.passive else []),
    ]
    support = (form.negative or form.question) and form.aspect != "modal"
    return chain or (["do"] if support else [])


def _inflected(verb: Verb, inflection: str, tense: str, subject: Phrase, upos: str) -> Word:
    """One form of a verb with its features, as UD_English writes them."""
    if inflection == "finite":
        feats = (
            f"Mood=Ind|Number={subject.number}|Person={subject.person}|Tense={tense}|VerbForm=Fin"
        )
        return Word(finite(verb, tense, subject), verb.base, upos, feats)
    form, feats = {
        "base": (verb.base, "VerbForm=Inf"),
        "participle": (verb.participle, "Tense=Past|VerbForm=Part"),
        "passive": (verb.participle, "Tense=Past|VerbForm=Part|Voice=Pass"),
        "gerund": (verb.gerund, "Tense=Pres|VerbForm=Part"),
    }[inflection]
    return Word(form, verb.base, upos, feats)


def finite(verb: Verb, tense: str, subject: Phrase) -> str:
    """The finite form that agrees with a subject."""
    if verb.base == "be":
        return BE.get((tense, subject.number, subject.person), "are" if tense == "Pres" else "were")
    if tense == "Past":
        return verb.past
    return verb.third if (subject.number, subject.person) == ("Sing", "3") else verb.base
