"""How far untrained copies of one architecture differ, and how often one more of them is called
better than a single one, or than five.

usage: python benchmarks/copies.py --tokenizer FOLDER [--data FOLDER] [--seeds 6] [--size 5000]
[--work FOLDER] [--output FILE.csv]

Eight small architectures with random weights, all with the tokenizer in FOLDER, read two tasks from
their last layer. Of each architecture and task the variance between networks is the part of the
variance between their scores that their test examples do not explain (two-way layout, Searle et al.
1992, Variance Components), as a share of p (1 - p), where p is their mean score. Over all of them it
follows a scaled inverse chi-squared distribution, whose scale and degrees of freedom are those of
the largest likelihood, as of Smyth (2004, Statistical Applications in Genetics and Molecular Biology
3:3). `better than one` and `better than five` are percentages of choices of networks, with a
distribution from the other seven architectures. Exits with 1 where more than 5 % of one more network
are better than one, or than five, over all tasks together.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp
from scipy.stats import chi2

import lingprobe
from lingprobe.analysis.comparable import ComparedRow, list_compared
from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.metrics import FitAnswers
from lingprobe.metrics.intervals import CopySpread, difference_from_draws, find_metric

WIDTH, HEADS, DEPTH = 128, 4, 4
_COMMON = {"hidden_size": WIDTH, "num_attention_heads": HEADS, "num_hidden_layers": DEPTH}
_COMMON |= {"intermediate_size": 4 * WIDTH, "max_position_embeddings": 512}
_GPT = {"n_embd": WIDTH, "n_head": HEADS, "n_layer": DEPTH, "n_positions": 512}
_DISTIL = {"dim": WIDTH, "n_heads": HEADS, "n_layers": DEPTH, "hidden_dim": 4 * WIDTH}
ARCHITECTURES: Mapping[str, Mapping[str, Any]] = {
    "bert": _COMMON,
    "roberta": {**_COMMON, "max_position_embeddings": 514},
    "distilbert": _DISTIL,
    "albert": {**_COMMON, "embedding_size": WIDTH},
    "gpt2": _GPT,
    "gpt_neox": _COMMON,
    "opt": {**_COMMON, "ffn_dim": 4 * WIDTH, "word_embed_proj_dim": WIDTH},
    "llama": {**_COMMON, "num_key_value_heads": HEADS},
}
TASKS = (
    "ud/tense:{data}/treebanks/UD_English-EWT",
    "text/trec:{data}/downstream/SentEval-layout",
)
LEVEL = 0.05


class Networks(NamedTuple):
    """Networks of one architecture on a task.

    score    their mean, 0 to 1
    between  variance between their scores; within: the part of it that the test examples explain
    share    (between - within) / (p (1 - p))
    """

    architecture: str
    task: str
    answers: Sequence[FitAnswers]
    score: float
    between: float
    within: float

    @property
    def scale(self) -> float:
        return self.score * (1 - self.score)

    @property
    def share(self) -> float:
        return (self.between - self.within) / self.scale


def save_model(folder: Path, name: str, tokenizer: Path) -> None:
    """A folder with a configuration and a tokenizer; weights are drawn when it is read."""
    from transformers import AutoConfig, AutoTokenizer

    words = AutoTokenizer.from_pretrained(tokenizer)
    said = {"vocab_size": len(words), "pad_token_id": words.pad_token_id}
    AutoConfig.for_model(name, **ARCHITECTURES[name], **said).save_pretrained(folder)
    words.save_pretrained(folder)


def measure(asked: argparse.Namespace, name: str) -> list[Networks]:
    """All networks of an architecture on all tasks."""
    work = Path(asked.work)
    save_model(work / name, name, Path(asked.tokenizer))
    seeds = ["", *(f",seed={seed}" for seed in range(1, asked.seeds))]
    evaluation = lingprobe.run(
        [task.format(data=asked.data) for task in TASKS],
        [f"hf:{work / name},weights=random{seed}" for seed in seeds],
        baselines="none",
        limit=asked.size,
        output=work / "results" / name,
        cache=work / "cache" / name,
    )
    rows = list_compared(compute_scores(ResultFrame.of(evaluation.results)))
    tasks = dict.fromkeys(one.row.task for one in rows)
    return [summarise(name, task, [one for one in rows if one.row.task == task]) for task in tasks]


def summarise(name: str, task: str, rows: Sequence[ComparedRow]) -> Networks:
    """The rows of networks."""
    metric = find_metric(rows[0].row.metric)
    fits = [one.answers.fits(metric) for one in rows]
    scores = np.array([each.scores[0] for each in fits])
    hits = np.array([each.influences[0] * len(each.influences[0]) for each in fits])
    left = hits - hits.mean(
        0
    )  # hits are around the score of each; now around the ease of each example, too
    networks, examples = left.shape
    within = (left**2).sum() / ((networks - 1) * (examples - 1)) / examples
    answers = [one.answers for one in rows]
    return Networks(name, task, answers, scores.mean(), scores.var(ddof=1), float(within))


def fit_spread(every: Sequence[Networks]) -> CopySpread:
    """The distribution of the variance between networks as a share of p (1 - p)."""
    logs = np.linspace(math.log(1e-7), math.log(0.05), 400)  # of the share
    shares = np.exp(logs)

    def lack(parameters: np.ndarray) -> float:
        scale, df = np.exp(parameters)
        prior = chi2.logpdf(df * scale / shares, df) + np.log(df * scale / shares)
        total = 0.0
        for each in every:
            d = len(each.answers) - 1
            expected = shares * each.scale + each.within
            seen = chi2.logpdf(d * each.between / expected, d) + np.log(d / expected)
            total += logsumexp(prior + seen)
        return -total

    starts = [[math.log(s), math.log(d)] for s in (1e-4, 1e-3) for d in (2.0, 8.0)]
    found = min(
        (minimize(lack, start, method="Nelder-Mead") for start in starts), key=lambda f: f.fun
    )
    scale, df = np.exp(found.x)
    return CopySpread(float(scale), float(min(df, 100.0)))


def count_better(each: Networks, spread: CopySpread, many: int, most: int = 60) -> tuple[int, int]:
    """How many of some choices of one network and `many` others call the first better."""
    rng = np.random.default_rng(many)
    choices = list(permutations(range(len(each.answers)), 2)) if many == 1 else []
    while len(choices) < most and many > 1:
        choices.append(tuple(rng.permutation(len(each.answers))[: many + 1]))
    better = 0
    for first, *others in choices:
        drawn = [each.answers[k].predicted[0] for k in others]
        copies = replace(each.answers[others[0]], predicted=tuple(drawn))
        found = difference_from_draws("accuracy", each.answers[first], copies, spread)
        better += found.value > 0 and found.p < LEVEL
    return better, len(choices)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--data", default=os.environ.get("LINGPROBE_DATA", ""))
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--size", type=int, default=5000)
    parser.add_argument("--work", default="copies")
    parser.add_argument("--output", default="")
    asked = parser.parse_args()
    every: list[Networks] = []
    for name in ARCHITECTURES:
        every += measure(asked, name)
        print(name, "measured", flush=True)
    rows: list[dict[str, object]] = []
    counted = {1: [0, 0], 5: [0, 0]}
    for each in every:
        spread = fit_spread([other for other in every if other.architecture != each.architecture])
        found = {many: count_better(each, spread, many) for many in counted}
        for many, pair in found.items():
            counted[many] = [a + b for a, b in zip(counted[many], pair, strict=True)]
        rows.append(
            {
                "architecture": each.architecture,
                "task": each.task.split(":")[0],
                "networks": len(each.answers),
                "examples": len(each.answers[0].gold),
                "score": round(100 * each.score, 1),
                "deviation": round(100 * math.sqrt(max(each.between - each.within, 0)), 2),
                "share": f"{each.share:.2e}",
                "better than one": round(100 * found[1][0] / found[1][1], 1),
                "better than five": round(100 * found[5][0] / found[5][1], 1),
            }
        )
    whole = fit_spread(every)
    rates = {many: 100 * a / b for many, (a, b) in counted.items()}
    print(json.dumps({"share": whole.share, "df": whole.df, "better than": rates}))
    if asked.output:
        with open(asked.output, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return int(max(rates.values()) > 100 * LEVEL)


if __name__ == "__main__":
    sys.exit(main())
