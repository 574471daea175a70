"""Treebanks of Universal Dependencies, fetched one by one from their repositories at a release.

GitHub lists the files of a release with their sizes and checksums. Where it does not answer, and on
mirrors that have no list of ours, the treebank's own statistics (`stats.xml`) say which splits it
has and how many sentences are in each.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from lingprobe.corpora.places import TREEBANK_LISTING_FILE, home_of
from lingprobe.corpora.universal import Treebank, list_treebanks
from lingprobe.data.cache import write_text
from lingprobe.data.core import DataProblem
from lingprobe.data.progress import show_progress
from lingprobe.tasks.released.catalogue import Collection, KnownFile
from lingprobe.tasks.released.content import ABOUT_FILE_PATTERN
from lingprobe.tasks.released.download import WebDownloader, download_file
from lingprobe.tasks.released.fetch import FetchRequest, fetch_files

_API = "https://api.github.com/repos/UniversalDependencies/{name}/git/trees/r{release}"
_RAW = "https://raw.githubusercontent.com/UniversalDependencies/{name}/r{release}/"
_PAGE = "https://github.com/UniversalDependencies/{name}/tree/r{release}"
_PAPER = "Universal Dependencies"
_TOLD = ("LICENSE.txt", "README.md", "README.txt")
_LONGEST_LIST = 1 << 26  # bytes of a list of files
_DATA = re.compile(r"([a-z]{2,3}_[a-z0-9]+)-ud-[a-z0-9-]+\.conllu")
_SPLIT = re.compile(r"<(train|dev|test)><sentences>([0-9]{1,9})</sentences>")
_FACT = re.compile(r"^(License|Includes text):\s*(.+?)\s*$", re.MULTILINE)
log = logging.getLogger("lingprobe.data")


def make_treebank_collection(bank: Treebank) -> Collection:
    """What is known of a treebank before anybody is asked."""
    at = {"name": bank.name, "release": bank.fetched_release}
    return Collection(
        f"ud/{bank.code or bank.name}@{bank.fetched_release}",
        _PAGE.format(**at),
        _RAW.format(**at),
        (),
        _PAPER,
        licence=bank.licence,
        kind="treebank",
        facts={},
        below=f"ud/{bank.fetched_release}/{bank.name}",
    )


def list_treebank_collections(pattern: str) -> list[Collection]:
    """The treebanks whose code has a pattern, as ud/pl_*."""
    return [
        make_treebank_collection(b)
        for code, b in list_treebanks().items()
        if fnmatchcase(f"ud/{code}", pattern)
    ]


def make_fetch_request(
    bank: Treebank, folder: Path | None = None, base: str | None = None
) -> FetchRequest:
    """What to fetch of a treebank; its files are listed later."""
    return FetchRequest(
        make_treebank_collection(bank), folder / bank.name if folder else home_of(bank), base=base
    )


def list_treebank_files(request: FetchRequest, bank: Treebank) -> FetchRequest:
    """The same wish with the files of the treebank, as listed here before, or by the server. Raises
    DataProblem.
    """
    place = request.folder / TREEBANK_LISTING_FILE
    facts = _parse_listing(place.read_bytes()) if place.is_file() else {}
    if not facts:
        facts = _request_files(request, bank)
        files = {name: known._asdict() for name, known in facts.items()}
        write_text(place, json.dumps({"files": files}, indent=1))
    return replace(request, collection=replace(request.collection, files=tuple(facts), facts=facts))


def _request_files(asked: FetchRequest, bank: Treebank) -> dict[str, KnownFile]:
    """The files of a treebank as a server lists them."""
    theirs = asked.source == asked.collection.base
    address = {"name": bank.name, "release": bank.fetched_release}
    first = _API.format(**address) if theirs else asked.source + TREEBANK_LISTING_FILE
    try:
        facts = _parse_listing(_document(first, asked))
    except DataProblem:  # asked too often, or no such list
        facts = {}
    if not facts and bank.code:
        try:
            facts = _read_statistics(_document(asked.source + "stats.xml", asked), bank.code)
        except DataProblem as problem:
            raise DataProblem(_list_problem(bank, f"; {problem}")) from None
    if not any(_DATA.fullmatch(name) for name in facts):
        raise DataProblem(_list_problem(bank, ""))
    return facts


def _list_problem(bank: Treebank, why: str) -> str:
    return (
        f"no list of the files of {bank} could be had{why}. Get the folder {bank.name} by hand, as"
        f" by `git clone --branch r{bank.fetched_release} --depth 1"
        f" https://github.com/UniversalDependencies/{bank.name}`, and name it, or set"
        " LINGPROBE_TREEBANKS to the folder that it is in; or name a mirror with --from URL"
    )


def _document(url: str, asked: FetchRequest) -> bytes:
    """The content of a short document."""
    part = download_file(url, asked.folder / ".list", asked.web, _LONGEST_LIST)
    try:
        return part.read_bytes()
    finally:
        part.unlink()


def _parse_listing(document: bytes) -> dict[str, KnownFile]:
    """The size and checksum of each file that GitHub lists, or a listing of ours; none of another
    document.
    """
    try:
        value = json.loads(document)
        named = value["files"] if "files" in value else {e["path"]: e for e in value["tree"]}
        facts = {name: _read_entry(each) for name, each in named.items() if _is_wanted_file(name)}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    return dict(sorted(facts.items(), key=lambda each: not ABOUT_FILE_PATTERN.match(each[0])))


def _is_wanted_file(name: str) -> bool:
    return _DATA.fullmatch(name) is not None or name in _TOLD


def _read_entry(entry: Mapping[str, Any]) -> KnownFile:
    """What an entry of a listing says of a file. Raises ValueError or TypeError."""
    rows, size = entry.get("rows"), entry.get("size")
    checksum = entry.get("blob", entry.get("sha"))
    train, dev, test = map(int, rows or (0, 0, 0))
    return KnownFile(
        (train, dev, test) if rows else None,
        None if size is None else int(size),
        None,
        None if checksum is None else str(checksum),
    )


def _read_statistics(document: bytes, code: str) -> dict[str, KnownFile]:
    """The files that a treebank's statistics speak of, with their sentences."""
    splits = dict(_SPLIT.findall(document.decode("utf-8", "replace")))
    sizes = {name: int(splits.get(name, 0)) for name in ("train", "dev", "test")}
    return {
        f"{code}-ud-{split}.conllu": KnownFile(
            (many * (split == "train"), many * (split == "dev"), many * (split == "test"))
        )
        for split, many in sizes.items()
        if many
    }


def describe_treebank(done: FetchRequest) -> str:
    """What a fetched treebank says of itself: its licence, and that its words are withheld."""
    facts = read_facts(done.folder)
    licence = f"licence: {facts.get('License', done.collection.terms)}"
    withheld = facts.get("Includes text", "yes").lower() == "no"
    return licence + ("; its words are withheld, and stand as _ in the files" if withheld else "")


def read_facts(folder: Path) -> dict[str, str]:
    """What the README of a treebank says under `License` and `Includes text`."""
    texts = [file.read_text("utf-8", "replace") for file in sorted(folder.glob("README.*"))]
    return dict(_FACT.findall("\n".join(texts)))


def fetch_treebank(bank: Treebank) -> None:
    """Download a treebank to where it is looked for, announced with its size and licence. Raises
    DataProblem.
    """
    asked = list_treebank_files(make_fetch_request(bank), bank)
    log.warning("fetching %s", asked)
    with show_progress(True, desc=bank.name, unit="B", unit_scale=True, leave=False) as shown:
        list(fetch_files(replace(asked, web=WebDownloader(shown.update))))
    log.warning("%s is in %s; %s", bank, asked.folder, describe_treebank(asked))
