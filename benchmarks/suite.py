"""What all downstream tasks of SentEval cost beside encoding their sentences.

usage: python benchmarks/suite.py FOLDER [--seeds 1]

FOLDER is SentEval's data/downstream. The sentences are read by MiniLM (all-MiniLM-L6-v2), each leg
in a process of its own with one thread:

    encode  the sentences of all tasks, into an empty cache
    run     `lingprobe run --suite senteval-downstream:FOLDER,protocol=fast -e st:MINILM` over the
            vectors that are there: sixteen tasks, and the baselines of pairs

Printed are processor seconds of both, and the ratio of the two together to encoding alone.

Exits with 1 where that is more than 1.3.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile

from whole import leg, model

import lingprobe
from lingprobe.suites.downstream import DOWNSTREAM_TASKS

RATIO = 1.3


def encode(folder: str, encoder: str, cache: str) -> None:
    """Encode the sentences of all tasks."""
    sentences = lingprobe.sentences(
        tasks=[f"{name}:{folder}" for name in DOWNSTREAM_TASKS.values()]
    )
    lingprobe.embed(sentences, encoder, cache=cache)
    print(json.dumps({"sentences": len(sentences)}))


def run(folder: str, encoder: str, cache: str, seeds: int) -> None:
    """Run the suite, and say how many trials failed."""
    suite = f"senteval-downstream:{folder},protocol=fast"
    found = lingprobe.run(
        encoders=encoder, suite=suite, seeds=seeds, output=f"{cache}/results", cache=cache
    )
    print(json.dumps({"trials": len(found.results), "failed": len(found.failures)}))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--leg", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    encoder = f"st:{model()}"
    if asked.leg:
        kind, cache = asked.leg
        if kind == "encode":
            encode(asked.folder, encoder, cache)
        else:
            run(asked.folder, encoder, cache, asked.seeds)
        return 0
    rest = [asked.folder, "--seeds", str(asked.seeds)]
    with tempfile.TemporaryDirectory() as cache:
        found, encoding = leg(__file__, *rest, "--leg", "encode", cache)
        print(f"encoding {found['sentences']:,} sentences {encoding:.1f} s", flush=True)
        made, running = leg(__file__, *rest, "--leg", "run", cache)
    ratio = (encoding + running) / encoding
    print(f"the run of {made['trials']} trials {running:.1f} s, {made['failed']} failed")
    print(f"with encoding {ratio:.2f} times encoding (at most {RATIO:g})")
    return int(ratio > RATIO or made["failed"] != 0)


if __name__ == "__main__":
    sys.exit(main())
