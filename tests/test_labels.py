import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sonde.labels import Classes, LabelSets, Scores, column, restored
from sonde.testing.tasks import same_labels

names = st.text(max_size=4)
classes = st.lists(names, min_size=1, max_size=8)
scores = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8)
sets = st.lists(st.frozensets(names, max_size=3), min_size=1, max_size=8)
weights = st.lists(
    st.dictionaries(names, st.floats(0, 1, width=32), max_size=3), min_size=1, max_size=8
)
columns = st.one_of(classes, scores, sets, weights).map(column)


@given(columns)
def test_a_column_comes_back_from_its_arrays(labels):
    back = restored(
        labels.loss, labels.arrays(), list(labels.names), getattr(labels, "partial", False)
    )
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
    assert column(["b", "a", "b"]).names == ("a", "b")
    assert column(["b", "a", "b"]).matrix().tolist() == [1, 0, 1]
    assert column([frozenset("ca"), frozenset("b")]).names == ("a", "b", "c")


def test_ties_go_to_the_first_class():
    assert Classes(np.zeros(1, np.int64), ("a", "b")).decode(
        np.zeros((1, 2), np.float32)
    ).ids.tolist() == [0]


def test_scores_are_one_output():
    labels = Scores(np.array([0.5, 2.0]))
    assert (labels.names, labels.loss, labels.matrix().shape, labels.matrix().dtype) == (
        ("score",),
        "squared",
        (2, 1),
        np.float32,
    )


def test_whole_numbers_are_scores_and_truth_values_too():
    assert column([1, 2.5]).arrays()["values"].tolist() == [1.0, 2.5]


def test_sets_are_known_in_full_and_weights_in_part():
    full, part = column([frozenset("a"), frozenset()]), column([{"a": 1.0}, {}])
    assert full.matrix().tolist() == [[1.0], [0.0]]
    assert np.isnan(part.matrix()).tolist() == [[False], [True]]


@pytest.mark.parametrize("labels", [["a", 1.0], [1.0, frozenset("a")], ["a", {"a": 1.0}]])
def test_labels_of_two_kinds_are_refused(labels):
    with pytest.raises(ValueError, match="must be of one kind"):
        column(labels)


def test_an_unknown_loss_is_refused():
    with pytest.raises(ValueError, match="no label column has the loss 'hinge'"):
        restored("hinge", {}, ())


def test_numbers_of_numpy_are_scores():
    assert column([np.float32(0.5), np.int64(2)]).values.tolist() == [0.5, 2.0]


@pytest.mark.parametrize("label", [None, ["a"], ("a", "b"), b"a"])
def test_what_is_no_label_is_named(label):
    with pytest.raises(ValueError, match="a label is a string, a number, a set of strings"):
        column([label])
