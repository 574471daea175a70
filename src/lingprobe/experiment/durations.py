"""About how long a run takes, from the sizes of models and fits and the speed of this machine."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lingprobe.data.abilities import CostedEncoder
from lingprobe.data.core import DataProblem, Dataset, DeviceAwareEncoder, Encoder, Probe, Sentence
from lingprobe.data.oracles import get_encoder_role
from lingprobe.data.reading import ReadingProblem, read_of
from lingprobe.data.sizes import FitSize, WorkAmount, WorkEstimator
from lingprobe.encoders.hf import LAYER_COUNT_FIELDS, said_in
from lingprobe.encoders.model_files import SavedModel
from lingprobe.experiment.data import load_dataset
from lingprobe.experiment.groups import TrialGroup
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.provenance import list_layer_names
from lingprobe.experiment.room import SUBWORDS_PER_WORD
from lingprobe.experiment.settings import keeps_settings
from lingprobe.experiment.speeds import measure_speeds
from lingprobe.experiment.units import get_width, width_of
from lingprobe.nets.precision import beside_products

PROCESS_START_SECONDS = 4.0
"""Seconds that a process takes to begin, and to plan."""
_GROUP, _TRIAL = 0.02, 0.02
"""Seconds that the examples of a group of fits take, and the score and interval of a trial."""
_OTHERWISE = 0.3
"""Seconds that a group of fits takes, where nothing else says how long."""
_FEATURES = 300
"""Numbers of a vector, where nothing says how many."""
_MARKS = 2
"""Pieces that a tokenizer puts around a sentence."""
_BASELINE = 1e-4
"""Seconds that a baseline takes for a sentence."""


def estimate_fitting(groups: Sequence[TrialGroup], paths: RunPaths) -> float:
    """Seconds that groups take to fit, by what their probe says of its work; of a probe that does
    not know, as long as it took before on the task, or on any.
    """
    usual = functools.cache(lambda: _usual_seconds(paths))  # read where a probe does not know
    steps: dict[tuple[str, ...], float] = {}  # of each pass, whose groups take them together
    total = sum(_GROUP + _TRIAL * len(one.trials) for one in groups)
    for group in groups:
        work = _work_of(group)
        if work is None:
            probe, task = group.trials[0].probe, group.trials[0].task
            total += usual().get((probe, task)) or usual().get((probe,)) or _OTHERWISE
        else:
            steps[group.joint] = max(steps.get(group.joint, 0.0), work.steps)
            total += measure_speeds().seconds(work._replace(steps=0.0))
    return total + (measure_speeds().step * sum(steps.values()) if steps else 0.0)


def _usual_seconds(paths: RunPaths) -> dict[tuple[str, ...], float]:
    """The median of what fits took that are stored, by probe and task, and by probe alone."""
    timed: dict[tuple[str, ...], list[float]] = {}
    for trial, made_with in paths.result_store().facts():
        if took := made_with.get("fit_seconds"):
            for key in (trial.probe, trial.task), (trial.probe,):
                timed.setdefault(key, []).append(took)
    return {key: statistics.median(took) for key, took in timed.items()}


def _work_of(group: TrialGroup) -> WorkAmount | None:
    """That of all fits of a group; None where its probe does not know it. Where a control keeps the
    probe, the mean over the settings that may be chosen.
    """
    probe = group.probe
    fitted: list[Probe] = [probe]
    if keeps_settings(probe, group.control):
        fitted = [probe.with_settings(settings) for settings in probe.settings]
    counted = [one for one in fitted if isinstance(one, WorkEstimator)]
    if not counted:
        return None
    try:
        dataset = load_dataset(group.task, group.ingredients.task)
    except DataProblem:  # which is said when it is measured
        return None
    seeds: dict[str, int] = {}
    for trial in group.trials:
        seeds[trial.read] = seeds.get(trial.read, 0) + 1
    sizes = [
        (_estimate_input_size(dataset, _count_features(group, read)), many)
        for read, many in seeds.items()
    ]
    every = [one.work(size, many) for one in counted for size, many in sizes]
    return WorkAmount(*(sum(parts) / len(counted) for parts in zip(*every, strict=True)))


def _estimate_input_size(dataset: Dataset, features: int) -> FitSize:
    train = dataset.rows("train")
    labels = dataset.labels
    return FitSize(
        len(train),
        len(dataset) - len(train),
        features,
        len(labels.names),
        labels.classes is None and labels.numbers is None,
        len(np.unique(dataset.sites[train, :, 0])),
        dataset.sites.shape[1],
    )


def _count_features(group: TrialGroup, read: str) -> int:
    """Numbers of what a probe reads of an example; of a mix, those of a layer."""
    usual = get_width(group.encoder) or _FEATURES
    try:
        how, layers = read_of(read, list_layer_names(group.encoder))
    except ReadingProblem:  # of an encoder that says nothing of its layers
        return usual
    widths = [width_of(group.encoder, layer) or usual for layer in layers]
    return max(widths) if how == "mix" else sum(widths)


def estimate_encoding(
    encoder: Encoder, slots: Iterable[str], sentences: Sequence[Sentence]
) -> float | None:
    """Seconds that a saved model takes over sentences, up to the highest layer that is asked for:
    two operations for each weight and subword, and what is beside products. None for another
    encoder, but a baseline or one that knows its work.
    """
    if isinstance(encoder, CostedEncoder):
        products = encoder.word_operations * sum(len(s.words) for s in sentences)
        return _BASELINE * len(sentences) + products / measure_speeds().products
    if not isinstance(encoder, SavedModel):
        return _BASELINE * len(sentences) if get_encoder_role(encoder) == "baseline" else None
    said, folder = encoder.configuration, encoder.files.folder
    words = said.get("vocab_size")
    table = (
        words * get_width(encoder) if isinstance(words, int) else 0
    )  # of which none is multiplied
    parameters = (_numbers(folder, said) - table) * _compute_depth_share(
        said_in(said, LAYER_COUNT_FIELDS), slots
    )
    pieces = sum(len(s.words) * SUBWORDS_PER_WORD + _MARKS for s in sentences)
    half = isinstance(encoder, DeviceAwareEncoder) and encoder.runs[0] == "bfloat16"
    return 2 * parameters * pieces / measure_speeds().products * beside_products(half)


def _numbers(folder: Path, said: Mapping[str, Any]) -> float:
    """How many numbers a model's files hold."""
    size = sum(p.stat().st_size for end in ("safetensors", "bin") for p in folder.rglob(f"*.{end}"))
    half = said.get("dtype", said.get("torch_dtype")) in ("float16", "bfloat16")
    return size / (2 if half else 4)


def _compute_depth_share(depth: int | None, slots: Iterable[str]) -> float:
    """Which share of a network of so many layers is run; all of it where layers have no numbers."""
    names = [slot.partition(".")[0] for slot in slots]
    if not depth or not all(name.isdecimal() for name in names):
        return 1.0
    return max(map(int, names), default=depth) / depth
