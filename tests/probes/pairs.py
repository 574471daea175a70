"""Pairs of vectors with a score of how much they are alike."""

from __future__ import annotations

import numpy as np

from lingprobe.data.core import Dataset, Example, Sentence, Site
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Vectors


def scored_pairs(sizes=(150, 60, 80), scale=(0.0, 5.0), dim=6, seed=0, view="mean+contrast"):
    """Readings of pairs whose score grows with their cosine."""
    rng = np.random.default_rng(seed)
    n = sum(sizes)
    u, noise = rng.normal(size=(2, n, dim)).astype(np.float32)
    v = rng.uniform(-1.5, 1.5, size=(n, 1)).astype(np.float32) * u + noise
    cosine = (u * v).sum(1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
    scores = np.round(scale[0] + (scale[1] - scale[0]) * (cosine + 1) / 2, 1)
    splits = np.repeat(["train", "dev", "test"], sizes).tolist()
    examples = [
        Example((Site(Sentence.of((f"a{i}",))), Site(Sentence.of((f"b{i}",)))), float(y), s)
        for i, (y, s) in enumerate(zip(scores, splits, strict=True))
    ]
    vectors = np.stack([u, v], 1).reshape(-1, dim)
    return Readings(Dataset.of(examples), Vectors((vectors,), ("-",)), view)
