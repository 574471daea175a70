"""Edge probing data in jiant's JSON lines, read without loss; `lingprobe build --format jiant`
writes them back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Literal

from lingprobe.corpora import edges
from lingprobe.corpora.corpus import keep_one_file_per_split, list_corpus_files
from lingprobe.corpora.edges import SentenceRecord, SpanTarget
from lingprobe.corpora.files import CorpusPart
from lingprobe.data.core import DATA_SPLITS, Sentence
from lingprobe.data.labels import Label
from lingprobe.data.options import Help
from lingprobe.datasets.formats.jiant import SENTENCE_RECORD_STRATUM, TARGET_INFO_STRATUM
from lingprobe.tasks.edge.columns import SentenceTargets
from lingprobe.tasks.edge.facts import make_span_or_pair_oracle
from lingprobe.tasks.edge.family import (
    EDGE_TASK_METRICS,
    MICRO_F1_METRIC,
    EdgeTaskOptions,
    ReadingTally,
    TargetFinder,
    define_edge_task,
)

_SUFFIXES = (".json", ".jsonl")
As = Literal["pos", "const", "dep", "entities", "srl", "coref", "spr1", "spr2", "dpr", "semeval"]


@dataclass(frozen=True, slots=True)
class JsonlOptions(EdgeTaskOptions):
    """As all edge tasks."""

    as_: Annotated[
        As | None,
        Help(
            "the task that the targets are of, as coref: they are judged as it is, and stand in"
            " its column of a paper's table"
        ),
    ] = field(default=None, kw_only=True)
    metric: Annotated[
        str | None,
        Help("how answers are judged, where that is neither micro-f1 nor what `as` says"),
    ] = field(default=None, kw_only=True)

    @property
    def metric_name(self) -> str:
        """How answers are judged."""
        return self.metric or EDGE_TASK_METRICS.get(self.as_ or "", MICRO_F1_METRIC)


def read_record_targets(
    file: CorpusPart, options: EdgeTaskOptions, count: ReadingTally
) -> Iterator[SentenceTargets]:
    """The records of a file with their targets; all else that they say is in strata, from which
    they can be written again.
    """
    shape = None
    for record in edges.read_edge_records(file.path, options.on_error, count.tally):
        shapes = {
            (target.span2 is None, isinstance(target.label, str)) for target in record.targets
        }
        shape = shape or next(iter(shapes), None)
        if shape is not None and shapes - {shape}:
            problem = (
                f"{_kind(*(shapes - {shape}).pop())}, but the first target has {_kind(*shape)}; one"
                " data set holds one kind of target"
            )
            count.tally.refuse(f"{file.path}:{record.line}: {problem}", options.on_error)
            continue
        count.left_out["sentences without targets"] += not record.targets
        yield SentenceTargets(
            Sentence(record.words, record.text),
            [t.span1 if t.span2 is None else t.span1 + t.span2 for t in record.targets],
            [_read_target_label(t) for t in record.targets],
            file.split or _info_split(record),
            _list_record_strata(record),
        )


def _info_split(record: SentenceRecord) -> str:
    """The split that a record's info says, '' for none."""
    info = record.more.get("info")
    split = info.get("split") if isinstance(info, dict) else None
    return split if split in DATA_SPLITS else ""


def _kind(single: bool, one: bool) -> str:
    return (
        f"{'one span' if single else 'two spans'} with {'one label' if one else 'a list of labels'}"
    )


def _read_target_label(target: SpanTarget) -> Label:
    return target.label if isinstance(target.label, str) else frozenset(target.label)


def _list_record_strata(record: SentenceRecord) -> dict[str, list[str]]:
    """What a record says beside spans and labels; numbers and truth values of a target's info are
    tags of their own too.
    """
    strata = {
        SENTENCE_RECORD_STRATUM: [json.dumps([record.line, record.more], ensure_ascii=False)]
        * len(record.targets)
    }
    for i, target in enumerate(record.targets):
        more = dict(target.more)
        if isinstance(target.label, tuple) and list(target.label) != sorted(target.label):
            more["label"] = list(target.label)  # a set forgets their order
        if more:
            strata.setdefault(TARGET_INFO_STRATUM, [""] * len(record.targets))[i] = json.dumps(
                more, ensure_ascii=False
            )
        info = more.get("info")
        for key, value in info.items() if isinstance(info, dict) else ():
            if isinstance(value, bool | int) and key not in (
                TARGET_INFO_STRATUM,
                SENTENCE_RECORD_STRATUM,
            ):
                strata.setdefault(key, [""] * len(record.targets))[i] = str(value).lower()
    return strata


def _find_task_files(options: JsonlOptions) -> list[CorpusPart]:
    return keep_one_file_per_split(list_corpus_files(options.paths, _SUFFIXES))


def _targets(
    options: JsonlOptions, parts: list[CorpusPart], count: ReadingTally
) -> Iterator[SentenceTargets]:
    for part in parts:
        yield from read_record_targets(part, options, count)


jsonl = define_edge_task(
    "edge/jsonl",
    TargetFinder(
        "Which label has the span, or the pair of spans?",
        _find_task_files,
        _targets,
        oracles=make_span_or_pair_oracle(_targets),
    ),
    JsonlOptions,
)
