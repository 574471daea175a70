"""A task and a model whose states are changed, and all that is measured of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lingprobe.data.abilities import Predictive, Replaceable
from lingprobe.data.core import DataProblem, Dataset, Layered, Task
from lingprobe.data.errors import UsageProblem
from lingprobe.data.reading import Readings
from lingprobe.data.references import Reference, brief
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.data import load_dataset, task_identity
from lingprobe.experiment.keys import encoder_identity
from lingprobe.experiment.paths import Paths
from lingprobe.experiment.plan import tasks_of
from lingprobe.parts.erase.division import divide
from lingprobe.parts.erase.effect_cells import CHOICE, EffectCell, Named, effect_cells
from lingprobe.parts.erase.effects import (
    Key,
    Pairs,
    Reader,
    later_layers,
    losses,
    pairs_for,
    preferences,
    read_changes,
)
from lingprobe.parts.erase.erasure import part_of, read_examples
from lingprobe.parts.erase.fitting import Method, Source
from lingprobe.parts.erase.interventions import Change, changes_of
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS, limit_tasks
from lingprobe.tasks.find import expand_tasks


class Effects(NamedTuple):
    """The cells of a page, how many examples the eraser was fitted on, and the pairs."""

    cells: list[EffectCell]
    fitted: int
    pairs: Pairs | None


class Target(NamedTuple):
    """A task and a model.

    states  the reference of the encoder of the model's states
    """

    task: Task
    dataset: Dataset
    name: str
    model: Replaceable
    reference: str
    states: Reference

    @classmethod
    def of(cls, task: str, encoder: str, limit: int | None) -> Target:
        """Of their references. UsageProblem for a model that does not run on with other states."""
        name, asked, dataset = _load(task, limit)
        made = ENCODERS.make(encoder)
        if not isinstance(made, Replaceable):
            raise UsageProblem(
                f"{encoder}: the states of a running model are replaced in hf:MODEL and lm:MODEL"
            )
        states = Reference.parse(made.states if isinstance(made, Predictive) else encoder)
        known = brief(ENCODERS, ENCODERS.canonical(encoder))
        return cls(asked, dataset, name, made, known, states.without("layers"))

    def encoder(self, layers: str) -> Replaceable:
        """The encoder of some layers."""
        made = ENCODERS.make(self.states.plus(layers=layers))
        assert isinstance(made, Replaceable)
        return made

    def readings(self, layers: str) -> Readings:
        """The task's examples over some layers of the model as it is."""
        encoder = self.encoder(layers)
        reference = ENCODERS.canonical(self.states.plus(layers=layers))
        known = encoder_identity(reference, encoder)
        return read_examples((self.dataset, self.task.view), encoder, known)

    @property
    def last(self) -> int:
        """The number of the model's last layer."""
        every = self.encoder("all")
        assert isinstance(every, Layered)
        return len(every.slots) - 1


@dataclass(frozen=True)
class Interventions:
    """What is done to the states of a layer, as options of `intervene` say it."""

    layer: int
    doses: tuple[float, ...]
    method: Method
    draws: int
    probe: str

    def measure(
        self, target: Target, pairs: str, limit: int | None, tell: Callable[[int], object]
    ) -> Effects:
        """Everything that is measured of a model."""
        source, reader = self._later(target)
        name = brief(TASKS, target.name)
        seed = str(task_identity(target.name, target.task))  # not where its files lie
        changes = list(changes_of(source, self.method, self.doses, self.draws, seed))
        readers, chosen, loss = [reader], None, None
        if isinstance(model := target.model, Predictive):
            if pairs:
                chosen, more = _preferences(target, model, pairs, limit)
                readers.append(more)
        elif pairs:
            raise UsageProblem(f"pairs={pairs} is for a language model: lm:MODEL")
        for each in readers:
            read_changes(each, self.layer, changes)
            tell(1)
        if isinstance(model, Predictive):
            loss = self._losses(target, model, changes)
        named: Named = (target.reference, self.layer, name, self.method)
        sizes = {one.what: one.size(source.sites[0]) for one in changes if not one.floor}
        items = [item for each in readers for item in each.items]
        return Effects(effect_cells(items, loss, named, sizes), len(source.labels), chosen)

    def _later(self, target: Target) -> tuple[Source, Reader]:
        """What changes are fitted on, and the probes of later layers."""
        first, last = self.layer, target.last
        if not 0 <= first < last:
            raise UsageProblem(f"layer={first}: take one from 0 to {last - 1}, of {last}")
        readings = target.readings(f"{first}-{last}")
        parts = divide([readings.dataset])[0]
        source = Source.of(readings.take(parts.eraser), str(first))
        vectors = readings.vectors.select([str(n) for n in range(first + 1, last + 1)])
        later = Readings(readings.dataset, vectors, readings.view)
        rows = parts.train, parts.dev, parts.test
        encoder = target.encoder(f"{first + 1}-{last}")
        probe = PROBES.make(self.probe)
        return source, later_layers(later, rows, encoder, probe, target.task.metric)

    def _losses(
        self, target: Target, model: Predictive, changes: Sequence[Change]
    ) -> tuple[Mapping[Key, list[float]], int]:
        test = divide([target.dataset])[0].test
        sentences = part_of(target.dataset, test).sentences
        return losses(model, sentences, self.layer, changes), len(sentences)


def _preferences(
    target: Target, model: Predictive, pairs: str, limit: int | None
) -> tuple[Pairs, Reader]:
    """The minimal pairs whose words the eraser never saw, and what the model prefers of them."""
    _, task, dataset = _load(pairs, limit)
    rows = divide([target.dataset])[0].eraser
    seen = part_of(target.dataset, rows).sentences
    chosen = pairs_for(dataset, target.dataset, seen)
    probe = PROBES.make(task.probe)
    return chosen, preferences(chosen, model, probe, (CHOICE, task.metric))


def _load(task: str, limit: int | None) -> tuple[str, Task, Dataset]:
    """A task, of folds the first, by its canonical reference."""
    known, refused = tasks_of(limit_tasks(expand_tasks([task]), limit), Paths.of().cache)
    if refused or not known:
        raise DataProblem(f"{task}: {next(iter(refused.values()), 'there is no such task')}")
    name, each = next(iter(known.items()))
    return name, each, load_dataset(each, task_identity(name, each))
