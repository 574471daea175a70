"""The folder of a trained encoder: what is said of it in a file and in a card."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lingprobe.extend import digest_files, read_training_facts, write_text
from lingprobe_extensions.train.encoder import epoch_file
from lingprobe_extensions.train.loop import EpochResult
from lingprobe_extensions.train.options import TrainingSettings
from lingprobe_extensions.train.seen import SEEN_TEXTS_FILE
from lingprobe_extensions.train.settings import PARSER_ARCHITECTURE, TrainingRequest
from lingprobe_extensions.train.splits import describe_counts

_CARD, TRAINED_FACTS_FILE = "README.md", "model.json"
ENCODER_FORMAT_VERSION = 2  # of what a folder says, as `read_facts` reads it


@dataclass(frozen=True)
class EncoderTraining:
    """A trained encoder; printing it shows the scores of all epochs.

    folder    the encoder is `trained:FOLDER`
    figure    what selects the best epoch on dev: 'bleu', or 'perplexity' while BLEU is at its
              baseline
    trivial   scores of baselines without an encoder, on dev and on further evaluation files
    unbeaten  those of them that the best epoch is not clearly better than
    counts    how many sentences were read, and how many excluded and why
    """

    folder: Path
    objective: str
    figure: str
    best: int
    epochs: Sequence[Mapping[str, Any]]
    trivial: Mapping[str, float]
    counts: Mapping[str, int]
    parameters: int
    unbeaten: Sequence[str] = ()

    def __str__(self) -> str:
        head = f"{self.folder}: {self.objective}, {self.parameters:,} weights of the encoder"
        lines = [head, "", _tabulate_epochs(self.epochs)]
        lines.append(f"best: epoch {self.best}, by {self.figure} on dev")
        if self.trivial:
            lines.append("without an encoder:")
            lines += [f"  {name}: {value:.1f}" for name, value in self.trivial.items()]
        if self.unbeaten:
            lines.append(_warning(self.unbeaten))
        lines.append(describe_counts(self.counts))
        return "\n".join(lines)


def _warning(unbeaten: Sequence[str]) -> str:
    """What is said of a training that has learnt little."""
    return (
        f"The best epoch is not clearly better than without an encoder: {', '.join(unbeaten)}."
        " Train for more epochs, or on more data, before probing it as a trained encoder."
    )


def _tabulate_epochs(epochs: Sequence[Mapping[str, Any]]) -> str:
    """Epochs as a table."""
    head = list(dict.fromkeys(key for each in reversed(epochs) for key in each))
    rows = [
        head,
        *([_format_number(each[key]) if key in each else "–" for key in head] for each in epochs),
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def _format_number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def format_train_command(request: TrainingRequest, settings: TrainingSettings) -> str:
    """What makes such an encoder, on the command line."""
    recipe = PARSER_ARCHITECTURE if request.architecture == PARSER_ARCHITECTURE else ""
    usual, chosen = asdict(TrainingSettings.of({}, recipe)), asdict(settings)
    told = [
        f"{name}={_format_setting(value)}" for name, value in chosen.items() if value != usual[name]
    ]
    learns = ["encoder", request.architecture, "--objective", request.objective]
    words = [
        *(
            "lingprobe",
            "train",
            *([PARSER_ARCHITECTURE] if request.architecture == PARSER_ARCHITECTURE else learns),
        ),
        *("--data", *map(str, request.files)),
        *(["--dev", *map(str, request.dev)] if request.dev else []),
        *request.left_out,
        *(["--where", *(f"{k}={v}" for k, v in request.where.items())] if request.where else []),
        *(["--set", *told] if told else []),
    ]
    return shlex.join(words)


def _format_setting(value: Any) -> str:
    """A setting as `--set` reads it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def write_facts(out: Path, facts: Mapping[str, Any], epochs: Sequence[EpochResult]) -> None:
    """Write what is known of an encoder after some epochs."""
    told = [epoch.plain() for epoch in epochs]
    said = {**facts, "digests": _digests(out, [epoch.number for epoch in epochs]), "epochs": told}
    write_text(out / TRAINED_FACTS_FILE, json.dumps(said, indent=1, ensure_ascii=False) + "\n")
    write_text(out / _CARD, _card(out, said))


def _digests(out: Path, epochs: Sequence[int]) -> dict[str, str]:
    """What tells the weights of each epoch from others; those of epochs before the last, which may
    be damaged since, as they were told before.
    """
    known = (
        read_training_facts(out).get("digests", {}) if (out / TRAINED_FACTS_FILE).is_file() else {}
    )
    kept = {str(n): known[str(n)] for n in epochs[:-1] if str(n) in known}
    files = {str(n): epoch_file(out, n) for n in epochs if str(n) not in kept}
    return {**kept, **{n: digest_files([file]) for n, file in files.items() if file.is_file()}}


def read_training(folder: Path) -> EncoderTraining:
    """What is known of a trained encoder; DataProblem where a folder holds none."""
    facts = read_training_facts(folder)
    return EncoderTraining(
        folder,
        facts["objective"],
        facts["figure"],
        facts["best"],
        facts["epochs"],
        {**facts["trivial"], **facts.get("elsewhere", {})},
        facts["counts"],
        facts["parameters"],
        facts.get("unbeaten", ()),
    )


def _card(out: Path, facts: Mapping[str, Any]) -> str:
    files = "\n".join(f"- `{name}` ({mark})" for name, mark in facts["files"].items())
    return (
        f"# {out.name}\n\nA sentence encoder made by `lingprobe train`: {facts['architecture']},"
        f" {facts['parameters']:,} weights, objective {facts['objective']}. As an encoder it is"
        f" `trained:{out.name}`.\n\n## Data\n\n{files}\n\n"
        + describe_counts(facts["counts"])
        + f"\n\n`{SEEN_TEXTS_FILE}` contains hashes (eight bytes) of the letters and digits of the"
        f" {facts['seen']:,} distinct texts that it was trained or evaluated on: sources, targets,"
        " both sentences of pairs. It is never probed on these."
        + f"\n\n## Figures on dev\n\n```\n{_tabulate_epochs(facts['epochs'])}\n```\n\nBest: epoch"
        f" {facts['best']}, by {facts['figure']}. Without an encoder:\n\n"
        + "\n".join(f"- {name}: {value:.1f}" for name, value in facts["trivial"].items())
        + (f"\n\n{_warning(facts['unbeaten'])}" if facts["unbeaten"] else "")
        + f"\n\n## Command\n\n```\n{facts['command']} -o {shlex.quote(out.name)}\n```\n"
        + f"\n## Settings\n\n```json\n{json.dumps(facts['settings'], indent=1)}\n```\n"
    )
