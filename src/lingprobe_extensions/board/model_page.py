"""The page of a model: its scores on all tasks and layers, those that the operator measured and
those that are reported, and what its submitter says of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lingprobe import Table
from lingprobe.extend import (
    CodeBlock,
    FoldedBlock,
    LinkBlock,
    PageBlock,
    PageChapter,
    ProseBlock,
    TableSection,
    TableSheet,
    TermBlock,
    WebDocument,
    format_number,
)
from lingprobe_extensions.board.contents import (
    INDEX_FILE,
    UNKNOWN_FACT,
    BoardContents,
    format_doubt,
    format_interval,
    with_sign,
)
from lingprobe_extensions.board.lines import layer_order
from lingprobe_extensions.board.merge import ListedModel
from lingprobe_extensions.board.mteb_scores import mteb_of
from lingprobe_extensions.board.standings import Key, ModelStanding, ReportedScore
from lingprobe_extensions.board.task_page import (
    floor_difference,
    floor_verdict,
    report_blocks,
)

_HEAD = (
    *("task", "group", "layer", "score", "95 % interval", "best baseline", "baseline"),
    *("over baseline", "above baselines", "upper bound", "n"),
)
_WORDS = frozenset({"task", "group", "layer", "baseline", "above baselines"})
_DECLARED = {"trained_on_ud": "Trained on UD", "trained_on_sources": "Trained on the source texts"}


def model_page(board: BoardContents, encoder: str) -> WebDocument:
    """The page of a model."""
    model, mine, reports = board.models[encoder], board.by_model[encoder], board.reports[encoder]
    line, size = model.line, model.parameters
    stated = model.stated.encoder
    terms = (
        ("Encoder", encoder),
        *([("Submitted as", stated)] if stated != line.encoder else []),
        ("Parameters", UNKNOWN_FACT if size is None else f"{size:,}"),
        ("Revision", line.revision or UNKNOWN_FACT),
        ("Layers", ", ".join(line.layers)),
        *((title, model.declared.get(key, UNKNOWN_FACT)) for key, title in _DECLARED.items()),
        ("Measured with", ", ".join(f"{name} {of}" for name, of in line.versions.items())),
    )
    names = {key: board.task_name(key) for key in (*mine, *reports)}
    blocks: tuple[PageBlock, ...] = (
        ProseBlock(tuple(_findings(mine, reports, names)), "finding"),
        *([_tabulate_model_scores(board, mine)] if mine else []),
        *_layers(board, {key: (one.row, *one.others) for key, one in mine.items()}),
        *report_blocks(
            [(names[key], one) for key, one in reports.items()],
            [f"../{board.task_files[key]}" for key in reports],
            "task",
        ),
        *_layers(board, {key: (one.row, *one.others) for key, one in reports.items()}, "reported "),
        ProseBlock((*board.notes, "Training data are as declared by the submitter."), "note"),
        *mteb_of(model),
        TermBlock(terms),
        FoldedBlock("Identity, code and files", _list_model_facts(model)),
        LinkBlock("Back to", ((f"../{INDEX_FILE}", "all models and tasks"),)),
    )
    return WebDocument(
        board.name(encoder), "Scores of its frozen vectors.", (PageChapter("model", "", blocks),)
    )


def _findings(
    mine: Mapping[Key, ModelStanding],
    reports: Mapping[Key, ReportedScore],
    names: Mapping[Key, str],
) -> Iterator[str]:
    """Where it leads, and whether what is reported of it is what was measured."""
    above = sum(one.is_above_floors for one in mine.values())
    leading = sum(one.group == "leading" for one in mine.values())
    if mine:
        yield f"Leading on {leading:,} of {len(mine):,} tasks, above the baselines on {above:,}."
    else:
        yield "Reported by a submitter; not measured by the board's operator, so not ranked."
    if differ := [key for key, one in reports.items() if one.differs]:
        told = (f"{names[key]} ({with_sign(reports[key].difference)})" for key in differ)
        yield (
            "What is reported differs significantly from what was measured here:"
            f" {', '.join(told)}."
        )


def _list_model_facts(model: ListedModel) -> tuple[PageBlock, ...]:
    line = model.line
    sums = "".join(f"{value}  {name}\n" for name, value in model.stated.files.items())
    return (
        CodeBlock(line.identity, "Identity of its vectors"),
        TermBlock(tuple((f"Code of the {kind}", value) for kind, value in line.code.items())),
        *([CodeBlock(sums, "SHA-256 of its files, as submitted")] if sums else []),
    )


def _tabulate_model_scores(board: BoardContents, mine: Mapping[Key, ModelStanding]) -> TableSheet:
    rows = tuple(_build_standing_row(board, key, one) for key, one in mine.items())
    strong = frozenset(
        (r, _HEAD.index("score")) for r, one in enumerate(mine.values()) if one.group == "leading"
    )
    links = {(0, r, 0): f"../{board.task_files[key]}" for r, key in enumerate(mine)}
    whole = {(0, r, _HEAD.index("group")): "whole" for r in range(len(rows))}
    table = Table(_HEAD, (TableSection("", rows, strong=strong),), _WORDS)
    return TableSheet(table, "Tasks", classes=whole, links=links)


def _build_standing_row(board: BoardContents, key: Key, one: ModelStanding) -> tuple[str, ...]:
    row, (floor, by), (ceiling, _) = one.row, board.floor(key), board.ceiling(key)
    return (
        board.task_name(key),
        one.group,
        row.layer + _choice(one),
        format_number(row.score),
        format_interval(row),
        format_number(floor),
        by,
        floor_difference(one),
        floor_verdict(one),
        format_number(ceiling),
        f"{row.n:,}",
    )


def _choice(one: ModelStanding) -> str:
    """That a layer was chosen on the test examples, where dev did not choose."""
    return " (best of all)" if one.others and not (one.floor and one.floor.on_dev) else ""


def _layers(
    board: BoardContents, rows: Mapping[Key, Sequence[Any]], kind: str = ""
) -> tuple[PageBlock, ...]:
    """The scores of all layers, where a task was read from several."""
    several = {key: mine for key, mine in rows.items() if len(mine) > 1}
    if not several:
        return ()
    scores = {key: {row.layer: format_doubt(row) for row in mine} for key, mine in several.items()}
    layers = {layer: None for known in scores.values() for layer in known}
    order = sorted(layers, key=layer_order)
    lines = [(layer, *(scores[key].get(layer, "") for key in several)) for layer in order]
    head = ("layer", *(board.task_name(key) for key in several))
    table = Table(head, (TableSection("", tuple(lines)),), frozenset({"layer"}))
    soft = {(0, r, c): "soft" for r in range(len(lines)) for c in range(len(head)) if kind}
    sheet = TableSheet(table, f"{kind}scores by layer".capitalize(), classes=soft)
    return (FoldedBlock(f"{kind}scores of all layers".capitalize(), (sheet,)),)
