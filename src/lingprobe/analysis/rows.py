"""Results -> rows: one a task, encoder, layer, probe and control, over all seeds and folds; of a
control that remembering words can answer, how it fares on words that train has and has not.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from lingprobe.analysis.answers import alike, digest_test_set, missing, together
from lingprobe.analysis.computing import describe_computation
from lingprobe.analysis.questions import describe_question
from lingprobe.analysis.row import NO_CONTROL, ORDER, PERCENT, Row
from lingprobe.data.core import Result, Trial, needs_of
from lingprobe.data.identity import shared_fact
from lingprobe.data.notes import Code, Controlled
from lingprobe.data.oracles import Kind
from lingprobe.data.references import REMEMBERED, ReferenceProblem, brief, parsed_or_none
from lingprobe.datasets.controls import CONTROLS, KEY_SEEN, without_draw
from lingprobe.encoders import ENCODERS, kind_of_reference
from lingprobe.metrics import METRICS, Answers, difference
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS

Repeats = Sequence[Sequence[Result]]
"""Results of one thing, for each fit those of all folds."""


def measure_memorization(metric: str, control: Repeats, plain: Repeats) -> dict[str, Any]:
    """Of a control that tags its keys: selectivity over the results without it, and scores by
    whether a key was seen; percent.
    """
    if any(KEY_SEEN not in result.strata for each in control for result in each):
        return {}
    answers = together(control)
    seen = np.stack([np.concatenate([_seen_keys(result) for result in folds]) for folds in control])
    control_note = control[0][0].provenance.notes.part(Controlled)
    measures: dict[str, Any] = {
        "keyed": (control_note and control_note.definition) or "",
        "keys_seen": 100 * float(seen.mean()),
    }
    for name, chosen in (("on_seen", seen), ("on_unseen", ~seen)):
        parts = [
            METRICS.make(metric)(gold.take(rows), predicted.take(rows))
            for gold, predicted, rows in zip(
                answers.golds, answers.predicted, map(np.flatnonzero, chosen), strict=True
            )
            if len(rows)
        ]
        if parts:
            measures[name] = 100 * float(np.mean(parts))
    if (
        plain
        and digest_test_set(plain[0]) == digest_test_set(control[0])
        and len((beside := together(plain)).gold) == len(answers.gold)
    ):
        value, low, high, *_ = difference(metric, beside, answers)
        measures |= {
            "selectivity": 100 * value,
            "selective_low": 100 * low,
            "selective_high": 100 * high,
        }
    return measures


def _seen_keys(result: Result) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether train has the key of each test example, [n]."""
    tags = result.strata[KEY_SEEN]
    return np.array([name == "yes" for name in tags.names])[tags.codes]


NAMED = 5  # classes of examples that were left out


def unread(folds: Sequence[Result]) -> dict[str, Any]:
    """What could not be read, of the data and by the encoder, and the version and format that say
    so.
    """
    counts = [result.provenance.counts for result in folds]
    unread = {
        "beyond": sum(each.beyond for each in counts),
        "unaligned": sum(each.unaligned for each in counts),
        "partial": sum(each.partial for each in counts),
        "held": sum(each.held for each in counts),
    }
    named = {f"{fate}_are": _left_out(folds, fate) for fate in ("beyond", "unaligned")}
    many, problem = folds[0].provenance.notes.malformed_sentences
    store = {
        "version": folds[0].provenance.version,
        "format": folds[0].provenance.format,
    }
    return {**unread, **named, **store, "malformed": many, "problem": problem}


def _left_out(folds: Sequence[Result], fate: str) -> str:
    """What was left out, as `test: 3 ARG1, 2 LOC`."""
    every: dict[str, Counter[str]] = {}
    for fold in folds:
        for split, labels in fold.provenance.counts.left_out.get(fate, {}).items():
            every.setdefault(split, Counter()).update(labels)
    return "; ".join(f"{split}: {_most(labels)}" for split, labels in every.items())


def _most(labels: Counter[str]) -> str:
    commonest = [f"{n:,} {name}".strip() for name, n in labels.most_common(NAMED)]
    rest = sum(labels.values()) - sum(n for _, n in labels.most_common(NAMED))
    return ", ".join(commonest) + (f" and {rest:,} others" if rest else "")


def counts(folds: Sequence[Result]) -> dict[str, Any]:
    """What was counted beside the score; of sentences, which folds share, the most."""
    counts = [result.provenance.counts for result in folds]
    return {
        "train": counts[0].train,
        "unusable": sum(each.unusable for each in counts),
        "unseen": sum(each.unseen for each in counts),
        "cut": max(each.cut for each in counts),
        "words": max(each.words or 0 for each in counts),
        "unknown": max(each.unknown or 0 for each in counts),
    }


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


def rows(results: Iterable[Result]) -> list[Row]:
    """One row for all seeds, folds and samples of the same thing, in the order in which things
    first come.
    """
    return [row for row, _ in rows_with_results(results)]


def rows_with_results(results: Iterable[Result]) -> list[tuple[Row, list[Result]]]:
    """The same rows, each with the results behind it."""
    groups = groups_of(results)
    return [(_row(key, mine, groups.get(_plain(key), ())), mine) for key, mine in groups.items()]


def groups_of(results: Iterable[Result]) -> dict[tuple[str, ...], list[Result]]:
    """All seeds, folds and samples of each thing, in the order of the rows."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        groups.setdefault(_row_key(result), []).append(result)
    return groups


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
        without_fold(trial.task),
        trial.encoder,
        trial.read,
        trial.probe,
        without_draw(trial.control),
        result.metric,
    )


def _row(key: tuple[str, ...], group: Sequence[Result], plain: Sequence[Result] = ()) -> Row:
    task, encoder, layer, probe, control, metric = key
    every = _by_fit(group)
    whole = alike(every)
    folds, answers = whole[0], together(whole)
    scored = answers.scores(metric) if len(folds) > 1 else [each[0].score for each in whole]
    low, high = _interval(whole, answers)
    rule, ruled = _rule(folds[0])
    return Row(
        task=brief(TASKS, task),
        encoder=brief(ENCODERS, encoder),
        layer=layer,
        probe=brief(PROBES, probe),
        control=brief(CONTROLS, control),
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
        posed=describe_question(folds, answers.gold),
        tested=digest_test_set(folds),
        missing=missing(folds),
        left_out=len(every) - len(whole),
        computed=describe_computation(result for each in whole for result in each),
        constant_token=folds[0].provenance.constant_tokens.get(layer, ""),
        kind=kind_of(folds[0]),
        holds=folds[0].provenance.oracle,
        is_seeded=is_seeded(folds[0]),
        **_fits(whole),
        **counts(folds),
        **_code([r for each in whole for r in each]),
        **unread(folds),
        **measure_memorization(metric, whole, repeats(plain)),
    )


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


def kind_of(result: Result) -> Kind:
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


def _rule(result: Result) -> tuple[str, float]:
    """The best of the rules of thumb that the task's notes have, and its score in percent."""
    rules = result.provenance.notes.rules
    best = max(rules, key=lambda name: float(rules[name]), default="")
    return best, PERCENT * float(rules[best]) if best else math.nan


@lru_cache(maxsize=REMEMBERED)
def without_fold(task: str) -> str:
    """A task's reference without its fold and with all samples of the training data in place of one
    (`sample=*/5`).

    Both are averaged over; what was trained on samples stays apart from what was trained on all.
    """
    parsed = parsed_or_none(task)
    if parsed is None:
        return task
    options = (
        (key, f"*/{value.partition('/')[2]}" if key == "sample" and "/" in value else value)
        for key, value in parsed.without("fold").options
    )
    return str(replace(parsed, options=tuple(options)))


def option_of(task: str, key: str) -> str:
    """The value of an option in a task's reference, '' without."""
    parsed = parsed_or_none(task)
    return "" if parsed is None else dict(parsed.options).get(key, "")
