"""The page of a model: what its submitter says of it, and its scores on all tasks and layers."""

from __future__ import annotations

from collections.abc import Mapping

from lingprobe.tables.table import Section, Table, number
from lingprobe.tables.web import (
    Block,
    Chapter,
    Code,
    Document,
    Folded,
    Links,
    Prose,
    Sheet,
    Terms,
)
from lingprobe_extensions.board.contents import INDEX, UNKNOWN, Board, doubt, interval
from lingprobe_extensions.board.lines import layer_order
from lingprobe_extensions.board.mteb_scores import mteb_of
from lingprobe_extensions.board.standings import Key, Standing
from lingprobe_extensions.board.task_page import floor_difference, floor_verdict

HEAD = (
    *("task", "group", "layer", "score", "95 % interval", "best floor", "floor of"),
    *("from the best floor", "above the floors", "best ceiling", "n"),
)
WORDS = frozenset({"task", "group", "layer", "floor of", "above the floors"})
DECLARED = {"trained_on_ud": "Trained on UD", "trained_on_sources": "Trained on the source texts"}


def model_page(board: Board, encoder: str) -> Document:
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
    finding = f"Leading on {leading:,} of {len(mine):,} tasks, above the floors on {above:,}."
    blocks: tuple[Block, ...] = (
        Prose((finding,), "finding"),
        _scores(board, mine),
        *_layers(board, mine),
        Prose((*board.notes, "What it was trained on is as its submitter says."), "note"),
        *mteb_of(model),
        Terms(terms),
        Folded("Identity, code and files", _facts(line.identity, line.code, line.files)),
        Links("Back to", ((f"../{INDEX}", "all models and tasks"),)),
    )
    return Document(model.name, "Scores of its frozen vectors.", (Chapter("model", "", blocks),))


def _facts(identity: str, code: Mapping[str, str], files: Mapping[str, str]) -> tuple[Block, ...]:
    sums = "".join(f"{value}  {name}\n" for name, value in files.items())
    return (
        Code(identity, "What decides its vectors"),
        Terms(tuple((f"Code of the {kind}", value) for kind, value in code.items())),
        *([Code(sums, "SHA-256 of its files")] if sums else []),
    )


def _scores(board: Board, mine: Mapping[Key, Standing]) -> Sheet:
    rows = tuple(_row(board, key, one) for key, one in mine.items())
    strong = frozenset(
        (r, HEAD.index("score")) for r, one in enumerate(mine.values()) if one.group == "leading"
    )
    links = {(0, r, 0): f"../{board.task_files[key]}" for r, key in enumerate(mine)}
    return Sheet(Table(HEAD, (Section("", rows, strong=strong),), WORDS), "Tasks", links=links)


def _row(board: Board, key: Key, one: Standing) -> tuple[str, ...]:
    row, (floor, by), (ceiling, _) = one.row, board.floor(key), board.ceiling(key)
    return (
        board.task_name(key),
        one.group,
        row.layer + _choice(one),
        number(row.score),
        interval(row),
        number(floor),
        by,
        floor_difference(one),
        floor_verdict(one),
        number(ceiling),
        f"{row.n:,}",
    )


def _choice(one: Standing) -> str:
    """That a layer was chosen on the test examples, where dev did not choose."""
    return " (best of all)" if one.others and not (one.floor and one.floor.on_dev) else ""


def _layers(board: Board, mine: Mapping[Key, Standing]) -> tuple[Block, ...]:
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
    table = Table(head, (Section("", tuple(rows)),), frozenset({"layer"}))
    return (Folded("Scores of all layers", (Sheet(table, "Scores by layer"),)),)
