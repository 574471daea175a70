"""Corpora whose labels are a parser's: the folders that `sonde parse` writes, and what is said of
them.

Such a folder holds shards (00000.conllu.xz, and .trees.xz where the parser tells constituents),
`blocks/` with a note of each and what was left out of it, and `parsed.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sonde.core import DataProblem

ABOUT = "parsed.json"
"""Which parser annotated what stands beside it."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What annotated a folder: the parser's name and what tells it from others, and the note that
    all of that is in.
    """

    parser: str
    fingerprint: str
    note: Mapping[str, Any]

    @property
    def remark(self) -> str:
        """What stands under every table of its labels."""
        return (
            f"labels are those of a parser, not of people: {self.parser}"
            f" ({self.fingerprint[:8]}); `sonde audit-parser` says how often they are right"
        )


def machine(folder: Path) -> Machine | None:
    """What annotated the files of a folder; None where nothing says that a parser did.

    DataProblem where the note is damaged, or the folder not finished.
    """
    place = folder / ABOUT
    if not place.is_file():
        return None
    try:
        note = json.loads(place.read_text("utf-8"))
        found = Machine(str(note["parser"]["name"]), str(note["parser"]["fingerprint"]), note)
        finished = bool(note.get("finished", True))
    except (OSError, ValueError, KeyError, TypeError):
        raise DataProblem(f"{place} is damaged; parse the text again") from None
    if not finished:
        raise DataProblem(
            f"{folder} is not parsed to its end; the same `sonde parse` goes on from there"
        )
    return found


def machines(paths: Iterable[Path]) -> list[Machine]:
    """What annotated some files, each once; what a parser did not annotate is passed over."""
    found = map(machine, dict.fromkeys(path.parent for path in paths))
    return list({each.remark: each for each in found if each is not None}.values())
