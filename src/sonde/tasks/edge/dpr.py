"""Definite pronouns of Winograd-like sentences: Rahman & Ng 2012, as White et al. 2017 recast them (Tenney et al. 2019, section 2.2).

Read from jiant's files, or from the recast text itself (`dpr_data.txt`: text, hypothesis, entailed, partof), which names more pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import chain
from typing import Literal

from sonde.core import SPLITS, DataProblem, Sentence
from sonde.sources.corpus import corpus, one_each
from sonde.sources.english import tokens
from sonde.sources.files import Part, lines, uncompressed
from sonde.sources.text import words
from sonde.tasks.edge.columns import Marked
from sonde.tasks.edge.family import Count, Kind, Options, edge
from sonde.tasks.edge.jsonl import marked

LABELS = ("entailed", "not-entailed")
_JSON = (".json", ".jsonl")
_NEEDED = ("text", "hypothesis", "entailed", "partof")
_OWNED = ("'s", "'")


@dataclass(frozen=True, slots=True)
class DprOptions(Options):
    """As all edge tasks.

    escapes  of jiant's files undo: `&apos;` is an apostrophe again; keep: as published
    """

    escapes: Literal["undo", "keep"] = field(default="undo", kw_only=True)


def pair(text: Sequence[str], hypothesis: Sequence[str]) -> tuple[int, int, int, int] | None:
    """The pronoun of a text and the words before it that the hypothesis has in its place; None where they cannot be told.

    Where the words stand there several times, the nearest to the pronoun are meant.
    """
    first = next((i for i, (a, b) in enumerate(zip(text, hypothesis, strict=False)) if a != b), min(len(text), len(hypothesis)))
    rest = min(len(text), len(hypothesis)) - first
    last = next((i for i in range(rest) if text[-1 - i] != hypothesis[-1 - i]), rest)
    if len(text) - last - first != 1:
        return None
    low = [word.lower() for word in text[:first]]
    named = [word.lower() for word in hypothesis[first : len(hypothesis) - last]]
    for wanted in (named, named[:-1] if named and named[-1] in _OWNED else []):
        for start in range(first - len(wanted), -1, -1) if wanted else ():
            if low[start : start + len(wanted)] == wanted:
                return first, first + 1, start, start + len(wanted)
    return None


def _recast(part: Part, options: DprOptions, count: Count) -> Iterator[Marked]:
    """The examples of the recast text, sentence by sentence, in order."""
    row: dict[str, str] = {}
    held: Marked | None = None
    first = 1
    for number, line in chain(lines(part.path), [(0, "")]):
        if line.strip():
            key, _, value = line.partition(":")
            first = first if row else number
            row[key.strip()] = value.strip()
            continue
        if not row:
            continue
        found = _example(row, f"{part.path}:{first}", options, count)
        row = {}
        if held and found and (held.sentence, held.split) == (found.sentence, found.split):
            held = held._replace(spans=[*held.spans, *found.spans], labels=[*held.labels, *found.labels])
        elif found:
            if held:
                yield held
            held = found
    if held:
        yield held


def _example(row: dict[str, str], where: str, options: DprOptions, count: Count) -> Marked | None:
    missing = [key for key in _NEEDED if key not in row]
    problem = f"no {missing[0]}: line" if missing else ""
    if not missing and (row["entailed"] not in LABELS or row["partof"] not in SPLITS):
        problem = f"entailed is {row['entailed']!r} and partof {row['partof']!r}"
    if problem:
        if options.on_error == "raise":
            raise DataProblem(f"{where}: {problem}")
        count.tally.skip(f"{where}: {problem}")
        return None
    text, hypothesis = (tokens(words(row[key].replace(" 's ", "'s "))) for key in ("text", "hypothesis"))
    count.tally.sentences += 1
    count.tally.words += len(text)
    span = pair(text, hypothesis)
    if span is None:
        count.left_out["examples whose pronoun or candidate cannot be told"] += 1
        return None
    return Marked(Sentence(text, row["text"]), [span], [row["entailed"]], row["partof"])


def _dpr(options: DprOptions, parts: list[Part], count: Count) -> Iterator[Marked]:
    for part in parts:
        if uncompressed(part.path).suffix in _JSON:
            for one in marked(part, options, count):
                yield one if options.escapes == "keep" else one._replace(sentence=Sentence.of(map(unescape, one.sentence.words)))
        else:
            yield from _recast(part, options, count)


def _parts(options: DprOptions) -> list[Part]:
    return one_each(corpus(options.paths, _JSON))


dpr = edge("edge/dpr", Kind("Does the pronoun stand for the second span?", _parts, _dpr), DprOptions)
