"""The treebanks of Universal Dependencies by their codes: `en_ewt` is UD_English-EWT.

What each is called and under which licence it is released stands in `universal.tsv`. One that is
not there, because it is newer, is named by its repository.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from lingprobe.corpora.aliases import list_aliases

DEFAULT_UD_RELEASE = "2.17"
"""The release that is meant where none is named."""
_SOME = 8  # treebanks that a message names at most
_ASKED = re.compile(r"(?:ud/)?([^@/\\]+)(?:@r?([0-9]{1,2}\.[0-9]{1,2}))?")
_REPOSITORY = re.compile(r"UD_[A-Za-z][A-Za-z_]*-[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Treebank:
    """A treebank of a release.

    code     what its files begin with, as en_ewt; '' where it is not known
    name     its repository, as UD_English-EWT
    licence  as of release 2.17; '' where it is not known
    release  as 2.17; '' where none was named, and any may be meant
    """

    code: str
    name: str
    licence: str = ""
    release: str = ""

    @property
    def language(self) -> str:
        """The language as Universal Dependencies calls it, as 'Old East Slavic'."""
        return self.name.removeprefix("UD_").rpartition("-")[0].replace("_", " ")

    @property
    def fetched_release(self) -> str:
        """The release that is fetched."""
        return self.release or DEFAULT_UD_RELEASE

    def __str__(self) -> str:
        return f"{self.name} of release {self.fetched_release}"


def find_treebank(text: str) -> Treebank | None:
    """The treebank that a code names (`en_ewt`), or a repository, maybe with another release
    (`en_ewt@2.16`); None where it names none.
    """
    asked = _ASKED.fullmatch(text)
    if asked is None:
        return None
    name, release = asked[1], asked[2] or ""
    plain = name.lower().removeprefix("ud_")
    known = list_treebanks().get(name.lower()) or _by_name().get(plain) or _by_other_name(plain)
    if known is not None:
        return replace(known, release=release)
    return Treebank("", name, release=release) if _REPOSITORY.fullmatch(name) else None


def suggest_treebanks(text: str) -> list[str]:
    """The codes that a text may have meant: those that are written alike, or of all treebanks in
    its language.
    """
    code = text.removeprefix("ud/").partition("@")[0].lower()
    if not re.fullmatch(r"[a-z]{2,3}_[a-z0-9]+", code):
        return []
    alike = difflib.get_close_matches(code, list_treebanks(), 3, 0.75)
    if alike:
        surely = difflib.get_close_matches(code, alike, 1, 0.9)
        return surely or alike
    return [each for each in list_treebanks() if each.startswith(code.partition("_")[0] + "_")]


def format_alternatives(codes: Sequence[str], before: str = "") -> str:
    """Some codes as a message offers them: 'pl_lfg', 'pl_pdb' or 'pl_pud'."""
    *others, last = [repr(before + code) for code in codes[:_SOME]]
    return f"{', '.join(others)} or {last}" if others else last


@cache
def list_treebanks() -> Mapping[str, Treebank]:
    """The treebanks that are known, by code."""
    lines = Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {code: Treebank(code, name, licence) for code, name, licence in rows}


def _by_other_name(text: str) -> Treebank | None:
    """The treebank of a name that has another name of its language, as kurmanji-mg."""
    spoken_in, _, suffix = text.rpartition("-")
    code = list_aliases().get(spoken_in.replace("_", " "), "")
    return list_treebanks().get(f"{code}_{suffix}")


@cache
def _by_name() -> Mapping[str, Treebank]:
    return {bank.name.lower().removeprefix("ud_"): bank for bank in list_treebanks().values()}
