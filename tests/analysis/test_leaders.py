"""The best rows of each task and their equals; and other tests than Student's, by their definition."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from fixtures.results import saying
from fixtures.scored import to_scores
from lingprobe.analysis.comparable import get_constant_answer, group_rows_by_task
from lingprobe.analysis.comparison import (
    decide_comparisons,
    describe_measurement,
    find_leaders,
    pair_encoder_rows,
)
from lingprobe.data.core import Result, Trial
from lingprobe.data.errors import UsageProblem
from lingprobe.data.labels import Classes, ScoreLabels
from lingprobe.metrics.resampling import bootstrap_difference, compute_permutation_p
from reference import inference

N = 300
GOLD = Classes(np.arange(N) % 2, ("a", "b"))


def row(encoder: str, right: float, task: str = "ud/tense:bank", **said: object) -> Result:
    """A result whose examples are right by draws of their own."""
    draws = np.random.default_rng([*map(ord, encoder + task)])
    said_ids = np.where(draws.random(N) < right, GOLD.ids, 1 - GOLD.ids)
    found = Classes(said_ids, GOLD.names)
    score = float((said_ids == GOLD.ids).mean())
    trial = Trial(task, encoder, "-", "mlp", "none", 0)
    made = Result(trial, "accuracy", score, score - 0.05, score + 0.05, 0.5, GOLD, found, {})
    return saying(made, **{"tested": "these", "kind": "trained"} | said)


def p_of(one: Result, other: Result) -> float:
    """Student's p of two rows, by Bonett and Price, of classes whose sizes were fixed or not."""
    [found] = decide_comparisons(pair_encoder_rows(to_scores([one, other])).asked)
    return found.p


def test_leaders_do_not_differ_significantly_from_the_best_of_their_task():
    shares = {"ud/tense:bank": (0.9, 0.88, 0.8, 0.55), "ud/passive:bank": (0.6, 0.7, 0.62)}
    results = [
        row(f"st:{i}", share, task) for task, some in shares.items() for i, share in enumerate(some)
    ]
    family = 6 + 3
    expected = set()
    for task in shares:
        mine = [r for r in results if r.trial.task == task]
        best = max(mine, key=lambda r: r.score)
        expected |= {
            (task, r.trial.encoder, "-", "mlp")
            for r in mine
            if r is best or family * p_of(best, r) >= 0.05
        }
    found = find_leaders(to_scores(results))
    assert found.rows == expected
    assert 2 < len(expected) < 7
    assert found.family == "9 comparisons (4 encoders on 2 tasks, not all on each, all pairs)"


def test_a_task_with_one_row_over_most_examples_has_no_leader():
    """Neither baselines count nor rows over other examples than most are over."""
    results = [row("st:a", 0.9), row("length", 0.5, kind="baseline")]
    assert find_leaders(to_scores(results)).rows == frozenset()
    other = row("st:b", 0.95)
    few = replace(
        other, gold=GOLD.take(np.arange(99)), predicted=other.predicted.take(np.arange(99))
    )
    apart = saying(few, tested="others")
    assert find_leaders(to_scores([*results, apart])).rows == frozenset()
    both = find_leaders(to_scores([*results, apart, row("st:c", 0.5)]))
    assert {encoder for _, encoder, *_ in both.rows} == {"st:a"}
    [[one, *_], *_] = group_rows_by_task(to_scores([row("st:a", 0.9)]))
    assert describe_measurement(one.row) == ("ud/tense:bank", "st:a", "-", "mlp")


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_other_tests_draw_as_often_as_a_family_needs(test):
    """At 0.05 in k comparisons ten draws beyond the level, which are 200 k."""
    results = [row("st:a", 0.8), row("st:b", 0.72)]
    [question] = pair_encoder_rows(to_scores(results)).asked
    one, other = question.one.answers, question.others[0].answers
    for comparisons, draws in ((1, None), (90, 18_000)):
        [found] = decide_comparisons([question], test=test, comparisons=comparisons)
        if test == "permutation":
            more = {} if draws is None else {"draws": draws}
            assert found.p == pytest.approx(compute_permutation_p("accuracy", one, other, **more))
        else:
            more = {} if draws is None else {"draws": draws}
            drawn = bootstrap_difference("accuracy", one, other, **more)
            assert found.p == pytest.approx(drawn.p)
            interval = drawn.interval(0.05 / comparisons)
            assert (found.low, found.high) == pytest.approx(tuple(100 * x for x in interval))
        [plain] = decide_comparisons([question], comparisons=comparisons)
        assert found.detectable == plain.detectable
        assert found.difference == pytest.approx(plain.difference)


def test_other_corrections_are_refused_and_answers_are_plain():
    [question] = pair_encoder_rows(to_scores([row("st:a", 0.8), row("st:b", 0.5)])).asked
    with pytest.raises(UsageProblem, match="no correction 'holm': choose one of bonferroni, bh"):
        decide_comparisons([question], "holm")
    [found] = decide_comparisons([question])
    told = found.plain()
    assert list(told) == [*found._fields[1:-3], "verdict"]
    assert (told["p"], told["verdict"]) == (found.p, found.verdict)


@pytest.mark.parametrize("ids", [[0, 0, 1, 1, 1], [1, 1, 0, 0, 0]])
def test_where_no_constant_was_kept_it_is_the_commonest_label_of_test(ids):
    gold = Classes(np.array(ids), ("a", "b"))
    made = replace(row("st:a", 0.8), gold=gold, predicted=gold)
    [[one]] = group_rows_by_task(to_scores([made]))
    found = get_constant_answer(one)
    assert found.row.score == pytest.approx(60)
    assert (found.row.encoder, found.row.kind, found.row.layer) == ("(constant)", "baseline", "-")
    assert not found.row.is_seeded
    assert np.isnan([found.row.low, found.row.high]).all()
    assert found.name == "(constant)"
    told = {"class": ["a"]}
    [[kept]] = group_rows_by_task(to_scores([saying(made, constants=told)]))
    assert get_constant_answer(kept).row.score == pytest.approx(100 * ids.count(0) / 5)
    sets = replace(made, gold=gold.sets(), predicted=gold.sets(), metric="micro-f1")
    [[several]] = group_rows_by_task(to_scores([sets]))
    assert get_constant_answer(several).row.score == 0  # the empty set


def test_the_constant_of_scores_is_their_mean():
    truth = np.array([1.0, 2.0, 6.0])
    made = replace(
        row("st:a", 0.8), metric="r2", gold=ScoreLabels(truth), predicted=ScoreLabels(truth + 1)
    )
    [[one]] = group_rows_by_task(to_scores([made]))
    found = get_constant_answer(one)
    np.testing.assert_allclose(found.answers.predicted[0].numbers.ravel(), 3)
    assert found.row.score == pytest.approx(0)


def test_all_pairs_are_asked_once():
    names = [f"st:{i}" for i in range(4)]
    asked = pair_encoder_rows(
        to_scores([row(name, 0.6 + i / 20) for i, name in enumerate(names)])
    ).asked
    found = {frozenset((q.one.row.encoder, q.best.row.encoder)) for q in asked}
    assert found == {frozenset(two) for two in combinations(names, 2)}
    p = [decision.p for decision in decide_comparisons(asked)]
    corrected = [decision.corrected for decision in decide_comparisons(asked, "bh")]
    assert corrected == pytest.approx(inference.benjamini_hochberg(p))
