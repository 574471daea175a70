"""The options of `claims` and `annotate`, each written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from lingprobe import Help, Options, flag
from lingprobe.extend import SelectionOptions


@dataclass(frozen=True, kw_only=True)
class ClaimsOptions(SelectionOptions):
    """Which claims are tested, and on what."""

    papers: Annotated[
        Sequence[str] | str,
        Help(
            "whose claims: `conneau2018`, `ud2019`, `ettinger2018` or `tenney2019` (default: all)"
        ),
        flag("--paper", metavar="PAPER"),
    ] = ()
    published: Annotated[
        Literal["conneau2018", "ud2019", "ettinger2018", "tenney2019"] | None,
        Help("test a paper's claims on its own table, not on results"),
    ] = None
    correction: Annotated[
        Literal["holm", "bh"],
        Help("the correction of the p values of all claims: `holm`, or `bh` (Benjamini-Hochberg)"),
    ] = "holm"
    every: Annotated[
        bool,
        Help(
            "also show claims that could not be tested, and the causes that papers suggest, which"
            " are not tested"
        ),
        flag("--all"),
    ] = False


@dataclass(frozen=True, kw_only=True)
class AnnotateOptions(Options):
    """Which sentences people label, and what they are asked."""

    n: Annotated[int, Help("number of test sentences, at most", "1"), flag("-n", metavar="N")] = 200
    check: Annotated[bool, Help("show the gold labels and ask whether they are right")] = False
    question: Annotated[
        str,
        Help("the question on the sheet (default: the task's question)"),
        flag("--ask", metavar="TEXT"),
    ] = ""
    seed: Annotated[int, Help("the random seed that selects and orders sentences", "0")] = 0
    by: Annotated[
        str,
        Help(
            "sample as many of each label and value of a subgroup (`auxiliary` of `ud/tense`), rare"
            " ones first: to find faults, not for an upper bound"
        ),
        flag(metavar="SUBGROUP"),
    ] = ""
