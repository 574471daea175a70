"""How long commands take to start, in multiples of `python -c "import numpy"`: processor seconds,
legs one after the other, the smallest of some rounds.

usage: python benchmarks/start.py [--python PATH] [--rounds 5]

Run it with the Python of a fresh environment without extras (`--python`), twice: the first round
compiles, and fills the cache that the last leg is about. Exits with 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from pathlib import Path

_FIRST = ("run", "-t", "ud/tense:embedded", "-e", "length", "--limit", "300", "-q")
TARGETS = {"--help": 1.5, "list tasks": 3.0, "import evaluate": 3.0, "cached first table": 5.0}


def list_legs(python: str) -> dict[str, list[str]]:
    """The commands by name, numpy alone first."""
    command = str(Path(python).with_name("lingprobe"))
    return {
        "import numpy": [python, "-c", "import numpy"],
        "--help": [command, "--help"],
        "list tasks": [command, "list", "tasks"],
        "import evaluate": [python, "-c", "from lingprobe import evaluate"],
        "cached first table": [command, *_FIRST],
    }


def measure_seconds(command: list[str]) -> float:
    """The processor seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    one = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=one)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Print each leg with its target."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    legs = list_legs(options.python)
    rounds = [{n: measure_seconds(c) for n, c in legs.items()} for _ in range(options.rounds + 1)]
    least = {name: min(each[name] for each in rounds[1:]) for name in legs}
    bare, missed = least["import numpy"], False
    for name, seconds in least.items():
        target = TARGETS.get(name)
        told = f"  target {target:g}" if target else ""
        missed |= bool(target) and seconds > target * bare
        print(f"{name:<20} {seconds:6.2f} s  {seconds / bare:5.1f} times{told}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
