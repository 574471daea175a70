"""The page of a phenomenon: one figure of it, as tense over languages, and the scores behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from lingprobe.extend import (
    LinkBlock,
    PageChapter,
    ProseBlock,
    WebDocument,
    draw_row_dots,
    get_question,
    picture,
)
from lingprobe_extensions.board.contents import INDEX_FILE, NO_RANKS_NOTE, BoardContents
from lingprobe_extensions.board.index_page import RANK_MARKS_NOTE, ShownKeys, score_sheet
from lingprobe_extensions.board.standings import Key

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST = 24  # models that a figure has room for


def phenomenon_page(board: BoardContents, name: str) -> WebDocument:
    """The page of a phenomenon."""
    keys = [key for key in board.phenomena[name] if board.tasks[key].models]
    shown = _choose_models(board, keys)
    blocks = (
        ProseBlock(tuple(_findings(board, keys)), "finding"),
        *([picture(partial(_draw, board, keys, shown), _caption(board, keys, shown))] * bool(keys)),
        score_sheet(board, ShownKeys(tuple(board.phenomena[name])), "../"),
        ProseBlock((*board.notes, RANK_MARKS_NOTE), "note"),
        LinkBlock("Tasks", tuple((f"../{board.task_files[k]}", _title(board, k)) for k in keys)),
        LinkBlock("Back to", ((f"../{INDEX_FILE}", "all models and tasks"),)),
    )
    about = get_question(board.phenomena[name][0][0])
    return WebDocument(name, about, (PageChapter("phenomenon", "", blocks),))


def _findings(board: BoardContents, keys: Sequence[Key]) -> Iterator[str]:
    """Who leads where."""
    if not keys:
        yield NO_RANKS_NOTE
        return
    for key in keys:
        verb = "leading: " * bool(board.tasks[key].of("leading"))
        yield f"{_title(board, key)}: {verb}{board.name_leaders(key)}."


def _title(board: BoardContents, key: Key) -> str:
    """What tells a task from the others of its phenomenon: its language, where that does."""
    keys = [each for each in board.columns if board.columns[each].name == board.columns[key].name]
    languages = Counter(map(board.language, keys))
    language = board.language(key)
    return language if languages[language] == 1 else f"{language}, {board.task_name(key)}"


def _choose_models(board: BoardContents, keys: Sequence[Key]) -> list[str]:
    """The models that the figure shows: of more than it has room for those that lead on most of the
    tasks, then those above the baselines on most.
    """
    leading, above, known = Counter[str](), Counter[str](), dict[str, None]()
    for key in keys:
        for one in board.tasks[key].models:
            known[one.row.encoder] = None
            leading[one.row.encoder] += one.group == "leading"
            above[one.row.encoder] += one.is_above_floors
    names = sorted(known, key=lambda each: (-leading[each], -above[each], board.name(each)))
    return names[:_MOST]


def _caption(board: BoardContents, keys: Sequence[Key], shown: Sequence[str]) -> str:
    many = len({one.row.encoder for key in keys for one in board.tasks[key].models})
    text = "Scores in percent with 95 % intervals, as measured by the operator."
    if many > len(shown):
        text += f" {len(shown):,} of {many:,} models: those that lead on most tasks."
    return text


def _draw(board: BoardContents, keys: Sequence[Key], shown: Sequence[str]) -> Figure:
    """A panel for each task, with baselines and upper bounds."""
    rows: list[Any] = []
    leading = set()
    for key in keys:
        one = board.tasks[key]
        models = [each for each in one.models if each.row.encoder in shown]
        rows += [*one.floors, *(each.row for each in models), *one.ceilings]
        leading |= {_get_row_place(each.row) for each in models if each.group == "leading"}
    titles = {key[0]: _title(board, key) for key in keys}
    names = {row.encoder: board.name(row.encoder) for row in rows}
    return draw_row_dots(rows, titles, names, frozenset(leading))


def _get_row_place(row: Any) -> tuple[str, ...]:
    return row.task, row.encoder, row.layer, row.probe
