"""What a tagger reads, and how it learns, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from lingprobe_extensions.train.parsers import tagger
from reference import tagging

WORDS = (
    *("The", "the", "cat", "cats", "CATS", "rats", "brats", "carats", "boots", "3.50", "1999"),
    *("2024", "x-ray", "—", "“", "Łódź", "a", "USA"),
)
TAGS = ("DT", "NN", "NNS")
sentences = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), min_size=1, max_size=4
)


@given(sentences)
def test_words_have_the_same_number_where_the_same_is_read_of_them(examples):
    usual = {"the": "DT", "cat": "NN", "a": "DT", '"': "``"}
    found = tagger._hash_token_features(examples, usual)
    cells = [
        cell
        for words in examples
        for at in range(len(words))
        for cell in tagging.read(words, at, usual)
    ]
    first = list(dict.fromkeys(cells))
    numbers = list(dict.fromkeys(found.ravel().tolist()))
    assert [numbers.index(x) for x in found.ravel().tolist()] == [first.index(x) for x in cells]


def drawn(seed):
    """Tagged sentences."""
    draws = np.random.default_rng(seed)
    sizes = draws.integers(1, 5, 12)
    return [(draws.choice(WORDS, n).tolist(), draws.choice(TAGS, n).tolist()) for n in sizes]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_read_twice_of_the_words_to_learn_from_adds_to_the_scores_of_tags(
    seed, monkeypatch
):
    monkeypatch.setattr(tagger, "_BLOCK", 2)
    examples, others = drawn(seed), drawn(seed + 100)
    made = tagger.train_tagger(examples, seed=seed)
    usual = tagging.usual(examples)
    assert made.usual == usual

    def cells(some):
        return [tagging.read(words, at, usual) for words, _ in some for at in range(len(words))]

    every = [cell for row in cells(examples) for cell in row]
    numbers = tagger._hash_token_features([words for words, _ in examples], usual).ravel().tolist()
    row_of = {key: row for row, key in enumerate(made.keys.tolist())}
    weights = {
        c: made.weights[row_of[n]] for c, n in zip(every, numbers, strict=True) if n in row_of
    }
    assert set(weights) == {cell for cell in every if every.count(cell) >= 2}
    for some in (examples, others):
        expected = []
        for row in cells(some):
            scores = made.bias + sum(weights.get(cell, 0) for cell in row)
            expected.append(made.tags[int(np.argmax(scores))])
        assert [tag for tags in made.tag([words for words, _ in some]) for tag in tags] == expected


@pytest.mark.parametrize("epochs", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_a_tag_is_learnt_as_an_averaged_perceptron_with_a_margin_learns_it(seed, epochs):
    rows = np.random.default_rng(seed).integers(0, 2, (3, 6)).astype(np.float32)
    labels = np.array([True, False, True])
    weights, bias = tagger._told_apart(csr_matrix(rows), labels, seed, epochs)
    every = tagging.perceptrons(rows.tolist(), labels.tolist(), epochs)
    apart = [max(np.abs(np.array(one) - weights).max(), abs(other - bias)) for one, other in every]
    assert min(apart) < 1e-6
