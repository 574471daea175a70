"""SentEval's probing files: split (tr, va, te) first, label second, space-separated words last,
with tabs between and no quoting.

Labels that only dev or test have are kept. `columns` reads the rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lingprobe.corpora.columns import (
    SENTEVAL_COLUMNS,
    SENTEVAL_SPLIT_CODES,
    SPLITS_BY_CODE,
    ReadingPolicy,
    TableExamples,
)
from lingprobe.corpora.files import checked_lines
from lingprobe.corpora.tally import OnError
from lingprobe.data.core import DataProblem, Dataset
from lingprobe.data.labels import Loss, build_column
from lingprobe.datasets.formats.header import apply_header, note_table_files
from lingprobe.datasets.formats.kinds import Asked


def write_senteval(dataset: Dataset, path: Path) -> dict[str, int]:
    """Write classes of whole sentences; returns counts: words that had spaces in them, and raw
    texts that are not kept.
    """
    labels = dataset.labels
    if labels.classes is None or not dataset.of_sentences or dataset.asked.shape[1]:
        raise DataProblem(
            "SentEval's format holds one class about one whole sentence; write Parquet or JSONL"
            " instead"
        )
    for name in labels.names:
        if name != name.strip() or not name or any(c in name for c in "\t\r\n"):
            raise DataProblem(
                f"label {name!r} cannot stand in a table with tabs; rename it, or write Parquet or"
                " JSONL"
            )
    counts = {"examples": len(dataset), "words with spaces": 0, "raw texts not kept": 0}
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for i in range(len(dataset)):
            sentence = dataset.sentences[dataset.sites[i, 0, 0]]
            text = " ".join(sentence.words)
            pieces = text.split()  # as SentEval cuts it, at any white space
            counts["words with spaces"] += max(len(pieces) - len(sentence.words), 0)
            counts["raw texts not kept"] += sentence.text != text
            split = tuple(SENTEVAL_SPLIT_CODES)[dataset.splits[i]]
            file.write(f"{split}\t{labels.names[labels.classes[i]]}\t{' '.join(pieces)}\n")
    return counts


def read_senteval_dataset(
    path: Path, labels: Asked | None = None, on_error: OnError = "raise"
) -> Dataset:
    """The examples of a file; blank lines are counted in the notes."""
    rows = TableExamples(SENTEVAL_COLUMNS, ReadingPolicy(on_error, blank="skip"))
    examples = list(rows.read(path))
    if not examples:
        raise DataProblem(f"{path}: no examples in it")
    notes: dict[str, Any] = {"read": rows.counts()}
    if rows.tally.skipped:
        notes |= note_table_files([path], rows.tally)
    return apply_header(Dataset.of(examples, notes), {}, str(path), labels)


def is_own_senteval(path: Path) -> bool:
    """Whether the first line that is not blank has a split, a label and words."""
    for _, line, problem in checked_lines(path):
        if line.strip() or problem:
            cells = line.split("\t")
            return len(cells) >= SENTEVAL_COLUMNS.columns and cells[0] in SPLITS_BY_CODE
    return False


def find_senteval_loss(path: Path) -> Loss:
    """Classes, always."""
    return build_column([""]).loss
