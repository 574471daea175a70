"""Edge probes on their way as plain arrays, and back; what goes on ends in the same bits.

Batches are not in it: they follow from the seed, and are drawn again from the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lingprobe.data.checkpoints import State, name_of_fit
from lingprobe.probes.span.batches import Examples
from lingprobe.probes.span.training import Judged, Learnt, Training


def name_of(trainings: Sequence[Training], train: Examples, dev: Examples, seed: int) -> str:
    """Stands for all that a training is given, but for the vectors: those are the unit's."""
    sources = [(training.net.source, training.wants_likeliest) for training in trainings]
    given = (trainings[0].config, sources, seed, train.device)
    arrays: list[NDArray[Any]] = []
    for part in (train, dev):
        wanted = part.wanted(np.arange(len(part.groups))).cpu().numpy()
        arrays += part.starts, part.stops, part.groups, wanted
    return name_of_fit(given, arrays)


def state_of(trainings: Sequence[Training], **more: Any) -> State:
    """The state of some trainings, and what their loop knows besides."""
    arrays: dict[str, NDArray[Any]] = {}
    facts: dict[str, Any] = {"each": [], **more}
    for k, training in enumerate(trainings):
        said: dict[str, Any] = {
            "rate": training.rate,
            "misses": training.misses,
            "since_halved": training.since_halved,
            "marked": training.marked,
        }
        for name, learnt in (("best", training.best), ("likeliest", training.likeliest)):
            said[name] = None if learnt is None else learnt.step
            if learnt is not None:
                arrays[f"{k}.{name}"] = np.array(learnt.judged, np.float64)
                arrays |= {f"{k}.{name}.{key}": each for key, each in learnt.tensors.items()}
        facts["each"].append(said)
        arrays[f"{k}.noise"] = training.noise.get_state().numpy()
        arrays |= {f"{k}.{name}": each.detach().cpu().numpy() for name, each in _tensors(training)}
    return State(facts, arrays)


@torch.no_grad()
def restore(trainings: Sequence[Training], state: State) -> None:
    """Bring trainings that have not begun to a state of the same ones."""
    for k, (training, said) in enumerate(zip(trainings, state.facts["each"], strict=True)):
        training.rate, training.marked = said["rate"], said["marked"]
        training.misses, training.since_halved = said["misses"], said["since_halved"]
        training.best = _learnt(training, state, f"{k}.best", said["best"])
        training.likeliest = _learnt(training, state, f"{k}.likeliest", said["likeliest"])
        training.noise.set_state(_tensor(state.arrays[f"{k}.noise"]))
        for name, tensor in _tensors(training):
            tensor.copy_(_tensor(state.arrays[f"{k}.{name}"]).view_as(tensor))


def _learnt(training: Training, state: State, place: str, step: int | None) -> Learnt | None:
    """A network as it was kept after a step; None where it was not."""
    if step is None:
        return None
    tensors = {
        name: np.array(state.arrays[f"{place}.{name}"]).reshape(each.shape)
        for name, each in training.net.tensors.items()
    }
    return Learnt(tensors, Judged(*state.arrays[place].tolist()), step, step)


def _tensors(training: Training) -> list[tuple[str, Tensor]]:
    """All tensors that training changes, by name."""
    columns = {
        "now": training.tensors,
        "first": training.first,
        "second": training.second,
        "most": training.most,
        "step": training.steps,
    }
    return [(f"{name}.{i}", each) for name, some in columns.items() for i, each in enumerate(some)]


def _tensor(array: NDArray[Any]) -> Tensor:
    return torch.from_numpy(np.array(array))  # files are read-only
