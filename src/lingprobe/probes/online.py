"""How many bits the training labels take for one who has the vectors: online code length (Voita &
Titov 2020, section 3.2).

Labels are sent block by block: the first under equal chances, each further one by a probe trained
on all blocks before. What the vectors make regular is then cheap, and soon; a probe that needs many
examples pays for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.data._logits import code_length
from lingprobe.data.core import Cell, Predictions, Predictor, Probe, ProbeNeeds, choice_of, needs_of
from lingprobe.data.labels import MIN_LABEL_WEIGHT, Column
from lingprobe.data.options import Help
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.sizes import FitSize, WorkAmount, WorkEstimator, least_memory_of
from lingprobe.data.vectors import Ints
from lingprobe.probes import PROBES

_FRACTIONS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.0625, 0.125, 0.25, 0.5, 1.0)
"""Of the training examples: where blocks end (the authors' code)."""
_LEAST = 8  # examples of the first block; a probe trained on fewer says nothing
_SHARES = (0.0, 1 / 64, 1 / 16, 1 / 4, 1.0)  # that the class prior may have in a label's chances

Doubles = NDArray[np.float64]


def online(
    probe: Annotated[
        str,
        Help("a reference; its commas are written %2C, as online:logreg%2Cc=1"),
    ],
    *,
    fallback: Annotated[
        bool,
        Help(
            "whether labels may be coded by how frequent they were so far, where the probe has done"
            " worse; the paper's code may not"
        ),
    ] = True,
) -> OnlineProbe:
    """A probe and, beside its score, the code length of the training labels in bits (Voita & Titov
    2020).
    """
    canonical = PROBES.canonical(probe)
    return OnlineProbe(PROBES.make(canonical), canonical, fallback)


@dataclass(frozen=True, slots=True)
class OnlineProbe:
    """A probe that is trained on growing shares of train, its sentences in an order drawn for each
    seed, and then on all of it.
    """

    inner: Probe
    reference: str
    fallback: bool = True

    @property
    def name(self) -> str:
        return f"online-{self.inner.name}"

    @property
    def needs(self) -> ProbeNeeds:
        return replace(needs_of(self.inner), seeds=True)

    @property
    def fingerprint(self) -> str:
        """The probe's reference with all its options."""
        return self.reference

    def least_memory(self, size: FitSize) -> int:
        """Bytes that its largest fit takes, which is that of all of train."""
        return least_memory_of(self.inner, size)

    def work(self, size: FitSize, seeds: int) -> WorkAmount:
        """That of fits to ever more of train, whose sizes double."""
        if not isinstance(self.inner, WorkEstimator):
            return WorkAmount()
        return self.inner.work(size, 1).times(2 * seeds)

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        if train.labels.link is None:
            raise ReadingProblem(
                "code length is not defined for numbers: online: is for classes and label sets"
            )
        codes: dict[tuple[str, int], dict[str, Any]] = {}
        for seed in dict.fromkeys(cell.seed for cell in cells):
            reads = tuple(dict.fromkeys(cell.read for cell in cells if cell.seed == seed))
            rows, stops = order_online_blocks(train, seed)
            found = self._codes(
                train.take(rows), dev, [Cell(read, seed, "loss") for read in reads], stops
            )
            codes |= {(read, seed): code for read, code in zip(reads, found, strict=True)}
        fitted = self.inner.fit(train, dev, cells=cells)
        return [
            PrequentialPredictor(one, codes[cell.read, cell.seed])
            for cell, one in zip(cells, fitted, strict=True)
        ]

    def _codes(
        self, train: Readings, dev: Readings, cells: list[Cell], stops: Ints
    ) -> list[dict[str, Any]]:
        """The code of each cell, block by block, each coded by a probe that was trained on the
        blocks before.
        """
        uniform, prior = uniform_length(train.labels), adaptive_length(train.labels)
        first = float(uniform[: stops[0]].sum())
        alone, mixed, mixtures = (
            [[first] for _ in cells],
            [[first] for _ in cells],
            [CodeMixture() for _ in cells],
        )
        for start, stop in zip(stops[:-1].tolist(), stops[1:].tolist(), strict=True):
            block = train.take(np.arange(start, stop))
            for k, predictor in enumerate(
                self.inner.fit(train.take(np.arange(start)), dev, cells=tuple(cells))
            ):
                bits = self._bits(predictor, block)
                alone[k].append(float(bits.sum()))
                mixed[k].append(mixtures[k].send_block(bits, prior[start:stop]))
        sums = {
            "uniform": float(uniform.sum()),
            "prior": float(prior.sum()),
            "ends": stops.tolist(),
        }
        return [
            _describe_code(*both, self.fallback) | sums for both in zip(alone, mixed, strict=True)
        ]

    def _bits(self, predictor: Predictor, block: Readings) -> Doubles:
        said = predictor.predict(block)
        if said.link is None:
            raise ReadingProblem(
                f"{self.inner.name} does not give probabilities, so it has no code length; use"
                " logreg, mlp or span"
            )
        return code_length(block.labels, said.scores)


def _describe_code(alone: list[float], mixed: list[float], fallback: bool) -> dict[str, Any]:
    """What is kept of a code: its length, that of the probe without a fallback, and the blocks of
    the one that counts.
    """
    chosen = mixed if fallback else alone
    return {"bits": sum(chosen), "alone": sum(alone), "blocks": chosen, "fallback": fallback}


@dataclass(slots=True)
class CodeMixture:
    """A code that trusts a probe less which was wrong so far (`fallback`): labels have the chances
    (1 - share) * probe + share * prior, mixed over several shares.

    What each share counts for follows from the labels that were sent before (by Bayes' rule), so a
    receiver knows it, too; between blocks a little of it is dealt out evenly, since the next probe
    has seen more. So the code is never longer than that under any one of the shares by more than
    log2(shares) + log2(blocks) bits: less than six.

    weights  [shares]  log2 of what each share counts for
    """

    weights: Doubles = field(default_factory=lambda: np.full(len(_SHARES), -np.log2(len(_SHARES))))
    blocks: int = 1

    def send_block(self, probe: Doubles, prior: Doubles) -> float:
        """The bits of a block whose labels take `probe` and `prior` bits [n] under either; shares
        count anew after it.
        """
        with np.errstate(divide="ignore"):
            shares = np.log2(_SHARES)[:, None], np.log2(1 - np.array(_SHARES))[:, None]
        after = self.weights + np.logaddexp2(shares[0] - prior, shares[1] - probe).sum(1)
        total = float(np.logaddexp2.reduce(after))
        self.blocks += 1
        even = 1 / self.blocks
        self.weights = np.logaddexp2(
            after - total + np.log2(1 - even), np.log2(even / len(_SHARES))
        )
        return -total


@dataclass(frozen=True, slots=True)
class PrequentialPredictor:
    """A fitted probe, and the code that its kind makes of the training labels, in bits."""

    predictor: Predictor
    code: Mapping[str, Any]

    @property
    def choice(self) -> Mapping[str, Any]:
        """What the probe says of itself, and the code."""
        return {**choice_of(self.predictor), "code": dict(self.code)}

    def predict(self, readings: Readings) -> Predictions:
        return self.predictor.predict(readings)


def order_online_blocks(train: Readings, seed: int) -> tuple[Ints, Ints]:
    """The examples with their sentences in an order drawn for a seed, and where among them blocks
    end: after whole sentences.

    An example about two sentences goes with its first.
    """
    _, sentence = np.unique(train.dataset.sites[:, 0, 0], return_inverse=True)
    counts = np.bincount(sentence)
    order = np.random.default_rng([seed, 16]).permutation(len(counts))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    whole = np.cumsum(counts[order])
    return np.argsort(place[sentence], kind="stable"), np.unique(
        whole[np.searchsorted(whole, compute_block_ends(len(train)))]
    )


def compute_block_ends(n: int) -> Ints:
    """Where the blocks of n examples end; the last is n, the first holds at least eight examples
    (or all there are).
    """
    found = np.unique(np.ceil(np.array(_FRACTIONS) * n).astype(np.int64))
    return np.asarray(found[(found >= _LEAST) | (found == n)], np.int64)


def uniform_length(labels: Column) -> Doubles:
    """Bits of a code under equal chances, for each example's labels, [n]: log2 of the classes, or
    one a label annotated.
    """
    if labels.classes is not None:
        return np.full(len(labels), np.log2(len(labels.names)))
    return code_length(labels, np.zeros((len(labels), len(labels.names)), np.float32))


def adaptive_length(labels: Column) -> Doubles:
    """Bits of a code that uses only the label frequencies so far, and no vectors, for each
    example's labels, [n].

    A class has the chance (times seen + 1/2) / (examples seen + classes / 2); each label of a set
    holds or does not likewise (Krichevsky & Trofimov 1981).
    """
    if (ids := labels.classes) is not None:
        order = np.argsort(ids, kind="stable")
        first = np.searchsorted(ids[order], ids)
        before = np.empty(len(labels), np.int64)
        before[order] = np.arange(len(labels))
        seen = before - first
        return np.asarray(np.log2((np.arange(len(labels)) + len(labels.names) / 2) / (seen + 0.5)))
    matrix = labels.sets().matrix()
    known, holds = ~np.isnan(matrix), matrix >= MIN_LABEL_WEIGHT
    seen, held = known.cumsum(0) - known, holds.cumsum(0) - holds
    bits = np.log2((seen + 1) / (np.where(holds, held, seen - held) + 0.5))
    return np.asarray(np.where(known, bits, 0.0).sum(1))
