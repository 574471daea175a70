"""Measures of geometry against independent ones, and on vectors whose answer is known."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from lingprobe.data.vectors import Spans, Vectors
from lingprobe.inside.geometry import kernels, neighbours, similarity
from lingprobe.inside.geometry.neighbours import (
    drop_repeated_points,
    intrinsic_dimension,
    neighbour_ratios,
    two_nn,
)
from lingprobe.inside.geometry.rotation import (
    ROTATION_FOLD_COUNT,
    align_vectors,
    compute_rotation,
    find_translations,
)
from lingprobe.inside.geometry.rows import (
    _STRETCH,
    LayerRows,
    compute_jackknife_interval,
    make_jackknife_groups,
)
from lingprobe.inside.geometry.similarity import (
    compute_cka,
    compute_jackknife_hsic,
    null_deviation,
    null_p,
)
from lingprobe.inside.geometry.spread import measure_spread
from reference import geometry as reference


class Held:
    """Vectors in memory, and the most rows that were asked for at once."""

    def __init__(self, x):
        self.x = np.asarray(x, np.float64)
        self.shape = self.x.shape
        self.most = self.read_rows = 0

    def read(self, start, stop):
        self.most = max(self.most, stop - start)
        self.read_rows += stop - start
        return self.x[start:stop].copy()


def pair(seed, n, widths=(7, 5)):
    """Two representations that have something in common, far from the origin."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, widths[0])) * rng.gamma(1, size=widths[0]) + 3
    y = x @ rng.normal(size=widths) + 2 * rng.normal(size=(n, widths[1]))
    return x, y


def ckas(x, y):
    return compute_cka(
        compute_jackknife_hsic(Held(x), Held(y)),
        compute_jackknife_hsic(Held(x), Held(x)),
        compute_jackknife_hsic(Held(y), Held(y)),
    )


def quick(x, y):
    """The same from matrices of sentences, as few sentences are compared."""
    k, l_ = kernels.compute_kernel(Held(x)), kernels.compute_kernel(Held(y))
    return compute_cka(*(kernels.kernel_hsics(*ends) for ends in ((k, l_), (k, k), (l_, l_))))


# ---- CKA


@pytest.mark.parametrize("n", [4, 9, 30])
def test_hsic_is_the_unbiased_estimate(n):
    x, y = pair(n, n)
    assert compute_jackknife_hsic(Held(x), Held(y))[0] == pytest.approx(
        reference.unbiased_hsic(x, y), rel=1e-9
    )


def test_without_a_group_hsic_is_that_of_the_others():
    x, y = pair(1, 43)
    for value, (start, stop) in zip(
        compute_jackknife_hsic(Held(x), Held(y))[1:], make_jackknife_groups(43), strict=True
    ):
        left = [np.delete(z, np.s_[start:stop], 0).tolist() for z in (x, y)]
        assert value == pytest.approx(reference.unbiased_hsic(*left), rel=1e-9)


@pytest.mark.parametrize("n", [43, 200])
def test_matrices_of_sentences_give_the_same_hsic(n):
    x, y = pair(n, n)
    mine = kernels.kernel_hsics(kernels.compute_kernel(Held(x)), kernels.compute_kernel(Held(y)))
    assert mine == pytest.approx(compute_jackknife_hsic(Held(x), Held(y)), rel=1e-5)


def test_sums_that_do_not_fit_are_computed_twice(monkeypatch):
    x, y = pair(3, 60)
    kept = compute_jackknife_hsic(Held(x), Held(y))
    monkeypatch.setattr(similarity, "_HELD", 0)
    assert compute_jackknife_hsic(Held(x), Held(y)) == pytest.approx(kept, rel=1e-12)


def test_a_rotation_a_scale_and_a_shift_change_nothing():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 8))
    turn = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    assert ckas(x, 3 * x @ turn + 7)[0] == pytest.approx(1, abs=1e-9)
    assert ckas(x, x * np.arange(1, 9))[0] < 0.95  # what is no rotation does


def test_representations_with_nothing_in_common_have_none_on_average():
    """Where the plain estimate says that wide vectors of few sentences are alike."""
    rng = np.random.default_rng(0)
    draws = [(rng.normal(size=(30, 60)), rng.normal(size=(30, 60))) for _ in range(60)]
    values = [quick(x, y)[0] for x, y in draws]
    assert abs(np.mean(values)) < 3 * np.std(values) / np.sqrt(len(values))
    assert reference.plain_cka(*map(np.ndarray.tolist, draws[0])) > 0.6


def test_a_representation_that_does_not_vary_is_like_none():
    x, _ = pair(0, 40)
    assert np.isnan(ckas(x, np.ones((40, 3)))).all()


def test_intervals_hold_what_they_should():
    """The jackknife's over draws of sentences: the truth is in about 95 of 100."""
    rng = np.random.default_rng(0)
    weights = 0.4 * rng.normal(size=(10, 10))

    def draw(n):
        x = rng.normal(size=(n, 10))
        return x, x @ weights + rng.normal(size=(n, 10))

    truth = ckas(*draw(50_000))[0]
    held = [
        e.low <= truth <= e.high
        for e in (compute_jackknife_interval(quick(*draw(150))) for _ in range(200))
    ]
    assert 0.9 <= np.mean(held) <= 0.99


def test_a_bootstrap_takes_copies_for_likeness():
    """Why intervals are no bootstrap: drawn with replacement, the same two unrelated
    representations look alike, and the interval has no 0.
    """
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 100)), rng.normal(size=(60, 100))
    draws = [rng.integers(60, size=60) for _ in range(100)]
    copied = [quick(x[rows], y[rows])[0] for rows in draws]
    assert np.quantile(copied, 0.025) > 0.3
    mine = compute_jackknife_interval(ckas(x, y))
    assert mine.low < 0 < mine.high


@pytest.mark.parametrize("n", [5, 12])
def test_the_null_is_that_of_all_pairings(n):
    """Whatever the vectors, 0 with a known deviation; drawn here 20,000 times."""
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(n, 4)), rng.gamma(1, size=(n, 3)) * [1, 5, 9]

    def centred(z):  # the matrix of which HSIC is a product
        k = z @ z.T
        np.fill_diagonal(k, 0)
        sums = k.sum(1) / (n - 2)
        k = k - sums - sums[:, None] + k.sum() / ((n - 1) * (n - 2))
        np.fill_diagonal(k, 0)
        return k

    k, l_ = centred(x), centred(y)
    scale = np.sqrt((k**2).sum() * (l_**2).sum())
    assert ckas(x, y)[0] == pytest.approx((k * l_).sum() / scale, abs=1e-9)
    orders = [rng.permutation(n) for _ in range(20_000)]
    null = np.array([(k * l_[np.ix_(o, o)]).sum() / scale for o in orders])
    assert null.mean() == pytest.approx(0, abs=4 * null_deviation(n) / np.sqrt(len(null)))
    assert null.std() == pytest.approx(null_deviation(n), rel=0.04)
    for value in (0.3, 0.6):
        assert (null >= value).mean() <= null_p(value, n)
    assert null_p(-0.1, n) == 1


@pytest.mark.parametrize("measure", [lambda x: compute_jackknife_hsic(x, x), measure_spread])
def test_memory_does_not_grow_with_sentences(measure):
    rng = np.random.default_rng(0)
    rows = Held(rng.normal(size=(100_000, 6)))
    measure(rows)
    assert rows.most <= _STRETCH
    assert rows.read_rows >= 100_000


# ---- how vectors lie


def test_the_mean_cosine_is_that_of_all_pairs():
    x, _ = pair(2, 40)
    lie, every = measure_spread(Held(x)), reference.mean_cosine(x.tolist())
    assert lie.cosine.value == pytest.approx(every, rel=1e-9)
    parts = [reference.mean_cosine(x.tolist(), range(d, d + 1)) for d in range(7)]
    assert lie.dimension == int(np.argmax(parts))
    assert lie.share == pytest.approx(max(parts) / every, rel=1e-9)
    norms = np.linalg.norm(x, axis=1)
    assert lie.norm.value == pytest.approx(norms.mean())
    assert lie.variation == pytest.approx(norms.std() / norms.mean())


def test_a_gaussian_has_no_direction():
    rng = np.random.default_rng(1)
    lie = measure_spread(Held(rng.normal(size=(2_000, 50))))
    assert lie.cosine.low < 0 < lie.cosine.high
    assert abs(lie.cosine.value) < 0.001
    assert lie.dimension == -1
    assert lie.outlying == 0


def test_one_dimension_stands_out():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(500, 50))
    x[:, 17] += 20
    x[:, 3] *= 30
    lie = measure_spread(Held(x))
    assert (lie.dimension, lie.outlying) == (17, 1)
    assert lie.share == pytest.approx(1, abs=0.05)


def test_zeros_have_no_direction():
    assert np.isnan(measure_spread(Held(np.zeros((50, 3)))).cosine.value)
    x, _ = pair(2, 40)
    with_zeros = measure_spread(Held(np.concatenate([x, np.zeros((5, 7))])))
    assert with_zeros.cosine.value == pytest.approx(measure_spread(Held(x)).cosine.value)


# ---- intrinsic dimension


def test_two_neighbours_give_the_dimension_of_the_paper():
    x, _ = pair(5, 80)
    mine = intrinsic_dimension(Held(x))[0].value
    assert mine == pytest.approx(reference.two_nn(x.tolist()), rel=1e-9)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_dimension_of_a_surface_is_found(d):
    """A curved surface in 30 dimensions."""
    rng = np.random.default_rng(d)
    flat = rng.uniform(size=(1_500, d))
    bent = np.concatenate([flat, np.sin(3 * flat), flat**2], 1) @ rng.normal(size=(3 * d, 30))
    found, _ = intrinsic_dimension(Held(bent))
    assert found.low < d < found.high or found.value == pytest.approx(d, rel=0.08)
    assert found.high - found.low < 0.4 * d


def test_intervals_of_the_dimension_hold_what_they_should():
    rng = np.random.default_rng(0)
    found = [intrinsic_dimension(Held(rng.normal(size=(400, 3))))[0] for _ in range(100)]
    assert np.mean([e.low <= 3 <= e.high for e in found]) >= 0.9
    widths = [(e.high - e.low) / 2 for e in found]
    assert np.mean(widths) < 3.2 * np.std([e.value for e in found])


@pytest.mark.parametrize("noise", [0.0, 1e-9])
def test_equal_points_count_once(noise):
    """Copies, also such as rounding moved; of some points there are four."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 5))
    copies = np.concatenate([x, x[:100], x[50:60], x[50:60]])
    copies[300:] += noise * rng.normal(size=(120, 5))
    assert np.array_equal(drop_repeated_points(copies), x)
    mixed = copies[rng.permutation(420)]
    estimate, many = intrinsic_dimension(Held(mixed))
    assert many == 300
    alone, _ = intrinsic_dimension(Held(x))
    assert estimate.value == pytest.approx(alone.value, rel=1e-6)
    assert alone.low < 5 < alone.high


def test_points_in_one_place_have_no_dimension():
    estimate, many = intrinsic_dimension(Held(np.zeros((60, 3))))
    assert np.isnan(estimate.value)
    assert many == 1


def test_neighbours_are_looked_for_among_some(monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2_000, 2))
    monkeypatch.setattr(neighbours, "MAX_NEIGHBOUR_SENTENCES", 500)
    assert neighbours.sample_vectors(Held(x)).shape == (500, 2)
    assert intrinsic_dimension(Held(x))[0].value == pytest.approx(2, rel=0.15)


def test_the_dimension_is_that_of_scikit_dimension():
    skdim = pytest.importorskip("skdim")
    rng = np.random.default_rng(0)
    for d in (2, 6):
        x = rng.normal(size=(1_000, d)) @ rng.normal(size=(d, 20))
        theirs = skdim.id.TwoNN().fit_transform(x)
        assert two_nn(neighbour_ratios(x)) == pytest.approx(theirs, rel=0.01)


# ---- rotations


def test_a_rotation_is_found_without_error():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100, 6))
    turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    found = align_vectors(x, x @ turn + 5)
    assert found.errors == pytest.approx(np.zeros(ROTATION_FOLD_COUNT), abs=1e-12)
    assert found.hits[2].all()
    assert found.hits[0].mean() < 0.5


def test_the_rotation_is_the_best_one():
    x, y = pair(4, 50, (6, 6))
    turned = x @ compute_rotation(x, y)
    values = np.linalg.svd(x.T @ y, compute_uv=False)
    error = reference.rotation_error(x.tolist(), y.tolist(), values.tolist())
    assert ((turned - y) ** 2).sum() == pytest.approx(error)
    turn = compute_rotation(x, y)
    assert turn.T @ turn == pytest.approx(np.eye(6), abs=1e-9)


def test_a_rotation_is_judged_on_sentences_that_it_did_not_see():
    """Of unrelated languages it finds no translation, though it fits those that it was learnt
    on.
    """
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(200, 150)), rng.normal(size=(200, 150))
    assert find_translations(x @ compute_rotation(x, y), y).mean() > 0.5
    found = align_vectors(x, y)
    assert found.hits[2].mean() < 0.1
    assert found.errors.mean() == pytest.approx(1, abs=0.1)


def test_the_mean_of_a_language_is_taken_off():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100, 4))
    y = x + 0.01 * rng.normal(size=(100, 4)) + [0, 0, 0, 40]
    found = align_vectors(x, y)
    assert found.hits[0].mean() < 0.5 < 0.9 < found.hits[1].mean()


def test_translations_that_share_the_highest_cosine_are_not_found():
    x = np.eye(3)
    y = x[[0, 1, 1]]
    assert find_translations(x, y).tolist() == [[True, False, False], [True, True, False]]


# ---- where vectors are read


def test_pieces_of_a_sentence_are_averaged():
    units = np.arange(12, dtype=np.float32).reshape(6, 2)
    ends = np.array([0, 2, 3, 6])
    words = np.array([[0, 1], [1, 2], [2, 3], [3, 6]])
    spans = Spans(ends, words, np.array([0, 2, 3, 4]))
    rows = LayerRows(Vectors((units,), ("-",), spans), "-", np.array([2, 0]))
    assert rows.read(0, 2).tolist() == [[8, 9], [1, 2]]
    assert rows.shape == (2, 2)


def test_groups_cover_all_sentences_once():
    for many in (7, 20, 1_003):
        parts = make_jackknife_groups(many)
        assert parts[0][0] == 0
        assert parts[-1][1] == many
        assert all(stop == start for (_, stop), (start, _) in pairwise(parts))
        assert min(stop - start for start, stop in parts) >= 1


def test_the_jackknife_of_a_mean_is_its_standard_error():
    from scipy.stats import t

    x = np.random.default_rng(0).normal(size=20)
    found = compute_jackknife_interval(
        np.array([x.mean(), *(np.delete(x, i).mean() for i in range(20))])
    )
    half = t.ppf(0.975, 19) * x.std(ddof=1) / np.sqrt(20)
    assert (found.low, found.high) == pytest.approx((x.mean() - half, x.mean() + half))
