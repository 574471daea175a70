"""Layers over sentences that are packed one layer at a time, against torch's own as a whole."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from lingprobe_extensions.archive.recurrence import RecurrentLayers, build_recurrent_layer

ROWS = [np.array(row) for row in ([1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 5], [6, 2, 3], [3], [3])]


def drawn(kind, **options):
    torch.manual_seed(0)
    vectors = np.random.default_rng(0).normal(size=(7, 5)).astype(np.float32)
    return kind(5, 3, batch_first=True, **options), vectors


def plainly(net, vectors):
    """The states of torch's layers, and the last ones of both directions."""
    lengths = [len(row) for row in ROWS]
    batch = torch.zeros(len(ROWS), max(lengths), 5)
    for target, row in zip(batch, ROWS, strict=True):
        target[: len(row)] = torch.from_numpy(vectors[row])
    with torch.inference_mode():
        states, last = net(pack_padded_sequence(batch, lengths, batch_first=True))
        return pad_packed_sequence(states, batch_first=True)[0], last


@pytest.mark.parametrize(("layers", "ways"), [(1, 1), (1, 2), (3, 2)])
def test_lstms_have_the_states_of_torch(layers, ways):
    net, vectors = drawn(nn.LSTM, num_layers=layers, bidirectional=ways == 2)
    wanted, (last, _) = plainly(net, vectors)
    ours = RecurrentLayers.of(dict(net.state_dict()), layers, ways)
    assert (ours.reads, ours.width) == (5, 3 * ways)
    states = ours.top(vectors, ROWS, "none")
    for row, made, right in zip(ROWS, states, wanted, strict=True):
        assert torch.allclose(made[: len(row)], right[: len(row)], atol=1e-6)
    ends = torch.cat([*last[-ways:]], 1)
    assert torch.allclose(ours.top(vectors, ROWS, "last"), ends, atol=1e-6)
    there = torch.stack([w[: len(r)].amax(0) for w, r in zip(wanted, ROWS, strict=True)])
    assert torch.allclose(ours.top(vectors, ROWS, "max"), there, atol=1e-6)
    assert len(list(ours.layers(vectors, ROWS))) == layers


def test_grus_have_the_states_of_torch():
    net, vectors = drawn(nn.GRU)
    net.bias_hh_l0.data.zero_()
    wanted, (last,) = plainly(net, vectors)
    ours = RecurrentLayers([build_recurrent_layer(nn.GRU, dict(net.state_dict()))])
    assert torch.allclose(ours.top(vectors, ROWS, "last"), last, atol=1e-6)
    assert torch.allclose(ours.top(vectors, ROWS, "none")[0], wanted[0], atol=1e-6)


def test_weights_are_taken_out_of_the_dictionary():
    net, _ = drawn(nn.LSTM)
    state = {f"enc.{name}": weights for name, weights in net.state_dict().items()} | {"else": 1}
    RecurrentLayers.of(state, 1, 1, "enc.")
    assert state == {"else": 1}
