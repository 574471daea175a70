"""One fit of a submission, measured again. Which one the content of the results decides, so that
nobody who submits chooses it; it is measured only where encoder and data are here.

Code in files that the results name is not run, no model's own code either, and nothing is fetched
or sent anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast
from urllib.parse import unquote

from lingprobe import DataProblem, LingprobeError, Result, Trial, run
from lingprobe.extend import (
    RemoteEncoder,
    difference,
    get_contents,
    get_encoder_kind,
    hash_bytes,
    identify_encoder,
    is_code_allowed,
    join_answers,
    set_environment,
    shorten_reference,
)
from lingprobe_extensions.board.frame import describe_layer, facts_in

PART = 100  # one answer in so many of a model may differ on the same machine
TRIES = 3  # fits that are measured until one can be compared


class NotHere(DataProblem):
    """Why a fit cannot be measured here."""


def remeasure(results: Sequence[Result], content: bytes, here: Sequence[str] = ()) -> str:
    """Measure one of some fits anew, those of models first, and say how it compares; or why none
    could be measured. DataProblem where it comes out otherwise.

    content  of the file of results, which decides which one
    here     references of models as they lie here, where those of the results do not find them
    """
    seed = hash_bytes(content, 32)

    def rank(stated: Result) -> tuple[bool, bytes]:
        place = hash_bytes(seed + str(stated.trial).encode(), 32)
        return get_encoder_kind(stated) != "trained", place

    reasons: dict[str, tuple[str, str]] = {}  # of encoders and tasks: names and why not
    tries = 0
    for stated in sorted(results, key=rank):
        trial = stated.trial
        if tries == TRIES or {trial.encoder, trial.task} & reasons.keys():
            continue
        try:
            encoder = _encoder_here(stated, here)
        except NotHere as problem:
            reasons[trial.encoder] = (
                shorten_reference(get_contents("encoders"), trial.encoder),
                str(problem),
            )
            continue
        try:
            _check_references(trial.task, trial.probe, trial.control, stated.metric)
            tries += 1
            return _compare(stated, _measure(stated, encoder))
        except NotHere as problem:
            why = str(problem).removeprefix(f"nothing to measure: {trial.task}: ")
            reasons[trial.task] = shorten_reference(get_contents("tasks"), trial.task), why
    named: dict[str, list[str]] = {}
    for name, why in reasons.values():
        named.setdefault(why, []).append(name)
    told = (f"{'; '.join(names)}: {why}" for why, names in named.items())
    return f"no trained probe was measured again: {'; '.join(told)}"


def _check_references(*references: str) -> None:
    """Refuse to follow what a stranger wrote; NotHere."""
    if not is_code_allowed(*references):
        raise NotHere("it names code in a file, which only --trust runs")
    text = unquote(" ".join(references))
    if "trust_remote_code=true" in text:
        raise NotHere("it runs the model's own code")
    if "://" in text:
        raise NotHere("it lies on another machine")


def _encoder_here(stated: Result, here: Sequence[str]) -> str:
    """The encoder of a fit as it is written here; NotHere."""
    wanted = facts_in(stated.provenance.identities.get("encoder", ""))
    why = ""
    for reference in (*here, stated.trial.encoder):
        try:
            if reference not in here:
                _check_references(reference)
            with set_environment("LINGPROBE_OFFLINE", "1"):
                made, whole = (
                    get_contents("encoders").make(reference),
                    get_contents("encoders").canonical(reference),
                )
                if isinstance(made, RemoteEncoder):
                    raise NotHere(f"it would be asked of {made.sends_to}")
                if facts_in(str(identify_encoder(whole, made, _vector_type(stated)))) == wanted:
                    return reference
            raise NotHere("it is another model here, or computed in another precision")
        except (LingprobeError, ImportError, OSError, ValueError) as problem:
            why = str(problem)
    raise NotHere(why)


def _vector_type(stated: Result) -> str:
    """The type that the vectors of a fit were kept in, float32 where none is said."""
    said = facts_in(stated.provenance.identity("encoder", ""))[-1]
    name, _, most = said.partition("-")
    return (
        said
        if name in ("float32", "float16", "bfloat16") and (not most or most.isdecimal())
        else "float32"
    )


def _measure(stated: Result, encoder: str) -> Result:
    """The fit as it comes out here; NotHere."""
    trial: Trial = stated.trial
    reads = [trial.read] if trial.read != "-" else []
    name, _, most = _vector_type(stated).partition("-")
    try:
        with TemporaryDirectory() as folder, set_environment("LINGPROBE_OFFLINE", "1"):
            made = run(
                [trial.task],
                [encoder],
                probes=[trial.probe],
                controls=[] if trial.control == "none" else [trial.control],
                layers=reads,
                seeds=trial.seed + 1,
                baselines="none",
                dtype="none" if name == "float32" and not most else cast(Any, name),
                project=int(most) if most else None,
                cache=Path(folder) / "cache",
                output=Path(folder) / "results",
            )
    except LingprobeError as problem:
        raise NotHere(str(problem)) from problem
    wanted = trial.seed, trial.read, trial.control
    same = [r for r in made.results if (r.trial.seed, r.trial.read, r.trial.control) == wanted]
    if not same:
        raise NotHere("; ".join(made.failures.values()) or "its layer is not there")
    said = stated.provenance.identities
    known = same[0].provenance.identities
    other = [kind for kind in known if facts_in(known[kind]) != facts_in(said.get(kind, ""))]
    if other:
        raise NotHere(f"{' and '.join(other)}: other options, data or files here")
    return same[0]


def _compare(stated: Result, result: Result) -> str:
    """How the answers compare; DataProblem where they cannot be those of the same fit."""
    trial = stated.trial
    task = shorten_reference(get_contents("tasks"), trial.task)
    encoder = shorten_reference(get_contents("encoders"), trial.encoder)
    name = f"{task}, {encoder}{describe_layer(trial.read)}"
    if trial.control != "none":
        name += f", control {shorten_reference(get_contents('controls'), trial.control)}"
    ours, theirs = list(result.predicted.plain()), list(stated.predicted.plain())
    score = f"measured again: {name}: {100.0 * result.score:.1f}"
    if ours == theirs:
        return f"{score}, the same answers"
    alike = sum(a == b for a, b in zip(ours, theirs, strict=True)) / len(ours)
    p = difference(
        get_contents("metrics").make(stated.metric),
        join_answers([[result]]),
        join_answers([[stated]]),
    ).p
    shown = f"{score}, and {100.0 * stated.score:.1f} is stated; {100 * alike:.1f} % of answers"
    one, other = result.provenance, stated.provenance
    is_exact = (one.computed, one.identities) == (other.computed, other.identities)
    may_vary = (
        get_encoder_kind(stated) == "trained"
    )  # vectors of a network depend on their batch a little
    many = sum(a != b for a, b in zip(ours, theirs, strict=True))
    differ = many > (max(1, len(ours) // PART) if may_vary else 0)
    if (is_exact and differ) or p < 0.05:
        should = "all" if is_exact and not may_vary else "nearly all"
        raise DataProblem(f"{shown} are the same, where {should} should be: it is refused")
    return f"{shown} are the same ({'other batches' if is_exact else 'other hardware or code'})"
