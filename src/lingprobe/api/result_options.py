"""The options of what reads results, each written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from lingprobe.api.options import CacheOptions, SelectionOptions
from lingprobe.data.options import Help, declare_argument, flag


@dataclass(frozen=True, kw_only=True)
class ReportOptions(SelectionOptions):
    """How results are shown."""

    suite: Annotated[
        str | None,
        Help(
            "show the results in a paper's table, such as `conneau2018` (`lingprobe list suites`"
            " lists them)"
        ),
        flag(metavar="SUITE", complete="suites"),
    ] = None
    human: Annotated[
        Sequence[str | Path],
        Help(
            "human labels: with a suite, bounds written by `lingprobe data annotate --score`; for"
            " the HTML page, filled sheets"
        ),
        flag(metavar="FILE"),
    ] = ()
    each: Annotated[
        bool, Help("one table per task, with full intervals, and controls next to the scores")
    ] = False
    classes: Annotated[bool, Help("counts and F1 by class or label instead of scores")] = False
    bits: Annotated[
        bool,
        Help("V-information and calibration instead of scores, for results with `--keep-scores`"),
    ] = False
    headroom: Annotated[
        bool,
        Help(
            "gains over word embeddings, error reduction, and how much of it local context, random"
            " weights or a bag of words reach; can be drawn, too"
        ),
    ] = False
    by: Annotated[
        str | None,
        Help("scores by a subgroup of the test examples, such as `distance`; can be drawn, too"),
        flag(metavar="SUBGROUP"),
    ] = None
    view: Annotated[
        str | None,
        Help(
            "one of these by name, such as `by:distance`, or `mine.py@view` (`lingprobe list views`"
            " shows them)"
        ),
        flag(metavar="VIEW", complete="views"),
    ] = None
    figure: Annotated[
        str,
        Help(
            "the figure: `dots` (with intervals), `heat` (a heat map), `radar`,"
            " `layers` (curves over layers) or `mine.py@figure`"
        ),
        flag(metavar="FIGURE", complete="figures"),
    ] = "dots"


@dataclass(frozen=True, kw_only=True)
class CompareOptions(SelectionOptions):
    """What is compared with what, and how."""

    against: Annotated[
        str | None,
        Help(
            "compare all others with this encoder, by name or pattern (default: each with the best"
            " baseline)"
        ),
        flag("-a", metavar="PATTERN"),
    ] = None
    pairs: Annotated[bool, Help("compare all pairs of encoders and layers")] = False
    correction: Annotated[
        Literal["bonferroni", "bh"],
        Help(
            "the correction of p values and intervals for all comparisons of the call:"
            " `bonferroni`, or `bh` (Benjamini-Hochberg)"
        ),
    ] = "bonferroni"
    test: Annotated[
        Literal["t", "permutation", "bootstrap"],
        Help(
            "the test: `t` (a jackknife over clusters and seeds), `permutation` (McNemar's exact"
            " test, for one seed, accuracy and independent examples) or `bootstrap`"
        ),
    ] = "t"


@dataclass(frozen=True, kw_only=True)
class RelateOptions(SelectionOptions):
    """What is correlated with what, and how."""

    with_: Annotated[
        str | Path | Sequence[str | Path],
        Help("scores from elsewhere, as further columns: a CSV file, or `mteb:FOLDER`"),
        flag(metavar="SOURCE", kind=list[str]),
    ] = ()
    method: Annotated[Literal["spearman", "pearson", "kendall"], Help("the correlation")] = (
        "spearman"
    )
    correction: Annotated[
        Literal["holm", "bh"],
        Help("the correction of p values for all pairs: `holm`, or `bh` (Benjamini-Hochberg)"),
    ] = "holm"
    rows: Annotated[
        str | Sequence[str],
        Help("tasks (or columns of scores) to show as rows, by name or pattern"),
        flag(metavar="PATTERN"),
    ] = ()
    columns: Annotated[
        str | Sequence[str], Help("those to show as columns"), flag(metavar="PATTERN")
    ] = ()
    family: Annotated[
        str | None,
        Help(
            "a regular expression: encoders whose names have the same match are one family,"
            " permuted and resampled together (default: layers and poolings of one model)"
        ),
        flag(metavar="REGEX"),
    ] = None
    families: Annotated[
        str | Path | None,
        Help("a CSV file of families, with columns encoder and family"),
        flag(metavar="FILE"),
    ] = None
    within: Annotated[
        str | None,
        Help("the same for smaller groups, to correlate within them"),
        flag(metavar="REGEX"),
    ] = None
    constant: Annotated[bool, Help("keep encoders with constant vectors")] = False
    languages: Annotated[
        str | Sequence[str],
        Help("correlate two languages, such as `en,pl`, over encoders and over tasks"),
        flag(metavar="A,B", kind=str),
    ] = ()
    published: Annotated[
        Literal["conneau2018", "ud2019"] | None,
        Help("correlate the scores of a paper's table instead of results"),
    ] = None
    figure: Annotated[
        Literal["heat", "within", "dots", "radar", "scores"],
        Help(
            "the figure: `heat`, `within` (a heat map of correlations within families) or `dots`"
            " (with intervals); with languages `dots`, `radar` or `scores`"
        ),
    ] = "heat"
    seed: Annotated[int, Help("the random seed", "0")] = 0


@dataclass(frozen=True, kw_only=True)
class CurveOptions(SelectionOptions):
    """What is followed through training."""

    by: Annotated[
        str,
        Help(
            "compare trainings that differ only in a setting, such as `hidden`, each at its best"
            " epoch, instead of epochs; their folders must exist"
        ),
        flag(metavar="SETTING"),
    ] = ""
    seed: Annotated[
        int, Help("the random seed of permutations, used with ten points or more", "0")
    ] = 0


@dataclass(frozen=True, kw_only=True)
class CardOptions(SelectionOptions):
    """What goes into the cards of models."""

    benchmark: Annotated[
        str | None,
        Help("a benchmark of the hub with the same task names, to also write .eval_results/"),
        flag(metavar="OWNER/NAME"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class PredictionsOptions(SelectionOptions):
    """Where predictions are written, and how."""

    format: Annotated[
        Literal["jsonl", "jiant"], Help("JSON lines (`jsonl`), or files for `jiant`"), flag("-f")
    ] = "jsonl"
    output: Annotated[
        str | Path, Help("the folder to write, one file per fit"), flag("-o", metavar="FOLDER")
    ] = "predictions"


@dataclass(frozen=True, kw_only=True)
class HoldingsOptions(CacheOptions):
    """What is looked through for what it holds."""

    results: Annotated[
        str | Path | None,
        Help("results of `run -o` (default: those in the cache)"),
        declare_argument("FOLDER"),
    ] = None
