"""Words a second that the rules of the nine tasks of ud/ take over a parsed corpus, and the memory
that its size costs.

usage: python benchmarks/corpus.py [FOLDER]      (FOLDER holds treebanks/UD_English-EWT; SONDE_DATA
without it)

A parsed corpus is made of EWT again and again, nouns and names changed each time, in shards such as
`sonde parse` writes. Rules alone read it as a stream and keep counts; then one process a size
builds a task, which keeps the sentences. Processor time of one core counts, peak memory is read
from getrusage, and what a million sentences more would take follows from the two sizes.
"""

from __future__ import annotations

import json
import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from sonde.corpora import conllu
from sonde.corpora.files import treebank
from sonde.corpora.trees import Tree, written

SIZES, SHARD = (40_000, 160_000), 10_000  # sentences
SPEED = 400_000  # words a second that are asked for
RULES = """
import resource, sys, time
from collections import Counter
from pathlib import Path
from sonde.corpora.batches import batches
from sonde.tasks.answers import Answer
from sonde.tasks.ud.family import RULES, judge
counts, words, start = Counter(), 0, time.process_time()
for path in sorted(Path(sys.argv[1]).glob("*.conllu.xz")):
    for batch in batches(path):
        answers = judge(batch, batch.sentences())
        words += len(batch.parents)
        for name in RULES:
            counts.update((name, a.label) for a in answers[name] if type(a) is Answer)
print(words, time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
BUILD = """
import resource, sys, time
from sonde.tasks import TASKS
start = time.process_time()
data = TASKS.make(f"ud/tense:{sys.argv[1]}").load()
print(len(data), time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def run(code: str, folder: Path) -> list[float]:
    """The numbers that a process prints."""
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        env=alone,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return list(map(float, done.stdout.split()))


def renamed(tree: Tree, time: int) -> str:
    """A tree whose nouns and names have a number."""
    if not time:
        return written(tree._replace(comments=()))
    cells = list(tree.cells)
    for i, upos in enumerate(tree.upos):
        if upos in ("NOUN", "PROPN"):
            cells[11 * i + 1] += str(time)
    words = tuple(cells[1::11])
    return written(tree._replace(words=words, cells=cells, comments=()))


def corpus(trees: list[Tree], many: int, folder: Path) -> Path:
    """A parsed corpus of so many sentences."""
    folder.mkdir()
    by = {"name": "EWT again and again", "fingerprint": "0"}
    (folder / "parsed.json").write_text(json.dumps({"parser": by}), "utf-8")
    for first in range(0, many, SHARD):
        rows = range(first, min(first + SHARD, many))
        text = "".join(renamed(trees[i % len(trees)], i // len(trees)) for i in rows)
        path = folder / f"{first // SHARD:05}.conllu.xz"
        path.write_bytes(lzma.compress(text.encode(), preset=1))
    return folder


def main() -> None:
    home = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ["SONDE_DATA"])
    parts = treebank(home / "treebanks" / "UD_English-EWT")
    trees = [tree for part in parts for tree in conllu.read(part.path)]
    peaks, built = [], []
    with tempfile.TemporaryDirectory() as place:
        for many in SIZES:
            folder = corpus(trees, many, Path(place) / str(many))
            words, seconds, peak = run(RULES, folder)
            examples, took, kept = run(BUILD, folder)
            peaks.append(peak)
            built.append((took, kept))
            print(
                f"{many:,} sentences: rules {words / seconds:,.0f} words a second on one core"
                f" ({words / seconds / SPEED:.2f} times what is asked), {peak:,.0f} MiB; ud/tense of"
                f" {examples:,.0f} examples in {took:.0f} s and {kept:,.0f} MiB"
            )
    more = 1_000_000 / (SIZES[1] - SIZES[0])
    print(
        f"a million sentences more: {more * (built[1][0] - built[0][0]):,.0f} s,"
        f" {more * (peaks[1] - peaks[0]):+,.0f} MiB of rules alone,"
        f" {more * (built[1][1] - built[0][1]):+,.0f} MiB of a task"
    )


if __name__ == "__main__":
    main()
