"""Sentences a second of transformers on a GPU: `hf:` against the loop that people write.

usage: python benchmarks/large.py [FOLDER] [--device cuda] [--shape minilm|e5|1b|7b|tiny]
[--sentences 8192] [--tokens 1024,16384] [--layers last]

FOLDER holds treebanks/UD_English-EWT (LINGPROBE_DATA without it). The model has the shape that is named
and random weights, in bfloat16: how fast it is does not depend on what it knows. Its tokeniser is
trained on the sentences. The loop takes 32 sentences at a time in the order of the file, pads them
to the longest, asks for all hidden states and keeps the mean of the last layer over real tokens.
Both see the same sentences in the same process; each is warmed up first, and timed with the device
idle before and after. The share of the peak is 2 x weights x real tokens a second over the products
of bfloat16 that the device is measured to reach in squares of 8,192.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lingprobe.corpora.conllu import read_conllu
from lingprobe.corpora.files import find_treebank_files
from lingprobe.data.core import Sentence
from lingprobe.encoders import make_encoder

SHAPES: dict[str, dict[str, int]] = {
    "tiny": {
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 128,
    },
    "minilm": {
        "hidden_size": 384,
        "num_hidden_layers": 6,
        "num_attention_heads": 12,
        "intermediate_size": 1536,
    },
    "e5": {  # multilingual-e5-small
        "hidden_size": 384,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "intermediate_size": 1536,
    },
    "1b": {
        "hidden_size": 2048,
        "num_hidden_layers": 16,
        "num_attention_heads": 32,
        "intermediate_size": 8192,
    },
    "7b": {
        "hidden_size": 4096,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "intermediate_size": 11008,
    },
}


def model(shape: str, texts: Sequence[str], device: str, folder: Path) -> None:
    """Write a model with random weights, and its tokeniser."""
    made, tokenizer = drawn(shape, texts, device)
    made.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def drawn(shape: str, texts: Sequence[str], device: str) -> tuple[Any, Any]:
    """A model with random weights, and its tokeniser."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import AutoModel, BertConfig, LlamaConfig, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    tokenizer.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=30_000, special_tokens=special, show_progress=False)
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=512,
    )
    kind = LlamaConfig if shape in ("1b", "7b") else BertConfig
    config = kind(vocab_size=32_000, max_position_embeddings=512, pad_token_id=0, **SHAPES[shape])
    with torch.device(device):
        return AutoModel.from_config(config, dtype=torch.bfloat16).eval(), fast


def plain(
    folder: Path, texts: Sequence[str], device: str
) -> tuple[Callable[[Sequence[str]], np.ndarray], int, int]:
    """The loop, the model's weights, and the tokens of the sentences."""
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    net: Any = AutoModel.from_pretrained(folder, dtype=torch.bfloat16).to(device).eval()
    return loop_of(net, tokenizer, texts, device)


def loop_of(
    net: Any, tokenizer: Any, texts: Sequence[str], device: str
) -> tuple[Callable[[Sequence[str]], np.ndarray], int, int]:
    """The same of a model that is there."""
    weights = sum(p.numel() for name, p in net.named_parameters() if "embed" not in name)
    tokens = sum(len(t) for t in tokenizer(list(texts), truncation=True)["input_ids"])

    @torch.inference_mode()
    def run(texts: Sequence[str]) -> np.ndarray:
        vectors = []
        for start in range(0, len(texts), 32):
            batch = tokenizer(
                list(texts[start : start + 32]), padding=True, truncation=True, return_tensors="pt"
            ).to(device)
            states = net(**batch, output_hidden_states=True).hidden_states[-1].float()
            mask = batch["attention_mask"][..., None]
            vectors.append(((states * mask).sum(1) / mask.sum(1)).cpu().numpy())
        return np.concatenate(vectors)

    return run, weights, tokens


def timed(work: Callable[[], Any], device: str) -> tuple[float, Any]:
    """Seconds and what came of it."""
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    start = time.perf_counter()
    made = work()
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    return time.perf_counter() - start, made


def peak(device: str) -> float:
    """Operations a second of products of squares in bfloat16."""
    n = 8192 if device.startswith("cuda") else 1024
    a, b = (torch.randn(n, n, device=device, dtype=torch.bfloat16) for _ in range(2))
    a @ b
    seconds, _ = timed(lambda: [a @ b for _ in range(10)], device)
    return 20 * n**3 / seconds


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path(os.environ.get("LINGPROBE_DATA", ""))
    )
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--shape", choices=SHAPES, default="minilm")
    parser.add_argument("--sentences", type=int, default=8192)
    parser.add_argument("--tokens", default="1024,16384")
    parser.add_argument("--layers", default="last")
    args = parser.parse_args()
    parts = find_treebank_files(args.folder / "treebanks" / "UD_English-EWT")
    given: list[Sentence] = [tree.sentence for part in parts for tree in read_conllu(part.path)][
        : args.sentences
    ]
    texts = [s.text for s in given]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "model"
        model(args.shape, texts, args.device, folder)
        loop, weights, tokens = plain(folder, texts, args.device)
        best = peak(args.device)
        print(
            f"{args.shape}: {weights / 1e6:,.1f} million weights beside the embeddings; {len(texts)} sentences of {tokens} tokens; products {best / 1e12:.1f} TFLOP/s"
        )
        loop(texts[:64])
        base, wanted = timed(lambda: loop(texts), args.device)
        told("loop", base, base, texts, tokens, weights, best)
        for size in args.tokens.split(","):
            encoder: Any = make_encoder(
                f"hf:{folder},device={args.device},dtype=bfloat16,tokens={size},layers={args.layers}"
            )
            encoder.encode(given[:64])
            if args.device.startswith("cuda"):
                torch.cuda.reset_peak_memory_stats()
            seconds, vectors = timed(lambda encoder=encoder: encoder.encode(given), args.device)
            told(f"lingprobe, tokens={size}", seconds, base, texts, tokens, weights, best)
            got = np.asarray(vectors.layers[-1], np.float32)
            cosine = (
                (got * wanted).sum(1) / np.linalg.norm(got, axis=1) / np.linalg.norm(wanted, axis=1)
            )
            memory = (
                torch.cuda.max_memory_allocated() / 2**30 if args.device.startswith("cuda") else 0.0
            )
            print(
                f"  least cosine with the loop's vectors {cosine.min():.4f}; memory of the device {memory:.1f} GiB"
            )
    return 0


def told(
    name: str,
    seconds: float,
    base: float,
    texts: Sequence[str],
    tokens: int,
    weights: int,
    best: float,
) -> None:
    """Print a line."""
    share = 2 * weights * tokens / seconds / best
    print(
        f"{name}: {len(texts) / seconds:,.0f} sentences a second, {base / seconds:.2f} times the loop, {share:.1%} of the peak",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
