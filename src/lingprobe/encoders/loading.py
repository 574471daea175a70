"""Models and tokenisers of transformers as they are loaded: what is not in their files, and would
be made up in silence, is refused.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from lingprobe.data.errors import describe_install
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders.hub import ModelSource, explain_unloadable, quiet_loading

_BEHIND = frozenset({"pooler", "contact_head", "lm_head", "classifier"})
"""Parts of models that stand behind their hidden states."""


def load_tokenizer(source: ModelSource) -> Any:
    """A model's tokeniser. EncoderStop where it cannot be loaded, or where its files are not there:
    transformers makes one that knows no word.
    """
    try:
        from transformers import AutoTokenizer
    except ImportError:
        raise EncoderStop(f"transformers is not installed: {describe_install('hf')}") from None
    try:
        tokenizer = AutoTokenizer.from_pretrained(source.name, **source.arguments)
    except Exception as error:  # of every library that reads a part of a tokeniser
        raise EncoderStop(explain_unloadable(source.name, "transformers", error)) from error
    check_tokenizer(source.name, tokenizer)
    return tokenizer


def check_tokenizer(name: str, tokenizer: Any) -> None:
    """EncoderStop where a tokeniser of transformers knows no word."""
    try:
        words = set(tokenizer.get_vocab()) - set(tokenizer.all_special_tokens)
    except (AttributeError, NotImplementedError):  # it lists none, or is another library's
        return
    if not words:
        raise EncoderStop(
            f"{name} has no tokenizer (no tokenizer.json, vocab.txt or the like): save it there,"
            " too, as with tokenizer.save_pretrained"
        )


def load_transformer(kind: Any, source: ModelSource, **how: Any) -> tuple[Any, Collection[str]]:
    """A model of one of transformers' classes, and the names of its parameters that are not in its
    files, which are sampled at random.
    """
    with quiet_loading():
        model, report = kind.from_pretrained(
            source.name, output_loading_info=True, **source.arguments, **how
        )
    return model, report["missing_keys"]


def check_weights(name: str, model: Any, encoder: Any, missing: Collection[str]) -> None:
    """EncoderStop where parameters of a model that decide the states of its encoder are missing in
    its files; those of quantised models have other names there.
    """
    if getattr(model, "hf_quantizer", None) is not None:
        return
    inside = set(map(id, encoder.parameters()))
    lacking = [
        key
        for key, weights in model.named_parameters()
        if key in missing and id(weights) in inside and not _BEHIND & set(key.split("."))
    ]
    if lacking:
        raise EncoderStop(
            f"{name}: {len(lacking):,} of its parameters are in none of its files (the first:"
            f" {lacking[0]}) and would be initialised at random: does its config.json belong to"
            " them?"
        )


def check_blocks(folder: Path, model: Any) -> None:
    """EncoderStop where the files of a folder have some blocks of a model and lack others, which a
    library that does not say what is missing has sampled at random.
    """
    from safetensors import safe_open
    from torch import nn

    keys: list[str] = []
    for file in folder.rglob("*.safetensors"):
        with safe_open(file, "pt") as opened:
            keys += opened.keys()
    for name, blocks in model.named_modules():
        if not isinstance(blocks, nn.ModuleList):
            continue
        last = name.rpartition(".")[2]
        having = [(k, id(b)) for k, b in enumerate(blocks) if any(True for _ in b.parameters())]
        own = {block: k for k, block in having[::-1]}.values()  # shared ones are in files once
        lacking = [k for k in own if not any(f".{last}.{k}." in f".{key}" for key in keys)]
        if 0 < len(lacking) < len(own):
            raise EncoderStop(
                f"{folder}: its files lack {last}.{min(lacking)} of the model, which would be"
                " initialised at random: does its config.json belong to them?"
            )
