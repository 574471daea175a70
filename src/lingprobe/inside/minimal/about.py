"""What is known of the tasks of minimal pairs before any file is read."""

from __future__ import annotations

from collections.abc import Mapping

from lingprobe.tasks.about import TaskDescription

UNIT = "two sentences"

KNOWN: Mapping[str, TaskDescription] = {
    "minimal/agreement": TaskDescription(
        UNIT, "a Universal Dependencies treebank", ("linzen-2016-assessing",)
    ),
    "minimal/*": TaskDescription(UNIT, "files of minimal pairs", ("warstadt-2020-blimp",)),
}
