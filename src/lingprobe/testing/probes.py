"""What every probe promises: it finds what is there, nothing where there is nothing, and leaves its
inputs alone.
"""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.abilities import TunedProbe
from lingprobe.data.core import (
    Cell,
    Dataset,
    Example,
    Predictions,
    Predictor,
    Probe,
    Sentence,
    Site,
    choice_of,
    needs_of,
)
from lingprobe.data.labels import Label
from lingprobe.data.reading import Readings
from lingprobe.data.references import allow_code
from lingprobe.data.vectors import Ints, Vectors
from lingprobe.probes import PROBES
from lingprobe.testing.tasks import same_labels

_KINDS = ("classes", "scores", "sets", "partial")
_SIZES = (300, 100, 200)
_DIM = 12


def check_probe(
    probe: Probe | str, *, kinds: Sequence[str] = _KINDS, learns: bool = True, pairs: bool = False
) -> None:
    """A probe, or the reference of one, keeps every promise of a probe.

    kinds   the label columns that it is for: classes, scores, sets, partial (sets annotated in
            part, with weights)
    learns  whether it should find what the input tells; a constant baseline does not
    pairs   whether it is for pairs of sentences, whose labels are how much they are alike
    """
    allow_code(probe)
    made: Probe = PROBES.make(probe) if isinstance(probe, str) else probe
    assert made.name, "a probe needs a name: tables show it"
    for kind in kinds:
        check_on(made, kind, learns, pairs)
    if "classes" in kinds:
        _check_missing_class(made)
    if isinstance(made, TunedProbe):
        _check_settings(made, kinds[0], pairs)


def check_on(probe: Probe, kind: str, learns: bool = True, pairs: bool = False) -> None:
    """A probe keeps its promises on one kind of label column."""
    readings, who = plant_labels(kind, pairs=pairs), f"{probe.name} on {kind}"
    settings, before = repr(probe), copy.deepcopy(readings)
    cells = (Cell("0", 0), Cell("1", 0), Cell("1", 1), Cell("cat", 0), Cell("1", 0, "loss"))
    noise, signal, *rest = fit_and_predict(probe, readings, cells)
    _check_predictions(probe, readings, rest[-1])
    assert {signal.link, rest[-1].link} <= {None, "softmax", "sigmoid"}, (
        f"{who}: scores become probabilities by softmax or sigmoid, or not (None)"
    )
    _check_unchanged(probe, before, readings)
    # only now: importing a library may draw, and a probe that reseeds must not hide in its own
    # state
    state = _random_state(draw=True)
    _check_same(who, (noise, signal, *rest), fit_and_predict(probe, readings, cells))
    assert _random_state() == state, (
        f"{who} changes the global random state; use a generator seeded with the cell's seed"
    )
    assert repr(probe) == settings, (
        f"{who}: fitting changed its settings; what is fitted belongs in the predictor"
    )
    _check_predictions(probe, readings, signal)
    if learns:
        _check_learnt(who, kind, signal, readings)
    limit = 4 / float(np.sqrt(_SIZES[2]))  # a correlation by chance: four standard errors
    if not needs_of(probe).words:
        correlation = compute_skill(noise, readings)
        assert correlation < limit, (
            f"{who} finds {correlation:.2f} in a layer of noise: does it read the layer that its"
            " cell names?"
        )
    mixed = shuffle_labels(readings)
    correlation = compute_skill(fit_and_predict(probe, mixed, (Cell("1", 0),))[0], mixed)
    assert correlation < limit, (
        f"{who} beats chance on shuffled labels ({correlation:.2f}): does it see the labels of"
        " test?"
    )


def _check_same(who: str, first: Sequence[Predictions], again: Sequence[Predictions]) -> None:
    same = [np.array_equal(a.scores, b.scores) for a, b in zip(first, again, strict=True)]
    assert all(same), (
        f"{who}: the same seed gave different scores; draw from a generator seeded with the cell's"
        " seed"
    )


def _check_settings(probe: TunedProbe, kind: str, pairs: bool) -> None:
    """Settings that a probe chose leave nothing to choose, and it says which they are."""
    readings, cell = plant_labels(kind, pairs=pairs), Cell("1", 0)
    train, dev = readings.split("train"), readings.split("dev")
    names, tried = set(probe.settings[0]), [dict(one) for one in probe.settings]
    [fitted] = probe.fit(train, dev, cells=(cell,))
    chosen = {name: choice_of(fitted).get(name) for name in names}
    assert chosen in tried, (
        f"{probe.name} chose {chosen}, which is not among its `settings`; `choice` must have them"
        " under the same names"
    )
    for settings in tried:
        alone = probe.with_settings(settings)
        [fitted] = alone.fit(train, dev, cells=(cell,))
        found = {name: choice_of(fitted).get(name) for name in names}
        assert found == settings, f"{probe.name} with {settings} alone was fitted with {found}"


def _check_learnt(who: str, kind: str, signal: Predictions, readings: Readings) -> None:
    """Scores fit labels that can be learnt, and as logits."""
    if kind in ("sets", "partial"):
        assert not signal.decoded.matrix().all(), (
            f"{who} says every label of every example; scores are logits, and a label holds from"
            " zero on"
        )
    correlation = compute_skill(signal, readings)
    assert correlation > 0.5, (
        f"{who} misses a planted signal: its scores correlate with the labels at {correlation:.2f}"
    )


def plant_labels(kind: str, seed: int = 0, pairs: bool = False) -> Readings:
    """Examples whose labels stand in layer '1' and in the words; layer '0' is noise. Kinds are
    those of `_KINDS`. Of pairs the labels stand in how much the two vectors are alike.
    """
    rng = np.random.default_rng(seed)
    n = sum(_SIZES)
    hidden = rng.integers(3, size=n)
    splits = np.repeat(["train", "dev", "test"], _SIZES)
    examples = []
    for i, k in enumerate(hidden.tolist()):
        words = (f"sign{k}", *(f"w{w}" for w in rng.integers(50, size=4)), f"s{i}")
        tags = {"majority-feature": "abc"[k]} if kind == "classes" else {}
        sites = (Site(Sentence.of(words)), Site(Sentence.of((f"other{i}",))))[: 1 + pairs]
        examples.append(Example(sites, _make_label(kind, k, rng), str(splits[i]), strata=tags))
    dataset = Dataset.of(examples)
    if pairs:
        return Readings(dataset, _draw_pair_vectors(hidden, rng), "mean+contrast")
    return Readings(dataset, _vectors(hidden, rng))


def _vectors(hidden: Ints, rng: np.random.Generator) -> Vectors:
    noise, signal = rng.normal(size=(2, len(hidden), _DIM)).astype(np.float32)
    signal[:, :3] += 4 * np.eye(3, dtype=np.float32)[hidden]
    for layer in (noise, signal):
        layer.flags.writeable = False  # as vectors are that lie in the store
    return Vectors((noise, signal), ("0", "1"))


def _draw_pair_vectors(hidden: Ints, rng: np.random.Generator) -> Vectors:
    """Vectors of pairs, first and second in turn; in layer '1' opposite, unrelated or like."""
    noise, signal = rng.normal(size=(2, len(hidden), 2, _DIM)).astype(np.float32)
    signal[:, 1] += (2 * hidden[:, None] - 2) * signal[:, 0]
    layers = tuple(np.ascontiguousarray(each.reshape(-1, _DIM)) for each in (noise, signal))
    for layer in layers:
        layer.flags.writeable = False
    return Vectors(layers, ("0", "1"))


def _make_label(kind: str, hidden: int, rng: np.random.Generator) -> Label:
    """The label, of a kind, that stands for one of three hidden states."""
    if kind == "classes":
        return "abc"[hidden]
    if kind == "scores":
        return float(hidden)
    if kind == "sets":
        return frozenset(({"x"}, {"y"}, {"x", "y"})[hidden])
    known = {"x": (1.0, 0.2, 1.0)[hidden], "y": float(hidden != 0)}
    return known if rng.random() < 0.5 else {"x": known["x"]}


def shuffle_labels(readings: Readings, seed: int = 1) -> Readings:
    """The same examples with labels that belong to others of the same split."""
    rng, dataset = np.random.default_rng(seed), readings.dataset
    order = np.arange(len(dataset))
    for split in range(3):
        rows = np.flatnonzero(dataset.splits == split)
        order[rows] = rng.permutation(rows)
    return replace(readings, dataset=replace(dataset, labels=dataset.labels.take(order)))


def fit_and_predict(probe: Probe, readings: Readings, cells: tuple[Cell, ...]) -> list[Predictions]:
    """What a probe says about the test examples, a cell each."""
    train, dev, test = (readings.split(name) for name in ("train", "dev", "test"))
    predictors: list[Predictor] = probe.fit(train, dev, cells=cells)
    assert len(predictors) == len(cells), (
        f"{probe.name} returned {len(predictors)} predictors for {len(cells)} cells"
    )
    return [predictor.predict(test) for predictor in predictors]


def compute_skill(predictions: Predictions, readings: Readings) -> float:
    """Mean over outputs of the correlation between scores and gold, over the examples annotated for
    it; 0 for a constant.
    """
    test = readings.split("test")
    said, gold = predictions.scores.astype(np.float64), get_outputs(test)
    if test.labels.classes is not None:  # logits mean nothing across examples, shares of classes do
        said = np.exp(said - said.max(1, keepdims=True))
        said /= said.sum(1, keepdims=True)
    correlations = []
    for scores, values in zip(said.T, gold.T, strict=True):
        some = ~np.isnan(values)
        varies = some.any() and np.ptp(scores[some]) > 0 and np.ptp(values[some]) > 0
        correlations.append(float(np.corrcoef(scores[some], values[some])[0, 1]) if varies else 0.0)
    return float(np.mean(correlations))


def get_outputs(readings: Readings) -> NDArray[np.float64]:
    """The labels as numbers [examples, outputs], NaN where not annotated."""
    labels = readings.labels
    if labels.classes is not None:
        return np.asarray(np.eye(len(labels.names))[labels.classes])
    return np.asarray(labels.matrix(), np.float64)


def _check_predictions(probe: Probe, readings: Readings, said: Predictions) -> None:
    test = readings.split("test")
    shape = (len(test), len(test.labels.names))
    assert said.scores.shape == shape, (
        f"{probe.name} gives scores of shape {said.scores.shape}, not [examples, outputs] = {shape}"
    )
    assert np.isfinite(said.scores).all(), f"{probe.name} gives scores that are not finite"
    assert said.names == test.labels.names, (
        f"{probe.name} names the outputs {said.names}, the label column {test.labels.names}"
    )
    # a sigmoid for each class may say several
    column = test.labels.sets() if type(said.decoded) is not type(test.labels) else test.labels
    if column.classes is None and column.numbers is None:
        _check_cuts(probe, said)
        return
    same_labels(
        said.decoded,
        column.decode(said.scores),
        f"{probe.name} decodes not what its scores say; use labels.decode(scores)",
    )


def _check_cuts(probe: Probe, said: Predictions) -> None:
    """Each label is predicted from some score of it on."""
    holds = said.decoded.matrix() > 0
    least = np.where(holds, said.scores, np.inf).min(0, initial=np.inf)
    most = np.where(holds, -np.inf, said.scores).max(0, initial=-np.inf)
    assert (most <= least).all(), (
        f"{probe.name} predicts a label where its score is lower than where it does not; use"
        " labels.decode(scores), or a threshold for each label"
    )


def _check_unchanged(probe: Probe, before: Readings, after: Readings) -> None:
    same_labels(before.labels, after.labels, f"{probe.name} changed the labels it was given")
    for a, b in zip(before.vectors.layers, after.vectors.layers, strict=True):
        assert np.array_equal(a, b), (
            f"{probe.name} changed the vectors it was given; they are shared with other trials"
        )


def _check_missing_class(probe: Probe) -> None:
    """A class that only dev and test have is never an error; it keeps its output."""
    readings = plant_labels("classes")
    dataset = readings.dataset
    missing = (dataset.labels.matrix() == 1) & (dataset.splits == 0)
    [said] = fit_and_predict(probe, readings.take(np.flatnonzero(~missing)), (Cell("1", 0),))
    _check_predictions(probe, readings, said)


def _random_state(draw: bool = False) -> tuple[Any, ...]:
    if draw:
        random.random()  # noqa: S311
        np.random.random()
    numpys: Any = np.random.get_state()
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return random.getstate(), numpys[1].tobytes(), numpys[2]
    if draw:
        torch.rand(1)
    return (
        random.getstate(),
        numpys[1].tobytes(),
        numpys[2],
        torch.get_rng_state().numpy().tobytes(),
    )
