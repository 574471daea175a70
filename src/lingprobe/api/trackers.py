"""Scores of a run, logged to TensorBoard or Weights & Biases through their own packages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.row import NO_CONTROL, PERCENT_SCALE, said_of
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.data.core import Result
from lingprobe.data.errors import UsageProblem, describe_install
from lingprobe.experiment.shards import WHOLE_WORK_SHARE, WorkShare
from lingprobe.pages.captions import name_encoders, shorten_task

Points = Mapping[int, Mapping[str, float]]
"""Values by name, by layer; what is of no single layer is at 0."""
Log = Callable[[str, str, Points], None]
"""Logs an encoder's points to a place: a folder, or a project."""


def check_tracker(log_to: str | None, shard: WorkShare) -> None:
    """Refuse what is no tracker, or not installed, and shares of a run. UsageProblem."""
    if log_to is None:
        return
    name, _, _ = log_to.partition(":")
    if name not in _TRACKERS:
        raise UsageProblem(f"log_to={log_to!r}: write tensorboard[:FOLDER] or wandb[:PROJECT]")
    if shard != WHOLE_WORK_SHARE:
        raise UsageProblem("log_to: a share of a run has not all scores; leave it out")
    if find_spec(name) is None:
        raise UsageProblem(f"log_to={log_to!r} needs {name}: {describe_install('track')}")


def log_scores(results: Sequence[Result], log_to: str | None) -> None:
    """Log scores to a tracker, each encoder as a run of its own, over its layers: the score of each
    task from 0 to 1, the bounds of its interval, and its number of test examples.

    log_to  'tensorboard:FOLDER' or 'wandb:PROJECT'; nothing is logged without
    """
    if log_to is None:
        return
    name, _, place = log_to.partition(":")
    usual, log = _TRACKERS[name]
    by_encoder = defaultdict(list)
    for row in compute_scores(ResultFrame.of(results)):
        by_encoder[row.encoder].append(row)
    names = name_encoders(by_encoder)
    for encoder, of_encoder in by_encoder.items():
        log(place or usual, names.get(encoder, encoder), list_points(of_encoder))


def list_points(rows: Iterable[FrameRow]) -> Points:
    """What a tracker gets of an encoder's rows: scores from 0 to 1, bounds of intervals (`/low`,
    `/high`) and test examples (`/n`).
    """
    found: dict[int, dict[str, float]] = defaultdict(dict)
    for row in rows:
        numbered = row.layer.isdecimal()
        control = "" if row.control == NO_CONTROL else f", {row.control}"
        layer = "" if numbered else said_of(row.layer)
        tag = f"{shorten_task(row.task)}, {row.probe}{control}{layer}"
        found[int(row.layer) if numbered else 0] |= {
            tag: row.score / PERCENT_SCALE,
            f"{tag}/low": row.low / PERCENT_SCALE,
            f"{tag}/high": row.high / PERCENT_SCALE,
            f"{tag}/n": row.n,
        }
    return dict(sorted(found.items()))


def _to_tensorboard(folder: str, encoder: str, points: Points) -> None:
    from torch.utils.tensorboard import SummaryWriter

    place = Path(folder).expanduser() / re.sub(r"[^\w.=,-]+", "_", encoder)
    with SummaryWriter(str(place)) as writer:
        for layer, values in points.items():
            for tag, value in values.items():
                writer.add_scalar(tag, value, layer)


def _to_wandb(project: str, encoder: str, points: Points) -> None:
    import wandb

    with wandb.init(project=project, name=encoder, reinit="create_new") as run:
        run.define_metric("layer")
        run.define_metric("*", step_metric="layer")
        for layer, values in points.items():
            run.log({**values, "layer": layer})


_TRACKERS: Mapping[str, tuple[str, Log]] = {
    "tensorboard": ("runs", _to_tensorboard),
    "wandb": ("lingprobe", _to_wandb),
}
"""Where each logs without a place, and what does it."""
