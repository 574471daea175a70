"""What is known of `transfer` before any data are read."""

from __future__ import annotations

from collections.abc import Mapping

from lingprobe.tasks.about import About

KNOWN: Mapping[str, About] = {
    "transfer": About("a sentence", "two treebanks, with the question of another task")
}
