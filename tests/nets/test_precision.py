"""Which number format a machine is asked to multiply in."""

import os

import pytest
import torch

from lingprobe import evaluate
from lingprobe.data.cache import cache_dir
from lingprobe.nets import precision
from lingprobe.nets.device import resolved_dtype

XEON = {"flags": "fpu avx512_bf16 amx_bf16 amx_tile", "cpuid level": "32"}


@pytest.mark.parametrize(
    ("processor", "hidden"),
    [
        (XEON, False),
        # as a virtual machine shows it that ends the list of leaves early
        (XEON | {"cpuid level": "28"}, True),
        ({"flags": "fpu avx512_bf16", "cpuid level": "28"}, False),
        ({"flags": "amx_tile"}, False),
        ({"Features": "fp asimd bf16"}, False),
        ({}, False),
    ],
)
def test_an_amx_without_description_is_seen(processor, hidden):
    assert precision.half_hidden_amx(processor) is hidden


def test_a_machine_with_such_an_amx_computes_in_float32_and_spares_torch(monkeypatch):
    monkeypatch.setattr(precision, "read_cpuinfo", lambda: XEON | {"cpuid level": "28"})
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "put back afterwards")
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA")
    assert not precision._has_bf16()
    assert resolved_dtype("auto", "cpu") == "float32"  # and nothing is timed, which might be fatal
    precision.spare_torch()
    assert os.environ["ONEDNN_MAX_CPU_ISA"] == "AVX512_CORE_FP16"


def test_a_choice_of_the_user_stays(monkeypatch):
    monkeypatch.setattr(precision, "read_cpuinfo", lambda: XEON | {"cpuid level": "28"})
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    precision.spare_torch()
    assert os.environ["ONEDNN_MAX_CPU_ISA"] == "AVX2"


def test_a_whole_amx_multiplies_natively(monkeypatch):
    monkeypatch.setattr(precision, "read_cpuinfo", lambda: XEON)
    assert precision._has_bf16()


@pytest.fixture
def timed(monkeypatch):
    """What products take by turns in float32 and bfloat16, to be filled in; how often was asked."""
    monkeypatch.setattr(precision, "read_cpuinfo", lambda: XEON)
    monkeypatch.delenv(precision._GAIN)
    took, asked = {"float32": 1.0, "bfloat16": 1.0}, []

    def gain():
        asked.append(1)
        return took["float32"] / took["bfloat16"]

    monkeypatch.setattr(precision, "_time_formats", gain)
    precision._measured_gain.cache_clear()
    yield took, asked
    precision._measured_gain.cache_clear()


@pytest.mark.parametrize(
    ("seconds", "dtype"), [(0.2, "bfloat16"), (0.95, "float32"), (1.3, "float32")]
)
def test_the_faster_format_is_taken_and_a_tie_keeps_the_digits(timed, seconds, dtype):
    timed[0]["bfloat16"] = seconds
    assert resolved_dtype("auto", "cpu") == dtype


def test_a_processor_is_timed_once_and_another_anew(timed, monkeypatch):
    took, asked = timed
    took["bfloat16"] = 0.25
    for flags in (XEON["flags"], XEON["flags"] + " avx512_fp16", XEON["flags"]):
        monkeypatch.setattr(precision, "read_cpuinfo", lambda flags=flags: XEON | {"flags": flags})
        precision._measured_gain.cache_clear()  # as in another process
        assert precision.half_gain() == 4.0
    assert len(asked) == 2
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    precision._measured_gain.cache_clear()
    took["bfloat16"] = 2.0
    assert precision.half_gain() == 0.5
    assert len(asked) == 3


def test_what_changes_from_start_to_start_does_not_count(timed, monkeypatch):
    for megahertz in ("2100.0", "3400.1"):
        monkeypatch.setattr(precision, "read_cpuinfo", lambda m=megahertz: XEON | {"cpu MHz": m})
        precision._measured_gain.cache_clear()
        precision.half_gain()
    assert len(timed[1]) == 1


@pytest.mark.parametrize("text", ["", "{", '{"key": "", "value": 9, "sum": ""}', "[]"])
def test_a_damaged_note_is_measured_again(timed, text):
    precision.half_gain()
    (note,) = (cache_dir() / precision._FOLDER).iterdir()
    note.write_text(text)
    precision._measured_gain.cache_clear()
    assert precision.half_gain() == 1.0
    precision._measured_gain.cache_clear()
    precision.half_gain()
    assert len(timed[1]) == 2


def test_without_a_cache_that_can_be_written_processes_take_over_what_was_measured(
    timed, monkeypatch, tmp_path
):
    (tmp_path / "file").touch()
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "file"))
    with precision.passing_on():
        assert precision._GAIN not in os.environ  # nothing was measured, so nothing is said
    timed[0]["bfloat16"] = 0.5
    assert precision.half_gain() == 2.0
    with precision.passing_on():
        precision._measured_gain.cache_clear()  # as in a worker
        timed[0]["bfloat16"] = 2.0
        assert precision.half_gain() == 2.0
    assert len(timed[1]) == 1
    assert precision._GAIN not in os.environ


@pytest.mark.parametrize(("granted", "set_by_user"), [(1, False), (4, False), (1, True)])
def test_a_container_is_not_given_more_threads_than_its_share(granted, set_by_user, monkeypatch):
    """A container with one of four processors sees all four."""
    monkeypatch.setattr("joblib.cpu_count", lambda: granted)
    monkeypatch.setattr(precision, "_seen_threads", lambda: 4)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if set_by_user:
        monkeypatch.setenv("OMP_NUM_THREADS", "3")
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        with precision.limit_to_agreed_threads():
            assert torch.get_num_threads() == (3 if set_by_user or granted == 4 else 1)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_the_formats_are_timed_in_turn_and_threads_are_put_back(monkeypatch):
    clock, threads = [0.0], torch.get_num_threads()
    linear = torch.nn.functional.linear

    def slow(data, weights):
        clock[0] += 0.25 if data.dtype == torch.bfloat16 else 1.0
        return linear(data, weights)

    monkeypatch.setattr(precision.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(torch.nn.functional, "linear", slow)
    assert precision._time_formats() == 4.0
    assert torch.get_num_threads() == threads


def test_what_is_to_be_reproducible_is_float32_and_one_thread(monkeypatch):
    monkeypatch.setattr(precision, "_has_bf16", lambda: True)
    monkeypatch.delenv(precision._REPRODUCIBLE, raising=False)
    assert precision.native_bf16()
    threads = torch.get_num_threads()
    with precision.compute_reproducibly(True):
        assert not precision.native_bf16()
        assert resolved_dtype("auto", "cpu") == resolved_dtype("auto", "cuda") == "float32"
        assert resolved_dtype("bfloat16", "cpu") == "bfloat16"  # what is asked for outright stands
        with precision.limit_to_agreed_threads():
            assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == threads
    assert not precision.must_be_reproducible()


def test_reproducible_numbers_do_not_stand_for_others(tmp_path):
    table = "ud/tense:embedded,size=600"
    found = [
        evaluate(
            "length",
            table,
            probes=["logreg"],
            seeds=1,
            baselines="none",
            cache=tmp_path,
            progress=False,
            reproducible=wanted,
        ).results
        for wanted in (False, True, True)
    ]
    threads = [{r.provenance.computed.get("threads") for r in results} for results in found]
    assert threads == [{None}, {"1"}, {"1"}]
    assert [r.score for r in found[1]] == [r.score for r in found[2]]
