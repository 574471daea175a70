"""Text -> sentences and words as a treebank has them: what was learnt with a parser."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lingprobe.annotators.segment import Cut
from lingprobe.corpora.files import digest
from lingprobe.corpora.trees import Range
from lingprobe.data.core import DataProblem
from lingprobe.parts.training.parsers.expansions import Expansions
from lingprobe.parts.training.parsers.layout import Token

if TYPE_CHECKING:
    from lingprobe.data.vectors import Floats
    from lingprobe.parts.training.nets.splitting import SplitterNet

SPLITTER = "splitter.safetensors"
ABOUT = "splitter"  # of the file's metadata, and of what the parser's folder says
WINDOW, BATCH = 512, 32  # characters that are read at once, and how many such parts


class Learnt(NamedTuple):
    """A net that tells where tokens and sentences end, and what else is needed.

    letters  their numbers
    spaced   whether words have spaces inside
    """

    net: SplitterNet
    letters: Mapping[str, int]
    spaced: bool
    expansions: Expansions

    def tokens(self, text: str, *, whole: bool = False) -> list[Token]:
        """The tokens of a text without spaces at its ends; with `whole` it is one sentence."""
        from lingprobe.parts.training.nets.splitting import logits, numbers_of

        if not text:
            return []
        told = logits(self.net, numbers_of(text, self.letters), WINDOW, BATCH)
        tokens, start = list[Token](), 0
        for stop, many, last in _ends(text, told, self.spaced):
            form = text[start:stop].strip(" ")
            several = self.expansions.several(form, many)
            words = self.expansions.words(form) if several else (form,)
            tokens.append(Token(stop, words, last and (not whole or stop == len(text))))
            start = stop
        return tokens

    def facts(self) -> dict[str, Any]:
        """All but the weights, as JSON has it."""
        return {
            "shape": self.net.shape.plain(),
            "letters": "".join(self.letters),
            "spaced": self.spaced,
            **self.expansions.plain(),
        }


def _ends(text: str, told: Floats, spaced: bool) -> Iterator[tuple[int, bool, bool]]:
    """One past each token's end, whether it is a multiword one, and whether a sentence ends."""
    for at, (token, many, last) in enumerate((told > 0).tolist()):
        final = at + 1 == len(text)
        if text[at] == " ":
            continue
        if final or token or (text[at + 1] == " " and not spaced):
            yield at + 1, many, last or final


def cuts(text: str, tokens: Sequence[Token]) -> Iterator[Cut]:
    """The sentences of a text by its tokens."""
    words, ranges = list[str](), list[Range]()
    begin = start = 0
    for token in tokens:
        if len(token.words) > 1:
            form = text[start : token.stop].strip(" ")
            ranges.append(Range(len(words), len(words) + len(token.words), form, "_"))
        words += token.words
        start = token.stop
        if token.last:
            yield Cut(tuple(words), text[begin:start].strip(" "), tuple(ranges))
            words, ranges, begin = [], [], start


@dataclass(frozen=True)
class Splitter:
    """What a parser learnt of how its treebank splits text."""

    name: str
    file: Path
    fingerprint: str

    def segment(self, text: str, *, whole: bool = False) -> Iterator[Cut]:
        """The sentences of a passage in one line."""
        text = text.strip()
        yield from cuts(text, _read(self.file, self.fingerprint).tokens(text, whole=whole))


def splitter(name: str, folder: Path, facts: Mapping[str, Any]) -> Splitter | None:
    """What the parser in a folder learnt, by the folder's facts; None where it learnt nothing of
    the kind, DataProblem where that is missing or damaged.
    """
    if ABOUT not in facts:
        return None
    file = folder / SPLITTER
    if not file.is_file() or digest([file]) != facts[ABOUT]["digest"]:
        raise DataProblem(
            f"{file} is missing or damaged, by which the parser splits text; copy it again, or"
            " split by --tokens rules"
        )
    return Splitter(name, file, facts[ABOUT]["digest"])


@functools.lru_cache(maxsize=2)
def _read(file: Path, mark: str) -> Learnt:
    """What stands in a file; `mark` tells one content of it from another."""
    from safetensors import safe_open

    from lingprobe.parts.training.encoder import tensors_of
    from lingprobe.parts.training.nets.splitting import LETTERS, SplitterShape

    with safe_open(file, "pt") as opened:
        facts = json.loads(opened.metadata()[ABOUT])
    net = SplitterShape(**facts["shape"]).network(0)
    net.load_state_dict(dict(tensors_of(file)))
    letters = {letter: i for i, letter in enumerate(facts["letters"], LETTERS)}
    return Learnt(net.eval(), letters, facts["spaced"], Expansions.read(facts))
