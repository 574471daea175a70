"""SentEval's protocols for data without a dev split: against a plain loop, one fit at a time."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from sklearn.model_selection import StratifiedKFold

from lingprobe.data.core import Cell, Dataset, Example, FitJob, Sentence
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Vectors
from lingprobe.datasets.splits import stratified_folds
from lingprobe.probes import PROBES
from lingprobe.probes.mlp.fits import hold_out_rows

DECAYS = (1e-5, 1e-4, 1e-3, 1e-2)


def readings(n=(150, 0, 80), dim=5, classes=2, seed=0, noise=1.0):
    """Rows whose class is the highest of some noisy sums."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(sum(n), dim)).astype(np.float32)
    truth = x @ rng.normal(size=(dim, classes)) + noise * rng.gumbel(size=(sum(n), classes))
    splits = np.repeat(["train", "dev", "test"], n)
    examples = [
        Example.about(Sentence.of((f"s{i}",)), f"c{y}", str(s))
        for i, (y, s) in enumerate(zip(truth.argmax(1), splits, strict=True))
    ]
    return Readings(Dataset.of(examples), Vectors((x,), ("-",)))


def network(dim, hidden, classes, seed):
    """What SentEval's MLP is made of, drawn as lingprobe draws it under a seed."""
    sizes = [(dim, hidden), (hidden, classes)] if hidden else [(dim, classes)]
    draws, layers = torch.Generator().manual_seed(seed), []
    for inputs, outputs in sizes:
        layer, bound = torch.nn.Linear(inputs, outputs), inputs**-0.5
        with torch.no_grad():
            layer.weight.uniform_(-bound, bound, generator=draws)
            layer.bias.uniform_(-bound, bound, generator=draws)
        layers += [layer, torch.nn.Sigmoid()]
    return torch.nn.Sequential(*layers[:-1])


def one_fit(train, dev, hidden, decay, seed, batch=64):
    """One fit as SentEval's `MLP.fit`: the accuracy on dev at its best, and the network then."""
    (x, y), (dev_x, dev_y) = train, dev
    net = network(x.shape[1], hidden, int(max(y.max(), dev_y.max())) + 1, seed)
    optimiser = torch.optim.Adam(net.parameters(), weight_decay=decay)
    order, best, misses, passes = torch.Generator().manual_seed(seed), -1.0, 0, 0
    while passes <= 200:
        for _ in range(4):
            for rows in torch.randperm(len(x), generator=order).split(batch):
                optimiser.zero_grad()
                torch.nn.functional.cross_entropy(net(x[rows]), y[rows]).backward()
                optimiser.step()
        passes += 4
        accuracy = float((net(dev_x).argmax(1) == dev_y).double().mean())
        if accuracy > best:
            best, kept = accuracy, copy.deepcopy(net)
        else:
            if misses >= 5:
                break
            misses += 1
    return best, kept


def k_fold(x, y, hidden, seed):
    """SentEval's KFoldClassifier: the decay, its score over folds, and the network that is kept."""
    scores = []
    for decay in DECAYS:
        folds = StratifiedKFold(10, shuffle=True, random_state=1111).split(x, y)
        parts = [((x[a], y[a]), (x[b], y[b])) for a, b in folds]
        scores.append(np.mean([one_fit(*part, hidden, decay, seed)[0] for part in parts]))
    chosen = int(np.argmax([round(100 * score, 2) for score in scores]))
    order = np.random.default_rng([seed, 1111]).permutation(len(x))
    few = int(0.05 * len(x))
    rest, dev = order[few:], order[:few]
    _, kept = one_fit((x[rest], y[rest]), (x[dev], y[dev]), hidden, DECAYS[chosen], seed)
    return DECAYS[chosen], scores[chosen], kept


@pytest.mark.parametrize(("hidden", "classes"), [(0, 3), (4, 2)])
def test_outer_folds_of_one_pass_are_what_senteval_makes_of_each(hidden, classes):
    """The same penalty, the same score over inner folds and the same answers: folds that differ in
    size by one, whose last batches do, too.
    """
    outer = [readings((n, 0, 60), classes=classes, seed=n) for n in (149, 151)]
    cells = (Cell("-", 0), Cell("-", 3)) if hidden else (Cell("-", 3),)
    jobs = [FitJob(each.split("train"), each.split("dev"), cells) for each in outer]
    probe = PROBES.make(f"mlp,protocol=senteval,hidden={hidden}")
    for given, fits in zip(outer, probe.fit_all(jobs), strict=True):
        train, test = given.split("train"), given.split("test")
        x, y = torch.from_numpy(train.features("-")), torch.from_numpy(train.labels.classes)
        for cell, fitted in zip(cells, fits, strict=True):
            decay, score, kept = k_fold(x, y, hidden, cell.seed)
            assert fitted.choice["l2"] == decay
            assert fitted.choice["folds_dev"] == pytest.approx(score, abs=1e-9)
            scores = kept(torch.from_numpy(test.features("-"))).detach().numpy()
            np.testing.assert_allclose(fitted.predict(test).scores, scores, atol=2e-3)


def test_the_choice_differs_between_seeds():
    """So that the test above can fail."""
    given = readings((149, 0, 60), seed=149)
    fits = PROBES.make("mlp,protocol=senteval,hidden=4").fit(
        given.split("train"), given.split("dev"), cells=(Cell("-", 0), Cell("-", 3))
    )
    assert len({fit.choice["l2"] for fit in fits}) == 2


@pytest.mark.parametrize("counts", [(50, 50), (37, 91, 12), (9, 30)])
@pytest.mark.parametrize("many", [3, 10])
def test_folds_are_those_of_scikit_learn(counts, many):
    labels = np.random.default_rng(1).permutation(np.repeat(np.arange(len(counts)), counts))
    folds = stratified_folds(labels, many, 1111)
    sklearns = StratifiedKFold(many, shuffle=True, random_state=1111).split(labels, labels)
    for k, (_, test) in enumerate(sklearns):
        np.testing.assert_array_equal(np.flatnonzero(folds == k), test)


def test_a_twentieth_of_train_is_held_out_and_another_for_each_seed():
    [one] = PROBES.make("mlp,protocol=senteval")._inputs_of(
        0, FitJob(*(readings().split(s) for s in ("train", "dev")), (Cell("-", 0),))
    )
    (rest, dev), (_, other) = hold_out_rows(one, 0), hold_out_rows(one, 1)
    assert len(dev) == 7
    np.testing.assert_array_equal(np.sort([*rest, *dev]), np.arange(150))
    assert set(dev.tolist()) != set(other.tolist())


def test_one_penalty_is_not_tuned_and_a_grid_of_units_is():
    given = readings()
    for options, tuned in (("l2=1e-4", False), ("l2=1e-4,hidden=0,hidden=3", True)):
        probe = PROBES.make(f"mlp,protocol=senteval,{options}")
        [fit] = probe.fit(given.split("train"), given.split("dev"), cells=(Cell("-", 0),))
        assert ("folds" in fit.choice) == tuned


def test_dropout_in_folds_that_differ_in_size_is_that_of_each_alone():
    outer = [readings((n, 0, 40), seed=n) for n in (120, 121)]
    probe = PROBES.make("mlp,protocol=senteval,hidden=3,dropout=0.2,l2=1e-5,l2=1e-2")
    jobs = [FitJob(e.split("train"), e.split("dev"), (Cell("-", 0),)) for e in outer]
    for job, given, [joint] in zip(jobs, outer, probe.fit_all(jobs), strict=True):
        [alone] = probe.fit(job.train, job.dev, cells=job.cells)
        assert joint.choice == pytest.approx(alone.choice, abs=1e-6)
        test = given.split("test")
        np.testing.assert_allclose(
            joint.predict(test).scores, alone.predict(test).scores, atol=1e-4
        )


def test_states_of_the_lowest_loss_can_be_had_as_well():
    given = readings()
    cells = (Cell("-", 0), Cell("-", 0, "loss"))
    best, likeliest = PROBES.make("mlp,protocol=senteval,hidden=0").fit(
        given.split("train"), given.split("dev"), cells=cells
    )
    assert likeliest.choice["l2"] == best.choice["l2"]
    assert likeliest.choice["dev_loss"] <= best.choice["dev_loss"]


def test_too_few_examples_for_folds_are_refused_in_a_sentence():
    given = readings((19, 0, 5))
    with pytest.raises(ReadingProblem, match="19 are too few; give 20, or a dev split"):
        PROBES.make("mlp,protocol=senteval").fit(
            given.split("train"), given.split("dev"), cells=(Cell("-", 0),)
        )
