"""Checks of arguments, and what they say."""

import pytest

from lingprobe.data.checks import check_choice, check_number
from lingprobe.data.errors import ReferenceProblem, UsageProblem


@pytest.mark.parametrize(
    ("bounds", "fine", "wrong", "wanted"),
    [
        ("1", (1, 7), (0, -1), "from 1 on"),
        (">0", (0.1, 5), (0, -0.1), "above 0"),
        ("0-100", (0, 100), (-1, 100.5), "from 0 to 100"),
        ("0-<1", (0, 0.99), (1, -0.1), "from 0 and below 1"),
    ],
)
def test_a_number_is_within_its_bounds(bounds, fine, wrong, wanted):
    check_number("x", fine, bounds)
    check_number("x", None, bounds)
    for value in wrong:
        said = f"^a,x={value}: write a number {wanted}, of units$"
        with pytest.raises(ReferenceProblem, match=said):
            check_number("a,x", value, bounds, "of units")
        with pytest.raises(UsageProblem, match=f"^x={value}: write a number {wanted}$"):
            check_number("x", [fine[0], value], bounds, problem=UsageProblem)


def test_a_choice_is_one_of_those_that_there_are():
    check_choice("test", "wilcoxon", ("t", "wilcoxon"))
    with pytest.raises(UsageProblem, match=r"^no test 'u': choose one of t, wilcoxon$"):
        check_choice("test", "u", ("t", "wilcoxon"))
