"""The same name means the same reading: tasks of one name have one default probe, metric and view
in all families.
"""

from __future__ import annotations

from collections import Counter

import pytest

from lingprobe.tasks import TASKS

FAMILIES = ("ud", "tree", "senteval", "ud2019", "xprobe", "rusenteval")
LAST = Counter(name.partition("/")[2] for name in TASKS if name.partition("/")[0] in FAMILIES)
NAMES = sorted(name for name, families in LAST.items() if families > 1)


@pytest.mark.parametrize("last", NAMES)
def test_tasks_of_one_name_are_read_alike(last, tmp_path):
    made = [
        TASKS.make(f"{family}/{last}:{tmp_path}")
        for family in FAMILIES
        if f"{family}/{last}" in set(TASKS)
    ]
    assert len({(task.probe, task.metric, task.view) for task in made}) == 1


@pytest.mark.parametrize(
    "name",
    ["ud/word-content", "tree/sent-len", "senteval/tense", "edge/pos", "text/mr", "pair/mrpc"],
)
def test_what_says_nothing_else_is_read_by_the_best_linear_map(name, tmp_path):
    assert TASKS.make(f"{name}:{tmp_path}").probe == "linear"
