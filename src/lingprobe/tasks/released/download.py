"""Files over HTTP, in parts that a later try goes on from, and archives, unpacked whole or not at
all.

A file is at its place only when it is whole. A server that cannot send the rest of a file sends it
anew. What fails for a moment is tried again, what fails for good is said at once. pooch has
checksums and tries again, too, but begins every file anew, which over a slow line may never end;
so this is our own.
"""

from __future__ import annotations

import gzip
import http.client
import lzma
import re
import shutil
import socket
import tarfile
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from lingprobe.cache import draft
from lingprobe.core import DataProblem
from lingprobe.errors import LingprobeError

TRIES = 4
TIMEOUT = 15.0  # seconds without an answer
CHUNK = 1 << 16
PASSING = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}


class Unreachable(DataProblem):
    """Nothing came from a server, or it stopped before the end."""


class NoRoom(DataProblem):
    """A file could not be written."""


class _Cut(LingprobeError):
    """An answer that ended early, or that does not fit the part that is there."""


@dataclass(frozen=True, slots=True)
class Web:
    """How files are got: what is told of every step (bytes that came; bytes that have to be got
    anew are negative), how to wait.
    """

    step: Callable[[int], object] = int
    pause: Callable[[float], object] = time.sleep


def part_of(target: Path) -> Path:
    """Where a file is gathered before it is whole."""
    return target.with_name(target.name + ".part")


def download(url: str, target: Path, web: Web | None = None) -> Path:
    """The whole file beside `target`, as NAME.part; the caller checks and renames it. Raises
    Unreachable, NoRoom, or DataProblem.
    """
    web = web or Web()
    part = part_of(target)
    part.parent.mkdir(parents=True, exist_ok=True)
    reason = ""
    for wait in range(TRIES):
        if wait:
            web.pause(2.0 ** (wait - 1))
        try:
            _try(url, part, web)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code < HTTPStatus.INTERNAL_SERVER_ERROR and error.code not in PASSING:
                raise DataProblem(f"{url}: {error.code} {error.reason}") from None
            reason = f"{error.code} {error.reason}"
        except ValueError as error:  # an address that has none of the forms that addresses have
            if isinstance(error, DataProblem):
                raise
            raise DataProblem(f"{url!r} is no address to fetch from ({error})") from None
        except (
            _Cut,
            urllib.error.URLError,
            http.client.HTTPException,
            ConnectionError,
            TimeoutError,
        ) as error:
            known = error.reason if isinstance(error, urllib.error.URLError) else ""
            reason = str(known or error or type(error).__name__)
            if isinstance(known, socket.gaierror | TimeoutError):  # there is no way to the server
                break
        else:
            _tag(part).unlink(missing_ok=True)
            return part
    kept = (
        f"; {part.stat().st_size:,} bytes are kept, and the next try goes on from there"
        if part.is_file()
        else ""
    )
    raise Unreachable(f"cannot get {url}: {reason} ({_tries(wait + 1)}){kept}")


def _tries(many: int) -> str:
    return "1 try" if many == 1 else f"{many} tries"


def _try(url: str, part: Path, web: Web) -> None:
    """Get what is missing of the file."""
    have = part.stat().st_size if part.is_file() else 0
    try:
        with urllib.request.urlopen(_request(url, part, have), timeout=TIMEOUT) as answer:  # noqa: S310
            rest = answer.status == HTTPStatus.PARTIAL_CONTENT
            if rest and not str(answer.headers.get("Content-Range", "")).startswith(
                f"bytes {have}-"
            ):
                part.unlink(missing_ok=True)
                web.step(-have)
                raise _Cut("the server sent another part than was asked for")
            if have and not rest:
                web.step(-have)
            said = str(answer.headers.get("Content-Length"))
            _write(answer, part, rest, web)
            got, total = (
                part.stat().st_size,
                int(said) + have * rest if re.fullmatch("[0-9]{1,18}", said) else None,
            )
            if total is not None and got != total:
                raise _Cut(f"ended after {got:,} of {total:,} bytes")
    except urllib.error.HTTPError as error:
        if error.code != HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise
        error.close()
        if str(error.headers.get("Content-Range", "")) == f"bytes */{have}":
            return  # all of it is there
        part.unlink()
        web.step(-have)
        raise _Cut("the part that was there is no part of the file") from None


def _request(url: str, part: Path, have: int) -> urllib.request.Request:
    if not url.startswith(("https://", "http://")):
        raise DataProblem(
            f"{url!r} is no address to fetch from; give one that begins with https:// or http://"
        )
    headers = {"User-Agent": "lingprobe", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
        if _tag(part).is_file():  # the rest of this very file, or all of a newer one
            headers["If-Range"] = _tag(part).read_text("utf-8")
    return urllib.request.Request(url, headers=headers)  # noqa: S310


def _write(answer: http.client.HTTPResponse, part: Path, rest: bool, web: Web) -> None:
    try:
        if (tag := answer.headers.get("ETag", "")) and not tag.startswith("W/"):
            _tag(part).write_text(tag, "utf-8")
        with part.open("ab" if rest else "wb") as file:
            while chunk := _read(answer):
                file.write(chunk)
                web.step(len(chunk))
    except OSError as error:
        raise NoRoom(
            f"cannot write {part}: {(error.strerror or str(error)).lower()}; make room or give"
            " another folder with -o, and the same command goes on from there"
        ) from None


def _read(answer: http.client.HTTPResponse) -> bytes:
    """Some bytes; what breaks on the way is no fault of the disk."""
    try:
        return answer.read1(CHUNK)
    except OSError as error:
        raise _Cut(str(error) or type(error).__name__) from None


def _tag(part: Path) -> Path:
    """Where the server's mark of the version that a part belongs to is kept."""
    return part.with_name(part.name + ".etag")


SUFFIXES = (".tar.gz", ".tgz", ".tar")
BLOCK = 1 << 20
_DAMAGE = (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)


def unsound(archive: Path) -> str:
    """What is wrong with an archive, read to its end; '' where nothing is."""
    try:
        with tarfile.open(archive) as tar:
            members = [
                tarfile.data_filter(member, str(archive.parent))
                for member in tar
                if member.isfile()
            ]
            _check_end(tar)
    except _DAMAGE as error:
        return f"is not an archive that can be unpacked ({str(error) or type(error).__name__})"
    return "" if members else "is an archive without files"


def unpack(archive: Path, folder: Path) -> list[str]:
    """Put the files of a sound archive into a folder; the names of those that are there already and
    differ, which stay as they are.
    """
    with tarfile.open(archive) as tar:
        members = [tarfile.data_filter(member, str(folder)) for member in tar if member.isfile()]
        return [member.name for member in members if not _put(tar, member, folder)]


def _check_end(tar: tarfile.TarFile) -> None:
    """Read to the end, where checksums of the packing are: an archive that was cut off has none."""
    assert tar.fileobj is not None
    tar.fileobj.seek(tar.offset)
    if tar.fileobj.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
        raise EOFError("it is cut short")
    while tar.fileobj.read(BLOCK):
        pass


def _put(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> bool:
    """Put one file where it belongs unless one is there; whether what is there now is as the
    archive has it.
    """
    target, source = folder / member.name, tar.extractfile(member)
    assert source is not None
    with source:
        if target.exists():
            return (
                target.is_file()
                and target.stat().st_size == member.size
                and target.read_bytes() == source.read()
            )
        with draft(target) as place, place.open("wb") as file:
            shutil.copyfileobj(source, file, BLOCK)
    return True
