"""Tagged text: word/TAG or word_TAG, one sentence a line; or a word, a tab and its tag a line, and
a blank line after a sentence.

Files are plain, .gz or .xz; a .zip, such as NLTK's of the Brown corpus, is read file by file, in
the order of their names. Brown's tags, which are in lower case, become Penn's (see `brown`).
"""

from __future__ import annotations

import gzip
import io
import lzma
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sonde.cache import draft
from sonde.core import DataProblem, Sentence
from sonde.corpora import brown
from sonde.corpora.files import decoded, lines, uncompressed, unzipped
from sonde.corpora.rendering import told, unescaped
from sonde.corpora.tally import OnError, Tally

SUFFIXES = (".tagged", ".pos", ".tag", ".zip")
"""What the name of a tagged file ends in, before .gz or .xz."""

Tagged = tuple[Sentence, tuple[str, ...]]
Pairs = list[tuple[str, str]]


def is_tagged(path: str | Path) -> bool:
    """Whether a file's name says that it is tagged text."""
    return uncompressed(Path(path)).suffix in SUFFIXES


def read(
    path: str | Path, on_error: OnError = "raise", tally: Tally | None = None
) -> Iterator[Tagged]:
    """The sentences of a file with the tags of their words, in order; a word without a tag is a
    DataProblem that names file and line.
    """
    tally = Tally() if tally is None else tally
    forms: dict[str, str] = {}
    for where, block in _blocks(path):
        try:
            pairs = _pairs(block, where)
        except DataProblem as problem:
            if on_error == "raise":
                raise
            tally.skip(str(problem))
            continue
        words, tags = tuple(w for w, _ in pairs), tuple(t for _, t in pairs)
        if any(t.islower() for t in tags):
            words, tags = brown.penn(words, tags)
        words = tuple(forms.setdefault(w, w) for w in map(unescaped, words))
        tally.sentences += 1
        tally.words += len(words)
        yield told(words, tags), tuple(forms.setdefault(t, t) for t in tags)


def write(path: str | Path, sentences: Iterable[tuple[Sequence[str], Sequence[str]]]) -> None:
    """Write words and their tags as word/TAG, one sentence a line, compressed as the name says; a
    file is there whole or not at all.
    """
    out = Path(path).expanduser()
    if not is_tagged(out) or out.suffix == ".zip":
        raise DataProblem(
            f"{path}: tagged text is written as .tagged, .tagged.gz or .tagged.xz; name the file so"
        )
    openers: dict[str, Any] = {".xz": lzma.open, ".gz": gzip.open}
    with draft(out) as part, openers.get(out.suffix, open)(part, "wt", encoding="utf-8") as file:
        for words, tags in sentences:
            file.write(
                " ".join(f"{word}/{tag}" for word, tag in zip(words, tags, strict=True)) + "\n"
            )


def _blocks(path: str | Path) -> Iterator[tuple[str, list[str]]]:
    """What makes up each sentence: one line of pairs, or several lines of a word, a tab and a tag;
    and where it begins.
    """
    held: list[str] = []
    start = ""
    for where, line in _lines(path):
        if "\t" in line.strip():
            start = start if held else where
            held.append(line)
            continue
        if held:
            yield start, held
            held = []
        if line.strip():
            yield where, line.split()
    if held:
        yield start, held


def _lines(path: str | Path) -> Iterator[tuple[str, str]]:
    """The lines of a file, or of all files in a .zip, and where each is."""
    if Path(path).suffix != ".zip":
        for number, line in lines(path):
            yield f"{path}:{number}", line
        return
    with unzipped(path) as archive:
        for name in sorted(archive.namelist()):
            # ca01 to cr09; the others say what is in them
            if "." not in Path(name).name and name[-1:].isdigit():
                for number, raw in enumerate(io.BytesIO(archive.read(name)), 1):
                    yield f"{path}!{name}:{number}", decoded(raw, f"{path}!{name}", number).strip()


def _pairs(block: list[str], where: str) -> Pairs:
    """Words and tags; the last separator of an item is the one that counts, since words may hold
    others.
    """
    if "\t" in block[0]:
        cut = [tuple(item.rstrip().split("\t")[:2]) for item in block]
    else:
        mark = "/" if all("/" in item for item in block) else "_"
        cut = [(word, tag) for word, _, tag in (item.rpartition(mark) for item in block)]
    for pair, item in zip(cut, block, strict=True):
        if len(pair) != 2 or not all(pair):
            raise DataProblem(
                f"{where}: {item[:40]!r} is no word with a tag; write word/TAG, word_TAG, or word,"
                " tab, TAG on a line"
            )
    return [(pair[0], pair[1]) for pair in cut]
