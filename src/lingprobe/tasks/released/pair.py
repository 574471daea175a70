"""Labels and scores of two sentences as they were published: paraphrase, relatedness, entailment
and similarity, as SentEval reads them (Conneau & Kiela 2018), three sets in Polish, and pairs of
one's own.

The argument is the folder of a set, or the one that all sets of its publisher lie in. Quotes are
data, and rows keep their order. docs/tasks-published.md has the layouts and counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from lingprobe.corpora.columns import ColumnLayout
from lingprobe.corpora.files import read_text_lines
from lingprobe.corpora.strict import Malformed, parse_json
from lingprobe.data.core import SPLITS, DataProblem
from lingprobe.tasks.released.family import Options, TaskRelease
from lingprobe.tasks.released.folders import Files, definition, present
from lingprobe.tasks.task import TaskDefinition


@dataclass(frozen=True, slots=True)
class PairOptions(Options):
    """What every task about pairs of sentences takes.

    path        the folder of the released files; without, where `lingprobe fetch` puts them
    detokenise  raw text as a reader would see it, for encoders that want that (Moses conventions);
                published figures are without
    splits      published: as the files have them; senteval: the same with train whole where they
                have no dev; pairs are not drawn anew, as they share sentences
    dev         carved: a tenth of train where the files have no dev split; none: train stays whole,
                for probes that tune nothing
    on_error    raise: a bad row is an error; skip: bad rows are left out and counted
    seed, size  so many examples in all, drawn over all of the files with splits and classes in
                their shares; all without
    fold        refused, as splits are kept as they are
    """

    splits: Literal["published", "senteval"] = field(default="published", kw_only=True)


VIEW = "mean+contrast"
ENTAILMENT = ("ENTAILMENT", "CONTRADICTION", "NEUTRAL")


def _same_names(*names: str) -> tuple[tuple[str, str], ...]:
    """Labels that are called here as they stand in the files."""
    return tuple((name, name) for name in names)


def _splits(*names: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Files of train, dev and test, by the names that they may have."""
    return tuple(zip(SPLITS, names, strict=True))


def _release(layout: ColumnLayout, files: Files, fetched: str = "") -> TaskRelease:
    return TaskRelease("", (), replace(layout, trimmed=True), fetched, where=files)


def _class(
    name: str, asks: str, release: Callable[[PairOptions], TaskRelease]
) -> TaskDefinition[PairOptions]:
    return replace(definition(name, asks, PairOptions, release), view=VIEW)


def _score(
    name: str, asks: str, release: Callable[[PairOptions], TaskRelease]
) -> TaskDefinition[PairOptions]:
    return replace(_class(name, asks, release), metric="pearson", probe="relatedness")


MRPC = ColumnLayout(
    "Quality, two numbers, two sentences",
    5,
    0,
    3,
    second=4,
    called=_same_names("0", "1"),
    headings="Quality",
    raw=True,
)
PUBLISHED = (
    ("train", ("msr_paraphrase_train.txt",)),
    ("test", ("msr_paraphrase_test.txt",)),
)
DIVIDED = _splits(("msr-para-train.tsv",), ("msr-para-val.tsv",), ("msr-para-test.tsv",))
mrpc = _class(
    "pair/mrpc",
    "Do the two sentences say the same?",
    present(_release(MRPC, Files(("MRPC",), PUBLISHED)), _release(MRPC, Files(("MRPC",), DIVIDED))),
)

RELATED = ColumnLayout(
    "number of the pair, two sentences, score, label",
    5,
    3,
    1,
    second=2,
    headings="pair_ID",
    scores=(1, 5),
)
ENTAILED = replace(RELATED, label=4, scores=None, called=_same_names(*ENTAILMENT))
SICK = _splits(("SICK_train.txt",), ("SICK_trial.txt",), ("SICK_test_annotated.txt",))
CDS = _splits(("CDS_train.txt",), ("CDS_trial.txt",), ("CDS_test_annotated.txt",))


def _both(
    folders: tuple[str, ...], files: tuple[tuple[str, tuple[str, ...]], ...], least: int, get: str
) -> tuple[Callable[[PairOptions], TaskRelease], Callable[[PairOptions], TaskRelease]]:
    """The scores from `least` to 5 and the labels of a set in the layout of SICK."""
    where = Files(folders, files)
    related = _release(replace(RELATED, scores=(least, 5)), where, get)
    entailed = _release(ENTAILED, where, get)
    return lambda options: related, lambda options: entailed


FOLLOWS = "Does the second sentence follow from the first, contradict it, or neither?"
ENGLISH = _both(("SICK",), SICK, 1, "sick")
POLISH = _both(("SICK-PL", "SICK"), SICK, 1, "")
CORPUS = _both(("CDSCorpus", "CDS"), CDS, 0, "cds")
sick_r = _score(
    "pair/sick-r", "How related in meaning are the two sentences, from 1 to 5?", ENGLISH[0]
)
sick_e = _class("pair/sick-e", FOLLOWS, ENGLISH[1])
sick_pl_r = _score(
    "pair/sick-pl-r", "How related in meaning are the two sentences, from 1 to 5?", POLISH[0]
)
sick_pl_e = _class("pair/sick-pl-e", FOLLOWS, POLISH[1])
cdsc_r = _score(
    "pair/cdsc-r", "How related in meaning are the two sentences, from 0 to 5?", CORPUS[0]
)
cdsc_e = _class("pair/cdsc-e", FOLLOWS, CORPUS[1])

PPC = _release(
    ColumnLayout(
        "two sentences, label",
        3,
        2,
        0,
        second=1,
        headings="sentence_A",
        called=_same_names("1", "2", "3"),
        raw=True,
    ),
    Files(("PPC",), _splits(("train.txt",), ("dev.txt",), ("test.txt",))),
)
ppc = _class(
    "pair/ppc", "Are the two sentences exact paraphrases, close ones, or none?", lambda options: PPC
)

SIMILAR = "How similar in meaning are the two sentences, from 0 to 5?"
BENCHMARK = _release(
    ColumnLayout(
        "genre, file, year, number, score, two sentences",
        7,
        4,
        5,
        second=6,
        more=True,
        scores=(0, 5),
        tags=(("genre", 0), ("subset", 1)),
        raw=True,
    ),
    Files(
        ("STS/STSBenchmark", "STS-B", "STSBenchmark"),
        _splits(*((f"sts-{name}.csv", f"sts-{name}.tsv") for name in SPLITS)),
    ),
)
sts_b = _score("pair/sts-b", SIMILAR, lambda options: BENCHMARK)

CAPTIONS = "sentence1, sentence2 and gold_label"
SNLI_FOLDERS = ("SNLI", "snli_1.0")
JUDGED = ColumnLayout(
    "sentence, sentence, label",
    3,
    2,
    0,
    second=1,
    called=_same_names(*map(str.lower, ENTAILMENT)),
    absent="-",
    beside=3,
)


def _snli_release(layout: ColumnLayout, *patterns: str) -> TaskRelease:
    """The pairs of SNLI in files of some names."""
    files = tuple((split, (pattern.format(split),)) for split in SPLITS for pattern in patterns)
    return _release(layout, Files(SNLI_FOLDERS, files, len(patterns), some=True))


snli = _class(
    "pair/snli",
    FOLLOWS,
    present(
        _snli_release(JUDGED, "s1.{}", "s2.{}", "labels.{}"),
        _snli_release(
            replace(JUDGED, beside=1, between="", keys=("sentence1", "sentence2", "gold_label"),
                    shown=CAPTIONS, raw=True),
            "snli_1.0_{}.jsonl",
        ),
        _snli_release(
            replace(JUDGED, beside=1, label=0, text=5, second=6, columns=9, more=True,
                    headings="gold_label", raw=True,
                    shown="gold_label, four parses, two sentences, captionID, pairID"),
            "snli_1.0_{}.txt",
        ),
    ),
)  # fmt: skip

SUBSETS = {
    2012: "MSRpar MSRvid SMTeuroparl surprise.OnWN surprise.SMTnews",
    2013: "FNWN headlines OnWN SMT",
    2014: "deft-forum deft-news headlines images OnWN tweet-news",
    2015: "answers-forums answers-students belief headlines images",
    2016: "answer-answer headlines plagiarism postediting question-question",
}
SCORED = ColumnLayout(
    "score, two sentences",
    3,
    0,
    1,
    second=2,
    scores=(0, 5),
    absent="",
    subset=r"^(?:STS\.gs\.)?(?:surprise\.)?(.+?)(?:\.test\.tsv|\.txt)",
)


def _yearly(year: int) -> TaskDefinition[PairOptions]:
    """The test pairs of one year's shared task, whose subsets are strata."""
    names = SUBSETS[year].split()
    apart = tuple(
        ("test", (f"STS.{what}.{name}.txt",)) for name in names for what in ("gs", "input")
    )
    joined = tuple(("test", (f"{name.removeprefix('surprise.')}.test.tsv",)) for name in names)
    short = f"STS{year - 2000}-en-test"
    layouts = (
        (replace(SCORED, beside=2), Files((f"STS/{short}", short), apart, 2, some=True)),
        (
            replace(SCORED, raw=True),
            Files((f"STS12-16/{year}", str(year)), joined, some=True),
        ),
    )
    release = present(*(replace(_release(*each), needs=("test",)) for each in layouts))
    return replace(_score(f"pair/sts{year - 2000}", SIMILAR, release), probe="cosine")


sts12, sts13, sts14, sts15, sts16 = map(_yearly, SUBSETS)


OWN = ColumnLayout(
    "",
    3,
    2,
    0,
    second=1,
    between="",
    raw=True,
)
FOLDER = Files((), _splits(*((f"{split}.jsonl",) for split in SPLITS)), some=True)


def _has_scores(options: PairOptions) -> bool:
    """Whether the first line of one's own pairs has a score."""
    try:
        place = Path(options.path or "").expanduser()
        file = place if place.is_file() else FOLDER("pair/jsonl", place)[0].path
        row = parse_json(next(line for _, line in read_text_lines(file) if line.strip()))
    except (DataProblem, Malformed, StopIteration):
        return False  # whoever reads the file says what is wrong
    return isinstance(row, dict) and "score" in row


def _own(options: PairOptions) -> TaskRelease:
    """One's own pairs: a file whose lines say the split, or a folder with a file a split."""
    scored = _has_scores(options)
    keys = ("a", "b", "score" if scored else "label")
    whole = Path(options.path or "").expanduser().is_file()
    layout = replace(
        OWN,
        keys=(*keys, "split") if whole else keys,
        columns=len(keys) + whole,
        split=len(keys) if whole else None,
        scores=(-math.inf, math.inf) if scored else None,
    )
    shown = f"{', '.join(layout.keys[:-1])} and {layout.keys[-1]}"
    return _release(replace(layout, shown=shown), FOLDER)


def _judged_by(options: PairOptions) -> Mapping[str, str]:
    """The question and the metric, as the first line has a label or a score."""
    if not _has_scores(options):
        return {}
    return {"question": "Which score do the two sentences have?", "metric": "pearson"}


jsonl = replace(
    _class("pair/jsonl", "Which label do the two sentences have?", _own), varied=_judged_by
)
