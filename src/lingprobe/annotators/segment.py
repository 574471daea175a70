"""Text -> sentences and their words: by rules that say what they are, or by what a parser's own
tokenizer has learnt.

The rules: a sentence ends at `.`, `!`, `?` or `…`, with the quotes and brackets that close after
it, before a space and what is no small letter, but not after an initial or one of some English and
Polish abbreviations; any other mark that ends sentences in Unicode (STerm: the danda, the Arabic
question mark) ends one, too. Words are those of `lingprobe.corpora.text`, and English clitics (n't,
's, 're, 've, 'll, 'd, 'm) are split off. Characters stay as they are. Text in a script without
spaces between words is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import regex

from lingprobe.corpora import text as running
from lingprobe.corpora.marks import SENTENCE_END_PATTERN
from lingprobe.corpora.trees import MultiwordToken
from lingprobe.data.core import DataProblem

_ABBREVIATIONS = frozenset({
    "mr", "mrs", "ms", "dr", "st", "prof", "rev", "hon", "capt", "col", "gen", "lt", "sgt", "jr",
    "sr", "vs", "etc", "no", "vol", "pp", "ch", "fig", "cf", "e.g", "i.e", "viz", "messrs", "mme",
    "mlle", "np", "tzn", "tj", "ul", "ks", "św", "m.in", "im",
})  # fmt: skip
_END = regex.compile(rf"[{SENTENCE_END_PATTERN}]+[\"'”’»)\]]*(?=\s)|[。！？]+[」』”’）]*")
_LAST = re.compile(r"([\w.]*\w)\.$")
_OPENING = "\"'“‘«„([¿¡—–- "


class SegmentedSentence(NamedTuple):
    """A sentence as it was cut: its words, its text, and the multiword tokens (with MISC `_`)."""

    words: tuple[str, ...]
    text: str
    ranges: tuple[MultiwordToken, ...] = ()


@runtime_checkable
class TextSegmenter(Protocol):
    """Cuts text into sentences and words; the same text gives the same ones."""

    @property
    def name(self) -> str:
        """What it is called in files that it cut."""
        ...

    @property
    def fingerprint(self) -> str:
        """Tells it from another."""
        ...

    def segment(self, text: str, *, is_sentence: bool = False) -> Iterator[SegmentedSentence]:
        """The sentences of a passage in one line; with `is_sentence` it is one. DataProblem where
        it cannot be cut.
        """
        ...


@dataclass(frozen=True)
class RuleSegmenter:
    """Sentences and words by rules."""

    name = "rules"
    fingerprint = "2"

    def segment(self, text: str, *, is_sentence: bool = False) -> Iterator[SegmentedSentence]:
        if script := running.find_spaceless_script(text):
            raise DataProblem(running.explain_uncut_text(script))
        for sentence in [text] if is_sentence else split_sentences(text):
            if found := segment_words(sentence):
                yield SegmentedSentence(found, sentence)


def segment_words(text: str) -> tuple[str, ...]:
    """The words of a sentence, English clitics (*n't*) split off."""
    parts = []
    for word in running.split_words(text):
        at = len(running.split_clitic(word)[0])
        parts += [word] if at == len(word) else [word[:at], word[at:]]
    return tuple(parts)


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, without the spaces around them: one ends at `.`, `!`, `?`, `…` or
    another final mark, if a space follows.
    """
    found, start = [], 0
    for end in _END.finditer(text):
        if _ends(text[start : end.start() + 1], text[end.end() : end.end() + 20]):
            found.append(text[start : end.end()].strip())
            start = end.end()
    return [*found, *filter(None, [text[start:].strip()])]


def _ends(before: str, after: str) -> bool:
    """Whether a sentence ends at a mark, the last of `before`: if no lower-case letter follows, nor
    an abbreviation is before it.
    """
    if before[-1] in "。！？":
        return True
    last = _LAST.search(before[-20:])
    if last and (last[1].lower() in _ABBREVIATIONS or (len(last[1]) == 1 and last[1].isupper())):
        return last[1] == "I"  # which is no initial, as a rule
    return not after.lstrip(_OPENING)[:1].islower()


def by_places(text: str, places: Sequence[tuple[int, int]]) -> SegmentedSentence | None:
    """A sentence whose words stand at some places of a text, which begin and end it; None where
    there are none.
    """
    kept = [(start, stop) for start, stop in places if text[start:stop].strip()]
    if not kept:
        return None
    found = tuple("".join(text[start:stop].split()) for start, stop in kept)
    return SegmentedSentence(found, text[kept[0][0] : kept[-1][1]])
