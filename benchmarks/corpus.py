"""A parsed corpus to the nine tasks of ud/: words a second, and the memory that its size costs.

usage: python benchmarks/corpus.py [SENTENCES ...]      (100000 1000000 without; LINGPROBE_DATA names a
folder with treebanks/UD_English-EWT)

A corpus is made of EWT again and again, nouns and names changed each time, in shards such as
`lingprobe parse` writes. A process puts the rules to it and is killed when half of the shards are done;
a second one goes on, and what was done must stay as it is; a third draws the nine tasks, of 9,000
examples where there are as many, so that what grows is the corpus alone. Processor time of one core
counts, all three together, and the peak of resident memory. What a million sentences more take
follows from the last two sizes. As processor time depends on what else a machine does, further
processes read ten shards and put the rules to them, read them alone, and unpack them alone, and
keep nothing.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lingprobe.annotators.blocks import CompressedText
from lingprobe.corpora import conllu
from lingprobe.corpora.files import find_treebank_files
from lingprobe.corpora.trees import TreeColumns, format_conllu_tree, rebuild_text

SIZES, SHARD = (100_000, 1_000_000), 10_000  # sentences
SPEED, MEMORY = 400_000, 2048  # words a second and MiB that are asked for
VARIANTS = 100  # of each noun, so that the vocabulary grows no longer than that of text
START = """
import sys, time
from pathlib import Path
from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASK_FAMILIES, TASKS
from lingprobe.tasks import parsed_corpora as parsed
from lingprobe.tasks.ud.family import TreebankTaskOptions, parsed_files

parsed._MIN_COLUMN_FILE_BYTES = 0
before, examples, words = time.process_time(), 0, 0
"""
FIND = "words = parsed_files(TreebankTaskOptions(sys.argv[1])).tally.words"
DRAW = """
for name in FAMILIES["ud"]["ud.family"].split():
    task, began = f"ud/{name}:{sys.argv[1]}", time.process_time()
    try:
        examples += len(TASKS.make(task + ",size=9000").load())
    except DataProblem:  # the largest set is smaller; what was tried in vain does not count
        before += time.process_time() - began
        examples += len(TASKS.make(task).load())
"""
SHARDS = """
from itertools import islice
from lingprobe.corpora.batches import read_treebank_batches
from lingprobe.corpora.files import read_chunks
from lingprobe.tasks.memory import pause_garbage_collection
from lingprobe.tasks.ud.family import judge_sentences

def unpacked(path):
    for _ in read_chunks(path, b"\\n\\n"):
        yield 0

def read(path):
    for batch in read_treebank_batches(path):
        yield len(batch.parents)

def alone(path):
    for batch in read_treebank_batches(path):
        judge_sentences(batch, batch.sentences())
        yield len(batch.parents)

with pause_garbage_collection():
    for path in islice(sorted(Path(sys.argv[1]).glob("*.conllu.zst")), 10):
        words += sum({what}(path))
"""
UNPACKED, READ, ALONE = (SHARDS.replace("{what}", what) for what in ("unpacked", "read", "alone"))
REPORT = """
status = Path("/proc/self/status").read_text()
peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
print(words, examples, time.process_time() - before, peak)
"""


class Used(NamedTuple):
    """What a process found, and what it took: processor seconds, and MiB at its peak."""

    words: float
    examples: float
    seconds: float
    peak: float


def started(code: str, folder: Path) -> subprocess.Popen[str]:
    """A process that runs some code over a corpus, on one core."""
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "LINGPROBE_CACHE": str(folder) + ".cache"}
    command = [sys.executable, "-c", START + code + REPORT, str(folder)]
    return subprocess.Popen(command, env=alone, stdout=subprocess.PIPE, text=True)


def run(code: str, folder: Path) -> Used:
    """What a process prints."""
    process = started(code, folder)
    out, _ = process.communicate()
    assert process.returncode == 0
    return Used(*map(float, out.split()))


def killed(folder: Path, shards: int) -> float:
    """The processor seconds of a process that is killed when so many shards are done."""
    before = sum(os.times()[2:4])
    process = started(FIND, folder)
    while len(done(folder)) < shards:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return sum(os.times()[2:4]) - before


def done(folder: Path) -> dict[str, int]:
    """The columns of shards that are whole, and when each was written."""
    columns = Path(f"{folder}.cache") / "columns"
    return {path.name: path.stat().st_mtime_ns for path in columns.glob("*.parquet")}


def renamed(tree: TreeColumns, time: int) -> str:
    """A tree whose nouns and names have numbers, as a clock has them: the second changes when the
    first has been through all of its own.
    """
    cells = list(tree.cells)
    for i, upos in enumerate(tree.upos):
        if upos in ("NOUN", "PROPN") and time:
            cells[11 * i + 1] += str(time % VARIANTS)
            time //= VARIANTS
    words = tuple(cells[1::11])
    text = rebuild_text(words, tree.misc, tree.ranges)
    return format_conllu_tree(
        tree._replace(words=words, cells=cells, comments=(f"# text = {text}",))
    )


def corpus(trees: list[TreeColumns], many: int, folder: Path) -> Path:
    """A parsed corpus of so many sentences."""
    folder.mkdir()
    by = {"name": "EWT again and again", "fingerprint": "0"}
    (folder / "parsed.json").write_text(json.dumps({"parser": by}), "utf-8")
    for first in range(0, many, SHARD):
        rows = range(first, min(first + SHARD, many))
        shard = CompressedText()
        for i in rows:
            shard.add(renamed(trees[i % len(trees)], i // len(trees)))
        shard.write(folder / f"{first // SHARD:05}.conllu.zst")
    return folder


def measured(folder: Path, many: int) -> Iterator[Used]:
    """Finding, killed and resumed, drawing, rules alone, reading and unpacking alone, each with
    what it took.
    """
    lost = killed(folder, max(1, many // SHARD // 2))
    before = done(folder)
    found = run(FIND, folder)
    after = done(folder)
    assert {name: after.get(name) for name in before} == before, "what was done is done anew"
    yield found._replace(seconds=found.seconds + lost)
    yield run(DRAW, folder)
    yield from (run(code, folder) for code in (ALONE, READ, UNPACKED))


def main() -> None:
    sizes = tuple(map(int, sys.argv[1:])) or SIZES
    parts = find_treebank_files(Path(os.environ["LINGPROBE_DATA"]) / "treebanks" / "UD_English-EWT")
    trees = [tree for part in parts for tree in conllu.read_conllu(part.path)]
    took: list[tuple[int, float, float]] = []
    with tempfile.TemporaryDirectory() as place:
        for many in sizes:
            folder = corpus(trees, many, Path(place) / str(many))
            found, drawn, alone, read, unpacked = measured(folder, many)
            seconds, peak = found.seconds + drawn.seconds, max(found.peak, drawn.peak)
            took.append((many, seconds, peak))
            print(
                f"{many:,} sentences, {found.words:,.0f} words: rules"
                f" {found.words / found.seconds:,.0f} words a second and {found.peak:,.0f} MiB; nine"
                f" tasks of {drawn.examples:,.0f} examples in {drawn.seconds:,.0f} s more and"
                f" {drawn.peak:,.0f} MiB; all of it {found.words / seconds:,.0f} words a second,"
                f" {found.words / seconds / SPEED:.2f} times what is asked, in"
                f" {peak / MEMORY:.2f} of the memory; rules alone"
                f" {alone.words / alone.seconds:,.0f} words a second; of that time reading takes"
                f" {read.seconds / alone.seconds:.0%}, unpacking {unpacked.seconds / alone.seconds:.0%}",
                flush=True,
            )
    if len(took) > 1:
        (few, less, low), (many, more, high) = took[-2:]
        by = 1_000_000 / (many - few)
        print(
            f"a million sentences more: {by * (more - less):,.0f} s, {by * (high - low):+,.0f} MiB"
        )


if __name__ == "__main__":
    main()
