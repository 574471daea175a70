"""One block through an encoder: what it returns is checked, and sentences that it cannot encode are
found and named.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lingprobe.data._foreign_code import foreign_code, one_line
from lingprobe.data.core import DataProblem, Encoder, Sentence
from lingprobe.data.errors import LingprobeError, describe_missing
from lingprobe.data.examples import EncoderStop, PartRefused
from lingprobe.data.oracles import get_encoder_role
from lingprobe.data.vectors import Ints, Spans, Vectors, concatenate_vectors
from lingprobe.store.precision import StoragePrecision

# sentences that fail one after another before one that is known to work is tried again
_PATIENCE = 32
TRIED_SENTENCE_COUNT = 8  # sentences tried alone when nothing has worked yet
# seconds after which three of them are enough: an encoder that fails to load may take long over it
_ENOUGH = 20.0


class EncoderProblem(LingprobeError, ValueError):
    """An encoder that cannot be used; the message names it, says what it did and what to do."""


@dataclass(frozen=True, slots=True)
class EncodingAttempt:
    """What became of a block: vectors of the sentences `rows`, the reason for each of the others,
    and units that are not finite.
    """

    rows: Ints
    vectors: Vectors | None
    failed: Mapping[int, str]
    refused: Mapping[str, Mapping[int, str]]


@dataclass
class EncoderRun:
    """An encoder at work on some slots, and what is known about it so far.

    candidates  sentences of which one at least should work; the first that does is kept to tell a
                broken encoder from sentences that it cannot encode
    """

    encoder: Encoder
    slots: tuple[str, ...]
    kept: StoragePrecision
    candidates: Callable[[], Sequence[Sentence]]
    widths: dict[str, int] = field(default_factory=dict)
    works_on: Sentence | None = None
    failing: int = 0

    def encode(self, sentences: Sequence[Sentence]) -> EncodingAttempt:
        """Encode a block in one call; where that raises, halve it until the sentences at fault are
        alone.
        """
        parts: list[tuple[Ints, Vectors]] = []
        failed: dict[int, str] = {}
        left = [(0, len(sentences))]
        while left:
            start, stop = left.pop()
            try:
                with foreign_code(self.encoder.name):
                    encoded = self.encoder.encode(sentences[start:stop])
            except EncoderStop as problem:
                raise EncoderProblem(str(problem)) from problem
            except PartRefused as part:
                rows = np.setdiff1d(np.arange(stop - start), list(part.reasons))
                encoded = self.check_vectors(part.vectors, sentences[start:stop]).take(rows)
                if len(rows):
                    parts.append((start + rows, encoded))
                failed |= {start + row: why for row, why in part.reasons.items()}
                continue
            except ImportError as problem:
                lacks = f"{self.encoder.name} needs a package that is not installed:"
                raise EncoderProblem(
                    describe_missing(problem) or f"{lacks} {one_line(problem)}"
                ) from problem
            except Exception as error:
                if stop - start > 1:
                    middle = (start + stop) // 2
                    left += [(middle, stop), (start, middle)]
                else:
                    failed[start] = one_line(error)
                self._doubt(error, alone=stop - start == 1)
                continue
            parts.append(
                (np.arange(start, stop), self.check_vectors(encoded, sentences[start:stop]))
            )
            self.failing, self.works_on = 0, self.works_on or sentences[start]
        if not parts:
            return EncodingAttempt(np.zeros(0, np.int64), None, failed, {})
        vectors, refused = self._finite(
            concatenate_vectors([v for _, v in parts]) if len(parts) > 1 else parts[0][1]
        )
        return EncodingAttempt(
            np.concatenate([rows for rows, _ in parts]), vectors, failed, refused
        )

    def _doubt(self, error: Exception, alone: bool) -> None:
        """Ask whether the encoder works at all, at its first failure and then after many in a
        row.
        """
        self.failing += alone
        if self.works_on is not None and self.failing < _PATIENCE:
            return
        self.failing = 0
        trials = [self.works_on] if self.works_on is not None else list(self.candidates())
        start = time.monotonic()
        for number, sentence in enumerate(trials):
            if number >= 3 and time.monotonic() - start > _ENOUGH:
                break
            try:
                with foreign_code(self.encoder.name):
                    self.encoder.encode([sentence])
            except Exception:  # noqa: S112
                continue
            self.works_on = sentence
            return
        if isinstance(error, DataProblem):  # one sentence, which says what to do
            raise EncoderProblem(str(error)) from error
        raise EncoderProblem(
            f"{self.encoder.name} failed on every sentence tried ({one_line(error)}); what was"
            " encoded before is kept: fix the encoder, try it on one sentence in Python, and run"
            " the same command again"
        ) from error

    def check_vectors(self, vectors: Any, sentences: Sequence[Sentence]) -> Vectors:
        """What the encoder returned, as the store keeps it; anything but one number array a slot is
        an EncoderProblem.
        """
        if not isinstance(vectors, Vectors):
            raise self._wrong(f"a {type(vectors).__name__}", "Vectors")
        if len(vectors.layers) != len(self.slots):
            raise self._wrong(
                f"{len(vectors.layers)} layers", f"{len(self.slots)} ({', '.join(self.slots)})"
            )
        units = len(sentences) if vectors.spans is None else self._units(vectors.spans, sentences)
        for slot, layer in zip(self.slots, vectors.layers, strict=True):
            if not isinstance(layer, np.ndarray):
                raise self._wrong(f"a {type(layer).__name__}", "a numpy array of float32")
            if isinstance(layer, np.ma.MaskedArray) or layer.dtype.kind not in "fiub":
                what = f"a {type(layer).__name__} of {layer.dtype}"
                raise self._wrong(what, "a numpy array of float32")
            if layer.ndim != 2 or len(layer) != units:
                raise self._wrong(
                    f"an array of shape {list(layer.shape)}",
                    f"[{units}, dim] for {len(sentences)} sentences",
                )
            # `words` has no features by design
            if len(layer) and not layer.shape[1] and get_encoder_role(self.encoder) != "baseline":
                raise self._wrong("vectors without dimensions", "at least one")
            kept = self.kept.width(layer.shape[1])
            width = self.widths.setdefault(slot, kept)
            if kept != width:
                raise self._wrong(
                    f"vectors of {layer.shape[1]} dimensions",
                    f"{width} as for the sentences before",
                )
        if vectors.cut is not None and np.shape(vectors.cut) != (len(sentences),):
            raise self._wrong(
                f"`cut` of shape {list(np.shape(vectors.cut))}", f"[{len(sentences)}]"
            )
        return vectors

    def _units(self, spans: Spans, sentences: Sequence[Sentence]) -> int:
        """How many units there are, once it is sure that every sentence and word lies within
        them.
        """
        words = np.cumsum([0, *(len(s.words) for s in sentences)])
        if (
            len(spans.sentences) != len(sentences) + 1
            or spans.sentences[0] != 0
            or (np.diff(spans.sentences) < 0).any()
        ):
            raise self._wrong(f"spans of {len(spans.sentences) - 1} sentences", f"{len(sentences)}")
        if not np.array_equal(spans.first_word, words) or spans.words.shape != (words[-1], 2):
            raise self._wrong(
                f"spans of {len(spans.words)} words", f"{words[-1]}, sentence by sentence"
            )
        owner = np.repeat(np.arange(len(sentences)), np.diff(words))
        low, high = spans.sentences[owner], spans.sentences[owner + 1]
        inside = (
            (low <= spans.words[:, 0])
            & (spans.words[:, 0] <= spans.words[:, 1])
            & (spans.words[:, 1] <= high)
        )
        if not inside.all():
            word = int(np.flatnonzero(~inside)[0])
            raise self._wrong(
                f"units {spans.words[word].tolist()} for word {word}",
                f"some within {low[word]}:{high[word]}",
            )
        return int(spans.sentences[-1])

    def _wrong(self, returned: str, expected: str) -> EncoderProblem:
        return EncoderProblem(
            f"{self.encoder.name} returned {returned} where {expected} was expected: correct its"
            " `encode`"
        )

    def _finite(self, vectors: Vectors) -> tuple[Vectors, dict[str, dict[int, str]]]:
        """The vectors in the store's type; examples whose values are not finite, or beyond it, are
        excluded: zeros in their place, and which those are.

        A unit is a sentence, or a word or piece of one: of those, only the ones that are not finite
        are lost.
        """
        refused: dict[str, dict[int, str]] = {}
        layers = []
        for slot, given in zip(self.slots, vectors.layers, strict=True):
            original = self.kept.narrow_vectors(given)
            layer = self.kept.round_values(original)
            bad = np.flatnonzero(~np.isfinite(layer).all(1))
            if len(bad):
                beyond = np.isfinite(original[bad]).all(1)
                reasons = np.where(
                    beyond,
                    f"a value outside the range of {self.kept.name}{_wider(self.kept)}",
                    "a value that is not finite (NaN or infinite)",
                )
                refused[slot] = dict(zip(bad.tolist(), reasons.tolist(), strict=True))
                layer = layer.copy()
                layer[bad] = 0
            layers.append(layer)
        return replace(vectors, layers=tuple(layers)), refused


def _wider(kept: StoragePrecision) -> str:
    """What to do about values that a type does not hold."""
    half = kept.name.startswith("float16")
    return "; dtype=bfloat16 holds it in as many bytes" if half else "; scale the vectors down"
