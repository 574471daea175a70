"""How far bags of random word vectors differ: whether a baseline is a draw as untrained copies are.

usage: python benchmarks/bags.py [--data FOLDER] [--seeds 6] [--work FOLDER] [--output FILE.csv]

Bags of two widths answer three tasks of UD English EWT in full, each bag with word vectors drawn
with a seed of its own. `deviation` is that of their scores, `explained` that which their test
examples alone give, and `share` the variance that these do not explain, as a share of p (1 - p),
where p is their mean score: that of untrained copies is in copies.csv, by benchmarks/copies.py.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import sys
from itertools import groupby
from pathlib import Path

from copies import fit_spread, summarise

import lingprobe
from lingprobe.analysis.comparable import list_compared
from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.score_columns import compute_scores

WIDTHS = (384, 128)
TASKS = ("tense", "subj-num", "obj-num")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("LINGPROBE_DATA", ""))
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--work", default="bags")
    parser.add_argument("--output", default="")
    asked = parser.parse_args()
    tasks = [f"ud/{name}:{asked.data}/treebanks/UD_English-EWT" for name in TASKS]
    every = []
    for width in WIDTHS:
        evaluation = lingprobe.run(
            tasks,
            [f"bow:random,dim={width},seed={seed}" for seed in range(asked.seeds)],
            baselines="none",
            seeds=1,
            output=Path(asked.work) / f"results-{width}",
            cache=Path(asked.work) / "cache",
        )
        rows = list_compared(compute_scores(ResultFrame.of(evaluation.results)))
        rows = sorted(rows, key=lambda each: tasks.index(each.row.task))
        for task, mine in groupby(rows, key=lambda each: each.row.task):
            every.append(summarise(f"bow:random,dim={width}", task, list(mine)))
    lines = [
        {
            "encoder": each.architecture,
            "task": each.task.split(":")[0],
            "bags": len(each.answers),
            "examples": len(each.answers[0].gold),
            "score": round(100 * each.score, 1),
            "deviation": round(100 * math.sqrt(each.between), 2),
            "explained": round(100 * math.sqrt(each.within), 2),
            "share": f"{each.share:.2e}",
        }
        for each in every
    ]
    spread = fit_spread(every)
    print(f"share {spread.share:.2e}, {spread.df:.0f} degrees of freedom")
    if asked.output:
        with open(asked.output, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
