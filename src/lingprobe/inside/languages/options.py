"""The options of `languages`, `transfer` and `morphology`, each written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from lingprobe.data.options import Help, Options, declare_argument, flag


@dataclass(frozen=True, kw_only=True)
class SurveyOptions(Options):
    """Which treebanks and tasks are surveyed."""

    treebanks: Annotated[
        Sequence[str | Path] | str | Path,
        Help(
            "folders, codes or languages by any name (default: all in $LINGPROBE_TREEBANKS, or in"
            " the working folder)"
        ),
        declare_argument("TREEBANK", kind=list[str]),
    ] = ()
    tasks: Annotated[
        Sequence[str] | str,
        Help(
            "tasks without data, or patterns such as `edge/*` (default: all of ud/ that need no"
            " option)"
        ),
        flag("--task", "-t", metavar="TASK", complete="tasks"),
    ] = ()
    encoders: Annotated[
        Sequence[str] | str,
        Help("encoders whose vocabulary is compared with the words"),
        flag("--encoder", "-e", metavar="ENCODER", complete="encoders"),
    ] = ()
    figure: Annotated[
        Literal["heat", "map"],
        Help("a figure: `heat` (treebanks by task) or `map`"),
        flag(metavar="FIGURE"),
    ] = "heat"


@dataclass(frozen=True, kw_only=True)
class TransferOptions(Options):
    """Between which languages, or data sets of one's own, a probe is transferred."""

    tasks: Annotated[
        Sequence[str] | str,
        Help(
            "questions without data, such as `ud/tense` or `ud/feat,feature=Case,of=obj`; `table`"
            " with its options for your own data"
        ),
        flag("--task", "-t", metavar="TASK", complete="tasks"),
    ] = ("table",)
    encoders: Annotated[
        Any,
        Help(
            "encoders, as of `run`; a transformer is compared with a bag of its own subwords as"
            " well"
        ),
        flag("--encoder", "-e", metavar="ENCODER", complete="encoders"),
    ] = None
    train: Annotated[
        Any,
        Help("tables or treebanks that the probe is trained on, such as `forum.csv` or `en_ewt`"),
        flag(metavar="DATA", kind=list[str]),
    ]
    test: Annotated[
        Any,
        Help("those that it is tested on; a table is divided as `run` divides it"),
        flag(metavar="DATA", kind=list[str]),
    ]
    matched: Annotated[
        bool | None,
        Help(
            "cut all to the same numbers of examples of each class (default: treebanks are, and"
            " tables are not)"
        ),
    ] = None
    by: Annotated[
        str,
        Help(
            "a subgroup whose values each class has in the same numbers in all languages, such as"
            " `construction`"
        ),
        flag(metavar="SUBGROUP"),
    ] = ""
    centred: Annotated[
        bool, Help("subtract the mean of each language, from unlabelled training sentences")
    ] = False
    size: Annotated[
        int | None,
        Help("training examples at most (default: as many as all have, of tables all)", "2"),
        flag(metavar="N"),
    ] = None
    distances: Annotated[
        str | Path | None,
        Help(
            "a square table of distances between at least 20 languages, to test whether transfer"
            " loses more with distance (Mantel)"
        ),
        flag(metavar="FILE"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class MorphologyOptions(Options):
    """Which features of words are probed."""

    treebank: Annotated[
        str,
        Help("a treebank, such as `fi_tdt`, or a file of UniMorph"),
        declare_argument("TREEBANK"),
    ]
    encoders: Annotated[
        Any,
        Help("encoders, as of `run`; of a transformer all layers are read"),
        flag("--encoder", "-e", metavar="ENCODER", complete="encoders"),
    ] = None
    feature: Annotated[
        str,
        Help("a feature, such as Case, or a pattern (default: each that varies enough)"),
        flag(metavar="FEATURE"),
    ] = "*"
    size: Annotated[int | None, Help("words at most", "20"), flag(metavar="N")] = 3000
