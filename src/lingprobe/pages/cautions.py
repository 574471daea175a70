"""What has to be said of scores beside controls, and of those that the length of a sentence could
give.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from lingprobe.analysis.frame import FrameRow
from lingprobe.analysis.row import NO_CONTROL, said_of
from lingprobe.datasets.controls import find_control, is_randomised
from lingprobe.metrics.clusters import MIN_SEED_COUNT
from lingprobe.pages.captions import shorten_task
from lingprobe.tables.table import format_number
from lingprobe.tasks.baseline_names import LENGTH_BASELINE


def length_notes(rows: Sequence[FrameRow]) -> Iterator[str]:
    """Notes on one token that holds most of the norm, beside tasks where `length` alone beats the
    constant answer.
    """
    lengths = {row.task: row for row in rows if row.encoder == LENGTH_BASELINE}
    told: dict[tuple[str, str, str], dict[str, None]] = {}
    for row in rows:
        length = lengths.get(row.task)
        helps = length is None or length.low > length.majority
        if row.constant_token and helps:
            key = row.encoder, said_of(row.layer), row.constant_token
            told.setdefault(key, {})[shorten_task(row.task)] = None
    for (encoder, read, token), tasks in told.items():
        yield (
            f"{encoder}{read}: {token} has most of the norm of a sentence, so mean pooling encodes"
            f" sentence length, which may explain the score on {', '.join(tasks)}: compare"
            " pool=rest or special=false."
        )


def control_notes(rows: Sequence[FrameRow]) -> list[str]:
    """How often controls were drawn, and what there is to know of those that can be answered by
    remembering words.
    """
    return [*_draws(rows), *_memory(rows)]


def model_notes(rows: Sequence[FrameRow]) -> Iterator[str]:
    """Which models a probe chose, a sentence a probe; the log losses that it compared are in the
    rows.
    """
    chosen = {(row.probe, row.task, row.encoder): row for row in rows if row.model}
    for probe in dict.fromkeys(name for name, _, _ in chosen):
        own = [row for key, row in chosen.items() if key[0] == probe]
        counts = Counter(row.model for row in own).most_common()
        models = [f"{model} ({n} of {len(own)})" for model, n in counts]
        named = counts[0][0] if len(counts) == 1 else " or ".join(models)
        if any(row.compared for row in own):
            named += ", chosen for a task and an encoder by the log loss of held-out predictions"
        kept = "; controls keep the choice" * is_controlled(rows, probe)
        yield f"{probe}: {named}{kept}."


def is_controlled(rows: Sequence[FrameRow], probe: str) -> bool:
    """Whether a probe was fitted to controls of the task itself, too."""
    return any(row.probe == probe and row.control != NO_CONTROL for row in rows)


def _draws(rows: Sequence[FrameRow]) -> Iterator[str]:
    """Over how many draws of their labels the scores of controls are."""
    draws: dict[str, set[int]] = {}
    for row in rows:
        if is_randomised(find_control(row.control)):
            draws.setdefault(row.control, set()).add(row.draws)
    for control, counts in draws.items():
        few, most = min(counts), max(counts)
        many = f"{few} to {most}" if few < most else f"{most}"
        lack = "do not cover" if most < MIN_SEED_COUNT else "cover"
        where = (
            f" where there are at least {MIN_SEED_COUNT}" if few < MIN_SEED_COUNT <= most else ""
        )
        yield (
            f"{control}: {many} sample{'s' * (most > 1)} of the control; intervals {lack} variation"
            f" between samples{where}."
        )


def _memory(rows: Sequence[FrameRow]) -> list[str]:
    """What there is to know of controls that can be answered by remembering words."""
    controls = {(row.task, row.control): row for row in rows if not math.isnan(row.keys_seen)}
    if not controls:
        return []
    keys = [
        f"{shorten_task(task)}, {control}: {row.keyed}; {format_number(row.keys_seen)} % of the"
        " test examples have a key that is in train."
        for (task, control), row in controls.items()
    ]
    return [
        (
            "selectivity: the score minus the control's score, over the same examples, with its 95"
            " % interval. key seen, unseen: the control's score on test examples whose key does or"
            " does not occur in train."
        ),
        *keys,
    ]
