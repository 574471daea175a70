"""Seconds until tables of two million words are read, by the clock: in the first process that
reads a file, and in a second one.

usage: python benchmarks/word_tables.py [--words N] [--folder PLACE]

Writes a text file as GloVe's, with 300 numbers a word (5.1 GB), and a binary file of Sent2Vec, with
4 numbers a word, to PLACE, or else to a temporary folder; removes them afterwards. In each process
lingprobe makes the encoder, its fingerprint, and the vector of a sentence of 10,000 words.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from originals import sent2vec_file

WORK = """
import sys, time
start = time.perf_counter(), time.process_time()
from lingprobe.data.core import Sentence
from lingprobe.encoders import make_encoder
reference, words = sys.argv[1], int(sys.argv[2])
encoder = make_encoder(reference)
getattr(encoder, "table", encoder).fingerprint
encoder.encode([Sentence.of([f"word{i * 37 % words}" for i in range(10_000)])])
spent = time.perf_counter() - start[0], time.process_time() - start[1]
held = int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]) / 1e3
print(f"{spent[0]:.1f} s by the clock, {spent[1]:.1f} s of a processor, at most {held:.0f} MB")
"""


def glove_file(path: Path, words: int) -> None:
    """A text file of so many words; every 500th has the same vector."""
    rows = np.random.default_rng(0).normal(0, 0.4, (500, 300))
    tails = [" ".join(f"{x:.5f}" for x in row) for row in rows.tolist()]
    with path.open("w", buffering=1 << 22) as file:
        for i in range(words):
            file.write(f"word{i} {tails[i % 500]}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=2_000_000)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as place:
        folder = Path(place)
        glove_file(folder / "glove.txt", asked.words)
        names = [f"word{i}" for i in range(asked.words)]
        sent2vec_file(folder / "model.bin", names, 0, 4)
        environment = os.environ | {
            "LINGPROBE_CACHE": str(folder / "cache"),
            "OMP_NUM_THREADS": "1",
        }
        for reference in (f"static:{folder}/glove.txt", f"sent2vec:{folder}/model.bin"):
            for process in ("first", "second"):
                command = [sys.executable, "-c", WORK, reference, str(asked.words)]
                ran = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
                name = reference.partition(":")[0]
                print(f"word-tables {name} {process} process: {ran.stdout.decode().strip()}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
