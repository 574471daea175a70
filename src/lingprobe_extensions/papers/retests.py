"""What results say of the claims of papers, by scores of encoders that stand for a paper's rows:
their differences are paired over the same test examples.

Several trainings of one recipe count as one encoder with their mean score. How much trainings vary
is pooled over all cells of which there are several, and added to what test examples leave open.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np

from lingprobe import Reference, Result, ResultFrame, UsageProblem
from lingprobe.extend import (
    ComparedRow,
    FitAnswers,
    Suite,
    compute_scores,
    explain_mismatch,
    get_contents,
    group_rows_by_task,
    list_languages,
    shorten_reference,
    try_parse_reference,
)
from lingprobe.extend import contrast as metric_contrast
from lingprobe_extensions.papers.claim_tests import (
    PAPERS_WITH_CLAIMS,
    EstimatedDifference,
    Judgement,
    TestedClaim,
    decide_claim,
    judge_claims,
    tested_on,
    untested_claim,
)
from lingprobe_extensions.papers.claims import (
    CHANCE_CELL,
    EPOCH_RELATIONS,
    UNTESTED_RELATIONS,
    PaperClaim,
    ScoreContrast,
    match_items,
    read_claims,
)
from lingprobe_extensions.papers.stand_ins import (
    ARCHITECTURE_NAMES,
    OBJECTIVE_NAMES,
    StandIn,
    list_stand_ins,
    rows_of,
)
from lingprobe_extensions.papers.verdicts import (
    DifferenceEstimate,
    Verdict,
    student_reach,
    sum_differences,
)

VERDICT_WORDS: Mapping[Verdict, str] = {
    "supported": "reproduced",
    "contradicted": "not reproduced",
    "inconclusive": "inconclusive",
}
_SPOKEN = {"eng": "English", "pol": "Polish"}
_MORE = {"conneau2018": ("ud", "ud2019")}
"""Families whose tasks ask what a paper's columns of the same names ask, on other data."""
_BESIDE = {"conneau2018": "senteval-downstream"}
"""The suite of further tasks that a paper makes claims about; their scores are in its appendix."""
PAPERS_OWN_PROBE = "the paper's"
Names = Mapping[str, Sequence[str]]
"""The rows that encoders were said to stand for, by their reference."""
_LANGUAGES = {
    "conneau2018": ("English",),
    "ettinger2018": ("English",),
    "tenney2019": ("English",),
    "ud2019": ("English", "Polish"),
}


class PaperSetting(NamedTuple):
    """Scores that belong together: a paper's columns on one kind of data, read by one probe."""

    paper: str
    data: str
    probe: str


class PaperScore(NamedTuple):
    """A row of scores with its predictions, and the first of its results."""

    compared: ComparedRow
    result: Result


@dataclass
class SettingScores:
    """The scores of a setting: those of each encoder on each task, one for each training.

    why  the data are not the paper's; '' where they are
    """

    scores: dict[tuple[StandIn, str], list[PaperScore]] = field(default_factory=dict)
    why: str = ""

    @property
    def trainings(self) -> tuple[float, int]:
        """The variance of scores in percent squared between trainings of one recipe, pooled over
        cells, and its degrees of freedom.
        """
        several = [
            [one.compared.row.score for one in mine]
            for (who, _), mine in self.scores.items()
            if who.drawn and len(mine) > 1
        ]
        df = sum(len(scores) - 1 for scores in several)
        squares = sum(float(np.var(scores)) * len(scores) for scores in several)
        return (squares / df, df) if df else (0.0, 0)

    @property
    def encoders(self) -> list[StandIn]:
        """What was measured, in order."""
        return list(dict.fromkeys(who for who, _ in self.scores))

    @property
    def once(self) -> list[str]:
        """The rows of encoders that a seed decides and that were made but once."""
        alone = [who.row for (who, _), mine in self.scores.items() if who.drawn and len(mine) < 2]
        return list(dict.fromkeys(alone))


def retest_claims(
    results: Sequence[Result],
    papers: Sequence[str] = PAPERS_WITH_CLAIMS,
    named: Names | None = None,
    correction: str = "holm",
) -> tuple[list[TestedClaim], dict[PaperSetting, SettingScores]]:
    """What results say of the claims of some papers, and the scores by setting; claims that could
    not be tested come last, with the reason as their verdict.

    p values are corrected for all claims that were tested.
    """
    settings = collect_scores(results, papers, named or {})
    tested: dict[tuple[object, ...], Judgement | None] = {}
    lacking: list[TestedClaim] = []
    for claim in read_claims():
        here = {s: cells for s, cells in settings.items() if s.paper == claim.paper}
        mine = [one for s, cells in here.items() if (one := _judge_claim(claim, s, cells))]
        tested |= {(one.id, one.data, one.probe): (one, what) for one, what in mine}
        if claim.paper in papers and not mine:
            lacking.append(untested_claim(claim, _missing(claim, list(here.values()))))
    known = [one for one in judge_claims(list(tested.values()), VERDICT_WORDS, correction) if one]
    return [*known, *lacking], settings


def collect_scores(
    results: Sequence[Result], papers: Sequence[str], named: Names
) -> dict[PaperSetting, SettingScores]:
    """The scores that stand for cells of the papers' tables, by setting; baselines of a paper stand
    beside all that is over the same data.
    """
    settings: dict[PaperSetting, SettingScores] = {}
    floors: dict[PaperSetting, SettingScores] = {}
    known = {result.trial: result for result in results}
    tasks = group_rows_by_task(compute_scores(ResultFrame.of(results)))
    every = [one for task in tasks for one in task if not math.isnan(one.row.score)]
    scored = [PaperScore(one, known[one.fits[0][0].trial]) for one in every]
    for paper in papers:
        _, suite = list_suites(paper)
        for one in scored:
            if found := _locate_score(paper, one):
                setting, column, why = found
                floor = suite.floor_of(suite.paper.columns.index(column), one.result)
                into = floors if floor else settings
                cells = into.setdefault(
                    setting._replace(probe=PAPERS_OWN_PROBE) if floor else setting, SettingScores()
                )
                cells.why = cells.why or why
                for who in [StandIn(floor, floor)] if floor else _stands(paper, one, named):
                    cell = cells.scores.setdefault((who, column), [])
                    if not any(_same_training(one, other) for other in cell):
                        cell.append(one)
    for setting, cells in floors.items():
        beside = [s for s in settings if s[:2] == setting[:2]] or [setting]
        for each in beside:
            mine = settings.setdefault(each, SettingScores(why=cells.why))
            mine.scores |= cells.scores
    return settings


@functools.cache
def list_suites(paper: str) -> tuple[Suite, Suite]:
    """A paper's suite, and the same with all tasks that its claims are about."""
    suite: Suite = get_contents("suites").make(paper)
    more: list[Suite] = [get_contents("suites").make(_BESIDE[paper])] if paper in _BESIDE else []
    columns = (*suite.paper.columns, *(name for m in more for name in m.paper.columns))
    return suite, replace(
        suite,
        paper=replace(suite.paper, columns=columns),
        columns=(*suite.columns, *(column for m in more for column in m.columns)),
        families=(*suite.families, *_MORE.get(paper, ()), *(f for m in more for f in m.families)),
    )


def _locate_score(paper: str, one: PaperScore) -> tuple[PaperSetting, str, str] | None:
    """Where a score belongs, if its task has a column in the paper's table or is beside it: the
    setting, the column, and why it is not over the paper's data.
    """
    suite, wider = list_suites(paper)
    trial = one.result.trial
    place = wider.locate_task(trial.task)
    if place is None or _language(one) not in ("", *_LANGUAGES[paper]):
        return None
    known = suite.locate_task(trial.task, one.result)
    why = "they are another family of tasks" if known is None else known.why
    data = place.data
    if place.column >= len(suite.columns):  # tasks with data and splits of their own
        data = str(Reference("*", Reference.parse(data).argument))
    usual = wider.columns[place.column].probe
    same = bool(usual) and trial.probe == get_contents("probes").canonical(usual)
    probe = PAPERS_OWN_PROBE if same else shorten_reference(get_contents("probes"), trial.probe)
    return PaperSetting(paper, data, probe), wider.paper.columns[place.column], why


def _language(one: PaperScore) -> str:
    """The language of a score's task by its English name, '' where nobody says."""
    code = list_languages([one.result])[0]
    return "" if code == "und-Zyyy" else _SPOKEN.get(code.partition("-")[0], code)


def _stands(paper: str, one: PaperScore, named: Names) -> list[StandIn]:
    """The rows that an encoder stands for: as `--as` says, or as its name says."""
    trial = one.result.trial
    said = [row for row in named.get(trial.encoder, ()) if row in known_rows(paper)]
    rows = said or rows_of(paper, trial.encoder, trial.read, _language(one))
    known = one.result.provenance.checkpoint
    return list_stand_ins(trial.encoder, trial.read, tuple(rows), known.best if known else 0)


def _same_training(one: PaperScore, other: PaperScore) -> bool:
    """Whether two scores are of one trained encoder, under its name and after its best epoch."""
    parsed = [try_parse_reference(each.result.trial.encoder) for each in (one, other)]
    names = [str(each.without("epoch")) for each in parsed if each and each.name == "trained"]
    return len(names) > 1 and names[0] == names[1]


def _judge_claim(
    claim: PaperClaim, setting: PaperSetting, cells: SettingScores
) -> Judgement | None:
    """What the scores of a setting say of a claim, before correction."""

    def estimate_contrast(
        contrast: ScoreContrast[StandIn], claim: PaperClaim
    ) -> EstimatedDifference | None:
        return _estimate_difference(contrast, claim, cells)

    tasks = list_suites(claim.paper)[1].paper.columns
    if claim.relation in EPOCH_RELATIONS:
        groups = _along_epochs(claim, cells)
        one = decide_claim(claim, [[[[contrast]]] for contrast in groups], estimate_contrast)
    else:
        one = tested_on(claim, _whole(cells), tasks, _get_row_name, estimate_contrast)
    if one is None:
        return None
    # a claim about baselines alone is the same beside every probe
    probe = PAPERS_OWN_PROBE if _about_floors(claim, cells) else setting.probe
    return replace(one[0], data=setting.data, probe=probe), one[1]


def _about_floors(claim: PaperClaim, cells: SettingScores) -> bool:
    """Whether a claim is about baselines of the paper alone."""
    sides = [claim.first, *([claim.second] if claim.level is None else [])]
    found = [item for side in sides for item in match_items(side, cells.encoders, _get_row_name)]
    return all(who == StandIn(who.row, who.row) for item in found for _, who in item.rows)


def _get_row_name(who: StandIn) -> str:
    return who.row


def _along_epochs(claim: PaperClaim, cells: SettingScores) -> list[ScoreContrast[StandIn]]:
    """Of each encoder that was measured after several epochs, the last against the first."""
    courses: dict[tuple[str, str], list[StandIn]] = {}
    for item in match_items(claim.first, _several(cells), _get_row_name):
        who = item.rows[0][1]
        courses.setdefault((who.row, who.recipe), []).append(who)
    contrasts = []
    for (row, _), mine in courses.items():
        first, last = min(mine, key=_epoch), max(mine, key=_epoch)
        names = f"{row}, epoch {last.epoch}", f"epoch {first.epoch}"
        contrasts += [
            ScoreContrast(*names, ((1.0, last, task),), ((1.0, first, task),))
            for task in claim.tasks.split("; ")
        ]
    return contrasts


def _whole(cells: SettingScores) -> list[StandIn]:
    """The encoders that were not asked for after some epoch."""
    return [who for who in cells.encoders if not who.epoch]


def _several(cells: SettingScores) -> list[StandIn]:
    """The encoders after an epoch of which there are others after another one."""
    asked = [who for who in cells.encoders if who.epoch]
    many = Counter((who.row, who.recipe) for who in asked)
    return [who for who in asked if many[who.row, who.recipe] > 1]


def _epoch(who: StandIn) -> int:
    return who.epoch


def _estimate_difference(
    contrast: ScoreContrast[StandIn], claim: PaperClaim, cells: SettingScores
) -> EstimatedDifference | None:
    """A difference of scores: paired over the test examples of a task, those of several tasks taken
    as independent; with the variance between trainings.
    """
    if any((who, task) not in cells.scores for _, who, task in contrast.terms):
        return None
    parts = [_of_task(contrast, task, cells) for task in contrast.tasks]
    known = [part for part in parts if part]
    if len(known) < len(parts):
        return None
    between, df = cells.trainings
    weights = [w**2 / len(cells.scores[who, t]) for w, who, t in contrast.terms if who.drawn]
    if between and weights:
        known.append(DifferenceEstimate(0.0, math.sqrt(between * sum(weights)), df))
    first, second = (_sum_side(side, cells) for side in (contrast.ours, contrast.theirs))
    if claim.second.startswith(CHANCE_CELL):
        second = sum(
            w * cells.scores[who, t][0].compared.row.majority for w, who, t in contrast.ours
        )
    elif claim.level is not None:
        second = claim.level
    spread = sum_differences(known)
    n = sum(
        min(cells.scores[who, of][0].compared.row.n for _, who, of in contrast.terms if of == task)
        for task in contrast.tasks
    )
    return EstimatedDifference(spread._replace(value=first - second), first, second, n)


def _sum_side(side: Sequence[tuple[float, StandIn, str]], cells: SettingScores) -> float:
    return sum(
        weight * float(np.mean([one.compared.row.score for one in cells.scores[who, task]]))
        for weight, who, task in side
    )


def _of_task(
    contrast: ScoreContrast[StandIn], task: str, cells: SettingScores
) -> DifferenceEstimate | None:
    """The part of a difference that is over the test examples of one task; None where scores are
    over different ones.
    """
    terms: list[tuple[float, FitAnswers]] = []
    every: list[PaperScore] = []
    for weight, who, of in contrast.terms:
        mine = cells.scores[who, of] if of == task else []
        every += mine
        terms += [(weight / len(mine), one.compared.answers) for one in mine]
    first = every[0].compared
    if any(explain_mismatch(first, other.compared) for other in every[1:]):
        return None
    found = metric_contrast(first.row.metric, terms)
    error = (found.high - found.low) / 2 / student_reach(found.df)
    return DifferenceEstimate(100.0 * found.value, 100.0 * error, found.df)


def _missing(claim: PaperClaim, here: Sequence[SettingScores]) -> str:
    """Why a claim was not tested."""
    if claim.relation in UNTESTED_RELATIONS:
        return UNTESTED_RELATIONS[claim.relation]
    tasks = {task for cells in here for _, task in cells.scores}
    asked = dict.fromkeys(task for side in claim.sides for task in side.split("; "))
    lost = [task for task in asked if task not in tasks]
    if not tasks:
        return "none of the paper's tasks was measured"
    if len(lost) == len(asked) or (lost and claim.over != "mean" and " / " in claim.tasks):
        return f"no score on {', '.join(lost)}"
    epochs = claim.relation in EPOCH_RELATIONS
    rows = [who for cells in here for who in (_several(cells) if epochs else _whole(cells))]
    sides = [claim.first, *([claim.second] if claim.level is None and claim.second else [])]
    gone = [side for side in sides if not match_items(side, rows, _get_row_name)]
    after = " after several epochs" if epochs else ""
    if gone:
        return f"no encoder for {' and for '.join(dict.fromkeys(gone))}{after}"
    return "no two of its scores are over the same test examples"


def known_rows(paper: str) -> frozenset[str]:
    """The rows of a paper's table, and those that encoders of lingprobe stand for beside them."""
    table = get_contents("suites").make(paper).paper
    printed = {b.row(line.name) for b in table.blocks for line in b.lines}
    ours = {
        f"{a}, {o}"
        for a in ARCHITECTURE_NAMES.values()
        for o in (*OBJECTIVE_NAMES.values(), "Untrained")
    }
    return frozenset(printed | (ours if paper == "conneau2018" else set()))


def match_row_names(name: str) -> list[str]:
    """The rows that somebody means: words in any order, whatever their case ('nmt en-fr
    bilstm-max'); UsageProblem for none.
    """
    every = dict.fromkeys(row for paper in PAPERS_WITH_CLAIMS for row in sorted(known_rows(paper)))
    meant = [row for row in every if _letters(row) == _letters(name)]
    if not meant:
        near = get_close_matches(name, every, 3, 0.3)
        raise UsageProblem(
            f"no paper has a row {name!r}" + (f": did you mean {'; '.join(near)}?" if near else "")
        )
    return meant


def _letters(row: str) -> list[str]:
    return sorted(re.findall(r"[^\s,]+", row.casefold()))
