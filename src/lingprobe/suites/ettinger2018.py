"""Ettinger et al. 2018, Table 2: five questions about words, some 4,000 items each, one MLP as wide
as its input.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated

from lingprobe.data.options import Help
from lingprobe.suites.facts import PaperTable, read_paper_facts
from lingprobe.suites.suite import (
    MAJORITY_BASELINE,
    Suite,
    SuiteBaseline,
    SuiteColumn,
    explain_released_difference,
    list_family_tasks,
)

_MLP = "mlp,protocol=ettinger"
_TASKS = {
    "Content1Probe": "content1",
    "Content2Probe": "content2",
    "Order": "order",
    "SemRole": "sem-role",
    "Negation": "negation",
}
# section 7 has the second one: "random vectors are used in place of the sentence vectors"
_FLOORS = (
    MAJORITY_BASELINE,
    SuiteBaseline("Random sentences", "random", _MLP),
)
_WHOLE = "dev=none"  # nothing is tuned, and the paper trains on all of train


def ettinger2018(
    folder: Annotated[
        str | None,
        Help(
            "of the released sets (cont1, cont2, order, sr, neg): the `comp/released/*` tasks;"
            " without, the `comp/*` tasks, other data"
        ),
    ] = None,
    *,
    task: Annotated[
        tuple[str, ...],
        Help("an option of the tasks, as task=seed=1; may be repeated"),
    ] = (),
) -> Suite:
    """Ettinger et al. 2018, Table 2: five tasks on the released files in a folder, or on sentences
    that lingprobe generates.
    """
    columns, blocks, doubts = read_paper_facts(
        Path(__file__).with_suffix(".tsv"), "Ettinger et al. 2018, Table 2"
    )
    paper = PaperTable(
        "Ettinger et al. 2018, Table 2: accuracies of five questions about words",
        columns,
        blocks,
        doubts,
        frozenset(floor.name for floor in _FLOORS),
    )
    said = any(text.startswith("dev=") for text in task)
    return Suite(
        "ettinger2018",
        paper,
        tuple(SuiteColumn(_TASKS[name], _MLP) for name in columns),
        ("comp/released", "comp"),
        (
            list_family_tasks("comp", None, (), task)
            if folder is None
            else list_family_tasks("comp/released", folder, (), task if said else (*task, _WHOLE))
        ),
        floors=_FLOORS,
        different=functools.partial(
            explain_released_difference, family="comp/released", collection="compeval"
        ),
    )
