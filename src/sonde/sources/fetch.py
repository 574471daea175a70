"""Published files, fetched and checked: rows and checksums where they are known, and a receipt of where each file came from.

A file appears under its name when it is whole and has been checked, never before; files that are there are never written over.
"""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from sonde.cache import cache_dir
from sonde.core import DataProblem
from sonde.sources.catalogue import COLLECTIONS, Collection, Known
from sonde.sources.columns import CODES
from sonde.sources.download import NoRoom, Unreachable, Web, download
from sonde.sources.files import opened, uncompressed

RECEIPT = "fetched.json"
ARCHIVES = (".tar.gz", ".tgz", ".tar")


class Found(NamedTuple):
    """What a file is: its rows in train, dev and test (all 0 where it has none), bytes and SHA-256."""

    rows: tuple[int, int, int]
    size: int
    sha256: str


class Got(NamedTuple):
    """A file that is there now, and how it came: 'fetched' or 'there already'."""

    file: str
    how: str
    found: Found


@dataclass(frozen=True, slots=True)
class Wish:
    """What to fetch: which files (a pattern), from where (without, from the publishers) and into which folder."""

    collection: Collection
    folder: Path
    only: str = "*"
    base: str | None = None
    web: Web = field(default_factory=Web)

    def files(self) -> list[str]:
        """The files asked for."""
        found = [file for file in self.collection.files if fnmatchcase(file, self.only)]
        if not found:
            raise DataProblem(f"no file of {self.collection.name} is called {self.only!r}; it has {', '.join(self.collection.files[:12])}")
        return found

    def url(self, file: str) -> str:
        """Where a file is got."""
        return (self.base or self.collection.base).removesuffix("/") + "/" + file


def place_of(collection: Collection) -> Path:
    """Where the files of a collection are put, and looked for, where nobody says."""
    return cache_dir() / "data" / collection.name.partition("/")[0]


def fetch(wish: Wish) -> Iterator[Got]:
    """The files asked for, one by one as they are there. At the end DataProblem names those that could not be had."""
    failed: list[str] = []
    for file in wish.files():
        try:
            yield _got(wish, file)
        except Unreachable as problem:
            raise DataProblem(f"{problem}. {_by_hand(wish)}") from None
        except _Wrong as problem:
            failed.append(str(problem))
    if failed:
        raise DataProblem(f"{len(failed)} of {len(wish.files())} files could not be had: {'; '.join(failed)}. {_by_hand(wish)}")


class _Wrong(DataProblem):
    """One file that could not be had; the others are still worth trying."""


def _by_hand(wish: Wish) -> str:
    return (
        f"Get the files by hand from {wish.collection.page}, put them into {wish.folder} and run the same command, which checks them; "
        "or name a mirror with --from URL"
    )


def _got(wish: Wish, file: str) -> Got:
    target, known = wish.folder / file, wish.collection.known().get(file, Known())
    if target.exists():
        try:
            found = _checked(target, known, _receipts(wish.folder).get(file, {}).get("sha256"))
        except _Wrong as problem:
            raise _Wrong(f"{problem}; it is left as it is: move it away, or give another folder with -o") from None
        return Got(file, "there already", found)
    try:
        part = download(wish.url(file), target, wish.web)
    except (Unreachable, NoRoom):  # no other file would fare better
        raise
    except DataProblem as problem:
        raise _Wrong(str(problem)) from None
    try:
        found = _checked(part, known)
    except _Wrong as problem:
        part.unlink()
        raise _Wrong(f"{wish.url(file)}: {problem}; nothing of it was kept") from None
    if file.endswith(ARCHIVES):
        _unpack(part, wish.folder)
    part.replace(target)
    _note(wish.folder, file, {"url": wish.url(file), **found._asdict()})
    return Got(file, "fetched", found)


def _checked(path: Path, known: Known, receipt: str | None = None) -> Found:
    """What a file is, if it is what is published as far as that is known. Raises _Wrong."""
    if not path.name.removesuffix(".part").endswith(ARCHIVES):
        _check_table(path)
    found = examined(path)
    told = {
        "rows": (known.rows, found.rows),
        "bytes": (known.size, found.size),
        "SHA-256": (known.sha256 or receipt, found.sha256),
    }
    for what, (wanted, has) in told.items():
        if wanted is not None and wanted != has:
            show = "/".join(f"{n:,}" for n in has) if isinstance(has, tuple) else has
            want = "/".join(f"{n:,}" for n in wanted) if isinstance(wanted, tuple) else wanted
            raise _Wrong(f"{path.name.removesuffix('.part')} has {what} {show}, and the published file {want}")
    return found


def _check_table(path: Path) -> None:
    with opened(path) as file:
        first = file.readline(1 << 16)
    if b"\t" not in first:
        start = first[:40].decode("utf-8", "replace").strip()
        raise _Wrong(f"{path.name.removesuffix('.part')} is no table with tabs (it begins with {start!r})")


def examined(path: Path) -> Found:
    """What a file is, uncompressed; rows are those of the split that each row names, or that the file's name does."""
    total, size, rows = hashlib.sha256(), 0, dict.fromkeys(CODES, 0)
    named = uncompressed(path).name.removesuffix(".part").partition(".")[0]
    with opened(path) as file:
        for line in file:
            total.update(line)
            size += len(line)
            code = named if named in rows else line[:2].decode("latin-1")
            if code in rows and line.strip():
                rows[code] += 1
    train, dev, test = rows.values()
    return Found((train, dev, test), size, total.hexdigest())


def _unpack(archive: Path, folder: Path) -> None:
    """Put an archive's files into the folder; none that is there is written over."""
    try:
        with tarfile.open(archive) as tar:
            fresh = [member for member in tar.getmembers() if member.isfile() and not (folder / member.name).exists()]
            tar.extractall(folder, members=fresh, filter="data")
    except tarfile.TarError as error:
        archive.unlink()
        raise _Wrong(
            f"{archive.name.removesuffix('.part')} is not an archive that can be unpacked ({error}); nothing of it was kept"
        ) from None


def _receipts(folder: Path) -> dict[str, Any]:
    """What is known of where the files of a folder came from."""
    try:
        found = json.loads((folder / RECEIPT).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _note(folder: Path, file: str, receipt: dict[str, Any]) -> None:
    draft = folder / f".{RECEIPT}.{os.getpid()}"
    draft.write_text(json.dumps({**_receipts(folder), file: receipt}, indent=1), "utf-8")
    draft.replace(folder / RECEIPT)


def is_published(path: str | Path) -> bool | None:
    """Whether a file is the published one: by checksum where one is known, else by the receipt of a fetch from its publishers.

    False where rows or checksum contradict what is known, None where nothing decides.
    """
    file = Path(path).expanduser()
    parts = uncompressed(file).parts
    owners = [
        (c, name) for c in COLLECTIONS.values() for name in (*c.files, *c.inside) if parts[-len(Path(name).parts) :] == Path(name).parts
    ]
    if not owners:
        return None
    found = examined(file)
    answers = [_answer(file, owner, name, found) for owner, name in owners]
    return True if True in answers else False if False in answers else None


def _answer(file: Path, owner: Collection, name: str, found: Found) -> bool | None:
    known = owner.known().get(name, Known())
    if known.sha256 is not None:
        return known.sha256 == found.sha256
    receipt = _receipts(file.parents[len(Path(name).parts) - 1]).get(name, {})
    if receipt.get("url") == owner.base + name and receipt.get("sha256") == found.sha256:
        return True
    return False if known.rows not in (None, found.rows) else None


def all_published(paths: Sequence[Path]) -> bool | None:
    """Whether all of some files are the published ones; False where one is not, None where nothing decides."""
    answers = [is_published(path) for path in paths]
    return True if all(answers) else False if False in answers else None
