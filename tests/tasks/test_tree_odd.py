"""SOMO: what a replacement keeps, that its pairs are attested and comparable, and that splits share
no replacement.
"""

import math

import numpy as np
import pytest

from lingprobe.corpora.frequencies import count_frequencies
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.datasets.draw import sample
from lingprobe.datasets.settings import SampleSettings
from lingprobe.tasks.tree.odd import (
    _NEAR,
    ReplacementWords,
    compute_frequency_band,
    find_replacements,
    make_tag_lexicon,
)
from tasks.altering import corpus_of, made

LETTERS = [a + b for a in "bdgklmnprt" for b in "aeiou"]
NOUNS = [f"n{x}{y}" for x in LETTERS[:10] for y in LETTERS[:10]]
VERBS = [f"v{x}{y}" for x in LETTERS[:4] for y in LETTERS[:10]]
TAGS = ("DT", "NN", "VBD", "DT", "JJ", "NN", ".")


@pytest.fixture(scope="module")
def toy():
    rng = np.random.default_rng(0)
    drawn = {tuple(str(rng.choice(words)) for words in (NOUNS, VERBS, NOUNS)) for _ in range(1500)}
    sentences = [
        Sentence.of(("The", noun, verb, "the", "old", other, "."))
        for noun, verb, other in sorted(drawn)
    ]
    return sentences, [TAGS] * len(sentences)


@pytest.fixture(scope="module")
def choice(toy):
    words = [s.words for s in toy[0]]
    return ReplacementWords.of(
        count_frequencies(words), make_tag_lexicon(zip(words, toy[1], strict=True)), own=True
    )


def test_one_word_is_replaced_by_one_of_the_same_tag_whose_pairs_are_attested_as_often(toy, choice):
    found, out = find_replacements(corpus_of(*toy), choice, 0)
    candidates = list(found)
    for candidate, origins in made(found):
        assert [w for w, i in zip(candidate.sentence.words, origins, strict=True) if i < 0] == [
            w for w in [candidate.target] if w
        ]
    assert len(candidates) + sum(out.values()) == len(toy[0])
    originals = {s.words for s in toy[0]}
    counts, compared = choice.counts, 0
    for c in candidates:
        if c.label == "O":
            assert c.sentence.words in originals
            assert c.target == ""
            continue
        words = c.sentence.words
        i = words.index(c.target)
        assert (c.target in NOUNS) == (TAGS[i] == "NN") == (c.strata["tag"] == "NN")
        olds = [
            w
            for w in (NOUNS if TAGS[i] == "NN" else VERBS)
            if (*words[:i], w, *words[i + 1 :]) in originals
        ]
        assert olds
        assert 0 < i < len(words) - 1
        assert any(
            all(abs(math.log(new / old)) <= _NEAR + 1e-6 for old, new in both(counts, words, i, w))
            for w in olds
        )
        compared += 1
    assert compared == len(candidates) // 2 > 100


def both(counts, words, i, old):
    """Counts of the pairs and the words, the old ones without their own sentence and the new
    ones.
    """
    pairs = [
        (
            counts.side_by_side(words[i - 1], w),
            counts.side_by_side(w, words[i + 1]),
            counts.count(w),
        )
        for w in (old, words[i])
    ]
    assert min(pairs[1]) > 0
    return [(max(a - 1, 0.1), b) for a, b in zip(*pairs, strict=True)]


def test_splits_share_no_replacement_and_no_sentence_comes_twice(toy, choice):
    dataset = sample(
        find_replacements(corpus_of(*toy), choice, 0)[0],
        SampleSettings(rarest=1, commonest=0),
    )
    homes = {}
    for example in dataset.examples():
        if example.label == "C":
            homes.setdefault(example.strata["target"], set()).add(example.split)
        else:
            assert "target" not in example.strata
    assert {len(splits) for splits in homes.values()} == {1}
    assert {split for splits in homes.values() for split in splits} == {"train", "dev", "test"}
    assert len({s.words for s in dataset.sentences}) == len(dataset)


def test_replacements_are_as_frequent_as_what_they_replace(toy, choice):
    rng = np.random.default_rng(1)
    found = [
        (s.words, choice.odd(s.words, tags, rng)) for s, tags in zip(toy[0], toy[1], strict=True)
    ]
    ratio = [
        math.log(choice.counts.count(o.replacement) / choice.counts.count(words[o.place]))
        for words, o in found
        if o
    ]
    assert abs(np.mean(ratio)) < 0.05


def test_the_band_shrinks_with_the_corpus():
    assert compute_frequency_band(5_000_000) == compute_frequency_band(200_000_000) == (40, 400)
    assert compute_frequency_band(2_500_000) == (20, 200)
    assert compute_frequency_band(10_000) == (5, 50)


def test_a_form_has_the_tag_that_it_mostly_has():
    sentences = [Sentence.of(["run", "Run", "run", "a"]), Sentence.of(["run", "dog", "dog", "a"])]
    tags = [("VB", "VB", "NN", "DT"), ("VB", "NN", "NN", "DT")]
    words = [s.words for s in sentences]
    assert make_tag_lexicon(zip(words, tags, strict=True)) == {"run": "VB", "dog": "NN", "a": "DT"}


def test_text_without_tags_is_refused(toy):
    with pytest.raises(DataProblem, match="lingprobe data tag"):
        make_tag_lexicon((s.words, ()) for s in toy[0])
