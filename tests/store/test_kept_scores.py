"""Scores lie beside results, come back as they were, and are missed by nobody who does not ask."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lingprobe.data._logits import ProbeLogits
from lingprobe.data.core import Result, Trial
from lingprobe.data.labels import Classes
from lingprobe.store.results import SCORES_SUFFIX, ResultStore, find_scores, write_scores

GOLD = Classes(np.array([0, 1, 2, 1]), ("a", "b", "c"))


def result(seed, scored=True):
    rng = np.random.default_rng(seed)
    scores = ProbeLogits.of(
        rng.normal(size=(4, 3)).astype(np.float32), "softmax", GOLD, np.array([5, 6, 900, 70_000])
    )
    one = Result(
        Trial("t", "e", "3", "p", "none", seed), "accuracy", 0.5, 0.4, 0.6, 0.3, GOLD, GOLD, {}
    )
    return replace(one, scores=scores if scored else None)


def named(*results):
    return [(f"{'ab' * 8}{'01' * 8}{i}", one) for i, one in enumerate(results)]


def same(a, b):
    return a.link == b.link and all(
        np.array_equal(x, y) and x.dtype == y.dtype
        for x, y in ((a.values, b.values), (a.null, b.null), (a.rows, b.rows))
    )


def test_scores_come_back_and_results_are_found_without_them(tmp_path):
    unit = named(result(0), result(1), result(2, scored=False))
    ResultStore(tmp_path).write(unit)
    write_scores(tmp_path, unit)
    ids = [key for key, _ in unit]
    found = find_scores(tmp_path, ids)
    assert found.keys() == set(ids)
    assert same(found[ids[0]], unit[0][1].scores)
    assert same(found[ids[1]], unit[1][1].scores)
    assert found[ids[2]] is None
    assert all(r.scores is None for r in ResultStore(tmp_path).find(ids).values())
    assert len(dict(ResultStore(tmp_path).read())) == 3
    assert find_scores(tmp_path, ["ff" * 16]) == {}
    assert find_scores(tmp_path / "nowhere", ids) == {}


def test_scores_may_come_later_than_results_and_in_other_company(tmp_path):
    unit = named(result(0), result(1))
    ResultStore(tmp_path).write(unit)
    assert find_scores(tmp_path, [unit[0][0]]) == {}
    write_scores(tmp_path, unit[:1])
    assert list(find_scores(tmp_path, [key for key, _ in unit])) == [unit[0][0]]


def test_damaged_scores_are_set_aside_and_count_as_missing(tmp_path, caplog):
    unit = named(result(0))
    write_scores(tmp_path, unit)
    (path,) = tmp_path.glob(f"*{SCORES_SUFFIX}")
    content = bytearray(path.read_bytes())
    content[-70] ^= 1
    path.write_bytes(content)
    assert find_scores(tmp_path, [unit[0][0]]) == {}
    assert path.with_name(path.name + ".damaged").exists()
    write_scores(tmp_path, unit)
    assert same(find_scores(tmp_path, [unit[0][0]])[unit[0][0]], unit[0][1].scores)


@pytest.mark.parametrize("labels", [2, 48])
def test_scores_take_two_bytes_an_example_and_label(tmp_path, labels):
    rng, n = np.random.default_rng(0), 5000
    gold = Classes(rng.integers(labels, size=n), tuple(map(str, range(labels))))
    scores = ProbeLogits.of(
        rng.normal(size=(n, labels)).astype(np.float32), "sigmoid", gold, np.arange(n)
    )
    write_scores(tmp_path, named(replace(result(0), scores=scores)))
    (path,) = tmp_path.glob(f"*{SCORES_SUFFIX}")
    assert path.stat().st_size < 2 * n * labels + 2 * n + 4096
