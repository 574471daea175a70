"""Sentences whose content words give way to others of the treebank with the same part of speech and
the same features, so that trees and agreement stay and what words mean together is gone.

Such nonsense is due to Gulordava et al. 2018 (section 3); Hall Maudslay & Cotterell 2021 test
structural probes on it, with pseudowords in place of words. Real words need no list of pseudowords,
and are as frequent as before: a word is drawn as often as it occurs with its features.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from lingprobe.corpora import conllu
from lingprobe.corpora.files import (
    CorpusPart,
    digest_files,
    uncompressed_path,
)
from lingprobe.corpora.rendering import sentence_of
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.corpora.trees import is_spelled_by
from lingprobe.corpora.views import BatchColumns, check_dependencies, read_blocks
from lingprobe.data.core import DataProblem, Dataset, Sentence
from lingprobe.data.digests import hash_bytes
from lingprobe.data.notes import NotePart as Note
from lingprobe.tasks.edge.columns import prune_dataset
from lingprobe.tasks.memory import CorpusCache, pause_garbage_collection

Exchange = Literal["none", "test", "all"]
_CONTENT = frozenset({"NOUN", "VERB", "ADJ", "ADV", "PROPN"})
_NAME = "PROPN"
_FIXED = frozenset({"fixed", "goeswith"})  # relations of words that are part of one function word
_LEMMAS = 5  # other lemmas that must be there to choose from
_SURE = 0.9  # of a form's occurrences that have its part of speech (Gulordava et al.: 90 %)
_LEAST = 0.5  # of content words that must give way


@dataclass(frozen=True, slots=True)
class WordExchanges(Note):
    """How many of the content words of which splits gave way."""

    key: ClassVar[str] = "words exchanged"
    written: ClassVar[Mapping[str, str]] = MappingProxyType({"content": "of", "where": "in"})
    words: int = 0
    content: int = 0
    where: str = "test"
    seed: int = 0

    @property
    def share(self) -> float:
        """Of the content words."""
        return self.words / self.content


class WordClass(NamedTuple):
    """What stays of a word that gives way."""

    upos: str
    feats: str


class ClassedLemma(NamedTuple):
    """What a treebank says of a word; no class: it stays."""

    group: WordClass | None
    lemma: str


@dataclass(frozen=True, slots=True)
class ClassWords:
    """The words of a class, those of a lemma beside each other.

    forms  with the number of occurrences up to and with each in `ends`
    spans  of each lemma, where its occurrences begin and end
    """

    forms: Sequence[str]
    ends: Sequence[int]
    spans: Mapping[str, tuple[int, int]]

    @classmethod
    def of(cls, counts: Iterable[tuple[tuple[str, str], int]]) -> ClassWords:
        """From (lemma, form) with how often it occurs."""
        listed = sorted(counts)
        ends = list(accumulate(n for _, n in listed))
        spans: dict[str, tuple[int, int]] = {}
        for ((lemma, _), n), end in zip(listed, ends, strict=True):
            spans[lemma] = spans.get(lemma, (end - n, end))[0], end
        return cls([form for (_, form), _ in listed], ends, spans)

    def draw(self, lemma: str, number: int) -> str | None:
        """Another word of the same part of speech and features, drawn as often as it occurs; None
        of too few lemmas.

        number  from 0 to 2 ** 64
        """
        if len(self.spans) - (lemma in self.spans) < _LEMMAS:
            return None
        start, stop = self.spans.get(lemma, (0, 0))
        at = number * (self.ends[-1] - stop + start) >> 64
        return self.forms[bisect_right(self.ends, at + (stop - start if at >= start else 0))]


@dataclass(frozen=True, slots=True)
class WordClassLexicon:
    """The words of some files by their class, and the rows of each sentence; of equal sentences the
    first counts.
    """

    rows: Mapping[Sentence, Sequence[ClassedLemma]]
    pools: Mapping[WordClass, ClassWords]

    def __len__(self) -> int:
        return len(self.rows)

    def exchange(self, sentence: Sentence, seed: int) -> Sentence:
        """The sentence with other content words; one that the files do not have stays. What is
        drawn depends on the sentence and the seed alone.
        """
        words = list(sentence.words)
        for place, row in enumerate(self.rows.get(sentence, ())):
            if row.group is not None and row.group in self.pools:
                said = f"{seed} {place} ".encode() + sentence.key
                number = int.from_bytes(hash_bytes(said, 8), "big")
                if other := self.pools[row.group].draw(row.lemma, number):
                    words[place] = _in_case(other, words[place], first=not place)
        return sentence if tuple(words) == sentence.words else _respell(sentence, words)

    def content(self, sentence: Sentence) -> list[int]:
        """The places of the sentence's content words."""
        return [i for i, row in enumerate(self.rows.get(sentence, ())) if row.group is not None]


def _in_case(form: str, old: str, first: bool) -> str:
    """A form in capitals where the old one was, or begins with one as first word."""
    if len(old) > 1 and old.isupper():
        return form.upper()
    return form[:1].upper() + form[1:] if first and old[:1].isupper() else form


def _respell(sentence: Sentence, words: Sequence[str]) -> Sentence:
    """The sentence with other words, spaced as it was where its text spells its words; trees
    stay.
    """
    if not is_spelled_by(sentence.text, sentence.words):
        return sentence_of(words)
    pieces: list[str] = []
    at = 0
    for old, new in zip(sentence.words, words, strict=True):
        start = at
        for letter in "".join(old.split()):
            at = sentence.text.index(letter, at) + 1
        gap = len(sentence.text[start:at]) - len(sentence.text[start:at].lstrip())
        pieces += sentence.text[start : start + gap], new
    return Sentence(tuple(words), "".join(pieces))


_LEXICONS: CorpusCache[WordClassLexicon] = CorpusCache()


def lexicon_of(files: Sequence[CorpusPart], on_error: OnError) -> WordClassLexicon:
    """The lexicon of some treebanks by part of speech and features, read once for all tasks.
    DataProblem for other files, and for treebanks without features.
    """
    for part in files:
        if uncompressed_path(part.path).suffix not in conllu.CONLLU_SUFFIXES:
            raise DataProblem(
                f"{part.path}: exchange= needs the parts of speech and features of a treebank in"
                f" CoNLL-U ({', '.join(conllu.CONLLU_SUFFIXES)}); leave it out"
            )
    key = (digest_files(part.path for part in files), on_error)
    return _LEXICONS.get(key, lambda: _lexicon(files, on_error))


def _lexicon(parts: Sequence[CorpusPart], on_error: OnError) -> WordClassLexicon:
    """The same, read now; a treebank without features is refused."""
    rows: dict[Sentence, Sequence[ClassedLemma]] = {}
    counts: dict[WordClass, Counter[tuple[str, str]]] = {}
    every, tagged = Counter[str](), Counter[tuple[str, str]]()
    with pause_garbage_collection():
        for sentence, classes, lemmas in _read_word_classes(parts, on_error):
            for place, (form, group, lemma) in enumerate(
                zip(sentence.words, classes, lemmas, strict=True)
            ):
                every[form.casefold()] += 1
                if group is not None:
                    tagged[form.casefold(), group.upos] += 1
                    known = counts.setdefault(group, Counter())
                    known[lemma, _lower_initial(form, group, place)] += 1
            rows.setdefault(sentence, list(map(ClassedLemma, classes, lemmas)))
    if not any(group.feats != "_" for group in counts):
        raise DataProblem(
            f"{parts[0].path if parts else 'no file'}: no content word has features, which say what"
            " words may be exchanged for; take a treebank with FEATS, or leave exchange= out"
        )
    pools = {
        group: ClassWords.of(
            (pair, n)
            for pair, n in found.items()
            if tagged[pair[1].casefold(), group.upos] >= _SURE * every[pair[1].casefold()]
        )
        for group, found in counts.items()
    }
    return WordClassLexicon(rows, pools)


def _lower_initial(form: str, group: WordClass, place: int) -> str:
    """A form as it stands inside a sentence."""
    small = form[:1].lower()
    inside = place or group.upos == _NAME or len(small) > 1  # as of a dotted capital I
    return form if inside else small + form[1:]


def _read_word_classes(
    parts: Sequence[CorpusPart], on_error: OnError
) -> Iterator[tuple[Sentence, list[WordClass | None], list[str]]]:
    """The sentences with the classes of their words, None of those that stay, and the lemmas."""
    classes: dict[WordClass, WordClass] = {}
    for part in parts:
        for block in read_blocks(part.path, on_error, ProblemTally()):
            columns = BatchColumns(check_dependencies(block, "exchange="))
            rows = zip(columns.upos, columns.feats, columns.deprels, strict=True)
            every = [
                classes.setdefault(group := WordClass(upos, feats), group)
                if upos in _CONTENT and deprel not in _FIXED
                else None
                for upos, feats, deprel in rows
            ]
            bounds = pairwise(columns.starts)
            for sentence, (start, stop) in zip(block.sentences(), bounds, strict=True):
                yield sentence, every[start:stop], columns.lemmas[start:stop]


def exchange_words(
    dataset: Dataset, lexicon: WordClassLexicon, exchange: Exchange, seed: int
) -> Dataset:
    """Words are exchanged for others, or refused where too few have another: content words of test
    sentences, or of all. DataProblem.
    """
    rows = dataset.rows("test") if exchange == "test" else np.arange(len(dataset))
    used = np.unique(dataset.sites[rows, :, 0])
    numbers = {sentence: i for i, sentence in enumerate(dataset.sentences)}
    target = np.arange(len(dataset.sentences))
    content = changed = 0
    for old in used.tolist():
        before = dataset.sentences[old]
        after = lexicon.exchange(before, seed)
        places = lexicon.content(before)
        content += len(places)
        changed += sum(before.words[i] != after.words[i] for i in places)
        target[old] = numbers.setdefault(after, len(numbers))
    if changed < _LEAST * content or not changed:
        raise DataProblem(
            f"exchange={exchange}: only {changed:,} of {content:,} content words have another with"
            f" the same part of speech and features, of {_LEMMAS} lemmas or more; that is less than"
            f" {100 * _LEAST:.0f} %, so take a larger treebank, or one with fewer features"
        )
    sites = dataset.sites.copy()
    sites[rows, :, 0] = target[sites[rows, :, 0]]
    nonsense = replace(dataset, sentences=tuple(numbers), sites=sites)
    return prune_dataset(nonsense).with_notes(WordExchanges(changed, content, exchange, seed))
