"""A few sentences that every encoder of the user's own encodes at the start of a run, to notice
what no file shows: weights that were loaded or trained in the meantime, chance, and batches.

The vectors are compared with those that lie beside the results. An encoder that gives others is
another one, and is known by the vectors that it gave first.
"""

from __future__ import annotations

import logging
import math
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lingprobe.data._foreign_code import foreign_code, one_line
from lingprobe.data._packages import CORE_PACKAGE
from lingprobe.data.core import Encoder, Sentence
from lingprobe.data.digests import digest_pieces, digest_texts
from lingprobe.data.identity import ContentIdentity
from lingprobe.data.oracles import OracleEncoder
from lingprobe.data.vectors import Floats
from lingprobe.encoders.any_encoder import (
    BatcherEncoder,
    FunctionEncoder,
    PreparingEncoder,
    SentEvalPair,
)
from lingprobe.experiment.paths import RunPaths
from lingprobe.nets.precision import limit_to_agreed_threads
from lingprobe.store.blocks import StoreProblem, open_block, write_block_file

_SENTENCES = tuple(
    Sentence.of(text.split())
    for text in (
        "The cat sat on the mat .",
        "Had she known what he would do with all that money , she would never have lent it .",
        "Who came ?",
        "Dogs bark .",
        "In 1998 , three of them moved to Kraków and opened a small shop there .",
        "It is not true that nobody likes him .",
    )
)
MACHINE_TOLERANCE = 1e-3  # how far, of its length, a vector may be from one of another machine
BATCH_TOLERANCE = 1e-2  # the same from one of another batch, in half precision as well
_SUFFIX = ".canary"
_RANDOM = "random"

log = logging.getLogger("lingprobe.experiment")


@dataclass(frozen=True)
class ConsistencyVectors:
    """Vectors that an encoder gave and none before it, to be kept beside the results of a run."""

    path: Path
    encoder: str
    vectors: tuple[Floats, ...]

    def keep(self) -> None:
        """Write them; a folder that cannot be written does without."""
        arrays = {str(number): each for number, each in enumerate(self.vectors)}
        try:
            write_block_file(self.path, "canary", {"encoder": self.encoder}, arrays, keep=True)
        except StoreProblem as problem:
            log.info("%s", problem)


class EncoderCheck(NamedTuple):
    """The identity of an encoder, what there is to say of it ('' for nothing), and the vectors to
    keep; None for those that are kept already.
    """

    identity: ContentIdentity
    remark: str = ""
    canary: ConsistencyVectors | None = None


def check_identity(identity: ContentIdentity, encoder: Encoder, paths: RunPaths) -> EncoderCheck:
    """The identity of an encoder with what it does: its vectors of a few sentences, encoded again;
    if they changed, all is measured anew.

    Encoders of lingprobe state all that decides their vectors. One that can encode none of these
    sentences, as it looks up those of its task, is known by its code alone.
    """
    if not has_foreign_code(encoder):
        return EncoderCheck(identity)
    name, remark = encoder.name, ""
    try:
        whole = _vectors(encoder, [_SENTENCES])
    except Exception as error:
        try:
            whole = _vectors(encoder, ([each] for each in _SENTENCES))
        except Exception:  # whoever encodes says what is wrong
            return EncoderCheck(identity)
        remark = (
            f"{name} cannot read several sentences at once ({one_line(error)}), so each is read"
            " alone"
        )
    else:
        if not _gives(encoder, [_SENTENCES], whole, MACHINE_TOLERANCE):
            return EncoderCheck(
                replace(identity, facts=(*identity.facts, f"{_RANDOM} {uuid.uuid4().hex}")),
                f"{name} gives other vectors each time that it reads a sentence, so its scores"
                " cannot be reproduced, and its vectors are of this run alone",
            )
        ready = _prepare(encoder)
        if not _gives(ready, [_SENTENCES[:1], _SENTENCES[1:]], whole, BATCH_TOLERANCE):
            remark = (
                f"{name} gives a sentence another vector beside other sentences, so its scores"
                " depend on which are read together"
            )
    stem = digest_texts(str(identity))[:32]
    mark, canary = next(_matching(paths.results, stem, whole), ""), None
    if not mark:
        mark = digest_pieces(*whole)
        canary = ConsistencyVectors(paths.results / f"{stem}-{mark}{_SUFFIX}", name, whole)
    return EncoderCheck(
        replace(identity, facts=(*identity.facts, f"canary {mark}")), remark, canary
    )


def _prepare(encoder: Encoder) -> Encoder:
    """What a run encodes with: what is fitted to its corpus is fitted once, not to each batch."""
    return (
        encoder.prepare(_SENTENCES)
        if isinstance(encoder, PreparingEncoder | SentEvalPair)
        else encoder
    )


def has_foreign_code(encoder: Encoder) -> bool:
    """Whether code that is not lingprobe's gives an encoder's vectors."""
    if isinstance(encoder, OracleEncoder):  # it wants facts of a task
        return False
    adapted = isinstance(
        encoder, FunctionEncoder | PreparingEncoder | BatcherEncoder | SentEvalPair
    )
    return adapted or type(encoder).__module__.partition(".")[0] != CORE_PACKAGE


def is_random(identity: ContentIdentity) -> bool:
    """Whether an encoder is random: it gives other vectors each time, by its identity."""
    return any(fact.partition(" ")[0] == _RANDOM for fact in identity.facts)


def _vectors(encoder: Encoder, batches: Iterable[Sequence[Sentence]]) -> tuple[Floats, ...]:
    """Each layer of the vectors of all sentences, encoded batch by batch."""
    with foreign_code(encoder.name), limit_to_agreed_threads():
        parts = [encoder.encode(batch).layers for batch in batches]
    with np.errstate(over="ignore"):  # what float32 does not hold is said when it is stored
        return tuple(
            np.concatenate(layers).astype(np.float32) for layers in zip(*parts, strict=True)
        )


def _gives(
    encoder: Encoder,
    batches: Iterable[Sequence[Sentence]],
    wanted: Sequence[Floats],
    limit: float,
) -> bool:
    """Whether an encoder gives these vectors, batch by batch."""
    try:
        return _are_vectors_alike(_vectors(encoder, batches), wanted, limit)
    except Exception:
        return False


def _are_vectors_alike(some: Sequence[Floats], others: Sequence[Floats], limit: float) -> bool:
    """Whether vectors differ by no more than a share of their length."""
    return measure_gap(some, others) <= limit


def measure_gap(layers: Sequence[Floats], others: Sequence[Floats]) -> float:
    """The largest distance of two vectors in layers [units, dim], as a share of the longer one's
    length; infinity where these have other shapes.
    """
    if [each.shape for each in layers] != [each.shape for each in others]:
        return math.inf
    gaps = [0.0]
    for a, b in zip(layers, others, strict=True):
        one, other = (np.nan_to_num(each).astype(np.float64) for each in (a, b))
        lengths = np.maximum(np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1))
        apart = np.linalg.norm(one - other, axis=1)
        gaps += (apart / np.where(lengths > 0, lengths, 1)).tolist()
    return max(gaps)


def _matching(results: Path, stem: str, vectors: Sequence[Floats]) -> Iterator[str]:
    """The marks of vectors beside the results that are the same as these but for rounding."""
    for path in sorted(results.glob(f"{stem}-*{_SUFFIX}")):
        if (block := open_block(path)) is None:
            continue
        stored = [block.array(str(number)) for number in range(len(block.arrays))]
        if _are_vectors_alike(stored, vectors, MACHINE_TOLERANCE):
            yield path.stem.rpartition("-")[2]
