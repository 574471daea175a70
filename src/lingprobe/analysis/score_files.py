"""Scores that others measured: tables in CSV, and results as mteb keeps them."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from lingprobe.analysis.row import NO_CONTROL, PERCENT_SCALE, said_of
from lingprobe.analysis.score_table import (
    EncoderName,
    MeasuredTask,
    ScoreCell,
    derive_encoder_name,
    strip_model_owner,
)
from lingprobe.corpora.damage import report_damage
from lingprobe.corpora.languages import get_three_letter_code
from lingprobe.corpora.separators import open_table
from lingprobe.data.core import DataProblem

_ENCODER = ("encoder", "model", "name")
_VARIANT = ("read", "layer", "pooling", "pool", "seed", "revision", "checkpoint")
_FAMILY = ("family", "base")
_SCORE = ("score", "main_score")
_LANGUAGE = ("language", "languages", "lang")
_PARTS = ("split", "subset", "fold")
"""Columns over which several scores of one task are averaged."""
_MISSING = frozenset({"", "-", "–", "na", "n/a", "none", "null"})
_UNDEFINED = "nan"
"""What stands where a correlation could not be computed: predictions of constant vectors."""

Read = tuple[list[ScoreCell], list[str]]
Line = tuple[int, Mapping[str, str]]


def read_score_file(source: str, constant: bool = False) -> Read:
    """The scores that a source names, `mteb:FOLDER` or a file of a table, and what of them was left
    out; DataProblem where they cannot be read.

    constant  whether encoders with constant vectors stay
    """
    kind, colon, path = source.partition(":")
    if kind == "mteb" and colon:
        return _mteb(Path(path))
    if Path(source).is_dir():
        raise DataProblem(
            f"{source} is a folder: if mteb wrote it, name it as 'mteb:{source}'; scores of other"
            " programs are a CSV file"
        )
    return _read_score_table(Path(source), constant)


def families_from(path: Path) -> dict[str, str]:
    """The family of each encoder in a CSV with the columns encoder and family; DataProblem where
    it has not both.
    """
    lines = _read_numbered_lines(path)
    if not lines or not {"encoder", "family"} <= set(lines[0][1]):
        raise DataProblem(f"{path}: it needs the columns encoder and family, and at least one row")
    return {cells["encoder"]: cells["family"] for _, cells in lines}


class ScoreFileHeader(NamedTuple):
    """Which columns of a file say what."""

    encoder: str
    variants: tuple[str, ...]
    family: str
    language: str
    score: str
    others: tuple[str, ...]

    def row(self, cells: Mapping[str, str]) -> EncoderName:
        """The row of a line."""
        encoder = cells[self.encoder]
        said = [_variant(name, cells[name]) for name in self.variants]
        row = derive_encoder_name(encoder, "".join(said))
        model = row.model or strip_model_owner(encoder)
        return EncoderName(row.name, cells.get(self.family) or row.family, model)


def _variant(name: str, value: str) -> str:
    if value.casefold() in _MISSING:
        return ""
    return said_of(value) if name.casefold() in ("layer", "read") else f", {value}"


def _read_score_table(path: Path, constant: bool) -> Read:
    lines = _read_numbered_lines(path)
    if not lines:
        raise DataProblem(f"{path}: no row below the header: write one for each encoder")
    header = _header(path, list(lines[0][1]))
    if header.score:
        return _long(path, header, lines)
    flat = [] if constant else [cells for _, cells in lines if _is_constant(header, cells)]
    scores = _wide(path, header, [each for each in lines if each[1] not in flat])
    names = ", ".join(header.row(cells).name for cells in flat)
    why = "excluded, because a score is NaN: correlations with constant vectors are not defined"
    return scores, [f"{path.name}: {names}: {why}"] if flat else []


def _is_constant(header: ScoreFileHeader, cells: Mapping[str, str]) -> bool:
    return any(cells[name].casefold() == _UNDEFINED for name in header.others)


def _read_numbered_lines(path: Path) -> list[Line]:
    """The lines of a table with their numbers."""
    with open_table(path) as (file, mark):
        reader = csv.DictReader(file, delimiter=mark, restkey="", restval=None)
        lines: list[Line] = []
        names = reader.fieldnames or ()
        if twice := next((name for name in names if name and names.count(name) > 1), ""):
            raise DataProblem(f"{path}: two columns are called {twice!r}; rename one")
        for cells in reader:
            if "" in cells or None in cells.values():
                raise DataProblem(
                    f"{path}:{reader.line_num}: the number of cells differs from the header's"
                    f" ({len(reader.fieldnames or ())})"
                )
            lines.append((reader.line_num, {k: v.strip() for k, v in cells.items()}))
    return lines


def _header(path: Path, names: Sequence[str]) -> ScoreFileHeader:
    def one(known: Sequence[str]) -> str:
        return next((n for k in known for n in names if n.casefold() == k), "")

    encoder = one(_ENCODER)
    if not encoder:
        raise DataProblem(
            f"{path}: no column names the encoder of a row: call it {' or '.join(_ENCODER)}"
        )
    variants = tuple(n for n in names if n.casefold() in _VARIANT)
    score = one(_SCORE) if one(("task",)) else ""
    family, language = one(_FAMILY), one(_LANGUAGE)
    told = {encoder, *variants, family, language}
    return ScoreFileHeader(
        encoder, variants, family, language, score, tuple(n for n in names if n not in told)
    )


def _wide(path: Path, header: ScoreFileHeader, lines: Sequence[Line]) -> list[ScoreCell]:
    """One line an encoder, one column a task; columns of words are passed over."""
    numbers = [
        name for name in header.others if any(_is_number_cell(cells[name]) for _, cells in lines)
    ]
    if lines and not numbers:
        raise DataProblem(f"{path}: no column has a number: write scores with points, as 71.5")
    return [
        ScoreCell(header.row(cells), MeasuredTask(name, path.name, name), value)
        for number, cells in lines
        for name in numbers
        if (value := _read_score(f"{path}:{number}", name, cells[name])) is not None
    ]


def _is_number_cell(text: str) -> bool:
    """Whether a cell has a number, or one with a decimal comma, which is refused where it is
    read.
    """
    try:
        return not math.isnan(float(text.replace(",", ".", 1)))
    except ValueError:
        return False


def _read_score(where: str, name: str, text: str) -> float | None:
    """The score in a cell; None where there is none."""
    if text.casefold() in {*_MISSING, _UNDEFINED}:
        return None
    try:
        if math.isfinite(value := float(text)):
            return value
    except ValueError:
        pass
    raise DataProblem(
        f"{where}: {text!r} in column {name} is not a number; leave the cell empty if there is no"
        " score"
    )


def _long(path: Path, header: ScoreFileHeader, lines: Sequence[Line]) -> Read:
    """One line a score."""
    cells_of: dict[tuple[EncoderName, MeasuredTask], list[float]] = {}
    several = any(name.casefold() in _PARTS for name in header.others)
    task = next(name for name in header.others if name.casefold() == "task")
    for number, cells in lines:
        if cells.get("control", NO_CONTROL) != NO_CONTROL or cells.get("kind") == "oracle":
            continue
        value = _read_score(f"{path}:{number}", header.score, cells[header.score])
        if value is None:
            continue
        language = _language(cells.get(header.language, ""))
        column = MeasuredTask(cells[task], path.name, cells[task], language)
        known = cells_of.setdefault((header.row(cells), column), [])
        if known and not several:
            raise DataProblem(
                f"{path}:{number}: a second score of {cells[header.encoder]} on {cells[task]};"
                f" distinguish the two in a column {', '.join(_VARIANT)} or language"
            )
        known.append(value)
    return [ScoreCell(row, column, fmean(v)) for (row, column), v in cells_of.items()], []


def _language(text: str) -> str:
    """Three-letter codes of a language, or of several as `deu-eng`."""
    codes = [part.partition("-")[0] for part in text.replace("+", " ").split()]
    return "-".join(get_three_letter_code(code) or code for code in codes)


def _mteb(folder: Path) -> Read:
    """The scores of an mteb folder, MODEL/REVISION/TASK.json, in percent: the mean over subsets in
    the same languages, of the split `test` where there is one; files of versions before 1.11 are
    skipped and counted.
    """
    files = [f for f in sorted(folder.rglob("*.json")) if f.name != "model_meta.json"]
    if not files:
        raise DataProblem(
            f"{folder}: there are no results of mteb in it, which are files"
            " MODEL/REVISION/TASK.json"
        )
    revisions: dict[str, set[str]] = {}
    for file in files:
        revisions.setdefault(file.parent.parent.name, set()).add(file.parent.name)
    scores, old = [], 0
    for file in files:
        with report_damage(file, "a result of mteb"):
            content = _read_json_rows(file)
            if "task_name" not in content or not isinstance(content.get("scores"), dict):
                old += 1
                continue
            row = _parse_model_row(file, len(revisions[file.parent.parent.name]) > 1)
            scores += [ScoreCell(row, column, value) for column, value in _mains(content, file)]
    remarks = [f"mteb: {old:,} files of versions before 1.11 are skipped"] if old else []
    if old == len(files):
        raise DataProblem(
            f"{folder}: all {old:,} files are of versions of mteb before 1.11: read and write them"
            " with mteb (TaskResult.from_disk, to_disk)"
        )
    return scores, remarks


def _read_json_rows(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise DataProblem(f"{file}: not valid JSON: {error}") from None
    return content if isinstance(content, dict) else {}


def _parse_model_row(file: Path, several: bool) -> EncoderName:
    """The row of a model; of each revision where there are several. What a model is run with is
    written in brackets, and is a variant.
    """
    name = file.parent.parent.name.replace("__", "/", 1)
    model = name.partition("_(")[0]
    revision = f"@{file.parent.name[:12]}" if several else ""
    return EncoderName(f"{name}{revision}", model, strip_model_owner(model))


def _mains(content: Mapping[str, Any], file: Path) -> Iterator[tuple[MeasuredTask, float]]:
    """A task in several languages becomes several columns, each the mean of its subsets."""
    splits, task = content["scores"], str(content["task_name"])
    each = splits.get("test") or [entry for entries in splits.values() for entry in entries]
    subsets: dict[str, list[float]] = {}
    for entry in each:
        if "main_score" not in entry or "languages" not in entry:
            raise DataProblem(f"{file}: a subset has no main_score or no languages")
        if entry["main_score"] is not None and not math.isnan(entry["main_score"]):
            language = _language(" ".join(entry["languages"]))
            subsets.setdefault(language, []).append(PERCENT_SCALE * entry["main_score"])
    for language, values in subsets.items():
        yield MeasuredTask(task, "mteb", task, language), fmean(values)
