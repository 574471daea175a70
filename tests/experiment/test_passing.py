"""Runs that keep no vectors: the same scores, and room for one encoder and like tasks at a time."""

import pytest

import lingprobe
from experiment.pretend import sentences_of
from experiment.test_run import Tiny
from experiment.test_sharing import content
from lingprobe.data.core import Sentence
from lingprobe.data.errors import UsageProblem
from lingprobe.experiment import portions
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialDesign, make_plan
from lingprobe.experiment.portions import group_by_shared_sentences
from lingprobe.experiment.run import run_plan

TASKS = ("ud/tense:embedded,limit=200", Tiny("sentence"))
ENCODERS = ("bow:random,dim=8", "length")


def measured(folder, cache, store):
    """What a run found, and what was there of vectors each time that something was fitted."""
    paths = RunPaths.of(folder, cache, store)
    made = make_plan(TrialDesign(TASKS, ENCODERS, ["logreg"], seeds=1), paths)
    outcome = run_plan(made, paths, progress=False)
    assert not outcome.failures
    return content(folder)


def files(folder):
    return sorted(path.parent.name for path in folder.rglob("*.vectors"))


def test_scores_are_those_of_a_run_that_keeps_vectors(tmp_path, monkeypatch):
    seen = []
    close = portions.close_stores
    monkeypatch.setattr(
        portions, "close_stores", lambda: (seen.append(files(tmp_path / "b")), close())
    )
    kept = measured(tmp_path / "one", tmp_path / "a", "float32")
    passed = measured(tmp_path / "two", tmp_path / "b", "none")
    assert passed == kept
    assert len(kept) == 4
    assert [len(set(names)) for names in seen] == [1] * 4  # two encoders, two tasks without a like
    assert not files(tmp_path / "b")
    assert not list((tmp_path / "b").rglob(".*.claim"))


def test_a_run_that_is_stopped_leaves_its_vectors_to_the_next(tmp_path, monkeypatch):
    def dies(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("lingprobe.experiment.work.fit_groups", dies)
        with pytest.raises(KeyboardInterrupt):
            measured(tmp_path / "two", tmp_path / "b", "none")
    assert len(files(tmp_path / "b")) == 1
    measured(tmp_path / "two", tmp_path / "b", "none")
    assert not files(tmp_path / "b")


def test_tasks_that_share_sentences_go_together():
    a, b = sentences_of(100), sentences_of(100, start=200)
    few = [*sentences_of(100, start=400), *a[:5]]
    tasks = {"a": a, "b": b, "half": [*a[:50], *b[:1]], "few": few, "c": [*b[:50], *a[:50]]}
    found = group_by_shared_sentences({name: set[Sentence](each) for name, each in tasks.items()})
    assert sorted(map(sorted, found)) == [["a", "b", "c", "half"], ["few"]]


def test_machines_cannot_share_them(tmp_path):
    with pytest.raises(UsageProblem, match="dtype=none: machines cannot share"):
        lingprobe.run("ud/tense:embedded", "length", dtype="none", shard="1/2", cache=tmp_path)
