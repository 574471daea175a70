"""Digests of files, remembered by size and time of change, so that a large model is read once and not at every start."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import platformdirs

from sonde.core import DataProblem

State = list[str | int]
"""What a file looks like from outside: its path, its size in bytes, and when it was changed, in nanoseconds."""


def file_digest(path: Path) -> str:
    """Thirty-two hexadecimal digits that stand for a file's content."""
    file = path.expanduser().resolve()
    try:
        stat = file.stat()
    except OSError as error:
        raise DataProblem(f"{path}: {error.strerror or error}") from error
    state: State = [str(file), stat.st_size, stat.st_mtime_ns]
    note = _notes() / f"{hashlib.blake2b(str(file).encode(), digest_size=16).hexdigest()}.json"
    if (known := _remembered(note, state)) is not None:
        return known
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    _remember(note, state, found)
    return found


def folder_digest(folder: Path) -> str:
    """The same for all files of a folder and their names; hidden files and texts for people are left out."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and not _beside(p.relative_to(folder)))
    if not files:
        raise DataProblem(f"{folder}: the folder holds no files")
    lines = "\n".join(f"{p.relative_to(folder).as_posix()} {file_digest(p)}" for p in files)
    return hashlib.blake2b(lines.encode(), digest_size=16).hexdigest()


def _beside(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts) or path.suffix.lower() in (".md", ".txt~", ".py~", ".lock")


def _notes() -> Path:
    return Path(os.environ.get("SONDE_CACHE") or platformdirs.user_cache_dir("sonde")) / "digests"


def _remembered(note: Path, state: State) -> str | None:
    try:
        found = json.loads(note.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return str(found["digest"]) if isinstance(found, dict) and found.get("state") == state else None


def _remember(note: Path, state: State, digest: str) -> None:
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        temporary = note.with_suffix(f".{os.getpid()}.tmp")
        temporary.write_text(json.dumps({"state": state, "digest": digest}), "utf-8")
        temporary.replace(note)
    except OSError:
        return  # a cache that cannot be written only costs time
