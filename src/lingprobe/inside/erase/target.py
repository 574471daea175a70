"""A task and a model whose states are changed, and all that is measured of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lingprobe.data.abilities import PatchableEncoder, PredictiveEncoder
from lingprobe.data.core import DataProblem, Encoder, LayeredEncoder
from lingprobe.data.errors import UsageProblem
from lingprobe.data.reading import Readings
from lingprobe.data.references import Reference, shorten_reference
from lingprobe.data.vectors import Ints
from lingprobe.encoders import ENCODERS, adapt_encoder, make_encoder
from lingprobe.encoders.sites import BLOCK_PART_SITES, RESIDUAL_SITES, ModelSite, is_site
from lingprobe.experiment.keys import identify_encoder
from lingprobe.experiment.paths import RunPaths
from lingprobe.inside.erase.behaviour import (
    PairExamples,
    SentencePreferences,
    WordPredictions,
    pairs_for,
)
from lingprobe.inside.erase.distances import SiteStates
from lingprobe.inside.erase.division import FourWaySplit, codes_of, divide_for_erasure
from lingprobe.inside.erase.effect_cells import (
    CHOICE_MEASURE,
    WORD_MEASURE,
    EffectCell,
    Named,
    effect_cells,
)
from lingprobe.inside.erase.effects import LaterLayers, StateReader, read_changes
from lingprobe.inside.erase.erasers import AffineEraser
from lingprobe.inside.erase.erasure import (
    LoadedTask,
    read_task_vectors,
    read_tasks,
    select_examples,
)
from lingprobe.inside.erase.exchanges import ExchangePartners, make_exchanges
from lingprobe.inside.erase.fitting import EraserData, Method
from lingprobe.inside.erase.interventions import (
    AffineIntervention,
    FloorDraws,
    StateChange,
    changes_of,
    fit_scrubbing,
    measure_dose,
)
from lingprobe.inside.erase.similarity import PairCosines, pair_translations, similar_pairs
from lingprobe.metrics import choose_label_metric
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS, limit_tasks
from lingprobe.tasks.find import expand_tasks


class InterventionEffects(NamedTuple):
    """The cells of a page, how many examples the eraser was fitted on, and the pairs."""

    cells: list[EffectCell]
    fitted: int
    pairs: PairExamples | None


class InterventionSite(NamedTuple):
    """Where states are changed: a layer's states (`3`), or what a part of a block gives (`mlp:3`).

    later     the numbers of the layers behind it
    scrubbed  it and its like in later blocks; none for a head
    """

    site: str
    later: range
    scrubbed: tuple[str, ...]

    @classmethod
    def of(cls, name: str, last_block: int) -> InterventionSite:
        """Of a model of `last_block` blocks. UsageProblem for a state that nothing reads."""
        if is_site(name):
            kind, block, _ = ModelSite.parse(name)
            later = range(block, last_block + 1)
            alike = [
                ModelSite(kind, k).name
                for k in later
                if kind in (*RESIDUAL_SITES, *BLOCK_PART_SITES)
            ]
            return cls(name, later, tuple(alike))
        if not (name.isdecimal() and int(name) < last_block):
            raise UsageProblem(
                f"layer={name}: take one from 0 to {last_block - 1}, or post:{last_block}"
            )
        first = int(name)
        return cls(
            name, range(first + 1, last_block + 1), tuple(map(str, range(first, last_block)))
        )

    @property
    def layers(self) -> str:
        """It and what is behind it, as `layers=` has them."""
        every = dict.fromkeys((self.site, *self.scrubbed, *map(str, self.later)))
        return "+".join(every)


class ProbedModel(NamedTuple):
    """A task and a model.

    states  the reference of the encoder of the model's states; None of a loaded model
    """

    task: LoadedTask
    model: PatchableEncoder
    reference: str
    states: Reference | None

    @classmethod
    def of(cls, task: str, encoder: Any, limit: int | None) -> ProbedModel:
        """Of the reference of a task, and that of a model or a loaded model with its tokenizer.
        UsageProblem for a model that does not run on with other states.
        """
        made, named = make_encoder(encoder), isinstance(encoder, str)
        if not isinstance(made, PatchableEncoder):
            raise UsageProblem(
                f"{encoder if named else made.name}: the states of a running model are replaced in"
                " hf:MODEL, lm:MODEL, and (model, tokenizer) of transformers"
            )
        if not named:
            return cls(read_task(task, limit), made, made.name, None)
        states = Reference.parse(made.states if isinstance(made, PredictiveEncoder) else encoder)
        known = shorten_reference(ENCODERS, ENCODERS.canonical(encoder))
        return cls(read_task(task, limit), made, known, states.without("layers"))

    def encoder(self, layers: str) -> PatchableEncoder:
        """The encoder of some layers."""
        made = make_encoder(self.asking(layers))
        assert isinstance(made, PatchableEncoder)
        return made

    def asking(self, layers: str) -> str | Encoder:
        """What `run` takes for some layers of the model's states."""
        if self.states is not None:
            return str(self.states.plus(layers=layers))
        return adapt_encoder(self.model, layers=layers, pool="none")

    def place(self, layer: str) -> InterventionSite:
        """Where a layer is."""
        every, one = self.encoder("all"), self.encoder(layer)
        assert isinstance(every, LayeredEncoder)
        assert isinstance(one, LayeredEncoder)
        names = [slot.rpartition(".")[0] for slot in one.slots]
        if len(names) > 1:
            raise UsageProblem(f"layer={layer}: take one, as {names[0]}")
        return InterventionSite.of(names[0], len(every.slots) - 1)

    def readings(self, layers: str) -> Readings:
        """The task's examples over some layers of the model as it is."""
        encoder, asked = self.encoder(layers), self.asking(layers)
        reference = ENCODERS.canonical(asked) if isinstance(asked, str) else None
        known = identify_encoder(reference, encoder)
        return read_task_vectors((self.task.dataset, self.task.task.view), encoder, known)


@dataclass(frozen=True)
class LayerInterventions:
    """What is done to the states of a layer, as options of `intervene` say it."""

    layer: str
    doses: tuple[float, ...]
    method: Method
    draws: int
    probe: str

    def measure(
        self, target: ProbedModel, pairs: str, limit: int | None, tell: Callable[[int], object]
    ) -> InterventionEffects:
        """Everything that is measured of a model."""
        place = target.place(self.layer)
        readings = target.readings(place.layers)
        bench = StateReadings(target, place, readings, divide_for_erasure([readings.dataset])[0])
        changes = list(bench.changes(self))
        readers, chosen, spoken = [bench.later_layers(self.probe)], None, None
        if isinstance(model := target.model, PredictiveEncoder):
            if pairs:
                chosen, more = bench.preferences(model, pairs, limit)
                readers.append(more)
            data, test = readings.dataset, bench.parts.test
            spoken = WordPredictions.of(data, test, model, WORD_MEASURE)
            readers.append(spoken)
        elif pairs:
            readers.append(bench.similarities(pairs, limit))
        for each in readers:
            read_changes(each, place.site, changes, bench.spans)
            tell(1)
        name = shorten_reference(TASKS, target.task.reference)
        named: Named = (target.reference, place.site, name, self.method)
        cells = effect_cells(
            [item for each in readers for item in each.items],
            spoken,
            named,
            bench.reach.of_changes(changes),
        )
        return InterventionEffects(cells, len(bench.parts.eraser), chosen)


@dataclass(frozen=True)
class StateReadings:
    """A task's examples over the states of a model as it is, at a place and behind it."""

    target: ProbedModel
    place: InterventionSite
    readings: Readings
    parts: FourWaySplit

    @property
    def spans(self) -> Ints:
        """Which words of its sentence each example is about, [examples, 2]; -1 for all."""
        return self.readings.dataset.sites[:, 0, 1:]

    @property
    def reach(self) -> SiteStates:
        """How far changes reach, on test, beside states of the eraser's part."""
        states = self.readings.sites(self.place.site)[0]
        return SiteStates(self.place.site, states, self.parts.test, self.parts.eraser)

    def changes(self, interventions: LayerInterventions) -> Iterator[StateChange]:
        """All changes of the place."""
        site = self.place.site
        fitted_on = self.readings.take(self.parts.eraser)
        source = EraserData.of(fitted_on, site)
        floors = FloorDraws(
            interventions.method, interventions.draws, self.target.task.identity.without_code
        )
        eraser = floors.fit(source)
        unit = measure_dose(fitted_on, site, source) if source.is_binary else 0.0
        lengths = {dose: dose * unit for dose in interventions.doses}
        yield from changes_of(site, source, eraser, lengths, floors)
        if len(self.place.scrubbed) > 1:
            plain = {each: EraserData.of(fitted_on, each) for each in self.place.scrubbed}
            yield from fit_scrubbing(plain, floors, self._behind)
        codes = codes_of(self.readings.labels)
        if codes is not None and self.readings.dataset.sites.shape[1] == 1:
            states = np.asarray(self.readings.sites(site)[0], np.float64)
            yield from make_exchanges(
                ExchangePartners(states, codes, self.parts.test), source, eraser, floors
            )

    def _behind(self, site: str, erasers: Mapping[str, AffineEraser]) -> EraserData:
        """What the eraser of a site is fitted on behind others."""
        some = select_examples(self.readings.dataset, self.parts.eraser)
        encoder = self.target.encoder(site)
        with encoder.replace_states(
            {name: AffineIntervention(each) for name, each in erasers.items()}
        ):
            vectors = encoder.encode(some.sentences)
        return EraserData.of(Readings(some, vectors, self.readings.view), site)

    def later_layers(self, probe: str) -> StateReader:
        """The probes of later layers."""
        numbers = self.place.later
        vectors = self.readings.vectors.select([str(n) for n in numbers])
        later = Readings(self.readings.dataset, vectors, self.readings.view)
        encoder = self.target.encoder(f"{numbers[0]}-{numbers[-1]}")
        rows = self.parts.train, self.parts.dev, self.parts.test
        metric = choose_label_metric(self.target.task.task.metric, later.labels)
        return LaterLayers.of(later, rows, encoder, PROBES.make(probe), metric)

    def preferences(
        self, model: PredictiveEncoder, pairs: str, limit: int | None
    ) -> tuple[PairExamples, SentencePreferences]:
        """The minimal pairs whose words the eraser never saw, and what a model prefers of them."""
        one, data = read_task(pairs, limit), self.readings.dataset
        seen = select_examples(data, self.parts.eraser).sentences
        chosen = pairs_for(one.dataset, data, seen)
        probe = PROBES.make(one.task.probe)
        return chosen, SentencePreferences.of(
            chosen, model, probe, (CHOICE_MEASURE, one.task.metric)
        )

    def similarities(self, pairs: str, limit: int | None) -> PairCosines:
        """An encoder without a language model is used for similarity: that of the last layer's
        vectors of pairs of sentences.
        """
        seen = select_examples(self.readings.dataset, self.parts.eraser).sentences
        encoder = self.target.encoder("last")
        if ":" not in pairs and "+" in pairs:
            return PairCosines.of(*pair_translations(pairs, seen), encoder)
        data = similar_pairs(read_task(pairs, limit).dataset, seen)
        return PairCosines.of(data, ["similarity"], encoder)


def read_task(task: str, limit: int | None) -> LoadedTask:
    """A task, of folds the first."""
    found = read_tasks(limit_tasks(expand_tasks([task]), limit), RunPaths.of().cache)
    if not found:
        raise DataProblem(f"{task}: there is no such task")
    return found[0]
