"""All of BLiMP through `lm:` against minicons and lm-evaluation-harness: sentences a second, and
whether scores are equal.

usage: python benchmarks/minimal_pairs.py DATA [--layers 6] [--width 256] [--paradigms 67]
           [--batches 32 128 512]      (DATA: the folder of BLiMP's .jsonl files; needs minicons and
           lm_eval)

The model is a GPT-2 of that size with random weights, since speed does not depend on them, and word
pieces learnt from the sentences. Each program scores every sentence once, in float32 on one thread,
from a start token on, in the order of the files: minicons' `sequence_score(reduction=sum,
bos_token=True)` and the harness's `loglikelihood` of ("", sentence), at each size of batch, of
which the best counts. Last comes the whole run, `minimal/pairs` through `lm:` with its table.
Exits with 1 below 1.2 times the faster, or where a score differs by more than 1e-4.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import ByteLevelBPETokenizer

import lingprobe
from lingprobe.data.core import Sentence
from lingprobe.encoders import make_encoder

TARGET, NEAR = 1.2, 1e-4
START = "<|endoftext|>"


def sentences(folder: Path, paradigms: int) -> list[str]:
    """Both sentences of each pair."""
    return [
        row[name]
        for file in sorted(folder.glob("*.jsonl"))[:paradigms]
        for row in map(json.loads, file.read_text("utf-8").splitlines())
        for name in ("sentence_good", "sentence_bad")
    ]


def save_model(place: Path, texts: list[str], layers: int, width: int) -> None:
    """A GPT-2 with random weights, and its tokenizer."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel, GPT2TokenizerFast

    pieces = ByteLevelBPETokenizer()
    pieces.train_from_iterator(texts, vocab_size=8_000, special_tokens=[START])
    pieces.save_model(str(place))
    tokenizer = GPT2TokenizerFast(str(place / "vocab.json"), str(place / "merges.txt"))
    torch.manual_seed(0)
    shape = {"n_layer": layers, "n_embd": width, "n_head": max(width // 64, 1), "n_positions": 128}
    mark = tokenizer.eos_token_id
    config = GPT2Config(vocab_size=len(tokenizer), bos_token_id=mark, eos_token_id=mark, **shape)
    GPT2LMHeadModel(config).save_pretrained(place)
    tokenizer.save_pretrained(place)


def with_minicons(place: Path, texts: list[str], batch: int) -> list[float]:
    """The log-probability of each sentence by minicons."""
    from minicons.scorer import IncrementalLMScorer

    scorer = IncrementalLMScorer(str(place), "cpu")
    return [
        score
        for start in range(0, len(texts), batch)
        for score in scorer.sequence_score(
            texts[start : start + batch], reduction=lambda each: each.sum(0).item(), bos_token=True
        )
    ]


def with_harness(place: Path, texts: list[str], batch: int) -> list[float]:
    """The same by lm-evaluation-harness."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model = HFLM(str(place), device="cpu", batch_size=batch, dtype="float32")
    asked = [Instance("loglikelihood", {}, ("", text), k) for k, text in enumerate(texts)]
    return [score for score, _ in model.loglikelihood(asked, disable_tqdm=True)]


def with_lingprobe(place: Path, texts: list[str], _: int = 0) -> list[float]:
    """The same by `lm:`."""
    encoder: Any = make_encoder(f"lm:{place},device=cpu")
    given = [Sentence(tuple(text.split()), text) for text in texts]
    parts = encoder.encode(given).layers[0]  # numbers whose sum is the score
    return np.asarray(parts, np.float64).sum(1).tolist()


def timed(work: Callable[[], list[float]]) -> tuple[float, np.ndarray]:
    """Seconds of a program with loading of its model, and the scores."""
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, np.array(found)


def main() -> int:
    """Measure all, and say how they compare."""
    import torch

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--paradigms", type=int, default=67)
    parser.add_argument("--batches", type=int, nargs="+", default=[32, 128, 512])
    asked = parser.parse_args()
    torch.set_num_threads(1)
    texts = sentences(asked.data, asked.paradigms)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "gpt2"
        place.mkdir()
        save_model(place, texts, asked.layers, asked.width)
        for program in (with_lingprobe, with_minicons, with_harness):
            program(place, texts[:64], 32)  # imports, and what is compiled once
        ours, mine = timed(lambda: with_lingprobe(place, texts))
        print(f"{len(texts):,} sentences; lm: {len(texts) / ours:,.0f} a second", flush=True)
        best, far = np.inf, 0.0
        for program in (with_minicons, with_harness):
            for batch in asked.batches:
                took, theirs = timed(lambda p=program, b=batch: p(place, texts, b))  # type: ignore[misc]
                best, far = min(best, took), max(far, float(np.abs(theirs - mine).max()))
                name = program.__name__.removeprefix("with_")
                print(f"{name}, {batch}: {len(texts) / took:,.0f} a second", flush=True)
        start = time.perf_counter()
        lingprobe.run(
            f"minimal/pairs:{asked.data}", f"lm:{place},device=cpu", cache=folder, output=folder
        )
        whole = time.perf_counter() - start
    print(
        f"{best / ours:.2f} times the faster of the two at its best batch (at least {TARGET});"
        f" largest difference {far:.1e} (at most {NEAR}); a whole run with floors and table,"
        f" {whole:.0f} s"
    )
    return int(best < TARGET * ours or far > NEAR)


if __name__ == "__main__":
    sys.exit(main())
