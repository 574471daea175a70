"""Seconds that all ten tree tasks take to build from EWT, the PTB sample and GUM, and the memory
that a million trees take.

usage: python benchmarks/trees.py [FOLDER] [--without-memory]      (FOLDER holds constituency and
treebanks; LINGPROBE_DATA without it)

Processor time counts, of a fresh process that imports, reads, samples and checks all ten; it runs
on one core, so that on two it is no longer. Then a file of a million trees (those of EWT again and
again, nouns and names changed each time) is made into tree/tense by a process of its own, whose
peak memory is read from getrusage. The ratio is that of the allowed to the used time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from lingprobe.corpora.brackets import (
    BRACKET_SUFFIXES,
    BracketTree,
    InternedStrings,
    read_brackets,
)
from lingprobe.corpora.files import find_treebank_files
from lingprobe_extensions.train.linear_trees import format_bracket_tree

SECONDS, MEMORY = 60, 3072  # of processor time, MiB
TREES = 1_000_000

ALL = """
import sys, time
from lingprobe.tasks import TASKS
names = [name for name in TASKS.table if name.startswith("tree/")]
path = ",with=".join(sys.argv[1:])
for name in names:
    start = time.process_time()
    data = TASKS.make(f"{name}:{path}").load()
    kinds = len(data.labels.names)
    print(f"{name}: {len(data):,} examples of {kinds} classes in {time.process_time() - start:.1f} s", file=sys.stderr)
print(data.notes["source"]["sentences"], time.process_time())
"""
BUILD = """
import resource, sys, time
from lingprobe.tasks import TASKS
data = TASKS.make(f"tree/tense:{sys.argv[1]}").load()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(len(data), data.notes["source"]["sentences"], round(peak), round(time.process_time()))
"""


def run(code: str, *arguments: str) -> list[float]:
    """The numbers that a process prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True, check=True
    )
    return list(map(float, done.stdout.split()))


def renamed(tree: BracketTree) -> str:
    """The tree on one line, with a zero byte behind each noun and name."""
    words = tuple(
        word + "\0" * tag.startswith("NN") for word, tag in zip(tree.words, tree.tags, strict=True)
    )
    return format_bracket_tree(tree._replace(words=words)) + "\n"


def multiplied(source: Path, target: Path) -> None:
    """A file of TREES trees: nouns and names of every copy end in its number."""
    strings = InternedStrings()
    templates = [
        renamed(tree)
        for part in find_treebank_files(source, BRACKET_SUFFIXES)
        for tree in read_brackets(part.path, strings=strings)
    ]
    with target.open("w", encoding="utf-8") as file:
        for k in range(TREES):
            file.write(templates[k % len(templates)].replace("\0", f"x{k // len(templates)}"))


def peak(source: Path) -> float:
    """MiB that building a task from a million trees takes."""
    with tempfile.TemporaryDirectory() as name:
        target = Path(name) / "million.ptb"
        multiplied(source, target)
        examples, trees, mib, seconds = run(BUILD, str(target))
        size = target.stat().st_size / 2**20
    print(
        f"{trees:,.0f} trees ({size:,.0f} MiB) -> {examples:,.0f} examples: {mib:.0f} MiB (target"
        f" {MEMORY}), {seconds:.0f} s"
    )
    return mib


def main() -> int:
    """Measure, print, and fail on a miss."""
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    data = Path(arguments[0] if arguments else os.environ.get("LINGPROBE_DATA", ""))
    ewt, ptb = (
        data / "constituency" / "EWT-propbank-skel",
        data / "constituency" / "PTB-sample-NLTK",
    )
    trees, seconds = run(ALL, str(ewt), str(ptb), str(data / "treebanks" / "GUM" / "const"))
    print(f"ten tasks from {trees:,.0f} trees: {seconds:.1f} s (target {SECONDS})")
    mib = 0 if "--without-memory" in sys.argv else peak(ewt)
    print(f"trees ratio={SECONDS / seconds:.2f} target=1.00")
    return int(not (seconds <= SECONDS and mib < MEMORY))


if __name__ == "__main__":
    raise SystemExit(main())
