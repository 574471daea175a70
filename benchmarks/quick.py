"""How often `make quick` notices what the whole suite would, and how long it takes.

usage: python benchmarks/quick.py --seed N [--mutants 40] [--suite-minutes 10] [--output FILE.csv]

Mutants of the whole package (`release/mutations.py`), sampled by a seed that is drawn when the work
is done, are put into the working tree one after the other; `release/quick.py` answers to each. Where
it finds nothing, all tests that reach the changed definition run, as long as `--suite-minutes`
allow: a mutant that they do not kill either is one that the suite does not kill, and does not
count. It ends at as many mutants as are asked for that the suite kills. A test that fails without
a mutant would count as one that kills, so `make test` must pass before. Exits with 1 where quick
misses more than a tenth, its median is over 60 seconds, or one answer takes more than 90.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "release"))

from mutations import Mutant, mutants, sample  # noqa: E402

_MEDIAN_SECONDS, _WORST_SECONDS, _KILLED_SHARE = 60.0, 90.0, 0.9
_COLUMNS = ("mutant", "quick", "seconds", "suite", "ran")


def main() -> int:
    """A row for each mutant, and the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--mutants", type=int, default=40, help="how many that the suite kills")
    parser.add_argument("--suite-minutes", type=float, default=10.0)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if _ask_git("status", "--porcelain", "--untracked-files=no"):
        parser.error("the working tree has changes that are not committed")
    rows = []
    for row in try_mutants(options.seed, options.suite_minutes):
        rows.append(row)
        print(" | ".join(str(row[name]) for name in _COLUMNS), flush=True)
        if options.output:
            _write(options.output, rows)
        if sum(row["suite"] == "killed" for row in rows) == options.mutants:
            break
    counted = [row for row in rows if row["suite"] == "killed"]
    killed = sum(row["quick"] == "killed" for row in counted)
    seconds = [float(row["seconds"]) for row in counted]
    median, worst = statistics.median(seconds), max(seconds)
    print(f"quick kills {killed} of {len(counted)}; median {median:.0f} s, worst {worst:.0f} s")
    few = killed < _KILLED_SHARE * len(counted)
    return int(few or median > _MEDIAN_SECONDS or worst > _WORST_SECONDS)


def try_mutants(seed: int, suite_minutes: float) -> Iterator[Mapping[str, object]]:
    """What quick says of one mutant after the other, and the suite where quick says nothing."""
    for mutant in sample(mutants(ROOT, sorted((ROOT / "src").rglob("*.py"))), 400, seed):
        file = ROOT / mutant.file
        text = file.read_bytes()
        try:
            file.write_bytes(mutant.apply(text))
            quick, seconds, ran = _answer(mutant)
            suite = quick
            if quick == "survived":
                suite, *_ = _answer(mutant, "--seconds", str(60 * suite_minutes))
        finally:
            file.write_bytes(text)
        yield dict(zip(_COLUMNS, (mutant.key, quick, f"{seconds:.1f}", suite, ran), strict=True))


def _answer(mutant: Mutant, *arguments: str) -> tuple[str, float, str]:
    """Whether a test fails (what ruff and mypy say does not count), the seconds, the last line."""
    start = time.monotonic()
    command = (sys.executable, str(ROOT / "release" / "quick.py"), *arguments)
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=os.environ)
    last = (done.stdout.strip().splitlines() or [""])[-1]
    killed = re.search(r"^(FAILED|ERROR) |^E  ", done.stdout + done.stderr, re.MULTILINE)
    return ("killed" if killed else "survived"), time.monotonic() - start, last


def _write(path: Path, rows: list[Mapping[str, object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, _COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def _ask_git(*arguments: str) -> str:
    done = subprocess.run(("git", "-C", str(ROOT), *arguments), capture_output=True, text=True)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
