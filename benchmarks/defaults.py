"""Two default probes side by side: `mlp`, the default until 2026, and `linear`, over the same folds.

usage: python benchmarks/defaults.py [--data FOLDER] [--groups english polish tree comp edge]
       [--size 4000] [--results results/defaults] [--out docs/results/defaults.csv]

Each task of a group is read by MiniLM and by `bow:random` (tasks about spans by the words alone),
with one seed. Tasks of `ud/` have all their examples in folds, the others at most so many. The difference of the two probes on the same test
examples is paired, with its 95 % interval; p is corrected for all rows after Benjamini and
Hochberg. Printed are the rows whose interval leaves 0 out, and the tasks on which the order of the
two encoders changes with the probe.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from whole import model

import lingprobe
from lingprobe.analysis.comparable import group_rows_by_task
from lingprobe.analysis.comparison import ComparisonQuestion, decide_comparisons
from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.pages.captions import shorten_task

OLD, NEW, MINI = "mlp", "linear", "all-MiniLM-L6-v2"
GENERATED = ("negation", "sem-role", "order")
LARGEST = {"tree-depth": 2000, "top-const": 1000, "bigram-shift": 10_000}  # that EWT's trees allow
Row = dict[str, Any]


def list_groups(data: Path, size: int) -> dict[str, tuple[list[str], list[str]]]:
    """The tasks and encoders of each group."""
    banks, sentences = data / "treebanks", [f"st:{model()}", "bow:random"]
    trees = f"{data}/constituency/EWT-propbank-skel"
    spans = [f"hf:{model()},pool=none", "bow:random,pool=none"]
    return {
        "english": ([f"ud/*:{banks}/UD_English-EWT"], sentences),
        "polish": ([f"ud/*:{banks}/UD_Polish-PDB"], sentences),
        "tree": (
            [f"tree/{name}:{trees},size={min(size, most)}" for name, most in LARGEST.items()],
            sentences,
        ),
        "comp": ([f"comp/{name},size={size},test=1000" for name in GENERATED], sentences),
        "edge": (
            [
                f"edge/pos:{banks}/UD_English-EWT,size={size}",
                f"edge/dep:{banks}/UD_English-EWT,size={size}",
                f"edge/dpr:{data}/edge/DPR",
            ],
            spans,
        ),
    }


def compare(results: Sequence[Any]) -> Iterator[Row]:
    """A row for each task and encoder that both probes read."""
    questions = []
    for measured in group_rows_by_task(compute_scores(ResultFrame.of(results))):
        by_probe = {(one.row.encoder, one.row.probe): one for one in measured}
        questions += [
            ComparisonQuestion(one, (by_probe[encoder, OLD],))
            for (encoder, probe), one in by_probe.items()
            if probe == NEW and (encoder, OLD) in by_probe
        ]
    for found in decide_comparisons(questions, "bh"):
        new, old = found.question.one.row, found.question.best.row
        low, high = (100 * bound for bound in found.student.interval(0.05))
        yield {
            "task": shorten_task(new.task),
            "encoder": new.encoder.replace(model(), MINI),
            "metric": new.metric,
            OLD: old.score,
            NEW: new.score,
            "model": new.model,
            "difference": found.difference,
            "low": low,
            "high": high,
            "p": found.corrected,
            "n": new.n,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("LINGPROBE_DATA", ".")))
    parser.add_argument(
        "--groups", nargs="+", default=["english", "polish", "tree", "comp", "edge"]
    )
    parser.add_argument("--size", type=int, default=4000)
    parser.add_argument("--results", type=Path, default=Path("results/defaults"))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    results: list[Any] = []
    for group in options.groups:
        tasks, encoders = list_groups(options.data.resolve(), options.size)[group]
        done = lingprobe.run(
            tasks,
            encoders,
            probes=[OLD, NEW],
            seeds=1,
            baselines="none",
            output=options.results,
        )
        if done.failures:
            raise SystemExit(f"{group}: {done.failures}")
        results += done.results
    rows = list(compare(results))
    for row in rows:
        if row["low"] > 0 or row["high"] < 0:
            print(
                f"{row['task']}, {row['encoder']}: {row[OLD]:.1f} -> {row[NEW]:.1f}"
                f" ({row['difference']:+.1f} [{row['low']:.1f}, {row['high']:.1f}])"
            )
    apart = sum(row["p"] < 0.05 for row in rows)
    print(f"{len(rows)} rows; {apart} differ with p < 0.05 after correction")
    orders = lingprobe.compare(results).orders
    for change in orders.changes:
        one, other = change.one.question.one.row, change.one.question.best.row
        print(
            f"{one.task}: {one.encoder} less {other.encoder} is {change.one.difference:+.1f} with"
            f" {one.probe}, {change.other.difference:+.1f} with {change.other.question.one.row.probe}"
        )
    print(
        f"{orders.compared} pairs of encoders; {orders.uncertain} more may change order by chance"
    )
    if options.out:
        with options.out.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            for row in rows:
                writer.writerow(
                    {k: f"{v:.4g}" if isinstance(v, float) else v for k, v in row.items()}
                )


if __name__ == "__main__":
    main()
