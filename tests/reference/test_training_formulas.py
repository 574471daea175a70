"""What trainings select by and count, against plain loops."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.nets.trainable import NetworkShape
from lingprobe_extensions.train.contents import OBJECTIVES
from lingprobe_extensions.train.corpus import TrainingCorpus, WordVocabulary
from lingprobe_extensions.train.data import TrainingExample
from lingprobe_extensions.train.examples import TrainingExamples
from lingprobe_extensions.train.loop import EpochResult
from lingprobe_extensions.train.nets.heads import PAD_TOKEN_ID, START_TOKEN_ID
from lingprobe_extensions.train.objectives import LessonKit, add_noise
from lingprobe_extensions.train.selection import SelectionCriterion
from lingprobe_extensions.train.texts import NumberedTexts, compute_perplexities
from reference import trainings

seeds = st.integers(0, 10**6)
values = st.sampled_from([1.0, 1.5, 2.0, 3.0, 95.0, 100.0, 101.0])


@given(
    st.sampled_from(["bleu", "accuracy", "perplexity"]),
    st.lists(st.tuples(values, values), min_size=1, max_size=5),
    st.lists(st.tuples(st.sampled_from(["bleu", "accuracy", "perplexity"]), values), max_size=3),
    st.booleans(),
)
def test_the_best_epoch_is_selected_and_said_to_be_better(figure, rows, baselines, written):
    names = (figure, "perplexity") if written and figure != "perplexity" else (figure,)
    figures = [dict(zip(names, row, strict=False)) for row in rows]
    epochs = [EpochResult(n, 1.0, each, 10, 1.0) for n, each in enumerate(figures, 1)]
    trivial = {f"{name} of {i}": value for i, (name, value) in enumerate(baselines)}
    found = SelectionCriterion(figure, trivial)
    by, best = trainings.selected(figures, figure, baselines)
    assert (found.by(epochs), found.best(epochs)) == (by, best)
    assert found.since(epochs) == len(rows) - best
    assert found.unbeaten(epochs) == [
        f"{name} of {i}"
        for each in names
        for i, (name, value) in enumerate(baselines)
        if name == each and not trainings.clearly_better(name, figures[best - 1][name], value)
    ]
    steady = [each.get("perplexity", -each.get(figure, 0.0)) for each in figures]
    earlier = steady[:-1] or [float("inf")]
    assert found.has_stalled(epochs) == (min(earlier) <= steady[-1])


@given(seeds, st.integers(4, 8))
def test_perplexities_of_counted_pieces(seed, many):
    draws = np.random.default_rng(seed)
    pieces = [piece for piece in range(many) if piece not in (START_TOKEN_ID, PAD_TOKEN_ID)]

    def rows(n):
        return [
            [START_TOKEN_ID, *draws.choice(pieces, draws.integers(1, 5)).tolist()] for _ in range(n)
        ]

    train, dev = rows(4), rows(3)
    found = compute_perplexities(NumberedTexts.of(train), NumberedTexts.of(dev), many)
    expected = trainings.perplexities(train, dev, many, START_TOKEN_ID, PAD_TOKEN_ID)
    assert (found["unigram"], found["bigram"]) == pytest.approx(expected)


WORDS = [f"w{i}" for i in range(9)]


@given(seeds)
def test_pairs_are_told_by_the_second_sentence_alone(seed):
    draws = np.random.default_rng(seed)

    def text():
        return tuple(draws.choice(WORDS, draws.integers(1, 5)).tolist())

    some = [
        TrainingExample(text(), (), text(), str(draws.choice(["no", "yes", "ah"])))
        for _ in range(14)
    ]
    read, _ = TrainingExamples.of(some)
    if len(read.names) < 2:
        return
    objective = OBJECTIVES.make("infer")
    lesson = objective.lesson(objective, read, LessonKit(NetworkShape("mean", 4, 0, 0), 0, 0, 0))
    train, dev = np.arange(10), np.arange(10, 14)
    found = lesson.trivial(train, dev)
    known = [read.second.row(i).tolist() for i in range(14)]
    labels = [sorted({each.label for each in some}).index(each.label) for each in some]
    assert read.labels.tolist() == labels
    words = max(map(max, known)) + 1
    said = trainings.naive_bayes(
        list(zip(known[:10], labels[:10], strict=True)), known[10:], words, len(read.names)
    )
    may = [b in a for a, b in zip(said, labels[10:], strict=True)]
    must = [a == {b} for a, b in zip(said, labels[10:], strict=True)]
    assert 25 * sum(must) <= found["accuracy of the second sentence alone"] <= 25 * sum(may)
    common = max(range(len(read.names)), key=labels[:10].count)
    assert found["accuracy of the commonest label"] == 25 * labels[10:].count(common)


@given(seeds, st.integers(1, 6), st.sampled_from([0.0, 0.4, 1.0]), st.sampled_from([0.0, 0.5, 1.0]))
def test_words_are_left_out_and_change_places_in_pairs(seed, n, drop, swap):
    texts = NumberedTexts.of([list(range(10, 10 + n)), [7]])
    found = add_noise(texts, np.array([0]), drop, swap, np.random.default_rng(seed))
    draws = np.random.default_rng(seed)
    kept = (draws.random(n) >= drop).tolist()
    first, left = int(draws.integers(2)), max(sum(kept), 1)
    swapped = (draws.random(len(range(first, left - 1, 2))) < swap).tolist()
    expected = [10 + i for i in trainings.denoised(kept, swapped, first)]
    assert found.ids.tolist() == expected
    assert found.lengths.tolist() == [len(expected)]


@given(seeds, st.integers(1, 3), st.integers(1, 6))
def test_words_that_are_learnt_are_the_commonest_of_train(seed, least, most):
    from lingprobe_extensions.train.encoder import UNKNOWN_WORD
    from lingprobe_extensions.train.sentences import TrainDevSplit, _vocabulary

    draws = np.random.default_rng(seed)
    some = [TrainingExample(tuple(draws.choice(WORDS, 3).tolist()), ("x",)) for _ in range(8)]
    read, _ = TrainingExamples.of(some)
    train = np.flatnonzero(draws.random(8) < 0.7)
    how = SimpleNamespace(vocabulary=most, least=least)
    rows, names = _vocabulary(TrainDevSplit(read, train, train), how, len(read.forms) + 2)
    expected = trainings.vocabulary(
        read.forms, [some[i].first for i in train.tolist()], least, most
    )
    assert names == [UNKNOWN_WORD, *expected]
    told = [form if form in expected else UNKNOWN_WORD for form in read.forms]
    assert [names[row] for row in rows.tolist()] == [*told, UNKNOWN_WORD, UNKNOWN_WORD]


@given(seeds, st.integers(1, 3))
def test_words_of_a_corpus_that_are_learnt_are_the_commonest_of_train(seed, least):
    draws = np.random.default_rng(seed)
    some = [draws.choice(WORDS, draws.integers(1, 5)).tolist() for _ in range(8)]
    rows = np.flatnonzero(draws.random(8) < 0.7)
    with tempfile.TemporaryDirectory() as folder:
        corpus = TrainingCorpus.of(some, Path(folder))
        found = WordVocabulary.of(corpus, rows, least)
        train = [some[i] for i in rows.tolist()]
        assert list(found.words) == trainings.vocabulary(corpus.forms, train, least, None)
        assert found.counts.tolist() == [sum(s.count(w) for s in train) for w in found.words]
        known = found.drop_rare_words(corpus.read(2, 7))
    for i, words in enumerate(some[2:7]):
        mine = [found.words[k] for k in known.row(i).tolist()]
        assert mine == [word for word in words if word in found.words]
