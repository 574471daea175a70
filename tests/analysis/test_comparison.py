"""The one place that decides a comparison: what is asked, of whom, and what is answered; against
definitions from the papers, and by simulation.
"""

import math
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from fixtures.results import saying
from fixtures.scored import to_scores
from lingprobe.analysis.comparable import explain_mismatch, group_rows_by_task
from lingprobe.analysis.comparison import (
    decide_comparisons,
    pair_encoder_rows,
    pair_with_encoders,
    with_baselines,
)
from lingprobe.data.core import Result, Trial
from lingprobe.data.labels import Classes, Column, ScoreLabels
from reference import inference

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "verdicts.py"))
N = 200
GOLD = Classes(np.arange(N) % 2, ("a", "b"))
CONSTANT = {"class": ["a"]}


def result(encoder="st:x", right=0.8, read="-", task="ud/tense:bank", dev=None, probe="mlp"):
    """A result over 200 examples, each a draw of its own."""
    draws = np.random.default_rng([*map(ord, encoder + read), round(1000 * right)])
    hit = draws.random(N) < right
    said = Classes(np.where(hit, GOLD.ids, 1 - GOLD.ids), GOLD.names)
    choice = {} if dev is None else {"dev": dev}
    made_with = {"tested": "these", "constants": CONSTANT, "choice": choice}
    trial = Trial(task, encoder, read, probe, "none", 0)
    return Result(trial, "accuracy", float(hit.mean()), 0, 1, 0.5, GOLD, said, made_with)


def by_hand(one: Result, others: list[np.ndarray], family: int):
    """A row against several answers, from the textbook: paired t tests of independent examples,
    with one example more that changed each way (Bonett & Price 2012); better than all by an
    intersection-union test (Berger 1982); both sides and the family by Bonferroni (Dunn 1961).
    """
    mine, count = one.predicted.ids == GOLD.ids, len(others)
    tests = []
    for other in others:
        moved = mine.astype(float) - (other == GOLD.ids)
        classes = [moved[GOLD.ids == k] for k in (0, 1)]  # of equal size, which was fixed
        squares = sum(((c - c.mean()) ** 2).sum() for c in classes)
        apart = squares * (N - 1) / N * ((N / 2) / (N / 2 - 1)) ** 2 / N**2, stats.t(N - 2)
        alike = moved.var(ddof=1) / N, stats.t(N - 1)
        variance, t = min(apart, alike, key=lambda each: each[0] * each[1].isf(0.025) ** 2)
        tests.append((moved.mean(), math.sqrt(variance + 2 / N**2), t))
    not_better = max(t.sf(value / error) for value, error, t in tests)
    not_worse = count * min(t.cdf(value / error) for value, error, t in tests)
    p = min(1, 2 * not_better, 2 * not_worse)
    level = 0.05 / family
    low = min(v - t.isf(level / 2) * e for v, e, t in tests)
    high = min(v + t.isf(level / 2 / count) * e for v, e, t in tests)
    return min(v for v, _, _ in tests), low, high, p, min(1, family * p)


def answers(one: Result) -> np.ndarray:
    return one.predicted.ids


def test_a_row_is_compared_with_all_baselines_as_the_papers_have_it():
    mine = [result("st:x", 0.9), result("hf:y", 0.62), result("hf:z", 0.5)]
    floors = [result("bow:random", 0.65), result("length", 0.64)]
    found = with_baselines(to_scores([*mine, *floors]))
    assert found.family == "3 comparisons (3 encoders on 1 task, against the baselines)"
    others = [np.zeros(N, int), *map(answers, floors)]
    for one, decision in zip(mine, decide_comparisons(found.asked), strict=True):
        value, low, high, p, corrected = by_hand(one, others, 3)
        assert decision.difference == pytest.approx(100 * value)
        assert (decision.p, decision.corrected) == pytest.approx((p, corrected))
        assert (decision.low, decision.high) == pytest.approx((100 * low, 100 * high))
    assert [one.verdict for one in decide_comparisons(found.asked)] == [
        "better",
        "no significant difference",
        "worse",
    ]


@pytest.mark.parametrize("test", ["t", "bootstrap"])
@pytest.mark.parametrize("correction", ["bonferroni", "bh"])
def test_an_interval_excludes_0_exactly_where_the_verdict_is_not_open(correction, test):
    mine = [result(f"st:{i}", 0.55 + i / 100) for i in range(0, 30, 2)]
    asked = with_baselines(
        to_scores([*mine, result("bow:random", 0.65), result("length", 0.7)])
    ).asked
    kinds = set()
    for one in decide_comparisons(asked, correction, test):
        inside = one.low <= 0 <= one.high
        assert inside == (one.verdict == "no significant difference")
        assert (one.low > 0) == (one.verdict == "better")
        assert one.low <= one.difference <= one.high
        kinds.add(one.verdict)
    assert len(kinds) > 1


def test_the_layer_is_chosen_on_dev_and_only_that_is_compared():
    layers = [result("hf:y", 0.6 + i / 50, str(i), dev=d) for i, d in enumerate((0.5, 0.9, 0.7))]
    found = with_baselines(to_scores([*layers, result("length", 0.6)]))
    assert [(q.one.row.layer, q.layers) for q in found.asked] == [("1", 3)]
    assert found.family.startswith("1 comparison (1 encoder on 1 task, against the baselines, at")
    assert "best on dev" in found.family


@pytest.mark.parametrize("lost", ["one does not say", "folds"])
def test_without_dev_scores_all_layers_are_counted(lost):
    layers = [result("hf:y", 0.6 + i / 50, str(i), dev=0.5) for i in range(3)]
    if lost == "folds":  # dev of one fold is test of another
        layers = [
            replace(one, trial=replace(one.trial, task=f"ud/tense:bank,fold={k}/2"))
            for one in layers
            for k in (1, 2)
        ]
    else:
        layers[1] = result("hf:y", 0.6, "1")
    found = with_baselines(to_scores(layers))
    assert [q.one.row.layer for q in found.asked] == ["0", "1", "2"]
    assert found.family == "3 comparisons (3 rows of 1 encoder on 1 task, against the baselines)"


def test_all_pairs_are_of_encoders_and_one_is_against_all_rows():
    every = [result("st:x", 0.9), result("hf:y", 0.7), result("hf:y", 0.7, "1"), result("length")]
    found = pair_encoder_rows(to_scores(every))
    assert len(found.asked) == 3
    said = "3 comparisons (3 rows of 2 encoders on 1 task, all pairs, without baselines)"
    assert found.family == pair_encoder_rows(to_scores(every), "trained").family == said
    assert "without" not in pair_encoder_rows(to_scores(every[:3])).family
    assert "length" not in {other.row.encoder for q in found.asked for other in q.others}
    chosen = pair_with_encoders(to_scores(every), {"length"})
    assert len(chosen.asked) == 3
    assert (
        len(pair_encoder_rows(to_scores([result("length"), result("bow:random", 0.6)])).asked) == 1
    )


def test_a_task_that_a_baseline_answers_is_no_failure():
    mine = result("st:x", 0.8, task="ud/sent-len:bank")
    (known,) = decide_comparisons(
        with_baselines(to_scores([mine, result("length", 1.0, task=mine.trial.task)])).asked
    )
    assert (known.verdict, known.is_answered) == ("worse", True)
    (other,) = decide_comparisons(
        with_baselines(to_scores([mine, result("length", 0.85, task=mine.trial.task)])).asked
    )
    assert not other.is_answered


def test_a_constant_answer_does_not_answer_a_task_of_which_one_class_is_rare():
    """Four in a hundred: 96 is what anybody has; 99.8 is another matter."""
    gold = Classes((np.arange(1000) < 40).astype(np.int64), GOLD.names)

    def rare(encoder: str, wrong: int) -> Result:
        said = Classes(np.where(np.arange(1000) < wrong, 0, gold.ids), gold.names)
        score = float((said.ids == gold.ids).mean())
        given = {"gold": gold, "predicted": said, "score": score, "majority": 0.96}
        return replace(result(encoder), **given)

    for floor, is_answered in ((40, False), (20, False), (2, True)):
        asked = with_baselines(to_scores([rare("st:x", 41), rare("length", floor)])).asked
        assert decide_comparisons(asked)[0].is_answered == is_answered


def test_two_points_on_a_line_answer_nothing():
    """The correlation of two examples is 1 or -1, whatever was predicted."""
    line = ScoreLabels(np.array([0.0, 1.0]))
    kept = {"metric": "pearson", "gold": line, "predicted": line, "score": 1.0, "majority": 0.0}
    two = [replace(result(name), **kept) for name in ("st:x", "length")]
    assert not decide_comparisons(with_baselines(to_scores(two)).asked)[0].is_answered


def test_the_constant_of_scores_is_one_number_in_all_folds():
    """The means of two folds lie far apart, which no constant answer could know."""
    rng = np.random.default_rng(3)
    folds = []
    for k, middle in ((1, 0.0), (2, 10.0)):
        truth = ScoreLabels(middle + rng.normal(size=N))
        said = ScoreLabels(truth.values + rng.normal(size=N))
        task = f"ud/tense:bank,fold={k}/2"
        kept = {"metric": "pearson", "gold": truth, "predicted": said, "score": 0.7}
        folds.append(replace(result(task=task), majority=0.0, **kept))
    (one,) = decide_comparisons(with_baselines(to_scores(folds)).asked)
    assert one.question.best.name == "(constant)"
    assert one.question.best.row.score == pytest.approx(one.question.best.row.majority, abs=1e-9)


def test_a_constant_answer_is_a_baseline_of_classes_and_scores():
    (one,) = decide_comparisons(with_baselines(to_scores([result("st:x", 0.9)])).asked)
    assert one.question.best.name == "(constant)"
    assert one.difference == pytest.approx(one.question.one.row.score - 50)
    truth = np.random.default_rng(1).normal(size=N)
    said = ScoreLabels(truth + np.random.default_rng(2).normal(size=N))
    scored = replace(result(), metric="pearson", gold=ScoreLabels(truth), predicted=said, score=0.7)
    (one,) = decide_comparisons(with_baselines(to_scores([scored])).asked)
    assert one.question.best.row.score == 0
    assert one.verdict == "better"


def test_scores_over_other_examples_are_not_compared_and_that_is_said():
    other = saying(result("length", 0.7), tested="others")
    found = with_baselines(to_scores([result(), other, result("bow:random", 0.6)]))
    assert {o.row.encoder for o in found.asked[0].others} == {"(constant)", "bow:random"}
    assert found.left_out[0][0] == "ud/tense:bank"
    assert "over different test examples" in found.left_out[0][1]


def rows_of(gold: Column, *shares: float, **said: object):
    """Two rows over these labels."""
    n = len(gold)
    kept = {"score": 0.7, "gold": gold, "predicted": gold}
    found = [replace(result(f"st:{i}", share), **kept) for i, share in enumerate(shares)]
    ((one, other),) = group_rows_by_task(to_scores([saying(each, **said) for each in found]))
    assert one.row.n == n
    return one, other


def test_rows_are_compared_over_the_same_labels_in_the_same_order():
    """Their number, names, order and digest are the same, and both have a score."""
    one, other = rows_of(GOLD, 0.7, 0.8, tested="these")
    assert explain_mismatch(one, other) == ""
    flipped, few = Classes(1 - GOLD.ids, GOLD.names), GOLD.take(np.arange(N - 2))
    named = Classes(GOLD.ids, ("a", "c"))
    for gold, n in ((flipped, N), (few, N - 2), (named, N)):
        strange = rows_of(gold, 0.7, 0.8, tested="these")[1]
        assert (
            explain_mismatch(one, strange) == f"they are over different test examples ({N} and {n})"
        )
    unknown, another = (rows_of(GOLD, 0.7, 0.8, tested=said)[1] for said in ("", "others"))
    assert explain_mismatch(one, unknown) == explain_mismatch(unknown, one) == ""
    assert "different test examples" in explain_mismatch(one, another)
    unscored = other._replace(row=other.row._replace(score=math.nan))
    assert explain_mismatch(one, unscored) == explain_mismatch(unscored, one) == "one has no score"


@pytest.mark.parametrize("unknown", [math.nan, 0.5])
def test_scores_that_nobody_knows_are_unknown_to_both(unknown):
    numbers = np.linspace(0, 1, N)
    one, _ = rows_of(ScoreLabels(np.r_[unknown, numbers[1:]]), 0.7, 0.8)
    _, other = rows_of(ScoreLabels(np.r_[math.nan, numbers[1:]]), 0.7, 0.8)
    assert (explain_mismatch(one, other) == "") == math.isnan(unknown)


@pytest.mark.parametrize("correction", ["bonferroni", "bh"])
def test_a_part_of_a_family_is_corrected_for_all_of_it(correction):
    """Those that are not asked about count as p of 1 (Benjamini & Hochberg 1995)."""
    floors = [result("length", 0.66), result("bow:random", 0.6)]
    asked = with_baselines(
        to_scores([result(f"st:{i}", 0.68 + i / 40) for i in range(5)] + floors)
    ).asked
    some, p = (
        decide_comparisons(asked, correction, comparisons=12),
        [d.p for d in decide_comparisons(asked)],
    )
    every = [*p, *[1.0] * 7]
    if correction == "bonferroni":
        expected = [min(1.0, 12 * each) for each in p]
    else:
        expected = inference.benjamini_hochberg(every)[:5]
    assert [one.corrected for one in some] == pytest.approx(expected)
    assert [one.p for one in some] == p
    assert any(0 < one.corrected < 1 for one in some)


def test_a_family_says_of_all_tasks_how_many_rows_of_how_many_encoders_it_has():
    layers = [result("hf:y", 0.6 + i / 50, str(i)) for i in range(3)]
    other = result("hf:y", 0.7, task="ud/passive:bank")
    floor = result("length", 0.6, task=other.trial.task)
    for results in ([*layers, other, floor], [other, floor, *layers]):
        family = with_baselines(to_scores(results)).family
        said = "4 comparisons (4 rows of 1 encoder on 2 tasks, not all on each, against the"
        assert family.startswith(said)
    each = [result("st:x", 0.7), result("hf:y", 0.7, task="ud/passive:bank")]
    assert with_baselines(to_scores(each)).family.startswith(
        "2 comparisons (2 encoders on 2 tasks, not all on each, against"
    )
    probes = [result("st:x", 0.7, probe=probe) for probe in ("mlp", "logreg")]
    assert with_baselines(to_scores(probes)).family.startswith(
        "2 comparisons (2 rows of 1 encoder on 1 task,"
    )
    chosen = [
        result("hf:y", 0.7, read, task, dev=dev)
        for task, best in (("ud/tense:bank", "1"), ("ud/passive:bank", "2"))
        for read, dev in zip("12", (0.9, 0.5) if best == "1" else (0.5, 0.9), strict=True)
    ]
    assert with_baselines(to_scores(chosen)).family.startswith(
        "2 comparisons (1 encoder on 2 tasks, against"
    )


def test_a_false_better_stands_on_few_pages_and_true_ones_are_found():
    """A small part of benchmarks/verdicts.py; without the correction half of these pages have
    one.
    """
    Design, false_pages, power = (BENCHMARK[name] for name in ("Design", "false_pages", "power"))
    share, uncorrected = false_pages(Design("layers, dev unknown", 8, 1), 40)
    assert share <= 0.05
    assert uncorrected > 0.25
    assert false_pages(Design("layers, dev known", 8, 1), 60)[0] <= 0.05
    assert power(Design("layers, dev known", 8, 1, gain=0.12), 5) > 0.8
