"""The page of a task: models in groups, with the baselines and upper bounds that they stand
between, and what is only reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from lingprobe_extensions.board.contents import (
    INDEX_FILE,
    BoardContents,
    family_of,
    format_interval,
    with_sign,
)
from lingprobe_extensions.board.details import control_blocks, group_blocks
from lingprobe_extensions.board.frame import CONSTANT_ANSWER
from lingprobe_extensions.board.standings import (
    Group,
    Key,
    ModelStanding,
    ReportedScore,
    TaskStandings,
)

_HEAD = (
    *("model", "layer", "score", "95 % interval", "from the best"),
    *("p (Holm)", "over baseline", "above baselines", "n"),
)
_BOUNDS = ("encoder", "layer", "score", "95 % interval", "n")
_REPORTED = (
    *("model", "layer", "reported", "95 % interval"),
    *("measured here", "difference", "p (Holm)", "n"),
)
_TITLES: dict[Group, str] = {
    "leading": "Leading: above all baselines, and the best or not significantly worse",
    "behind": "Above all baselines, and significantly worse than the best",
    "not above baselines": "Not significantly above all baselines",
    "no baselines": "Not ranked, since no baseline of this task was measured",
    "not compared": "Over other test examples, so not compared",
    "not computed": "By a metric that is code in a file, so not compared",
}
_CEILINGS = "Upper bounds: vectors that contain the annotation"
_REPORTS = "Reported by submitters"


def task_page(board: BoardContents, key: Key) -> WebDocument:
    """The page of a task."""
    one = board.tasks[key]
    rows = [*(each.row for each in one.models), *one.floors, *one.ceilings]
    about = get_question(key[0])
    groups = [_group(board, group, one.of(group)) for group in _TITLES if one.of(group)]
    floors = _bounds("Baselines", one.floors, rows[0].majority if rows else None)
    terms = (
        ("Language", board.language(key)),
        ("Family", family_of(key)),
        ("Probe", key[1]),
        ("Metric", key[2]),
        ("Task", key[0]),
    )
    blocks: tuple[PageBlock, ...] = (
        _finding(board, one),
        TermBlock(terms),
        *groups,
        *([floors, _bounds(_CEILINGS, one.ceilings)] if rows else []),
        *report_blocks(
            [(board.name(each.row.encoder), each) for each in one.reported],
            [f"../{board.model_files[each.row.encoder]}" for each in one.reported],
        ),
        *control_blocks(board, one),
        *group_blocks(board, one),
        ProseBlock(
            (*board.notes, "Models are in the order of their names within a group."),
            "note",
        ),
        *_caveats(rows or [each.row for each in one.reported]),
        LinkBlock("Back to", ((f"../{INDEX_FILE}", "all models and tasks"),)),
    )
    return WebDocument(board.task_name(key), about, (PageChapter("task", "", blocks),))


def _finding(board: BoardContents, one: TaskStandings) -> ProseBlock:
    """Who leads, or why nobody does, and whose reports are not what was measured."""
    names = [board.name(each.row.encoder) for each in one.of("leading")]
    if names:
        text = f"Leading: {', '.join(sorted(names, key=str.casefold))}."
    else:
        text = f"No model is leading: {board.explain_no_leader(one.key)}."
    differ = [board.name(each.row.encoder) for each in one.reported if each.differs]
    beside = f"What is reported differs significantly from what was measured: {', '.join(differ)}."
    return ProseBlock((text, *([beside] * bool(differ))), "finding")


def _caveats(rows: Sequence[Any]) -> Iterator[PageBlock]:
    """What scores rest on."""
    if rows:
        notes = ProseBlock(tuple(describe_scores(rows)), "note")
        yield FoldedBlock("Data and probes: caveats", (notes,))


def report_blocks(
    reports: Sequence[tuple[str, ReportedScore]], addresses: Sequence[str], head: str = "model"
) -> tuple[PageBlock, ...]:
    """Reported scores under names, in grey, beside what was measured of the same layers; () for
    none.
    """
    if not reports:
        return ()
    rows = tuple(_report_row(name, one) for name, one in reports)
    soft = {(0, r, c): "soft" for r in range(len(rows)) for c in range(len(_REPORTED))}
    table = Table((head, *_REPORTED[1:]), (TableSection("", rows),), frozenset({head, "layer"}))
    links = {(0, r, 0): address for r, address in enumerate(addresses)}
    return (TableSheet(table, _REPORTS, classes=soft, links=links),)


def _report_row(name: str, one: ReportedScore) -> tuple[str, ...]:
    row, here = one.row, one.measured
    is_compared = one.p == one.p
    return (
        name,
        row.layer,
        format_number(row.score),
        format_interval(row),
        "–" if here is None else format_number(here.score),
        with_sign(one.difference) if is_compared else "–" if here is None else "other examples",
        format_p_value(one.p) if is_compared else "–",
        f"{row.n:,}",
    )


def _group(board: BoardContents, group: Group, mine: Sequence[ModelStanding]) -> TableSheet:
    order = sorted(mine, key=lambda one: board.name(one.row.encoder).casefold())
    rows = tuple(_build_task_row(board, one) for one in order)
    links = {(0, r, 0): f"../{board.model_files[one.row.encoder]}" for r, one in enumerate(order)}
    strong = frozenset((r, _HEAD.index("score")) for r in range(len(rows)) if group == "leading")
    section = TableSection("", rows, strong=strong)
    words = frozenset({"model", "layer", "above baselines"})
    return TableSheet(Table(_HEAD, (section,), words), _TITLES[group], links=links)


def _build_task_row(board: BoardContents, one: ModelStanding) -> tuple[str, ...]:
    row = one.row
    return (
        board.name(row.encoder),
        row.layer,
        format_number(row.score),
        format_interval(row),
        with_sign(one.difference) if one.p == one.p else "–",
        format_p_value(one.p),
        floor_difference(one),
        floor_verdict(one),
        f"{row.n:,}",
    )


def floor_difference(standing: ModelStanding) -> str:
    """How much higher a score is than the best floor, with the interval."""
    if standing.floor is None:
        return "–"
    known = standing.floor.strictest.decision
    low, high = with_sign(known.low), with_sign(known.high)
    return f"{with_sign(known.difference)} [{low}, {high}]"


def floor_verdict(standing: ModelStanding) -> str:
    """Whether a score is above the baselines, in a word or two."""
    if standing.floor is None:
        return "no baseline"
    said = {"better": "yes", "worse": "no, worse than one"}
    verdict = standing.floor.strictest.verdict
    return said.get(verdict, verdict)


def _bounds(title: str, rows: Sequence[Any], constant: float | None = None) -> PageBlock:
    """Baselines or oracles with their scores."""
    lines = (
        [(CONSTANT_ANSWER, "-", format_number(constant), "", "")] if constant is not None else []
    )
    lines += [
        (row.encoder, row.layer, format_number(row.score), format_interval(row), f"{row.n:,}")
        for row in rows
    ]
    if not lines:
        return ProseBlock((f"{title}: none was measured.",), "note")
    return TableSheet(
        Table(_BOUNDS, (TableSection("", tuple(lines)),), frozenset(_BOUNDS[:2])), title
    )
