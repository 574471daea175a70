"""How many test examples detect a difference that is fixed beforehand: the formula against its paper, and against draws."""

from dataclasses import replace

import numpy as np
import pytest

from fixtures.results import result, saying
from fixtures.scored import to_scores
from lingprobe.analysis.encoder_verdicts import judge_encoders
from lingprobe.data.labels import Classes
from reference.inference import examples_needed


def verdicts(rng, n, both, only_one, only_other, tasks=1):
    """Verdicts on an encoder and a baseline that have such shares of n examples right, drawn."""
    made = []
    for task in range(tasks):
        kind = rng.choice(4, n, p=[both, only_one, only_other, 1 - both - only_one - only_other])
        gold = np.arange(n) % 2
        for name, role, right in (("mine", "trained", (0, 1)), ("length", "baseline", (0, 2))):
            hit = np.isin(kind, right)
            one = result(float(hit.mean()), n, encoder=name, task=f"ud/tense:bank-{task}")
            said = Classes(np.where(hit, gold, 1 - gold), one.gold.names)
            made.append(saying(replace(one, predicted=said), kind=role, is_seeded=False))
    return [task.surface for task in judge_encoders(to_scores(made)).encoders[0].tasks]


@pytest.mark.parametrize(("only_one", "only_other", "tasks"), [(0.14, 0.11, 1), (0.22, 0.16, 9)])
def test_it_is_that_of_the_paper(only_one, only_other, tasks):
    """But for the degrees of freedom, and one example more that changes in either direction."""
    rng, n = np.random.default_rng(5), 4000
    for task in verdicts(rng, n, 0.5, only_one, only_other, tasks):
        mine, other = (
            each.answers.predicted[0].ids == each.answers.gold.ids
            for each in (task.decision.question.one, task.decision.question.best)
        )
        for points in (1, 5):
            by_hand = examples_needed(
                *(int((mine & ~other).sum()), int((other & ~mine).sum())), n, tasks, points / 100
            )
            assert task.needed_examples(points) == pytest.approx(by_hand, rel=0.02 * points)


@pytest.mark.parametrize("n", [400, 1500])
@pytest.mark.parametrize("seen", [0.0, 0.05])
def test_so_many_examples_detect_it_about_four_times_in_five(n, seen):
    """Whatever difference was seen: that of five points is fixed beforehand."""
    rng = np.random.default_rng(6)
    draws, found = 150, 0
    for _ in range(draws):
        first = verdicts(rng, n, 0.5, 0.15 + seen / 2, 0.15 - seen / 2)[0]
        again = verdicts(rng, first.needed_examples(5), 0.5, 0.175, 0.125)[0]
        found += again.verdict == "better"
    assert found / draws == pytest.approx(0.8, abs=2.6 * np.sqrt(0.8 * 0.2 / draws))
