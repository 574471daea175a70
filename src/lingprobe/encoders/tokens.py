"""Sentences as a transformer's tokeniser cuts them, and which pieces each word has, aligned by
characters (edge probing's retokenisation, without its losses). Needs no torch.

The code of Tenney et al. (2019) aligned pieces with words by an edit distance between their
spellings, which loses pieces where a spelling is no text (bytes of a letter outside ASCII, unknown
words). Tokenisers that say from which characters a piece comes make it exact.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain, pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import Sentence
from lingprobe.data.vectors import Ints
from lingprobe.encoders.frames import (
    DEFAULT_PROMPT_FRAME,
    PromptFrame,
    say_started_twice,
    say_where,
)

Flags = NDArray[np.bool_]
T = TypeVar("T")

_DECODED_BEFORE = 4  # tokens before one, whose text decides whether it begins with a space
_NO_CHARACTER = "\ufffd"  # what decoding makes of a part of a character


def word_spans(words: Sequence[str], start: int = 0) -> Ints:
    """Where each word lies in the words joined with single spaces, [words, 2], counted from
    `start`.
    """
    lengths = np.array([len(w) for w in words], np.int64)
    stops = start + np.cumsum(lengths + 1) - 1
    return np.stack([stops - lengths, stops], 1)


def locate_words(words: Sequence[str], text: str) -> Ints:
    """Where each word lies in a raw text, [words, 2]; white space plays no part.

    Words that are not in it as they are (`de` and `le` of `du`) all lie where the text between
    their neighbours is. Words that stand in no such place have an empty range.
    """
    letters = np.flatnonzero([not sign.isspace() for sign in text])
    bare = ["".join(word.split()) for word in words]
    joined, squeezed = "".join(bare), "".join(text.split())
    ends = np.cumsum([0, *map(len, bare)])
    if joined == squeezed:
        first, last = ends[:-1], ends[1:]
    else:
        first, last = _between(*_anchor_words(joined, squeezed, ends), len(squeezed))
    places = np.zeros((len(words), 2), np.int64)
    some = np.flatnonzero(last > first)
    places[some, 0], places[some, 1] = letters[first[some]], letters[last[some] - 1] + 1
    return places


def _anchor_words(joined: str, text: str, ends: Ints) -> tuple[Ints, Ints]:
    """Where each word lies that is in the text as it is, as starts and stops; -1 for the others."""
    place = np.full(len(joined) + 1, -1, np.int64)
    for a, b, size in SequenceMatcher(None, joined, text, autojunk=False).get_matching_blocks():
        place[a : a + size] = np.arange(b, b + size)
    first = np.full(len(ends) - 1, -1, np.int64)
    stops = first.copy()
    for word, (start, stop) in enumerate(pairwise(ends.tolist())):
        at = place[start:stop]
        if (
            stop > start
            and at[0] >= 0
            and np.array_equal(at, np.arange(at[0], at[0] + stop - start))
        ):
            first[word], stops[word] = at[0], at[0] + stop - start
    return first, stops


def _between(first: Ints, stops: Ints, end: int) -> tuple[Ints, Ints]:
    """The same with every run of words that lie nowhere put where the text between its neighbours
    is.
    """
    known = first >= 0
    before = np.maximum.accumulate(np.concatenate([[0], np.where(known, stops, 0)]))[:-1]
    after = np.minimum.accumulate(np.concatenate([np.where(known, first, end), [end]])[::-1])[::-1][
        1:
    ]
    return np.where(known, first, before), np.where(known, stops, after)


def of_words(pieces: Ints, nowhere: Flags, words: Ints, cut: bool) -> Ints:
    """The pieces first:last of each word, [words, 2], from character spans of pieces and of words;
    those of `nowhere` are no word's.

    Of a text that was cut, a word that is not there to its end has none.
    """
    pieces_of = align_pieces(at := place_pieces(pieces, nowhere, words), words)
    return without_torn(pieces_of, words, int(at[:, 1].max(initial=0))) if cut else pieces_of


def align_pieces(pieces: Ints, words: Ints) -> Ints:
    """A subword belongs to the word with which it shares a character: the pieces first:last of each
    word [words, 2], from character spans of pieces [pieces, 2] and of words [words, 2].

    A piece belongs to a word where they share a character; a piece that is only a space, or
    nothing, belongs to none. A word that no piece shares a character with has an empty range.
    """
    solid = np.flatnonzero(pieces[:, 1] > pieces[:, 0])
    ranges = np.zeros((len(words), 2), np.int64)
    if not len(solid):
        return ranges
    starts, stops = np.maximum.accumulate(pieces[solid, 0]), np.maximum.accumulate(pieces[solid, 1])
    first = np.searchsorted(stops, words[:, 0], "right")
    last = np.searchsorted(starts, words[:, 1], "left")
    some = (last > first) & (words[:, 1] > words[:, 0])
    ranges[some, 0], ranges[some, 1] = solid[first[some]], solid[last[some] - 1] + 1
    return ranges


def place_pieces(pieces: Ints, nowhere: Flags, words: Ints) -> Ints:
    """Character spans of pieces as `align_pieces` reads them, [pieces, 2]: those of `nowhere`
    empty, the others never.

    Some tokenisers say of a piece that it has no width; it is taken to be at the character that it
    stands before, or, at the end of a word, behind.
    """
    spans = pieces.copy()
    spans[nowhere] = 0
    thin = np.flatnonzero(~nowhere & (pieces[:, 1] <= pieces[:, 0]))
    at = pieces[thin, 0]
    inside = (
        np.searchsorted(words[:, 0], at, "right") - np.searchsorted(words[:, 1], at, "right")
    ) > 0
    spans[thin, 0], spans[thin, 1] = (
        np.where(inside, at, np.maximum(at - 1, 0)),
        np.where(inside, at + 1, np.maximum(at, 1)),
    )
    return spans


def without_torn(ranges: Ints, words: Ints, read: int) -> Ints:
    """The same without words of which something lies behind the character `read`, where the text
    was cut.
    """
    return np.where(words[:, 1:] > read, 0, ranges)


def with_spaces(ranges: Ints, space: Flags) -> Ints:
    """The same where pieces that are nothing but a space, right before a word, belong to it (as the
    old code had it).
    """
    some = np.flatnonzero(ranges[:, 1] > ranges[:, 0])
    other = np.where(space, -1, np.arange(len(space)))
    # the last piece before each that is no space
    before = np.concatenate([[-1], np.maximum.accumulate(other)])
    wider = ranges.copy()
    ends = (
        np.concatenate([[0], np.maximum.accumulate(ranges[some, 1])[:-1]])
        if len(some)
        else ranges[some, 0]
    )
    wider[some, 0] = np.minimum(ranges[some, 0], np.maximum(before[ranges[some, 0]] + 1, ends))
    return wider


@dataclass(frozen=True)
class TokenisedSentences:
    """Tokenised sentences: ids of each token, which are special, the pieces of each word, which
    sentences were cut, and which tokens are theirs, where there are others and only these count.
    """

    ids: list[list[int]]
    types: list[list[int]] | None
    special: list[list[int]]
    words: list[Ints] | None
    cut: NDArray[np.bool_]
    inside: list[Flags] | None = None

    @classmethod
    def of(
        cls,
        encodings: Any,
        cut: NDArray[np.bool_],
        words: list[Ints] | None = None,
        inside: list[Flags] | None = None,
    ) -> TokenisedSentences:
        """What a tokeniser returned."""
        types, special = encodings.get("token_type_ids"), encodings["special_tokens_mask"]
        return cls(encodings["input_ids"], types, special, words, cut, inside)

    @property
    def lengths(self) -> Ints:
        """Tokens of each sentence."""
        return np.array([len(i) for i in self.ids], np.int64)


def join_tokenised(batches: Sequence[TokenisedSentences]) -> TokenisedSentences:
    """Sentences that were tokenised in parts."""
    return TokenisedSentences(
        list(chain.from_iterable(part.ids for part in batches)),
        _join([part.types for part in batches]),
        list(chain.from_iterable(part.special for part in batches)),
        _join([part.words for part in batches]),
        np.concatenate([np.zeros(0, bool), *(part.cut for part in batches)]),
        _join([part.inside for part in batches]),
    )


def _join(parts: Sequence[list[T] | None]) -> list[T] | None:
    """Lists as one; None where one is."""
    known = [part for part in parts if part is not None]
    return list(chain.from_iterable(known)) if len(known) == len(parts) else None


def tokenise_texts(
    tokenizer: Any, limit: int, raw: Sequence[str], frame: PromptFrame = DEFAULT_PROMPT_FRAME
) -> TokenisedSentences:
    """Raw texts as the model reads them, at most `limit` tokens each."""
    if not raw:
        return TokenisedSentences([], None, [], None, np.zeros(0, bool))
    read = [frame.around(text) for text in raw]
    options = {
        "return_special_tokens_mask": True,
        "add_special_tokens": frame.special,
        "return_offsets_mapping": frame.alone and say_where(tokenizer, "template"),
    }
    encodings = tokenizer(read, truncation=True, max_length=limit, **options)
    if tokenizer.is_fast:
        cut = find_overflowing(encodings)
        encodings = _start_once(encodings, tokenizer) if frame.starts == "once" else encodings
        inside = frame.insides(encodings, [len(text) for text in raw]) if frame.alone else None
        return TokenisedSentences.of(encodings, cut, inside=inside)
    whole = tokenizer(read, truncation=False, verbose=False)["input_ids"]
    return TokenisedSentences.of(encodings, np.array([len(ids) > limit for ids in whole]))


def spell_tokens(tokenizer: Any, ids: Sequence[int]) -> tuple[str, ...]:
    """What each token stands for: what decoding it adds to the text, or, where that is nothing, as
    of a part of a character, how the tokenizer writes it.
    """
    names = tokenizer.convert_ids_to_tokens(list(ids))
    spelled = []
    for place, name in enumerate(names):
        start = max(place - _DECODED_BEFORE, 0)
        before, whole = (
            tokenizer.decode(ids[start:end], clean_up_tokenization_spaces=False)
            for end in (place, place + 1)
        )
        added = whole[len(before) :] if whole.startswith(before) else ""
        spelled.append(added if added and _NO_CHARACTER not in added else str(name))
    return tuple(spelled)


def find_overflowing(batch: Any) -> Flags:
    """Which sentences are too long for the model, and were cut by a fast tokeniser."""
    return np.array([bool(encoding.overflowing) for encoding in batch.encodings])


def _start_once(encodings: Any, tokenizer: Any) -> Any:
    """The same with one start token, where texts begin with it themselves, as a rendered chat does:
    that which the tokeniser added.
    """
    pairs = zip(encodings["input_ids"], encodings["special_tokens_mask"], strict=True)
    twice = [_starts_twice(ids, added) for ids, added in pairs]
    if not any(twice):
        return encodings
    token = tokenizer.convert_ids_to_tokens(encodings["input_ids"][twice.index(True)][0])
    say_started_twice(str(token))
    return {
        name: [
            [*row[:1], *row[2:]] if is_double else row
            for row, is_double in zip(rows, twice, strict=True)
        ]
        for name, rows in encodings.items()
    }


def _starts_twice(ids: Sequence[int], added: Sequence[int]) -> bool:
    """Whether a text's own first token is the one that the tokeniser put before it."""
    return len(ids) > 1 and ids[0] == ids[1] and bool(added[0]) and not added[1]


@dataclass(frozen=True)
class WordSpacing:
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
            locate_words(sentence.words, sentence.text) + start
            if self.raw
            else word_spans(sentence.words, start)
        )


DEFAULT_WORD_SPACING = WordSpacing()


@dataclass(frozen=True)
class SubwordSplitter:
    """How words become pieces: their text, within a frame."""

    tokenizer: Any
    limit: int
    frame: PromptFrame = DEFAULT_PROMPT_FRAME
    words: WordSpacing = DEFAULT_WORD_SPACING

    def of(self, sentences: Sequence[Sentence]) -> TokenisedSentences:
        """Sentences in pieces, with the pieces first:last of each word; a word that was cut in two
        has none.
        """
        if not sentences:
            return TokenisedSentences([], None, [], [], np.zeros(0, bool))
        if self.tokenizer.is_fast:
            return self._by_characters(sentences)
        if self.words.raw or self.frame.alone:
            say_where(self.tokenizer, "text=raw" if self.words.raw else "template")
        return self._word_by_word(sentences)

    def _by_characters(self, sentences: Sequence[Sentence]) -> TokenisedSentences:
        frame, said = self.frame, [self.words.text(s) for s in sentences]
        read = [frame.around(text) for text in said]
        options = {
            "return_offsets_mapping": True,
            "return_special_tokens_mask": True,
            "add_special_tokens": frame.special,
        }
        encodings = self.tokenizer(read, truncation=True, max_length=self.limit, **options)
        cut = find_overflowing(encodings)
        if frame.starts == "once":
            encodings = _start_once(encodings, self.tokenizer)
        marks = marks_of(self.tokenizer)
        words = []
        for i, sentence in enumerate(sentences):
            characters = np.array(encodings["offset_mapping"][i], np.int64).reshape(-1, 2)
            # a tokeniser may say anything of its own additions
            special = np.array(encodings["special_tokens_mask"][i], bool)
            space = ~special & is_space(encodings["input_ids"][i], characters, read[i], marks)
            places = self.words.places(sentence, len(frame.before))
            pieces = of_words(characters, special | space, places, cut[i])
            words.append(with_spaces(pieces, space) if self.words.spaces else pieces)
        inside = frame.insides(encodings, map(len, said)) if frame.alone else None
        return TokenisedSentences.of(encodings, cut, words, inside)

    def _word_by_word(self, sentences: Sequence[Sentence]) -> TokenisedSentences:
        """For a tokeniser that does not say where its pieces come from: each word is cut apart with
        the space before it.
        """
        cut_apart = functools.cache(
            lambda text: tuple(
                self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
            )
        )
        before, after = _special_tokens(self.tokenizer, cut_apart)
        space = () if self.words.spaces else cut_apart(" ")
        prompt = cut_apart(self.frame.before) if self.frame.before else ()
        room = self.limit - len(before) - len(after)
        ids, special, words, cut = [], [], [], []
        for sentence in sentences:
            parts = [cut_apart(text) for text in self._spaced_words(sentence)]
            flat = [*prompt, *chain.from_iterable(parts)]
            places = _find_word_pieces(parts, len(prompt), space)
            outside = (places[:, 1] > room) | (places[:, 0] >= places[:, 1])
            words.append(np.where(outside[:, None], 0, places + len(before)))
            cut.append(len(flat) > room)
            ids.append([*before, *flat[:room], *after])
            special.append([1] * len(before) + [0] * len(flat[:room]) + [1] * len(after))
        typed = "token_type_ids" in self.tokenizer.model_input_names
        types = [[0] * len(i) for i in ids] if typed else None
        return TokenisedSentences(ids, types, special, words, np.array(cut, bool))

    def _spaced_words(self, sentence: Sentence) -> Iterator[str]:
        """Each word with the space before it."""
        for i, word in enumerate(sentence.words):
            yield " " + word if i or self.frame.before else word


def _find_word_pieces(parts: Sequence[Sequence[int]], start: int, space: Sequence[int]) -> Ints:
    """From which to which piece each word reaches without the space before it, [words, 2]."""
    stops = start + np.cumsum([len(part) for part in parts], dtype=np.int64)
    first = stops - np.array([len(part) - _leading(part, space) for part in parts], np.int64)
    return np.stack([first, stops], 1)


def _leading(part: Sequence[int], space: Sequence[int]) -> int:
    """How many ids of a word with a space before it are nothing but the space."""
    return len(space) if space and tuple(part[: len(space)]) == tuple(space) else 0


def _special_tokens(
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
        for sign in _find_space_signs(_state(part))
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


def _find_space_signs(state: Any) -> Iterator[str]:
    """The characters that stand for a space, by the settings of a normaliser or a pre-tokeniser."""
    if isinstance(state, list):
        for part in state:
            yield from _find_space_signs(part)
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
        sign
        for value in state.values()
        if isinstance(value, list)
        for sign in _find_space_signs(value)
    )
