from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import DataProblem, Dataset, Example, Sentence, Site
from lingprobe.datasets.splits import draw_examples, draw_train


def rows(*counts):
    """Examples a class at a time, as in the file of sentence lengths: the first rows are all of one
    class.
    """
    return [
        Example.about(Sentence.of([f"{split}{label}{i}"]), str(label), split)
        for split, many in zip(("train", "dev", "test"), counts, strict=True)
        for label in range(3)
        for i in range(many)
    ]


def test_every_class_and_split_keeps_its_share():
    part = draw_examples(rows(100, 10, 10), 36, seed=0)
    assert Counter((e.split, e.label) for e in part) == {
        (s, c): n for s, n in (("train", 10), ("dev", 1), ("test", 1)) for c in "012"
    }


def test_examples_are_drawn_over_all_and_stay_in_order():
    whole = rows(100, 10, 10)
    part = draw_examples(whole, 36, seed=0)
    places = [whole.index(e) for e in part]
    assert places == sorted(places)
    first_class = [p for p in places if p < 100]
    assert max(first_class) > 50, "the head of the class was taken"
    assert part != draw_examples(whole, 36, seed=1)
    assert part == draw_examples(whole, 36, seed=0)


def test_all_are_kept_where_fewer_are_there():
    assert draw_examples(rows(3, 1, 1), 1000, seed=0) == rows(3, 1, 1)
    with pytest.raises(DataProblem, match="size=0"):
        draw_examples(rows(3, 1, 1), 0, seed=0)


def test_classes_of_test_are_in_train_where_there_are_more_classes_than_examples():
    whole = [
        Example.about(Sentence.of([f"{s}{c}{i}"]), f"c{c}", s)
        for s, n in (("train", 10), ("test", 1))
        for c in range(100)
        for i in range(n)
    ]
    part = draw_examples(whole, 220, seed=3)
    seen = {split: {e.label for e in part if e.split == split} for split in ("train", "test")}
    assert seen["test"] <= seen["train"]
    other = {e.label for e in draw_examples(whole, 220, seed=4) if e.split == "test"}
    assert other != seen["test"], "some classes are always preferred"


@given(
    st.lists(
        st.tuples(st.sampled_from(["train", "dev", "test"]), st.sampled_from("abc")), min_size=1
    ),
    st.integers(1, 40),
    st.integers(0, 3),
)
def test_as_many_as_were_asked_for(pairs, size, seed):
    whole = [
        Example.about(Sentence.of([str(i)]), label, split) for i, (split, label) in enumerate(pairs)
    ]
    part = draw_examples(whole, size, seed)
    assert len(part) == min(size, len(whole))
    ids = np.array([int(e.sites[0].sentence.text) for e in part])
    assert (np.diff(ids) > 0).all()


def test_samples_leave_out_a_share_of_the_training_sentences_and_nothing_of_the_rest():
    sentences = [Sentence.of([f"s{i}"]) for i in range(100)]
    whole = Dataset.of(
        Example(
            (Site(sentences[i // 2]),),
            "ab"[i % 2],
            "train" if i < 160 else "dev" if i < 180 else "test",
        )
        for i in range(200)
    )
    draws = [draw_train(whole, f"{k}/5") for k in range(1, 6)]
    # four fifths of 80 sentences with two targets each
    assert [len(d.rows("train")) for d in draws] == [128] * 5
    kept = [set(d.sites[d.rows("train"), 0, 0].tolist()) for d in draws]
    assert len({frozenset(k) for k in kept}) == 5
    assert set.union(*kept) == set(range(80))
    for draw in draws:
        assert [len(draw.rows(s)) for s in ("dev", "test")] == [20, 20]
        assert set(np.bincount(draw.sites[draw.rows("train"), 0, 0]).tolist()) == {0, 2}
    assert draw_train(whole, "2/5").sites.tolist() == draws[1].sites.tolist()


@pytest.mark.parametrize("wrong", ["5", "0/5", "6/5", "1/1", "a/b", "*/5"])
def test_a_sample_that_is_none_says_what_to_write(wrong):
    whole = Dataset.of([Example.about(Sentence.of(["a"]), "x")])
    with pytest.raises(DataProblem, match="sample=1/5"):
        draw_train(whole, wrong)
