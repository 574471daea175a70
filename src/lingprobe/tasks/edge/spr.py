"""Semantic proto-roles: which properties has the argument in the event? (Reisinger et al. 2015;
Tenney et al. 2019, section 2.1).

SPR1 (Reisinger et al. 2015) is read from Rudinger's or jiant's files, or from the published table
and the Penn Treebank; SPR2 (White et al. 2016) from jiant's files, or from the published table and
a treebank; UDS (White et al. 2020) from its JSON.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from itertools import groupby
from pathlib import Path
from typing import Annotated

from lingprobe.corpora import brackets, protoroles
from lingprobe.corpora import spr1 as spr1_files
from lingprobe.corpora.corpus import keep_one_file_per_split, list_corpus_files
from lingprobe.corpora.files import (
    CorpusPart,
    checked_lines,
    uncompressed_path,
)
from lingprobe.corpora.protoroles import ArgumentPlace, NumberedSentences
from lingprobe.data import references as naming
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.labels import Label
from lingprobe.data.options import Help
from lingprobe.tasks.edge.columns import SentenceTargets
from lingprobe.tasks.edge.facts import make_role_oracle
from lingprobe.tasks.edge.family import (
    EDGE_TREE_SUFFIXES,
    EdgeTaskOptions,
    ReadingTally,
    TargetFinder,
    define_edge_task,
)
from lingprobe.tasks.edge.jsonl import read_record_targets

_LIKELY = 3.0  # the mean response beyond which a property of SPR1 holds (jiant's converter)
# the mean response, from 1 to 5, from which on a property holds (Rudinger et al. 2018, in jiant's
# converter)
_HOLDS = 4.0
_JSON = (".json", ".jsonl")


@dataclass(frozen=True, slots=True)
class SprOptions(EdgeTaskOptions):
    """As all edge tasks; from jiant's files, or from protoroles_eng_ud1.2_11082016.tsv, which has
    no sentences.
    """

    treebank: Annotated[
        naming.PlaceOption | None,
        Help(
            "where the sentences are: UD English 1.2, or with `ids` any release of UD English EWT"
        ),
    ] = field(default=None, kw_only=True)
    ids: Annotated[
        naming.PlaceOption | None,
        Help("ud_ids.json of UDS, which says what the sentences of release 1.2 are called"),
    ] = field(default=None, kw_only=True)
    soft: Annotated[
        bool,
        Help(
            "labels have weights, the mean response from 1 to 5 as 0 to 1, and only properties"
            " that were asked about count"
        ),
    ] = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Spr1Options(EdgeTaskOptions):
    """As all edge tasks; from Rudinger's file, jiant's files, or protoroles_eng_pb_08302015.tsv,
    which has no sentences.
    """

    treebank: Annotated[
        naming.PlaceOption | None,
        Help(
            "for the table: the Penn Treebank's folder of the Wall Street Journal (LDC99T42), with"
            " files as wsj_1778.mrg"
        ),
    ] = field(default=None, kw_only=True)
    soft: Annotated[
        bool,
        Help("labels have weights, the mean response from 1 to 5 as 0 to 1"),
    ] = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class UdsOptions(EdgeTaskOptions):
    """As all edge tasks; from normalized_protoroles.zip of UDS 1.0."""

    treebank: Annotated[
        naming.PlaceOption,
        Help(
            "where the sentences are: UD English 1.2, or with `ids` any release of UD English EWT"
        ),
    ] = field(kw_only=True)
    ids: Annotated[
        naming.PlaceOption | None,
        Help("ud_ids.json of UDS; without, the treebank is release 1.2"),
    ] = field(default=None, kw_only=True)
    soft: Annotated[
        bool,
        Help(
            "labels have weights, the logistic function of the normalized value, instead of"
            " holding where it is above 0"
        ),
    ] = field(default=False, kw_only=True)


Said = tuple[ArgumentPlace, str, Label]
"""Where a predicate and its argument stand, the argument's words in lower case ('' where untold),
and the properties.
"""


def _place_annotations(
    said: Iterable[Said], bank: NumberedSentences, count: ReadingTally
) -> Iterator[SentenceTargets]:
    """Annotations without text as targets in the sentences of `treebank=` that they number; what
    does not fit there is excluded and counted.
    """
    ordered = sorted(said, key=lambda one: (one[0].split, one[0].sentence))
    for (split, _), group in groupby(ordered, key=lambda one: (one[0].split, one[0].sentence)):
        annotations = list(group)
        sentence = bank.sentence(annotations[0][0])
        if sentence is None:
            count.left_out["arguments whose sentence the treebank does not have"] += len(
                annotations
            )
            continue
        fitting = [one for one in annotations if _matches_phrase(one[0], one[1], sentence)]
        count.left_out["arguments whose sentence is cut into other words there"] += len(
            annotations
        ) - len(fitting)
        yield SentenceTargets(
            sentence,
            [p.predicate + p.argument for p, _, _ in fitting],
            [label for _, _, label in fitting],
            split,
        )


def _matches_phrase(place: ArgumentPlace, phrase: str, sentence: Sentence) -> bool:
    start, stop = place.argument
    if max(stop, place.predicate[1]) > len(sentence.words):
        return False
    return not phrase or _letters(" ".join(sentence.words[start:stop])) == _letters(
        unescape(phrase)
    )


def _letters(text: str) -> str:
    """Letters and digits, without accents and capitals: quotes and dashes have changed between
    releases.
    """
    return "".join(c for c in unicodedata.normalize("NFKD", text).casefold() if c.isalnum())


def _spr2(
    options: SprOptions, parts: list[CorpusPart], count: ReadingTally
) -> Iterator[SentenceTargets]:
    for part in _without(parts, options):
        if uncompressed_path(part.path).suffix == ".tsv":
            if options.treebank is None:
                raise DataProblem(
                    f"{part.path} has no sentences: write treebank=FOLDER for UD English 1.2, or"
                    " for a later release with ids=FILE"
                )
            bank = NumberedSentences.read(options.treebank, options.ids, options.on_error)
            yield from _place_annotations(_read_answers(part, options, count), bank, count)
        elif options.soft:
            raise DataProblem(
                f"{part.path} has no responses, which soft=true needs: name the published table,"
                " and a treebank"
            )
        else:
            yield from read_record_targets(part, options, count)


def _read_answers(part: CorpusPart, options: SprOptions, count: ReadingTally) -> Iterator[Said]:
    """The properties of arguments in SPR2: one holds if its mean answer is 4 or more; `soft=true`
    gives weights instead.
    """
    for place, answers in protoroles.read_spr2(part.path, options.on_error, count.tally).items():
        means = answers.means()
        if not means:
            count.left_out["arguments to which nobody found a property applicable"] += 1
        elif options.soft:
            yield (
                place,
                answers.phrase,
                {
                    name: (means[name] - 1) / 4 if name in means else 0.0
                    for name in answers.responses
                },
            )
        else:
            yield (
                place,
                answers.phrase,
                frozenset(name for name, mean in means.items() if mean >= _HOLDS),
            )


def _uds(
    options: UdsOptions, parts: list[CorpusPart], count: ReadingTally
) -> Iterator[SentenceTargets]:
    bank = NumberedSentences.read(options.treebank, options.ids, options.on_error, count.tally)
    for part in _without(parts, options):
        said = (
            (place, "", _weights(values, options.soft))
            for place, values in protoroles.read_uds(part.path, options.on_error, count.tally)
        )
        yield from _place_annotations(said, bank, count)


def _weights(values: Mapping[str, float], soft: bool) -> Label:
    """The properties of an argument in UDS: one holds if its value is above 0; `soft=true` gives
    weights instead.
    """
    return {
        name: 1 / (1 + math.exp(-value)) if soft else float(value > 0)
        for name, value in values.items()
    }


def _spr_parts(options: SprOptions) -> list[CorpusPart]:
    files = keep_one_file_per_split(
        [
            part
            for part in list_corpus_files(options.paths, (".tsv", *_JSON))
            if "adjunct" not in part.path.name
        ]
    )
    return files + _list_side_files(options.treebank, options.ids)


def _uds_parts(options: UdsOptions) -> list[CorpusPart]:
    return [CorpusPart("", Path(path).expanduser()) for path in options.paths] + _list_side_files(
        options.treebank, options.ids
    )


def _list_side_files(treebank: str | None, ids: str | None) -> list[CorpusPart]:
    """The treebank's files, and the table of identifiers."""
    return [
        *(list_corpus_files([treebank], EDGE_TREE_SUFFIXES) if treebank else ()),
        *([CorpusPart("", Path(ids).expanduser())] if ids else ()),
    ]


def _without(parts: list[CorpusPart], options: SprOptions | UdsOptions) -> list[CorpusPart]:
    """The files of annotations alone."""
    beside = {part.path for part in _list_side_files(options.treebank, options.ids)}
    return [part for part in parts if part.path not in beside]


def _spr1(
    options: Spr1Options, parts: list[CorpusPart], count: ReadingTally
) -> Iterator[SentenceTargets]:
    lost, beside = spr1_files.UnplacedArguments(), {part.path for part in _trees(options)}
    for part in parts:
        if part.path in beside:
            continue
        if uncompressed_path(part.path).suffix == ".tsv":
            if options.treebank is None:
                raise DataProblem(
                    f"{part.path} has no sentences: write treebank=FOLDER for the Penn Treebank's"
                    " files of the Wall Street Journal (LDC99T42), as wsj_1778.mrg"
                )
            yield from _each(
                spr1_files.read_published_table(
                    part.path, options.treebank, options.on_error, count.tally, lost
                ),
                "",
                options.soft,
            )
        elif _of_jiant(part):
            if options.soft:
                raise DataProblem(
                    f"{part.path} has no responses, which soft=true needs: name Rudinger's file or"
                    " the published table"
                )
            yield from read_record_targets(part, options, count)
        else:
            yield from _each(
                spr1_files.read_annotated_arguments(part.path, options.on_error, count.tally),
                part.split,
                options.soft,
            )
    for why, many in lost.why.items():
        (count.also if why.startswith("(kept) ") else count.left_out)[
            why.removeprefix("(kept) ")
        ] += many


def _each(
    annotations: Iterable[spr1_files.AnnotatedArgument], split: str, soft: bool
) -> Iterator[SentenceTargets]:
    """The arguments of a sentence in SPR1: a property holds if its mean answer is above 3;
    `soft=true` gives weights instead.
    """
    for (sentence, said), group in groupby(annotations, key=lambda one: (one.sentence, one.split)):
        mine = list(group)
        labels: list[Label] = [
            (
                {name: (mean - 1) / 4 for name, mean in one.responses.items()}
                if soft
                else frozenset(name for name, mean in one.responses.items() if mean > _LIKELY)
            )
            for one in mine
        ]
        yield SentenceTargets(
            sentence, [one.predicate + one.argument for one in mine], labels, split or said
        )


def _of_jiant(part: CorpusPart) -> bool:
    """Whether the first record of a file is one of jiant's, with text and targets."""
    first = next(
        (line for _, line, unreadable in checked_lines(part.path) if (line or unreadable).strip()),
        "",
    )
    return '"targets"' in first


def _spr1_parts(options: Spr1Options) -> list[CorpusPart]:
    return keep_one_file_per_split(
        list_corpus_files(options.paths, (".tsv", ".sprl", *_JSON))
    ) + _trees(options)


def _trees(options: Spr1Options) -> list[CorpusPart]:
    return (
        list_corpus_files([options.treebank], brackets.BRACKET_SUFFIXES) if options.treebank else []
    )


_ASKS = "Which properties has the second span in the event of the first?"
spr1 = define_edge_task(
    "edge/spr1",
    TargetFinder(_ASKS, _spr1_parts, _spr1, oracles=make_role_oracle(_spr1)),
    Spr1Options,
)
spr2 = define_edge_task(
    "edge/spr2", TargetFinder(_ASKS, _spr_parts, _spr2, oracles=make_role_oracle(_spr2)), SprOptions
)
uds = define_edge_task(
    "edge/uds", TargetFinder(_ASKS, _uds_parts, _uds, oracles=make_role_oracle(_uds)), UdsOptions
)
