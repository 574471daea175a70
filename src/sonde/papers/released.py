"""Whether results are over the files that a paper's authors released: only then do its figures and
theirs stand in one table.
"""

from __future__ import annotations

from sonde.core import DataProblem, Result
from sonde.corpora.files import digest
from sonde.references import Reference, brief
from sonde.tasks import TASKS
from sonde.tasks.released.fetch import all_published


def different(reference: Reference, result: Result, family: str, collection: str) -> str:
    """Why a result is not over the released files of a family; '' where it is, as far as checksums
    or a receipt of `fetch` say.
    """
    if not reference.name.startswith(f"{family}/"):
        return "the tasks were built from other sentences"
    options = Reference.parse(brief(TASKS, str(reference))).without("on_error", "dev").options
    if options:
        return (
            "the files were not read as they are"
            f" ({', '.join(f'{key}={value}' for key, value in options)})"
        )
    try:
        paths = [part.path for part in TASKS.make(reference).parts()]
        same = digest(paths) in result.provenance.identity("task", result.trial.task)
    except DataProblem:
        return "the files are not here any more, so they cannot be checked"
    if not same:
        return "the files were changed since they were measured"
    answer = all_published(paths)
    if answer is None:
        return (
            "no checksum of the published files is known, and no receipt of `sonde fetch"
            f" {collection}` lies beside these"
        )
    return "" if answer else "the files are not the published ones"
