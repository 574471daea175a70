"""What is known of the tasks of structure/ before any data are read."""

from __future__ import annotations

from collections.abc import Mapping

from lingprobe.tasks.about import TaskDescription

STRUCTURE_TASKS: Mapping[str, TaskDescription] = {
    "structure/*": TaskDescription(
        "a sentence",
        "a Universal Dependencies treebank",
        ("hewitt-manning-2019-structural", "de-marneffe-2021-universal"),
        labels="lists of numbers",
    )
}
