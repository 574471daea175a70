"""Encoders for tests: quick, and honest about what makes real ones hard (last bits depend on the
batch, they are slow, they fail).
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from lingprobe.data.core import Sentence
from lingprobe.data.vectors import Spans, Vectors

DIM = 8


def exact(sentence: Sentence, layer: str = "-", dim: int = DIM) -> np.ndarray:
    """The vector of a sentence, but for what its batch adds."""
    seed = hashlib.blake2b(sentence.key + layer.encode(), digest_size=8).digest()
    return np.random.default_rng(int.from_bytes(seed, "little")).normal(size=dim).astype(np.float32)


def sentences_of(count: int, start: int = 0) -> list[Sentence]:
    """Distinct sentences of one to twenty words."""
    return [
        Sentence.of([f"w{i}", *(f"x{j}" for j in range(i * 7 % 20))])
        for i in range(start, start + count)
    ]


@dataclass
class Pretend:
    """Vectors from hashes; `batchy` adds a little that depends on which sentences are encoded
    together, as real batches do.
    """

    name: str = "pretend"
    batchy: bool = False
    seconds: float = 0.0
    fails: Callable[[Sentence], bool] = lambda s: False
    spoil: Callable[[Vectors], Vectors] = lambda v: v
    calls: list[list[Sentence]] = field(default_factory=list)
    takes = "sentences"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        self.calls.append(list(sentences))
        time.sleep(self.seconds)
        for sentence in sentences:
            if self.fails(sentence):
                raise RuntimeError(f"cannot read {sentence.text[:20]!r}\nand a long trace")
        return self.spoil(Vectors((self._layer(sentences, "-"),)))

    def _layer(self, sentences: Sequence[Sentence], layer: str) -> np.ndarray:
        found = (
            np.stack([exact(s, layer) for s in sentences])
            if sentences
            else np.zeros((0, DIM), np.float32)
        )
        if self.batchy:
            digest = hashlib.blake2b(b"".join(s.key for s in sentences), digest_size=4).digest()
            found = found * np.float32(1 + int.from_bytes(digest, "little") / 2**52)
        return found


@dataclass
class PretendLayers(Pretend):
    """Several layers in one pass; with form `none` two units a word, and none for a word 'x3'."""

    base: str = "layers"
    slots: tuple[str, ...] = ("0.mean", "1.mean", "2.mean")
    takes = "sentences"

    def asking(self, slots: tuple[str, ...]) -> "PretendLayers":
        return replace(self, slots=slots)  # shares `calls`

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        self.calls.append(list(sentences))
        names = tuple(slot.partition(".")[0] for slot in self.slots)
        cut = np.array([len(s.words) > 18 for s in sentences])
        if not self.slots[0].endswith(".none"):
            return Vectors(tuple(self._layer(sentences, name) for name in names), names, None, cut)
        units = [[0 if w == "x3" else 2 for w in s.words] for s in sentences]
        flat = np.concatenate([[0], np.cumsum([n for s in units for n in s])]).astype(np.int64)
        ends = np.cumsum([0, *(sum(s) for s in units)])
        spans = Spans(
            ends, np.stack([flat[:-1], flat[1:]], 1), np.cumsum([0, *(len(s) for s in units)])
        )
        layers = tuple(np.concatenate([pieces(s, name) for s in sentences]) for name in names)
        return Vectors(layers, names, spans, cut)


def pieces(sentence: Sentence, layer: str) -> np.ndarray:
    """The units of one sentence, [units, DIM]."""
    count = sum(0 if w == "x3" else 2 for w in sentence.words)
    return exact(sentence, layer, 2 * DIM * len(sentence.words)).reshape(-1, DIM)[:count]
