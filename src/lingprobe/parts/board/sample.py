"""One fit of a submission, measured anew. Which one the content of the results decides, so that
nobody who submits chooses it; it is measured only where encoder and data are here.

Code in files that the results name is not run, no model's own code either, and nothing is fetched
or sent anywhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import unquote

from lingprobe.analysis.answers import together
from lingprobe.analysis.row import PERCENT, said_of
from lingprobe.api.measure import run
from lingprobe.data.abilities import Remote
from lingprobe.data.cache import environment
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.errors import LingprobeError
from lingprobe.data.references import brief, is_allowed
from lingprobe.encoders import ENCODERS
from lingprobe.encoders.hub import OFFLINE
from lingprobe.experiment.keys import encoder_identity
from lingprobe.metrics import difference
from lingprobe.metrics.constant import find_metric
from lingprobe.metrics.multiplicity import ALPHA
from lingprobe.parts.board.frame import Fit, facts_in
from lingprobe.tasks import TASKS

TRIES = 3  # fits that are measured until one can be compared


class Remeasured(NamedTuple):
    """What came of it: the fit, and in words how it compares; no fit where none could be measured,
    with the reasons.
    """

    fit: Fit | None
    text: str


def remeasure(fits: Sequence[Fit], content: bytes, here: Sequence[str] = ()) -> Remeasured:
    """Measure one of some fits anew, those of models first; DataProblem where it comes out
    otherwise.

    content  of the file of results, which decides which one
    here     references of models as they lie here, where those of the results do not find them
    """
    places = Places(tuple(here))
    reasons: dict[str, None] = {}
    tries = 0
    for fit in _in_drawn_order(fits, content):
        encoder = places.encoder(fit)
        if why := encoder.why or _refusal(fit):
            reasons[why] = None
            continue
        tries += 1
        result, why = _measured(fit, encoder.reference)
        why = why or (result and _other_identity(fit, result)) or ""
        if result and not why:
            return Remeasured(fit, _compare(fit, result))
        reasons[why] = None
        if tries == TRIES:
            break
    return Remeasured(None, f"no fit was measured anew: {'; '.join(reasons)}")


def _in_drawn_order(fits: Sequence[Fit], content: bytes) -> list[Fit]:
    """Fits in an order that follows from the content."""
    seed = hashlib.sha256(content).digest()

    def rank(fit: Fit) -> tuple[bool, bytes]:
        return fit.kind != "trained", hashlib.sha256(seed + fit.identity.encode()).digest()

    return sorted(fits, key=rank)


class Place(NamedTuple):
    """An encoder as it is written here, or why it cannot be had."""

    reference: str
    why: str = ""


@dataclass(frozen=True)
class Places:
    """Where the encoders of a submission are here, each looked for once."""

    here: tuple[str, ...]
    known: dict[str, Place] = field(default_factory=dict)

    def encoder(self, fit: Fit) -> Place:
        """Where the encoder of a fit is."""
        if fit.encoder not in self.known:
            self.known[fit.encoder] = self._find(fit)
        return self.known[fit.encoder]

    def _find(self, fit: Fit) -> Place:
        wanted = fit.made_with.identity("encoder", fit.encoder)
        name, why = brief(ENCODERS, fit.encoder), ""
        for reference in (fit.encoder, *self.here):
            if reason := _untrusted(reference) if reference == fit.encoder else "":
                why = why or f"{name}: {reason}"
                continue
            try:
                with environment(OFFLINE, "1"):
                    made = ENCODERS.make(reference)
                    if isinstance(made, Remote):
                        why = why or f"{name} would be asked of {made.sends_to}"
                        continue
                    whole = ENCODERS.canonical(reference)
                    if facts_in(str(encoder_identity(whole, made))) == facts_in(wanted):
                        return Place(reference)
                    why = f"{name} is another model here, or computed in another precision"
            except (LingprobeError, ImportError, OSError, ValueError) as problem:
                why = why or f"{name} is not here ({problem})"
        return Place("", why)


def _untrusted(*references: str) -> str:
    """Why references that a stranger wrote are not followed; '' where they are."""
    if not is_allowed(*references):
        return "it names code in a file, which --trust runs"
    text = unquote(" ".join(references))
    if "trust_remote_code=true" in text:
        return "it runs the model's own code"
    return "it lies on another machine" if "://" in text else ""


def _refusal(fit: Fit) -> str:
    why = _untrusted(fit.task, fit.probe, fit.metric)
    return f"{brief(TASKS, fit.task)}: {why}" if why else ""


def _measured(fit: Fit, encoder: str) -> tuple[Result | None, str]:
    """The fit as it comes out here, or why it does not."""
    how: dict[str, Any] = {"seeds": fit.seed + 1, "bounds": False, "store": "none"}
    try:
        with TemporaryDirectory() as folder, environment(OFFLINE, "1"):
            made = run(
                [fit.task],
                [encoder],
                probes=[fit.probe],
                reads=[fit.layer] if fit.layer != "-" else [],
                output=Path(folder) / "results",
                **how,
            )
    except LingprobeError as problem:
        return None, f"{brief(TASKS, fit.task)}: {problem}"
    same = [r for r in made.results if (r.trial.seed, r.trial.read) == (fit.seed, fit.layer)]
    why = "; ".join(made.failures.values()) or "the layer is not there"
    return (same[0], "") if same else (None, f"{brief(TASKS, fit.task)}: {why}")


def _other_identity(fit: Fit, result: Result) -> str:
    """What is another thing here, so that scores say nothing about each other."""
    said = fit.made_with.identities
    here = result.provenance.identities
    other = [kind for kind in here if facts_in(here[kind]) != facts_in(said.get(kind, ""))]
    differ = f"{' and '.join(other)} {'differs' if len(other) == 1 else 'differ'} here"
    return f"{brief(TASKS, fit.task)}: {differ} (options, data or files)" if other else ""


def _compare(fit: Fit, result: Result) -> str:
    """How the answers compare; DataProblem where they cannot be those of the same fit."""
    stated = fit.result()
    name = f"{brief(TASKS, fit.task)}, {brief(ENCODERS, fit.encoder)}{said_of(fit.layer)}"
    ours, theirs = list(result.predicted.plain()), list(stated.predicted.plain())
    if ours == theirs:
        return f"measured anew: {name}: {PERCENT * result.score:.1f}, the same answers"
    alike = sum(map(bool, (a == b for a, b in zip(ours, theirs, strict=True)))) / len(ours)
    metric = find_metric(fit.metric)
    p = difference(metric, together([[result]]), together([[stated]])).p
    shown = f"{name}: {fit.score:.1f} is stated, {PERCENT * result.score:.1f} was measured anew"
    one, other = result.provenance, fit.made_with
    is_exact = (one.computed, one.identities) == (other.computed, other.identities)
    if is_exact or p < ALPHA:
        raise DataProblem(
            f"{shown}; {100 * alike:.1f} % of answers are the same, where"
            f" {'all' if is_exact else 'nearly all'} should be: the submission is refused"
        )
    return f"measured anew: {shown} (other hardware or code; {100 * alike:.1f} % of answers are the same)"
