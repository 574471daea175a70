"""Count whole runs that claim what is not so, and runs that find what is.

usage: python benchmarks/false_claims.py [--pages 400] [--only WORDS] [--output FILE.csv]

Each page is `lingprobe.evaluate` on one made data set with made vectors: data are read, folds are
drawn, `linear` is chosen and fitted, baselines are measured, verdicts are decided. Texts are random
words, which tell nothing of labels. `knows` is how far apart the classes are in the vectors, in
standard deviations. Where it is 0, "decodable", "beyond the surface" and "worse" are false; equal
encoders are compared in pairs, where "better" is false. Counted are pages with a false claim.

Then power: as many examples as a page says that five points need are given to two encoders that
differ by five points, and it is counted how often the difference is found.

Exits with 1 where more than 5.5 % of all pages have a false claim, or more than 8 % of one design,
beyond what that many pages allow; or where less than 80 % of planted differences are found.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binom

import lingprobe
from lingprobe.analysis.comparison import ComparisonDecision, decide_comparisons, pair_encoder_rows
from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.score_columns import compute_scores

Rng = np.random.Generator
WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in "bdgklmnprst"]
POOLED, WORST, FOUND = 0.055, 0.08, 0.8
PLANTED = 0.05
DECIDED = ("better", "worse")
PILOT_PAGES = 40  # from which it is read how many examples are needed, and how far classes must lie


class Design(NamedTuple):
    """How a page is made.

    n        examples
    dim      numbers of a vector
    knows    how far apart classes are in the vectors, in standard deviations
    classes  of equal size, but for `rare`, the share of one of two
    shared   the share of the vectors' variance that encoders have in common
    groups   that examples belong to, whose vectors and labels are alike; 0 for none
    layers   of each encoder, all equally good
    split    whether the data have a train, a dev and a test part
    """

    name: str
    n: int = 400
    dim: int = 16
    knows: float = 0.0
    classes: int = 2
    rare: float = 0.0
    shared: float = 0.0
    groups: int = 0
    layers: int = 1
    split: bool = False


DESIGNS = (
    Design("nothing to find"),
    Design("nothing to find, four classes", dim=100, classes=4),
    Design("nothing to find, groups", groups=40),
    Design("nothing to find, a class of 5 %", n=1000, rare=0.05),
    Design("equal encoders", dim=50, knows=2.0, shared=0.5),
    Design("equal encoders, layers, a split", n=1000, dim=32, knows=1.3, layers=4, split=True),
)


@dataclass
class Made:
    """An encoder whose vectors were drawn, [texts, dim] of each layer."""

    name: str
    rows: dict[str, int]
    drawn: Mapping[str, np.ndarray]
    takes: str = field(default="sentences", init=False)

    @property
    def fingerprint(self) -> str:
        return self.base

    @property
    def base(self) -> str:
        return f"{self.name} {[float(each.sum()) for each in self.drawn.values()]}"

    @property
    def slots(self) -> tuple[str, ...]:
        return tuple(f"{name}.mean" for name in self.drawn)

    def asking(self, slots: tuple[str, ...]) -> Made:
        return replace(self, drawn={each: self.drawn[each] for each in map(layer_of, slots)})

    def encode(self, sentences: Sequence[lingprobe.Sentence]) -> lingprobe.Vectors:
        at = [self.rows[each.text] for each in sentences]
        return lingprobe.Vectors(tuple(each[at] for each in self.drawn.values()), (*self.drawn,))


def layer_of(slot: str) -> str:
    return slot.partition(".")[0]


def draw_labels(rng: Rng, design: Design) -> tuple[np.ndarray, np.ndarray]:
    """The class and the group of each example [n]."""
    if design.groups:
        group = np.arange(design.n) % design.groups
        favourite = rng.permutation(design.groups) % design.classes
        other = rng.integers(design.classes, size=design.n)
        return np.where(rng.random(design.n) < 0.5, favourite[group], other), group
    if design.rare:
        return (np.arange(design.n) < design.rare * design.n).astype(int), np.arange(design.n)
    return np.arange(design.n) % design.classes, np.arange(design.n)


def draw_vectors(
    rng: Rng, design: Design, codes: np.ndarray, group: np.ndarray, knows: Sequence[float]
) -> list[dict[str, np.ndarray]]:
    """The layers of encoders that know so much, [n, dim] each."""
    shape = design.n, design.dim
    common = rng.standard_normal(shape)
    found = []
    for apart in knows:
        layers = {}
        for layer in range(design.layers):
            x = np.sqrt(design.shared) * common
            x = x + np.sqrt(1 - design.shared) * rng.standard_normal(shape)
            if design.groups:
                x = x + rng.standard_normal((design.groups, design.dim))[group]
            x[np.arange(design.n), codes] += apart / np.sqrt(2)
            layers[str(layer + 1)] = x.astype(np.float32)
        found.append(layers)
    return found


def run_page(rng: Rng, design: Design, knows: Sequence[float]) -> Any:
    """The evaluation of encoders that know so much on one data set; with baselines where they know
    nothing.
    """
    codes, group = draw_labels(rng, design)
    order = rng.permutation(design.n)
    codes, group = codes[order], group[order]
    texts = [" ".join(rng.choice(WORDS, 8)) for _ in range(design.n)]
    rows = {text: k for k, text in enumerate(texts)}
    drawn = draw_vectors(rng, design, codes, group, knows)
    encoders = {f"e{k}": Made(f"e{k}", rows, layers) for k, layers in enumerate(drawn)}
    columns: dict[str, list[str]] = {"text": texts, "label": [f"c{code}" for code in codes]}
    named: dict[str, Any] = {}
    if design.groups:
        columns["of"] = [f"g{each}" for each in group]
        named["group"] = "of"
    if design.split:
        part = np.arange(design.n) % 5
        columns["split"] = np.select([part < 3, part == 3], ["train", "dev"], "test").tolist()
    data = lingprobe.table(columns, name="made", **named)
    baselines: Any = "none" if any(knows) else "default"
    with tempfile.TemporaryDirectory() as folder:
        return lingprobe.evaluate(encoders, data, output=folder, dtype="none", baselines=baselines)


def has_false_claim(design: Design, page: Any) -> bool:
    """Whether a page claims something of what is not there, or tells equal encoders apart."""
    if design.knows:
        return any(one.verdict in DECIDED for one in decide_pairs(page))
    return any(one.verdict in DECIDED for one in lingprobe.compare(page).found)


def decide_pairs(page: Any) -> list[ComparisonDecision]:
    """What is said of each pair of encoders."""
    return decide_comparisons(pair_encoder_rows(compute_scores(ResultFrame.of(page.results))).asked)


def measure_false_claims(design: Design, pages: int) -> dict[str, object]:
    """A row of what was counted of one design."""
    rng = np.random.default_rng(sum(map(ord, design.name)))
    false, scores, start = 0, [], time.perf_counter()
    for _ in range(pages):
        page = run_page(rng, design, [design.knows] * 2)
        false += has_false_claim(design, page)
        scores += [each.score for each in page.results if each.trial.encoder == "e0"]
    row: dict[str, object] = {"design": design.name, "n": design.n, "dim": design.dim}
    row |= {"score": f"{100 * np.mean(scores):.1f}", "pages": pages, "false": false, "found": ""}
    return row | {"share": f"{100 * false / pages:.1f}", "seconds": _seconds(start)}


def measure_power(design: Design, pages: int) -> dict[str, object]:
    """A row of how often a difference of five points is found, with as many examples as pages said
    that this needs.
    """
    rng = np.random.default_rng(sum(map(ord, design.name)) + 1)
    start, said = time.perf_counter(), []
    for _ in range(PILOT_PAGES):
        (one,) = decide_pairs(run_page(rng, design, [design.knows] * 2))
        said.append(design.n * one.student.times(one.level, PLANTED))
    design = design._replace(n=round(float(np.median(said)) / 5) * 5)
    more, step = design.knows, 0.15
    for _ in range(3):
        more += step
        gap = np.mean(
            [_gap(run_page(rng, design, [more, design.knows])) for _ in range(PILOT_PAGES)]
        )
        step = (more - design.knows) * (PLANTED / gap - 1)
    more += step
    found, gaps = 0, []
    for _ in range(pages):
        page = run_page(rng, design, [more, design.knows])
        (one,) = decide_pairs(page)
        found += _name_better(one) == "e0"
        gaps.append(_gap(page))
    row: dict[str, object] = {"design": f"{design.name}, five points apart", "n": design.n}
    row |= {"dim": design.dim, "score": f"{100 * np.mean(gaps):+.1f}", "pages": pages}
    return row | {
        "false": "",
        "found": found,
        "share": f"{100 * found / pages:.1f}",
        "seconds": _seconds(start),
    }


def _name_better(one: ComparisonDecision) -> str:
    """The encoder that is said to be better; '' where none is."""
    sides = {"better": one.question.one, "worse": one.question.best}
    return sides[one.verdict].row.encoder if one.verdict in sides else ""


def _gap(page: Any) -> float:
    """By how much the first encoder is better than the second."""
    of = {name: [r.score for r in page.results if r.trial.encoder == name] for name in ("e0", "e1")}
    return float(np.mean(of["e0"]) - np.mean(of["e1"]))


def _seconds(start: float) -> str:
    return f"{time.perf_counter() - start:.0f}"


def main() -> int:
    """A row for each design, and the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--only", default="", help="designs with this in their name")
    parser.add_argument("--power", action="store_true", help="planted differences, too")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    rows, found = [], []
    for design in DESIGNS:
        if options.only in design.name:
            rows.append(measure_false_claims(design, options.pages))
            print(rows[-1], flush=True)
    for design in DESIGNS if options.power else ():
        if options.only in design.name and design.layers == 1 and design.knows:
            found.append(measure_power(design, options.pages))
            print(found[-1], flush=True)
    if options.output:
        with options.output.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows + found)
    return judge([int(str(row["false"])) for row in rows], options.pages, found)


def judge(false: Sequence[int], pages: int, found: Sequence[dict[str, object]]) -> int:
    """Print the counts; 1 where they are outside of what is allowed, beyond chance."""
    pooled, worst = sum(false) / (pages * len(false)), max(false) / pages
    most = binom.ppf(0.975, pages * len(false), POOLED) / (pages * len(false))
    print(f"false claims on {100 * pooled:.1f} % of pages, at most {100 * worst:.1f} % of a design")
    missed = any(float(str(row["share"])) < 100 * FOUND for row in found)
    return int(pooled > most or worst > binom.ppf(0.975, pages, WORST) / pages or missed)


if __name__ == "__main__":
    sys.exit(main())
