"""Corpora whose labels are a parser's: the folders that `lingprobe parse` writes, and what is said
of them.

Such a folder holds shards (00000.conllu.zst, and .trees.zst where the parser tells constituents),
`blocks/` with a note of each and what was excluded from it, and `parsed.json`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lingprobe.corpora.files import (
    CorpusPart,
    read_chunks,
    uncompressed_path,
)
from lingprobe.data.cache import write_text
from lingprobe.data.core import DataProblem

PARSE_FACTS_FILE, _AUDIT = "parsed.json", "audit.json"
"""Which parser annotated what stands beside it, and how often its labels are wrong."""
NOTED_LABEL_NOISE_PERCENT, MAX_LABEL_NOISE_PERCENT = 5, 16
"""Percent of wrong labels below which a task is offered plainly, and beyond which it is not unless
that is accepted: Conneau et al. (2018, Table 2) have 12 to 16.
"""


@dataclass(frozen=True, slots=True)
class AnnotationSource:
    """What annotated a folder: the parser's name and what tells it from others, and the note that
    all of that is in.
    """

    parser: str
    fingerprint: str
    note: Mapping[str, Any]
    audit: Mapping[str, Any] = field(default_factory=dict)

    def wrong(self, task: str) -> float:
        """Wrong labels of a task in percent, as an audit of the parser found; NaN without one."""
        found = self.audit.get("tasks", {}).get(task, {}).get("wrong")
        return math.nan if found is None else float(found)

    def remark(self, task: str) -> str:
        """What stands under every table of its labels."""
        wrong = self.wrong(task)
        gold = self.audit.get("tasks", {}).get(task, {}).get("gold", self.audit.get("gold", ()))
        found = (
            "lingprobe data audit-parser shows how often they are right"
            if math.isnan(wrong)
            else f"{wrong:.1f} % of them differ from those of gold trees, according to an audit on"
            f" {', '.join(gold)}; gold labels would score {100 - wrong:.1f}"
        )
        return (
            f"labels come from a parser, not from people: {self.parser} ({self.fingerprint[:8]});"
            f" {found}"
        )


def find_annotator(folder: Path) -> AnnotationSource | None:
    """What annotated the files of a folder; None where nothing says that a parser did.

    DataProblem where the note is damaged, or the folder not finished.
    """
    place = folder / PARSE_FACTS_FILE
    if not place.is_file():
        return None
    try:
        note = json.loads(place.read_text("utf-8"))
        audit = folder / _AUDIT
        kept = json.loads(audit.read_text("utf-8")) if audit.is_file() else {}
        by = note["parser"]
        found = AnnotationSource(str(by["name"]), str(by["fingerprint"]), note, kept)
        finished = bool(note.get("finished", True))
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        raise DataProblem(f"{place} is damaged, or {_AUDIT} beside it; write it again") from None
    if not finished:
        raise DataProblem(
            f"{folder} is not completely parsed; run the same `lingprobe parse` again to continue"
        )
    return found


def find_audits(paths: Iterable[Path]) -> list[Path]:
    """The audits that stand beside some files, which tables of theirs show."""
    beside = (folder / _AUDIT for folder in dict.fromkeys(path.parent for path in paths))
    return [
        path for path in beside if path.is_file() and (path.parent / PARSE_FACTS_FILE).is_file()
    ]


def keep_audit(folder: Path, audit: Mapping[str, Any]) -> None:
    """Keep an audit of its parser in a parsed corpus, beside what earlier ones on other trees told
    of other tasks; a DataProblem where it is another parser's.
    """
    found = find_annotator(folder)
    if found is None:
        raise DataProblem(
            f"{folder} was not written by `lingprobe parse`: it has no {PARSE_FACTS_FILE}"
        )
    if audit["parser"]["fingerprint"] != found.fingerprint:
        raise DataProblem(
            f"{folder} was parsed by {found.parser} ({found.fingerprint[:8]}), and this audit is"
            f" of {audit['parser']['name'] or 'an unknown parser'}"
        )
    earlier = found.audit if found.audit.get("parser") == audit["parser"] else {}
    tasks = {
        name: {"gold": each["gold"], **task}
        for each in (earlier, audit)
        for name, task in each.get("tasks", {}).items()
    }
    whole = {**audit, "tasks": tasks}
    write_text(folder / _AUDIT, json.dumps(whole, ensure_ascii=False, indent=1) + "\n")


CONFIDENCE_COMMENT = "# confidence = "


def parse_confidence(comments: Iterable[str]) -> float:
    """The confidence of a parser in a sentence, as its comments say; NaN where they do not."""
    told = (
        line.removeprefix(CONFIDENCE_COMMENT)
        for line in comments
        if line.startswith(CONFIDENCE_COMMENT)
    )
    return next(map(float, told), math.nan)


def drop_parallel_files(files: Iterable[CorpusPart]) -> list[CorpusPart]:
    """The same files without those that hold what another holds: trees in brackets beside shards
    in CoNLL-U.
    """
    listed = list(files)
    first = {_shard(part.path): part for part in reversed(listed)}
    return [part for part in listed if first[_shard(part.path)] is part]


def _shard(path: Path) -> Path:
    """What is equal for the files of a shard; other files are no shards."""
    shard = (path.parent / PARSE_FACTS_FILE).is_file()
    return uncompressed_path(path).with_suffix("") if shard else path


def list_annotators(paths: Iterable[Path]) -> list[AnnotationSource]:
    """What annotated some files, each once; what a parser did not annotate is passed over."""
    found = map(find_annotator, dict.fromkeys(path.parent for path in paths))
    return list({each.fingerprint: each for each in found if each is not None}.values())


def read_confidences(paths: Iterable[Path]) -> dict[int, float]:
    """How sure the parser was of each sentence of some shards, by the hash of its words; a trees
    file stands for the CoNLL-U beside it.
    """
    known: dict[int, float] = {}
    for path in dict.fromkeys(map(_dependencies, paths)):
        for data in read_chunks(path, b"\n\n"):
            for block in data.decode("utf-8", "replace").split("\n\n"):
                lines = block.split("\n")
                sure = parse_confidence(lines)
                if not math.isnan(sure):
                    rows = (line.split("\t", 2) for line in lines if not line.startswith("#"))
                    known[hash(tuple(row[1] for row in rows if row[0].isdigit()))] = sure
    return known


def _dependencies(path: Path) -> Path:
    """The file in CoNLL-U of a shard."""
    beside = path.parent / uncompressed_path(path).with_suffix(f".conllu{path.suffix}").name
    return beside if beside.is_file() else path
