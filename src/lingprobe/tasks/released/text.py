"""Labels of whole sentences as they were published: SentEval's sentiment, subjectivity and question
sets (Conneau & Kiela 2018), and three Polish ones, as Dadas distributes them.

The argument is the folder of a set, or the one that all sets of its publisher lie in. Quotes are
data, blank lines are excluded and counted, and rows keep their order. docs/tasks-published.md has
the layouts and counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from lingprobe.data.options import Help
from lingprobe.tasks.released.family import (
    ReleaseOptions,
    Splits,
)
from lingprobe.tasks.released.sets import define_set, list_releases


@dataclass(frozen=True, slots=True)
class UnsplitOptions(ReleaseOptions):
    """`mr`, `cr`, `subj` and `mpqa` have no splits: they are sampled again from all rows."""

    splits: Annotated[
        Splits,
        Help(
            "sampled: drawn from all rows, without duplicates; senteval: all rows in ten folds"
            " without a dev split, as its code takes them; published: refused, since the files"
            " have none"
        ),
    ] = field(default="sampled", kw_only=True)


@dataclass(frozen=True, slots=True)
class Sst2Options(ReleaseOptions):
    """What the two-way task of the Stanford Sentiment Treebank takes."""

    phrases: Annotated[
        bool,
        Help(
            "true: train has phrases as well, as in SentEval's files (sentiment-train); false:"
            " whole sentences alone, as in those of Kim 2014 (stsa.binary.train)"
        ),
    ] = field(default=True, kw_only=True)


@dataclass(frozen=True, slots=True)
class TrecOptions(ReleaseOptions):
    """What the question types of TREC take."""

    labels: Annotated[
        Literal["coarse", "fine"],
        Help("coarse: six types of answers; fine: their fifty kinds"),
    ] = field(default="coarse", kw_only=True)


_PHRASES, _SENTENCES = list_releases("text/sst2")
[_QUESTIONS] = list_releases("text/trec")

mr, cr, subj, mpqa = (
    define_set(f"text/{name}", UnsplitOptions) for name in ("mr", "cr", "subj", "mpqa")
)
sst2 = define_set(
    "text/sst2", Sst2Options, lambda options: _PHRASES if options.phrases else _SENTENCES
)
sst5, _8tags, wccrs_hotels, wccrs_medicine = (
    define_set(f"text/{name}", ReleaseOptions)
    for name in ("sst5", "8tags", "wccrs-hotels", "wccrs-medicine")
)
trec = define_set(
    "text/trec",
    TrecOptions,
    lambda options: replace(
        _QUESTIONS, layout=replace(_QUESTIONS.layout, fine=options.labels == "fine")
    ),
)
