"""Estimators and pipelines of scikit-learn in the place of a probe."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import lingprobe
from lingprobe.data.core import DATA_SPLITS, Cell, Dataset, Example, Sentence
from lingprobe.data.errors import UsageProblem
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Vectors
from lingprobe.probes.estimators import as_probe
from lingprobe.testing.probes import check_probe

TEXTS = [f"{('red', 'blue', 'pale')[i % 3]} stone {'s' * (i % 23)}" for i in range(240)]
LABELS = ["ab"[i % 3 == 0] for i in range(240)]


def run(probes, labels=LABELS, **more):
    return lingprobe.run((TEXTS, labels), "bow:random", probes=probes, baselines="none", **more)


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (LogisticRegression(C=0.1), "LogisticRegression(C=0.1)"),
        (make_pipeline(StandardScaler(), SVC(C=2)), "StandardScaler+SVC(C=2)"),
        (RandomForestClassifier(n_estimators=3), "RandomForestClassifier(n_estimators=3)"),
    ],
)
def test_it_keeps_what_a_probe_promises(estimator, name):
    probe = as_probe(estimator)
    assert probe.name == name
    check_probe(probe, kinds=("classes", "sets", "partial"))


def test_its_answers_are_those_of_the_estimator_alone():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 5)).astype(np.float32)
    y = np.where(x[:, 0] + rng.normal(size=80) > 0, "yes", "no").tolist()
    examples = [
        Example.about(Sentence.of((f"s{i}",)), label, "train" if i < 60 else "test")
        for i, label in enumerate(y)
    ]
    readings = Readings(Dataset.of(examples), Vectors((x,), ("-",)))
    train, dev, test = (readings.split(name) for name in DATA_SPLITS)
    (predictor,) = as_probe(LogisticRegression(C=0.3)).fit(train, dev, cells=(Cell("-", 0),))
    alone = LogisticRegression(C=0.3).fit(x[:60], y[:60]).predict(x[60:])
    assert [*predictor.predict(test).decoded.class_names()] == [*alone]


def test_a_run_measures_it_once():
    assert run(LogisticRegression(C=0.2), seeds=1).fresh > 0
    assert run(LogisticRegression(C=0.2), seeds=1).fresh == 0
    assert run(LogisticRegression(C=0.25), seeds=1).fresh > 0
    assert run(LogisticRegression(C=0.2, tol=1e-3), seeds=1).fresh > 0


def test_it_stands_beside_named_probes():
    evaluation = run(["linear", SVC(C=3)], seeds=1)
    assert sorted(evaluation.to_dataframe()["probe"]) == ["SVC(C=3)", "linear"]
    assert "SVC(C=3)" in str(evaluation)
    assert evaluation.report()._repr_html_()


def test_a_seed_of_its_own_leaves_nothing_to_the_run():
    fixed, free = (
        RandomForestClassifier(n_estimators=3, random_state=state) for state in (1, None)
    )
    assert not as_probe(fixed).needs.seeds
    assert as_probe(free).needs.seeds


def test_kinds_that_do_not_fit_the_labels_are_named():
    failed = run(Ridge(), seeds=1).failures
    assert [*failed.values()] == ["Ridge is a regressor, and the labels are classes"]
    failed = run(SVC(), [float(i) + 0.5 for i in range(240)], seeds=1).failures
    assert [*failed.values()] == ["SVC is a classifier, and the labels are scores"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (LogisticRegression, r"an estimator of scikit-learn, as LogisticRegression\(\)"),
        (3, "probes=3: write text: probes, such as `linear`"),
        ([None], "None is no probe: name one"),
        ([SVC(), SVC()], "two of the probes have the same name"),
    ],
)
def test_what_is_none_is_refused_in_a_sentence(given, message):
    with pytest.raises(lingprobe.LingprobeError, match=message):
        run(given)


def test_a_usage_problem_is_one():
    with pytest.raises(UsageProblem):
        as_probe(object())
