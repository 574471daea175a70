"""The first page of a board: models below each other, tasks beside each other, baselines above and
upper bounds below them, and below these what is only reported. It stays below two megabytes: where
it would not, it has fewer layers, then fewer tasks, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

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
    NO_RANKS_NOTE,
    UNKNOWN_FACT,
    BoardContents,
    family_of,
    format_doubt,
    format_model_size,
    size_class,
)
from lingprobe_extensions.board.lines import layer_order
from lingprobe_extensions.board.mteb_scores import mteb_blocks
from lingprobe_extensions.board.standings import Key, ModelStanding

_LIMIT = 2_000_000  # bytes
_HEAD = ("model", "UD in training", "parameters (M)")
_WORDS = frozenset(_HEAD[:2])
RANK_MARKS_NOTE = (
    "Bold: leading. ▲: above all baselines. ±: the wider side of the 95 % interval. Of several"
    " layers the table shows the one that is best on dev; Layer shows the scores of one layer. *:"
    " not compared, because it is over other test examples, or by a metric that is code in a file."
)
_USUAL = "best on dev"


class ShownKeys(NamedTuple):
    """What of a board its first page shows."""

    keys: tuple[Key, ...]
    has_layers: bool = True


def index_text(board: BoardContents) -> str:
    """The page as a file; DataProblem where even the names of its models are too long."""
    shown = ShownKeys(tuple(board.columns))
    text = index_page(board, shown).text()
    while len(text.encode()) > _LIMIT:
        shown = _less(board, shown, len(text.encode()))
        text = index_page(board, shown).text()
    return text


def _less(board: BoardContents, shown: ShownKeys, size: int) -> ShownKeys:
    """Above 2 MB the first page leaves out layers, then tasks: without the scores of other layers,
    then with the tasks that most models have.
    """
    if shown.has_layers:
        return shown._replace(has_layers=False)
    kept = min(int(len(shown.keys) * _LIMIT / size), len(shown.keys) - 1)
    if kept < 1:
        raise DataProblem(
            f"a page of {len(board.models):,} models would be larger than {_LIMIT:,} bytes; make"
            " several boards"
        )
    counts = {key: len(board.tasks[key].models + board.tasks[key].reported) for key in shown.keys}
    most = sorted(shown.keys, key=lambda key: -counts[key])[:kept]
    return shown._replace(keys=tuple(key for key in shown.keys if key in most))


def index_page(board: BoardContents, shown: ShownKeys) -> WebDocument:
    """The page of some tasks."""
    many = len(board.models)
    title = f"Board of {many:,} model{'s' * (many != 1)}"
    about = "Scores of linear and other probes of their vectors, with baselines and upper bounds."
    left = len(board.columns) - len(shown.keys)
    notes = (
        *board.notes,
        RANK_MARKS_NOTE,
        *([f"{left:,} more tasks have pages below; this table would be too large."] * (left > 0)),
        *(["Scores of other layers are on the pages of models."] * (not shown.has_layers)),
    )
    blocks: tuple[PageBlock, ...] = (
        ProseBlock(tuple(_list_board_findings(board)), "finding"),
        score_sheet(board, shown),
        ProseBlock(notes, "note"),
    )
    chapters = [
        PageChapter("models", "Models", blocks),
        PageChapter("phenomena", "Phenomena", (_phenomena(board),)),
        PageChapter("tasks", "Tasks", (_tasks(board),)),
    ]
    if scored := mteb_blocks(board):
        chapters.append(PageChapter("mteb", "Scores of MTEB", scored))
    return WebDocument(title, about, tuple(chapters))


def _list_board_findings(board: BoardContents) -> Iterator[str]:
    """What there is to say first: how much is ranked, and which submissions differ from it."""
    if not board.order:
        yield NO_RANKS_NOTE
        return
    measured = [key for key, one in board.tasks.items() if one.models]
    led = sum(bool(board.tasks[key].of("leading")) for key in measured)
    yield (
        f"{_format_count(len(board.order), 'model')} measured by the operator; on {led:,} of"
        f" {_format_count(len(measured), 'task')} one or more are above the baselines."
    )
    for encoder, mine in board.reports.items():
        if tasks := [board.task_name(key) for key, one in mine.items() if one.differs]:
            yield (
                f"What is reported of {board.name(encoder)} differs significantly from what was"
                f" measured here: {', '.join(tasks)}."
            )


def _format_count(many: int, noun: str) -> str:
    return f"{many:,} {noun}{'s' * (many != 1)}"


def score_sheet(board: BoardContents, shown: ShownKeys, folder: str = "") -> TableSheet:
    """The scores of all models on some tasks: what was measured between the best baselines and the
    upper bounds, and below that what is reported.

    folder  from the page to that of the board
    """
    keys = shown.keys
    blank = ("",) * (len(_HEAD) - 1)
    top = [("best baseline", *blank, *(format_number(board.floor(key)[0]) for key in keys))]
    below = [
        ("upper bound", *blank, *(format_number(board.ceiling(key)[0]) for key in keys)),
        ("n", *blank, *(f"{board.test_count(key):,}" for key in keys)),
    ]
    order = [encoder for encoder in board.order if board.by_model[encoder].keys() & {*keys}]
    if not any(board.tasks[key].models or board.tasks[key].floors for key in keys):
        top, below = [], []
    reported = [one for one in board.reported_order if board.reports[one].keys() & {*keys}]
    lines = [
        *_Line.fixed(top),
        *(_Line.measured(board, encoder, keys) for encoder in order),
        *_Line.fixed(below),
        *(_Line.reported(board, encoder, keys) for encoder in reported),
    ]
    first = len(top) + len(order)
    rules = {len(top), first, first + len(below)} - {0, len(lines)}
    places = [(r, c, look) for r, one in enumerate(lines) for c, look in one.looks.items()]
    columns = [board.columns[key] for key in keys]
    groups = ("",) * len(_HEAD) + tuple(column.group for column in columns)
    table = Table(
        (*_HEAD, *(column.name for column in columns)),
        (
            TableSection(
                "",
                tuple(one.cells for one in lines),
                strong=frozenset((r, c) for r, c, look in places if "strong" in look),
                rules=frozenset(rules),
            ),
        ),
        _WORDS,
        groups=groups if any(groups) else (),
    )
    seen = {(r, c): look - {"strong"} for r, c, look in places}
    files, encoders = board.model_files, [one.encoder for one in lines]
    return TableSheet(
        table,
        "Scores in percent",
        classes={(0, *place): " ".join(sorted(look)) for place, look in seen.items() if look},
        links={(0, r, 0): folder + files[one] for r, one in enumerate(encoders) if one},
        facets=_facets(board, keys, encoders),
        variants=_tabulate_layers(lines, keys) if shown.has_layers else None,
    )


class _Line(NamedTuple):
    """A row of the table of scores, with how its cells look and the scores at all layers."""

    cells: tuple[str, ...]
    encoder: str = ""
    looks: Mapping[int, frozenset[str]] = MappingProxyType({})
    layers: Mapping[Key, Sequence[Any]] = MappingProxyType({})

    @classmethod
    def fixed(cls, rows: Sequence[tuple[str, ...]]) -> list[_Line]:
        """Rows of no model."""
        return [cls(row) for row in rows]

    @classmethod
    def measured(cls, board: BoardContents, encoder: str, keys: Sequence[Key]) -> _Line:
        """What was measured of a model."""
        mine = board.by_model[encoder]
        cells = [
            format_doubt(mine[key].row) + _sign(mine[key]) if key in mine else "" for key in keys
        ]
        looks = {c: _look(mine[key]) for c, key in enumerate(keys, len(_HEAD)) if key in mine}
        layers = {key: (mine[key].row, *mine[key].others) for key in keys if key in mine}
        return cls((*_list_model_facts(board, encoder, ""), *cells), encoder, looks, layers)

    @classmethod
    def reported(cls, board: BoardContents, encoder: str, keys: Sequence[Key]) -> _Line:
        """What is reported of a model."""
        mine = board.reports[encoder]
        cells = [format_doubt(mine[key].row) if key in mine else "" for key in keys]
        looks = {c: frozenset({"soft"}) for c in range(len(_HEAD) + len(keys))}
        layers = {key: (mine[key].row, *mine[key].others) for key in keys if key in mine}
        return cls(
            (*_list_model_facts(board, encoder, " (reported)"), *cells), encoder, looks, layers
        )


def _list_model_facts(board: BoardContents, encoder: str, mark: str) -> tuple[str, ...]:
    """What stands before the scores of a model."""
    model = board.models[encoder]
    name = model.name + mark if mark else board.name(encoder)
    return name, model.declared.get("trained_on_ud", UNKNOWN_FACT), format_model_size(model)


def _look(one: ModelStanding) -> frozenset[str]:
    looks = {"strong": one.group == "leading", "above": one.is_above_floors}
    return frozenset(name for name, is_so in looks.items() if is_so)


def _sign(one: ModelStanding) -> str:
    """A mark of what is not compared."""
    return "*" if one.group in ("not compared", "not computed") else ""


def _facets(
    board: BoardContents, keys: Sequence[Key], encoders: Sequence[str]
) -> tuple[TableFacet, ...]:
    """What rows and columns can be chosen by."""
    before = ("",) * len(_HEAD)
    sizes = tuple(size_class(board.models[one]) if one else "" for one in encoders)
    return (
        TableFacet("Language", "columns", before + tuple(map(board.language, keys))),
        TableFacet("Family", "columns", before + tuple(map(family_of, keys))),
        TableFacet("Task", "columns", before + tuple(map(board.task_name, keys))),
        TableFacet("Size", "rows", sizes),
    )


def _tabulate_layers(lines: Sequence[_Line], keys: Sequence[Key]) -> TableVariants | None:
    """The scores at each layer; None where no model has several."""
    every = [rows for line in lines for rows in line.layers.values()]
    names = {row.layer for rows in every if len(rows) > 1 for row in rows}
    order = tuple(sorted(names, key=layer_order))
    if not order:
        return None
    cells = {
        r: {
            c: _at_layers(line.layers[key], order)
            for c, key in enumerate(keys, len(_HEAD))
            if key in line.layers
        }
        for r, line in enumerate(lines)
        if line.layers
    }
    return TableVariants("Layer", _USUAL, order, cells)


def _at_layers(rows: Sequence[Any], order: Sequence[str]) -> tuple[str, ...]:
    scores = {row.layer: format_doubt(row) for row in rows}
    return tuple(scores.get(name, "") for name in order)


def _phenomena(board: BoardContents) -> TableSheet:
    """The phenomena with their tasks; each has a page with a figure."""
    head = ("phenomenon", "languages", "tasks", "with a leading model")
    rows = []
    for name, keys in board.phenomena.items():
        languages = ", ".join(dict.fromkeys(map(board.language, keys)))
        led = sum(bool(board.tasks[key].of("leading")) for key in keys)
        rows.append((name, languages, f"{len(keys):,}", f"{led:,}"))
    links = {(0, r, 0): board.phenomenon_files[name] for r, name in enumerate(board.phenomena)}
    table = Table(head, (TableSection("", tuple(rows)),), frozenset(head[:2]))
    return TableSheet(table, "Phenomena with their tasks", links=links)


def _tasks(board: BoardContents) -> TableSheet:
    """The tasks with their baselines and upper bounds; each has a page."""
    head = (
        *("task", "language", "probe", "leading", "models", "above baselines"),
        *("reported", "best baseline", "upper bound", "n"),
    )
    rows = []
    for key, one in board.tasks.items():
        above = sum(each.is_above_floors for each in one.models)
        counts = len(one.models), above, len(one.reported)
        rows.append(
            (
                board.task_name(key),
                board.language(key),
                key[1],
                board.name_leaders(key),
                *map(str, counts),
                format_number(board.floor(key)[0]),
                format_number(board.ceiling(key)[0]),
                f"{board.test_count(key):,}",
            )
        )
    links = {(0, r, 0): board.task_files[key] for r, key in enumerate(board.tasks)}
    table = Table(head, (TableSection("", tuple(rows)),), frozenset(head[:4]))
    whole = {(0, r, head.index("leading")): "whole" for r in range(len(rows))}
    return TableSheet(table, "Tasks with baselines and upper bounds", classes=whole, links=links)
