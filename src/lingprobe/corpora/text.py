"""Running text: one sentence a line, for the tasks that need no tree; as English treebanks cut it;
and what of it tells sentences apart.

Words are runs of letters, digits, the marks on them and the joiners between them, as Unicode has
them (UTS 18, annex C; the runs that UAX 29 does not break), with inner hyphens and apostrophes;
every other visible character is a word of its own, with what is combined with it (a grapheme
cluster of UAX 29). Composed and decomposed text is cut alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import regex
from numpy.typing import NDArray

from lingprobe.corpora.files import decode_text, read_chunks
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.data.core import DataProblem, Sentence

WORD_PATTERN = r"\w+(?:[-'’]\w+)*|(?=\S)\X"
"""A word of running text, or a mark of punctuation."""
_WORD = regex.compile(WORD_PATTERN)
_SPACELESS_SCRIPTS = (
    *("Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Han", "Hiragana", "Katakana", "Javanese"),
    *("Balinese", "Tai_Tham", "Tai_Le", "New_Tai_Lue"),
)
"""Scripts that are written without spaces between words, by their names in Unicode."""
_SPACELESS = {name: regex.compile(rf"\p{{Script={name}}}") for name in _SPACELESS_SCRIPTS}
_ANY_SPACELESS = regex.compile("|".join(pattern.pattern for pattern in _SPACELESS.values()))
_LETTER = regex.compile(r"\w")


def split_words(line: str) -> tuple[str, ...]:
    """The words of a line, marks of print included."""
    return tuple(_WORD.findall(line))


def find_spaceless_script(line: str) -> str:
    """The script of a line most of whose letters are of scripts without spaces between words, so
    that rules cannot cut it; '' of any other.
    """
    if line.isascii():
        return ""
    many = len(_ANY_SPACELESS.findall(line))
    if not many or 2 * many <= len(_LETTER.findall(line)):
        return ""
    return max(_SPACELESS_SCRIPTS, key=lambda name: len(_SPACELESS[name].findall(line))).replace(
        "_", " "
    )


def explain_uncut_text(script: str) -> str:
    """Why text in a script without spaces between words is refused, and what to do."""
    return (
        f"text in the script {script}, which has no spaces between words, so that no rule can cut"
        " it; use a tokenizer (lingprobe parse --tokens udpipe:MODEL), or a tokenised corpus"
        " (.conllu)"
    )


CONLLU_ROW_PROBLEM = "a row of CoNLL-U, not running text: let the name of the file end in .conllu"
_ROW = re.compile(rb"\d+(?:-\d+)?\t(?:[^\t]+\t){8}[^\t]+")


def is_row(line: bytes) -> bool:
    """Whether a line is a word of a treebank in CoNLL-U, which nobody means as running text."""
    return b"\t" in line and _ROW.fullmatch(line) is not None


def read_running_text(
    path: str | Path, on_error: OnError = "raise", tally: ProblemTally | None = None
) -> Iterator[Sentence]:
    """The sentences of a file, in order; blank lines and lines that begin with `# ` are no
    sentences. DataProblem for a line that cannot be split into words, unless `on_error` skips it.
    """
    tally = ProblemTally() if tally is None else tally
    number = 1
    forms: dict[str, str] = {}  # one string a distinct form
    for data in read_chunks(path):
        for raw in data.removesuffix(b"\n").split(b"\n"):
            try:
                line = decode_text(raw, path, number).strip()
                if is_row(raw):
                    raise DataProblem(f"{path}:{number}: {CONLLU_ROW_PROBLEM}")
                if script := find_spaceless_script(line):
                    raise DataProblem(f"{path}:{number}: {explain_uncut_text(script)}")
            except DataProblem as problem:
                if on_error == "raise":
                    raise
                tally.skip(str(problem))
                line = ""
            number += 1
            tokens = split_words(line)
            if tokens and not line.startswith("# "):
                tally.sentences += 1
                tally.words += len(tokens)
                yield Sentence(tuple(map(forms.setdefault, tokens, tokens)), line)


CLITIC_PATTERN = re.compile(r"(?i)(?<=\w)(n't|'(?:s|re|ve|ll|d|m))$")
"""The clitic that ends a word with straight quotes."""
_STRAIGHT = str.maketrans("‘’“”", "''\"\"")
_QUOTES = frozenset("‘’“”'\"")


def split_clitic(word: str) -> list[str]:
    """A word with straight quotes, its clitic split off."""
    straight = word.translate(_STRAIGHT)
    clitic = CLITIC_PATTERN.search(straight)
    return [straight] if clitic is None else [straight[: clitic.start()], clitic[0]]


def tokenize_words(words: Iterable[str]) -> tuple[str, ...]:
    """The words of running text as a treebank would have them; `_italics_` lose their marks, and
    quotes that curl keep their sides.
    """
    parts: list[str] = []
    for word in words:
        if word.isalpha() or word in _QUOTES:
            parts.append(word)
        elif bare := word.strip("_"):
            parts += split_clitic(bare)
    return tuple(parts)


# of ASCII what are no letters and digits
_MARKS = bytes(code for code in range(128) if not chr(code).isalnum())


class _Letters(dict[int, str | None]):
    """For each character what stays of it; found when it is first met."""

    def __missing__(self, code: int) -> str | None:
        self[code] = letter = chr(code) if unicodedata.category(chr(code))[0] in "LMN" else None
        return letter


_LETTERS = _Letters()


def strip_to_letters(text: str) -> str:
    """The letters (with the vowel signs of scripts that have them) and digits of a text, in lower
    case; '' where it has none.
    """
    if text.isascii():
        return text.lower().encode().translate(None, _MARKS).decode()
    return text.casefold().translate(_LETTERS)


# 2^64 over the golden ratio, odd: multiplying by it spreads low bits over the high ones
_MIXER = np.uint64(0x9E3779B97F4A7C15)


def hash_ngrams(text: str, longest: int) -> Iterator[NDArray[np.uint64]]:
    """A hash of each character n-gram, by where it begins [characters - n + 1], for n from 1 to
    `longest`; the highest bits are the best ones.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    run = np.zeros(len(codes), np.uint64)
    for n in range(min(longest, len(codes))):
        run = run[: len(codes) - n] * _MIXER + codes[n:] + np.uint64(1)
        yield run * _MIXER
