"""On how many pages does a false "better" stand, and how often is a true one found? Simulation of
whole pages, decided by the code that decides them.

usage: python benchmarks/verdicts.py [--pages 1000] [--rows 1,4,8,13,25] [--only WORDS]

A page has nine tasks of 500 test examples, in forms of five that are drawn together; some rows, and
one or two strong baselines. Rows are layers of one encoder, of which the best on dev is
chosen; layers whose results do not say what dev was; or encoders of their own. In truth all are
equally good (`better` must stand on at most 5 % of pages), or the rows are better by some points
(`found` is the share of tasks on which the encoder is told to be better; of several encoders only
the first is better). `uncorrected` counts pages where the same tests stand without a correction.
Exits with 1 where more than 5 % of pages have a false "better", beyond what that many pages allow.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom

from lingprobe.analysis.comparison import (
    ComparisonDecision,
    decide_comparisons,
    with_opponents,
)
from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.data.core import Result, Trial
from lingprobe.data.labels import Classes
from lingprobe.data.oracles import BEYOND_SURFACE_QUESTION

TASKS, EXAMPLES, FORM = 9, 500, 5
KINDS = ("layers, dev known", "layers, dev unknown", "encoders")
SHARE = 0.75  # of the examples that all have right
BASELINES = (("bow:random", "-"), ("length", "-"))
POINTS = (3, 6, 9)
SHARED, ENCODER, OWN = 0.5, 0.25, 0.25
"""Shares of the variance of what an example takes: of all rows, those of an encoder, each alone."""
ALLOWED = 0.05
GOLD = Classes(np.arange(EXAMPLES) % 2, ("a", "b"))
CLUSTERS = {"form": np.arange(EXAMPLES) // FORM}


class Design(NamedTuple):
    """Pages of a kind: what its rows are, how many, strong baselines, and by how much, as a share,
    the encoder is better than these.
    """

    kind: str
    rows: int
    baselines: int
    gain: float = 0.0

    @property
    def names(self) -> list[tuple[str, str]]:
        """The encoder and the layer of each row."""
        if self.kind == "encoders":
            return [(f"st:{i}", "-") for i in range(self.rows)]
        return [("st:0", str(i + 1)) for i in range(self.rows)]


def noise(rng: np.random.Generator, many: int) -> np.ndarray:
    """Normal with a variance of 1, of which a fifth is that of the form, [many, examples]."""
    forms = rng.standard_normal((many, EXAMPLES // FORM)).repeat(FORM, 1)
    return np.sqrt(0.2) * forms + np.sqrt(0.8) * rng.standard_normal((many, EXAMPLES))


def right(rng: np.random.Generator, encoders: Sequence[str], shares: Sequence[float]) -> np.ndarray:
    """What rows of these encoders get right, whose true scores are these, [rows, examples]."""
    codes = np.unique(encoders, return_inverse=True)[1]
    takes = np.sqrt(SHARED) * noise(rng, 1) + np.sqrt(OWN) * noise(rng, len(codes))
    takes += np.sqrt(ENCODER) * noise(rng, codes.max() + 1)[codes]
    return takes < ndtri(np.array(shares))[:, None]


def page(rng: np.random.Generator, design: Design) -> list[Result]:
    """The results of one page."""
    rows = design.names
    named = [*rows, *BASELINES[: design.baselines]]
    shares = [SHARE + design.gain * (encoder == "st:0") for encoder, _ in named]
    results = []
    for task in range(TASKS):
        dev = right(rng, [encoder for encoder, _ in named], shares).mean(1)
        test = right(rng, [encoder for encoder, _ in named], shares)
        choices = [{} if "unknown" in design.kind else {"dev": float(each)} for each in dev]
        results += [
            result((f"task-{task}", *name), hit, choice)
            for name, hit, choice in zip(named, test, choices, strict=True)
        ]
    return results


def result(what: tuple[str, str, str], hit: np.ndarray, choice: dict[str, float]) -> Result:
    """The result of a row on a task."""
    task, encoder, layer = what
    score = float(hit.mean())
    said = Classes(np.where(hit, GOLD.ids, 1 - GOLD.ids), GOLD.names)
    kind = "trained" if encoder.startswith("st:") else "baseline"
    made_with = {"kind": kind, "choice": choice, "constants": {"class": ["a"]}}
    made_with |= {"is_seeded": False}
    trial = Trial(task, encoder, layer, "logreg", "none", 0)
    made = (trial, "accuracy", score, score - 0.04, score + 0.04, 0.5, GOLD, said, made_with)
    return Result(*made, clusters=CLUSTERS)


def decided(rng: np.random.Generator, design: Design) -> list[ComparisonDecision]:
    """The verdicts of one page on what is beyond the surface, which both baselines oppose."""
    scored = compute_scores(ResultFrame.of(page(rng, design)))
    asked = with_opponents(scored).asked
    return decide_comparisons([each for each in asked if each.asks == BEYOND_SURFACE_QUESTION])


def false_pages(design: Design, pages: int, seed: int = 1) -> tuple[float, float]:
    """The share of pages on which a false "better" stands; and without a correction."""
    rng = np.random.default_rng(seed)
    stands = np.zeros(2)
    for _ in range(pages):
        verdicts = decided(rng, design)
        stands[0] += any(one.verdict == "better" for one in verdicts)
        stands[1] += any(one.difference > 0 and one.p < ALLOWED for one in verdicts)
    return float(stands[0] / pages), float(stands[1] / pages)


def power(design: Design, pages: int, seed: int = 2) -> float:
    """The share of tasks on which the encoder is told to be better."""
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(pages):
        better = (one for one in decided(rng, design) if one.verdict == "better")
        rows = (one.question.one.row for one in better)
        found += len({row.task for row in rows if row.encoder == "st:0"})
    return found / (pages * TASKS)


def main() -> int:
    """Simulate, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rows", default="1,4,8,13,25")
    parser.add_argument("--only", default="", help="kinds of rows with this in their name")
    options = parser.parse_args()
    start, worst, bad = time.perf_counter(), 0.0, 0
    most = binom.ppf(0.975, options.pages, ALLOWED) / options.pages
    gains = "".join(f"  found +{points}" for points in POINTS)
    print(f"{'rows':26}  baselines   better  uncorrected{gains}")
    for kind in (each for each in KINDS if options.only in each):
        for rows in map(int, options.rows.split(",")):
            for baselines in range(1, len(BASELINES) + 1):
                design = Design(kind, rows, baselines)
                share, uncorrected = false_pages(design, options.pages)
                worst, bad = max(worst, share), bad + (share > most)
                few = max(options.pages // 20, 5)
                told = (power(design._replace(gain=p / 100), few) for p in POINTS)
                powers = "".join(f"{share:10.0%}" for share in told)
                cells = f"{baselines:9}  {share:7.1%}  {uncorrected:11.1%}{powers}"
                print(f"{rows:2} {kind:23}  {cells}", flush=True)
    print(
        f"verdicts outside={bad} worst={100 * worst:.1f} target<=5 pages={options.pages}"
        f" seconds={time.perf_counter() - start:.0f}"
    )
    return 0 if not bad else 1


if __name__ == "__main__":
    raise SystemExit(main())
