"""The baselines that a transformer has of its own, as references: untrained copies of it, and its
input embeddings.

A copy has the configuration, tokeniser, layers, pooling and text of the model. There are two kinds,
each with several seeds: all weights random, which has nothing that training gave, and trained below
the first layer with random blocks above, which has nothing of context that training gave (Zhang &
Bowman 2018, EMNLP workshop BlackboxNLP; Wieting & Kiela 2019, ICLR).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from lingprobe.data.oracles import BEYOND_SURFACE_QUESTION, DECODABLE_QUESTION, EncoderQuestion
from lingprobe.data.references import Reference, try_parse_reference
from lingprobe.encoders.conversations import PROMPT_TOKENS
from lingprobe.encoders.frames import CHAT_FRAME

INPUT_LAYERS = ("lex", "0")  # layers below the first block

_COPIES = 5  # of each kind, where they are cheap
_DRAWN = ("adapter", "weights", "seed", "lexical")  # options that a copy has of its own
_READ = (  # options that say how a model is run, and what it reads
    *("device", "dtype", "tokens", "trust_remote_code", "code_revision"),
    *("prompt", "template", "turns", "places", "generate", "special", "text", "spaces"),
)
_INSIDE = 12  # times the square of the width are the weights of a block


def list_own_baselines(
    kind: type[Any], encoder: Any, model: str, has_blocks: bool
) -> dict[str, EncoderQuestion]:
    """The references of an encoder's own baselines, each with the question in which it opposes the
    encoder; those of one kind of copy in the order of their seeds.

    kind        of the encoder, whose options copies have; its `place` is how references begin
    model       what it is a copy of, by folder or name
    has_blocks  whether its weights can be read, so that blocks alone can be drawn
    """
    options = _changed_options(kind, encoder, _DRAWN)
    plain = Reference(kind.place, model, tuple(sorted(options.items())))
    own: dict[str, EncoderQuestion] = {}
    seeds = [{"seed": str(seed)} if seed else {} for seed in range(_COPIES)]
    for seed in seeds:
        own[str(plain.plus(weights="random", **seed))] = DECODABLE_QUESTION
    for seed in seeds if has_blocks else ():
        own[str(plain.plus(weights="random", lexical="trained", **seed))] = BEYOND_SURFACE_QUESTION
    if has_blocks:
        # the same text, so that layer 0 comes with the pass that reads the encoder's own layers
        known = {key: value for key, value in options.items() if key in _READ}
        pool = "none" if options.get("pool") == "none" else "mean"
        inputs = Reference("hf", model, tuple(sorted(known.items())))
        own[str(inputs.plus(layers="0", pool=pool))] = BEYOND_SURFACE_QUESTION
    return own


def list_prompt_baseline(
    kind: type[Any], encoder: Any, model: str, is_answered: bool
) -> dict[str, EncoderQuestion]:
    """The same model on the prompt alone, as a baseline of what stands before the response; none of
    an encoder that reads that itself, or reads no conversations. Arguments as of
    `list_own_baselines`.

    is_answered  whether what is generated behind a prompt is read
    """
    reads_turns = encoder.turns or (is_answered and encoder.template == CHAT_FRAME)
    if not reads_turns or encoder.turns == PROMPT_TOKENS:
        return {}
    of_response = ("generate", "places")
    options = _changed_options(kind, encoder, of_response) | {"turns": PROMPT_TOKENS}
    reference = Reference(kind.place, model, tuple(sorted(options.items())))
    return {str(reference): BEYOND_SURFACE_QUESTION}


def reads_prompt(reference: str) -> bool:
    """Whether a reference is of a model that reads conversations without their response."""
    parsed = try_parse_reference(reference)
    return parsed is not None and dict(parsed.options).get("turns") == PROMPT_TOKENS


def is_copy(reference: str) -> bool:
    """Whether a reference is of an untrained copy, of either kind."""
    parsed = try_parse_reference(reference)
    return parsed is not None and dict(parsed.options).get("weights", "trained") != "trained"


def _changed_options(kind: type[Any], encoder: Any, without: Sequence[str]) -> dict[str, str]:
    """The options of an encoder that are not as they are by default, without some."""
    values = {f.name: (vars(encoder)[f.name], f.default) for f in fields(kind) if f.kw_only}
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, (value, usual) in values.items()
        if value != usual and name not in without
    }


def count_block_weights(config: Mapping[str, Any], depth: int | None, width: int) -> float:
    """About how many weights the blocks of a transformer have, and the table of its tokens; of a
    configuration that says little, none.
    """
    if not depth or not width:
        return 0.0
    said = config.get("text_config")
    words = (said if isinstance(said, dict) else config).get("vocab_size")
    table = words * width if isinstance(words, int) else 0
    return float(_INSIDE * depth * width**2 + table)
