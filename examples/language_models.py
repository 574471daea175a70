"""Train a small language model on novels, from scratch, on a processor
(docs/results-language-models.md).

usage: python examples/language_models.py causal|masked FOLDER --data FILE... [--tokens N] ...

It needs `pip install 'lingprobe[hf]'`. FILE has one sentence a line and may be compressed. FOLDER
is then read as `hf:FOLDER` (states) or `lm:FOLDER` (probabilities). It holds also text.txt, the
sentences that the model learnt from, of which n-grams are counted; recipe.json, by which the
training can be repeated; and FOLDER/early, the model after a tenth of the steps. A model reads one
sentence at a time, as lingprobe does later. One thread and a seed give the same weights again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from pathlib import Path
from typing import Any

import tokenizers
import torch
import transformers
from tokenizers import decoders, normalizers, pre_tokenizers, processors, trainers
from torch import Tensor, nn

from lingprobe.corpora.files import read_text_lines

MARKS = {
    "causal": {"bos_token": "<s>", "pad_token": "<pad>"},
    "masked": {
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
        "pad_token": "[PAD]",
    },
}
FRAMES = {"causal": "<s> $A", "masked": "[CLS] $A [SEP]"}
MASKED = 0.25  # of the tokens: a short training learns more from it than from BERT's 0.15
LONGEST = 64  # tokens of a sentence; the rest of it is cut off
SAMPLE = 50_000  # sentences, from which word pieces are learnt
SIZES = {"pieces": 4096, "layers": 3, "width": 128, "batch": 512, "held_out": 1000}
HOW_LONG = {"tokens": 5_000_000, "passes": 1, "every": 500, "seed": 0}
Tokens = transformers.PreTrainedTokenizerFast
Rows = list[list[int]]
Recipe = dict[str, Any]


def main() -> None:
    """Read, train, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=MARKS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    for name, number in {**SIZES, **HOW_LONG}.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=number)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--dtype", default="float32", help="bfloat16 is quicker on some processors")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(asked.seed)
    sentences = read(asked.data)
    mixed = [sentences[i] for i in torch.randperm(len(sentences)).tolist()]
    held_out, text = mixed[: asked.held_out], mixed[asked.held_out :]
    tokenizer = tokenizer_of(asked.kind, text[:SAMPLE], asked.pieces)
    rows = rows_of(tokenizer, text, asked.tokens)
    text = text[: len(rows)]
    asked.folder.mkdir(parents=True, exist_ok=True)
    (asked.folder / "text.txt").write_text("\n".join(text) + "\n", "utf-8")
    recipe = {
        "arguments": {key: str(value) for key, value in vars(asked).items()},
        "versions": {each.__name__: each.__version__ for each in (torch, transformers, tokenizers)},
        "text.txt": hash_of(asked.folder / "text.txt"),
        "sentences": len(text),
        "tokens": sum(map(len, rows)),
    }
    reader = Reader(model_of(asked, tokenizer), tokenizer, asked.dtype)
    train(reader, rows, rows_of(tokenizer, held_out), asked, recipe)


def read(files: list[Path]) -> list[str]:
    """The lines, with straight apostrophes; not those that are empty or name a book."""
    found = (line.strip().replace("’", "'") for file in files for _, line in read_text_lines(file))
    return [line for line in found if line and not line.startswith("# ")]


def hash_of(file: Path) -> str:
    """SHA-256 of what a file holds."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def tokenizer_of(kind: str, text: list[str], pieces: int) -> Tokens:
    """Byte pairs of these sentences, without capitals."""
    marks = MARKS[kind]
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    made.decoder = decoders.ByteLevel()
    special, letters = list(marks.values()), pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        text,
        trainers.BpeTrainer(
            vocab_size=pieces, special_tokens=special, initial_alphabet=letters, show_progress=False
        ),
    )
    made.post_processor = processors.TemplateProcessing(
        single=FRAMES[kind], special_tokens=[(m, made.token_to_id(m)) for m in special]
    )
    return Tokens(tokenizer_object=made, model_max_length=LONGEST, **marks)


def rows_of(tokenizer: Tokens, sentences: list[str], tokens: float = float("inf")) -> Rows:
    """The tokens of each sentence, of as many as have so many tokens."""
    rows: Rows = []
    for start in range(0, len(sentences), 10_000):
        some = sentences[start : start + 10_000]
        for row in tokenizer(some, truncation=True)["input_ids"]:
            if tokens <= 0:
                return rows
            rows.append(row)
            tokens -= len(row)
    return rows


def model_of(asked: argparse.Namespace, tokenizer: Tokens) -> nn.Module:
    """A network with random weights: Llama's, or ModernBERT's, a BERT with rotary positions."""
    shape = {
        "vocab_size": len(tokenizer),
        "hidden_size": asked.width,
        "num_hidden_layers": asked.layers,
        "num_attention_heads": max(asked.width // 32, 1),
        "intermediate_size": 8 * asked.width // 3,
        "max_position_embeddings": 2 * LONGEST,
        "tie_word_embeddings": True,
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": tokenizer.bos_token_id or tokenizer.cls_token_id,
        "eos_token_id": tokenizer.sep_token_id,
    }
    if asked.kind == "causal":
        return transformers.LlamaForCausalLM(transformers.LlamaConfig(**shape))
    marks = {"cls_token_id": tokenizer.cls_token_id, "sep_token_id": tokenizer.sep_token_id}
    return transformers.ModernBertForMaskedLM(transformers.ModernBertConfig(**shape, **marks))


def batches(rows: Rows, size: int, draw: torch.Generator) -> list[Rows]:
    """All rows in batches of at most so many tokens, rows of a batch about as long; mixed."""
    made: list[Rows] = []
    for start in range(0, len(rows), size):
        batch: Rows = []
        for row in sorted(rows[start : start + size], key=len):
            if batch and (len(batch) + 1) * len(row) > size:
                made.append(batch)
                batch = []
            batch.append(row)
        made.append(batch)
    return [made[number] for number in torch.randperm(len(made), generator=draw).tolist()]


class Reader:
    """What a model has to predict of rows of tokens, and how well it does."""

    def __init__(self, model: nn.Module, tokenizer: Tokens, dtype: str) -> None:
        self.model, self.tokenizer = model, tokenizer
        self.is_masked = tokenizer.mask_token is not None
        self.head = nn.Sequential(model.head, model.decoder) if self.is_masked else model.lm_head
        self.dtype = getattr(torch, dtype)

    def loss(self, rows: Rows, draw: torch.Generator) -> tuple[Tensor, int]:
        """The loss in nats, summed over the tokens that are predicted, and how many they are."""
        batch = self.tokenizer.pad({"input_ids": rows}, return_tensors="pt")
        ids, real = batch["input_ids"], batch["attention_mask"].bool()
        if self.is_masked:
            given, wanted = self._masked(ids, real, draw)
            right = ids[wanted]
        else:  # each token from those before it
            given, wanted = ids, torch.nn.functional.pad(real[:, 1:], (0, 1))
            right = ids[:, 1:][real[:, 1:]]
        with torch.autocast("cpu", self.dtype, enabled=self.dtype != torch.float32):
            states = self.model.base_model(given, attention_mask=batch["attention_mask"])
            scores = self.head(states.last_hidden_state[wanted])
        return nn.functional.cross_entropy(scores.float(), right, reduction="sum"), len(right)

    def _masked(self, ids: Tensor, real: Tensor, draw: torch.Generator) -> tuple[Tensor, Tensor]:
        """What is read, and what is predicted: of ten tokens of these, eight are masked, one is
        exchanged and one stays, as in BERT.
        """
        first = len(MARKS["masked"])
        chance, lot = torch.rand((2, *ids.shape), generator=draw)
        wanted = real & (ids >= first) & (chance < MASKED)
        others = torch.randint(first, len(self.tokenizer), ids.shape, generator=draw)
        given = torch.where(wanted & (lot < 0.8), self.tokenizer.mask_token_id, ids)
        return torch.where(wanted & (lot > 0.9), others, given), wanted


def train(
    reader: Reader, rows: Rows, held_out: Rows, asked: argparse.Namespace, recipe: Recipe
) -> None:
    """Each row once in each pass. The rate rises over a twentieth of the steps and then falls in a
    line to nothing.
    """
    draw = torch.Generator().manual_seed(asked.seed)
    steps = [batch for _ in range(asked.passes) for batch in batches(rows, asked.batch, draw)]
    last, rise, weights = len(steps), len(steps) / 20, list(reader.model.parameters())
    how = {"betas": (0.9, 0.98), "weight_decay": 0.1, "fused": True}
    optimizer = torch.optim.AdamW(weights, asked.rate, **how)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda n: min((n + 1) / rise, (last - n) / (last - rise))
    )
    recipe |= {"steps": last, "weights": sum(each.numel() for each in weights), "held out": {}}
    start = time.monotonic()
    for number, batch in enumerate(steps, 1):
        loss, many = reader.loss(batch, draw)
        (loss / many).backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        rate.step()
        recipe |= {"step": number, "seconds": round(time.monotonic() - start)}
        if number % asked.every == 0 or number == last:
            recipe["held out"][number] = held_out_loss(reader, held_out, asked.batch)
            save(reader, asked.folder, recipe)
        if number == last // 10:
            save(reader, asked.folder / "early", recipe)


def held_out_loss(reader: Reader, rows: Rows, size: int) -> float:
    """In nats a predicted token; the same tokens are masked each time."""
    draw = torch.Generator().manual_seed(0)
    with torch.inference_mode():
        found = [reader.loss(batch, draw) for batch in batches(rows, size, draw)]
    return round(sum(float(loss) for loss, _ in found) / sum(many for _, many in found), 4)


def save(reader: Reader, folder: Path, recipe: Recipe) -> None:
    """The model, its tokenizer, and how it was made."""
    reader.model.save_pretrained(folder)
    reader.tokenizer.save_pretrained(folder)
    weights = {"model.safetensors": hash_of(folder / "model.safetensors")}
    (folder / "recipe.json").write_text(json.dumps(recipe | weights, indent=1) + "\n", "utf-8")
    print(recipe["step"], recipe["seconds"], list(recipe["held out"].values())[-1:], flush=True)


if __name__ == "__main__":
    main()
