import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import Cell, Dataset, Example, Sentence
from lingprobe.data.labels import build_column
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Vectors
from lingprobe.probes.floors import MajorityFeature, MajorityProbe
from lingprobe.testing import TINY_DATASET_FAMILIES

CELLS = (Cell("-", 0), Cell("-", 1))


def read(dataset):
    return Readings(dataset, Vectors((np.zeros((len(dataset.sentences), 0), np.float32),)))


def predicted(probe, readings):
    predictor, other = probe.fit(readings.split("train"), readings.split("dev"), cells=CELLS)
    assert np.array_equal(
        predictor.predict(readings.split("test")).scores,
        other.predict(readings.split("test")).scores,
    )
    return predictor.predict(readings.split("test"))


@pytest.mark.parametrize("family", TINY_DATASET_FAMILIES)
def test_majority_answers_every_family(family):
    readings = read(TINY_DATASET_FAMILIES[family]())
    said = predicted(MajorityProbe(), readings)
    assert said.scores.shape == (20, len(readings.labels.names))
    assert len(np.unique(said.scores, axis=0)) == 1


def test_majority_is_the_majority_of_train_not_of_test():
    labels = [("train", "a")] * 3 + [("train", "b")] + [("test", "b")] * 5
    dataset = Dataset.of(
        Example.about(Sentence.of([str(i)]), label, split)
        for i, (split, label) in enumerate(labels)
    )
    assert predicted(MajorityProbe(), read(dataset)).decoded.ids.tolist() == [0] * 5


def test_majority_of_scores_is_the_mean():
    assert build_column([1.0, 2.0, 6.0]).constant().tolist() == [3.0]


def f1(sets, chosen):
    right = sum(len(s & chosen) for s in sets)
    return 2 * right / max(sum(len(s) for s in sets) + len(sets) * len(chosen), 1)


@given(st.lists(st.frozensets(st.sampled_from("abcd")), min_size=1, max_size=12).filter(any))
def test_best_constant_set_has_the_best_f1_of_all_sets(sets):
    labels = build_column(sets)
    scores = labels.constant()
    chosen = {name for name, score in zip(labels.names, scores, strict=True) if score >= 0}
    names = labels.names
    every = [
        {n for k, n in enumerate(names) if bits >> k & 1} for bits in range(1, 2 ** len(names))
    ]
    assert f1(sets, chosen) == pytest.approx(max(f1(sets, s) for s in every))


def test_best_constant_set_counts_only_what_was_annotated():
    labels = [{"rare": 1.0}, {"common": 1.0, "no": 0.0}, {"common": 1.0}, {"common": 0.0}]
    scores = build_column(labels).constant()
    assert dict(zip(["common", "no", "rare"], scores >= 0, strict=True)) == {
        "common": True,
        "no": False,
        "rare": True,
    }


def test_nothing_to_learn_from_is_said():
    empty = read(Dataset.of([Example.about(Sentence.of("a"), "a")])).split("test")
    with pytest.raises(ReadingProblem, match="no training examples"):
        MajorityProbe().fit(empty, empty, cells=CELLS)


def test_majority_feature_says_what_the_stratum_says_and_else_the_majority():
    def example(i, label, split, **tags):
        return Example.about(Sentence.of([str(i)]), label, split, **tags)

    train = [
        example(i, "PAST" if i < 3 else "PRES", "train", **{"majority-feature": "PRES"})
        for i in range(4)
    ]
    test = [
        example(10, "PAST", "test", **{"majority-feature": "PRES"}),
        example(11, "PRES", "test"),
        example(12, "PRES", "test", x="y"),
    ]
    test.append(example(13, "PRES", "test", **{"majority-feature": "no such class"}))
    said = predicted(MajorityFeature(), read(Dataset.of(train + test)))
    assert [said.names[i] for i in said.decoded.ids] == ["PRES", "PAST", "PAST", "PAST"]


def test_majority_feature_names_the_tasks_that_have_it():
    readings = read(TINY_DATASET_FAMILIES["asked"]())
    with pytest.raises(ReadingProblem, match="ud/tense, ud/subj-num and ud/obj-num"):
        MajorityFeature().fit(readings, readings, cells=CELLS)


@pytest.mark.parametrize("family", ["span", "spans", "pair"])
def test_majority_feature_is_for_classes(family):
    readings = read(TINY_DATASET_FAMILIES[family]())
    with pytest.raises(ReadingProblem, match="not classes"):
        MajorityFeature().fit(readings, readings, cells=CELLS)
