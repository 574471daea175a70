"""Oracles as vectors: a fact's vector is its own wherever it comes from, facts add up, and noise is
what it says.
"""

import numpy as np
import pytest

from lingprobe.data.core import Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.data.references import ReferenceProblem
from lingprobe.encoders import ENCODERS, make_encoder
from lingprobe.encoders.gold import GoldOracle

ONE, TWO, THREE = (
    Sentence.of(text.split()) for text in ("the dog sleeps", "dogs sleep", "the dog")
)
FACTS = {
    ONE: (("det",), ("nsubj", "Number=Sing"), ("root", "Tense=Pres")),
    TWO: (("nsubj", "Number=Plur"), ("root", "Tense=Pres")),
    THREE: (("det",), ("root", "Number=Sing")),
}


def read(
    gold: GoldOracle, words: bool = False, sentences=(ONE, TWO, THREE), facts=None
) -> np.ndarray:
    return gold.with_facts(FACTS if facts is None else facts, words).encode(sentences).layers[0]


def test_a_fact_has_one_vector_in_every_data_set():
    alone = {ONE: (("Tense=Pres",),), TWO: (("Number=Plur",),)}
    present, plural = read(GoldOracle(width=8), sentences=(ONE, TWO), facts=alone)
    both = read(
        GoldOracle(width=8),
        sentences=(THREE,),
        facts={THREE: (("Tense=Pres", "Number=Plur", "else"),)},
    )
    other = read(GoldOracle(width=8), sentences=(ONE,), facts={ONE: (("else",),)})
    np.testing.assert_allclose(both[0], present + plural + other[0], rtol=1e-6)
    assert not np.allclose(
        present, read(GoldOracle(width=8, seed=1), sentences=(ONE,), facts=alone)[0]
    )


def test_vectors_depend_on_no_order_and_no_batch():
    for words in (False, True):
        gold = GoldOracle(width=16, noise=0.3).with_facts(FACTS, words)
        whole = gold.encode((ONE, TWO, THREE))
        turned = (
            GoldOracle(width=16, noise=0.3)
            .with_facts(dict(reversed(FACTS.items())), words)
            .encode((THREE, ONE))
        )
        for here, there in ((0, 1), (2, 0)):
            mine, other = whole.take(np.array([here])), turned.take(np.array([there]))
            np.testing.assert_array_equal(mine.layers[0], other.layers[0])
    shuffled = {ONE: tuple(tuple(reversed(unit)) for unit in FACTS[ONE])}
    np.testing.assert_array_equal(
        read(GoldOracle(), facts=shuffled, sentences=(ONE,)), read(GoldOracle(), sentences=(ONE,))
    )


def test_words_have_their_own_facts_and_sentences_the_sum_of_all():
    words = GoldOracle(width=8).with_facts(FACTS, True).encode((ONE, THREE))
    assert words.spans is not None
    assert words.spans.words.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]]
    np.testing.assert_array_equal(words.layers[0][0], words.layers[0][3])  # `det` in both
    np.testing.assert_allclose(words.layers[0][:3].sum(0), read(GoldOracle(width=8))[0], rtol=1e-5)


def test_without_a_width_facts_are_counted():
    facts = {ONE: (("a", "b"), ("a",)), TWO: ((),)}
    assert read(GoldOracle(width=None), sentences=(ONE, TWO), facts=facts).tolist() == [
        [2.0, 1.0],
        [0.0, 0.0],
    ]
    assert make_encoder("gold:x,width=none").with_facts(facts, False).encode((TWO,)).layers[
        0
    ].shape == (
        1,
        2,
    )


def test_a_fact_is_about_1_long_whatever_the_width_and_noise_is_as_long_as_it_says():
    facts = {ONE: (("a",),), TWO: (("b",),), THREE: (("c",),)}
    for width in (400, 4000):
        assert np.linalg.norm(read(GoldOracle(width=width), facts=facts), axis=1) == pytest.approx(
            1, rel=0.1
        )
    noise = read(GoldOracle(width=4000, noise=0.5)) - read(GoldOracle(width=4000))
    assert np.linalg.norm(noise, axis=1) == pytest.approx(0.5, rel=0.05)
    assert abs(np.corrcoef(noise)[0, 1]) < 0.05  # each sentence has its own
    again = read(GoldOracle(width=4000, noise=0.5, seed=1)) - read(GoldOracle(width=4000, seed=1))
    assert abs(np.corrcoef(noise[0], again[0])[0, 1]) < 0.05


def test_it_encodes_nothing_without_a_task():
    with pytest.raises(EncoderStop, match="only for the sentences of a task"):
        make_encoder("gold:clause").encode([ONE])


@pytest.mark.parametrize("reference", ["gold,width=0", "gold,noise=-1"])
def test_options_that_make_no_sense_are_refused(reference):
    with pytest.raises(ReferenceProblem):
        make_encoder(reference)


def test_references():
    assert ENCODERS.canonical("gold") == "gold,noise=0.0,seed=0,width=384"
    assert ENCODERS.canonical("gold:clause,width=none") == "gold:clause,noise=0.0,seed=0,width=none"
    assert make_encoder("gold").with_oracle("clause") == make_encoder("gold:clause")
