from pathlib import Path

import numpy as np
import pytest
import torch

from lingprobe.data.core import Sentence
from lingprobe.data.references import ReferenceProblem
from lingprobe.encoders import make_encoder
from lingprobe.encoders.untrained import UntrainedArchitecture
from lingprobe.nets.trainable import NetworkShape

ARCHITECTURES = ["bilstm-last", "bilstm-max", "gated-convnet"]
SMALL = "dim=12,hidden=8"


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_vector_does_not_depend_on_its_batch(architecture, sentences):
    whole = make_encoder(f"untrained:{architecture},{SMALL}").encode(sentences).layers[0]
    small = (
        make_encoder(f"untrained:{architecture},{SMALL},tokens=8")
        .encode(sentences[::-1])
        .layers[0][::-1]
    )
    alone = np.concatenate(
        [make_encoder(f"untrained:{architecture},{SMALL}").encode([s]).layers[0] for s in sentences]
    )
    assert np.allclose(whole, small, atol=1e-5)
    assert np.allclose(whole, alone, atol=1e-5)
    assert np.abs(whole[:-1]).max(1).min() > 0
    assert not whole[-1].any()  # nothing can be read of an empty sentence


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_same_sentences_give_the_same_bits_whatever_the_global_seed(architecture, sentences):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    one = make_encoder(f"untrained:{architecture},{SMALL},seed=3").encode(sentences).layers[0]
    assert torch.equal(torch.get_rng_state(), before)
    from lingprobe.encoders import untrained

    untrained._draw_sentence_network.cache_clear()
    torch.manual_seed(2)
    assert np.array_equal(
        make_encoder(f"untrained:{architecture},{SMALL},seed=3").encode(sentences).layers[0], one
    )
    assert not np.allclose(
        make_encoder(f"untrained:{architecture},{SMALL},seed=4").encode(sentences).layers[0], one
    )


def test_order_matters_to_each():
    there, back = Sentence.of(["a", "b", "c"]), Sentence.of(["c", "b", "a"])
    for architecture in ARCHITECTURES:
        vectors = make_encoder(f"untrained:{architecture},{SMALL}").encode([there, back]).layers[0]
        assert not np.allclose(*vectors), architecture


def test_sizes_are_the_papers():
    networks = [NetworkShape(a, 300).network() for a in ARCHITECTURES]
    millions = [sum(p.numel() for p in each.parameters()) / 1e6 for each in networks]
    assert millions == pytest.approx([9.6, 9.6, 12.7], abs=0.1)  # the paper says ~12M of the last
    convolutions = networks[2].body.convolutions
    assert (len(convolutions), convolutions[0].kernel_size) == (8, (3,))


def test_lstm_states_are_torchs_own():
    words = (
        make_encoder("bow:random,dim=12,pool=none")
        .encode([Sentence.of(["a", "b", "c", "d"])])
        .layers[0]
    )
    net = NetworkShape("bilstm-max", 12, 8).network().body
    with torch.no_grad():
        states, _ = net.cells(torch.from_numpy(words)[None])
    found = {
        a: make_encoder(f"untrained:{a},{SMALL}")
        .encode([Sentence.of(["a", "b", "c", "d"])])
        .layers[0]
        for a in ARCHITECTURES[:2]
    }
    assert np.allclose(found["bilstm-max"], states.max(1).values, atol=1e-6)
    assert np.allclose(
        found["bilstm-last"], torch.cat([states[0, -1, :8], states[0, 0, 8:]])[None], atol=1e-6
    )


@pytest.mark.parametrize("learning", [False, True])
@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_a_backward_network_reads_a_sentence_from_its_end(kind, learning):
    lengths = torch.tensor([5, 3, 1])
    words = torch.randn(3, 5, 6, generator=torch.Generator().manual_seed(0))
    words[torch.arange(5) >= lengths[:, None]] = 0
    turned = words.clone()
    for row, length in zip(turned, lengths.tolist(), strict=True):
        row[:length] = row[:length].flip(0)
    forward, backward = (
        NetworkShape(f"{kind}-{how}", 6, 4).network() for how in ("last", "backward")
    )
    with torch.set_grad_enabled(learning):
        sentences, states, _ = backward.read(words, lengths)
        expected, theirs, _ = forward.read(turned, lengths)
    torch.testing.assert_close(sentences, expected)
    for row, other, length in zip(states, theirs, lengths.tolist(), strict=True):
        torch.testing.assert_close(row[:length], other[:length].flip(0))
        assert not row[length:].any()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_words_can_be_kept(architecture, sentences):
    vectors = make_encoder(f"untrained:{architecture},{SMALL},pool=none,tokens=20").encode(
        sentences
    )
    pooled = make_encoder(f"untrained:{architecture},{SMALL}").encode(sentences).layers[0]
    spans = vectors.spans
    assert np.array_equal(np.diff(spans.sentences), [len(s.words) for s in sentences])
    assert np.array_equal(
        spans.words,
        np.stack([np.arange(spans.sentences[-1]), np.arange(1, spans.sentences[-1] + 1)], 1),
    )
    for i, sentence in enumerate(sentences[:-1]):
        states = vectors.layers[0][spans.sentences[i] : spans.sentences[i + 1]]
        assert np.allclose(
            (
                np.concatenate([states[-1, :8], states[0, 8:]])
                if "last" in architecture
                else states.max(0)
            ),
            pooled[i],
            atol=1e-5,
        )
        # the same word differs with its neighbours
        assert len(np.unique(states, axis=0)) == len(sentence.words)
    assert np.array_equal(
        make_encoder(f"untrained:bilstm-last,{SMALL},pool=none").encode(sentences).layers[0],
        make_encoder(f"untrained:bilstm-max,{SMALL},pool=none").encode(sentences).layers[0],
    )


def test_words_that_are_not_read_have_no_unit():
    vectors = make_encoder("untrained:bilstm-max,dim=4,hidden=2,pool=none").encode(
        [Sentence.of(["w"] * 10_002), Sentence.of(["v"])]
    )
    assert vectors.cut.tolist() == [True, False]
    assert vectors.spans.sentences.tolist() == [0, 10_000, 10_001]
    assert vectors.spans.words[9_999:].tolist() == [
        [9_999, 10_000],
        [10_000, 10_000],
        [10_000, 10_000],
        [10_000, 10_001],
    ]


def test_positions_follow_the_formula():
    from lingprobe.nets.architectures import compute_position_weights

    places = compute_position_weights(torch.ones(1, 3, 4), torch.tensor([2]))
    assert places[0, 0, 0].item() == pytest.approx((1 - 1 / 2) - (1 / 4) * (1 - 2 * 1 / 2))
    assert places[0, 1, 2].item() == pytest.approx((1 - 2 / 2) - (3 / 4) * (1 - 2 * 2 / 2))


def test_static_vectors_go_in(tmp_path: Path):
    (path := tmp_path / "a.vec").write_text("2 3\nthe 1 0 0\ncat 0 2 0\n")
    encoder = make_encoder(f"untrained:bilstm-max,vectors={path},hidden=8")
    vectors = encoder.encode(
        [
            Sentence.of(["the", "cat"]),
            Sentence.of(["cat", "the"]),
            Sentence.of(["?"]),
            Sentence.of(["!"]),
        ]
    ).layers[0]
    assert vectors.shape == (4, 16)
    assert np.array_equal(vectors[2], vectors[3])  # both unknown: zeros
    assert not np.allclose(vectors[0], vectors[1])
    assert encoder.fingerprint != make_encoder("untrained:bilstm-max").fingerprint


def test_very_long_sentences_are_read():
    vectors = make_encoder(f"untrained:gated-convnet,{SMALL}").encode(
        [Sentence.of(["w"] * 10_001), Sentence.of(["w"])]
    )
    assert vectors.cut.tolist() == [True, False]
    assert np.isfinite(vectors.layers[0]).all()


@pytest.mark.parametrize("layers", [None, 1, 3])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_word_is_multiplied_with_every_weight(architecture, layers):
    encoder = UntrainedArchitecture(architecture, dim=7, hidden=5, layers=layers)
    weights = NetworkShape(architecture, 7, 5, layers or 0).network().parameters()
    assert encoder.word_operations == 2 * sum(w.numel() for w in weights if w.ndim > 1)


@pytest.mark.parametrize("option", ["hidden=0", "hidden=-1", "layers=0", "layers=-2"])
def test_a_network_of_no_size_is_none(option):
    with pytest.raises(ReferenceProblem, match="write a number from 1 on"):
        make_encoder(f"untrained:bilstm-max,{option}")
