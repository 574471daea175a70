"""Edge probing's own format, as jiant reads and writes it: one sentence a line with its labelled spans.

    {"text": "Ian ate ice cream", "targets": [{"span1": [1, 2], "span2": [2, 4], "label": "A1", "info": {}}], "info": {}}

Spans count words from 0 and stop before their end. Words are what stands between single spaces: a no-break space, or any other
white space, belongs to a word. `label` is a string, or a list of strings, which may be empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sonde.core import DataProblem
from sonde.sources.conllu import OnError, Tally
from sonde.sources.files import lines

Span = tuple[int, int]


class Target(NamedTuple):
    """One labelled span, or pair of spans; `more` is whatever else the file says of it, `info` as a rule."""

    span1: Span
    span2: Span | None
    label: str | tuple[str, ...]
    more: Mapping[str, Any]


class Record(NamedTuple):
    """One line: a sentence with its targets; `more` is whatever else it says."""

    text: str
    words: tuple[str, ...]
    targets: tuple[Target, ...]
    more: Mapping[str, Any]
    line: int


def read(path: str | Path, on_error: OnError = "raise", tally: Tally | None = None) -> Iterator[Record]:
    """The records of a file in order, those without targets too; blank lines are passed over. DataProblem with file and line."""
    tally = Tally() if tally is None else tally
    for number, line in lines(path):
        if not line.strip():
            continue
        try:
            record = _record(_object(line), number)
        except ValueError as problem:
            told = f"{path}:{number}: {problem}"
            if on_error == "raise":
                raise DataProblem(told) from None
            tally.skip(told)
            continue
        tally.sentences += 1
        tally.words += len(record.words)
        yield record


def written(record: Record) -> str:
    """The line of a record, without its line feed."""
    targets = [
        {"span1": list(t.span1), **({} if t.span2 is None else {"span2": list(t.span2)}), "label": _plain(t.label), **t.more}
        for t in record.targets
    ]
    return json.dumps({"text": record.text, "targets": targets, **record.more}, ensure_ascii=False)


def _plain(label: str | tuple[str, ...]) -> str | list[str]:
    return label if isinstance(label, str) else list(label)


def _object(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg} at character {error.pos + 1})") from None
    except RecursionError:
        raise ValueError("nested too deeply to be a sentence with targets") from None
    if not isinstance(found, dict):
        raise ValueError(f'a line is an object with "text" and "targets", not {type(found).__name__}')
    return found


def _record(row: dict[str, Any], line: int) -> Record:
    text, targets = row.pop("text", None), row.pop("targets", None)
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"text is a string with words in it, found {str(text)[:40]!r}")
    words = tuple(text.split(" "))
    if "" in words:
        raise ValueError(f"words are separated by single spaces, but word {words.index('')} of the text is empty")
    if not isinstance(targets, list):
        raise ValueError(f"targets is a list (it may be empty), found {str(targets)[:40]!r}")
    return Record(text, words, tuple(_target(t, i, len(words)) for i, t in enumerate(targets)), row, line)


def _target(found: Any, number: int, words: int) -> Target:
    where = f"target {number}"
    if not isinstance(found, dict):
        raise ValueError(f"{where} is an object with span1 and label, found {str(found)[:40]!r}")
    more = dict(found)
    span1, label = _span(more.pop("span1", None), f"span1 of {where}", words), more.pop("label", None)
    span2 = _span(more.pop("span2"), f"span2 of {where}", words) if "span2" in more else None
    if isinstance(label, list) and all(isinstance(item, str) for item in label):
        if len(set(label)) < len(label):
            raise ValueError(f"{where} has a label twice: {label}")
        return Target(span1, span2, tuple(label), more)
    if not isinstance(label, str):
        raise ValueError(f"the label of {where} is a string or a list of strings, found {str(label)[:40]!r}")
    return Target(span1, span2, label, more)


def _span(found: Any, what: str, words: int) -> Span:
    if not (isinstance(found, list) and len(found) == 2 and all(type(n) is int for n in found)):
        raise ValueError(f"{what} is [start, stop], found {str(found)[:40]!r}")
    if not 0 <= found[0] < found[1] <= words:
        raise ValueError(f"{what}, {found}, is outside a sentence of {words} words, or empty")
    return found[0], found[1]
