"""Probes to keep: train one, keep one of a run, score a file of texts."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import numpy as np

from lingprobe.api.arguments import as_list, takes_options
from lingprobe.api.encoders import configure
from lingprobe.api.evaluation import Evaluation
from lingprobe.api.measure import run, use_cache
from lingprobe.api.probe_options import FitOptions, KeepOptions, ScoreFileOptions
from lingprobe.api.refitting import choose_row, is_live, refit_probe
from lingprobe.api.results import read_stored_results
from lingprobe.api.trained import ProbeThreshold, ScoredTexts, TrainedProbe, load_probe
from lingprobe.data.cache import escape_surrogates, open_draft
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import UsageProblem
from lingprobe.data.narrowing import NarrowName
from lingprobe.data.references import Reference, try_parse_reference
from lingprobe.datasets.formats.read_texts import RowText, read_table_texts
from lingprobe.encoders import ENCODERS, make_encoder
from lingprobe.encoders.hf import HuggingFace
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.provenance import list_layer_names
from lingprobe.tables.table import escape_formula

_FLAGGED, _PREDICTED, _WRITTEN = "flagged", "predicted", "written"


class FitSettings(TypedDict, total=False):
    """How a probe is trained that is to be kept; the keyword parameters of `fit`."""

    layer: str | int | None
    probe: str
    cache: str | Path | None
    output: str | Path | None
    on_error: Literal["raise", "skip"]
    limit: int | None
    baselines: Literal["default", "strong", "none"]
    copies: bool
    progress: bool


@takes_options(FitOptions)
def fit(model: Any, data: Any, **settings: Unpack[FitSettings]) -> TrainedProbe:
    """Train a linear probe of a model's vectors and measure it, as `run` does, to keep it. Of small
    data, which have folds, it is that of the first fold; its card has the score over all.

    model  one encoder, as for `evaluate`
    data   one task, as for `evaluate`
    UsageProblem where several are given; what `run` raises; DataProblem where nothing could be
    measured.

        probe = lingprobe.fit("hf:Qwen/Qwen3-0.6B,template=chat", (texts, labels), layer=14)
        probe.save("harmful/")
    """
    asked = FitOptions(**settings)
    reference = _as_one_encoder(model, asked.layer)
    evaluation = run(
        data,
        [reference],
        probes=[asked.probe],
        layers=[] if asked.layer is None else [str(asked.layer)],
        seeds=1,
        cache=asked.cache,
        output=asked.output,
        on_error=asked.on_error,
        limit=asked.limit,
        baselines=asked.baselines,
        copies=asked.copies,
        progress=asked.progress,
    )
    named = [_canonical(reference)] if isinstance(reference, str) else None
    mine = [
        result
        for result in evaluation.results
        if (result.trial.encoder in named if named else is_live(result.trial.encoder))
    ]
    if not mine:
        why = "; ".join(evaluation.problems) or "nothing could be measured"
        raise DataProblem(f"no probe could be trained: {why}")
    with use_cache(asked.cache):
        row = choose_row(mine, evaluation.results)
        return refit_probe(row, evaluation.planned, RunPaths.of(evaluation.folder))


def _as_one_encoder(model: Any, layer: str | int | None) -> Any:
    """The encoder with the layer that is asked for; UsageProblem for several."""
    given = [model] if isinstance(model, tuple) else as_list(model)
    if len(given) != 1:
        are_vectors = isinstance(model, np.ndarray) and model.ndim > 1
        instead = "; of vectors make (texts, vectors), as an encoder that is given" * are_vectors
        raise UsageProblem(f"fit takes one model, and {len(given)} are given{instead}")
    (only,) = given
    only = str(only) if isinstance(only, Reference) else only
    if layer is None:
        return only
    if not isinstance(only, str):
        made = make_encoder(only)
        has_layer = not isinstance(made, HuggingFace) or str(layer) in list_layer_names(made)
        return only if has_layer else configure(only, layers=_name_layers(str(layer)))[0]
    parsed = try_parse_reference(only)
    if parsed is None or parsed.name not in ENCODERS.places():
        return only
    if "layers" in ENCODERS.options(parsed.name) and "layers" not in dict(parsed.options):
        return configure(only, layers=_name_layers(str(layer)))[0]
    return only


def _name_layers(read: str) -> str:
    """The layers that a read is of, as the option `layers` of an encoder names them."""
    if read == "top":
        return "last"
    narrow = NarrowName.parse(read)
    if narrow is not None:
        return _name_layers(narrow.layer)
    return "all" if read.partition(":")[0] in ("cat", "mix") else read


def _canonical(reference: str) -> str:
    (only, *others) = ENCODERS.expand(reference)
    if others:
        raise UsageProblem(f"{reference} stands for {len(others) + 1} encoders: fit takes one")
    return str(ENCODERS.canonical(only))


@takes_options(KeepOptions)
def keep_probe(results: Any = None, **options: Any) -> TrainedProbe:
    """Train a probe of a run again, check that it answers as it did there, and write it to a
    folder, as `lingprobe probe keep` does. Returns it.

    results  the folder of a run, or what `run` returned
    DataProblem where data, encoder or code changed since; UsageProblem where several probes are
    meant.

        lingprobe.keep_probe("results/", encoder="hf:*", output="harmful/")
    """
    given = KeepOptions(results=results, **options)
    with use_cache(given.cache):
        if isinstance(results, Evaluation):
            evaluation = results
        else:
            stored = read_stored_results(results, {"experiment": given.experiment})
            folder = None if results is None else Path(str(results))
            evaluation = Evaluation(tuple(stored.results), folder=folder)
        made = evaluation.trained(
            given.task, given.encoder, given.layer, probe=given.probe, trust=given.trust
        )
    made.save(given.output)
    return made


@dataclass(frozen=True)
class ScoredFile:
    """What became of a file of texts.

    path     the CSV with the scores
    scored   how many texts have them
    problems why others have none, each with its place
    """

    path: Path
    scored: int
    problems: tuple[str, ...] = ()


@takes_options(ScoreFileOptions)
def score_file(folder: str | Path, texts: str | Path, **options: Any) -> ScoredFile:
    """Score the texts of a table with a probe that was kept: a CSV with the same rows, the label
    that is predicted, and a column of probabilities for each label.

    DataProblem for rows without a text, unless `on_error="skip"`, and where a text cannot be
    encoded.

        lingprobe.score_file("harmful/", "texts.csv", output="scores.csv")
    """
    given = ScoreFileOptions(folder=folder, texts=texts, **options)
    probe = load_probe(given.folder, given.model, trust=given.trust)
    threshold = None if given.fpr is None else probe.threshold(given.fpr)
    source = Path(given.texts).expanduser()
    found = read_table_texts(source, given.text or "")
    problems = [row.problem for row in found if row.problem]
    if problems and given.on_error == "raise":
        raise DataProblem(
            f"{len(problems):,} of {len(found):,} rows cannot be scored, first {problems[0]};"
            " on_error=skip leaves them without scores"
        )
    good = [row for row in found if row.sentence is not None]
    done = probe.score_texts([row.sentence for row in good])
    problems += [f"{good[number].place}: {why}" for number, why in done.reasons.items()]
    scored = {row.place: number for number, row in enumerate(good) if number not in done.reasons}
    output = Path(given.output) if given.output else source.with_name(f"{source.stem}-scores.csv")
    with open_draft(output) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(_lay_out(probe, found, (scored, done), threshold))
    return ScoredFile(output, len(scored), tuple(problems))


def _lay_out(
    probe: TrainedProbe,
    found: Sequence[RowText],
    scored: tuple[Mapping[str, int], ScoredTexts],
    threshold: ProbeThreshold | None,
) -> Iterator[list[str]]:
    """The rows of scores.csv: a probability for each class and whether it is flagged, headings
    first; a row without scores has its text alone.
    """
    is_number = probe.facts.kind == "scores"
    names = [] if is_number else [f"p({escape_surrogates(label)})" for label in probe.labels]
    flags = [] if threshold is None else [_FLAGGED]
    (numbers, done) = scored
    extra = [_WRITTEN] if any(done.written) else []
    yield ["text", *extra, _PREDICTED, *names, *flags]
    for row in found:
        text = "" if row.sentence is None else escape_formula(escape_surrogates(row.sentence.text))
        if (number := numbers.get(row.place)) is None:
            yield [text, *("" for _ in (*extra, _PREDICTED, *names, *flags))]
            continue
        said = [escape_formula(escape_surrogates(done.written[number] or ""))] if extra else []
        scores = done.scores[number]
        shown = [repr(float(each)) for each in scores] if names else []
        if threshold is not None:
            place = probe.labels.index(threshold.positive)
            margin = done.logits[number, place] - done.logits[number, 1 - place]
            shown.append(str(int(margin > threshold.margin)))
        yield [text, *said, escape_formula(escape_surrogates(probe.name_label(scores))), *shown]
