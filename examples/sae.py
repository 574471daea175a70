"""Train a top-k sparse autoencoder (Gao et al. 2024, sections 2.3 and 2.4, without its auxiliary
loss) on the states of a layer over a text; write it as a folder of SAELens, which `sae:` reads.

usage: python examples/sae.py ENCODER LAYER TEXT FOLDER [--units N] [--k N] [--tokens N] ...

    python examples/sae.py hf:MODEL 8 novels.txt trained
    python examples/sae.py hf:MODEL,weights=random 8 novels.txt untrained
    lingprobe run -t ud/tense:UD_English-EWT --probe sparse,k=1 \
      -e sae:trained,of=hf:MODEL sae:untrained,of=hf:MODEL%2Cweights=random

TEXT has a sentence a line. 100,000 tokens and 4,096 units take a few minutes of one processor. At
the end it says which share of the variance of states held out is given back, and how many units are
ever active on them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

import lingprobe
from lingprobe.encoders import make_encoder

BATCH, RATE, HELD_OUT = 512, 1e-3, 0.1


def main() -> None:
    """Read the command line, train, and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    for name, kind in (("encoder", str), ("layer", int), ("text", Path), ("folder", Path)):
        parser.add_argument(name, type=kind)
    usual = {"units": 4096, "k": 32, "tokens": 100_000, "epochs": 4, "seed": 0}
    for name, value in usual.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    asked = parser.parse_args()
    states = states_of(f"{asked.encoder},layers={asked.layer},pool=none", asked)
    held = int(len(states) * HELD_OUT)
    print(f"{len(states) - held:,} states to train on, {held:,} held out")
    tensors = train(states[held:], asked)
    share, active = judge(tensors, states[:held], asked.k)
    print(f"held out: {share:.1%} of the variance given back, {active:.1%} of the units active")
    write(tensors, asked)


def states_of(encoder: str, asked: argparse.Namespace) -> Tensor:
    """States of word pieces [tokens, dim] of sentences of the text in random order."""
    network, draws = make_encoder(encoder), np.random.default_rng(asked.seed)
    sentences = lingprobe.sentences([asked.text])
    order, found, many = draws.permutation(len(sentences)), [], 0
    for start in range(0, len(order), 256):
        some = [sentences[i] for i in order[start : start + 256]]
        found.append(torch.from_numpy(np.asarray(network.encode(some).layers[0], np.float32)))
        many += len(found[-1])
        if many >= asked.tokens:
            break
    return torch.cat(found)[: asked.tokens]


def train(states: Tensor, asked: argparse.Namespace) -> dict[str, Tensor]:
    """The weights after some epochs of Adam; rows of the decoder have length 1 all the time, and
    begin as the columns of the encoder.
    """
    torch.manual_seed(asked.seed)
    middle, scale = states.mean(0), states.std(0).norm()  # so that one rate suits all models
    decoder = torch.nn.functional.normalize(torch.randn(asked.units, states.shape[1]))
    weights = [decoder.T.clone(), torch.zeros(asked.units), decoder, torch.zeros(states.shape[1])]
    for each in weights:
        each.requires_grad_(True)
    steps = asked.epochs * -(-len(states) // BATCH)
    adam = torch.optim.Adam(weights, RATE)
    falling = torch.optim.lr_scheduler.LambdaLR(adam, lambda step: min(1, 5 * (1 - step / steps)))
    for _ in range(asked.epochs):
        for rows in torch.randperm(len(states)).split(BATCH):
            x = (states[rows] - middle) / scale
            rebuilt = features(x, weights, asked.k) @ weights[2] + weights[3]
            adam.zero_grad()
            (rebuilt - x).square().sum(1).mean().backward()
            adam.step()
            falling.step()
            with torch.no_grad():
                weights[2].copy_(torch.nn.functional.normalize(weights[2]))
    encoder, bias, decoder, shift = (each.detach() for each in weights)
    parts = {"W_enc": encoder / scale, "b_enc": bias}
    return {**parts, "W_dec": decoder * scale, "b_dec": shift * scale + middle}


def features(x: Tensor, weights: list[Tensor], k: int) -> Tensor:
    """The k largest pre-activations of each row, those above 0."""
    before = (x - weights[3]) @ weights[0] + weights[1]
    values, places = before.topk(k)
    return torch.zeros_like(before).scatter(1, places, values.relu())


def judge(tensors: dict[str, Tensor], states: Tensor, k: int) -> tuple[float, float]:
    """The share of variance that is given back, and of units that are ever active."""
    weights = [tensors[name] for name in ("W_enc", "b_enc", "W_dec", "b_dec")]
    lost, active = 0.0, torch.zeros(len(weights[1]), dtype=torch.bool)
    for x in states.split(BATCH):
        said = features(x, weights, k)
        lost += float((said @ weights[2] + weights[3] - x).square().sum())
        active |= (said > 0).any(0)
    total = float((states - states.mean(0)).square().sum())
    return 1 - lost / total, float(active.float().mean())


def write(tensors: dict[str, Tensor], asked: argparse.Namespace) -> None:
    """The folder; what block L is given is layer L, so that of the last one is what it gives."""
    asked.folder.mkdir(parents=True, exist_ok=True)
    config = {
        "architecture": "topk",
        "k": asked.k,
        "d_in": tensors["W_enc"].shape[0],
        "d_sae": asked.units,
        "apply_b_dec_to_input": True,
        "normalize_activations": "none",
        # of a last layer there is no such block: it stands behind the norm of the model
        "metadata": {"hook_name": f"blocks.{asked.layer}.hook_resid_pre"},
    }
    (asked.folder / "cfg.json").write_text(json.dumps(config, indent=1), "utf-8")
    whole = {name: tensor.contiguous() for name, tensor in tensors.items()}
    save_file(whole, asked.folder / "sae_weights.safetensors")


if __name__ == "__main__":
    main()
