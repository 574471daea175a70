"""Definite pronouns of Winograd-like sentences: Rahman & Ng 2012, as White et al. 2017 recast them
(Tenney et al. 2019, section 2.2).

Read from jiant's files, or from the recast text itself (`dpr_data.txt`: text, hypothesis, entailed,
partof), which names more pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import chain
from typing import Annotated, Literal

from lingprobe.corpora.corpus import keep_one_file_per_split, list_corpus_files
from lingprobe.corpora.files import (
    CorpusPart,
    checked_lines,
    uncompressed_path,
)
from lingprobe.corpora.text import split_words, tokenize_words
from lingprobe.data.core import DATA_SPLITS, Sentence
from lingprobe.data.options import Help
from lingprobe.data.oracles import Facts
from lingprobe.tasks.edge.columns import SentenceTargets
from lingprobe.tasks.edge.facts import MultiLabelTarget, mark_span_words, oracle_of
from lingprobe.tasks.edge.family import (
    EdgeTaskOptions,
    ReadingTally,
    TargetFinder,
    define_edge_task,
)
from lingprobe.tasks.edge.jsonl import read_record_targets

_LABELS = ("entailed", "not-entailed")
_NAMES = "the number of the person that the pronoun or a candidate stands for, at each of its words"
_JSON = (".json", ".jsonl")
_NEEDED = ("text", "hypothesis", "entailed", "partof")
_OWNED = ("'s", "'")


@dataclass(frozen=True, slots=True)
class DprOptions(EdgeTaskOptions):
    """As all edge tasks."""

    escapes: Annotated[
        Literal["undo", "keep"],
        Help("of jiant's files undo: `&apos;` is an apostrophe again; keep: as published"),
    ] = field(default="undo", kw_only=True)


def find_pronoun_pair(
    text: Sequence[str], hypothesis: Sequence[str]
) -> tuple[int, int, int, int] | None:
    """The pronoun of a text and the words before it that the hypothesis has in its place; None
    where they cannot be told.

    Where the words stand there several times, the nearest to the pronoun are meant.
    """
    first = next(
        (i for i, (a, b) in enumerate(zip(text, hypothesis, strict=False)) if a != b),
        min(len(text), len(hypothesis)),
    )
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


def _recast(
    part: CorpusPart, options: DprOptions, count: ReadingTally
) -> Iterator[SentenceTargets]:
    """The examples of the recast text, sentence by sentence, in order."""
    held: SentenceTargets | None = None
    for number, row, wrong in _read_key_value_blocks(part):
        example = _example(row, wrong, f"{part.path}:{number}", options, count)
        if held and example and (held.sentence, held.split) == (example.sentence, example.split):
            held = held._replace(
                spans=[*held.spans, *example.spans], labels=[*held.labels, *example.labels]
            )
        elif example:
            if held:
                yield held
            held = example
    if held:
        yield held


def _read_key_value_blocks(part: CorpusPart) -> Iterator[tuple[int, dict[str, str], str]]:
    """What each block of lines `key: value` says, the number of its first line, and what is wrong
    with one of them.
    """
    first, row, wrong = 0, dict[str, str](), ""
    for number, line, unreadable in chain(checked_lines(part.path), [(0, "", "")]):
        if unreadable or line.strip():
            key, _, value = line.partition(":")
            problem = unreadable or (
                f"a second line `{key.strip()}:`; a blank line parts examples"
                if key.strip() in row
                else ""
            )
            first = number if not (row or wrong) or (problem and not wrong) else first
            wrong = wrong or problem
            row[key.strip()] = value.strip()
        elif row or wrong:
            yield first, row, wrong
            row, wrong = {}, ""


def _wrong(row: dict[str, str]) -> str:
    """What is wrong with what a block says, '' for nothing."""
    for key in _NEEDED:
        if not row.get(key):
            return f"no line `{key}:`, or nothing on it"
    for key, known in (("entailed", _LABELS), ("partof", DATA_SPLITS)):
        if row[key] not in known:
            return f"{key} is {row[key]!r}, not one of {', '.join(known)}"
    return ""


def _example(
    row: dict[str, str], wrong: str, where: str, options: DprOptions, count: ReadingTally
) -> SentenceTargets | None:
    if problem := wrong or _wrong(row):
        count.tally.refuse(f"{where}: {problem}", options.on_error)
        return None
    text, hypothesis = (
        tokenize_words(split_words(row[key].replace(" 's ", "'s ")))
        for key in ("text", "hypothesis")
    )
    count.tally.sentences += 1
    count.tally.words += len(text)
    span = find_pronoun_pair(text, hypothesis)
    if span is None:
        count.left_out["examples whose pronoun or candidate is not found"] += 1
        return None
    return SentenceTargets(Sentence(text, row["text"]), [span], [row["entailed"]], row["partof"])


def _dpr(
    options: DprOptions, parts: list[CorpusPart], count: ReadingTally
) -> Iterator[SentenceTargets]:
    """Pronouns with their possible antecedents; `escapes=keep` keeps the escapes of the files."""
    for part in parts:
        if uncompressed_path(part.path).suffix in _JSON:
            for one in read_record_targets(part, options, count):
                yield (
                    one
                    if options.escapes == "keep"
                    else one._replace(sentence=Sentence.of(map(unescape, one.sentence.words)))
                )
        else:
            yield from _recast(part, options, count)


def _person_facts(sentence: Sentence, mine: Sequence[MultiLabelTarget]) -> Facts:
    """Whom the pronoun and each candidate stand for: all that is entailed for one, and each other
    candidate for another.
    """
    units: list[list[str]] = [[] for _ in sentence.words]
    people = {target.ends[:2]: 1 for target in mine} | {
        target.ends[2:]: 1 for target in mine if target.labels == _LABELS[:1]
    }
    for target in mine:
        people.setdefault(target.ends[2:], len(people) + 1)
    for span, number in people.items():
        mark_span_words(units, span, f"person {number}")
    return units


def _list_corpus_parts(options: DprOptions) -> list[CorpusPart]:
    return keep_one_file_per_split(list_corpus_files(options.paths, _JSON))


dpr = define_edge_task(
    "edge/dpr",
    TargetFinder(
        "Does the pronoun stand for the second span?",
        _list_corpus_parts,
        _dpr,
        oracles={"names": oracle_of(_dpr, _NAMES, _person_facts)},
    ),
    DprOptions,
)
