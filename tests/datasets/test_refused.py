"""What no data set can be made of is refused, whatever way it came in."""

from __future__ import annotations

import numpy as np
import pytest

from lingprobe.data.core import DataProblem, Dataset, Example, Sentence
from lingprobe.datasets.candidates import Candidate
from lingprobe.datasets.controls import CONTROLS, at_chance, find_control, list_draws, without_draw
from lingprobe.datasets.draw import sample
from lingprobe.datasets.formats.tables import read_dataset
from lingprobe.datasets.match import match_joint_gaussian
from lingprobe.datasets.settings import SampleSettings


def made(many, label=lambda i: "ab"[i % 2], **more):
    """Candidates that share nothing."""
    return [Candidate(Sentence.of([f"w{i}", "x"]), label(i), **more) for i in range(many)]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rarest": -1}, "rarest=-1: write a number from 0 on, of candidates"),
        ({"commonest": -2}, "commonest=-2: write a number from 0 on"),
        ({"proportions": (10, 0, 1)}, "train, dev and test must each get something"),
        ({"decorrelate": True, "balance": False}, "which balance=false forbids"),
        ({"fold": "0/5"}, "write fold=3/10 for the third"),
        ({"fold": "2"}, "write fold=3/10"),
        ({"fold": "1/2/1"}, "write fold=3/10"),
        ({"fold": "1/2/30/4"}, "write fold=3/10"),
    ],
)
def test_settings_that_contradict_each_other_say_what_to_choose(settings, said):
    with pytest.raises(DataProblem, match=said):
        SampleSettings(**settings)
    assert SampleSettings(rarest=0, commonest=0, size=1, fold="1/2").folds() == (0, 2, 0)
    assert SampleSettings(fold="5/5").folds() == (4, 5, 0)
    assert SampleSettings(fold="5/5/100").folds() == (4, 5, 100)
    assert SampleSettings().folds() is None


def test_settings_are_the_papers_where_none_are_given():
    plain = SampleSettings()
    assert (plain.seed, plain.proportions, plain.least, plain.least_test) == (
        0,
        (10, 1, 1),
        50,
        200,
    )
    assert (plain.balance, plain.decorrelate, plain.splits, plain.rare) == (
        True,
        False,
        "sampled",
        "refuse",
    )


def test_what_bands_and_classes_leave_is_counted():
    plain = SampleSettings(least=20)
    with pytest.raises(DataProblem, match=r"only one class is left: a: 90, after 0 duplicates"):
        sample(made(90, lambda i: "a"), plain)
    few = SampleSettings(least=200, rare="drop")
    with pytest.raises(DataProblem, match=r"no class is left: a: 45, b: 45, after .* 200 examples"):
        sample(made(90), few)
    with pytest.raises(DataProblem, match="nothing is left of 40 candidates after 0 duplicates"):
        sample(made(40, float, target="saw"), SampleSettings(rarest=90))
    pairs = [Candidate(Sentence.of([f"w{i // 2}"]), float(i)) for i in range(40)]
    with pytest.raises(DataProblem, match=r"nothing is left of 40 .* 40 with two labels"):
        sample(pairs)


def test_balancing_leaves_no_class_below_the_least():
    """Of sixty each, those of one class are of three forms, and each split gets one."""
    parts = made(60, lambda i: "a") + [
        Candidate(Sentence.of([f"v{i}"]), "b", f"form{i % 3}") for i in range(60)
    ]
    with pytest.raises(DataProblem, match=r"too few examples of a class .* and the rest by balanc"):
        sample(parts, SampleSettings(least=60, rarest=0, commonest=0, cap=0))


@pytest.mark.parametrize("label", ["{}", '{{"x": {}}}'])
def test_numbers_that_no_float_holds_are_refused(tmp_path, label):
    path, row = tmp_path / "a.jsonl", '{{"split": "train", "text": "a", "label": {}}}\n'
    for number, said in (
        ("1e999", "inf is too large a number"),
        ("-1e999", "-inf is too large a number"),
        ("1" * 99, "a number of 99 digits"),
    ):
        path.write_text(row.format(label.format(number)))
        with pytest.raises(DataProblem, match=rf"a\.jsonl:1: {said}"):
            read_dataset(path)
    if label == "{}":
        path.write_text(row.format("1e30"))
        assert len(read_dataset(path)) == 1


@pytest.mark.parametrize("weight", ["1e300", "1e30", "-1", "1.5"])
def test_weights_lie_between_0_and_1(tmp_path, weight):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"text": "a", "label": {{"x": {weight}}}}}\n')
    with pytest.raises(
        DataProblem, match=rf"a\.jsonl:1: the weight {weight[:2]}.* between 0 and 1"
    ):
        read_dataset(path)


def test_tables_of_no_rows_are_refused(tmp_path):
    (tmp_path / "a.tsv").write_text("\n\n")
    with pytest.raises(DataProblem, match=r"a\.tsv: no examples in it"):
        read_dataset(tmp_path / "a.tsv")
    import pyarrow as pa
    from pyarrow import parquet

    none = pa.table({name: pa.array([], pa.string()) for name in ("split", "label", "text")})
    parquet.write_table(none, tmp_path / "a.parquet")
    with pytest.raises(DataProblem, match=r"a\.parquet: no examples in it"):
        read_dataset(tmp_path / "a.parquet")


def test_lengths_that_say_the_label_leave_no_joint_sample():
    values = np.repeat(np.arange(2), 50)
    assert match_joint_gaussian(3 * values, values, np.random.default_rng(0)).size == 0


@pytest.mark.parametrize(
    ("reference", "drawn", "nothing"),
    [
        ("none", ["none"], False),
        ("shuffled", ["shuffled,seed=0", "shuffled,seed=1"], True),
        ("shuffled,seed=3", ["shuffled,seed=3"], True),
        ("random-asked", ["random-asked,seed=0", "random-asked,seed=1"], False),
    ],
)
def test_controls_say_whether_they_draw_and_leave_anything(reference, drawn, nothing):
    assert list_draws(reference, 2) == [CONTROLS.canonical(each) for each in drawn]
    assert at_chance(reference) is nothing
    assert without_draw(reference) == reference.partition(",")[0]


@pytest.mark.parametrize("gone", ["plugin-that-is-gone", "mine.py@control", "shuffled,odd=1"])
def test_controls_that_are_gone_are_not_known(gone):
    assert find_control(gone) is None
    assert at_chance(gone) is False


def test_words_can_be_asked_anew_only_where_some_are_asked():
    dataset = Dataset.of([Example.about(Sentence.of([str(i)]), "ab"[i % 2]) for i in range(4)])
    with pytest.raises(DataProblem, match="the task asks about no words"):
        CONTROLS.make("random-asked")(dataset)
    with pytest.raises(DataProblem, match="no audit says how often these labels are wrong"):
        CONTROLS.make("label-noise")(dataset)
