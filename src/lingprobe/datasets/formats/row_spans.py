"""Spans that cells of a table say: the words as they stand in the text, or [start, end] from 0,
where the end is behind the last.

Numbers count words of a text that is a list. Of a text in one piece they count its words, as what
stands between white space, or its characters: whichever fits the first rows; the user is asked
where both do, or neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from sys import intern
from typing import Any, Literal

from lingprobe.corpora.strict import short_json
from lingprobe.corpora.text import split_words as cut
from lingprobe.data.core import DataProblem, Sentence, Site
from lingprobe.data.errors import LingprobeError

Offsets = Literal["words", "characters"]
MIN_CONSISTENT_ROW_SHARE = 0.9  # of the rows show what a table has; the others are slips
_NUMBERS = re.compile(r"\s*[\[(]\s*(\d+)\s*,\s*(\d+)\s*[\])]\s*")
_FORM = "a span is [start, end) counted from 0, or its words as they occur in the text"


class BadRow(LingprobeError, ValueError):
    """What is wrong with a row."""


def read_span(cells: Sequence[Any]) -> tuple[int, int] | str:
    """What one cell, or two with start and end, say: two numbers, or words."""
    cell = cells[0] if len(cells) == 1 else list(cells)
    if isinstance(cell, dict) and {"start", "end"} <= cell.keys():
        cell = [cell["start"], cell["end"]]
    if isinstance(cell, str) and (found := _NUMBERS.fullmatch(cell)):
        return int(found[1]), int(found[2])
    if isinstance(cell, str) and cell.strip():
        return cell.strip()
    if isinstance(cell, list) and len(cell) == 2:
        numbers = [int(n) if isinstance(n, str) and n.strip().isdecimal() else n for n in cell]
        if all(type(n) is int for n in numbers):
            return numbers[0], numbers[1]
    raise BadRow(f"{_FORM}, not {short_json(cell)}")


def find_site(text: str | list[str], span: tuple[int, int] | str, offsets: str) -> Site:
    """The words of a text that a span covers; a word of which it covers a part counts whole."""
    if isinstance(text, list) and not isinstance(span, str):
        return _count_words(Sentence.of(text), span)
    if isinstance(text, list):
        wanted = str(span).split()
        many = len(wanted)
        found = [i for i in range(len(text)) if text[i : i + many] == wanted]
        return Site(Sentence.of(text), (start := _only(found, span), start + many))
    if isinstance(span, str):
        pattern = rf"(?<!\w){re.escape(span)}(?!\w)"
        start = _only([found.start() for found in re.finditer(pattern, text)], span)
        span = (start, start + len(span))
    elif offsets != "characters":
        return _count_words(Sentence.of(map(intern, text.split()), text), span)
    if not (0 <= span[0] < span[1] <= len(text) and text[slice(*span)].strip()):
        raise BadRow(f"span {list(span)} is empty in a text of {len(text)} characters")
    words = cut(text)
    places = enumerate(_find_word_places(words, text))
    inside = [i for i, (start, stop) in places if start < span[1] and span[0] < stop]
    return Site(Sentence.of(map(intern, words), text), (inside[0], inside[-1] + 1))


def decide_offsets(
    rows: Iterable[tuple[Any, tuple[int, int] | str]], location: str
) -> Offsets | Literal[""]:
    """What numbers count in some texts, '' where there are none. DataProblem where that may be
    either.
    """
    some = [(text, span) for text, span in rows if isinstance(text, str) and type(span) is tuple]
    if not some:
        return ""
    words = all(start < stop <= len(text.split()) for text, (start, stop) in some)
    signs = sum(
        spans_whole_words(text, *span) for text, span in some
    ) >= MIN_CONSISTENT_ROW_SHARE * len(some)
    if words == signs:
        both = "words or characters" if words else "neither words nor characters, as it seems"
        raise DataProblem(
            f"{location}: the numbers of its spans count {both}: add offsets=words or"
            " offsets=characters to the task"
        )
    return "words" if words else "characters"


def _count_words(sentence: Sentence, span: tuple[int, int]) -> Site:
    many = len(sentence.words)
    if not 0 <= span[0] < span[1] <= many:
        raise BadRow(f"span {list(span)} is not [start, end) of words 0 to {many}")
    return Site(sentence, span)


def _only(found: Sequence[int], span: object) -> int:
    """Where words stand that stand in one place."""
    if len(found) != 1:
        often = f"occurs in the text {len(found)} times" if found else "does not occur in the text"
        raise BadRow(f"{str(span)[:40]!r} {often}; say where by [start, end]")
    return found[0]


def _find_word_places(words: Iterable[str], text: str) -> Iterator[tuple[int, int]]:
    """Where words lie in the text that they were cut from."""
    stop = 0
    for word in words:
        start = text.index(word, stop)
        stop = start + len(word)
        yield start, stop


def spans_whole_words(text: str, start: int, stop: int) -> bool:
    """Whether characters begin and end where words do."""
    inside = text[start:stop]
    return (
        start < stop <= len(text)
        and inside == inside.strip()
        and not (text[:start][-1:].isalnum() and inside[:1].isalnum())
        and not (inside[-1:].isalnum() and text[stop : stop + 1].isalnum())
    )
