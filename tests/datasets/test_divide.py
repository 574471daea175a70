"""A test split for data without one."""

from dataclasses import replace

import numpy as np
import pytest

from lingprobe.data.core import DataProblem, Dataset, Example, Sentence
from lingprobe.datasets.fold_plan import name_folds, plan_folds
from lingprobe.datasets.folds import select_test_fold


def rows(many, text=str, classes=2, **strata):
    return Dataset.of(
        Example.about(
            Sentence.of(["a", text(i)]),
            f"c{i % classes}",
            **{name: str(of(i)) for name, of in strata.items()},
        )
        for i in range(many)
    )


def fold_rows(dataset, many):
    """The rows that each fold tests."""
    return [select_test_fold(dataset, f"{k + 1}/{many}", 0).rows("test") for k in range(many)]


def test_each_row_is_tested_once_and_classes_keep_their_shares():
    dataset = rows(300, classes=3)
    folds = fold_rows(dataset, 5)
    assert sorted(np.concatenate(folds)) == list(range(300))
    for fold in folds:
        assert np.bincount(dataset.labels.ids[fold]).tolist() == [20, 20, 20]


def test_the_first_of_the_folds_that_are_needed_is_what_is_asked_for():
    dataset = rows(300)
    small = select_test_fold(dataset, None, 0)
    assert name_folds(small) == [f"{k}/5" for k in range(1, 6)]
    first = select_test_fold(dataset, "1/5", 0)
    np.testing.assert_array_equal(small.splits, first.splits)
    assert name_folds(first) == []
    assert (select_test_fold(dataset, None, 1).splits != small.splits).any()


def test_equal_sentences_are_in_one_fold():
    dataset = rows(200, text=lambda i: str(i // 4))
    for fold in fold_rows(dataset, 5):
        assert len({i // 4 for i in fold}) * 4 == len(fold)


def test_groups_are_in_one_fold_also_where_sentences_recur():
    dataset = rows(200, text=lambda i: str(i % 190), speaker=lambda i: i // 10)
    grouped = replace(dataset, clusters=("speaker",))
    for fold in fold_rows(grouped, 5):
        assert len({i // 10 for i in fold}) * 10 == len(fold)
        assert 20 <= len(fold) <= 60


@pytest.mark.parametrize(("speakers", "folds"), [(3, 3), (2, 2), (40, 5)])
def test_there_are_no_more_folds_than_groups(speakers, folds):
    dataset = rows(200, speaker=lambda i: i * speakers // 200)
    grouped = replace(dataset, clusters=("speaker",))
    assert len(name_folds(select_test_fold(grouped, None, 0))) == folds
    assert len(np.concatenate(fold_rows(grouped, folds))) == 200


def test_one_group_makes_no_folds():
    dataset = rows(50, speaker=lambda i: 0)
    grouped = replace(dataset, clusters=("speaker",))
    with pytest.raises(DataProblem, match="50 examples that must keep speakers together"):
        select_test_fold(grouped, None, 0)


@pytest.mark.parametrize(
    ("many", "folds", "tested"),
    [
        (4_700, 5, 4_700),
        (4_800, 5, 4_800),
        (10_000, 5, 10_000),
        (12_500, 4, 10_000),
        (20_000, 3, 10_000),
        (49_000, 2, 10_000),
        (50_000, 1, 10_000),
        (240_000, 1, 20_000),
    ],
)
def test_so_many_are_tested_in_so_many_folds(many, folds, tested):
    ids = np.arange(many) % 2
    planned = plan_folds(many, int(np.bincount(ids).min()), 200, (10, 1, 1))
    assert planned == (tested, folds)


def test_a_rare_class_is_tested_in_full():
    assert plan_folds(60_000, 300, 200, (10, 1, 1)) == (40_000, 4)
    assert plan_folds(60_000, 100, 200, (10, 1, 1)) == (60_000, 5)


def test_more_data_never_test_fewer():
    """What an interval rests on grows with the data; each fit learns from four fifths at least."""
    sizes = np.unique(np.geomspace(100, 1_000_000, 4_000).astype(int))
    planned = [plan_folds(int(n), int(n) // 2, 200, (10, 1, 1)) for n in sizes]
    tested = np.array([each.tested for each in planned])
    trained = np.array([n - t.tested / t.folds for n, t in zip(sizes, planned, strict=True)])
    assert (np.diff(tested) >= 0).all()
    assert (trained >= 0.8 * sizes - 1).all()


@pytest.mark.parametrize(("many", "folds"), [(12_000, 5), (20_000, 3), (60_000, 1)])
def test_folds_of_larger_data_test_what_was_planned(many, folds):
    dataset = rows(many)
    names = name_folds(select_test_fold(dataset, None, 0))
    assert len(names) == (folds if folds > 1 else 0)
    tests = [select_test_fold(dataset, name, 0).rows("test") for name in names or [None]]
    assert len(np.unique(np.concatenate(tests))) == sum(map(len, tests)) == 10_000
    for test in tests:
        assert abs(np.diff(np.bincount(dataset.labels.ids[test]))) <= 1


def test_folds_of_scores_have_means_that_are_nearly_alike():
    """A constant's correlation over folds is about minus their spread, so that must be small."""
    scores = np.random.default_rng(0).normal(size=100)
    dataset = Dataset.of(
        Example.about(Sentence.of([f"a{i}"]), float(score)) for i, score in enumerate(scores)
    )
    folds = [select_test_fold(dataset, f"{k}/5", 0) for k in range(1, 6)]
    constant = np.empty(100)
    for fold in folds:
        constant[fold.rows("test")] = scores[fold.rows("train")].mean()
    assert sorted(np.concatenate([fold.rows("test") for fold in folds])) == list(range(100))
    assert abs(np.corrcoef(constant, scores)[0, 1]) < 0.1  # 0.16 of folds drawn at random
