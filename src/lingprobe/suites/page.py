"""Rows of one's own inside a paper's table; on other data, below a rule of their own, with sizes,
without rank and without bold.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from lingprobe.analysis.answers import (
    describe_differences,
    describe_interval_base,
    mark_test_sets,
)
from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.row import NO_CONTROL, ROLE_ORDER, said_of
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.suites.facts import (
    CellResults,
    HumanScore,
    PaperBlock,
    PaperRow,
    PaperTable,
    ScorePlace,
    group_by_data,
)
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

_OWN = "▸ "
_DOUBT = "   ± 95 %"
_PEOPLE = "people"
_ORACLE = "oracle"
_DIFFERENT = "different data"
_SAME = "measured here, on the published data"


@dataclass(frozen=True, slots=True)
class PaperTableCell:
    """One figure of the table, for programs: published, or measured with lingprobe. Scores are
    percent, NaN where there is none.
    """

    suite: str
    kind: str
    data: str
    source: str
    row: str
    column: str
    layer: str
    probe: str
    control: str
    score: float
    low: float = math.nan
    high: float = math.nan
    majority: float = math.nan
    n: int = 0
    train: int = 0
    seeds: int = 0
    folds: int = 0


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of one's own: its label, whether it is an encoder's or an oracle's, and a measurement
    for each column that has one.
    """

    label: str
    encoder: bool
    cells: Mapping[int, FrameRow | HumanScore]
    oracle: bool = False


def tabulate_paper(
    paper: PaperTable,
    entries: Sequence[CellResults],
    people: Sequence[HumanScore] = (),
    others: int = 0,
) -> Table:
    """The paper's table with one's own rows: within it on the published data, else below under
    "different data", not to be compared.
    """
    groups = {key: measured_rows(mine) for key, mine in group_by_data(entries).items()}
    for key, bound in _people(people).items():
        groups.setdefault(key, []).insert(0, bound)
    blocks = {(e.place.data, e.place.why): e.place.block for e in entries}

    def best(block: str) -> list[float]:
        ours = [
            mine
            for key, mine in groups.items()
            if not key[1] and blocks.get(key) in (block, "", None)
        ]
        return _best(paper.beside(block), [row for mine in ours for row in mine])

    sections = [_block_section(block, paper, best(block.heading)) for block in paper.blocks]
    sections += [
        _build_own_section(paper.beside(block := blocks.get(key, "")), *key, mine, best(block))
        for key, mine in groups.items()
    ]
    columns = ("encoder", *paper.columns)
    return Table(
        columns,
        tuple(sections),
        frozenset({"encoder"}),
        tuple(_explain_paper_table(paper, entries, groups, others)),
        paper.title,
    )


def measured_rows(entries: Iterable[CellResults]) -> list[TableRow]:
    """One row for each baseline, encoder, layer and control: baselines first, as the suite has
    them, and the tasks' oracles last.
    """
    labelled: dict[tuple[int, str], dict[int, FrameRow]] = {}
    for entry in entries:
        row = _score_entry(entry)
        place = ROLE_ORDER.index(
            "baseline" if entry.floor else "oracle" if row.kind == "oracle" else "trained"
        )
        control = "" if row.control == NO_CONTROL else f" ({row.control})"
        label = (entry.floor or f"{row.encoder}{said_of(row.layer)}") + control
        if row.kind == "oracle" and entry.place.column not in labelled.get(
            (place, _ORACLE + control), {}
        ):
            label = _ORACLE + control  # each task has its own
        labelled.setdefault((place, label), {})[entry.place.column] = row
    ordered = sorted(labelled.items(), key=lambda item: item[0][0])
    return [
        TableRow(label, ROLE_ORDER[place] == "trained", cells, ROLE_ORDER[place] == "oracle")
        for (place, label), cells in ordered
    ]


def _score_entry(entry: CellResults) -> FrameRow:
    """The row of scores of an entry."""
    return compute_scores(ResultFrame.of(entry.results))[0]


def _people(judged: Sequence[HumanScore]) -> dict[tuple[str, str], TableRow]:
    groups: dict[tuple[str, str], dict[int, FrameRow]] = {}
    for each in judged:
        groups.setdefault((each.place.data, each.place.why), {})[each.place.column] = each
    return {key: TableRow(_PEOPLE, False, cells) for key, cells in groups.items()}


def _best(paper: PaperTable, own: Sequence[TableRow]) -> list[float]:
    """The highest score of an encoder in each column, as far as scores may be compared."""
    lines = list(_encoders(paper))
    printed = [[line.figures[c].value for line in lines] for c in range(len(paper.columns))]
    mine = [
        [round(row.cells[c].score, 1) for row in own if row.encoder and c in row.cells]
        for c in range(len(paper.columns))
    ]
    return [
        max((v for v in [*a, *b] if not math.isnan(v)), default=math.nan)
        for a, b in zip(printed, mine, strict=True)
    ]


def _encoders(paper: PaperTable) -> Iterator[PaperRow]:
    for block in paper.blocks:
        yield from (line for line in block.lines if line.name not in paper.apart)


def _block_section(block: PaperBlock, paper: PaperTable, best: Sequence[float]) -> TableSection:
    body = tuple((line.name, *(figure.printed for figure in line.figures)) for line in block.lines)
    strong = {
        (r, c + 1)
        for r, line in enumerate(block.lines)
        if line.name not in paper.apart
        for c, figure in enumerate(line.figures)
        if figure.value == best[c]
    }
    return TableSection(block.heading, body, "", frozenset(strong))


def _build_own_section(
    paper: PaperTable, data: str, why: str, mine: Sequence[TableRow], best: Sequence[float]
) -> TableSection:
    """One's own rows over some data; on the published data each encoder is ranked among the
    paper's, and the best set in bold; different data are never ranked.
    """
    many = range(len(paper.columns))
    body: list[tuple[str, ...]] = [*_sizes(mine, many)]
    strong: set[tuple[int, int]] = set()
    rules: set[int] = set()
    signs = [_mark_other_examples(mine, c) for c in many]
    encoders = sum(1 for _ in _encoders(paper)) + 1
    for above, row in zip([None, *mine], mine, strict=False):
        rules |= {len(body)} if row.oracle and above and not above.oracle else set()
        scores = {
            c: format_number(cell.score) + signs[c].get(row.label, "")
            for c, cell in row.cells.items()
        }
        doubts = {c: format_number(_doubt(cell)) for c, cell in row.cells.items()}
        body.append((_OWN + row.label + _seeds(row, mine), *(scores.get(c, "–") for c in many)))
        body.append((_DOUBT, *(doubts.get(c, "") for c in many)))
        if not why and row.encoder:
            equal = [c for c, cell in row.cells.items() if round(cell.score, 1) == best[c]]
            strong |= {(len(body) - 2, c + 1) for c in equal}
        if not why and row.encoder and encoders > 1:
            body.append((f"   rank of {encoders}", *(_rank(paper, row, c) for c in many)))
    line = f"Not to be compared with the rows above: {why}." if why else ""
    return TableSection(
        f"{_DIFFERENT if why else _SAME}: {data}",
        tuple(body),
        line,
        frozenset(strong),
        why != "",
        frozenset(rules),
    )


def _seeds(row: TableRow, mine: Sequence[TableRow]) -> str:
    """Over how many seeds an encoder's row is, where others are over more."""
    counts, every = _count_seeds([row]), _count_seeds(mine)
    if not counts or len(every) == 1 or counts == {max(every)}:
        return ""
    least, most = min(counts), max(counts)
    return f" ({least} seed{'s' * (least > 1)})" if least == most else f" ({least} to {most} seeds)"


def _count_seeds(rows: Iterable[TableRow]) -> set[int]:
    """Over how many seeds scores of encoders are."""
    return {
        cell.seeds
        for row in rows
        if row.encoder
        for cell in row.cells.values()
        if not isinstance(cell, HumanScore)
    }


def _mark_other_examples(mine: Sequence[TableRow], column: int) -> dict[str, str]:
    """The signs of rows whose score in a column is over other test examples than most are, by
    label.
    """
    labels = [row.label for row in mine if _has_score(row, column)]
    there = dict(zip(labels, _list_scores(mine, column), strict=True))
    return dict(zip(there, mark_test_sets(list(there.values())), strict=True))


def _has_score(row: TableRow, column: int) -> bool:
    """Whether something was measured in a column, and not what people score."""
    return column in row.cells and not isinstance(row.cells[column], HumanScore)


def _list_scores(mine: Sequence[TableRow], column: int) -> list[FrameRow]:
    """What was measured in a column."""
    return [row.cells[column] for row in mine if _has_score(row, column)]


def _doubt(cell: FrameRow) -> float:
    """The wider side of the 95 % interval; near 0 and 100 the sides differ."""
    return float(max(cell.high - cell.score, cell.score - cell.low))


def _sizes(mine: Sequence[TableRow], many: Iterable[int]) -> Iterator[tuple[str, ...]]:
    """How many examples each column is fitted on and scored over; a range where rows differ."""
    columns = list(many)
    cells = [_list_scores(mine, c) for c in columns]
    for label, counts in (
        ("   n train", [sorted({cell.train for cell in column}) for column in cells]),
        ("   n test", [sorted({cell.n for cell in column}) for column in cells]),
    ):
        yield (
            label,
            *(f"{c[0]:,}" if len(c) == 1 else f"{c[0]:,}–{c[-1]:,}" if c else "–" for c in counts),
        )
    judged = [
        next((row.cells[c].n for row in mine if isinstance(row.cells.get(c), HumanScore)), 0)
        for c in columns
    ]
    if any(judged):
        yield ("   n judged", *(f"{n:,}" if n else "–" for n in judged))


def _rank(paper: PaperTable, row: TableRow, column: int) -> str:
    """The rank of an encoder among the paper's: one, or the range that its interval allows."""
    if column not in row.cells:
        return "–"
    cell = row.cells[column]
    printed = [v for line in _encoders(paper) if not math.isnan(v := line.figures[column].value)]
    first, last = (1 + sum(v > bound for v in printed) for bound in (cell.high, cell.low))
    return f"{first}" if first == last else f"{first}–{last}"


def _explain_paper_table(
    paper: PaperTable,
    entries: Sequence[CellResults],
    groups: Mapping[tuple[str, str], Sequence[TableRow]],
    others: int,
) -> Iterator[str]:
    published = " Rows without a mark are the paper's own scores, which have no intervals."
    yield "Percent." + published * bool(paper.blocks)
    yield from (f"? {doubt}" for doubt in paper.doubts)
    if others:
        yield (
            f"Results on these tasks with other probes than the suite's are excluded: {others:,}."
        )
    if not groups:
        return
    measured = [row for mine in groups.values() for row in mine]
    if any(row.oracle for row in measured):
        yield (
            f"{_ORACLE}: what the probe can achieve, with vectors that contain the annotation; each"
            " task has its own, fitted once. It is not ranked."
        )
    cells: list[FrameRow] = [
        row.cells[c] for row in measured for c in row.cells if _has_score(row, c)
    ]
    many = max((row.seeds for row in cells), default=0)
    runs = "seeds or samples" if any(row.samples > 1 for row in cells) else "seeds"
    mean = f"means of up to {many} {runs}" if many > 1 else "one seed"
    yield (
        f"{_OWN}measured with lingprobe, {mean}; ± is the wider side of the 95 % interval;"
        f" {describe_interval_base('seed', cells)}"
    )
    if any(why for _, why in groups):
        yield (
            f"{_DIFFERENT}: nothing is ranked or bold, because scores depend on the sentences and"
            " on the size of the data."
        )
    probes = {row.probe: None for row in cells}
    yield f"Probes: {'; '.join(probes)}."
    for mine, c in product(groups.values(), range(len(paper.columns))):
        yield from describe_differences(_list_scores(mine, c), paper.columns[c])
    folded = sorted({paper.columns[e.place.column] for e in entries if _score_entry(e).folds > 1})
    if folded:
        yield f"Small data, cross-validated (n train is that of one fold): {', '.join(folded)}."


def list_paper_cells(
    suite: str, paper: PaperTable, entries: Sequence[CellResults], people: Sequence[HumanScore] = ()
) -> list[PaperTableCell]:
    """Every figure of the table, the paper's and one's own, one a line."""
    lines = [line for block in paper.blocks for line in block.lines]
    published = [
        PaperTableCell(*_source(suite, line), name, "-", "", NO_CONTROL, figure.value)
        for line in lines
        for name, figure in zip(paper.columns, line.figures, strict=True)
    ]
    measured = [_measured_cell(suite, paper, entry) for entry in entries]
    return [*published, *measured, *(_human_cell(suite, paper, each) for each in people)]


def _source(suite: str, line: PaperRow) -> tuple[str, str, str, str, str]:
    return suite, "published", "published", line.source, line.name


def _human_cell(suite: str, paper: PaperTable, each: HumanScore) -> PaperTableCell:
    """One figure of people."""
    task = suite, _PEOPLE, _data(each.place), each.place.data
    column, interval = paper.columns[each.place.column], (each.low, each.high)
    return PaperTableCell(
        *task, _PEOPLE, column, "-", "", NO_CONTROL, each.score, *interval, n=each.n
    )


def _measured_cell(suite: str, paper: PaperTable, entry: CellResults) -> PaperTableCell:
    """One figure of one's own."""
    row = _score_entry(entry)
    label, column = entry.floor or row.encoder, paper.columns[entry.place.column]
    task = suite, "measured", _data(entry.place), row.task
    figures = row.score, row.low, row.high, row.majority
    counts = row.n, row.train, row.seeds, row.folds
    return PaperTableCell(
        *task, label, column, row.layer, row.probe, row.control, *figures, *counts
    )


def _data(place: ScorePlace) -> str:
    return _DIFFERENT if place.why else "published"
