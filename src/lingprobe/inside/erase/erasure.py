"""What an option of an encoder asks to be erased -> erasers of its layers, one after the other:
fitted to tasks, or read from files that `lingprobe erase` wrote.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from lingprobe.corpora.training_sentences import Hashes
from lingprobe.data.cache import cache_dir
from lingprobe.data.core import DataProblem, Dataset, Encoder, LayeredEncoder, Task
from lingprobe.data.digests import digest_texts
from lingprobe.data.errors import UsageProblem
from lingprobe.data.identity import ContentIdentity
from lingprobe.data.progress import listen_to_progress
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.references import Reference, shorten_reference
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.consistency import settle_identity
from lingprobe.experiment.data import load_dataset, task_identity
from lingprobe.experiment.embed import embed_sentences, load_vectors
from lingprobe.experiment.keys import identify_encoder, vectors_key
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import resolve_tasks
from lingprobe.experiment.readable import find_readable
from lingprobe.inside.erase.division import divide_for_erasure
from lingprobe.inside.erase.erasers import AffineEraser
from lingprobe.inside.erase.files import ERASER_SUFFIX, FittedEraser, read_eraser, seen_in
from lingprobe.inside.erase.fitting import (
    EraserBaselines,
    EraserData,
    Floor,
    Method,
    erase_layer,
    fit_eraser,
)
from lingprobe.tasks import TASKS
from lingprobe.tasks.repeats import strip_fold


@dataclass(frozen=True)
class ErasureDescription:
    """What is erased, and how.

    things  references of tasks, and files of erasers, in the order in which they go
    method  of erasers that are fitted; none: vectors stay as they are
    rank    how many dimensions go of each task; 0 for what is needed
    floor   what stands in for the eraser: a baseline of `lingprobe erase`
    draw    which of that baseline's draws
    """

    things: tuple[str, ...]
    method: Method | Literal["none"] = "leace"
    rank: int = 0
    floor: Floor | Literal["none"] = "none"
    draw: int = 0

    @property
    def fingerprint(self) -> str:
        """Its settings, and what stands for the data of tasks and for the numbers of files."""
        made_of = [str(each.identity) for each in self._parts()]
        how = f"method={self.method},rank={self.rank},floor={self.floor},draw={self.draw}"
        return f"without {digest_texts(*made_of)} {how}"

    @property
    def hashes(self) -> Hashes:
        """Hashes of the sentences that erasers are fitted on, sorted."""
        return np.unique(np.concatenate([each.seen for each in self._parts()]))

    def erasers(
        self, origin: EncoderOrigin, slots: tuple[str, ...]
    ) -> tuple[tuple[AffineEraser, ...], ...]:
        """The erasers of each slot of an encoder, in the order in which they are applied.
        DataProblem where a task has no labels to erase, or a file is of other vectors.
        """
        return _erasers_of(self, self.fingerprint, origin, slots)

    def _parts(self) -> Iterator[EraserExamples | FittedEraser]:
        tasks = tuple(thing for thing in self.things if not thing.endswith(ERASER_SUFFIX))
        examples = _examples_of(tasks, cache_dir())
        for thing in self.things:
            if thing.endswith(ERASER_SUFFIX):
                yield _stored_eraser(thing)
            else:
                yield from examples[thing]


@dataclass(frozen=True)
class EncoderOrigin:
    """Where an encoder comes from: its reference, or, of an object of this process, `number`, which
    is its own as long as it is there.
    """

    reference: str = ""
    number: int = 0
    made: Encoder | None = field(default=None, compare=False)

    @classmethod
    def of(cls, encoder: str | Reference | Encoder) -> EncoderOrigin:
        """Of a reference or an encoder."""
        if isinstance(encoder, str | Reference):
            return cls(ENCODERS.canonical(encoder))
        return cls("", id(encoder), encoder)

    @property
    def encoder(self) -> Encoder:
        """The encoder."""
        return ENCODERS.make(self.reference) if self.made is None else self.made

    @property
    def identity(self) -> ContentIdentity:
        """What decides its vectors, as far as it says so."""
        return identify_encoder(self.reference or None, self.encoder)

    def read(self, task_data: tuple[Dataset, str], slots: tuple[str, ...]) -> Readings:
        """A task's examples beside vectors in some slots; those of an object are not kept, as two
        objects may say the same of themselves.
        """
        encoder = self.encoder
        encoder = encoder.asking(slots) if isinstance(encoder, LayeredEncoder) else encoder
        if self.made is None:
            return read_task_vectors(task_data, encoder, self.identity)
        (dataset, view), vectors = task_data, encoder.encode(task_data[0].sentences)
        whole = find_readable(dataset.sites, vectors).whole
        return Readings(dataset.take(np.flatnonzero(whole)), vectors, view)


class EraserExamples(NamedTuple):
    """What the eraser of a task is fitted on: its examples over the sentences that these are about.

    name  of the task, as tables have it
    view  how its sites are read
    seen  hashes of the sentences
    """

    name: str
    view: str
    identity: ContentIdentity
    dataset: Dataset
    seen: Hashes


@functools.lru_cache(8)
def _examples_of(tasks: tuple[str, ...], cache: Path) -> dict[str, list[EraserExamples]]:
    """The examples for the erasers of some tasks, by reference; of folds those of the first.
    DataProblem where a task cannot be read.
    """
    found: dict[str, tuple[str, LoadedTask]] = {}
    for text in tasks:
        try:
            for one in read_tasks([Reference.parse(text)], cache):
                found.setdefault(strip_fold(one.reference), (text, one))
        except DataProblem as problem:
            raise DataProblem(f"without={problem}") from problem
    by_text: dict[str, list[EraserExamples]] = {text: [] for text in tasks}
    divisions = divide_for_erasure([one.dataset for _, one in found.values()])
    for (plain, (text, one)), rows in zip(found.items(), divisions, strict=True):
        part = select_examples(one.dataset, rows.eraser)
        seen = seen_in(part.sentences)
        by_text[text].append(
            EraserExamples(shorten_reference(TASKS, plain), one.task.view, one.identity, part, seen)
        )
    return by_text


class LoadedTask(NamedTuple):
    """A task that was read: its reference, and what stands for its data wherever they lie."""

    reference: str
    task: Task
    identity: ContentIdentity
    dataset: Dataset


def read_tasks(references: Sequence[Reference | str], cache: Path) -> list[LoadedTask]:
    """Tasks with their data, of folds the first; DataProblem where one cannot be read."""
    known, refused = resolve_tasks(references, cache)
    for reference, why in refused.items():
        raise DataProblem(f"{reference}: {why}")
    found = list[LoadedTask]()
    for reference, task in known.items():
        if strip_fold(reference) not in [strip_fold(one.reference) for one in found]:
            identity = task_identity(reference, task)
            found.append(LoadedTask(reference, task, identity, load_dataset(task, identity)))
    return found


def select_examples(dataset: Dataset, rows: np.ndarray) -> Dataset:
    """Some examples over no more than the sentences that they are about."""
    some = dataset.take(rows)
    used, numbers = np.unique(some.sites[:, :, 0], return_inverse=True)
    sites = some.sites.copy()
    sites[:, :, 0] = numbers.reshape(sites.shape[:2])
    return replace(some, sites=sites, sentences=tuple(dataset.sentences[i] for i in used.tolist()))


@functools.lru_cache(32)
def _stored_eraser(path: str) -> FittedEraser:
    made = read_eraser(Path(path).expanduser())
    if not len(made.seen):
        raise DataProblem(
            f"without={path}: it was written by a version that did not record its sentences, so it"
            " may be probed on some of them; write it again with `lingprobe erase --erasers`"
        )
    return made


@functools.lru_cache(8)
def _erasers_of(
    erasure: ErasureDescription, fingerprint: str, origin: EncoderOrigin, slots: tuple[str, ...]
) -> tuple[tuple[AffineEraser, ...], ...]:
    layers = [slot.rpartition(".")[0] or slot for slot in slots]
    chains: list[tuple[AffineEraser, ...]] = [()] * len(slots)
    for part in erasure._parts():
        if isinstance(part, FittedEraser):
            own = _check_stored(part, origin.identity, layers)
            chains = [
                (*chain, part.eraser) if layer == own else chain
                for chain, layer in zip(chains, layers, strict=True)
            ]
        elif erasure.method != "none":
            readings = origin.read((part.dataset, part.view), slots)
            chains = [
                (*chain, _fit(erasure, part, readings, layer, chain))
                for chain, layer in zip(chains, readings.vectors.names, strict=True)
            ]
    if erasure.method != "none" and () in chains:
        raise DataProblem(
            f"without=: no file is of layer {layers[chains.index(())]}: take layers= of those that"
            " are, or name the task in place of a file"
        )
    return tuple(chains)


def _fit(
    erasure: ErasureDescription,
    part: EraserExamples,
    readings: Readings,
    layer: str,
    before: tuple[AffineEraser, ...],
) -> AffineEraser:
    """The eraser of a layer behind others, or the baseline that stands in for it."""
    for each in before:
        readings = erase_layer(readings, layer, each)
    try:
        source, method = EraserData.of(readings, layer), erasure.method
        eraser = fit_eraser(source, method, erasure.rank or None)
        if erasure.floor == "none":
            return eraser
        which = erasure.floor, erasure.draw
        floors = EraserBaselines.of(source, method, eraser, part.identity.without_code)
        return floors.draw(*which)
    except (DataProblem, ReadingProblem, UsageProblem) as problem:
        raise DataProblem(f"without={part.name}: {problem}") from problem


def read_task_vectors(
    task_data: tuple[Dataset, str], encoder: Encoder, identity: ContentIdentity
) -> Readings:
    """The examples of a task, with its view, beside their vectors, which are kept as those of a
    run; without those that cannot be read.
    """
    (dataset, view), paths = task_data, RunPaths.of()
    sentences = dataset.sentences
    settled = settle_identity(encoder.name, identity, encoder, [sentences], paths)
    settled.keep()
    store, key = paths.vector_store(), vectors_key(encoder, settled.identity)
    with listen_to_progress(
        lambda done, of: None
    ):  # what is told is of another encoder's sentences
        done = embed_sentences(encoder, sentences, store, key)
    made = load_vectors(encoder, sentences, store, key, done.usable)
    rows = np.flatnonzero(done.usable[dataset.sites[:, :, 0]].all(1))
    rows = rows[find_readable(dataset.sites[rows], made).whole]
    return Readings(dataset.take(rows), made, view)


def _check_stored(made: FittedEraser, known: ContentIdentity, layers: list[str]) -> str:
    """The layer that a stored eraser is of; DataProblem where it is of another encoder."""
    named, _, *facts = json.loads(made.made_of["encoder"])
    alike = {Reference.parse(each).without("layers") for each in (named, known.reference)}
    if len(alike) > 1 or facts != list(known.facts):
        raise DataProblem(
            f"without={made.task}: the eraser was fitted on vectors of {made.encoder}, and these"
            f" are of {known.reference}, or of other weights: fit one to them"
        )
    return made.layer
