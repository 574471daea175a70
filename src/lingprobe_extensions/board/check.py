"""Whether a folder is what was written: checksums, columns, identities, and every score from the
answers. Nothing in it is run: metrics of files are left alone unless the user trusts them.

Whoever forges all of it with care is found by what is measured again (`sample`), not here.
"""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lingprobe import DataProblem, Result, Tags
from lingprobe.extend import (
    FitAnswers,
    checksum_file,
    floor,
    get_contents,
    get_encoder_kind,
    is_code_allowed,
)
from lingprobe_extensions.board.frame import FitRow, plain_columns
from lingprobe_extensions.board.lines import ModelLine, facts_told_by
from lingprobe_extensions.board.submission import (
    MODEL_LINES_FILE,
    RESULTS_TABLE_FILE,
    SUBMISSION_CHECKSUM_FILE,
    SUBMISSION_FILES,
    BoardSubmission,
    read_parts,
    with_bounds,
)

_TOLD = 8  # problems that a message names
_SAME = 1e-6  # percent, up to which a number that is computed anew is the same
_BOUNDS = ("floor", "floor_of", "ceiling", "ceiling_of")
"""Columns that other rows tell."""


class CheckedSubmission(NamedTuple):
    """A folder that is what was written, and what of it could not be checked."""

    submission: BoardSubmission
    remarks: tuple[str, ...]


def check_submission(folder: Path) -> CheckedSubmission:
    """A submission, read and checked; DataProblem says which file, which row, and what differs."""
    every = list(_check_files(folder))
    remarks: dict[str, None] = {}
    try:
        fits, lines = read_parts(folder)
    except DataProblem as problem:
        is_whole = all((folder / name).is_file() for name in SUBMISSION_FILES)
        problems = [*every, str(problem)] if is_whole else [str(problem)]
        raise DataProblem(_message(folder, problems)) from problem
    results, rows = _check_fit_rows(fits, remarks)
    every += [f"{RESULTS_TABLE_FILE}, {each}" for each in rows]
    if not rows:
        every += [f"{RESULTS_TABLE_FILE}, {each}" for each in _together(fits, results)]
        every += [f"{MODEL_LINES_FILE}, {each}" for each in _check_model_lines(results, lines)]
    if every:
        raise DataProblem(_message(folder, every))
    return CheckedSubmission(
        BoardSubmission(tuple(fits), tuple(results), tuple(lines)), tuple(remarks)
    )


def _message(folder: Path, every: Sequence[str]) -> str:
    more = f"; and {len(every) - _TOLD:,} more" if len(every) > _TOLD else ""
    return (
        f"{folder} is not what `lingprobe publish submit` wrote: {'; '.join(every[:_TOLD])}{more}"
    )


def _check_files(folder: Path) -> Iterator[str]:
    """Checksums compared with the files: what is wrong with these."""
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    yield from (f"{name} does not belong here" for name in sorted(names - set(SUBMISSION_FILES)))
    if SUBMISSION_CHECKSUM_FILE in names:
        lines = (folder / SUBMISSION_CHECKSUM_FILE).read_text("utf-8", "replace").splitlines()
        known = {name: value for value, _, name in (line.partition("  ") for line in lines)}
        for name in {RESULTS_TABLE_FILE, MODEL_LINES_FILE} & names:
            if known.get(name) != checksum_file(folder / name):
                yield f"{name} has another checksum than {SUBMISSION_CHECKSUM_FILE} says"


def _check_fit_rows(
    fits: Sequence[FitRow], remarks: dict[str, None]
) -> tuple[list[Result], list[str]]:
    """The results of rows, and what is wrong with rows, from 1."""
    results, wrong = [], []
    for number, fit in enumerate(fits, 1):
        try:
            result = fit.result()
            said = list(_columns(fit, _computed_anew(result, remarks)))
            results.append(result)
        except DataProblem as problem:
            said = [str(problem)]
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            said = [f"what is packed is not a result ({error!r})"]
        wrong += [f"row {number}: {each}" for each in said]
    return results, wrong


def _columns(fit: FitRow, result: Result) -> Iterator[str]:
    """Columns that do not follow from the result that is packed in the row."""
    if fit.digest != fit.seal():
        yield "the answers or what they were made with were changed: their digest is another one"
    columns = fit.columns()
    for name, wanted in plain_columns(result).items():
        if not _is_same(columns[name], wanted):
            said = _short(columns[name])
            yield f"{name} is {said}, and from what is packed {_short(wanted)}"


def _computed_anew(result: Result, remarks: dict[str, None]) -> Result:
    """Scores and intervals computed from the answers: the result with these."""
    gold, predicted = result.gold, result.predicted
    tags = [each.codes for each in result.strata.values()]
    many = {len(gold), len(predicted), *map(len, (*result.clusters.values(), *tags))}
    if len(many) > 1:
        raise DataProblem(f"it has {len(predicted):,} answers to {len(gold):,} examples")
    if any(not _are_codes(each) for each in result.strata.values()):
        raise DataProblem("an example has a tag without a name")
    if any(each.link and each.problem() for each in (gold, predicted)):
        raise DataProblem(f"labels: {gold.problem() or predicted.problem()}")
    if not is_code_allowed(result.metric):
        remarks[f"scores by {result.metric} were not computed anew: it is code in a file"] = None
        return result
    metric, said = get_contents("metrics").make(result.metric), result.provenance
    bounds = result.low, result.high
    if said.version == importlib.metadata.version("lingprobe"):
        bounds = FitAnswers(gold, [predicted], result.clusters).interval(metric)
    return replace(
        result,
        score=metric(gold, predicted),
        majority=floor(said.constants or {}, gold, predicted, metric),
        low=bounds[0],
        high=bounds[1],
    )


def _are_codes(tags: Tags) -> bool:
    """Whether each example has one of the names, or none (-1)."""
    codes = tags.codes
    return bool(((codes >= -1) & (codes < len(tags.names))).all())


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, float):
        return abs(one - other) <= _SAME or (math.isnan(one) and math.isnan(other))
    return bool(one == other)


def _together(fits: Sequence[FitRow], results: Sequence[Result]) -> Iterator[str]:
    """Baselines and upper bounds compared with the other rows: what is wrong with rows beside each
    other, as a fit twice, other gold labels of the same test examples, another best baseline or
    oracle.
    """
    first: dict[str, int] = {}
    golds: dict[tuple[str, str, str], int] = {}
    bounded = with_bounds(fits, results)
    for number, (fit, result) in enumerate(zip(fits, results, strict=True), 1):
        if (before := first.setdefault(fit.identity, number)) != number:
            yield f"row {number}: it is the fit of row {before} again"
        before = golds.setdefault((fit.task, fit.control, result.provenance.tested), number)
        other = results[before - 1]
        if result.provenance.tested and list(result.gold.plain()) != list(other.gold.plain()):
            yield f"row {number}: its gold labels are not those of row {before}"
        if result.provenance.tested and not _have_same_tags(result, other):
            yield f"row {number}: its examples have other tags than those of row {before}"
        columns, wanted = fit.columns(), bounded[number - 1].columns()
        for name in _BOUNDS:
            if not _is_same(columns[name], wanted[name]):
                said = f"{name} is {columns[name]}, and from the other rows {wanted[name]}"
                yield f"row {number}: {said}"


def _have_same_tags(one: Result, other: Result) -> bool:
    """Whether examples are in the same groups, by all tags that both results have."""
    return all(
        np.array_equal(_decode_tags(tags), _decode_tags(other.strata[name]))
        for name, tags in one.strata.items()
        if name in other.strata
    )


def _decode_tags(tags: Tags) -> Any:
    """The tag of each example, [n]; None for no tag."""
    return np.array([*tags.names, None], object)[tags.codes]


def _check_model_lines(results: Sequence[Result], lines: Sequence[ModelLine]) -> Iterator[str]:
    """What is wrong with the lines of models."""
    models: dict[str, list[Result]] = {}
    for result in results:
        models.setdefault(result.trial.encoder, []).append(result)
    for number, line in enumerate(lines, 1):
        if not (mine := models.get(line.encoder)):
            yield f"line {number}: no row is of {line.encoder}"
            continue
        yield from (f"line {number}: {each}" for each in _check_model_line(line, mine))
    kinds = {one.trial.encoder for one in results if get_encoder_kind(one) == "trained"}
    for encoder in sorted(kinds - {line.encoder for line in lines}):
        yield f"no line is about {encoder}"


def _check_model_line(line: ModelLine, mine: Sequence[Result]) -> Iterator[str]:
    """What is wrong with a line beside the results of its model."""
    values = asdict(line)
    try:
        told = facts_told_by(mine)
    except DataProblem as problem:
        yield str(problem)
        return
    for name, value in told.items():
        if values[name] != value:
            yield f"{name} is {_short(values[name])}, and in the results {_short(value)}"
    if line.digest != line.seal():
        yield "a field was changed: the digest of the line is another one"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) < 60 else f"{text[:57]}..."
