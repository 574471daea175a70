"""Constant answers: chosen on train, scored on test, and what they score on the published sets."""

import json
import lzma

import numpy as np
import pytest

from fixtures.results import result, saying
from lingprobe.data.labels import Classes, ScoreLabels, build_column
from lingprobe.metrics import METRICS, best_constant, choose_constants, constant_column, floor
from lingprobe.metrics.constant import constant_result, rescore_result


def classes(ids, names):
    return Classes(np.array(ids, np.int64), tuple(names))


def test_constants_are_chosen_on_train_and_scored_where_an_answer_of_their_kind_may_be_given():
    train = classes([0, 0, 0, 1, 1], "ab")
    answers = choose_constants(train, "micro-f1")
    assert answers == {"class": ("a",), "prevalent": ("a",), "set": ("a", "b")}
    gold, sets = classes([0, 1], "ab"), classes([0, 0], "ab").sets()
    assert floor(answers, gold, gold, "micro-f1") == 0.5
    assert floor(answers, gold, sets, "micro-f1") == pytest.approx(2 / 3)
    assert choose_constants(train, "accuracy") == {"class": ("a",)}
    assert choose_constants(ScoreLabels(np.arange(3.0)), "pearson") == {}


def test_a_constant_is_best_for_the_labels_that_count():
    labels = build_column([frozenset("ax"), frozenset("bx"), frozenset("bx")])
    assert choose_constants(labels, "micro-f1")["class"] == ("x",)
    assert choose_constants(labels, "micro-f1,without=x")["class"] == ("b",)


# of the published files, computed from their definition: Tenney et al.'s tables have no such row
GOLDEN = {
    "DPR": ("train.json", "test.json", "micro-f1", "set", 66.67),
    "SPR2": ("edges.train.json.xz", "edges.test.json.xz", "micro-f1", "prevalent", 74.1),
    "SPR2 set": ("edges.train.json.xz", "edges.test.json.xz", "micro-f1", "set", 76.8),
    "SemEval2010-Task8/edges": ("train.0.85.json.xz", "test.json.xz", "micro-f1", "set", 18.3),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_constant_answers_on_the_published_sets(name, data):
    first, second, metric, kind, expected = GOLDEN[name]
    folder = data / "edge" / name.split()[0]
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    parts = [_labels(folder / file) for file in (first, second)]
    labels = build_column([*parts[0], *parts[1]])
    train, test = (
        labels.take(np.arange(len(parts[0]))),
        labels.take(np.arange(len(parts[0]), len(labels))),
    )
    constant = choose_constants(train, metric)[kind]
    assert 100 * METRICS.make(metric)(
        test, constant_column(constant, labels.names, len(test), kind)
    ) == pytest.approx(expected, abs=0.05)


def _labels(file):
    """The labels of a file in jiant's format, in its order."""
    text = lzma.decompress(file.read_bytes()).decode() if file.suffix == ".xz" else file.read_text()
    labels = [
        target["label"] for line in text.splitlines() for target in json.loads(line)["targets"]
    ]
    return [label if isinstance(label, str) else frozenset(label) for label in labels]


def test_a_label_of_exactly_half_of_the_examples_is_prevalent():
    assert choose_constants(classes([0, 1, 2, 0, 1, 0], "abc"), "micro-f1")["prevalent"] == ("a",)
    assert choose_constants(classes([0, 1], "ab"), "micro-f1")["prevalent"] == ("a", "b")


def test_of_nothing_and_of_scores_no_constant_is_chosen():
    nothing, scores = classes([], "ab"), ScoreLabels(np.arange(3.0))
    for train in (nothing, scores):
        assert choose_constants(train, "accuracy") == {}
        assert best_constant(train, scores, "pearson") == 0
    assert floor({}, scores, scores, "pearson") == 0


def test_a_set_is_the_floor_where_gold_or_predicted_are_sets():
    answers = {"class": ("a",), "set": ("a", "b")}
    gold = classes([0, 1, 1, 1], "ab")
    for one, other, expected in (
        (gold, gold, 1 / 4),
        (gold.sets(), gold, 2 * 4 / (4 + 8)),
        (gold, gold.sets(), 2 * 4 / (4 + 8)),
    ):
        assert floor(answers, one, other, "micro-f1") == pytest.approx(expected)


def test_a_result_is_answered_by_its_constant_and_judged_by_another_metric():
    found = saying(result(0.75, 8), constants={"class": ("pres",), "set": ("past", "pres")})
    for kind, expected in (("class", 1 / 2), ("set", 2 / 3)):
        other = constant_result(rescore_result(found, "micro-f1"), kind)
        assert other.score == pytest.approx(expected)
        assert METRICS.make("micro-f1")(other.gold, other.predicted) == other.score
        assert (other.trial, other.n) == (found.trial, 8)
        assert np.isnan([other.low, other.high]).all()
    judged = rescore_result(found, "macro-f1")
    expected = METRICS.make("macro-f1")(found.gold, found.predicted)
    assert (judged.metric, judged.score) == ("macro-f1", expected)
    assert judged.majority == pytest.approx((2 * 4 / (4 + 8)) / 2)
    assert np.isnan([judged.low, judged.high]).all()
