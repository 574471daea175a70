"""Scores of a run in TensorBoard and Weights & Biases, offline."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

import lingprobe
from fixtures.models import transformer
from fixtures.scored import to_scores as rows
from lingprobe.api.trackers import list_points

PERCENT = 100


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    place = tmp_path_factory.mktemp("tracked")
    return {
        "probes": ["logreg"],
        "seeds": 1,
        "controls": ["shuffled"],
        "copies": False,
        "output": place / "out",
        "cache": place / "cache",
    }


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return f"hf:{transformer(tmp_path_factory.mktemp('bert'))},layers=all"


def expected(evaluation):
    """What rows of the results say, by encoder, task with what was read and measured, and layer."""
    return {
        (row.layer, row.control): (row.score / PERCENT, row.low / PERCENT, row.n)
        for row in rows(evaluation.results)
        if row.encoder.startswith("hf:")
    }


def test_tensorboard_reads_back_what_was_measured(task, encoder, settings, tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    folder = tmp_path / "runs"
    evaluation = lingprobe.run(task, encoder, **settings, log_to=f"tensorboard:{folder}")
    encoders = {row.encoder for row in rows(evaluation.results)}
    assert len(encoders) > 1  # baselines stand beside
    assert len(list(folder.iterdir())) == len(encoders)
    (mine,) = (place for place in folder.iterdir() if place.name.startswith("hf"))
    events = EventAccumulator(str(mine)).Reload()
    tag = "table:a.jsonl, logreg"
    for control, said in (("none", tag), ("shuffled", f"{tag}, shuffled")):
        found = {
            str(score.step): (score.value, low.value, n.value)
            for score, low, n in zip(
                events.Scalars(said),
                events.Scalars(f"{said}/low"),
                events.Scalars(f"{said}/n"),
                strict=True,
            )
        }
        measured = {k[0]: v for k, v in expected(evaluation).items() if k[1] == control}
        assert sorted(found) == sorted(measured) == ["0", "1", "2"]
        for layer, values in found.items():
            assert values == pytest.approx(measured[layer], abs=1e-6)


def test_wandb_gets_a_run_an_encoder(task, encoder, settings, monkeypatch):
    """What is called of its package, which has a test of its own below."""
    runs = {}

    class Run:
        def __init__(self):
            self.logged = []
            self.log = self.logged.append

        def define_metric(self, name, step_metric=None):
            assert (name, step_metric) in {("layer", None), ("*", "layer")}

    @contextmanager
    def init(project, name, reinit):
        assert (project, reinit) == ("mine", "create_new")
        runs[name] = Run()
        yield runs[name]

    module = ModuleType("wandb")
    module.init, module.__spec__ = init, ModuleSpec("wandb", None)
    monkeypatch.setitem(sys.modules, "wandb", module)
    evaluation = lingprobe.run(task, encoder, **settings, log_to="wandb:mine")
    (mine,) = (run for name, run in runs.items() if name.startswith("hf"))
    assert [entry.pop("layer") for entry in mine.logged] == [0, 1, 2]
    own = [row for row in rows(evaluation.results) if row.encoder.startswith("hf:")]
    assert mine.logged == list(list_points(own).values())


def test_wandb_writes_a_run_offline(task, settings, tmp_path, monkeypatch):
    import wandb

    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("WANDB_SILENT", "true")
    lingprobe.run(task, "length", **{**settings, "baselines": "none"}, log_to="wandb")
    wandb.teardown()  # until then its own process writes
    (file,) = tmp_path.glob("wandb/offline-run-*/*.wandb")
    assert b"table:a.jsonl, logreg" in file.read_bytes()


def test_what_is_of_no_single_layer_says_so(task, encoder, settings):
    evaluation = lingprobe.run(
        task, encoder, **{**settings, "layers": ["cat:1+top"], "baselines": "none"}
    )
    found = list_points(rows(evaluation.results))
    assert list(found) == [0]
    assert "table:a.jsonl, logreg, cat:1+top" in found[0]


@pytest.mark.parametrize(
    ("log_to", "more", "said"),
    [
        ("tensorbord", {}, r"write tensorboard\[:FOLDER\] or wandb\[:PROJECT\]"),
        ("tensorboard", {"shard": "1/2"}, "a share of a run has not all scores"),
    ],
)
def test_what_cannot_be_logged_is_said_before_anything_is_measured(
    log_to, more, said, task, settings
):
    with pytest.raises(lingprobe.UsageProblem, match=said):
        lingprobe.run("table:/nowhere.jsonl", "length", **settings, **more, log_to=log_to)


def test_a_tracker_that_is_not_installed_is_named(settings, monkeypatch):
    monkeypatch.setattr("lingprobe.api.trackers.find_spec", lambda _: None)
    with pytest.raises(lingprobe.UsageProblem, match=r"needs wandb: pip install .*\[track\]"):
        lingprobe.run("table:/nowhere.jsonl", "length", **settings, log_to="wandb")
