"""Whether a folder is what was written: checksums, columns, identities, and every score from the
answers. Nothing in it is run: metrics of files are left alone unless the user trusts them.

Whoever forges all of it with care is found by what is measured anew (`sample`), not here.
"""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from lingprobe.analysis.row import PERCENT
from lingprobe.audit.data_card import SUMS, digest_file
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.references import is_allowed
from lingprobe.metrics import METRICS, floor, interval_of
from lingprobe.parts.board.frame import Fit, identity_of
from lingprobe.parts.board.lines import ModelLine, results_facts
from lingprobe.parts.board.submission import (
    FILES,
    FITS,
    LINES,
    Submission,
    read_submission,
    with_bounds,
)

TOLD = 8  # problems that a message names
SAME = 1e-6  # percent, up to which a number that is computed anew is the same


class Checked(NamedTuple):
    """A folder that is what was written, and what of it could not be checked."""

    submission: Submission
    remarks: tuple[str, ...]


def check_folder(folder: Path) -> Checked:
    """A submission, read and checked; DataProblem says which file, which row, and what differs."""
    every = list(_files(folder))
    try:
        made = read_submission(folder)
    except DataProblem as problem:
        raise DataProblem(_message(folder, [*every, str(problem)])) from problem
    remarks: list[str] = []
    every += [f"{FITS}, {each}" for each in _rows(made.fits, remarks)]
    every += [f"{LINES}, {each}" for each in _lines(made)]
    if every:
        raise DataProblem(_message(folder, every))
    return Checked(made, tuple(dict.fromkeys(remarks)))


def _message(folder: Path, every: Sequence[str]) -> str:
    told = "; ".join(every[:TOLD])
    more = f"; and {len(every) - TOLD:,} more" if len(every) > TOLD else ""
    return (
        f"{folder} is not what `lingprobe submit` wrote: {told}{more}. Write it again from the"
        " results"
    )


def _files(folder: Path) -> Iterator[str]:
    """What is wrong with files as such."""
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    yield from (f"{name} does not belong here" for name in sorted(names - set(FILES)))
    if SUMS not in names:
        return
    lines = (folder / SUMS).read_text("utf-8", "replace").splitlines()
    known = {name: value for value, _, name in (line.partition("  ") for line in lines)}
    for name in (FITS, LINES):
        if name in names and known.get(name) != digest_file(folder / name):
            yield f"{name} has another checksum than {SUMS} says"


def _rows(fits: Sequence[Fit], remarks: list[str]) -> Iterator[str]:
    """What is wrong with rows, from 1."""
    results: list[Result | None] = []
    for number, fit in enumerate(fits, 1):
        try:
            result = fit.result()
            said = [*_row(fit, result), *_numbers(fit, result, remarks)]
        except DataProblem as problem:
            result, said = None, [str(problem)]
        if not said and fit.digest != fit.sealed():
            said = ["a column was changed: the digest of the row is another one"]
        results.append(result)
        yield from (f"row {number}: {each}" for each in said)
    if all(results):
        yield from _together(fits, [result for result in results if result])


def _row(fit: Fit, result: Result) -> Iterator[str]:
    """What is wrong with a row as such."""
    known = identity_of(fit.made_with, fit.layer, fit.seed)
    if fit.identity != known:
        yield f"identity is {fit.identity}, and what it was made with has {known}"
    if fit.n != len(result.gold):
        yield f"n is {fit.n:,}, and it has {len(result.gold):,} gold labels"
    if len(result.predicted) != len(result.gold):
        yield f"it has {len(result.predicted):,} answers to {len(result.gold):,} examples"
    short = [name for name, codes in result.clusters.items() if len(codes) != len(result.gold)]
    yield from (f"the cluster {name} is over another number of examples" for name in short)


def _numbers(fit: Fit, result: Result, remarks: list[str]) -> Iterator[str]:
    """Which numbers do not follow from the answers."""
    if len(result.predicted) != len(result.gold):
        return
    if not is_allowed(fit.metric):
        remarks.append(f"scores by {fit.metric} were not computed anew: it is code in a file")
        return
    metric = METRICS.make(fit.metric)
    constants = fit.made_with.constants or {}
    wanted = {
        "score": metric(result.gold, result.predicted),
        "majority": floor(constants, result.gold, result.predicted, metric),
    }
    if fit.made_with.version == importlib.metadata.version("lingprobe"):
        ends = interval_of(metric, result.gold, [result.predicted], result.clusters)
        wanted |= dict(zip(("low", "high"), ends, strict=True))
    for name, share in wanted.items():
        if not _is_same(getattr(fit, name), PERCENT * share):
            yield f"{name} is {getattr(fit, name):.4f}, and from the answers {PERCENT * share:.4f}"


def _is_same(one: float, other: float) -> bool:
    return abs(one - other) <= SAME or (math.isnan(one) and math.isnan(other))


def _together(fits: Sequence[Fit], results: Sequence[Result]) -> Iterator[str]:
    """What is wrong with rows beside each other: a fit twice, other gold labels of the same test
    examples, another best baseline or oracle.
    """
    first: dict[str, int] = {}
    golds: dict[tuple[str, ...], int] = {}
    for number, (fit, bounded) in enumerate(zip(fits, with_bounds(fits), strict=True), 1):
        if (before := first.setdefault(fit.identity, number)) != number:
            yield f"row {number}: it is the fit of row {before} again"
        test = fit.task, fit.made_with.tested
        before = golds.setdefault(test, number)
        if all(test) and fit.gold != fits[before - 1].gold:
            yield f"row {number}: its gold labels are not those of row {before}"
        for name in ("floor", "floor_of", "ceiling", "ceiling_of"):
            one, other = getattr(fit, name), getattr(bounded, name)
            if one != other and not (one != one and other != other):
                yield f"row {number}: {name} is {one}, and from the other rows {other}"


def _lines(made: Submission) -> Iterator[str]:
    """What is wrong with the lines of models."""
    models = dict.fromkeys(fit.encoder for fit in made.fits if fit.kind == "trained")
    for number, line in enumerate(made.lines, 1):
        mine = [fit for fit in made.fits if fit.encoder == line.encoder]
        models.pop(line.encoder, None)
        yield from (f"line {number}: {each}" for each in _line(line, mine))
    yield from (f"no line is about {encoder}" for encoder in models)


def _line(line: ModelLine, mine: Sequence[Fit]) -> Iterator[str]:
    if not mine:
        yield f"no row is of {line.encoder}"
        return
    try:
        facts = results_facts(mine)
    except DataProblem as problem:
        yield str(problem)
        return
    for name, value in facts.items():
        if getattr(line, name) != value and name != "layers":
            yield f"{name} is {_short(getattr(line, name))}, and in the results {_short(value)}"
    if set(line.layers) != set(facts["layers"]):
        yield f"layers are {_short(line.layers)}, and in the results {_short(facts['layers'])}"
    if facts.items() and line.digest != replace(line, digest="").sealed():
        yield "a field was changed: the digest of the line is another one"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) < 60 else f"{text[:57]}..."
