"""Data sets on disk and back: Parquet and JSONL hold every family without loss, SentEval's TSV
classes of sentences, jiant's files spans; tables that anybody wrote are read by their columns.

`write_dataset(dataset, path)` and `read_dataset(path)` choose the format by the file's name; each
format is a module that does both. Nothing that is read is ever evaluated or unpickled, and quotes
are data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from lingprobe.corpora.files import (
    COMPRESSION_SUFFIXES,
    CorpusPart,
    uncompressed_path,
)
from lingprobe.corpora.tally import OnError
from lingprobe.data.cache import open_draft
from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset
from lingprobe.data.examples import add_remarks
from lingprobe.data.labels import COLUMN_KINDS_BY_LOSS, Label, Loss, build_column
from lingprobe.datasets.formats import hub_folder, jiant, jsonl, parquet, senteval
from lingprobe.datasets.formats.folders import (
    LINE_TABLE_SUFFIXES,
    TABLE_SUFFIXES,
    digest_parts,
    folder_remarks,
    no_table,
    table_parts,
)
from lingprobe.datasets.formats.hub import is_on_hub
from lingprobe.datasets.formats.kinds import Asked, check_writable
from lingprobe.datasets.formats.labelled_rows import (
    DEFAULT_MANNER,
    Manner,
    count_sites,
    metric_of_rows,
    read_rows,
)

Format = Literal["parquet", "jsonl", "senteval"]
Writing = Literal["parquet", "jsonl", "senteval", "jiant"]
_WRITERS: Mapping[Writing, Callable[[Dataset, Path], dict[str, int]]] = {
    "parquet": parquet.write_parquet,
    "jsonl": jsonl.write_jsonl,
    "senteval": senteval.write_senteval,
    "jiant": jiant.write_jiant,
}
_READERS: Mapping[Format, Callable[[Path, Asked | None, OnError], Dataset]] = {
    "parquet": parquet.read_parquet_dataset,
    "jsonl": jsonl.read_jsonl_dataset,
    "senteval": senteval.read_senteval_dataset,
}
_LOSSES: Mapping[Format, Callable[[Path], Loss]] = {
    "parquet": parquet.find_parquet_loss,
    "jsonl": jsonl.find_jsonl_loss,
    "senteval": senteval.find_senteval_loss,
}
_OWN: Mapping[Format, Callable[[Path], bool]] = {
    "parquet": parquet.is_own_parquet,
    "jsonl": jsonl.is_own_jsonl,
    "senteval": senteval.is_own_senteval,
}
"""Whether a file is one that was written here."""
_EXAMPLES: Mapping[Asked, Label] = {"classes": "", "scores": 0.0, "sets": frozenset()}
_SUFFIXES: Mapping[str, Format] = {
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".tsv": "senteval",
    ".txt": "senteval",
}


def choose_writing(
    path: str | Path, format: Writing | None = None, *, view: str = "mean"
) -> Writing:
    """The format that a data set would be written in, before it is built; DataProblem where a file
    cannot be written, or not for a task with this view.
    """
    file = Path(path).expanduser()
    if not file.parent.is_dir():
        raise DataProblem(
            f"no folder {str(file.parent)!r} to write {file.name} into; make it first"
        )
    if file.suffix in COMPRESSION_SUFFIXES:
        raise DataProblem(
            f"{file.name}: tables are written uncompressed; leave {file.suffix} off (Parquet is"
            " compressed inside)"
        )
    chosen = format or _format(file)
    if "+asked" in view and chosen in ("senteval", "jiant"):
        raise DataProblem(
            f"{file.name}: the format {chosen} has no place for asked words; write Parquet or JSONL"
            " instead"
        )
    return chosen


def write_dataset(
    dataset: Dataset, path: str | Path, format: Writing | None = None
) -> dict[str, int]:
    """Write a data set at once or not at all; returns what was counted: examples, and what the
    format could not hold.

    jiant has a file a split: for `edges.json`, `edges.train.json`, `edges.dev.json` and
    `edges.test.json` are written.
    """
    file, chosen = Path(path).expanduser(), choose_writing(path, format)
    check_writable(dataset.labels, file.name)
    if chosen != "jiant":
        return _write_file(dataset, file, _WRITERS[chosen])
    total: Counter[str] = Counter()
    for split in DATA_SPLITS:
        if len(rows := dataset.rows(split)):
            total.update(
                _write_file(
                    dataset.take(rows),
                    file.with_suffix(f".{split}{file.suffix}"),
                    jiant.write_jiant,
                )
            )
    return dict(total)


def _write_file(
    dataset: Dataset, file: Path, writer: Callable[[Dataset, Path], dict[str, int]]
) -> dict[str, int]:
    try:
        with open_draft(file) as part:
            return writer(dataset, part)
    except UnicodeEncodeError as error:
        shown = error.object[max(0, error.start - 20) : error.end + 20]
        raise DataProblem(
            f"{file}: {shown!r} contains a lone surrogate, which no file can store; fix the text of"
            " the task"
        ) from None


def read_dataset(
    path: str | Path,
    format: Format | None = None,
    labels: Asked | None = None,
    manner: Manner = DEFAULT_MANNER,
) -> Dataset:
    """The data set in a file, or in the files of a folder; what is wrong is said with file and
    line.

    labels  whether numbers, and names that are numbers, are `classes` or `scores`; without, what
            numbers are that the file says nothing of is decided, and remarked in the notes
    manner  the columns and the encoding of a table that was not written here
    """
    file = _check_is_there(path)
    own = format or _own_format(file, manner)
    if own is not None:
        return _READERS[own](file, labels, manner.on_error)
    parts = table_parts(file)
    if _is_own_folder(file, parts, manner):
        return hub_folder.read_hub_folder(parts, labels, manner.on_error)
    dataset = read_rows(parts, labels, manner)
    if is_on_hub(file) or not file.is_dir():
        return dataset
    return add_remarks(dataset, *folder_remarks(file, parts))


def usual_metric(
    path: str | Path, labels: Asked | None = None, manner: Manner = DEFAULT_MANNER
) -> str:
    """The metric of the labels in a file where none is named: that of their kind, or AUROC where
    one of two classes is rare in a table that was not written here.
    """
    file = _check_is_there(path)
    if (own := _own_format(file, manner)) is not None:
        kind = build_column([_EXAMPLES[labels]]).loss if labels else _LOSSES[own](file)
        return COLUMN_KINDS_BY_LOSS[kind].metric
    parts = table_parts(file)
    if _is_own_folder(file, parts, manner):
        return COLUMN_KINDS_BY_LOSS[hub_folder.find_folder_loss(parts)].metric
    return metric_of_rows(digest_parts(parts), tuple(parts), labels, manner)


def has_pairs(path: str | Path, manner: Manner = DEFAULT_MANNER) -> bool:
    """Whether the labels of a table that was not written here are about two texts or spans."""
    file = _check_is_there(path)
    if _own_format(file, manner) is not None:
        return False
    parts = table_parts(file)
    if _is_own_folder(file, parts, manner):
        return hub_folder.has_text_pairs(parts)
    return count_sites(parts, manner) == 2


def _check_is_there(path: str | Path) -> Path:
    file = Path(path).expanduser()
    if not is_on_hub(file) and not file.exists():
        raise DataProblem(f"no file or folder {str(path)!r}; is the path complete?")
    return file


def _own_format(path: Path, how: Manner) -> Format | None:
    """The format of a file that was written here; None for any other table."""
    if is_on_hub(path) or path.is_dir() or how.columns.as_asked() or how.encoding:
        return None
    suffix = path.suffix if path.suffix == ".parquet" else uncompressed_path(path).suffix
    known = _SUFFIXES.get(suffix.lower())
    if known is None and suffix.lower() not in (*TABLE_SUFFIXES, *LINE_TABLE_SUFFIXES):
        raise DataProblem(no_table(path))
    return known if known is not None and _OWN[known](path) else None


def _is_own_folder(path: Path, parts: list[CorpusPart], how: Manner) -> bool:
    """Whether files of a folder, or of the hub, are those that `build` writes for the hub."""
    named = how.columns.as_asked() or how.encoding or how.offsets
    is_folder = is_on_hub(path) or path.is_dir()
    return (
        is_folder and not named and not parts[0].path.is_dir() and hub_folder.is_own_folder(parts)
    )


def _format(path: Path) -> Format:
    format = _SUFFIXES.get(
        path.suffix if path.suffix == ".parquet" else uncompressed_path(path).suffix
    )
    if format is None:
        raise DataProblem(
            f"{path}: the name should end with {', '.join(_SUFFIXES)}, so that the format is known"
        )
    return format
