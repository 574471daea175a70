"""Files over HTTP, in parts that a later try goes on from.

A file is at its place only when it is whole. The rest of a file is added to a part only if the
server says that both are of one version; else the file comes anew. Size, time and speed have
bounds. What fails for a moment is tried again, what fails for good is said at once. pooch has
checksums and tries again, too, but begins every file anew, which over a slow line may never end;
so this is our own.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any

from lingprobe.data.core import DataProblem
from lingprobe.data.errors import LingprobeError

_TRIES = 4
_TIMEOUT = 15.0  # seconds without an answer
_CHUNK = 1 << 16
_HEAD = 60.0  # seconds for what stands before the bytes of a file
MAX_DOWNLOAD_BYTES = 1 << 34  # bytes of a file whose size nobody publishes
_PASSING = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}


class UnreachableServer(DataProblem):
    """Nothing came from a server, or it stopped before the end."""


class NoRoom(DataProblem):
    """A file could not be written."""


class TooLarge(DataProblem):
    """A server that sends more than a file can have."""


class _Cut(LingprobeError):
    """An answer that ended early, or that does not fit the part that is there."""


@dataclass(frozen=True, slots=True)
class WebDownloader:
    """How files are got: what is told of every step (bytes that came; bytes that have to be got
    anew are negative), how to wait.

    patience  seconds after which an answer may be cut off for being slow
    slowest   bytes in a second, on average over an answer, below which it is
    longest   seconds for one file, all tries together
    """

    step: Callable[[int], object] = int
    pause: Callable[[float], object] = time.sleep
    patience: float = 60.0
    slowest: float = 1000.0
    longest: float = 6 * 3600.0


def get_partial_path(target: Path) -> Path:
    """Where a file is gathered before it is whole."""
    return target.with_name(target.name + ".part")


@dataclass(frozen=True, slots=True)
class _Bounds:
    """How many bytes a file may have, and until when (on the monotonic clock) it may come."""

    max_bytes: int
    until: float


def download_file(
    url: str, target: Path, web: WebDownloader | None = None, max_bytes: int = MAX_DOWNLOAD_BYTES
) -> Path:
    """The whole file beside `target`, as NAME.part; the caller checks and renames it. Raises
    UnreachableServer, NoRoom, TooLarge for a file of more than `max_bytes`, or DataProblem.
    """
    web = web or WebDownloader()
    part = get_partial_path(target)
    part.parent.mkdir(parents=True, exist_ok=True)
    bounds = _Bounds(max_bytes, time.monotonic() + web.longest)
    reason = ""
    for wait in range(_TRIES):
        if wait:
            web.pause(2.0 ** (wait - 1))
        try:
            _try(url, part, web, bounds)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code < HTTPStatus.INTERNAL_SERVER_ERROR and error.code not in _PASSING:
                raise DataProblem(f"{url}: {error.code} {error.reason}") from None
            reason = f"{error.code} {error.reason}"
        except ValueError as error:  # an address that has none of the forms that addresses have
            if isinstance(error, DataProblem):
                raise
            raise DataProblem(f"{url!r} is not an address to fetch from ({error})") from None
        except (
            _Cut,
            urllib.error.URLError,
            http.client.HTTPException,
            ConnectionError,
            TimeoutError,
        ) as error:
            known = error.reason if isinstance(error, urllib.error.URLError) else ""
            reason = str(known or error or type(error).__name__)
            lost = isinstance(known, socket.gaierror | TimeoutError)  # no way to the server
            if lost or time.monotonic() > bounds.until:
                break
        else:
            _mark(part).unlink(missing_ok=True)
            return part
    kept = (
        f"; {part.stat().st_size:,} bytes are kept, and the next try resumes there"
        if part.is_file()
        else ""
    )
    raise UnreachableServer(f"cannot get {url}: {reason} ({_tries(wait + 1)}){kept}")


def _tries(many: int) -> str:
    return "1 try" if many == 1 else f"{many} tries"


@dataclass(frozen=True, slots=True)
class FileVersion:
    """What a server says of the version of a file: two answers are of one version if they agree and
    say more than its size.
    """

    etag: str = ""
    modified: str = ""
    total: int | None = None

    @classmethod
    def of(cls, headers: Message, total: int | None) -> FileVersion:
        """That of an answer."""
        return cls(headers.get("ETag", ""), headers.get("Last-Modified", ""), total)

    @classmethod
    def of_part(cls, partial_file: Path) -> FileVersion:
        """That of a part; one that says nothing where none was noted."""
        try:
            noted = json.loads(_mark(partial_file).read_text("utf-8"))
            return cls(str(noted["etag"]), str(noted["modified"]), noted["total"])
        except (OSError, ValueError, KeyError, TypeError):
            return cls()

    def note(self, partial_file: Path) -> None:
        """Write it beside a part."""
        told = {"etag": self.etag, "modified": self.modified, "total": self.total}
        _mark(partial_file).write_text(json.dumps(told), "utf-8")

    @property
    def is_known(self) -> bool:
        """Whether it can be told from others."""
        return bool(self.etag or self.modified)

    @property
    def condition(self) -> str:
        """What a server compares, so that it sends the rest of this version only; '' where it
        cannot.
        """
        return self.modified if not self.etag or self.etag.startswith("W/") else self.etag


def _try(url: str, part: Path, web: WebDownloader, bounds: _Bounds) -> None:
    """Get what is missing of the file."""
    version = FileVersion.of_part(part)
    have = part.stat().st_size if part.is_file() and version.is_known else 0
    try:
        with _OPENER.open(_request(url, version, have), timeout=_TIMEOUT) as answer:
            rest = answer.status == HTTPStatus.PARTIAL_CONTENT
            now = FileVersion.of(answer.headers, _total(answer.headers, rest))
            begins = str(answer.headers.get("Content-Range", "")).startswith(f"bytes {have}-")
            if rest and not (begins and now == version):
                _drop(part, have, web)
                raise _Cut("the server sent another range than requested")
            if have and not rest:
                web.step(-have)
            if (now.total or 0) > bounds.max_bytes:
                raise _too_large(url, bounds)
            now.note(part)
            _append_answer(answer, part, web, bounds)
            if (got := part.stat().st_size) > bounds.max_bytes:
                part.unlink()
                raise _too_large(url, bounds)
            if now.total is not None and got != now.total:
                raise _Cut(f"ended after {got:,} of {now.total:,} bytes")
    except urllib.error.HTTPError as error:
        if error.code != HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise
        error.close()
        if have == version.total and version.condition:
            return  # all of it is there
        _drop(part, have, web)
        raise _Cut("the partial file is not the beginning of this file") from None


def _drop(part: Path, have: int, web: WebDownloader) -> None:
    part.unlink(missing_ok=True)
    web.step(-have)


def _too_large(url: str, bounds: _Bounds) -> TooLarge:
    return TooLarge(
        f"{url}: the server sends more than the {bounds.max_bytes:,} bytes of such a file"
    )


def _total(headers: Message, rest: bool) -> int | None:
    """How many bytes the whole file has, if an answer says it."""
    said = str(headers.get("Content-Length"))
    if rest:
        said = str(headers.get("Content-Range")).rpartition("/")[2]
    return int(said) if re.fullmatch("[0-9]{1,18}", said) else None


def _request(url: str, version: FileVersion, have: int) -> urllib.request.Request:
    if not _is_web(url):
        raise DataProblem(
            f"{url!r} is not an address to fetch from; give one that begins with https:// or"
            " http://"
        )
    headers = {"User-Agent": "lingprobe", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
        if version.condition:
            headers["If-Range"] = version.condition
    return urllib.request.Request(url, headers=headers)  # noqa: S310


def _is_web(url: str) -> bool:
    return url.lower().startswith(("https://", "http://"))


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Redirections that stay on the web."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> urllib.request.Request | None:
        if not _is_web(newurl):
            fp.close()
            raise DataProblem(f"{req.full_url} leads to {newurl}, which is not a page of the web")
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


class _Answer(http.client.HTTPResponse):
    """An answer whose head comes in time, or the connection ends."""

    def __init__(self, sock: socket.socket, *args: Any, **named: Any) -> None:
        super().__init__(sock, *args, **named)
        self._socket = sock

    def begin(self) -> None:
        """Read the head."""
        late = threading.Event()

        def end() -> None:
            late.set()
            with suppress(OSError):  # it may have ended by itself
                self._socket.shutdown(socket.SHUT_RDWR)

        timer = threading.Timer(_HEAD, end)
        timer.start()
        try:
            super().begin()
            if late.is_set():
                raise _Cut(f"no whole head of an answer in {_HEAD:,.0f} seconds")
        finally:
            timer.cancel()


class _Plain(http.client.HTTPConnection):
    response_class = _Answer


class _Secure(http.client.HTTPSConnection):
    response_class = _Answer


class _Timed(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Both kinds of connections."""

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Ask over HTTP."""
        return self.do_open(_Plain, req)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Ask over HTTPS."""
        return self.do_open(_Secure, req)


_OPENER = urllib.request.build_opener(_Redirects, _Timed)


def _append_answer(
    answer: http.client.HTTPResponse, part: Path, web: WebDownloader, bounds: _Bounds
) -> None:
    """Add an answer to the part that it continues, or begin it anew. One byte too many is enough to
    know.
    """
    rest = answer.status == HTTPStatus.PARTIAL_CONTENT
    begun, came = time.monotonic(), 0
    try:
        room = bounds.max_bytes - (part.stat().st_size if rest else 0)
        with part.open("ab" if rest else "wb") as file:
            while came <= room and (chunk := _read_answer(answer)):
                file.write(chunk)
                web.step(len(chunk))
                came += len(chunk)
                _check_pace(came, time.monotonic() - begun, web, bounds)
    except OSError as error:
        raise NoRoom(
            f"cannot write {part}: {(error.strerror or str(error)).lower()}; make room or give"
            " another folder with -o, and the same command resumes"
        ) from None


def _check_pace(came: int, seconds: float, web: WebDownloader, bounds: _Bounds) -> None:
    if time.monotonic() > bounds.until:
        raise _Cut(f"not whole after {web.longest:,.0f} seconds")
    if seconds > web.patience and came < web.slowest * seconds:
        raise _Cut(f"slower than {web.slowest:,.0f} bytes a second")


def _read_answer(answer: http.client.HTTPResponse) -> bytes:
    """Some bytes; what breaks on the way is no fault of the disk."""
    try:
        return answer.read1(_CHUNK)
    except OSError as error:
        raise _Cut(str(error) or type(error).__name__) from None


def _mark(part: Path) -> Path:
    """Where the version that a part belongs to is noted."""
    return part.with_name(part.name + ".version")
