"""What is known of a treebank beside its labels: language, family, script, genre, size, where it is
from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.corpora.families import classify_language, locate_language
from lingprobe.corpora.languages import (
    UNKNOWN_SCRIPT,
    get_language_code,
    get_script,
    get_three_letter_code,
    name_language,
    name_script,
)
from lingprobe.corpora.universal import Treebank, find_treebank
from lingprobe.data.core import DataProblem
from lingprobe.tasks.languages import treebank_code
from lingprobe.tasks.ud.family import TreebankTaskOptions, list_source_files, parsed_files

_METADATA = re.compile(r"^(Genre|License):[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
"""Lines of the README of a treebank that machines read."""
_REPOSITORIES = "https://github.com/UniversalDependencies/"


class TreebankMetadata(NamedTuple):
    """The name of a treebank, its language and licence, and what else `SurveyRow` has of it."""

    name: str
    language: str
    licence: str
    columns: Mapping[str, Any]


@lru_cache(maxsize=8)
def read_treebank_metadata(place: str) -> TreebankMetadata:
    """What is known of a treebank: by its name, the names of its files and its README."""
    folder = Path(place)
    bank = find_treebank(folder.name) or find_treebank(place)
    paths = _list_files(place)
    code = _code_of(bank, paths)
    about = classify_language(code)
    readme = _read_metadata(folder)
    forms = count_forms(place) if paths else {}
    written_in = get_script(code) if code else UNKNOWN_SCRIPT
    if written_in == UNKNOWN_SCRIPT:
        written_in = name_script(forms)
    named = (
        bank.language if bank else name_language(code) if code else get_language_code(folder.name)
    )
    return TreebankMetadata(
        folder.name.removeprefix("UD_"),
        named,
        (bank.licence if bank else "") or readme.get("License", ""),
        {
            **about._asdict(),
            **locate_language(code)._asdict(),
            "iso": get_three_letter_code(code) if code else "",
            "script": "" if written_in == UNKNOWN_SCRIPT else written_in,
            "genre": readme.get("Genre", ""),
            "tokens": sum(forms.values()),
            "link": f"{_REPOSITORIES}{bank.name}" if bank else "",
        },
    )


def _code_of(bank: Treebank | None, paths: Iterable[Path]) -> str:
    """The code of a treebank, by its name or the names of its files; '' where neither says it."""
    codes = (treebank_code(path) for path in paths)
    return (bank.code if bank else "") or next(filter(None, codes), "")


def _list_files(place: str) -> list[Path]:
    try:
        return [Path(source.part.path) for source in list_source_files(TreebankTaskOptions(place))]
    except DataProblem:
        return []


def count_forms(place: str) -> Mapping[str, int]:
    """The syntactic words of a treebank; {} where it cannot be read."""
    try:
        return parsed_files(TreebankTaskOptions(place)).forms
    except DataProblem:
        return {}


def _read_metadata(folder: Path) -> dict[str, str]:
    """What the README of a treebank says for machines."""
    for name in ("README.md", "README.txt"):
        if (folder / name).is_file():
            text = (folder / name).read_text("utf-8", "replace")
            return dict(reversed(_METADATA.findall(text)))
    return {}
