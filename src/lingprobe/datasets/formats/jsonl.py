"""Data sets as JSON lines: one example a line, after a first line that says what the rows alone
would not.

Rows written by hand need no first line: {"split": "train", "label": "PAST", "text": "She slept ."}
will do. A label is a string (class), a number (score), a list (set of labels) or an object (weights
of the labels that were annotated).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from lingprobe.corpora.files import read_text_lines
from lingprobe.corpora.strict import MalformedJson, parse_json
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, Example, Sentence, Site
from lingprobe.data.labels import Label, Loss, build_column
from lingprobe.datasets.formats.header import (
    apply_header,
    check_examples,
    check_header,
    make_header,
    note_table_files,
    read_split,
)
from lingprobe.datasets.formats.kinds import Asked


def write_jsonl(dataset: Dataset, path: Path) -> dict[str, int]:
    """Write every example; returns how many."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in (make_header(dataset), *_list_json_rows(dataset)):
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
    return {"examples": len(dataset)}


def read_jsonl_dataset(
    path: Path, labels: Asked | None = None, on_error: OnError = "raise"
) -> Dataset:
    """The examples of a file; blank lines are passed over."""
    header: dict[str, Any] = {}
    examples: list[Example] = []
    tally = ProblemTally()
    for number, text in read_text_lines(path):
        if not text.strip():
            continue
        where = f"{path}:{number}"
        if not examples and not header and '"sonde"' in text:
            row = _parse_row(text, where)
            if "sonde" in row:
                header = check_header(row, where)
                continue
        try:
            example = _example(_parse_row(text, where), where)
            _check_alike(example, examples, where)
            examples.append(example)
        except DataProblem as problem:
            if on_error == "raise":
                raise
            tally.skip(str(problem))
    check_examples(examples, path, tally)
    dataset = apply_header(Dataset.of(examples), header, str(path), labels)
    return dataset.with_notes(**note_table_files([path], tally)) if tally.skipped else dataset


def _check_alike(example: Example, earlier: list[Example], where: str) -> None:
    """Refuse an example of another kind than the first."""
    if earlier and (shape := _shape(example)) != (first := _shape(earlier[0])):
        raise DataProblem(
            f"{where}: {shape}, but the first example has {first}; one table holds one kind of"
            " example"
        )


_HEAD = 1000  # lines that are looked at for them


def is_own_jsonl(path: Path) -> bool:
    """Whether lines were written here, or by hand with keys that only we read."""
    for _, text in islice(read_text_lines(path), _HEAD):
        try:
            row = parse_json(text)
        except MalformedJson:
            continue  # the reader says where
        if isinstance(row, dict) and ("sonde" in row or ("split" in row and _has_own_keys(row))):
            return True
    return False


def _has_own_keys(row: dict[str, Any]) -> bool:
    """Whether an object has what no lines but ours have."""
    return (
        isinstance(row.get("sites"), list)
        or isinstance(row.get("asked"), list)
        or isinstance(row.get("strata"), dict)
        or {"text", "words"} <= row.keys()
    )


def find_jsonl_loss(path: Path) -> Loss:
    """The kind of the labels, by the first line, or by all where it has a whole number."""
    for number, text in read_text_lines(path):
        if text.strip():
            where = f"{path}:{number}"
            row = _parse_row(text, where)
            header = check_header(row, where) if "sonde" in row else {}
            if "loss" in header:
                kind: Loss = header["loss"]
                return kind
            label = _read_json_label(row.get("label"), where)
            is_whole = isinstance(label, float) and label.is_integer()
            return read_jsonl_dataset(path).labels.loss if is_whole else build_column([label]).loss
    raise DataProblem(f"{path}: no examples in it")


def _list_json_rows(dataset: Dataset) -> Iterator[dict[str, Any]]:
    labels = dataset.labels.plain()
    for i, (example, label) in enumerate(zip(dataset.examples(), labels, strict=True)):
        row: dict[str, Any] = {"split": DATA_SPLITS[dataset.splits[i]], "label": label}
        row["sites"] = [_site(site) for site in example.sites]
        if example.asked:
            row["asked"] = list(example.asked)
        if example.strata:
            row["strata"] = dict(example.strata)
        yield row


def _site(site: Site) -> dict[str, Any]:
    row: dict[str, Any] = {"text": site.sentence.text, "words": list(site.sentence.words)}
    return row if site.span is None else {**row, "span": list(site.span)}


def _parse_row(text: str, where: str) -> dict[str, Any]:
    try:
        row = parse_json(text)
    except MalformedJson as problem:
        raise DataProblem(f"{where}: {problem}") from None
    if not isinstance(row, dict):
        raise DataProblem(
            f'{where}: a line is an object, as {{"split": ..., "label": ..., "text": ...}}, not'
            f" {type(row).__name__}"
        )
    return row


def _example(row: dict[str, Any], where: str) -> Example:
    split = read_split(row.get("split"), where)
    places = row.get("sites", [row])
    if not isinstance(places, list) or not places:
        raise DataProblem(f"{where}: sites is a list of objects, each with a text")
    sites = tuple(_read_span(place, where) for place in places)
    strata = row.get("strata", {})
    if not isinstance(strata, dict) or not all(isinstance(v, str) for v in strata.values()):
        raise DataProblem(f"{where}: strata must be an object whose values are strings")
    return Example(
        sites,
        _read_json_label(row.get("label"), where),
        split,
        _strings(row.get("asked", []), "asked", where),
        strata,
    )


def _read_span(place: Any, where: str) -> Site:
    if (
        not isinstance(place, dict)
        or not isinstance(place.get("text", ""), str)
        or not {"text", "words"} & place.keys()
    ):
        raise DataProblem(
            f"{where}: an example needs a text (a string), its words (a list of strings), or both"
        )
    text = place.get("text")
    words = (
        _strings(place["words"], "words", where) if "words" in place else tuple(str(text).split())
    )
    span = place.get("span")
    if span is None:
        return Site(Sentence.of(words, text))
    whole = isinstance(span, list) and len(span) == 2 and all(type(n) is int for n in span)
    if not whole or not 0 <= span[0] < span[1] <= len(words):
        raise DataProblem(f"{where}: span {span} is not [start, stop) of words 0 to {len(words)}")
    return Site(Sentence.of(words, text), (span[0], span[1]))


def _read_json_label(label: Any, where: str) -> Label:
    if isinstance(label, str):
        return label
    if isinstance(label, int | float) and not isinstance(label, bool):
        return _check_finite_number(label, where)
    if isinstance(label, list):
        return frozenset(_strings(label, "label", where))
    if isinstance(label, dict) and all(
        isinstance(w, int | float) and not isinstance(w, bool) for w in label.values()
    ):
        return {name: _check_finite_number(weight, where) for name, weight in label.items()}
    raise DataProblem(
        f"{where}: label {label!r} is not a string, a number, a list of strings or an object of"
        " weights"
    )


def _check_finite_number(value: float, where: str) -> float:
    if not math.isfinite(value):
        raise DataProblem(f"{where}: {value} is too large a number")
    return float(value)


def _strings(value: Any, what: str, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise DataProblem(f"{where}: {what} is a list of strings, found {str(value)[:60]}")
    return tuple(value)


def _shape(example: Example) -> str:
    """How many sites and asked words an example has, and the kind of its label, in words."""
    label = example.label
    kind = (
        "a class"
        if isinstance(label, str)
        else "a score"
        if isinstance(label, float)
        else "a set of labels"
    )
    return f"{len(example.sites)} sites, {len(example.asked)} asked words and {kind}"
