"""What edge probes start from, against plain loops."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest

from lingprobe.data.labels import Classes, build_column
from lingprobe.data.reading import read_of
from lingprobe.probes.features import MEAN_FEATURE_SQUARES
from lingprobe.probes.span import scales
from lingprobe.probes.span.net import LayerSource, NetworkSizes, draw_tensors
from lingprobe.probes.span.plans import NetworkDesign
from probes.test_span import readings
from reference import starts

SMALL = NetworkDesign(projection=4, hidden=6)
DESIGNS = [
    SMALL,
    replace(SMALL, pool="endpoints", bag=True),
    replace(SMALL, projection=0),
    replace(SMALL, hidden=0, bag=True),
    replace(SMALL, norm=True, gamma=False),
]


@pytest.mark.parametrize("layers", [0, 3])
@pytest.mark.parametrize("design", DESIGNS)
def test_networks_are_drawn_as_wide_as_the_paper_s(design, layers):
    source = LayerSource(("0", "1", "2")[:layers], True) if layers else LayerSource(("0",))
    made = draw_tensors(design, source, NetworkSizes(50, 2, 3), 5)
    expected = starts.shapes(50, 2, 3, asdict(design), layers)
    assert list(made) == list(expected)
    for name, (shape, inputs) in expected.items():
        assert tuple(made[name].shape) == shape
        values = made[name].detach().numpy()
        if inputs:
            assert np.abs(values).max() <= inputs**-0.5
            assert values.size < 100 or np.abs(values).max() > 0.95 * inputs**-0.5
        else:
            assert (values == (1 if name in ("norm", "gamma") else 0)).all()
    start = np.array([1, -2, 3], np.float32)
    other = draw_tensors(design, source, NetworkSizes(50, 2, 3), 5, start)
    last = "last-bias" if design.hidden else "first-bias"
    assert other[last].tolist() == start.tolist()
    assert all(other[k].tolist() == made[k].tolist() for k in made if k != last)
    again = draw_tensors(design, source, NetworkSizes(50, 2, 3), 6)
    assert again["first"].tolist() != made["first"].tolist()


@pytest.mark.parametrize("loss", ["softmax", "sigmoid"])
def test_labels_start_as_frequent_as_they_are_in_train(loss):
    ids = np.array([0, 0, 0, 1, 0, 1])
    found = scales.compute_prior_logits(Classes(ids, ("a", "b", "c")), loss)
    sets = [{name: float("abc"[i] == name) for name in "abc"} for i in ids]
    np.testing.assert_allclose(found, starts.priors(sets, "abc", loss), rtol=1e-5)


def test_labels_that_are_not_annotated_everywhere_start_by_where_they_are():
    sets = [{"a": 1.0, "b": 0.0}, {"a": 0.0}, {"a": 1.0, "b": 1.0}, {"b": 0.5, "a": 1.0}]
    known = [{name: each.get(name) for name in "ab"} for each in sets]
    found = scales.compute_prior_logits(build_column(sets), "sigmoid")
    np.testing.assert_allclose(found, starts.priors(known, "ab", "sigmoid"), rtol=1e-5)


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("text", ["1", "cat:0+2", "mix:0+1+2"])
def test_what_is_read_of_train_is_brought_to_one_scale(text, normalised, monkeypatch):
    given = readings()
    given.vectors.layers[1][:] *= 7
    train, rows = given.split("train"), np.arange(40)
    read = read_of(text, given.vectors.names)
    units = sorted(
        {
            unit
            for side in range(2)
            for start, stop in zip(*(x[rows] for x in train.units(side)), strict=True)
            for unit in range(start, stop)
        }
    )
    assert scales.sample_units(train, rows).tolist() == units
    made = scales.scales_of(train, read, rows, normalised)
    layers = [given.vectors.layer(name)[units].astype(float) for name in read.layers]
    if text.startswith("mix"):
        if normalised:
            layers = [
                (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
                for x in layers
            ]
    else:
        layers = [np.concatenate(layers, 1)]
    assert made.shift.shape == (len(layers), layers[0].shape[1])
    scaled = [(x - shift) * made.factor for x, shift in zip(layers, made.shift, strict=True)]
    for each in scaled:
        np.testing.assert_allclose(each.mean(0), 0, atol=1e-3)
    squares = np.mean([(each**2).sum(1).mean() for each in scaled])
    assert squares == pytest.approx(MEAN_FEATURE_SQUARES, rel=1e-3)
    monkeypatch.setattr(scales, "_SAMPLE", 3)
    some = scales.sample_units(train, rows).tolist()
    assert some == [units[0], units[round((len(units) - 1) / 2)], units[-1]]
