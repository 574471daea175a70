"""What was asked, and of whom."""

from __future__ import annotations

from collections.abc import Sequence

from lingprobe.analysis.frame import FrameRow
from lingprobe.analysis.row import CONSTANT_ENCODER, NO_CONTROL, said_of
from lingprobe.data.oracles import Kind
from lingprobe.datasets.controls import CONTROLS
from lingprobe.encoders import ENCODERS
from lingprobe.pages.captions import kind_rules
from lingprobe.pages.descriptions import describe_reference
from lingprobe.pages.groups import shared_options
from lingprobe.pages.web.study import ResultStudy
from lingprobe.probes import PROBES
from lingprobe.suites.bibliography import PAPER_NAMES, papers_of
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)
from lingprobe.tables.web import (
    FoldedBlock,
    PageChapter,
    TableSheet,
    TermBlock,
)

_TASKS = ("task", "question", "classes", "train", "test", "constant answer", "paper")
_ENCODED = ("encoder", "role", "what it is", "reference", "read")
ROLE_NOUNS: dict[Kind, str] = {"trained": "encoder", "baseline": "baseline", "oracle": "oracle"}


def tasks_chapter(study: ResultStudy) -> PageChapter:
    """Tasks, encoders, probes, and how often what was measured."""
    tasks = Table(
        _TASKS, (TableSection("", _tasks(study)),), frozenset({"task", "question", "paper"})
    )
    return PageChapter(
        "asked",
        "Tasks and encoders",
        (
            FoldedBlock("Tasks", (TableSheet(tasks, "Tasks"),)),
            FoldedBlock(
                "Encoders, baselines and oracles", (TableSheet(_encoders(study), "Encoders"),)
            ),
            FoldedBlock("Probes, metrics and controls", (TermBlock(tuple(_setup_terms(study))),)),
        ),
    )


def _tasks(study: ResultStudy) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            study.score_grid.full_name(column),
            study.question(column.task),
            f"{row.classes:,}" if row.classes else "–",
            f"{row.train:,}",
            f"{row.n:,}",
            format_number(row.majority),
            ", ".join(PAPER_NAMES[key] for key in papers_of(column.task)[:1]),
        )
        for column in study.score_grid.columns
        for row in [study.firsts[column.task]]
    )


def _encoders(study: ResultStudy) -> Table:
    """The encoders with what was read of each; oracles that share a line of the table of scores
    stand apart here.
    """
    told: dict[tuple[str, str, str, str], dict[str, FrameRow]] = {}
    for line in study.whole_grid.lines:
        for row in line.cells.values():
            what = row.holds if line.kind == "oracle" else describe_reference(ENCODERS, row.encoder)
            name = study.score_grid.names.get(row.encoder, row.encoder)
            read = said_of(row.layer).removeprefix(", ")
            known = name, ROLE_NOUNS[line.kind], what, row.encoder
            told.setdefault(known, {}).setdefault(read, row)
    rules = kind_rules([next(iter(reads.values())) for reads in told.values()])
    rows = tuple(
        (name, role, what[:1].upper() + what[1:], reference, "; ".join(filter(None, reads)))
        for (name, role, what, reference), reads in told.items()
    )
    kept = 5 if study.whole_grid.has_layers else 4
    section = TableSection("", tuple(row[:kept] for row in rows), rules=rules)
    return Table(_ENCODED[:kept], (section,), frozenset(_ENCODED))


def _setup_terms(study: ResultStudy) -> list[tuple[str, str]]:
    """How the tasks were put to the encoders."""
    every = study.score_grid.rows
    plain = [row for row in every if row.control == NO_CONTROL] or every
    probes = dict.fromkeys(row.probe for row in plain)
    seeds = sorted({row.seeds for row in plain if row.encoder != CONSTANT_ENCODER})
    metrics = dict.fromkeys(row.metric for row in plain)
    pairs = [(f"Probe {name}", describe_reference(PROBES, name)) for name in probes]
    many = " to ".join(map(str, dict.fromkeys((seeds[0], seeds[-1]))))
    pairs.append(("Fits", f"{many} a score: {_describe_seeds(plain)}"))
    pairs.append(("Scores", f"{', '.join(metrics)}, times 100, on test examples."))
    for control in study.score_grid.controls:
        name = control.partition(",")[0].partition(":")[0]
        pairs.append((f"Control {control}", describe_reference(CONTROLS, name)))
    if shared := shared_options([column.task for column in study.score_grid.columns]):
        pairs.append(("All tasks", ", ".join(f"{key}={value}" for key, value in shared)))
    return pairs


def _describe_seeds(plain: Sequence[FrameRow]) -> str:
    if not any(row.is_seeded for row in plain):
        return "the probe has no random start, so one is enough."
    if max(row.seeds for row in plain) == 1:
        return "from one random start."
    return "means over random starts, and over samples if a task has several."
