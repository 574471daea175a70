"""Spans with a label each in one cell, as annotation tools export them: doccano, Prodigy, spaCy,
Label Studio and GLiNER.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from lingprobe.corpora.strict import short_json
from lingprobe.datasets.formats.row_spans import MIN_CONSISTENT_ROW_SHARE, BadRow, spans_whole_words

_STARTS, _ENDS = ("start", "start_offset", "begin"), ("end", "end_offset", "stop")
_LABELS = ("label", "labels", "entity_group", "entity", "tag", "type", "class")
_RESULT, _CHOICES = "result", "choices"


class SpanAnnotation(NamedTuple):
    """A span from `start` to before `end`, and its label."""

    start: int
    end: int
    label: str


def unwrap_results(cell: Any) -> Any:
    """What Label Studio's annotations of a text say: the choices, or the values of the regions, of
    the first that was not cancelled, None where it says nothing; any other cell as it is.
    """
    is_studio = isinstance(cell, list) and cell and all(_has_result(each) for each in cell)
    if isinstance(cell, dict) and isinstance(cell.get(_CHOICES), list):
        return cell[_CHOICES]
    if not is_studio:
        return cell
    none: dict[str, Any] = {_RESULT: []}
    kept = next((each for each in cell if not each.get("was_cancelled")), none)
    values = [region.get("value", {}) for region in kept[_RESULT] if isinstance(region, dict)]
    choices = [name for value in values for name in value.get(_CHOICES, ())]
    return choices or [value for value in values if "start" in value] or None


def are_annotations(cells: Sequence[Any]) -> bool:
    """Whether cells are lists of spans with labels, but for slips, and not all empty."""
    some = [each for cell in cells if isinstance(cell, list) for each in cell]
    return bool(some) and sum(map(_is_annotation, some)) >= MIN_CONSISTENT_ROW_SHARE * len(some)


def end_at_last(rows: Sequence[tuple[Any, Sequence[Any]]]) -> bool:
    """Whether the ends of spans are the last words or characters of them, not those behind: of
    words, some begin where they end, and more than slips would; of characters, more of them end
    where words do.
    """
    places = []
    for text, entry in ((text, entry) for text, cell in rows for entry in cell):
        with suppress(BadRow):
            places.append((text, read_annotation(entry)))
    texts = [(text, found) for text, found in places if isinstance(text, str)]
    if not texts:
        alone = sum(found.start == found.end for _, found in places)
        return alone > (1 - MIN_CONSISTENT_ROW_SHARE) * len(places)
    return sum(spans_whole_words(text, a.start, a.end + 1) for text, a in texts) > sum(
        spans_whole_words(text, a.start, a.end) for text, a in texts
    )


def read_annotation(entry: Any) -> SpanAnnotation:
    """The span and the label of one entry of a list."""
    if isinstance(entry, dict):
        start, end = _get_first_value(entry, _STARTS), _get_first_value(entry, _ENDS)
        label = _get_first_value(entry, _LABELS)
    else:
        start, end, label = entry if isinstance(entry, list) and len(entry) == 3 else [None] * 3
    if isinstance(label, list):
        label = label[0] if len(label) == 1 else None
    if type(start) is not int or type(end) is not int or not isinstance(label, str):
        raise BadRow(f"{short_json(entry)} is not a span with a label, as [start, end, label]")
    return SpanAnnotation(start, end, label)


def _has_result(each: Any) -> bool:
    return isinstance(each, dict) and isinstance(each.get(_RESULT), list)


def _is_annotation(entry: Any) -> bool:
    """Whether an entry of a list has a start, an end and a label."""
    if isinstance(entry, dict):
        return all(any(key in entry for key in keys) for keys in (_STARTS, _ENDS, _LABELS))
    if not isinstance(entry, list) or len(entry) != 3:
        return False
    return type(entry[0]) is int and type(entry[1]) is int and isinstance(entry[2], str)


def _get_first_value(entry: dict[str, Any], keys: Sequence[str]) -> Any:
    return next((entry[key] for key in keys if key in entry), None)
