"""Results -> rows: one a task, encoder, layer, probe and control, over all seeds and folds. Every
table, page and comparison is made of these rows.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from lingprobe.analysis.answers import (
    Repeats,
    RunPredictions,
    alike,
    are_equal,
    digest_test_set,
    join_predictions,
    missing,
)
from lingprobe.analysis.computing import describe_computation
from lingprobe.analysis.counting import counts, unread
from lingprobe.analysis.memorization import measure_memorization
from lingprobe.analysis.questions import describe_question
from lingprobe.analysis.row import (
    CONSTANT,
    NO_CONTROL,
    ORDER,
    PERCENT,
    ResultRow,
    said_of,
)
from lingprobe.data.core import Result, Trial, needs_of
from lingprobe.data.identity import shared_fact
from lingprobe.data.labels import Column
from lingprobe.data.notes import Code, MembersCompared, ThresholdCounts
from lingprobe.data.oracles import Kind
from lingprobe.data.references import (
    REMEMBERED,
    ReferenceProblem,
    shorten_reference,
    try_parse_reference,
)
from lingprobe.datasets.controls import CONTROLS, without_draw
from lingprobe.datasets.usual_metric import RANKING
from lingprobe.encoders import ENCODERS, kind_of_reference
from lingprobe.metrics import Answers
from lingprobe.metrics.thresholds import FALSE_POSITIVE_RATES, recall_at_rates
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS

# the layer of an encoder that stands before all context, and is a baseline (Tenney et al. 2019,
# section 2)
LEXICAL = "lex"


def newest(results: Iterable[Result]) -> list[Result]:
    """Results that belong together, ordered by trial: where data or code changed between runs, only
    those of the last state.
    """
    latest: dict[Trial, Result] = {}
    state: dict[tuple[str, ...], str] = {}
    for result in sorted(results, key=lambda r: r.provenance.date):
        latest[result.trial] = result
        state[_row_key(result)] = _state(result)
    return [
        latest[trial]
        for trial in sorted(latest)
        if _state(latest[trial]) == state[_row_key(latest[trial])]
    ]


def _state(result: Result) -> str:
    """What a result's data, encoder, probe and control were made of, whatever they are called;
    folds of a data set agree on it.
    """
    trial = result.trial
    named = {
        "task": trial.task,
        "encoder": trial.encoder,
        "probe": trial.probe,
        "control": trial.control,
    }
    return str(
        [_made_of(result.provenance.identity(kind, reference)) for kind, reference in named.items()]
    )


@lru_cache(maxsize=REMEMBERED)
def _made_of(identity: str) -> list[Any]:
    """Code and facts in an identity; of a task of version 0.1 whose examples stand for it, the code
    alone, and of a fold whose examples do, how many folds there are.
    """
    try:
        first, *rest = json.loads(identity)
        facts = list(json.loads(first)[1:]) if str(first).startswith("[") else rest
        return [shared_fact(str(fact)) for fact in facts]
    except ValueError:
        return [identity]


class MeasuredRow(NamedTuple):
    """One row with the results behind it, and their answers.

    answers  of all fits over all test examples
    fits     for each fit the results of all folds; those over other test examples are left out
    results  all of them
    copies   how many untrained copies of a model the fits are of; 0 for other rows
    """

    row: ResultRow
    answers: Answers
    fits: Repeats
    results: Sequence[Result]
    copies: int = 0

    @property
    def name(self) -> str:
        """What it is called in a comparison."""
        if self.row.encoder == CONSTANT:
            return CONSTANT
        return f"{self.row.encoder}{said_of(self.row.layer)}, {self.row.probe}"

    @property
    def result(self) -> Result:
        """The first of its results."""
        return self.fits[0][0]


class MeasuredResults(tuple[Result, ...]):
    """Results of which several tables are made that are no views of a frame yet: their rows are
    computed once.
    """

    @classmethod
    def of(cls, results: Iterable[Result]) -> MeasuredResults:
        """The frame of results; one that is one already stays as it is."""
        return results if isinstance(results, MeasuredResults) else cls(results)

    @cached_property
    def measurements(self) -> list[MeasuredRow]:
        """What `measure` returns."""
        return _measure(self)

    def select(self, rows: Iterable[ResultRow]) -> MeasuredResults:
        """The results behind some of the rows, which are not computed again."""
        ids = set(map(id, rows))
        chosen = [one for one in self.measurements if id(one.row) in ids]
        frame = MeasuredResults(result for one in chosen for result in one.results)
        frame.measurements = chosen
        return frame


def measure(results: Iterable[Result]) -> list[MeasuredRow]:
    """One row for all seeds, folds and samples of the same thing, in the order in which things
    first come, with the results behind it.
    """
    return results.measurements if isinstance(results, MeasuredResults) else _measure(results)


def rows(results: Iterable[Result]) -> list[ResultRow]:
    """The rows alone."""
    return [one.row for one in measure(results)]


def _measure(results: Iterable[Result]) -> list[MeasuredRow]:
    groups = groups_of(results)
    for group in groups.values():
        group.sort(key=lambda result: (result.trial.seed, result.trial.task))
    golds: dict[tuple[str, str], Column] = {}
    return [
        _measure_group(key, group, groups.get(_plain(key), ()), golds)
        for key, group in groups.items()
    ]


def groups_of(results: Iterable[Result]) -> dict[tuple[str, ...], list[Result]]:
    """All seeds, folds and samples of each thing, in the order of the rows."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        groups.setdefault(_row_key(result), []).append(result)
    return groups


def without_control(result: Result) -> tuple[str, ...]:
    """Stands for a row, and for the rows under controls that are beside it."""
    return _plain(_row_key(result))


def _plain(key: tuple[str, ...]) -> tuple[str, ...]:
    """What a control is beside: the same without it."""
    task, encoder, read, probe, _, metric = key
    return task, encoder, read, probe, NO_CONTROL, metric


def repeats(group: Iterable[Result]) -> list[list[Result]]:
    """Results of one thing by seed, sample and draw of the control, each the results of all folds;
    those over other test examples are left out.
    """
    return alike(_by_fit(group))


def _by_fit(group: Iterable[Result]) -> list[list[Result]]:
    fits: dict[tuple[int, str, str], list[Result]] = {}
    for result in sorted(group, key=lambda r: r.trial.task):
        trial = result.trial
        fit = trial.seed, option_of(trial.task, "sample"), trial.control
        fits.setdefault(fit, []).append(result)
    return list(fits.values())


def _row_key(result: Result) -> tuple[str, ...]:
    trial = result.trial
    return (
        strip_fold(trial.task),
        trial.encoder,
        trial.read,
        trial.probe,
        without_draw(trial.control),
        result.metric,
    )


def _measure_group(
    key: tuple[str, ...],
    group: Sequence[Result],
    plain: Sequence[Result],
    golds: dict[tuple[str, str], Column],
) -> MeasuredRow:
    """`golds` holds the labels of each test set, so that rows over the same one share them."""
    every = _by_fit(group)
    whole = alike(every)
    runs = _list_runs(whole)
    answers = join_predictions(runs)
    gold = golds.setdefault((key[0], digest_test_set(runs[0])), answers.gold)
    if are_equal(gold, answers.gold):
        answers = replace(answers, gold=gold)
    row = _row(key, whole, runs, answers, plain, left_out=len(every) - len(whole))
    return MeasuredRow(row, answers, whole, group)


def _list_runs(fits: Repeats) -> list[list[RunPredictions]]:
    """What the results of some fits predict."""
    return [list(map(RunPredictions.of, folds)) for folds in fits]


def _row(
    key: tuple[str, ...],
    whole: Repeats,
    runs: Sequence[Sequence[RunPredictions]],
    answers: Answers,
    plain: Sequence[Result],
    left_out: int,
) -> ResultRow:
    task, encoder, layer, probe, control, metric = key
    folds = whole[0]
    scored = answers.scores(metric) if len(folds) > 1 else [each[0].score for each in whole]
    low, high = _interval(whole, answers)
    rule, ruled = _rule(folds[0])
    return ResultRow(
        task=shorten_reference(TASKS, task),
        encoder=shorten_reference(ENCODERS, encoder),
        layer=layer,
        probe=shorten_reference(PROBES, probe),
        control=shorten_reference(CONTROLS, control),
        metric=metric,
        score=PERCENT * float(np.mean(scored)),
        low=PERCENT * low,
        high=PERCENT * high,
        majority=PERCENT * _majority(folds),
        n=len(answers.gold),
        folds=len(folds),
        rule=rule,
        ruled=ruled,
        clusters=", ".join(answers.clusters),
        average_precision=_average_precision(metric, answers),
        **_recall(metric, whole),
        tied=float(np.mean(answers.tied)) if answers.tied else math.nan,
        posed=describe_question(runs[0], answers.gold),
        tested=digest_test_set(runs[0]),
        missing=missing(folds),
        left_out=left_out,
        computed=describe_computation(run for each in runs for run in each),
        constant_token=folds[0].provenance.constant_tokens.get(layer, ""),
        kind=get_encoder_kind(folds[0]),
        holds=folds[0].provenance.oracle,
        is_seeded=is_seeded(folds[0]),
        **_fits(whole),
        **counts(runs[0]),
        **_code([r for each in whole for r in each]),
        **_model([r for each in whole for r in each]),
        **unread(runs[0]),
        **measure_memorization(metric, runs, _list_runs(repeats(plain))),
    )


def _average_precision(metric: str, answers: Answers) -> float:
    """What stands beside AUROC; NaN beside other metrics."""
    if metric != RANKING:
        return math.nan
    return PERCENT * float(np.mean(answers.scores("average-precision")))


def _recall(metric: str, whole: Repeats) -> dict[str, Any]:
    """Recall at rates of false positives beside AUROC, with the rates that were achieved, each the
    mean over fits.
    """
    if metric != RANKING:
        return {}
    counts = [
        [result.provenance.choice.part(ThresholdCounts) or ThresholdCounts() for result in folds]
        for folds in whole
    ]
    every = [recall_at_rates(folds) for folds in counts]
    found: dict[str, Any] = {}
    for rate in FALSE_POSITIVE_RATES:
        recall, achieved = np.mean([fit[rate] for fit in every], 0).tolist()
        found[f"recall_at_{PERCENT * rate:.0f}"] = PERCENT * recall
        found[f"achieved_{PERCENT * rate:.0f}"] = PERCENT * achieved
    return found


def _majority(folds: Sequence[Result]) -> float:
    """What the best constant scores, over folds of different sizes."""
    return float(np.average([r.majority for r in folds], weights=[r.n for r in folds]))


def _fits(whole: Sequence[Sequence[Result]]) -> dict[str, Any]:
    """How many seeds, draws of the control and samples of the training data there are."""
    trials = [each[0].trial for each in whole]
    samples = [option_of(trial.task, "sample") for trial in trials]
    return {
        "seeds": len({(t.seed, sample) for t, sample in zip(trials, samples, strict=True)}),
        "draws": len({trial.control for trial in trials}),
        "samples": len(set(samples)),
    }


def get_encoder_kind(result: Result) -> Kind:
    """What the encoder of a result is; results of earlier versions do not say, so that it is asked
    what their reference names.
    """
    said = (
        "baseline"
        if result.trial.read == LEXICAL
        else result.provenance.kind or kind_of_reference(result.trial.encoder)
    )
    return next((kind for kind in ORDER if kind == said), "trained")


def on_dev(results: Iterable[Result]) -> float:
    """What the probe scored on dev, mean over the results of one thing, by which layers are chosen;
    NaN where one does not say, and of folds, where a dev example of one is a test example of
    another.
    """
    scores = [
        math.nan if "/" in option_of(r.trial.task, "fold") else r.provenance.choice.dev
        for r in results
    ]
    return float(np.mean(scores)) if scores else math.nan


def is_seeded(result: Result) -> bool:
    """Whether the fit of a result depends on its seed; results of earlier versions do not say, so
    that it is asked of the probe where it is one of ours.
    """
    said = result.provenance.is_seeded
    return _needs_seeds(result.trial.probe) if said is None else said


@lru_cache
def _needs_seeds(probe: str) -> bool:
    try:
        return needs_of(PROBES.make(probe)).seeds
    except (ReferenceProblem, ImportError, AttributeError, OSError):
        return True  # results outlive plugins, and nobody's file is run for it


def _interval(whole: Sequence[Sequence[Result]], answers: Answers) -> tuple[float, float]:
    """The interval that was stored, or that of all seeds and folds; of the first where a score is
    no number.
    """
    first = whole[0][0]
    if len(whole) == len(whole[0]) == 1 and not (
        math.isnan(first.low) and not math.isnan(first.score)
    ):
        return first.low, first.high
    return answers.interval(first.metric)


def _code(results: Sequence[Result]) -> dict[str, Any]:
    """Mean length in bits of the codes for the labels that probes made, and how many times longer
    those without vectors are.
    """
    codes = [r.provenance.choice.part(Code) or Code() for r in results]
    bits = np.array([code.bits for code in codes])
    uniform = np.array([code.uniform for code in codes])
    prior = np.array([code.prior for code in codes])
    return {
        "bits": float(bits.mean()),
        "compression": float((uniform / bits).mean()),
        "over_prior": float((prior / bits).mean()),
    }


def _model(results: Sequence[Result]) -> dict[str, Any]:
    """Which models a probe chose, and the log losses that it compared, as text."""
    parts = [r.provenance.choice.part(MembersCompared) or MembersCompared() for r in results]
    losses = [f"{name} {loss:.3f}" for name, loss in parts[0].losses.items()]
    models = dict.fromkeys(part.model for part in parts if part.model)
    return {"model": " or ".join(models), "compared": ", ".join(losses)}


def _rule(result: Result) -> tuple[str, float]:
    """The best of the rules of thumb that the task's notes have, and its score in percent."""
    rules = result.provenance.notes.rules
    best = max(rules, key=lambda name: float(rules[name]), default="")
    return best, PERCENT * float(rules[best]) if best else math.nan


@lru_cache(maxsize=REMEMBERED)
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
