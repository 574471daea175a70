"""Families, branches and macro-areas of languages, and where they are spoken, after Glottolog."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lingprobe.corpora.languages import get_lineage
from lingprobe.data.records import read_tab_separated


class LanguageClassification(NamedTuple):
    """Where a language belongs, after Glottolog; '' for what is not known.

    branch  the one that grammars name, as Slavic
    """

    glottocode: str = ""
    family: str = ""
    branch: str = ""
    macroarea: str = ""


class LanguagePlace(NamedTuple):
    """Where a language is spoken: one place, in degrees; NaN where it is not known."""

    latitude: float = math.nan
    longitude: float = math.nan


class _Group(NamedTuple):
    rank: str
    name: str
    macroarea: str


def classify_language(code: str) -> LanguageClassification:
    """The family, branch and macro-area of a language or treebank, by its code."""
    lineage = get_lineage(code)
    if not lineage:
        return LanguageClassification()
    groups = [group for glottocode in lineage if (group := _groups().get(glottocode))]
    family, branch = (
        next((group.name for group in groups if group.rank == rank), "")
        for rank in ("family", "branch")
    )
    area = next((group.macroarea for group in groups if group.macroarea), "")
    return LanguageClassification(lineage[0], family, branch, area)


@cache
def _groups() -> Mapping[str, _Group]:
    _, rows = read_tab_separated(Path(__file__).with_name("families.tsv"))
    return {glottocode: _Group(*cells) for _, (glottocode, *cells) in rows}


def locate_language(code: str) -> LanguagePlace:
    """Where Glottolog puts a language, or that of a treebank, on a map, by its code."""
    lineage = get_lineage(code)
    return _coordinates().get(lineage[0], LanguagePlace()) if lineage else LanguagePlace()


@cache
def _coordinates() -> Mapping[str, LanguagePlace]:
    _, rows = read_tab_separated(Path(__file__).with_name("coordinates.tsv"))
    return {code: LanguagePlace(float(north), float(east)) for _, (code, north, east) in rows}
