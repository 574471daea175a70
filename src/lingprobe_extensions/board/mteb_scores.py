"""Scores of MTEB beside a board's own, as submitters gave them: read from the folder that mteb
writes, and marked where the model there may be another one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lingprobe import DataProblem, Table
from lingprobe.extend import (
    PageBlock,
    ProseBlock,
    TableSection,
    TableSheet,
    format_number,
    get_contents,
    read_score_file,
    shorten_reference,
    try_parse_reference,
)
from lingprobe_extensions.board.contents import BoardContents
from lingprobe_extensions.board.lines import ModelLine
from lingprobe_extensions.board.merge import ListedModel

_META, _MARK = "model_meta.json", "†"
_NOTES = (
    "Scores of MTEB are as the submitters gave them, not measured or checked here.",
    f"{_MARK} not known to be the model that was measured here: another revision, or its vectors"
    " were read otherwise.",
)


def mteb_places(folder: str | Path | None) -> dict[str, list[Path]]:
    """The folders in one of mteb (MODEL/REVISION/TASK.json) by bare name of the model, one for each
    revision; {} without a folder. DataProblem where there are none.
    """
    if folder is None:
        return {}
    files = (file for file in Path(folder).rglob("*.json") if file.name != _META)
    places: dict[str, list[Path]] = {}
    for place in sorted({file.parent for file in files}):
        model = place.parent.name.replace("__", "/", 1)
        places.setdefault(_bare_name(model), []).append(place)
    if not places:
        raise DataProblem(
            f"{folder}: there are no results of mteb in it (MODEL/REVISION/TASK.json)"
        )
    return places


def of_model(places: Mapping[str, Sequence[Path]], name: str, revision: str) -> dict[str, Any]:
    """The scores of a model: those of its revision, or of that with the most tasks; {} for none.
    DataProblem where no revision can be read, as of versions of mteb before 1.11.
    """
    mine: list[dict[str, Any]] = []
    problems: list[DataProblem] = []
    for place in places.get(_bare_name(name), ()):
        try:
            mine.append(_read_mteb_scores(place))
        except DataProblem as problem:
            problems.append(problem)
    if problems and not mine:
        raise problems[0]
    same = [one for one in mine if revision == f"commit={one['revision']}"]
    return max(same or mine, key=lambda one: len(one["scores"]), default={})


def _read_mteb_scores(place: Path) -> dict[str, Any]:
    scores, _ = read_score_file(f"mteb:{place}")
    tasks = {one.column.task: round(one.value, 4) for one in scores}
    return {"model": scores[0].row.name, "revision": place.name, "scores": tasks}


def is_same_model(line: ModelLine) -> bool:
    """Whether mteb's scores are of the model measured here, or are marked: the same commit, read as
    sentence-transformers reads it.
    """
    parsed = try_parse_reference(shorten_reference(get_contents("encoders"), line.encoder))
    is_plain = parsed is not None and parsed.name == "st" and not parsed.options
    return is_plain and line.revision == f"commit={line.mteb.get('revision')}"


def _format_mteb_score(line: ModelLine, task: str) -> str:
    value = float(line.mteb.get("scores", {}).get(task, math.nan))
    return "" if math.isnan(value) else format_number(value) + _MARK * (not is_same_model(line))


def mteb_blocks(board: BoardContents) -> tuple[PageBlock, ...]:
    """A table of the scores; () where no line gives any."""
    order = [encoder for encoder in board.whole_order if board.models[encoder].stated.mteb]
    if not order:
        return ()
    lines = [board.models[encoder].stated for encoder in order]
    tasks = sorted({task for line in lines for task in line.mteb["scores"]})
    rows = tuple(
        (board.models[encoder].name, *(_format_mteb_score(line, task) for task in tasks))
        for encoder, line in zip(order, lines, strict=True)
    )
    links = {(0, r, 0): board.model_files[encoder] for r, encoder in enumerate(order)}
    table = Table(("model", *tasks), (TableSection("", rows),), frozenset({"model"}))
    return (TableSheet(table, "Scores of MTEB in percent", links=links), ProseBlock(_NOTES, "note"))


def mteb_of(model: ListedModel) -> tuple[PageBlock, ...]:
    """The scores of one model; () for none."""
    said = model.stated.mteb
    if not said:
        return ()
    rows = tuple((task, _format_mteb_score(model.stated, task)) for task in sorted(said["scores"]))
    table = Table(("task of MTEB", "score"), (TableSection("", rows),), frozenset({"task of MTEB"}))
    title = f"Scores of MTEB: {said['model']}, revision {said['revision']}"
    return (TableSheet(table, title), ProseBlock(_NOTES, "note"))


def _bare_name(model: str) -> str:
    """The name of a model without who made it, in small letters."""
    return re.split(r"/|__", model.rstrip("/"))[-1].casefold()
