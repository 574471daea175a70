"""Files as questions read them: a parsed corpus holds sentences and what rules say of each of them,
so that all tasks of the same files read them once.
"""

from __future__ import annotations

import gc
import math
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from sonde.core import DataProblem, Sentence
from sonde.corpora.batches import Batch
from sonde.corpora.files import Part, digest, treebank, uncompressed
from sonde.corpora.machine import confidences, machines, one_each
from sonde.corpora.places import located
from sonde.corpora.style import Style
from sonde.corpora.tally import OnError, Tally
from sonde.corpora.views import Block, blocks
from sonde.datasets import Candidate
from sonde.datasets.candidates import NOTHING
from sonde.notes import ByParser
from sonde.oracles import Facts
from sonde.tasks.answers import Answer, Finding

KEPT = 500_000  # sentences kept for the next task; the latest corpus is kept whatever its size


class Sentences(Protocol):
    """What was read from some files."""

    @property
    def sentences(self) -> Sized: ...


G = TypeVar("G", bound=Sentences)
T = TypeVar("T")


@lru_cache(maxsize=2)
def _sure(files: tuple[str, ...], mark: str) -> Mapping[int, float]:
    """How sure a parser was of the sentences of some files, read once for all tasks; `mark` tells
    one content from another.
    """
    return confidences(map(Path, files))


class Memory(Generic[G]):
    """The latest corpora, so that all tasks of the same files read them once; safe among
    threads.
    """

    def __init__(self) -> None:
        self._found: OrderedDict[object, G] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: object, make: Callable[[], G]) -> G:
        """What is held under a key, or made now."""
        with self._lock:
            if key not in self._found:
                self._found[key] = make()
            self._found.move_to_end(key)
            while (
                len(self._found) > 1
                and sum(len(held.sentences) for held in self._found.values()) > KEPT
            ):
                self._found.popitem(last=False)
            return self._found[key]

    def clear(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._found.clear()


@dataclass(frozen=True, slots=True)
class OracleFacts:
    """What an oracle says of sentences."""

    sentences: Mapping[Sentence, Facts]


_FACTS: Memory[OracleFacts] = Memory()


def oracle_facts(
    key: object, read: Callable[[], Iterable[tuple[Sentence, Facts]]]
) -> Mapping[Sentence, Facts]:
    """What an oracle says of the sentences of some files, read once; of equal sentences the first
    counts.
    """

    def read_all() -> OracleFacts:
        by_sentence: dict[Sentence, Facts] = {}
        with uncollected():
            for sentence, facts in read():
                by_sentence.setdefault(sentence, facts)
        return OracleFacts(by_sentence)

    return _FACTS.get(key, read_all).sentences


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the garbage collector from walking over all the tuples again and again while they are
    made; none is in a cycle.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


class Source(NamedTuple):
    """A file, and the name that its sentences are reported by."""

    name: str
    part: Part


def sources(paths: Sequence[str], parts: Callable[[str], Iterable[Part]]) -> list[Source]:
    """The files that some paths name, by the last part of the path, or all of it where several
    paths end alike.
    """
    short = [uncompressed(Path(path)).name for path in paths]
    names = [
        path if short.count(name) > 1 else name for path, name in zip(paths, short, strict=True)
    ]
    files = [
        Source(name, part) for name, path in zip(names, paths, strict=True) for part in parts(path)
    ]
    seen: set[Path] = set()
    for _, part in files:
        if part.path.resolve() in seen:
            raise DataProblem(f"{part.path} is named twice; with= is for further files")
        seen.add(part.path.resolve())
    return files


@lru_cache
def stratum(source: str) -> Mapping[str, str]:
    """The stratum that says which source a sentence comes from, one mapping for all of them;
    nothing without a name.
    """
    return MappingProxyType({"source": source}) if source else NOTHING


def source_notes(task: str, files: Sequence[str], tally: Tally, **more: Any) -> dict[str, Any]:
    """Notes that say what was read: the files, how many sentences and words, how many were skipped,
    and the first problems.
    """
    source = {
        "files": list(files),
        "sentences": tally.sentences,
        "words": tally.words,
        "skipped": tally.skipped,
        **more,
    }
    return {"source": source, **remarks(task, tally, files), "problems": list(tally.problems)}


def remarks(task: str, tally: Tally, files: Iterable[str]) -> dict[str, Any]:
    """What tables say about the sources as they are, as a note, and which parser's the labels are;
    {} where there is nothing to say.
    """
    by = machines(map(Path, files))
    said = [*tally.remarks(), *(each.remark(task) for each in by)]
    wrong = [each.wrong(task) for each in by]
    known = max((w for w in wrong if not math.isnan(w)), default=None)
    parser = ByParser(", ".join(each.parser for each in by), known)
    return {
        **({"remarks": said} if said else {}),
        **({parser.key: parser.plain()} if by else {}),
    }


@dataclass(frozen=True)
class ParsedCorpus:
    """The sentences of some files and what rules say of them, one value a sentence in each list.
    Trees are not kept.

    answers   by rule, an answer or the reason why there is none
    splits    what the files' names say; sources: the name of each sentence's, '' where none is told
    depths    of dependency trees; 0 without
    counted   how often each word form occurs, where sentences that are left out count, too;
              empty where they do not
    left_out  sentences by reason
    styles    of annotation, by file
    """

    files: tuple[str, ...]
    answers: dict[str, list[Any]] = field(default_factory=dict)
    sentences: list[Sentence] = field(default_factory=list)
    splits: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    styles: dict[str, Style] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)

    @cached_property
    def forms(self) -> Mapping[str, int]:
        """How often each word form occurs."""
        return self.counted or Counter(chain.from_iterable(s.words for s in self.sentences))

    def candidate(self, row: int, label: str) -> Candidate:
        """A sentence with a label that is about no word of it."""
        return Candidate(
            self.sentences[row], label, "", self.splits[row], stratum(self.sources[row])
        )

    def candidates(self, findings: Sequence[Finding]) -> list[Candidate]:
        """The sentences that have an answer."""
        keys = list(zip(map(id, findings), self.sources, strict=True))
        objects = dict(zip(map(id, findings), findings, strict=True))
        strata = {
            (key, source): {**finding.strata, **stratum(source)}
            for key, source in dict.fromkeys(keys)
            if type(finding := objects[key]) is Answer
        }
        columns = zip(self.sentences, findings, self.splits, keys, strict=True)
        return [
            Candidate(sentence, f.label, f.target, split, strata[key])
            for sentence, f, split, key in columns
            if type(f) is Answer
        ]

    def surer(self, least: float) -> ParsedCorpus:
        """The sentences of which a parser was at least so sure; what that makes of them is said.

        DataProblem where no parser told how sure it was.
        """
        known = _sure(self.files, digest(self.files))
        if not known:
            raise DataProblem(
                f"min_confidence={least}: nothing in {self.files[0]} says how sure a parser was"
            )
        rows = [i for i, s in enumerate(self.sentences) if known.get(hash(s.words), 0.0) >= least]
        if not rows:
            raise DataProblem(
                f"min_confidence={least}: of no sentence was the parser so sure; the surest is"
                f" {max(known.values()):.2f}"
            )
        return replace(
            self,
            answers={rule: _rows(said, rows) for rule, said in self.answers.items()},
            sentences=_rows(self.sentences, rows),
            splits=_rows(self.splits, rows),
            sources=_rows(self.sources, rows),
            depths=_rows(self.depths, rows),
            tally=replace(self.tally, noted=[*self.tally.noted, self._bias(least, rows)]),
        )

    def _bias(self, least: float, rows: list[int]) -> str:
        """What the surer sentences are like, beside all."""
        lengths = [len(s.words) for s in self.sentences]
        words = fmean(lengths[i] for i in rows), fmean(lengths)
        depths = fmean(self.depths[i] for i in rows), fmean(self.depths)
        deep = f", and trees are {depths[0]:.1f} deep, not {depths[1]:.1f}" if depths[1] else ""
        return (
            f"min_confidence={least:g} keeps {100 * len(rows) / len(lengths):.0f} % of the"
            f" sentences; they have {words[0]:.1f} words, all have {words[1]:.1f}{deep}"
        )

    def foreign_values(self) -> str:
        """Which features have none of UD's values, in words; '' where all have some."""
        return "; ".join(filter(None, (style.foreign_values() for style in self.styles.values())))

    def refuse_first_release(self) -> None:
        """A DataProblem where a treebank has the relations of release 1, which rules about
        relations would misread.
        """
        for path, style in self.styles.items():
            if old := style.first_release():
                raise DataProblem(
                    f"{path} {old}, and this is about relations of release 2: get a newer release"
                    " of the treebank, or convert it"
                )


def _rows(values: list[T], rows: Sequence[int]) -> list[T]:
    return [values[i] for i in rows]


Judge = Callable[[Block, list[Sentence]], Mapping[str, Sequence[Any]]]
"""What rules say of the sentences of a block, by rule."""


Read = Callable[[ParsedCorpus, Source, OnError], Iterable[Block]]
"""The sentences of a file that a corpus takes, and what it counts of the others."""


def every(corpus: ParsedCorpus, source: Source, on_error: OnError) -> Iterator[Block]:
    """All sentences of a file."""
    return blocks(source.part.path, on_error, corpus.tally)


def parsed_corpus(
    files: Sequence[Source],
    on_error: OnError,
    judge: Judge,
    read: Read = every,
    which: str = "sentences",
) -> ParsedCorpus:
    """The sentences of some files, and what rules say of them; `which`, in words, where it is not
    every one that is read.
    """
    corpus = ParsedCorpus(tuple(str(source.part.path) for source in files))
    for source in files:
        for block in read(corpus, source, on_error):
            sentences = block.sentences()
            _note(corpus, block, str(source.part.path))
            corpus.sentences.extend(sentences)
            corpus.splits.extend([source.part.split] * len(sentences))
            corpus.sources.extend([source.name] * len(sentences))
            for rule, findings in judge(block, sentences).items():
                corpus.answers.setdefault(rule, []).extend(findings)
    if not corpus.sentences:
        problems = corpus.tally.problems
        first = f"; the first problem: {problems[0]}" if problems else ""
        raise DataProblem(f"no {which} in {', '.join(corpus.files)}{first}")
    return corpus


def _note(corpus: ParsedCorpus, block: Block, path: str) -> None:
    """Note the depths of the trees, and the style that they are annotated in."""
    if isinstance(block, Batch):
        corpus.depths.extend(block.depths.tolist())
        style = corpus.styles.setdefault(path, Style())
        style.add(block.deprels.names, block.feats.names)
    else:
        corpus.depths.extend([0] * len(block.sentences()))


CORPORA: Memory[ParsedCorpus] = Memory()
"""The corpora that were read last."""


def same_files(files: Sequence[Source]) -> tuple[object, ...]:
    """What is equal for files of the same names, splits and contents."""
    named = [(name, part.split, str(part.path.resolve())) for name, part in files]
    return (*named, digest(source.part.path for source in files))


def treebanks(path: str, more: tuple[str, ...], suffixes: tuple[str, ...]) -> list[Source]:
    """The files that some paths name: trees, or running text one sentence a line (.txt); of one
    path the files need no name.
    """

    def parts(place: str) -> list[Part]:
        if is_text(Path(place)):
            return [Part("", _file(place))]
        return one_each(treebank(place, suffixes))

    files = sources((path, *more), parts)
    return files if more else [source._replace(name="") for source in files]


def is_text(path: Path) -> bool:
    """Whether a file is running text, which has no trees."""
    return uncompressed(path).suffix == ".txt"


def _file(path: str) -> Path:
    file = located(path)
    if not file.is_file():
        raise DataProblem(
            f"no file {path!r}; give running text, one sentence a line, as .txt, .txt.gz or .txt.xz"
        )
    return file
