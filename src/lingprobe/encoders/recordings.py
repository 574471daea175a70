"""Hidden states from files in the place of a network: what token ids gave when somebody ran it.
Imports torch.
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.data.vectors import Floats, Ints
from lingprobe.encoders.alone import Batching
from lingprobe.encoders.frames import tokeniser_of
from lingprobe.encoders.hub import ModelSource
from lingprobe.encoders.recording_files import (
    HIDDEN_STATES_ARRAY,
    TOKEN_IDS_ARRAY,
    open_tensors,
    read_state_shape,
)

_NO_LIMIT = 2**20  # tokens
_COMPARED = 200  # files by which layers are checked
_SHOWN = 2  # files that are named
_LETTERS = 60  # of a sentence that is named


def pack_ids(ids: Sequence[int] | Ints) -> bytes:
    """Token ids as bytes that sort as rows of ids do, and begin as the ids do. OverflowError for
    what is no token id.
    """
    return np.array(ids, ">u4").tobytes()


@dataclass(frozen=True)
class RecordedStates:
    """Files of hidden states, by the token ids that they are of, packed: 4 bytes a token."""

    tokenizer: Any
    index: dict[bytes, Path]
    widths: tuple[int, ...]

    device = "cpu"
    batching: Batching = "padded"
    side_by_side = False
    limit = _NO_LIMIT

    @functools.cached_property
    def rows(self) -> list[bytes]:
        """The token ids of all files, packed, in order, so that those with one beginning lie
        together.
        """
        return sorted(self.index)

    def has(self, ids: Sequence[int]) -> bool:
        """Whether a file is of these tokens."""
        return pack_ids(ids) in self.index

    def hidden_states(
        self,
        ids: Sequence[Sequence[int]],
        types: Sequence[Sequence[int]] | None = None,
        highest: int | None = None,
    ) -> tuple[Tensor, ...]:
        """The hidden states of rows of token ids, each [rows, longest, dim]; NaN for those that
        no file is of.
        """
        longest = max(len(row) for row in ids)
        whole = torch.full((len(ids), longest, len(self.widths), self.widths[0]), torch.nan)
        for target, row in zip(whole, ids, strict=True):
            if (file := self.index.get(pack_ids(row))) is not None:
                target[: len(row)] = _tensor(file, HIDDEN_STATES_ARRAY).reshape(
                    len(row), *target.shape[1:]
                )
        return tuple(whole.unbind(2))

    def site_states(self, *_: Any) -> Any:
        """Files do not tell what is inside blocks."""
        raise DataProblem("layers: files of hidden states have no sites inside blocks")

    site_width = site = site_states

    def shared_start(self, ids: tuple[int, ...], highest: int) -> None:
        """Files hold whole rows."""

    def lexical(self, ids: Ints) -> Floats:
        """Files do not tell what tokens are by themselves."""
        raise DataProblem("layers=lex: files of hidden states have no layer below the first")


@dataclass(frozen=True)
class RecordedTokens:
    """`generated=true` reads the tokens of vLLM's answer behind prompts, as files of hidden states
    have them: a file that begins with those of the prompt.
    """

    recorded: RecordedStates

    longest: ClassVar[int] = 0
    nothing: ClassVar[str] = "its file has no token behind the prompt"

    def write(
        self, sentences: Sequence[Sentence], prompts: Sequence[Sequence[int]]
    ) -> list[tuple[int, ...]]:
        """What stands behind each of some prompts [tokens]; nothing behind one that is empty, or
        that no file begins with. EncoderStop where several files do.
        """
        return [
            self._find(sentence, pack_ids(prompt))
            for sentence, prompt in zip(sentences, prompts, strict=True)
        ]

    def _find(self, sentence: Sentence, prompt: bytes) -> tuple[int, ...]:
        if not prompt:
            return ()
        rows = self.recorded.rows
        start = bisect_left(rows, prompt)
        found = takewhile(lambda row: row.startswith(prompt), rows[start : start + _SHOWN])
        begun = list(found)
        if len(begun) > 1:
            names = " and ".join(self.recorded.index[row].name for row in begun)
            raise EncoderStop(
                f"{names} both begin with the tokens of {sentence.text[:_LETTERS]!r}, so it is not"
                " known which of them goes on from it; keep one"
            )
        return tuple(np.frombuffer(begun[0][len(prompt) :], ">u4").tolist()) if begun else ()


@functools.lru_cache(maxsize=2)
def load_recorded(files: tuple[Path, ...], tokenizer: ModelSource) -> RecordedStates:
    """Files of hidden states beside the tokeniser of their model; EncoderStop where they do not go
    together.
    """
    loaded = tokeniser_of(tokenizer)
    index: dict[bytes, Path] = {}
    widths = read_state_shape(files[0])[1:]
    for file in files:
        tokens, *rest = read_state_shape(file)
        ids = _tensor(file, TOKEN_IDS_ARRAY).tolist()
        if tuple(rest) != widths or tokens != len(ids):
            raise EncoderStop(
                f"{file}: {HIDDEN_STATES_ARRAY} of {[tokens, *rest]} for {len(ids)} tokens,"
                f" expected {[len(ids), *widths]} as in {files[0].name}"
            )
        try:
            first = index.setdefault(pack_ids(ids), file)
        except OverflowError as error:
            raise EncoderStop(
                f"{file}: {TOKEN_IDS_ARRAY} has numbers that are no token ids"
            ) from error
        if first != file and not torch.equal(
            _tensor(first, HIDDEN_STATES_ARRAY), _tensor(file, HIDDEN_STATES_ARRAY)
        ):
            raise EncoderStop(
                f"{first.name} and {file.name} give two different states for the same tokens;"
                " keep one"
            )
    return RecordedStates(loaded, index, (widths[1],) * widths[0])


@functools.lru_cache(maxsize=2)
def check_layers(files: tuple[Path, ...], names: tuple[str, ...]) -> None:
    """Stop where `ids` calls a layer 0 that is not the embeddings, by the first files, or where
    states were never written. EncoderStop.

    Embeddings are the same wherever the same token stands in the same place, whatever is before
    it; states of all layers above are not. So it shows if layer 0 is no embeddings, or another is.
    """
    seen: dict[tuple[int, int], tuple[tuple[int, ...], Tensor]] = {}
    alike: list[Tensor] = []
    for file in files[:_COMPARED]:
        ids = tuple(_tensor(file, TOKEN_IDS_ARRAY).tolist())
        states = _tensor(file, HIDDEN_STATES_ARRAY).reshape(len(ids), len(names), -1)
        if bool((states == 0).flatten(1).all(1).any()):
            raise EncoderStop(
                f"{file}: a token has zeros in all layers, so its states were never written; switch"
                " off chunked prefill and prefix caching, and extract it again"
            )
        for place, number in enumerate(ids):
            before, other = seen.setdefault((place, number), (ids[:place], states[place]))
            if before != ids[:place]:
                alike.append((states[place] == other).all(-1))
    same = torch.stack(alike).all(0).tolist() if alike else [name == "0" for name in names]
    for name, is_same in zip(names, same, strict=True):
        if is_same != (name == "0"):
            raise EncoderStop(
                f"{files[0].parent}: what ids= calls {name} is {'' if is_same else 'not '}the"
                f" embeddings, since the same tokens {'never differ' if is_same else 'differ'} by"
                " what is before them; layer N is the state after N layers, and 0 the embeddings"
            )


def _tensor(file: Path, name: str) -> Tensor:
    with open_tensors(file, "pt") as tensors:
        return tensors.get_tensor(name)  # type: ignore[no-any-return]
