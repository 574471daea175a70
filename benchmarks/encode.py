"""Sentences a second: `st:all-MiniLM-L6-v2` against `SentenceTransformer.encode`, on the dev and
test sentences of UD_English-EWT.

usage: python benchmarks/encode.py [FOLDER]      (FOLDER holds treebanks/UD_English-EWT; LINGPROBE_DATA
without it)

The reference is `encode(texts, batch_size=32)` as sentence-transformers ships it, float32, same
threads, same sentences, same process. Both sides are timed in turn, `ROUNDS` times, and the best
time of each counts, so that what else the machine does falls on both. Precision is measured against
the reference's own vectors.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from lingprobe.corpora.conllu import read_conllu
from lingprobe.corpora.files import find_treebank_files
from lingprobe.data.core import Sentence
from lingprobe.encoders import make_encoder
from lingprobe.nets.device import resolved_dtype

MODEL = "all-MiniLM-L6-v2"
ROUNDS = 3


def sentences(folder: Path) -> list[Sentence]:
    """The dev and test sentences."""
    parts = [
        part
        for part in find_treebank_files(folder / "treebanks" / "UD_English-EWT")
        if part.split in ("dev", "test")
    ]
    return [tree.sentence for part in parts for tree in read_conllu(part.path)]


def timed(work: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    """Seconds and vectors of one run."""
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def main() -> int:
    from sentence_transformers import SentenceTransformer

    folder = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("LINGPROBE_DATA", ""))
    given = sentences(folder)
    texts = [s.text for s in given]
    native = resolved_dtype("auto", "cpu") == "bfloat16"
    dtypes = ["bfloat16", "float32"] if native else ["float32"]
    encoders = {d: make_encoder(f"st:{MODEL},device=cpu,dtype={d}") for d in dtypes}
    reference = SentenceTransformer(str(encoders["float32"].files.folder), device="cpu")  # type: ignore[attr-defined]
    runs: dict[str, Callable[[], np.ndarray]] = {
        "reference": lambda: reference.encode(texts, batch_size=32)
    }
    for d, encoder in encoders.items():
        runs[d] = lambda encoder=encoder: encoder.encode(given).layers[0]  # type: ignore[misc]
    reference.encode(texts[:256], batch_size=32)
    for encoder in encoders.values():
        encoder.encode(given[:256])
    rounds = [{name: timed(run) for name, run in runs.items()} for _ in range(ROUNDS)]
    best = {name: min(r[name][0] for r in rounds) for name in runs}
    vectors = {name: rounds[0][name][1] for name in runs}
    return report(len(texts), best, vectors, native)


def report(n: int, best: dict[str, float], vectors: dict[str, np.ndarray], native: bool) -> int:
    """Print what was found; 1 when a target is missed."""
    for name, seconds in best.items():
        print(f"{name}: {n} sentences in {seconds:.2f} s, {n / seconds:.0f} a second")
    true = vectors["reference"]
    apart = float(np.abs(vectors["float32"] - true).max())
    checks = [("encode-float32-difference", apart, 1e-5, apart <= 1e-5)]
    if native:
        half = vectors["bfloat16"]
        cosines = (half * true).sum(1) / np.linalg.norm(half, axis=1) / np.linalg.norm(true, axis=1)
        checks.append(
            ("encode-bfloat16-cosine-mean", float(cosines.mean()), 0.9999, cosines.mean() >= 0.9999)
        )
        checks.append(
            ("encode-bfloat16-cosine-min", float(cosines.min()), 0.999, cosines.min() >= 0.999)
        )
    for name, value, target, _ in checks:
        print(
            f"{name} value={value:.3g} target={target}"
            if value < 0.1
            else f"{name} value={value:.6f} target={target}"
        )
    ratios = [("encode-float32", best["reference"] / best["float32"], 1.7)]
    if native:
        ratios.append(("encode", best["reference"] / best["bfloat16"], 4.0))
    for name, ratio, target in ratios:
        print(f"{name} ratio={ratio:.2f} target={target}")
    return int(
        not all(ok for *_, ok in checks) or any(ratio < target for _, ratio, target in ratios)
    )


if __name__ == "__main__":
    sys.exit(main())
