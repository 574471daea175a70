"""Marks of print at which sentences end, and those that ask, in any script.

Two scripts need more than a list: Greek asks with what is a semicolon elsewhere, and Armenian puts
its question mark on the word that is asked about, and may end a sentence with a colon.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import regex

from lingprobe.data.core import Sentence

_ASKING = frozenset("?;\u037e՞؟፧᥅‽⁇⁈⁉⳺⳻⸮⹔꘏꛷︖﹖？𑅃")
"""Question marks: what Unicode calls one, or an interrobang, but for those that open a question;
the semicolon in Greek alone.
"""
QUESTION_OPENING_MARKS = frozenset({"¿", "¿¡", "¡¿", "⸘"})
"""Marks that open a question."""
_ASKED_WORD = "՞"
"""The question mark that stands on a word."""
SENTENCE_END_PATTERN = r"\p{STerm}…\u037e"
"""The marks at which sentences end, as a class of `regex`."""
CLOSING_BRACKETS = frozenset(")]}）】")
QUOTATION_MARKS = frozenset("\"'”’»›」』“‘«*_~") | {"''", "``"}
_SMILES = frozenset({":)", ";)", ":-)", ":D", ":(", ";-)"})
CLOSING_MARKS = CLOSING_BRACKETS | QUOTATION_MARKS | _SMILES
_ENDING = regex.compile(rf"[{SENTENCE_END_PATTERN}{_ASKED_WORD}]+")
_OF_SCRIPT = {";": regex.compile(r"\p{Greek}"), ":": regex.compile(r"\p{Armenian}")}
"""Marks that end sentences of one script alone."""


def is_sentence_end(word: str, before: Sequence[str] = ()) -> bool:
    """Whether a word is a mark at which a sentence ends, which has some words before it."""
    if _ENDING.fullmatch(word):
        return True
    script = _OF_SCRIPT.get(word[:1]) if len(set(word)) == 1 else None
    lettered = next((w for w in reversed(before) if any(map(str.isalpha, w))), "")
    return script is not None and script.search(lettered) is not None


def final_mark(words: Sequence[str]) -> tuple[str, bool]:
    """A sentence's final mark ('' without one), and whether quotes close after it."""
    if words[-1] == ".":
        return ".", False
    quoted = False
    for i in reversed(range(len(words))):
        if words[i] not in CLOSING_MARKS:
            return (words[i], quoted) if is_sentence_end(words[i], words[:i]) else ("", quoted)
        quoted = quoted or words[i] in QUOTATION_MARKS
    return "", quoted


def classify_final_mark(mark: str) -> str:
    """`?`, `!`, `.` or `none` for a final mark, whatever the script and however often."""
    if not mark or mark == ".":
        return mark or "none"
    return "?" if not _ASKING.isdisjoint(mark) else "!" if "!" in mark or "！" in mark else "."


def find_question_mark(words: Sequence[str]) -> tuple[bool, bool]:
    """Whether a sentence has a question mark, one that makes it a question, and whether that stands
    inside quotes.

    The final mark, the last of several that follow each other (`? ...`), or one that opens the
    sentence (`¿`) or stands on a word.
    """
    mark, quoted = final_mark(words)
    if classify_final_mark(mark) == "?":
        return True, quoted
    within = next((i for i, word in enumerate(words) if _ASKED_WORD in word), None)
    if within is not None:
        return True, sum(word in QUOTATION_MARKS for word in words[:within]) % 2 == 1
    if _asks_before_other_marks(words):
        return True, quoted
    return words[0][:1] in QUESTION_OPENING_MARKS and not any(
        word in QUOTATION_MARKS for word in words
    ), False


def _asks_before_other_marks(words: Sequence[str]) -> bool:
    """Whether a question mark is among the marks at which the sentence ends."""
    for i in reversed(range(1, len(words))):
        word = words[i]
        if classify_final_mark(word) == "?" and is_sentence_end(word, words[:i]):
            return True
        if not is_sentence_end(word, words[:i]):
            return False
    return False


def strip_marks(sentence: Sentence) -> Sentence:
    """The sentence without its final mark and what follows it, and without marks that ask or open a
    question, wherever they stand.
    """
    words, text = sentence.words, sentence.text
    mark, _ = final_mark(words)
    if mark:
        last = len(words) - 1 - words[::-1].index(mark)
        words, text = words[:last] or words, text[: text.rfind(mark)].rstrip() or text
    if _ASKED_WORD in text:
        kept = (word.replace(_ASKED_WORD, "") for word in words)
        words, text = tuple(filter(None, kept)) or words, text.replace(_ASKED_WORD, "")
    for asking in {word for word in words if _only_asks(word)}:
        words = tuple(word for word in words if word != asking) or words
        text = " ".join(text.replace(asking, " ").split()) or text
    return sentence if not mark and text == sentence.text else Sentence(words, text)


def _only_asks(word: str) -> bool:
    """Whether a word is a mark that asks, or opens a question; a semicolon is none."""
    return word in QUESTION_OPENING_MARKS or (
        classify_final_mark(word) == "?" and is_sentence_end(word)
    )


_POINTS = regex.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u034f"  # Hebrew, and its joiner
    "\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8"
    "\u06ea-\u06ed\u08d3-\u08e1\u08e3-\u08ff"  # Arabic, without what tells letters apart
    "\u0730-\u074a\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d"  # Syriac, Samaritan
    "\u0951-\u0954\u1cd0-\u1cf9\ua8e0-\ua8f1"  # accents of Vedic
    "\u135d-\u135f\u0483-\u0487\ua66f"  # Ethiopic gemination, Church Slavonic
    r"\p{Cf}\uFE00-\uFE0F]+"  # what is not seen: joiners, soft hyphens, directions
    r"|(?<=\p{Coptic}\p{M}*)\p{M}+"  # strokes over letters
    r"|(?<=[аеиоуыэюяіѣѵѡѧѫꙗѥєꙋ]\u0308?)[\u0300-\u0302\u030f\u0311]+"  # stress in Cyrillic
)
_GRAVE = regex.compile(r"(?<=\p{Greek}\p{M}*)\u0300")
_SECOND_ACCENT = regex.compile(r"(?<=\p{Greek}\p{M}*[\u0301\u0342].*)\u0301")


@lru_cache(maxsize=1 << 16)
def fold_marks(word: str) -> str:
    """A word in lower case without the marks that texts in its script have or not: vowel points,
    cantillation and stretching (Hebrew, Arabic, Syriac), accents of Vedic, Coptic strokes, stress
    in Cyrillic, and what is not seen. Other marks tell letters apart, and stay.
    """
    lower = word.lower()
    if lower.isascii():
        return lower
    apart = unicodedata.normalize("NFD", lower)
    bare = _SECOND_ACCENT.sub("", _GRAVE.sub("\u0301", _POINTS.sub("", apart)))
    return lower if bare == apart or not bare else unicodedata.normalize("NFC", bare)


@lru_cache(maxsize=1 << 16)
def fold_form(word: str) -> str:
    """What stands for all spellings of a word form where no form is to be in two splits: ignoring
    case, marks that its script may leave out, and how its characters are encoded.
    """
    return fold_marks(unicodedata.normalize("NFKC", word)).casefold()
