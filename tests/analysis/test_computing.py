"""Rows that were computed on other processors or in other precisions are marked."""

import pytest

from fixtures.results import result, saying
from fixtures.scored import render
from fixtures.scored import to_scores as rows
from lingprobe.analysis.answers import RunPredictions
from lingprobe.analysis.computing import (
    all_of,
    describe_computation,
    describe_computing_differences,
    find_computing_differences,
    format_computation,
)

HERE = {"processor": "x86_64 avx512", "probe": "float32"}


def made(name: str, seed: int = 0, **how: str) -> object:
    results = result(encoder=name, seed=seed)
    return saying(results, computed={**HERE, **how})


def test_rows_of_one_kind_have_no_column_for_it():
    text = render([made("length"), made("bow:random")], "markdown")
    assert "computed" not in text


@pytest.mark.parametrize(
    ("how", "named"),
    [
        ({"processor": "arm64 neon"}, "arm64 neon"),
        ({"probe": "bf16"}, "bf16"),
        ({"encoder": "bfloat16 on cuda"}, ""),
    ],
)
def test_rows_of_unlike_kinds_say_what_differs(how, named):
    shown = render([made("length"), made("bow:random", **how)], "markdown")
    # an encoder without a choice has nothing to differ in
    assert ("computed" in shown) == bool(named)
    assert named in shown


def test_seeds_of_one_row_that_were_computed_differently_are_told():
    (row,) = rows([made("length"), made("length", seed=1, processor="arm64 neon")])
    assert row.computed == "processor: arm64 neon and x86_64 avx512; probe: float32"
    assert find_computing_differences([row]) == ("processor",)


def test_results_that_do_not_say_are_like_all_others():
    assert describe_computation([RunPredictions.of(result())]) == ""
    assert find_computing_differences(rows([made("length"), result(encoder="bow:random")])) == ()


def test_ways_of_several_rows_are_put_together_once_each():
    kinds = [
        made("length"),
        made("length", seed=1, processor="arm64 neon"),
        made("bow:random", encoder="bfloat16"),
        result(encoder="random"),
    ]
    found = rows(kinds)
    assert all_of(found) == (
        "processor: arm64 neon and x86_64 avx512; probe: float32; encoder: bfloat16"
    )
    assert all_of(found[2:]) == all_of([]) == ""
    told = ("processor", "encoder")
    assert [format_computation(row, told) for row in found] == [
        "arm64 neon and x86_64 avx512",
        "x86_64 avx512, bfloat16",
        "–",
    ]
    assert describe_computing_differences(()) == []
    assert describe_computing_differences(told)[0].startswith(
        "computed: the processor and the encoder of these rows differ"
    )
