"""Which tests `make quick` finds for an edit."""

import json
import sys
from pathlib import Path

import pytest

from lingprobe.data._closure import Node

RELEASE = Path(__file__).parent.parent / "release"


@pytest.fixture(scope="module")
def quick():
    sys.path.insert(0, str(RELEASE))
    try:
        import quick

        return quick
    finally:
        sys.path.remove(str(RELEASE))


def nearest(quick, *changed: Node) -> list[str]:
    near = quick.distances(changed)
    return sorted(near, key=lambda test: (near[test], test))


def test_a_formula_leads_to_tests_that_call_it_before_those_of_whole_runs(quick):
    tests = nearest(quick, Node("lingprobe.metrics.clusters", "estimate_variance"))
    assert tests[0].startswith("tests/metrics/test_clusters.py::")
    assert any(test.startswith("tests/cli/") for test in tests)


def test_what_is_chosen_by_name_leads_to_tests_that_write_the_name(quick):
    near = quick.distances({Node("lingprobe.probes.cosine", "CosinePredictor")})
    direct = [t for t in near if near[t] <= quick.CALLED + 2 and "relatedness" in t]
    assert direct


def test_a_fixture_leads_to_the_tests_that_take_it(quick):
    tests = nearest(quick, Node("tests/test_definitions.py", "modules"))
    assert "tests/test_definitions.py::test_what_data_say_counts" in tests
    assert "tests/test_definitions.py::test_what_can_change_behaviour_counts" in tests
    assert not any(test.startswith("tests/metrics") for test in tests)


def test_the_definitions_of_a_file_that_differ_are_found(quick, monkeypatch):
    path = quick.PACKAGE / "lingprobe" / "metrics" / "clusters.py"
    text = path.read_text("utf-8")
    monkeypatch.setattr(quick, "git", lambda *arguments: f"# a remark\n{text}")
    assert not quick.changed_in("HEAD", path)
    monkeypatch.setattr(quick, "git", lambda *arguments: f"{text}\ndef gone():\n    return 1\n")
    place = "lingprobe.metrics.clusters"
    assert quick.changed_in("HEAD", path) == {Node(place, "gone"), Node(place, quick.WHOLE)}


def test_a_fresh_checkout_knows_the_slow_tests(quick, monkeypatch, tmp_path):
    tests = {f"{n.module}::{n.name}": 0.0 for n in quick.graph()[1] if quick.is_test(n)}
    slow, fast, *_ = tests
    ran = {f"{test}[case]": 0.2 for test in tests} | {f"{slow}[case]": 1.3, f"{slow}[more]": 2.4}
    here, kept = tmp_path / "durations.json", tmp_path / "slow.tsv"
    monkeypatch.setattr(quick, "DURATIONS", here)
    monkeypatch.setattr(quick, "SLOW", kept)
    missing = [fast, *list(tests)[2 : 2 + len(tests) // 50]]
    left = {k: v for k, v in ran.items() if k.partition("[")[0] not in missing}
    here.write_text(json.dumps(left))
    assert quick.write_slow_tests() == 1
    assert not kept.exists()
    here.write_text(json.dumps(ran))
    assert quick.write_slow_tests() == 0
    assert kept.read_text() == f"{slow}\t4\n"
    here.unlink()
    quick.durations.cache_clear()
    try:
        assert quick.durations() == {slow: 4.0}
    finally:
        quick.durations.cache_clear()


def test_the_nearest_fit_and_the_fastest_of_these_first(quick, monkeypatch, tmp_path):
    file = tmp_path / "durations.json"
    file.write_text(json.dumps({"a::t[1]": 2, "a::t[2]": 2, "b::t": 1, "c::t": 3, "d::t": 99}))
    monkeypatch.setattr(quick, "DURATIONS", file)
    quick.durations.cache_clear()
    near = {"a::t": 1, "b::t": 1, "c::t": 2, "d::t": 1}
    assert quick.choose(near, 5) == (["b::t", "a::t"], ["c::t", "d::t"])
    quick.durations.cache_clear()


def test_code_that_finds_differences_is_read_as_it_landed(monkeypatch):
    """So that an edit which breaks it does not hide itself."""
    monkeypatch.syspath_prepend(str(RELEASE))
    import landed

    name = "lingprobe.data._members"
    text = f"{(landed.ROOT / 'src/lingprobe/data/_members.py').read_text('utf-8')}\nAS_LANDED = 1\n"
    monkeypatch.setattr(landed, "git", lambda *arguments: text)
    assert not hasattr(landed.load_as_landed(name), "AS_LANDED")  # loaded already
    monkeypatch.delitem(sys.modules, name)
    assert landed.load_as_landed(name).AS_LANDED == 1
