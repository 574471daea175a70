"""What stands above and below a table: what a section is called, where baselines end and oracles
begin, what is odd about the sources of its tasks, and in what they differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import PurePath

from lingprobe.analysis.frame import FrameRow
from lingprobe.analysis.questions import describe_question_differences
from lingprobe.analysis.row import NO_CONTROL, passes_task, place_among
from lingprobe.data.references import (
    Reference,
    ReferenceProblem,
    try_parse_reference,
)

_HERE = ("/", "~", ".")  # how paths begin that say where they lie
_MODELS = frozenset({"hf", "st"})  # kinds of encoders whose argument is the name of a model
_TELLING = 6  # letters, from which on the name of a file or folder says what it is


def format_heading(rows: Sequence[FrameRow]) -> str:
    """The task of some rows and how many classes it has: with others it is another task; and how
    many of its labels are wrong, where a parser gave them.
    """
    first = rows[0]
    wrong = f"{first.wrong:.1f} % of labels are wrong: upper bound {100 - first.wrong:.1f}"
    said = ", ".join(filter(None, [first.class_size, wrong if first.wrong else ""]))
    return shorten_task(rows[0].task) + (f" ({said})" if said else "")


def shorten_task(task: str) -> str:
    """A task's reference with the last part of its path only, or the last two where the last is as
    short as GUM/dep.
    """
    try:
        parsed = Reference.parse(task)
    except ReferenceProblem:
        return task
    if parsed.argument is None:
        return task
    return str(Reference(parsed.name, _end(parsed.argument), parsed.options))


def _end(path: str) -> str:
    """The last part of a path, or the last two where the last is short."""
    name, folder = PurePath(path).name, PurePath(path).parent.name
    return (f"{folder}/{name}" if len(name) < _TELLING and folder else name) or path


def name_encoders(encoders: Iterable[str]) -> dict[str, str]:
    """Names of encoders by reference: those in a folder of this machine by the end of its path,
    where that tells them apart; several of one folder by their own part of it alone.
    """
    parsed = {encoder: try_parse_reference(encoder) for encoder in encoders}
    folders = Counter((one.name, _folder(one)) for one in parsed.values() if one and _folder(one))
    places = {}
    for encoder, one in parsed.items():
        options = tuple((key, _short_value(value)) for key, value in (one.options if one else ()))
        # a colon in a value is read as well where it stands for itself
        values = [value for _, value in options]
        has_colon = one is not None and any(":" in value for value in [one.argument or "", *values])
        if one is not None and (_is_here(one.argument) or options != one.options or has_colon):
            name = one.argument
            if name and _folder(one):
                alone = folders[one.name, _folder(one)] == 1
                name = _end(name) if alone else PurePath(name).name
            places[encoder] = str(Reference(one.name, name, options)).replace("%3A", ":")
        elif "@" in encoder and encoder.startswith(_HERE):
            places[encoder] = encoder.rpartition("/")[2]
    counts = Counter(places.values())
    return {"words": "(words)"} | {e: name for e, name in places.items() if counts[name] == 1}


def with_names(rows: Sequence[FrameRow]) -> list[FrameRow]:
    """Rows whose encoders are called as tables call them."""
    names = name_encoders(dict.fromkeys(row.encoder for row in rows))
    return [
        row._replace(encoder=names[row.encoder]) if row.encoder in names else row for row in rows
    ]


def label_encoders(encoders: Iterable[str]) -> dict[str, str]:
    """Short names of encoders by reference, for sentences and figures: a model by its own name,
    with the options that others of the same name do not have.
    """
    names = name_encoders(encoders := list(encoders))
    models = [(encoder, try_parse_reference(names.get(encoder, encoder))) for encoder in encoders]
    known = {
        encoder: one for encoder, one in models if one and one.name in _MODELS and one.argument
    }
    groups: dict[str, list[Reference]] = {}
    for one in known.values():
        groups.setdefault(str(one.argument), []).append(one)
    for encoder, one in known.items():
        mine = groups[str(one.argument)]
        own = [f"{k}={v}" for k, v in one.options if any((k, v) not in o.options for o in mine)]
        source = [one.name] if len({other.name for other in mine}) > 1 else []
        names[encoder] = ", ".join([_end(str(one.argument)), *source, *own])
    taken = Counter(names.values())
    return {encoder: name for encoder, name in names.items() if taken[name] == 1}


def _short_value(value: str) -> str:
    """The value of an option: a path by its name, tasks as `short` has them."""
    if _is_here(value):
        return PurePath(value).name
    return "+".join(map(shorten_task, value.split("+"))) if ":" in value else value


def _is_here(value: str | None) -> bool:
    return (value or "").startswith(_HERE)


def _folder(encoder: Reference) -> str:
    """The folder that an encoder of this machine lies in."""
    return str(PurePath(encoder.argument or "").parent) if _is_here(encoder.argument) else ""


def by_kind(rows: Sequence[FrameRow]) -> list[FrameRow]:
    """Rows of one task: baselines first, oracles last."""
    return sorted(rows, key=place_among)


def kind_rules(rows: Sequence[FrameRow]) -> frozenset[int]:
    """Above which rows a rule stands, since they are of another kind than those before."""
    return frozenset(i for i, (one, two) in enumerate(pairwise(rows), 1) if one.kind != two.kind)


def warn_of_oracles(rows: Sequence[FrameRow]) -> list[str]:
    """The note on an oracle that scores below 95, so that a low score may be due to the probe: task
    by task.
    """
    best: dict[tuple[str, str], FrameRow] = {}
    for row in _oracles(rows):
        key = row.task, row.probe
        best[key] = max(best.get(key, row), row, key=lambda one: one.score)
    return [
        f"{task}: with {probe}, the oracle scores only {row.score:.1f}, so a low score of an"
        " encoder may be due to the probe or the data."
        for (task, probe), row in best.items()
        if not passes_task(row)
    ]


def _oracles(rows: Sequence[FrameRow]) -> list[FrameRow]:
    return [row for row in rows if row.kind == "oracle" and row.control == NO_CONTROL]


def explain_oracles(rows: Sequence[FrameRow]) -> list[str]:
    """What baselines and oracles show, and what the oracles contain."""
    oracles = _oracles(rows)
    if not oracles:
        return []
    holds = {(row.encoder, row.holds): None for row in oracles if row.holds}
    return [
        (
            "Baselines come first and show what is trivial; oracles come last and show what the"
            " probe can achieve, as their vectors contain the annotation."
        ),
        *(f"{encoder}: {what}." for encoder, what in holds),
    ]


_SOME = 0.001  # of the words, from which on those that an encoder does not know are told
_ALIKE = {
    "classes": "classes=",
    "training examples": "size=",
    "test examples": "size=",
    "the composition of classes": "forms=simple",
}
"""What makes sources alike that differ in something."""


def describe_sources(rows: Sequence[FrameRow], named: Callable[[str], str]) -> list[str]:
    """What there is to say of the sources; `named` shortens the name of a task."""
    return [*_remarks(rows, named), *_unknown(rows, named), *_source_differences(rows)]


def _remarks(rows: Sequence[FrameRow], named: Callable[[str], str]) -> list[str]:
    """What holds of sources as a whole, each said once for all tasks."""
    tasks: dict[str, dict[str, None]] = {}
    for row in rows:
        for remark in row.source_remarks:
            tasks.setdefault(remark, {})[named(row.task)] = None
    return [f"{', '.join(those)}: {remark}." for remark, those in tasks.items()]


def _unknown(rows: Sequence[FrameRow], named: Callable[[str], str]) -> list[str]:
    """Words that an encoder reads as the token for the unknown, by encoder and task."""
    shares: dict[str, dict[str, float]] = {}
    for row in rows:
        if row.words and row.unknown / row.words >= _SOME:
            shares.setdefault(row.encoder, {})[named(row.task)] = row.unknown / row.words
    return [
        f"{encoder}: out-of-vocabulary words are"
        f" {', '.join(f'{100 * share:.1f} % of {task}' for task, share in mine.items())}."
        for encoder, mine in shares.items()
    ]


def _source_differences(rows: Sequence[FrameRow]) -> list[str]:
    """Questions that are asked of several sources, and not alike."""
    asked: dict[Reference, dict[str, FrameRow]] = {}
    for row in rows:
        parsed = try_parse_reference(row.task)
        if (
            parsed is not None
            and parsed.argument is not None
            and parsed.name.partition("/")[0] in _FAMILIES
        ):
            own = tuple(option for option in parsed.options if option[0] not in _OF_SOURCES)
            asked.setdefault(Reference(parsed.name, None, own), {}).setdefault(row.task, row)
    remarks = []
    for question, sources in asked.items():
        differences = describe_question_differences([*sources.values()]) if len(sources) > 1 else []
        if differences:
            remedies = dict.fromkeys(
                remedy
                for what, remedy in _ALIKE.items()
                if any(d.startswith(what) for d in differences)
            )
            fitting = [
                r for r in remedies if r != "forms=simple" or question.name.endswith("tense")
            ]
            how = (
                f" ({' and '.join(fitting)} {'makes' if len(fitting) == 1 else 'make'} them alike)"
                if fitting
                else ""
            )
            remarks.append(
                f"{question}: its sources differ in {', '.join(differences)}, so their scores are"
                f" not comparable{how}."
            )
    return remarks


_OF_SOURCES = frozenset({"classes", "forms", "limit", "on_error", "seed", "size", "splits", "with"})
"""Options that say which examples of a question are taken, and do not change it."""
_FAMILIES = frozenset({"ud", "tree"})
"""Families whose tasks take the options that make sources alike."""
