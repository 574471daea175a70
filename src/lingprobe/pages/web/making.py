"""How results were made: data, versions, a command that measures the same, whom to cite."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from lingprobe.analysis.answers import RunPredictions
from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.row import NO_CONTROL
from lingprobe.data.notes import SourceNote
from lingprobe.data.references import shorten_reference, try_parse_reference
from lingprobe.datasets.controls import CONTROLS
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.plan import STRONG_PROBE
from lingprobe.pages.web.study import ResultStudy, format_count
from lingprobe.suites.bibliography import format_bibtex, papers_of
from lingprobe.tables.table import Table, TableSection
from lingprobe.tables.web import (
    CodeBlock,
    FoldedBlock,
    LinkBlock,
    PageBlock,
    PageChapter,
    ProseBlock,
    TableSheet,
    TermBlock,
)
from lingprobe.tasks import TASKS

_METHODS = {"keyed": "hewitt-liang-2019-designing", "bits": "voita-titov-2020-information"}
_DATA = ("data", "tasks", "files", "licence")
_LICENCES = ("LICENSE.txt", "LICENSE", "LICENCE.txt", "LICENCE", "LICENSE.md")
_GUIDES = {
    "understand": "What a score shows",
    "compare": "Compare and significance",
    "paper": "What to report in a paper",
}
_UNKNOWN = "see the provenance of the data"


def make_provenance_chapter(study: ResultStudy) -> PageChapter:
    """Data, versions, command, papers."""
    blocks: list[PageBlock] = []
    if rows := tuple(_data(study.runs)):
        sheet = TableSheet(Table(_DATA, (TableSection("", rows),), frozenset(_DATA)), "Data")
        blocks.append(FoldedBlock("Data and licences", (sheet,)))
    blocks.append(FoldedBlock("Versions", (TermBlock(tuple(_versions(study.runs))),)))
    command, lost = _command(study.frame)
    if command:
        blocks.append(CodeBlock(command, "To measure the same again:"))
    if lost:
        blocks.append(
            ProseBlock(((f"Given as Python objects, so not in the command: {', '.join(lost)}."),))
        )
    if entries := format_bibtex(_papers(study)):
        blocks.append(FoldedBlock("Papers to cite", (CodeBlock(entries, "To cite:"),)))
    if address := _documentation():
        pairs = tuple((f"{address}/{page}.html", title) for page, title in _GUIDES.items())
        blocks.append(LinkBlock("In the documentation:", pairs))
    return PageChapter("making", "Provenance", tuple(blocks))


def _documentation() -> str:
    """Where the documentation is, as the package says of itself; '' where it says nothing."""
    try:
        stated = metadata("lingprobe").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    addresses = dict(each.split(", ", 1) for each in stated)
    found = addresses.get("Documentation") or addresses.get("Homepage", "")
    return found.rstrip("/") if found.startswith(("https://", "http://")) else ""


def _data(runs: Sequence[RunPredictions]) -> Iterator[tuple[str, ...]]:
    """A line for each folder that data were read from."""
    folders: dict[Path, dict[str, dict[str, None]]] = {}
    for run in runs:
        sources = run.about.notes.part(SourceNote)
        for file in sources.files if sources else ():
            mine = folders.setdefault(Path(file).parent, {"tasks": {}, "files": {}})
            parsed = try_parse_reference(run.trial.task)
            mine["tasks"][parsed.name if parsed else run.trial.task] = None
            mine["files"][Path(file).name] = None
    for folder, mine in folders.items():
        listed = (", ".join(mine[key]) for key in ("tasks", "files"))
        yield (folder.name, *listed, _licence(folder))


def _licence(folder: Path) -> str:
    """The first line of the licence that lies beside the data."""
    for name in _LICENCES:
        try:
            lines = (folder / name).read_text("utf-8", errors="replace").split("\n")
        except OSError:
            continue
        return next((line.strip() for line in lines if line.strip()), _UNKNOWN)
    return _UNKNOWN


def _versions(runs: Sequence[RunPredictions]) -> Iterator[tuple[str, str]]:
    """When, with what and on what."""
    dates = sorted(run.about.date for run in runs if run.about.date)
    if dates:
        first, last = dates[0][:10], dates[-1][:10]
        yield "Measured", first if first == last else f"{first} to {last}"
    versions: dict[str, dict[str, None]] = {}
    for run in runs:
        for name, version in run.about.versions.items():
            versions.setdefault(name, {})[version] = None
    if versions:
        yield "Versions", ", ".join(f"{n} {' and '.join(v)}" for n, v in versions.items())
    yield from (
        (label, "; ".join(values))
        for label, key in (("Processor", "processor"), ("Encoders in", "encoder"))
        if (values := _distinct(run.about.computed.get(key) for run in runs))
    )
    if commits := _distinct(run.about.commit for run in runs):
        yield "Commit", ", ".join(commits)
    yield "Results", f"{format_count(len(runs), 'fit')}, with the answer to each test example"


def _distinct(values: Iterable[str | None]) -> list[str]:
    return [value for value in dict.fromkeys(values) if value]


def _command(frame: ResultFrame) -> tuple[str, list[str]]:
    """The command that repeats the run, and what it cannot name; '' where it can name no task."""
    controls = (run.trial.control for run in frame.runs)
    named = {
        "-t": [_without_sample(task) for task in dict.fromkeys(frame.column("task"))],
        "-e": list(dict.fromkeys((frame.where(role="trained") or frame).column("encoder"))),
        "--probe": [
            name for name in _probes(frame) if name != STRONG_PROBE or not _is_strong(frame)
        ],
        "--control": [
            shorten_reference(CONTROLS, control)
            for control in dict.fromkeys(controls)
            if control != NO_CONTROL
        ],
        "--layers": [layer for layer in dict.fromkeys(frame.column("layer")) if layer != "-"],
    }
    rooms = {"-t": TASKS.places(), "-e": ENCODERS.places()}
    lost = [x for flag, room in rooms.items() for x in named[flag] if not _is_named(room, x)]
    parts = [
        f"{flag} {shlex.quote(value)}"
        for flag, values in named.items()
        for value in dict.fromkeys(values)
        if value not in lost
    ]
    parts += [f"--seeds {1 + max(frame.column('seed'))}", *_which_baselines(frame)]
    whole = [flag for flag in rooms if set(named[flag]) - set(lost)]
    return (" \\\n  ".join(["lingprobe run", *parts]) if len(whole) == 2 else ""), lost


def _probes(frame: ResultFrame) -> list[str]:
    return list(dict.fromkeys(frame.column("probe")))


def _is_strong(frame: ResultFrame) -> bool:
    """Whether baselines alone were read by a network."""
    judged = _probes(frame.where(role="trained"))
    return bool(judged) and STRONG_PROBE in {*_probes(frame)} - {*judged}


def _which_baselines(frame: ResultFrame) -> list[str]:
    """The option that says which baselines results have, where that is not the default."""
    if {*frame.column("role")} == {"trained"}:
        return ["--baselines none"]
    if _is_strong(frame):
        return ["--baselines strong"]
    own = {name for run in frame.runs for name in run.about.own_baselines}
    has_copies = any(run.trial.encoder in own for run in frame.runs)
    return ["--no-copies"] if own and not has_copies else []


def _without_sample(task: str) -> str:
    """A task's reference as it is asked for, without one sample of several."""
    parsed = try_parse_reference(task)
    return task if parsed is None else str(parsed.without("sample") if "*/" in task else parsed)


def _is_named(places: Mapping[str, str], reference: str) -> bool:
    parsed = try_parse_reference(reference)
    return parsed is not None and (parsed.name in places or "@" in parsed.name)


def _papers(study: ResultStudy) -> Iterator[str]:
    """The keys of the papers of tasks and methods."""
    for column in study.score_grid.columns:
        yield from papers_of(column.task)
    for row in study.score_grid.rows:
        yield from [_METHODS["keyed"]] if row.keyed else []
        yield from [_METHODS["bits"]] if row.bits == row.bits else []
