"""What is encoded together before it is measured: everything, or, where vectors are not to be kept,
one encoder at a time on tasks that share sentences.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from lingprobe.data.core import Encoder, LayeredEncoder, PreparedEncoder, Sentence
from lingprobe.data.oracles import OracleEncoder
from lingprobe.experiment.data import load_sentences
from lingprobe.experiment.embed import slots_of
from lingprobe.experiment.groups import TrialGroup
from lingprobe.experiment.paths import RunPaths, close_stores
from lingprobe.experiment.room import EncodingPass
from lingprobe.store.claims import hold_claim

_FEW = 10  # tasks of which less than one sentence in so many is shared do not go together


class TrialBatch(NamedTuple):
    """Groups, and what is encoded for them."""

    groups: Sequence[TrialGroup]
    passes: Sequence[EncodingPass]


def split_groups(groups: Sequence[TrialGroup], paths: RunPaths) -> list[TrialBatch]:
    """`--dtype none` takes one encoder at a time: groups of a run in portions whose vectors are
    there together.
    """
    if not paths.passing:
        return [TrialBatch(groups, plan_passes(groups))]
    by_encoder: dict[str, list[TrialGroup]] = {}
    for group in groups:
        by_encoder.setdefault(group.vectors, []).append(group)
    return [
        TrialBatch(part, plan_passes(part))
        for sharing in by_encoder.values()
        for tasks in group_by_shared_sentences(
            {g.trials[0].task: set(_sentences([g])) for g in sharing}
        )
        for part in [[g for g in sharing if g.trials[0].task in tasks]]
    ]


def group_by_shared_sentences(tasks: Mapping[str, set[Sentence]]) -> list[set[str]]:
    """Tasks that share sentences, together."""
    found: list[tuple[set[str], set[Sentence]]] = []
    for task, sentences in tasks.items():
        near = [
            one
            for one in found
            if len(one[1] & sentences) * _FEW > min(len(one[1]), len(sentences))
        ]
        found = [one for one in found if one not in near]
        found.append(
            ({task}.union(*(one[0] for one in near)), sentences.union(*(one[1] for one in near)))
        )
    return [names for names, _ in found]


@contextmanager
def passing_vectors(paths: RunPaths) -> Iterator[None]:
    """`--dtype none`: vectors live only while their tasks are measured; those made inside are
    removed at the end, but a run that is stopped leaves them to the next one with the same results.
    """
    if not paths.passing:
        yield
        return
    with hold_claim(paths.vectors):
        yield
        close_stores()
        shutil.rmtree(paths.vectors, ignore_errors=True)


def plan_passes(groups: Iterable[TrialGroup]) -> list[EncodingPass]:
    """What is encoded for groups, by encoder; most read the same tasks, and share their
    sentences.
    """
    by_base: dict[str, list[TrialGroup]] = {}
    for group in groups:
        # those look at one data set, so they encode while measuring
        if not isinstance(group.encoder, PreparedEncoder | OracleEncoder):
            by_base.setdefault(group.vectors, []).append(group)
    found: dict[frozenset[str], list[Sentence]] = {}
    made = []
    for key, sharing in by_base.items():
        tasks = frozenset(group.trials[0].task for group in sharing)
        if tasks not in found:
            found[tasks] = _sentences(sharing)
        slots = slots_of(union_of(sharing))
        made.append(EncodingPass(key, sharing[0].encoder, slots, found[tasks], sharing))
    return made


def union_of(groups: Sequence[TrialGroup]) -> Encoder:
    """One encoder that yields every slot that the groups' encoders yield, so that one pass fills
    them all.
    """
    encoder: Any = groups[0].encoder
    if not isinstance(encoder, LayeredEncoder):
        return encoder  # type: ignore[no-any-return]
    slots = dict.fromkeys(
        slot for g in groups if isinstance(g.encoder, LayeredEncoder) for slot in g.encoder.slots
    )
    return encoder.asking(tuple(slots))


def _sentences(groups: Sequence[TrialGroup]) -> list[Sentence]:
    """The distinct sentences of the groups' data sets."""
    sentences: dict[Sentence, None] = {}
    for group in {g.trials[0].task: g for g in groups}.values():
        sentences |= dict.fromkeys(load_sentences(group.task, group.ingredients.task))
    return list(sentences)
