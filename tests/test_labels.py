import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lingprobe.data.labels import (
    Classes,
    LabelSets,
    ScoreLabels,
    build_column,
    column_from_codes,
    join_columns,
    restore_column,
)
from lingprobe.testing.tasks import same_labels

names = st.text(max_size=4)
classes = st.lists(names, min_size=1, max_size=8)
scores = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8)
sets = st.lists(st.frozensets(names, max_size=3), min_size=1, max_size=8)
weights = st.lists(
    st.dictionaries(names, st.floats(0, 1, width=32), max_size=3), min_size=1, max_size=8
)
columns = st.one_of(classes, scores, sets, weights).map(build_column)


@given(columns)
def test_a_column_comes_back_from_its_arrays(labels):
    back = restore_column(labels.loss, labels.arrays(), list(labels.names), labels.partial)
    assert type(back) is type(labels)
    same_labels(back, labels)


@given(columns, st.data())
def test_taking_rows_takes_rows_of_the_matrix(labels, data):
    rows = np.array(data.draw(st.lists(st.integers(0, len(labels) - 1))), np.int64)
    part = labels.take(rows)
    assert (len(part), part.names, part.loss) == (len(rows), labels.names, labels.loss)
    assert np.array_equal(part.matrix(), labels.matrix()[rows], equal_nan=True)


@given(columns)
def test_the_matrix_decodes_to_itself(labels):
    if labels.loss == "softmax":
        scores = np.eye(len(labels.names), dtype=np.float32)[labels.matrix()]
    elif labels.loss == "sigmoid":
        scores = np.nan_to_num(labels.matrix(), nan=0) - np.float32(0.5)
    else:
        scores = labels.matrix()
    decoded = labels.decode(scores)
    wanted = (
        labels.matrix()
        if labels.loss != "sigmoid"
        else (np.nan_to_num(labels.matrix(), nan=0) >= 0.5).astype(np.float32)
    )
    assert np.array_equal(decoded.matrix(), wanted)
    assert (decoded.loss, decoded.names, len(decoded)) == (labels.loss, labels.names, len(labels))


@given(st.integers(0, 5), st.integers(1, 4), st.data())
def test_label_sets_decode_what_is_at_least_zero(n, outputs, data):
    given_scores = data.draw(arrays(np.float32, (n, outputs), elements=st.floats(-2, 2, width=32)))
    labels = LabelSets(
        np.zeros(n + 1, np.int64),
        np.zeros(0, np.int64),
        np.zeros(0, np.float32),
        tuple("abcd"[:outputs]),
    )
    assert np.array_equal(
        labels.decode(given_scores).matrix(), (given_scores >= 0).astype(np.float32)
    )


def test_names_are_sorted_whatever_comes_first():
    assert build_column(["b", "a", "b"]).names == ("a", "b")
    assert build_column(["b", "a", "b"]).matrix().tolist() == [1, 0, 1]
    assert build_column([frozenset("ca"), frozenset("b")]).names == ("a", "b", "c")


def test_ties_go_to_the_first_class():
    assert Classes(np.zeros(1, np.int64), ("a", "b")).decode(
        np.zeros((1, 2), np.float32)
    ).ids.tolist() == [0]


def test_scores_are_one_output():
    labels = ScoreLabels(np.array([0.5, 2.0]))
    assert (labels.names, labels.loss, labels.matrix().shape, labels.matrix().dtype) == (
        ("score",),
        "squared",
        (2, 1),
        np.float32,
    )


def test_whole_numbers_are_scores_and_truth_values_too():
    assert build_column([1, 2.5]).arrays()["values"].tolist() == [1.0, 2.5]


def test_sets_are_known_in_full_and_weights_in_part():
    full, part = build_column([frozenset("a"), frozenset()]), build_column([{"a": 1.0}, {}])
    assert full.matrix().tolist() == [[1.0], [0.0]]
    assert np.isnan(part.matrix()).tolist() == [[False], [True]]


@pytest.mark.parametrize("labels", [["a", 1.0], [1.0, frozenset("a")], ["a", {"a": 1.0}]])
def test_labels_of_two_kinds_are_refused(labels):
    with pytest.raises(ValueError, match="must be of one kind"):
        build_column(labels)


def test_an_unknown_loss_is_refused():
    with pytest.raises(ValueError, match="no label column has the loss 'hinge'"):
        restore_column("hinge", {}, ())


def test_numbers_of_numpy_are_scores():
    assert build_column([np.float32(0.5), np.int64(2)]).values.tolist() == [0.5, 2.0]


@pytest.mark.parametrize("label", [None, ["a"], ("a", "b"), b"a"])
def test_what_is_no_label_is_named(label):
    with pytest.raises(ValueError, match="a label is a string, a number, a set of strings"):
        build_column([label])


@given(columns)
def test_a_column_comes_back_from_its_labels(labels):
    again = build_column([labels.label(i) for i in range(len(labels))])
    places = np.array([labels.names.index(name) for name in again.names], np.int64)
    same_labels(again.with_names(places, labels.names), labels)


@given(columns)
def test_codes_are_equal_where_labels_are(labels):
    codes, said = labels.codes().tolist(), [labels.label(i) for i in range(len(labels))]
    if labels.numbers is None:
        said = [str(sorted(x.items())) if isinstance(x, dict) else x for x in said]
    else:  # probes read numbers in single precision
        said = np.float32(said).tolist()
    assert len(set(codes)) == len(set(zip(codes, said, strict=True))) == len(set(said))


@given(columns)
def test_labels_have_one_view_at_least(labels):
    classes, numbers = labels.classes, labels.numbers
    assert classes is None or numbers is None
    if numbers is not None:
        assert numbers.tolist() == list(labels.plain())
        assert labels.answers() is None
        assert not labels.counts()
        with pytest.raises(ValueError, match="no label sets"):
            labels.sets()
        return
    sets = labels.sets()
    assert sets.names == labels.names == tuple(labels.counts())
    assert labels.counts() == {
        name: int((np.nan_to_num(sets.matrix()[:, k]) > 0).sum())
        for k, name in enumerate(labels.names)
    }
    assert classes is None or labels.class_names() == list(labels.plain())


@given(columns, columns)
def test_joined_columns_hold_the_labels_of_both(one, other):
    if one.loss != other.loss or one.partial != other.partial:
        return
    both = join_columns([one, other])
    said = [both.label(i) for i in range(len(both))]
    assert said == [labels.label(i) for labels in (one, other) for i in range(len(labels))]


@given(columns)
def test_the_constant_answers_alike(labels):
    scores = np.tile(labels.constant(), (len(labels), 1))
    decoded = labels.decode(scores)
    assert len({str(decoded.label(i)) for i in range(len(decoded))}) == 1
    assert labels.quality(scores) <= 1


@given(classes.map(build_column))
def test_targets_are_what_one_estimator_each_learns(labels):
    assert [y.tolist() for y in labels.targets()] == [labels.classes.tolist()]
    of_sets = labels.sets().targets()
    assert np.array_equal(np.stack(of_sets, 1), labels.sets().matrix())


def test_codes_are_classes_and_rows_of_codes_are_sets():
    assert column_from_codes(np.array([1, 0]), "ab").label(0) == "b"
    assert column_from_codes(np.array([[1, 0], [1, 2]]), "abc").label(1) == frozenset("bc")
    assert column_from_codes(np.zeros((2, 0)), "ab").label(1) == frozenset()


def test_classes_that_nobody_has_are_pruned():
    assert column_from_codes(np.array([2, 0, 2]), "abc").without_unused().names == ("a", "c")
    assert column_from_codes(np.array([[2], [0]]), "abc").without_unused().names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        (column_from_codes(np.array([0, 2]), "ab"), "a class id has no name"),
        (column_from_codes(np.array([[0], [2]]), "ab"), "a label id has no name"),
        (build_column([{"a": 2.0}]), "between 0 and 1"),
        (build_column([{"a": 1e300}]), "between 0 and 1"),
        (build_column([1.0, np.inf]), "not a finite number"),
        (build_column([1.0, 1e300]), "not a finite number"),
        (build_column([1.0, 1.0]), "nothing to predict"),
    ],
)
def test_what_is_wrong_with_a_column_is_said(labels, why):
    assert why in labels.problem()


@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), st.sampled_from([0.0, 0.4, 1.0])), min_size=1)
)
def test_sets_vary_where_a_label_is_said_in_two_ways(labels):
    """Of one row of zeros and ones a class, read as numbers of classes, all sets are equal."""
    said = [{weights.get(name) for weights in labels} - {None} for name in "abc"]
    assert build_column(labels).vary() == any(len(each) > 1 for each in said)
    names = [frozenset(weights) for weights in labels]
    assert build_column(names).vary() == (len(set(names)) > 1)


@given(st.one_of(classes, sets).map(build_column))
def test_a_column_as_it_should_be_has_no_problem(labels):
    assert not labels.problem()
