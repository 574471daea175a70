"""SentEval's probing files: split (tr, va, te), label and space-separated words, with tabs between and no quoting.

Quotes are data: a CSV reader with its defaults merges rows at unbalanced ones. Labels that only dev or test have are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sonde.core import SPLITS, DataProblem, Dataset, Example, Sentence
from sonde.sources.files import lines
from sonde.targets import Classes, Loss

CODES = dict(zip(("tr", "va", "te"), SPLITS, strict=True))
KNOWN = CODES | {split: split for split in SPLITS}


def write(dataset: Dataset, path: Path) -> dict[str, int]:
    """Write classes of whole sentences; returns counts: words that had spaces in them, and raw texts that are not kept."""
    labels = dataset.labels
    if not isinstance(labels, Classes) or dataset.sites.shape[1] != 1 or dataset.asked.shape[1] or (dataset.sites[:, :, 1] >= 0).any():
        raise DataProblem("SentEval's format holds one class about one whole sentence; write Parquet or JSONL instead")
    for name in labels.names:
        if name != name.strip() or not name or any(c in name for c in "\t\r\n"):
            raise DataProblem(f"label {name!r} cannot stand in a table with tabs; rename it, or write Parquet or JSONL")
    counts = {"examples": len(dataset), "words with spaces": 0, "raw texts not kept": 0}
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for i in range(len(dataset)):
            sentence = dataset.sentences[dataset.sites[i, 0, 0]]
            text = " ".join(sentence.words)
            pieces = text.split()  # as SentEval cuts it, at any white space
            counts["words with spaces"] += max(len(pieces) - len(sentence.words), 0)
            counts["raw texts not kept"] += sentence.text != text
            file.write(f"{tuple(CODES)[dataset.splits[i]]}\t{labels.names[labels.ids[i]]}\t{' '.join(pieces)}\n")
    return counts


def read(path: Path) -> Dataset:
    """The examples of a file; blank lines are counted in the notes."""
    counts = {"examples": 0, "blank lines": 0}
    examples = list(_examples(path, counts))
    if not examples:
        raise DataProblem(f"{path}: no examples in it")
    return Dataset.of(examples, {"read": counts})


def loss(path: Path) -> Loss:
    """Classes, always."""
    return "softmax"


def _examples(path: Path, counts: dict[str, int]) -> Iterator[Example]:
    for number, line in lines(path):
        if not line.strip():
            counts["blank lines"] += 1
            continue
        cells = line.split("\t")
        if len(cells) != 3:
            raise DataProblem(f"{path}:{number}: {len(cells)} columns, not 3 (split, label, words, with tabs between)")
        split, label, text = cells
        if split not in KNOWN:
            raise DataProblem(f"{path}:{number}: split {split!r} is not one of {', '.join(CODES)}")
        if not label.strip():
            raise DataProblem(f"{path}:{number}: the label is empty")
        counts["examples"] += 1
        yield Example.about(Sentence.of(word for word in text.split(" ") if word), label, KNOWN[split])
