"""Tokens a second: reading CoNLL-U with all checks and finding the candidates of the nine ud tasks,
on UD_English-EWT.

usage: python benchmarks/treebank.py [FOLDER] [--without-memory]      (FOLDER holds
treebanks/UD_English-EWT; LINGPROBE_DATA without it)

The reference is the `conllu` package, which only parses. Both read the same uncompressed files in
the same process, in turn, and the best of ROUNDS process times of each counts. Then a file of a
million sentences (EWT sixty-odd times, nouns and names changed each time) is made into the largest
task by a process of its own, whose peak memory is read from getrusage.
"""

from __future__ import annotations

import lzma
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import conllu

from lingprobe.corpora.files import find_treebank_files
from lingprobe.tasks import TASK_FAMILIES, TASKS
from lingprobe.tasks.parsed_corpora import CORPUS_CACHE
from lingprobe.tasks.task import DefinedTask

NINE = TASK_FAMILIES["ud"]["ud.family"].split()
ROUNDS = 5
SPEED, RATIO, MEMORY = 400_000, 4.0, 2048  # tokens a second, against conllu, MiB
SENTENCES = 1_000_000

BUILD = """
import resource, sys, time
from lingprobe.tasks import TASKS
start = time.perf_counter()
data = TASKS.make(f"ud/sent-len:{sys.argv[1]}").load()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(len(data), data.notes["source"]["sentences"], round(peak), round(time.perf_counter() - start))
"""


def unpacked(source: Path, folder: Path) -> list[Path]:
    """The treebank's files without compression."""
    paths = []
    for part in find_treebank_files(source):
        path = folder / part.path.name.removesuffix(".xz")
        path.write_bytes(
            lzma.decompress(part.path.read_bytes())
            if part.path.suffix == ".xz"
            else part.path.read_bytes()
        )
        paths.append(path)
    return paths


def ours(tasks: list[DefinedTask]) -> int:
    """Candidates of all tasks; tokens read."""
    CORPUS_CACHE.clear()
    notes = [task.candidates()[1] for task in tasks]
    return int(notes[0]["source"]["words"])


def theirs(paths: list[Path]) -> int:
    """Sentences that the conllu package parses."""
    found = 0
    for path in paths:
        with path.open(encoding="utf-8") as file:
            found += sum(1 for _ in conllu.parse_incr(file))
    return found


def timed(work: Callable[[], int]) -> tuple[float, int]:
    """Seconds of process time and the result."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def multiplied(paths: list[Path], target: Path) -> None:
    """A file of SENTENCES sentences: nouns and names of every copy end in its number; comments are
    left out.
    """
    templates = []
    for path in paths:
        for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
            rows = [row.split("\t") for row in block.split("\n") if not row.startswith("#")]
            for row in rows:
                row[1] += "\0" if row[3] in ("NOUN", "PROPN") else ""
            templates.append("\n".join("\t".join(row) for row in rows) + "\n\n")
    with target.open("w", encoding="utf-8") as file:
        for k in range(SENTENCES):
            file.write(templates[k % len(templates)].replace("\0", f"x{k // len(templates)}"))


def peak(paths: list[Path], folder: Path) -> int:
    """MiB that building a task from a million sentences takes."""
    target = folder / "million.conllu"
    multiplied(paths, target)
    run = subprocess.run(
        [sys.executable, "-c", BUILD, str(target)], capture_output=True, text=True, check=True
    )
    examples, sentences, mib, seconds = map(int, run.stdout.split())
    print(
        f"{sentences:,} sentences ({target.stat().st_size / 2**20:,.0f} MiB) -> {examples:,}"
        f" examples: {mib} MiB, {seconds} s"
    )
    return mib


def main() -> int:
    """Measure, print, and fail on a miss."""
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    source = (
        Path(arguments[0] if arguments else os.environ.get("LINGPROBE_DATA", ""))
        / "treebanks"
        / "UD_English-EWT"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "UD_English-EWT"
        folder.mkdir()
        paths = unpacked(source, folder)
        tasks = [TASKS.make(f"ud/{name}:{folder}") for name in NINE]
        rounds = [(timed(lambda: ours(tasks)), timed(lambda: theirs(paths))) for _ in range(ROUNDS)]
        best, reference = (min(r[k][0] for r in rounds) for k in (0, 1))
        tokens, sentences = rounds[0][0][1], rounds[0][1][1]
        print(
            f"lingprobe, checks and candidates: {tokens:,} tokens in {best:.3f} s ="
            f" {tokens / best:,.0f} a second (target {SPEED:,})"
        )
        print(
            f"conllu {conllu.__version__ if hasattr(conllu, '__version__') else ''}, parsing:"
            f" {sentences:,} sentences in {reference:.3f} s"
        )
        mib = 0 if "--without-memory" in sys.argv else peak(paths, Path(name))
    print(f"treebank ratio={reference / best:.2f} target={RATIO}")
    return int(not (tokens / best >= SPEED and reference / best >= RATIO and mib < MEMORY))


if __name__ == "__main__":
    raise SystemExit(main())
