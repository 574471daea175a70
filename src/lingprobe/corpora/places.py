"""Where a corpus lies that somebody names: a path, a path below the folder of treebanks, or the
code of a treebank that is here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from lingprobe.corpora.languages import get_language_code, language_codes
from lingprobe.corpora.universal import (
    DEFAULT_UD_RELEASE,
    Treebank,
    find_treebank,
    format_alternatives,
    list_treebanks,
    suggest_treebanks,
)
from lingprobe.data.cache import cache_dir
from lingprobe.data.checks import check_regular
from lingprobe.data.core import DataProblem

TREEBANK_LISTING_FILE = "listing.json"
"""What a fetched treebank consists of, written before the first file is fetched."""


class MissingTreebank(DataProblem):
    """A treebank that was named by its code and is not here."""

    def __init__(self, bank: Treebank) -> None:
        self.bank = bank
        asked = f"ud/{bank.code or bank.name}" + (f"@{bank.release}" if bank.release else "")
        unlisted = (
            ""
            if bank.code
            else f", nor among those that lingprobe knows of release {DEFAULT_UD_RELEASE}"
        )
        super().__init__(
            f"{bank} is not here{unlisted}: with network access, `lingprobe fetch {asked}`"
            f" downloads it{f' ({bank.licence})' if bank.licence else ''}; or set"
            f" LINGPROBE_TREEBANKS to a folder that has {bank.name}"
        )


def locate_path(path: str | Path, *, codes: bool = True) -> Path:
    """The file or folder that a path or the code of a treebank names: as it stands, in the folder
    LINGPROBE_TREEBANKS, among what was fetched (as dpr), or (with `codes`) a treebank. A path that
    is nowhere is returned as it is.

    Raises MissingTreebank for a treebank that is not here, DataProblem for a pipe or a device.
    """
    place = Path(path).expanduser()
    check_regular(place, DataProblem)
    if place.exists() or str(path) in ("", "embedded"):
        return place
    for home in (get_treebank_folder(), cache_dir() / "data"):
        if home is not None and (home / place).exists():
            return home / place
    if not codes:
        return place
    bank = find_treebank(str(path))
    if bank is None:
        if hint := _treebank_hint(str(path)):
            raise DataProblem(f"no file or folder {str(path)!r}{hint}")
        return place
    local = None if bank.release else _local(bank)
    if local is None and (local := fetched_folder(bank)) is None:
        raise MissingTreebank(bank)
    return local


def _treebank_hint(text: str) -> str:
    """What to write where a text is no treebank, but like one, or a language."""
    if codes := suggest_treebanks(text):
        return f", and no such treebank; did you mean {format_alternatives(codes)}?"
    if text.isalpha() and (languages := language_codes(text)):
        codes = [code for code in list_treebanks() if get_language_code(code) in languages]
        if not codes:
            return f", and Universal Dependencies have no treebank of the language {text!r}"
        return (
            f"; name a treebank as {format_alternatives(codes)}, or write -l {text} for all"
            " that are here"
        )
    return ""


def get_treebank_folder() -> Path | None:
    """The folder of treebanks that LINGPROBE_TREEBANKS names."""
    named = os.environ.get("LINGPROBE_TREEBANKS")
    return Path(named).expanduser() if named else None


def find_treebank_folders(place: Path) -> Iterator[Path]:
    """The UD_* folders in a folder, itself included, by name."""
    if place.name.startswith("UD_"):
        yield place
        return
    yield from sorted(p for p in [*place.glob("UD_*"), *place.glob("*/UD_*")] if p.is_dir())


def home_of(bank: Treebank) -> Path:
    """Where a treebank is put that is fetched."""
    return cache_dir() / "data" / "ud" / bank.fetched_release / bank.name


def fetched_folder(bank: Treebank) -> Path | None:
    """The folder of a treebank that was fetched, to its last file; None where it was not."""
    place = home_of(bank)
    try:
        files = json.loads((place / TREEBANK_LISTING_FILE).read_text("utf-8"))["files"]
        whole = all((place / name).is_file() for name in files)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return place if whole else None


def fetched_treebanks() -> list[Path]:
    """The treebanks of the usual release that were fetched."""
    place = cache_dir() / "data" / "ud" / DEFAULT_UD_RELEASE
    banks = (find_treebank(folder.name) for folder in find_treebank_folders(place))
    return [
        folder
        for bank in banks
        if bank is not None and (folder := fetched_folder(bank)) is not None
    ]


def _local(bank: Treebank) -> Path | None:
    """The folder of that name in LINGPROBE_TREEBANKS, or else in the working folder or one below
    it, or the only one with the treebank's files.
    """
    for place in (get_treebank_folder(), Path()):
        banks = list(find_treebank_folders(place)) if place is not None else []
        same = [each for each in banks if each.name == bank.name]
        has = same or [each for each in banks if bank.code and any(each.glob(f"{bank.code}-ud-*"))]
        if len(has) > 1:
            raise DataProblem(
                f"{bank.code or bank.name} is in {' and in '.join(map(str, has))}; name one of them"
            )
        if has:
            return has[0]
    return None
