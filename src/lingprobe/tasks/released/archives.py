"""Archives that were fetched: checked to their end, and unpacked whole or not at all."""

from __future__ import annotations

import gzip
import lzma
import shutil
import tarfile
import zlib
from pathlib import Path

from lingprobe.data.cache import open_draft

ARCHIVE_SUFFIXES = (".tar.gz", ".tgz", ".tar")
_BLOCK = 1 << 20
_PACKING, _SMALL = 100, 1 << 26  # how many times larger than an archive its files may be, if large
_DAMAGE = (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)


def find_archive_damage(archive: Path) -> str:
    """What is wrong with an archive, read to its end; '' where nothing is."""
    try:
        with tarfile.open(archive) as tar:
            many, room = 0, max(_SMALL, _PACKING * archive.stat().st_size)
            for member in filter(tarfile.TarInfo.isfile, tar):
                tarfile.data_filter(member, str(archive.parent))
                many, room = many + 1, room - member.size
                if member.issparse() or room < 0:
                    return "is an archive of files that are mostly empty, which is not unpacked"
            _check_end(tar)
    except _DAMAGE as error:
        return f"is not an archive that can be unpacked ({str(error) or type(error).__name__})"
    return "" if many else "is an archive without files"


def unpack_archive(archive: Path, folder: Path) -> list[str]:
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
    while tar.fileobj.read(_BLOCK):
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
        with open_draft(target) as place, place.open("wb") as file:
            shutil.copyfileobj(source, file, _BLOCK)
    return True
