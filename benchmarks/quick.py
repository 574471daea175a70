"""How often `make quick` notices what the whole suite would, and how long it takes.

usage: python benchmarks/quick.py --seed N [--mutants 46] [--suite-minutes 10] [--output FILE.csv]
[--rooms lingprobe/metrics ...]

Mutants of the whole package, or of some of its rooms (`release/mutations.py`), sampled by a seed
that is drawn when the work is done, are put into the working tree one after the other;
`release/quick.py` answers to each. Then those that it does not kill meet all tests that reach the
changed definition, as long as `--suite-minutes` allow: a mutant that survives these, too, is one
that the suite does not kill, and does not count. What is in FILE.csv is not done again. A test that
fails without a mutant would count as one that kills, so `make test` must pass before. Exits with 1
where quick misses more than a tenth, its median is over 60 seconds, or one answer takes more than
90.
"""

from __future__ import annotations

import argparse
import csv
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "release"))

from mutations import Mutant, mutants, sample  # noqa: E402

_MEDIAN_SECONDS, _WORST_SECONDS, _KILLED_SHARE = 60.0, 90.0, 0.9
_COLUMNS = ("mutant", "quick", "seconds", "suite", "by")


def main() -> int:
    """A row for each mutant, and the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--mutants", type=int, default=46)
    parser.add_argument("--suite-minutes", type=float, default=10.0)
    parser.add_argument("--output", type=Path, default=Path("quick.csv"))
    parser.add_argument("--rooms", nargs="+", default=[""], help="folders of src")
    options = parser.parse_args()
    if _ask_git("status", "--porcelain", "--untracked-files=no"):
        parser.error("the working tree has changes that are not committed")
    rows = _read(options.output)
    files = sorted(file for room in options.rooms for file in (ROOT / "src" / room).rglob("*.py"))
    sampled = sample(mutants(ROOT, files), options.mutants, options.seed)
    for mutant in sampled:
        if mutant.key not in rows:
            quick, seconds, by = _answer(mutant)
            suite = quick if quick == "killed" else ""
            values = (mutant.key, quick, f"{seconds:.1f}", suite, by)
            rows[mutant.key] = dict(zip(_COLUMNS, values, strict=True))
            _write(options.output, rows)
            print(" | ".join(values), flush=True)
    for mutant in sampled:
        if not rows[mutant.key]["suite"]:
            suite, *_ = _answer(mutant, "--seconds", str(60 * options.suite_minutes))
            rows[mutant.key]["suite"] = suite
            _write(options.output, rows)
            print(f"{mutant.key}: {suite} by the suite", flush=True)
    counted = [row for row in rows.values() if row["suite"] == "killed"]
    killed = sum(row["quick"] == "killed" for row in counted)
    seconds = [float(row["seconds"]) for row in counted]
    median, worst = statistics.median(seconds), max(seconds)
    print(f"quick kills {killed} of {len(counted)}; median {median:.0f} s, worst {worst:.0f} s")
    few = killed < _KILLED_SHARE * len(counted)
    return int(few or median > _MEDIAN_SECONDS or worst > _WORST_SECONDS)


def _answer(mutant: Mutant, *arguments: str) -> tuple[str, float, str]:
    """Whether a test fails (what ruff and mypy say does not count), the seconds, and which; a quick
    that ends in a traceback says enough, too.
    """
    file = ROOT / mutant.file
    text = file.read_bytes()
    file.write_bytes(mutant.apply(text))
    start = time.monotonic()
    command = (sys.executable, str(ROOT / "release" / "quick.py"), *arguments)
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    finally:
        file.write_bytes(text)
    seconds = time.monotonic() - start
    failed = re.search(r"^(?:FAILED|ERROR) (tests/\S+)", done.stdout, re.MULTILINE)
    by = failed[1] if failed else "a traceback" * ("Traceback" in done.stderr)
    return ("killed" if by else "survived"), seconds, by


def _read(path: Path) -> dict[str, dict[str, str]]:
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as stream:
        return {row["mutant"]: row for row in csv.DictReader(stream)}


def _write(path: Path, rows: dict[str, dict[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, _COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows.values())


def _ask_git(*arguments: str) -> str:
    command = ("git", "-C", str(ROOT), *arguments)
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
