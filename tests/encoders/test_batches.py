import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import DataProblem
from lingprobe.encoders.batches import make_batches, run_batches


@given(st.lists(st.integers(0, 300), max_size=200), st.integers(1, 500))
def test_every_row_once_longest_first_within_the_budget(lengths, tokens):
    given_ = np.array(lengths, np.int64)
    cut = make_batches(given_, tokens)
    rows = np.concatenate([*cut, np.empty(0, np.int64)]).astype(int)
    assert sorted(rows.tolist()) == np.flatnonzero(given_).tolist()
    assert (np.diff(given_[rows]) <= 0).all()
    assert all(len(b) == 1 or len(b) * given_[b[0]] <= tokens for b in cut)


@pytest.mark.parametrize("tokens", [0, -1, -500])
def test_a_budget_of_nothing_is_a_row_a_batch_and_ends(tokens):
    assert [b.tolist() for b in make_batches(np.array([3, 1, 2]), tokens)] == [[0], [2], [1]]


def test_batches_end_where_sentences_become_shorter():
    lengths = np.repeat([9, 8, 7], [70, 100, 5])
    assert [len(b) for b in make_batches(lengths, 1024)] == [70, 100, 5]
    lengths = np.repeat([9, 8, 7], [10, 30, 400])
    cut = make_batches(lengths, 1024)
    assert len(cut[0]) > 40  # a few long ones go with the next


@pytest.mark.parametrize("tokens", [256, 1024, 4096])
def test_hardly_anything_is_padding(tokens):
    lengths = np.random.default_rng(0).poisson(18, 4000) + 1
    padded = sum(len(b) * lengths[b[0]] for b in make_batches(lengths, tokens))
    assert padded <= 1.03 * lengths.sum()


@pytest.mark.parametrize("side_by_side", [False, True])
def test_a_batch_that_a_gpu_has_no_memory_for_is_cut_in_two(side_by_side):
    done = []

    def work(rows):
        if len(rows) > 3:
            raise torch.cuda.OutOfMemoryError("no memory")
        done.extend(rows.tolist())

    run_batches(work, [np.arange(10), np.arange(10, 12)], side_by_side)
    assert sorted(done) == list(range(12))


def test_one_sentence_that_a_gpu_has_no_memory_for_is_refused():
    def work(rows):
        raise torch.cuda.OutOfMemoryError("tried to allocate 80 GiB")

    with pytest.raises(
        DataProblem,
        match=r"no memory for one sentence .*tried to allocate 80 GiB.*: take a smaller",
    ):
        run_batches(work, [np.arange(3)], False)
