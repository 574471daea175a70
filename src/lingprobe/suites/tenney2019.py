"""Tenney et al. 2019, Table 2: edge probing, a label of one or two spans, read by one probe over
spans for all tasks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from lingprobe.corpora.corpus import split_in
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.notes import SourceNote
from lingprobe.data.options import Help
from lingprobe.data.reading import SCALAR_MIX_LAYERS
from lingprobe.data.references import (
    PlaceOption,
    Reference,
    ReferenceProblem,
    shorten_reference,
)
from lingprobe.suites.facts import (
    PaperBlock,
    PaperRow,
    PaperTable,
    PrintedNumber,
    read_paper_facts,
)
from lingprobe.suites.suite import Suite, SuiteColumn
from lingprobe.tasks import TASKS
from lingprobe.tasks.edge.family import EDGE_TASK_METRICS, MICRO_F1_METRIC

_SOURCE = "Tenney et al. 2019, Table 2"
_TASKS_OF = {
    "POS": "pos",
    "Constit.": "const",
    "Depend.": "dep",
    "Entities": "entities",
    "SRL": "srl",
    "core roles": "srl",
    "non-core": "srl",
    "Coref. (O)": "coref",
    "SPR1": "spr1",
    "SPR2": "spr2",
    "Coref. (W)": "dpr",
    "Rel.": "semeval",
}
_PARTS = {"core roles": "micro-f1,only=ARG[0-5A]", "non-core": "micro-f1,only=ARGM*"}
_SIZES: dict[
    str,
    tuple[int, int, int] | tuple[str, str, str],
    # targets in train, dev and test, as the authors' README corrects the paper's Table 3; of parts
    # of SRL, Table 3
] = {
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
_READINGS = {
    "pos": {"tags": "xpos"},
    "const": {"unary": "separate", "root": "true"},
    "dep": {"root": "self"},
}
"""How the paper's code read the data, where that is not what a task does by itself."""
_LAYOUT = {  # where free data of each column lie below a folder
    "POS": "treebanks/UD_English-EWT",
    "Constit.": "constituency/EWT-propbank-skel",
    "Depend.": "treebanks/UD_English-EWT",
    "Entities": "treebanks/GUM/dep",
    "SRL": "edge/PropBank-EWT",
    "Coref. (O)": "treebanks/GUM/dep",
    "SPR1": "edge/SPR1",
    "SPR2": "edge/SPR2",
    "Coref. (W)": "edge/DPR",
    "Rel.": "edge/SemEval2010-Task8/edges",
}
_ONTONOTES = ("POS", "Constit.", "Entities", "SRL", "Coref. (O)")
_JIANT = {  # where jiant's own files of each column lie below its folder `edges`
    "POS": "ontonotes/const/pos",
    "Constit.": "ontonotes/const/nonterminal",
    "Depend.": "dep_ewt",
    "Entities": "ontonotes/ner",
    "SRL": "ontonotes/srl",
    "Coref. (O)": "ontonotes/coref",
    "SPR1": "spr1",
    "SPR2": "spr2",
    "Coref. (W)": "dpr",
    "Rel.": "semeval",
}
_READS = ("lex", "cat:lex+top", SCALAR_MIX_LAYERS)
_HARMLESS = (
    "on_error",
    "sample",
    "fold",
    "seed",
    "with",
    "as",
    "treebank",
    "ids",
    "sentences",
    "word",
    "column",
    "encoding",
)
"""Options that say where data lie and how they are laid out, or how much of train is taken, but not
what is read of them.
"""


def tenney2019(
    folder: Annotated[
        PlaceOption | None,
        Help(
            "of free data (treebanks, PropBank over EWT, GUM, SPR2, DPR, SemEval), laid out as"
            " docs/layers.md says; columns whose data are not there are excluded"
        ),
    ] = None,
    *,
    ontonotes: Annotated[
        PlaceOption | None,
        Help(
            "the folder of OntoNotes 5 in CoNLL-2012's columns that has train, development and"
            " test, for the paper's five columns"
        ),
    ] = None,
    jiant: Annotated[
        PlaceOption | None,
        Help("the folder `edges` of the files that the paper's code made, for any of its columns"),
    ] = None,
    protocol: Annotated[
        Literal["tenney", "jiant", "fast"],
        Help(
            "how the probe is trained: tenney, as the paper says; jiant, as its code did; fast,"
            " lingprobe's own"
        ),
    ] = "tenney",
    task: Annotated[
        tuple[str, ...],
        Help("an option of all tasks, as task=size=5000; may be repeated"),
    ] = (),
) -> Suite:
    """Tenney et al. 2019, Table 2: edge probing, on the paper's data where you have them, else on
    free data of the same kinds.
    """
    columns, blocks, doubts = read_paper_facts(Path(__file__).with_suffix(".tsv"), _SOURCE)
    probe = f"span,protocol={protocol}"
    sizes = PaperBlock("Targets", tuple(_sizes(columns)))
    apart = frozenset(
        {line.name for line in sizes.lines}
        | {line.name for block in blocks for line in block.lines if line.name.endswith(" lex")}
    )
    data = SuiteData(_expand_path(folder), _expand_path(ontonotes), _expand_path(jiant), task)
    return Suite(
        "tenney2019",
        PaperTable(
            "Tenney et al. 2019, Table 2: F1 of edge probing",
            columns,
            (sizes, *blocks),
            doubts,
            apart,
        ),
        tuple(
            SuiteColumn(
                _TASKS_OF.get(name, ""), probe if name in _TASKS_OF else "", _PARTS.get(name, "")
            )
            for name in columns
        ),
        ("edge",),
        tuple(map(data.run, columns)) if data.has_folders else None,
        data.missing,
        different=explain_paper_difference,
        constant="best constant",
        mixed=True,
        layers=_READS,
        task_of=task_of,
    )


def _expand_path(path: str | None) -> Path | None:
    return None if path is None else Path(path).expanduser()


def task_of(reference: Reference) -> str:
    """The task that a reference is of; a file of jiant's is of the one that `as` says."""
    last = reference.name.rpartition("/")[2]
    return dict(reference.options).get("as", "") if last == "jsonl" else last


def explain_paper_difference(reference: Reference, result: Result) -> str:
    """Why a result is over different data, or not the paper's measure; '' where it is the paper's,
    as far as targets, options and metric say.
    """
    task = task_of(reference)
    name = next((name for name, own in _TASKS_OF.items() if own == task and name not in _PARTS), "")
    if reference.name not in (f"edge/{task}", "edge/jsonl") or name not in _SIZES:
        return "the table has no column for it"
    targets = result.provenance.notes.targets
    sizes, published = tuple(targets.get(split) for split in ("train", "dev", "test")), _SIZES[name]
    if sizes != published:
        return f"{name} has {_count_text(sizes)} targets, the paper's has {_count_text(published)}"
    if unlike := _unlike(reference, task, result):
        return f"{name} is not read as in the paper: {', '.join(unlike)}"
    metric = EDGE_TASK_METRICS.get(task, MICRO_F1_METRIC)
    return (
        ""
        if result.metric == metric
        else f"{name} is judged by {result.metric}, in the paper by {metric}"
    )


def _count_text(counts: tuple[object, ...]) -> str:
    return " / ".join(
        f"{n:,}" if isinstance(n, int) else str("?" if n is None else n) for n in counts
    )


def _unlike(reference: Reference, task: str, result: Result) -> list[str]:
    """Options that read the data otherwise than the paper's code did, each with what that did."""
    readings = dict(_READINGS.get(task, {})) if reference.name != "edge/jsonl" else {}
    source = result.provenance.notes.part(SourceNote)
    files = source.files if source else ()
    if task == "pos" and not any(".conllu" in str(file) for file in files):
        readings = {}  # trees and columns have one kind of tag
    full = {
        **dict(Reference.parse(TASKS.canonical(str(reference))).options),
        **dict(reference.options),
    }
    unlike = [
        f"{key}={full.get(key)}, there {key}={value}"
        for key, value in readings.items()
        if full.get(key) != value
    ]
    options = (
        Reference.parse(shorten_reference(TASKS, str(reference)))
        .without(*_HARMLESS, *_READINGS.get(task, {}), "metric")
        .options
    )
    return unlike + [f"{key}={value}" for key, value in options]


def _sizes(columns: Iterable[str]) -> Iterable[PaperRow]:
    for i, split in enumerate(("train", "dev", "test")):
        counts = [_SIZES[name][i] if name in _SIZES else "–" for name in columns]
        printed = [f"{n:,}" if isinstance(n, int) else n for n in counts]
        yield PaperRow(
            f"targets, {split}",
            tuple(PrintedNumber(math.nan, text) for text in printed),
            "Tenney et al. 2019, Table 3, corrected",
        )


@dataclass(frozen=True, slots=True)
class SuiteData:
    """What a run of the suite reads: folders of free data, of OntoNotes and of jiant's files, and
    options for all tasks.
    """

    free: Path | None
    ontonotes: Path | None
    jiant: Path | None
    options: tuple[str, ...]

    @property
    def has_folders(self) -> bool:
        """Whether any was named."""
        return any((self.free, self.ontonotes, self.jiant))

    @property
    def missing(self) -> str:
        """What to say where nothing can be run."""
        if not self.has_folders:
            return (
                "write tenney2019:FOLDER for a folder of free data, laid out as docs/layers.md"
                " says, or ontonotes=FOLDER or jiant=FOLDER"
            )
        pairs = (
            (self.free, _LAYOUT.values()),
            (self.ontonotes, ("train",)),
            (self.jiant, _JIANT.values()),
        )
        return "; ".join(
            f"{place} has no {', no '.join(dict.fromkeys(below))}"
            for place, below in pairs
            if place is not None
        )

    def run(self, name: str) -> Reference | None:
        """The task of a column: on jiant's files, on OntoNotes, or on free data; None where there
        are none.
        """
        wrong = next((text for text in self.options if "=" not in text), None)
        if wrong is not None:
            raise ReferenceProblem(
                f"task={wrong}: give an option of the tasks with its value, as task=size=2000"
            )
        if name not in _LAYOUT:
            return None
        reference = self._jiant(name) or self._ontonotes(name) or self._free(name)
        if reference is None:
            return None
        sample = (("sample", "*/5"),) if name == "Coref. (W)" else ()
        more = tuple(
            (key, value) for key, _, value in (text.partition("=") for text in self.options)
        )
        return replace(reference, options=(*reference.options, *sample, *more))

    def _free(self, name: str) -> Reference | None:
        if self.free is None or not (place := self.free / _LAYOUT[name]).exists():
            return None
        return Reference(
            f"edge/{_TASKS_OF[name]}", str(place), tuple(_READINGS.get(_TASKS_OF[name], {}).items())
        )

    def _ontonotes(self, name: str) -> Reference | None:
        if (
            self.ontonotes is None
            or name not in _ONTONOTES
            or not (self.ontonotes / "train").is_dir()
        ):
            return None
        first, *rest = (
            str(_english(self.ontonotes / split)) for split in ("train", "development", "test")
        )
        read = tuple(_READINGS.get(_TASKS_OF[name], {}).items()) if name != "POS" else ()
        return Reference(
            f"edge/{_TASKS_OF[name]}", first, (*(("with", place) for place in rest), *read)
        )

    def _jiant(self, name: str) -> Reference | None:
        if self.jiant is None or not (place := self.jiant / _JIANT[name]).is_dir():
            return None
        files = {
            split_in(path.name): path
            for path in sorted(place.glob("*.json"))
            if "conll-2012-test" not in path.name
        }
        if not {"train", "dev", "test"} <= files.keys():
            raise DataProblem(
                f"{place} needs files for train, dev and test: train.json, development.json and"
                " test.json"
            )
        others = tuple(("with", str(files[split])) for split in ("dev", "test"))
        return Reference("edge/jsonl", str(files["train"]), (*others, ("as", _TASKS_OF[name])))


def _english(folder: Path) -> Path:
    """Where the English part of a split lies: OntoNotes has three languages."""
    return next(
        (place for place in (folder / "data" / "english", folder / "english") if place.is_dir()),
        folder,
    )
