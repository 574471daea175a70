"""Results of models as a folder for a pull request: a row a fit, a line of JSON a model, checksums.
No path of the machine that measured is in it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.analysis.row import CONSTANT, NO_CONTROL, PERCENT, said_of
from lingprobe.analysis.rows import kind_of, option_of
from lingprobe.audit.data_card import SUMS, sums
from lingprobe.data.cache import write_text
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import brief
from lingprobe.datasets.formats.hub_folder import notes_without_folders
from lingprobe.encoders import ENCODERS
from lingprobe.pages.captions import labels_of, names_of
from lingprobe.parts.board.frame import (
    Fit,
    identity_of,
    pack_clusters,
    pack_column,
    read_frame,
    write_frame,
)
from lingprobe.parts.board.lines import ModelLine, files_and_size, read_lines, results_facts

FITS, LINES = "results.parquet", "models.jsonl"
FILES = (FITS, LINES, SUMS)
UNSAID = {"trained_on_ud": "unknown", "trained_on_sources": "unknown"}


class Submission(NamedTuple):
    """What is in a folder: all fits, of models and of what they are compared with, and a line for
    each model.
    """

    fits: tuple[Fit, ...]
    lines: tuple[ModelLine, ...]


class Statement(NamedTuple):
    """What a submitter says, which results do not tell: the name of the model, where there is one;
    what it was trained on; and the scores of MTEB, of a name and a revision.
    """

    name: str | None = None
    declared: Mapping[str, str] = UNSAID
    mteb: Callable[[str, str], Mapping[str, Any]] = lambda name, revision: {}


def submission_of(results: Sequence[Result], said: Statement) -> Submission:
    """The fits of some results, without controls, and the lines of their models; DataProblem where
    there is no model, UsageProblem where two things would have one name.
    """
    plain = [r for r in results if r.trial.control == NO_CONTROL and not math.isnan(r.score)]
    tasks = _portable({r.trial.task for r in plain})
    encoders = _portable({r.trial.encoder for r in plain})
    fits = with_bounds([_fit(r, tasks[r.trial.task], encoders[r.trial.encoder]) for r in plain])
    models = [r.trial.encoder for r in plain if kind_of(r) == "trained"]
    names = _names(list(dict.fromkeys(models)), said.name)
    lines = []
    for encoder, name in names.items():
        mine = [fit for fit in fits if fit.encoder == encoders[encoder]]
        lines.append(_line(name, encoder, mine, said))
    order = sorted(fits, key=lambda fit: (fit.task, fit.encoder, fit.layer, fit.probe, fit.seed))
    return Submission(tuple(order), tuple(sorted(lines, key=lambda line: line.encoder)))


def _line(name: str, encoder: str, mine: Sequence[Fit], said: Statement) -> ModelLine:
    files, size = files_and_size(encoder)
    facts = results_facts(mine)
    line = ModelLine(
        name=name,
        encoder=mine[0].encoder,
        parameters=size,
        files=files,
        declared=dict(said.declared),
        mteb=dict(said.mteb(name, facts["revision"])),
        **facts,
    )
    return replace(line, digest=line.sealed())


def _names(models: Sequence[str], name: str | None) -> dict[str, str]:
    if not models:
        raise DataProblem("no model is among these results: only baselines and oracles")
    if name is not None and len(models) > 1:
        raise UsageProblem(
            f"one name, and {len(models)} models: choose one of them with encoders (-e), or leave"
            " the name out"
        )
    short = {encoder: brief(ENCODERS, encoder) for encoder in models}
    labels = labels_of(short.values())
    return {encoder: name or labels.get(one, one) for encoder, one in short.items()}


def _portable(references: Iterable[str]) -> dict[str, str]:
    """References without the folders of this machine."""
    names = names_of(references := sorted(references))
    made = {each: names[each] if each != "words" and each in names else each for each in references}
    if len(set(made.values())) < len(made):
        raise UsageProblem(
            f"two of {', '.join(references)} would have one name: submit one of them"
        )
    return made


def _fit(result: Result, task: str, encoder: str) -> Fit:
    """A result as a row, its bounds still open."""
    said = result.provenance
    provenance = replace(said, notes=notes_without_folders(said.notes), commit=None)
    return Fit(
        task,
        encoder,
        result.trial.read,
        result.trial.probe,
        result.trial.seed,
        fold=option_of(task, "fold") if "/" in option_of(task, "fold") else "",
        metric=result.metric,
        kind=kind_of(result),
        score=PERCENT * result.score,
        low=PERCENT * result.low,
        high=PERCENT * result.high,
        majority=PERCENT * result.majority,
        n=result.n,
        floor=math.nan,
        floor_of="",
        ceiling=math.nan,
        ceiling_of="",
        identity=identity_of(said, result.trial.read, result.trial.seed),
        versions=json.dumps(dict(said.versions)),
        date=said.date,
        gold=pack_column(result.gold),
        predicted=pack_column(result.predicted),
        clusters=pack_clusters(result),
        provenance=json.dumps(provenance.plain(), ensure_ascii=False, default=str),
    )


def with_bounds(fits: Sequence[Fit]) -> list[Fit]:
    """Fits with the best baseline and the best oracle of their task and fold beside them, over the
    same test examples; a baseline that was fitted several times counts with its mean.
    """
    tested = [fit.made_with.tested for fit in fits]
    means: dict[tuple[str, ...], list[tuple[float, str]]] = {}
    groups: dict[tuple[str, ...], list[float]] = {}
    for fit, test in zip(fits, tested, strict=True):
        key = fit.task, fit.metric, test, fit.kind, fit.probe, fit.encoder, fit.layer
        groups.setdefault(key, []).append(fit.score)
    for (*what, kind, probe, encoder, layer), scores in groups.items():
        name = f"{brief(ENCODERS, encoder)}{said_of(layer)}"
        place = (*what, kind) if kind == "baseline" else (*what, kind, probe)
        means.setdefault(place, []).append((sum(scores) / len(scores), name))
    bounded = []
    for fit, test in zip(fits, tested, strict=True):
        what = fit.task, fit.metric, test
        floor = max([*means.get((*what, "baseline"), []), (fit.majority, CONSTANT)])
        ceiling = max(means.get((*what, "oracle", fit.probe), []), default=(math.nan, ""))
        bounds = {"floor": floor[0], "floor_of": floor[1]}
        one = replace(fit, **bounds, ceiling=ceiling[0], ceiling_of=ceiling[1])
        bounded.append(replace(one, digest=one.sealed()))
    return bounded


def write_submission(made: Submission, folder: Path) -> None:
    """Write the files of a folder; the checksums come last."""
    write_frame(made.fits, folder / FITS)
    write_text(folder / LINES, "".join(line.text() for line in made.lines))
    write_text(folder / SUMS, sums(folder, (FITS, LINES)))


def read_submission(folder: Path) -> Submission:
    """What is in a folder; DataProblem where a file cannot be read."""
    for name in FILES:
        if not (folder / name).is_file():
            raise DataProblem(
                f"{folder} has no {name}, so it is no submission: `lingprobe submit RESULTS -o"
                " FOLDER` writes one"
            )
    return Submission(tuple(read_frame(folder / FITS)), tuple(read_lines(folder / LINES)))
