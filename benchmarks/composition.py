"""What the composition tasks give away to shallow rules, named and learnt, and what encoders get;
and how long a set takes to build.

usage: python benchmarks/composition.py [--sizes 4000 20000 100000] [--balance learnt] [--mode
controlled] [--encoders bow:random gold]

Rules are taught by the words of train and judged on test. Encoders are read by the paper's probe.
"""

from __future__ import annotations

import argparse
import tempfile
import time

from lingprobe import evaluate
from lingprobe.tasks import TASKS, names


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="*", default=[4000, 20_000, 100_000])
    parser.add_argument("--encoders", nargs="*", default=[])
    parser.add_argument("--names", nargs="*", default=names("comp"))
    parser.add_argument("--balance", default="learnt")
    parser.add_argument("--mode", default="controlled")
    options = parser.parse_args()
    for name in options.names:
        for size in options.sizes:
            reference = f"comp/{name},size={size},mode={options.mode}"
            reference += f",balance={options.balance}" if options.mode == "controlled" else ""
            begun, spent = time.perf_counter(), time.process_time()
            data = TASKS.make(reference).load()
            print(
                f"{reference}: {len(data):,} items in {time.process_time() - spent:.1f} s CPU"
                f" ({time.perf_counter() - begun:.1f} s)"
            )
            for rule, right in data.notes["rules"].items():
                print(f"    {rule:60}{100 * right:6.1f}", flush=True)
            for encoder in options.encoders:
                measured(encoder, reference)


def measured(encoder: str, reference: str) -> None:
    """Print the score of an encoder."""
    with tempfile.TemporaryDirectory() as place:
        found = evaluate(encoder, reference, seeds=1, output=place, progress=False)
        for result in found.results:
            print(
                f"    {encoder:60}{100 * result.score:6.1f} ({100 * result.low:.1f} to"
                f" {100 * result.high:.1f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
