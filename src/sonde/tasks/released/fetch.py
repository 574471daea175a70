"""Published files, fetched and checked: rows and checksums where they are known, and a receipt of
where each file came from.

A file appears under its name when it is whole and has been checked, never before; files that are
there are never written over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from sonde.cache import FileProblem, cache_dir, write_text
from sonde.core import DataProblem
from sonde.corpora.columns import CODES
from sonde.corpora.files import pieces, uncompressed
from sonde.store.claims import alone
from sonde.tasks.released.catalogue import COLLECTIONS, Collection, Known
from sonde.tasks.released.download import SUFFIXES as ARCHIVES
from sonde.tasks.released.download import NoRoom, Unreachable, Web, download, unpack, unsound

RECEIPT = "fetched.json"


class Content(NamedTuple):
    """What a file is: its rows in train, dev and test (all 0 where it has none), bytes and
    SHA-256.
    """

    rows: tuple[int, int, int]
    size: int
    sha256: str


class Got(NamedTuple):
    """A file that is there now, and how it came: 'fetched' or 'there already'."""

    file: str
    how: str
    content: Content

    def __str__(self) -> str:
        rows = "/".join(f"{n:,}" for n in self.content.rows)
        return (
            f"{self.file}: {self.how}, {rows} rows, {self.content.size:,} bytes, sha256"
            f" {self.content.sha256}"
        )


@dataclass(frozen=True, slots=True)
class Wish:
    """What to fetch: which files (a pattern), from where (without, from the publishers) and into
    which folder.
    """

    collection: Collection
    folder: Path
    only: str = "*"
    base: str | None = None
    web: Web = field(default_factory=Web)

    def files(self) -> list[str]:
        """The files asked for."""
        names = [file for file in self.collection.files if fnmatchcase(file, self.only)]
        if not names:
            raise DataProblem(
                f"no file of {self.collection.name} is called {self.only!r}; it has"
                f" {', '.join(self.collection.files[:12])}"
            )
        return names

    def url(self, file: str) -> str:
        """Where a file is got."""
        return (self.base or self.collection.base).removesuffix("/") + "/" + file


def place_of(collection: Collection) -> Path:
    """Where the files of a collection are put, and looked for, where nobody says."""
    return cache_dir() / "data" / collection.name.partition("/")[0]


def fetch(wish: Wish) -> Iterator[Got]:
    """The files asked for, one by one as they are there. At the end DataProblem names those that
    could not be had.
    """
    failed: list[str] = []
    for file in wish.files():
        try:
            yield _delivered(wish, file)
        except Unreachable as problem:
            raise DataProblem(f"{problem}. {_by_hand(wish)}") from None
        except _Wrong as problem:
            failed.append(str(problem))
    if failed:
        raise DataProblem(
            f"{len(failed)} of {len(wish.files())} files could not be had: {'; '.join(failed)}."
            f" {_by_hand(wish)}"
        )


class _Wrong(DataProblem):
    """One file that could not be had; the others are still worth trying."""


def _by_hand(wish: Wish) -> str:
    return (
        f"Get the files by hand from {wish.collection.page}, put them into {wish.folder} and run"
        " the same command, which checks them; or name a mirror with --from URL"
    )


def _delivered(wish: Wish, file: str) -> Got:
    with alone(wish.folder / file):  # another fetch may be at it, whose file will be there then
        return _there(wish, file) if (wish.folder / file).exists() else _fetched(wish, file)


def _there(wish: Wish, file: str) -> Got:
    target, receipt = wish.folder / file, _receipts(wish.folder).get(file, {})
    try:
        content = _checked(
            target, file, wish.collection.known().get(file, Known()), receipt.get("sha256")
        )
    except _Wrong as problem:
        raise _Wrong(
            f"{problem}; it is left as it is: move it away, or give another folder with -o"
        ) from None
    if file.endswith(ARCHIVES):
        _unpack(target, file, wish.folder)
    return Got(file, "there already", content)


def _fetched(wish: Wish, file: str) -> Got:
    target, known = wish.folder / file, wish.collection.known().get(file, Known())
    try:
        part = download(wish.url(file), target, wish.web)
    except (Unreachable, NoRoom):  # no other file would fare better
        raise
    except DataProblem as problem:
        raise _Wrong(str(problem)) from None
    try:
        content = _checked(part, file, known)
    except _Wrong as problem:
        part.unlink()
        raise _Wrong(f"{wish.url(file)}: {problem}; nothing of it was kept") from None
    part.replace(target)
    _note(wish.folder, file, {"url": wish.url(file), **content._asdict()})
    if file.endswith(ARCHIVES):
        _unpack(target, file, wish.folder)
    return Got(file, "fetched", content)


def _checked(path: Path, file: str, known: Known, receipt: str | None = None) -> Content:
    """What a file of that name is, if it is what is published as far as that is known. Raises
    _Wrong.
    """
    try:
        content = examined(path, file)
        if not file.endswith(ARCHIVES):
            _check_table(path, file, content)
        elif problem := unsound(path):
            raise _Wrong(f"{file} {problem}")
    except _Wrong:
        raise
    except DataProblem as problem:  # packed, and damaged
        raise _Wrong(str(problem)) from None
    compared = {
        "rows": (known.rows, content.rows),
        "bytes": (known.size, content.size),
        "SHA-256": (known.sha256 or receipt, content.sha256),
    }
    for what, (wanted, has) in compared.items():
        if wanted is not None and wanted != has:
            show = "/".join(f"{n:,}" for n in has) if isinstance(has, tuple) else has
            want = "/".join(f"{n:,}" for n in wanted) if isinstance(wanted, tuple) else wanted
            raise _Wrong(f"{file} has {what} {show}, and the published file {want}")
    return content


def _check_table(path: Path, file: str, content: Content) -> None:
    first = next(pieces(path, file), b"")[: 1 << 16]
    shown = first.strip().split(b"\n", 1)[0][:40].decode("utf-8", "replace").strip()
    if first.lstrip()[:9].lower().startswith((b"<!doctype", b"<html")):
        raise _Wrong(f"{file} is a web page and no table (it begins with {shown!r})")
    if b"\t" not in first.split(b"\n", 1)[0]:
        raise _Wrong(f"{file} is no table with tabs (it begins with {shown!r})")
    if not any(content.rows):
        raise _Wrong(f"{file} has no rows of train, dev or test")


def examined(path: Path, file: str | None = None) -> Content:
    """What a file is, uncompressed, or an archive as it was packed; rows are those of the split
    that each row names, or the file's name.

    `file` is what it is called, where `path` is of a part. Raises DataProblem for damage.
    """
    name = file or path.name
    packed = name.endswith(ARCHIVES)
    total, size, rows = hashlib.sha256(), 0, dict.fromkeys(CODES, 0)
    named = uncompressed(Path(name)).name.partition(".")[0]
    rest = b""
    for piece in pieces(path, "" if packed else name):
        total.update(piece)
        size += len(piece)
        *lines, rest = (rest + piece).split(b"\n") if not packed else [b""]
        for line in lines:
            _count(line, named, rows)
        rest = rest[:1024]  # all that counts of a line is how it begins
    _count(rest, named, rows)
    train, dev, test = rows.values()
    return Content((train, dev, test), size, total.hexdigest())


def _count(line: bytes, named: str, rows: dict[str, int]) -> None:
    code = named if named in rows else line[:2].decode("latin-1")
    if code in rows and line.strip():
        rows[code] += 1


def _unpack(archive: Path, file: str, folder: Path) -> None:
    """Put an archive's files into the folder; none that is there is written over, and one that
    differs is told.
    """
    try:
        differing = unpack(archive, folder)
    except FileProblem as problem:
        raise NoRoom(f"{problem}, and the same command goes on from there") from None
    if differing:
        more = f" and {len(differing) - 1:,} more" if len(differing) > 1 else ""
        raise _Wrong(
            f"{differing[0]}{more} of {file} were there already and differ; they are left as they"
            " are: move them away"
        )


def _receipts(folder: Path) -> dict[str, Any]:
    """What is known of where the files of a folder came from."""
    try:
        receipts = json.loads((folder / RECEIPT).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return receipts if isinstance(receipts, dict) else {}


def _note(folder: Path, file: str, receipt: dict[str, Any]) -> None:
    with alone(folder / RECEIPT):
        write_text(folder / RECEIPT, json.dumps({**_receipts(folder), file: receipt}, indent=1))


def is_published(path: str | Path) -> bool | None:
    """Whether a file is the published one: by checksum where one is known, else by the receipt of a
    fetch from its publishers.

    False where rows or checksum contradict what is known, None where nothing decides.
    """
    file = Path(path).expanduser()
    parts = uncompressed(file).parts
    owners = [
        (c, name)
        for c in COLLECTIONS.values()
        for name in (*c.files, *c.inside)
        if parts[-len(Path(name).parts) :] == Path(name).parts
    ]
    if not owners:
        return None
    content = examined(file)
    answers = [_answer(file, owner, name, content) for owner, name in owners]
    return True if True in answers else False if False in answers else None


def _answer(file: Path, owner: Collection, name: str, content: Content) -> bool | None:
    known = owner.known().get(name, Known())
    if known.sha256 is not None:
        return known.sha256 == content.sha256
    receipt = _receipts(file.parents[len(Path(name).parts) - 1]).get(name, {})
    if receipt.get("url") == owner.base + name and receipt.get("sha256") == content.sha256:
        return True
    return False if known.rows not in (None, content.rows) else None


def all_published(paths: Sequence[Path]) -> bool | None:
    """Whether all of some files are the published ones; False where one is not, None where nothing
    decides.
    """
    answers = [is_published(path) for path in paths]
    return True if all(answers) else False if False in answers else None
