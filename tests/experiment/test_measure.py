from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import Dataset, Example, Sentence, Site
from lingprobe.data.identity import ContentIdentity, ResultIdentities
from lingprobe.data.vectors import Spans, Vectors
from lingprobe.experiment.groups import FitBatch, TrialGroup
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.readable import find_readable
from lingprobe.experiment.work import measure_batch
from lingprobe.metrics import METRICS
from lingprobe.probes import PROBES
from lingprobe.store.results import ResultStore

NONE = (-1, -1)


def laid(words: list[list[int]], cut: list[bool] | None = None) -> Vectors:
    """Sentences whose words have so many units, which lie one after the other."""
    flat = np.concatenate([[0], np.cumsum([n for s in words for n in s])]).astype(np.int64)
    first = np.cumsum([0, *map(len, words)])
    units = np.zeros((flat[-1], 2), np.float32)
    return Vectors(
        (units,),
        ("-",),
        Spans(flat[first], np.stack([flat[:-1], flat[1:]], 1), first),
        None if cut is None else np.array(cut),
    )


def found(words, examples, cut=None) -> list[str]:
    """What becomes of examples, each a list of (sentence, start, stop)."""
    parts = find_readable(np.array(examples, np.int64), laid(words, cut))
    names = ("beyond", "unaligned", "partial")
    return [
        "".join(name for name in names if getattr(parts, name)[i]) for i in range(len(examples))
    ]


def test_spans_without_units_are_told_from_those_behind_the_cut():
    words = [[1, 0, 2, 0], [0, 0], [1, 1, 0, 0]]
    examples = [
        [(0, 0, 1)],
        [(0, 1, 2)],
        [(0, 1, 3)],
        [(0, 0, 4)],
        [(1, 0, 2)],
        [(1, *NONE)],
        [(0, *NONE)],
    ]
    assert found(words, examples) == [
        "",
        "unaligned",
        "partial",
        "partial",
        "unaligned",
        "unaligned",
        "",
    ]
    cut = [False, False, True]
    examples = [[(2, 0, 2)], [(2, 1, 3)], [(2, 2, 4)], [(2, *NONE)], [(0, 3, 4)]]
    assert found(words, examples, cut) == ["", "beyond", "beyond", "", "unaligned"]


def test_both_sites_count():
    words = [[1, 0, 1, 0]]
    assert found(
        words, [[(0, 0, 1), (0, 1, 2)], [(0, 0, 1), (0, 1, 3)], [(0, 1, 2), (0, 3, 4)]], [True]
    ) == [
        "unaligned",
        "partial",
        "beyond",
    ]


def test_of_vectors_of_sentences_everything_is_read():
    parts = find_readable(
        np.array([[(0, 0, 1)]]), Vectors((np.zeros((1, 2), np.float32),), cut=np.array([True]))
    )
    assert parts.whole.all()
    assert parts.counts() == {"beyond": 0, "unaligned": 0, "partial": 0}


def test_a_unit_without_numbers_costs_the_examples_that_read_it_and_no_others():
    words = [[2, 1, 1], [1, 1]]
    vectors = replace(laid(words), lost=np.array([False, True, False, False, False, False]))
    examples = [[(0, 0, 1)], [(0, 1, 3)], [(0, 0, 2)], [(0, *NONE)], [(1, *NONE)], [(1, 0, 2)]]
    parts = find_readable(np.array(examples, np.int64), vectors)
    assert parts.lost.tolist() == [True, False, True, True, False, False]
    assert parts.whole.tolist() == [False, True, False, False, True, True]
    both = find_readable(
        np.array([[(1, 0, 1), (0, 0, 1)], [(1, 0, 1), (0, 1, 2)]], np.int64), vectors
    )
    assert both.lost.tolist() == [True, False]


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=5), min_size=1, max_size=4),
    st.integers(0, 2**32 - 1),
)
def test_what_is_read_has_units_and_what_is_lost_is_counted_once(words, seed):
    rng = np.random.default_rng(seed)
    sites = []
    for _ in range(10):
        sentence = int(rng.integers(len(words)))
        start = int(rng.integers(len(words[sentence])))
        sites.append([(sentence, start, int(rng.integers(start, len(words[sentence]))) + 1)])
    cut = [bool(b) for b in rng.integers(0, 2, len(words))]
    parts = find_readable(np.array(sites, np.int64), laid(words, cut))
    for ((s, a, b),), whole, partial, beyond in zip(
        sites, parts.whole, parts.partial, parts.beyond, strict=True
    ):
        counts = words[s][a:b]
        assert whole == (any(counts) and not beyond)
        assert beyond == (cut[s] and not any(words[s][b - 1 :]))
        assert partial == (whole and not all(counts))


class Deaf:
    """An encoder that has nothing for the word 'x', and reads five words of a sentence."""

    name = "deaf"
    fingerprint = "1"
    takes = "sentences"

    def encode(self, sentences):
        words = [[0 if w == "x" or i >= 5 else 1 for i, w in enumerate(s.words)] for s in sentences]
        made = laid(words, [len(s.words) > 5 for s in sentences])
        values = [
            len(w) + 0.1 * i for s in sentences for i, w in enumerate(s.words[:5]) if w != "x"
        ]
        return Vectors((np.array(values, np.float32)[:, None],), made.names, made.spans, made.cut)


class Task:
    name, question, metric, probe, view = "t", "q", "accuracy", "nearest", "mean"

    def load(self) -> Dataset:
        examples = []
        for i in range(40):
            split = "train" if i < 20 else "dev" if i < 30 else "test"
            long = Sentence.of(
                ["aaaa" if i % 2 else "b", "x", "c", "d", "e", *["f"] * (i % 10 == 0)], f"{i}"
            )
            examples.append(Example((Site(long, (0, 1)),), str(i % 2), split))
            examples.append(Example((Site(long, (1, 2)),), "0", split))
            if i % 10 == 0:
                examples.append(Example((Site(long, (4, 6)),), "1", split))
        return Dataset.of(examples)


def test_examples_that_cannot_be_read_are_left_out_and_counted(tmp_path):
    from lingprobe.data.core import Trial
    from lingprobe.datasets.controls import CONTROLS

    trial = Trial("t", "deaf", "-", "logreg", "none", 0)
    made = ResultIdentities(*(ContentIdentity(name, "") for name in ResultIdentities._fields))
    group = TrialGroup(
        Task(), Deaf(), PROBES.make("logreg"), CONTROLS.make("none"), (trial,), ("id",), made, "key"
    )
    done = measure_batch(FitBatch((group,)), RunPaths.of(tmp_path / "r", tmp_path))
    assert not done.failure
    result = done.results["id"]
    counts = result.provenance.counts
    told = (counts.unusable, counts.unaligned, counts.beyond, counts.partial, counts.cut)
    assert told == (0, 40, 4, 0, 4)
    assert counts.left_out["beyond"] == {"train": {"1": 2}, "dev": {"1": 1}, "test": {"1": 1}}
    assert counts.train == 20
    assert result.n == 10
    assert METRICS.make("accuracy")(result.gold, result.predicted) == 1.0
    assert ResultStore(tmp_path / "r").find(["id"])
