"""A probe of a run, trained again on the same vectors and kept as numbers: runs keep answers, not
probes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.opponents import select_shown
from lingprobe.analysis.row import NO_CONTROL, PERCENT_SCALE
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.api.planned_run import PlannedRun
from lingprobe.api.probe_transfer import name_label_kind
from lingprobe.api.trained import TrainedProbe
from lingprobe.data.abilities import PromptEncoder, UnfoldablePredictor
from lingprobe.data.centring import CENTRED_VIEW_PART
from lingprobe.data.core import DataProblem, Encoder, Predictor, Result, Trial
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import is_code_allowed, shorten_reference
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.data import load_dataset
from lingprobe.experiment.measure import PreparedGroup, prepare_group
from lingprobe.experiment.newest import group_repeats
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialDesign, make_plan
from lingprobe.experiment.portions import passing_vectors
from lingprobe.experiment.provenance import get_revision
from lingprobe.experiment.run import group_trials
from lingprobe.experiment.settings import fit_wanted
from lingprobe.experiment.site_digests import digest_sites
from lingprobe.metrics import MetricProblem, interval_of
from lingprobe.metrics.constant import answered_labels, find_metric
from lingprobe.metrics.thresholds import find_thresholds
from lingprobe.nets.precision import limit_to_agreed_threads
from lingprobe.store.precision import kept_as
from lingprobe.store.probe_folder import (
    ClassConfusion,
    EncoderFacts,
    ProbeFacts,
    SubgroupScore,
    TaskFacts,
)
from lingprobe.tasks import TASKS

_MIN_SUBGROUP_EXAMPLES, _MAX_SUBGROUPS, _MAX_BASELINES = 10, 100, 12
_PAIR = 2  # classes, which have one margin


class RowResults(NamedTuple):
    """The results of one task, encoder, layer and probe, and all that were measured beside them."""

    own: Sequence[Result]
    every: Sequence[Result]


def choose_row(chosen: Sequence[Result], results: Sequence[Result]) -> RowResults:
    """The row whose probe is kept; of several layers the one that is best on dev. UsageProblem
    where chosen results are of several tasks, encoders or probes.
    """
    plain = [result for result in chosen if result.trial.control == NO_CONTROL]
    groups = group_repeats(plain)
    named = {(task, encoder, probe) for task, encoder, _, probe, _, _ in groups}
    if len(named) != 1:
        listed = "; ".join(sorted(", ".join(each) for each in named)[:5]) or "none without control"
        raise UsageProblem(
            f"a probe is of one task, encoder and probe, and {len(named)} are meant: {listed}"
        )
    return RowResults(max(groups.values(), key=_rate_on_dev), results)


def _rate_on_dev(results: Sequence[Result]) -> float:
    known = [result.provenance.choice.dev for result in results]
    mean = float(np.mean(known))
    return -math.inf if math.isnan(mean) else mean


def refit_probe(
    row: RowResults, run: PlannedRun | None, paths: RunPaths, trusted: bool = False
) -> TrainedProbe:
    """The probe of a row, of its first fold and seed. DataProblem where the data, the encoder or
    the code are not as they were in the run, and for a probe that is not linear.
    """
    first = min(row.own, key=lambda result: (result.trial.task, result.trial.seed))
    run = run or _plan_again(first, paths, trusted)
    if kept_as(run.paths.dtype).most:
        raise DataProblem(
            "the vectors of this run were projected to fewer dimensions, so no weights of the"
            " encoder's own come of it: run again without project"
        )
    part, predictor = _refit_trial(first.trial, run)
    if not isinstance(predictor, UnfoldablePredictor):
        raise DataProblem(
            f"{first.trial.probe} is not linear, so it cannot be kept: take linear, logreg or means"
        )
    _check_same(first, part, predictor)
    weights = predictor.unfold()
    arrays: dict[str, NDArray[Any]] = {"weights": weights.weights, "bias": weights.bias}
    if weights.cuts is not None:
        arrays["cuts"] = weights.cuts
    positive, margins = _measure_margins(first, part, predictor)
    facts = _collect_facts(row, first, part, predictor)
    facts = replace(facts, positive=positive)
    return TrainedProbe(facts, {**arrays, **margins}, part.group.encoder)


def _plan_again(first: Result, paths: RunPaths, trusted: bool) -> PlannedRun:
    """The plan of one trial of a run that is no longer in memory."""
    trial = first.trial
    references = trial.task, trial.encoder, trial.probe
    if not (trusted or is_code_allowed(*references)):
        raise DataProblem(
            f"{', '.join(each for each in references if not is_code_allowed(each))}: code in a file"
            " that the results name runs only with trust (--trust)"
        )
    task = shorten_reference(TASKS, trial.task)
    encoder = shorten_reference(ENCODERS, trial.encoder)
    design = TrialDesign([trial.task], [trial.encoder], [trial.probe], seeds=1, layers=[trial.read])
    try:
        made = make_plan(design, paths)
    except ValueError as problem:
        short = str(problem).replace(trial.task, task).replace(trial.encoder, encoder)
        raise DataProblem(
            f"{task} and {encoder} cannot be made again ({short}); what was given as an object is"
            " needed again: lingprobe.fit(model, data)"
        ) from problem
    if trial not in made.trials:
        raise DataProblem(f"{task} with {encoder} is no longer measured so: run again")
    return PlannedRun(made, paths)


def _refit_trial(trial: Trial, run: PlannedRun) -> tuple[PreparedGroup, Predictor]:
    """The data and vectors of a trial, and the probe fitted to them."""
    alone = replace(run.plan, trials=(trial,))
    (group,) = group_trials(alone, alone.ids, run.paths.cache)
    whole = load_dataset(group.task, group.ingredients.task)
    with passing_vectors(run.paths), limit_to_agreed_threads():
        part = prepare_group(group, whole, run.paths.vector_store())
        ((predictor,),) = fit_wanted(group.probe, [part.to_fit])
    return part, predictor


def _check_same(first: Result, part: PreparedGroup, predictor: Predictor) -> None:
    """Refuse a probe that does not answer every test example as it did in the run. DataProblem."""
    test = part.readings.split("test")
    is_same = digest_sites(test.dataset) == first.provenance.tested
    if is_same:
        answers = predictor.predict(test).decoded
        is_same = [*answers.plain()] == [*first.predicted.plain()]
    if not is_same:
        known = first.provenance.identities
        now = part.group.ingredients._asdict()
        names = [kind for kind, each in now.items() if str(each) != known.get(kind)]
        changed = " and ".join(names) or "machine"
        raise DataProblem(
            f"the probe answers otherwise than in the run, as the {changed} changed since: run"
            " again, and keep that probe"
        )


def _measure_margins(
    first: Result, part: PreparedGroup, predictor: UnfoldablePredictor
) -> tuple[str, dict[str, NDArray[Any]]]:
    """The positive class of two, and how far examples of dev and test lie on its side."""
    names, held_out = part.readings.labels.names, predictor.held_out
    if part.readings.labels.classes is None or len(names) != _PAIR:
        return "", {}
    positive = find_thresholds(held_out.labels, held_out.scores, names).positive
    place = names.index(positive)
    test = part.readings.split("test")
    weights, bias, _ = predictor.unfold()
    scores = test.features(predictor.read).astype(np.float64) @ weights.T + bias
    arrays: dict[str, NDArray[Any]] = {}
    for split, labels, found in (("dev", *held_out), ("test", test.labels, scores)):
        margins = found[:, place].astype(np.float64) - found[:, 1 - place]
        arrays[f"{split}_margins"] = margins
        arrays[f"{split}_positive"] = (labels.matrix() == place).astype(np.uint8)
    shared = [codes.astype(np.int64) for codes in first.clusters.values()]
    arrays["test_clusters"] = np.array(shared, np.int64).reshape(len(shared), len(scores))
    return positive, arrays


def _collect_facts(
    row: RowResults, first: Result, part: PreparedGroup, predictor: UnfoldablePredictor
) -> ProbeFacts:
    """What is said of a probe beside its numbers."""
    made_with, labels = first.provenance, part.readings.labels
    scored = compute_scores(ResultFrame.of(row.own))[0]
    folds = scored.folds > 1
    weights = predictor.unfold().weights
    return ProbeFacts(
        version=made_with.version,
        date=made_with.date,
        kind=name_label_kind(labels),
        labels=tuple(labels.names),
        layer=first.trial.read,
        probe=first.trial.probe,
        choice=_plain_choice(made_with.choice),
        metric=first.metric,
        score=SubgroupScore(
            "",
            PERCENT_SCALE * first.score,
            PERCENT_SCALE * first.low,
            PERCENT_SCALE * first.high,
            first.n,
        ),
        all_folds=_score_of(scored, str(scored.folds)) if folds else None,
        baselines=tuple(_find_baselines(row, scored)),
        subgroups=tuple(_score_subgroups(first)),
        confusions=tuple(_count_confusions(first)),
        encoder=_describe_encoder(first, part, weights.shape[1]),
        task=TaskFacts(
            first.trial.task,
            part.group.task.question,
            str(part.group.ingredients.task),
            made_with.tested,
            made_with.counts.train,
            made_with.counts.dev,
            made_with.counts.test,
            part.readings.dataset.of_sentences and not part.readings.dataset.asked.size,
        ),
    )


def _plain_choice(choice: Mapping[str, Any]) -> dict[str, Any]:
    """What was chosen, as far as JSON holds it."""
    plain = (str, int, float, bool, Mapping, list, tuple)
    return {name: value for name, value in choice.items() if isinstance(value, plain)}


def _describe_encoder(first: Result, part: PreparedGroup, width: int) -> EncoderFacts:
    encoder: Encoder = part.group.encoder
    view = part.readings.view
    if not isinstance(view, str) or CENTRED_VIEW_PART in view.split("+"):
        raise DataProblem(
            f"{first.trial.encoder} is read in relation to other texts, so that no weights of its"
            " vectors alone come of it"
        )
    name = first.trial.encoder
    return EncoderFacts(
        name,
        is_live(name),
        str(part.group.ingredients.encoder),
        get_revision(encoder),
        encoder.reads if isinstance(encoder, PromptEncoder) else "",
        view,
        width,
    )


def is_live(name: str) -> bool:
    """Whether a name is of an encoder that was handed over as an object, not a reference."""
    try:
        return ENCODERS.canonical(name) != name
    except ValueError:
        return True


def _score_of(row: FrameRow, name: str) -> SubgroupScore:
    return SubgroupScore(name, row.score, row.low, row.high, row.n)


def _find_baselines(row: RowResults, own: FrameRow) -> Iterator[SubgroupScore]:
    """Scores of the best constant and of baselines on the same task, the best first; of untrained
    copies of a kind one, and none that belong to other encoders of the run.
    """
    plain = [result for result in row.every if result.trial.control == NO_CONTROL]
    foreign = {name for each in plain for name in each.provenance.own_baselines}
    foreign -= {*row.own[0].provenance.own_baselines}
    known = [result for result in plain if result.trial.encoder not in foreign]
    scored = select_shown(compute_scores(ResultFrame.of(known)))
    beside = scored.where(task=own.task, metric=own.metric)
    best: dict[str, FrameRow] = {}
    for each in beside:
        is_better = each.encoder not in best or each.score > best[each.encoder].score
        if each.kind == "baseline" and each.encoder != own.encoder and is_better:
            best[each.encoder] = each
    ordered = sorted(best.values(), key=lambda each: -each.score)[:_MAX_BASELINES]
    yield from (_score_of(each, each.encoder) for each in ordered)
    yield SubgroupScore("the best constant answer", own.majority, n=own.n)


def _score_subgroups(result: Result) -> Iterator[SubgroupScore]:
    """Scores of what test examples consist of, the lowest first."""
    found = list[SubgroupScore]()
    metric = find_metric(result.metric)
    predicted = answered_labels(result, metric)
    for name, tags in result.strata.items():
        for code, value in enumerate(tags.names):
            some = np.flatnonzero(tags.codes == code)
            if len(some) < _MIN_SUBGROUP_EXAMPLES or len(found) >= _MAX_SUBGROUPS:
                continue
            gold, answers = result.gold.take(some), predicted.take(some)
            clusters = {key: codes[some] for key, codes in result.clusters.items()}
            with suppress(MetricProblem):
                score = metric(gold, answers)
                low, high = interval_of(metric, gold, [answers], clusters)
                values = PERCENT_SCALE * score, PERCENT_SCALE * low, PERCENT_SCALE * high
                found.append(SubgroupScore(f"{name} {value}", *values, len(some)))
    known = (each for each in found if not math.isnan(each.score))
    yield from sorted(known, key=lambda each: each.score)


def _count_confusions(result: Result) -> Iterator[ClassConfusion]:
    """Which classes test examples are taken for, the commonest mistakes first."""
    if result.gold.classes is None:
        return
    gold, predicted = result.gold.class_names(), result.predicted.class_names()
    totals = result.gold.counts()
    wrong: dict[tuple[str, str], int] = {}
    for one, other in zip(gold, predicted, strict=True):
        if one != other:
            wrong[one, other] = wrong.get((one, other), 0) + 1
    for (one, other), many in sorted(wrong.items(), key=lambda pair: -pair[1])[:_MAX_SUBGROUPS]:
        yield ClassConfusion(one, other, many, totals[one])
