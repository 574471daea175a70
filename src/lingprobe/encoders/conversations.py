"""Conversations as a model's own chat template renders them, and which characters of that are
whose. Needs no torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data._foreign_code import one_line
from lingprobe.data.core import DataProblem
from lingprobe.data.examples import ChatTurn, EncoderStop, Sentence
from lingprobe.data.options import Help
from lingprobe.data.vectors import Ints, compute_offsets
from lingprobe.encoders.frames import PromptFrame, say_where
from lingprobe.encoders.tokens import (
    TokenisedSentences,
    find_overflowing,
    is_space,
    join_tokenised,
    locate_words,
    marks_of,
    of_words,
)

ALL_TOKENS, RESPONSE_TOKENS, PROMPT_TOKENS, LAST_TURN_TOKENS, _ROLE = (
    "all",
    "response",
    "prompt",
    "last-turn",
    "role:",
)
_ROLES = ("system", "developer", "user", "assistant", "tool")
_AT_ONCE = 64  # conversations, of whose tokens the places take much memory
_MARK = "\ue000{}\ue001"  # of private use, so that no text of a conversation has it

Ranges = tuple[tuple[int, int], ...]
CountedTurns = Annotated[
    str,
    Help(
        "of conversations under template=chat, whose tokens count: response (the last turn, of"
        " the assistant), prompt (all before it), last-turn, role:NAME, all (every token that"
        " is read); without, those of all contents"
    ),
]


class TurnProblem(DataProblem):
    """A conversation that cannot be read as it is asked for; others can."""


class RenderedTurns(NamedTuple):
    """A conversation as a model reads it, and from where to where each turn's content is in it."""

    text: str
    places: Ranges


def check_turns(turns: str, is_chat: bool) -> None:
    """Refuse what names no turns, and turns without the model's chat template. DataProblem."""
    if turns and not is_chat:
        raise DataProblem(
            f"turns={turns}: conversations are read through the model's chat template: add"
            " template=chat"
        )
    role = turns.removeprefix(_ROLE) if turns.startswith(_ROLE) else ""
    if (
        turns
        and turns not in (ALL_TOKENS, RESPONSE_TOKENS, PROMPT_TOKENS, LAST_TURN_TOKENS)
        and role not in _ROLES
    ):
        raise DataProblem(
            f"turns={turns}: write {ALL_TOKENS}, {RESPONSE_TOKENS}, {PROMPT_TOKENS},"
            f" {LAST_TURN_TOKENS}, or {_ROLE} and one of {', '.join(_ROLES)}"
        )


def render_turns(tokenizer: Any, turns: Sequence[ChatTurn]) -> RenderedTurns:
    """A conversation through the model's own chat template; one that ends with the user is rendered
    up to where the model would answer. TurnProblem where the template does not take it.
    """
    if not tokenizer.chat_template:
        raise EncoderStop(
            "template=chat: this model has no chat template, so it reads no conversations; leave"
            " template out for their texts alone"
        )
    if unknown := [turn.role for turn in turns if turn.role not in _ROLES]:
        raise TurnProblem(f"the role {unknown[0]!r} is unknown: write one of {', '.join(_ROLES)}")
    text = _fill_template(tokenizer, turns)
    marks = [_MARK.format(number) for number in range(len(turns))]
    marked = _fill_template(
        tokenizer, [turn._replace(content=mark) for turn, mark in zip(turns, marks, strict=True)]
    )
    places, at, rest = [], 0, marked
    for turn, mark in zip(turns, marks, strict=True):
        before, found, rest = rest.partition(mark)
        start = at + len(before)
        if not found or text[at:start] != before:
            raise TurnProblem(_describe_change(turn))
        content = next(
            (each for each in (turn.content, turn.content.strip()) if text.startswith(each, start)),
            None,
        )
        if content is None:
            raise TurnProblem(_describe_change(turn))
        at = start + len(content)
        places.append((start, at))
    if text[at:] != rest:
        raise TurnProblem(_describe_change(turns[-1]))
    return RenderedTurns(text, tuple(places))


def _describe_change(turn: ChatTurn) -> str:
    shown = " ".join(turn.content.split())[:30]
    return f"the chat template leaves out or changes what the {turn.role} says, {shown!r}"


def _fill_template(tokenizer: Any, turns: Sequence[ChatTurn]) -> str:
    messages = [{"role": turn.role, "content": turn.content} for turn in turns]
    is_open = turns[-1].role != "assistant"
    try:
        said = tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=is_open
        )
    except Exception as error:  # a template may raise whatever it wants
        raise TurnProblem(f"the chat template does not take it: {one_line(error)}") from error
    return str(said)


def choose_ranges(turns: Sequence[ChatTurn], rendered: RenderedTurns, selection: str) -> Ranges:
    """Whose tokens are pooled, as `turns=` says: from where to where their characters are.
    TurnProblem where there are no such turns, or nothing is in them.

    selection  '' for the contents of all turns, or as `turns=` has it
    """
    if selection == ALL_TOKENS:
        return ((0, len(rendered.text)),)
    chosen = [rendered.places[number] for number in _choose_turns(turns, selection)]
    if not any(rendered.text[start:stop].strip() for start, stop in chosen):
        named = {RESPONSE_TOKENS: "response", PROMPT_TOKENS: "prompt", "": "conversation"}.get(
            selection, selection
        )
        why = "is empty" if chosen else "is not there"
        raise TurnProblem(f"its {named} {why}, so no token is read")
    return tuple(chosen)


def _choose_turns(turns: Sequence[ChatTurn], wanted: str) -> Sequence[int]:
    """Which turns are the response, the prompt, the last turn, or those of a role."""
    last = len(turns) - 1
    has_response = turns[last].role == "assistant"
    if wanted == RESPONSE_TOKENS:
        return [last] if has_response else []
    if wanted == PROMPT_TOKENS:
        return range(last) if has_response else range(last + 1)
    if wanted == LAST_TURN_TOKENS:
        return [last]
    role = wanted.removeprefix(_ROLE)
    return [number for number, turn in enumerate(turns) if not wanted or turn.role == role]


def find_tokens(characters: NDArray[np.int64], ranges: Ranges) -> NDArray[np.bool_]:
    """Which tokens, by the characters [tokens, 2] that they come from, share one with a range."""
    found = np.zeros(len(characters), np.bool_)
    for start, stop in ranges:
        ends = np.maximum(start, characters[:, 0])
        found |= (characters[:, 0] < stop) & (characters[:, 1] > ends)
    return found


class ReadText(NamedTuple):
    """A text as a model reads it.

    ranges  from where to where its characters count
    words   from where to where each word of the sentence is in it [words, 2]
    """

    text: str
    ranges: Ranges
    words: Ints


def read_conversations(
    tokenizer: Any, sentences: Sequence[Sentence], frame: PromptFrame, selection: str
) -> tuple[list[ReadText], dict[int, str]]:
    """Conversations read through the model's chat template, or as texts; and why some cannot be
    read, by number, of which nothing counts.
    """
    found, reasons = list[ReadText](), dict[int, str]()
    for number, sentence in enumerate(sentences):
        if not sentence.turns:
            start = len(frame.before)
            words = locate_words(sentence.words, sentence.text) + start
            ranges: Ranges = ((start, start + len(sentence.text)),)
            found.append(ReadText(frame.around(sentence.text), ranges, words))
            continue
        try:
            rendered = render_turns(tokenizer, sentence.turns)
            ranges = choose_ranges(sentence.turns, rendered, selection)
            found.append(ReadText(rendered.text, ranges, _locate_words(sentence, rendered)))
        except TurnProblem as problem:
            reasons[number] = str(problem)
            nowhere = np.zeros((len(sentence.words), 2), np.int64)
            found.append(ReadText(frame.around(""), (), nowhere))
    return found, reasons


def _locate_words(sentence: Sentence, rendered: RenderedTurns) -> Ints:
    """Where each word of a conversation lies in what is rendered: in the content of its turn, whose
    ends a template may have stripped. The text of a conversation is its contents, a line each.
    """
    places = locate_words(sentence.words, sentence.text)
    sizes = [len(turn.content) + 1 for turn in sentence.turns]
    firsts = compute_offsets(sizes)[:-1]
    owner = np.searchsorted(firsts, places[:, 0], "right") - 1
    stripped = [
        0 if stop - start == size - 1 else len(turn.content) - len(turn.content.lstrip())
        for turn, size, (start, stop) in zip(sentence.turns, sizes, rendered.places, strict=True)
    ]
    starts = np.array([start for start, _ in rendered.places], np.int64)
    moved = places + (starts - firsts - stripped)[owner][:, None]
    return np.where(places[:, 1:] > places[:, :1], moved, 0)


def tokenize_conversations(
    tokenizer: Any, limit: int, read: Sequence[ReadText], by_piece: bool
) -> TokenisedSentences:
    """Texts that are rendered, in tokens, at most `limit` each: a start token stands in them where
    the template writes one, and the tokenizer adds none.
    """
    say_where(tokenizer, "template")
    parts = [
        _tokenize_some(tokenizer, limit, read[start : start + _AT_ONCE], by_piece)
        for start in range(0, len(read), _AT_ONCE)
    ]
    return join_tokenised(parts)


def _tokenize_some(
    tokenizer: Any, limit: int, read: Sequence[ReadText], by_piece: bool
) -> TokenisedSentences:
    encodings = tokenizer(
        [each.text for each in read],
        truncation=True,
        max_length=limit,
        add_special_tokens=False,
        return_offsets_mapping=True,
        return_special_tokens_mask=True,
    )
    cut = find_overflowing(encodings)
    inside, words = [], list[Ints]()
    for number, each in enumerate(read):
        characters = np.array(encodings["offset_mapping"][number], np.int64).reshape(-1, 2)
        inside.append(find_tokens(characters, each.ranges))
        if by_piece:
            ids = encodings["input_ids"][number]
            space = is_space(ids, characters, each.text, marks_of(tokenizer))
            words.append(of_words(characters, space, each.words, bool(cut[number])))
    return TokenisedSentences.of(encodings, cut, words if by_piece else None, inside)
