"""Count how often a model that was never trained is said to have what training gives, in whole runs,
and how often a trained one is not said to have it.

usage: python benchmarks/random_weights.py --tokenizer FOLDER [--data FOLDER] [--limit 5000]
[--seeds 1] [--first 0] [--model REFERENCE ...] [--work FOLDER] [--output FILE.csv]

Eight small architectures are saved with weights that were drawn at random, as anybody's model is,
and `lingprobe.run` reads six data sets with each beside all that it measures unasked. "Decodable"
claims what training put there, and is false of all of them; "beyond the surface" is counted, too. A
model named with --model is read with `limit` sentences and with all: of what is 5 points above all
baselines with all sentences, it is counted how much so few find. Exits with 1 where more than 5 % of
the answers on random weights are "decodable", beyond what chance allows of so many, or less than
80 % of the others are found.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from copies import ARCHITECTURES, save_model
from scipy.stats import binom

import lingprobe

TASKS = (
    "ud/tense:{data}/treebanks/UD_English-EWT",
    "ud/subj-num:{data}/treebanks/UD_English-EWT",
    "ud/sent-type:{data}/treebanks/UD_English-EWT",
    "text/trec:{data}/downstream/SentEval-layout",
    "text/subj:{data}/downstream/SentEval-layout",
    "text/cr:{data}/downstream/SentEval-layout",
)
FALSE, FOUND, POINTS = 0.05, 0.8, 5.0


def save_random_model(folder: Path, name: str, tokenizer: Path, seed: int) -> None:
    """A model with weights as its own architecture draws them, saved as a trained one is."""
    import torch
    from transformers import AutoConfig, AutoModel

    save_model(folder, name, tokenizer)
    torch.manual_seed(1000 + seed)  # no copy's seed
    AutoModel.from_config(AutoConfig.from_pretrained(folder)).save_pretrained(folder)


def answer(asked: argparse.Namespace, model: str, limit: int | None) -> list[dict[str, object]]:
    """What is said of a model on each data set."""
    start, work = time.perf_counter(), Path(asked.work)
    evaluation = lingprobe.run(
        [task.format(data=asked.data) for task in TASKS],
        [model],
        limit=limit,
        output=work / f"results-{limit or 'all'}",
        cache=work / "cache",
    )
    seconds = f"{(time.perf_counter() - start) / len(TASKS):.0f}"
    return [
        {
            "model": Path(model.removeprefix("hf:").removeprefix("st:")).name,
            "task": one.task.partition(":")[0],
            "n": one.n,
            "score": f"{one.score:.1f}",
            "baseline": one.baseline,
            "difference": f"{one.difference:.1f}",
            "low": f"{one.difference_low:.1f}",
            "decodable": int(one.verdict == "better"),
            "beyond surface": int(one.surface_verdict == "better"),
            "seconds": seconds,
        }
        for one in evaluation
        if one.kind == "trained" and one.verdict
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--data", default=os.environ.get("LINGPROBE_DATA", ""))
    parser.add_argument("--limit", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--only", default="", help="architectures with this in their name")
    parser.add_argument("--model", action="append", default=[])
    parser.add_argument("--work", default="random-weights")
    parser.add_argument("--output", default="")
    asked = parser.parse_args()
    rows: list[dict[str, object]] = []
    for name in ARCHITECTURES:
        seeds = range(asked.first, asked.first + asked.seeds)
        for seed in seeds if asked.only in name else ():
            folder = Path(asked.work) / f"{name}-{seed}"
            save_random_model(folder, name, Path(asked.tokenizer), seed)
            rows += answer(asked, f"hf:{folder}", asked.limit)
            print(rows[-len(TASKS) :], flush=True)
    few = [row for model in asked.model for row in answer(asked, model, asked.limit)]
    every = [row for model in asked.model for row in answer(asked, model, None)]
    if asked.output:
        with open(asked.output, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list((rows or few)[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows + few + every)
    return judge(rows, few, every)


def judge(
    rows: Sequence[dict[str, object]],
    few: Sequence[dict[str, object]],
    every: Sequence[dict[str, object]],
) -> int:
    """Print the counts; 1 where they are outside of what is allowed."""
    false, surface = (
        sum(int(str(r[key])) for r in rows) for key in ("decodable", "beyond surface")
    )
    print(f"{false} of {len(rows)} answers on random weights are 'decodable', {surface} 'beyond'")
    wins = [
        int(str(one["decodable"]))
        for one, known in zip(few, every, strict=True)
        if float(str(known["difference"])) >= POINTS
    ]
    print(f"{sum(wins)} of {len(wins)} differences of {POINTS:.0f} points are found")
    most = binom.ppf(0.975, len(rows), FALSE) if rows else 0
    return int(false > most or sum(wins) < FOUND * len(wins))


if __name__ == "__main__":
    sys.exit(main())
