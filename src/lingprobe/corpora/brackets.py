"""Constituency trees in brackets (Penn Treebank style), read as a stream: `read_brackets(path)`
yields one `BracketTree` a sentence.

Trees stand one a line or over many, several to a line or with text indented as one likes. Where a
file is damaged, reading goes on at the next line that begins as the file's first tree does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lingprobe.corpora.files import decode_text, read_chunks
from lingprobe.corpora.historical import TRACE_TAG, is_historical, strip_lemmas
from lingprobe.corpora.rendering import render_words
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.errors import LingprobeError
from lingprobe.data.vectors import Ints

BRACKET_SUFFIXES = (
    ".mrg",
    ".ptb",
    ".parse",
    ".psd",
    ".prd",
    ".tree",
    ".trees",
    ".penn",
    ".brackets",
)
"""What the name of a file of trees ends in, before .gz or .xz."""
_ROOT = "ROOT"
_WRAPPERS = frozenset({"", "ROOT", "TOP", "S1"})  # what the outermost bracket is called
_LONGEST = 1 << 24  # bytes without an end of a tree, after which a file holds no trees

_TOKEN = re.compile(r"\(\s*([^\s()]+)\s+([^\s()]+)\s*\)|\(\s*([^\s()]*)|(\))|([^\s()]+)", re.ASCII)
_WRAPPED = re.compile(rb"\s*\((?:(?:ROOT|TOP|S1)\b|\s*(?:\(|$))", re.ASCII)
_WRAPPER = re.compile(rb"^\((?:(?:ROOT|TOP|S1)\b|\s*\()", re.ASCII | re.MULTILINE)
_BRACKET = re.compile(rb"^\(", re.MULTILINE)
_ESCAPED = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LCB-": "{",
    "-RCB-": "}",
    "-LSB-": "[",
    "-RSB-": "]",
    "\\/": "/",
    "\\*": "*",
}
_ESCAPE = re.compile("|".join(map(re.escape, _ESCAPED)))
_QUOTES = {"``": '"', "''": '"'}


class BracketChild(NamedTuple):
    """A constituent: a phrase, whose node is given, or a bare word (node -1) by its tag; it spans
    the words [start, stop).
    """

    label: str
    start: int
    stop: int
    node: int


class BracketTree(NamedTuple):
    """One sentence with its phrases, in preorder: node 0 is ROOT, a phrase stands before those
    inside it.

    words, tags   the terminals, unescaped, and their preterminals' labels; preterminals are no
                  nodes
    labels        of the phrases, without function tags; functions: what was cut off, as '-SBJ-1' or
                  '=2', '' for nothing
    starts, stops the words that each phrase spans; parents: the node above, -1 for ROOT; below: the
    constituents right below it
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    functions: tuple[str, ...]
    starts: tuple[int, ...]
    stops: tuple[int, ...]
    parents: tuple[int, ...]
    below: tuple[tuple[BracketChild, ...], ...]
    file: str
    line: int

    @property
    def sentence(self) -> Sentence:
        """The words, and a readable string of them."""
        return Sentence(self.words, render_words(self.words, self.tags))

    def children(self, node: int) -> tuple[BracketChild, ...]:
        """The constituents right below a phrase, in order: phrases and bare words."""
        return self.below[node]

    def has(self, node: int, function: str) -> bool:
        """Whether a phrase has a function tag, as 'SBJ' or 'TMP'."""
        return node >= 0 and function in self.functions[node].split("-")


class _Words(dict[str, str]):
    """Terminals as written -> unescaped."""

    def __missing__(self, raw: str) -> str:
        word = self[raw] = _QUOTES.get(raw) or _ESCAPE.sub(lambda match: _ESCAPED[match[0]], raw)
        return word


class _Labels(dict[str, tuple[str, str]]):
    """Labels as written -> the label and its function tags; one that begins with a hyphen (-LRB-)
    has none.
    """

    def __missing__(self, raw: str) -> tuple[str, str]:
        cut = (
            next((i for i, c in enumerate(raw) if c in "-=" and i), len(raw))
            if raw[0] != "-"
            else len(raw)
        )
        self[raw] = raw[:cut], raw[cut:]
        return self[raw]


@dataclass(frozen=True, slots=True)
class InternedStrings:
    """One string a distinct word, tag and label, so that many trees do not hold each many times."""

    words: _Words = field(default_factory=_Words)
    tags: dict[str, str] = field(default_factory=dict)
    labels: _Labels = field(default_factory=_Labels)


class _Fault(LingprobeError):
    """What is wrong with a tree, and at which token of it."""


def read_brackets(
    path: str | Path,
    on_error: OnError = "raise",
    tally: ProblemTally | None = None,
    *,
    traces: bool = False,
    strings: InternedStrings | None = None,
) -> Iterator[BracketTree]:
    """The trees of a file in brackets, in order, by default with traces, and the phrases that hold
    nothing else, removed.

    What is wrong with it is a DataProblem that names file and line; trees of nothing but traces are
    counted as skipped.
    """
    tally = ProblemTally() if tally is None else tally
    strings = strings or InternedStrings()
    for line, data, problem in _tree_texts(path):
        try:
            if problem:
                foreign = _foreign(data.decode("utf-8", "replace"))
                raise DataProblem(f"{path}:{line}: {problem}{foreign}")
            tree = _tree(decode_text(data, path, line), path, line, strings, traces)
        except DataProblem as wrong:
            tally.refuse(wrong, on_error)
            continue
        if not tree.words:
            tally.skip(f"{path}:{line}: a tree without words, or of nothing but traces")
            continue
        tally.sentences += 1
        tally.words += len(tree.words)
        yield tree


def parse_brackets(text: str, path: str | Path, line: int) -> BracketTree:
    """The tree that a text stands for, which begins on a line of a file; DataProblem where it is
    not one whole tree.
    """
    data = text.encode("utf-8", "surrogatepass")
    cuts = list(_cut(data, _BRACKET))
    if len(cuts) != 1 or cuts[0][2] or data[cuts[0][1] :].strip():
        raise DataProblem(
            f"{path}:{line}: the brackets are not those of one whole tree ({text[:40]!r})"
        )
    return _tree(text, path, line, InternedStrings(), False)


def format_terminal(tag: str, word: str) -> str:
    """A word with its tag in brackets."""
    return f"({tag} {word.replace('(', '-LRB-').replace(')', '-RRB-')})"


_UNCLOSED = "a bracket is not closed before the next tree begins"
_OUTSIDE = "text outside brackets; only trees and blank lines are allowed"
_UNOPENED = "a bracket is closed that was never opened"


def _tree_texts(path: str | Path) -> Iterator[tuple[int, bytes, str]]:
    """The text of each tree with the line on which it begins, and what is wrong with its brackets
    ('' for nothing).
    """
    rest, line, beginning = b"", 1, None
    for data in read_chunks(path):
        rest += data
        if beginning is None and rest.strip():
            beginning = _WRAPPER if _WRAPPED.match(rest) else _BRACKET
        used = 0
        for start, stop, problem in _cut(rest, beginning or _BRACKET):
            line += rest.count(b"\n", used, start)
            yield line, rest[start:stop], problem
            line += rest.count(b"\n", start, stop)
            used = stop
        rest = rest[used:]
        if len(rest) > _LONGEST:
            raise DataProblem(
                f"{path}:{line}: no tree ends within {_LONGEST >> 20} MiB; is this a file of"
                " bracketed trees?"
            )
    if left := rest.strip():
        line += rest.count(b"\n", 0, rest.index(left))
        yield (
            line,
            left,
            (
                _UNCLOSED.replace("the next tree begins", "the file ends")
                if left.startswith(b"(")
                else _OUTSIDE
            ),
        )


def _cut(data: bytes, beginning: re.Pattern[bytes]) -> Iterator[tuple[int, int, str]]:
    """Where each tree that ends in these bytes starts and stops, and what is wrong with it; what is
    left may go on later.
    """
    codes = np.frombuffer(data, np.uint8)
    opening = codes == ord("(")
    at = np.flatnonzero(opening | (codes == ord(")")))
    step = np.where(opening[at], 1, -1)
    depth = np.cumsum(step)
    starts = [match.start() for match in beginning.finditer(data)]
    places = np.searchsorted(at, np.array(starts, np.int64))
    if not ((depth < 0).any() or (depth - step)[places].any()):
        yield from _find_tree_spans(data, 0, (at[depth == 0] + 1).tolist())
        return
    bounds = zip([0, *starts], [*starts, None], [0, *places], [*places, None], strict=True)
    for start, stop, first, last in bounds:
        yield from _segment(data, start, stop, at[first:last], step[first:last])


def _find_tree_spans(data: bytes, start: int, stops: list[int]) -> Iterator[tuple[int, int, str]]:
    for stop in stops:
        opens = data.index(b"(", start)
        if data[start:opens].strip():
            yield _next(data, start), opens, _OUTSIDE
        yield opens, stop, ""
        start = stop


def _segment(
    data: bytes, start: int, stop: int | None, at: Ints, step: Ints
) -> Iterator[tuple[int, int, str]]:
    """The trees from one beginning to the next; where brackets do not match, the rest of it is
    damaged.
    """
    depth = np.cumsum(step)
    under = np.flatnonzero(depth < 0)
    sound = int(under[0]) if under.size else len(at)
    ends = (at[:sound][depth[:sound] == 0] + 1).tolist()
    yield from _find_tree_spans(data, start, ends)
    start = ends[-1] if ends else start
    if under.size:
        stop = len(data) if stop is None else stop
        yield _next(data, start), stop, _UNOPENED
    elif stop is not None and data[start:stop].strip():
        start = _next(data, start)
        yield start, stop, _UNCLOSED if data[start : start + 1] == b"(" else _OUTSIDE


def _next(data: bytes, start: int) -> int:
    """Where the next visible character is."""
    return start + len(data[start:]) - len(data[start:].lstrip())


def _tree(
    text: str, path: str | Path, line: int, strings: InternedStrings, traces: bool
) -> BracketTree:
    """The tree that a balanced text stands for."""
    tokens = _TOKEN.findall(text)
    if is_historical(text):
        try:
            tokens = strip_lemmas(tokens)
        except ValueError as problem:
            raise DataProblem(f"{path}:{line}: {problem}") from None
    first = tokens[0]
    wrapped = not first[0] and first[2] in _WRAPPERS
    try:
        return _grown(tokens[1:-1] if wrapped else tokens, strings, traces, str(path), line)
    except _Fault as fault:
        message, number = fault.args
        match = list(_TOKEN.finditer(text))[number + wrapped]
        line += text.count("\n", 0, match.start())
        told = f"{message} ({match[0][:40]!r}){_foreign(text)}"
        raise DataProblem(f"{path}:{line}: {told}") from None


_FOREIGN = {
    "the Sinica Treebank, `#1:1.[0] S(agent:NP(...))#`": re.compile(r"\s*#\d+:\d+\.\[\d+\]"),
    "AnCora and CESS, `(tag word lemma)`": re.compile(r"\([^\s()]+ [^\s()]+ [^\s()]+\)"),
}


def _foreign(text: str) -> str:
    """What is to be said of text in a format that some treebanks have for themselves."""
    name = next((name for name, pattern in _FOREIGN.items() if pattern.search(text)), "")
    return f"; this is the format of {name}; write each leaf as (TAG word)" if name else ""


_STRAY = "a word beside phrases, or without a tag of its own"
_UNLABELLED = "a bracket without a label"
_EMPTY = "a phrase without words"


def _grown(
    tokens: list[tuple[str, str, str, str, str]],
    strings: InternedStrings,
    traces: bool,
    path: str,
    line: int,
) -> BracketTree:
    words, tags = list[str](), list[str]()
    labels, starts, stops, parents, node = [(_ROOT, "")], [0], [0], [-1], 0
    below: list[list[BracketChild]] = [[]]
    word_of, label_of, same = strings.words, strings.labels, strings.tags.setdefault
    for number, (tag, word, label, closed, stray) in enumerate(tokens):
        if tag:
            if tag != TRACE_TAG or traces:
                below[node].append(BracketChild(same(tag, tag), len(words), len(words) + 1, -1))
                words.append(word_of[word])
                tags.append(below[node][-1].label)
        elif closed:
            if tokens[number - 1][2]:
                raise _Fault(_EMPTY, number)
            above = parents[node]
            if below[node]:
                stops[node] = len(words)
                below[above].append(BracketChild(labels[node][0], starts[node], len(words), node))
            else:  # nothing but traces, and the phrases within have gone before
                del labels[node], starts[node], stops[node], parents[node], below[node]
            node = above
        elif stray or not label:
            raise _Fault(_STRAY if stray else _UNLABELLED, number)
        else:
            parents.append(node)
            node = len(labels)
            labels.append(label_of[label])
            starts.append(len(words))
            stops.append(0)
            below.append([])
    stops[0] = len(words)
    names, functions = zip(*labels, strict=True)
    spans = tuple(starts), tuple(stops), tuple(parents)
    return BracketTree(
        tuple(words), tuple(tags), names, functions, *spans, tuple(map(tuple, below)), path, line
    )
