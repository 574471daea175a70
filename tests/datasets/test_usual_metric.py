"""The metric of somebody's own labels: AUROC where one of two classes is rare, fixed once for all
rows, and what judges labels where nothing has scores.
"""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import lingprobe
from fixtures.scored import to_scores as rows_of
from lingprobe.audit.inspection import audit_dataset
from lingprobe.data.core import Dataset, Example, Sentence, Site
from lingprobe.data.labels import build_column
from lingprobe.datasets.usual_metric import choose_metric, find_rare_class
from lingprobe.metrics import choose_label_metric
from lingprobe.tasks import TASKS


def labels_of(**counts):
    return [name for name, many in counts.items() for _ in range(many)]


def write_table(path, labels, **more):
    order = np.random.default_rng(0).permutation(len(labels))
    rows = [(f"a text of number {i} w{i % 7}", labels[i]) for i in order]
    if path.suffix == ".jsonl":
        lines = [json.dumps({"text": text, "label": label}) for text, label in rows]
        path.write_text("\n".join(lines), "utf-8")
    else:
        with path.open("w", encoding="utf-8") as file:
            csv.writer(file).writerows([("text", "label"), *rows])
    return path


@pytest.mark.parametrize(
    ("counts", "metric"),
    [
        ({"rare": 19, "common": 81}, "auroc"),
        ({"common": 199, "rare": 1}, "auroc"),
        ({"rare": 20, "common": 80}, "accuracy"),
        ({"rare": 5, "common": 90, "other": 5}, "accuracy"),
        ({"common": 60}, "accuracy"),
    ],
)
def test_two_classes_of_which_one_is_rare_are_judged_by_ranks(counts, metric, tmp_path):
    labels = labels_of(**counts)
    assert choose_metric(build_column(labels)) == metric
    for suffix in ("csv", "jsonl"):
        path = write_table(tmp_path / f"own.{suffix}", labels)
        assert TASKS.make(f"table:{path}").metric == metric
        assert TASKS.make(f"table:{path},metric=macro-f1").metric == "macro-f1"
    texts = [f"text {i}" for i in range(len(labels))]
    assert lingprobe.table((texts, labels)).metric == metric


def test_numbers_that_are_classes_count_as_classes(tmp_path):
    """0 and 1 in CSV, as numbers in JSON, and as classes that somebody asked for."""
    numbers = [1] * 12 + [0] * 188
    for name in ("own.csv", "own.jsonl"):
        path = write_table(tmp_path / name, numbers)
        assert TASKS.make(f"table:{path}").metric == "auroc"
        assert TASKS.make(f"table:{path},labels=classes").metric == "auroc"
        assert TASKS.make(f"table:{path},labels=scores").metric == "pearson"
    grades = write_table(tmp_path / "grades.csv", [0.5 * (i % 9) for i in range(200)])
    assert TASKS.make(f"table:{grades}").metric == "pearson"


def test_all_rows_decide_and_so_every_fold_has_one_metric(tmp_path):
    """The first fifth has no rare row, and the given test split has many."""
    path = tmp_path / "own.csv"
    labels = ["common"] * 150 + ["rare"] * 15 + ["common"] * 10 + ["rare"] * 10
    splits = ["train"] * 160 + ["test"] * 25
    rows = zip([f"text {i}" for i in range(185)], labels, splits, strict=True)
    with path.open("w", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label", "split"), *rows])
    assert TASKS.make(f"table:{path}").metric == "auroc"
    whole = write_table(tmp_path / "folds.csv", labels_of(common=300, rare=30))
    folds = [TASKS.make(f"table:{whole},fold={k}/5") for k in range(1, 6)]
    assert {task.metric for task in folds} == {"auroc"}
    assert len({task.fingerprint for task in folds}) == 1


def test_a_data_set_of_ones_own_is_judged_like_a_table():
    examples = [
        Example((Site(Sentence.of(["a", str(i)]), None),), "rare" if i < 9 else "common", "train")
        for i in range(100)
    ]
    assert lingprobe.table(Dataset.of(examples, {})).metric == "auroc"


def test_the_remark_says_why_and_how_to_overrule(tmp_path):
    path = write_table(tmp_path / "own.csv", labels_of(common=190, rare=10))
    said = [r for r in TASKS.make(f"table:{path}").load().notes.remarks if "AUROC" in r]
    assert said == [
        "5.0 % of its labels are 'rare', so AUROC is its metric; metric=accuracy overrules"
    ]
    plain = TASKS.make(f"table:{path},metric=accuracy").load()
    assert not [r for r in plain.notes.remarks if "AUROC" in r]
    assert find_rare_class(plain.labels) == ("rare", 0.05)


def test_what_has_no_scores_is_judged_by_labels(tmp_path):
    path = write_table(tmp_path / "own.csv", labels_of(common=190, rare=10))
    task = TASKS.make(f"table:{path}")
    audit = audit_dataset(task.load(), metric=task.metric)
    assert audit.metric == "balanced-accuracy"
    assert audit.floors["constant"].score == pytest.approx(0.5)
    sets = build_column([frozenset("ab"), frozenset("a")])
    assert choose_label_metric("auroc", sets) == "micro-f1"
    assert choose_label_metric("mcc", sets) == "mcc"


def test_a_ranking_is_found_where_accuracy_shows_nothing(tmp_path):
    """Two thousand texts, 5 % rare, one of 16 dimensions moved by 1.6 standard deviations: the area
    under the curve of that dimension is about 87, and the constant answer is right in 95 %.
    """
    rng = np.random.default_rng(3)
    rare = rng.random(2000) < 0.05
    vectors = rng.normal(size=(2000, 16)).astype(np.float32)
    vectors[:, 0] += 1.6 * rare
    rows = [(f"w{rng.integers(150)} x{i}", "rare" if rare[i] else "common") for i in range(2000)]
    known = dict(zip([text for text, _ in rows], vectors, strict=True))

    def encode(texts):
        return np.stack([known[text] for text in texts])

    done = lingprobe.evaluate(
        {"moved": encode, "noise": lambda texts: rng.normal(size=(len(texts), 16))},
        {"own": ([text for text, _ in rows], [label for _, label in rows])},
        output=tmp_path / "results",
        cache=tmp_path / "cache",
        baselines="none",
    )
    measured = rows_of(done.results)
    found = {row.encoder: row for row in measured}
    assert {row.metric for row in measured} == {"auroc"}
    best = 100 * np.mean(vectors[rare, 0][:, None] > vectors[~rare, 0])
    assert 75 < found["moved"].low < best < found["moved"].high
    assert found["moved"].score == pytest.approx(best, abs=2)
    assert found["noise"].low < 50 < found["noise"].high
    assert found["moved"].average_precision > 25 > 10 > found["noise"].average_precision
    for rate in (1, 5):
        row, threshold = found["moved"]._asdict(), np.quantile(vectors[~rare, 0], 1 - rate / 100)
        recall = 100 * np.mean(vectors[rare, 0] > threshold)
        assert row[f"achieved_{rate}"] == pytest.approx(rate, abs=rate * 0.7)
        assert row[f"recall_at_{rate}"] == pytest.approx(recall, abs=10)
    assert found["noise"].recall_at_5 < 15
    printed = str(done)
    assert "avg. precision" in printed
    assert "recall at 5 % FPR" in printed
    assert "of its labels are 'rare'" in printed
