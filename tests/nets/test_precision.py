"""Which number format a machine is asked to multiply in."""

import os

import pytest
import torch

from lingprobe import evaluate
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
    assert not precision._has_bf16.__wrapped__()
    precision.spare_torch()
    assert os.environ["ONEDNN_MAX_CPU_ISA"] == "AVX512_CORE_FP16"


def test_a_choice_of_the_user_stays(monkeypatch):
    monkeypatch.setattr(precision, "read_cpuinfo", lambda: XEON | {"cpuid level": "28"})
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    precision.spare_torch()
    assert os.environ["ONEDNN_MAX_CPU_ISA"] == "AVX2"


def test_a_whole_amx_multiplies_natively(monkeypatch):
    monkeypatch.setattr(precision, "read_cpuinfo", lambda: XEON)
    assert precision._has_bf16.__wrapped__()


def test_what_is_to_be_reproducible_is_float32_and_one_thread(monkeypatch):
    monkeypatch.setattr(precision, "_has_bf16", lambda: True)
    monkeypatch.delenv(precision.REPRODUCIBLE, raising=False)
    assert precision.native_bf16()
    threads = torch.get_num_threads()
    with precision.reproducing(True):
        assert not precision.native_bf16()
        assert resolved_dtype("auto", "cpu") == resolved_dtype("auto", "cuda") == "float32"
        assert resolved_dtype("bfloat16", "cpu") == "bfloat16"  # what is asked for outright stands
        with precision.threads():
            assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == threads
    assert not precision.reproducible()


def test_reproducible_numbers_do_not_stand_for_others(tmp_path):
    table = "ud/tense:embedded,size=600"
    found = [
        evaluate(
            "length",
            table,
            probes=["logreg"],
            seeds=1,
            bounds=False,
            cache=tmp_path,
            progress=False,
            reproducible=wanted,
        ).results
        for wanted in (False, True, True)
    ]
    threads = [{r.provenance.computed.get("threads") for r in results} for results in found]
    assert threads == [{None}, {"1"}, {"1"}]
    assert [r.score for r in found[1]] == [r.score for r in found[2]]
