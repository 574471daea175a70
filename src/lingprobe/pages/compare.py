"""Whether scores differ: paired differences over the same test examples, with intervals and p
values corrected for their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, NamedTuple

from lingprobe.analysis import computing
from lingprobe.analysis.answers import differences, marks
from lingprobe.analysis.paired import Measured, apart, measured
from lingprobe.analysis.row import NO_CONTROL, PERCENT, Row
from lingprobe.analysis.rows import kind_of
from lingprobe.core import DataProblem, Result
from lingprobe.metrics import corrected, difference, holm
from lingprobe.metrics.letters import display
from lingprobe.metrics.multiplicity import ALPHA, NAMES
from lingprobe.metrics.resampling import bootstrap, permutation
from lingprobe.pages.captions import names_of, short
from lingprobe.pages.records import csv
from lingprobe.tables.page import Page
from lingprobe.tables.table import Section, Table, number, p_value

WORDS = frozenset({"score of", "scores"})
Test = Literal["t", "permutation", "bootstrap"]
TESTS: Mapping[str, str] = {
    "t": "intervals and p values are paired",
    "permutation": (
        "p values are from a permutation test, which swaps the answers of the two and treats"
        " seeds as fixed; intervals are paired"
    ),
    "bootstrap": (
        "intervals and p values are from a paired bootstrap over the test examples, which treats"
        " seeds as fixed"
    ),
}
"""How a difference is tested, and what a table says of it."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The difference between two scores, first minus second, in percent, over the n test examples
    of both.

    low, high         the 95 % interval of the difference
    p                 uncorrected; `corrected` for all comparisons made at once
    detectable        the smallest difference that these test examples would detect with a power of
                      80 %, at an uncorrected p of 0.05
    clusters          the groups of test examples that interval and p take into account
    tested, missing   a hash of the test examples, and the missing folds, as 'fold 3 of 3'
    computed          the processors and precisions of both scores
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
    n: int
    first_score: float
    second_score: float
    detectable: float
    first_seeds: int
    second_seeds: int
    clusters: str
    tested: str = ""
    missing: str = ""
    computed: str = ""


class Comparison(NamedTuple):
    """What was compared, and in words what could not be; printing it shows the table.

    remarks            what there is to say of the results that were read
    correction, test   as `compare` was asked for
    """

    found: tuple[Compared, ...]
    left_out: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    correction: str = "holm"
    test: Test = "t"

    @property
    def page(self) -> Page[tuple[Compared, ...]]:
        """The table of what was compared, in every format."""
        return Page(
            self.found,
            lambda: [comparisons(self)],
            {"csv": lambda: csv(self.found)},
            remarks=self.remarks,
        )

    @property
    def letters(self) -> Page[tuple[Compared, ...]]:
        """The scores of each task, with letters that those share that are not told apart; of
        comparisons of all pairs.
        """
        return Page(self.found, lambda: [lettered(self)], remarks=self.remarks)

    def __str__(self) -> str:
        return str(self.page)


def compared(
    results: Sequence[Result],
    against: Callable[[Result], bool] | None = None,
    correction: str = "holm",
    test: Test = "t",
) -> Comparison:
    """Differences between the rows of each task: of the others from those that `against` chooses,
    or of all pairs without it.

    A row is compared with those of the chosen that are read as it is and by the same probe, where
    there are some. Controls are not compared, and oracles only where they are chosen, since each
    comparison more raises all p values. DataProblem where nothing can be.
    """
    comparisons: list[Compared] = []
    left_out: list[str] = []
    for mine in measured(results, against):
        for first, second in _pairs(mine) if against else combinations(mine[::-1], 2):
            if why := apart(first, second):
                left_out.append(f"{short(first.row.task)}: {first.name}, and {second.name}: {why}.")
            else:
                comparisons.append(_compared(first, second, test))
    if not comparisons:
        one = ", one of them from the encoder to compare with" if against else ""
        raise DataProblem(
            "nothing can be compared:"
            f" {left_out[0] if left_out else f'no task has two scores{one}'}"
        )
    p = corrected([one.p for one in comparisons], correction)
    return Comparison(
        tuple(replace(one, corrected=float(v)) for one, v in zip(comparisons, p, strict=True)),
        tuple(left_out),
        (),
        correction,
        test,
    )


def leaders(results: Sequence[Result]) -> frozenset[tuple[str, ...]]:
    """The best row of each task, and those that a paired comparison with it does not tell from it:
    task, encoder, layer and probe.

    Rows are those of encoders that are judged, over the test examples that most are over; p values
    are corrected for the comparisons of a task (Holm 1979). None where a task has one such row.
    """
    best: set[tuple[str, ...]] = set()
    for mine in measured([r for r in results if _is_judged(r)], None):
        whole = [
            one for one, sign in zip(mine, marks([m.row for m in mine]), strict=True) if not sign
        ]
        scored = [one for one in whole if one.row.score == one.row.score]
        if len(scored) > 1:
            best |= {_what(one.row) for one in _alike(scored)}
    return frozenset(best)


def _is_judged(result: Result) -> bool:
    return kind_of(result) == "trained" and result.trial.control == NO_CONTROL


def _what(row: Row) -> tuple[str, ...]:
    return row.task, row.encoder, row.layer, row.probe


def _alike(mine: Sequence[Measured]) -> list[Measured]:
    """The best of some rows, and those that are not told from it."""
    best = max(mine, key=lambda one: one.row.score)
    others = [one for one in mine if one is not best and not apart(best, one)]
    p = [difference(best.row.metric, best.answers, one.answers).p for one in others]
    return [
        best,
        *(one for one, corrected in zip(others, holm(p), strict=True) if corrected >= ALPHA),
    ]


def _pairs(mine: Sequence[Measured]) -> Iterator[tuple[Measured, Measured]]:
    """Each row with those of the chosen that are most like it."""
    chosen = [m for m in mine if m.chosen]
    for one in mine:
        if not one.chosen and chosen:
            likeness = [
                (m.row.probe == one.row.probe, m.row.layer == one.row.layer) for m in chosen
            ]
            yield from (
                (one, m) for m, like in zip(chosen, likeness, strict=True) if like == max(likeness)
            )


def _compared(first: Measured, second: Measured, test: Test) -> Compared:
    clusters = {**first.answers.clusters, **second.answers.clusters}
    both = first.row.metric, first.answers, second.answers
    found = difference(*both)
    drawn = bootstrap(*both) if test == "bootstrap" else found
    p = permutation(*both) if test == "permutation" else drawn.p
    value, low, high = (PERCENT * v for v in drawn[:3])
    return Compared(
        task=first.row.task,
        metric=first.row.metric,
        first=first.name,
        second=second.name,
        difference=value,
        low=low,
        high=high,
        p=p,
        corrected=p,
        n=first.row.n,
        first_score=first.row.score,
        second_score=second.row.score,
        detectable=PERCENT * found.detectable,
        first_seeds=first.row.seeds,
        second_seeds=second.row.seeds,
        clusters=", ".join(clusters),
        tested=first.row.tested or second.row.tested,
        missing=first.row.missing,
        computed=computing.all_of((first.row, second.row)),
    )


def comparisons(comparison: Comparison) -> Table:
    """Comparisons as a table, one section a task; what all rows share stands above them."""
    called, probe = _called(comparison)
    others = {called[one.second] for one in comparison.found}
    against = others.pop() if len(others) == 1 else ""
    tasks: dict[str, list[Compared]] = {}
    for one in comparison.found:
        tasks.setdefault(one.task, []).append(one)
    sizes = any(len({one.n for one in mine}) > 1 for mine in tasks.values())
    sections: list[Section] = []
    tests: list[str] = []
    for task, mine in tasks.items():
        metric = "" if mine[0].metric == "accuracy" else f"{mine[0].metric}. "
        many = "" if sizes else f"n = {mine[0].n:,}. "
        clusters = f"Test examples are clustered by {mine[0].clusters}." if mine[0].clusters else ""
        rows = zip(mine, marks(mine), strict=True)
        body = (_cells(one, called, mark, against, sizes) for one, mark in rows)
        sections.append(Section(short(task), tuple(body), f"{metric}{many}{clusters}".strip()))
        tests += differences(mine, short(task))
    head = ("score of" if against else "scores", "difference", "95 % interval")
    head = (*head, f"p ({NAMES[comparison.correction]})", "detectable", *(("n",) if sizes else ()))
    read = f", read by {probe}" if probe else ""
    title = f"Differences{f' from {against}' if against else ''}{read}"
    notes = (*_notes(comparison), *tests, *_beside(comparison))
    return Table(head, tuple(sections), WORDS, notes, title if against or probe else "")


DETECTABLE = (
    "detectable: the smallest difference that these test examples show with a power of 80 %, at a"
    " p of 0.05 before the correction."
)
FEW = "With fewer than 3 seeds, intervals do not cover variation between seeds."


def _notes(comparison: Comparison) -> Iterator[str]:
    """What the columns of a comparison mean."""
    many = len(comparison.found)
    yield (
        "difference: the first score minus the second, in percentage points, over the same test"
        f" examples; {TESTS[comparison.test]}."
    )
    yield (
        f"p ({NAMES[comparison.correction]}): corrected for"
        f" {f'the {many} comparisons' if many > 1 else 'the one comparison'} of this table. Not"
        " significant if 0.05 or above. --format csv has the uncorrected ones."
    )
    yield DETECTABLE
    if any(min(one.first_seeds, one.second_seeds) < 3 for one in comparison.found):
        yield FEW


def _beside(comparison: Comparison) -> Iterator[str]:
    """What else there is to say, and what was not compared."""
    yield from computing.notes(computing.differing(comparison.found))
    yield from (f"not compared: {why}" for why in comparison.left_out)


def lettered(comparison: Comparison) -> Table:
    """Scores with their letters as a table, one section a task, the best score first."""
    sections = []
    called, probe = _called(comparison)
    for task in dict.fromkeys(one.task for one in comparison.found):
        mine = [one for one in comparison.found if one.task == task]
        scores = {one.first: (one.first_score, one.n) for one in mine}
        scores |= {one.second: (one.second_score, one.n) for one in mine}
        ordered = sorted(scores, key=lambda name: -scores[name][0])
        told = [(one.first, one.second) for one in mine if one.corrected < ALPHA]
        of = display(ordered, told)
        body = tuple((called[x], number(scores[x][0]), of[x], f"{scores[x][1]:,}") for x in ordered)
        sections.append(Section(short(task), body))
    notes = (
        "Two scores of a task that share a letter do not differ significantly: the p value of"
        f" their difference is {ALPHA:g} or above, corrected for the {len(comparison.found):,}"
        f" comparisons of this table ({NAMES[comparison.correction]}). This does not mean that"
        " they are equal.",
        f"{TESTS[comparison.test].capitalize()}.",
        *(f"not compared: {why}" for why in comparison.left_out),
    )
    words = frozenset({"score of", "letters"})
    title = f"Scores, read by {probe}" if probe else ""
    return Table(("score of", "score", "letters", "n"), tuple(sections), words, notes, title)


def _called(comparison: Comparison) -> tuple[dict[str, str], str]:
    """What tables call the rows that were compared: encoders by the names of other tables; and the
    probe of all rows, which is then not repeated, '' if they have several.
    """
    rows = {
        name: name.partition(", ") for one in comparison.found for name in (one.first, one.second)
    }
    brief = names_of(dict.fromkeys(encoder for encoder, _, _ in rows.values()))
    called = {
        name: brief.get(encoder, encoder) + comma + rest
        for name, (encoder, comma, rest) in rows.items()
    }
    probes = {name.rpartition(", ")[2] for name in rows}
    probe = probes.pop() if len(probes) == 1 else ""
    return {name: told.removesuffix(f", {probe}") for name, told in called.items()}, probe


def _cells(
    one: Compared, called: Mapping[str, str], mark: str, against: str, size: bool
) -> tuple[str, ...]:
    return (
        called[one.first] if against else f"{called[one.first]} − {called[one.second]}",
        f"{one.difference:+.1f}{mark}",
        f"{number(one.low)} – {number(one.high)}",
        p_value(one.corrected),
        number(one.detectable),
        *((f"{one.n:,}",) if size else ()),
    )
