"""Words with their dependents, chance that is seeded, and the CoNLL-U lines that a tree is written
as.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

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


def lines(root: Word, name: str) -> Iterator[str]:
    """One sentence as CoNLL-U, its empty line included."""
    ordered = flat(root)
    number = {id(word): i for i, word in enumerate(ordered, 1)}
    heads = {id(child): number[id(word)] for word in ordered for child in (*word.left, *word.right)}
    first = ordered[0].form
    forms = [first[0].upper() + first[1:], *(word.form for word in ordered[1:])]
    yield f"# sent_id = {name}"
    yield f"# text = {_text(ordered, forms)}"
    for i, (word, form) in enumerate(zip(ordered, forms, strict=True), 1):
        misc = "SpaceAfter=No" if i < len(ordered) and ordered[i].tight else "_"
        head = str(heads.get(id(word), 0))
        fields = str(i), form, word.lemma, word.upos, "_", word.feats, head, word.deprel, "_", misc
        yield "\t".join(fields)
    yield ""


def _text(words: Sequence[Word], forms: Sequence[str]) -> str:
    beside = zip(words[1:], forms[1:], strict=True)
    return forms[0] + "".join(form if word.tight else " " + form for word, form in beside)
