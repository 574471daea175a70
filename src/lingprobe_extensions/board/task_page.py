"""The page of a task: models in groups, with the baselines and upper bounds that they stand
between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lingprobe import Table
from lingprobe.extend import (
    FoldedBlock,
    LinkBlock,
    PageBlock,
    PageChapter,
    ProseBlock,
    TableSection,
    TableSheet,
    TermBlock,
    WebDocument,
    describe_scores,
    format_number,
    format_p_value,
    get_question,
)
from lingprobe_extensions.board.contents import INDEX, Board, family_of, interval, with_sign
from lingprobe_extensions.board.details import control_blocks, group_blocks
from lingprobe_extensions.board.frame import CONSTANT
from lingprobe_extensions.board.standings import Group, Key, Standing

HEAD = (
    *("model", "layer", "score", "95 % interval", "from the best"),
    *("p (Holm)", "over baseline", "above baselines", "n"),
)
BOUNDS = ("encoder", "layer", "score", "95 % interval", "n")
TITLES: dict[Group, str] = {
    "leading": "Leading: the best, and those not significantly worse",
    "behind": "Significantly worse than the best",
    "not compared": "Over other test examples, so not compared",
    "as submitted": "By a metric that is code in a file: as submitted, not compared",
}


def task_page(board: Board, key: Key) -> WebDocument:
    """The page of a task."""
    one = board.tasks[key]
    rows = [*(each.row for each in one.models), *one.floors, *one.ceilings]
    about = get_question(key[0])
    groups = [_group(board, group, one.of(group)) for group in TITLES if one.of(group)]
    terms = (
        ("Language", board.language(key)),
        ("Family", family_of(key)),
        ("Probe", key[1]),
        ("Metric", key[2]),
        ("Task", key[0]),
    )
    blocks: tuple[PageBlock, ...] = (
        TermBlock(terms),
        *groups,
        _bounds("Baselines", one.floors, rows[0].majority if rows else None),
        _bounds("Upper bounds: vectors that contain the annotation", one.ceilings),
        *control_blocks(board, one),
        *group_blocks(board, one),
        ProseBlock(
            (*board.notes, "Models are in the order of their names within a group."), "note"
        ),
        FoldedBlock(
            "Data and probes: caveats",
            (ProseBlock(tuple(describe_scores(rows)), "note"),),
        ),
        LinkBlock("Back to", ((f"../{INDEX}", "all models and tasks"),)),
    )
    return WebDocument(board.task_name(key), about, (PageChapter("task", "", blocks),))


def _group(board: Board, group: Group, mine: Sequence[Standing]) -> TableSheet:
    order = sorted(mine, key=lambda one: board.name(one.row.encoder).casefold())
    rows = tuple(_row(board, one) for one in order)
    links = {
        (0, r, 0): f"../{board.model_files[one.row.encoder]}"
        for r, one in enumerate(order)
        if one.row.encoder in board.model_files
    }
    strong = frozenset((r, HEAD.index("score")) for r in range(len(rows)) if group == "leading")
    section = TableSection("", rows, strong=strong)
    words = frozenset({"model", "layer", "above baselines"})
    return TableSheet(Table(HEAD, (section,), words), TITLES[group], links=links)


def _row(board: Board, one: Standing) -> tuple[str, ...]:
    row = one.row
    return (
        board.name(row.encoder),
        row.layer,
        format_number(row.score),
        interval(row),
        with_sign(one.difference) if one.p == one.p else "–",
        format_p_value(one.p),
        floor_difference(one),
        floor_verdict(one),
        f"{row.n:,}",
    )


def floor_difference(one: Standing) -> str:
    """How much higher a score is than the best floor, with the interval."""
    if one.floor is None:
        return "–"
    known = one.floor.strictest.decision
    low, high = with_sign(known.low), with_sign(known.high)
    return f"{with_sign(known.difference)} [{low}, {high}]"


def floor_verdict(one: Standing) -> str:
    """Whether a score is above the baselines, in a word or two."""
    if one.floor is None:
        return "no baseline"
    said = {"better": "yes", "worse": "no, worse than one"}
    verdict = one.floor.strictest.verdict
    return said.get(verdict, verdict)


def _bounds(title: str, rows: Sequence[Any], constant: float | None = None) -> PageBlock:
    """Baselines or oracles with their scores."""
    lines = [(CONSTANT, "-", format_number(constant), "", "")] if constant is not None else []
    lines += [
        (row.encoder, row.layer, format_number(row.score), interval(row), f"{row.n:,}")
        for row in rows
    ]
    if not lines:
        return ProseBlock((f"{title}: none was measured.",), "note")
    return TableSheet(
        Table(BOUNDS, (TableSection("", tuple(lines)),), frozenset(BOUNDS[:2])), title
    )
