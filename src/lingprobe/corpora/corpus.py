"""The files of a corpus, in a folder or deep below it, and the splits that names of files or
folders say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from lingprobe.corpora.files import (
    COMPRESSION_SUFFIXES,
    CorpusPart,
    find_treebank_files,
    uncompressed_path,
)
from lingprobe.corpora.places import locate_path
from lingprobe.data.core import DATA_SPLITS, DataProblem

_WORDS = {
    "train": ("train", "training"),
    "dev": ("dev", "devel", "development", "valid", "validation", "testa"),
    "test": ("test", "testing", "testb"),
}
_SPLIT_OF = {word: split for split, words in _WORDS.items() for word in words}
_SPLIT_WORD = re.compile(
    rf"(?<![a-z])({'|'.join(sorted(_SPLIT_OF, key=len, reverse=True))})(?![a-z])"
)

# files that no corpus is made of
_ABOUT = re.compile(
    r"\.|readme|licen[cs]e|copying|changes|fetched\.json|listing\.json", re.IGNORECASE
)

_ONTONOTES, _SUBSET = ("arabic", "chinese", "english"), "conll-2012-test"


def list_corpus_files(paths: Iterable[str | Path], suffixes: tuple[str, ...]) -> list[CorpusPart]:
    """The files that some paths name, in the order train, dev, test, unnamed; a folder stands for
    its own, or having none for all below it. DataProblem for a file that is named twice.

    Of a folder those count whose names end in one of the suffixes, before .gz or .xz. The split is
    what the file's name says (`esp.testa` is dev, `wnut17train.conll` train), else the nearest
    folder's (`development/bc/cctv.gold_conll`), else ''.
    """
    parts = _one_language(
        [
            part
            for path in paths
            for part in _under(locate_path(path, codes=".conllu" in suffixes), suffixes)
        ]
    )
    twice = [path for path, n in Counter(part.path.resolve() for part in parts).items() if n > 1]
    if twice:
        raise DataProblem(f"{twice[0]} is named twice; with= is for further files")
    order = (*DATA_SPLITS, "")
    return sorted(parts, key=lambda part: order.index(part.split))


def keep_one_file_per_split(files: list[CorpusPart]) -> list[CorpusPart]:
    """The same files, of which no two may claim one split: a file of all and a part of it often lie
    side by side.
    """
    for split in DATA_SPLITS:
        names = [part.path.name for part in files if part.split == split]
        if len(names) > 1:
            raise DataProblem(
                f"{split} is claimed by {' and '.join(names)}; name the files one by one, the"
                " second and third by with="
            )
    return files


def split_in(name: str) -> str:
    """The split that a name says: train, dev (development, valid, testa) or test (testb); '' where
    it says none; the last word decides.
    """
    words = _SPLIT_WORD.findall(name.lower())
    return _SPLIT_OF[words[-1]] if words else ""


def _under(place: Path, suffixes: tuple[str, ...]) -> list[CorpusPart]:
    if str(place) == "embedded" and ".conllu" in suffixes:
        return find_treebank_files(place)
    if place.is_file():
        return [CorpusPart(split_in(uncompressed_path(place).name), place)]
    shown = ", ".join(suffixes)
    if not place.is_dir():
        raise DataProblem(
            f"no file or folder {str(place)!r}; give a file or a folder of files that end in"
            f" {shown}"
        )
    files = _ending(place.iterdir(), suffixes) or _ending(place.rglob("*"), suffixes)
    plain: dict[Path, Path] = {}
    for path in sorted(files, key=lambda p: (p.suffix in COMPRESSION_SUFFIXES, str(p))):
        plain.setdefault(uncompressed_path(path), path)
    if not plain:
        raise DataProblem(f"no file in {str(place)!r} ends in {shown} (or these with .gz or .xz)")
    return [CorpusPart(_find_named_split(path, place), path) for _, path in sorted(plain.items())]


def _ending(paths: Iterable[Path], suffixes: tuple[str, ...]) -> list[Path]:
    return [
        p
        for p in paths
        if uncompressed_path(p).suffix.lower() in suffixes
        and not _ABOUT.match(p.name)
        and p.is_file()
    ]


def _one_language(parts: list[CorpusPart]) -> list[CorpusPart]:
    """The same files; OntoNotes has those of three languages in folders so named, and a subset of
    test beside test.
    """
    languages = sorted({name for part in parts for name in part.path.parts if name in _ONTONOTES})
    if len(languages) > 1:
        raise DataProblem(
            f"files in {' and in '.join(languages)}: name the folders of one language, as"
            " train/data/english, and further ones by with="
        )
    whole = any(part.split == "test" and _SUBSET not in part.path.parts for part in parts)
    return [part for part in parts if not (whole and _SUBSET in part.path.parts)]


def _find_named_split(path: Path, place: Path) -> str:
    """What the file's name says, or the nearest folder below the one that was named, or what that
    one is called.
    """
    names = [uncompressed_path(path).name, *reversed(path.relative_to(place).parts[:-1])]
    return next(filter(None, map(split_in, names)), "") or _split_of_folder(place)


def _split_of_folder(place: Path) -> str:
    """The split that a folder is called after, and no more (a folder named `test-data` may hold
    all); OntoNotes' lie deeper.
    """
    for folder in (place, *place.parents):
        name = "test" if folder.name == _SUBSET else folder.name.lower()
        if name in _SPLIT_OF or name not in ("data", "annotations", *_ONTONOTES):
            return _SPLIT_OF.get(name, "")
    return ""
