"""Where the files of a released set lie, below the folder that a user names, and the task that
reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from lingprobe.corpora.files import (
    CorpusPart,
    compressed_last,
    uncompressed_path,
)
from lingprobe.data.core import DataProblem
from lingprobe.tasks.released.family import ReleaseOptions, TaskRelease
from lingprobe.tasks.task import TaskDefinition

O = TypeVar("O", bound=ReleaseOptions)  # noqa: E741


@dataclass(frozen=True, slots=True)
class FolderLayout:
    """Where a set lies: folders, of which the first that is there counts, then the one given.

    files   the names that a file may have, with the split of its rows, '' for none; capitals and
            compression do not matter
    beside  how many of them, one after the other, are one table
    some    whether one table will do
    """

    folders: tuple[str, ...]
    files: tuple[tuple[str, tuple[str, ...]], ...]
    beside: int = 1
    some: bool = False

    def __call__(self, task: str, place: Path) -> list[CorpusPart]:
        """The files below a folder; DataProblem where one of them is not there."""
        wanted = ", ".join(names[0] for _, names in self.files)
        get = f"write {task}:FOLDER for a folder that has {wanted}"
        if not place.is_dir():
            raise DataProblem(f"no folder {str(place)!r}; {get}")
        for folder in [*self._inside(place), place]:
            listed = _find_files(folder, self.files)
            tables = [listed[i : i + self.beside] for i in range(0, len(listed), self.beside)]
            parts = [part for table in tables if None not in table for part in table if part]
            if len(parts) == len(listed) or (self.some and parts):
                return parts
            if has := ", ".join(part.path.name for part in listed if part):
                raise DataProblem(f"{str(folder)!r} has {has} alone; {get}")
        inside = " or ".join(repr(folder) for folder in self.folders)
        where = f" or in its folder {inside}" if inside else ""
        raise DataProblem(f"no {wanted} in {str(place)!r}{where}; {get}")

    def _inside(self, place: Path) -> Iterator[Path]:
        for names in self.folders:
            folder: Path | None = place
            for name in names.split("/"):
                folder = _folder(folder, name) if folder else None
            if folder:
                yield folder


def _folder(place: Path, name: str) -> Path | None:
    """The folder of that name in another, whatever its capitals."""
    named = (p for p in sorted(place.iterdir()) if p.name.casefold() == name.casefold())
    return next((p for p in named if p.is_dir()), None)


def _find_files(
    folder: Path, files: tuple[tuple[str, tuple[str, ...]], ...]
) -> list[CorpusPart | None]:
    """Some files as a folder has them, the plain one before a compressed one; None for one that it
    lacks.
    """
    here: dict[str, Path] = {}
    for path in compressed_last(folder.iterdir()):
        if path.is_file():
            here.setdefault(uncompressed_path(path).name.casefold(), path)
    named = [
        (split, next((n for n in names if n.casefold() in here), "")) for split, names in files
    ]
    return [CorpusPart(split, here[name.casefold()]) if name else None for split, name in named]


def choose_release(*releases: TaskRelease) -> Callable[[ReleaseOptions], TaskRelease]:
    """Of several layouts that a set is distributed in, the one whose files are there; the first
    where none is.
    """

    def release(options: ReleaseOptions) -> TaskRelease:
        return next((each for each in releases if _there(each, options)), releases[0])

    return release


def _there(release: TaskRelease, options: ReleaseOptions) -> bool:
    try:
        return bool(release.parts(options))
    except DataProblem:
        return False


def define_release_task(
    name: str, asks: str, options: type[O], release: Callable[[O], TaskRelease]
) -> TaskDefinition[O]:
    """The definition of a task that reads the release that its options choose."""

    def choose_release(options: O) -> TaskRelease:
        return replace(release(options), asks=asks, name=name)

    return TaskDefinition(
        name,
        asks,
        options,
        lambda options: choose_release(options).load(options),
        lambda options: choose_release(options).parts(options),
        whole=lambda options: choose_release(options).whole(options),
    )
