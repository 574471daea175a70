"""Data sets that somebody released with labels and splits: read as they are, nothing drawn, nothing
balanced, nothing shuffled.

A `TaskRelease` says what is asked, which file holds it, in which layout: a row of `probing.tsv`, or
written out. docs/tasks-published.md has the families, where their files differ from their
descriptions, and what could not be checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from lingprobe.corpora.columns import (
    SENTEVAL_SPLIT_CODES,
    ColumnLayout,
    ReadingPolicy,
    TableExamples,
)
from lingprobe.corpora.files import (
    CorpusPart,
    compressed_last,
    split_of,
    uncompressed_path,
)
from lingprobe.corpora.rendering import detokenize_words
from lingprobe.corpora.tally import OnError
from lingprobe.data.cache import cache_dir
from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, Example, Sentence
from lingprobe.data.options import Help
from lingprobe.data.oracles import Facts
from lingprobe.data.references import PlaceOption
from lingprobe.datasets.candidates import Candidate
from lingprobe.datasets.draw import sample
from lingprobe.datasets.settings import SampleSettings
from lingprobe.datasets.splits import carve_dev, draw_examples
from lingprobe.tasks.released.cross_validation import make_fold
from lingprobe.tasks.task import TaskDefinition

Splits = Literal["published", "sampled", "senteval"]
_SUFFIXES = (".txt", ".tsv", ".csv")


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    """What every task of a released data set takes."""

    path: Annotated[
        PlaceOption | None,
        Help(
            "the folder of the released files, or the task's own file; without, where `lingprobe"
            " fetch` puts them"
        ),
    ] = None
    detokenise: Annotated[
        bool,
        Help(
            "raw text as a reader would see it, for encoders that want that (Moses conventions);"
            " published figures are without"
        ),
    ] = field(default=False, kw_only=True)
    splits: Annotated[
        Splits,
        Help(
            "published: as the files have them; sampled: sampled again from all rows, without"
            " duplicates, where files lack a split; senteval: as its code takes them (files"
            " without splits in ten folds of all rows, train whole where there is no dev)"
        ),
    ] = field(default="published", kw_only=True)
    dev: Annotated[
        Literal["carved", "none"],
        Help(
            "carved: a tenth of train where the files have no dev split; none: train stays whole,"
            " for probes that tune nothing"
        ),
    ] = field(default="carved", kw_only=True)
    on_error: Annotated[
        Literal["raise", "skip"],
        Help("raise: a bad row is an error; skip: bad rows are excluded and counted"),
    ] = field(default="raise", kw_only=True)
    seed: Annotated[
        int,
        Help("the random seed of what is sampled", "0"),
    ] = field(default=0, kw_only=True)
    size: Annotated[
        int | None,
        Help(
            "so many examples in all, sampled from all of the files with splits and classes in"
            " their shares; all without"
        ),
    ] = field(default=None, kw_only=True)
    fold: Annotated[
        str | None,
        Help("with sampled splits, `i/k`: fold i of k is the test split"),
    ] = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class TaskRelease:
    """A released data set, as its publishers describe it.

    asks     the question
    names    what its file or folder is called, without suffix; capitals and marks do not matter
    layout   the columns of its files
    fetched  what `lingprobe fetch` calls its collection; '' where it gets none
    probe    what it is read with where nothing else is said
    view     how units are brought together
    baselines  encoders that stand in its table beside the baselines of every task
    reference_lines  baselines that solve it by its definition, which no encoder has to beat
    altered  the label of sentences that were altered, which words alone must not tell from the
             others; '' where none were
    strata   what more there is to say of an example, to report by
    told     notes on the whole set
    where    finds the files below a folder, where they go by names of their own; DataProblem where
             they are not there
    needs    the splits without which it cannot be measured
    gaps     whether files have blank lines as published, which are excluded and counted
    oracles  where what sentences say can be read off them: by name, a sentence about an oracle, and
             its facts of a sentence
    name     of the task, which `define_task` gives it
    """

    asks: str
    names: tuple[str, ...]
    layout: ColumnLayout
    fetched: str = ""
    probe: str = "linear"
    view: str = "mean"
    baselines: tuple[str, ...] = ()
    reference_lines: tuple[str, ...] = ()
    altered: str = ""
    strata: Callable[[Example], Mapping[str, str]] | None = None
    told: Callable[[Dataset], Mapping[str, Any]] | None = None
    where: Callable[[str, Path], list[CorpusPart]] | None = None
    needs: tuple[str, ...] = ("train", "test")
    gaps: bool = False
    oracles: Mapping[str, tuple[str, Callable[[Sentence], Iterable[str]]]] = field(
        default_factory=dict, compare=False
    )
    name: str = ""

    def define_task(self, name: str) -> TaskDefinition[ReleaseOptions]:
        """The definition of a task that reads it."""
        release = replace(self, name=name)
        return TaskDefinition(
            name,
            release.asks,
            ReleaseOptions,
            release.load,
            release.parts,
            probe=release.probe,
            view=release.view,
            baselines=release.baselines,
            reference_lines=release.reference_lines,
            oracles={oracle: about for oracle, (about, _) in release.oracles.items()},
            facts=release.facts,
            whole=release.whole,
        )

    def facts(
        self, oracle: str, options: ReleaseOptions, sentences: Collection[Sentence]
    ) -> Mapping[Sentence, Facts]:
        """The facts of sentences about wholes; one that cannot be read has none."""
        _, told = self.oracles[oracle]
        return {sentence: (tuple(told(sentence)),) for sentence in sentences}

    def parts(self, options: ReleaseOptions) -> list[CorpusPart]:
        """The task's files and the splits that their names say, '' where rows say it themselves;
        DataProblem for files that are missing.
        """
        path = options.path
        if path is None and not self.fetched:
            raise DataProblem(f"{self.name} needs its files: write {self.name}:FOLDER")
        place = cache_dir() / "data" / self.fetched if path is None else Path(path).expanduser()
        if self.where is not None and not (self.layout.keys and place.is_file()):
            if path is None and not place.is_dir():
                raise DataProblem(
                    f"{self.name} needs its files: `lingprobe fetch {self.fetched}` gets them, or"
                    f" write {self.name}:FOLDER"
                )
            return self.where(self.name, place)
        if place.is_file():
            return [CorpusPart(_find_named_split(place, self.layout), place)]
        files = _find_release_files(place, self) if place.is_dir() else []
        if not files:
            get = f"`lingprobe fetch {self.fetched}` gets it, or write" if self.fetched else "write"
            raise DataProblem(
                f"no {self.names[0]} in {str(place)!r}; {get} {self.name}:FOLDER for a folder"
                " that has it"
            )
        return files

    def load(self, options: ReleaseOptions) -> Dataset:
        """The examples of released files, read exactly as they are; what was excluded, and why, is
        in the notes.
        """
        examples, notes = self._read(options)
        if options.splits == "sampled":
            return sample(self._candidates(examples), self._settings(options), notes)
        if whole := options.splits == "senteval" and not any(e.split for e in examples):
            self._candidates(examples)  # which refuses what cannot be drawn
            examples = [replace(example, split="train") for example in examples]
        else:
            self._check(examples, options)
        if options.size is not None:
            notes["size"] = {"asked": options.size, "of": len(examples), "seed": options.seed}
            examples = draw_examples(examples, options.size, options.seed)
        if whole:
            return make_fold(examples, options.fold, notes)
        dataset = Dataset.of(examples, notes)
        carved = options.dev == "carved" and options.splits == "published"
        if carved and "train" in self.needs:
            dataset = carve_dev(dataset, options.seed)
        return dataset if self.told is None else dataset.with_notes(**self.told(dataset))

    def whole(self, options: ReleaseOptions) -> Dataset:
        """All that the files have, whatever splits they lack: for an audit of what was
        published.
        """
        drawn = options.splits != "published"
        return self.load(options) if drawn else Dataset.of(*self._read(options))

    def _read(self, options: ReleaseOptions) -> tuple[list[Example], dict[str, Any]]:
        files, lenient = self.parts(options), options.on_error
        blank: OnError = "skip" if self.gaps else lenient
        reading = ReadingPolicy(lenient, blank, detokenize_words if options.detokenise else None)
        rows = TableExamples(self.layout, reading)
        tables = [
            files[i : i + self.layout.beside] for i in range(0, len(files), self.layout.beside)
        ]
        examples = [
            example
            for (split, path), *more in tables
            for example in rows.read(path, split, *(part.path for part in more))
        ]
        if (more := self.strata) is not None:
            examples = [
                replace(example, strata={**example.strata, **more(example)}) for example in examples
            ]
        altered = {"altered": self.altered} if self.altered else {}
        source = {"files": [str(part.path) for part in files], **rows.counts()}
        return examples, {**altered, "source": source, "problems": list(rows.tally.problems)}

    def _settings(self, options: ReleaseOptions) -> SampleSettings:
        return SampleSettings(
            seed=options.seed, size=options.size, fold=options.fold, balance=False
        )

    def _candidates(self, examples: list[Example]) -> list[Candidate]:
        if not self._drawable:
            raise DataProblem(
                f"{self.name} is not about whole sentences, and only those are sampled: leave"
                " splits=sampled out"
            )
        return [Candidate(example.sites[0].sentence, example.label) for example in examples]

    @property
    def _drawable(self) -> bool:
        """Whether `splits=sampled` can draw the splits anew from all rows."""
        return self.layout.token is None and self.layout.second is None

    def _check(self, examples: list[Example], options: ReleaseOptions) -> None:
        """Refuse files without the splits that are needed; what else they lack is theirs."""
        has = {example.split for example in examples}
        missing = [split for split in self.needs if split not in has]
        if missing:
            there = (
                ", ".join(split for split in DATA_SPLITS if split in has) or "none that is named"
            )
            more = "" if options.path else f" (`lingprobe fetch {self.fetched}`)"
            drawn = ". splits=sampled draws train, dev and test from all rows"
            raise DataProblem(
                f"{self.name}: no {' and no '.join(missing)} examples in the files{more}; their"
                f" splits: {there}{drawn if self._drawable else ''}"
            )
        if options.fold:
            drawn = "write splits=sampled,fold=..." if self._drawable else "leave it out"
            raise DataProblem(
                "fold= divides all rows anew, and published splits are kept as they are: " + drawn
            )


def _find_release_files(place: Path, release: TaskRelease) -> list[CorpusPart]:
    """The files in a folder that hold a release: one of its name, or one a split in a folder of its
    name or in this one.
    """
    wanted = {_fold_name(name) for name in release.names}
    inside = compressed_last(place.iterdir())
    if release.layout.split is not None or release.layout.comma:
        return [
            CorpusPart("", p)
            for p in inside
            if _is_table_file(p) and _fold_name(uncompressed_path(p).stem) in wanted
        ][:1]
    folders = [p for p in inside if p.is_dir() and _fold_name(p.name) in wanted] or [place]
    parts: dict[str, CorpusPart] = {}
    for path in compressed_last(folders[0].iterdir()):
        if _is_table_file(path) and (split := _find_named_split(path, release.layout)):
            parts.setdefault(split, CorpusPart(split, path))
    return [parts[split] for split in DATA_SPLITS if split in parts]


def _is_table_file(path: Path) -> bool:
    return uncompressed_path(path).suffix in _SUFFIXES and path.is_file()


def _fold_name(name: str) -> str:
    return re.sub(r"[\W_]", "", name.casefold())


def _find_named_split(path: Path, layout: ColumnLayout) -> str:
    """The split that a file's name says (te.txt, train.txt.xz); '' where rows say it."""
    return (
        ""
        if layout.split is not None
        else SENTEVAL_SPLIT_CODES.get(uncompressed_path(path).stem, split_of(path))
    )
