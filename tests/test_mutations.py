"""What `make mutants` changes, how it draws from that, and that a changed function runs."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

RELEASE = Path(__file__).parent.parent / "release"
MODULE = '''"""A module."""

from __future__ import annotations

from typing import TYPE_CHECKING

LEAST: int = 3
if TYPE_CHECKING:
    from nothing import Nothing


def chosen(values: list[float], least: float = 0.5) -> float | None:
    """Says "a < b" and more."""
    if not values or len(values) < LEAST:
        raise ValueError(f"only {len(values) + 1}")
    values.sort()
    kept = values[1:-1]
    total = 0
    total += max(kept)
    return None if total is None else -total * 2


class Scale:
    def of(self, x) -> float:
        return x + 1
'''


@pytest.fixture
def release(monkeypatch):
    monkeypatch.syspath_prepend(str(RELEASE))
    import mutations
    import trials

    yield mutations, trials
    for name in ("mutations", "trials"):
        sys.modules.pop(name)


def test_one_place_is_changed_at_a_time_and_the_rest_stays(release, tmp_path):
    file = tmp_path / "a.py"
    file.write_text(MODULE, "utf-8")
    found = release[0].mutants(tmp_path, [file])
    changes = {(each.kind, each.before, each.after) for each in found}
    assert changes >= {
        ("constant", "3", "(3 + 1)"),
        ("constant", "0.5", "(0.5 * 2)"),
        ("boolean", "not values", "(values)"),
        ("comparison", "len(values) < LEAST", "(len(values) <= LEAST)"),
        ("deletion", "values.sort()", "pass"),
        ("slicing", "values[1:-1]", "(values[:-1])"),
        ("slicing", "values[1:-1]", "(values[1:])"),
        ("arithmetic", "max", "min"),
        ("arithmetic", "total += max(kept)", "total -= max(kept)"),
        ("arithmetic", "-total * 2", "(-total / 2)"),
        ("return", "return x + 1", "return (x + 1) * 2"),
    }
    assert not [each for each in found if "+ 1}" in each.before and each.kind != "deletion"]
    assert {each.function for each in found if each.imported} == {"module", "chosen"}
    assert not [each for each in found if "TYPE_CHECKING" in each.before]
    for each in found:
        text = each.apply(file.read_bytes()).decode()
        assert ast.unparse(ast.parse(text)) != ast.unparse(ast.parse(MODULE))
        assert text.count("\n") == MODULE.count("\n")


def test_a_sample_has_all_kinds_alike_and_stays_when_a_file_moves_and_a_function_is_added(
    release, tmp_path
):
    file = tmp_path / "a.py"
    file.write_text(MODULE, "utf-8")
    before = release[0].sample(release[0].mutants(tmp_path, [file]), 7)
    assert len({each.kind for each in before}) == 7
    moved = tmp_path / "there" / "a.py"
    moved.parent.mkdir()
    moved.write_text("def more():\n    return\n\n\n" + MODULE, "utf-8")
    after = release[0].sample(release[0].mutants(tmp_path, [moved]), 7)
    assert [each.after for each in after] == [each.after for each in before]


def test_another_seed_draws_another_sample(release, tmp_path):
    file = tmp_path / "a.py"
    file.write_text(MODULE, "utf-8")
    every = release[0].mutants(tmp_path, [file])
    drawn = [release[0].sample(every, 12, seed) for seed in (0, 1, 1)]
    assert drawn[0] == release[0].sample(every, 12) != drawn[1] == drawn[2]
    assert all(len(set(some)) == 12 for some in drawn)


def test_each_equivalent_mutant_is_there_and_has_its_reason(release):
    lines = (RELEASE / "equivalent.tsv").read_text("utf-8").splitlines()
    reasons = dict(line.split("\t") for line in lines if not line.startswith("#"))
    files = {RELEASE.parent / key.partition(" ")[0] for key in reasons}
    every = {each.key for each in release[0].mutants(RELEASE.parent, sorted(files))}
    assert not reasons.keys() - every
    assert all(reasons.values())


def test_a_change_of_a_method_is_put_in_place_and_one_of_a_constant_is_not(
    release, tmp_path, monkeypatch
):
    mutations, trials = release
    file = tmp_path / "tree" / "changed_module.py"
    file.parent.mkdir()
    file.write_text(MODULE, "utf-8")
    monkeypatch.syspath_prepend(str(file.parent))
    import changed_module

    made = trials.Trials.__new__(trials.Trials)
    made.functions = [changed_module.chosen, changed_module.Scale.of]
    old = file.read_bytes()
    compiled = b"import numba\n" + old  # what runs is not the code of its functions
    assert not made.exchange(file, compiled, compiled.replace(b"x + 1", b"x - 1"))
    for mutant in mutations.mutants(file.parent, [file]):
        codes = made.exchange(file, old, mutant.apply(old))
        assert bool(codes) == (not mutant.imported)
        if mutant.before == "x + 1":
            changed_module.Scale.of.__code__ = codes[changed_module.Scale.of.__code__]
            assert changed_module.Scale().of(5) == 4
            break
    sys.modules.pop("changed_module")
