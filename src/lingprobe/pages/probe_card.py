"""The card of a trained probe: what it is, how it scored beside baselines, and where it fails."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from lingprobe.data.printing import strip_unprintable
from lingprobe.data.references import shorten_reference
from lingprobe.encoders import ENCODERS
from lingprobe.probes import PROBES
from lingprobe.store.probe_folder import ProbeFacts, SubgroupScore
from lingprobe.tasks import TASKS
from lingprobe.tasks.repeats import strip_fold

_MAX_LISTED_SUBGROUPS, _MAX_LISTED_CONFUSIONS = 10, 10


def write_card(facts: ProbeFacts, thresholds: Sequence[str] = ()) -> str:
    """The card as Markdown.

    thresholds  a sentence for each threshold
    """
    parts = [
        _head(facts),
        _format_probe_scores(facts, thresholds),
        _failures(facts),
        _use(facts),
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _head(facts: ProbeFacts) -> list[str]:
    task, encoder = facts.task, facts.encoder
    probe = shorten_reference(PROBES, facts.probe)
    reference = shorten_reference(ENCODERS, encoder.reference)
    place = "" if facts.layer == "-" else f" layer {facts.layer} of"
    labels = ", ".join(map(_escape_markdown, facts.labels[:20])) + (
        " ..." if len(facts.labels) > 20 else ""
    )
    reads = (
        f" It reads each text as `{_escape_markdown(encoder.read_as)}`." if encoder.read_as else ""
    )
    return [
        "# A linear probe:"
        f" {_escape_markdown(shorten_reference(TASKS, strip_fold(task.reference)))}",
        "",
        f"{_escape_markdown(task.question)} A linear map ({_escape_markdown(probe)}) from{place}"
        f" `{_escape_markdown(reference)}` answers: {labels}.{reads}",
        "",
        f"- trained on {task.train:,} examples, with {task.dev:,} more for its choices and"
        f" thresholds, and tested on {task.test:,} that it has not seen",
        f"- vectors of {encoder.width:,} dimensions; revision"
        f" {_escape_markdown(encoder.revision) or 'unknown'}",
        f"- made with lingprobe {facts.version}, {facts.date}",
    ]


def _format_probe_scores(facts: ProbeFacts, thresholds: Sequence[str]) -> list[str]:
    rows = [("**this probe**", facts.score)]
    if facts.all_folds is not None:
        rows.append((f"probes of all folds ({facts.all_folds.name})", facts.all_folds))
    rows += [(_escape_markdown(each.name), each) for each in facts.baselines]
    lines = [
        "## How it scores",
        "",
        *_format_markdown_table(("", facts.metric, "95 % interval", "n"), rows),
    ]
    if not facts.baselines:
        lines += ["", "No baseline was measured, so the score has nothing to be compared with."]
    return [*lines, "", *(f"- {line}" for line in thresholds)] if thresholds else lines


def _failures(facts: ProbeFacts) -> list[str]:
    """Where a probe fails: the worst subgroups and the commonest confusions."""
    lines = ["## Where it fails", ""]
    if facts.subgroups:
        listed = facts.subgroups[:_MAX_LISTED_SUBGROUPS]
        rows = [(_escape_markdown(each.name), each) for each in listed]
        lines += ["Subgroups of the test examples, the lowest scores first:", ""]
        lines += _format_markdown_table(("subgroup", facts.metric, "95 % interval", "n"), rows)
    else:
        lines.append("The data name no subgroups, so none were compared.")
    if facts.confusions:
        lines += ["", "| is | taken for | examples | of |", "|---|---|---:|---:|"]
        lines += [
            f"| {_escape_markdown(each.gold)} | {_escape_markdown(each.predicted)} | {each.n:,} |"
            f" {each.of:,} |"
            for each in facts.confusions[:_MAX_LISTED_CONFUSIONS]
        ]
    other = (
        "All of this holds for texts like those of the test examples. A probe that reads their"
        " style scores as well here, and fails on texts from elsewhere: test it on such."
    )
    return [*lines, "", other]


def _use(facts: ProbeFacts) -> list[str]:
    inputs = '["a text"]' if facts.task.of_texts else "vectors"
    model = ", model=model" if facts.encoder.is_object else ""
    return [
        "## Use",
        "",
        "```text",
        "import lingprobe",
        f'probe = lingprobe.load_probe("FOLDER"{model})',
        f"probe.score({inputs})",
        "```",
    ]


def _format_markdown_table(
    head: Sequence[str], rows: Iterable[tuple[str, SubgroupScore]]
) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|---|---:|---:|---:|"]
    for name, each in rows:
        known = not math.isnan(each.low)
        interval = f"{each.low:.1f} to {each.high:.1f}" if known else ""
        lines.append(f"| {name} | {each.score:.1f} | {interval} | {each.n:,} |")
    return lines


def _escape_markdown(text: str) -> str:
    """Text of others in a line of Markdown: nothing in it is markup."""
    shown = " ".join(strip_unprintable(text).split())[:200]
    for sign in "\\`|<>[]*_":
        shown = shown.replace(sign, f"\\{sign}")
    return shown
