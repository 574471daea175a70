"""The experiment that comes as an example can be read, and names only what there is."""

from __future__ import annotations

from pathlib import Path

import lingprobe
from lingprobe.encoders import ENCODERS
from lingprobe.tasks import TASKS

FILE = Path(__file__).parents[2] / "examples" / "inside.toml"


def test_layers_heads_and_the_tree_of_one_model():
    settings = lingprobe.read_experiment(FILE).settings
    tasks = [TASKS.canonical(task) for task in settings["tasks"]]
    assert {task.partition("/")[0] for task in tasks} == {"ud", "edge", "structure"}
    floor, trained, untrained = map(ENCODERS.canonical, settings["encoders"])
    assert floor.startswith("bow")
    assert "head" in trained
    assert "weights=random" in untrained
    assert untrained.replace("weights=random", "weights=trained") == trained
