"""TODO."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lingprobe import DataProblem
from lingprobe.extend import open_draft, uncompressed_path

_SUFFIXES = (".tagged", ".pos", ".tag")


def check_tagged_suffix(path: str | Path) -> None:
    """Refuse the name of a file that tagged text is not written to. DataProblem."""
    if uncompressed_path(Path(path)).suffix not in _SUFFIXES:
        raise DataProblem(
            f"{path}: tagged text is written as .tagged, .tagged.gz or .tagged.xz; name the file so"
        )


def write_tagged(
    path: str | Path, sentences: Iterable[tuple[Sequence[str], Sequence[str]]]
) -> None:
    """Write words and their tags as word/TAG, one sentence a line, compressed as the name says; a
    file is there whole or not at all.
    """
    out = Path(path).expanduser()
    check_tagged_suffix(out)
    openers: dict[str, Any] = {".xz": lzma.open, ".gz": gzip.open}
    with (
        open_draft(out) as part,
        openers.get(out.suffix, open)(part, "wt", encoding="utf-8") as file,
    ):
        for words, tags in sentences:
            file.write(
                " ".join(f"{word}/{tag}" for word, tag in zip(words, tags, strict=True)) + "\n"
            )
