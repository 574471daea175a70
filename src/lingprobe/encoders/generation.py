"""Tokens that a model writes itself, greedily and with its cache, behind prompts. What was written
is remembered for each prompt. Imports torch only where something is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from lingprobe.data.cache import cache_dir, recall_value, remember_value
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.digests import digest_texts
from lingprobe.data.examples import EncoderStop
from lingprobe.data.vectors import Ints
from lingprobe.encoders.batches import group_rows, pad_rows, run_batches
from lingprobe.encoders.conversations import (
    ALL_TOKENS,
    LAST_TURN_TOKENS,
    PROMPT_TOKENS,
    RESPONSE_TOKENS,
)
from lingprobe.encoders.tokens import Flags, TokenisedSentences

if TYPE_CHECKING:
    from lingprobe.encoders.network import LoadedModel

_TURNS = ("", RESPONSE_TOKENS, LAST_TURN_TOKENS, ALL_TOKENS)
_SHARD = 2  # digits of a digest that name the folder of what was written


class WrittenTokens(NamedTuple):
    """What a model wrote behind a prompt: the tokens without the one that ends it, and as text."""

    ids: tuple[int, ...]
    text: str


class GeneratedTokens(Protocol):
    """Where the tokens come from that stand behind prompts: the model writes them, or files have
    them.

    longest  for how many tokens room is left
    nothing  why a prompt has none
    """

    @property
    def longest(self) -> int: ...
    @property
    def nothing(self) -> str: ...

    def write(
        self, sentences: Sequence[Sentence], prompts: Sequence[Sequence[int]]
    ) -> list[tuple[int, ...]]:
        """What stands behind each of some prompts [tokens]; nothing behind an empty one."""
        ...


def check_generation(longest: int, turns: str) -> None:
    """Refuse numbers of tokens below 0, and turns that are not there. DataProblem."""
    if longest < 0:
        raise DataProblem(f"generate={longest}: write how many tokens at most")
    if longest:
        check_generated_turns(turns)


def check_generated_turns(turns: str) -> None:
    """Refuse turns that what is written behind a prompt has not. DataProblem."""
    if turns not in (*_TURNS, PROMPT_TOKENS):
        raise DataProblem(
            f"turns={turns}: of tokens that are generated, write {RESPONSE_TOKENS}, {PROMPT_TOKENS}"
            f" or {ALL_TOKENS}"
        )


@dataclass(frozen=True)
class TokenWriter:
    """Each answer that the model writes is kept: other layers, untrained copies and a resumed run
    read the same tokens. It writes behind prompts, each of them once.

    identity  of the model that writes, and of how it reads
    longest   how many tokens at most
    load      the model that writes, where something has to be written
    tokens    of a batch, padding included
    """

    identity: str
    longest: int
    load: Callable[[], LoadedModel]
    tokens: int

    nothing: ClassVar[str] = "the model writes nothing behind it"

    def recall(self, sentence: Sentence) -> WrittenTokens | None:
        """What was written for a prompt; None where nothing was yet."""
        found = recall_value(*self._place(sentence))
        return None if found is None else WrittenTokens(tuple(found["ids"]), found["text"])

    def write(
        self, sentences: Sequence[Sentence], prompts: Sequence[Sequence[int]]
    ) -> list[tuple[int, ...]]:
        """What is written for each of some prompts [tokens]; nothing for an empty one."""
        known = {k: self.recall(sentence) for k, sentence in enumerate(sentences)}
        new = [k for k, found in known.items() if found is None and len(prompts[k])]
        if new:
            network = self.load()
            rows = write_greedily(network, [prompts[k] for k in new], self.longest, self.tokens)
            for k, ids in zip(new, rows, strict=True):
                text = network.tokenizer.decode(ids, clean_up_tokenization_spaces=False)
                known[k] = WrittenTokens(tuple(ids), str(text))
                remember_value(*self._place(sentences[k]), {"ids": [*ids], "text": str(text)})
        found = (known[k] for k in range(len(sentences)))
        return [() if each is None else each.ids for each in found]

    def _place(self, sentence: Sentence) -> tuple[Path, str]:
        key = digest_texts(self.identity, str(self.longest), sentence.text, repr(sentence.turns))
        return cache_dir() / "generated" / key[:_SHARD], key


def write_greedily(
    network: LoadedModel, prompts: Sequence[Sequence[int]], longest: int, tokens: int
) -> list[list[int]]:
    """What the model answers to prompts, greedily: the folder's sampling settings are not used. The
    likeliest next token each time, up to the end token. EncoderStop for a model without a head that
    writes.

    tokens  of a batch, padding and what is written included
    """
    import torch
    from transformers import GenerationConfig

    from lingprobe.encoders.model_files import set_precision

    model = network.writer
    if model is None or not model.can_generate():
        kind = network.model.config.model_type
        raise EncoderStop(
            f"generate={longest}: this {kind} model writes no tokens; take one with a head"
            " (AutoModelForCausalLM), or leave generate out"
        )
    ends, fill = _find_ends(model), network.filling
    how = GenerationConfig(
        do_sample=False,
        max_new_tokens=longest,
        eos_token_id=sorted(ends) or None,
        pad_token_id=fill,
        use_cache=True,
    )
    found: dict[int, list[int]] = {}

    def work(rows: Ints) -> None:
        some = [prompts[k] for k in rows]
        ids, mask = (_pad_left(each, value) for each, value in _with_masks(some, fill))
        with torch.inference_mode(), set_precision(network.device, network.dtype):
            written = model.generate(
                input_ids=torch.from_numpy(ids).to(network.device),
                attention_mask=torch.from_numpy(mask).to(network.device),
            )
        for k, row in zip(rows.tolist(), written[:, ids.shape[1] :].tolist(), strict=True):
            stop = next((place for place, token in enumerate(row) if token in ends), len(row))
            found[k] = row[:stop]

    before, model.generation_config = model.generation_config, how
    try:
        sizes = np.array([len(prompt) + longest for prompt in prompts], np.int64)
        run_batches(work, group_rows(sizes, tokens, network.batching), False)
    finally:
        model.generation_config = before
    return [found[k] for k in range(len(prompts))]


def _find_ends(model: Any) -> set[int]:
    """The tokens that end what a model writes."""
    said = model.generation_config.eos_token_id
    if said is None:
        said = model.config.get_text_config().eos_token_id
    return {said} if isinstance(said, int) else set(said or ())


def _with_masks(
    prompts: Sequence[Sequence[int]], fill: int
) -> tuple[tuple[Sequence[Sequence[int]], int], tuple[Sequence[Sequence[int]], int]]:
    return (prompts, fill), ([[1] * len(prompt) for prompt in prompts], 0)


def _pad_left(rows: Sequence[Sequence[int]], fill: int) -> Any:
    """Rows of whole numbers [rows, longest], filled up on the left."""
    return np.ascontiguousarray(pad_rows([row[::-1] for row in rows], fill)[:, ::-1])


def append_written(
    tokens: TokenisedSentences,
    written: Sequence[Sequence[int]],
    turns: str,
    words: Sequence[Ints] | None,
) -> TokenisedSentences:
    """Prompts with what was written behind each, of which the tokens of some turns count.

    words  where the words of each prompt are, which are not what was written
    """
    pairs = list(zip(tokens.ids, written, strict=True))
    inside: list[Flags] = []
    for ids, each in pairs:
        counts = np.full(len(ids) + len(each), turns == ALL_TOKENS)
        counts[slice(len(ids)) if turns == PROMPT_TOKENS else slice(len(ids), None)] = True
        inside.append(counts)
    return replace(
        tokens,
        ids=[[*ids, *each] for ids, each in pairs],
        types=None,
        special=[
            [*special, *(0 for _ in each)]
            for special, each in zip(tokens.special, written, strict=True)
        ],
        words=None if words is None else [np.zeros_like(each) for each in words],
        inside=inside,
    )


def strip_ends(tokens: TokenisedSentences) -> TokenisedSentences:
    """Texts without the tokens that a tokenizer adds behind them, so that they can go on."""
    sizes = [_count_kept(special) for special in tokens.special]
    ids, special = (
        [row[:size] for row, size in zip(rows, sizes, strict=True)]
        for rows in (tokens.ids, tokens.special)
    )
    return replace(tokens, ids=ids, special=special, types=None)


def _count_kept(special: Sequence[int]) -> int:
    size = len(special)
    while size > 1 and special[size - 1]:
        size -= 1
    return size
