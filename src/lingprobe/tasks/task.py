"""The one class of tasks: a definition put to options. A family is a table of definitions."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lingprobe.corpora.files import CorpusPart, digest_files
from lingprobe.corpora.machine import find_audits
from lingprobe.data.core import DataProblem, Dataset, SamplingOptions, Sentence
from lingprobe.data.oracles import Facts
from lingprobe.data.references import Reference
from lingprobe.tasks import TASKS
from lingprobe.tasks.findings import FoundCandidates

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

O = TypeVar("O", bound="DataclassInstance")  # noqa: E741


@dataclass(frozen=True, eq=False)
class TaskDefinition(Generic[O]):
    """What a task asks and how its data are made from its options; called with these it gives the
    task.

    name         what the task is called; asks: its question
    options      a dataclass, whose docstring explains them; its fields are the parameters
    load         the data set
    parts        the files that it is read from, with the splits that their names say
    metric, probe, view  references to what it is judged and read with
    baselines    encoders that stand in its table beside the baselines of every task
    usual_baselines  whether those stand there
    reference_lines  baselines that solve it by its definition, which no encoder has to beat
    oracles      what its labels are derived from, by name, in one sentence each
    offered      the oracles that data have, where that is not all of them
    facts        what an oracle says of sentences
    whole        all that files have, whatever splits they lack; the data set, without
    candidates   what it is sampled from, and what was counted on the way, where it is sampled
    varied       question, metric and view where options decide them
    every        the values of an option that data have, where a `*` in it asks for each of them
    place        'module:attribute' of a definition that is not built in
    """

    name: str
    asks: str
    options: type[O]
    load: Callable[[O], Dataset]
    parts: Callable[[O], Iterable[CorpusPart]]
    metric: str = "accuracy"
    probe: str = "linear"
    view: str = "mean"
    baselines: tuple[str, ...] = ()
    usual_baselines: bool = True
    reference_lines: tuple[str, ...] = ()
    oracles: Mapping[str, str] = field(default_factory=dict)
    offered: Callable[[O], Collection[str]] | None = None
    facts: Callable[[str, O, Collection[Sentence]], Mapping[Sentence, Facts]] | None = None
    whole: Callable[[O], Dataset] | None = None
    candidates: Callable[[O], tuple[FoundCandidates, dict[str, Any]]] | None = None
    varied: Callable[[O], Mapping[str, str]] | None = None
    every: Mapping[str, Callable[[O], Collection[str]]] = field(default_factory=dict)
    place: str = ""

    def __post_init__(self) -> None:
        module, _, attribute = (self.place or TASKS.places()[self.name]).partition(":")
        shown = {
            "__doc__": self.asks,
            "__signature__": inspect.signature(self.options),
            "__annotations__": typing.get_type_hints(self.options, include_extras=True),
            "__name__": attribute,
            "__module__": module,
        }
        for name, value in shown.items():
            object.__setattr__(self, name, value)

    def __call__(self, *path: Any, **options: Any) -> DefinedTask[O]:
        """The task with these options."""
        return DefinedTask(self, self.options(*path, **options))

    def expand(self, reference: Reference) -> list[Reference]:
        """One reference for each value that the data have of an option with a `*`; the reference
        itself where there is none, or where the data cannot be read, which loading will tell.
        """
        for name, pattern in reference.options:
            if name in self.every and "*" in pattern:
                task: DefinedTask[O] = TASKS.make(reference.without("limit"))
                try:
                    has = self.every[name](task.options)
                except DataProblem:
                    return [reference]
                values = [value for value in has if fnmatchcase(value, pattern)]
                plain = reference.without(name)
                return [plain.plus(**{name: value}) for value in values] or [reference]
        return [reference]

    def __reduce__(self) -> str:
        return str(vars(self)["__name__"])  # a definition is a global of its module


@dataclass(frozen=True, slots=True)
class DefinedTask(Generic[O]):
    """A task: a definition and the options that it is put to."""

    definition: TaskDefinition[O]
    options: O

    def __reduce__(self) -> tuple[Any, ...]:
        options = {field.name: getattr(self.options, field.name) for field in fields(self.options)}
        return _again, (self.definition, options)  # options may be of a class made on the way

    @property
    def name(self) -> str:
        """What it is called."""
        return self.definition.name

    @property
    def question(self) -> str:
        """What is asked of a sentence, or of spans of it."""
        return self._resolve_setting("question", self.definition.asks)

    @property
    def metric(self) -> str:
        """How answers are judged."""
        return self._resolve_setting("metric", self.definition.metric)

    @property
    def probe(self) -> str:
        """What it is read with where nothing else is said."""
        return self.definition.probe

    @property
    def view(self) -> str:
        """How units are brought together."""
        return self._resolve_setting("view", self.definition.view)

    @property
    def baselines(self) -> tuple[str, ...]:
        """Encoders that stand in its table beside the baselines of every task."""
        return self.definition.baselines

    @property
    def usual_baselines(self) -> bool:
        """Whether the baselines of every task stand there."""
        return self.definition.usual_baselines

    @property
    def reference_lines(self) -> tuple[str, ...]:
        """Baselines that solve it by its definition."""
        return self.definition.reference_lines

    @property
    def sampling(self) -> SamplingOptions:
        """Which of its options a run may set."""
        has = {field.name for field in fields(self.definition.options)}
        return SamplingOptions(
            **{field.name: field.name in has for field in fields(SamplingOptions)}
        )

    def _resolve_setting(self, name: str, usual: str) -> str:
        varied = self.definition.varied
        return usual if varied is None else varied(self.options).get(name, usual)

    @property
    def fingerprint(self) -> str:
        """The files' contents, the splits that their names say, and the audits of parsers."""
        parts = self.parts()
        splits, paths = ",".join(part.split or "-" for part in parts), [p.path for p in parts]
        return f"{splits}:{digest_files([*paths, *find_audits(paths)])}"

    @property
    def oracles(self) -> Mapping[str, str]:
        """What its labels are derived from, as far as these data say it."""
        every, offered = self.definition.oracles, self.definition.offered
        names = every if offered is None else offered(self.options)
        return {name: every[name] for name in every if name in names}

    def facts(self, oracle: str, sentences: Collection[Sentence]) -> Mapping[Sentence, Facts]:
        """What an oracle says of these sentences, and maybe of others."""
        assert self.definition.facts is not None
        return self.definition.facts(oracle, self.options, sentences)

    def parts(self) -> list[CorpusPart]:
        """The files that it is read from, with the splits that their names say."""
        return list(self.definition.parts(self.options))

    def load(self) -> Dataset:
        """The data set; what was read and excluded, and why, is in its notes."""
        return self.definition.load(self.options)

    def all_examples(self) -> Dataset:
        """All that files have, whatever splits they lack: for an audit of what was published."""
        return (self.definition.whole or self.definition.load)(self.options)

    def candidates(self) -> tuple[FoundCandidates, dict[str, Any]]:
        """What it is sampled from, and what was counted on the way."""
        if self.definition.candidates is None:
            raise DataProblem(f"{self.name} is not sampled: its data have their splits")
        return self.definition.candidates(self.options)


def _again(definition: TaskDefinition[O], options: dict[str, Any]) -> DefinedTask[O]:
    return definition(**options)
