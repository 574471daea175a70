"""Metrics against definitions written out, floors, and intervals that cover what they say."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.labels import Classes, LabelSets, ScoreLabels, build_column
from lingprobe.metrics import (
    METRICS,
    MetricProblem,
    best_constant,
    interval,
    interval_of,
    null_share,
)


def classes(ids, names="abcde"):
    return Classes(np.array(ids, np.int64), tuple(names))


def random_classes(seed, n=80, many=4):
    rng = np.random.default_rng(seed)
    gold = rng.integers(many, size=n)
    return classes(gold), classes(np.where(rng.random(n) < 0.6, gold, rng.integers(many, size=n)))


def random_sets(seed, n=40, labels="abcd", partial=False):
    rng = np.random.default_rng(seed)

    def drawn():
        if partial:
            return [
                {x: float(rng.random() < 0.5) for x in labels if rng.random() < 0.8}
                for _ in range(n)
            ]
        return [frozenset(x for x in labels if rng.random() < 0.4) for _ in range(n)]

    return build_column(
        [*drawn(), dict.fromkeys(labels, 1.0) if partial else frozenset(labels)]
    ), build_column(
        [
            *[frozenset(x for x in labels if rng.random() < 0.5) for _ in range(n)],
            frozenset(labels),
        ]
    )


@given(st.integers(0, 500))
def test_accuracy_and_f1_are_what_scikit_learn_computes(seed):
    from sklearn.metrics import accuracy_score, f1_score

    gold, predicted = random_classes(seed)
    assert METRICS.make("accuracy")(gold, predicted) == pytest.approx(
        accuracy_score(gold.ids, predicted.ids)
    )
    expected = f1_score(gold.ids, predicted.ids, average="macro", zero_division=0)
    assert METRICS.make("macro-f1")(gold, predicted) == pytest.approx(expected)
    expected = f1_score(gold.ids, predicted.ids, average="micro", labels=[0, 2], zero_division=0)
    assert METRICS.make("micro-f1,only=a,only=c")(gold, predicted) == pytest.approx(expected)
    assert METRICS.make("micro-f1,without=[bde]")(gold, predicted) == pytest.approx(expected)


@given(st.integers(0, 500))
def test_label_sets_are_compared_pair_by_pair(seed):
    from sklearn.metrics import accuracy_score, f1_score

    gold, predicted = random_sets(seed)
    truth, answer = gold.matrix(), predicted.matrix()
    assert METRICS.make("micro-f1")(gold, predicted) == pytest.approx(
        f1_score(truth, answer, average="micro")
    )
    assert METRICS.make("macro-f1")(gold, predicted) == pytest.approx(
        f1_score(truth, answer, average="macro", zero_division=0)
    )
    assert METRICS.make("accuracy")(gold, predicted) == pytest.approx(accuracy_score(truth, answer))


@given(st.integers(0, 500))
def test_pairs_that_nobody_annotated_count_for_nothing(seed):
    gold, predicted = random_sets(seed, partial=True)
    truth, answer = gold.matrix(), predicted.matrix()
    known = ~np.isnan(truth)
    right = (truth == 1) & (answer == 1) & known
    expected = 2 * right.sum() / ((truth == 1).sum() + (answer[known] == 1).sum())
    assert METRICS.make("micro-f1")(gold, predicted) == pytest.approx(expected)


def test_a_fractional_weight_holds_from_one_half():
    gold = build_column([{"a": 0.5, "b": 0.25}, {"a": 0.0, "b": 1.0}])
    predicted = build_column([frozenset("a"), frozenset("b")])
    assert METRICS.make("micro-f1")(gold, predicted) == 1.0


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=3, max_size=40),
    st.sampled_from([0.0, 1e6]),
)
def test_correlations_are_what_scipy_computes(pairs, offset):
    from scipy.stats import pearsonr, spearmanr

    x, y = np.array(pairs, float).T + offset
    for metric, reference in (("pearson", pearsonr), ("spearman", spearmanr)):
        found = METRICS.make(metric)(ScoreLabels(x), ScoreLabels(y))
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert found == 0
        else:
            assert found == pytest.approx(reference(x, y).statistic, abs=1e-6)


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=3, max_size=40),
    st.sampled_from([0.0, 1e6]),
)
def test_r2_is_what_scikit_learn_computes(pairs, offset):
    from sklearn.metrics import mean_squared_error, r2_score

    x, y = np.array(pairs, float).T + offset
    found = METRICS.make("r2")(ScoreLabels(x), ScoreLabels(y))
    if np.ptp(x) == 0:
        assert found == 0
    else:
        assert found == pytest.approx(r2_score(x, y), abs=1e-6)
        assert (1 - found) * x.var() == pytest.approx(mean_squared_error(x, y), abs=1e-6)


def test_the_interval_of_r2_may_lie_below_zero_and_never_above_one():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=200)
    far, near = (ScoreLabels(gold + size * rng.normal(size=200)) for size in (3.0, 0.01))
    low, high = interval_of("r2", ScoreLabels(gold), [far])
    assert low < METRICS.make("r2")(ScoreLabels(gold), far) < high < 0
    low, high = interval_of("r2", ScoreLabels(gold), [near])
    assert 0.99 < low < high <= 1


def test_a_constant_that_is_not_round_does_not_correlate():
    assert (
        METRICS.make("pearson")(ScoreLabels(np.arange(9.0)), ScoreLabels(np.full(9, 0.1 + 0.2)))
        == 0
    )


def test_predictions_may_number_classes_otherwise():
    gold, predicted = classes([0, 1, 1], "ab"), classes([1, 0, 2], "bac")
    for metric in ("accuracy", "micro-f1"):
        assert METRICS.make(metric)(gold, predicted) == pytest.approx(2 / 3)
    assert METRICS.make("accuracy")(gold, predicted) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("metric", "gold"),
    [
        ("accuracy", ScoreLabels(np.ones(3))),
        ("pearson", classes([0, 1, 0])),
        ("micro-f1,only=x", classes([0, 1, 0])),
        ("accuracy", classes([])),
    ],
)
def test_labels_that_a_metric_cannot_judge_are_refused(metric, gold):
    with pytest.raises(MetricProblem):
        METRICS.make(metric)(gold, gold)


def test_scores_are_no_answer_where_label_sets_are_asked_for():
    with pytest.raises(MetricProblem, match="predict label sets"):
        METRICS.make("micro-f1")(build_column([frozenset("a")]), ScoreLabels(np.ones(1)))


def test_as_many_predictions_as_examples_are_wanted():
    with pytest.raises(MetricProblem, match="3 gold labels but 2"):
        METRICS.make("accuracy")(classes([0, 1, 0]), classes([0, 1]))


def test_the_best_constant_is_the_majority_of_train_scored_on_test():
    train, test = classes([0, 0, 0, 1, 2], "abc"), classes([0, 1, 1, 1], "abc")
    assert best_constant(train, test, "accuracy") == 0.25
    assert best_constant(train, test, "macro-f1") == pytest.approx((2 * 1 / 5) / 2)


# above every Winograd number in Tenney et al. 2019
def test_predicting_both_labels_of_dpr_scores_two_thirds():
    labels = build_column([frozenset([x]) for x in ("entailed", "not-entailed") * 50])
    assert best_constant(labels, labels, "micro-f1") == pytest.approx(2 / 3)


@given(st.integers(0, 200))
def test_no_constant_set_beats_the_best(seed):
    labels, _ = random_sets(seed, partial=seed % 2 == 0)
    best = best_constant(labels, labels, "micro-f1")
    metric = METRICS.make("micro-f1")
    for bits in range(16):
        chosen = [i for i in range(4) if bits >> i & 1]
        constant = LabelSets(
            np.arange(len(labels) + 1) * len(chosen), np.tile(chosen, len(labels)).astype(np.int64),
            np.ones(len(chosen) * len(labels), np.float32), labels.names,
        )  # fmt: skip
        assert metric(labels, constant) <= best + 1e-12


def test_scores_have_the_floor_zero():
    assert best_constant(ScoreLabels(np.arange(3.0)), ScoreLabels(np.arange(3.0)), "pearson") == 0


def answers(rng, seeds, n, share, kind):
    """Right or wrong, [seeds, n]: independent guesses, the same for all seeds, or examples and
    seeds that differ.
    """
    if kind == "independent":
        return rng.random((seeds, n)) < share
    if kind == "same":
        return np.repeat(rng.random((1, n)) < share, seeds, 0)
    hard = rng.beta(0.6 * share, 0.6 * (1 - share), (1, n))
    return rng.random((seeds, n)) < np.clip(
        hard + rng.normal(0, 0.01, (seeds, 1)) * 4 * hard * (1 - hard), 0, 1
    )


@pytest.mark.parametrize("share", [0.5, 0.97])
@pytest.mark.parametrize(
    ("seeds", "kind"), [(1, "independent"), (5, "independent"), (5, "same"), (5, "crossed")]
)
def test_intervals_cover_as_often_as_they_say(share, seeds, kind):
    rng = np.random.default_rng(5)
    array = np.array([interval(answers(rng, seeds, 500, share, kind)) for _ in range(1500)])
    assert 0.93 <= ((array[:, 0] <= share) & (share <= array[:, 1])).mean() <= 0.975


def test_seeds_that_differ_widen_the_interval():
    rng = np.random.default_rng(0)
    by_seed = np.array([0.6, 0.7, 0.8, 0.65, 0.75])[:, None]
    low, high = interval(rng.random((5, 4000)) < by_seed)
    assert high - low > 0.15


def test_more_seeds_on_the_same_answers_do_not_narrow_the_interval():
    row = np.random.default_rng(0).random((1, 300)) < 0.8
    assert interval(row) == pytest.approx(interval(np.repeat(row, 5, 0)), abs=2e-3)


@pytest.mark.parametrize("seeds", [1, 5])
def test_all_right_is_not_certain(seeds):
    low, high = interval(np.ones((seeds, 50)))
    assert 0.9 < low < 0.95
    assert high == 1.0
    low, high = interval(np.zeros((seeds, 50)))
    assert low == 0.0
    assert 0.05 < high < 0.1


@given(st.integers(1, 6), st.integers(1, 30), st.floats(0, 1), st.integers(0, 99))
def test_intervals_are_ordered_and_within_bounds(seeds, n, share, seed):
    table = np.random.default_rng(seed).random((seeds, n)) < share
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        low, high = interval(table)
    assert 0 <= low <= table.mean() + 1e-9
    assert table.mean() - 1e-9 <= high <= 1


def noisy(rng, metric, n, seeds):
    """Gold labels and predictions of some seeds, all drawn afresh."""
    if metric in ("pearson", "spearman", "r2"):
        gold = rng.normal(size=n)
        shared = gold + rng.normal(size=n)
        return ScoreLabels(gold), [
            ScoreLabels(shared + 0.5 * rng.normal(size=n)) for _ in range(seeds)
        ]
    gold = rng.integers(3, size=n)
    hard = rng.random(n)
    return classes(gold, "abc"), [
        classes(np.where(hard + rng.normal(0, 0.1, n) < 0.7, gold, rng.integers(3, size=n)), "abc")
        for _ in range(seeds)
    ]


@pytest.mark.parametrize("seeds", [1, 4])
@pytest.mark.parametrize("metric", ["macro-f1", "micro-f1,only=a", "pearson", "r2"])
def test_intervals_of_metrics_that_are_no_means_cover_too(metric, seeds):
    rng = np.random.default_rng(2)
    name = metric.partition(",")[0]
    gold, [predicted] = noisy(rng, name, 400_000, 1)
    truth = METRICS.make(metric)(gold, predicted)
    array = np.array([interval_of(metric, *noisy(rng, name, 300, seeds)) for _ in range(250)])
    assert 0.92 <= ((array[:, 0] <= truth) & (truth <= array[:, 1])).mean() <= 0.98


def test_the_interval_of_accuracy_is_that_of_its_outcomes():
    gold, predicted = random_classes(0)
    assert interval_of("accuracy", gold, [predicted]) == interval(gold.ids == predicted.ids)


def test_intervals_are_drawn_the_same_each_time():
    gold, predicted = random_classes(0)
    assert interval_of("macro-f1", gold, [predicted]) == interval_of("macro-f1", gold, [predicted])


def test_perfect_scores_have_intervals_too():
    gold, _ = random_classes(0)
    assert interval_of("macro-f1", gold, [gold])[0] < 1
    assert interval_of(
        "pearson", ScoreLabels(np.arange(9.0)), [ScoreLabels(np.arange(9.0))] * 2
    ) == (1, 1)


def test_null_share_counts_cells_outside_and_weighs_them():
    cells = [(0.45, 0.55, 0.5)] * 95 + [(0.51, 0.6, 0.5)] * 5
    null = null_share(cells)
    assert (null.outside, null.cells, null.share) == (5, 100, 0.05)
    assert null.p > 0.9
    assert null_share([(0.51, 0.6, 0.5)] * 20).p < 1e-10
    assert null_share([]).share == 0


def test_cells_that_err_together_weigh_less():
    inside, outside = (0.4, 0.6, 0.5), (0.51, 0.6, 0.5)
    cells, draws = [outside] * 8 + [inside] * 72, [i // 8 for i in range(80)]
    together, apart = null_share(cells, draws), null_share(cells, [i % 10 for i in range(80)])
    assert together.outside == apart.outside == 8
    assert together.p > 5 * apart.p
    assert apart.p == null_share(cells).p, "spread evenly over the draws, they count as they are"


def test_making_metrics_imports_nothing_heavy():
    import subprocess
    import sys

    code = (
        "import sys; from lingprobe.metrics import METRICS; [METRICS.make(m) for m in METRICS];"
        " print(*sorted(sys.modules))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"scipy", "sklearn", "torch"} & set(loaded)


@given(st.integers(0, 500))
def test_a_sigmoid_for_each_label_may_answer_classes_with_sets(seed):
    from sklearn.metrics import f1_score

    rng = np.random.default_rng(seed)
    gold, said = rng.integers(4, size=60), rng.random((60, 4)) < 0.3
    predicted = LabelSets(
        np.cumsum([0, *said.sum(1)]),
        np.nonzero(said)[1],
        np.ones(said.sum(), np.float32),
        tuple("abcd"),
    )
    truth = np.eye(4, dtype=bool)[gold]
    assert METRICS.make("micro-f1")(classes(gold, "abcd"), predicted) == pytest.approx(
        f1_score(truth, said, average="micro")
    )
    assert METRICS.make("macro-f1")(classes(gold, "abcd"), predicted) == pytest.approx(
        f1_score(truth, said, average="macro")
    )
    assert METRICS.make("accuracy")(classes(gold, "abcd"), predicted) == pytest.approx(
        (truth == said).all(1).mean()
    )
    assert METRICS.make("mcc")(classes(gold, "abcd"), predicted) == pytest.approx(
        indicators_correlation(truth, said)
    )


def indicators_correlation(gold, said):
    """Gorodkin (2004), equation 3: covariances of columns [n, labels]; NaN was not annotated."""
    covariances = np.zeros(3)
    for labels, answers in zip(np.transpose(gold), np.transpose(said), strict=True):
        known = ~np.isnan(labels.astype(float))
        x, y = labels[known].astype(float), answers[known].astype(float)
        covariances += [sum((a - a.mean()) * (b - b.mean())) for a, b in ((x, y), (x, x), (y, y))]
    return covariances[0] / np.sqrt(covariances[1] * covariances[2])


@pytest.mark.parametrize("many", [2, 3, 7])
@given(seed=st.integers(0, 500))
def test_the_correlation_of_classes_is_what_scikit_learn_computes(many, seed):
    from sklearn.metrics import matthews_corrcoef

    rng = np.random.default_rng(seed)
    gold = rng.choice(many, 80, p=rng.dirichlet(np.ones(many)))
    said = np.where(rng.random(80) < 0.6, gold, rng.integers(many, size=80))
    names = tuple("abcdefg"[:many])
    assert METRICS.make("mcc")(classes(gold, names), classes(said, names)) == pytest.approx(
        matthews_corrcoef(gold, said)
    )
    assert METRICS.make("mcc,only=a")(classes(gold, names), classes(said, names)) == pytest.approx(
        matthews_corrcoef(gold == 0, said == 0)
    )


@pytest.mark.parametrize("many", [2, 3, 7])
@given(seed=st.integers(0, 500))
def test_kappa_mean_recall_and_f1_are_what_scikit_learn_computes(many, seed):
    """Of classes that gold lacks, predictions lack, or both."""
    from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, f1_score

    rng = np.random.default_rng(seed)
    gold = rng.choice(many, 60, p=rng.dirichlet(np.ones(many)))
    said = np.where(
        rng.random(60) < 0.6, gold, rng.choice(many, 60, p=rng.dirichlet(np.ones(many)))
    )
    names = tuple("abcdefg"[:many])
    with warnings.catch_warnings():  # it warns of a class that gold lacks, and of one class
        warnings.simplefilter("ignore")
        recall, agreement = balanced_accuracy_score(gold, said), cohen_kappa_score(gold, said)
    pair = classes(gold, names), classes(said, names)
    assert METRICS.make("balanced-accuracy")(*pair) == pytest.approx(recall)
    assert METRICS.make("macro-f1")(*pair) == pytest.approx(
        f1_score(gold, said, average="macro", zero_division=0)
    )
    expected = 0.0 if np.isnan(agreement) else agreement
    assert METRICS.make("kappa")(*pair) == pytest.approx(expected)


def test_the_best_constant_has_no_kappa_and_the_recall_of_one_class():
    gold = classes([0] * 90 + [1] * 8 + [2] * 2, "abc")
    assert best_constant(gold, gold, "kappa") == 0
    assert best_constant(gold, gold, "balanced-accuracy") == pytest.approx(1 / 3)


@pytest.mark.parametrize("metric", ["kappa", "balanced-accuracy"])
def test_what_compares_classes_refuses_sets_and_scores(metric):
    for gold, predicted in (random_sets(0), [build_column([1.0, 2.0])] * 2):
        with pytest.raises(MetricProblem, match=f"{metric} compares classes"):
            METRICS.make(metric)(gold, predicted)


@given(st.integers(0, 500), st.booleans())
def test_the_correlation_of_label_sets_sums_covariances_over_labels(seed, partial):
    gold, predicted = random_sets(seed, partial=partial)
    mcc = METRICS.make("mcc")
    columns = gold.matrix(), predicted.matrix()
    assert mcc(gold, predicted) == pytest.approx(indicators_correlation(*columns))
    assert METRICS.make("mcc,only=[bc]")(gold, predicted) == pytest.approx(
        indicators_correlation(*(held[:, 1:3] for held in columns))
    )


@given(st.integers(0, 500), st.integers(0, 3))
def test_a_constant_answer_correlates_with_nothing(seed, answer):
    rng = np.random.default_rng(seed)
    gold = classes(rng.choice(4, 200, p=[0.665, 0.2, 0.1, 0.035]), tuple("abcd"))
    mcc = METRICS.make("mcc")
    assert mcc(gold, classes(np.full(200, answer), gold.names)) == 0
    assert best_constant(gold, gold, "mcc") == 0
    labels, _ = random_sets(seed, partial=seed % 2 == 0)
    held = [label for k, label in enumerate(labels.names) if (answer + 1) >> k & 1]
    assert mcc(labels, build_column([set(held)] * len(labels))) == 0


def test_roles_without_references_and_continuations_count_as_published():
    gold = classes([0, 1, 2, 3, 4], ("ARG0", "ARGM-TMP", "R-ARG0", "C-ARG1", "ARGM-LOC"))
    # one role for another, and one where only a reference is
    said = classes([0, 0, 0, 3, 4], gold.names)
    expected = 2 * 2 / (3 + 4)
    for counted in ("micro-f1,only=ARG[0-5A],only=ARGM*", "micro-f1,without=R-*,without=C-*"):
        assert METRICS.make(counted)(gold, said) == pytest.approx(expected)
    assert METRICS.make("macro-f1,without=R-*,without=C-*")(gold, said) == pytest.approx(
        (2 / 4 + 0 + 1) / 3
    )
