"""Does `intervene` find what a model uses, and only that? Models whose weights are written, not
trained, so that what they use is known.

usage: python benchmarks/planted/intervene.py [--instances 40] [--only TRUTH] [--first SEED]
[--work FOLDER] [--output FILE.csv]

Each instance is a GPT-2 of two or three blocks with weights of its own, a language of its own, 360
sentences with their minimal pairs, and a task that asks for the number of a noun; the states of
layer 1 are changed. Of six words one is the noun, and the next one, a verb, is what the model
chooses. The truths:

used      the noun has its number in a direction, which the choice is read from; the direction has up
          to most of the variance of the states
split     half of the nouns have it in another direction, and both are read
unused    the noun has it, and the choice is read from another property of the noun
absent    labels are drawn at random, and the choice is read from another property

Printed are hits (used, split), and false alarms (unused, absent), with intervals (Clopper & Pearson
1934). Exits with 1 where the lower limit of hits is not above 85 %, or the upper limit of false
alarms not below 8 %; 200 instances of each truth can show that.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest

import lingprobe
from lingprobe.inside.erase.effect_cells import decide_use

TRUTHS = {"used": "used", "split": "used", "unused": "not detected", "absent": "absent"}
SENTENCES, WORDS, NOUNS, FILLERS = 360, 6, 12, 8
LEAST_HITS, MOST_ALARMS = 85.0, 8.0
Rng = np.random.Generator


class Line(NamedTuple):
    """A sentence: its words, the same with the worse verb, and the label of its noun."""

    good: list[str]
    bad: list[str]
    label: str


def draw_lines(rng: Rng, truth: str) -> list[Line]:
    """Sentences, each with a verb of its own. A noun `n3sx` has a number (s or p) and another
    property (x or y), of which the verb has one or the other.
    """
    lines = []
    for k in range(SENTENCES):
        number, other = rng.choice(["s", "p"]), rng.choice(["x", "y"])
        noun = f"n{rng.integers(NOUNS)}{number}{other}"
        is_first = number == "s" if TRUTHS[truth] == "used" else other == "x"
        verbs = [f"v{k}a", f"v{k}b"] if is_first else [f"v{k}b", f"v{k}a"]
        fill = [f"w{i}" for i in rng.integers(FILLERS, size=WORDS - 2)]
        at = int(rng.integers(1, WORDS - 2))
        good, bad = ([*fill[:at], noun, verb, *fill[at:]] for verb in verbs)
        label = str(rng.choice(["s", "p"])) if truth == "absent" else str(number)
        lines.append(Line(good, bad, label))
    return lines


def save_model(folder: Path, rng: Rng, lines: list[Line], truth: str) -> None:
    """A GPT-2 that chooses the verb by the noun before it."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    words = {"<s>": 0, "<u>": 1}
    for line in lines:
        for word in (*line.good, *line.bad):
            words.setdefault(word, len(words))
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<u>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", unk_token="<u>", pad_token="<u>",
        model_max_length=32,
    ).save_pretrained(folder)  # fmt: skip
    width = int(rng.choice([24, 32, 48]))
    torch.manual_seed(int(rng.integers(2**31)))
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=len(words), n_positions=32, n_embd=width, n_layer=int(rng.integers(2, 4)),
            n_head=2, tie_word_embeddings=False, bos_token_id=0, eos_token_id=0,
        )
    ).eval()  # fmt: skip
    # directions without a mean, which layer normalisation would take out
    centred = rng.standard_normal((width, 4))
    basis = np.linalg.qr(np.concatenate([np.ones((width, 1)), centred], 1))[0][:, 1:].T
    size = float(rng.choice([2.0, 4.0, 8.0]))  # beside noise of length about the root of the width
    table = rng.standard_normal((len(words), width))
    head = 0.05 * rng.standard_normal((len(words), width))
    table -= table @ basis.T @ basis
    for word, i in words.items():
        if word[0] == "n":
            number, other = (1 if mark in "sx" else -1 for mark in word[-2:])
            is_second = truth == "split" and int(word[1:-2]) % 2
            if truth != "absent":
                table[i] += size * number * basis[1 if is_second else 0]
            table[i] += size * other * basis[2]
        if word[0] == "v":
            sign = 1 if word.endswith("a") else -1
            read = {"used": basis[0], "split": basis[0] + basis[1]}.get(truth, basis[2])
            head[i] = 2 * sign * read
    with torch.no_grad():
        model.transformer.wte.weight.copy_(torch.from_numpy(table))
        model.lm_head.weight.copy_(torch.from_numpy(head))
    model.save_pretrained(folder)


def judge(work: Path, truth: str, seed: int) -> dict[str, object]:
    """What is said of one instance."""
    rng = np.random.default_rng([seed, sorted(TRUTHS).index(truth)])
    folder = work / f"{truth}-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    lines = draw_lines(rng, truth)
    save_model(folder / "model", rng, lines, truth)
    splits = ("train", "train", "train", "dev", "test")
    rows = [
        {"text": " ".join(line.good), "label": line.label, "split": splits[k % 5]}
        for k, line in enumerate(lines)
    ]
    pairs = [
        {"good": " ".join(line.good), "bad": " ".join(line.bad), "group": str(k % 11)}
        for k, line in enumerate(lines)
    ]
    (folder / "task.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (folder / "pairs.jsonl").write_text("\n".join(map(json.dumps, pairs)), "utf-8")
    begun = time.process_time()
    page = lingprobe.intervene(
        f"table:{folder}/task.jsonl",
        f"lm:{folder}/model",
        layer=1,
        pairs=f"minimal/pairs:{folder}/pairs.jsonl",
        draws=3,
        cache=folder / "cache",
    )
    use, told = decide_use(page.content)
    return {
        "truth": truth,
        "seed": seed,
        "said": use,
        "change": "" if told is None else told.change,
        "margin": "" if told is None else round(told.before, 2),
        "after": "" if told is None else round(told.after, 2),
        "own": "" if told is None else round(told.own, 2),
        "detectable": "" if told is None else round(told.detectable, 2),
        "seconds": round(time.process_time() - begun, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=40)
    parser.add_argument("--only", choices=tuple(TRUTHS))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--work", default="")
    parser.add_argument("--output", default="")
    asked = parser.parse_args()
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as own:
        for truth in TRUTHS if asked.only is None else (asked.only,):
            for seed in range(asked.first, asked.first + asked.instances):
                rows.append(judge(Path(asked.work or own), truth, seed))
                print(*rows[-1].values(), sep="\t", flush=True)
    is_well = True
    for truth, right in TRUTHS.items():
        said = [row["said"] == "used" for row in rows if row["truth"] == truth]
        if not said:
            continue
        found = binomtest(sum(said), len(said)).proportion_ci(method="exact")
        low, high = 100 * found.low, 100 * found.high
        name = "hits" if right == "used" else "false alarms"
        print(f"{truth}: {sum(said)} of {len(said)} {name} [{low:.1f}, {high:.1f}] %")
        is_well &= low > LEAST_HITS if right == "used" else high < MOST_ALARMS
    if asked.output:
        with open(asked.output, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return int(not is_well)


if __name__ == "__main__":
    sys.exit(main())
