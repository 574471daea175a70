"""Processor time of one layer of a model against all of its layers, on a third of the dev and test
sentences of UD_English-EWT.

usage: python benchmarks/layers.py MODEL [LAYER] [FOLDER]   (MODEL is a folder or name of hf:)

The same sentences, precision and process; both are timed in turn, `ROUNDS` times, and the best of
each counts. The network ends where the layer is known, so the vectors must be the same bits.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
from encode import sentences

from lingprobe.encoders import make_encoder

ROUNDS, SHARE, TARGET = 3, 3, 0.35


def main() -> int:
    model, layer, folder = [*sys.argv[1:], *["3", os.environ.get("LINGPROBE_DATA", "")]][:3]
    given = sentences(Path(folder))[::SHARE]
    encoders = {
        asked: make_encoder(f"hf:{model},layers={asked},device=cpu") for asked in (layer, "all")
    }
    vectors = {asked: each.encode(given).layer(layer) for asked, each in encoders.items()}
    best = dict.fromkeys(encoders, float("inf"))
    for _ in range(ROUNDS):
        for asked, each in encoders.items():
            start = time.process_time()
            each.encode(given)
            best[asked] = min(best[asked], time.process_time() - start)
    same = np.array_equal(*vectors.values())
    ratio = best[layer] / best["all"]
    print(f"layer {layer}: {best[layer]:.2f} s; all: {best['all']:.2f} s; same bits: {same}")
    print(f"layers ratio={ratio:.3f} target={TARGET}")
    return int(not same or ratio > TARGET)


if __name__ == "__main__":
    sys.exit(main())
