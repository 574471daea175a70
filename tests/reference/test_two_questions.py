"""What is decodable and what is beyond the surface, against the definitions of the tests, and by draws: how often an untrained network is called better than its copies."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import t

from fixtures.results import result, saying
from fixtures.scored import to_scores
from lingprobe.analysis.comparison import decide_comparisons, with_opponents
from lingprobe.analysis.contests import _of_all
from lingprobe.data.labels import Classes, build_column
from lingprobe.inside.erase.behaviour import make_nats_metric
from lingprobe.metrics import compute_difference
from lingprobe.metrics.intervals import CopySpread, FitAnswers, difference_from_draws

tests = st.lists(
    st.tuples(st.floats(-4, 4), st.floats(0, 1), st.booleans()), min_size=1, max_size=5
)


def draw_hits(rng, shares, n):
    """What networks of such true scores get right, [networks, n]: easy examples are easy for all."""
    easy = np.sqrt(0.6) * rng.standard_normal(n)
    return np.array([easy + np.sqrt(0.4) * rng.standard_normal(n) < ndtri(s) for s in shares])


def answer(hits):
    """Answers of fits that have these examples right."""
    gold = np.arange(np.shape(hits)[-1]) % 2
    said = [Classes(np.where(hit, gold, 1 - gold), ("a", "b")) for hit in np.atleast_2d(hits)]
    return FitAnswers(Classes(gold, ("a", "b")), said)


@given(tests)
def test_nothing_is_worse_than_a_constant(drawn):
    """Better than all is the largest p (Berger 1982); worse than one is corrected for all."""
    found = [(SimpleNamespace(value=value, p=p), None) for value, p, _ in drawn]
    better = max(p if value > 0 else 1.0 for value, p, _ in drawn)
    able = [p for value, p, is_fixed in drawn if value <= 0 and not is_fixed]
    worse = len(drawn) * min(able, default=1.0)
    assert _of_all(found, [is_fixed for *_, is_fixed in drawn]) == pytest.approx(min(better, worse))


@pytest.mark.parametrize("gain", [-0.1, 0.0, 0.1])
def test_the_advantage_over_all_is_the_smallest_of_the_lower_bounds(gain):
    """Uncorrected over opponents, corrected for three encoders; the upper limit is corrected."""
    rng = np.random.default_rng(4)
    names = {
        "length": "baseline",
        "letters": "baseline",
        "x": "trained",
        "y": "trained",
        "z": "trained",
    }
    hits = draw_hits(rng, [0.7, 0.72, 0.7 + gain, 0.7, 0.7], 400)
    every = dict(zip(names, map(answer, hits), strict=True))
    made = []
    for (name, kind), hit in zip(names.items(), hits, strict=True):
        one = result(float(hit.mean()), len(hit), encoder=name)
        predicted = every[name].predicted[0]
        gold = every[name].gold
        one = type(one)(one.trial, one.metric, one.score, 0.0, 1.0, 0.5, gold, predicted, {})
        made.append(saying(one, kind=kind, is_seeded=False))
    decided = decide_comparisons(with_opponents(to_scores(made)).asked)
    (found,) = [
        d
        for d in decided
        if d.question.asks == "beyond the surface" and d.question.one.row.encoder == "x"
    ]
    level, constant = 0.05 / 3, Classes(np.zeros(400, int), ("a", "b"))
    others = [FitAnswers(every["x"].gold, [constant]), every["length"], every["letters"]]
    differences = [compute_difference("accuracy", every["x"], other) for other in others]
    low = min(d.value - t.ppf(1 - level / 2, d.df) * d.error for d in differences)
    high = min(d.value + t.ppf(1 - level / 6, d.df) * d.error for d in differences)
    assert (found.low, found.high) == pytest.approx((100 * low, 100 * high))
    assert (found.verdict == "better") == (low > 0)


def test_the_spread_of_copies_is_added_to_the_paired_variance():
    rng = np.random.default_rng(5)
    hits = draw_hits(rng, [0.8, 0.7, 0.66, 0.75, 0.71, 0.69], 900)
    one, copies = answer(hits[0]), answer(hits[1:])
    found, paired = (
        difference_from_draws("accuracy", one, copies),
        compute_difference("accuracy", one, copies),
    )
    between = np.var(hits[1:].mean(1), ddof=1)
    variance = paired.error**2 + between
    df = variance**2 / (paired.error**4 / paired.df + between**2 / 4)
    assert found.value == pytest.approx(hits[0].mean() - hits[1:].mean())
    assert (found.error, found.df) == pytest.approx((np.sqrt(variance), df))
    assert found.p == pytest.approx(2 * t.sf(abs(found.value) / np.sqrt(variance), df))


@pytest.mark.parametrize("many", [1, 2])
def test_of_one_copy_the_spread_is_that_of_other_networks(many):
    rng, known = np.random.default_rng(9), CopySpread(0.002, 6.0)
    hits = draw_hits(rng, [0.8, 0.7, 0.66][: many + 1], 900)
    one, copies = answer(hits[0]), answer(hits[1:])
    found = difference_from_draws("accuracy", one, copies, known)
    paired = compute_difference("accuracy", one, copies)
    p = hits[1:].mean()
    between = 0.002 * p * (1 - p) * (1 + 1 / many)
    variance = paired.error**2 + between
    df = variance**2 / (paired.error**4 / paired.df + between**2 / 6)
    assert (found.value, found.error) == pytest.approx((paired.value, np.sqrt(variance)))
    assert found.df == pytest.approx(df)
    # of a score without an end there is nothing to be a share of
    margins = [FitAnswers(numbers(0 * x), [numbers(x)]) for x in rng.standard_normal((2, 50))]
    assert difference_from_draws(make_nats_metric(), *margins, known) == compute_difference(
        make_nats_metric(), *margins
    )


def numbers(values):
    return build_column(values.tolist())


def test_one_more_network_is_rarely_better_than_one_where_networks_vary_as_others_did():
    """The variance of each architecture is drawn from what is known of all."""
    rng, known, better, draws = np.random.default_rng(11), CopySpread(0.002, 6.0), 0, 600
    for _ in range(draws):
        share = 6 * 0.002 / rng.chisquare(6)
        scores = 0.72 + np.sqrt(share * 0.72 * 0.28) * rng.standard_normal(2)
        hits = draw_hits(rng, scores, 1200)
        found = difference_from_draws("accuracy", *map(answer, hits), known)
        better += found.value > 0 and found.p < 0.05
    assert better / draws <= 0.04  # of one side 2.5 %, and what 600 draws allow


@pytest.mark.parametrize("spread", [0.0, 0.015, 0.04])
def test_one_more_draw_is_rarely_better_than_five(spread):
    """As many as the level allows; against a single copy several times as many."""
    rng, draws = np.random.default_rng(6), 300
    better = alone = 0
    for _ in range(draws):
        hits = draw_hits(rng, 0.72 + spread * rng.standard_normal(6), 1200)
        one, first, all_ = answer(hits[0]), answer(hits[1]), answer(hits[1:])
        found, single = (
            difference_from_draws("accuracy", one, all_),
            compute_difference("accuracy", one, first),
        )
        better += found.value > 0 and found.p < 0.05
        alone += single.value > 0 and single.p < 0.05
    assert better / draws <= 0.05
    assert alone / draws >= (0.1 if spread else 0)


def test_a_network_far_above_its_copies_is_found():
    rng, found = np.random.default_rng(7), 0
    for _ in range(50):
        hits = draw_hits(rng, [0.85, *(0.72 + 0.015 * rng.standard_normal(5))], 1200)
        one = difference_from_draws("accuracy", answer(hits[0]), answer(hits[1:]))
        found += one.value > 0 and one.p < 0.05
    assert found == 50
