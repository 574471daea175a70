"""Relations between nominals: SemEval-2010 Task 8 (Hendrickx et al. 2009; Tenney et al. 2019,
section 2.2).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from lingprobe.corpora.corpus import keep_one_file_per_split, list_corpus_files
from lingprobe.corpora.files import (
    CorpusPart,
    checked_lines,
    uncompressed_path,
)
from lingprobe.data.core import Sentence
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

_SHARE, _SEED = 0.85, 42  # of the lines of train, drawn as the paper's code draws them
_ROW = re.compile(r'(\d+)\s+"(.*)"\s*')
_TAG = re.compile(r"(</?e[12]>)")
_LABEL = re.compile(r"Other|[A-Za-z-]+\((e1,e2|e2,e1)\)")
_JSON = (".json", ".jsonl")
_ARGUMENTS = (
    "the relation that a nominal stands in, and whether as its first or its second argument, at"
    " each of its words"
)


@dataclass(frozen=True, slots=True)
class SemEvalOptions(EdgeTaskOptions):
    """As all edge tasks; from the original files (TRAIN_FILE.TXT, TEST_FILE_FULL.TXT) or from
    jiant's.
    """

    words: Annotated[
        Literal["published", "cut"],
        Help(
            "published: what stands between spaces, so that a mark sticks to the word before"
            " (`elements.`), as in the paper; cut: words and marks are cut where the annotated"
            " nominals begin and end"
        ),
    ] = field(default="published", kw_only=True)
    dev: Annotated[
        Literal["published", "carved"],
        Help(
            "published: the 1,149 lines of train that the paper's code draws; carved: a tenth of"
            " train, by `seed`"
        ),
    ] = field(default="published", kw_only=True)


class NominalRelation(NamedTuple):
    """A sentence with two nominals, and the relation between them."""

    sentence: Sentence
    span: tuple[int, int, int, int]
    label: str


def parse_relation(text: str, label: str, cut: bool = False) -> NominalRelation:
    """A relation from a text with <e1> and <e2>, which `words=cut` parts from punctuation;
    ValueError where these do not mark one stretch of words each.
    """
    plain, bounds = "", {}
    for piece in _TAG.split(text):
        if _TAG.fullmatch(piece):
            if piece in bounds:
                raise ValueError(f"{piece} occurs twice in the sentence")
            bounds[piece] = len(plain)
        else:
            plain += piece
    if len(bounds) != 4:
        raise ValueError("the sentence does not have <e1>...</e1> and <e2>...</e2>")
    words = [(m.start(), m.end()) for m in re.finditer(r"\S+", plain)]
    if cut:
        words = [
            pair
            for a, b in words
            for pair in pairwise(sorted({a, b, *(c for c in bounds.values() if a < c < b)}))
        ]
    ends: list[int] = []
    for k in "12":
        inside = [
            i for i, (a, b) in enumerate(words) if a < bounds[f"</e{k}>"] and b > bounds[f"<e{k}>"]
        ]
        if not inside:
            raise ValueError(f"<e{k}> contains no word")
        ends += [inside[0], inside[-1] + 1]
    return NominalRelation(
        Sentence(tuple(plain[a:b] for a, b in words), plain),
        (ends[0], ends[1], ends[2], ends[3]),
        label,
    )


def _original(
    part: CorpusPart, options: SemEvalOptions, count: ReadingTally
) -> Iterator[tuple[NominalRelation, str]]:
    """The relations of an original file, of whose train the published part is dev, unless
    `dev=carved`.
    """
    draw = random.Random(_SEED) if part.split == "train" and options.dev == "published" else None  # noqa: S311
    for number, rows, unreadable in _records(part):
        split = "dev" if draw is not None and draw.random() >= _SHARE else part.split
        try:
            if unreadable:
                raise ValueError(unreadable)
            example = _parse_relation(rows, options.words == "cut")
        except ValueError as problem:
            count.tally.refuse(f"{part.path}:{number}: {problem}", options.on_error)
            continue
        count.tally.sentences += 1
        count.tally.words += len(example.sentence.words)
        yield example, split


def _records(part: CorpusPart) -> Iterator[tuple[int, list[str], str]]:
    """The lines of each sentence with the number of the first, and what cannot be read among them
    ('' as a rule).
    """
    first, rows, wrong = 0, list[str](), ""
    for number, text, unreadable in chain(checked_lines(part.path), [(0, "", "")]):
        line = text.strip()
        if (rows or wrong) and not unreadable and (not line or _ROW.fullmatch(line)):
            yield first, rows, wrong
            rows, wrong = [], ""
        if line or unreadable:
            first = number if unreadable or not (rows or wrong) else first
            rows, wrong = [*rows, line], wrong or unreadable


def _parse_relation(rows: list[str], cut: bool) -> NominalRelation:
    """The relation that a sentence, a label and maybe a comment tell; ValueError where they do
    not.
    """
    row = _ROW.fullmatch(rows[0])
    if row is None:
        raise ValueError(f"{rows[0][:40]!r} is not a number and a sentence in quotes")
    if len(rows) < 2 or not _LABEL.fullmatch(rows[1]):
        raise ValueError(
            "the line after the sentence is not a relation such as Cause-Effect(e1,e2) or Other"
        )
    return parse_relation(row[2], rows[1], cut)


def _semeval(
    options: SemEvalOptions, parts: list[CorpusPart], count: ReadingTally
) -> Iterator[SentenceTargets]:
    drawn = not any(part.split == "dev" for part in parts)
    for part in parts:
        if uncompressed_path(part.path).suffix in _JSON:
            yield from read_record_targets(part, options, count)
            continue
        for example, split in _original(
            part, options if drawn else replace(options, dev="carved"), count
        ):
            yield SentenceTargets(example.sentence, [example.span], [example.label], split)


def _argument_facts(sentence: Sentence, mine: Sequence[MultiLabelTarget]) -> Facts:
    """Cause-Effect(e2,e1) makes the second nominal a cause and the first an effect."""
    units: list[list[str]] = [[] for _ in sentence.words]
    for target in mine:
        for label in target.labels:
            relation, _, order = label.partition("(")
            one, two = (target.ends[:2], target.ends[2:])[:: -1 if order == "e2,e1)" else 1]
            mark_span_words(units, one, f"{relation} first")
            mark_span_words(units, two, f"{relation} second")
    return units


def _find_task_files(options: SemEvalOptions) -> list[CorpusPart]:
    """The files that were named; of a folder, the two of the task, or jiant's, of which train.all
    holds dev as well.
    """
    named = {Path(path).expanduser() for path in options.paths}
    files = list_corpus_files(options.paths, (".txt", *_JSON))
    halved = any(part.split == "dev" for part in files)
    return keep_one_file_per_split(
        [
            part
            for part in files
            if part.path in named or _is_data_file(uncompressed_path(part.path).name, halved)
        ]
    )


def _is_data_file(name: str, halved: bool) -> bool:
    return (
        not (halved and ".all." in name)
        if name.endswith(_JSON)
        else "TRAIN_FILE" in name or "TEST_FILE_FULL" in name
    )


semeval = define_edge_task(
    "edge/semeval",
    TargetFinder(
        "Which relation holds between the two spans?",
        _find_task_files,
        _semeval,
        oracles={"arguments": oracle_of(_semeval, _ARGUMENTS, _argument_facts)},
    ),
    SemEvalOptions,
)
