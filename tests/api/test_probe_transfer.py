"""A trained probe on other data: a probe that reads the style of its own data falls elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import lingprobe
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import UsageProblem
from lingprobe.metrics.independent import compare_independent

NOUNS = [f"n{i}" for i in range(60)]


def styled(n, seed, agrees):
    """Texts whose topic is the label; the style agrees with it as often as is said."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        label = int(rng.random() < 0.5)
        polite = label if rng.random() < agrees else 1 - label
        topic = NOUNS[2 * rng.integers(30) + label]  # each noun is of one class
        style = "please kindly thanks" if polite else "hey now ok"
        rows.append({"text": f"{style} {topic} number {i}", "label": "ny"[label]})
    return rows


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    root = tmp_path_factory.mktemp("style")
    return lingprobe.fit(
        "bow:random", styled(900, 0, agrees=1.0), cache=root / "cache", output=root / "results"
    )


def test_a_probe_of_style_collapses_where_style_says_nothing(probe):
    assert probe.facts.score.score > 99
    found = probe.evaluate({"alike": styled(400, 1, 1.0), "apart": styled(400, 2, 0.5)})
    own, alike, apart = found
    assert own.score == probe.facts.score.score
    assert alike.score > 98
    assert alike.difference_high > -3
    assert apart.score < 75
    assert apart.difference_high < -20
    assert apart.auroc < 85 < own.auroc
    assert 40 < apart.prevalence < 60
    assert "does not hold on apart" in found.headline
    assert found.headline in str(found)
    assert len(found.to_dataframe()) == len(found) == 3


def test_the_figures_are_those_of_scikit_learn_and_of_counts(probe):
    rows = styled(300, 3, 0.7)
    found = probe.evaluate({"other": rows}, fpr=0.05)
    (score,) = found.others
    texts, gold = [row["text"] for row in rows], np.array([row["label"] for row in rows])
    logits = probe.score_texts(texts).logits
    place = probe.labels.index(probe.facts.positive)
    is_positive = gold == probe.facts.positive
    assert np.isclose(score.score, 100 * (probe.predict(texts) == gold).mean())
    ranks = 100 * roc_auc_score(is_positive, logits[:, place] - logits[:, 1 - place])
    assert np.isclose(score.auroc, ranks, atol=0.2)  # scores are kept in half precision
    cut = probe.threshold(0.05)
    flagged = logits[:, place] - logits[:, 1 - place] > cut.margin
    assert np.isclose(score.recall, 100 * flagged[is_positive].mean())
    assert np.isclose(score.achieved, 100 * flagged[~is_positive].mean())
    assert np.isclose(score.prevalence, 100 * is_positive.mean())
    assert np.isclose(found.own.recall, 100 * cut.recall)
    assert np.isclose(found.own.achieved, 100 * cut.achieved)
    assert score.low <= score.score <= score.high
    assert np.isclose(score.difference, score.score - found.own.score)


def test_intervals_know_groups(probe):
    rows = [row | {"author": f"a{i // 10}"} for i, row in enumerate(styled(400, 4, 0.5))]
    for start in range(0, 400, 10):  # all of one author are right, or none
        rows[start : start + 10] = [
            rows[start] | {"text": f"{rows[start]['text']} {k}"} for k in range(10)
        ]
    rows = [row | {"author": f"a{i // 10}"} for i, row in enumerate(rows)]
    alone = probe.evaluate(
        lingprobe.table([{"text": r["text"], "label": r["label"]} for r in rows])
    )
    grouped = probe.evaluate(lingprobe.table(rows, group="author"))
    (one,), (other,) = alone.others, grouped.others
    assert one.score == other.score
    assert other.high - other.low >= one.high - one.low


def test_differences_of_independent_scores_are_those_of_their_variances():
    for (a, sa), (b, sb) in (((50, 2), (90, 1)), ((10, 0.5), (9, 3))):
        found = compare_independent(
            (a, a - 1.96 * sa, a + 1.96 * sa), (b, b - 1.96 * sb, b + 1.96 * sb)
        )
        half = 1.96 * np.hypot(sa, sb)
        assert np.allclose(found, (a - b, a - b - half, a - b + half))


def test_data_that_do_not_fit_are_refused(probe):
    with pytest.raises(DataProblem, match="the probe knows n, y"):
        probe.evaluate([{"text": f"a {i}", "label": "ab"[i % 2]} for i in range(40)])
    with pytest.raises(
        DataProblem, match=r"labels of .* are scores, and the probe predicts classes"
    ):
        probe.evaluate([{"text": f"a {i}", "score": i / 7} for i in range(60)])
    pairs = [{"text": f"a {i}", "text2": "b", "label": "ny"[i % 2]} for i in range(40)]
    task = lingprobe.table(pairs, text="text", text2="text2")
    with pytest.raises(UsageProblem, match="reads whole texts"):
        probe.evaluate(task)
