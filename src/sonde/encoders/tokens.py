"""Sentences as a transformer's tokeniser cuts them, and which pieces each word has. Needs no
torch.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sonde.core import EncoderStop, Sentence
from sonde.encoders.pieces import Flags, located, of_words, with_spaces, word_spans
from sonde.vectors import Ints


@dataclass(frozen=True)
class Tokens:
    """Tokenised sentences: ids of each token, which are special, the pieces of each word, and which
    sentences were cut.
    """

    ids: list[list[int]]
    types: list[list[int]] | None
    special: list[list[int]]
    words: list[Ints] | None
    cut: NDArray[np.bool_]

    @classmethod
    def of(cls, made: Any, cut: NDArray[np.bool_], words: list[Ints] | None = None) -> Tokens:
        """What a tokeniser returned."""
        types = made.get("token_type_ids")
        return cls(made["input_ids"], types, made["special_tokens_mask"], words, cut)

    @property
    def lengths(self) -> Ints:
        """Tokens of each sentence."""
        return np.array([len(i) for i in self.ids], np.int64)


def texts(tokenizer: Any, limit: int, given: Sequence[str]) -> Tokens:
    """Raw texts as the model reads them, at most `limit` tokens each."""
    if not given:
        return Tokens([], None, [], None, np.zeros(0, bool))
    made = tokenizer(
        list(given), truncation=True, max_length=limit, return_special_tokens_mask=True
    )
    if tokenizer.is_fast:
        return Tokens.of(made, _overflowing(made))
    whole = tokenizer(list(given), truncation=False, verbose=False)["input_ids"]
    return Tokens.of(made, np.array([len(ids) > limit for ids in whole]))


def _overflowing(made: Any) -> Flags:
    """Which texts a fast tokeniser has cut."""
    return np.array([bool(encoding.overflowing) for encoding in made.encodings])


@dataclass(frozen=True)
class Words:
    """What stands for the words of a sentence in the text that is cut into pieces.

    spaces   whether a piece that is nothing but the space before a word belongs to the word
    raw      whether they are found in the raw text, and not joined with single spaces
    """

    spaces: bool = False
    raw: bool = False

    def text(self, sentence: Sentence) -> str:
        """What a tokeniser reads."""
        return sentence.text if self.raw else " ".join(sentence.words)

    def places(self, sentence: Sentence, start: int) -> Ints:
        """Where each word lies in that text, [words, 2], counted from `start`."""
        return (
            located(sentence.words, sentence.text) + start
            if self.raw
            else word_spans(sentence.words, start)
        )


JOINED = Words()


@dataclass(frozen=True)
class Pieces:
    """How words become pieces: their text, behind a prompt."""

    tokenizer: Any
    limit: int
    prompt: str = ""
    words: Words = JOINED

    def of(self, sentences: Sequence[Sentence]) -> Tokens:
        """Sentences in pieces, with the pieces first:last of each word; a word that was cut in two
        has none.
        """
        if not sentences:
            return Tokens([], None, [], [], np.zeros(0, bool))
        if self.tokenizer.is_fast:
            return self._by_characters(sentences)
        if self.words.raw:
            raise EncoderStop(
                "text=raw: this tokeniser does not say from which letters its pieces come; leave"
                " text out"
            )
        return self._word_by_word(sentences)

    def _by_characters(self, sentences: Sequence[Sentence]) -> Tokens:
        read = [self.prompt + self.words.text(s) for s in sentences]
        options = {"return_offsets_mapping": True, "return_special_tokens_mask": True}
        made = self.tokenizer(read, truncation=True, max_length=self.limit, **options)
        cut = _overflowing(made)
        marks = marks_of(self.tokenizer)
        words = []
        for i, sentence in enumerate(sentences):
            characters = np.array(made["offset_mapping"][i], np.int64).reshape(-1, 2)
            # a tokeniser may say anything of its own additions
            special = np.array(made["special_tokens_mask"][i], bool)
            space = ~special & is_space(made["input_ids"][i], characters, read[i], marks)
            places = self.words.places(sentence, len(self.prompt))
            pieces = of_words(characters, special | space, places, cut[i])
            words.append(with_spaces(pieces, space) if self.words.spaces else pieces)
        return Tokens.of(made, cut, words)

    def _word_by_word(self, sentences: Sequence[Sentence]) -> Tokens:
        """For a tokeniser that does not say where its pieces come from: each word is cut apart with
        the space before it.
        """
        cut_apart = functools.cache(
            lambda text: tuple(
                self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
            )
        )
        before, after = _added(self.tokenizer, cut_apart)
        space = () if self.words.spaces else cut_apart(" ")
        prompt = cut_apart(self.prompt) if self.prompt else ()
        room = self.limit - len(before) - len(after)
        ids, special, words, cut = [], [], [], []
        for sentence in sentences:
            parts = [cut_apart(text) for text in self._spaced(sentence)]
            flat = [*prompt, *chain.from_iterable(parts)]
            places = _places(parts, len(prompt), space)
            outside = (places[:, 1] > room) | (places[:, 0] >= places[:, 1])
            words.append(np.where(outside[:, None], 0, places + len(before)))
            cut.append(len(flat) > room)
            ids.append([*before, *flat[:room], *after])
            special.append([1] * len(before) + [0] * len(flat[:room]) + [1] * len(after))
        typed = "token_type_ids" in self.tokenizer.model_input_names
        types = [[0] * len(i) for i in ids] if typed else None
        return Tokens(ids, types, special, words, np.array(cut, bool))

    def _spaced(self, sentence: Sentence) -> Iterator[str]:
        """Each word with the space before it."""
        for i, word in enumerate(sentence.words):
            yield " " + word if i or self.prompt else word


def _places(parts: Sequence[Sequence[int]], start: int, space: Sequence[int]) -> Ints:
    """From which to which piece each word reaches without the space before it, [words, 2]."""
    stops = start + np.cumsum([len(part) for part in parts], dtype=np.int64)
    first = stops - np.array([len(part) - _leading(part, space) for part in parts], np.int64)
    return np.stack([first, stops], 1)


def _leading(part: Sequence[int], space: Sequence[int]) -> int:
    """How many ids of a word with a space before it are nothing but the space."""
    return len(space) if space and tuple(part[: len(space)]) == tuple(space) else 0


def _added(
    tokenizer: Any, cut_apart: Callable[[str], tuple[int, ...]]
) -> tuple[list[int], list[int]]:
    """The special tokens that a tokeniser puts before and behind a text."""
    inner, whole = list(cut_apart("a")), list(tokenizer("a", verbose=False)["input_ids"])
    at = next(i for i in range(len(whole) - len(inner) + 1) if whole[i : i + len(inner)] == inner)
    return whole[:at], whole[at + len(inner) :]


def is_space(ids: Sequence[int] | Ints, characters: Ints, text: str, marks: Flags) -> Flags:
    """Which pieces are nothing but a mark of the space before a word ('▁', 'Ġ'), whichever
    characters they are said to come from.

    A tokeniser that puts a mark before a text says that it comes from the first letter. A '▁' of
    the text itself is a letter.
    """
    spaces = marks[np.array(ids, np.int64)] if len(marks) else np.zeros(len(ids), bool)
    for i in np.flatnonzero(spaces):
        spaces[i] = text[characters[i, 0] : characters[i, 1]] != "▁"
    return spaces


@functools.lru_cache(maxsize=2)
def marks_of(tokenizer: Any) -> Flags:
    """Which pieces of a vocabulary are spelt with marks of spaces alone, [largest id + 1]."""
    backend = tokenizer.backend_tokenizer
    signs = {
        sign
        for part in (backend.normalizer, backend.pre_tokenizer)
        if part is not None
        for sign in _signs(_state(part))
    }
    vocabulary = backend.get_vocab(with_added_tokens=True)
    marks = np.zeros(max(vocabulary.values(), default=-1) + 1, bool)
    marks[[number for piece, number in vocabulary.items() if piece and set(piece) <= signs]] = True
    return marks


def _state(part: Any) -> Any:
    try:
        return json.loads(part.__getstate__())
    except Exception:  # a part that is written in Python has no state to read
        return {}


def _signs(state: Any) -> Iterator[str]:
    """The characters that stand for a space, by the settings of a normaliser or a pre-tokeniser."""
    if isinstance(state, list):
        for part in state:
            yield from _signs(part)
    if not isinstance(state, dict):
        return
    kind = state.get("type")
    if kind == "ByteLevel":
        yield "Ġ"
    elif kind == "Metaspace":
        yield state["replacement"]
    elif kind == "Replace" and state["pattern"].get("String") == " ":
        yield state["content"]
    yield from (
        sign for value in state.values() if isinstance(value, list) for sign in _signs(value)
    )
