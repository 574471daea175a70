"""Seconds of processor time and MiB to load and audit published sets of full size: 120,000 rows, as
sentence_length and word_content.

usage: python benchmarks/published.py

The files are generated: words drawn by Zipf's law, the one a class at a time as its original, the
other with 1,000 classes of words. Each is loaded and audited by a process of its own and one
thread, as `lingprobe inspect` does it, whose peak memory is read from getrusage; the worse of the two
counts. What the audit takes without the floors that it fits is shown beside, and so is a plain
csv.reader, which cuts the rows and does no more. Processor time, so that other work on the machine
does not count.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SECONDS, MEMORY = 20.0, 1024  # MiB
SPLITS = (("tr", 100_000), ("va", 10_000), ("te", 10_000))
BINS = ((5, 8), (9, 12), (13, 16), (17, 20), (21, 25), (26, 28))  # SentEval's README
VOCABULARY, TARGETS = 40_000, 1_000

AUDIT = """
import resource, sys, time
from lingprobe.audit.inspection import audit_dataset
from lingprobe.tasks import TASKS
start = time.process_time()
data = TASKS.make(sys.argv[1]).load()
loaded = time.process_time()
audit_dataset(data, floors=False)
counted = time.process_time()
found = audit_dataset(data)
done = time.process_time()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
assert found.floors, "the audit did not fit its floors"
print(len(data), loaded - start, counted - loaded, done - counted, peak)
"""


def words(rng: np.random.Generator) -> list[str]:
    """Made-up words of three to nine letters, the common ones short."""
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    lengths = np.clip(np.log2(np.arange(VOCABULARY) + 2) / 2, 1, 8).astype(int)
    return list(
        dict.fromkeys(
            "".join(rng.choice(letters, n + n // 4 * (k % 3))) for k, n in enumerate(lengths)
        )
    )


def sentences(rng: np.random.Generator, lengths: np.ndarray, known: list[str]) -> list[list[str]]:
    """Sentences of so many words, drawn by Zipf's law, with a capital and a full stop."""
    share = 1 / (np.arange(len(known)) + 2.7)
    drawn = rng.choice(len(known), int(lengths.sum()), p=share / share.sum())
    stops = np.cumsum(lengths)
    text = [
        [known[i] for i in drawn[stop - n : stop]] for stop, n in zip(stops, lengths, strict=True)
    ]
    return [[row[0].capitalize(), *row[1:-1], "."] for row in text]


def write_lengths(file: Path, rng: np.random.Generator) -> None:
    """Bins of lengths, a class at a time within each split."""
    known = words(rng)
    with file.open("w", encoding="utf-8") as out:
        for code, rows in SPLITS:
            for label, (low, high) in enumerate(BINS):
                many = rows // len(BINS)
                out.writelines(
                    f"{code}\t{label}\t{' '.join(row)}\n"
                    for row in sentences(rng, rng.integers(low, high + 1, many), known)
                )


def write_contents(file: Path, rng: np.random.Generator) -> None:
    """One of a thousand words in each sentence, which holds no other of them."""
    known = words(rng)
    targets, others = known[2000 : 2000 + TARGETS], known[:2000] + known[2000 + TARGETS :]
    with file.open("w", encoding="utf-8") as out:
        for code, rows in SPLITS:
            labels = rng.permutation(np.arange(rows) % TARGETS)
            for label, row in zip(
                labels, sentences(rng, rng.integers(5, 29, rows), others), strict=True
            ):
                row[int(rng.integers(1, len(row) - 1))] = targets[label]
                out.write(f"{code}\t{targets[label]}\t{' '.join(row)}\n")


def plain(file: Path) -> float:
    """Seconds that csv.reader takes to cut the rows, with quotes off."""
    start = time.process_time()
    with file.open(encoding="utf-8", newline="") as opened:
        rows = sum(1 for _ in csv.reader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert rows
    return time.process_time() - start


def measured(name: str, folder: Path) -> tuple[float, float]:
    """Seconds to load and audit a task in its own process, and MiB that it took."""
    told = subprocess.run(
        [sys.executable, "-c", AUDIT, f"senteval/{name}:{folder}"],
        capture_output=True, text=True, check=True, env={**os.environ, "LINGPROBE_CACHE": str(folder),
        "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    rows, load, count, audit, peak = map(float, told.stdout.split())
    print(
        f"{name}: {rows:,.0f} rows loaded in {load:.1f} s, audited in {audit:.1f} s ({count:.1f} s"
        f" without floors), {peak:.0f} MiB"
    )
    return load + audit, peak


def main() -> int:
    """Generate, measure, print, and fail on a miss."""
    with tempfile.TemporaryDirectory() as name:
        folder, rng = Path(name), np.random.default_rng(1)
        write_lengths(folder / "sentence_length.txt", rng)
        write_contents(folder / "word_content.txt", rng)
        for file in sorted(folder.glob("*.txt")):
            print(
                f"{file.name}: {file.stat().st_size / 2**20:.1f} MiB, {plain(file):.1f} s with"
                " csv.reader"
            )
        found = [measured(task, folder) for task in ("sent-len", "word-content")]
    seconds, mib = max(s for s, _ in found), max(m for _, m in found)
    print(f"published mib={mib:.0f} target={MEMORY}")
    print(f"published seconds={seconds:.1f} target={SECONDS:.0f}")
    return int(seconds >= SECONDS or mib >= MEMORY)


if __name__ == "__main__":
    raise SystemExit(main())
