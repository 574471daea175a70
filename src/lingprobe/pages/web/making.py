"""How results were made: data, versions, a command that measures the same, whom to cite."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from lingprobe.analysis.row import NO_CONTROL
from lingprobe.analysis.rows import get_encoder_kind, strip_fold
from lingprobe.data.core import Result
from lingprobe.data.notes import Sources
from lingprobe.data.references import shorten_reference, try_parse_reference
from lingprobe.datasets.controls import CONTROLS
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.plan import STRONG_PROBE
from lingprobe.pages.web.study import Study, many
from lingprobe.probes import PROBES
from lingprobe.suites.bibliography import bibtex, papers_of
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

METHODS = {"keyed": "hewitt-liang-2019-designing", "bits": "voita-titov-2020-information"}
DATA = ("data", "tasks", "files", "licence")
LICENCES = ("LICENSE.txt", "LICENSE", "LICENCE.txt", "LICENCE", "LICENSE.md")
GUIDES = {
    "understand": "What a score shows",
    "compare": "Compare and significance",
    "paper": "What to report in a paper",
}
UNKNOWN = "see the provenance of the data"


def making(study: Study) -> PageChapter:
    """Data, versions, command, papers."""
    blocks: list[PageBlock] = []
    if rows := tuple(_data(study.results)):
        sheet = TableSheet(Table(DATA, (TableSection("", rows),), frozenset(DATA)), "Data")
        blocks.append(FoldedBlock("Data and licences", (sheet,)))
    blocks.append(FoldedBlock("Versions", (TermBlock(tuple(_versions(study.results))),)))
    command, lost = _command(study.results)
    if command:
        blocks.append(CodeBlock(command, "To measure the same again:"))
    if lost:
        blocks.append(
            ProseBlock(((f"Given as Python objects, so not in the command: {', '.join(lost)}."),))
        )
    if entries := bibtex(_papers(study)):
        blocks.append(FoldedBlock("Papers to cite", (CodeBlock(entries, "To cite:"),)))
    if address := _documentation():
        pairs = tuple((f"{address}/{page}.html", title) for page, title in GUIDES.items())
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


def _data(results: Sequence[Result]) -> Iterator[tuple[str, ...]]:
    """A line for each folder that data were read from."""
    folders: dict[Path, dict[str, dict[str, None]]] = {}
    for result in results:
        sources = result.provenance.notes.part(Sources)
        for file in sources.files if sources else ():
            mine = folders.setdefault(Path(file).parent, {"tasks": {}, "files": {}})
            parsed = try_parse_reference(result.trial.task)
            mine["tasks"][parsed.name if parsed else result.trial.task] = None
            mine["files"][Path(file).name] = None
    for folder, mine in folders.items():
        listed = (", ".join(mine[key]) for key in ("tasks", "files"))
        yield (folder.name, *listed, _licence(folder))


def _licence(folder: Path) -> str:
    """The first line of the licence that lies beside the data."""
    for name in LICENCES:
        try:
            lines = (folder / name).read_text("utf-8", errors="replace").split("\n")
        except OSError:
            continue
        return next((line.strip() for line in lines if line.strip()), UNKNOWN)
    return UNKNOWN


def _versions(results: Sequence[Result]) -> Iterator[tuple[str, str]]:
    """When, with what and on what."""
    dates = sorted(r.provenance.date for r in results if r.provenance.date)
    if dates:
        first, last = dates[0][:10], dates[-1][:10]
        yield "Measured", first if first == last else f"{first} to {last}"
    versions: dict[str, dict[str, None]] = {}
    for result in results:
        for name, version in result.provenance.versions.items():
            versions.setdefault(name, {})[version] = None
    if versions:
        yield "Versions", ", ".join(f"{n} {' and '.join(v)}" for n, v in versions.items())
    yield from (
        (label, "; ".join(values))
        for label, key in (("Processor", "processor"), ("Encoders in", "encoder"))
        if (values := _distinct(r.provenance.computed.get(key) for r in results))
    )
    if commits := _distinct(r.provenance.commit for r in results):
        yield "Commit", ", ".join(commits)
    yield "Results", f"{many(len(results), 'fit')}, with the answer to each test example"


def _distinct(values: Iterable[str | None]) -> list[str]:
    return [value for value in dict.fromkeys(values) if value]


def _command(results: Sequence[Result]) -> tuple[str, list[str]]:
    """The command that measures the same, and what it cannot name; '' where it can name no task."""
    trials = [r.trial for r in results]
    tasks = dict.fromkeys(shorten_reference(TASKS, strip_fold(trial.task)) for trial in trials)
    judged = [r.trial.encoder for r in results if get_encoder_kind(r) == "trained"]
    encoders = dict.fromkeys(
        shorten_reference(ENCODERS, e) for e in judged or (t.encoder for t in trials)
    )
    named = {
        "-t": [_without_sample(task) for task in tasks],
        "-e": list(encoders),
        "--probe": [
            name for name in _probes(results) if name != STRONG_PROBE or not _is_strong(results)
        ],
        "--control": [
            shorten_reference(CONTROLS, control)
            for control in dict.fromkeys(trial.control for trial in trials)
            if control != NO_CONTROL
        ],
        "--layers": [read for read in dict.fromkeys(t.read for t in trials) if read != "-"],
    }
    rooms = {"-t": TASKS.places(), "-e": ENCODERS.places()}
    lost = [x for flag, room in rooms.items() for x in named[flag] if not _is_named(room, x)]
    parts = [
        f"{flag} {shlex.quote(value)}"
        for flag, values in named.items()
        for value in dict.fromkeys(values)
        if value not in lost
    ]
    parts += [f"--seeds {1 + max(trial.seed for trial in trials)}", *_which_baselines(results)]
    whole = [flag for flag in rooms if set(named[flag]) - set(lost)]
    return (" \\\n  ".join(["lingprobe run", *parts]) if len(whole) == 2 else ""), lost


def _probes(results: Iterable[Result]) -> list[str]:
    return [
        shorten_reference(PROBES, each) for each in dict.fromkeys(r.trial.probe for r in results)
    ]


def _is_strong(results: Sequence[Result]) -> bool:
    """Whether baselines alone were read by a network."""
    judged = _probes(r for r in results if get_encoder_kind(r) == "trained")
    return bool(judged) and STRONG_PROBE in {*_probes(results)} - {*judged}


def _which_baselines(results: Sequence[Result]) -> list[str]:
    """The option that says which baselines results have, where that is not the default."""
    if all(get_encoder_kind(result) == "trained" for result in results):
        return ["--baselines none"]
    if _is_strong(results):
        return ["--baselines strong"]
    own = {name for result in results for name in result.provenance.own_baselines}
    has_copies = any(result.trial.encoder in own for result in results)
    return ["--no-copies"] if own and not has_copies else []


def _without_sample(task: str) -> str:
    """A task's reference as it is asked for, without one sample of several."""
    parsed = try_parse_reference(task)
    return task if parsed is None else str(parsed.without("sample") if "*/" in task else parsed)


def _is_named(places: Mapping[str, str], reference: str) -> bool:
    parsed = try_parse_reference(reference)
    return parsed is not None and (parsed.name in places or "@" in parsed.name)


def _papers(study: Study) -> Iterator[str]:
    """The keys of the papers of tasks and methods."""
    for column in study.score_grid.columns:
        yield from papers_of(column.task)
    for row in study.score_grid.rows:
        yield from [METHODS["keyed"]] if row.keyed else []
        yield from [METHODS["bits"]] if row.bits == row.bits else []
