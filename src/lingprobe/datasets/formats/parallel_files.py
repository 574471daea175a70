"""Texts and labels in files of their own, a line each: `train_text.txt` beside `train_labels.txt`,
`train.input0` beside `train.label`, `train/seq.in` beside `train/label`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import zip_longest
from pathlib import Path

from lingprobe.corpora.encodings import decoding_problem, text_lines
from lingprobe.corpora.files import uncompressed_path
from lingprobe.datasets.formats.rows import RowCells, TableSource

_LABELS = frozenset(("label", "labels", "y", "target", "targets", "classes"))
_TEXTS = frozenset(
    (
        *("text", "texts", "txt", "sentence", "sentences", "input", "input0", "inputs", "x"),
        *("seq", "in", "tweet", "tweets", "reviews"),
    )
)
_ENDINGS = frozenset(("txt", "gz", "bz2", "xz"))
_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather")
_NAMES = "mapping.txt"
"""A file with the number and the name of each class, tabs between, as TweetEval has it."""


def labels_beside(path: Path) -> Path | None:
    """The file of the labels of the lines of a file; None where there is none, or several."""
    files = [file for file in path.parent.iterdir() if _is_lines(file)]
    own = _name_parts(path)
    if not _is_lines(path) or own & _LABELS:
        return None
    key = own - _TEXTS
    texts = [f for f in files if not _name_parts(f) & _LABELS and _name_parts(f) - _TEXTS == key]
    labels = [f for f in files if _name_parts(f) & _LABELS and _key_of_labels(f) == key]
    return labels[0] if len(texts) == len(labels) == 1 and texts[0] == path else None


def open_parallel(path: Path, labels: Path, encoding: str = "") -> TableSource:
    """The lines of a file of texts beside those of its labels, each a row."""
    names = _read_names(path.parent / _NAMES)

    def rows(wanted: Collection[str]) -> Iterator[RowCells]:
        pairs = zip_longest(text_lines(path, encoding), text_lines(labels, encoding))
        for number, (text, label) in enumerate(pairs, 1):
            if text is None or label is None:
                shorter, longer = (path, labels) if text is None else (labels, path)
                problem = f"{shorter.name} ends before this line of {longer.name}"
                yield RowCells(number, {}, problem)
                return
            problem = decoding_problem(text) or decoding_problem(label)
            if text.strip() or label.strip() or problem:
                name = names.get(label.strip(), label.strip())
                yield RowCells(number, {} if problem else {"text": text, "label": name}, problem)

    remark = "its labels are lines of a file of their own"
    remark += f", by their names in {_NAMES}" if names else ""
    return TableSource(("text", "label"), rows, untyped=True, remark=remark)


def list_parallel_files(path: Path) -> list[Path]:
    """The files that a file of texts is read with, itself first."""
    labels = labels_beside(path) if path.is_file() else None
    names = path.parent / _NAMES
    return [path, *([labels] if labels else []), *([names] if labels and names.is_file() else [])]


def _is_lines(file: Path) -> bool:
    """Whether a file may hold lines of text, and no table."""
    is_table = uncompressed_path(file).suffix.lower() in _TABLES
    return file.is_file() and not is_table and not file.name.startswith(".")


def _name_parts(file: Path) -> frozenset[str]:
    """The words of a name, without its usual endings."""
    return frozenset(re.split(r"[-_.]+", file.name.casefold())) - _ENDINGS


def _key_of_labels(file: Path) -> frozenset[str]:
    """What a file of labels is for."""
    return _name_parts(file) - _LABELS - _TEXTS


def _read_names(file: Path) -> dict[str, str]:
    """The names of classes by number; {} where no file says them."""
    if not file.is_file():
        return {}
    lines = [line.split("\t") for line in text_lines(file) if line.strip()]
    pairs = {line[0].strip(): line[1].strip() for line in lines if len(line) > 1}
    is_whole = len(pairs) == len(lines) and len(set(pairs.values())) == len(pairs)
    return pairs if is_whole else {}
