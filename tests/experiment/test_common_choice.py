"""The member of the probe `linear` is one for a task and an encoder, whatever is measured with it."""

from __future__ import annotations

import numpy as np
import pytest

import lingprobe
from lingprobe.data.latest import LruCache
from lingprobe.experiment import measure


@pytest.fixture
def table(tmp_path):
    """A table of two classes that words tell, without a test split."""
    rng = np.random.default_rng(0)
    rows = ["text\tlabel"]
    for i in range(300):
        told = int(rng.integers(2))
        label = told if rng.random() < 0.8 else 1 - told
        words = [f"w{told}{rng.integers(3)}", *(f"x{k}" for k in rng.integers(20, size=4)), f"n{i}"]
        rows.append(f"{' '.join(words)}\t{'ab'[label]}")
    path = tmp_path / "rows.tsv"
    path.write_text("\n".join(rows) + "\n")
    return path


def measured(table, output, fold="", controls=()):
    """Results by fold and control."""
    task = f"table:{table}" + (f",fold={fold}" if fold else "")
    evaluation = lingprobe.run(
        task, "bow:random,dim=24", controls=list(controls), baselines="none", output=output, seeds=2
    )
    return {
        (
            r.trial.task.partition("fold=")[2][:3],
            r.trial.control.partition(",")[0],
            r.trial.control,
        ): r
        for r in evaluation.results
    }


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    """What was chosen in another run is not known here."""
    monkeypatch.setattr(measure, "_PROBES_WITH_CHOICE", LruCache(measure._MAX_KEPT_PROBES))


def test_a_fold_alone_is_what_it_is_among_all(table, tmp_path, monkeypatch):
    every = measured(table, tmp_path / "all", controls=["shuffled"])
    monkeypatch.setattr(measure, "_PROBES_WITH_CHOICE", LruCache(measure._MAX_KEPT_PROBES))
    alone = measured(table, tmp_path / "one", "2/5", ["shuffled"])
    assert len({fold for fold, _, _ in every}) == 5
    assert alone
    for key, result in alone.items():
        same = every[key]
        assert result.score == same.score
        assert np.array_equal(result.predicted.classes, same.predicted.classes)
        assert dict(result.provenance.choice) == dict(same.provenance.choice)


def test_all_folds_and_controls_have_one_member(table, tmp_path):
    results = measured(table, tmp_path / "all", controls=["shuffled"]).values()
    choices = [result.provenance.choice for result in results]
    assert len({(choice["member"], choice["standardised"]) for choice in choices}) == 1
    assert len({str(choice["compared"]) for choice in choices}) == 1


def test_controls_keep_the_penalty_of_the_true_labels(table, tmp_path):
    results = measured(table, tmp_path / "all", controls=["shuffled"])
    own = {
        fold: r.provenance.choice["penalty"]
        for (fold, name, _), r in results.items()
        if name == "none"
    }
    controls = [(fold, r) for (fold, name, _), r in results.items() if name != "none"]
    assert len(controls) == 10
    assert all(r.provenance.choice["penalty"] == own[fold] for fold, r in controls)


def test_the_table_tells_the_models(table, tmp_path):
    measured(table, tmp_path / "all", controls=["shuffled"])
    page = str(lingprobe.report(tmp_path / "all"))
    (note,) = [line for line in page.splitlines() if line.startswith("linear: ")]
    assert note.endswith(
        ", chosen for a task and an encoder by the log loss of held-out predictions; controls keep"
        " the choice."
    )
    assert len(note) < 200
    csv = lingprobe.report(tmp_path / "all").text("csv")
    assert "shrunk linear discriminant analysis 0." in csv


def test_each_fold_is_encoded_once_with_its_controls(table, tmp_path, monkeypatch):
    calls, encode = [], measure._encode

    def counted(group, dataset, store):
        calls.append(group.trials[0].task)
        return encode(group, dataset, store)

    monkeypatch.setattr(measure, "_encode", counted)
    measured(table, tmp_path / "all", controls=["shuffled"])
    assert len(calls) == len(set(calls)) == 5
