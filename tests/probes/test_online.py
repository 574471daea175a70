"""Code lengths against closed forms, in bits: the paper's code to the last bit, and what vectors
that say nothing or all must cost.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

from lingprobe.data._logits import code_length
from lingprobe.data.core import Cell, Dataset, Example, Predictions, ProbeNeeds, Sentence, Site
from lingprobe.data.labels import Classes, LabelSets, build_column
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Vectors
from lingprobe.probes import PROBES, online
from lingprobe.probes.online import (
    _FRACTIONS,
    _SHARES,
    CodeMixture,
    OnlineProbe,
    adaptive_length,
    compute_block_ends,
    order_online_blocks,
    uniform_length,
)
from lingprobe.probes.plain import EstimatorProbe, OneByOne

CLASSES = "abcd"


def readings(ids, layer, names=CLASSES, share=5) -> Readings:
    """Examples of classes with these vectors; every fifth is for dev."""
    examples = [
        Example.about(Sentence.of([str(i)]), names[c], "dev" if i % share == 0 else "train")
        for i, c in enumerate(ids)
    ]
    return Readings(Dataset.of(examples), Vectors((layer.astype(np.float32),)))


def told(n: int = 400, known: bool = True) -> Readings:
    """Examples of four classes; their vectors are one-hot classes, or nothing but noise."""
    rng = np.random.default_rng(n)
    ids = rng.integers(4, size=n)
    return readings(ids, np.eye(4)[ids] if known else rng.normal(size=(n, 4)))


@dataclass(frozen=True)
class Sure:
    """A probe whose scores are its features times some certainty, whatever it was trained on."""

    certainty: float
    name: str = "sure"

    def fit(self, train, dev, *, cells):
        return [self] * len(cells)

    def predict(self, found):
        scores = self.certainty * found.features("-")
        return Predictions(scores, found.labels.names, found.labels.decode(scores), "softmax")


def code(probe, found: Readings, fallback: bool = False, seed: int = 3) -> dict:
    train, dev = found.split("train"), found.split("dev")
    [coded] = OnlineProbe(probe, "x", fallback).fit(train, dev, cells=(Cell("-", seed),))
    return dict(coded.choice["code"])


def test_a_probe_that_knows_nothing_costs_equal_chances():
    found = code(Sure(0.0), told())
    # log2 of four classes, each of 320 examples
    assert found["bits"] == found["alone"] == pytest.approx(320 * 2)
    assert found["uniform"] == pytest.approx(640)
    assert found["ends"] == [11, 20, 40, 80, 160, 320]


@pytest.mark.parametrize("certainty", [1.0, 3.0, 30.0])
def test_all_but_the_first_block_are_coded_by_the_probe_in_bits_and_not_in_nats(certainty):
    found = code(Sure(certainty), told())
    each = np.log2(1 + 3 * np.exp(-certainty))  # -log2 of the softmax of (certainty, 0, 0, 0)
    assert found["blocks"][0] == pytest.approx(11 * 2)
    assert found["bits"] == pytest.approx(11 * 2 + (320 - 11) * each)


SLOW = ["logreg,c=1", "mlp,hidden=4,dropout=0,precision=float32"]


@pytest.mark.parametrize("probe", SLOW)
@pytest.mark.parametrize("kind", ["classes", "sets"])
def test_the_papers_code_is_its_definition_to_the_last_bit(probe, kind):
    """Voita & Titov 2020, section 3.2, written out: t1 log2 C - sum over blocks of log2 p(block |
    probe of all blocks before).
    """
    found = sets(160) if kind == "sets" else told(160, known=False)
    train, dev = found.split("train"), found.split("dev")
    made = PROBES.make("online:" + probe.replace(",", "%2C") + ",fallback=false")
    [coded] = made.fit(train, dev, cells=(Cell("-", 7),))
    inner, n = PROBES.make(probe), len(train)
    # each example is a sentence of its own
    train = train.take(np.random.default_rng([7, 16]).permutation(n))
    stops = sorted({stop for f in _FRACTIONS if (stop := int(np.ceil(f * n))) >= 8})
    blocked = [sum(uniform_length(train.take(np.arange(stops[0])).labels).tolist())]
    for start, stop in itertools.pairwise(stops):
        [fitted] = inner.fit(train.take(np.arange(start)), dev, cells=(Cell("-", 7, "loss"),))
        block = train.take(np.arange(start, stop))
        z = fitted.predict(block).scores.astype(np.float64)
        if kind == "sets":
            nats = np.where(
                block.labels.matrix() >= 0.5, np.logaddexp(0, -z), np.logaddexp(0, z)
            ).sum()
        else:
            p = np.exp(z - z.max(1, keepdims=True))
            nats = -np.log(
                (p / p.sum(1, keepdims=True))[np.arange(len(block)), block.labels.matrix()]
            ).sum()
        blocked.append(float(nats / np.log(2)))
    assert coded.choice["code"]["ends"] == stops
    np.testing.assert_allclose(coded.choice["code"]["blocks"], blocked, rtol=1e-12)
    assert coded.choice["code"]["bits"] == pytest.approx(sum(blocked), rel=1e-12)


def test_blocks_are_whole_sentences_in_the_order_of_the_seed():
    rng = np.random.default_rng(0)
    sentences = [Sentence.of([f"s{i}", *"abcdefgh"]) for i in range(150)]
    examples = [
        Example((Site(s, (k, k + 1)),), "xy"[k % 2])
        for s in sentences
        for k in range(int(rng.integers(1, 9)))
    ]
    found = Readings(
        Dataset.of([examples[i] for i in rng.permutation(len(examples))]),
        Vectors((np.zeros((150, 1), np.float32),)),
    )
    owner = found.dataset.sites[:, 0, 0]
    orders = []
    for seed in (0, 1):
        rows, stops = order_online_blocks(found, seed)
        assert sorted(rows.tolist()) == list(range(len(examples)))
        parts = [set(owner[part].tolist()) for part in np.split(rows, stops[:-1])]
        assert len(parts) == len(stops) > 5
        assert sum(map(len, parts)) == 150  # no sentence is in two blocks
        asked = compute_block_ends(len(examples))
        assert all((stops >= end).any() and stops[stops >= end][0] < end + 9 for end in asked)
        assert stops[-1] == len(examples)
        orders.append(rows.tolist())
    assert orders[0] != orders[1]


@dataclass(frozen=True)
class Counting:
    """A probe that learns how often each pair of input and class was seen: all that Kraft's sum
    below needs, and quickly.
    """

    name: str = "counting"
    sharp: float = 3.0

    def fit(self, train, dev, *, cells):
        x, y = train.features("-")[:, 0].astype(int), train.labels.matrix()
        counts = np.zeros((2, 2))
        np.add.at(counts, (x, y), 1)
        return [Counted(self.sharp * np.log(counts + 0.1)) for _ in cells]


@dataclass(frozen=True)
class Counted:
    logits: np.ndarray

    def predict(self, found):
        scores = self.logits[found.features("-")[:, 0].astype(int)].astype(np.float32)
        return Predictions(scores, found.labels.names, found.labels.decode(scores), "softmax")


@pytest.mark.parametrize("fallback", [False, True])
def test_chances_of_all_sequences_of_labels_sum_to_one(fallback, monkeypatch):
    """Kraft's equality: so a receiver can decode it, and no decision hangs on labels that were not
    sent yet.
    """
    monkeypatch.setattr(online, "_LEAST", 2)  # so that few labels are several blocks
    n = 9
    assert compute_block_ends(n).tolist() == [2, 3, 5, 9]
    x = np.random.default_rng(0).integers(2, size=(n + 1, 1))
    total = 0.0
    for ids in itertools.product((0, 1), repeat=n):
        found = readings((0, *ids), x, "xy", share=99)
        if len(found.labels.names) < 2:
            found = replace(
                found,
                dataset=replace(found.dataset, labels=Classes(np.array([0, *ids]), ("x", "y"))),
            )
        total += 2 ** -code(Counting(), found, fallback)["bits"]
    assert total == pytest.approx(1)


@given(st.integers(0, 10**6))
def test_a_fallback_costs_less_than_six_bits_and_saves_what_the_probe_wastes(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 40, int(rng.integers(1, 11)))
    probe = [rng.exponential(rng.choice([0.01, 1, 20]), n) for n in sizes]
    prior = [rng.exponential(2, n) for n in sizes]
    mixture = CodeMixture()
    found = sum(mixture.send_block(a, b) for a, b in zip(probe, prior, strict=True))
    with np.errstate(divide="ignore"):
        under = [
            -np.logaddexp2(
                np.log2(s) - np.concatenate(prior), np.log2(1 - s) - np.concatenate(probe)
            ).sum()
            for s in _SHARES
        ]
    assert under[0] == pytest.approx(sum(map(np.sum, probe)))
    assert under[-1] == pytest.approx(sum(map(np.sum, prior)))
    assert found <= min(under) + np.log2(len(_SHARES)) + np.log2(len(sizes)) + 1e-9 < min(under) + 6


def sets(n: int, known: bool = False) -> Readings:
    """Examples with sets of three labels, one of them rare; vectors say which hold, or nothing."""
    rng = np.random.default_rng(n)
    held = rng.random((n, 3)) < (0.5, 0.3, 0.05)
    layer = (np.where(held, 1.0, -1.0) if known else rng.normal(size=(n, 3))).astype(np.float32)
    examples = [
        Example.about(
            Sentence.of([str(i)]),
            frozenset(np.array(list("abc"))[row]),
            "dev" if i % 5 == 0 else "train",
        )
        for i, row in enumerate(held)
    ]
    return Readings(Dataset.of(examples), Vectors((layer,)))


PROBED = {
    "logreg": "logreg",
    "mlp": "mlp,hidden=50,dropout=0.1,precision=float32",
    "span": "span,projection=0,hidden=16,pool=mean",
    "acl18": "mlp,protocol=acl18,hidden=50,dropout=0",
}


def coded(probe: str, found: Readings, seed: int = 0) -> dict:
    made = PROBES.make("online:" + PROBED[probe].replace(",", "%2C"))
    [one] = made.fit(found.split("train"), found.split("dev"), cells=(Cell("-", seed),))
    return one.choice["code"]


def skewed(n: int, dim: int) -> Readings:
    """Seventeen classes, the commonest a fifth of all and some very rare, with vectors of noise."""
    rng = np.random.default_rng(n)
    ids = rng.choice(17, n, p=(shares := 1 / np.arange(1, 18) ** 1.2) / shares.sum())
    return readings(ids, rng.normal(size=(n, dim)), [f"c{k:02}" for k in range(17)])


NOISE = {
    "skewed": lambda: skewed(300, 32),
    "even": lambda: told(400, known=False),
    "sets": lambda: sets(300),
}


@pytest.mark.parametrize(
    ("probe", "kind"),
    [
        *(("logreg", kind) for kind in NOISE),
        ("mlp", "skewed"),
        ("mlp", "sets"),
        ("span", "sets"),
        ("acl18", "even"),
    ],
)
def test_noise_compresses_to_what_label_frequencies_do(probe, kind):
    made = NOISE[kind]()
    found = coded(probe, made)
    assert found["prior"] / found["bits"] >= 0.95
    # the shares in hindsight, which no code without vectors can beat
    held = made.split("train").labels.sets().matrix().mean(0)
    least = -held * np.log2(held) - (kind == "sets") * (1 - held) * np.log2(1 - held)
    assert found["bits"] > len(made.split("train")) * least.sum() - 6


# SentEval's loop stops before it has learnt even this
@pytest.mark.parametrize("probe", ["logreg", "mlp", "span"])
def test_vectors_that_carry_the_label_leave_the_first_block_and_little_more(probe):
    found = coded(probe, told(240))
    first = found["blocks"][0]
    assert first == 2 * found["ends"][0]
    # of 384 under equal chances: 184 labels for less than 60 bits
    assert first < found["bits"] < first + 60
    both = coded(probe, sets(300, known=True))
    assert both["prior"] / both["bits"] > 4


@pytest.mark.parametrize("probe", ["logreg", "mlp"])
def test_vectors_that_carry_part_of_the_label_cost_what_they_leave_open(probe):
    """A class that is told right in four cases of five: each label then has h(0.2) + 0.2 log2 3 =
    1.04 bits left.
    """
    rng = np.random.default_rng(5)
    ids = rng.integers(4, size=2500)
    said = np.where(rng.random(2500) < 0.8, ids, (ids + rng.integers(1, 4, 2500)) % 4)
    left = -0.8 * np.log2(0.8) - 0.2 * np.log2(0.2) + 0.2 * np.log2(3)
    found = coded(probe, readings(ids, np.eye(4)[said]))
    right = (ids == said)[np.arange(2500) % 5 > 0].mean()
    # of these very labels under the true chances
    expected = -np.log2(0.8) * right + (np.log2(15)) * (1 - right)
    assert expected == pytest.approx(left, abs=0.08)
    assert expected < found["bits"] / 2000 < 1.08 * expected


def test_overconfident_scores_are_paid_by_the_papers_code_and_not_with_a_fallback():
    found = told(1000, known=False)
    alone, fallen = (code(Sure(20.0), found, fallback) for fallback in (False, True))
    assert alone["bits"] > 3 * alone["prior"]
    assert fallen["bits"] < fallen["prior"] + 6 + 10
    assert fallen["alone"] == alone["bits"]


def test_probes_of_blocks_are_asked_for_the_state_of_the_lowest_loss_and_that_of_the_score_for_what_was_asked():
    asked = []

    @dataclass(frozen=True)
    class Spy(Sure):
        def fit(self, train, dev, *, cells):
            asked.append((len(train), cells))
            return [self] * len(cells)

    found = code(Spy(1.0), told())
    assert asked == [
        *((end, (Cell("-", 3, "loss"),)) for end in found["ends"][:-1]),
        (320, (Cell("-", 3),)),
    ]


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_the_adaptive_code_is_krichevsky_and_trofimovs(seed, many):
    rng = np.random.default_rng(seed)
    ids = rng.choice(many, int(rng.integers(1, 60)), p=rng.dirichlet(np.ones(many)))
    labels, counts = Classes(ids, tuple(map(str, range(many)))), np.bincount(ids, minlength=many)
    nats = (
        gammaln(len(ids) + many / 2)
        - gammaln(many / 2)
        - (gammaln(counts + 0.5) - gammaln(0.5)).sum()
    )
    found = adaptive_length(labels)
    assert found.sum() == pytest.approx(nats / np.log(2))
    for i in range(len(ids)):  # each by what came before it
        assert found[i] == pytest.approx(
            -np.log2((np.sum(ids[:i] == ids[i]) + 0.5) / (i + many / 2))
        )
    order = rng.permutation(len(ids))
    assert adaptive_length(labels.take(order)).sum() == pytest.approx(found.sum())


@given(st.integers(0, 10**6), st.booleans())
def test_the_adaptive_code_of_label_sets_counts_each_label_where_it_was_annotated(seed, partial):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 20))
    known = (rng.random((n, 3)) < 0.7) | (not partial)
    holds = rng.random((n, 3)) < 0.4
    labels = LabelSets(
        np.concatenate([[0], np.cumsum(known.sum(1))]),
        np.nonzero(known)[1],
        holds[known].astype(np.float32),
        ("a", "b", "c"),
        partial,
    )
    bits = np.zeros(n)
    for k in range(3):
        counts = np.full(2, 0.5)
        for i in np.flatnonzero(known[:, k]):
            bits[i] -= np.log2(counts[int(holds[i, k])] / counts.sum())
            counts[int(holds[i, k])] += 1
    assert adaptive_length(labels) == pytest.approx(bits)


def test_label_sets_pay_a_bit_for_each_label_annotated():
    labels = build_column([frozenset("ab"), frozenset()])
    assert uniform_length(labels).tolist() == [2, 2]
    assert code_length(labels, np.array([[1.0, 1], [-1, -1]])) == pytest.approx(
        2 * np.log2(1 + np.exp(-1))
    )
    partial = build_column([{"a": 1.0}, {"a": 0.2, "b": 1.0}])
    assert uniform_length(partial).tolist() == [1, 2]
    assert code_length(partial, np.array([[0.0, 50], [0, 50]])) == pytest.approx([1, 1])


@given(st.integers(0, 200))
def test_a_sigmoid_s_scores_code_classes_as_odds_given_that_one_holds(seed):
    z = np.random.default_rng(seed).normal(size=(5, 3)).astype(np.float32)
    p = 1 / (1 + np.exp(-z.astype(float)))
    alone = np.stack([p[:, c] * np.prod(np.delete(1 - p, c, 1), 1) for c in range(3)], 1)
    expected = -np.log2(alone / alone.sum(1, keepdims=True))
    for c in range(3):
        assert code_length(Classes(np.full(5, c), ("x", "y", "z")), z) == pytest.approx(
            expected[:, c], abs=1e-5
        )


@given(st.integers(1, 300_000))
def test_blocks_grow_and_end_with_the_last_example(n):
    stops = compute_block_ends(n)
    assert stops[-1] == n
    assert (np.diff(stops) > 0).all()
    assert stops[0] >= min(n, 8)


def test_the_score_is_that_of_the_probe_alone_and_each_seed_has_an_order_of_its_own():
    probe, plain = PROBES.make("online:logreg%2Cc=10"), PROBES.make("logreg,c=10")
    found = told(600)
    train, dev = found.split("train"), found.split("dev")
    cells = (Cell("-", 0), Cell("-", 1), Cell("-", 0, "loss"))
    first, second, third = probe.fit(train, dev, cells=cells)
    alone = plain.fit(train, dev, cells=cells)[0]
    assert np.array_equal(first.predict(dev).scores, alone.predict(dev).scores)
    assert first.choice["code"]["bits"] != second.choice["code"]["bits"]  # another order
    assert first.choice["code"] == third.choice["code"]


def test_what_a_probe_needs_is_what_the_one_in_it_does_and_a_seed():
    assert PROBES.make("online:span").needs == ProbeNeeds(mixes=True)
    assert PROBES.make("online:logreg").needs == ProbeNeeds()
    assert PROBES.make("online:nb-uni-tfidf").needs == ProbeNeeds(words=True)
    assert PROBES.make("online:majority-feature").needs == ProbeNeeds(
        words=True, stratum="majority-feature"
    )
    assert (
        PROBES.make("online:logreg").fingerprint != PROBES.make("online:logreg%2Cc=3").fingerprint
    )


def test_numbers_have_no_code():
    examples = [Example.about(Sentence.of([str(i)]), float(i)) for i in range(20)]
    found = Readings(Dataset.of(examples), Vectors((np.zeros((20, 1), np.float32),)))
    with pytest.raises(ReadingProblem, match="code length is not defined for numbers"):
        PROBES.make("online:logreg").fit(found, found, cells=(Cell("-", 0),))


def test_scores_that_are_no_probabilities_make_no_code():
    from sklearn.svm import LinearSVC

    found = told(100)
    probe = OnlineProbe(OneByOne(EstimatorProbe("svm", LinearSVC)), "svm")
    with pytest.raises(ReadingProblem, match="svm does not give probabilities"):
        probe.fit(found.split("train"), found.split("dev"), cells=(Cell("-", 0),))
