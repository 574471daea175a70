"""How much memory fits may take, and what is done at once under it."""

from __future__ import annotations

import pytest

from lingprobe.data.errors import UsageProblem
from lingprobe.nets import memory
from lingprobe.nets.memory import at_most, in_parts, limit_memory, memory_bound, parse_byte_size


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("8GB", 8 * 10**9),
        ("1.5 g", 15 * 10**8),
        ("500MiB", 5 * 10**8),
        ("2e3", 2000),
        ("1T", 10**12),
    ],
)
def test_sizes_are_read_as_people_write_them(text, count):
    assert parse_byte_size(text) == count


@pytest.mark.parametrize("text", ["", "much", "-1GB", "8 apples", "0"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(UsageProblem, match="8GB"):
        parse_byte_size(text)


def test_the_bound_is_most_of_what_is_free_and_shared_by_processes(monkeypatch):
    monkeypatch.delenv(memory._MEMORY, raising=False)
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    assert memory_bound() == 750
    with limit_memory(None, processes=3):
        assert memory_bound() == 250
        monkeypatch.setattr(memory, "free_memory", lambda: 10)  # of what was free at the start
        assert memory_bound() == 250
        with limit_memory(None):  # of a run in a run
            assert memory_bound() == 250
    with limit_memory("6kB", processes=2):
        assert memory_bound() == 3000
        assert at_most(5000, 0.5) == 1500
        assert at_most(100, 0.5) == 100
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    with limit_memory(None):
        assert memory_bound() is None
    assert at_most(5000, 0.5) == 5000


def test_items_go_together_as_far_as_there_is_room():
    parts = list(in_parts([3, 3, 3, 9, 1, 1], lambda item: item, 6))
    assert parts == [[3, 3], [3], [9], [1, 1]]
    assert list(in_parts([], lambda item: item, 6)) == []
