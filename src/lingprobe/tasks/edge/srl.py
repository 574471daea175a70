"""Semantic roles: which role does the second span play in the event of the first? (Tenney et al.
2019, section 2.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Literal

from lingprobe.corpora import conll2012
from lingprobe.corpora.conll2012 import Conll2012Sentence, LabelledSpan
from lingprobe.corpora.corpus import list_corpus_files
from lingprobe.corpora.files import CorpusPart
from lingprobe.data.options import Help
from lingprobe.tasks.edge.columns import SentenceTargets
from lingprobe.tasks.edge.facts import make_role_oracle
from lingprobe.tasks.edge.family import (
    EdgeTaskOptions,
    ReadingTally,
    TargetFinder,
    define_edge_task,
)

_PREDICATE = "V"
_CORE = re.compile(r"ARG[0-5A](?!M)")


@dataclass(frozen=True, slots=True)
class SrlOptions(EdgeTaskOptions):
    """As all edge tasks; from CoNLL-2012 columns (.gold_conll), OntoNotes' or PropBank's."""

    roles: Annotated[
        Literal["all", "core", "non-core"],
        Help("all: as annotated; core: ARG0 to ARG5 and ARGA only; non-core: ARGM-... only"),
    ] = field(default="all", kw_only=True)


def classify_role(role: str) -> str:
    """The kind of role (`core`) of a label: core, non-core, a reference (R-) to another argument or
    the continuation (C-) of one.
    """
    if role.startswith("R-"):
        return "reference"
    if role.startswith("C-"):
        return "continuation"
    return "core" if _CORE.match(role) else "non-core"


def list_predicate_arguments(
    block: Conll2012Sentence, count: ReadingTally
) -> list[tuple[LabelledSpan, LabelledSpan]]:
    """The predicate and the argument of every target, in the order of predicates and of words."""
    pairs = []
    for spans in block.arguments():
        verbs = [span for span in spans if span.label == _PREDICATE]
        arguments = [span for span in spans if span.label != _PREDICATE]
        if not verbs:
            count.left_out["arguments of a predicate that is not marked V"] += len(arguments)
            continue
        pairs += [
            (verbs[0], argument)
            for argument in sorted(arguments, key=lambda s: (s.start, s.stop, s.label))
        ]
    return pairs


def _srl(
    options: SrlOptions, parts: list[CorpusPart], count: ReadingTally
) -> Iterator[SentenceTargets]:
    """Predicates with their arguments; `roles=core` or `non-core` reads only those."""
    for part in parts:
        for block in conll2012.read_conll2012(part.path, options.on_error, count.tally):
            pairs = count.try_reading(
                options.on_error, partial(list_predicate_arguments, block, count)
            )
            if pairs is None:
                continue
            kinds = [classify_role(argument.label) for _, argument in pairs]
            if options.roles != "all":
                count.left_out[f"roles that are not {options.roles}"] += len(kinds) - kinds.count(
                    options.roles
                )
                pairs = [
                    pair for pair, kind in zip(pairs, kinds, strict=True) if kind == options.roles
                ]
                kinds = [options.roles] * len(pairs)
            count.left_out["sentences without arguments"] += not pairs
            spans = [
                (verb.start, verb.stop, argument.start, argument.stop) for verb, argument in pairs
            ]
            yield SentenceTargets(
                block.sentence, spans, [a.label for _, a in pairs], part.split, {"core": kinds}
            )


def _find_task_files(options: SrlOptions) -> list[CorpusPart]:
    return list_corpus_files(options.paths, conll2012.CONLL2012_SUFFIXES)


srl = define_edge_task(
    "edge/srl",
    TargetFinder(
        "Which role does the second span play in the event of the first?",
        _find_task_files,
        _srl,
        oracles=make_role_oracle(_srl),
    ),
    SrlOptions,
)
