"""The tasks of minimal pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from lingprobe.corpora.files import CorpusPart, find_treebank_files
from lingprobe.data.core import Dataset
from lingprobe.data.options import Help
from lingprobe.data.references import PlaceOption
from lingprobe.inside.minimal.agreement import (
    build_agreement_pairs,
    paradigms_of,
    trees_of,
    with_unimorph,
)
from lingprobe.inside.minimal.data import PairSampling, build_pair_dataset
from lingprobe.inside.minimal.pairs import (
    MinimalPair,
    PairColumns,
    list_pair_files,
    read_minimal_pairs,
    read_vocabulary,
)
from lingprobe.metrics.clusters import MIN_CLUSTER_COUNT
from lingprobe.tasks.baseline_names import LENGTH_BASELINE, RANDOM_BAG_BASELINE
from lingprobe.tasks.task import TaskDefinition


@dataclass(frozen=True, slots=True)
class MinimalPairOptions:
    """What pairs of a file take."""

    path: Annotated[
        Path,
        Help(
            "a file, or a folder of them: JSON lines or Parquet as BLiMP's, tables as RuBLiMP's,"
            " MultiBLiMP's and TurBLiMP's, a sentence a row as BLiMP-NL's, lines with True and"
            " False as CLAMS'"
        ),
    ]
    good: Annotated[
        str,
        Help(
            "the columns of the better and of the worse sentence; without, those with usual names"
        ),
    ] = field(default="", kw_only=True)
    bad: Annotated[
        str,
        Help(
            "the columns of the better and of the worse sentence; without, those with usual names"
        ),
    ] = field(default="", kw_only=True)
    group: Annotated[
        str,
        Help(
            "the column of the paradigm; without, that with a usual name, or else the phenomenon"
            " (in a language), or the name of the file"
        ),
    ] = field(default="", kw_only=True)
    words: Annotated[
        Path | None,
        Help("a text, one sentence a line: only pairs of which it has every word, ignoring case"),
    ] = field(default=None, kw_only=True)
    seed: Annotated[int, Help("of everything that is drawn", "0")] = field(default=0, kw_only=True)
    size: Annotated[
        int | None,
        Help("pairs in all, of each paradigm its share; without, all"),
    ] = field(default=None, kw_only=True)
    fold: Annotated[
        str | None,
        Help("2/5: the second of five folds is test; paradigms are never split"),
    ] = field(default=None, kw_only=True)


def _load_pairs(options: MinimalPairOptions) -> Dataset:
    """The pairs of a file: divided into five folds, after `words=` and `size=`."""
    columns = PairColumns(options.good, options.bad, options.group)
    found = list_pair_files(options.path)
    pairs = [pair for file in found for pair in read_minimal_pairs(file, columns)]
    notes: dict[str, Any] = {"source": {"files": [str(file.part.path) for file in found]}}
    if options.words is not None:
        pairs, notes["left out"] = _keep_known(pairs, options.words)
    keep, remarks = "paradigm", []
    if lemmas := _regroup_by_lemma(pairs):
        many = len({pair.group for pair in pairs})
        remarks.append(
            f"its {many} paradigms are too few for a split by paradigm, so pairs of one verb are"
            " kept together instead"
        )
        pairs, keep = lemmas, "lemma"
    if equal := sum(pair.good == pair.bad for pair in pairs):
        remarks.append(f"{equal:,} pairs of two equal sentences were excluded")
    if remarks:
        notes["remarks"] = remarks
    how = PairSampling(keep, options.seed, options.size, options.fold)
    return build_pair_dataset(pairs, how, notes)


def _regroup_by_lemma(pairs: Sequence[MinimalPair]) -> list[MinimalPair]:
    """Fewer than six paradigms are kept apart by verb: the pairs grouped by their lemma where
    lemmas are enough; [] where paradigms stay.
    """
    lemmas = {pair.tags.get("lemma", "") for pair in pairs}
    if len({pair.group for pair in pairs}) >= MIN_CLUSTER_COUNT or len(lemmas) < MIN_CLUSTER_COUNT:
        return []
    if "" in lemmas:
        return []
    return [
        pair._replace(group=pair.tags["lemma"], tags={**pair.tags, "paradigm": pair.group})
        for pair in pairs
    ]


def _keep_known(
    pairs: Sequence[MinimalPair], text: Path
) -> tuple[list[MinimalPair], dict[str, int]]:
    """`words=` keeps the pairs of which a text has every word, and counts the others, by reason."""
    known = read_vocabulary(text.expanduser())
    kept = [pair for pair in pairs if pair.words <= known]
    return kept, {f"a word that {text.name} lacks": len(pairs) - len(kept)}


def _pair_parts(options: MinimalPairOptions) -> list[CorpusPart]:
    return [
        *(file.part for file in list_pair_files(options.path)),
        *_make_pair_parts(options.words),
    ]


def _make_pair_parts(*paths: Path | None) -> list[CorpusPart]:
    return [CorpusPart("", path.expanduser()) for path in paths if path is not None]


@dataclass(frozen=True, slots=True)
class AgreementOptions:
    """What pairs that are made from a treebank take."""

    path: Annotated[
        PlaceOption,
        Help("a Universal Dependencies treebank with lemmas and features"),
    ]
    forms: Annotated[
        Path | None,
        Help("a file of UniMorph, for forms of verbs that the treebank lacks"),
    ] = field(default=None, kw_only=True)
    words: Annotated[Path | None, Help("as of `minimal/pairs`")] = field(default=None, kw_only=True)
    on_error: Annotated[
        Literal["raise", "skip"],
        Help("raise: malformed data are an error; skip: bad sentences are excluded"),
    ] = field(default="raise", kw_only=True)
    seed: Annotated[int, Help("of everything that is drawn", "0")] = field(default=0, kw_only=True)
    size: Annotated[
        int | None,
        Help("pairs in all, of each verb its share; without, all"),
    ] = field(default=None, kw_only=True)
    fold: Annotated[
        str | None,
        Help("2/5: the second of five folds is test; a verb is in one split"),
    ] = field(default=None, kw_only=True)


def _load_agreement(options: AgreementOptions) -> Dataset:
    trees = trees_of(find_treebank_files(options.path), options.on_error)
    paradigms = paradigms_of(trees)
    if options.forms is not None:
        paradigms = with_unimorph(paradigms, options.forms.expanduser())
    reasons = Counter[str]()
    made = list(build_agreement_pairs(trees, paradigms, reasons))
    if options.words is not None:
        made, unknown = _keep_known(made, options.words)
        reasons.update(unknown)
    how = PairSampling("target", options.seed, options.size, options.fold, cap=True)
    notes = {"source": {"sentences": len(trees)}, "left out": dict(reasons.most_common())}
    return build_pair_dataset(made, how, notes)


def _agreement_parts(options: AgreementOptions) -> list[CorpusPart]:
    return [*find_treebank_files(options.path), *_make_pair_parts(options.forms, options.words)]


_definition = partial(
    TaskDefinition,
    metric="preference",
    probe="preference",
    view="mean+difference",
    baselines=(LENGTH_BASELINE, RANDOM_BAG_BASELINE),
    usual_baselines=False,
)
pairs: TaskDefinition[MinimalPairOptions] = _definition(
    "minimal/pairs",
    "Which of the two sentences is grammatical?",
    MinimalPairOptions,
    load=_load_pairs,
    parts=_pair_parts,
)
agreement: TaskDefinition[AgreementOptions] = _definition(
    "minimal/agreement",
    "In which of the two sentences does the verb agree with its subject?",
    AgreementOptions,
    load=_load_agreement,
    parts=_agreement_parts,
)
