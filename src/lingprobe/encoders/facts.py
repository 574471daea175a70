"""What a folder that `lingprobe train` wrote says of the encoder in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lingprobe.data.core import DataProblem

ENCODER_FACTS_FILE, _FORMAT = "model.json", 2


def read_training_facts(folder: Path) -> dict[str, Any]:
    """What a folder says of the encoder in it; DataProblem where it holds none."""
    if not folder.is_dir():
        raise DataProblem(
            f"no folder {str(folder)!r} (an encoder made by `lingprobe train`); train one with"
            f" `lingprobe train ... -o {folder}`"
        )
    try:
        facts = json.loads((folder / ENCODER_FACTS_FILE).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict) or "format" not in facts:
        raise DataProblem(
            f"{folder} does not contain an encoder made by `lingprobe train`: it has no readable"
            f" {ENCODER_FACTS_FILE}"
        )
    if facts["format"] != _FORMAT:
        raise DataProblem(
            f"{folder} was trained by another version of lingprobe, whose folders are not read any"
            f" more (format {facts['format']}, not {_FORMAT}); train it again"
        )
    return facts


def facts_or_none(folder: str) -> Mapping[str, Any] | None:
    """What the folder of a trained encoder says of it; None where it is not there any more."""
    try:
        return read_training_facts(Path(folder).expanduser())
    except DataProblem:
        return None
