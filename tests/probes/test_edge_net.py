"""The edge probe's network and its training, against an example-by-example network in plain loops
and a plain torch loop.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.progress import listen_to_progress
from lingprobe.data.vectors import expand_ranges
from lingprobe.probes.schedules import AnnealingSchedule
from lingprobe.probes.span import loops
from lingprobe.probes.span.batches import GatheredVectors, SplitExamples, batch_of
from lingprobe.probes.span.loops import _patient, judge_nets, train_edge_networks
from lingprobe.probes.span.net import (
    LayerSource,
    NetworkSizes,
    SpanNetwork,
    UnitScale,
    compute_logits,
    draw_tensors,
    mix_of,
)
from lingprobe.probes.span.plans import NetworkDesign, PlateauSchedule, TrainingConfig
from lingprobe.probes.span.training import (
    DevScores,
    NetworkTraining,
    count_loss_cells,
    loss_of,
    slope_of,
)

LABELS, DIM = 3, 5
BOUNDS = np.array([0, 4, 4, 9, 15, 16])


def examples_of(sides=2, examples=12, seed=0, dtype=np.float32, bounds=BOUNDS, bag=False):
    """Examples with spans of one to six units, or none, in sentences of several lengths; with a
    bag, the sentence is one more side.
    """
    rng = np.random.default_rng(seed)
    groups = np.sort(rng.choice(np.flatnonzero(np.diff(bounds)), examples))
    starts, stops = np.zeros((2, sides, examples), np.int64)
    for k in range(sides):
        for i, s in enumerate(groups):
            starts[k, i], stops[k, i] = np.sort(rng.integers(bounds[s], bounds[s + 1] + 1, 2))
    if bag:
        starts, stops = (
            np.concatenate([starts, bounds[groups][None]]),
            np.concatenate([stops, bounds[groups + 1][None]]),
        )
    layers = {name: rng.normal(size=(bounds[-1], DIM)).astype(dtype) for name in "012"}
    wanted = (rng.random((examples, LABELS)) < 0.4).astype(np.float32)
    wanted[0, 1] = np.nan
    return SplitExamples(
        layers,
        starts,
        stops,
        groups,
        bounds,
        lambda rows: torch.from_numpy(wanted[rows]),
        lambda row: f"example {row}",
    )


def network(design, source, sides, seed=3, scaled=False, dtype=torch.float32):
    dim = (DIM if source.mixed else DIM * len(source.layers)) * (2 * design.context + 1)
    tensors = draw_tensors(design, source, NetworkSizes(dim, sides, LABELS), seed)
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        if source.mixed:  # away from where a mix starts
            tensors["mix"].copy_(torch.from_numpy(rng.normal(size=len(source.layers))))
        if "gamma" in tensors:
            tensors["gamma"].fill_(1.7)
    width = dim // (2 * design.context + 1)
    shift = torch.from_numpy(
        rng.normal(size=(len(source.layers) if source.mixed else 1, width))
    ).to(dtype)
    scale = (
        UnitScale(shift, torch.from_numpy(rng.random(width) + 0.5).to(dtype)) if scaled else None
    )
    return SpanNetwork(
        design,
        source,
        scale,
        {name: t.detach().to(dtype).requires_grad_() for name, t in tensors.items()},
    )


def softmax(values):
    shares = np.exp(values - values.max())
    return shares / shares.sum()


def slowly(net, given, row):
    """The scores of one example as the paper has it: project every unit, weigh, sum, join,
    classify.
    """
    t = {name: tensor.detach().double().numpy() for name, tensor in net.tensors.items()}
    layers = [given.layers[name].astype(np.float64) for name in net.source.layers]
    shift = np.zeros(1) if net.scale is None else net.scale.shift.double().numpy()
    factor = 1.0 if net.scale is None else net.scale.factor.double().numpy()
    if net.source.mixed:
        if net.design.layer_norm:
            layers = [
                (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
                for x in layers
            ]
        weights = softmax(t["mix"])
        raw = sum(w * x for w, x in zip(weights, layers, strict=True))
        shift = weights @ shift if net.scale is not None else shift
        factor = factor * t.get("gamma", 1.0)
    else:
        raw, shift = np.concatenate(layers, 1), shift[0]
    low, high = given.bounds[given.groups[row]], given.bounds[given.groups[row] + 1]
    context = net.design.context

    def unit(u):
        near = [
            raw[v] if low <= v < high else np.zeros(raw.shape[1])
            for v in range(u - context, u + context + 1)
        ]
        return np.concatenate([(x - shift) * factor for x in near])

    vectors = []
    for k in range(len(given.starts)):
        units = range(given.starts[k, row], given.stops[k, row])
        matrix, bias = t.get(f"project.{k}"), t.get(f"project-bias.{k}")
        projected = [unit(u) if matrix is None else matrix @ unit(u) + bias for u in units]
        assert projected
        if k == net.sides:
            vectors.append(np.mean(projected, 0))
        elif net.design.pool == "attention":
            shares = softmax(np.array([p @ t[f"attend.{k}"] for p in projected]))
            vectors.append(sum(a * p for a, p in zip(shares, projected, strict=True)))
        elif net.design.pool == "endpoints":
            vectors += [projected[0], projected[-1]]
        else:
            vectors.append({"mean": np.mean, "max": np.max}[net.design.pool](projected, 0))
    found = t["first"] @ np.concatenate(vectors) + t["first-bias"]
    if not net.design.hidden:
        return found
    found = np.tanh(found)
    if net.design.norm:
        found = (found - found.mean()) / np.sqrt(found.var() + 1e-5) * t["norm"] + t["norm-bias"]
    return t["last"] @ found + t["last-bias"]


def said(net, given, rows):
    batch = batch_of(given, np.asarray(rows), net.design.context)
    found = compute_logits(net, batch, GatheredVectors(given, batch, net.design.layer_norm))
    return torch.zeros(len(given.groups), LABELS).index_put((torch.from_numpy(batch.rows),), found)[
        rows
    ]


def with_units(given):
    return np.flatnonzero((given.stops > given.starts).all(0))


SMALL = NetworkDesign(projection=4, hidden=6)
DESIGNS = [
    SMALL,
    replace(SMALL, pool="mean"),
    replace(SMALL, pool="endpoints"),
    replace(SMALL, pool="max"),
    replace(SMALL, hidden=0),
    replace(SMALL, projection=0),
    replace(SMALL, projection=0, hidden=0, pool="max"),
    replace(SMALL, context=1),
    replace(SMALL, context=2, pool="endpoints"),
    replace(SMALL, norm=True),
    replace(SMALL, layer_norm=True, gamma=False),
    replace(SMALL, bag=True),
    replace(SMALL, bag=True, pool="endpoints", context=1),
    replace(SMALL, bag=True, pool="max", projection=0),
]
SOURCES = [LayerSource(("1",)), LayerSource(("0", "2")), LayerSource(("0", "1", "2"), mixed=True)]


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("source", SOURCES, ids=str)
@pytest.mark.parametrize(
    "design", DESIGNS, ids=lambda d: f"{d.pool}-{d.projection}-{d.hidden}-{d.context}-{d.bag}"
)
def test_scores_are_those_of_the_papers_network(design, source, scaled):
    for sides in (1, 2):
        given, net = (
            examples_of(sides, examples=30, bag=design.bag),
            network(design, source, sides, scaled=scaled),
        )
        rows = with_units(given)
        expected = [slowly(net, given, row) for row in rows]
        np.testing.assert_allclose(said(net, given, rows).detach().numpy(), expected, atol=2e-5)


@given(seed=st.integers(0, 50), part=st.lists(st.integers(0, 11), min_size=1, max_size=12))
def test_an_example_is_answered_alike_in_any_company(seed, part):
    given_, net = examples_of(seed=seed), network(SMALL, SOURCES[2], 2, scaled=True)
    together = said(net, given_, np.arange(12)).detach().numpy()
    np.testing.assert_allclose(said(net, given_, part).detach().numpy(), together[part], atol=1e-6)


@pytest.mark.parametrize(
    "design",
    [
        SMALL,
        replace(SMALL, projection=1),
        replace(SMALL, pool="max"),
        replace(SMALL, context=1, layer_norm=True),
        replace(SMALL, bag=True),
        replace(SMALL, bag=True, context=1, pool="max"),
    ],
)
@pytest.mark.parametrize("source", SOURCES[1:], ids=str)
def test_gradients_are_those_of_the_loss(design, source):
    given = examples_of(bag=design.bag)
    given = replace_layers(given, np.float64)
    net = network(design, source, 2, scaled=True, dtype=torch.float64)
    names, rows = list(net.tensors), np.arange(12)
    batch = batch_of(given, rows, design.context)
    gathered = GatheredVectors(given, batch, design.layer_norm)
    # in double precision
    gathered._found |= {name: torch.from_numpy(given.layers[name][batch.units]) for name in "012"}

    def loss(*tensors):
        wanted = given.wanted(batch.rows).double()
        return loss_of(
            compute_logits(
                net._replace(tensors=dict(zip(names, tensors, strict=True))), batch, gathered
            ),
            wanted,
        ) / count_loss_cells(wanted)

    assert torch.autograd.gradcheck(loss, tuple(net.tensors.values()))


@pytest.mark.parametrize(
    "wanted",
    [
        torch.tensor([2, 0, 2]),
        torch.tensor([[1.0, 0.0, torch.nan], [0.3, 1.0, 0.0], [torch.nan] * 3]),
    ],
)
def test_slopes_are_gradients_of_the_loss(wanted):
    scored = torch.linspace(-3, 4, 9).view(3, 3).requires_grad_()
    [expected] = torch.autograd.grad(loss_of(scored, wanted), scored)
    torch.testing.assert_close(slope_of(scored.detach(), wanted), expected)
    assert count_loss_cells(wanted) == (3 if wanted.ndim == 1 else 5)


def replace_layers(given, dtype):
    layers = {name: layer.astype(dtype) for name, layer in given.layers.items()}
    return SplitExamples(
        layers, given.starts, given.stops, given.groups, given.bounds, given.wanted, given.describe
    )


def config(plan, design=SMALL, **more):
    return TrainingConfig(design, "sigmoid", "threshold", plan, **more)


def plain(net, given, dev, seed, steps, rate, clip, amsgrad=False, mix_rate=1.0):
    """Adam and clipping of torch over the plain batches of whole sentences; scores of dev at the
    end.
    """
    groups = [
        {"params": [t], "lr": rate * (mix_rate if name == "mix" else 1.0)}
        for name, t in net.tensors.items()
    ]
    optimiser = torch.optim.Adam(groups, amsgrad=amsgrad)
    sentences = np.unique(given.groups)
    done = 0
    for number in range(steps):
        order = np.random.default_rng([seed, number]).permutation(len(sentences))
        for start in range(0, len(order), 2):
            rows = np.concatenate(
                [np.flatnonzero(given.groups == sentences[s]) for s in order[start : start + 2]]
            )
            wanted = given.wanted(rows)
            optimiser.zero_grad()
            (loss_of(said(net, given, rows), wanted) / count_loss_cells(wanted)).backward()
            torch.nn.utils.clip_grad_norm_(net.tensors.values(), clip)
            optimiser.step()
            done += 1
            if done == steps:
                return said(net, dev, np.arange(12)).detach().numpy()
    raise AssertionError


@pytest.mark.parametrize(("amsgrad", "mix_rate"), [(False, 1.0), (True, 1.0), (False, 8.0)])
def test_steps_are_those_of_torchs_adam_on_clipped_gradients(amsgrad, mix_rate):
    given, dev = examples_of(seed=1), examples_of(seed=2)
    plan = PlateauSchedule(
        batch=2, rate=1e-2, interval_small=7, halve=9, stop=9, most=1, amsgrad=amsgrad
    )
    training = NetworkTraining(
        network(SMALL, SOURCES[2], 2), config(plan, clip=0.05, mix_rate=mix_rate), seed=4
    )
    [learnt] = train_edge_networks([training], given, dev, seed=4)
    assert learnt.step == learnt.steps == 7
    expected = plain(network(SMALL, SOURCES[2], 2), given, dev, 4, 7, 1e-2, 0.05, amsgrad, mix_rate)
    np.testing.assert_allclose(
        said(training.net, dev, np.arange(12)).detach().numpy(), expected, atol=1e-5
    )


PLANS = [
    PlateauSchedule(batch=2, rate=3e-2, interval_small=4, halve=2, stop=4),
    AnnealingSchedule(batch=2, smallest=2, epochs=2, steps=30, rate=1e-2, looks=5),
]


@pytest.mark.parametrize("plan", PLANS, ids=lambda p: type(p).__name__)
def test_networks_train_together_as_they_would_alone(plan):
    given, dev = examples_of(seed=1, examples=40), examples_of(seed=2, examples=40)
    design = replace(SMALL, drop_input=0.2, drop=0.3)

    def trainings():
        return [
            NetworkTraining(network(design, source, 2), config(plan, design), seed=6)
            for source in SOURCES
        ]

    together, again = (train_edge_networks(trainings(), given, dev, seed=6) for _ in range(2))
    alone = [train_edge_networks([training], given, dev, seed=6)[0] for training in trainings()]
    for a, b, c in zip(together, again, alone, strict=True):
        assert (a.step, a.steps) == (c.step, c.steps)
        for name in a.tensors:
            assert np.array_equal(a.tensors[name], b.tensors[name])
            np.testing.assert_allclose(a.tensors[name], c.tensors[name], atol=1e-6)


@pytest.mark.parametrize(
    ("plan", "of"), [(PLANS[0], None), (PLANS[1], 30)], ids=["patience", "annealing"]
)
def test_training_tells_how_far_it_is(plan, of):
    told = []
    with listen_to_progress(lambda *one: told.append(one)):
        [learnt] = train_edge_networks(
            [NetworkTraining(network(SMALL, SOURCES[0], 2), config(plan), seed=4)],
            examples_of(seed=1),
            examples_of(seed=2),
            seed=4,
        )
    assert told == [(step + 1, of) for step in range(learnt.steps)]


def test_a_rate_is_halved_and_training_ends_when_dev_does_not_improve():
    training = NetworkTraining(
        network(SMALL, SOURCES[0], 2), config(PlateauSchedule(rate=8.0)), seed=0
    )
    rates = [
        (_patient(training, look == 1, look == 1, look), training.rate) for look in range(1, 22)
    ]
    assert [rate for _, rate in rates] == [8.0] * 5 + [4.0] * 5 + [2.0] * 5 + [1.0] * 5 + [0.5]
    assert [on for on, _ in rates] == [True] * 20 + [False]


def test_small_steps_upwards_halve_the_rate_but_do_not_end_training():
    plan = PlateauSchedule(rate=8.0, halve=2, stop=3, margin=0.1, least=1.0, most=7)
    training = NetworkTraining(network(SMALL, SOURCES[0], 2), config(plan), seed=0)
    looks = [
        training.keep(DevScores(score, 1.0, 1.0), 1) for score in (0.5, 0.51, 0.56, 0.62, 0.63)
    ]
    assert looks == [(True, True), (True, False), (True, True), (True, True), (True, False)]
    rates = [(_patient(training, True, False, look), training.rate) for look in range(1, 9)]
    assert rates == [
        (True, 8),
        (True, 4),
        (True, 4),
        (True, 2),
        (True, 2),
        (True, 1),
        (False, 1),
        (False, 0.5),
    ]


def test_the_best_state_on_dev_is_kept():
    given, dev = examples_of(seed=1, examples=40), examples_of(seed=2, examples=40)
    training = NetworkTraining(network(SMALL, SOURCES[0], 2), config(PLANS[0]), seed=0)
    [learnt] = train_edge_networks([training], given, dev, seed=0)
    assert learnt.step < learnt.steps
    net = training.net._replace(
        tensors={name: torch.from_numpy(a) for name, a in learnt.tensors.items()}
    )
    [found] = judge_nets([net], training.config, dev)
    assert found == learnt.judged
    score = found.score
    wanted, answer = (
        dev.wanted(np.arange(40)).numpy(),
        said(net, dev, np.arange(40)).detach().numpy() >= 0,
    )
    known = ~np.isnan(wanted)
    assert score == pytest.approx(
        2 * (answer & (wanted == 1)).sum() / (answer[known].sum() + (wanted == 1).sum())
    )


@pytest.mark.parametrize("kind", ["threshold", "argmax", "softmax"])
def test_networks_are_judged_by_f1_over_pairs_and_by_their_loss(kind, monkeypatch):
    """Of sets, by what is answered under either decoding; of classes by accuracy."""
    dev, net = examples_of(seed=2, examples=40), network(SMALL, SOURCES[0], 2)
    ids = torch.from_numpy(np.random.default_rng(5).integers(LABELS, size=40))
    if kind == "softmax":
        dev = replace(dev, wanted=lambda rows: ids[rows])
    decode = "threshold" if kind == "threshold" else "argmax"
    how = TrainingConfig(SMALL, "softmax" if kind == "softmax" else "sigmoid", decode, PLANS[0])
    monkeypatch.setattr(loops, "_JUDGED", 2)
    [found] = judge_nets([net], how, dev)
    [first] = judge_nets([net], how, dev, 2)
    for mine, rows in ((found, np.arange(40)), (first, dev.rows(np.arange(2)))):
        scored, wanted = said(net, dev, rows).detach().numpy(), dev.wanted(rows).numpy()
        if kind == "softmax":
            assert mine.score == pytest.approx(np.mean(scored.argmax(1) == wanted))
            chances = scored - np.logaddexp.reduce(scored, 1, keepdims=True)
            losses = [-chances[i, k] for i, k in enumerate(wanted)]
            assert mine.loss == mine.surprise == pytest.approx(np.mean(losses), rel=1e-5)
            continue
        right = answered = gold = loss = cells = 0
        for i, row in enumerate(wanted):
            for k, weight in enumerate(row):
                if np.isnan(weight):
                    continue
                told = scored[i, k] >= 0 if kind == "threshold" else scored[i].argmax() == k
                right, answered = right + (told and weight == 1), answered + told
                gold, cells = gold + (weight == 1), cells + 1
                loss += np.logaddexp(0, -scored[i, k] if weight else scored[i, k])
        assert mine.score == pytest.approx(2 * right / (answered + gold))
        assert mine.loss == pytest.approx(loss / cells, rel=1e-5)
        assert mine.surprise == pytest.approx(loss / len(rows), rel=1e-5)


def single(given, seed):
    """The same examples, each with one label."""
    held = torch.nn.functional.one_hot(
        torch.from_numpy(np.random.default_rng(seed).integers(LABELS, size=len(given.groups))),
        LABELS,
    )
    return replace(given, wanted=lambda rows: held.float()[rows], single=True)


@pytest.mark.parametrize("one", [False, True], ids=["sets", "classes"])
@pytest.mark.parametrize("plan", PLANS, ids=lambda p: type(p).__name__)
def test_the_least_surprised_state_is_kept_beside_the_best_which_it_does_not_change(
    plan, one, monkeypatch
):
    given, dev = examples_of(seed=1, examples=40), examples_of(seed=2, examples=40)
    if one:
        given, dev = single(given, 1), single(dev, 2)
    plan = (
        replace(plan, interval_small=16, stop=3)
        if isinstance(plan, PlateauSchedule)
        else replace(plan, steps=48, looks=3)
    )
    [alone] = train_edge_networks(
        [NetworkTraining(network(SMALL, SOURCES[0], 2), config(plan), seed=0)], given, dev, seed=0
    )
    steps, surprises = [], []
    weigh = NetworkTraining.weigh

    def spy(training, judged, step):
        net = training.net
        scored = said(net, dev, np.arange(40)).detach()
        wanted = dev.wanted(np.arange(40))
        mean = (
            torch.nn.functional.cross_entropy(scored, wanted)
            if one
            else loss_of(scored, wanted) / 40
        )
        assert judged.surprise == pytest.approx(float(mean), rel=1e-5)
        if training is trainings[0]:
            steps.append(step)
            surprises.append(judged.surprise)
        weigh(training, judged, step)

    monkeypatch.setattr(NetworkTraining, "weigh", spy)
    trainings = [
        NetworkTraining(network(SMALL, SOURCES[0], 2), config(plan), 0, likeliest=True),
        NetworkTraining(network(SMALL, SOURCES[1], 2), config(plan), 0),
    ]
    [found, other] = train_edge_networks(trainings, given, dev, seed=0)
    assert other.likeliest is None
    assert alone.likeliest is None
    assert (found.step, found.steps, found.judged) == (alone.step, alone.steps, alone.judged)
    assert all(np.array_equal(found.tensors[name], alone.tensors[name]) for name in alone.tensors)
    assert steps[:6] == [0, 1, 2, 4, 8, 16]
    assert (found.likeliest.judged.surprise, found.likeliest.step) == min(
        zip(surprises, steps, strict=True)
    )
    net = trainings[0].net._replace(
        tensors={name: torch.from_numpy(a) for name, a in found.likeliest.tensors.items()}
    )
    assert judge_nets([net], trainings[0].config, dev) == [found.likeliest.judged]


def test_halves_are_read_as_the_numbers_they_are():
    half = examples_of(dtype=np.float16)
    net = network(SMALL, SOURCES[2], 2)
    rows = with_units(half)
    assert torch.equal(said(net, half, rows), said(net, replace_layers(half, np.float32), rows))


def test_numbers_that_are_not_finite_are_named_with_their_example():
    given = examples_of()
    row = int(with_units(given)[-1])
    given.layers["1"][given.starts[0, row]] = np.nan
    readers = [
        i
        for i in range(12)
        if any(given.starts[k, i] <= given.starts[0, row] < given.stops[k, i] for k in range(2))
    ]
    with pytest.raises(
        ValueError, match=rf"layer '1' has NaN or infinite values, first in example {readers[0]};"
    ):
        said(network(SMALL, SOURCES[0], 2), given, np.arange(12))


@pytest.mark.parametrize("plan", PLANS, ids=lambda p: type(p).__name__)
def test_a_number_that_is_not_finite_is_found_wherever_it_is_in_train(plan):
    for unit in (0, 5, 10, 15):
        given = examples_of(seed=1, examples=40)
        given.layers["1"][unit] = np.nan
        training = NetworkTraining(network(SMALL, SOURCES[0], 2), config(plan), seed=4)
        with pytest.raises(ValueError, match="layer '1' has NaN"):
            train_edge_networks([training], given, examples_of(seed=2), seed=4)


def test_a_mix_of_fewer_layers_is_read_from_one_of_more():
    given = examples_of()
    gathered = GatheredVectors(given, batch_of(given, np.arange(12)))
    alone = GatheredVectors(given, batch_of(given, np.arange(12)))
    more = gathered.stack_layers(("0", "1", "2"))
    for names in (("0",), ("0", "1")):
        fewer = gathered.stack_layers(names)
        assert fewer.data_ptr() == more.data_ptr()
        torch.testing.assert_close(fewer, alone.stack_layers(names))
    other = gathered.stack_layers(("1", "2"))
    torch.testing.assert_close(other, alone.stack_layers(("1", "2")))


def test_a_mix_starts_with_equal_weights():
    net = SpanNetwork(
        SMALL, SOURCES[2], None, draw_tensors(SMALL, SOURCES[2], NetworkSizes(DIM, 2, LABELS), 0)
    )
    assert mix_of(net) == (pytest.approx([1 / 3] * 3), 1.0)


def test_batches_hold_whole_sentences():
    given = examples_of(examples=40)
    seen = []
    for rows in given.passes(2):
        assert len(set(given.groups[rows])) <= 2
        seen += rows.tolist()
    assert sorted(seen) == list(range(40))
    assert all(len(set(given.groups[rows])) == 1 for rows in given.passes(1))
    units, _ = expand_ranges(given.starts[0], given.stops[0])
    assert set(batch_of(given, np.arange(40)).units) >= set(units)
