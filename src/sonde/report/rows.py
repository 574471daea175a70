"""Results -> rows: one a task, encoder, layer, probe and control, over all seeds and folds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sonde.controls import CONTROLS
from sonde.core import Result, Trial
from sonde.encoders import ENCODERS, kind_of_reference
from sonde.identity import recorded
from sonde.metrics import Answers
from sonde.naming import brief, parsed_or_none
from sonde.oracles import Kind
from sonde.probes import PROBES
from sonde.report.computing import computed
from sonde.report.memory import remembered
from sonde.report.posed import NOTHING, Posed, posed
from sonde.report.tested import alike, missing, tested
from sonde.report.together import together
from sonde.report.unread import counts, unread
from sonde.tasks import TASKS

ORDER: Sequence[Kind] = ("baseline", "trained", "oracle")
"""How rows stand in a table: what is trivial, what is judged, what is possible."""
LEXICAL = "lex"  # the layer of an encoder that stands before all context, and is a baseline (Tenney et al. 2019, section 2)
PERCENT = 100.0
NO_CONTROL = "none"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table. Scores, interval and majority are percent: the metric's value times a hundred.

    kind           trained: an encoder that is judged; baseline, oracle: there for others to be compared with
    seeds, folds   how many the score is averaged over
    train, n       examples fitted on (in one fold), and examples the score is over (in all folds)
    unusable, cut  examples without a vector, and sentences that were read only in part
    unseen         examples of n whose class train lacks: wrong whatever the probe says
    samples        of the training data that were drawn; they are averaged over as seeds are, and seeds counts both
    selectivity    of a control that can be remembered: how much better the task itself is answered on the same examples, and how
    selective_low  sure that is (95 %, paired); what its labels are drawn for, what share of the test examples has a key that train
    selective_high has, and the scores of the control on these and on the others; NaN where there is none
    keyed
    keys_seen
    on_seen
    on_unseen
    stratum        what the examples have in common, where they are but some; '' for all
    expected       what all test examples score with labels weighted to be as frequent as in the stratum, how much higher the score of the
    over           stratum is than that, and the interval of this difference; NaN where there is none
    over_low
    over_high
    beyond         examples left out because their words lie behind the place where a sentence was cut
    unaligned      examples left out because the encoder has nothing for their words
    partial        examples of which some words were read and others, for which it has nothing, were not
    bits           length of a code for the training labels (`online:` probes), and by how much it is shorter than a code
    compression    under equal chances (Voita & Titov 2020), and than one that learns how frequent labels are but reads no
    over_prior     vectors; NaN where there is none
    malformed      sentences that could not be read from the data and were left out, and the first of them with the reason
    problem
    beyond_are     of which split and class those are that were left out so
    unaligned_are
    rule, ruled    the rule of thumb that is right most often, where the task has some, and what it scores
    clusters       what the test examples were drawn together by, which the interval knows, as 'sentence, words'; '' for nothing known
    words, unknown the words of the task's sentences, and those of them that the encoder does not know; 0 where it cannot tell
    posed          what is asked: classes, what they consist of, the best rule of one word, remarks on the sources
    tested         a digest of the test examples; scores with other digests are not to be compared
    missing        folds that were not measured, as 'fold 3 of 3'; '' where all were
    left_out       fits over other test examples than the score is over, such as seeds that lack a fold
    computed       the processor, and the precisions of encoder and probe where they have a choice
    version        of sonde that measured it
    format         of the store that it was kept in, where that is an earlier one; 0 for today's
    holds          what the vectors of an oracle hold
    """

    task: str
    encoder: str
    layer: str
    probe: str
    control: str
    metric: str
    score: float
    low: float
    high: float
    majority: float
    n: int
    seeds: int
    folds: int
    train: int
    unusable: int
    cut: int
    unseen: int
    kind: Kind = "trained"
    samples: int = 1
    stratum: str = ""
    expected: float = math.nan
    over: float = math.nan
    over_low: float = math.nan
    over_high: float = math.nan
    bits: float = math.nan
    compression: float = math.nan
    over_prior: float = math.nan
    selectivity: float = math.nan
    selective_low: float = math.nan
    selective_high: float = math.nan
    keyed: str = ""
    keys_seen: float = math.nan
    on_seen: float = math.nan
    on_unseen: float = math.nan
    beyond: int = 0
    unaligned: int = 0
    partial: int = 0
    rule: str = ""
    ruled: float = math.nan
    malformed: int = 0
    problem: str = ""
    beyond_are: str = ""
    unaligned_are: str = ""
    clusters: str = ""
    words: int = 0
    unknown: int = 0
    posed: Posed = NOTHING
    tested: str = ""
    missing: str = ""
    left_out: int = 0
    computed: str = ""
    version: str = ""
    format: int = 0
    holds: str = ""

    @property
    def read(self) -> str:
        """What was read of the encoder, in words: `, layer 3`, `, mix`; '' where there is nothing to choose."""
        return said_of(self.layer)

    @property
    def place(self) -> int:
        """Where the row stands among those of its task: baselines first, oracles last."""
        return ORDER.index(self.kind)


def said_of(read: str) -> str:
    """What was read, as it follows the name of an encoder."""
    return "" if read == "-" else f", layer {read}" if read.isdecimal() else f", {read}"


def newest(results: Iterable[Result]) -> list[Result]:
    """Results that belong together, ordered by trial: where data or code changed between runs, only those of the last state."""
    found: dict[Trial, Result] = {}
    state: dict[tuple[str, ...], str] = {}
    for result in sorted(results, key=lambda r: str(r.provenance.get("date", ""))):
        found[result.trial] = result
        state[_shared(result)] = _state(result)
    return [found[trial] for trial in sorted(found) if _state(found[trial]) == state[_shared(found[trial])]]


def _state(result: Result) -> str:
    """What a result's data, encoder, probe and control were made of, whatever they are called; folds of a data set agree on it."""
    trial = result.trial
    named = {"task": trial.task, "encoder": trial.encoder, "probe": trial.probe, "control": trial.control}
    return str([_made_of(recorded(result.provenance, kind, reference)) for kind, reference in named.items()])


def _made_of(identity: str) -> list[Any]:
    """Code and facts in an identity; of a task of version 0.1 whose examples stand for it, the code alone."""
    try:
        first, *rest = json.loads(identity)
        return list(json.loads(first)[1:]) if str(first).startswith("[") else rest
    except ValueError:
        return [identity]


def rows(results: Iterable[Result]) -> list[Row]:
    """One row for all seeds, folds and samples of the same thing, in the order in which things first come."""
    groups = groups_of(results)
    return [_row(key, group, groups.get(_plain(key), ())) for key, group in groups.items()]


def groups_of(results: Iterable[Result]) -> dict[tuple[str, ...], list[Result]]:
    """All seeds, folds and samples of each thing, in the order of the rows."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        groups.setdefault(_shared(result), []).append(result)
    return groups


def _plain(key: tuple[str, ...]) -> tuple[str, ...]:
    """What a control is beside: the same without it."""
    task, encoder, read, probe, _, metric = key
    return task, encoder, read, probe, NO_CONTROL, metric


def repeats(group: Iterable[Result]) -> list[list[Result]]:
    """Results of one thing by seed and sample, each the results of all folds; those over other test examples are left out."""
    return alike(_by_fit(group))


def _by_fit(group: Iterable[Result]) -> list[list[Result]]:
    found: dict[tuple[int, str], list[Result]] = {}
    for result in sorted(group, key=lambda r: r.trial.task):
        found.setdefault((result.trial.seed, _option(result.trial.task, "sample")), []).append(result)
    return list(found.values())


def _shared(result: Result) -> tuple[str, ...]:
    trial = result.trial
    return without_fold(trial.task), trial.encoder, trial.read, trial.probe, trial.control, result.metric


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
        majority=PERCENT * float(np.average([r.majority for r in folds], weights=[r.n for r in folds])),
        n=len(answers.gold),
        seeds=len(whole),
        folds=len(folds),
        samples=len({_option(each[0].trial.task, "sample") for each in whole}),
        rule=rule,
        ruled=ruled,
        clusters=", ".join(answers.clusters),
        posed=posed(folds, answers.gold),
        tested=tested(folds),
        missing=missing(folds),
        left_out=len(every) - len(whole),
        computed=computed(result for each in whole for result in each),
        **_kind(folds[0]),
        **counts(folds),
        **_code([r for each in whole for r in each]),
        **unread(folds),
        **remembered(metric, whole, repeats(plain)),
    )


def _kind(result: Result) -> dict[str, Any]:
    """What the encoder of a result is; results of earlier versions do not say, so that it is asked what their reference names."""
    said = "baseline" if result.trial.read == LEXICAL else result.provenance.get("kind") or kind_of_reference(result.trial.encoder)
    return {"kind": said if said in ORDER else "trained", "holds": str(result.provenance.get("oracle", ""))}


def _interval(whole: Sequence[Sequence[Result]], answers: Answers) -> tuple[float, float]:
    """The interval that was stored, or that of all seeds and folds; of the first where a score is no number."""
    first = whole[0][0]
    if len(whole) == len(whole[0]) == 1 and not (math.isnan(first.low) and not math.isnan(first.score)):
        return first.low, first.high
    return answers.interval(first.metric)


def _code(results: Sequence[Result]) -> dict[str, Any]:
    """Mean length in bits of the codes for the labels that probes made, and how many times longer those without vectors are."""
    codes = [r.provenance.get("choice", {}).get("code", {}) for r in results]
    bits, uniform, prior = (np.array([float(code.get(key, math.nan)) for code in codes]) for key in ("bits", "uniform", "prior"))
    return {"bits": float(bits.mean()), "compression": float((uniform / bits).mean()), "over_prior": float((prior / bits).mean())}


def _rule(result: Result) -> tuple[str, float]:
    """The best of the rules of thumb that the task's notes have, and its score in percent."""
    rules = dict(result.provenance.get("notes", {}).get("rules") or {})
    best = max(rules, key=lambda name: float(rules[name]), default="")
    return best, PERCENT * float(rules[best]) if best else math.nan


def without_fold(task: str) -> str:
    """A task's reference without its fold and with all samples of the training data in place of one (`sample=*/5`).

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


def _option(task: str, key: str) -> str:
    """The value of an option in a task's reference, '' without."""
    parsed = parsed_or_none(task)
    return "" if parsed is None else dict(parsed.options).get(key, "")
