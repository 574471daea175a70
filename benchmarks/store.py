"""The store of vectors under load: eight writers, a million sentences, thirteen layers.

    python benchmarks/store.py [--sentences 1000000] [--writers 8] [--width 8] [--kept float32]

Each writer is a process with a share of the sentences, and some that all of them have; all write to
one encoder's folder at once. The encoder costs next to nothing, so that it is the store that is
measured: planning, laying out, checksums, flushing and naming of files. Vectors are narrow, so that
they fit on a small disk; files are as many as they would be for wide ones. Then a process of its own
finds all of it there (every byte is checked), as a run does whose vectors are cached, and reads a
sample, which must be what was written: nothing is lost, and nothing is there twice but what two
writers encoded at once.

Beside what a clock says stand the processor's seconds, since a disk and other work are in the one
and not in the other. The sentences themselves are made before the clock starts.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lingprobe.data.core import Sentence
from lingprobe.data.vectors import Vectors
from lingprobe.experiment.embed import embed_sentences, load_vectors
from lingprobe.store.folder import keys_of
from lingprobe.store.vectors import VectorStore

LAYERS = 13
SHARED = 1000  # sentences that every writer has
SAMPLE = 10_000
BASE = "benchmark"


@dataclass(frozen=True)
class Cheap:
    """An encoder of many layers whose vectors are read off the keys of sentences."""

    width: int
    slots: tuple[str, ...] = tuple(f"{n}.mean" for n in range(LAYERS))
    name = base = BASE
    takes = "sentences"

    def asking(self, slots: tuple[str, ...]) -> Cheap:
        return Cheap(self.width, slots)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        numbers = keys_of(sentences)[:, :1] % 2**20 + np.arange(self.width, dtype=np.uint64)
        names = tuple(slot.partition(".")[0] for slot in self.slots)
        return Vectors(tuple((numbers + int(n)).astype(np.float32) for n in names), names)


@dataclass(frozen=True)
class Load:
    """What is written, by how many, and where."""

    sentences: int
    writers: int
    width: int
    kept: str
    root: Path

    def share(self, number: int) -> list[Sentence]:
        """The sentences of a writer."""
        each = -(-self.sentences // self.writers)
        own = range(max(SHARED, number * each), min(self.sentences, (number + 1) * each))
        return [sentence(n) for n in (*range(SHARED), *own)]

    @property
    def store(self) -> VectorStore:
        return VectorStore(self.root, self.kept)


def sentence(number: int) -> Sentence:
    """Five to fourteen words, the first of which is no other's."""
    return Sentence.of([f"w{number}", *(f"x{n}" for n in range(4 + number % 10))])


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Seconds by the clock and of the processor, and what came of it."""
    clock, processor = time.perf_counter(), time.process_time()
    made = work()
    return time.perf_counter() - clock, time.process_time() - processor, made


def write(load: Load, number: int, start: Any, spent: Any) -> None:
    """What a writer does once all are ready."""
    sentences, store = load.share(number), load.store
    start.wait()
    _, processor, done = timed(lambda: embed_sentences(Cheap(load.width), sentences, store, BASE))
    assert done.usable.all(), done.problems[:1]
    spent.put(processor)


def reread(load: Load, said: Any) -> None:
    """Find everything, and read a sample."""
    sentences, store = [sentence(n) for n in range(load.sentences)], load.store
    keyed = timed(lambda: keys_of(sentences))
    found = timed(lambda: embed_sentences(Cheap(load.width), sentences, store, BASE))
    assert found[2].cached == load.sentences, found[2]
    rows = np.random.default_rng(0).permutation(load.sentences)[:SAMPLE]
    sample = [sentences[row] for row in rows.tolist()]
    wanted = Cheap(load.width).encode(sample).layers
    read = timed(lambda: load_vectors(Cheap(load.width), sample, store, BASE))
    kept = store.kept
    for got, layer in zip(read[2].layers, wanted, strict=True):
        np.testing.assert_array_equal(got, kept.round_values(layer).astype(np.float32))
    said.put([each[:2] for each in (keyed, found, read)])


def run(load: Load) -> None:
    """Write, then read, and say how long it took."""
    context = multiprocessing.get_context("spawn")
    start, spent, said = context.Barrier(load.writers + 1), context.Queue(), context.Queue()
    writers = [
        context.Process(target=write, args=(load, number, start, spent))
        for number in range(load.writers)
    ]
    for writer in writers:
        writer.start()
    start.wait()
    clock, _, processor = timed(lambda: sum(spent.get() for _ in writers))
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    files = [path for path in load.root.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    blocks = sum(path.suffix == ".vectors" for path in files)
    assert all(path.suffix in (".vectors", ".plan") for path in files)
    print(f"{load.sentences:,} sentences x {LAYERS} layers x {load.width} numbers, {load.kept}")
    print(f"{load.writers} writers, {clock:.1f} s, {processor:.1f} s of processors together:")
    print(f"  {load.sentences / clock:,.0f} sentences and {size / clock / 1e6:,.1f} MB a second")
    print(f"  {len(files):,} files, {blocks:,} of them blocks, {size / 1e6:,.0f} MB")
    reader = context.Process(target=reread, args=(load, said))
    reader.start()
    limit = 3 + load.sentences / 1e6
    for what, (seconds, busy) in zip(("keys", "all found", "a sample"), said.get(), strict=True):
        print(f"{what:10} {seconds:6.2f} s, {busy:6.2f} s of a processor")
    reader.join()
    print(f"aim: all found in {limit:.1f} s; load of this machine {os.getloadavg()[0]:.1f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--kept", default="float32")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(Load(given.sentences, given.writers, given.width, given.kept, Path(folder)))


if __name__ == "__main__":
    main()
