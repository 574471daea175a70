"""What a table on disk says about itself, beside its rows: label names, vocabulary, tags in order,
notes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lingprobe.corpora.strict import short_json
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.data.core import DataProblem, Dataset, Tags
from lingprobe.data.labels import COLUMN_KINDS_BY_LOSS, Column
from lingprobe.data.notes import DatasetNotes
from lingprobe.data.vectors import Ints
from lingprobe.datasets.formats.absent_labels import leave_out_absent
from lingprobe.datasets.formats.kinds import Asked, as_asked, decide_kind
from lingprobe.datasets.formats.row_labels import split_of_cell
from lingprobe.datasets.formats.row_spans import BadRow

_VERSION = 1
_DIFFERENT = "a list of different strings"
_WHAT = {
    "loss": f"one of {', '.join(COLUMN_KINDS_BY_LOSS)}",
    "names": _DIFFERENT,
    "partial": "true or false",
    "vocabulary": _DIFFERENT,
    "strata": f"an object, each value {_DIFFERENT}",
    "notes": "an object",
}


def make_header(dataset: Dataset) -> dict[str, Any]:
    """What the rows alone would not bring back, as plain JSON."""
    return {
        "sonde": _VERSION,
        "loss": dataset.labels.loss,
        "names": list(dataset.labels.names),
        "partial": bool(dataset.labels.partial),
        "vocabulary": list(dataset.vocabulary),
        "strata": {key: list(tags.names) for key, tags in dataset.strata.items()},
        "notes": dict(dataset.notes),
        "clusters": list(dataset.clusters),
    }


def check_header(header: dict[str, Any], location: str) -> dict[str, Any]:
    """A header that is as `make_header` writes it; DataProblem names what is not."""
    if header.get("sonde") != _VERSION:
        raise DataProblem(
            f"{location}: written by a format {short_json(header.get('sonde'))} that this version"
            " does not know; update lingprobe"
        )
    strata = header.get("strata", {})
    right = {
        "loss": "loss" not in header or header["loss"] in tuple(COLUMN_KINDS_BY_LOSS),
        "names": _is_list_of_names(header.get("names", [])),
        "partial": isinstance(header.get("partial", False), bool),
        "vocabulary": _is_list_of_names(header.get("vocabulary", [])),
        "strata": isinstance(strata, dict) and all(map(_is_list_of_names, strata.values())),
        "notes": isinstance(header.get("notes", {}), dict),
    }
    for key, is_right in right.items():
        if not is_right:
            raise DataProblem(
                f"{location}: {key} of the header is {_WHAT[key]}, found {short_json(header[key])};"
                " fix it, or remove the header"
            )
    return header


def read_split(cell: object, location: str) -> str:
    """The split that a row names, by any of its usual names."""
    try:
        return split_of_cell(cell)
    except BadRow as problem:
        raise DataProblem(f"{location}: {problem}") from None


def refuse_row(problem: object, on_error: OnError, tally: ProblemTally) -> None:
    """A row with a fault is an error with file and line, or is left out and counted
    (`on_error`).
    """
    if on_error == "raise":
        raise DataProblem(f"{problem} (on_error=skip leaves such rows out and counts them)")
    tally.skip(str(problem))


def note_table_files(files: Sequence[Path], tally: ProblemTally) -> dict[str, Any]:
    """What notes say of the files of a table and of rows that were excluded."""
    source = {"files": [str(file) for file in files], "skipped": tally.skipped}
    return {"source": source, "problems": list(tally.problems)}


def check_examples(examples: Sized, path: Path, tally: ProblemTally) -> None:
    """Refuse a table that has no examples, or none that is left."""
    if not examples:
        first = f"{tally.problems[0]}; no example is left" if tally.skipped else ""
        raise DataProblem(first or f"{path}: no examples in it")


def _is_list_of_names(value: Any) -> bool:
    """Whether it is a list of strings, all different."""
    return (
        isinstance(value, list)
        and all(isinstance(name, str) for name in value)
        and len(set(value)) == len(value)
    )


def apply_header(
    dataset: Dataset, header: Mapping[str, Any], location: str, label_kind: Asked | None = None
) -> Dataset:
    """A data set made from rows, with labels of the kind asked for and names numbered as the header
    has them; without a header what its numbers are is decided, and rows are excluded that say that
    they have no label.
    """
    if not header and label_kind != "classes":
        dataset = leave_out_absent(dataset, location)
    if label_kind:
        return as_asked(
            apply_header(dataset, header, location) if header else dataset, label_kind, location
        )
    if not header:
        return decide_kind(dataset, location)
    vocabulary = tuple(header.get("vocabulary", dataset.vocabulary))
    strata = dict(dataset.strata)
    for key, names in header.get("strata", {}).items():
        tags = dataset.strata.get(key, Tags(np.full(len(dataset), -1, np.int64), ()))
        strata[key] = Tags(_renumber_codes(tags.codes, tags.names, names, location), tuple(names))
    return replace(
        dataset,
        labels=_labels(dataset.labels, header, location),
        asked=_renumber_codes(dataset.asked, dataset.vocabulary, vocabulary, location),
        vocabulary=vocabulary,
        strata=strata,
        notes=DatasetNotes(header.get("notes", {})),
        clusters=tuple(header.get("clusters", dataset.clusters)),
    )


def _labels(labels: Column, header: Mapping[str, Any], where: str) -> Column:
    names = tuple(header.get("names", labels.names))
    loss = header.get("loss", labels.loss)
    if loss != labels.loss:
        raise DataProblem(
            f"{where}: the header speaks of {loss} labels, the rows have {labels.loss} labels"
        )
    if labels.numbers is not None:
        return labels
    partial = bool(header.get("partial", labels.partial))
    return labels.with_names(_find_name_places(labels.names, names, where), names, partial)


def _renumber_codes(codes: Ints, own: Sequence[str], listed: Sequence[str], where: str) -> Ints:
    """Codes into `own` names as codes into `listed`; -1 stays."""
    return _find_name_places(own, listed, where)[codes]


def _find_name_places(own: Sequence[str], listed: Sequence[str], where: str) -> Ints:
    """Where each of the `own` names is among `listed`, and -1 at the end."""
    number = {name: i for i, name in enumerate(listed)}
    missing = [name for name in own if name not in number]
    if missing:
        raise DataProblem(
            f"{where}: the rows have {missing[0]!r}, which the header does not list; remove the"
            " header line or fix it"
        )
    return np.array([*(number[name] for name in own), -1], np.int64)
