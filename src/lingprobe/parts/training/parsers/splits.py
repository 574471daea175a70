"""How well text is split into sentences, tokens and words, as the shared tasks count it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from lingprobe.annotators.segment import Cut
from lingprobe.data.core import DataProblem
from lingprobe.parts.training.parsers.layout import Paragraph, Token

Span = tuple[int, int]


class _Token(NamedTuple):
    """A token's words in lower case, and where it stands among the visible characters."""

    span: Span
    words: tuple[str, ...]


def segmentation(parsed: Iterable[Paragraph], gold: Iterable[Paragraph]) -> dict[str, float]:
    """F1 of tokens, sentences and words in percent, as conll18_ud_eval.py counts them (Zeman et al.
    2018). DataProblem where the two are not of the same text, whatever the spaces.

    Tokens and sentences are right where the same characters make them, and so are words that are
    tokens. Multiword tokens of either side make stretches of text, those that overlap one; words in
    a stretch are right where they are in the longest common sequence of its words, in lower case.
    (The script now and then lets a word into a stretch that stands before it.)
    """
    right, told = Counter[str](), Counter[str]()
    for mine, true in zip(parsed, gold, strict=True):
        if mine.text.replace(" ", "") != true.text.replace(" ", ""):
            raise DataProblem(f"not the same text was split: {true.text[:40]!r}")
        one, other = list(_tokens(mine)), list(_tokens(true))
        for name, spans in (
            ("Tokens", [{token.span for token in side} for side in (one, other)]),
            ("Sentences", [set(_sentences(each)) for each in (mine, true)]),
        ):
            right[name] += len(spans[0] & spans[1])
            told[name] += sum(map(len, spans))
        right["Words"] += _words(one, other)
        told["Words"] += sum(len(token.words) for token in (*one, *other))
    return {name: 200 * right[name] / max(n, 1) for name, n in told.items()}


def paragraph(text: str, cuts: Iterable[Cut]) -> Paragraph:
    """A text as something cut it into sentences and words. DataProblem where these are not made of
    the text's characters.
    """
    ends = [i + 1 for i, letter in enumerate(text) if letter != " "]
    tokens, seen = list[Token](), 0
    for cut in cuts:
        for form, words, last in _pieces(cut):
            seen += len(form.replace(" ", ""))
            if seen > len(ends):
                raise DataProblem(f"other characters than in the text: {cut.text[:40]!r}")
            tokens.append(Token(ends[seen - 1], words, last))
    return Paragraph(text, tuple(tokens))


def _pieces(cut: Cut) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """The form and the words of each token of a sentence, and whether it is the last."""
    covering, i = {r.start: r for r in cut.ranges}, 0
    while i < len(cut.words):
        r = covering.get(i)
        stop = r.stop if r else i + 1
        yield (r.form if r else cut.words[i]), cut.words[i:stop], stop == len(cut.words)
        i = stop


def _places(paragraph: Paragraph) -> list[int]:
    """How many visible characters stand before each place of a text."""
    return list(accumulate((letter != " " for letter in paragraph.text), initial=0))


def _tokens(paragraph: Paragraph) -> Iterator[_Token]:
    places, start = _places(paragraph), 0
    for token in paragraph.tokens:
        yield _Token((start, places[token.stop]), tuple(map(str.lower, token.words)))
        start = places[token.stop]


def _sentences(paragraph: Paragraph) -> Iterator[Span]:
    places, start = _places(paragraph), 0
    for token in paragraph.tokens:
        if token.last:
            yield start, places[token.stop]
            start = places[token.stop]


def _words(one: Sequence[_Token], other: Sequence[_Token]) -> int:
    """How many words of two splits of a text are the same."""
    stretches = list(_stretches(t.span for t in (*one, *other) if len(t.words) > 1))
    (mine, alone), (true, others) = (_divide_tokens(side, stretches) for side in (one, other))
    return len(alone & others) + sum(map(_longest, mine, true))


def _stretches(spans: Iterable[Span]) -> Iterator[Span]:
    """Spans, those that overlap as one."""
    held: Span | None = None
    for start, stop in sorted(spans):
        if held is not None and start < held[1]:
            held = held[0], max(held[1], stop)
            continue
        if held is not None:
            yield held
        held = start, stop
    if held is not None:
        yield held


def _divide_tokens(
    tokens: Sequence[_Token], stretches: Sequence[Span]
) -> tuple[list[list[str]], set[Span]]:
    """The words of the tokens in each stretch, and the other tokens."""
    inside, outside, at = [list[str]() for _ in stretches], set[Span](), 0
    for (start, stop), words in tokens:
        while at < len(stretches) and stretches[at][1] <= start:
            at += 1
        if at < len(stretches) and stretches[at][0] <= start and stop <= stretches[at][1]:
            inside[at] += words
        else:
            outside.add((start, stop))
    return inside, outside


def _longest(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common sequence."""
    row = [0] * (len(other) + 1)
    for mine in one:
        before = row
        row = [0]
        for i, true in enumerate(other):
            row.append(before[i] + 1 if mine == true else max(before[i + 1], row[i]))
    return row[-1]
