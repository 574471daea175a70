"""The probes that are trained: what they learn, at any scale of input, under every protocol, and
what they refuse.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from lingprobe.data.core import Cell, Dataset, Example, FitJob, Sentence
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.references import ReferenceProblem
from lingprobe.data.vectors import Vectors
from lingprobe.probes import PROBES
from lingprobe.probes.features import no_scale
from lingprobe.probes.mlp.perceptron import FittedPerceptron
from lingprobe.testing.probes import check_on

FIRST = (Cell("-", 0),)
SMALL = "mlp,hidden=20,dropout=0"


def readings(x, labels, sizes):
    """Rows of x in order: train, dev, test."""
    splits = np.repeat(["train", "dev", "test"], sizes).tolist()
    examples = [
        Example.about(Sentence.of((f"s{i}",)), y, s)
        for i, (y, s) in enumerate(zip(labels, splits, strict=True))
    ]
    layers = x if isinstance(x, tuple) else (x,)
    layers = tuple(np.asarray(layer, np.float32) for layer in layers)
    return Readings(
        Dataset.of(examples),
        Vectors(layers, tuple(str(i) for i in range(len(layers))) if len(layers) > 1 else ("-",)),
    )


def fit(probe, given, cells=FIRST):
    made = PROBES.make(probe) if isinstance(probe, str) else probe
    return made.fit(given.split("train"), given.split("dev"), cells=tuple(cells))


def accuracy(predictor, given):
    test = given.split("test")
    return float((predictor.predict(test).scores.argmax(1) == test.labels.matrix()).mean())


def linear(n=1500, dim=20, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, dim))
    y = (x @ rng.normal(size=(dim, 3))).argmax(1)
    return readings(scale * x, [f"c{v}" for v in y], (n - 600, 200, 400))


@pytest.mark.parametrize("probe", [SMALL, "mlp,hidden=20,dropout=0.1,precision=float32", "logreg"])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e3])
def test_a_linear_target_is_learnt_at_any_scale(probe, scale):
    given = linear(scale=scale)
    [fitted] = fit(probe, given)
    assert accuracy(fitted, given) > 0.9


def test_an_xor_target_is_learnt_by_an_mlp_and_by_no_linear_probe():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1500, 4))
    given = readings(
        x, ["same" if same else "other" for same in (x[:, 0] > 0) == (x[:, 1] > 0)], (900, 200, 400)
    )
    assert accuracy(fit("mlp", given)[0], given) > 0.93
    assert accuracy(fit("logreg", given)[0], given) < 0.65


@pytest.mark.parametrize(
    ("n", "probe", "least"),
    [(700, "mlp", 0.96), (4000, "mlp", 0.96), (700, "mlp,protocol=full", 0.98)],
)
def test_intervals_of_a_single_feature_are_read_near_perfectly(n, probe, least):
    """Sentence length and its seven intervals: what `length` must read off one number. Three draws,
    of which the halved grid loses a point.
    """
    scores = []
    for draw in (2, 3, 4):
        lengths = np.random.default_rng(draw).integers(5, 29, size=n)
        bins = np.digitize(lengths, [9, 13, 17, 21, 25, 27])
        given = readings(lengths[:, None], [f"b{b}" for b in bins], (n - 300, 100, 200))
        scores.append(accuracy(fit(probe, given)[0], given))
    assert np.mean(scores) > least


FOLDS = [linear(n=700 + 7 * k, seed=k) for k in range(3)]


def jobs(cells):
    return [FitJob(given.split("train"), given.split("dev"), cells) for given in FOLDS]


def test_folds_fitted_in_one_pass_are_what_each_is_alone():
    cells = (Cell("-", 0), Cell("-", 2), Cell("-", 0, by="loss"))
    together = PROBES.make("mlp").fit_all(jobs(cells))
    for given, predictors in zip(FOLDS, together, strict=True):
        for one, alone in zip(predictors, fit("mlp", given, cells), strict=True):
            assert one.choice == pytest.approx(alone.choice, abs=1e-4)
            for a, b in zip(one.layers, alone.layers, strict=True):
                np.testing.assert_allclose(a, b, atol=1e-3)


@pytest.mark.parametrize(
    "recipe",
    [
        "mlp,precision=float32",
        "mlp,protocol=full,precision=float32",
        "mlp,protocol=senteval,l2=0",
        "mlp,protocol=acl18,l2=0",
    ],
)
def test_other_grids_in_one_pass_are_what_each_is_alone(recipe):
    whole = PROBES.make(f"{recipe},hidden=0,hidden=6,dropout=0")
    settled = [whole.with_settings(each) for each in whole.settings]
    assert [len(one.settings) for one in (whole, *settled)] == [2, 1, 1]
    assert len({one.kin for one in (whole, *settled)}) == 1
    cells = (Cell("-", 1), Cell("-", 3))
    given = jobs(cells)
    mixed = [job._replace(probe=probe) for job, probe in zip(given, settled * 2, strict=False)]
    mixed.append(given[0]._replace(probe=whole))
    together = whole.fit_all(mixed)
    for job, found in zip(mixed, together, strict=True):
        alone = job.probe.fit(job.train, job.dev, cells=cells)
        for one, other in zip(found, alone, strict=True):
            assert one.choice["hidden"] == other.choice["hidden"]
            assert one.choice["dev"] == pytest.approx(other.choice["dev"], abs=0.02)
            same = one.predict(job.dev).scores, other.predict(job.dev).scores
            np.testing.assert_allclose(*same, rtol=2e-3, atol=2e-3)
    hidden = [one.choice["hidden"] for found in together[:2] for one in found]
    assert hidden == [0, 0, 6, 6]


def test_the_choice_of_a_halved_grid_does_not_depend_on_the_seeds_asked_for():
    [later] = fit("mlp", FOLDS[0], [Cell("-", 3)])
    every = fit("mlp", FOLDS[0], [Cell("-", seed) for seed in range(4)])
    assert later.choice["tuned"] == 0
    assert "tuned" not in every[0].choice
    chosen = [{k: p.choice[k] for k in ("hidden", "dropout", "l2")} for p in (later, *every)]
    assert all(choice == chosen[0] for choice in chosen)
    np.testing.assert_allclose(later.layers[0], every[3].layers[0], atol=1e-3)


@pytest.mark.parametrize("probe", [SMALL, "mlp,protocol=full,hidden=4,dropout=0,dropout=0.2"])
def test_a_grid_of_one_and_one_that_is_not_halved_are_tuned_with_no_seed(probe):
    small = linear(n=700)
    for one in fit(probe, small, [Cell("-", 0), Cell("-", 3)]):
        assert "tuned" not in one.choice


def test_protocols_of_papers_are_not_halved():
    from lingprobe.probes.mlp.probe import GRID_PROTOCOLS

    for name in ("full", "acl18", "senteval", "krasnowska"):
        assert not getattr(GRID_PROTOCOLS[name].plan, "cuts", ())


def test_bfloat16_products_learn_what_float32_learns():
    given = linear(n=1500, dim=64, seed=9)
    found = {}
    for precision in ("bf16", "float32"):
        [fitted] = fit(f"{SMALL},precision={precision}", given)
        assert fitted.choice["precision"] == precision
        assert fitted.layers[0].dtype == np.float32
        found[precision] = accuracy(fitted, given)
    assert found["bf16"] > found["float32"] - 0.03
    [narrow] = fit(f"{SMALL},precision=bf16", linear(dim=8))
    assert narrow.choice["precision"] == "float32", "a few features are read exactly"


def test_one_huge_feature_does_not_hide_the_others():
    given = linear(dim=8, seed=3)
    x = np.concatenate(
        [given.vectors.layers[0], 1e4 * np.random.default_rng(0).normal(size=(1500, 1))], 1
    )
    wide = Readings(given.dataset, Vectors((x.astype(np.float32),)))
    assert accuracy(fit(SMALL, wide)[0], wide) > 0.85


def test_features_that_do_not_vary_are_left_out():
    given = linear(dim=8, seed=4)
    constant = np.full((1500, 2), [3e6, 0.0], np.float32)
    wide = Readings(
        given.dataset, Vectors((np.concatenate([given.vectors.layers[0], constant], 1),))
    )
    for probe in (SMALL, "logreg"):
        [fitted] = fit(probe, wide)
        assert accuracy(fitted, wide) > 0.9
        assert fitted.scaling.factor[-2:].tolist() == [0, 0]
    alone = Readings(given.dataset, Vectors((constant[:, :1],)))
    assert np.isfinite(fit(SMALL, alone)[0].predict(alone.split("test")).scores).all()


@pytest.mark.parametrize("probe", [SMALL, "logreg"])
def test_scores_of_any_size_are_predicted_in_their_own_unit(probe):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(900, 6))
    y = 1000 + 50 * x @ rng.normal(size=6)
    given = readings(x, y.tolist(), (600, 100, 200))
    [fitted] = fit(probe, given)
    said = fitted.predict(given.split("test")).scores[:, 0]
    assert np.corrcoef(said, y[700:])[0, 1] > 0.98
    assert abs(said.mean() - y[700:].mean()) < 10


@pytest.mark.parametrize("probe", [SMALL, "logreg"])
def test_labels_that_were_not_annotated_teach_nothing(probe):
    rng = np.random.default_rng(6)
    x = rng.normal(size=(900, 6))
    truth = x @ rng.normal(size=(6, 2)) > 0
    labels = [
        {"a": float(a), "b": float(b)} if i % 3 else {"a": float(a)}
        for i, (a, b) in enumerate(truth)
    ]
    given = readings(x, labels, (600, 100, 200))
    said = fit(probe, given)[0].predict(given.split("test")).scores
    assert ((said >= 0) == truth[700:]).mean() > 0.9


def test_the_paper_s_grid_is_nine_runs_of_senteval_with_its_search_over_l2():
    acl18, senteval = (PROBES.make(f"mlp,protocol={name}") for name in ("acl18", "senteval"))
    assert [(m.hidden, m.dropout, m.decay) for m in acl18._grid()] == [
        (hidden, dropout, l2)
        for hidden in (50, 100, 200)
        for dropout in (0.0, 0.1, 0.2)
        for l2 in (1e-5, 1e-4, 1e-3, 1e-2)
    ]
    assert acl18.protocol == replace(
        senteval.protocol, hidden=acl18.protocol.hidden, dropout=acl18.protocol.dropout
    )


@pytest.mark.parametrize("protocol", ["acl18", "senteval", "krasnowska"])
def test_every_protocol_trains_on_a_handful_of_examples(protocol):
    """Fewer examples than a batch; one class only in test."""
    rng = np.random.default_rng(7)
    y = np.array([0, 1] * 12 + [2] * 2)
    given = readings(rng.normal(size=(26, 5)) + 4 * y[:, None], [f"c{v}" for v in y], (16, 6, 4))
    [fitted] = fit(f"mlp,protocol={protocol}", given)
    said = fitted.predict(given.split("test"))
    assert said.scores.shape == (4, 3)
    assert np.isfinite(said.scores).all()
    assert fitted.choice["precision"] == "float32"


def test_ties_go_to_the_smallest_penalty_as_in_senteval():
    """Dev accuracy is compared in percent with two decimals, and the first of the best is taken."""
    from dataclasses import replace

    from lingprobe.probes.mlp.grid import GridMember, TrainedNetwork
    from lingprobe.probes.mlp.probe import GRID_PROTOCOLS, best_of

    def cell(decay, score, loss):
        return TrainedNetwork(GridMember(5, 0.0, decay), (), score, loss, 4.0)

    grid = [cell(1e-5, 0.90001, 0.5), cell(1e-4, 0.90004, 0.4), cell(1e-3, 0.9, 0.1)]
    senteval = GRID_PROTOCOLS["senteval"]
    assert best_of(grid, senteval).member.decay == 1e-5
    assert best_of(grid, replace(senteval, rounded=False)).member.decay == 1e-4
    assert best_of([cell(0, 0.9, 0.5), cell(1, 0.9, 0.4)], GRID_PROTOCOLS["fast"]).member.decay == 1
    assert PROBES.make("mlp,protocol=senteval,l2=0.01,l2=0.001").protocol.l2 == (0.001, 0.01)


@pytest.mark.parametrize("hidden", [0, 3])
def test_many_examples_are_answered_in_parts_as_each_is_alone(hidden):
    draws, n = np.random.default_rng(0), 4100
    shapes = [(hidden, 2), (hidden, 1), (2, hidden), (2, 1)] if hidden else [(2, 2), (2, 1)]
    layers = tuple(draws.normal(size=shape).astype(np.float32) for shape in shapes)
    x = draws.normal(size=(n, 2)).astype(np.float32)
    given = readings(x, ["a", "b"] * (n // 2), (0, 0, n))
    found = FittedPerceptron("-", no_scale(x), layers, {}).predict(given).scores
    for i in (0, 1, 4095, 4096, 4099):
        z = layers[0] @ x[i] + layers[1][:, 0]
        if hidden:
            z = layers[2] @ (1 / (1 + np.exp(-z))) + layers[3][:, 0]
        np.testing.assert_allclose(found[i], z, rtol=1e-4, atol=1e-6)


def test_the_same_seeds_give_the_same_bits_and_other_seeds_do_not():
    given = linear(n=900)
    cells = [Cell("-", 0), Cell("-", 1)]
    first, again = fit(SMALL, given, cells), fit(SMALL, given, cells)
    for a, b in zip(first, again, strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(a.layers, b.layers, strict=True))
    assert not np.array_equal(first[0].layers[0], first[1].layers[0])


def test_cells_of_several_reads_and_sizes_come_back_in_order():
    rng = np.random.default_rng(8)
    y = rng.integers(2, size=700)
    noise, signal, narrow = (
        rng.normal(size=(700, 6)),
        rng.normal(size=(700, 6)),
        rng.normal(size=(700, 3)),
    )
    signal[:, 0] += 6 * y
    narrow[:, 0] += 6 * y
    given = readings((noise, signal, narrow), [f"c{v}" for v in y], (400, 100, 200))
    cells = [Cell("2", 0), Cell("0", 1), Cell("1", 1), Cell("1", 0), Cell("2", 0), Cell("cat", 0)]
    fitted = fit(SMALL, given, cells)
    assert [f.read for f in fitted] == [c.read for c in cells]
    assert [accuracy(f, given) > 0.9 for f in fitted] == [True, False, True, True, True, True]


def test_what_a_cell_becomes_does_not_hang_on_its_company():
    """Alone or among others, up to the order of summation: float32 keeps six digits, the training
    multiplies that a little.
    """
    given = linear(n=900)
    [alone] = fit(SMALL, given)
    together = fit(SMALL, given, [Cell("-", 3), Cell("-", 0)])[1]
    test = given.split("test")
    np.testing.assert_allclose(alone.predict(test).scores, together.predict(test).scores, atol=2e-2)


def test_the_choice_says_which_cell_of_the_grid_it_was():
    given = linear(n=900)
    [fitted] = fit("mlp,hidden=8,hidden=16,dropout=0,l2=0,l2=0.001", given)
    assert fitted.choice["hidden"] in (8, 16)
    assert fitted.choice["l2"] in (0, 0.001)
    assert fitted.choice["dev"] > 0.8
    assert fitted.choice["passes"] > 0
    [fitted] = fit("logreg", given)
    assert fitted.choice["c"] in PROBES.make("logreg").c


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("mlp,protocol=sent-eval", "choose one of"),
        ("mlp,nhid=50", "hidden"),
        ("mlp,hidden=many", "whole number"),
        ("mlp,hidden=-1", "units"),
        ("mlp,dropout=1", "below 1"),
        ("mlp,l2=-1", "penalty"),
        ("mlp,reduction=sum", "protocol"),
        ("mlp,protocol=acl18,precision=bf16", "float32"),
        ("logreg,c=0", "write a number above 0"),
    ],
)
def test_settings_that_mean_nothing_are_refused(reference, words):
    with pytest.raises(ReferenceProblem, match=words):
        PROBES.make(reference)


@pytest.mark.parametrize("probe", [SMALL, "mlp", "logreg", "mlp,protocol=senteval"])
def test_nan_and_missing_splits_are_told(probe):
    given = linear(n=900)
    layer = given.vectors.layers[0].copy()
    layer[7, 3] = np.nan
    with pytest.raises(ReadingProblem, match=r"1 of 300 train examples, first in 's7'"):
        fit(probe, Readings(given.dataset, Vectors((layer,))))
    empty = given.take(np.zeros(0, np.int64))
    with pytest.raises(ReadingProblem, match="no training examples"):
        PROBES.make(probe).fit(empty, given.split("dev"), cells=FIRST)


@pytest.mark.parametrize("probe", ["mlp", "logreg"])
def test_a_grid_without_dev_is_refused_and_says_what_to_do(probe):
    given = linear(n=900)
    empty = given.take(np.zeros(0, np.int64))
    with pytest.raises(ReadingProblem, match="dev"):
        PROBES.make(probe).fit(given.split("train"), empty, cells=FIRST)


@pytest.mark.parametrize("probe", [SMALL, "logreg,c=1"])
def test_one_setting_needs_no_dev(probe):
    given = linear(n=900)
    [fitted] = PROBES.make(probe).fit(
        given.split("train"), given.take(np.zeros(0, np.int64)), cells=FIRST
    )
    assert accuracy(fitted, given) > 0.85


def test_conformance_of_a_linear_network_trained_as_in_senteval():
    check_on(PROBES.make("mlp,protocol=senteval,hidden=0,l2=0.001"), "classes")


def test_settings_are_made_without_torch():
    code = (
        "import sys; from lingprobe.probes import PROBES\nmade = [PROBES.make(r) for r in ('mlp',"
        " 'mlp,protocol=acl18', 'logreg')]\nassert all(m.name for m in made)\nassert [m.needs.seeds"
        " for m in made] == [True, True, False]\nassert not {'torch', 'sklearn', 'scipy'} &"
        " set(sys.modules), 'a heavy library was imported'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
