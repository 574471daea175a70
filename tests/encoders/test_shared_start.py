"""What stands before all sentences is read once, where a model allows it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
import transformers

from encoders.test_frames import EXACT, by_hand, llama  # noqa: F401
from lingprobe.data.core import Sentence
from lingprobe.encoders import make_encoder
from lingprobe.encoders.network import LoadedModel
from lingprobe.encoders.shared_start import MIN_SHARED_TOKENS, shared_start

LONG = "Say in one word what it means: "
TEMPLATE = f"{LONG}{{sentence}} It means"


@pytest.fixture
def read(monkeypatch):
    """How many tokens a network was given, pass after pass."""
    counts: list[int] = []
    run = LoadedModel._run

    def count(self, input_ids, attention_mask, **more):
        counts.append(input_ids.numel())
        return run(self, input_ids, attention_mask, **more)

    monkeypatch.setattr(LoadedModel, "_run", count)
    return counts


@pytest.mark.parametrize("layers", ["last", "1"])
@pytest.mark.parametrize("pool", ["mean", "end", "none"])
def test_vectors_are_those_of_the_whole_text(llama, sentences, layers, pool, read):  # noqa: F811
    named = f"hf:{llama},template={TEMPLATE},layers={layers},pool={pool},{EXACT}"
    some = [*sentences[:4], Sentence((), "")]
    encoder = make_encoder(named)
    encoder.encode(some[:1])  # loads it
    alone = [encoder.encode([sentence]).layers[0] for sentence in some]  # each whole
    encoder.encode(some[:2])  # tries it
    read.clear()
    together = encoder.encode(some).layers[0]
    np.testing.assert_allclose(together, np.concatenate(alone), atol=2e-5, rtol=2e-4)
    tokenizer = transformers.AutoTokenizer.from_pretrained(llama)
    whole = len(tokenizer(LONG)["input_ids"])
    assert whole >= MIN_SHARED_TOKENS
    lengths = [len(tokenizer(TEMPLATE.format(sentence=s.text))["input_ids"]) for s in some]
    longest = min(max(lengths), 64)  # which all are filled up to
    assert sum(read) <= (longest - (whole - 1)) * len(some)


def test_the_last_layer_is_that_of_transformers(llama, sentences):  # noqa: F811
    ours = make_encoder(f"hf:{llama},template={TEMPLATE},{EXACT}").encode(sentences[:3]).layers[0]
    wanted = [by_hand(llama, LONG, s.text, " It means").mean(0) for s in sentences[:3]]
    np.testing.assert_allclose(ours, wanted, atol=2e-5, rtol=2e-4)


def test_a_prompt_counts_in_pooling_as_before(llama, sentences):  # noqa: F811
    ours = make_encoder(f"hf:{llama},prompt={LONG},{EXACT}").encode(sentences[:3]).layers[0]
    tokenizer = transformers.AutoTokenizer.from_pretrained(llama)
    model = transformers.AutoModel.from_pretrained(llama)
    for vector, sentence in zip(ours, sentences[:3], strict=True):
        with torch.no_grad():
            states = model(**tokenizer(LONG + sentence.text, return_tensors="pt"))
        wanted = states.last_hidden_state[0].mean(0).numpy()
        np.testing.assert_allclose(vector, wanted, atol=2e-5, rtol=2e-4)


def test_a_model_that_reads_both_ways_reads_all_each_time(bert, sentences):
    network = make_encoder(f"hf:{bert},{EXACT}").load()
    assert network.shared_start(tuple(range(5, 5 + MIN_SHARED_TOKENS)), 1) is None


class Forgetful:
    """A network that takes what it goes on from for something else."""

    def __init__(self, network):
        self.network, self.limit, self.hidden_states = network, network.limit, network.hidden_states

    def continue_from(self, ids, cache, before, highest):
        for layer in cache.layers:
            layer.keys = layer.keys + 1
        return self.network.continue_from(ids, cache, before, highest)


def test_what_differs_is_not_taken(llama):  # noqa: F811
    network = make_encoder(f"hf:{llama},{EXACT}").load()
    ids = tuple(range(5, 5 + MIN_SHARED_TOKENS))
    start = shared_start(network, ids, 2, 1e-3)
    assert start is not None
    assert shared_start(Forgetful(network), ids, 2, 1e-3) is None
    broken = replace(start, kept=tuple((keys + 1, values) for keys, values in start.kept))
    rows = [[*ids, 7, 8], [*ids, 9]]
    whole = network.hidden_states(rows, None, 2)
    assert torch.allclose(start.hidden_states(rows)[2][0], whole[2][0], atol=1e-4)
    assert not torch.allclose(broken.hidden_states(rows)[2][0], whole[2][0], atol=1e-4)


def test_its_identity_says_so(llama):  # noqa: F811
    assert "once" in make_encoder(f"hf:{llama},prompt={LONG}").base
    assert "once" not in make_encoder(f"hf:{llama}").base


def test_states_of_what_is_read_once_are_replaced_as_well(llama, sentences):  # noqa: F811
    encoder = make_encoder(f"hf:{llama},template={TEMPLATE},layers=all,{EXACT}")
    before = encoder.encode(sentences[:4]).layers[-1]
    with encoder.replace_states({"1": torch.zeros_like}):
        together = encoder.encode(sentences[:4]).layers[-1]
        alone = [encoder.encode([sentence]).layers[-1] for sentence in sentences[:4]]  # each whole
    np.testing.assert_allclose(together, np.concatenate(alone), atol=2e-5, rtol=2e-4)
    np.testing.assert_array_equal(encoder.encode(sentences[:4]).layers[-1], before)
