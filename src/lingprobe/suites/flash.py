"""`flash`: small sets of many families and languages, each in a public and in a reserve draw.
`flash.tsv` has the sets, `flash-files.tsv` the files; docs/design/flash.md says how they were made.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import Annotated, Literal, NamedTuple

from lingprobe.data.core import Result
from lingprobe.data.digests import checksum_file
from lingprobe.data.options import Help
from lingprobe.data.records import records
from lingprobe.data.references import Reference
from lingprobe.suites.facts import Entry, PaperTable
from lingprobe.suites.reserve import reserve_table
from lingprobe.suites.suite import Column, Floor, Suite
from lingprobe.tables.table import Table
from lingprobe.tasks import TASKS
from lingprobe.tasks.baselines import RANDOM_BAG, word_by_word
from lingprobe.tasks.table import Table as TableTask

Version = Literal[1, 2]
FIRST: Version = 1
SETS = Path(__file__).with_suffix(".tsv")
FILES = Path(__file__).with_name("flash-files.tsv")
DRAWS = ("public", "reserve")
FLOOR = Floor("Random bag", word_by_word(RANDOM_BAG))
Said = Literal["yes", "no", "unknown"]


class Set(NamedTuple):
    """A set of the suite: its folder in either draw, the column's title, what it was built from,
    and how it is read.

    reads     the name of the task that reads the folder, with what the files do not say of it
    versions  of the suite that have it
    """

    name: str
    column: str
    language: str
    treebank: str
    licence: str
    task: str
    probe: str
    reads: str
    versions: str


class File(NamedTuple):
    """A file of the suite: its path below the folder, examples, bytes and SHA-256."""

    path: str
    examples: int
    size: int
    sha256: str


def flash(
    folder: Annotated[
        str | None,
        Help("with `public` and `reserve`, as published"),
    ] = None,
    *,
    version: Annotated[
        Version,
        Help("2 has a set of `tree/` in place of the English pairs"),
    ] = FIRST,
    trained_on_ud: Annotated[
        Said,
        Help("whether the encoders were trained on treebanks of Universal Dependencies"),
    ] = "unknown",
    trained_on_source: Annotated[
        Said,
        Help("whether they were trained on the texts that these annotate"),
    ] = "unknown",
) -> Suite:
    """Small sets of many families and languages in two draws, public and reserve, for one score in
    minutes (docs/design/flash.md); no paper's table.
    """
    sets = read_flash_sets(version)
    languages = {each.language for each in sets}
    runs = tuple(_run(folder, draw, each) for draw in DRAWS for each in sets)
    return Suite(
        "flash",
        PaperTable(
            f"flash {version}: {len(sets)} sets in {len(languages)} languages",
            tuple(each.column for each in sets),
            (),
            apart=frozenset({FLOOR.name}),
        ),
        tuple(Column(each.name, each.probe) for each in sets),
        tuple({each.reads.partition(",")[0].rpartition("/")[0] for each in sets}),
        None if folder is None else runs,
        "write flash:FOLDER for the folder that has public and reserve",
        floors=(FLOOR,),
        different=_different,
        task_of=lambda reference: PurePath(reference.argument or "").name,
        data_of=lambda reference: PurePath(reference.argument or "").parent.name,
        beside=partial(_beside, trained_on_ud, trained_on_source),
    )


def read_flash_sets(version: Version | None = None) -> list[Set]:
    """The sets of a version, in the order of its columns; of all without one."""
    every = [Set(*cells) for _, cells in records(SETS)[1]]
    return [each for each in every if version is None or str(version) in each.versions.split()]


def read_files() -> list[File]:
    """The files of both draws, of all versions."""
    return [
        File(path, int(examples), int(size), sha256)
        for _, (path, examples, size, sha256) in records(FILES)[1]
    ]


def _run(folder: str | None, draw: str, each: Set) -> Reference | None:
    """The task of a set in one draw; None where it has no folder."""
    place = Path(folder or "").expanduser() / draw / each.name
    if not place.is_dir():
        return None
    reads = Reference.parse(each.reads)
    return Reference(reads.name, str(place), reads.options)


def _different(reference: Reference, result: Result) -> str:
    """Why a result is not over the published files; '' where it is, as their hashes say."""
    place = Path(reference.argument or "").expanduser()
    mine = f"{place.parent.name}/{place.name}/"
    known = [file for file in read_files() if file.path.startswith(mine)]
    if not known:
        return f"flash has no set {mine}"
    unlike = [file.path for file in known if not _is_published(place.parents[1], file)]
    if unlike:
        return f"not as in the manifest of flash: {', '.join(unlike)}"
    reads = next(
        Reference.parse(each.reads) for each in read_flash_sets() if each.name == place.name
    )
    meant = Reference(reads.name, reference.argument, reads.options)
    if TASKS.canonical(str(meant)) != TASKS.canonical(str(reference)):
        return f"read otherwise than by {reads}"
    task = TASKS.make(reference)
    measured = result.provenance.identity("task", result.trial.task)
    if isinstance(task, TableTask) and task.fingerprint not in measured:
        return "the files were changed since they were measured"
    return ""


def _is_published(folder: Path, file: File) -> bool:
    path = folder / file.path
    return path.is_file() and checksum_file(path) == file.sha256


def _beside(ud: Said, source: Said, entries: Sequence[Entry]) -> Sequence[Table]:
    """Both draws beside each other, with what is said of the training of the encoders."""
    said = (
        f"Trained on Universal Dependencies: {ud}; on the texts that these annotate: {source}."
        " (flash:FOLDER,trained_on_ud=no,trained_on_source=no says so.)"
    )
    return (reserve_table(entries, DRAWS, FLOOR.name, said),) if entries else ()
