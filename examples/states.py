"""Write the states of a model's layer as nnsight or TransformerLens gives them, for `acts:FOLDER`.

usage: python examples/states.py nnsight|transformer_lens MODEL LAYER TEXTS FOLDER

    python examples/states.py nnsight Qwen/Qwen3-0.6B 14 texts.txt states/
    lingprobe run -t labels.csv -e acts:states

TEXTS has a text a line. LAYER counts as lingprobe does: layer N is the state after N blocks, so
that of block N - 1. The tokenizer is that of transformers: TransformerLens's own puts a start token
before each text even where the model has none, and its states are then those of other input.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.nn import ModuleList
from transformers import AutoTokenizer

import lingprobe

States = Callable[[Any], Any]
"""Ids [1, tokens] -> states [tokens, dim]."""


def open_nnsight(model: str, layer: int) -> States:
    """The states after `layer` blocks, traced by nnsight."""
    from nnsight import LanguageModel

    traced = LanguageModel(model, dispatch=True)
    block = find_blocks(traced)[layer - 1]

    def read(ids: Any) -> Any:
        with traced.trace(ids):
            output = block.output.save()
        states = output[0] if isinstance(output, tuple) else output
        return states[0] if states.ndim == 3 else states

    return read


def open_transformer_lens(model: str, layer: int) -> States:
    """The states after `layer` blocks, from TransformerLens's cache."""
    from transformer_lens.model_bridge import TransformerBridge

    bridge = TransformerBridge.boot_transformers(model, device="cpu")
    hook = f"blocks.{layer - 1}.hook_resid_post"

    def read(ids: Any) -> Any:
        return bridge.run_with_cache(ids, names_filter=hook)[1][hook][0]

    return read


def find_blocks(traced: Any) -> Any:
    """The blocks of a model as nnsight wraps them: what the longest list of modules holds."""
    lists = ((len(m), n) for n, m in traced._module.named_modules() if isinstance(m, ModuleList))
    for name in max(lists)[1].split("."):
        traced = getattr(traced, name)
    return traced


OPEN = {"nnsight": open_nnsight, "transformer_lens": open_transformer_lens}


def main() -> None:
    """Read the command line, and write the folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("package", choices=OPEN)
    parser.add_argument("model")
    parser.add_argument("layer", type=int)
    parser.add_argument("texts", type=Path)
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    tokenizer = AutoTokenizer.from_pretrained(asked.model)
    read = OPEN[asked.package](asked.model, asked.layer)
    texts = asked.texts.read_text(encoding="utf-8").splitlines()
    with lingprobe.ActivationWriter(asked.folder, model=asked.model) as writer, torch.no_grad():
        for text in texts:
            ids = tokenizer(text, return_tensors="pt")["input_ids"]
            states = read(ids).detach().float().cpu().numpy()
            writer.add(text, tokenizer.convert_ids_to_tokens(ids[0]), {asked.layer: states})


if __name__ == "__main__":
    main()
