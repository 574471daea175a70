"""The loop that trains a sentence encoder, an epoch after the other: batches, steps, checkpoints.

Every epoch draws from a generator of its own, so one that goes on after a stop is the one that was
never stopped.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from sonde.cache import draft
from sonde.core import DataProblem
from sonde.training.objectives import Figures, Lesson
from sonde.training.texts import Texts
from sonde.vectors import Floats, Ints

STATE = "state.safetensors"
POOL = 100  # batches whose examples are sorted by length together
BROKEN = 1e4  # a loss, from which on nothing is learnt any more; NaN is none below
TOLD = 0.3  # seconds from one word on progress to the next


@dataclass(frozen=True)
class Epoch:
    """What became of one pass over the examples.

    loss     of train, each piece or pair
    figures  of dev
    """

    number: int
    loss: float
    figures: Figures
    words: int
    seconds: float

    def plain(self) -> dict[str, Any]:
        """The fields, as JSON has them."""
        return {
            "epoch": self.number,
            "loss": self.loss,
            **{f"dev {name}": value for name, value in self.figures.items()},
            "words": self.words,
            "seconds": round(self.seconds, 1),
        }


@dataclass(frozen=True)
class Schedule:
    """How weights follow their gradients.

    optimizer  adam, or sgd with momentum 0.9 (Conneau et al. 2018 for convolutions)
    rate       of learning; it is halved after an epoch that was no better than the best
    clip       the norm that gradients are scaled down to; 0 for none
    batch      words and pieces of a batch at most
    """

    optimizer: str
    rate: float
    clip: float
    batch: int
    seed: int = 0

    def optimizer_of(self, parameters: list[nn.Parameter]) -> torch.optim.Optimizer:
        """The optimiser of some weights."""
        if self.optimizer == "sgd":
            return torch.optim.SGD(parameters, self.rate, momentum=0.9, nesterov=True)
        return torch.optim.Adam(parameters, self.rate)


def batches(lengths: Ints, rows: Ints, most: int, seed: tuple[int, int]) -> list[Ints]:
    """The rows in batches of like length, of at most `most` words and pieces with padding, in an
    order that the seed draws; the longest of a batch first.
    """
    draws = np.random.default_rng(seed)
    order = draws.permutation(rows)
    size = max(1, int(POOL * most / max(lengths[rows].mean(), 1)))
    made: list[Ints] = []
    for start in range(0, len(order), size):
        part = order[start : start + size]
        part = part[np.argsort(-lengths[part], kind="stable")]
        at = 0
        while at < len(part):
            many = max(1, most // max(int(lengths[part[at]]), 1))
            made.append(part[at : at + many])
            at += many
    return [made[i] for i in draws.permutation(len(made))]


@dataclass
class Learner:
    """An encoder and its lesson while it learns.

    table  the vector of each word [words, dim]
    """

    network: nn.Module
    lesson: Lesson
    table: Floats
    schedule: Schedule
    epochs: list[Epoch] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.vectors = torch.from_numpy(self.table)
        self.parameters = [*self.network.parameters(), *self.lesson.head.parameters()]
        self.optimizer = self.schedule.optimizer_of(self.parameters)

    def encode(self, words: Texts, rows: Ints) -> Tensor:
        """Sentence vectors of some rows, in their order."""
        lengths = words.lengths_of(rows)
        order = np.argsort(-lengths, kind="stable")
        table = words.padded(rows[order], -1)
        padded = torch.from_numpy(table)
        read = self.vectors[padded.clamp(min=0)].masked_fill_((padded < 0)[..., None], 0.0)
        states: Tensor = self.network(read, torch.from_numpy(lengths[order]))
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        return states[torch.from_numpy(back)]

    def epoch(self, train: Ints, dev: Ints, told: Callable[[int, int, float], None]) -> Epoch:
        """Learn from every example of train once, and judge on dev; `told` gets the words done, of
        how many, and the loss.
        """
        number, began = len(self.epochs) + 1, time.perf_counter()
        seed = (self.schedule.seed, number)
        draws = np.random.default_rng((*seed, 1))
        total, count, words, last = 0.0, 0, 0, began
        lengths = self.lesson.lengths
        every = int(lengths[train].sum())
        self.network.train()
        for rows in batches(lengths, train, self.schedule.batch, seed):
            loss, over = self._step(rows, draws)
            total, count = total + loss, count + over
            words += int(lengths[rows].sum())
            if not loss / max(over, 1) < BROKEN:
                raise DataProblem(
                    f"epoch {number}: the loss is no number any more; take a lower rate than"
                    f" {self.schedule.rate:g}"
                )
            if time.perf_counter() - last > TOLD:
                last = time.perf_counter()
                told(words, every, total / count)
        self.network.eval()
        with torch.inference_mode():
            figures = self.lesson.figures(dev, self.encode)
        told(every, every, total / max(count, 1))
        seconds = time.perf_counter() - began
        self.epochs.append(Epoch(number, total / max(count, 1), figures, words, seconds))
        return self.epochs[-1]

    def _step(self, rows: Ints, draws: np.random.Generator) -> tuple[float, int]:
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.lesson.loss(rows, self.encode, draws)
        torch.autograd.backward(loss.total / loss.over)
        if self.schedule.clip:
            nn.utils.clip_grad_norm_(self.parameters, self.schedule.clip)
        self.optimizer.step()
        return float(loss.total.detach()), loss.over

    def slower(self) -> None:
        """Halve the rate."""
        for group in self.optimizer.param_groups:
            group["lr"] /= 2

    def keep(self, folder: Path) -> None:
        """Write all that going on needs, in one file that is there whole or not at all."""
        from safetensors.torch import save_file

        tensors = {f"weights.{i}": p.detach() for i, p in enumerate(self.parameters)}
        for i, state in enumerate(self.optimizer.state_dict()["state"].values()):
            tensors |= {f"optimizer.{i}.{k}": v for k, v in state.items() if v is not None}
        facts = {
            "epochs": json.dumps([vars(epoch) for epoch in self.epochs]),
            "rate": repr(self.optimizer.param_groups[0]["lr"]),
        }
        with draft(folder / STATE) as part:
            save_file({k: v.contiguous() for k, v in tensors.items()}, part, metadata=facts)

    def resume(self, folder: Path) -> bool:
        """Go on where a run was stopped; whether there was one."""
        from safetensors import safe_open

        if not (folder / STATE).is_file():
            return False
        with safe_open(folder / STATE, "pt") as file:
            facts, tensors = file.metadata(), {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        self.epochs = [Epoch(**each) for each in json.loads(facts["epochs"])]
        with torch.no_grad():
            for i, parameter in enumerate(self.parameters):
                parameter.copy_(tensors[f"weights.{i}"])
        state = self.optimizer.state_dict()
        state["state"] = {i: dict(each) for i, each in _states(tensors)}
        state["param_groups"][0]["lr"] = float(facts["rate"])
        self.optimizer.load_state_dict(state)
        return True


def _states(tensors: Mapping[str, Tensor]) -> Iterator[tuple[int, Mapping[str, Tensor]]]:
    """The state of each weight's optimiser."""
    states: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        kind, number, *name = key.split(".", 2)
        if kind == "optimizer":
            states.setdefault(int(number), {})[name[0]] = tensor
    yield from sorted(states.items())
