"""What a model reads around each sentence: a prompt before it, a template, or the model's own chat
template. Needs no torch.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe.data._foreign_code import one_line
from lingprobe.data.core import DataProblem
from lingprobe.data.examples import EncoderStop
from lingprobe.data.vectors import Ints
from lingprobe.encoders.hub import ModelSource
from lingprobe.encoders.loading import load_tokenizer

SENTENCE_PLACEHOLDER, CHAT_FRAME = "{sentence}", "chat"
Starts = Literal["once", "twice"]

log = logging.getLogger("lingprobe.encoders")


@dataclass(frozen=True)
class PromptFrame:
    """Text around each sentence.

    alone    whether only the sentence's tokens count, and not those of the text around
    special  whether the tokeniser adds its own tokens
    starts   whether a start token that a text has, beside the one that the tokeniser adds, is read
    """

    before: str = ""
    after: str = ""
    alone: bool = False
    special: bool = True
    starts: Starts = "once"

    def around(self, text: str) -> str:
        """What a tokeniser reads of a sentence."""
        return self.before + text + self.after

    def inside(self, characters: Ints, size: int) -> NDArray[np.bool_]:
        """Which tokens are the sentence's, which alone are pooled: by the characters [tokens, 2] of
        what is read that they come from, those that share one with a sentence of `size` characters.
        """
        start = len(self.before)
        return (characters[:, 0] < start + size) & (
            characters[:, 1] > np.maximum(start, characters[:, 0])
        )

    def insides(self, encodings: Any, sizes: Iterable[int]) -> list[NDArray[np.bool_]]:
        """Which tokens of each text are the sentence's, by what a tokeniser returned."""
        every = (np.array(each, np.int64).reshape(-1, 2) for each in encodings["offset_mapping"])
        return [self.inside(each, size) for each, size in zip(every, sizes, strict=True)]


DEFAULT_PROMPT_FRAME = PromptFrame()


def say_where(tokenizer: Any, option: str) -> bool:
    """Refuse a template, or the like, without a fast tokenizer, which says from which characters
    its tokens come. EncoderStop.
    """
    if not tokenizer.is_fast:
        raise EncoderStop(
            f"{option}: this tokeniser does not give the character offsets of its tokens; leave"
            f" {option.partition('=')[0]} out"
        )
    return True


@functools.cache
def say_unread(name: str, after: str) -> None:
    """Tell the user once that what stands behind a sentence does not change its tokens."""
    log.warning(
        "%s reads from left to right, so %r behind a sentence changes none of its tokens; pool=end"
        " reads the last token of all",
        name,
        after,
    )


@functools.cache
def say_unrendered(name: str) -> None:
    """Tell the user once that conversations are read without the model's chat template."""
    log.warning(
        "%s reads conversations as the texts of their turns, a line each; template=chat reads them"
        " through the model's chat template",
        name,
    )


@functools.cache
def say_alone(name: str, turns: str) -> None:
    """Tell the user once that texts are read where turns of conversations are asked for."""
    log.warning(
        "%s reads a text alone as a user's message, whose tokens count under turns=%s as well; give"
        " a conversation to read what stands in one",
        name,
        turns,
    )


@functools.cache
def say_started_twice(token: str) -> None:
    """Tell the user once that texts have the start token that the tokeniser adds."""
    log.warning(
        "texts begin with %r, which the tokenizer adds as well: it is read once; starts=twice reads"
        " both",
        token,
    )


def check_template(template: str, prompt: str) -> None:
    """Refuse a template without a place for the sentence, or beside a prompt. DataProblem."""
    if template and prompt:
        raise DataProblem("a template says all that is read: leave out prompt, or template")
    if template and template != CHAT_FRAME and template.count(SENTENCE_PLACEHOLDER) != 1:
        raise DataProblem(
            f"template={template}: write chat, or a text with {SENTENCE_PLACEHOLDER} in it, once (a"
            " comma as %2C)"
        )


def describe_frame(template: str, prompt: str, reads: Callable[[], str]) -> str:
    """The text around sentences as an identity says it; `reads` is called for a template alone, as
    a chat template may have the date in it. DataProblem where it cannot be.
    """
    check_template(template, prompt)
    return f"template={reads()!r}" if template else f"prompt={prompt!r}"


def make_prompt_frame(template: str, prompt: str, tokenizer: Any) -> PromptFrame:
    """The text around each sentence; of a chat template, that around a user's only message, up to
    where the model would answer.

    EncoderStop where the tokeniser has no chat template, or leaves the message out.
    """
    check_template(template, prompt)
    if not template:
        return PromptFrame(prompt)
    whole = _chat(tokenizer) if template == CHAT_FRAME else template
    before, place, after = whole.partition(SENTENCE_PLACEHOLDER)
    if not place or SENTENCE_PLACEHOLDER in after:
        raise EncoderStop("template=chat: the model's chat template does not have the message once")
    return PromptFrame(before, after, alone=True, special=template != CHAT_FRAME)


def _chat(tokenizer: Any) -> str:
    """The model's own chat template with the sentence as a user's only message."""
    if not tokenizer.chat_template:
        raise EncoderStop(
            "template=chat: this model has no chat template; write one, as template=Q: {sentence}"
        )
    message = [{"role": "user", "content": SENTENCE_PLACEHOLDER}]
    try:
        said = tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True)
    except Exception as error:  # a template may raise whatever it wants
        raise EncoderStop(
            f"template=chat: the model's chat template cannot be filled in ({one_line(error)});"
            " write one, as template=Q: {sentence}"
        ) from error
    return str(said)


@functools.lru_cache(maxsize=4)
def tokeniser_of(source: ModelSource) -> Any:
    """A model's tokeniser."""
    return load_tokenizer(source)


def read_by(template: str, prompt: str, tokenizer: Callable[[], Any]) -> str:
    """What the model reads (`read_as` in results), with {sentence} where the sentence stood; '' for
    nothing else.
    """
    if not template:
        return prompt + SENTENCE_PLACEHOLDER if prompt else ""
    if template != CHAT_FRAME:
        return template
    return make_prompt_frame(template, prompt, tokenizer()).around(SENTENCE_PLACEHOLDER)
