"""Folds and samples in references of tasks: what scores are averaged over."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from lingprobe.data.references import MAX_CACHED_REFERENCES, try_parse_reference


@lru_cache(maxsize=MAX_CACHED_REFERENCES)
def strip_fold(task: str) -> str:
    """A task's reference without its fold and with all samples of the training data in place of one
    (`sample=*/5`).

    Both are averaged over; what was trained on samples stays apart from what was trained on all.
    """
    parsed = try_parse_reference(task)
    if parsed is None:
        return task
    options = (
        (key, f"*/{value.partition('/')[2]}" if key == "sample" and "/" in value else value)
        for key, value in parsed.without("fold").options
    )
    return str(replace(parsed, options=tuple(options)))


def option_of(task: str, key: str) -> str:
    """The value of an option in a task's reference, '' without."""
    parsed = try_parse_reference(task)
    return "" if parsed is None else dict(parsed.options).get(key, "")
