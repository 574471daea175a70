"""Results of models as a folder for a pull request: a row a fit, a line of JSON a model, checksums.
No path of the machine that measured is in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any, NamedTuple

from lingprobe import DataProblem, Reference, Result, UsageProblem
from lingprobe.extend import (
    checksum_file,
    get_contents,
    get_encoder_kind,
    label_encoders,
    name_encoders,
    shorten_reference,
    try_parse_reference,
    write_text,
)
from lingprobe_extensions.board.frame import (
    CONSTANT_ANSWER,
    FitRow,
    describe_layer,
    fit_of,
    read_frame,
    strip_private,
    write_frame,
)
from lingprobe_extensions.board.lines import ModelLine, facts_told_by, files_and_size, read_lines

RESULTS_TABLE_FILE, MODEL_LINES_FILE, SUBMISSION_CHECKSUM_FILE = (
    "results.parquet",
    "models.jsonl",
    "SHA256SUMS",
)
SUBMISSION_FILES = (RESULTS_TABLE_FILE, MODEL_LINES_FILE, SUBMISSION_CHECKSUM_FILE)
_LONGEST = 64  # parts of a path
_UNSAID = {"trained_on_ud": "unknown", "trained_on_sources": "unknown"}


class BoardSubmission(NamedTuple):
    """What is in a folder: all fits, of models and of what they are compared with, each with its
    result; and a line for each model.
    """

    fits: tuple[FitRow, ...]
    results: tuple[Result, ...]
    lines: tuple[ModelLine, ...]


class SubmitterStatement(NamedTuple):
    """What a submitter says, which results do not tell: the name of the model, where there is one;
    what it was trained on; the scores of MTEB, of a name and a revision; and whether the files of
    models are hashed.
    """

    name: str | None = None
    declared: Mapping[str, str] = _UNSAID
    mteb: Callable[[str, str], Mapping[str, Any]] = lambda name, revision: {}
    hashes: bool = True


class DescribedResults(NamedTuple):
    """Results whose references name no folder of this machine, and a line for each model.

    encoders  the references of their encoders by those that they have here
    """

    results: tuple[Result, ...] = ()
    lines: tuple[ModelLine, ...] = ()
    encoders: Mapping[str, str] = MappingProxyType({})


def submission_of(results: Sequence[Result], statement: SubmitterStatement) -> BoardSubmission:
    """The fits of some results and the lines of their models; DataProblem where there is no model,
    UsageProblem where two things would have one name.
    """
    described = describe_results(results, statement)
    if not described.lines:
        raise DataProblem("no model is among these results: only baselines and oracles")
    moved = described.results
    fits = with_bounds([fit_of(each) for each in moved], moved)
    return BoardSubmission(tuple(fits), tuple(fit.result() for fit in fits), described.lines)


def describe_results(results: Sequence[Result], statement: SubmitterStatement) -> DescribedResults:
    """Results with what is known of their models; UsageProblem where two things would have one
    name.
    """
    scored = [r for r in results if not math.isnan(r.score)]
    names = _name_models(
        dict.fromkeys(r.trial.encoder for r in scored if get_encoder_kind(r) == "trained"),
        statement,
    )
    encoders = _portable({r.trial.encoder for r in scored})
    moved = _without_folders(scored, encoders)
    lines = []
    for encoder, name in sorted(names.items()):
        mine = [r for r in moved if r.trial.encoder == encoders[encoder]]
        lines.append(_build_model_line(name, encoder, mine, statement))
    return DescribedResults(tuple(moved), tuple(lines), encoders)


def _build_model_line(
    name: str, encoder: str, mine: Sequence[Result], said: SubmitterStatement
) -> ModelLine:
    files, size = files_and_size(encoder, hashes=said.hashes)
    try:
        facts = facts_told_by(mine)
    except DataProblem as problem:
        raise DataProblem(f"{name}: {problem}") from problem
    line = ModelLine(
        name=name,
        encoder=mine[0].trial.encoder,
        parameters=size,
        files=files,
        declared=dict(said.declared),
        mteb=dict(said.mteb(name, facts["revision"])),
        **facts,
    )
    return replace(line, digest=line.seal())


def _without_folders(results: Sequence[Result], encoders: Mapping[str, str]) -> list[Result]:
    """Results in order, in which nothing names this machine."""
    tasks = _portable({r.trial.task for r in results})
    probes = _portable({r.trial.probe for r in results})
    controls = _portable({r.trial.control for r in results})
    metrics = _portable({r.metric for r in results})
    moved = []
    for one in map(strip_private, sorted(results, key=lambda r: r.trial)):
        trial = replace(
            one.trial,
            task=tasks[one.trial.task],
            encoder=encoders[one.trial.encoder],
            probe=probes[one.trial.probe],
            control=controls[one.trial.control],
        )
        own = {
            encoders[name]: question
            for name, question in one.provenance.own_baselines.items()
            if name in encoders
        }
        provenance = replace(one.provenance, own_baselines=own)
        moved.append(replace(one, trial=trial, metric=metrics[one.metric], provenance=provenance))
    return moved


def _name_models(models: Iterable[str], said: SubmitterStatement) -> dict[str, str]:
    short = {encoder: shorten_reference(get_contents("encoders"), encoder) for encoder in models}
    if said.name is not None and len(short) > 1:
        raise UsageProblem(
            f"one name, and {len(short)} models: choose one of them and its baselines with encoders"
            " (-e), or leave the name out"
        )
    labels = label_encoders(short.values())
    return {encoder: said.name or labels.get(one, one) for encoder, one in short.items()}


def _portable(references: Iterable[str]) -> dict[str, str]:
    """References without the folders of this machine: the end of a path, as long as it must be to
    tell them apart.
    """
    names = name_encoders(references := sorted(references))
    made = {one: names[one] if one != "words" and one in names else one for one in references}
    alike = [one for one in references if _path(one).is_absolute() and one not in names]
    for depth in range(2, _LONGEST):
        ends = {one: _with_end(one, depth) for one in alike}
        if len({*ends.values()}) == len(ends):
            break
    made |= ends
    if len(set(made.values())) < len(made):
        raise UsageProblem(
            f"two of {', '.join(references)} would have one name: submit one of them"
        )
    return made


def _path(reference: str) -> PurePath:
    """What a reference is about, as a path."""
    parsed = try_parse_reference(reference)
    return PurePath((parsed.argument if parsed else None) or "")


def _with_end(reference: str, depth: int) -> str:
    """A reference with so many parts of its path."""
    name = Reference.parse(name_encoders([reference])[reference])
    return str(Reference(name.name, "/".join(_path(reference).parts[-depth:]), name.options))


def with_bounds(fits: Sequence[FitRow], results: Sequence[Result]) -> list[FitRow]:
    """Fits with the best baseline and the best oracle of their task and fold beside them, over the
    same test examples; what was fitted several times counts with its mean.
    """
    groups: dict[tuple[str, ...], list[float]] = {}
    where = [
        (f.task, f.metric, f.control, r.provenance.tested)
        for f, r in zip(fits, results, strict=True)
    ]
    for fit, place in zip(fits, where, strict=True):
        key = (*place, fit.kind, fit.probe, fit.encoder, fit.layer)
        groups.setdefault(key, []).append(fit.score)
    best: dict[tuple[str, ...], list[tuple[float, str]]] = {}
    for (*what, kind, probe, encoder, layer), scores in groups.items():
        bound = (
            sum(scores) / len(scores),
            f"{shorten_reference(get_contents('encoders'), encoder)}{describe_layer(layer)}",
        )
        best.setdefault((*what, kind, probe * (kind == "oracle")), []).append(bound)
    bounded = []
    for fit, place in zip(fits, where, strict=True):
        floor = max([*best.get((*place, "baseline", ""), []), (fit.majority, CONSTANT_ANSWER)])
        ceiling = max(best.get((*place, "oracle", fit.probe), []), default=(math.nan, ""))
        one = replace(fit, floor=floor[0], floor_of=floor[1])
        bounded.append(replace(one, ceiling=ceiling[0], ceiling_of=ceiling[1]))
    return bounded


def write_submission(submission: BoardSubmission, folder: Path) -> None:
    """Write the files of a folder; the checksums come last."""
    write_frame(submission.fits, folder / RESULTS_TABLE_FILE)
    write_text(folder / MODEL_LINES_FILE, "".join(line.text() for line in submission.lines))
    sums = [
        f"{checksum_file(folder / name)}  {name}\n"
        for name in (RESULTS_TABLE_FILE, MODEL_LINES_FILE)
    ]
    write_text(folder / SUBMISSION_CHECKSUM_FILE, "".join(sums))


def read_parts(folder: Path) -> tuple[list[FitRow], list[ModelLine]]:
    """The rows and lines of a folder; DataProblem where a file cannot be read."""
    if not folder.is_dir():
        raise DataProblem("there is no such folder")
    for name in SUBMISSION_FILES:
        if not (folder / name).is_file():
            raise DataProblem(
                f"{name} is missing, so it is not a submission: `lingprobe publish submit RESULTS"
                " -o FOLDER` writes one"
            )
    return read_frame(folder / RESULTS_TABLE_FILE), read_lines(folder / MODEL_LINES_FILE)
