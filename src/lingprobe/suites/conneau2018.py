"""Conneau et al. 2018, Table 2: ten tasks, 120,000 sentences each, an MLP over sentence vectors."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Literal

from lingprobe.data.core import Result
from lingprobe.data.options import Help
from lingprobe.data.references import Reference, ReferenceProblem
from lingprobe.probes import PROBES
from lingprobe.suites.facts import PaperTable, read_paper_facts
from lingprobe.suites.suite import (
    SENTENCE_BASELINES,
    Suite,
    SuiteColumn,
    explain_released_difference,
    list_family_tasks,
)

_MLP = "mlp,protocol=acl18"
# SentEval takes logistic regression for WordContent whatever is asked for (probing.py)
_WORDS = "mlp,protocol=senteval,hidden=0"
_TASKS = {
    "SentLen": "sent-len",
    "WC": "word-content",
    "TreeDepth": "tree-depth",
    "TopConst": "top-const",
    "BShift": "bigram-shift",
    "Tense": "tense",
    "SubjNum": "subj-num",
    "ObjNum": "obj-num",
    "SOMO": "somo",
    "CoordInv": "coord-inv",
}
_PEOPLE = "Hum. Eval."
_TESTED = 10_000  # test sentences of each task


def conneau2018(
    folder: Annotated[
        str | None,
        Help(
            "of the ten published files, where `lingprobe fetch senteval` put them; without, the"
            " `senteval/*` tasks"
        ),
    ] = None,
    *,
    trees: Annotated[
        str | None,
        Help("a file or folder of bracketed trees: the `tree/*` tasks, which are other data"),
    ] = None,
    with_: tuple[str, ...] = (),
    task: Annotated[
        tuple[str, ...],
        Help("an option of the tasks, as task=freq=novels.txt; may be repeated"),
    ] = (),
    probe: Annotated[
        str | None,
        Help(
            "reads all ten tasks in place of the paper's, as logreg; its scores are shown apart"
            " from the paper's"
        ),
    ] = None,
    reduction: Annotated[
        Literal["mean", "sum"],
        Help(
            "of the loss of a batch: the mean, as SentEval has it today, or the sum, as it had"
            " when the paper was written"
        ),
    ] = "mean",
) -> Suite:
    """Conneau et al. 2018, Table 2: ten tasks on the published files in a folder, or rebuilt from
    bracketed trees.

    with       further trees
    """
    if folder is not None and trees is not None:
        raise ReferenceProblem(
            "conneau2018 runs on published files (conneau2018:FOLDER) or on trees (trees=PATH), not"
            " on both"
        )
    if with_ and trees is None:
        raise ReferenceProblem("conneau2018,with= adds to trees=PATH")
    if probe is not None and reduction != "mean":
        raise ReferenceProblem(
            "conneau2018,reduction=sum is about the paper's probe, and probe= names another: leave"
            " one of them out"
        )
    if probe is not None:
        PROBES.canonical(probe)
    summed = "" if reduction == "mean" else ",reduction=sum"
    mlp, words = (f"{_MLP}{summed}", f"{_WORDS}{summed}") if probe is None else (probe, probe)
    runs = (
        list_family_tasks("senteval", folder, (), task)
        if trees is None
        else list_family_tasks("tree", trees, with_, task)
    )
    return Suite(
        "conneau2018",
        _paper(),
        tuple(SuiteColumn(_TASKS[name], words if name == "WC" else mlp) for name in _TASKS),
        ("senteval", "tree"),
        runs,
        floors=SENTENCE_BASELINES,
        different=functools.partial(_different, probe=probe),
    )


def _paper() -> PaperTable:
    columns, blocks, doubts = read_paper_facts(
        Path(__file__).with_suffix(".tsv"), "Conneau et al. 2018, Table 2"
    )
    return PaperTable(
        "Conneau et al. 2018, Table 2: probing task accuracies",
        columns,
        blocks,
        doubts,
        frozenset({*(floor.name for floor in SENTENCE_BASELINES), _PEOPLE}),
        dict.fromkeys(_TASKS, _TESTED),
    )


def _different(reference: Reference, result: Result, probe: str | None) -> str:
    """Why a result is over different data, or read by another probe, and not to be compared with
    the paper's figures.
    """
    why = explain_released_difference(reference, result, "senteval", "senteval")
    return why or (
        ""
        if probe is None
        else f"they are read with {probe}, the paper's with its multi-layer perceptron"
    )
