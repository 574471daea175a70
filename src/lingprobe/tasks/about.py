"""What is known of each task before any data are read: what it is about, in which languages, who
asked it, under which licence its data are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, reduce
from operator import or_

from lingprobe import parts
from lingprobe.corpora.languages import spoken, three
from lingprobe.data.errors import UsageProblem
from lingprobe.tasks.released.catalogue import COLLECTIONS

SENTENCE, ASKED = "a sentence", "a sentence and asked words"
WORD, SPAN, SPANS = "a word", "a span", "two spans"
PAIR = "two sentences"
UNITS = (SENTENCE, ASKED, PAIR, WORD, SPAN, SPANS)
OWN = "that of the files that you name"
GENERATED = "none needed: lingprobe writes the sentences"
UNSTATED = "none is stated in the files"
OPEN = re.compile(r"CC0|CC BY(-SA)? \d|Apache|MIT|BSD|public domain", re.I)


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a task.

    unit       what a label is about, one of `UNITS`
    labels     what an example has: one of several classes, a set of labels, or a score
    reads      the data
    languages  codes; () where the data may be in any
    papers     keys of the bibliography: who asked it, then whose annotation it is
    licence    of the data
    size       examples in train, dev and test, where that is known
    """

    unit: str
    reads: str
    papers: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    licence: str = OWN
    labels: str = "classes"
    size: str = "as many as the data have"

    @property
    def open(self) -> bool:
        """Whether the data may be used and shared by anybody, or are the user's own."""
        return self.licence in (OWN, GENERATED) or bool(OPEN.match(self.licence))

    @property
    def years(self) -> tuple[str, ...]:
        """Its papers in short: first author and year, as `conneau2018`."""
        return tuple(map(short, self.papers))


def short(key: str) -> str:
    """The first author and the year of a key in the bibliography."""
    parts = re.match(r"((?:de-)?[a-z]+).*?(\d{4})", key)
    return "".join(parts.groups()).replace("-", "") if parts else key


def published(name: str) -> str:
    """The licence of a set that can be fetched, in words."""
    return next(c.terms for c in COLLECTIONS.values() if c.name.partition("/")[0] == name)


CONNEAU, TENNEY = "conneau-2018-cram", "tenney-2019-context"
KRASNOWSKA = "krasnowska-kieras-wroblewska-2019-empirical"
TREEBANK, FULL = "a Universal Dependencies treebank", "100,000 / 10,000 / 10,000"
SICK, CDSC = "CC BY-NC-SA 3.0", "wroblewska-krasnowska-kieras-2017-polish"
DADAS, RELATED = "dadas-2020-evaluation", ("marelli-2014-sick", KRASNOWSKA)
SPANS_OF_FILES = About(SPANS, "files of labelled spans", (TENNEY,))
KNOWN: Mapping[str, About] = {
    "ud/*": About(SENTENCE, TREEBANK, (KRASNOWSKA, "de-marneffe-2021-universal")),
    "tree/*": About(SENTENCE, "a constituency treebank", (CONNEAU,)),
    "edge/pos": About(SPAN, "a treebank", (TENNEY,)),
    "edge/feat": About(SPAN, TREEBANK, (TENNEY,)),
    "edge/const": About(SPAN, "a constituency treebank", (TENNEY,)),
    "edge/dep": About(SPANS, TREEBANK, (TENNEY,)),
    "edge/entities": About(SPAN, "files of entities", (TENNEY,)),
    "edge/chunks": About(SPAN, "files of chunks", (TENNEY,)),
    "edge/coref": SPANS_OF_FILES,
    "edge/srl": SPANS_OF_FILES,
    "edge/jsonl": SPANS_OF_FILES,
    "edge/spr1": About(
        SPANS, "SPR1 and the Penn Treebank", (TENNEY,), ("en",), "the text is LDC's", "label sets"
    ),
    "edge/spr2": About(
        SPANS, "SPR2", (TENNEY,), ("en",), published("spr2"), "label sets", "4,925 / 630 / 582"
    ),
    "edge/uds": About(
        SPANS,
        "UDS 1.0 and UD English EWT",
        (TENNEY,),
        ("en",),
        "CC BY-SA 4.0",
        "label sets",
        "5,669 / 751 / 670",
    ),
    "edge/dpr": About(SPANS, "DPR", (TENNEY,), ("en",), published("dpr"), size="1,787 / 379 / 949"),
    "edge/semeval": About(
        SPANS,
        "SemEval 2010, task 8",
        (TENNEY,),
        ("en",),
        published("semeval"),
        size="6,851 / 1,149 / 2,717",
    ),
    "senteval/*": About(
        SENTENCE,
        "the ten sets of SentEval",
        (CONNEAU,),
        ("en",),
        published("senteval"),
        size=FULL,
    ),
    "xprobe/*": About(
        SENTENCE,
        "X-Probe",
        ("ravishankar-2019-probing", CONNEAU),
        ("de", "en", "es", "fi", "fr", "ru", "tr"),
        published("xprobe"),
    ),
    "rusenteval/*": About(
        SENTENCE,
        "RuSentEval",
        ("mikhailov-2021-rusenteval",),
        ("ru",),
        published("rusenteval"),
    ),
    "ud2019/*": About(
        SENTENCE,
        "the nine sets of Krasnowska-Kieraś & Wróblewska",
        (KRASNOWSKA,),
        ("en", "pl"),
        published("ud2019"),
    ),
    "linspector/contextual": About(
        SPAN, "LINSPECTOR", ("sahin-2020-linspector",), licence="by language: see its page"
    ),
    "linspector/*": About(
        WORD, "LINSPECTOR", ("sahin-2020-linspector",), licence="by language: see its page"
    ),
    "indicsenteval": About(
        SENTENCE, "IndicSentEval", (), ("hi", "te"), "none is stated by its publishers"
    ),
    "text/8tags": About(
        SENTENCE,
        "8TAGS",
        (),
        ("pl",),
        "GPL-3 in the repository that has it",
        size="40,001 / 5,000 / 4,372",
    ),
    "text/wccrs-hotels": About(
        SENTENCE, "WCCRS", (), ("pl",), "CC BY-SA 4.0", size="12,435 / 1,555 / 1,554"
    ),
    "text/wccrs-medicine": About(SENTENCE, "WCCRS", (), ("pl",), "CC BY-SA 4.0"),
    "text/sst2": About(
        SENTENCE,
        "the Stanford Sentiment Treebank",
        (),
        ("en",),
        UNSTATED,
        size="67,349 / 872 / 1,821, or 6,920 in train without phrases",
    ),
    "text/sst5": About(
        SENTENCE,
        "the Stanford Sentiment Treebank",
        (),
        ("en",),
        UNSTATED,
        size="8,544 / 1,101 / 2,210",
    ),
    "text/trec": About(
        SENTENCE, "questions of TREC", (), ("en",), UNSTATED, size="5,452 / none / 500"
    ),
    "text/*": About(
        SENTENCE,
        "sentences in a file a class",
        (),
        ("en",),
        UNSTATED,
        size="without splits: mr 10,662, cr 3,771, subj 10,000, mpqa 10,603",
    ),
    "pair/mrpc": About(
        PAIR,
        "the Microsoft Research Paraphrase Corpus",
        ("dolan-brockett-2005-automatically",),
        ("en",),
        "Microsoft's own, beside the files",
        size="4,076 / none / 1,725, or 3,576 / 500 / 1,725",
    ),
    "pair/sick-e": About(PAIR, "SICK", RELATED, ("en",), SICK, size="4,500 / 500 / 4,927"),
    "pair/sick-r": About(PAIR, "SICK", RELATED, ("en",), SICK, "scores", "4,500 / 500 / 4,927"),
    "pair/sts-b": About(
        PAIR,
        "the STS Benchmark",
        ("cer-2017-semeval",),
        ("en",),
        UNSTATED,
        "scores",
        "5,749 / 1,500 / 1,379",
    ),
    **{
        f"pair/sts{year}": About(
            PAIR,
            f"the shared task STS of 20{year}",
            (f"agirre-20{year}-semeval",),
            ("en",),
            UNSTATED,
            "scores",
            f"none / none / {size}",
        )
        for year, size in (
            (12, "3,108"),
            (13, "1,500"),
            (14, "3,750"),
            (15, "3,000"),
            (16, "1,186"),
        )
    },
    "pair/snli": About(
        PAIR,
        "the Stanford Natural Language Inference corpus",
        ("bowman-2015-large",),
        ("en",),
        "CC BY-SA 4.0",
        size="549,367 / 9,842 / 9,824",
    ),
    "pair/cdsc-e": About(
        PAIR,
        "CDSCorpus",
        (CDSC, KRASNOWSKA),
        ("pl",),
        published("cds"),
        size="8,000 / 1,000 / 1,000",
    ),
    "pair/cdsc-r": About(
        PAIR,
        "CDSCorpus",
        (CDSC, KRASNOWSKA),
        ("pl",),
        published("cds"),
        "scores",
        "8,000 / 1,000 / 1,000",
    ),
    "pair/sick-pl-e": About(
        PAIR, "SICK in Polish", (DADAS,), ("pl",), SICK, size="4,439 / 495 / 4,906"
    ),
    "pair/sick-pl-r": About(
        PAIR, "SICK in Polish", (DADAS,), ("pl",), SICK, "scores", "4,439 / 495 / 4,906"
    ),
    "pair/ppc": About(
        PAIR,
        "the Polish Paraphrase Corpus",
        (DADAS,),
        ("pl",),
        "GPL-3 in the repository that has it",
        size="5,000 / 1,000 / 1,000",
    ),
    "pair/jsonl": About(PAIR, "pairs of your own", labels="classes or scores"),
    "table": About(SENTENCE, "a table of your own"),
}
"""What is known, by name or pattern; the first that fits counts."""


@cache
def known() -> Mapping[str, About]:
    """What is known, with what parts know of their tasks."""
    places = parts.tables("about").values()
    return reduce(or_, (parts.imported(place) for place in places), dict(KNOWN))


def about(name: str) -> About | None:
    """What is known of a task of that name; None for one of somebody else's."""
    there = any(fnmatchcase(name, pattern) for pattern in parts.tables("about"))
    every = known() if there else KNOWN  # parts are imported for tasks of their own alone
    return next((about for p, about in every.items() if fnmatchcase(name, p)), None)


@dataclass(frozen=True, slots=True)
class Sought:
    """What tasks are looked for; '' wants nothing.

    language  a code ('pl', 'pol') or a name ('Polish')
    paper     a paper in short ('conneau2018'), or the beginning of that
    unit      what a label is about ('span': one or two of them)
    licence   'open': data that anybody may use and share, or one's own
    """

    language: str = ""
    paper: str = ""
    unit: str = ""
    licence: str = ""

    def check(self) -> None:
        """Refuse a wish that no task can ever meet. UsageProblem."""
        if self.language and not any(map(three, spoken(self.language))):
            raise UsageProblem(
                f"no language {self.language!r}: give a code ('pl', 'pol') or a name ('Polish')"
            )
        papers = sorted({paper for about in known().values() for paper in about.years})
        if self.paper and not any(p.startswith(self._paper) for p in papers):
            raise UsageProblem(f"no paper {self.paper!r}: choose one of {', '.join(papers)}")
        if self.unit and not any(map(self._of_unit, UNITS)):
            raise UsageProblem(f"no unit {self.unit!r}: choose one of {', '.join(UNITS)}")
        if self.licence not in ("", "open"):
            raise UsageProblem(f"no licence {self.licence!r}: only 'open' can be asked for")

    def met(self, names: Iterable[str]) -> list[str]:
        """Those of some tasks that are looked for; one of which nothing is known meets no wish."""
        self.check()
        return [name for name in names if self == Sought() or self._met(about(name))]

    def _met(self, known: About | None) -> bool:
        if known is None:
            return False
        codes = spoken(self.language) if self.language else set()
        return (
            (not self.language or not known.languages or not codes.isdisjoint(known.languages))
            and (not self.paper or any(p.startswith(self._paper) for p in known.years))
            and (not self.unit or self._of_unit(known.unit))
            and (not self.licence or known.open)
        )

    @property
    def _paper(self) -> str:
        return re.sub(r"[\W_]", "", self.paper).lower()

    def _of_unit(self, unit: str) -> bool:
        """Whether a wish for units takes one: 'span' is one span or two, 'words' are asked."""
        return self.unit.lower().removesuffix("s") in unit
