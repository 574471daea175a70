"""Sparse probes on vectors whose answer is known, their ranking against plain loops, and the page
of the least number of units.
"""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import lasso_path

import lingprobe
from fixtures.views import rows_of
from lingprobe.data.core import Cell, DataProblem, Dataset, Example, FitJob, Sentence
from lingprobe.data.labels import build_column
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.references import ReferenceProblem
from lingprobe.data.vectors import Vectors
from lingprobe.inside.units.curves import CURVE_KEYS, common_share
from lingprobe.inside.units.path import path_order
from lingprobe.inside.units.ranking import between_classes, half_of, order_of
from lingprobe.inside.units.views import UNIT_VIEW
from lingprobe.metrics import FitAnswers
from lingprobe.metrics.metric import MetricProblem
from lingprobe.metrics.resampling import bootstrap_difference, joint_draws
from lingprobe.probes import PROBES

WIDTH, UNIT = 40, 17


def planted(many: int = 600, outputs: int = 2) -> Readings:
    """Layer 'own' has the class in unit 17 alone, which is not the loudest; 'noise' has nothing."""
    draws = np.random.default_rng(5)
    classes = draws.integers(outputs, size=many)
    noise = draws.normal(size=(many, WIDTH)).astype(np.float32)
    own = draws.normal(size=(many, WIDTH)).astype(np.float32)
    own[:, UNIT] = 0.3 * own[:, UNIT] + 1.5 * classes
    own[:, 3] *= 6
    examples = [
        Example.about(
            Sentence.of([f"w{i}", f"c{k}"]), "abc"[k], ("train", "train", "dev", "test")[i % 4]
        )
        for i, k in enumerate(classes.tolist())
    ]
    return Readings(Dataset.of(examples), Vectors((own, noise), ("own", "noise")))


def fitted(readings: Readings, probe: str, *cells: Cell) -> list:
    train, dev = readings.split("train"), readings.split("dev")
    return PROBES.make(probe).fit(train, dev, cells=cells or (Cell("own", 0),))


def accuracy(readings: Readings, predictor) -> float:
    test = readings.split("test")
    return float(np.mean(predictor.predict(test).decoded.classes == test.labels.classes))


@pytest.mark.parametrize("by", ["difference", "l1"])
def test_a_property_of_one_unit_takes_one_and_many_in_another_basis(by):
    readings = planted()
    (one,) = fitted(readings, f"sparse,by={by}")
    assert one.units.tolist() == [UNIT]
    assert accuracy(readings, one) > 0.97
    (turned,) = fitted(readings, f"sparse,by={by},rotate=1")
    assert accuracy(readings, turned) < 0.8
    (whole,) = fitted(readings, f"sparse,by={by},rotate=1,k={WIDTH}")
    assert accuracy(readings, whole) > 0.97
    assert len(set(whole.units.tolist())) == WIDTH


def test_all_units_are_the_dense_probe_to_the_bit():
    readings = planted()
    test = readings.split("test")
    (sparse,) = fitted(readings, "sparse,k=1000")
    (dense,) = fitted(readings, "logreg")
    assert np.array_equal(sparse.predict(test).scores, dense.predict(test).scores)
    assert sparse.choice["sparse"]["width"] == len(sparse.choice["sparse"]["units"]) == WIDTH


def test_together_is_alone_and_seeds_draw_halves():
    readings = planted()
    train, dev = readings.split("train"), readings.split("dev")
    cells = Cell("own", 0), Cell("noise", 0), Cell("cat", 1), Cell("own", 0, "loss")
    probes = [PROBES.make(f"sparse,k={k},by=l1") for k in (1, 5, 2)]
    assert len({probe.kin for probe in probes}) == 1
    jobs = [FitJob(train, dev, cells, probe) for probe in probes]
    jobs.append(FitJob(train.take(np.arange(90)), dev, cells, probes[1]))
    for job, found in zip(jobs, probes[0].fit_all(jobs), strict=True):
        alone = job.probe.fit(job.train, job.dev, cells=cells)
        assert [a.units.tolist() for a in found] == [b.units.tolist() for b in alone]
        for a, b in zip(found, alone, strict=True):
            assert np.array_equal(a.predict(dev).scores, b.predict(dev).scores)
    halves = [set(half_of(train, seed).tolist()) for seed in (0, 1, 1)]
    assert halves[0] != halves[1] == halves[2]
    assert abs(len(halves[0]) - len(train) / 2) <= 1


def test_a_sentence_is_in_one_half():
    labels = ["a", "b"] * 6
    examples = [Example.about(Sentence.of([f"s{i // 4}"]), each) for i, each in enumerate(labels)]
    dataset = Dataset.of(examples)
    readings = Readings(dataset, Vectors((np.zeros((3, 2), np.float32),)))
    rows = half_of(readings, 0)
    assert len(rows) in (4, 8)
    assert len({int(dataset.sites[r, 0, 0]) for r in rows}) * 4 == len(rows)


def share_by_loops(values: list[float], classes: list[int]) -> float:
    """Sum of squares between classes over the whole one, as in any textbook."""
    mean = sum(values) / len(values)
    total = sum((v - mean) ** 2 for v in values)
    between = 0.0
    for k in set(classes):
        mine = [v for v, c in zip(values, classes, strict=True) if c == k]
        between += len(mine) * (sum(mine) / len(mine) - mean) ** 2
    return between / total


def test_the_ranking_is_the_textbooks():
    draws = np.random.default_rng(1)
    x = draws.normal(size=(60, 7)).astype(np.float32)
    x[:, 4] = 2.5  # does not vary
    ids = draws.integers(3, size=60).tolist()
    shares = between_classes(x, build_column(["abc"[k] for k in ids]))
    expected = [0.0 if j == 4 else share_by_loops(x[:, j].tolist(), ids) for j in range(7)]
    assert shares == pytest.approx(expected, abs=1e-6)
    assert order_of(np.array([1.0, 3.0, 3.0])).tolist() == [1, 2, 0]
    # of two classes: the order by the difference of means over the deviation within classes
    two = draws.integers(2, size=60)
    shares = between_classes(x, build_column(["ab"[k] for k in two]))
    a, b = x[two == 0].astype(float), x[two == 1].astype(float)
    within = (a.var(0) * len(a) + b.var(0) * len(b)) / 60
    gaps = np.abs(a.mean(0) - b.mean(0)) / np.sqrt(np.maximum(within, 1e-12))
    gaps[4] = 0
    assert order_of(shares).tolist() == order_of(gaps).tolist()


def test_scores_and_sets_are_ranked_by_correlation():
    draws = np.random.default_rng(2)
    x = draws.normal(size=(80, 5)).astype(np.float32)
    values = draws.normal(size=80)
    expected = [np.corrcoef(x[:, j], values)[0, 1] ** 2 for j in range(5)]
    assert between_classes(x, build_column(values.tolist())) == pytest.approx(expected, abs=1e-6)
    sets = [frozenset(n for n, w in zip("xy", row, strict=True) if w > 0) for row in x[:, :2]]
    best = between_classes(x, build_column(sets))
    each = [
        [np.corrcoef(x[:, j], [n in s for s in sets])[0, 1] ** 2 for j in range(5)] for n in "xy"
    ]
    assert best == pytest.approx(np.max(each, 0), abs=1e-6)
    partial = build_column(
        [{"x": 1.0} if i % 2 else {"x": 0.0, "y": float(v > 0)} for i, v in enumerate(values)]
    )
    assert between_classes(x, partial).shape == (5,)


def test_the_path_lets_units_in_as_the_lasso_does():
    draws = np.random.default_rng(3)
    x = draws.normal(size=(200, 9)).astype(np.float32)
    x[:, 1] += 0.5 * x[:, 0]
    y = x @ np.array([0, 0.1, 3, 0, 1, 0, 0.4, -2, 0]) + draws.normal(size=200)
    z = (x - x.mean(0)) / x.std(0)
    _, weights, _ = lasso_path(z, (y - y.mean()) / y.std(), alphas=np.geomspace(1, 1e-3, 400))
    first = [int(np.argmax(row != 0)) if (row != 0).any() else 400 for row in weights]
    expected = np.argsort(first, kind="stable")
    assert path_order(x, build_column(y.tolist()), 5).tolist() == expected[:5].tolist()
    assert sorted(path_order(x, build_column(y.tolist()), 9).tolist()) == list(range(9))


def test_several_draws_are_those_of_a_difference():
    draws = np.random.default_rng(4)
    gold = build_column(["ab"[k] for k in draws.integers(2, size=90)])
    said = [build_column(["ab"[k] for k in draws.integers(2, size=90)]) for _ in range(3)]
    clusters = {"word": np.arange(90) // 3}
    one, two, three = (FitAnswers(gold, [each], clusters) for each in said)
    drawn = joint_draws("accuracy", [one, two, three], 300)
    assert drawn.shape == (3, 300)
    both = bootstrap_difference("accuracy", one, two, 300)
    assert np.sort(drawn[0] - drawn[1]) == pytest.approx(both.draws)
    with pytest.raises(MetricProblem, match="same examples"):
        joint_draws(
            "accuracy", [one, FitAnswers(gold.take(np.arange(9)), [said[0].take(np.arange(9))])]
        )


def test_examples_say_what_drives_a_unit():
    (one,) = fitted(planted(), "sparse,examples=2")
    (kept,) = one.choice["sparse"]["examples"]
    assert [len(kept[way]) for way in ("up", "down")] == [2, 2]
    assert all(label == "b" and text.endswith("c1") for _, label, text in kept["up"])
    assert all(label == "a" and text.endswith("c0") for _, label, text in kept["down"])
    assert "examples" not in fitted(planted(), "sparse")[0].choice["sparse"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Sentences of one word whose number of letters a tells."""
    draws, lines = np.random.default_rng(0), []
    for split, many in (("train", 200), ("dev", 60), ("test", 120)):
        for number in range(many):
            letters = ["a" if number % 2 else "e", *draws.choice(list("bcdfghlmnprst"), 6)]
            lines.append({"text": "".join(letters), "label": "ae"[number % 2 == 0], "split": split})
    path = tmp_path_factory.mktemp("table") / "letters.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def letters(sentences: list[str]) -> np.ndarray:
    """Which letters a sentence has."""
    return np.array([[float(s.count(x)) for x in "bcdfaghlmn"] for s in sentences])


@pytest.fixture(scope="module")
def measured(table):
    probes = ["logreg", "sparse,k=1", "sparse,k=4,examples=1", "sparse,k=1,rotate=0"]
    return lingprobe.evaluate(
        {"which-letters": letters}, str(table), probes=probes, seeds=2, baselines="none"
    ).results


def curves(results: list) -> list:
    """The rows of each curve."""
    rows = rows_of(UNIT_VIEW, results).where(is_curve=True)
    return [rows.take(numbers) for numbers in rows.groups(CURVE_KEYS).values()]


def test_the_page_says_how_many_and_which(measured):
    own, turned = curves(measured)
    assert (own[0].least, own[0].least_low, own[0].least_high) == (1, 1, 1)
    assert own[0].width == 10
    assert own[0].units == [[4], [4]]
    assert own[0].overlap == 1
    assert math.isinf(turned[0].least)
    assert [row.share for row in own] == [1, 1]
    (said,) = lingprobe.report(measured, view="units").tables[0].lead
    assert "1 dimension reaches 95 % (interval 1 to 1) of the gain of all 10 (100.0" in said
    assert "a privileged basis" in said
    assert "this is not a finding" in said
    page = lingprobe.report(measured, view="units")
    assert "4 (2 of 2)" in str(page)
    assert "4 up" in str(page)
    lines = list(csv.DictReader(page.text("csv").splitlines()))
    assert [line["full"] for line in lines] == ["100.0000"] * 3
    with pytest.raises(DataProblem, match="one curve"):
        lingprobe.report(measured, view="units:overlap")
    again = [replace(r, trial=replace(r.trial, encoder="again")) for r in measured]
    (pairs,) = lingprobe.report([*measured, *again], view="units:overlap").tables
    assert pairs.title == "Shared dimensions"
    assert [row[2:] for row in pairs.sections[0].rows] == [("100.0", "10.0")]
    assert common_share([1, 2, 3], [3, 9]) == 0.5


def test_units_that_are_all_there_are_were_not_chosen(table):
    """Fits that read all of ten units have all in common, and chose none, whatever they tell."""
    probes = ["logreg", "sparse,k=10"]
    found = lingprobe.evaluate(
        {"which-letters": letters}, str(table), probes=probes, seeds=2, baselines="none"
    ).results
    (curve,) = curves(found)
    assert math.isnan(curve[0].overlap)
    assert "all 10, so none" in str(lingprobe.report(found, view="units"))


def test_without_all_units_nothing_is_said(measured):
    sparse = [r for r in measured if r.trial.probe.startswith("sparse")]
    assert "add --probe logreg" in str(lingprobe.report(sparse, view="units"))
    with pytest.raises(DataProblem, match="sparse,k=1"):
        lingprobe.report([r for r in measured if r not in sparse], view="units")


def test_what_cannot_be_read_is_refused():
    readings = planted(40)
    with pytest.raises(ReferenceProblem, match="k=0"):
        PROBES.make("sparse,k=0")
    with pytest.raises(ReadingProblem, match="no training"):
        PROBES.make("sparse").fit(readings.take(np.arange(0)), readings, cells=(Cell("own", 0),))
    wide = Readings(readings.dataset, Vectors((np.ones((40, 8193), np.float32),)))
    with pytest.raises(ReadingProblem, match="8,193 units"):
        fitted(wide, "sparse,rotate=1", Cell("-", 0))
