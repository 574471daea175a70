"""Encoding against sentence-transformers at its best batch, and against the bare matrix products
of the same tokens: five distributions of lengths, three sizes of model.

usage: python benchmarks/encode_shapes.py [FOLDER] [--rounds 2] [--size base] [--lengths mixed]
(FOLDER holds treebanks/UD_English-EWT; LINGPROBE_DATA without it)

Models have the shapes of MiniLM, multilingual-e5-small and BERT-base, weights at random (how long
a pass takes does not depend on them) and MiniLM's tokenizer. Each leg is timed in processor seconds
of one thread, float32, all legs of a cell in turn, the least of the rounds; reading words into
tokens is part of all but the products. `products` are the linear maps of all blocks over the
tokens without padding, in one piece of 1,024 at a time. Last come all layers and all words of
EWT, against a loop over transformers whose batches are sorted by length. Exits with 1 where
a target is missed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from encode import sentences
from threadpoolctl import threadpool_limits
from transformers.utils import logging

from lingprobe.data.core import Sentence
from lingprobe.encoders import make_encoder

MODEL = "all-MiniLM-L6-v2"
PEER_TARGET, PRODUCTS_TARGET = 1.25, 1.4
BATCHES = (8, 32, 128)
CLOSE = 1e-4


class Size(NamedTuple):
    """A shape of BERT, and how many tokens are read."""

    layers: int
    width: int
    tokens: int


SIZES = {
    "minilm": Size(6, 384, 16_000),
    "e5-small": Size(12, 384, 8_000),
    "base": Size(12, 768, 4_000),
}
LENGTHS = ("treebank", "short", "long", "mixed", "even")


def draw_texts(pool: Sequence[str], lengths: str, tokens: int, tokenizer: Any) -> list[str]:
    """Texts of one distribution of lengths, about `tokens` tokens in all."""
    rng = np.random.default_rng(0)
    words = " ".join(pool).split()
    texts, total = [], 0
    while total < tokens:
        if lengths == "treebank":
            text = str(pool[rng.integers(len(pool))])
        else:
            drawn = {
                "short": rng.integers(1, 9),
                "long": rng.integers(100, 240),
                "mixed": rng.integers(1, 9) if rng.random() < 0.9 else rng.integers(100, 240),
                "even": 16,
            }
            start = int(rng.integers(len(words) - 300))
            text = " ".join(words[start : start + int(drawn[lengths])])
        texts.append(text)
        total += len(tokenizer(text)["input_ids"])
    return texts


def save_shape(folder: Path, size: Size, tokenizer: Any) -> None:
    """A sentence-transformers model of a shape, mean pooling, without normalisation."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    inner = folder / "inner"
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=size.width,
        num_hidden_layers=size.layers,
        num_attention_heads=12,
        intermediate_size=4 * size.width,
    )
    BertModel(config, add_pooling_layer=False).save_pretrained(inner)
    tokenizer.save_pretrained(inner)
    words = Transformer(str(inner), max_seq_length=512)
    SentenceTransformer(modules=[words, Pooling(size.width)], device="cpu").save(str(folder / "st"))


def products(size: Size, tokens: int) -> Callable[[], None]:
    """The linear maps of all blocks over so many tokens."""
    wide = 4 * size.width
    x = torch.randn(1024, size.width)
    square, up, down = (
        torch.nn.Linear(*shape)
        for shape in ((size.width, size.width), (size.width, wide), (wide, size.width))
    )

    @torch.inference_mode()
    def work() -> None:
        for start in range(0, tokens, len(x)):
            part = x[: min(len(x), tokens - start)]
            for _ in range(size.layers):
                for _ in range(4):
                    square(part)
                down(up(part))

    return work


def plain_states(model: Any, tokenizer: Any, texts: Sequence[str], words: bool) -> list[Any]:
    """All layers of each text, as means or of each token, in sorted batches of 32."""
    order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
    found: list[Any] = [None] * len(texts)
    with torch.inference_mode():
        for start in range(0, len(order), 32):
            rows = order[start : start + 32]
            batch = tokenizer(
                [texts[i] for i in rows], padding=True, truncation=True, return_tensors="pt"
            )
            states = model(**batch, output_hidden_states=True).hidden_states
            mask = batch["attention_mask"].bool()
            for layer in states:
                mean = (layer * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
                for k, i in enumerate(rows):
                    each = layer[k][mask[k]] if words else mean[k]
                    found[i] = [*(found[i] or []), each.numpy().copy()]
    return found


def least_seconds(legs: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The least processor time of each leg, all in turn, after one round that is not counted."""
    best = dict.fromkeys(legs, float("inf"))
    for work in legs.values():
        work()  # what loads late
    for _ in range(rounds):
        for name, work in legs.items():
            start = time.process_time()
            work()
            best[name] = min(best[name], time.process_time() - start)
    return best


def compare_cell(
    folder: Path, size: Size, texts: Sequence[str], tokenizer: Any, rounds: int
) -> tuple[float, float]:
    """How many times as long the peer takes, and how many times the products ours takes."""
    from sentence_transformers import SentenceTransformer

    peer = SentenceTransformer(str(folder / "st"), device="cpu")
    encoder = make_encoder(f"st:{folder / 'st'},device=cpu,dtype=float32")
    given = [Sentence(tuple(text.split()), text) for text in texts]
    tokens = sum(len(tokenizer(text)["input_ids"]) for text in texts)
    ours = encoder.encode(given).layers[0]
    theirs = peer.encode(list(texts), batch_size=BATCHES[0])
    assert np.abs(ours - theirs).max() < CLOSE * np.abs(theirs).max(), "other vectors"
    legs: dict[str, Callable[[], Any]] = {"lingprobe": lambda: encoder.encode(given)}
    for batch in BATCHES:
        legs[f"peer {batch}"] = lambda batch=batch: peer.encode(list(texts), batch_size=batch)  # type: ignore[misc]
    legs["products"] = products(size, tokens)
    best = least_seconds(legs, rounds)
    of_peer = {name: best[name] for name in best if name.startswith("peer")}
    name = min(of_peer, key=of_peer.__getitem__)
    print(
        f"{len(texts):6} texts, {tokens:6} tokens  lingprobe {best['lingprobe']:6.2f} s"
        f"  {name} {best[name]:6.2f} s  products {best['products']:6.2f} s"
        f"  ratio {best[name] / best['lingprobe']:.2f}, {best['lingprobe'] / best['products']:.2f}"
        " times the products",
        flush=True,
    )
    return best[name] / best["lingprobe"], best["lingprobe"] / best["products"]


def compare_layers(folder: Path, texts: Sequence[str], words: bool, rounds: int) -> float:
    """How many times as long a loop over transformers takes for all layers."""
    from transformers import AutoModel, AutoTokenizer

    inner = folder / "inner"
    model, tokenizer = AutoModel.from_pretrained(inner).eval(), AutoTokenizer.from_pretrained(inner)
    pool = ",pool=none" if words else ""
    encoder = make_encoder(f"hf:{inner},layers=all,device=cpu,dtype=float32{pool}")
    given = [Sentence(tuple(text.split()), text) for text in texts]
    legs = {
        "lingprobe": lambda: encoder.encode(given),
        "loop": lambda: plain_states(model, tokenizer, texts, words),
    }
    best = least_seconds(legs, rounds)
    print(
        f"all layers, {'tokens' if words else 'means'}: lingprobe {best['lingprobe']:.2f} s"
        f"  loop {best['loop']:.2f} s  ratio {best['loop'] / best['lingprobe']:.2f}",
        flush=True,
    )
    return best["loop"] / best["lingprobe"]


def main() -> int:
    from transformers import AutoTokenizer

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", default=os.environ.get("LINGPROBE_DATA", ""))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--size", choices=SIZES)
    parser.add_argument("--lengths", choices=LENGTHS)
    options = parser.parse_args()
    torch.set_num_threads(1)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    pool = [sentence.text for sentence in sentences(Path(options.folder))]
    files = make_encoder(f"st:{MODEL}").files.folder  # type: ignore[attr-defined]
    tokenizer = AutoTokenizer.from_pretrained(files)
    peers, over, loops = [], [], []
    with tempfile.TemporaryDirectory() as scratch, threadpool_limits(1):
        for name, size in SIZES.items():
            if options.size not in (None, name):
                continue
            folder = Path(scratch) / name
            save_shape(folder, size, tokenizer)
            for lengths in LENGTHS:
                if options.lengths in (None, lengths):
                    print(f"{name:9} {lengths:9}", end="", flush=True)
                    texts = draw_texts(pool, lengths, size.tokens, tokenizer)
                    ratio, times = compare_cell(folder, size, texts, tokenizer, options.rounds)
                    peers.append(ratio)
                    over.append(times)
            texts = draw_texts(pool, "treebank", size.tokens, tokenizer)
            for words in (False, True):
                loops.append(compare_layers(folder, texts, words, options.rounds))
    print(f"encode-shapes peer: worst {min(peers):.2f}, target {PEER_TARGET}")
    print(f"encode-shapes layers: worst {min(loops):.2f}, target {PEER_TARGET}")
    print(f"encode-shapes products: worst {max(over):.2f}, target {PRODUCTS_TARGET}")
    missed = min(*peers, *loops) < PEER_TARGET or max(over) > PRODUCTS_TARGET
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
