import multiprocessing
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lingprobe.data.core import Sentence
from lingprobe.data.vectors import Vectors
from lingprobe.store.blocks import StoreProblem
from lingprobe.store.folder import KeyIndex, find_first_keys, keys_of
from lingprobe.store.plans import arrange_blocks, draw_up, read_encoding_plan, unfinished_plans
from lingprobe.store.precision import kept_as
from lingprobe.store.vectors import VectorEntries, VectorStore


def some(count, start=0):
    return [
        Sentence.of([f"w{i}"] * (i % 5)) if i % 5 else Sentence((), f"text {i}")
        for i in range(start, start + count)
    ]


def layer(sentences, shift=0.0):
    return np.array([[len(s.words), len(s.text), shift] for s in sentences], np.float32)


def fill(store, sentences, slots=("-",), name="p-00000.vectors", shift=0.0):
    vectors = Vectors(tuple(layer(sentences, shift + n) for n in range(len(slots))), slots)
    store.write("base", name, sentences, VectorEntries(slots, vectors, {}))


def test_sentences_are_read_in_any_order_and_the_absent_are_zeros(tmp_path):
    store, known = VectorStore(tmp_path), some(10)
    fill(store, known[:5])
    fill(store, known[5:], name="p-00001.vectors")
    asked = [known[7], *some(1, 99), known[0], known[7]]
    assert store.missing("base", "-", asked).tolist() == [False, True, False, False]
    vectors = store.read("base", ["-"], ["-"], asked)
    np.testing.assert_array_equal(vectors.layers[0], layer(asked) * [[1], [0], [1], [1]])
    assert vectors.cut is None
    assert vectors.spans is None


def test_nothing_is_known_of_another_base_slot_or_type(tmp_path):
    store, known = VectorStore(tmp_path), some(3)
    fill(store, known)
    assert store.missing("base", "0.mean", known).all()
    assert store.missing("other", "-", known).all()
    assert VectorStore(tmp_path, "float16").missing("base", "-", known).all()
    assert not VectorStore(tmp_path).missing("base", "-", known).any()


def test_bases_that_look_alike_have_folders_of_their_own(tmp_path):
    store = VectorStore(tmp_path)
    assert store.folder("hf:a/b") != store.folder("hf:a-b")
    assert store.folder("x" * 500).name != store.folder("x" * 501).name


def test_float16_halves_the_bytes(tmp_path):
    store, known = VectorStore(tmp_path, "float16"), some(4)
    fill(store, known, shift=0.1)
    vectors = store.read("base", ["-"], ["-"], known).layers[0]
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, layer(known, 0.1).astype(np.float16))


@pytest.mark.parametrize("large", [False, True])
def test_bfloat16_halves_the_bytes_and_holds_what_float16_does_not(tmp_path, large, monkeypatch):
    monkeypatch.setattr("lingprobe.store.vectors.MIN_MAPPED_VECTOR_BYTES", 0 if large else 1 << 30)
    known = some(1000)
    for kept in ("float32", "bfloat16"):
        fill(VectorStore(tmp_path, kept), known, shift=1e30)
    read = VectorStore(tmp_path, "bfloat16").read("base", ["-"], ["-"], known).layers[0]
    wanted = layer(known, 1e30)
    assert read.dtype == np.float32
    np.testing.assert_array_equal(read, torch.from_numpy(wanted).bfloat16().float().numpy())
    files = [VectorStore(tmp_path, kept).folder("base") for kept in ("bfloat16", "float32")]
    half, whole = (sum(p.stat().st_size for p in folder.iterdir()) for folder in files)
    assert whole - half == pytest.approx(2 * wanted.size, abs=128)


@given(arrays(np.float32, 20, elements=st.floats(width=32)))
def test_bfloat16_rounds_as_torch_does(values):
    kept = kept_as("bfloat16")
    rounded = kept.round_values(values)
    np.testing.assert_array_equal(rounded, torch.from_numpy(values).bfloat16().float().numpy())
    np.testing.assert_array_equal(kept.unpack_values(kept.pack_values(rounded)), rounded)


def test_no_other_type_is_kept(tmp_path):
    with pytest.raises(StoreProblem, match="float32, float16 or bfloat16, not int8"):
        VectorStore(tmp_path, "int8")


def test_slots_of_several_passes_come_together(tmp_path):
    store, known = VectorStore(tmp_path), some(6)
    fill(store, known[:4], ("0", "1"), "a.vectors")
    fill(store, known[3:], ("2",), "b.vectors", 7)
    fill(store, known[4:], ("1", "0"), "c.vectors")
    lacking = store.lacking("base", ("0", "1", "2"), known)
    assert lacking.tolist() == [[False] * 6, [False] * 6, [True] * 3 + [False] * 3]
    vectors = store.read("base", ["2", "0"], ["two", "zero"], known)
    np.testing.assert_array_equal(vectors.layer("two")[3:], layer(known[3:], 7))
    np.testing.assert_array_equal(
        vectors.layer("zero"), np.concatenate([layer(known[:4]), layer(known[4:], 1)])
    )
    assert store.widths("base") == {"0": 3, "1": 3, "2": 3}


def test_of_two_copies_the_older_is_read_by_everyone(tmp_path):
    store, known = VectorStore(tmp_path), some(3)
    fill(store, known, name="zz.vectors", shift=1)
    time.sleep(0.02)
    fill(store, known, ("-", "x"), name="aa.vectors", shift=2)
    for reader in (store, VectorStore(tmp_path)):
        np.testing.assert_array_equal(
            reader.read("base", ["-"], ["-"], known).layers[0], layer(known, 1)
        )


def test_what_another_store_commits_is_seen(tmp_path):
    one, two, known = VectorStore(tmp_path), VectorStore(tmp_path), some(3)
    assert one.missing("base", "-", known).all()
    fill(two, known)
    assert not one.missing("base", "-", known).any()


@pytest.mark.parametrize("where", [0.001, 0.3, 0.5, 0.75, 0.999])
def test_a_damaged_block_is_missing_again(tmp_path, where, caplog):
    store, known = VectorStore(tmp_path), some(4000)
    fill(store, known[:2000])
    fill(store, known[2000:], name="p-00001.vectors")
    path = store.folder("base") / "p-00001.vectors"
    content = bytearray(path.read_bytes())
    content[int(where * len(content))] ^= 1
    path.write_bytes(content)
    fresh = VectorStore(tmp_path)
    assert fresh.missing("base", "-", known).tolist() == [False] * 2000 + [True] * 2000
    assert not path.exists()
    assert "p-00001.vectors is damaged" in caplog.text
    np.testing.assert_array_equal(
        fresh.read("base", ["-"], ["-"], known[:2000]).layers[0], layer(known[:2000])
    )


def test_a_damaged_block_is_never_read_even_without_asking_what_is_missing(tmp_path):
    store, known = VectorStore(tmp_path), some(100)
    fill(store, known)
    path = store.folder("base") / "p-00000.vectors"
    content = bytearray(path.read_bytes())
    content[-70] ^= 1
    path.write_bytes(content)
    fresh = VectorStore(tmp_path)
    with pytest.raises(StoreProblem, match="run the same again"):
        fresh.read("base", ["-"], ["-"], known)
    assert fresh.missing("base", "-", known).all()


def _writes(root, offset):
    for number in range(20):
        store = VectorStore(root)
        fill(store, some(50, offset * 10_000 + number * 50), name=f"{offset}-{number:05d}.vectors")
        fill(store, some(50, 90_000 + number * 50), name=f"shared-{number:05d}.vectors")


def test_two_processes_write_one_store(tmp_path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_writes, args=(tmp_path, offset)) for offset in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [w.exitcode for w in workers] == [0, 0]
    every = some(1000) + some(1000, 10_000) + some(1000, 90_000)
    assert not VectorStore(tmp_path).missing("base", "-", every).any()
    np.testing.assert_array_equal(
        VectorStore(tmp_path).read("base", ["-"], ["-"], every).layers[0], layer(every)
    )
    assert not list(tmp_path.rglob("*.damaged"))


def test_keys_that_share_their_first_half_are_told_apart():
    keys = np.array([[7, 3], [7, 1], [7, 2], [5, 1], [7, 1], [9, 9]], np.uint64)
    assert KeyIndex.of(keys).find(keys).tolist() == [0, 1, 2, 3, 1, 5]
    others = np.array([[7, 4], [5, 2], [1, 1], [2**64 - 1, 0], [7, 2]], np.uint64)
    assert KeyIndex.of(keys).find(others).tolist() == [-1, -1, -1, -1, 2]
    assert KeyIndex.of(keys[:0]).find(keys).tolist() == [-1] * 6
    first, inverse = find_first_keys(keys)
    assert first.tolist() == [0, 1, 2, 3, 5]
    assert inverse.tolist() == [0, 1, 2, 3, 1, 4]


def test_a_million_keys_are_found_in_a_second():
    keys = np.random.default_rng(0).integers(0, 2**63, (1_000_000, 2), np.int64).view(np.uint64)
    start = time.perf_counter()
    stored = KeyIndex.of(keys).find(keys[::-1])
    seconds = time.perf_counter() - start
    np.testing.assert_array_equal(stored, np.arange(1_000_000)[::-1])
    assert seconds < 3  # 0.5 s when the machine is idle


def test_plans_do_not_depend_on_the_order_given(tmp_path):
    known = some(5000)
    mixed = [known[i] for i in np.random.default_rng(0).permutation(5000)]
    one = draw_up(tmp_path / "a", known, keys_of(known), ("-",))
    two = draw_up(tmp_path / "b", mixed, keys_of(mixed), ("-",))
    assert one.file.path.name == two.file.path.name
    assert one.file.path.read_bytes() == two.file.path.read_bytes()
    assert (
        draw_up(tmp_path / "a", known, keys_of(known), ("0.mean",)).file.path.name
        != one.file.path.name
    )


def test_a_plan_holds_its_sentences(tmp_path):
    odd = [
        Sentence((), ""),
        Sentence(("a b", "\x1f\x1e"), "a b"),
        Sentence(("\ud800", "漢字"), "漢"),
        Sentence.of(["x"] * 10_000),
    ]
    plan = read_encoding_plan(draw_up(tmp_path, odd, keys_of(odd), ("-",)).file.path)
    found = [s for block in range(len(plan)) for s in plan.sentences(block)]
    assert sorted(found, key=lambda s: s.key) == sorted(odd, key=lambda s: s.key)


def test_blocks_are_bounded_by_sentences_and_words():
    long = [Sentence.of(["x"] * 3000 + [str(i)]) for i in range(30)]
    known = some(3000) + long
    order, bounds = arrange_blocks(known, keys_of(known), 1)
    assert sorted(order.tolist()) == list(range(3030))
    words = [sum(len(known[i].words) for i in order[a:b]) for a, b in pairwise(bounds)]
    assert np.diff(bounds).max() == 2048
    assert max(words) <= 65536
    _, many = arrange_blocks(known, keys_of(known), 100)
    assert len(many) > len(bounds)
    _, single = arrange_blocks([Sentence.of(["x"] * 100_000)], keys_of(long[:1]), 1)
    assert single.tolist() == [0, 1]


def test_a_damaged_plan_is_set_aside(tmp_path):
    known = some(50)
    path = draw_up(tmp_path, known, keys_of(known), ("-",)).file.path
    assert [left for _, left in unfinished_plans(tmp_path, set())] == [[0]]
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)
    assert list(unfinished_plans(tmp_path, set())) == []
    assert (tmp_path / (path.name + ".damaged")).exists()


def test_blocks_that_are_removed_are_missing(tmp_path):
    store = VectorStore(tmp_path)
    sentences = [Sentence.of(["one"]), Sentence.of(["two"])]
    store.write(
        "base",
        "plan-00000.vectors",
        sentences,
        VectorEntries(("-",), Vectors((np.ones((2, 3), np.float32),)), {}),
    )
    assert not store.missing("base", "-", sentences).any()
    next(store.folder("base").iterdir()).unlink()
    assert store.missing("base", "-", sentences).all()


WITH_FEW_FILES = """
import resource, sys
from pathlib import Path
import numpy as np
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
from lingprobe.data.core import Sentence
from lingprobe.store import blocks, vectors
blocks._MAPPED = vectors.MIN_MAPPED_VECTOR_BYTES = 1  # everything is mapped, as large arrays are
known = [Sentence.of([f"w{i}"]) for i in range(500)]
slots = tuple(f"{n}.mean" for n in range(70))
store = vectors.VectorStore(Path(sys.argv[1]))
assert not store.lacking("base", slots, known).any()
found = store.read("base", slots, slots, known)
assert all((layer[:] == n).all() for n, layer in enumerate(found.layers)), found
"""


def test_open_files_grow_neither_with_blocks_nor_with_layers(tmp_path):
    store, slots = VectorStore(tmp_path), tuple(f"{n}.mean" for n in range(70))
    for start in range(0, 500, 5):
        sentences = [Sentence.of([f"w{i}"]) for i in range(start, start + 5)]
        layers = tuple(np.full((5, 3), n, np.float32) for n in range(70))
        store.write(
            "base",
            f"p-{start:05d}.vectors",
            sentences,
            VectorEntries(slots, Vectors(layers, slots), {}),
        )
    subprocess.run([sys.executable, "-c", WITH_FEW_FILES, str(tmp_path)], check=True)


def a_folder(place):
    place.mkdir(parents=True)
    (place / "inside").touch()


def a_link_to_nothing(place):
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to("nowhere")


@pytest.mark.parametrize("wrong", [a_folder, a_link_to_nothing])
def test_what_is_no_file_in_the_place_of_a_block_is_set_aside(wrong, tmp_path):
    store, known = VectorStore(tmp_path), some(10)
    wrong(store.folder("base") / "p-00000.vectors")
    assert store.missing("base", "-", known).all()
    fill(store, known)
    again = VectorStore(tmp_path)
    assert not again.missing("base", "-", known).any()
    np.testing.assert_array_equal(again.read("base", ["-"], ["-"], known).layers[0], layer(known))


def test_what_is_set_aside_is_in_the_way_of_nothing(tmp_path):
    known, place = some(10), VectorStore(tmp_path).folder("base") / "p-00000.vectors"
    for wrong in (a_folder, a_link_to_nothing, a_folder):
        place.unlink(missing_ok=True)
        wrong(place)
        store = VectorStore(tmp_path)
        assert store.missing("base", "-", known).all()
        fill(store, known)
        assert not VectorStore(tmp_path).missing("base", "-", known).any()
