"""Tenney et al. 2019, Table 2: edge probing, a label of one or two spans, read by one probe over spans for all tasks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from sonde.core import Result
from sonde.naming import Reference, ReferenceProblem, brief
from sonde.published import Block, Figure, Line, Paper, facts
from sonde.suites.suite import Column, Suite
from sonde.tasks import TASKS

SOURCE = "Tenney et al. 2019, Table 2"
TASKS_OF = {
    "POS": "pos",
    "Constit.": "const",
    "Depend.": "dep",
    "Entities": "entities",
    "SRL": "srl",
    "core roles": "srl",
    "non-core": "srl",
    "Coref. (O)": "coref",
    "SPR2": "spr2",
    "Coref. (W)": "dpr",
    "Rel.": "semeval",
}
PARTS = {"core roles": "micro-f1,only=ARG[0-5A]", "non-core": "micro-f1,only=ARGM*"}
SIZES: dict[
    str, tuple[int, int, int] | tuple[str, str, str]
] = {  # targets in train, dev and test, as the authors' README corrects the paper's Table 3; of parts of SRL, Table 3
    "POS": (2_070_382, 290_013, 212_121),
    "Constit.": (1_851_590, 255_133, 190_535),
    "Depend.": (203_919, 25_110, 25_049),
    "Entities": (128_738, 20_354, 12_586),
    "SRL": (598_983, 83_362, 61_716),
    "core roles": ("411K", "57K", "38K"),
    "non-core": ("170K", "24K", "16K"),
    "Coref. (O)": (207_830, 26_333, 27_800),
    "SPR1": (7_611, 1_071, 1_055),
    "SPR2": (4_925, 630, 582),
    "Coref. (W)": (1_787, 379, 949),
    "Rel.": (6_851, 1_149, 2_717),
}
LAYOUT = {  # where free data of each column lie below a folder, and how they are read
    "POS": ("treebanks/UD_English-EWT", {"tags": "xpos"}),
    "Constit.": ("constituency/EWT-propbank-skel", {}),
    "Depend.": ("treebanks/UD_English-EWT", {}),
    "Entities": ("treebanks/GUM/dep", {}),
    "SRL": ("edge/PropBank-EWT", {}),
    "Coref. (O)": ("treebanks/GUM/dep", {}),
    "SPR2": ("edge/SPR2", {}),
    "Coref. (W)": ("edge/DPR", {"sample": "*/5"}),
    "Rel.": ("edge/SemEval2010-Task8/edges", {}),
}
READS = ("lex", "cat:lex+top", "mix")
HARMLESS = ("on_error", "sample", "fold", "seed")


def tenney2019(folder: str | None = None, *, protocol: Literal["tenney", "jiant", "fast"] = "tenney", task: tuple[str, ...] = ()) -> Suite:
    """Tenney et al. 2019, Table 2: edge probing, on freely available data: treebanks, PropBank over EWT, GUM, SPR2, DPR, SemEval.

    folder    of the data, laid out as docs/layers.md says; columns whose data are not there are left out
    protocol  how the probe is trained: tenney, as the paper says; jiant, as its code did; fast, sonde's own
    task      an option of all tasks, as task=size=5000; may be repeated
    """
    columns, blocks, doubts = facts(Path(__file__).with_suffix(".tsv"), SOURCE)
    probe = f"span,protocol={protocol}"
    sizes = Block("Targets", tuple(_sizes(columns)))
    apart = frozenset(
        {line.name for line in sizes.lines} | {line.name for block in blocks for line in block.lines if line.name.endswith(" lex")}
    )
    return Suite(
        "tenney2019",
        Paper("Tenney et al. 2019, Table 2: F1 of edge probing", columns, (sizes, *blocks), doubts, apart),
        tuple(Column(TASKS_OF.get(name, ""), probe if name in TASKS_OF else "", PARTS.get(name, "")) for name in columns),
        ("edge",),
        None if folder is None else tuple(_run(name, Path(folder), task) for name in columns),
        "write tenney2019:FOLDER for a folder of free data, laid out as docs/layers.md says"
        if folder is None
        else f"{folder} has no {', no '.join(dict.fromkeys(place for place, _ in LAYOUT.values()))}",
        different=different,
        constant="best constant",
        mixed=True,
        reads=READS,
    )


def different(reference: Reference, result: Result) -> str:
    """Why a result is not over the data of the paper's figures; '' where it is, as far as the number of targets in each split says."""
    names = [name for name, task in TASKS_OF.items() if f"edge/{task}" == reference.name and name not in PARTS]
    options = Reference.parse(brief(TASKS, str(reference))).without(*HARMLESS).options
    counted = result.provenance.get("notes", {}).get("targets", {})
    same = names and tuple(counted.get(split) for split in ("train", "dev", "test")) == SIZES[names[0]]
    if same and options:
        return f"the data were not read as published ({', '.join(f'{key}={value}' for key, value in options)})"
    return "" if same else "other sentences, or other numbers of targets than the paper's"


def _sizes(columns: Iterable[str]) -> Iterable[Line]:
    for i, split in enumerate(("train", "dev", "test")):
        counts = [SIZES[name][i] if name in SIZES else "–" for name in columns]
        printed = [f"{n:,}" if isinstance(n, int) else n for n in counts]
        yield Line(f"targets, {split}", tuple(Figure(math.nan, text) for text in printed), "Tenney et al. 2019, Table 3, corrected")


def _run(name: str, folder: Path, task: tuple[str, ...]) -> Reference | None:
    """The task of a column on the free data; None where there are none."""
    wrong = next((text for text in task if "=" not in text), None)
    if wrong is not None:
        raise ReferenceProblem(f"task={wrong}: give an option of the tasks with its value, as task=size=2000")
    if name not in LAYOUT or not (folder / LAYOUT[name][0]).exists():
        return None
    place, options = LAYOUT[name]
    more = tuple((key, value) for key, _, value in (text.partition("=") for text in task))
    return Reference(f"edge/{TASKS_OF[name]}", str(folder / place), (*options.items(), *more))
