"""Training a sentence encoder against a plain padded loop, and against its bare matrix products.

usage: python benchmarks/train.py [FOLDER] [--threads N] [--pairs 4000] [--hidden 256]
[--lines 100000,1000000] [--device cpu]

FOLDER holds raw_text and parallel (LINGPROBE_DATA without it). Three questions:

speed    words and pieces a second of `lingprobe train encoder bilstm-max --objective autoencode` on sentences
         of novels, whose lengths differ much: batches of like length against the loop that people
         write, random batches of as many sentences, all padded to the longest. Both go over the
         same sentences once, with the same network, decoder and optimiser.
products the share of its time that the bare matrix products of its batches take, forward and
         backward, decoder and softmax included, on the same threads.
memory   the peak of reading so many lines of parallel text, made by repeating real ones, to the
         numbers that training needs. `--pairs 0 --lines 1000000,10000000` asks for this alone.

Times are of the processor with --threads 1, which other work on the machine changes less, else on
the clock.
"""

from __future__ import annotations

import argparse
import itertools
import lzma
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from lingprobe.nets.trainable import NetworkShape
from lingprobe_extensions.train.contents import OBJECTIVES
from lingprobe_extensions.train.data import FileReading, themselves
from lingprobe_extensions.train.examples import TrainingExamples
from lingprobe_extensions.train.loop import EncoderLearner, OptimizerSettings, group_by_length
from lingprobe_extensions.train.nets.heads import PAD_TOKEN_ID
from lingprobe_extensions.train.objectives import LessonKit, WritingLesson

DIM, PIECES, BATCH = 300, 4000, 4096


class Plain(nn.Module):
    """An encoder and a decoder as one would write them, over padded batches."""

    def __init__(self, table: Tensor, hidden: int, pieces: int) -> None:
        super().__init__()
        self.words = nn.Embedding.from_pretrained(table, freeze=True)
        self.encoder = nn.LSTM(DIM, hidden, batch_first=True, bidirectional=True)
        self.pieces = nn.Embedding(pieces, hidden)
        self.decoder = nn.LSTM(3 * hidden, hidden, 2, batch_first=True)
        self.output = nn.Linear(hidden, pieces)

    def forward(self, words: Tensor, there: Tensor, pieces: Tensor) -> Tensor:
        states, _ = self.encoder(self.words(words))
        sentences = states.masked_fill(~there[..., None], -torch.inf).amax(1)
        given = sentences[:, None].expand(-1, pieces.shape[1] - 1, -1)
        states, _ = self.decoder(torch.cat([self.pieces(pieces[:, :-1]), given], 2))
        return nn.functional.cross_entropy(
            self.output(states).flatten(0, 1), pieces[:, 1:].flatten(), ignore_index=PAD_TOKEN_ID
        )


def plain(lesson: WritingLesson, table: Tensor, hidden: int, rows: int, size: int) -> None:
    """One pass over the examples in random order."""
    torch.manual_seed(0)
    net = Plain(table, hidden, len(lesson.pieces))
    optimizer = torch.optim.Adam((p for p in net.parameters() if p.requires_grad), 0.001)
    order = np.random.default_rng(0).permutation(rows)
    for start in range(0, rows, size):
        part = order[start : start + size]
        words = torch.from_numpy(lesson.words.pad_rows(part, -1))
        pieces = torch.from_numpy(lesson.wanted[0].pad_rows(part, PAD_TOKEN_ID))
        optimizer.zero_grad()
        torch.autograd.backward(net(words.clamp(min=0), words >= 0, pieces))
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()


def products(lesson: WritingLesson, parts: list[np.ndarray], hidden: int, pieces: int) -> None:
    """The matrix products of some batches: each forward one, and the two that go back."""

    def product(rows: int, inner: int, columns: int) -> None:
        a, b = torch.ones(rows, inner), torch.ones(inner, columns)
        out = a @ b
        _ = out @ b.T
        _ = a.T @ out

    def recurrent(many: np.ndarray) -> None:
        weights = torch.ones(hidden, 4 * hidden)
        states = torch.ones(int(many.max()), hidden)
        for batch in many.tolist():
            _ = (states[:batch] @ weights) @ weights.T
        total = int(many.sum())
        _ = torch.ones(hidden, total) @ torch.ones(total, 4 * hidden)

    for part in parts:
        for texts, directions, inputs in (
            (lesson.words, 2, (DIM,)),
            (lesson.wanted[0], 1, (3 * hidden, hidden)),
        ):
            lengths = texts.lengths_of(part) - (texts is not lesson.words)
            many = (lengths[:, None] > np.arange(lengths.max())).sum(0)
            for _, size in itertools.product(range(directions), inputs):
                product(int(lengths.sum()), size, 4 * hidden)
                recurrent(many)
        product(int((lesson.wanted[0].lengths_of(part) - 1).sum()), hidden, pieces)


def timed(work: Callable[[], object], clock: Callable[[], float]) -> float:
    began = clock()
    work()
    return clock() - began


def learner(
    folder: Path, pairs: int, hidden: int, device: str
) -> tuple[EncoderLearner, WritingLesson, int]:
    path = folder / "raw_text" / "EnglishNovels-PD" / "sentences.part2.txt.xz"
    found = itertools.islice(themselves([path], FileReading(english=True)), pairs)
    examples, [many] = TrainingExamples.of(found)
    shape, objective = NetworkShape("bilstm-max", DIM, hidden, 1), OBJECTIVES.make("next")
    with examples.texts:
        lesson = objective.lesson(objective, examples, LessonKit(shape, PIECES, hidden, 0))
    assert isinstance(lesson, WritingLesson)
    draws = np.random.default_rng(0)
    table = draws.normal(size=(len(examples.forms), DIM)).astype(np.float32)
    schedule = OptimizerSettings("adam", 0.001, 5.0, BATCH, device=device)
    return EncoderLearner(shape.network(), lesson, table, schedule), lesson, many


def speed(folder: Path, arguments: argparse.Namespace) -> bool:
    """Whether both marks are reached."""
    clock = time.process_time if arguments.threads == 1 else time.perf_counter
    one, lesson, many = learner(folder, arguments.pairs, arguments.hidden, arguments.device)
    rows, lengths = np.arange(many), lesson.lengths
    parts = group_by_length(lengths, rows, BATCH, (0, 1))
    size, words = round(many / len(parts)), int(lengths.sum())
    pieces = len(lesson.pieces)

    def ours() -> None:
        one.network.train()
        for at, part in enumerate(parts):
            one._step(part, np.random.default_rng(at), lengths)

    mine = timed(ours, clock)
    bare = timed(lambda: products(lesson, parts, arguments.hidden, pieces), clock)
    theirs = timed(
        lambda: plain(lesson, torch.from_numpy(one.table), arguments.hidden, many, size), clock
    )
    print(
        f"{many:,} sentences, {words:,} words and pieces; {len(parts):,} batches of {size} on average"
    )
    print(f"lingprobe       {words / mine:9,.0f} a second")
    print(
        f"plain loop  {words / theirs:9,.0f} a second: lingprobe does {theirs / mine:.2f} times as many (mark 2.5)"
    )
    print(f"products    {bare:.1f} s of {mine:.1f} s: {100 * bare / mine:.0f} % (mark 60)")
    return theirs / mine >= 2.5 and bare / mine >= 0.6


def lines(path: Path, many: int) -> Iterator[str]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        some = list(file)
    return itertools.islice(itertools.cycle(some), many)


READ = """
import sys, time, torch
from pathlib import Path
from lingprobe.nets.trainable import NetworkShape
from lingprobe_extensions.train.data import FileReading, read_translations
from lingprobe_extensions.train.examples import TrainingExamples
from lingprobe_extensions.train.contents import OBJECTIVES
from lingprobe_extensions.train.objectives import LessonKit
def peak():
    said = Path("/proc/self/status").read_text()
    return int(said.partition("VmHWM:")[2].split()[0]) / 1024
before, objective = peak(), OBJECTIVES.make("translate")
examples, _ = TrainingExamples.of(read_translations([Path(sys.argv[1])], FileReading()))
lesson = objective.lesson(objective, examples, LessonKit(Shape("mean", 8), 4000, 8, 0))
print(peak(), before, time.process_time())
"""


def memory(folder: Path, counts: list[int]) -> bool:
    """Whether ten million lines would take at most 1.5 GiB, by the slope of the last two."""
    peaks = []
    source = folder / "parallel" / "Tatoeba-ManyThings" / "eng-deu.tsv.xz"
    for many in counts:
        with tempfile.TemporaryDirectory() as made:
            path = Path(made) / "lines.tsv"
            with path.open("w", encoding="utf-8") as file:
                file.writelines(lines(source, many))
            done = subprocess.run(
                [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True
            )
            peak, before, seconds = map(float, done.stdout.split())
            print(
                f"{many:>10,} lines: {peak:,.0f} MiB, {before:,.0f} of them before anything was read;"
                f" {seconds:.0f} s of one core"
            )
            peaks.append((many, peak))
    if len(peaks) < 2:
        return True
    (few, small), (more, large) = peaks[-2:]
    ten = large + (large - small) / (more - few) * (10_000_000 - more)
    print(f"ten million lines at that slope: {ten:,.0f} MiB (mark 1,536)")
    return ten <= 1536


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", default=os.environ.get("LINGPROBE_DATA", "."))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=4000)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--lines", default="100000,1000000")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    good = speed(Path(arguments.folder), arguments) if arguments.pairs else True
    good &= memory(Path(arguments.folder), [int(n) for n in arguments.lines.split(",") if n])
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
