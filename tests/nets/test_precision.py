"""Which number format a machine is asked to multiply in."""

import os

import pytest

from sonde.nets import precision

XEON = {"flags": "fpu avx512_bf16 amx_bf16 amx_tile", "cpuid level": "32"}


@pytest.mark.parametrize(
    ("processor", "hidden"),
    [
        (XEON, False),
        (XEON | {"cpuid level": "28"}, True),  # as a virtual machine shows it that ends the list of leaves early
        ({"flags": "fpu avx512_bf16", "cpuid level": "28"}, False),
        ({"flags": "amx_tile"}, False),
        ({"Features": "fp asimd bf16"}, False),
        ({}, False),
    ],
)
def test_an_amx_without_description_is_seen(processor, hidden):
    assert precision.half_hidden_amx(processor) is hidden


def test_a_machine_with_such_an_amx_computes_in_float32_and_spares_torch(monkeypatch):
    monkeypatch.setattr(precision, "described", lambda: XEON | {"cpuid level": "28"})
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "put back afterwards")
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA")
    assert not precision.native_bf16.__wrapped__()
    precision.spare_torch()
    assert os.environ["ONEDNN_MAX_CPU_ISA"] == "AVX512_CORE_FP16"


def test_a_choice_of_the_user_stays(monkeypatch):
    monkeypatch.setattr(precision, "described", lambda: XEON | {"cpuid level": "28"})
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    precision.spare_torch()
    assert os.environ["ONEDNN_MAX_CPU_ISA"] == "AVX2"


def test_a_whole_amx_multiplies_natively(monkeypatch):
    monkeypatch.setattr(precision, "described", lambda: XEON)
    assert precision.native_bf16.__wrapped__()
