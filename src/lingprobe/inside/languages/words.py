"""Words with their features, from treebanks and from files of UniMorph: what each spelling may be.

A line of UniMorph is a lemma, a form and its tags, as `talo<tab>talossa<tab>N;IN+ESS;SG`; a fourth
column is passed over. Its tags get the names of features that Universal Dependencies have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lingprobe.corpora.corpus import list_corpus_files
from lingprobe.corpora.files import (
    CorpusPart,
    checked_lines,
    uncompressed_path,
)
from lingprobe.corpora.machine import drop_parallel_files
from lingprobe.corpora.marks import fold_form
from lingprobe.corpora.places import locate_path
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.corpora.trees import parse_features
from lingprobe.corpora.views import BatchColumns, check_dependencies, read_blocks
from lingprobe.data.records import read_tab_separated

TREEBANK_SUFFIX = ".conllu"
_PARTS_OF_SPEECH = {"N": "NOUN", "PRO": "PRON", "V": "VERB", "ART": "DET"}
_UNUSUAL = ("Abbr", "Foreign", "Typo")  # whose spelling does not show what they are


class MorphologicalAnalysis(NamedTuple):
    """What a form may be: its lemma, part of speech and features, as `Case=Nom|Number=Sing`."""

    lemma: str
    upos: str
    feats: str


@dataclass
class SpellingCounts:
    """A spelling, whatever its case: how it is written, and how often it is read as what."""

    spellings: Counter[str] = field(default_factory=Counter)
    readings: Counter[MorphologicalAnalysis] = field(default_factory=Counter)

    @property
    def form(self) -> str:
        """The commonest way to write it; of equal ones the first in order."""
        return min(self.spellings, key=lambda text: (-self.spellings[text], text))

    @property
    def lemmas(self) -> set[str]:
        """What it may be a form of."""
        return {fold_form(reading.lemma) for reading in self.readings}

    @property
    def upos(self) -> str:
        """Its commonest part of speech."""
        counts: Counter[str] = Counter()
        for reading, n in self.readings.items():
            counts[reading.upos] += n
        return min(counts, key=lambda name: (-counts[name], name))

    @property
    def is_unusual(self) -> bool:
        """Whether it is mostly an abbreviation, foreign, or misspelt."""
        odd = (
            n
            for each, n in self.readings.items()
            if not parse_features(each.feats).keys().isdisjoint(_UNUSUAL)
        )
        return 2 * sum(odd) > self.readings.total()

    def values(self, feature: str, upos: str | None = None) -> Counter[str]:
        """How often it has each value of a feature, '' for none: as that part of speech, or as any.
        What is written as several at once, as `Acc,Nom`, counts for each.
        """
        counts: Counter[str] = Counter()
        for reading, n in self.readings.items():
            if upos in (None, reading.upos):
                for value in parse_features(reading.feats).get(feature, "").split(","):
                    counts[value] += n
        return counts


def find_word_files(paths: Iterable[str]) -> list[CorpusPart]:
    """The files that some paths name: treebanks, or files of UniMorph."""
    parts: list[CorpusPart] = []
    for path in paths:
        place = locate_path(path)
        if place.is_file() and uncompressed_path(place).suffix != TREEBANK_SUFFIX:
            parts.append(CorpusPart("", place))
        else:
            parts += drop_parallel_files(list_corpus_files([path], (TREEBANK_SUFFIX,)))
    return parts


@dataclass
class FormLexicon:
    """The words of some files by spelling in lower case, and what was read and skipped."""

    words: dict[str, SpellingCounts] = field(default_factory=dict)
    tally: ProblemTally = field(default_factory=ProblemTally)

    @classmethod
    def of(cls, parts: Iterable[CorpusPart], on_error: OnError) -> FormLexicon:
        """The words of some files."""
        made = cls()
        for part in parts:
            is_tree = uncompressed_path(part.path).suffix == TREEBANK_SUFFIX
            read = _of_trees if is_tree else _of_lines
            for (form, reading), n in read(part.path, on_error, made.tally).items():
                word = made.words.setdefault(fold_form(form), SpellingCounts())
                word.spellings[form] += n
                word.readings[reading] += n
        return made

    def __len__(self) -> int:
        return len(self.words)

    def readings(self, upos: str | None) -> Iterator[tuple[str, int]]:
        """The features of each reading of each word, once a word."""
        for word in self.words.values():
            for reading in word.readings:
                if upos in (None, reading.upos):
                    yield reading.feats, 1


def _of_trees(
    path: Path, on_error: OnError, tally: ProblemTally
) -> Counter[tuple[str, MorphologicalAnalysis]]:
    counts: Counter[tuple[str, MorphologicalAnalysis]] = Counter()
    for block in read_blocks(path, on_error, tally):
        rows = BatchColumns(check_dependencies(block, "forms/feat"))
        read = zip(rows.forms, rows.lemmas, rows.upos, rows.feats, strict=True)
        counts.update((form, MorphologicalAnalysis(*reading)) for form, *reading in read)
    return counts


def _of_lines(
    path: Path, on_error: OnError, tally: ProblemTally
) -> Counter[tuple[str, MorphologicalAnalysis]]:
    counts: Counter[tuple[str, MorphologicalAnalysis]] = Counter()
    for number, line, problem in checked_lines(path):
        cells = line.rstrip("\r").split("\t")
        if not (problem or line.strip()):
            continue
        if problem or len(cells) < 3 or not all(cells[:3]):
            why = problem or "not a lemma, a form and tags, with tabs between"
            tally.refuse(f"{path}:{number}: {why}", on_error)
            continue
        lemma, form, tags = cells[:3]
        tally.words += 1
        upos, feats = convert_unimorph_tags(tags)
        counts[form, MorphologicalAnalysis(lemma, upos, feats)] += 1
    return counts


@cache
def convert_unimorph_tags(tags: str) -> tuple[str, str]:
    """The part of speech and the features that tags of UniMorph stand for; one of which the schema
    knows nothing is excluded.
    """
    first, *others = tags.split(";")
    values: dict[str, str] = {}
    for tag in (first, *others):
        # alternatives, as {ACC/GEN}, have commas in Universal Dependencies
        value = tag.strip("{}").replace("/", ",")
        if name := _read_tag_features().get(value.partition(",")[0].partition("+")[0]):
            values.setdefault(name, value)
    feats = "|".join(f"{name}={value}" for name, value in sorted(values.items()))
    pos = first.partition(".")[0]
    return _PARTS_OF_SPEECH.get(pos, pos), feats or "_"


@cache
def _read_tag_features() -> Mapping[str, str]:
    """Tag -> the feature that it is of."""
    _, lines = read_tab_separated(Path(__file__).with_name("unimorph.tsv"))
    return {tag: name for _, (name, tags) in lines for tag in tags.split()}
