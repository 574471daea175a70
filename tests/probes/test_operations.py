"""What probes say of their work, against the products that torch counts while they fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from torch.utils.flop_counter import FlopCounterMode

from lingprobe.data.core import Cell, Dataset, Example, Sentence, Site
from lingprobe.data.reading import Readings
from lingprobe.data.sizes import FitSize, WorkEstimator
from lingprobe.data.vectors import Spans, Vectors
from lingprobe.nets import precision
from lingprobe.probes import PROBES
from lingprobe.probes.linear import logistic
from lingprobe.probes.span import probe as span

TRAIN, DIM = 4000, 64
SHORT = {"epochs": 1, "steps": 40}


def split_of(number):
    return "train" if number < TRAIN else "dev"


def readings():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(TRAIN + 200, DIM)).astype(np.float32)
    labels = (x @ rng.normal(size=(DIM, 3))).argmax(1)
    examples = [
        Example.about(Sentence.of((f"s{i}",)), f"c{label}", split_of(i))
        for i, label in enumerate(labels)
    ]
    return Readings(Dataset.of(examples), Vectors((x,), ("-",)))


def products(probe, given, seeds=1, read="-"):
    with FlopCounterMode(display=False) as counter:
        cells = tuple(Cell(read, seed) for seed in range(seeds))
        probe.fit(given.split("train"), given.split("dev"), cells=cells)
    return counter.get_total_flops()


@pytest.fixture(autouse=True)
def _products_alone(monkeypatch):
    """All products are as fast as those in float32, and trainings are short."""
    monkeypatch.setattr(precision, "beside_products", lambda half: 1.0)
    fast = span.EDGE_PROTOCOLS["fast"]
    monkeypatch.setitem(
        span.EDGE_PROTOCOLS, "fast", replace(fast, plan=replace(fast.plan, **SHORT))
    )


def network(reference):
    made = PROBES.make(reference)
    return replace(made, protocol=replace(made.protocol, plan=replace(made.protocol.plan, **SHORT)))


@pytest.mark.parametrize(
    ("reference", "seeds"),
    [("mlp,hidden=50,dropout=0.1", 2), ("mlp", 3), ("mlp,protocol=full,hidden=20,hidden=60", 2)],
)
def test_a_network_makes_most_of_the_products_that_it_is_said_to(reference, seeds):
    """The first layer passes nothing back, so its three products are two; a grid may be left with
    its widest network.
    """
    probe = network(reference)
    said = probe.work(FitSize(TRAIN, 200, DIM, 3), seeds).products
    assert said * 0.5 < products(probe, readings(), seeds) < said * 1.5


def test_the_passes_of_a_search_are_about_those_of_its_penalties(monkeypatch):
    size = FitSize(TRAIN, 200, DIM, 3)
    said, two, one = (
        PROBES.make(asked).work(size, 1).products
        for asked in ("logreg", "logreg,c=1,c=9", "logreg,c=1")
    )
    assert said - one == pytest.approx(5 * (two - one))
    passes, compute = [], logistic._Path._sum
    monkeypatch.setattr(logistic._Path, "_sum", lambda *given: passes.append(1) or compute(*given))
    given = readings()
    cells = (Cell("-", 0),)
    PROBES.make("logreg").fit(given.split("train"), given.split("dev"), cells=cells)
    products = 4 * len(passes) * TRAIN * DIM * 3
    assert said / 4 < products < said * 1.5


def words():
    """Sentences of one word, with its vector, so that each example has one unit."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(TRAIN + 200, DIM)).astype(np.float32)
    labels = (x @ rng.normal(size=(DIM, 3))).argmax(1)
    examples = [
        Example((Site(Sentence.of((f"s{i}",)), (0, 1)),), f"c{label}", split_of(i))
        for i, label in enumerate(labels)
    ]
    ends = np.arange(len(examples) + 1)
    spans = Spans(ends, np.stack([ends[:-1], ends[1:]], 1), ends)
    return Readings(Dataset.of(examples), Vectors((x,), ("-",), spans))


def test_a_network_of_spans_makes_most_of_the_products_that_it_is_said_to():
    probe = PROBES.make("span")
    said = probe.work(FitSize(TRAIN, 200, DIM, 3, sentences=TRAIN), 1).products
    assert said * 0.5 < products(probe, words()) < said * 1.5


@pytest.mark.parametrize("reference", ["mlp", "logreg", "span", "online:logreg"])
def test_more_examples_features_labels_and_seeds_are_more_work(reference):
    probe, size = PROBES.make(reference), FitSize(2000, 200, 100, 5)
    assert isinstance(probe, WorkEstimator)
    least = probe.work(size, 1)
    larger = [size._replace(train=8000), size._replace(features=200), size._replace(outputs=10)]
    assert min(probe.work(one, 1).products for one in larger) > least.products > 0
    assert min(probe.work(one, 1).moved for one in larger[:2]) > least.moved > 0
    assert probe.work(size, 5) >= least
