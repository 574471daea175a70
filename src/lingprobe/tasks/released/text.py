"""Labels of whole sentences as they were published: SentEval's sentiment, subjectivity and question
sets (Conneau & Kiela 2018), and three Polish ones, as Dadas distributes them.

The argument is the folder of a set, or the one that all sets of its publisher lie in. Quotes are
data, blank lines are left out and counted, and rows keep their order. docs/tasks-published.md has
the layouts and counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from lingprobe.corpora.columns import ColumnLayout
from lingprobe.data.core import SPLITS
from lingprobe.tasks.released.family import (
    Options,
    Splits,
    TaskRelease,
)
from lingprobe.tasks.released.folders import Files, definition
from lingprobe.tasks.task import TaskDefinition


@dataclass(frozen=True, slots=True)
class UnsplitOptions(Options):
    """What tasks take whose files say no splits: they are drawn anew from all rows.

    path        the folder of the released files
    detokenise  raw text as a reader would see it, for encoders that want that (Moses conventions);
                published figures are without
    splits      sampled: drawn from all rows, without duplicates; senteval: all rows in ten folds
                without a dev split, as its code takes them; published: refused, since the files
                have none
    dev         what to do without a dev split; sampled splits have one
    on_error    raise: a bad row is an error; skip: bad rows are left out and counted
    seed, size  so many examples in all, classes in their shares; all without
    fold        'i/k': fold i of k is the test split
    """

    splits: Splits = field(default="sampled", kw_only=True)


@dataclass(frozen=True, slots=True)
class Sst2Options(Options):
    """What the two-way task of the Stanford Sentiment Treebank takes.

    path        the folder of the released files
    phrases     true: train has phrases as well, as in SentEval's files (sentiment-train); false:
                whole sentences alone, as in those of Kim 2014 (stsa.binary.train)
    detokenise  raw text as a reader would see it, for encoders that want that (Moses conventions);
                published figures are without
    splits      published: as the files have them, and as SentEval takes them; sampled: drawn anew
                from all rows, without duplicates
    dev         what to do without a dev split; the files have one
    on_error    raise: a bad row is an error; skip: bad rows are left out and counted
    seed, size  so many examples in all, drawn over all of the files with splits and classes in
                their shares; all without
    fold        with sampled splits, 'i/k': fold i of k is the test split
    """

    phrases: bool = field(default=True, kw_only=True)


@dataclass(frozen=True, slots=True)
class TrecOptions(Options):
    """What the question types of TREC take.

    path        the folder of the released files
    labels      coarse: six types of answers; fine: their fifty kinds
    detokenise  raw text as a reader would see it, for encoders that want that (Moses conventions);
                published figures are without
    splits      published: as the files have them; sampled: drawn anew from all rows, without
                duplicates; senteval: published with train whole, as dev=none
    dev         carved: a tenth of train, as the files have no dev split; none: train stays whole,
                for probes that tune nothing
    on_error    raise: a bad row is an error; skip: bad rows are left out and counted
    seed, size  so many examples in all, drawn over all of the files with splits and classes in
                their shares; all without
    fold        with sampled splits, 'i/k': fold i of k is the test split
    """

    labels: Literal["coarse", "fine"] = field(default="coarse", kw_only=True)


def _two(folder: str, stem: str, ends: Mapping[str, str]) -> TaskRelease:
    """A set of two files without splits, and the labels that the ends of their names stand for."""
    layout = ColumnLayout(
        "words",
        1,
        label=None,
        text=0,
        between="",
        trimmed=True,
        encoding="latin-1",
        ends=tuple(ends.items()),
    )
    return _release(layout, Files((folder,), tuple(("", (stem + end,)) for end in ends)))


def _split(folders: tuple[str, ...], layout: ColumnLayout, *patterns: str) -> TaskRelease:
    """A set of three files, whose names are patterns with the split in them."""
    named = tuple((split, tuple(p.format(split) for p in patterns)) for split in SPLITS)
    return _release(layout, Files(folders, named))


def _release(layout: ColumnLayout, files: Files) -> TaskRelease:
    return TaskRelease("", (), layout, where=files, gaps=True)


def _numbered_layout(many: int) -> ColumnLayout:
    """Lines that begin with a class, a number from 0, and a blank."""
    called = tuple((str(i), str(i)) for i in range(many))
    return ColumnLayout("label, words", 2, 0, 1, called=called, between=" ", trimmed=True)


POLARITY = {".pos": "positive", ".neg": "negative"}
SST = ColumnLayout("words, label", 2, 1, 0, called=(("0", "0"), ("1", "1")), trimmed=True)
PHRASES = _split(("SST/binary",), SST, "sentiment-{}")
SENTENCES = _split((), _numbered_layout(2), "stsa.binary.{}")
QUESTIONS = ColumnLayout(
    "label, words",
    2,
    0,
    1,
    called=tuple((name, name) for name in ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")),
    between=" ",
    trimmed=True,
    encoding="latin-1",
    within=":",
)
TREC = _release(
    QUESTIONS,
    Files(
        ("TREC",),
        (("train", ("train_5500.label", "TREC.train")), ("test", ("TREC_10.label", "TREC.test"))),
    ),
)


def _unsplit(name: str, asks: str, release: TaskRelease) -> TaskDefinition[UnsplitOptions]:
    return definition(name, asks, UnsplitOptions, lambda options: release)


def _define_task(name: str, asks: str, release: TaskRelease) -> TaskDefinition[Options]:
    return definition(name, asks, Options, lambda options: release)


mr = _unsplit(
    "text/mr",
    "Does the sentence praise or blame a film?",
    _two("MR", "rt-polarity", POLARITY),
)
cr = _unsplit(
    "text/cr",
    "Does the sentence praise or blame a product?",
    _two("CR", "custrev", POLARITY),
)
subj = _unsplit(
    "text/subj",
    "Does the sentence give an opinion of a film, or tell its plot?",
    _two("SUBJ", "subj", {".objective": "objective", ".subjective": "subjective"}),
)
mpqa = _unsplit(
    "text/mpqa",
    "Is the opinion that the phrase expresses positive or negative?",
    _two("MPQA", "mpqa", POLARITY),
)
sst2 = definition(
    "text/sst2",
    "Does the sentence praise or blame a film, where it does either?",
    Sst2Options,
    lambda options: PHRASES if options.phrases else SENTENCES,
)
sst5 = _define_task(
    "text/sst5",
    "How good does the sentence find a film, in five steps?",
    _split(("SST/fine", "SST/Fine-Grained"), _numbered_layout(5), "sentiment-{}", "stsa.fine.{}"),
)
trec = definition(
    "text/trec",
    "What type of answer does the question ask for?",
    TrecOptions,
    lambda options: replace(TREC, layout=replace(QUESTIONS, fine=options.labels == "fine")),
)
_8tags = _define_task(
    "text/8tags",
    "Which of eight topics is the headline about?",
    _split(("8TAGS",), _numbered_layout(8), "{}.txt"),
)
wccrs_hotels = _define_task(
    "text/wccrs-hotels",
    "What sentiment does the sentence of a review of a hotel express?",
    _split(("WCCRS_HOTELS",), _numbered_layout(4), "{}.txt"),
)
wccrs_medicine = _define_task(
    "text/wccrs-medicine",
    "What sentiment does the sentence of a review of a doctor express?",
    _split(("WCCRS_MEDICINE",), _numbered_layout(4), "{}.txt"),
)
