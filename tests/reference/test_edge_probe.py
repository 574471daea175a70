"""The edge probe under `protocol=jiant` beside the paper's network, example by example, trained
side by side with the same numbers dropped.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from lingprobe.probes.span.batches import GatheredVectors, SplitExamples, batch_of
from lingprobe.probes.span.loops import train_edge_networks
from lingprobe.probes.span.net import (
    LayerSource,
    NetworkSizes,
    SpanNetwork,
    compute_logits,
    draw_tensors,
    mix_of,
)
from lingprobe.probes.span.plans import NetworkDesign, PlateauSchedule, TrainingConfig
from lingprobe.probes.span.probe import EDGE_PROTOCOLS
from lingprobe.probes.span.training import NetworkTraining
from reference import edge_probe, layerwise

LABELS, DIM, SENTENCES, UNITS = 3, 5, 6, 4
JIANT = EDGE_PROTOCOLS["jiant"]
DESIGN = NetworkDesign(
    projection=4, hidden=6, norm=JIANT.norm, drop_input=JIANT.drop_input, drop=JIANT.drop
)
RATE, SEED = 1e-2, 4


def examples(seed: int) -> tuple[SplitExamples, list, torch.Tensor, torch.Tensor]:
    """One example a sentence, with two spans of one unit and more; and the same as lists."""
    draws = np.random.default_rng(seed)
    units = draws.normal(size=(SENTENCES * UNITS, DIM)).astype(np.float32)
    wanted = torch.from_numpy((draws.random((SENTENCES, LABELS)) < 0.4).astype(np.float32))
    ends = np.sort(draws.integers(0, UNITS, (2, SENTENCES, 2)), axis=2)
    starts = ends[..., 0] + UNITS * np.arange(SENTENCES)
    stops = ends[..., 1] + 1 + UNITS * np.arange(SENTENCES)
    spans = [[list(range(starts[k, i], stops[k, i])) for k in range(2)] for i in range(SENTENCES)]
    made = SplitExamples(
        {"1": units},
        starts,
        stops,
        np.arange(SENTENCES),
        UNITS * np.arange(SENTENCES + 1),
        lambda rows: wanted[rows],
        str,
    )
    return made, spans, torch.from_numpy(units), wanted


def tensors() -> dict[str, torch.Tensor]:
    return draw_tensors(DESIGN, LayerSource(("1",)), NetworkSizes(DIM, 2, LABELS), SEED)


def test_the_published_code_drops_a_fifth_of_its_input_and_a_third_of_its_hidden_layer():
    assert (JIANT.drop_input, JIANT.drop, JIANT.norm) == (0.2, 0.3, True)


@pytest.mark.parametrize("shares", [(0.0, 0.0), (0.2, 0.0), (0.0, 0.3), (0.2, 0.3)], ids=str)
def test_training_drops_and_scales_as_the_paper_s_network_does(shares):
    design = replace(DESIGN, drop_input=shares[0], drop=shares[1])
    plan = PlateauSchedule(
        batch=SENTENCES, rate=RATE, interval_small=8, halve=9, stop=9, most=1, amsgrad=True
    )
    given, spans, units, wanted = examples(1)
    mine = NetworkTraining(
        SpanNetwork(design, LayerSource(("1",)), None, tensors()),
        TrainingConfig(design, "sigmoid", "threshold", plan, clip=0.05),
        SEED,
    )
    train_edge_networks([mine], given, given, SEED)

    noise = torch.Generator().manual_seed(SEED + 1)

    def mask(shape, share):
        return (
            torch.empty(shape).bernoulli_(1 - share, generator=noise)
            if share
            else torch.ones(shape)
        )

    theirs = tensors()
    optimiser = torch.optim.Adam(theirs.values(), RATE, amsgrad=True)
    for number in range(8):
        # numbers are drawn in the order of the batch, of units and of examples
        order = batch_of(given, np.random.default_rng([SEED, number]).permutation(SENTENCES)).rows
        some = {unit for i in order for span in spans[i] for unit in span}
        place = {unit: k for k, unit in enumerate(sorted(some))}
        batch = [[[place[unit] for unit in span] for span in spans[i]] for i in order]
        optimiser.zero_grad()
        scores = edge_probe.logits(theirs, units[sorted(place)], batch, mask, shares)
        edge_probe.loss(scores, wanted[order]).backward()
        torch.nn.utils.clip_grad_norm_(theirs.values(), 0.05)
        optimiser.step()
    for name, tensor in mine.net.tensors.items():
        torch.testing.assert_close(tensor, theirs[name], rtol=1e-3, atol=1e-4)


def test_a_mix_reads_gamma_times_the_sum_of_layers_by_the_softmax_of_its_weights():
    given, spans, units, _ = examples(2)
    layers = {"0": units, "1": 2 * units.flip(0), "2": units**2}
    given = replace(given, layers={name: layer.numpy() for name, layer in layers.items()})
    source, weights = LayerSource(tuple(layers), mixed=True), [0.3, -1.2, 0.7]
    with torch.no_grad():
        found = draw_tensors(DESIGN, source, NetworkSizes(DIM, 2, LABELS), SEED)
        found["mix"].copy_(torch.tensor(weights))
        found["gamma"].fill_(1.7)
        net = SpanNetwork(DESIGN, source, None, found)
        batch = batch_of(given, np.arange(SENTENCES))
        mine = compute_logits(net, batch, GatheredVectors(given, batch))
        mixed = edge_probe.mix([*layers.values()], torch.tensor(weights), torch.tensor(1.7))
        theirs = edge_probe.logits(found, mixed, [spans[i] for i in batch.rows])
    torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)
    assert mix_of(net) == (pytest.approx(layerwise.softmax(weights)), pytest.approx(1.7))
