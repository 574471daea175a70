"""Semantic proto-role annotations as they were published: White et al. 2016 (SPR2, a table) and UDS 1.0 (JSON in a zip).

Neither has the sentences: both number those of the English UD treebank, release 1.2. `Treebank` finds them there, or in a later release by
the table of identifiers that comes with UDS.
"""

from __future__ import annotations

import json
import math
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sonde.core import DataProblem, Sentence
from sonde.sources import conllu
from sonde.sources.conllu import OnError, Tally
from sonde.sources.corpus import corpus
from sonde.sources.files import lines, opened

COLUMNS = (
    "Split", "Sentence.ID", "Pred.Token", "Arg.Tokens.Begin", "Arg.Tokens.End", "Arg.Phrase", "Property", "Response", "Applicable",
)  # fmt: skip
_NODES = re.compile(r"ewt-(train|dev|test)-(\d+)-semantics-pred-(\d+)%%ewt-\1-\2-semantics-arg-(\d+)")


class Place(NamedTuple):
    """A predicate and an argument: words [start, stop) of sentence number `sentence` (from 1) of a split."""

    split: str
    sentence: int
    predicate: tuple[int, int]
    argument: tuple[int, int]


@dataclass(slots=True)
class Answers:
    """What was said about one predicate and argument.

    phrase     the argument's words in lower case, '' where they are not told
    responses  by property, the answers from 1 to 5 of those who found it applicable; empty where none did
    """

    phrase: str
    responses: dict[str, list[float]] = field(default_factory=dict)

    def means(self) -> dict[str, float]:
        """The mean response of each property that somebody found applicable."""
        return {name: sum(found) / len(found) for name, found in self.responses.items() if found}


def spr2(path: Path, on_error: OnError, tally: Tally) -> dict[Place, Answers]:
    """All answers of a table with tabs and a line of headings (protoroles_eng_ud1.2_11082016.tsv), by place, in its order."""
    found: dict[Place, Answers] = {}
    columns: list[int] = []
    for number, line in lines(path):
        cells = line.split("\t")
        if not columns:
            missing = [name for name in COLUMNS if name not in cells]
            if missing:
                raise DataProblem(f"{path}:{number}: no column {missing[0]}; is this protoroles_eng_ud1.2_11082016.tsv?")
            columns = [cells.index(name) for name in COLUMNS]
            continue
        try:
            _add([cells[k] for k in columns], found)
        except (IndexError, ValueError) as problem:
            told = f"{path}:{number}: {problem}"
            if on_error == "raise":
                raise DataProblem(told) from None
            tally.skip(told)
    return found


def _add(cells: list[str], found: dict[Place, Answers]) -> None:
    split, sentence, predicate, begin, end, phrase, name, response, applicable = cells
    start, first, last = int(predicate), int(begin), int(end)
    place = Place(split, int(sentence.split()[-1]), (start, start + 1), (first, last + 1))
    answers = found.setdefault(place, Answers(phrase.lower()))
    said = answers.responses.setdefault(name, [])
    value = float(response)
    if applicable != "no" and not math.isnan(value):  # an extremely rare error of the forms left nan, says the README
        said.append(value)


def uds(path: Path) -> Iterator[tuple[Place, Mapping[str, float]]]:
    """The normalized values of each predicate and argument (their heads) in UDS's JSON, zipped or not, in its order."""
    try:
        found = _json(path)["data"]
        for edges in found.values():
            for edge, types in edges.items():
                named = _NODES.fullmatch(edge)
                if named is None:
                    raise DataProblem(
                        f"{path}: {edge[:80]!r} is not a predicate and an argument of UDS, as ewt-dev-1-semantics-pred-4%%..."
                    )
                predicate, argument = int(named[3]), int(named[4])
                values = {name: float(one["value"]) for name, one in types["protoroles"].items()}
                yield Place(named[1], int(named[2]), (predicate - 1, predicate), (argument - 1, argument)), values
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        if isinstance(problem, DataProblem):
            raise
        raise DataProblem(f"{path}: not the normalized proto-roles of UDS 1.0 ({problem!r})") from None


def _json(path: Path) -> Any:
    """What a JSON file holds, or the one in a zip."""
    if path.suffix != ".zip":
        with opened(path) as file:
            return json.load(file)
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.endswith(".json")]
            if len(names) != 1:
                raise DataProblem(f"{path}: {len(names)} JSON files in it, not one")
            return json.loads(archive.read(names[0]))
    except zipfile.BadZipFile:
        raise DataProblem(f"{path} is damaged or not a zip; get it again") from None


@dataclass(frozen=True, slots=True)
class Treebank:
    """The sentences of English UD, which annotations number from 1 in each split of release 1.2.

    ordered  by split, the sentences in order; `named` by identifier; `ids` from 'ewt-dev-1' to an identifier, {} for release 1.2 itself
    """

    ordered: Mapping[str, list[Sentence]]
    named: Mapping[str, Sentence]
    ids: Mapping[str, str]

    @classmethod
    def read(cls, path: str, ids: str | None, on_error: OnError = "raise", tally: Tally | None = None) -> Treebank:
        """The treebank in a folder; `ids` is the file ud_ids.json of UDS, needed for other releases than 1.2."""
        ordered: dict[str, list[Sentence]] = {}
        named: dict[str, Sentence] = {}
        for part in corpus([path], (".conllu",)):
            for tree in conllu.read(part.path, on_error, tally):
                ordered.setdefault(part.split, []).append(tree.sentence)
                named[tree.sent_id] = tree.sentence
        table = {} if ids is None else {key: str(value["sentence_id"]) for key, value in _json(Path(ids).expanduser()).items()}
        return cls(ordered, named, table)

    def sentence(self, place: Place) -> Sentence | None:
        """The sentence of a place, None where it is not there."""
        if self.ids:
            return self.named.get(self.ids.get(f"ewt-{place.split}-{place.sentence}", ""))
        mine = self.ordered.get(place.split, [])
        return mine[place.sentence - 1] if 0 < place.sentence <= len(mine) else None
