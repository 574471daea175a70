"""Published files, fetched and checked: rows and checksums where they are known, and a receipt of
where each file came from.

A file appears under its name when it is whole and has been checked, never before; files that are
there are never written over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.data.cache import FileProblem, cache_dir, format_bytes, write_text
from lingprobe.data.core import DataProblem
from lingprobe.store.claims import hold_claim
from lingprobe.tasks.released.archives import ARCHIVE_SUFFIXES, unpack_archive
from lingprobe.tasks.released.catalogue import Collection, KnownFile
from lingprobe.tasks.released.content import FileContent, WrongContent, check_file
from lingprobe.tasks.released.download import (
    MAX_DOWNLOAD_BYTES,
    NoRoom,
    UnreachableServer,
    WebDownloader,
    download_file,
)
from lingprobe.tasks.released.receipts import RECEIPT_FILE, read_receipts

_MARGIN = 1 << 20


class FetchedFile(NamedTuple):
    """A file that is there now, how it came ('fetched' or 'there already'), and whether its
    publishers' checksum was there to compare; otherwise that of the first download is.
    """

    file: str
    how: str
    content: FileContent
    published: bool = False

    def __str__(self) -> str:
        rows = "/".join(f"{n:,}" for n in self.content.rows) + " rows, "
        which = "as published" if self.published else "recorded here, because none was published"
        return (
            f"{self.file}: {self.how}, {rows if any(self.content.rows) else ''}"
            f"{self.content.size:,} bytes, sha256 {self.content.sha256} ({which})"
        )


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """What to fetch: which files (a pattern), from where (without, from the mirror that
    LINGPROBE_MIRROR names, or the publishers) and into which folder.
    """

    collection: Collection
    folder: Path
    only: str = "*"
    base: str | None = None
    web: WebDownloader = field(default_factory=WebDownloader)

    def files(self) -> list[str]:
        """The files asked for."""
        names = [file for file in self.collection.files if fnmatchcase(file, self.only)]
        if not names:
            raise DataProblem(
                f"no file of {self.collection.name} is called {self.only!r}; it has"
                f" {', '.join(self.collection.files[:12])}"
            )
        return names

    @property
    def source(self) -> str:
        """The folder on the web that files are got from."""
        base = self.base or mirror_base(self.collection) or self.collection.base
        return base.removesuffix("/") + "/"

    def url(self, file: str) -> str:
        """Where a file is got."""
        return self.source + file

    def __str__(self) -> str:
        files, facts = self.files(), self.collection.known_files()
        sizes = [known.size for file in files if (known := facts.get(file)) is not None]
        whole = [n for n in sizes if n is not None]
        total = f", {format_bytes(sum(whole))}" if len(whole) == len(files) else ""
        unseen = self.source == self.collection.base and not self.collection.reached
        return (
            f"{self.collection.name}: {len(files)} file{'s' * (len(files) > 1)}{total},"
            f" {self.collection.terms}, from {self.source}{' (download not tested)' * unseen}"
        )


def mirror_base(collection: Collection) -> str:
    """Where a mirror has a collection, if LINGPROBE_MIRROR names one: it is laid out as the folder
    `data` of a cache.
    """
    mirror = os.environ.get("LINGPROBE_MIRROR")
    return f"{mirror.removesuffix('/')}/{collection.home}" if mirror else ""


def place_of(collection: Collection) -> Path:
    """The folder of a collection where no argument names one: where `lingprobe fetch` downloads
    it.
    """
    return cache_dir() / "data" / collection.home


def fetch_files(wish: FetchRequest) -> Iterator[FetchedFile]:
    """The files asked for, one by one as they are there. At the end DataProblem names those that
    could not be had.
    """
    failed: list[str] = []
    for file in wish.files():
        try:
            yield _find_or_fetch(wish, file)
        except UnreachableServer as problem:
            raise DataProblem(f"{problem}. {_by_hand(wish)}") from None
        except WrongContent as problem:
            failed.append(str(problem))
    if failed:
        raise DataProblem(
            f"{len(failed)} of {len(wish.files())} files could not be downloaded:"
            f" {'; '.join(failed)}. {_by_hand(wish)}"
        )


def _by_hand(wish: FetchRequest) -> str:
    return (
        f"Get the files by hand from {wish.collection.page}, put them into {wish.folder} and run"
        " the same command, which checks them; or name a mirror with --from URL"
    )


def _find_or_fetch(wish: FetchRequest, file: str) -> FetchedFile:
    with hold_claim(
        wish.folder / file
    ):  # another fetch may be at it, whose file will be there then
        return _there(wish, file) if (wish.folder / file).exists() else _fetch_file(wish, file)


def _there(wish: FetchRequest, file: str) -> FetchedFile:
    """A file that exists already is checked, and never overwritten."""
    target = wish.folder / file
    try:
        got = _check_file(wish, file, target, "there already")
    except WrongContent as problem:
        raise WrongContent(
            f"{problem}; it is left as it is: move it away, or give another folder with -o"
        ) from None
    if file.endswith(ARCHIVE_SUFFIXES):
        _unpack(target, file, wish.folder)
    return got


def _fetch_file(wish: FetchRequest, file: str) -> FetchedFile:
    """Download a file, check it, and write its receipt."""
    target = wish.folder / file
    try:
        part = download_file(wish.url(file), target, wish.web, _most(wish, file))
    except (UnreachableServer, NoRoom):  # no other file would fare better
        raise
    except DataProblem as problem:
        raise WrongContent(str(problem)) from None
    try:
        got = _check_file(wish, file, part, "fetched")
    except WrongContent as problem:
        part.unlink()
        raise WrongContent(f"{wish.url(file)}: {problem}; nothing of it was kept") from None
    part.replace(target)
    _write_receipt(wish.folder, file, {"url": wish.url(file), **got.content._asdict()})
    if file.endswith(ARCHIVE_SUFFIXES):
        _unpack(target, file, wish.folder)
    return got


def _most(wish: FetchRequest, file: str) -> int:
    """How many bytes a file may have, with a margin for what is published of it unpacked."""
    published = wish.collection.known_files().get(file, KnownFile()).size
    return MAX_DOWNLOAD_BYTES if published is None else published + _MARGIN


def _check_file(wish: FetchRequest, file: str, path: Path, how: str) -> FetchedFile:
    """A file with what it is, if it is what is published, or what was fetched before. Raises
    WrongContent.
    """
    known = wish.collection.known_files().get(file, KnownFile())
    before = read_receipts(wish.folder).get(file, {}).get("sha256")
    content = check_file(path, file, wish.collection.kind, known, before)
    return FetchedFile(file, how, content, bool(known.sha256 or known.blob))


def _unpack(archive: Path, file: str, folder: Path) -> None:
    """Put an archive's files into the folder; none that is there is written over, and one that
    differs is told.
    """
    try:
        differing = unpack_archive(archive, folder)
    except FileProblem as problem:
        raise NoRoom(f"{problem}, and the same command resumes") from None
    if differing:
        more = f" and {len(differing) - 1:,} more" if len(differing) > 1 else ""
        raise WrongContent(
            f"{differing[0]}{more} of {file} were there already and differ; they are left as they"
            " are: move them away"
        )


def _write_receipt(folder: Path, file: str, receipt: dict[str, Any]) -> None:
    """Write a receipt of a download beside the file."""
    with hold_claim(folder / RECEIPT_FILE):
        write_text(
            folder / RECEIPT_FILE, json.dumps({**read_receipts(folder), file: receipt}, indent=1)
        )
