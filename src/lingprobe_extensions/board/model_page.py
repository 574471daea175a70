"""The page of a model: what its submitter says of it, and its scores on all tasks and layers."""

from __future__ import annotations

from collections.abc import Mapping

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
from lingprobe_extensions.board.contents import INDEX, UNKNOWN, Board, doubt, interval
from lingprobe_extensions.board.lines import layer_order
from lingprobe_extensions.board.mteb_scores import mteb_of
from lingprobe_extensions.board.standings import Key, Standing
from lingprobe_extensions.board.task_page import floor_difference, floor_verdict

HEAD = (
    *("task", "group", "layer", "score", "95 % interval", "best baseline", "baseline"),
    *("over baseline", "above baselines", "upper bound", "n"),
)
WORDS = frozenset({"task", "group", "layer", "baseline", "above baselines"})
DECLARED = {"trained_on_ud": "Trained on UD", "trained_on_sources": "Trained on the source texts"}


def model_page(board: Board, encoder: str) -> WebDocument:
    """The page of a model."""
    model, mine = board.models[encoder], board.by_model[encoder]
    line, size = model.line, model.line.parameters
    terms = (
        ("Encoder", encoder),
        ("Parameters", UNKNOWN if size is None else f"{size:,}"),
        ("Revision", line.revision or UNKNOWN),
        ("Layers", ", ".join(line.layers)),
        *((title, line.declared.get(key, UNKNOWN)) for key, title in DECLARED.items()),
        ("Measured with", ", ".join(f"{name} {of}" for name, of in line.versions.items())),
    )
    above = sum(one.is_above_floors for one in mine.values())
    leading = sum(one.group == "leading" for one in mine.values())
    finding = f"Leading on {leading:,} of {len(mine):,} tasks, above the baselines on {above:,}."
    blocks: tuple[PageBlock, ...] = (
        ProseBlock((finding,), "finding"),
        _scores(board, mine),
        *_layers(board, mine),
        ProseBlock((*board.notes, "Training data are as declared by the submitter."), "note"),
        *mteb_of(model),
        TermBlock(terms),
        FoldedBlock("Identity, code and files", _facts(line.identity, line.code, line.files)),
        LinkBlock("Back to", ((f"../{INDEX}", "all models and tasks"),)),
    )
    return WebDocument(
        model.name, "Scores of its frozen vectors.", (PageChapter("model", "", blocks),)
    )


def _facts(
    identity: str, code: Mapping[str, str], files: Mapping[str, str]
) -> tuple[PageBlock, ...]:
    sums = "".join(f"{value}  {name}\n" for name, value in files.items())
    return (
        CodeBlock(identity, "Identity of its vectors"),
        TermBlock(tuple((f"Code of the {kind}", value) for kind, value in code.items())),
        *([CodeBlock(sums, "SHA-256 of its files")] if sums else []),
    )


def _scores(board: Board, mine: Mapping[Key, Standing]) -> TableSheet:
    rows = tuple(_row(board, key, one) for key, one in mine.items())
    strong = frozenset(
        (r, HEAD.index("score")) for r, one in enumerate(mine.values()) if one.group == "leading"
    )
    links = {(0, r, 0): f"../{board.task_files[key]}" for r, key in enumerate(mine)}
    return TableSheet(
        Table(HEAD, (TableSection("", rows, strong=strong),), WORDS), "Tasks", links=links
    )


def _row(board: Board, key: Key, one: Standing) -> tuple[str, ...]:
    row, (floor, by), (ceiling, _) = one.row, board.floor(key), board.ceiling(key)
    return (
        board.task_name(key),
        one.group,
        row.layer + _choice(one),
        format_number(row.score),
        interval(row),
        format_number(floor),
        by,
        floor_difference(one),
        floor_verdict(one),
        format_number(ceiling),
        f"{row.n:,}",
    )


def _choice(one: Standing) -> str:
    """That a layer was chosen on the test examples, where dev did not choose."""
    return " (best of all)" if one.others and not (one.floor and one.floor.on_dev) else ""


def _layers(board: Board, mine: Mapping[Key, Standing]) -> tuple[PageBlock, ...]:
    """The scores of all layers, where a task was read from several."""
    several = {key: one for key, one in mine.items() if one.others}
    if not several:
        return ()
    scores = {
        key: {row.layer: doubt(row) for row in (one.row, *one.others)}
        for key, one in several.items()
    }
    layers = {layer: None for known in scores.values() for layer in known}
    order = sorted(layers, key=layer_order)
    rows = [(layer, *(scores[key].get(layer, "") for key in several)) for layer in order]
    head = ("layer", *(board.task_name(key) for key in several))
    table = Table(head, (TableSection("", tuple(rows)),), frozenset({"layer"}))
    return (FoldedBlock("Scores of all layers", (TableSheet(table, "Scores by layer"),)),)
