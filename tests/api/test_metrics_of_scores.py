"""Metrics of probabilities and ranks on the whole road: as a task's own metric, and of results that
kept scores.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import lingprobe
from lingprobe.data.errors import LingprobeError

SETTINGS = {"probes": ["logreg"], "seeds": 1, "baselines": "none", "progress": False}


@pytest.fixture
def texts(tmp_path):
    """300 texts, of which every eighth is rare and most of these have a word of their own."""
    rng, lines = np.random.default_rng(0), ["text,label"]
    for i in range(300):
        words = [f"w{k}" for k in rng.integers(40, size=8)]
        if i % 8 == 0 and rng.random() < 0.7:
            words[3] = "mark"
        lines.append(f"{' '.join(words)} n{i},{'rare' if i % 8 == 0 else 'usual'}")
    (file := tmp_path / "rare.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return file


def test_a_task_may_be_judged_by_ranks(texts, tmp_path):
    task = f"table:{texts},metric=auroc"
    done = lingprobe.run(task, "bow:random", output=tmp_path / "r", **SETTINGS)
    areas = []
    for result in done.results:
        odds = np.diff(result.scores.values.astype(np.float64), axis=1)[:, 0]
        rare = np.array(result.gold.class_names()) == "rare"
        areas.append(roc_auc_score(rare, -odds if result.gold.names[0] == "rare" else odds))
        assert result.score == pytest.approx(areas[-1])
        assert result.majority == pytest.approx(0.5)
    assert len(areas) == 5
    shown = str(lingprobe.report(tmp_path / "r", each=True))
    assert f"{100 * np.mean(areas):.1f}" in shown
    assert "better" in str(lingprobe.compare(tmp_path / "r"))


def test_results_with_scores_are_judged_by_any_metric(texts, tmp_path):
    folder = tmp_path / "r"
    done = lingprobe.run(str(texts), "bow:random", output=folder, keep_scores=True, **SETTINGS)
    for results in (folder, done):
        pages = {
            metric: str(lingprobe.report(results, metric=metric, each=True))
            for metric in ("auroc", "average-precision", "neg-log-loss", "neg-ece")
        }
        assert all(metric in page for metric, page in pages.items())
    found = lingprobe.compare(folder, metric="neg-log-loss").found
    assert found[0].difference > 0
    assert found[0].verdict == "better"


def test_results_without_scores_are_told(texts, tmp_path):
    task = f"table:{texts},metric=accuracy"
    lingprobe.run(task, "bow:random", output=tmp_path / "r", **SETTINGS)
    with pytest.raises(LingprobeError, match=r"auroc needs probabilities.*--keep-scores"):
        lingprobe.report(tmp_path / "r", metric="auroc")
    with pytest.raises(LingprobeError, match="did you mean 'neg-log-loss'"):
        lingprobe.report(tmp_path / "r", metric="log-loss")


def test_the_order_of_encoders_under_two_probes_stands_below_scores(texts, tmp_path):
    """Only the note's road is tried here; what it says is tested in analysis."""
    done = lingprobe.evaluate(
        ["bow:random", "random", "length"], str(texts), **SETTINGS | {"probes": ["logreg", "mlp"]}
    )
    orders = lingprobe.compare(done).orders
    assert orders.compared == 3
    said = "Order depends on the probe" in str(lingprobe.report(done, each=True))
    assert said == bool(orders.changes or orders.uncertain)
