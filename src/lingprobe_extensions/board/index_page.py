"""The first page of a board: models below each other, tasks beside each other, baselines above and
upper bounds below them. It stays below two megabytes: where it would not, it has fewer layers, then
fewer tasks, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lingprobe import DataProblem, Table
from lingprobe.extend import (
    PageBlock,
    PageChapter,
    ProseBlock,
    TableFacet,
    TableSection,
    TableSheet,
    TableVariants,
    WebDocument,
    format_number,
)
from lingprobe_extensions.board.contents import (
    Board,
    doubt,
    family_of,
    size_class,
    size_of,
)
from lingprobe_extensions.board.lines import layer_order
from lingprobe_extensions.board.mteb_scores import mteb_blocks
from lingprobe_extensions.board.standings import Key, Standing

LIMIT = 2_000_000  # bytes
HEAD = ("model", "UD in training", "parameters (M)")
WORDS = frozenset(HEAD[:2])
BOLD = (
    "Bold: leading. Grey: not above the baselines. ±: the wider side of the 95 % interval. Of"
    " several layers the table shows the one that is best on dev; Layer shows the scores of one"
    " layer. *: not compared, because it is over other test examples, or by a metric that is code"
    " in a file."
)
USUAL = "best on dev"


class Shown(NamedTuple):
    """What of a board its first page shows."""

    keys: tuple[Key, ...]
    has_layers: bool = True


def index_text(board: Board) -> str:
    """The page as a file; DataProblem where even the names of its models are too long."""
    shown = Shown(tuple(board.columns))
    text = index_page(board, shown).text()
    while len(text.encode()) > LIMIT:
        shown = _less(board, shown, len(text.encode()))
        text = index_page(board, shown).text()
    return text


def _less(board: Board, shown: Shown, size: int) -> Shown:
    """Without the scores of other layers, then with the tasks that most models have."""
    if shown.has_layers:
        return shown._replace(has_layers=False)
    kept = min(int(len(shown.keys) * LIMIT / size), len(shown.keys) - 1)
    if kept < 1:
        raise DataProblem(
            f"a page of {len(board.models):,} models would be larger than {LIMIT:,} bytes; make"
            " several boards"
        )
    most = sorted(shown.keys, key=lambda key: -len(board.tasks[key].models))[:kept]
    return shown._replace(keys=tuple(key for key in shown.keys if key in most))


def index_page(board: Board, shown: Shown) -> WebDocument:
    """The page of some tasks."""
    many = len(board.models)
    title = f"Board of {many:,} model{'s' * (many != 1)}"
    about = "Scores of linear and other probes of their vectors, with baselines and upper bounds."
    left = len(board.columns) - len(shown.keys)
    notes = (
        *board.notes,
        BOLD,
        *([f"{left:,} more tasks have pages below; this table would be too large."] * (left > 0)),
        *(["Scores of other layers are on the pages of models."] * (not shown.has_layers)),
    )
    blocks: tuple[PageBlock, ...] = (_scores(board, shown), ProseBlock(notes, "note"))
    chapters = [
        PageChapter("models", "Models", blocks),
        PageChapter("tasks", "Tasks", (_tasks(board),)),
    ]
    if scored := mteb_blocks(board):
        chapters.append(PageChapter("mteb", "Scores of MTEB", scored))
    return WebDocument(title, about, tuple(chapters))


def _scores(board: Board, shown: Shown) -> TableSheet:
    """The scores of all models."""
    rows = [
        ("best baseline", "", "", *(format_number(board.floor(key)[0]) for key in shown.keys)),
        *(_row(board, encoder, shown.keys) for encoder in board.order),
        ("upper bound", "", "", *(format_number(board.ceiling(key)[0]) for key in shown.keys)),
        ("n", "", "", *(f"{board.most(key):,}" for key in shown.keys)),
    ]
    columns = [board.columns[key] for key in shown.keys]
    section = TableSection(
        "",
        tuple(rows),
        strong=frozenset(_places(board, shown.keys, lambda one: one.group == "leading")),
        rules=frozenset({1, len(board.order) + 1}),
    )
    groups = ("",) * len(HEAD) + tuple(column.group for column in columns)
    table = Table(
        (*HEAD, *(column.name for column in columns)),
        (section,),
        WORDS,
        groups=groups if any(groups) else (),
    )
    soft = _places(board, shown.keys, lambda one: not one.is_above_floors)
    return TableSheet(
        table,
        "Scores in percent",
        classes={(0, r, c): "soft" for r, c in soft},
        links={(0, r, 0): board.model_files[one] for r, one in enumerate(board.order, 1)},
        facets=_facets(board, shown.keys),
        variants=_layers(board, shown.keys) if shown.has_layers else None,
    )


def _row(board: Board, encoder: str, keys: Sequence[Key]) -> tuple[str, ...]:
    model, mine = board.models[encoder], board.by_model[encoder]
    said = model.line.declared.get("trained_on_ud", "unknown")
    cells = (doubt(mine[key].row) + _sign(mine[key]) if key in mine else "" for key in keys)
    return (model.name, said, size_of(model), *cells)


def _sign(one: Standing) -> str:
    """A mark of what is not compared."""
    return "*" if one.group in ("not compared", "as submitted") else ""


def _places(
    board: Board, keys: Sequence[Key], wanted: Callable[[Standing], bool]
) -> list[tuple[int, int]]:
    """The cells of models that are wanted."""
    return [
        (r, c)
        for r, encoder in enumerate(board.order, 1)
        for c, key in enumerate(keys, len(HEAD))
        if (one := board.by_model[encoder].get(key)) and wanted(one)
    ]


def _facets(board: Board, keys: Sequence[Key]) -> tuple[TableFacet, ...]:
    """What rows and columns can be chosen by."""
    before = ("",) * len(HEAD)
    sizes = ("", *(size_class(board.models[one]) for one in board.order), "", "")
    return (
        TableFacet("Language", "columns", before + tuple(map(board.language, keys))),
        TableFacet("Family", "columns", before + tuple(map(family_of, keys))),
        TableFacet("Task", "columns", before + tuple(map(board.task_name, keys))),
        TableFacet("Size", "rows", sizes),
    )


def _layers(board: Board, keys: Sequence[Key]) -> TableVariants | None:
    """The scores at each layer; None where no model has several."""
    every = [one for mine in board.by_model.values() for one in mine.values()]
    names = {row.layer for one in every if one.others for row in (one.row, *one.others)}
    order = tuple(sorted(names, key=layer_order))
    if not order:
        return None
    cells = {}
    for r, encoder in enumerate(board.order, 1):
        mine = board.by_model[encoder]
        cells[r] = {
            c: _at_layers(mine[key], order) for c, key in enumerate(keys, len(HEAD)) if key in mine
        }
    return TableVariants("Layer", USUAL, order, cells)


def _at_layers(one: Standing, order: Sequence[str]) -> tuple[str, ...]:
    scores = {row.layer: doubt(row) for row in (one.row, *one.others)}
    return tuple(scores.get(name, "") for name in order)


def _tasks(board: Board) -> TableSheet:
    """The tasks with their baselines and upper bounds; each has a page."""
    head = (
        *("task", "language", "family", "probe", "models", "leading", "above baselines"),
        *("best baseline", "upper bound", "n"),
    )
    rows = []
    for key, one in board.tasks.items():
        above = sum(each.is_above_floors for each in one.models)
        floor, ceiling = board.floor(key), board.ceiling(key)
        counts = len(one.models), len(one.of("leading")), above
        rows.append(
            (
                board.task_name(key),
                board.language(key),
                family_of(key),
                key[1],
                *map(str, counts),
                format_number(floor[0]),
                format_number(ceiling[0]),
                f"{board.most(key):,}",
            )
        )
    links = {(0, r, 0): board.task_files[key] for r, key in enumerate(board.tasks)}
    table = Table(head, (TableSection("", tuple(rows)),), frozenset(head[:4]))
    return TableSheet(table, "Tasks with baselines and upper bounds", links=links)
