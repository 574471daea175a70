"""Which results are asked for: by the names that they go by, or patterns of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from sonde.core import DataProblem, Result
from sonde.encoders import ENCODERS
from sonde.pages.headings import short
from sonde.references import Contents, brief


def asked_for(patterns: Sequence[str] | None, references: set[str], contents: Contents) -> set[str]:
    """Those of the references that are asked for; all where nothing is."""
    return (
        {r for r in references if is_asked(patterns, *_names(r, contents))}
        if patterns
        else references
    )


def is_asked(patterns: Sequence[str] | None, *names: str) -> bool:
    """Whether one of the names is asked for; all are where nothing is."""
    return not patterns or any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def of_encoder(pattern: str, results: Sequence[Result]) -> Callable[[Result], bool]:
    """Whether a result is of encoders of this name; DataProblem where none of these results is."""
    references = {r.trial.encoder for r in results}
    theirs = asked_for([pattern], references, ENCODERS)
    if not theirs:
        known = ", ".join(sorted({brief(ENCODERS, r) for r in references}))
        raise DataProblem(f"no encoder called {pattern} was measured: there are {known}")
    return lambda result: result.trial.encoder in theirs


def _names(reference: str, contents: Contents) -> tuple[str, ...]:
    """What a reference goes by: its name alone, as tables show it, and in full."""
    shown = brief(contents, reference)
    return reference.partition(",")[0].partition(":")[0], shown, short(shown), reference
