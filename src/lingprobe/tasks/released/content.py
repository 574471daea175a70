"""What a file is that was fetched, and whether it is what was published: rows, bytes, checksums,
and that it is no web page that says sorry.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from lingprobe.corpora.columns import SENTEVAL_SPLIT_CODES
from lingprobe.corpora.files import read_pieces, split_of, uncompressed_path
from lingprobe.data.core import DataProblem
from lingprobe.data.digests import RunningDigest
from lingprobe.tasks.released.archives import ARCHIVE_SUFFIXES, find_archive_damage
from lingprobe.tasks.released.catalogue import Kind, KnownFile

ABOUT_FILE_PATTERN = re.compile(r"(LICEN[CS]E|README|stats\.xml)", re.IGNORECASE)
"""Files that tell about data."""
_COLUMNS = 10  # of CoNLL-U
_SPLITS = {"train": "tr", "dev": "va", "test": "te"}


class FileContent(NamedTuple):
    """What a file is: its rows in train, dev and test (all 0 where it has none), bytes and
    SHA-256.
    """

    rows: tuple[int, int, int]
    size: int
    sha256: str


class WrongContent(DataProblem):
    """A file that is not what it should be; others are still worth trying."""


def check_file(
    path: Path, file: str, kind: Kind, published: KnownFile, before: str | None = None
) -> FileContent:
    """Check a fetched file against the published checksum, rows and size, as far as these are
    known, and against what was fetched `before` (SHA-256) where nobody published a checksum. Raises
    WrongContent.
    """
    try:
        content = examine_file(path, file)
        if kind == "files":  # whose lines may begin like those of a table
            content = content._replace(rows=(0, 0, 0))
        if problem := _unlike(path, file, kind, content):
            raise WrongContent(f"{file} {problem}")
    except WrongContent:
        raise
    except DataProblem as problem:  # packed, and damaged
        raise WrongContent(str(problem)) from None
    compared = {
        "rows": (published.rows, content.rows),
        "bytes": (published.size, content.size),
        "SHA-256": (published.sha256, content.sha256),
        "Git's SHA-1": (published.blob, compute_git_checksum(path) if published.blob else None),
    }
    for what, (wanted, has) in compared.items():
        if wanted is not None and wanted != has:
            raise WrongContent(
                f"{file} has {what} {_format_value(has)}, and the published file"
                f" {_format_value(wanted)}"
            )
    if published.sha256 is None and before not in (None, content.sha256):
        raise WrongContent(
            f"{file} has SHA-256 {content.sha256}, and the file fetched first {before}"
        )
    return content


def _format_value(value: object) -> str:
    return "/".join(f"{n:,}" for n in value) if isinstance(value, tuple) else str(value)


def _unlike(path: Path, file: str, kind: Kind, content: FileContent) -> str:
    """What speaks against a file's being of its kind; '' where nothing does."""
    if file.endswith(ARCHIVE_SUFFIXES):
        return find_archive_damage(path)
    first = next(read_pieces(path, file), b"")[: 1 << 16]
    shown = first.strip().split(b"\n", 1)[0][:40].decode("utf-8", "replace").strip()
    if not first.strip():
        return "is empty"
    if ABOUT_FILE_PATTERN.match(file):
        return ""
    page = first.lstrip()[:9].lower().startswith((b"<!doctype", b"<html"))
    problems = {
        "is a web page and no table": page,
        "is not a table with tabs": kind == "tables" and b"\t" not in first.split(b"\n", 1)[0],
        "is not CoNLL-U": kind == "treebank" and not _is_conllu(first),
        "has no rows of train, dev or test": kind != "files" and not any(content.rows),
    }
    found = next((problem for problem, has in problems.items() if has), "")
    return f"{found} (it begins with {shown!r})" if found else ""


def _is_conllu(first: bytes) -> bool:
    """Whether the first row of a file has the columns of CoNLL-U."""
    rows = (line for line in first.split(b"\n") if line.strip() and not line.startswith(b"#"))
    return next(rows, b"").count(b"\t") == _COLUMNS - 1


def compute_git_checksum(path: Path) -> str:
    """The checksum that Git has for a file: SHA-1 over its size and bytes."""
    total = RunningDigest("sha1")
    total.add(b"blob %d\0" % path.stat().st_size)
    for piece in read_pieces(path, ""):
        total.add(piece)
    return total.hex()


def examine_file(path: Path, file: str | None = None) -> FileContent:
    """What a file is, uncompressed, or an archive as it was packed; rows are those of the split
    that each row names, or the file's name, and in CoNLL-U sentences.

    `file` is what it is called, where `path` is of a part. Raises DataProblem for damage.
    """
    name = file or path.name
    packed = name.endswith(ARCHIVE_SUFFIXES)
    total, size, rows = RunningDigest("sha256"), 0, dict.fromkeys(SENTEVAL_SPLIT_CODES, 0)
    plain = uncompressed_path(Path(name))
    sentences = plain.suffix == ".conllu"
    named = _SPLITS.get(split_of(Path(name)), "") if sentences else plain.name.partition(".")[0]
    rest = b""
    for piece in read_pieces(path, "" if packed else name):
        total.add(piece)
        size += len(piece)
        *lines, rest = (rest + piece).split(b"\n") if not packed else [b""]
        for line in lines:
            if not sentences or line.startswith(b"1\t"):
                _count(line, named, rows)
        rest = rest[:1024]  # all that counts of a line is how it begins
    if not sentences or rest.startswith(b"1\t"):
        _count(rest, named, rows)
    train, dev, test = rows.values()
    return FileContent((train, dev, test), size, total.hex())


def _count(line: bytes, named: str, rows: dict[str, int]) -> None:
    code = named if named in rows else line[:2].decode("latin-1")
    if code in rows and line.strip():
        rows[code] += 1
