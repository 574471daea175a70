"""Edge probing's own format, as jiant reads and writes it: one sentence a line with its labelled
spans.

    {"text": "Ian ate ice cream", "targets": [{"span1": [1, 2], "span2": [2, 4], "label": "A1",
    "info": {}}], "info": {}}

Spans count words from 0 and stop before their end. Words are what stands between single spaces: a
no-break space, or any other white space, belongs to a word. `label` is a string, or a list of
strings, which may be empty.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.corpora.files import checked_lines
from lingprobe.corpora.strict import parse_json, short_json
from lingprobe.corpora.tally import OnError, ProblemTally

Span = tuple[int, int]


class SpanTarget(NamedTuple):
    """One labelled span, or pair of spans; `more` is whatever else the file says of it, `info` as a
    rule.
    """

    span1: Span
    span2: Span | None
    label: str | tuple[str, ...]
    more: Mapping[str, Any]


class SentenceRecord(NamedTuple):
    """One line: a sentence with its targets; `more` is whatever else it says."""

    text: str
    words: tuple[str, ...]
    targets: tuple[SpanTarget, ...]
    more: Mapping[str, Any]
    line: int


def read_edge_records(
    path: str | Path, on_error: OnError = "raise", tally: ProblemTally | None = None
) -> Iterator[SentenceRecord]:
    """The records of a file in order, those without targets too; blank lines are passed over.
    DataProblem with file and line.
    """
    tally = ProblemTally() if tally is None else tally
    for number, line, unreadable in checked_lines(path):
        if not (line or unreadable).strip():
            continue
        try:
            record = _record(_object(line, unreadable), number)
        except ValueError as problem:
            tally.refuse(f"{path}:{number}: {problem}", on_error)
            continue
        tally.sentences += 1
        tally.words += len(record.words)
        yield record


def format_record(record: SentenceRecord) -> str:
    """The line of a record, without its line feed."""
    targets = [
        {
            "span1": list(t.span1),
            **({} if t.span2 is None else {"span2": list(t.span2)}),
            "label": _convert_label(t.label),
            **t.more,
        }
        for t in record.targets
    ]
    return json.dumps({"text": record.text, "targets": targets, **record.more}, ensure_ascii=False)


def _convert_label(label: str | tuple[str, ...]) -> str | list[str]:
    return label if isinstance(label, str) else list(label)


def _object(line: str, unreadable: str) -> dict[str, Any]:
    if unreadable:
        raise ValueError(unreadable)
    value = parse_json(
        line, nan=True
    )  # what else a file says of a target is the file's own business
    if not isinstance(value, dict):
        raise ValueError(
            f'a line is an object with "text" and "targets", found {short_json(value)}'
        )
    return value


def _required_value(row: dict[str, Any], key: str, what: str, right: Callable[[Any], bool]) -> Any:
    """The value of a key that must be there; ValueError says what it is instead of what it should
    be.
    """
    if key not in row:
        raise ValueError(f"no {key}: {what}")
    if not right(value := row.pop(key)):
        raise ValueError(f"{key} is {what}, found {short_json(value)}")
    return value


def _record(row: dict[str, Any], line: int) -> SentenceRecord:
    text = _required_value(
        row,
        "text",
        "a string with words in it",
        lambda value: isinstance(value, str) and bool(value.strip()),
    )
    words = tuple(text.split(" "))
    if "" in words:
        raise ValueError(
            f"words are separated by single spaces, but word {words.index('')} of the text is empty"
        )
    targets = _required_value(
        row, "targets", "a list (it may be empty)", lambda value: isinstance(value, list)
    )
    return SentenceRecord(
        text, words, tuple(_target(t, i, len(words)) for i, t in enumerate(targets)), row, line
    )


def _target(value: Any, number: int, words: int) -> SpanTarget:
    where = f"target {number}"
    if not isinstance(value, dict):
        raise ValueError(f"{where} is an object with span1 and label, found {short_json(value)}")
    more = dict(value)
    for key in ("span1", "label"):
        if key not in more:
            raise ValueError(f"{where} has no {key}")
    span1, label = _span(more.pop("span1"), f"span1 of {where}", words), more.pop("label")
    span2 = _span(more.pop("span2"), f"span2 of {where}", words) if "span2" in more else None
    names = label if isinstance(label, list) else [label]
    if not all(isinstance(name, str) for name in names):
        raise ValueError(
            f"the label of {where} is a string or a list of strings, found {short_json(label)}"
        )
    if not all(map(str.strip, names)):
        raise ValueError(f"{where} has a label without a name")
    if len(set(names)) < len(names):
        raise ValueError(f"{where} has a label twice: {label}")
    return SpanTarget(span1, span2, tuple(label) if isinstance(label, list) else label, more)


def _span(value: Any, what: str, words: int) -> Span:
    if not (isinstance(value, list) and len(value) == 2 and all(type(n) is int for n in value)):
        raise ValueError(f"{what} is [start, stop] in whole numbers, found {short_json(value)}")
    if value[0] >= value[1]:
        raise ValueError(
            f"{what}, {short_json(value)}, contains no word; a span is [first word, last word + 1]"
        )
    if not 0 <= value[0] < value[1] <= words:
        raise ValueError(f"{what}, {short_json(value)}, is outside a sentence of {words} words")
    return value[0], value[1]
