"""Krasnowska-Kieraś & Wróblewska 2019, Table 1: nine probing tasks in English and Polish, 90,000
sentences each, and the paper's figures on two downstream tasks.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Literal

from sonde.papers.facts import Paper, facts
from sonde.papers.suite import Column, Floor, Suite, different, tasks_of
from sonde.references import ReferenceProblem

MLP = "mlp,protocol=krasnowska"
TESTED = 7_500  # test sentences of each probing task
# SentEval, which the authors ran, takes logistic regression for WordContent
WORDS = "mlp,protocol=krasnowska,hidden=0"
TASKS = {
    "SentLen": "sent-len",
    "WC": "word-content",
    "TreeDepth": "tree-depth",
    "TopDeps": "top-deps",
    "Passive": "passive",
    "Tense": "tense",
    "SubjNum": "subj-num",
    "ObjNum": "obj-num",
    "SentType": "sent-type",
}
FLOORS = (  # the paper has none; a row without floors says nothing
    Floor("Majority vote", "words", "majority"),
    Floor("Length", "length", "logreg,c=1,c=100,c=10000"),
    Floor("NB-uni-tfidf", "words", "nb-uni-tfidf"),
    Floor("NB-bi-tfidf", "words", "nb-bi-tfidf"),
)
BLOCKS = {"en": ("English",), "pl": ("Polish",), "both": ("English", "Polish")}


def ud2019(
    path: str | None = None,
    *,
    with_: tuple[str, ...] = (),
    released: str | None = None,
    task: tuple[str, ...] = (),
    language: Literal["en", "pl", "both"] = "both",
) -> Suite:
    """Krasnowska-Kieraś & Wróblewska 2019, Table 1: nine tasks from any UD treebank, or on the sets
    that the authors released; beside them the paper's figures on Relatedness and Entailment.

    path      a treebank: the `ud/*` tasks, which are other data than the paper's
    with      further treebanks
    released  a folder of the authors' sets in one language: the `ud2019/*` tasks
    task      an option of the tasks, as task=rules=paper; may be repeated
    language  which of the paper's two languages is shown
    """
    if with_ and path is None:
        raise ReferenceProblem("ud2019,with= adds to ud2019:PATH")
    if path is not None and released is not None:
        raise ReferenceProblem(
            "ud2019 runs on a treebank (ud2019:PATH) or on the released sets (released=FOLDER), not"
            " on both"
        )
    columns, blocks, doubts = facts(
        Path(__file__).with_suffix(".tsv"), "Krasnowska-Kieraś & Wróblewska 2019, Table 1"
    )
    paper = Paper(
        "Krasnowska-Kieraś & Wróblewska 2019, Table 1: probing and downstream tasks",
        columns,
        tuple(block for block in blocks if block.heading in BLOCKS[language]),
        doubts,
        frozenset(floor.name for floor in FLOORS),
        dict.fromkeys(TASKS, TESTED),
        blocks_differ=True,
    )
    return Suite(
        "ud2019",
        paper,
        tuple(map(_column, columns)),
        ("ud", "ud2019"),
        (
            tasks_of("ud", path, with_, task)
            if path
            else tasks_of("ud2019", released, (), task)
            if released
            else None
        ),
        "write ud2019:PATH for a UD treebank",
        FLOORS,
        functools.partial(different, family="ud2019", collection="ud2019"),
    )


def _column(name: str) -> Column:
    """A column with its task; the downstream tasks are the paper's alone."""
    if name not in TASKS:
        return Column("", "")
    return Column(TASKS[name], WORDS if name == "WC" else MLP)
