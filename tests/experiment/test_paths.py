"""Where a run keeps things."""

from __future__ import annotations

import pickle
import threading

from lingprobe.experiment.paths import RunPaths


def test_the_cache_of_vectors_is_opened_once_and_places_still_pickle(tmp_path):
    paths = RunPaths.of(tmp_path / "results", tmp_path)
    assert paths.vector_store() is paths.vector_store()
    again = pickle.loads(pickle.dumps(paths))
    assert again == paths
    # so that a worker, which unpickles paths for each group, opens it once
    assert again.vector_store() is paths.vector_store()
    assert RunPaths.of(None, tmp_path / "other").vector_store() is not paths.vector_store()


def test_each_thread_has_its_own(tmp_path):
    paths, found = RunPaths.of(None, tmp_path), []
    thread = threading.Thread(target=lambda: found.append(paths.vector_store()))
    thread.start()
    thread.join()
    assert found[0] is not paths.vector_store()


def test_vectors_in_half_precision_are_other_encoders_to_results_but_not_to_plans(tmp_path):
    from lingprobe.experiment.plan import TrialDesign, make_plan

    design = TrialDesign(["ud/tense:embedded"], ["length", "bow:random"], ["logreg"], seeds=1)
    full, half = (
        make_plan(design, RunPaths.of(tmp_path / "r", tmp_path, dtype))
        for dtype in ("float32", "float16")
    )
    assert full.trials == half.trials
    assert not set(full.ids.values()) & set(half.ids.values())
    assert make_plan(design, RunPaths.of(tmp_path / "r", tmp_path)).ids == full.ids
