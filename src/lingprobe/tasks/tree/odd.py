"""SOMO: was a word of the sentence replaced by another (Conneau et al. 2018, section 2; SentEval's
README)?

A noun or verb gives way to another form with the same part of speech. Frequencies come from a
corpus: the word, and the pairs that it makes with its neighbours, must be attested for both and
differ by at most `_NEAR` in their logarithms.

So that frequencies tell nothing, the replacement is drawn as a bigram model would draw it between
these neighbours, with a weight of c(before, r) c(r, after) / c(r). Under such a model that leaves
the distribution of sentences as it was (a Gibbs step). Originals, too, have a word that could have
been replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.frequencies import WordFrequencies
from lingprobe.corpora.rendering import sentence_of
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.vectors import Ints
from lingprobe.tasks.answers import Answer
from lingprobe.tasks.findings import FoundCandidates
from lingprobe.tasks.parsed_corpora import ParsedCorpus
from lingprobe.tasks.tree.altered_sentences import (
    AlteredSentence,
    SentenceAlteration,
    draw_half,
    tagged_words,
)

_KINDS = ("NN", "NNS", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
_PRONOUNS = frozenset(
    a + b for a in ("some", "any", "every", "no") for b in ("one", "body", "thing")
) | {"none", "one", "ones"}
# occurrences of target and replacement, and the words of a corpus from which on they hold as they
# stand
_BAND, _FULL = (40, 400), 5_000_000
_NEAR = 0.5  # natural logarithms: a factor of 1.65
_LEAST = 2  # occurrences with a tag, by which a form is known to have it


class ReplaceableWord(NamedTuple):
    """A noun or verb that can be replaced: where it stands, and what may stand there."""

    place: int
    replacement: str


@dataclass(frozen=True, eq=False)
class ReplacementWords:
    """What replacements are chosen from.

    forms   of the corpus, by number; tags [forms] a number of `_KINDS` for those that may be
            replaced or replace, -1 for all others
    after   pairs whose second word may be: first words, second words, counts; sorted so
    before  pairs whose first word may be: second words, first words, counts; sorted so
    own     whether the sentences are part of the corpus, so that each is counted there once itself
    """

    counts: WordFrequencies
    forms: tuple[str, ...]
    tags: Ints
    after: tuple[Ints, Ints, Ints]
    before: tuple[Ints, Ints, Ints]
    own: bool

    @classmethod
    def of(cls, counts: WordFrequencies, lexicon: Mapping[str, str], own: bool) -> ReplacementWords:
        """From a corpus and the tag of each form."""
        low, high = compute_frequency_band(counts.total)
        forms = tuple(counts.numbers)
        tags = np.full(len(forms), -1)
        for form, tag in lexicon.items():
            number = counts.numbers.get(form, -1)
            if number < 0 or tag not in _KINDS or not form.isalpha() or form in _PRONOUNS:
                continue
            if low <= counts.counts[number] <= high and not counts.is_name(form):
                tags[number] = _KINDS.index(tag)
        first, second = counts.pairs >> 32, counts.pairs & 0xFFFFFFFF
        follows, leads = tags[second] >= 0, tags[first] >= 0
        after = (first[follows], second[follows], counts.together[follows])
        order = np.lexsort((first[leads], second[leads]))
        before = (second[leads][order], first[leads][order], counts.together[leads][order])
        return cls(counts, forms, tags, after, before, own)

    def replacement(self, words: Sequence[str], i: int, rng: np.random.Generator) -> str | None:
        """Another form with the same tag, whose frequency, and frequencies with the neighbouring
        words, differ by a factor of at most 1.65, drawn by its weight; None where there is none.
        """
        left, here, right = (
            self.counts.numbers.get(word.lower(), -1) for word in words[i - 1 : i + 2]
        )
        if min(left, here, right) < 0:
            return None
        shared, pairs = self._between(left, right)
        at = np.searchsorted(shared, here)
        if at == len(shared) or shared[at] != here:
            return None
        target = pairs[:, at] - self.own  # its own sentence does not attest a word
        if target.min() < 1:
            return None
        near = (np.abs(np.log(pairs / target[:, None])) <= _NEAR + 1e-9).all(0) & (
            self.tags[shared] == self.tags[here]
        )
        near[at] = False
        rivals = [k for k in np.flatnonzero(near) if self.forms[shared[k]] not in words]
        if not rivals:
            return None
        weights = pairs[0, rivals] * pairs[1, rivals] / pairs[2, rivals]
        return self.forms[int(shared[rng.choice(rivals, p=weights / weights.sum())])]

    def _between(self, left: int, right: int) -> tuple[Ints, NDArray[np.float64]]:
        """The forms that stand between two words, ascending, and the counts [3, forms]: after the
        first, before the second, in all.
        """
        few, many = _slice(self.after, left), _slice(self.before, right)
        swap = len(few[0]) > len(many[0])
        few, many = (many, few) if swap else (few, many)
        if not (len(few[0]) and len(many[0])):
            return few[0], np.empty((3, 0))
        at = np.minimum(np.searchsorted(many[0], few[0]), len(many[0]) - 1)
        both = many[0][at] == few[0]
        shared, a, b = few[0][both], few[1][both], many[1][at[both]]
        return shared, np.stack(
            [b, a, self.counts.counts[shared]] if swap else [a, b, self.counts.counts[shared]]
        ).astype(float)

    def odd(
        self, words: Sequence[str], tags: Sequence[str], rng: np.random.Generator
    ) -> ReplaceableWord | None:
        """A random place among those that have a replacement, and one of its replacements."""
        places = [
            i
            for i in range(1, len(words) - 1)
            if tags[i] in _KINDS and self.replaceable(words[i], tags[i])
        ]
        for k in rng.permutation(len(places)):
            i = places[k]
            if words.count(words[i]) == 1 and (replacement := self.replacement(words, i, rng)):
                return ReplaceableWord(i, replacement)
        return None

    def replaceable(self, word: str, tag: str) -> bool:
        """Whether a word, in small letters, is one of those that may be replaced, with the tag that
        it usually has.
        """
        number = self.counts.numbers.get(word, -1)
        return number >= 0 and self.tags[number] == _KINDS.index(tag)


def _slice(table: tuple[Ints, Ints, Ints], key: int) -> tuple[Ints, Ints]:
    start, stop = np.searchsorted(table[0], [key, key + 1])
    return table[1][start:stop], table[2][start:stop]


def compute_frequency_band(total: int) -> tuple[int, int]:
    """How often a noun or verb that is replaced, and its replacement, occur in a corpus of so many
    words: 40 to 400 times, in proportion below five million, never below 5.
    """
    scale = min(1.0, total / _FULL)
    low = max(5, round(_BAND[0] * scale))
    return low, max(10 * low, round(_BAND[1] * scale))


def make_tag_lexicon(tagged: Iterable[tuple[Sequence[str], Sequence[str]]]) -> dict[str, str]:
    """The tag that most occurrences of each form have, of forms in small letters that occur twice
    with it, from words with their tags.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for words, tags in tagged:
        counts.update(zip(words, tags, strict=False))
    commonest: dict[str, tuple[str, int]] = {}
    for (word, tag), n in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        commonest.setdefault(word, (tag, n))
    if not commonest:
        raise DataProblem(
            "SOMO replaces nouns and verbs, and these sentences have no tags; tag the text first:"
            " lingprobe data tag"
        )
    return {
        word: tag for word, (tag, n) in commonest.items() if n >= _LEAST and word == word.lower()
    }


def find_replacements(
    corpus: ParsedCorpus, choice: ReplacementWords, seed: int
) -> tuple[FoundCandidates, dict[str, int]]:
    """Candidates of SOMO, half of them with a noun or verb replaced (C), and how many sentences
    were excluded for which reason.

    The target of a changed sentence is its replacement, so that replacements are kept apart between
    splits; an original has none.
    """
    rng = np.random.default_rng([seed, 22])
    place = np.full(len(corpus), -1, np.int16)
    tag, form = np.zeros(len(corpus), np.int8), np.zeros(len(corpus), np.int32)
    for row, (words, tags) in enumerate(tagged_words(corpus)):
        if odd := choice.odd(words, tags, rng):
            place[row], tag[row] = odd.place, _KINDS.index(tags[odd.place])
            form[row] = choice.counts.numbers[odd.replacement]
    rows = np.flatnonzero(place >= 0)
    change = draw_half(rows, len(corpus), rng)

    def alter_sentence(row: int, sentence: Sentence, tags: Sequence[str]) -> AlteredSentence:
        words, at = list(sentence.words), int(place[row])
        origins = list(range(len(words)))
        if change[row]:
            words[at], origins[at] = choice.forms[form[row]], -1
        return AlteredSentence(sentence_of(words, tags), origins)

    put_in = np.where(change, form, -1)[rows].astype(np.int64)
    said, codes = np.unique(put_in * len(_KINDS) + tag[rows], return_inverse=True)
    answers = [
        Answer("C" if number >= 0 else "O", choice.forms[number] if number >= 0 else "",
               {"tag": _KINDS[which]})
        for number, which in (divmod(each, len(_KINDS)) for each in said.tolist())
    ]  # fmt: skip
    found = FoundCandidates(corpus, rows, codes, answers, SentenceAlteration(alter_sentence))
    return found, {"no word with a replacement": len(corpus) - len(rows)}
