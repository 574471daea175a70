"""What a page of a task shows beside its scores: scores of controls with selectivity, and scores by
the groups that test examples belong to.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from lingprobe import ResultFrame, Table
from lingprobe.extend import (
    FoldedBlock,
    PageBlock,
    ProseBlock,
    TableSection,
    TableSheet,
    compute_scores,
    compute_stratum_rows,
    format_number,
)
from lingprobe_extensions.board.contents import (
    BoardContents,
    format_doubt,
    format_interval,
    with_sign,
)
from lingprobe_extensions.board.standings import TaskStandings

_CONTROLS = (
    *("encoder", "layer", "control", "score", "score of the control", "95 % interval"),
    *("selectivity", "keys seen, %", "on seen", "on unseen", "draws"),
)
_SELECTIVITY = (
    "A control has the task's sentences with changed labels or words. Selectivity (Hewitt & Liang"
    " 2019): the score minus that of a control whose labels are sampled for each word, on the same"
    " examples, with its 95 % interval. Keys seen: the share of test examples whose word occurs in"
    " train."
)
_GROUPS = "±: the wider side of the 95 % interval, not corrected for the number of groups."


def control_blocks(board: BoardContents, standings: TaskStandings) -> tuple[PageBlock, ...]:
    """The scores of controls beside those of the task; () where none was measured."""
    if not len(standings.controls):
        return ()
    every = compute_scores(standings.controls).rows
    plain = {_get_layer_key(row): row for row in every if row.control == "none"}
    lines = [
        _control_cells(board, plain.get(_get_layer_key(row)), row)
        for row in _sort_rows(board, every)
        if row.control != "none"
    ]
    words = frozenset(_CONTROLS[:3])
    sheet = TableSheet(Table(_CONTROLS, (TableSection("", tuple(lines)),), words), "Controls")
    return (sheet, ProseBlock((_SELECTIVITY,), "note"))


def _get_layer_key(row: Any) -> tuple[str, str]:
    return row.encoder, row.layer


def _sort_rows(board: BoardContents, every: Sequence[Any]) -> list[Any]:
    """Models by name, then baselines."""
    return sorted(
        every, key=lambda row: (row.kind == "baseline", board.name(row.encoder).casefold())
    )


def _control_cells(board: BoardContents, plain: Any | None, row: Any) -> tuple[str, ...]:
    selective = f"[{with_sign(row.selective_low)}, {with_sign(row.selective_high)}]"
    has_none = math.isnan(row.selectivity)
    return (
        board.name(row.encoder),
        row.layer,
        row.control,
        "–" if plain is None else format_number(plain.score),
        format_number(row.score),
        format_interval(row),
        "–" if has_none else f"{with_sign(row.selectivity)} {selective}",
        *(format_number(value) for value in (row.keys_seen, row.on_seen, row.on_unseen)),
        f"{row.draws:,}",
    )


def group_blocks(board: BoardContents, standings: TaskStandings) -> tuple[PageBlock, ...]:
    """Scores by group of examples: by each tag of the test examples that has several values."""
    return tuple(_group_blocks(board, standings.shown))


def _group_blocks(board: BoardContents, shown: ResultFrame) -> Iterator[PageBlock]:
    scored = [number for number, score in enumerate(shown.column("score")) if not math.isnan(score)]
    for stratum in dict.fromkeys(name for run in shown.runs for name in run.strata):
        mine = shown.take([number for number in scored if stratum in shown.run(number).strata])
        if len({name for run in mine.runs for name in run.strata[stratum].names}) > 1:
            sheet = _by_group(board, compute_stratum_rows(mine, stratum), stratum)
            yield FoldedBlock(f"By {stratum}", (sheet, ProseBlock((_GROUPS,), "note")))


def _by_group(board: BoardContents, every: Sequence[Any], stratum: str) -> TableSheet:
    """Encoders below each other, and the values of a tag beside each other."""
    values = list(dict.fromkeys(row.stratum for row in every))
    known = {(*_get_layer_key(row), row.stratum): row for row in every}
    places = dict.fromkeys(map(_get_layer_key, _sort_rows(board, every)))
    lines = []
    for place in places:
        mine = [known.get((*place, value)) for value in values]
        cells = ("" if row is None else format_doubt(row) for row in mine)
        lines.append((board.name(place[0]), place[1], *cells))
    first = {row.stratum: f"{row.n:,}" for row in reversed(every)}
    lines.append(("n", "", *(first[value] for value in values)))
    table = Table(
        ("encoder", "layer", *values),
        (TableSection("", tuple(lines), rules=frozenset({len(places)})),),
        frozenset({"encoder", "layer"}),
    )
    return TableSheet(table, f"Scores by {stratum}")
