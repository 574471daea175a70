"""Semantic proto-role annotations as they were published: White et al. 2016 (SPR2, a table) and UDS
1.0 (JSON in a zip).

Neither has the sentences: both number those of the English UD treebank, release 1.2.
`NumberedSentences` finds them there, or in a later release by the table of identifiers that comes
with UDS.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.corpora import conllu
from lingprobe.corpora.corpus import list_corpus_files
from lingprobe.corpora.files import checked_lines, open_zip
from lingprobe.corpora.strict import parse_json_bytes, read_json_document
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.data.core import DATA_SPLITS, DataProblem, Sentence

SPR1_COLUMNS = (
    "Split", "Sentence.ID", "Pred.Token", "Arg.Tokens.Begin", "Arg.Tokens.End", "Arg.Phrase",
    "Property", "Response", "Applicable",
)  # fmt: skip
_NODES = re.compile(
    r"ewt-(train|dev|test)-(\d+)-semantics-pred-([1-9]\d*)%%ewt-\1-\2-semantics-arg-([1-9]\d*)"
)


class ArgumentPlace(NamedTuple):
    """A predicate and an argument: words [start, stop) of sentence number `sentence` (from 1) of a
    split.
    """

    split: str
    sentence: int
    predicate: tuple[int, int]
    argument: tuple[int, int]


@dataclass(slots=True)
class ArgumentResponses:
    """What was said about one predicate and argument.

    phrase     the argument's words in lower case, '' where they are not told
    responses  by property, the answers from 1 to 5 of those who found it applicable; empty where
               none did
    """

    phrase: str
    responses: dict[str, list[float]] = field(default_factory=dict)

    def means(self) -> dict[str, float]:
        """The mean response of each property that somebody found applicable."""
        return {
            name: sum(values) / len(values) for name, values in self.responses.items() if values
        }


def read_spr2(
    path: Path, on_error: OnError, tally: ProblemTally
) -> dict[ArgumentPlace, ArgumentResponses]:
    """All answers of a table with tabs and a line of headings (protoroles_eng_ud1.2_11082016.tsv),
    by place, in its order.
    """
    by_place: dict[ArgumentPlace, ArgumentResponses] = {}
    each_row(
        path,
        (SPR1_COLUMNS, "protoroles_eng_ud1.2_11082016.tsv"),
        lambda cells: _add_responses(cells, by_place),
        on_error,
        tally,
    )
    return by_place


def each_row(
    path: Path,
    table: tuple[Sequence[str], str],
    take: Callable[[list[str]], None],
    on_error: OnError,
    tally: ProblemTally,
) -> None:
    """Hand the cells of each row of a table with tabs and a line of headings to `take`, whose
    ValueErrors say what is wrong with a row.

    table  the columns that are wanted, and what the published file that has them is called
    """
    names, published = table
    columns: list[int] = []
    for number, line, unreadable in checked_lines(path):
        cells = line.split("\t")
        if not columns:
            if missing := [name for name in names if name not in cells]:
                raise DataProblem(f"{path}:{number}: no column {missing[0]}; is this {published}?")
            columns = [cells.index(name) for name in names]
            continue
        try:
            if unreadable:
                raise ValueError(unreadable)
            if len(cells) <= max(columns):
                raise ValueError(f"{len(cells)} columns, not at least {max(columns) + 1}")
            take([cells[k] for k in columns])
        except ValueError as problem:
            tally.refuse(f"{path}:{number}: {problem}", on_error)


def _add_responses(cells: list[str], by_place: dict[ArgumentPlace, ArgumentResponses]) -> None:
    split, sentence, predicate, begin, end, phrase, name, response, applicable = cells
    numbers = map(
        _parse_response, SPR1_COLUMNS[1:5], (sentence.rpartition(" ")[2], predicate, begin, end)
    )
    number, start, first, last = numbers
    _check_known("Split", split, DATA_SPLITS)
    _check_known("Response", response, ("1", "2", "3", "4", "5", "nan"))
    _check_known("Applicable", applicable, ("yes", "no"))
    if last < first:
        raise ValueError(f"the argument begins with word {first} and ends with word {last}")
    place = ArgumentPlace(split, number, (start, start + 1), (first, last + 1))
    answers = by_place.setdefault(place, ArgumentResponses(phrase.lower()))
    responses = answers.responses.setdefault(name, [])
    # an extremely rare error of the forms left nan, says the README
    if applicable != "no" and response != "nan":
        responses.append(float(response))


def _parse_response(column: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{column} is {text[:40]!r}, not a number from 0")
    return int(text)


def _check_known(column: str, text: str, known: Sequence[str]) -> None:
    if text not in known:
        raise ValueError(f"{column} is {text[:40]!r}, not one of {', '.join(known)}")


def read_uds(
    path: Path, on_error: OnError, tally: ProblemTally
) -> Iterator[tuple[ArgumentPlace, Mapping[str, float]]]:
    """The normalized values of each predicate and argument (their heads) in UDS's JSON, zipped or
    not, in its order.
    """
    document = _json(path)
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, dict) or not all(isinstance(edges, dict) for edges in data.values()):
        raise DataProblem(
            f"{path}: not the normalized proto-roles of UDS 1.0, which has sentences with their"
            " edges under `data`"
        )
    for edges in data.values():
        for edge, types in edges.items():
            try:
                yield _edge(edge, types)
            except ValueError as problem:
                tally.refuse(f"{path}: {edge[:80]}: {problem}", on_error)


def _edge(edge: str, types: Any) -> tuple[ArgumentPlace, Mapping[str, float]]:
    named = _NODES.fullmatch(edge)
    if named is None:
        raise ValueError(
            "not a predicate and an argument of UDS, as"
            " ewt-dev-1-semantics-pred-4%%ewt-dev-1-semantics-arg-2"
        )
    try:
        values = {name: float(one["value"]) for name, one in types["protoroles"].items()}
    except (KeyError, TypeError, AttributeError, ValueError):
        raise ValueError('no numbers as {"protoroles": {"awareness": {"value": 0.5}}}') from None
    if wrong := [name for name, value in values.items() if not math.isfinite(value)]:
        raise ValueError(f"the value of {wrong[0]} is not a finite number")
    predicate, argument = int(named[3]), int(named[4])
    return (
        ArgumentPlace(
            named[1], int(named[2]), (predicate - 1, predicate), (argument - 1, argument)
        ),
        values,
    )


def _json(path: Path) -> Any:
    """What a JSON file holds, or the one in a zip."""
    if path.suffix != ".zip":
        return read_json_document(path, nan=True)
    with open_zip(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".json")]
        if len(names) != 1:
            raise DataProblem(f"{path}: {len(names)} JSON files in it, not one")
        content = archive.read(names[0])
    return parse_json_bytes(
        content, f"{path}!{names[0]}", nan=True
    )  # a value that is none costs its edge


def _identifiers(path: Path) -> dict[str, str]:
    try:
        return {key: str(value["sentence_id"]) for key, value in _json(path).items()}
    except (KeyError, TypeError, AttributeError):
        raise DataProblem(
            f'{path}: not ud_ids.json of UDS, an object as {{"ewt-dev-1": {{"sentence_id": ...}}}}'
        ) from None


@dataclass(frozen=True, slots=True)
class NumberedSentences:
    """The sentences of English UD, which annotations number from 1 in each split of release 1.2.

    ordered  by split, the sentences in order; `named` by identifier; `ids` from 'ewt-dev-1' to an
             identifier, {} for release 1.2 itself
    """

    ordered: Mapping[str, list[Sentence]]
    named: Mapping[str, Sentence]
    ids: Mapping[str, str]

    @classmethod
    def read(
        cls,
        path: str,
        ids: str | None,
        on_error: OnError = "raise",
        tally: ProblemTally | None = None,
    ) -> NumberedSentences:
        """The treebank in a folder; `ids` is the file ud_ids.json of UDS, needed for other releases
        than 1.2.
        """
        ordered: dict[str, list[Sentence]] = {}
        named: dict[str, Sentence] = {}
        for part in list_corpus_files([path], (".conllu",)):
            for tree in conllu.read_conllu(part.path, on_error, tally):
                ordered.setdefault(part.split, []).append(tree.sentence)
                if ids is None and tree.sent_id:
                    raise DataProblem(
                        f"{part.path} names its sentences ({tree.sent_id}), so it is later than"
                        " release 1.2, whose sentences are numbered; give ids=ud_ids.json of UDS,"
                        " which says what they are called"
                    )
                named[tree.sent_id] = tree.sentence
        table = {} if ids is None else _identifiers(Path(ids).expanduser())
        return cls(ordered, named, table)

    def sentence(self, place: ArgumentPlace) -> Sentence | None:
        """The sentence of a place, None where it is not there."""
        if self.ids:
            return self.named.get(self.ids.get(f"ewt-{place.split}-{place.sentence}", ""))
        mine = self.ordered.get(place.split, [])
        return mine[place.sentence - 1] if 0 < place.sentence <= len(mine) else None
