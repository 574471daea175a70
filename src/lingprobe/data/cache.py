"""Files written whole or not at all, and cached values that can be computed again.

If the cache cannot be written, lingprobe works without it. Files that were damaged or changed are
ignored.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lingprobe.data.digests import digest_pieces
from lingprobe.data.errors import LingprobeError

DRAFT_SUFFIX = ".part"
OFFLINE_VARIABLE = "LINGPROBE_OFFLINE"  # the variable that forbids to fetch anything
_SHARED = "LINGPROBE_SHARED_CACHE"  # the variable that names a second cache, which is only read
# seconds after which an unfinished file is taken to be left over from a process that died
STALE_DRAFT_SECONDS = 24 * 3600
BYTES_PER_KILOBYTE = 1000


class FileProblem(LingprobeError, ValueError):
    """A file that cannot be written; the message says what to do."""


def check_file_ending(path: str | Path | None, *endings: str) -> None:
    """Refuse the name of a file that says something else than what will be written, before any
    work. A name without a suffix says nothing. FileProblem.
    """
    suffix = Path(path or "").suffix.lower()
    if suffix and suffix not in endings:
        raise FileProblem(f"{path}: the file name must end in {' or '.join(endings)}")


def cache_dir() -> Path:
    """Where lingprobe keeps what can be made again: LINGPROBE_CACHE, or the user's cache folder."""
    if place := os.environ.get("LINGPROBE_CACHE"):
        return Path(place).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("lingprobe"))


def find_cached(path: Path) -> Path:
    """Where a file of the cache is read: in the cache, or, where it is missing there, in the folder
    that LINGPROBE_SHARED_CACHE names, which is never written; `path` itself where neither has it.
    """
    shared = os.environ.get(_SHARED)
    if not shared or path.exists() or not path.is_relative_to(cache := cache_dir()):
        return path
    other = Path(shared).expanduser() / path.relative_to(cache)
    return other if other.exists() else path


@contextmanager
def set_environment(name: str, value: str | None, *, keep: bool = False) -> Iterator[None]:
    """An environment variable for what runs and starts inside; None changes nothing, and `keep`
    lets a value stand that is there already.
    """
    before = os.environ.get(name)
    if value is None or (keep and before is not None):
        yield
        return
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def is_on(value: str | None) -> bool:
    """Whether the value of an environment variable switches something on."""
    return (value or "0").lower() not in ("0", "false", "no")


@contextmanager
def open_draft(path: Path) -> Iterator[Path]:
    """A place beside `path`, whose folder is made, to write a file to; where the block ends without
    an error, it is `path` then.

    A full disk and the like are a FileProblem, and what was at `path` stays as it was.
    """
    if not path.name:
        raise FileProblem(f"cannot write {path}: is a directory; choose another place")
    place = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}{DRAFT_SUFFIX}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield place
        place.replace(path)
    except OSError as error:
        # some other file, which was read
        if error.filename not in (None, str(place), str(path), str(path.parent)):
            raise
        reason = (error.strerror or str(error)).lower()
        raise FileProblem(
            f"cannot write {path}: {reason}; make room, or choose another place"
        ) from error
    finally:
        with suppress(OSError):
            place.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8; halves of characters come out as escapes."""
    with open_draft(path) as place:
        place.write_bytes(escape_surrogates(text).encode())


def escape_surrogates(text: str) -> str:
    r"""The text with halves of characters, which no UTF-8 can hold, written as \udc80."""
    return text.encode("utf-8", "backslashreplace").decode()


def format_bytes(count: float) -> str:
    """A number of bytes as people write it."""
    for unit in ("B", "KB", "MB"):
        if count < BYTES_PER_KILOBYTE:
            return f"{count:,.0f} {unit}" if unit == "B" else f"{count:,.1f} {unit}"
        count /= BYTES_PER_KILOBYTE
    return f"{count:,.1f} GB"


def recall_value(folder: Path, key: str) -> Any:
    """What was remembered under a key, as JSON has it; None where nothing was, or where it is not
    what was written.
    """
    try:
        note = json.loads(find_cached(_note(folder, key)).read_text("utf-8"))
        return note["value"] if note["key"] == key and note["sum"] == _sum(note) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def remember_value(folder: Path, key: str, value: Any) -> None:
    """Remember a value (plain JSON) under a key, if the folder can be written; leftovers of killed
    processes are removed.
    """
    note = {"key": key, "value": value}
    with suppress(OSError, FileProblem):
        write_text(_note(folder, key), json.dumps({**note, "sum": _sum(note)}))
        _remove_leftovers(folder)


def _remove_leftovers(folder: Path) -> None:
    for entry in os.scandir(folder):
        if (
            entry.name.endswith(DRAFT_SUFFIX)
            and time.time() - entry.stat().st_mtime > STALE_DRAFT_SECONDS
        ):
            Path(entry.path).unlink()


def recall_lines(folder: Path, key: str) -> dict[str, bytes]:
    """What was remembered together under a key, by name, each as a line of which `unpack_line` says
    what it holds: of many values few are asked for.
    """
    try:
        lines = find_cached(_lines(folder, key)).read_bytes().split(b"\n")
    except OSError:
        return {}
    parts = (line.partition(b" ") for line in lines)
    return {name.decode("ascii", "replace"): rest for name, _, rest in parts}


def remember_lines(folder: Path, key: str, lines: Mapping[str, bytes]) -> None:
    """Remember lines by name (without spaces) under a key, if the folder can be written."""
    with suppress(OSError, FileProblem), open_draft(_lines(folder, key)) as place:
        place.write_bytes(b"\n".join(b"%s %s" % (k.encode(), line) for k, line in lines.items()))
        _remove_leftovers(folder)


def pack_line(name: str, value: Any) -> bytes:
    """A value (plain JSON) as a line, with a checksum of its name and of itself."""
    text = json.dumps(value)
    return f"{digest_pieces(name, text)} {text}".encode()


def unpack_line(name: str, line: bytes) -> Any:
    """The value in a line of that name; None where it is not what was written."""
    total, _, text = line.partition(b" ")
    return json.loads(text) if digest_pieces(name, text).encode() == total else None


def _lines(folder: Path, key: str) -> Path:
    return folder / f"{digest_pieces(key)}.lines"


def _note(folder: Path, key: str) -> Path:
    return folder / f"{digest_pieces(key)}.json"


def _sum(note: dict[str, Any]) -> str:
    """A checksum of a key and its value."""
    return digest_pieces(json.dumps([note["key"], note["value"]], sort_keys=True))
