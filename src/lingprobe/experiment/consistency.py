"""The consistency check of encoders: at the start of a run, cached vectors of a random handful of
each task's own sentences are made again. So it is noticed what no hashed file shows: a server whose
model changed, vectors that are looked up in a file, a variable.

An encoder that gives others is another one from then on, and is known by what it gave. The handful
also lies beside the results, so that these are checked where the cache is gone.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lingprobe.data._foreign_code import foreign_code, one_line
from lingprobe.data.abilities import RemoteEncoder
from lingprobe.data.core import Encoder, PreparedEncoder, Sentence
from lingprobe.data.digests import digest_pieces, digest_texts
from lingprobe.data.errors import LingprobeError
from lingprobe.data.examples import EncoderStop
from lingprobe.data.identity import ContentIdentity
from lingprobe.data.vectors import Floats, Vectors
from lingprobe.experiment.canary import (
    BATCH_TOLERANCE,
    MACHINE_TOLERANCE,
    has_foreign_code,
    is_random,
    measure_gap,
)
from lingprobe.experiment.embed import slots_of
from lingprobe.experiment.keys import FULL_PRECISION_DTYPE, vectors_key
from lingprobe.experiment.paths import RunPaths
from lingprobe.nets.precision import limit_to_agreed_threads
from lingprobe.store.blocks import StoreProblem, open_block, write_block_file
from lingprobe.store.folder import keys_of

_HANDFUL = 12  # sentences of a task: a change of a quarter of them is found with 97 %
_SHARES = (25, 5)  # percent of a task's sentences, of whose change the chance is said
_FOLDER, _SUFFIX = "checked", ".checked"
_FIRST = "first"  # how the vectors are called that an encoder gave before any others

log = logging.getLogger("lingprobe.experiment")
_random = np.random.default_rng()


@dataclass(frozen=True)
class KeptHandful:
    """Sentences with the vectors that an encoder gave, a list of layers [units, dim] each.

    mark  which of the encoder's vectors they are
    """

    mark: str
    vectors: Mapping[Sentence, Sequence[Floats]]

    def keep(self, folder: Path, encoder: str, stem: str) -> None:
        """Write it; a folder that cannot be written does without."""
        lines = [each.plain for each in self.vectors]
        arrays = {
            f"{row} {number}": layer
            for row, layers in enumerate(self.vectors.values())
            for number, layer in enumerate(layers)
        }
        facts = {"encoder": encoder, "mark": self.mark, "sentences": json.dumps(lines)}
        name = f"{stem}-{digest_texts(self.mark, *map(repr, lines))[:16]}{_SUFFIX}"
        try:
            write_block_file(folder / name, "checked", facts, arrays, keep=True)
        except StoreProblem as problem:
            log.info("%s", problem)


class CheckOutcome(NamedTuple):
    """What became of vectors that were made again: of how many sentences, of how many they are
    others, and the chance to find a change of each of `_SHARES`.
    """

    checked: int
    changed: int
    chances: Sequence[float]


@dataclass(frozen=True)
class SettledIdentity:
    """The identity of an encoder, what there is to say of it ('' for nothing), and the check that
    found it, by the mark of its vectors.
    """

    identity: ContentIdentity
    remark: str = ""
    check: VectorCheck | None = None
    mark: str = _FIRST

    def keep(self) -> None:
        """Keep a handful of each task beside the results, where none is kept, for later checks."""
        if self.check is not None:
            self.check.keep(self.mark)


def settle_identity(
    name: str,
    identity: ContentIdentity,
    encoder: Encoder,
    tasks: Iterable[Sequence[Sentence]],
    paths: RunPaths,
) -> SettledIdentity:
    """Which of the vectors that are kept of an encoder are its own: an identity with what they add
    to it. Encoders that state all that decides their vectors are left as they are.

    tasks  the sentences of each task that is read with it
    """
    if not (has_foreign_code(encoder) or isinstance(encoder, RemoteEncoder)) or is_random(identity):
        return SettledIdentity(identity)
    check = VectorCheck(identity, encoder, [list(dict.fromkeys(each)) for each in tasks], paths)
    return check.settle(name)


@dataclass
class VectorCheck:
    """One encoder on some tasks, and the vectors that it gave in this run, by sentence."""

    known: ContentIdentity
    encoder: Encoder
    tasks: Sequence[Sequence[Sentence]]
    paths: RunPaths
    encoded: dict[Sentence, Sequence[Floats]] = field(default_factory=dict)
    failed: dict[Sentence, str] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """What the names of files of this encoder begin with."""
        return digest_texts(str(self.known))[:32]

    @property
    def _folders(self) -> list[Path]:
        """Where handfuls are kept: beside the results, and in the cache for other results."""
        return [self.paths.results, self.paths.cache / _FOLDER]

    def settle(self, name: str) -> SettledIdentity:
        """The identity of the newest vectors that are those of today; a new one where none are."""
        kept = self._read_kept()
        marks = list(dict.fromkeys([*(one.mark for one in kept), _FIRST]))
        outcomes: dict[str, CheckOutcome] = {}
        try:
            for mark in marks:
                outcome = self._compare(mark, [one for one in kept if one.mark == mark])
                if outcome.checked:
                    outcomes[mark] = outcome
                if outcome.checked and not outcome.changed:
                    return self._settle(mark, _say_same(name, outcome))
        except _Unchecked as problem:
            return SettledIdentity(
                self._identity(marks[0]), f"{name}: its cached vectors {problem}"
            )
        if not outcomes:
            return self._settle(marks[0], "")
        mark = digest_pieces(*(layer for each in self.encoded.values() for layer in each))[:32]
        return self._settle(mark, _say_others(name, next(iter(outcomes.values()))))

    def _settle(self, mark: str, remark: str) -> SettledIdentity:
        return SettledIdentity(self._identity(mark), remark, self, mark)

    def _identity(self, mark: str) -> ContentIdentity:
        if mark == _FIRST:
            return self.known
        return replace(self.known, facts=(*self.known.facts, f"changed {mark}"))

    def _read_kept(self) -> list[KeptHandful]:
        """The handfuls that are kept of this encoder, the newest first."""
        found = dict[str, KeptHandful]()
        paths = [path for one in self._folders for path in one.glob(f"{self.stem}-*{_SUFFIX}")]
        for path in sorted(paths, key=lambda path: path.stat().st_mtime_ns, reverse=True):
            if path.name not in found and (handful := _read_kept_sample(path)) is not None:
                found[path.name] = handful
        return list(found.values())

    def _compare(self, mark: str, kept: Sequence[KeptHandful]) -> CheckOutcome:
        """Some vectors that are kept under a mark beside those that the encoder gives now."""
        sampled, chances = dict[Sentence, Sequence[Floats]](), list[list[float]]()
        beside = {each: layers for one in kept for each, layers in one.vectors.items()}
        for task in self.tasks:
            cached, count = self._sample_cached(mark, task)
            mine = {each: beside[each] for each in task if each in beside}
            if mark == _FIRST and cached:
                mine = {}
            if mine or cached:
                chances.append(_chances(count or len(task), len(mine | cached)))
            sampled |= mine | cached
        if not sampled:  # those of other tasks, then
            sampled = dict(list(beside.items())[:_HANDFUL])
            if not sampled:
                return CheckOutcome(0, 0, ())
            chances.append(_chances(sum(map(len, self.tasks)), len(sampled)))
        self._encode(list(sampled))
        changed = self._find_changed(sampled)
        return CheckOutcome(
            len(sampled), changed, [min(each) for each in zip(*chances, strict=True)]
        )

    def _sample_cached(
        self, mark: str, task: Sequence[Sentence]
    ) -> tuple[dict[Sentence, Sequence[Floats]], int]:
        """Twelve random cached sentences of a task with their vectors, and how many it has."""
        if isinstance(self.encoder, PreparedEncoder):  # nothing of it is cached
            return {}, 0
        store, slots = self.paths.vector_store(), slots_of(self.encoder)
        base = vectors_key(self.encoder, self._identity(mark))
        there = np.flatnonzero(store.holds(base, slots, keys_of(task)))
        chosen = sorted(_random.permutation(there)[:_HANDFUL].tolist())
        sentences = [task[i] for i in chosen]
        refused = store.refusal_reasons(base, slots, sentences)
        sentences = [each for i, each in enumerate(sentences) if i not in refused]
        if not sentences:
            return {}, 0
        try:
            vectors = store.read(base, slots, slots, sentences)
        except StoreProblem:  # damaged ones are made anew by the run
            return {}, 0
        return dict(zip(sentences, _by_sentence(vectors, len(sentences)), strict=True)), len(there)

    def _encode(self, sentences: Sequence[Sentence]) -> None:
        """The encoder's vectors of sentences, all at once, or each alone where that fails."""
        new = [each for each in sentences if each not in self.encoded and each not in self.failed]
        if not new:
            return
        try:
            self.encoded |= self._vectors(new)
            return
        except EncoderStop as problem:
            raise _Unchecked(f"cannot be checked: {problem}") from problem
        except Exception as error:
            log.debug("%s", self.encoder.name, exc_info=error)
        for each in new:
            try:
                self.encoded |= self._vectors([each])
            except EncoderStop as problem:
                raise _Unchecked(f"cannot be checked: {problem}") from problem
            except Exception as error:
                self.failed[each] = one_line(error)
        if not self.encoded:
            why = next(iter(self.failed.values()))
            raise _Unchecked(f"cannot be checked, as it fails on all of {len(new)}: {why}")

    def _vectors(self, sentences: Sequence[Sentence]) -> dict[Sentence, Sequence[Floats]]:
        """What the encoder gives, as the cache would keep it."""
        with foreign_code(self.encoder.name), limit_to_agreed_threads():
            ready = self.encoder
            if isinstance(ready, PreparedEncoder):
                ready = ready.prepare(sentences)
            vectors = ready.encode(sentences)
        layers = tuple(map(self._as_kept, vectors.layers))
        of_each = _by_sentence(replace(vectors, layers=layers), len(sentences))
        return dict(zip(sentences, of_each, strict=True))

    def _as_kept(self, layer: Floats) -> Floats:
        """A layer [units, dim] as the cache keeps it, with zeros for what is not finite."""
        kept = self.paths.vector_store().kept
        rounded = kept.round_values(kept.narrow_vectors(layer)).astype(np.float32)
        rounded[~np.isfinite(rounded).all(1)] = 0
        return rounded

    def _find_changed(self, kept: Mapping[Sentence, Sequence[Floats]]) -> int:
        """Of how many sentences vectors changed, or depend on the batch: others than are kept,
        among others, alone, and by more than twice what these two differ for any of them.
        """
        limit = MACHINE_TOLERANCE if self.paths.dtype == FULL_PRECISION_DTYPE else BATCH_TOLERANCE
        gaps = {
            each: measure_gap(self.encoded[each], layers)
            for each, layers in kept.items()
            if each in self.encoded
        }
        noise, far = limit, [each for each, gap in gaps.items() if gap > limit]
        for each in far:
            try:
                alone = self._vectors([each])[each]
            except EncoderStop as problem:
                raise _Unchecked(f"cannot be checked: {problem}") from problem
            except Exception as error:  # it reads several at once only
                log.debug("%s", self.encoder.name, exc_info=error)
                continue
            noise = max(noise, 2 * measure_gap(alone, self.encoded[each]))
            gaps[each] = min(gaps[each], measure_gap(alone, kept[each]))
        return len(kept) - len(gaps) + sum(gaps[each] > noise for each in far)

    def keep(self, mark: str) -> None:
        """Keep a handful of each task that none is kept of under a mark: of what was made in this
        run, or of what is cached by now.
        """
        there = {each for one in self._read_kept() if one.mark == mark for each in one.vectors}
        for task in self.tasks:
            if not there.isdisjoint(task):
                continue
            vectors = {each: self.encoded[each] for each in task if each in self.encoded}
            if not vectors:
                vectors, _ = self._sample_cached(mark, task)
            if not vectors and isinstance(self.encoder, PreparedEncoder):
                vectors = self._encode_prepared(task)
            there |= vectors.keys()
            for folder in self._folders if vectors else ():
                KeptHandful(mark, vectors).keep(folder, self.encoder.name, self.stem)

    def _encode_prepared(self, task: Sequence[Sentence]) -> dict[Sentence, Sequence[Floats]]:
        """What an encoder gives to a random handful when it was fitted to that alone; nothing where
        it cannot, which is said when it encodes.
        """
        chosen = _random.permutation(len(task))[:_HANDFUL].tolist()
        try:
            return self._vectors([task[i] for i in chosen])
        except Exception as error:
            log.debug("%s", self.encoder.name, exc_info=error)
            return {}


class _Unchecked(LingprobeError):
    """Why vectors cannot be made again."""


def _read_kept_sample(path: Path) -> KeptHandful | None:
    """A handful that is kept; None for a damaged one."""
    block = open_block(path)
    if block is None:
        return None
    lines = json.loads(block.facts["sentences"])
    rows: list[list[Floats]] = [[] for _ in lines]
    for name in block.arrays:
        rows[int(name.partition(" ")[0])].append(block.array(name))
    sentences = [Sentence.of(*line) for line in lines]
    return KeptHandful(block.facts["mark"], dict(zip(sentences, rows, strict=True)))


def _by_sentence(vectors: Vectors, count: int) -> list[Sequence[Floats]]:
    """The layers [units, dim] of each sentence."""
    spans = vectors.spans
    bounds = np.arange(count + 1) if spans is None else spans.sentences
    return [
        [np.asarray(layer[start:stop], np.float32) for layer in vectors.layers]
        for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    ]


def _chances(left: int, sampled: int) -> list[float]:
    """The chance that a sample without replacement has one of the sentences that changed, where
    these are each of `_SHARES` of those that are left (hypergeometric).
    """
    size = min(sampled, left)
    unchanged = [left - math.ceil(share * left / 100) for share in _SHARES]
    return [1 - math.comb(each, size) / math.comb(left, size) for each in unchanged]


def _say_same(name: str, outcome: CheckOutcome) -> str:
    most, least = (f"{100 * chance:.0f} %" for chance in outcome.chances)
    return (
        f"{name}: {outcome.checked:,} cached vectors checked again, none changed (a change of"
        f" {_SHARES[0]} % of the sentences is found with {most}, of {_SHARES[1]} % with {least})"
    )


def _say_others(name: str, outcome: CheckOutcome) -> str:
    return (
        f"{name}: {outcome.checked:,} cached vectors checked again, {outcome.changed:,} changed, so"
        " everything is measured again"
    )
