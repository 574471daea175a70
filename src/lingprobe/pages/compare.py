"""Comparisons as tables: paired differences over the same test examples, each with its verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from lingprobe.analysis import computing
from lingprobe.analysis.answers import (
    describe_differences,
    few_seeds_note,
    has_few_seeds,
    mark_test_sets,
)
from lingprobe.analysis.comparable import ComparedRow
from lingprobe.analysis.comparison import (
    ALL_PAIRS_SCOPE,
    ComparisonDecision,
    ComparisonFamily,
    OrderChanges,
    decide_comparisons,
)
from lingprobe.analysis.contests import DEFAULT_CORRECTION, Test, Verdict
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import UsageProblem
from lingprobe.metrics.letters import assign_letters
from lingprobe.metrics.multiplicity import CORRECTION_NAMES, SIGNIFICANCE_LEVEL
from lingprobe.pages.captions import name_encoders, shorten_task
from lingprobe.pages.orders import order_notes
from lingprobe.pages.records import format_csv
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
    format_p_value,
)

_WORDS = frozenset({"score of", "scores", "question", "verdict"})
DIFFERENCE_TESTS: Mapping[Test, str] = {
    "t": "intervals and p values are paired",
    "permutation": (
        "p values are from a permutation test, which swaps the answers of the two and treats"
        " seeds as fixed; intervals are paired, and may differ from it where p is close to 0.05"
    ),
    "bootstrap": (
        "intervals and p values are from a paired bootstrap over the test examples, which treats"
        " seeds as fixed"
    ),
}
"""How a difference is tested, and what a table says of it."""


@dataclass(frozen=True, slots=True)
class ComparedScores:
    """The difference between two scores, first minus second, in percent, over the n test examples
    of both; the second may be the best of several, with which the first was compared.

    low, high         the 95 % interval of the difference, corrected as p is
    p                 uncorrected; `corrected` for all comparisons of the family
    verdict           better, worse, or no significant difference, at a corrected p of 0.05; 'solved
                      by a baseline' or 'too few clusters' where neither can be said
    question          what is asked of an encoder: decodable, or beyond the surface; '' of pairs
    against           the number of scores that the first was compared with
    detectable        the smallest difference that these test examples would detect with a power of
                      80 %, after the correction
    clusters          the groups of test examples that interval and p take into account
    tested, missing   a hash of the test examples, and the missing folds, as 'fold 3 of 3'
    computed          the processors and precisions of both scores
    width             the numbers of the narrower of two encoders' vectors, where these are unlike
                      and the wider one was also read on as many random directions; 0 otherwise
    width_difference  the difference at that width, with its interval `width_low`, `width_high`
    is_unlike         whether the vectors have unlike numbers
    """

    task: str
    metric: str
    first: str
    second: str
    difference: float
    low: float
    high: float
    p: float
    corrected: float
    verdict: Verdict
    n: int
    first_score: float
    second_score: float
    detectable: float
    first_seeds: int
    second_seeds: int
    clusters: str
    question: str = ""
    against: int = 1
    tested: str = ""
    missing: str = ""
    computed: str = ""
    width: int = 0
    width_difference: float = math.nan
    width_low: float = math.nan
    width_high: float = math.nan
    is_unlike: bool = False


class Comparison(NamedTuple):
    """What was compared, and in words what could not be; printing it shows the table.

    family             how many comparisons p values and intervals are corrected for, and of what
    few_seeds          whether a fit varies with its seed by more than was measured
    remarks            what there is to say of the results that were read
    correction, test   as `compare` was asked for
    orders             which pairs of encoders change order between probes
    """

    found: tuple[ComparedScores, ...]
    family: str = ""
    few_seeds: bool = False
    left_out: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    correction: str = DEFAULT_CORRECTION
    test: Test = "t"
    orders: OrderChanges = OrderChanges()

    @property
    def page(self) -> Page[tuple[ComparedScores, ...]]:
        """The table of what was compared, in every format."""
        return Page(
            self.found,
            lambda: [tabulate_comparisons(self)],
            {"csv": lambda: format_csv(self.found)},
            remarks=self.remarks,
        )

    @property
    def letters(self) -> Page[tuple[ComparedScores, ...]]:
        """The scores of each task, with letters that those share that do not differ significantly;
        UsageProblem if not all pairs were compared.
        """
        if ALL_PAIRS_SCOPE not in self.family:
            raise UsageProblem(
                "letters need the comparisons of all pairs: compare(..., pairs=True)"
            )
        return Page(self.found, lambda: [letter_table(self)], remarks=self.remarks)

    def __repr__(self) -> str:
        return f"Comparison({self.family})"

    def __str__(self) -> str:
        return str(self.page)

    def _repr_html_(self) -> str:
        return self.page._repr_html_()


def answer_questions(
    questions: ComparisonFamily,
    correction: str = DEFAULT_CORRECTION,
    test: Test = "t",
    remarks: tuple[str, ...] = (),
) -> Comparison:
    """The answers to questions about results, with what there is to say of these; DataProblem where
    nothing can be compared.
    """
    left_out = tuple(f"{shorten_task(task)}: {why}" for task, why in questions.left_out)
    if not questions.asked:
        why = left_out[0] if left_out else "no task has two selected scores"
        raise DataProblem(f"nothing can be compared: {'; '.join([why.rstrip('.'), *remarks])}")
    answers = decide_comparisons(questions.asked, correction, test)
    places = [k for k, one in enumerate(questions.asked) if one.narrowed]
    at_width = [one.narrowed for one in questions.asked if one.narrowed]
    narrowed = dict(zip(places, decide_comparisons(at_width, correction, test), strict=True))
    rows = [one.row for asked in questions.asked for one in (asked.one, asked.best)]
    return Comparison(
        tuple(_describe_decision(one, narrowed.get(k)) for k, one in enumerate(answers)),
        questions.family,
        has_few_seeds(rows),
        left_out,
        remarks,
        correction,
        test,
    )


def _describe_decision(
    decision: ComparisonDecision, narrowed: ComparisonDecision | None
) -> ComparedScores:
    first, second = decision.question.one, decision.question.best
    clusters = {**first.answers.clusters, **second.answers.clusters}
    return ComparedScores(
        task=first.row.task,
        metric=first.row.metric,
        first=first.name,
        second=second.name,
        **decision.plain(),
        n=first.row.n,
        first_score=first.row.score,
        second_score=second.row.score,
        first_seeds=first.row.seeds,
        second_seeds=second.row.seeds,
        clusters=", ".join(clusters),
        question=decision.question.asks,
        against=len(decision.question.others),
        tested=first.row.tested or second.row.tested,
        missing=first.row.missing,
        computed=computing.all_of((first.row, second.row)),
        is_unlike=_have_unlike_widths(first, second),
        **_describe_width(narrowed),
    )


def _have_unlike_widths(first: ComparedRow, second: ComparedRow) -> bool:
    widths = {first.about.width, second.about.width}
    return len(widths) == 2 and 0 not in widths


def _describe_width(narrowed: ComparisonDecision | None) -> dict[str, Any]:
    """What is said of two encoders at one width."""
    if narrowed is None:
        return {}
    return {
        "width": narrowed.question.one.about.width,
        "width_difference": narrowed.difference,
        "width_low": narrowed.low,
        "width_high": narrowed.high,
    }


class _Columns(NamedTuple):
    """Which columns a table has that not all have."""

    question: bool
    size: bool
    width: bool


def tabulate_comparisons(comparison: Comparison) -> Table:
    """Comparisons as a table, one section a task; what all rows share stands above them."""
    called, probe = _name_rows(comparison)
    others = {called[one.second] for one in comparison.found}
    against = others.pop() if len(others) == 1 else ""
    tasks: dict[str, list[ComparedScores]] = {}
    for one in comparison.found:
        tasks.setdefault(one.task, []).append(one)
    sizes = any(len({one.n for one in mine}) > 1 for mine in tasks.values())
    asks = any(one.question for one in comparison.found)
    columns = _Columns(asks, sizes, any(one.width for one in comparison.found))
    sections: list[TableSection] = []
    tests: list[str] = []
    for task, mine in tasks.items():
        metric = "" if mine[0].metric == "accuracy" else f"{mine[0].metric}. "
        many = "" if sizes else f"n = {mine[0].n:,}. "
        clusters = f"Test examples are clustered by {mine[0].clusters}." if mine[0].clusters else ""
        rows = zip(mine, mark_test_sets(mine), strict=True)
        body = (_format_comparison(one, called, mark, against, columns) for one, mark in rows)
        sections.append(
            TableSection(shorten_task(task), tuple(body), f"{metric}{many}{clusters}".strip())
        )
        tests += describe_differences(mine, shorten_task(task))
    head = (
        "score of" if against else "scores",
        *(("question",) if asks else ()),
        *("difference", "95 % interval"),
        *(f"p ({CORRECTION_NAMES[comparison.correction]})", "verdict", "detectable"),
        *(("at one width",) if columns.width else ()),
        *(("n",) if sizes else ()),
    )
    read = f" with the probe {probe}" if probe else ""
    title = f"Differences{f' from {against}' if against else ''}{read}"
    orders = order_notes(comparison.orders)
    notes = (*_explain_comparison(comparison), *orders, *tests, *_note_uncompared(comparison))
    return Table(
        head,
        tuple(sections),
        _WORDS,
        notes,
        title if against or probe else "",
        caption=f"{title}, in percentage points and paired over the same test examples, with 95 %"
        f" intervals; p values and intervals are corrected"
        f" ({CORRECTION_NAMES[comparison.correction]}) for {comparison.family}.",
        label="tab:lingprobe-differences",
    )


_DETECTABLE = (
    "detectable: the smallest difference that these test examples show with a power of 80 %, after"
    " the correction."
)
_BEST = (
    "The second score is that of the best baseline. better: than every baseline of the question,"
    " including the constant answer. worse: than at least one of them."
)


def _explain_comparison(comparison: Comparison) -> Iterator[str]:
    """What the columns of a comparison mean."""
    yield (
        "difference: the first score minus the second, in percentage points, over the same test"
        f" examples; {DIFFERENCE_TESTS[comparison.test]}."
    )
    if any(one.against > 1 for one in comparison.found):
        yield _BEST
    yield (
        f"p ({CORRECTION_NAMES[comparison.correction]}): corrected for {comparison.family}; so are"
        " the intervals. no significant difference: p is 0.05 or above. --format csv has the"
        " uncorrected p."
    )
    yield _DETECTABLE
    yield from _width_notes(comparison)
    if comparison.few_seeds:
        yield few_seeds_note("seed", ", intervals")


def _width_notes(comparison: Comparison) -> Iterator[str]:
    narrowed = [one for one in comparison.found if one.width]
    if narrowed:
        yield (
            "at one width: the difference where the wider vectors are projected on as many random"
            f" directions as the narrower have numbers, corrected for {len(narrowed):,} of these."
        )
    elif ALL_PAIRS_SCOPE in comparison.family and any(one.is_unlike for one in comparison.found):
        yield (
            "Some vectors are wider than others: with the width N of the narrower, `--layers layers"
            " randomN` also compares them at one width."
        )


def _format_width(one: ComparedScores) -> str:
    if not one.width:
        return "–"
    low, high = format_number(one.width_low), format_number(one.width_high)
    return f"{one.width_difference:+.1f} [{low}, {high}] at {one.width:,}"


def _note_uncompared(comparison: Comparison) -> Iterator[str]:
    """What else there is to say, and what was not compared."""
    yield from computing.describe_computing_differences(
        computing.find_computing_differences(comparison.found)
    )
    yield from (f"not compared: {why}" for why in comparison.left_out)


def letter_table(comparison: Comparison) -> Table:
    """Scores with their letters as a table, one section a task, the best score first."""
    sections = []
    called, probe = _name_rows(comparison)
    for task in dict.fromkeys(one.task for one in comparison.found):
        mine = [one for one in comparison.found if one.task == task]
        scores = {one.first: (one.first_score, one.n) for one in mine}
        scores |= {one.second: (one.second_score, one.n) for one in mine}
        ordered = sorted(scores, key=lambda name: -scores[name][0])
        told = [(one.first, one.second) for one in mine if one.verdict in ("better", "worse")]
        of = assign_letters(ordered, told)
        body = tuple(
            (called[x], format_number(scores[x][0]), of[x], f"{scores[x][1]:,}") for x in ordered
        )
        sections.append(TableSection(shorten_task(task), body))
    notes = (
        "Two scores of a task that share a letter do not differ significantly: the p value of"
        f" their difference is {SIGNIFICANCE_LEVEL:g} or above, corrected for {comparison.family}"
        f" ({CORRECTION_NAMES[comparison.correction]}). This does not show that they are equal.",
        f"{DIFFERENCE_TESTS[comparison.test].capitalize()}.",
        *(f"not compared: {why}" for why in comparison.left_out),
    )
    words = frozenset({"score of", "letters"})
    title = f"Scores with the probe {probe}" if probe else ""
    return Table(("score of", "score", "letters", "n"), tuple(sections), words, notes, title)


def _name_rows(comparison: Comparison) -> tuple[dict[str, str], str]:
    """What tables call the rows that were compared: encoders by the names of other tables; and the
    probe of all rows, which is then not repeated, '' if they have several.
    """
    rows = {
        name: name.partition(", ") for one in comparison.found for name in (one.first, one.second)
    }
    brief = name_encoders(dict.fromkeys(encoder for encoder, _, _ in rows.values()))
    called = {
        name: brief.get(encoder, encoder) + comma + rest
        for name, (encoder, comma, rest) in rows.items()
    }
    probes = {name.rpartition(", ")[2] for name in rows}
    probe = probes.pop() if len(probes) == 1 else ""
    return {name: told.removesuffix(f", {probe}") for name, told in called.items()}, probe


def _format_comparison(
    one: ComparedScores, called: Mapping[str, str], mark: str, against: str, columns: _Columns
) -> tuple[str, ...]:
    return (
        called[one.first] if against else f"{called[one.first]} − {called[one.second]}",
        *((one.question,) if columns.question else ()),
        f"{one.difference:+.1f}{mark}",
        f"{format_number(one.low)} – {format_number(one.high)}",
        format_p_value(one.corrected),
        one.verdict,
        format_number(one.detectable),
        *((_format_width(one),) if columns.width else ()),
        *((f"{one.n:,}",) if columns.size else ()),
    )
