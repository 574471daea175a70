"""A store on a file system that misbehaves as those over a network do: folders are listed late,
handles go stale, claims are not exclusive, and there are no hard links.
"""

import errno
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from experiment.pretend import Pretend, sentences_of
from lingprobe.experiment.embed import embed_sentences, load_vectors
from lingprobe.store import blocks, claims
from lingprobe.store.blocks import BlockFile, RemovedFile
from lingprobe.store.results import ResultStore
from lingprobe.store.vectors import VectorStore

KNOWN = sentences_of(1500)


def no_links(patch):
    def link(*_):
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    patch.setattr(os, "link", link)


def no_locks(patch):
    """Everybody gets every claim."""
    patch.setattr(claims, "_is_abandoned", lambda *_: True)


def late(patch):
    """Lists of folders show nothing of what was written since."""

    @contextmanager
    def listed(folder) -> Iterator[list[os.DirEntry[str]]]:
        yield []

    patch.setattr(os, "scandir", listed)


def stale(patch):
    """Each third handle that something is read by is one of yesterday."""
    opened, count = Path.open, iter(range(10**6))

    def open_(path, mode="r", *arguments, **options):
        if mode == "rb" and next(count) % 3 == 2:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        return opened(path, mode, *arguments, **options)

    patch.setattr(Path, "open", open_)


EVERY = (no_links, no_locks, late, stale)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What a well-behaved file system gives."""
    return read(VectorStore(tmp_path_factory.mktemp("good")))


def read(store):
    encoder = Pretend(batchy=True, seconds=0.01)
    done = embed_sentences(encoder, KNOWN, store, "k")
    assert done.usable.all(), done.problems[:1]
    return load_vectors(encoder, KNOWN, store, "k", done.usable).layers[0]


@pytest.mark.parametrize("faults", [*((fault,) for fault in EVERY), EVERY])
def test_two_machines_lose_nothing_and_agree_in_every_bit(
    tmp_path, monkeypatch, undisturbed, faults
):
    for fault in faults:
        fault(monkeypatch)
    with ThreadPoolExecutor(2) as machines:
        for got in machines.map(read, [VectorStore(tmp_path) for _ in range(2)]):
            np.testing.assert_array_equal(got, undisturbed)
    monkeypatch.undo()
    files = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert not [name for name in files if name.endswith((".part", ".claim", ".damaged"))]
    after = VectorStore(tmp_path)
    assert not after.missing("k", "-", KNOWN).any()
    np.testing.assert_array_equal(read(after), undisturbed)


def test_what_stays_stale_is_gone(tmp_path, monkeypatch):
    path = tmp_path / "a.result"
    blocks.write_block_file(path, "test", {}, {"a": np.ones(3)})
    block = BlockFile(path)

    def open_(*_):
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))

    monkeypatch.setattr(Path, "open", open_)
    assert blocks.open_block(path) is None
    with pytest.raises(RemovedFile):
        block.array("a")
    monkeypatch.setattr(os, "scandir", open_)
    assert list(ResultStore(tmp_path).read()) == []
