"""The options of the ten tree tasks, and what they make of the sources."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sonde.references import Place
from sonde.tasks.parsed import ParsedCorpus, Source
from sonde.tasks.questions import CorpusOptions
from sonde.tasks.tree.corpus import corpus, sources


@dataclass(frozen=True, slots=True)
class Options(CorpusOptions):
    """What every tree task takes; an option that a task has no use for changes nothing in it.

    path      trees in brackets: a file or a folder of them, plain, .gz or .xz; also running text
              (.txt) and tagged text (.tagged)
    freq      corpora that frequencies are taken from, of any of these kinds; none: the sources
              themselves
    inventory found: TopConst's classes are the most frequent sequences of the sources; published:
    those of SentEval's README
    bins      equal: SentLen's six bins are equally wide, as the paper says; readme: as in the
              published files
    rules     sonde: as docs/tasks-tree.md says; paper: BShift, TopConst, SubjNum, ObjNum and
              CoordInv as literally as the paper and its README have them, without what was left out
              since
    depths    flat: TreeDepth has equally many sentences of each depth; gaussian: lengths and depths
              follow a Gaussian over both with a diagonal covariance, as the README says, so that
              depths in the middle are more frequent
    band      scaled: target forms of Tense, SubjNum and ObjNum are neither rare nor common for so
              many sentences; literal: they occur 100 to 5,000 times in the sources or `freq`, as
              the README says
    """

    freq: tuple[Place, ...] = field(default=(), kw_only=True)
    inventory: Literal["found", "published"] = field(default="found", kw_only=True)
    bins: Literal["equal", "readme"] = field(default="equal", kw_only=True)
    band: Literal["scaled", "literal"] = field(default="scaled", kw_only=True)
    depths: Literal["flat", "gaussian"] = field(default="flat", kw_only=True)
    rules: Literal["sonde", "paper"] = field(default="sonde", kw_only=True)

    @property
    def literal(self) -> bool:
        """Whether rules are the paper's."""
        return self.rules == "paper"

    @property
    def sources(self) -> list[Source]:
        """The files."""
        return sources(self.path, self.with_)

    def corpus(self) -> ParsedCorpus:
        """What the sources hold."""
        return corpus(self.path, self.with_, self.on_error, self.literal)

    @property
    def counted(self) -> bool:
        """Whether target forms are kept or left out by their frequency in a corpus, not by that
        among the candidates.
        """
        return bool(self.freq) or self.band == "literal"
