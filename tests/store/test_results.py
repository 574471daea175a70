import math
import multiprocessing
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import Result, Tags, Trial
from lingprobe.data.labels import Classes, LabelSets, ScoreLabels
from lingprobe.store import results
from lingprobe.store.blocks import BlockFile, StoreProblem
from lingprobe.store.results import ResultStore

GOLD = Classes(np.array([0, 1, 2, 1]), ("Past", "Pres", "ő"))
COLUMNS = {
    "classes": (GOLD, Classes(np.array([0, 0, 2, 1]), GOLD.names)),
    "scores": (ScoreLabels(np.array([0.1, -2.5])), ScoreLabels(np.array([1 / 3, np.nan]))),
    "sets": (
        LabelSets(
            np.array([0, 2, 2]),
            np.array([0, 2]),
            np.array([1, 0.5], np.float32),
            ("a", "b", "c"),
            partial=True,
        ),
        LabelSets(np.array([0, 0, 1]), np.array([1]), np.ones(1, np.float32), ("a", "b", "c")),
    ),
    "none": (Classes(np.zeros(0, np.int64), ("a",)), Classes(np.zeros(0, np.int64), ("a",))),
    "many": (Classes(np.arange(70_000), tuple(map(str, range(70_000)))),) * 2,
}


def result(seed=0, kind="classes", score=0.1 + 0.2, **provenance):
    trial = Trial("ud/tense:x", "hf:bert,layers=all", "12", "mlp", "none", seed)
    gold, predicted = COLUMNS[kind]
    return Result(
        trial, "accuracy", score, score - 0.05, score + 0.05, 1 / 3, gold, predicted, provenance
    )


def same(a, b):
    if (a.trial, a.metric, a.provenance.plain()) != (b.trial, b.metric, b.provenance.plain()):
        return False
    numbers = all(getattr(a, k) == getattr(b, k) for k in ("score", "low", "high", "majority"))
    return numbers and same_column(a.gold, b.gold) and same_column(a.predicted, b.predicted)


def same_column(a, b):
    arrays = [(a.arrays()[k], b.arrays()[k]) for k in a.arrays()]
    equal = all(
        x.dtype == y.dtype and np.array_equal(x, y, equal_nan=x.dtype.kind == "f")
        for x, y in arrays
    )
    return (
        type(a) is type(b)
        and a.names == b.names
        and getattr(a, "partial", 0) == getattr(b, "partial", 0)
        and equal
    )


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_result_comes_back_as_it_was(tmp_path, kind):
    first, second = result(0, kind, nested={"a": [1, {"b": None}]}, text="zażółć"), result(1, kind)
    ResultStore(tmp_path / "deep" / "results").write([("a", first), ("b", second)])
    store = ResultStore(tmp_path / "deep" / "results")
    stored = store.find(["a", "b", "c"])
    assert stored.keys() == {"a", "b"}
    assert same(stored["a"], first)
    assert same(stored["b"], second)
    assert dict(store.read()).keys() == {"a", "b"}


def test_numbers_that_are_not_finite_come_back(tmp_path):
    ResultStore(tmp_path).write([("a", result(score=math.nan)), ("b", result(score=math.inf))])
    stored = ResultStore(tmp_path).find(["a", "b"])
    assert math.isnan(stored["a"].score)
    assert stored["b"].score == math.inf


def test_provenance_may_hold_what_json_lacks(tmp_path):
    given = {
        "path": tmp_path,
        "count": np.int64(3),
        "array": np.arange(2),
        "seeds": (1, 2),
        "kinds": frozenset("ba"),
    }
    ResultStore(tmp_path).write([("a", result(**given))])
    found = ResultStore(tmp_path).find(["a"])["a"].provenance.plain()
    assert found == {
        "path": str(tmp_path),
        "count": 3,
        "array": [0, 1],
        "seeds": [1, 2],
        "kinds": ["a", "b"],
    }


def test_an_empty_folder_has_no_results_and_is_not_made(tmp_path):
    store = ResultStore(tmp_path / "nowhere")
    assert store.find(["a"]) == {}
    assert list(store.read()) == []
    assert not (tmp_path / "nowhere").exists()


def test_a_file_in_place_of_the_folder_is_told(tmp_path):
    (tmp_path / "results").write_text("")
    with pytest.raises(StoreProblem, match="name a folder"):
        list(ResultStore(tmp_path / "results").read())


def test_an_id_may_be_anything(tmp_path):
    store = ResultStore(tmp_path)
    store.write([("../../etc/passwd", result())])
    store.write([("x" * 500, result())])
    store.write([("é", result()), ("-", result())])
    assert dict(store.read()).keys() == {"../../etc/passwd", "x" * 500, "é", "-"}
    for trial_id in ("../../etc/passwd", "x" * 500, "é", "-"):
        assert store.find([trial_id]).keys() == {trial_id}
    assert len(list(tmp_path.iterdir())) == 3


def hexadecimal(unit, trial=0):
    return f"{unit:016x}{trial:016x}"


def test_only_files_that_may_hold_a_result_are_read(tmp_path, monkeypatch):
    store = ResultStore(tmp_path)
    for unit in range(50):
        store.write([(hexadecimal(unit, trial), result(trial)) for trial in range(3)])
    read = []
    monkeypatch.setattr(results, "BlockFile", lambda path: read.append(path) or BlockFile(path))
    assert store.find([hexadecimal(7, 1), hexadecimal(9, 5)]).keys() == {hexadecimal(7, 1)}
    assert sorted(path.name[:16] for path in read) == [f"{7:016x}", f"{9:016x}"]


def test_the_parts_of_a_unit_that_came_later_are_found_too(tmp_path):
    store = ResultStore(tmp_path)
    store.write([(hexadecimal(1, trial), result(trial)) for trial in range(2)])
    store.write([(hexadecimal(1, trial), result(trial)) for trial in range(2, 5)])
    assert store.find(hexadecimal(1, trial) for trial in range(6)).keys() == {
        hexadecimal(1, trial) for trial in range(5)
    }


def test_a_file_of_others_is_ignored_and_kept(tmp_path):
    (tmp_path / "report.csv").write_text("task")
    (tmp_path / "folder").mkdir()
    ResultStore(tmp_path).write([("a", result())])
    assert dict(ResultStore(tmp_path).read()).keys() == {"a"}
    assert (tmp_path / "report.csv").exists()


_unit = {}


@given(where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_flipped_bit_anywhere_sets_the_file_aside(where, bit, tmp_path_factory):
    if not _unit:
        root = tmp_path_factory.mktemp("results")
        _unit["path"] = ResultStore(root).write([("a", result())])
        ResultStore(root).write([("b", result(1))])
        _unit["bytes"] = _unit["path"].read_bytes()
    content, path = bytearray(_unit["bytes"]), _unit["path"]
    content[int(where * len(content))] ^= 1 << bit
    path.write_bytes(content)
    store = ResultStore(path.parent)
    assert store.find(["a", "b"]).keys() == {"b"}
    assert path.with_name(path.name + ".damaged").exists()
    store.write([("a", result())])
    assert same(store.find(["a"])["a"], result())


def test_a_unit_that_is_there_stays_as_it_is(tmp_path):
    store = ResultStore(tmp_path)
    store.write([("a", result(score=0.25))])
    store.write([("a", result(score=0.5))])
    assert store.find(["a"])["a"].score == 0.25


def test_a_file_that_vanishes_while_it_is_read_is_missing_and_none_is_blamed(
    tmp_path, monkeypatch, caplog
):
    path = ResultStore(tmp_path).write([("a", result())])

    def vanishing(self, name):
        path.unlink(missing_ok=True)
        return array(self, name)

    array = BlockFile.array
    monkeypatch.setattr(BlockFile, "array", vanishing)
    assert ResultStore(tmp_path).find(["a"]) == {}
    assert not caplog.text


def test_a_file_that_is_replaced_while_it_is_read_is_read_again(tmp_path, monkeypatch):
    path = ResultStore(tmp_path).write([("a", result(score=0.25))])
    other = ResultStore(tmp_path / "other").write([("a", result(score=0.5))])

    def replacing(self, name):
        if other.exists():
            other.replace(path)
        return array(self, name)

    array = BlockFile.array
    monkeypatch.setattr(BlockFile, "array", replacing)
    assert ResultStore(tmp_path).find(["a"])["a"].score == 0.5


def test_gold_labels_are_kept_once(tmp_path):
    gold = Classes(np.arange(50_000) % 300, tuple(map(str, range(300))))
    trials = [
        (
            str(seed),
            replace(result(seed), gold=gold, predicted=gold.take(np.roll(np.arange(50_000), seed))),
        )
        for seed in range(5)
    ]
    # five distinct columns of two bytes a label
    assert ResultStore(tmp_path).write(trials).stat().st_size < 5.2 * 100_000


def _many(root, offset):
    store = ResultStore(root)
    for unit in range(20):
        store.write([(f"{offset}-{unit}-{seed}", result(seed)) for seed in range(3)])
        store.write([(f"shared-{unit}", result(unit))])


def test_two_processes_write_one_folder(tmp_path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_many, args=(tmp_path, offset)) for offset in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [w.exitcode for w in workers] == [0, 0]
    assert len(dict(ResultStore(tmp_path).read())) == 2 * 60 + 20
    assert not list(tmp_path.glob("*.damaged"))


def test_three_hundred_trials_are_found_quickly(tmp_path):
    gold = Classes(np.arange(2000) % 7, tuple("abcdefg"))
    for unit in range(60):
        ResultStore(tmp_path).write(
            [(f"{unit}-{s}", replace(result(s), gold=gold, predicted=gold)) for s in range(5)]
        )
    ids = [f"{unit}-{seed}" for unit in range(60) for seed in range(5)]
    start = time.perf_counter()
    assert len(ResultStore(tmp_path).find(ids)) == 300
    assert time.perf_counter() - start < 0.5


def test_the_store_imports_nothing_heavy():
    code = (
        "import sys, lingprobe.store.results, lingprobe.store.vectors, lingprobe.experiment.embed"
    )
    code += "; print(*{'torch', 'sklearn', 'transformers'} & {*sys.modules})"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == ""
    )


def test_strata_come_back_and_results_of_before_have_none(tmp_path):
    tags = Tags(np.array([0, -1, 1, 0]), ("near", "far"))
    made = replace(result(), strata={"distance": tags})
    ResultStore(tmp_path).write([("a", made), ("b", result(1))])
    stored = ResultStore(tmp_path).find(["a", "b"])
    assert stored["a"].strata["distance"].codes.tolist() == [0, -1, 1, 0]
    assert stored["a"].strata["distance"].names == ("near", "far")
    assert stored["b"].strata == {}


def test_clusters_come_back_in_their_type_and_equal_ones_are_kept_once(tmp_path):
    codes = np.arange(30_000) // 100
    made = [
        replace(result(seed), clusters={"form": codes, "sentence": np.arange(3)})
        for seed in range(20)
    ]
    path = ResultStore(tmp_path).write([(f"a{seed}", each) for seed, each in enumerate(made)])
    found = ResultStore(tmp_path).find(["a3", "a4"])["a4"].clusters
    assert found["form"].dtype == np.int64
    np.testing.assert_array_equal(found["form"], codes)
    assert found["sentence"].tolist() == [0, 1, 2]
    assert path.stat().st_size < 30_000 * 3


WITH_FEW_FILES = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
from lingprobe.store.results import ResultStore
print(len(dict(ResultStore(Path(sys.argv[1])).read())))
"""


def test_open_files_do_not_grow_with_the_store(tmp_path):
    for unit in range(100):
        ResultStore(tmp_path).write([(hexadecimal(unit), result())])
    done = subprocess.run(
        [sys.executable, "-c", WITH_FEW_FILES, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "100"
