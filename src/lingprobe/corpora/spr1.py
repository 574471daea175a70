"""Semantic proto-roles over the Penn Treebank (Reisinger et al. 2015; SPR1), in the two forms in
which they are handed on.

The table that was published, protoroles_eng_pb_08302015.tsv, numbers the treebank's sentences and
words and has no text:

    Split  Sentence.ID  Pred.Token  Arg  Arg.Pos  Roleset  Gram.Func  Property  Response  Applicable
    train  1778_51      8           0    5:1*7:1  join.01  subj       volition  5         True

sentence 51, counted from 0, of wsj_1778.mrg; words counted from 0 with the traces; the argument as
PropBank points to it: the constituent that stands a number of steps above a word, `*` for a chain
of traces, `,` and `;` for one in several pieces.

The file of Rudinger et al. (2018), which Tenney et al. (2019) read, has sentences and the heads of
arguments, a record a line:

    {"tokens": [...], "split": "dev", "sent_id": "1940_1", "spr1": [{"pred_idx": 8, "arg_idx": 1,
     "responses": [{"spr_property": "awareness", "response": 5.0}, ...]}, ...]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.corpora import brackets
from lingprobe.corpora.corpus import list_corpus_files
from lingprobe.corpora.files import checked_lines, uncompressed_path
from lingprobe.corpora.historical import TRACE_TAG
from lingprobe.corpora.protoroles import each_row
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.data.core import DATA_SPLITS, DataProblem, Sentence

Span = tuple[int, int]
_COLUMNS = ("Split", "Sentence.ID", "Pred.Token", "Arg.Pos", "Property", "Response", "Applicable")
_ID = re.compile(r"(\d{4})_(\d+)")
_POINTER = re.compile(r"\d+:\d+([*,;]\d+:\d+)*")


class AnnotatedArgument(NamedTuple):
    """A predicate and one of its arguments in a sentence, and the response from 1 to 5 to each
    property (the mean of several).
    """

    sentence: Sentence
    split: str
    predicate: Span
    argument: Span
    responses: Mapping[str, float]


@dataclass(slots=True)
class UnplacedArguments:
    """Arguments that could not be placed, counted by why."""

    why: dict[str, int] = field(default_factory=dict)

    def count(self, why: str) -> None:
        """One more."""
        self.why[why] = self.why.get(why, 0) + 1


def read_annotated_arguments(
    path: Path, on_error: OnError, tally: ProblemTally
) -> Iterator[AnnotatedArgument]:
    """The arguments of Rudinger's file, in its order."""
    for number, line, unreadable in checked_lines(path):
        if not (line or unreadable).strip():
            continue
        try:
            arguments = _record(line, unreadable)
        except ValueError as problem:
            tally.refuse(f"{path}:{number}: {problem}", on_error)
            continue
        tally.sentences += 1
        tally.words += len(arguments[0].sentence.words) if arguments else 0
        yield from arguments


def _record(line: str, unreadable: str) -> list[AnnotatedArgument]:
    if unreadable:
        raise ValueError(unreadable)
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(row, dict) or not isinstance(tokens := row.get("tokens"), list) or not tokens:
        raise ValueError("no record with tokens, a list of words")
    if not all(isinstance(word, str) and word for word in tokens):
        raise ValueError("a token is not a word")
    if "spr1" not in row:
        raise ValueError(
            "no spr1, the annotated arguments; mini.sprl, the sample of the neural parser, has none"
        )
    split = row.get("split", "")
    if split not in ("", *DATA_SPLITS):
        raise ValueError(f"split is {str(split)[:40]!r}, not one of {', '.join(DATA_SPLITS)}")
    if not isinstance(row["spr1"], list):
        raise ValueError("spr1 is not a list")
    sentence = Sentence.of(tokens)
    return [_read_argument_row(one, sentence, split) for one in row["spr1"]]


def _read_argument_row(row: Any, sentence: Sentence, split: str) -> AnnotatedArgument:
    try:
        predicate, argument = (row[key] for key in ("pred_idx", "arg_idx"))
        responses = [(one["spr_property"], one["response"]) for one in row["responses"]]
    except (KeyError, TypeError):
        raise ValueError(
            "an argument has pred_idx, arg_idx and responses with spr_property and response"
        ) from None
    for word in (predicate, argument):
        if type(word) is not int or not 0 <= word < len(sentence.words):
            raise ValueError(f"word {str(word)[:40]} of a sentence of {len(sentence.words)}")
    return AnnotatedArgument(
        sentence, split, (predicate, predicate + 1), (argument, argument + 1), _means(responses)
    )


def _means(responses: Sequence[tuple[Any, Any]]) -> dict[str, float]:
    """The mean response to each property."""
    by_property: dict[str, list[float]] = {}
    for name, response in responses:
        if (
            not isinstance(name, str)
            or not name
            or type(response) not in (int, float)
            or not 1 <= response <= 5
        ):
            raise ValueError(
                f"a response is a number from 1 to 5 to a property, found {str(response)[:40]} to"
                f" {str(name)[:40]!r}"
            )
        by_property.setdefault(name, []).append(float(response))
    return {name: sum(mine) / len(mine) for name, mine in by_property.items()}


def read_published_table(
    path: Path, treebank: str, on_error: OnError, tally: ProblemTally, lost: UnplacedArguments
) -> Iterator[AnnotatedArgument]:
    """The arguments of the published table, sentence by sentence, in the Penn Treebank's files of
    the Wall Street Journal.
    """
    trees, last = PennTreebankFiles.below(treebank), ""
    for (split, name, predicate, pointer), responses in sorted(
        _read_responses(path, on_error, tally).items(), key=lambda row: row[0][:2]
    ):
        tree = trees.tree(name)
        if tree is None:
            lost.count("arguments whose sentence the treebank does not have")
            continue
        if name != last:
            tally.sentences += 1
            tally.words += len(tree.sentence.words)
            last = name
        verb, argument = tree.word(predicate), tree.argument(pointer)
        if verb is None:
            lost.count(
                "arguments of a predicate that is not a word there; is it the Penn Treebank,"
                " release 3?"
            )
        elif argument is None:
            lost.count("arguments without a word, such as traces")
        else:
            if len(argument) > 1:
                lost.count("(kept) arguments in several pieces, of which the first was taken")
            yield AnnotatedArgument(
                tree.sentence, split, (verb, verb + 1), argument[0], _means(list(responses.items()))
            )


Key = tuple[str, str, int, str]
"""Split, sentence, predicate and pointer to the argument."""


def _read_responses(
    path: Path, on_error: OnError, tally: ProblemTally
) -> dict[Key, dict[str, float]]:
    """The response to each property of each argument; 1, very unlikely, where a property is not
    applicable.
    """
    rows: dict[Key, dict[str, float]] = {}

    def take(cells: list[str]) -> None:
        key, name, response = _parse_response_row(cells)
        rows.setdefault(key, {})[name] = response

    each_row(path, (_COLUMNS, "protoroles_eng_pb_08302015.tsv"), take, on_error, tally)
    return rows


def _parse_response_row(cells: list[str]) -> tuple[Key, str, float]:
    split, sentence, predicate, pointer, name, response, applicable = cells
    right = {
        "Split": (split in DATA_SPLITS, split),
        "Sentence.ID": (bool(_ID.fullmatch(sentence)), sentence),
        "Pred.Token": (predicate.isascii() and predicate.isdigit(), predicate),
        "Arg.Pos": (bool(_POINTER.fullmatch(pointer)), pointer),
        "Property": (bool(name.strip()), name),
        "Response": (response in ("1", "2", "3", "4", "5"), response),
        "Applicable": (applicable.lower() in ("true", "false"), applicable),
    }
    for column, (known, text) in right.items():
        if not known:
            raise ValueError(f"{column} is {text[:40]!r}, which it cannot be")
    return (
        (split, sentence, int(predicate), pointer),
        name,
        float(response) if applicable.lower() == "true" else 1.0,
    )


@dataclass(frozen=True, slots=True)
class TracedTree:
    """A tree with its traces, and the sentence without them. Places count words as PropBank does,
    with traces.
    """

    tree: brackets.BracketTree
    sentence: Sentence
    above: tuple[int, ...]
    overt: tuple[int, ...]

    @classmethod
    def of(cls, tree: brackets.BracketTree) -> TracedTree:
        """A tree that was read with its traces."""
        above = [0] * len(tree.words)
        for node, children in enumerate(tree.below):
            for child in children:
                if child.node < 0:
                    above[child.start] = node
        words = [i for i, tag in enumerate(tree.tags) if tag != TRACE_TAG]
        overt = [-1] * len(tree.words)
        for place, i in enumerate(words):
            overt[i] = place
        return cls(tree, Sentence.of(tree.words[i] for i in words), tuple(above), tuple(overt))

    def word(self, place: int) -> int | None:
        """Which word of the sentence stands at a place; None for a trace or nothing."""
        index = self.overt[place] if place < len(self.overt) else -1
        return index if index >= 0 else None

    def argument(self, pointer: str) -> list[Span] | None:
        """The pieces of an argument as words of the sentence: of a chain the first member with
        words; None where none has any.
        """
        for member in pointer.split("*"):
            pieces = sorted(
                {
                    span
                    for text in re.split("[,;]", member)
                    if (span := self._words(text)) is not None
                }
            )
            if pieces:
                return _merge_spans(pieces)
        return None

    def _words(self, text: str) -> Span | None:
        """The words below the constituent so many steps above a word; a step from a word's tag
        leads to the phrase around it.
        """
        place, steps = map(int, text.split(":"))
        if place >= len(self.above):
            return None
        start, stop, node = place, place + 1, self.above[place]
        for step in range(steps):
            node = node if step == 0 else max(self.tree.parents[node], 0)
            start, stop = self.tree.starts[node], self.tree.stops[node]
        words = [word for word in self.overt[start:stop] if word >= 0]
        return (words[0], words[-1] + 1) if words else None


def _merge_spans(pieces: list[Span]) -> list[Span]:
    """Pieces in order, those that touch each other as one."""
    joined = pieces[:1]
    for start, stop in pieces[1:]:
        if start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(stop, joined[-1][1])
        else:
            joined.append((start, stop))
    return joined


@dataclass(slots=True)
class PennTreebankFiles:
    """The files of the Wall Street Journal below a folder, each read when it is first asked for."""

    files: Mapping[str, Path]
    _read: dict[str, list[TracedTree]] = field(default_factory=dict)

    @classmethod
    def below(cls, folder: str) -> PennTreebankFiles:
        """The files named wsj_NNNN in a folder of trees in brackets."""
        named = {
            uncompressed_path(part.path).stem.lower(): part.path
            for part in list_corpus_files([folder], brackets.BRACKET_SUFFIXES)
        }
        files = {
            name.removeprefix("wsj_"): path
            for name, path in named.items()
            if name.startswith("wsj_")
        }
        if not files:
            raise DataProblem(
                f"{folder} has no file of the Wall Street Journal, as wsj_1778.mrg: name the Penn"
                " Treebank's folder of them"
            )
        return cls(files)

    def tree(self, name: str) -> TracedTree | None:
        """The tree of a sentence by its identifier, as 1778_51; None where it is not there."""
        file, _, number = name.partition("_")
        if file not in self.files:
            return None
        if file not in self._read:
            self._read[file] = [
                TracedTree.of(tree)
                for tree in brackets.read_brackets(self.files[file], traces=True)
            ]
        return self._read[file][int(number)] if int(number) < len(self._read[file]) else None
