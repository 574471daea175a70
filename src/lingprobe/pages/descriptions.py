"""What things are, in their own words: the questions of tasks, the first paragraphs of others."""

from __future__ import annotations

from lingprobe.data.references import (
    Contents,
    ReferenceProblem,
    summarise_docstring,
    try_parse_reference,
)
from lingprobe.tasks import TASKS


def get_question(task: str) -> str:
    """What a task asks; '' where nobody says, and of files, which a report does not run."""
    try:
        return "" if "@" in task else str(TASKS.make(task).question)
    except Exception:  # of a plugin that is gone, or of data that it looks for
        return describe_reference(TASKS, task)


def describe_reference(contents: Contents, reference: str) -> str:
    """What the first paragraph says of what a reference names, of things that are built in: a
    report runs nobody's files.
    """
    parsed = try_parse_reference(reference)
    if parsed is None or "@" in parsed.name or parsed.name not in contents.places(own=True):
        return ""
    try:
        return summarise_docstring(contents.find(parsed.name)).replace("`", "")
    except (ReferenceProblem, ImportError):
        return ""
