"""Scores by strata, by label, of constants; samples and selectivity."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.results import saying
from fixtures.scored import page, to_frame, to_scores
from fixtures.scored import to_scores as rows
from fixtures.views import classes_table
from lingprobe.analysis.baselines import constant_rows
from lingprobe.data.core import DataProblem, Result, Tags, Trial
from lingprobe.data.labels import Classes, LabelSets, build_column, join_columns
from lingprobe.metrics import METRICS, FitAnswers, choose_constants, compute_difference
from lingprobe.pages.breakdown import _LEAST, _SHARE, bin_values, compute_stratum_rows, strata_table
from lingprobe.tables.formats import format_terminal_table

NAMES = ("Other", "cause", "effect")


def edges(right: float = 0.8, n: int = 400, sets: bool = True, **changed: object) -> Result:
    """A result over n examples has the tag 'height'; choose from distance 0 to 9, those near recognised more often than
    those far.
    """
    given = {
        "task": "edge/relations:X",
        "encoder": "hf:m",
        "read": "mix",
        "probe": "span",
        "control": "none",
        "seed": 0,
    }
    trial = Trial(**{**given, **changed})  # type: ignore[arg-type]
    rng = np.random.default_rng([trial.seed, 3])
    gold = Classes(np.random.default_rng(3).integers(3, size=n), NAMES)  # the same under every seed
    distance = np.arange(n) % 10
    hit = rng.random(n) < right - distance / 20
    said = Classes(np.where(hit, gold.ids, (gold.ids + 1) % 3), NAMES)
    predicted = said.sets() if sets else said
    score = METRICS.make("micro-f1")(gold, predicted)
    made_with = {
        "counts": {"train": 900},
        "constants": {k: list(v) for k, v in choose_constants(gold, "micro-f1").items()},
    }
    tags = {"distance": Tags(distance, tuple(map(str, range(10))))}
    return Result(
        trial, "micro-f1", score, score - 0.05, score + 0.05, 0.5, gold, predicted, made_with, tags
    )


def test_strata_divide_the_examples_and_scores_fall_with_distance():
    rows = compute_stratum_rows(to_frame([edges(seed=s) for s in (0, 1)]), "distance")
    assert [row.stratum for row in rows] == list(map(str, range(10)))
    assert sum(row.n for row in rows) == 400
    assert rows[0].score > rows[9].score + 15
    assert all(row.low <= row.score <= row.high and row.seeds == 2 for row in rows)
    text = format_terminal_table(strata_table(rows, "distance"))
    assert "edge/relations:X" in text


def test_a_stratum_s_score_is_the_metric_of_its_examples_alone():
    one = edges()
    chosen = np.flatnonzero(one.strata["distance"].codes == 4)
    row = next(r for r in compute_stratum_rows(to_frame([one]), "distance") if r.stratum == "4")
    assert row.score == pytest.approx(
        100 * METRICS.make("micro-f1")(one.gold.take(chosen), one.predicted.take(chosen))
    )
    both = choose_constants(one.gold, "micro-f1")["set"]
    expected = (
        2
        * np.isin(np.array(NAMES)[one.gold.take(chosen).ids], both).sum()
        / (len(chosen) * (1 + len(both)))
    )  # type: ignore[attr-defined]
    assert row.majority == pytest.approx(100 * expected)


def test_where_the_metric_counts_no_label_there_is_no_score():
    one = edges()
    kinds = Tags(one.gold.ids, ("none", "cause", "effect"))  # type: ignore[attr-defined]
    rows = compute_stratum_rows(
        to_frame([replace(one, metric="micro-f1,without=Other", strata={"kind": kinds})]), "kind"
    )
    nothing = {
        row.stratum: bool(np.isnan([row.score, row.low, row.high, row.majority]).all())
        for row in rows
    }
    assert nothing == {"none": True, "cause": False, "effect": False}
    told = format_terminal_table(strata_table(rows, "kind"))
    assert "does not count any label" in told
    assert "nan" not in told


def test_a_stratum_that_nothing_has_is_named():
    with pytest.raises(DataProblem, match="has the tag 'height'; choose from distance"):
        compute_stratum_rows(to_frame([edges()]), "height")


@given(
    st.dictionaries(
        st.integers(0, 60).map(str), st.integers(1, 50) | st.integers(1, 20_000), min_size=1
    )
)
def test_neighbouring_numbers_are_put_together_until_there_are_enough(counts):
    groups = bin_values(counts)
    assert sorted((v for b in groups for v in b.values), key=int) == sorted(counts, key=int)
    sizes = [sum(counts[v] for v in b.values) for b in groups]
    assert all(size >= max(_LEAST, sum(sizes) / _SHARE) for size in sizes) or len(groups) == 1
    assert [min(map(int, b.values)) for b in groups] == sorted(
        min(map(int, b.values)) for b in groups
    )


def test_words_are_not_put_in_the_order_of_numbers_and_rare_ones_go_together():
    groups = bin_values({f"w{i}": 100 - i for i in range(50)})
    assert [b.label for b in groups][:2] == ["w0", "w1"]
    assert groups[-1].label == "(rarer)"
    assert len(groups[-1].values) == 20


def test_constants_stand_among_the_floors_where_sets_may_be_answered():
    found = constant_rows(to_scores([edges(), edges(seed=1)]))
    assert [(row.encoder, row.probe) for row in found] == [
        ("(constant)", "one label"),
        ("(constant)", "best set of 3"),
    ]
    assert found[-1].score == pytest.approx(50)  # all three labels of three balanced classes
    assert "best set of 3" in format_terminal_table(page([edges()]))
    assert (
        constant_rows(to_scores([replace(edges(), provenance={"constants": {"class": ["cause"]}})]))
        == []
    )


def test_samples_of_the_training_data_are_averaged_over_and_folds_pooled():
    found = [edges(task=f"edge/dpr:X,sample={k}/5", seed=s) for k in range(1, 6) for s in (0, 1)]
    both = rows([*found, edges(task="edge/dpr:X,sample=none")])
    assert {(row.task, row.samples) for row in both} == {
        ("edge/dpr:X,sample=*/5", 5),
        ("edge/dpr:X", 1),
    }
    (row,) = rows(found)
    assert (row.task, row.seeds, row.samples, row.n) == ("edge/dpr:X,sample=*/5", 10, 5, 400)
    assert "5 samples of the training data" in format_terminal_table(page(found))
    assert "the mean of 10 fits; intervals are over fits" in format_terminal_table(page(found))


def test_folds_of_label_sets_are_put_together_by_name():
    first, second = build_column([frozenset("ab"), frozenset()]), build_column([frozenset("bc")])
    found = join_columns([first, second])
    assert isinstance(found, LabelSets)
    assert found.names == ("a", "b", "c")
    assert found.matrix().tolist() == [[1, 1, 0], [0, 0, 0], [0, 1, 1]]


def test_labels_of_sets_are_counted_as_classes_are():
    (section,) = classes_table([edges(0.9), edges(0.9, seed=1)]).sections
    (plain,) = classes_table([edges(0.9, sets=False), edges(0.9, sets=False, seed=1)]).sections
    assert section.rows == plain.rows
    assert [row[0] for row in section.rows] == sorted(NAMES)


def test_a_rare_label_that_is_never_recognised_has_a_wide_interval():
    gold = Classes(np.array([0] * 500 + [1] * 4), ("common", "rare"))
    one = replace(edges(), gold=gold, predicted=Classes(np.zeros(504, np.int64), gold.names))
    (section,) = classes_table([one]).sections
    row = next(row for row in section.rows if row[0] == "rare")
    assert row[1:6] == ("4", "0", "0.0", "0", "0.0")
    assert float(row[6].partition("– ")[2]) > 40


def remembering(
    right,
    seed=0,
    task="edge/relations:X",
    seen=0.75,
    definition="a label for each word type (Hewitt & Liang 2019)",
):
    """The control of `edges`, over the same examples, with tags of what train has."""
    found = edges(right, task=task, control="word-labels", seed=seed)
    codes = (np.arange(found.n) >= seen * found.n).astype(np.int64)
    notes = {"control": {"name": "word-labels", "definition": definition}}
    return replace(
        found,
        strata={**found.strata, "key seen": Tags(codes, ("yes", "no"))},
        provenance={**found.provenance.plain(), "notes": notes},
    )


def seeded(result):
    """The same as if it came of another seed."""
    return replace(result, trial=replace(result.trial, seed=1))


def test_selectivity_is_what_the_control_leaves_of_the_score_over_the_same_examples():
    task, control = [edges(0.9), seeded(edges(0.8))], [remembering(0.6), seeded(remembering(0.5))]
    plain, beside = rows([*task, *control])
    assert math.isnan(plain.selectivity)
    assert beside.selectivity == pytest.approx(plain.score - beside.score)
    expected = compute_difference(
        "micro-f1", *(FitAnswers(e[0].gold, [r.predicted for r in e]) for e in (task, control))
    )
    assert (beside.selective_low, beside.selective_high) == pytest.approx(
        (100 * expected.low, 100 * expected.high)
    )
    assert beside.keys_seen == pytest.approx(75)
    cut = [
        replace(r, gold=r.gold.take(k), predicted=r.predicted.take(k))
        for r in control
        for k in [np.arange(int(0.75 * r.n))]
    ]
    assert beside.on_seen == pytest.approx(
        100 * np.mean([METRICS.make("micro-f1")(r.gold, r.predicted) for r in cut])
    )
    assert beside.on_unseen != beside.on_seen
    text = format_terminal_table(page([*task, *control]))
    (line,) = [line for line in text.splitlines() if "hf:m" in line]
    shown = [
        f"{x:.1f}" for x in (beside.score, beside.on_seen, beside.on_unseen, beside.selectivity)
    ]
    assert line.index(shown[0]) < line.index(shown[1]) < line.index(f"{shown[3]} ±")
    assert shown[2] in line
    assert (
        "a label for each word type (Hewitt & Liang 2019); 75.0 % of the test examples have a key"
        " that is in train" in text
    )


def test_what_is_printed_beside_selectivity_reaches_the_ends_of_its_interval():
    some = [edges(0.9), remembering(0.6)]
    _, beside = rows(some)
    [(value, sure)] = re.findall(r"(-?[\d.]+) ± ([\d.]+)", format_terminal_table(page(some)))
    assert float(value) - float(sure) == pytest.approx(beside.selective_low, abs=0.101)
    assert float(value) + float(sure) == pytest.approx(beside.selective_high, abs=0.101)
    assert beside.selective_high - beside.selective_low > 1


def test_a_control_over_other_examples_has_no_selectivity():
    some = remembering(0.6)
    fewer = replace(
        some, gold=some.gold.take(np.arange(50)), predicted=some.predicted.take(np.arange(50))
    )
    fewer = replace(fewer, strata={"key seen": some.strata["key seen"].take(np.arange(50))})
    _, beside = rows([edges(0.9), fewer])
    assert math.isnan(beside.selectivity)
    assert "–" in format_terminal_table(page([edges(0.9), fewer]))


def test_several_controls_stand_beside_each_other():
    other = replace(remembering(0.7), trial=replace(edges().trial, control="word-labels,key=pair"))
    text = format_terminal_table(page([edges(0.9), remembering(0.6), other]), width=250)
    assert text.count("selectivity ") >= 2
    assert "word-labels,key=pair" in text


def test_a_code_of_the_labels_is_shown_where_a_probe_made_one():
    code = {"bits": 12345.6, "uniform": 24691.2, "prior": 12345.6}
    coded = saying(edges(), choice={"code": code})
    (row,) = rows([coded])
    assert (row.bits, row.compression, row.over_prior) == (12345.6, 2.0, 1.0)
    text = format_terminal_table(page([coded]))
    assert re.search(r"12\.3 +2\.00 +1\.00", text)
    assert "kbit" not in format_terminal_table(page([edges()]))
