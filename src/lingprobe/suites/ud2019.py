"""Krasnowska-Kieraś & Wróblewska 2019, Table 1: nine probing tasks in English and Polish, 90,000
sentences each, and two downstream tasks, over SICK in English and over CDSCorpus in Polish.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from lingprobe.data.core import Result
from lingprobe.data.options import Help
from lingprobe.data.references import (
    PlaceOption,
    Reference,
    ReferenceProblem,
)
from lingprobe.suites.facts import PaperTable, read_paper_facts
from lingprobe.suites.suite import (
    PAIR_BASELINES,
    SENTENCE_BASELINES,
    Suite,
    SuiteColumn,
    explain_released_difference,
    list_family_tasks,
)
from lingprobe.tasks.languages import list_languages

_MLP = "mlp,protocol=krasnowska"
_RELATEDNESS = "relatedness,protocol=krasnowska"
_TESTED = 7_500  # test sentences of each probing task
_SICK, _CDSC = 4_927, 1_000  # test pairs
# SentEval, which the authors ran, takes logistic regression for WordContent
_WORDS = "mlp,protocol=krasnowska,hidden=0"
_TASKS = {
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
_DOWNSTREAM = {  # the paper's columns, each with what its task is called here after its data
    "Relatedness r": ("r", _RELATEDNESS, ""),
    "Relatedness ρ": ("r", _RELATEDNESS, "spearman"),
    "Entailment": ("e", _MLP, ""),
}
_PAIRS = {"sick": "English", "cdsc": "Polish"}
_NAMED = {"en": "sick", "pl": "cdsc"}
# the paper has none; a row without floors says nothing
_FLOORS = (*SENTENCE_BASELINES, *PAIR_BASELINES)
_BLOCKS = {"en": ("English",), "pl": ("Polish",), "both": ("English", "Polish")}
_SPOKEN = {"eng": "English", "pol": "Polish"}


def ud2019(
    path: Annotated[
        str | None,
        Help("a treebank: the `ud/*` tasks, which are other data than the paper's"),
    ] = None,
    *,
    with_: tuple[str, ...] = (),
    released: Annotated[
        str | None,
        Help("a folder of the authors' sets in one language: the `ud2019/*` tasks"),
    ] = None,
    pairs: Annotated[
        PlaceOption | None,
        Help(
            "a folder for Relatedness and Entailment: of SICK with language=en, of CDSCorpus with"
            " language=pl"
        ),
    ] = None,
    task: Annotated[
        tuple[str, ...],
        Help("an option of the nine tasks, as task=rules=paper; may be repeated"),
    ] = (),
    language: Annotated[
        Literal["en", "pl", "both"],
        Help("which of the paper's two languages is shown"),
    ] = "both",
) -> Suite:
    """Krasnowska-Kieraś & Wróblewska 2019, Table 1: nine tasks from any UD treebank, or on the sets
    that the authors released, and relatedness and entailment of pairs of sentences.

    with      further treebanks
    """
    if with_ and path is None:
        raise ReferenceProblem("ud2019,with= adds to ud2019:PATH")
    if path is not None and released is not None:
        raise ReferenceProblem(
            "ud2019 runs on a treebank (ud2019:PATH) or on the released sets (released=FOLDER), not"
            " on both"
        )
    if pairs is not None and language == "both":
        raise ReferenceProblem(
            "ud2019,pairs= is in one language: add language=en for SICK or language=pl for"
            " CDSCorpus"
        )
    paper = _paper(_BLOCKS[language])
    probing = (
        list_family_tasks("ud", path, with_, task)
        if path
        else list_family_tasks("ud2019", released, (), task)
        if released
        else None
    )
    about = None if pairs is None else Reference(f"pair/{_NAMED[language]}", pairs)
    runs = tuple(_run(name, probing, about) for name in paper.columns)
    return Suite(
        "ud2019",
        paper,
        tuple(map(_column, paper.columns)),
        ("ud", "ud2019", "pair"),
        runs if any(runs) else None,
        "write ud2019:PATH for a UD treebank",
        _FLOORS,
        _different,
        mixed=True,
        unasked=frozenset(paper.columns),
        block_of=_block_of(_BLOCKS[language]),
        task_of=_task_of,
    )


def _paper(shown: tuple[str, ...]) -> PaperTable:
    """The paper's table in some languages."""
    columns, blocks, doubts = read_paper_facts(
        Path(__file__).with_suffix(".tsv"), "Krasnowska-Kieraś & Wróblewska 2019, Table 1"
    )
    return PaperTable(
        "Krasnowska-Kieraś & Wróblewska 2019, Table 1: probing and downstream tasks",
        columns,
        tuple(block for block in blocks if block.heading in shown),
        doubts,
        frozenset(floor.name for floor in _FLOORS),
        {
            **dict.fromkeys(_TASKS, _TESTED),
            **{f"English, {column}": _SICK for column in _DOWNSTREAM},
            **{f"Polish, {column}": _CDSC for column in _DOWNSTREAM},
        },
        {"Relatedness r": "pearson", "Relatedness ρ": "spearman"},
        blocks_differ=True,
    )


def _column(name: str) -> SuiteColumn:
    """A column with its task and how it is read."""
    if name in _DOWNSTREAM:
        return SuiteColumn(*_DOWNSTREAM[name])
    return SuiteColumn(_TASKS[name], _WORDS if name == "WC" else _MLP)


def _run(name: str, probing: Reference | None, pairs: Reference | None) -> Reference | None:
    """The task of a column, where its data are named; a second judgement of answers runs none."""
    if name in _TASKS:
        return probing and probing.with_name(f"{probing.name}/{_TASKS[name]}")
    last, _, metric = _DOWNSTREAM[name]
    return None if metric or pairs is None else pairs.with_name(f"{pairs.name}-{last}")


def _task_of(reference: Reference) -> str:
    """The task of a reference as columns call it: relatedness and entailment are so in both."""
    family, _, last = reference.name.rpartition("/")
    return last.partition("-")[2] if family == "pair" and last[:4] in _PAIRS else last


def _block_of(shown: tuple[str, ...]) -> Callable[[Reference, Result | None], str]:
    """The language of a task, as its data or the treebank say; else the one that is shown."""

    def block(reference: Reference, result: Result | None) -> str:
        known = reference.name.rpartition("/")[2].partition("-")[0]
        if known in _PAIRS:
            return _PAIRS[known]
        code = list_languages([result])[0].partition("-")[0] if result else ""
        return _SPOKEN.get(code, shown[0] if len(shown) == 1 and code in ("", "und") else "")

    return block


def _different(reference: Reference, result: Result) -> str:
    """Why a result is over different data, not the paper's; '' where it is over these, as far as is
    known.
    """
    if reference.name.startswith("pair/sick"):
        return explain_released_difference(reference, result, "pair", "sick")
    if reference.name.startswith("pair/cdsc"):
        return explain_released_difference(reference, result, "pair", "cds")
    return explain_released_difference(reference, result, "ud2019", "ud2019")
