"""Layers that only read, against torch's own."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from lingprobe.parts.archive import recurrence
from lingprobe.parts.archive.recurrence import Gru, Product, Reading, Recurrence

ROWS = [np.array(row) for row in ([1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 5], [6, 2, 3], [3], [3])]


@pytest.fixture(params=[True, False], ids=["onednn", "torch"])
def laid_out(request, monkeypatch):
    """Weights laid out for oneDNN, and as they are."""
    if not request.param:
        monkeypatch.setattr(recurrence, "_laid_out", lambda weights: None)


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
def test_lstms_have_the_states_of_torch(layers, ways, laid_out):
    net, vectors = drawn(nn.LSTM, num_layers=layers, bidirectional=ways == 2)
    wanted, (last, _) = plainly(net, vectors)
    ours = Recurrence.of(dict(net.state_dict()), layers, ways)
    assert (ours.reads, ours.width) == (5, 3 * ways)
    states = ours.top(vectors, ROWS, "none")
    for row, made, right in zip(ROWS, states, wanted, strict=True):
        assert torch.allclose(made[: len(row)], right[: len(row)], atol=1e-6)
    ends = torch.cat([*last[-ways:]], 1)
    assert torch.allclose(ours.top(vectors, ROWS, "last"), ends, atol=1e-6)
    there = torch.stack([w[: len(r)].amax(0) for w, r in zip(wanted, ROWS, strict=True)])
    assert torch.allclose(ours.top(vectors, ROWS, "max"), there, atol=1e-6)
    assert len(list(ours.layers(vectors, ROWS))) == layers


def test_grus_have_the_states_of_torch(laid_out):
    net, vectors = drawn(nn.GRU)
    net.bias_hh_l0.data.zero_()
    wanted, (last,) = plainly(net, vectors)
    read = Product(net.weight_ih_l0.detach(), net.bias_ih_l0.detach())
    ours = Recurrence([[Gru(read, Product(net.weight_hh_l0.detach()), 3)]])
    assert torch.allclose(ours.top(vectors, ROWS, "last"), last, atol=1e-6)
    assert torch.allclose(ours.top(vectors, ROWS, "none")[0], wanted[0], atol=1e-6)


def test_weights_are_taken_out_of_the_dictionary():
    net, _ = drawn(nn.LSTM)
    state = {f"enc.{name}": weights for name, weights in net.state_dict().items()} | {"else": 1}
    Recurrence.of(state, 1, 1, "enc.")
    assert state == {"else": 1}


def test_sentences_that_begin_alike_share_states(monkeypatch):
    monkeypatch.setattr(recurrence, "ROWS", 1)
    forward, backward = (Reading.of(ROWS, back) for back in (False, True))
    assert [len(numbers) for numbers in forward.numbers] == [3, 2, 3, 1]
    assert forward.places[0].tolist() == forward.places[1].tolist()
    assert [len(numbers) for numbers in backward.numbers] == [3, 3, 3, 1]
    for reading, last in ((forward, -1), (backward, 0)):
        words = np.concatenate(reading.numbers)
        for row, places, end in zip(ROWS, reading.places.numpy(), reading.last, strict=True):
            assert words[places[: len(row)]].tolist() == row.tolist()
            assert end == places[: len(row)][last]


def test_words_that_come_again_enter_the_gates_once(monkeypatch):
    monkeypatch.setattr(recurrence, "ROWS", 1)
    net, vectors = drawn(nn.LSTM)
    ours, read = Recurrence.of(dict(net.state_dict()), 1, 1), []
    product = ours.cells[0][0].read
    monkeypatch.setattr(
        ours.cells[0][0], "read", lambda rows: read.append(len(rows)) or product(rows)
    )
    ours.top(vectors, ROWS, "last")
    assert read == [6]


def test_products_have_few_numbers_of_rows(monkeypatch):
    """Else oneDNN compiles code for every number that comes, and keeps it."""
    net, vectors = drawn(nn.LSTM)
    ours, rows = Recurrence.of(dict(net.state_dict()), 1, 1), set()
    for name in ("read", "keep"):
        product = getattr(ours.cells[0][0], name)
        noted = lambda given, product=product: rows.add(len(given)) or product(given)  # noqa: E731
        monkeypatch.setattr(ours.cells[0][0], name, noted)
    for many in range(1, 40):
        ours.top(vectors, [np.array([n % 7, n % 5, 3]) for n in range(many)], "max")
    assert rows <= {8, 16, 24, 32, 40}
