"""Why results that a folder has of the same trials are not used, and these are measured again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from lingprobe.data.core import Trial
from lingprobe.data.identity import ResultIdentities
from lingprobe.data.notes import ResultProvenance
from lingprobe.data.references import Reference, shorten_reference, try_parse_reference
from lingprobe.datasets.controls import CONTROLS
from lingprobe.encoders import ENCODERS
from lingprobe.probes import PROBES
from lingprobe.store.blocks import get_version
from lingprobe.store.results import ResultStore
from lingprobe.tasks import TASKS

_CONTENTS = (TASKS, ENCODERS, PROBES, CONTROLS)


def explain_anew(
    trials: Mapping[Trial, ResultIdentities], store: ResultStore, used: Iterable[Trial] = ()
) -> str:
    """What there is to say of trials that a folder has results of, which are not used; '' where it
    has none.

    trials  the trials that are measured now, with what their results are made of
    used    trials whose results are
    """
    if not trials:
        return ""
    places: dict[tuple[str, ...], list[Trial]] = {}
    for trial in trials:
        places.setdefault(_name_trial(trial), []).append(trial)
    skipped, reasons = set(used), dict[Trial, str]()
    for stored, made_with in store.facts():
        if stored not in skipped:
            said = ResultProvenance.read(made_with)
            for trial in places.get(_name_trial(stored), ()):
                if _is_same(trial, stored, said.version != get_version()):
                    reasons[trial] = _reason(said, stored, trials[trial])
    if not reasons:
        return ""
    counts = Counter(reasons.values()).most_common()
    why = "; ".join(f"{reason} ({count:,})" for reason, count in counts)
    many = f"{len(reasons):,} of these trials"
    return f"there are earlier results of {many}, which are measured again: {why}"


def _name_trial(trial: Trial) -> tuple[str, ...]:
    """What a trial is called without options and folders."""
    return (*map(_brief, _list_references(trial)), trial.read, str(trial.seed))


def _list_references(trial: Trial) -> tuple[str, ...]:
    """The references of a trial, in the order of `_CONTENTS`."""
    return trial.task, trial.encoder, trial.probe, trial.control


def _brief(reference: str) -> str:
    parsed = try_parse_reference(reference)
    return f"{parsed.name}:{PurePath(parsed.argument or '').name}" if parsed else reference


def _is_same(trial: Trial, stored: Trial, is_earlier: bool) -> bool:
    """Whether trials differ by no option that both name; of an earlier version none that is not as
    it is by default, as it had other options and defaults.
    """
    triples = zip(_CONTENTS, _list_references(trial), _list_references(stored), strict=True)
    return all(
        _agree(shorten_reference(contents, one) if is_earlier else one, other)
        for contents, one, other in triples
    )


def _agree(some: str, other: str) -> bool:
    one, two = try_parse_reference(some), try_parse_reference(other)
    if one is None or two is None:
        return some == other
    first, second = _list_earlier_options(one), _list_earlier_options(two)
    return all(first[key] == second[key] for key in first.keys() & second.keys())


def _list_earlier_options(reference: Reference) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for key, value in reference.options:
        values.setdefault(key, []).append(value)
    return values


def _reason(made_with: ResultProvenance, stored: Trial, now: ResultIdentities) -> str:
    """Why a stored result does not stand for a trial."""
    if made_with.version and made_with.version != get_version():
        return f"lingprobe {made_with.version} measured them, and this is version {get_version()}"
    names = dict(
        zip(("task", "encoder", "probe", "control"), _list_references(stored), strict=True)
    )
    for kind, known in now._asdict().items():
        before = made_with.identity(kind, names.get(kind, ""))
        if change := next(_changes(before, json.loads(str(known))), ""):
            return f"{change} the {kind} changed"
    return "the code that measures, or a package that it uses, changed"


def _changes(before: str, now: list[str]) -> Iterator[str]:
    """What of an identity is another one, in words."""
    try:
        then: Any = json.loads(before)
    except ValueError:
        return
    if isinstance(then, list) and len(then) > 1:
        if then[2:] != now[2:]:
            yield "files, weights or other facts of"
        if then[1] != now[1]:
            yield "the code of"
        if then[0] != now[0]:
            yield "options of"
