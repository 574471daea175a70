"""Tasks: corpus -> labelled examples. One folder for each family; this is the list of all tasks.

`rules` makes a task of a function (`@question`), `questions` puts it to a corpus, `task` makes one
of a definition, `table` of a file of labelled examples. `ud` and `tree` ask about sentences, `edge`
about spans; `released` reads data sets of others. `about` has what is known of each.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lingprobe.data.core import ConfigurableTask, DataProblem, SamplingOptions
from lingprobe.data.records import read_tab_separated
from lingprobe.data.references import Reference, ReferenceProblem
from lingprobe.tasks.limits import LIMIT_OPTION, LimitedTask, TaskContents

TASK_FAMILIES: dict[str, dict[str, str]] = {
    "ud": {
        "ud.family": (
            "sent_len word_content tree_depth top_deps passive tense subj_num obj_num sent_type"
        ),
        "ud.feat": "feat",
    },
    "tree": {
        "tree.family": (
            "sent_len word_content tree_depth top_const bigram_shift tense subj_num obj_num somo"
            " coord_inv"
        )
    },
    "edge": {
        "edge.treebanks": "pos dep feat const",
        "edge.bio": "entities chunks",
        "edge.tags": "tags",
        "edge.coref": "coref",
        "edge.srl": "srl",
        "edge.spr": "spr1 spr2 uds",
        "edge.dpr": "dpr",
        "edge.semeval": "semeval",
        "edge.jsonl": "jsonl",
    },
    "pair": {
        "released.pair": (
            "mrpc sick_e sick_r sts_b sts12 sts13 sts14 sts15 sts16 snli cdsc_e cdsc_r"
            " sick_pl_e sick_pl_r ppc jsonl"
        )
    },
    "text": {"released.text": "mr cr subj mpqa sst2 sst5 trec _8tags wccrs_hotels wccrs_medicine"},
}
"""The tasks of each family by the module that they are in, as they are called there;
`released/probing.tsv` has further families."""


_, _rows = read_tab_separated(Path(__file__).with_name("released") / "probing.tsv")
_PROBING = {
    name: "lingprobe.tasks.released.probing:PUBLISHED_PROBING_TASKS." + re.sub("[/-]", "_", name)
    for _, (name, *_) in _rows
}

TASKS = TaskContents(
    "task",
    "lingprobe.tasks",
    {
        **{
            f"{family}/{name.strip('_').replace('_', '-')}": f"lingprobe.tasks.{module}:{name}"
            for family, modules in TASK_FAMILIES.items()
            for module, listed in modules.items()
            for name in listed.split()
        },
        **_PROBING,
        "table": "lingprobe.tasks.table:TableTask",
        "arcs/head": "lingprobe.inside.heads.arcs:head",
        "forms/feat": "lingprobe.inside.languages.forms:feat",
        "minimal/agreement": "lingprobe.inside.minimal.family:agreement",
        "minimal/pairs": "lingprobe.inside.minimal.family:pairs",
        "structure/depth": "lingprobe.inside.structure.family:depth",
        "structure/distance": "lingprobe.inside.structure.family:distance",
        "transfer": "lingprobe.inside.languages.transfer:TransferTask",
    },
)


def list_task_names(family: str) -> list[str]:
    """The last names of a family's tasks, those of our extensions included."""
    last = [
        name.removeprefix(f"{family}/")
        for name in TASKS.places(own=True)
        if name.startswith(f"{family}/")
    ]
    return [name for name in last if "/" not in name]


def make_tolerant(task: Any, on_error: str) -> Any:
    """The reference or Task object with `on_error` where it has that option; a reference that
    cannot be made is told by whoever makes it next.
    """
    if on_error == "raise" or not isinstance(task, Reference | ConfigurableTask):
        return task
    try:
        made = TASKS.make(task) if isinstance(task, Reference) else task
    except (DataProblem, ReferenceProblem):
        return task
    return task.plus(on_error=on_error) if "on_error" in SamplingOptions.of(made) else task


def limit_tasks(tasks: Iterable[Any], limit: int | None) -> list[Any]:
    """References and Task objects with at most so many examples each; as they are without."""
    if limit is None:
        return list(tasks)
    return [
        task.plus(**{LIMIT_OPTION: str(limit)})
        if isinstance(task, Reference)
        else LimitedTask(task, limit)
        for task in tasks
    ]
