"""Labels and scores of two sentences as they were published: paraphrase, relatedness, entailment
and similarity, as SentEval reads them (Conneau & Kiela 2018), three sets in Polish, and pairs of
one's own.

The argument is the folder of a set, or the one that all sets of its publisher lie in. Quotes are
data, and rows keep their order. docs/tasks-published.md has the layouts and counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from lingprobe.corpora.columns import ColumnLayout
from lingprobe.corpora.files import read_text_lines
from lingprobe.corpora.strict import MalformedJson, parse_json
from lingprobe.data.core import DATA_SPLITS, DataProblem
from lingprobe.data.options import Help
from lingprobe.tasks.released.family import ReleaseOptions, TaskRelease
from lingprobe.tasks.released.folders import FolderLayout, define_release_task
from lingprobe.tasks.released.sets import define_set
from lingprobe.tasks.task import TaskDefinition


@dataclass(frozen=True, slots=True)
class SentencePairOptions(ReleaseOptions):
    """What every task about pairs of sentences takes."""

    splits: Annotated[
        Literal["published", "senteval"],
        Help(
            "published: as the files have them; senteval: the same with train whole where they"
            " have no dev; pairs are not sampled again, as they share sentences"
        ),
    ] = field(default="published", kw_only=True)


_VIEW = "mean+contrast"


def _class(name: str) -> TaskDefinition[SentencePairOptions]:
    return replace(define_set(name, SentencePairOptions), view=_VIEW)


def _make_score_task(name: str, probe: str = "relatedness") -> TaskDefinition[SentencePairOptions]:
    """A task of scores, by Pearson's r."""
    return replace(_class(name), metric="pearson", probe=probe)


mrpc, snli, ppc = map(_class, ("pair/mrpc", "pair/snli", "pair/ppc"))
sick_e, sick_pl_e, cdsc_e = map(_class, ("pair/sick-e", "pair/sick-pl-e", "pair/cdsc-e"))
sick_r, sick_pl_r, cdsc_r = map(_make_score_task, ("pair/sick-r", "pair/sick-pl-r", "pair/cdsc-r"))
sts_b = _make_score_task("pair/sts-b")
sts12, sts13, sts14, sts15, sts16 = (
    _make_score_task(f"pair/sts{year}", "cosine") for year in range(12, 17)
)


_OWN = ColumnLayout("", 3, 2, 0, second=1, between="", raw=True, trimmed=True)
_FOLDER = FolderLayout((), tuple((split, (f"{split}.jsonl",)) for split in DATA_SPLITS), some=True)


def _has_scores(options: SentencePairOptions) -> bool:
    """Whether the first line of one's own pairs has a score."""
    try:
        place = Path(options.path or "").expanduser()
        file = place if place.is_file() else _FOLDER("pair/jsonl", place)[0].path
        row = parse_json(next(line for _, line in read_text_lines(file) if line.strip()))
    except (DataProblem, MalformedJson, StopIteration):
        return False  # whoever reads the file says what is wrong
    return isinstance(row, dict) and "score" in row


def _find_own_pairs(options: SentencePairOptions) -> TaskRelease:
    """One's own pairs: a file whose lines say the split, or a folder with a file a split."""
    scored = _has_scores(options)
    keys = ("a", "b", "score" if scored else "label")
    whole = Path(options.path or "").expanduser().is_file()
    layout = replace(
        _OWN,
        keys=(*keys, "split") if whole else keys,
        columns=len(keys) + whole,
        split=len(keys) if whole else None,
        scores=(-math.inf, math.inf) if scored else None,
    )
    shown = f"{', '.join(layout.keys[:-1])} and {layout.keys[-1]}"
    return TaskRelease("", (), replace(layout, shown=shown), where=_FOLDER)


def _judged_by(options: SentencePairOptions) -> Mapping[str, str]:
    """The question and the metric, as the first line has a label or a score."""
    if not _has_scores(options):
        return {}
    return {"question": "Which score do the two sentences have?", "metric": "pearson"}


jsonl = replace(
    define_release_task(
        "pair/jsonl", "Which label do the two sentences have?", SentencePairOptions, _find_own_pairs
    ),
    view=_VIEW,
    varied=_judged_by,
)
