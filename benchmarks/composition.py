"""What the composition tasks give away: bags of random word vectors and linear rules, at several sizes; and how long a set takes to build.

usage: python benchmarks/composition.py [--sizes 4000 20000 100000] [--bow 4000 20000] [--strict] [--mode controlled]

Rules are applied to the words of the finished sets, train and test. Bags are read by the paper's probe.
"""

from __future__ import annotations

import argparse
import tempfile
import time

import numpy as np

from sonde.api import evaluate
from sonde.core import Dataset
from sonde.tasks import TASKS
from sonde.tasks.comp.held import held

NAMES = ("content1", "content2", "order", "sem-role", "negation")


def rules(data: Dataset) -> dict[str, tuple[float, float]]:
    """Rule -> share of train and of test, in per cent, that it has right, one way or the other."""
    yes = data.labels.matrix() == data.labels.names.index("yes")
    return {name: tuple(_right(cue[rows] == yes[rows]) for rows in map(data.rows, ("train", "test"))) for name, cue in held(data).items()}


def _right(right: np.ndarray) -> float:
    share = 100 * float(right.mean())
    return max(share, 100 - share)


def pairs(data: Dataset) -> float:
    """What share of test, in per cent, the best two rules have right, each combination speaking for what train says."""
    yes, found = data.labels.matrix() == data.labels.names.index("yes"), list(held(data).values())
    train, test = data.rows("train"), data.rows("test")
    best = 50.0
    for i, one in enumerate(found):
        for other in found[i + 1 :]:
            both = 2 * one + other
            says = np.array([yes[train][both[train] == k].mean() >= 0.5 if (both[train] == k).any() else False for k in range(4)])
            best = max(best, 100 * float((says[both[test]] == yes[test]).mean()))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[4000, 20_000, 100_000])
    parser.add_argument("--bow", type=int, nargs="*", default=[4000])
    parser.add_argument("--names", nargs="*", default=NAMES)
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--mode", default="controlled")
    options = parser.parse_args()
    for name in options.names:
        for size in options.sizes:
            reference = f"comp/{name},size={size},mode={options.mode}" + (",strict=true" if options.strict else "")
            begun, spent = time.perf_counter(), time.process_time()
            data = TASKS.make(reference).load()
            print(f"{reference}: {len(data):,} items in {time.process_time() - spent:.1f} s CPU ({time.perf_counter() - begun:.1f} s)")
            for rule, (train, test) in rules(data).items():
                print(f"    {rule:45}{train:6.1f}{test:6.1f}")
            print(f"    {'best two rules':45}{'':6}{pairs(data):6.1f}", flush=True)
            if size in options.bow:
                with tempfile.TemporaryDirectory() as place:
                    found = evaluate("bow:random", reference, probes=["mlp,protocol=ettinger"], seeds=1, output=place, progress=False)
                for result in found.results:
                    print(
                        f"    {'bow:random':45}{'':6}{100 * result.score:6.1f} ({100 * result.low:.1f} to {100 * result.high:.1f})",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
