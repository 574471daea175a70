"""The table of scores: a section a task, a line for each thing measured, and what has to be said of
them below.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lingprobe.analysis import computing
from lingprobe.analysis.answers import (
    describe_differences,
    describe_interval_base,
    mark_test_sets,
)
from lingprobe.analysis.frame import FrameRow
from lingprobe.analysis.row import CONSTANT_ENCODER, NO_CONTROL, PERCENT_SCALE
from lingprobe.data.references import summarise_docstring
from lingprobe.datasets.controls import CONTROLS, at_chance
from lingprobe.metrics import null_share
from lingprobe.pages.captions import (
    by_kind,
    describe_sources,
    explain_oracles,
    format_heading,
    kind_rules,
    name_encoders,
    shorten_task,
    warn_of_oracles,
    with_names,
)
from lingprobe.pages.cautions import control_notes, length_notes, model_notes
from lingprobe.pages.descriptions import get_question
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

_LOST = (
    "excluded: not encoded",
    "excluded: about words truncated at the encoder's maximum length",
    "excluded: about words without a vector",
    "read in part: some of the words have no vector",
    "excluded: about sentences that an eraser was fitted on",
)
"""What is said of examples that were counted, in the order of `_lost_examples`."""
_WORDS = frozenset({"encoder", "probe", "computed"})
_ENOUGH = 20  # control cells before their share outside an interval means anything


def tabulate_scores(
    rows: Sequence[FrameRow],
    questions: Mapping[str, str] | None = None,
    strong: frozenset[tuple[str, ...]] = frozenset(),
) -> Table:
    """Scores by task, baselines first and oracles last, each with its interval, n and majority, and
    its score under each control; those that are `strong`, by task, encoder, layer and probe, are
    bold.
    """
    names = name_encoders(dict.fromkeys(row.encoder for row in rows))
    leading = {(task, names.get(encoder, encoder), *how) for task, encoder, *how in strong}
    rows = with_names(rows)
    plain = rows_without_control(rows)
    controls = _controls(rows)
    beside = {(*_what(row), row.control): row for row in rows}
    signs = signs_of(rows)
    seeds = len({row.seeds for row in plain if row.encoder != CONSTANT_ENCODER}) > 1
    code = any(row.bits == row.bits for row in plain)
    shown = ShownColumns(
        tuple(controls.values()),
        any(row.layer != "-" for row in plain),
        code,
        seeds,
        computing.find_computing_differences(plain),
        any(not math.isnan(row.average_precision) for row in plain),
        tuple(rate for rate in _RECALL if any(_format_recall(row, rate) for row in plain)),
    )
    more = [
        name
        for control, remembered in controls.items()
        for name in (control, *(_REMEMBERED if remembered else ()))
    ]
    head = (
        "encoder",
        *shown.layer("layer"),
        "probe",
        "score",
        "95 % interval",
        "majority",
        *shown.precision(_PRECISION),
        *map(_RECALL.__getitem__, shown.rates),
        *more,
        *shown.after,
        "n",
    )
    sections = []
    for task in dict.fromkeys(row.task for row in plain):
        mine = by_kind([row for row in plain if row.task == task])
        lines = [[row, *(beside.get((*_what(row), c)) for c in controls)] for row in mine]
        body = tuple(
            _format_score_line(line, [signs.get(id(row), "") for row in line], shown)
            for line in lines
        )
        line = get_row_question(mine, (questions or {}).get(task, ""))
        at = head.index("score")
        bold = {
            (r, at)
            for r, row in enumerate(mine)
            if (row.task, row.encoder, row.layer, row.probe) in leading
        }
        rules = kind_rules(mine)
        sections.append(
            TableSection(format_heading(mine), body, line, frozenset(bold), rules=rules)
        )
    return Table(head, tuple(sections), _WORDS, describe_scores(rows))


def rows_without_control(rows: Sequence[FrameRow]) -> list[FrameRow]:
    """A row for each thing measured, in the order in which things first come; without a score where
    only controls were measured.
    """
    plain = {_what(row): row for row in rows if row.control == NO_CONTROL}
    first: dict[tuple[str, ...], FrameRow] = {}
    for row in rows:
        first.setdefault(_what(row), row)
    return [plain.get(what) or _without_score(row) for what, row in first.items()]


def _without_score(row: FrameRow) -> FrameRow:
    unknown = {"score": math.nan, "low": math.nan, "high": math.nan}
    return row._replace(**unknown, control=NO_CONTROL, missing="")


def signs_of(rows: Sequence[FrameRow]) -> dict[int, str]:
    """The mark (`48.3*`) of each row (by id) over different test examples than most of its task and
    stratum, which is never compared.
    """
    signs: dict[int, str] = {}
    for mine in _together(rows).values():
        signs |= dict(zip(map(id, mine), mark_test_sets(mine), strict=True))
    return signs


def _together(rows: Sequence[FrameRow]) -> dict[tuple[str, str], list[FrameRow]]:
    """Rows whose scores stand below each other."""
    groups: dict[tuple[str, str], list[FrameRow]] = {}
    for row in rows:
        groups.setdefault((row.task, row.stratum), []).append(row)
    return groups


def test_notes(rows: Sequence[FrameRow]) -> list[str]:
    """What there is to say of the test examples that rows are over, and of fits that were over
    others.
    """
    notes = {
        text: None
        for (task, value), mine in _together(rows).items()
        for text in describe_differences(mine, _name_task(task, value))
    }
    left = {(row.task, row.encoder): row.left_out for row in rows if row.left_out}
    left_out = [
        f"{shorten_task(task)}, {encoder}: {_many(n, 'fit')} excluded, over different test"
        " examples."
        for (task, encoder), n in left.items()
    ]
    return [*notes, *left_out]


def _name_task(task: str, stratum: str) -> str:
    return shorten_task(task) + (f", {stratum}" if stratum else "")


def _what(row: FrameRow) -> tuple[str, ...]:
    return row.task, row.stratum, row.encoder, row.layer, row.probe, row.metric


def _format_score_line(
    line: Sequence[FrameRow | None], signs: Sequence[str], shown: ShownColumns
) -> tuple[str, ...]:
    """The cells of a row, which comes first, and of what its controls scored."""
    row, *controls = line
    assert row is not None
    sign, *others = signs
    remembered = zip(controls, others, shown.remembered, strict=True)
    beside = [
        cell
        for control, other, remembered in remembered
        for cell in _format_control_cells(control, other, remembered)
    ]
    unknown = row.high - row.low >= PERCENT_SCALE  # of too few clusters
    interval = "none" if unknown else f"{format_number(row.low)} – {format_number(row.high)}"
    coded = _format_code_cells(row) if shown.code else []
    seeds = ([str(row.seeds) if row.encoder != CONSTANT_ENCODER else ""]) if shown.seeds else []
    encoder = row.encoder + (f" ({row.version})" if row.format else "")
    how = [computing.format_computation(row, shown.computed)] if shown.computed else []
    cells = (
        format_number(row.score) + sign,
        interval,
        format_number(row.majority),
        *shown.precision(_precision(row)),
        *(_format_recall(row, rate) for rate in shown.rates),
        *beside,
        *coded,
        *seeds,
        *how,
    )
    return (encoder, *shown.layer(row.layer), row.probe, *cells, f"{row.n:,}")


class ShownColumns(NamedTuple):
    """Columns that a table has where some row has something to say in them; and of each control
    whether it can be remembered.
    """

    remembered: tuple[bool, ...]
    layers: bool
    code: bool
    seeds: bool
    computed: tuple[str, ...]
    ranked: bool
    rates: tuple[str, ...]

    def precision(self, cell: str) -> tuple[str, ...]:
        """The cell of the column of average precision, where there is one."""
        return (cell,) if self.ranked else ()

    def layer(self, cell: str) -> tuple[str, ...]:
        """The cell of the column of layers, where there is one."""
        return (cell,) if self.layers else ()

    @property
    def after(self) -> tuple[str, ...]:
        """The columns after those of the controls."""
        return (
            *(_CODE if self.code else ()),
            *(["seeds"] * self.seeds),
            *(["computed"] * bool(self.computed)),
        )


def _precision(row: FrameRow) -> str:
    return "" if math.isnan(row.average_precision) else format_number(row.average_precision)


def _recall(row: FrameRow, rate: str) -> tuple[float, float]:
    """Recall at a rate of false positives, and the rate that was achieved."""
    if rate == "1":
        return row.recall_at_1, row.achieved_1
    return row.recall_at_5, row.achieved_5


def _format_recall(row: FrameRow, rate: str) -> str:
    recall, achieved = _recall(row, rate)
    return "" if math.isnan(recall) else f"{format_number(recall)} ({format_number(achieved)})"


_PRECISION = "avg. precision"
"""The column beside AUROC."""
_RECALL = {"1": "recall at 1 % FPR", "5": "recall at 5 % FPR"}
"""Further ones, by the rate of false positives in percent."""
_REMEMBERED = ("key seen", "unseen", "selectivity")
"""Columns beside a control that can be answered by remembering words."""
_CODE = ("kbit", "compression", "over prior")


def _controls(rows: Sequence[FrameRow]) -> dict[str, bool]:
    """The controls, and of each whether it can be answered by remembering words, so that a probe is
    selective that cannot.
    """
    keyed: dict[str, bool] = {}
    for row in rows:
        if row.control != NO_CONTROL:
            keyed[row.control] = keyed.get(row.control, False) or not math.isnan(row.keys_seen)
    return keyed


def _format_control_cells(control: FrameRow | None, sign: str, remembered: bool) -> list[str]:
    """The cells of one control: its score, and where it can be remembered, that on keys that train
    has and has not, and selectivity.
    """
    if control is None:
        return [""] * (1 + len(_REMEMBERED) * remembered)
    if not remembered:
        return [format_number(control.score) + sign]
    sure = (control.selective_high - control.selective_low) / 2
    selectivity = (
        "–"
        if math.isnan(control.selectivity)
        else f"{format_number(control.selectivity)} ± {format_number(sure)}"
    )
    return [
        format_number(control.score) + sign,
        format_number(control.on_seen),
        format_number(control.on_unseen),
        selectivity,
    ]


def _format_code_cells(row: FrameRow) -> list[str]:
    """The cells about a code for the training labels."""
    if math.isnan(row.bits):
        return [""] * len(_CODE)
    return [
        f"{row.bits / 1000:,.1f}",
        *("–" if math.isnan(x) else f"{x:.2f}" for x in (row.compression, row.over_prior)),
    ]


def get_row_question(rows: Sequence[FrameRow], question: str = "") -> str:
    """The question of some rows, as given or as their task says, with `list_facts` as sentences."""
    facts = [f"{fact[0].upper()}{fact[1:]}." for fact in list_facts(rows)]
    if rows[0].metric != "accuracy":
        facts[0] = f"{rows[0].metric}."  # a name, which keeps its letters
    return " ".join([question or get_question(rows[0].task), *facts]).strip()


def list_facts(rows: Sequence[FrameRow]) -> list[str]:
    """The metric of some rows of a task, how many folds or samples they are over, what rules score,
    and what its classes consist of.
    """
    first = rows[0]
    folds, samples = max(row.folds for row in rows), max(row.samples for row in rows)
    facts = [first.metric] * (first.metric != "accuracy")
    facts += [f"{folds} folds"] * (folds > 1)
    facts += [f"{samples} samples of the training data"] * (samples > 1)
    if first.rule and first.control == NO_CONTROL:
        facts.append(f"best rule of thumb: {first.rule}, {format_number(first.ruled)}")
    if first.word_rule and first.control == NO_CONTROL:
        judged = "" if first.metric == "accuracy" else " % accuracy"
        right = f"{format_number(first.word_score)}{judged}"
        facts.append(f"best rule of one word: {first.word_rule}, {right}")
    if first.made_of:
        facts.append(f"composition of classes: {first.made_of}")
    return facts


_CODES = (
    "kbit: length in thousands of bits of a code for the training labels, given the vectors"
    " (Voita & Titov 2020).",
    "compression: how many times longer a code with uniform probabilities is. over prior: the"
    " same for a code that uses the label frequencies so far but no vectors; 1 means that the"
    " vectors do not help.",
)
_RANKS = (
    "auroc: how often an example of the rarer class scores above one of the other; chance is 50."
    " avg. precision: the mean precision over all thresholds; chance is the share of that class.",
)
_AT_RATES = (
    "recall at 5 % FPR: the share of the rarer class above a threshold that lets 5 % of the other"
    " class pass on dev; in brackets the false positive rate on test.",
)
_FOLDS = (
    "Folds share training examples: near chance, intervals of probes but linear are up to a quarter"
    " too narrow."
)


def describe_scores(rows: Sequence[FrameRow], of_table: Sequence[str] = ()) -> tuple[str, ...]:
    """Notes on scores, those first that a reader needs first: what they are means of; warnings; how
    to read the table (`of_table`); what baselines, oracles, controls and columns are.
    """
    rows = with_names(rows)
    return (_describe_scale(rows), *_warn(rows), *of_table, *_explain_scores(rows))


def _describe_scale(rows: Sequence[FrameRow]) -> str:
    """What scores are means of, and what their intervals are over."""
    seeds = sorted({row.seeds for row in rows if row.encoder != CONSTANT_ENCODER})
    counted = f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
    metrics = dict.fromkeys(row.metric for row in rows)
    unit = "percent" if [*metrics] == ["accuracy"] else "times 100"
    unit += f" ({', '.join(metrics)})" * (len(metrics) > 1)
    # each seed on each sample of the training data is one
    fit = "seed" if all(row.samples == 1 for row in rows) else "fit"
    if seeds[-1] == 1 and not any(row.is_seeded for row in rows):
        mean = "of one trained probe, as training is deterministic"
    else:
        mean = f"the mean of {counted} {fit}{'s' * (seeds[-1] > 1)}"
    return f"Scores are {unit}, {mean}; {describe_interval_base(fit, rows)}"


def _warn(rows: Sequence[FrameRow]) -> tuple[str, ...]:
    """Warnings: which examples were excluded, what is not comparable, and which controls, oracles
    and intervals are not as they should be.
    """
    fitted = [row for row in rows_without_control(rows) if row.encoder != CONSTANT_ENCODER]
    return (
        *_left_out(rows),
        *test_notes(rows),
        *describe_sources(rows, shorten_task),
        *computing.describe_computing_differences(
            computing.find_computing_differences(rows_without_control(rows))
        ),
        *warn_of_oracles(rows),
        *_chance(rows),
        *length_notes(rows),
        *([_FOLDS] if any(row.folds > 1 and math.isnan(row.tied) for row in fitted) else ()),
    )


def _explain_scores(rows: Sequence[FrameRow]) -> tuple[str, ...]:
    """What baselines, oracles, controls, probes and columns are."""
    controls = [
        f"{control}: {_describe_control(control)}"
        for control in dict.fromkeys(row.control for row in rows)
        if control != NO_CONTROL
    ]
    versions = [
        f"({v}): measured by that version of lingprobe."
        for v in sorted({r.version for r in rows if r.format})
    ]
    return (
        *explain_oracles(rows),
        *controls,
        *control_notes(rows),
        *model_notes(rows),
        *(_RANKS if any(not math.isnan(row.average_precision) for row in rows) else ()),
        *(_AT_RATES if any(not math.isnan(row.recall_at_5) for row in rows) else ()),
        *(_CODES if any(row.bits == row.bits for row in rows) else ()),
        *versions,
    )


def _lost_examples(row: FrameRow) -> tuple[tuple[int, str], ...]:
    """How many examples each fate of `_LOST` befell, and which they are where that is known."""
    return (
        (row.unusable, row.unusable_are),
        (row.beyond, row.beyond_are),
        (row.unaligned, row.unaligned_are),
        (row.partial, ""),
        (row.held, ""),
    )


def _left_out(rows: Sequence[FrameRow]) -> Iterator[str]:
    """What of the data could not be used as it is: excluded, never learnt, or cut."""
    for place, fate in enumerate(_LOST):
        counted = {
            (row.task, row.encoder): _lost_examples(row)[place]
            for row in rows
            if _lost_examples(row)[place][0]
        }
        for (task, encoder), (count, are) in counted.items():
            lost = f"{_many(count, 'example')} {fate}{f' ({are})' if are else ''}"
            yield f"{shorten_task(task)}, {encoder}: {lost}."
    for row in {row.task: row for row in rows if row.malformed}.values():
        unread = _unread(row.malformed)
        yield f"{shorten_task(row.task)}: {unread} skipped; the first: {row.problem}."
    unseen = {row.task: row.unseen for row in rows if row.unseen and row.control == NO_CONTROL}
    for task, n in unseen.items():
        many = _many(n, "test example")
        yield (
            f"{shorten_task(task)}: {many} of a class that is not in train, which no probe can get"
            " right."
        )
    for encoder, n in {row.encoder: row.cut for row in rows if row.cut}.items():
        yield f"{encoder}: {_many(n, 'sentence')} cut at the encoder's maximum length."


def _unread(count: int) -> str:
    return (
        "1 sentence could not be read and was"
        if count == 1
        else f"{count:,} sentences could not be read and were"
    )


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun} was" if count == 1 else f"{count:,} {noun}s were"


def _chance(rows: Sequence[FrameRow]) -> list[str]:
    """How shuffled labels fared against what chance allows, where there are enough cells to say."""
    shuffled = [row for row in rows if row.metric == "accuracy" and at_chance(row.control)]
    cells = [(row.low, row.high, row.majority) for row in shuffled]
    if len(cells) < _ENOUGH:
        return []
    null = null_share(cells, [(row.task, row.control) for row in shuffled])
    away = [
        abs(low + high - 2 * null) / 2 / max((high - low) / 2 / 1.96, 1e-9)
        for low, high, null in cells
    ]
    return [
        f"{null.outside} of {null.cells} shuffled scores ({null.share:.0%}) have an interval that"
        f" excludes the majority baseline; 5% are expected by chance (p = {null.p:.2f}; rows of a"
        f" task share one permutation). The farthest is {max(away):.1f} standard errors away."
    ]


def _describe_control(control: str) -> str:
    """The first paragraph of a control's description; a report runs nobody's files, so what comes
    from one is not described.
    """
    name = control.partition(",")[0].partition(":")[0]
    known = name in CONTROLS.places() and "@" not in name
    return (
        summarise_docstring(CONTROLS.find(name))
        if known
        else ("the score with labels that have no linguistic content.")
    )
