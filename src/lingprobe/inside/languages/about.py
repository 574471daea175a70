"""What is known of the tasks here before any data are read."""

from __future__ import annotations

from collections.abc import Mapping

from lingprobe.tasks.about import TaskDescription

LANGUAGE_TASKS: Mapping[str, TaskDescription] = {
    "transfer": TaskDescription("a sentence", "two treebanks, with the question of another task"),
    "forms/*": TaskDescription(
        "a word",
        "a Universal Dependencies treebank, or a file of UniMorph",
        ("sahin-2020-linspector",),
    ),
}
