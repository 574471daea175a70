"""SentEval's sixteen downstream tasks (Conneau & Kiela 2018), with its protocol or ours; its README
has their files. COCO's retrieval and SNLI, which is for training, are excluded, as in Conneau et
al. 2018.
"""

from __future__ import annotations

from typing import Annotated, Literal

from lingprobe.data.options import Help
from lingprobe.data.references import Reference
from lingprobe.suites.facts import PaperTable
from lingprobe.suites.suite import PAIR_BASELINES, Suite, SuiteColumn

_UNSPLIT = ("mr", "cr", "subj", "mpqa")
_SCORED = ("sick-r", "sts-b")
_UNTRAINED = ("sts12", "sts13", "sts14", "sts15", "sts16")
DOWNSTREAM_TASKS = {
    "MR": "text/mr",
    "CR": "text/cr",
    "SUBJ": "text/subj",
    "MPQA": "text/mpqa",
    "SST2": "text/sst2",
    "SST5": "text/sst5",
    "TREC": "text/trec",
    "MRPC": "pair/mrpc",
    "SICK-E": "pair/sick-e",
    "SICK-R": "pair/sick-r",
    "STS-B": "pair/sts-b",
    **{name.upper(): f"pair/{name}" for name in _UNTRAINED},
}
Protocol = Literal["senteval", "fast"]


def senteval_downstream(
    folder: Annotated[
        str | None,
        Help(
            "SentEval's `data/downstream`; columns whose files are not there are refused in a line"
        ),
    ] = None,
    *,
    protocol: Annotated[
        Protocol,
        Help(
            "senteval: as its code does, with logistic regression, ten folds within ten where"
            " there are no splits, and its regression of scores; fast: lingprobe's own recipes"
        ),
    ] = "senteval",
    task: Annotated[
        tuple[str, ...],
        Help("an option of all tasks, as task=on_error=skip; may be repeated"),
    ] = (),
) -> Suite:
    """SentEval's sixteen downstream tasks (Conneau & Kiela 2018): sentiment, questions, paraphrase,
    entailment, relatedness.
    """
    columns = tuple(
        SuiteColumn(name.rpartition("/")[2], _probe(name, protocol))
        for name in DOWNSTREAM_TASKS.values()
    )
    runs = (
        None
        if folder is None
        else tuple(_run(name, folder, protocol, task) for name in DOWNSTREAM_TASKS.values())
    )
    return Suite(
        "senteval-downstream",
        PaperTable(
            "SentEval's downstream tasks: accuracy, and Pearson's r of scores",
            tuple(DOWNSTREAM_TASKS),
            (),
            apart=frozenset(floor.name for floor in PAIR_BASELINES),
        ),
        columns,
        ("text", "pair"),
        runs,
        "write senteval-downstream:FOLDER for SentEval's data/downstream",
        floors=PAIR_BASELINES,
        different=lambda reference, result: "",
        mixed=True,
    )


def _probe(name: str, protocol: Protocol) -> str:
    last = name.rpartition("/")[2]
    if last in _UNTRAINED:
        return "cosine"
    if last in _SCORED:
        return "relatedness" if protocol == "fast" else "relatedness,protocol=senteval"
    return "linear" if protocol == "fast" else "mlp,protocol=senteval,hidden=0"


def _run(name: str, folder: str, protocol: Protocol, task: tuple[str, ...]) -> Reference:
    """The task of a column, with SentEval's folds where its files have no splits or no dev."""
    pairs = (each.partition("=") for each in task)
    reference = Reference(name, folder, tuple((key, value) for key, _, value in pairs))
    folds = (*_UNSPLIT, "trec", "mrpc") if protocol == "senteval" else ()
    return reference.plus(splits="senteval") if name.rpartition("/")[2] in folds else reference
