"""Pairs of a premise and a hypothesis, and which of them an encoder is trained on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from lingprobe import DataProblem
from lingprobe.extend import read_text_lines, uncompressed_path
from lingprobe_extensions.train.data import FileReading, TrainingExample

_COLUMNS = {
    "premise": ("premise", "sentence1"),
    "hypothesis": ("hypothesis", "sentence2"),
    "label": ("label", "gold_label"),
}
_UNLABELLED = frozenset({"-", ""})
_EVALUATION = frozenset({"dev", "test", "validation", "val"})
_SOURCES = {
    "machine-made hypotheses": ("joci*",),
    "written from templates": ("imppres*", "curriculum*", "hans*", "help*"),
    "labelled automatically": ("*silver*",),
    "made to evaluate": (
        *("anli*", "breaking_nli*", "commitment_bank*", "conjnli*", "control*", "fracas*", "med"),
        *("mnli_dev*", "monli*", "negated*", "nope*", "taxinli*"),
    ),
}
"""Why pairs of a source are left out unless they are asked for, with patterns of its name."""


def inferences(paths: Sequence[Path], reading: FileReading) -> Iterator[TrainingExample]:
    """Pairs of a premise and a hypothesis with their label, from tables (.tsv, with a header) or
    JSON lines (.jsonl); pairs without a label, and those that `explain_unfit_pair` names, are
    excluded and counted.
    """
    for path in paths:
        rows = (
            _json(path)
            if uncompressed_path(path).suffix == ".jsonl"
            else _read_inference_rows(path, reading.where)
        )
        for where, row in rows:
            if not all(fnmatchcase(row.get(key, ""), p) for key, p in reading.where.items()):
                continue
            premise, hypothesis, label = _parse_inference(where, row)
            if (
                reason := "without a label"
                if label in _UNLABELLED
                else explain_unfit_pair(row, reading)
            ):
                reading.counts[reason] += 1
                continue
            first, second = reading.words(premise), reading.words(hypothesis)
            if reading.usable(premise, hypothesis) and reading.fits(first, second):
                reading.counts["read"] += 1
                yield TrainingExample(first, second=second, label=label)


def explain_unfit_pair(row: Mapping[str, str], reading: FileReading) -> str:
    """Why a pair is left out of `infer`, '' where it is not: its `split` is dev or test, or its
    `source` a collection made to evaluate. A column that `where` asks for is not looked at.
    """
    if reading.dev:
        return ""
    if "split" not in reading.where and row.get("split", "") in _EVALUATION:
        return "of dev and test splits"
    if "source" in reading.where or not (source := row.get("source", "").lower()):
        return ""
    return next(
        (
            reason
            for reason, patterns in _SOURCES.items()
            if any(fnmatchcase(source, pattern) for pattern in patterns)
        ),
        "",
    )


def _parse_inference(where: str, row: Mapping[str, str]) -> Sequence[str]:
    cells = {
        name: next((row[key] for key in keys if key in row), None)
        for name, keys in _COLUMNS.items()
    }
    if missing := [name for name, cell in cells.items() if cell is None]:
        raise DataProblem(f"{where}: no {missing[0]}; there must be a column with this name")
    return [str(cell).strip() for cell in cells.values()]


def _read_inference_rows(
    path: Path, needed: Iterable[str]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    header: list[str] = []
    for number, line in read_text_lines(path):
        cells = line.split("\t")
        if not header:
            header = cells
            if missing := [name for name in needed if name not in header]:
                raise DataProblem(
                    f"{path}: no column {missing[0]!r}; there are {', '.join(header)}"
                )
        elif line:
            if len(cells) != len(header):
                raise DataProblem(f"{path}:{number}: {len(cells)} cells, not {len(header)}")
            yield f"{path}:{number}", dict(zip(header, cells, strict=True))


def _json(path: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    for number, line in read_text_lines(path):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise DataProblem(f"{path}:{number}: no JSON object")
        yield f"{path}:{number}", {key: str(value) for key, value in row.items()}
