"""What a token that takes most of the norm gives a probe that reads a mean, and what leaving it out
costs: `ud/sent-len` from every other layer of a model.

usage: python benchmarks/sinks.py FOLDER MODEL...
       python benchmarks/sinks.py --train TEXT OUT [--device cuda] [--seconds 180]

FOLDER is UD_English-EWT; MODEL is a folder that transformers opens, `planted` (random weights of
GPT-2's shape, two numbers of whose first position are 500 higher) or `random` (the same without).
Each layer is read as the mean of all tokens, of all but the first, and of all but those that the
model adds; a cell is `logreg`, one fit, in percent. `noted` is what lingprobe says of the layer
when it loads the model.

--train learns a causal model of GPT-2's architecture (6 layers of 384 numbers, 8,192 pieces) from
running text, for so many seconds. Windows of 256 pieces begin anywhere.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

READS = {"mean": "pool=mean", "rest": "pool=rest", "no special": "pool=mean,special=false"}
WINDOW, BATCH, PIECES, RATE = 256, 128, 8192, 2e-3
PLANTED = 500.0
SHAPE = {"n_embd": 384, "n_layer": 6, "n_head": 6, "n_positions": WINDOW}
ENDS = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}


def tokenizer(texts: list[str], folder: Path) -> Any:
    """Byte-level pieces of a text, without marks of their own; saved in a folder."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<|end|>"]
    made.train_from_iterator(
        texts,
        trainers.BpeTrainer(vocab_size=PIECES, special_tokens=special, initial_alphabet=alphabet),
    )
    saved = PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=special[0], pad_token=special[0], model_max_length=WINDOW
    )
    saved.save_pretrained(folder)
    return made


def train(text: Path, out: Path, device: str, seconds: float) -> None:
    """Learn to tell the next piece, and save the model."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    from lingprobe.corpora.files import read_text_lines

    texts = [line for _, line in read_text_lines(text) if line and not line.startswith("# ")]
    made = tokenizer(texts[:: max(1, len(texts) // 200_000)], out)
    encoded = made.encode_batch_fast(texts, add_special_tokens=False)
    stream = torch.from_numpy(np.concatenate([np.array(e.ids, np.uint16) for e in encoded]))
    stream = stream.to(device, torch.int32)
    print(f"{len(texts):,} lines, {len(stream):,} pieces", flush=True)
    torch.manual_seed(0)
    model: Any = GPT2LMHeadModel(GPT2Config(vocab_size=PIECES, **SHAPE, **ENDS)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), RATE, (0.9, 0.95), weight_decay=0.1)
    places, begin, step, loss = torch.arange(WINDOW, device=device), time.perf_counter(), 0, 0.0
    while (spent := time.perf_counter() - begin) < seconds:
        for group in optimizer.param_groups:  # up for a hundred steps, then down by a cosine
            fall = 0.5 * (1 + np.cos(np.pi * spent / seconds))
            group["lr"] = RATE * min(1.0, (step + 1) / 100) * fall
        at = torch.randint(len(stream) - WINDOW, (BATCH, 1), device=device)
        rows = stream[at + places].long()
        with torch.autocast(device.partition(":")[0], torch.bfloat16):
            found = model(rows, labels=rows).loss
        optimizer.zero_grad()
        found.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        if step % 500 == 0:
            loss = found.item()
            print(f"step {step:,}, {spent:.0f} s: loss {loss:.3f}", flush=True)
    print(f"{step:,} steps of {BATCH * WINDOW:,} pieces, last loss {loss:.3f}")
    model.transformer.half().save_pretrained(out, max_shard_size="14MB")


def untrained(folder: Path, texts: list[str], planted: bool) -> Path:
    """A model with random weights, with a huge first position or without."""
    import torch
    from transformers import GPT2Config, GPT2Model

    tokenizer(texts, folder)
    torch.manual_seed(0)
    model = GPT2Model(GPT2Config(vocab_size=PIECES, **SHAPE, **ENDS))
    if planted:
        with torch.no_grad():
            model.wpe.weight[0, :2] += PLANTED
    model.save_pretrained(folder)
    return folder


def shown(model: str, name: str, bank: Path) -> None:
    """Print a line for every other layer of a model."""
    import lingprobe
    from lingprobe.encoders import make_encoder

    for slot in make_encoder(f"hf:{model},layers=all").slots[::2]:
        layer, cells, noted = slot.partition(".")[0], list[str](), ""
        for read in READS.values():
            with tempfile.TemporaryDirectory() as out:
                [found] = lingprobe.run(
                    f"ud/sent-len:{bank},fold=1/5",
                    f"hf:{model},layers={layer},{read}",
                    probes="logreg",
                    seeds=1,
                    baselines="none",
                    output=out,
                ).results
            cells.append(f"{100 * found.score:10.1f}")
            noted = noted or "".join(found.provenance.constant_tokens.values())
        print(f"{name:30} {layer:>5} {''.join(cells)}  {noted or '-'}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=180)
    options = parser.parse_args()
    if options.train:
        train(options.folder, Path(options.models[0]), options.device, options.seconds)
        return
    import lingprobe

    texts = [s.text for s in lingprobe.sentences(options.folder)]
    print(f"{'model':30} {'layer':>5} {''.join(f'{read:>10}' for read in READS)}  noted")
    for model in options.models:
        with tempfile.TemporaryDirectory() as place:
            known = model in ("planted", "random")
            made = untrained(Path(place), texts, model == "planted") if known else Path(model)
            shown(str(made), made.name if not known else model, options.folder)


if __name__ == "__main__":
    main()
