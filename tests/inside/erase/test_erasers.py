"""Erasers against the formulae of their papers, and random ones by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import sqrtm
from sklearn.linear_model import LinearRegression, LogisticRegression

from lingprobe import DataProblem
from lingprobe.data.labels import build_column
from lingprobe.inside.erase.erasers import (
    AffineEraser,
    EraserMoments,
    encode_labels,
    fit_inlp,
    fit_leace,
    fit_mean_projection,
    principal_angles,
    random_subspace,
    random_subspace_of_variance,
)
from lingprobe.inside.erase.files import FittedEraser, read_eraser


def data(n=400, dim=7, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, n)
    mix = rng.normal(size=(dim, dim))
    x = rng.normal(size=(n, dim)) @ mix + 2 * rng.normal(size=(classes, dim))[labels] + 3
    return x, labels


LABELS = {
    "classes": build_column([f"c{k}" for k in data()[1]]),
    "two": build_column([("a", "b")[k % 2] for k in data()[1]]),
    "scores": build_column([float(k) + 0.1 for k in data()[1]]),
    "sets": build_column([frozenset("ab"[: k % 3]) for k in data()[1]]),
}


@pytest.mark.parametrize("kind", LABELS)
def test_leace_is_the_closed_form(kind):
    """Theorem 4.3 of Belrose et al. (2023): r(x) = x - W^+ P W (x - E x), with W = (S_XX^1/2)^+ and
    P the orthogonal projection onto the columns of W S_XZ.
    """
    x, _ = data()
    z = encode_labels(LABELS[kind])
    s_xx = np.cov(x.T, bias=True)
    s_xz = np.cov(x.T, z.T, bias=True)[: x.shape[1], x.shape[1] :]
    w = np.linalg.pinv(sqrtm(s_xx).real)
    columns = w @ s_xz
    p = columns @ np.linalg.pinv(columns, rcond=1e-9)
    wanted = x - (x - x.mean(0)) @ (np.linalg.pinv(w) @ p @ w).T
    assert np.allclose(fit_leace(EraserMoments.of([x], z))(x), wanted, atol=1e-5)


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("method", [fit_leace, fit_mean_projection])
def test_nothing_linear_is_left_of_what_it_was_fitted_on(method, kind):
    x, _ = data()
    z = encode_labels(LABELS[kind])
    erased = method(EraserMoments.of([x], z))(x).astype(float)
    assert LinearRegression().fit(x, z).score(x, z) > 0.2
    assert np.abs((erased - erased.mean(0)).T @ (z - z.mean(0))).max() / len(x) < 1e-5


def test_two_sites_side_by_side_hold_nothing_linear_either():
    x, labels = data()
    y = np.random.default_rng(1).normal(size=x.shape) + 2 * (labels == 1)[:, None]
    z = np.eye(3)[labels]
    eraser = fit_leace(EraserMoments.of([x, y], z))
    both = np.concatenate([eraser(x), eraser(y)], 1).astype(float)
    assert LinearRegression().fit(both, z).score(both, z) < 1e-8


def test_leace_changes_less_than_the_projection_that_erases_as_much():
    """It is the least change that does it, in the norm of the vectors."""
    x, labels = data()
    moments = EraserMoments.of([x], np.eye(3)[labels])
    least, other = (np.square(f(moments)(x) - x).sum() for f in (fit_leace, fit_mean_projection))
    assert least < other


def test_leace_is_what_concept_erasure_computes():
    torch = pytest.importorskip("torch")
    library = pytest.importorskip("concept_erasure")
    x, labels = data(dim=20)
    z = np.eye(3)[labels]
    fitter = library.LeaceFitter(
        20, 3, dtype=torch.float64, shrinkage=False, constrain_cov_trace=False, svd_tol=1e-9
    )
    fitter.update(torch.from_numpy(x), torch.from_numpy(z))
    wanted = fitter.eraser(torch.from_numpy(x)).numpy()
    assert np.allclose(fit_leace(EraserMoments.of([x], z))(x), wanted, atol=1e-5)


def test_a_covariance_of_low_rank_is_no_problem():
    x, labels = data(dim=5)
    wide = x @ np.random.default_rng(2).normal(size=(5, 9))
    z = np.eye(3)[labels]
    erased = fit_leace(EraserMoments.of([wide], z))(wide).astype(float)
    assert LinearRegression().fit(erased, z).score(erased, z) < 1e-6


@pytest.mark.parametrize("method", [fit_leace, fit_mean_projection])
def test_nothing_is_left_in_numbers_that_hardly_vary(method):
    """A probe that brings all numbers to one scale reads what rounding leaves there."""
    x, labels = data(dim=9)
    x[:, 3], x[:, 5] = 1e-19 * np.random.default_rng(3).normal(size=len(x)), 0
    z = np.eye(3)[labels]
    erased = method(EraserMoments.of([x.astype(np.float32)], z))(x.astype(np.float32)).astype(float)
    assert (erased[:, 5] == 0).all()
    scaled = (erased - erased.mean(0)) / np.maximum(erased.std(0), 1e-30)
    assert LinearRegression().fit(scaled, z).score(scaled, z) < 0.02


def test_random_subspaces_are_of_the_space_that_vectors_vary_in():
    x, labels = data(dim=6)
    wide = np.concatenate([x, np.zeros((len(x), 4))], 1)
    moments = EraserMoments.of([wide], np.eye(3)[labels])
    rng = np.random.default_rng(0)
    for eraser in (
        random_subspace(moments, 2, rng),
        random_subspace_of_variance(moments, 2, np.trace(moments.covariance) / 3, rng),
    ):
        assert (eraser.left[6:] == 0).all()
        assert np.linalg.matrix_rank(eraser(wide) - eraser(wide).mean(0), tol=1e-3) == 4


def test_a_rank_takes_the_strongest_directions_first():
    x, labels = data(classes=4)
    z = np.eye(4)[labels]
    left = [fit_leace(EraserMoments.of([x], z), rank)(x).astype(float) for rank in (0, 1, 2, 3)]
    scores = [LinearRegression().fit(each, z).score(each, z) for each in left]
    assert scores == sorted(scores, reverse=True)
    assert np.allclose(left[0], x, atol=1e-5)


def weights(x, labels):
    return LogisticRegression(C=1.0, tol=1e-8, max_iter=5000).fit(x, labels).coef_


def test_inlp_is_the_papers_loop():
    """Algorithm 1 of Ravfogel et al. (2020): the product of the null-space projections is kept by
    projecting onto the intersection of all null spaces.
    """
    x, labels = data(dim=12, classes=2)
    projection, spaces = np.eye(12), []
    for _ in range(4):
        w = weights(x @ projection, labels)
        unit = w / np.linalg.norm(w)
        spaces.append(unit.T @ unit)
        values, vectors = np.linalg.eigh(sum(spaces))
        rows = vectors[:, values > 1e-6]
        projection = np.eye(12) - rows @ rows.T
    eraser = fit_inlp(x, lambda some: weights(some, labels), 4)
    assert eraser.rank == 4
    assert np.allclose(eraser(x), x @ projection, atol=1e-4)


def test_inlp_stops_where_nothing_is_readable_and_where_nothing_is_left():
    x, labels = data(dim=5, classes=2)
    assert fit_inlp(x, lambda some: weights(some, labels), 99).rank == 5
    assert fit_inlp(x, lambda some: weights(some, labels), 9, lambda e: e.rank < 2).rank == 2


def test_random_subspaces_are_all_equally_likely():
    x, labels = data(dim=6)
    moments = EraserMoments.of([x], np.eye(3)[labels])
    rng = np.random.default_rng(0)
    drawn = [random_subspace(moments, 2, rng) for _ in range(4000)]
    average = np.mean([e.left @ e.left.T for e in drawn], 0)
    assert np.abs(average - np.eye(6) * 2 / 6).max() < 0.03
    taken = np.mean([e.removed_variance(moments.covariance) for e in drawn])
    assert taken == pytest.approx(np.trace(moments.covariance) * 2 / 6, rel=0.05)


@pytest.mark.parametrize("rank", [1, 2])
def test_random_subspaces_of_equal_variance_have_it_and_favour_no_side(rank):
    x, labels = data(dim=6)
    moments = EraserMoments.of([x], np.eye(3)[labels])
    values, basis = np.linalg.eigh(moments.covariance)
    rng = np.random.default_rng(0)
    for wanted in (values[:rank].sum() * 1.05, values[2] * rank, values[-rank:].sum() * 0.95):
        drawn = [random_subspace_of_variance(moments, rank, wanted, rng) for _ in range(200)]
        taken = [e.removed_variance(moments.covariance) for e in drawn]
        assert np.allclose(taken, wanted, rtol=1e-6)
        sides = np.array([basis.T @ e.left[:, 0] for e in drawn])
        # each axis is as often met from one side as from the other
        assert np.abs(np.sign(sides * np.sign(sides[:, -1:]))[:, :-1].mean(0)).max() < 0.25
    assert drawn[0].rank == rank


def test_an_eraser_takes_the_variance_that_it_says():
    x, labels = data(dim=6)
    moments = EraserMoments.of([x], np.eye(3)[labels])
    eraser = fit_leace(moments)
    gone = x - eraser(x)
    assert eraser.removed_variance(moments.covariance) == pytest.approx(gone.var(0).sum(), rel=1e-4)


def test_angles_between_erased_subspaces():
    def along(*axes):
        left = np.eye(4)[:, list(axes)]
        return AffineEraser(np.zeros(4), left, left.T)

    tilted = AffineEraser(np.zeros(4), np.array([[1.0], [1], [0], [0]]), np.zeros((1, 4)))
    assert np.allclose(principal_angles(along(0, 1), along(1, 2)), [0, 90])
    assert np.allclose(principal_angles(along(0), tilted), [45])


def test_lists_of_numbers_cannot_be_erased():
    from lingprobe.data.labels import NumberList

    with pytest.raises(DataProblem, match="lists of numbers"):
        encode_labels(build_column([NumberList("depth", [0.0, 1.0])]))


def test_labels_that_were_not_annotated_count_as_the_mean():
    found = encode_labels(build_column([{"a": 1.0, "b": 0.0}, {"a": 0.0}, {"a": 1.0, "b": 1.0}]))
    assert np.allclose(found, [[1, 0], [0, 0.5], [1, 1]])


def test_an_eraser_is_a_file_with_an_identity(tmp_path):
    x, labels = data()
    eraser = fit_leace(EraserMoments.of([x], np.eye(3)[labels]))
    made = FittedEraser(eraser, "leace", "ud/tense:X", "mine", "-", 400, {"task": "t"})
    made.save(tmp_path / "one" / "e.safetensors")
    read = read_eraser(tmp_path / "one" / "e.safetensors")
    assert read.identity == made.identity
    assert np.array_equal(read.eraser.right, eraser.right)
    assert (read.task, read.n, dict(read.made_of)) == ("ud/tense:X", 400, {"task": "t"})
    other = FittedEraser(eraser, "leace", "ud/tense:X", "mine", "-", 401, {"task": "t"})
    assert other.identity != made.identity


def test_a_file_that_is_none_or_was_changed_is_said(tmp_path):
    import json

    from safetensors.numpy import load_file, save_file

    x, labels = data()
    eraser = fit_leace(EraserMoments.of([x], np.eye(3)[labels]))
    path = tmp_path / "e.safetensors"
    made = FittedEraser(eraser, "leace", "t", "e", "-", 400)
    made.save(path)
    arrays = load_file(path)
    arrays["mean"] += 1
    told = {"format": "lingprobe eraser 1", "identity": made.identity}
    facts = {"method": "leace", "task": "t", "encoder": "e", "layer": "-", "n": 400, "made_of": {}}
    save_file(arrays, path, {**told, "facts": json.dumps(facts)})
    with pytest.raises(DataProblem, match="was changed"):
        read_eraser(path)
    save_file(arrays, path)
    with pytest.raises(DataProblem, match="is not an eraser"):
        read_eraser(path)
    path.write_text("nothing")
    with pytest.raises(DataProblem, match="cannot be read"):
        read_eraser(path)
