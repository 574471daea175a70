"""CBOW over whole sentences against gensim's: neighbours, words a second, memory.

usage: python benchmarks/cbow.py [FOLDER] [--sentences 60000] [--dim 100] [--epochs 5]
[--lines 200000,800000]

FOLDER holds raw_text (LINGPROBE_DATA without it). Both learn words from the same sentences of novels in
the same order, each word from all others of its sentence, against ten negatives that are drawn by
the root of their frequency, at gensim's rate, from gensim's first weights' range, and with steps
that are not divided, as gensim's (`ngrams=1 divided=false shuffled=false subsample=0 rate=0.025`).

neighbours  of the 1,000 most frequent words, the share of the ten nearest words that two trainings
            have in common: two seeds of gensim, and each seed of lingprobe with each of gensim.
speed       words a second of these trainings, in time of one processor: gensim with one worker.
            Beside it lingprobe with its defaults for sentences (bigrams, subsampling), which gensim
            does not have.
memory      the peak of `lingprobe train encoder bow` on so many lines, made by repeating real ones, and what
            ten million lines would take at the slope of the last two.

Exits with 1 where lingprobe shares more than 5 points less than gensim's seeds do, is slower, or would
take more than 1.5 GiB for ten million lines.
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
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from lingprobe.corpora.text import split_words
from lingprobe.data.vectors import Floats
from lingprobe_extensions.train.bag import WordVectorTraining
from lingprobe_extensions.train.corpus import TrainingCorpus, WordVocabulary
from lingprobe_extensions.train.options import TrainingSettings

LEAST, NEGATIVES, RATE = 5, 10, 0.025
NEAR, ASKED = 10, 1000
ALIKE = {"ngrams": 1, "divided": False, "shuffled": False, "subsample": 0.0, "rate": RATE}
LONGEST = 60


def lines(folder: Path) -> Iterator[str]:
    """The lines of novels that are sentences of 2 to 60 words, these with spaces between."""
    path = folder / "raw_text" / "EnglishNovels-PD" / "sentences.part2.txt.xz"
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            found = split_words(line)
            if 2 <= len(found) <= LONGEST and not line.startswith("# "):
                yield " ".join(found)


def ours(text: Sequence[str], folder: Path, **settings: object) -> tuple[list[str], Floats, float]:
    """The words, most frequent first, their vectors, and words a second."""
    corpus = TrainingCorpus.of((line.split() for line in text), folder)
    rows = np.arange(len(corpus))
    vocabulary = WordVocabulary.of(corpus, rows, LEAST)
    how = TrainingSettings.of({"least": LEAST, "negatives": NEGATIVES, **settings})
    bag, few = WordVectorTraining(corpus, vocabulary, how), rows[:5]
    bag.steps.take_steps(
        bag.tables, bag.dev_sample(few), bag.steps.LearningRates(0.0, 0.0, True)
    )  # compiles
    began, done = time.process_time(), 0
    for _ in range(how.epochs):
        done += bag.epoch(rows, few, lambda *_: None).words
    seconds = time.process_time() - began
    return list(vocabulary.words), bag.tables.source[: len(vocabulary.words)], done / seconds


def gensims(path: Path, dim: int, epochs: int, seed: int) -> tuple[dict[str, Floats], float]:
    """The vectors of words, and words a second."""
    from gensim.models import Word2Vec

    model = Word2Vec(
        vector_size=dim, window=LONGEST, shrink_windows=False, min_count=LEAST, sg=0, cbow_mean=1,
        negative=NEGATIVES, ns_exponent=0.5, sample=0, workers=1, alpha=RATE, seed=seed,
    )  # fmt: skip
    model.build_vocab(corpus_file=str(path))
    began = time.process_time()
    _, raw = (
        model.train(
            corpus_file=str(path),
            total_words=model.corpus_total_words,
            total_examples=model.corpus_count,
            epochs=epochs,
        ),
        int(sum(model.wv.get_vecattr(w, "count") for w in model.wv.index_to_key)),
    )
    seconds = time.process_time() - began
    return {w: model.wv[w] for w in model.wv.index_to_key}, raw * epochs / seconds


def nearest(vectors: Floats) -> list[set[int]]:
    """The ten nearest words of each of the most frequent ones, by their cosine."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    near = unit[:ASKED] @ unit.T
    np.fill_diagonal(near, -np.inf)
    return [set(row.tolist()) for row in np.argpartition(-near, NEAR, axis=1)[:, :NEAR]]


def shared(one: Sequence[set[int]], other: Sequence[set[int]]) -> float:
    """The percentage of neighbours that are the same."""
    return 100 * float(np.mean([len(a & b) / NEAR for a, b in zip(one, other, strict=True)]))


def compare(text: Sequence[str], dim: int, epochs: int) -> bool:
    """Print neighbours and words a second; whether both are as good as gensim's."""
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "text.txt"
        path.write_text("\n".join(text) + "\n", "utf-8")
        plain = {"dim": dim, "epochs": epochs}
        mine = [ours(text, Path(made), **plain, **ALIKE, seed=seed) for seed in (0, 1)]
        theirs = [gensims(path, dim, epochs, seed) for seed in (1, 2)]
        own = ours(text, Path(made), dim=dim, epochs=1)[2]
    forms = mine[0][0]
    near = [nearest(vectors) for _, vectors, _ in mine]
    other = [nearest(np.stack([found[w] for w in forms])) for found, _ in theirs]
    mark = shared(*other)
    pairs = [shared(a, b) for a in near for b in other]
    speed, gensim = (float(np.mean([one[-1] for one in some])) for some in (mine, theirs))
    print(f"{len(text):,} sentences, {len(forms):,} words, {dim} numbers, {epochs} epochs")
    print(
        f"neighbours  two seeds of gensim share {mark:.1f} %, two of lingprobe {shared(*near):.1f} %"
    )
    print(
        f"            lingprobe and gensim {', '.join(f'{p:.1f}' for p in pairs)} % (mark {mark - 5:.1f})"
    )
    print(f"gensim      {gensim:9,.0f} words a second")
    print(f"lingprobe       {speed:9,.0f}: {speed / gensim:.2f} times as many (mark 1)")
    print(f"lingprobe       {own:9,.0f} with bigrams and subsampling")
    return float(np.mean(pairs)) >= mark - 5 and speed >= gensim


TRAIN = """
import sys
from pathlib import Path
import lingprobe, lingprobe_extensions.train.bag, lingprobe_extensions.train.steps
def peak():
    said = Path("/proc/self/status").read_text()
    return int(said.partition("VmHWM:")[2].split()[0]) / 1024
before = peak()
lingprobe.train("bow", "cbow", sys.argv[1], sys.argv[2], epochs=1, dim=50, negatives=2)
print(peak(), before)
"""


def memory(text: Sequence[str], counts: Sequence[int]) -> bool:
    """Whether ten million lines would take at most 1.5 GiB, by the slope of the last two."""
    peaks = []
    for many in counts:
        with tempfile.TemporaryDirectory() as made:
            path = Path(made) / "text.txt"
            with path.open("w", encoding="utf-8") as file:
                file.writelines(
                    f"{line}\n" for line in itertools.islice(itertools.cycle(text), many)
                )
            done = subprocess.run(
                [sys.executable, "-c", TRAIN, str(path), str(Path(made) / "model")],
                capture_output=True, text=True, check=True,
            )  # fmt: skip
        peak, before = map(float, done.stdout.split())
        print(f"{many:>10,} lines: {peak:,.0f} MiB, {before:,.0f} of them before anything was read")
        peaks.append(peak)
    if len(peaks) < 2:
        return True
    each = (peaks[-1] - peaks[-2]) / (counts[-1] - counts[-2])
    ten = peaks[-1] + each * (10_000_000 - counts[-1])
    print(
        f"{each * 2**20:.0f} bytes for each line more: ten million take {ten:,.0f} MiB (mark 1,536)"
    )
    return ten <= 1536


def main() -> None:
    sys.path.pop(0)  # numba imports the package coverage, and would get the script beside this one
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", default=os.environ.get("LINGPROBE_DATA", "."))
    parser.add_argument("--sentences", type=int, default=60_000)
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--lines", default="200000,800000")
    arguments = parser.parse_args()
    text = list(itertools.islice(lines(Path(arguments.folder)), arguments.sentences))
    good = compare(text, arguments.dim, arguments.epochs) if text else True
    good &= memory(text, [int(n) for n in arguments.lines.split(",") if n])
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
