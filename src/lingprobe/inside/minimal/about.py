"""What is known of the tasks of minimal pairs before any file is read."""

from __future__ import annotations

from collections.abc import Mapping

from lingprobe.tasks.about import TaskDescription

_UNIT = "two sentences"

MINIMAL_PAIR_TASKS: Mapping[str, TaskDescription] = {
    "minimal/agreement": TaskDescription(
        _UNIT, "a Universal Dependencies treebank", ("linzen-2016-assessing",)
    ),
    "minimal/*": TaskDescription(_UNIT, "files of minimal pairs", ("warstadt-2020-blimp",)),
}
