"""The scores of papers' tables, to be related as results are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from lingprobe.analysis.score_table import EncoderName, MeasuredTask, ScoreCell
from lingprobe.data.checks import check_choice
from lingprobe.suites.conneau2018 import conneau2018
from lingprobe.suites.facts import PaperBlock, PaperTable
from lingprobe.suites.ud2019 import ud2019

_LANGUAGES = {"English": "eng", "Polish": "pol"}
_TWICE = "Relatedness r"
"""The column whose task stands in the table twice."""


class PaperScores(NamedTuple):
    """The scores of a paper's table, in how many languages they are, and what there is to know."""

    scores: tuple[ScoreCell, ...]
    languages: tuple[str, ...]
    remarks: tuple[str, ...]


def published_scores(name: str) -> PaperScores:
    """The scores of a paper's encoders; UsageProblem for a paper whose table is not related."""
    check_choice("published table", name, _PAPERS)
    return _PAPERS[name]()


def _conneau2018() -> PaperScores:
    paper = conneau2018().paper
    scores = tuple(
        score
        for block in paper.blocks
        for score in _list_published_scores(paper, block, "eng", True)
    )
    remarks = (
        "Conneau et al. 2018: the scores of its Table 2, without human scores and baselines that"
        " are not embeddings. The downstream scores of its Figure 2 are in its appendix, which"
        " lingprobe does not have.",
        "Encoders share three architectures and eight training tasks, and are not independent:"
        " --family '^[^,]+' counts each architecture once.",
    )
    return PaperScores(scores, (), remarks)


def _ud2019() -> PaperScores:
    paper = ud2019().paper
    scores = tuple(
        score
        for block in paper.blocks
        for score in _list_published_scores(paper, block, _LANGUAGES[block.heading], False)
        if score.column.task != _TWICE
    )
    remarks = (
        "Krasnowska-Kieraś & Wróblewska 2019: Table 1 gives r and ρ for Relatedness; this is ρ,"
        " as in the paper's Figure 2.",
        "Rows are as in the paper: fastText, BERT and COMBO have two poolings each; --family"
        " '^[^-]+' counts each model once.",
    )
    return PaperScores(scores, ("eng", "pol"), remarks)


def _list_published_scores(
    paper: PaperTable, block: PaperBlock, language: str, blocks: bool
) -> Iterator[ScoreCell]:
    """The figures of the encoders of a block, whose heading is part of their names where blocks are
    of encoders.
    """
    for line in block.lines:
        if line.name in paper.apart:
            continue
        name = block.row(line.name) if blocks else line.name
        for column, figure in zip(paper.columns, line.figures, strict=True):
            if not math.isnan(figure.value):
                task = column.removesuffix(" ρ")
                measure = MeasuredTask(task, "published", task, language)
                yield ScoreCell(EncoderName(name, name), measure, figure.value)


_PAPERS: Mapping[str, Callable[[], PaperScores]] = {"conneau2018": _conneau2018, "ud2019": _ud2019}
