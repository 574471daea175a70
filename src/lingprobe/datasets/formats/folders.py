"""The files of a table: one, or in a folder those whose names say a split, as data sets of a hub
lie on a disk.

`train-00000-of-00002.parquet`, `validation.csv`, `data/test.csv`, `train/data-00000.arrow`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from lingprobe.corpora.files import (
    COMPRESSION_SUFFIXES,
    CorpusPart,
    digest_files,
    plain_first,
    uncompressed_path,
)
from lingprobe.data.core import DATA_SPLITS, DataProblem
from lingprobe.data.digests import RunningDigest
from lingprobe.datasets.formats.hub import hub_files, is_on_hub
from lingprobe.datasets.formats.parallel_files import labels_beside, list_parallel_files
from lingprobe.datasets.formats.text_folders import (
    find_text_folders,
    find_unlabelled_folders,
    list_texts,
)

SPLIT_NAMES = {
    **{split: split for split in DATA_SPLITS},
    "tr": "train",
    "training": "train",
    "va": "dev",
    "val": "dev",
    "valid": "dev",
    "validation": "dev",
    "devel": "dev",
    "development": "dev",
    "te": "test",
    "testing": "test",
    "eval": "dev",
    "trial": "dev",
}
"""What splits are called in columns and in names of files."""
_NAMED = re.compile(rf"(?:^|[-_.])({'|'.join(n for n in SPLIT_NAMES if len(n) > 2)})(?=[-_.\d]|$)")
_SHOWN = 5  # names of files in a message
_SHARD = re.compile(r"-\d+-of-\d+(?=\.)")
TABLE_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather")
_WORD_A_LINE = (".conll", ".iob", ".iob2", ".bio", ".bioes", ".conllu", ".conllup", ".cupt")
LINE_TABLE_SUFFIXES = (".txt", "", ".train", ".valid", ".dev", ".test", ".data")
"""Endings of tables of lines; in a folder only where a name says its split."""


def no_table(path: str | Path) -> str:
    """That a file is none of these by its name, and what to do."""
    remedy = "save a spreadsheet or a database as one of them"
    if Path(path).suffix.lower() in _WORD_A_LINE:
        remedy = f"a file with a word a line is read by edge/tags:{path}"
    return (
        f"{path}: no table by its name, which would end in {', '.join(TABLE_SUFFIXES)} (or these"
        f" with {', '.join(COMPRESSION_SUFFIXES)}); {remedy}"
    )


def table_parts(path: Path) -> list[CorpusPart]:
    """The files of a table in the order train, dev, test; a single one says no split."""
    if is_on_hub(path):
        found = hub_files(path)
        return _in_order([CorpusPart(split_in_name(name), file) for name, file in found], path)
    if not path.is_dir():
        return [CorpusPart("", path)]
    if texts := find_text_folders(path, split_in_name):
        return sorted(texts, key=lambda part: DATA_SPLITS.index(part.split or "train"))
    for folder in (path, path / "data"):
        if parts := list(_list_tables(folder)):
            return _in_order(parts, path)
    below = sorted(folder for folder in path.iterdir() if folder.is_dir())
    named = [
        CorpusPart(split, part.path)
        for folder in below
        if (split := split_in_name(folder.name))
        for part in _list_tables(folder)
    ]
    if named:
        return _in_order(named, path)
    inside = next((str(f) for f in below if any(_list_tables(f)) or _has_texts(f)), "")
    hint = f"; did you mean {inside!r}?" if inside else ""
    raise DataProblem(f"no table in {str(path)!r}: none of {', '.join(TABLE_SUFFIXES)}{hint}")


def digest_parts(files: Sequence[CorpusPart]) -> str:
    """A hash of what the files hold; of a folder of texts also of its name, which is a label."""
    if not any(part.path.is_dir() for part in files):
        return digest_files(file for part in files for file in list_parallel_files(part.path))
    state = RunningDigest()
    for part in files:
        texts = list_texts(part.path)
        state.add(f"{part.path.name} {len(texts)}\n")
        for file in texts:
            text = file.read_bytes()
            state.add(f"{len(text)} ", text)
    return state.hex()


def _has_texts(folder: Path) -> bool:
    return bool(find_text_folders(folder, split_in_name))


def split_in_name(name: str) -> str:
    """The split that the name of a file or folder says last, as `train_dev` says dev; '' where it
    says none.
    """
    found = _NAMED.findall(name.casefold())
    return SPLIT_NAMES[found[-1]] if found else ""


def folder_remarks(folder: Path, files: Sequence[CorpusPart]) -> list[str]:
    """What there is to say of the files that a folder was read from: splits of several files that
    are no shards of one, and tables that were not read.
    """
    if any(part.path.is_dir() for part in files):
        unlabelled = [str(place.relative_to(folder)) for place in find_unlabelled_folders(folder)]
        return [
            f"the texts of its folder {name} have no class and were not read" for name in unlabelled
        ]
    remarks = []
    for split in DATA_SPLITS:
        names = [part.path.name for part in files if part.split == split]
        if len({_SHARD.sub("", name) for name in names}) > 1:
            remarks.append(f"its {split} split has several files: {', '.join(names)}")
    read = {part.path for part in files}
    others = [
        str(part.path.relative_to(folder))
        for place in (folder, *sorted(each for each in folder.iterdir() if each.is_dir()))
        for part in _list_tables(place)
        if part.path not in read
    ]
    if others:
        more = f" and {len(others) - _SHOWN:,} more" if len(others) > _SHOWN else ""
        remarks.append(
            f"its folder has tables that were not read: {', '.join(others[:_SHOWN])}{more}"
        )
    return remarks


def _list_tables(folder: Path) -> Iterator[CorpusPart]:
    """The tables in a folder, each with the split of its name; where there are none, the lines
    that have labels in a file of their own, or else all lines.
    """
    tables, lines = [], []
    for path in plain_first(folder.iterdir()) if folder.is_dir() else ():
        name = uncompressed_path(path)
        suffix, split = name.suffix.lower(), split_in_name(name.stem)
        # what systems, editors and libraries leave beside tables
        other = name.name.startswith(".") or (suffix == ".json" and not split)
        if not path.is_file() or other:
            continue
        if suffix in TABLE_SUFFIXES:
            tables.append(CorpusPart(split, path))
        elif suffix in LINE_TABLE_SUFFIXES and (split := split or split_in_name(name.name)):
            lines.append(CorpusPart(split, path))
    yield from tables or _find_parallel(folder) or lines


def _find_parallel(folder: Path) -> list[CorpusPart]:
    """The files of texts in a folder whose labels are lines of another file."""
    files = plain_first(folder.iterdir()) if folder.is_dir() else ()
    return [CorpusPart(split_in_name(file.name), file) for file in files if labels_beside(file)]


def _in_order(parts: list[CorpusPart], place: Path) -> list[CorpusPart]:
    """The parts that say a split, in order; all there is, where that is one file."""
    if len(parts) == 1:
        return [CorpusPart("", parts[0].path)]
    named = [part for part in parts if part.split]
    if not named and len({_SHARD.sub("", part.path.name) for part in parts}) == 1:
        return parts
    if not named:
        names = ", ".join(part.path.name for part in parts[:5])
        raise DataProblem(
            f"{str(place)!r} has several tables ({names}), whose names say no split (train,"
            " validation, test): name one of them, or rename them"
        )
    kinds = sorted({uncompressed_path(part.path).suffix.lower() for part in named})
    if len(kinds) > 1 and not set(kinds) <= {*LINE_TABLE_SUFFIXES}:
        raise DataProblem(
            f"{str(place)!r} has tables of several formats ({', '.join(kinds)}): keep those of one,"
            " or name a file"
        )
    return sorted(named, key=lambda part: DATA_SPLITS.index(part.split))
