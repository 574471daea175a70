"""Conneau et al. 2018, Table 2: ten tasks, 120,000 sentences each, an MLP over sentence vectors."""

from __future__ import annotations

import functools
from pathlib import Path

from sonde.naming import ReferenceProblem
from sonde.published import Paper, facts
from sonde.suites.released import different
from sonde.suites.suite import Column, Floor, Suite, tasks_of

MLP = "mlp,protocol=acl18"
WORDS = "mlp,protocol=senteval,hidden=0"  # SentEval takes logistic regression for WordContent whatever is asked for (probing.py)
TASKS = {
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
FLOORS = (
    Floor("Majority vote", "words", "majority"),
    Floor("Length", "length", "logreg,c=1,c=100,c=10000"),  # one feature needs steep weights to tell neighbouring lengths apart
    Floor("NB-uni-tfidf", "words", "nb-uni-tfidf"),
    Floor("NB-bi-tfidf", "words", "nb-bi-tfidf"),
)
PEOPLE = "Hum. Eval."


def conneau2018(folder: str | None = None, *, trees: str | None = None, with_: tuple[str, ...] = (), task: tuple[str, ...] = ()) -> Suite:
    """Conneau et al. 2018, Table 2: ten tasks on the published files in a folder, or rebuilt from bracketed trees.

    folder  of the ten published files, where `sonde fetch senteval` put them without: the `senteval/*` tasks
    trees   a file or folder of bracketed trees: the `tree/*` tasks, which are other data
    with    further trees
    task    an option of the tasks, as task=freq=novels.txt; may be repeated
    """
    if folder is not None and trees is not None:
        raise ReferenceProblem("conneau2018 runs on published files (conneau2018:FOLDER) or on trees (trees=PATH), not on both")
    if with_ and trees is None:
        raise ReferenceProblem("conneau2018,with= adds to trees=PATH")
    columns, blocks, doubts = facts(Path(__file__).with_suffix(".tsv"), "Conneau et al. 2018, Table 2")
    paper = Paper(
        "Conneau et al. 2018, Table 2: probing task accuracies",
        columns,
        blocks,
        doubts,
        frozenset({*(floor.name for floor in FLOORS), PEOPLE}),
    )
    runs = tasks_of("senteval", folder, (), task) if trees is None else tasks_of("tree", trees, with_, task)
    return Suite(
        "conneau2018",
        paper,
        tuple(Column(TASKS[name], WORDS if name == "WC" else MLP) for name in columns),
        ("senteval", "tree"),
        runs,
        floors=FLOORS,
        different=functools.partial(different, family="senteval", collection="senteval"),
    )
