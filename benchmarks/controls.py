"""Do shuffled labels fall outside their 95 % intervals as often as chance has it? The cells of
results, against permutations.

usage: python benchmarks/controls.py RESULTS [RESULTS ...] [--draws 2000]      (RESULTS: what `lingprobe
run --control shuffled -o` wrote)

A cell is one row of a table (task, encoder, probe). All cells of a task are judged by one draw of
labels, so they err together, and their number outside cannot be held against a binomial. Here the
labels of each test split are permuted again, one permutation for all cells of a task, the
predictions staying what they are: the number outside is then what chance gives, dependence and all.
Exits with 1 where more cells are outside than in all but 1 % of the draws.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

from lingprobe.data.labels import Classes
from lingprobe.experiment.newest import keep_newest
from lingprobe.experiment.paths import RunPaths
from lingprobe.metrics import interval
from lingprobe.tasks.repeats import strip_fold


def tasks(folders: list[str]) -> dict[str, dict[str, tuple[np.ndarray, dict[tuple, np.ndarray]]]]:
    """Task -> fold -> (gold [n], row -> predicted [seeds, n])."""
    found: dict = defaultdict(dict)
    for folder in folders:
        for result in keep_newest([r for _, r in RunPaths.of(Path(folder)).result_store().read()]):
            t = result.trial
            if not t.control.startswith("shuffled") or not isinstance(result.gold, Classes):
                continue
            gold, rows = found[strip_fold(t.task)].setdefault(
                t.task, (result.gold.ids, defaultdict(list))
            )
            assert (gold == result.gold.ids).all(), f"{t.task}: not one draw for all rows"
            predicted = np.array(
                [
                    result.gold.names.index(n) if n in result.gold.names else -1
                    for n in result.predicted.names
                ]
            )
            rows[t.encoder, t.read, t.probe].append(predicted[result.predicted.ids])
    return found


def outside(golds: list[np.ndarray], rows: list[list[np.ndarray]], null: float) -> int:
    """How many rows, each [seeds, n] of every fold, have an interval without the null value in
    it.
    """
    count = 0
    for folds in rows:
        right = np.concatenate([p == g for p, g in zip(folds, golds, strict=True)], 1)
        low, high = interval(right)
        count += not low <= null <= high
    return count


def main() -> int:
    """Count, permute, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="+")
    parser.add_argument("--draws", type=int, default=2000)
    options = parser.parse_args()
    rng, seen, cells = np.random.default_rng(0), 0, 0
    drawn = np.zeros(options.draws)
    for task, folds in sorted(tasks(options.results).items()):
        golds = [gold for gold, _ in folds.values()]
        names = set.intersection(*(set(rows) for _, rows in folds.values()))
        rows = [[np.stack(found[name]) for _, found in folds.values()] for name in sorted(names)]
        sizes = np.array([len(g) for g in golds])
        null = float(np.average([np.bincount(g).max() / len(g) for g in golds], weights=sizes))
        here = outside(golds, rows, null)
        draws = [
            outside([rng.permutation(g) for g in golds], rows, null) for _ in range(options.draws)
        ]
        seen, cells, drawn = seen + here, cells + len(rows), drawn + draws
        print(
            f"{task.partition(',')[0]}: {here} of {len(rows)} outside; {np.mean(draws):.2f} by"
            f" chance, at most {max(draws)}",
            flush=True,
        )
    p = float((np.sum(drawn >= seen) + 1) / (options.draws + 1))
    print(
        f"by chance {drawn.mean():.1f} of {cells} cells are outside"
        f" ({100 * drawn.mean() / cells:.1f} %), in 95 % of the draws at most"
        f" {np.quantile(drawn, 0.95):.0f}"
    )
    print(f"controls outside={seen} of={cells} p={p:.3f} target=0.01")
    return 0 if p >= 0.01 else 1


if __name__ == "__main__":
    raise SystemExit(main())
