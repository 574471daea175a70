"""Folders with a text a file, in a folder for each class: `train/pos/0_9.txt`, `sport/001.txt`, or
files without an ending, as scikit-learn's `load_files` reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from lingprobe.corpora.encodings import decoding_problem, text_lines
from lingprobe.corpora.files import CorpusPart
from lingprobe.datasets.formats.rows import RowCells, TableSource

_FEWEST_CLASSES = 2
_UNLABELLED = ("unsup", "unsupervised", "unlabeled", "unlabelled")
"""What folders are called whose texts have no class."""


def find_text_folders(path: Path, split_in_name: Callable[[str], str]) -> list[CorpusPart]:
    """The folders of classes, each with the split of the folder around it; [] where there are
    none.
    """
    named = [(folder, split_in_name(folder.name)) for folder in _folders(path)]
    within = [
        part for folder, split in named if split for part in _find_class_folders(folder, split)
    ]
    return within or ([] if any(split for _, split in named) else _find_class_folders(path, ""))


def find_unlabelled_folders(path: Path) -> list[Path]:
    """The folders of texts that have no class."""
    places = (path, *_folders(path))
    return [p for place in places for p in _folders(place) if p.name.casefold() in _UNLABELLED]


def list_texts(folder: Path) -> list[Path]:
    """The texts of a class in order."""
    return sorted(
        file
        for file in folder.iterdir()
        if file.is_file() and not file.name.startswith(".") and _is_text(file)
    )


def open_texts(folder: Path, encoding: str = "") -> TableSource:
    """The texts of a class, each a row, and the name of its folder."""

    def rows(wanted: Collection[str]) -> Iterator[RowCells]:
        for number, file in enumerate(list_texts(folder), 1):
            text = "\n".join(text_lines(file, encoding)).strip()
            problem = decoding_problem(text)
            cells = {"text": text, "label": folder.name}
            yield RowCells(
                number, {} if problem else cells, f"{file.name}: {problem}" if problem else ""
            )

    remark = "a text a file, of the class that its folder is called"
    return TableSource(("text", "label"), rows, ": file ", remark=remark)


def _find_class_folders(folder: Path, split: str) -> list[CorpusPart]:
    """The folders of classes in a folder."""
    named = [p for p in _folders(folder) if p.name.casefold() not in _UNLABELLED]
    parts = [CorpusPart(split, place) for place in named if list_texts(place)]
    return parts if len(parts) >= _FEWEST_CLASSES else []


def _folders(path: Path) -> list[Path]:
    return sorted(p for p in path.iterdir() if p.is_dir() and not p.name.startswith("."))


def _is_text(file: Path) -> bool:
    """Whether a file is called as texts are: .txt, or without an ending."""
    return file.suffix.lower() == ".txt" or not file.suffix or file.suffix[1:].isdecimal()
