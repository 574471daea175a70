"""The loop that trains a sentence encoder, an epoch after the other: batches, steps, checkpoints.

Every batch draws from a generator of its own, so a training that goes on after a stop is the one
that was never stopped.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from lingprobe import DataProblem
from lingprobe.extend import Ints, SentenceNetwork, SentencesRead, get_processor_level
from lingprobe_extensions.train.nets.forms import FormEmbedding
from lingprobe_extensions.train.nets.heads import HEAD_WEIGHT_PREFIX, WordEmbedding
from lingprobe_extensions.train.objectives import Figures, TrainingLesson
from lingprobe_extensions.train.ranks import ProcessRank
from lingprobe_extensions.train.texts import NumberedTexts
from lingprobe_extensions.train.weights import save_tensors

TRAINING_STATE_FILE = "state.safetensors"
_POOL = 100  # batches whose examples are sorted by length together
_BROKEN = 1e4  # a loss, from which on nothing is learnt any more; NaN is none below
CHECKPOINT_INTERVAL_SECONDS = (
    300.0  # seconds of an epoch after which what going on needs is written
)
FIGURE_FILE_SEPARATOR = " on "  # between a figure and the file that it is of, where that is not dev
PROGRESS_INTERVAL_SECONDS = 0.3  # seconds from one word on progress to the next


@dataclass(frozen=True)
class EpochResult:
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
            **{
                name if FIGURE_FILE_SEPARATOR in name else f"dev {name}": value
                for name, value in self.figures.items()
            },
            "words": self.words,
            "seconds": round(self.seconds, 1),
        }


@dataclass(frozen=True)
class OptimizerSettings:
    """How weights follow their gradients.

    optimizer  adam, or sgd with momentum 0.9 (Conneau et al. 2018 for convolutions)
    rate       of learning; it is halved after an epoch that was no better than the best
    falls      instead, it falls to nothing in a straight line over so many epochs
    clip       the norm that gradients are scaled down to; 0 for none
    batch      words and pieces of a batch at most
    device     cpu, cuda, or auto: a GPU where there is one
    precision  fp32, or bf16 for the products
    """

    optimizer: str
    rate: float
    clip: float
    batch: int
    seed: int = 0
    device: str = "auto"
    precision: str = "fp32"
    falls: int = 0

    @cached_property
    def place(self) -> torch.device:
        """The device; `auto` is a GPU where there is one."""
        if self.device == "auto":
            return torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return torch.device(self.device)

    @contextmanager
    def precise(self) -> Iterator[None]:
        """Products in bfloat16, where they are asked for."""
        mixed, onednn = self.precision == "bf16", torch.backends.mkldnn.enabled
        if mixed and self.place.type == "cpu" and get_processor_level() != "avx512":
            # oneDNN has no LSTM in bfloat16 for such processors; torch's own runs everywhere
            torch.backends.mkldnn.enabled = False  # type: ignore[assignment]
        try:
            with torch.autocast(self.place.type, torch.bfloat16, enabled=mixed):
                yield
        finally:
            torch.backends.mkldnn.enabled = onednn

    def optimizer_of(self, parameters: list[nn.Parameter]) -> torch.optim.Optimizer:
        """The optimiser of some weights."""
        if self.optimizer == "sgd":
            return torch.optim.SGD(parameters, self.rate, momentum=0.9, nesterov=True, fused=True)
        return torch.optim.Adam(parameters, self.rate, fused=True)


def group_by_length(lengths: Ints, rows: Ints, max_words: int, seed: tuple[int, int]) -> list[Ints]:
    """The rows in batches of like length, of at most `max_words` words and pieces with padding, in
    an order that the seed draws; the longest of a batch first.
    """
    draws = np.random.default_rng(seed)
    order = draws.permutation(rows)
    size = max(1, int(_POOL * max_words / max(lengths[rows].mean(), 1)))
    made: list[Ints] = []
    for start in range(0, len(order), size):
        part = order[start : start + size]
        part = part[np.argsort(-lengths[part], kind="stable")]
        at = 0
        while at < len(part):
            many = max(1, max_words // max(int(lengths[part[at]]), 1))
            made.append(part[at : at + many])
            at += many
    return [made[i] for i in draws.permutation(len(made))]


class EpochLearner(Protocol):
    """What learns from examples, an epoch after the other."""

    epochs: list[EpochResult]
    ranks: ProcessRank

    def epoch(
        self,
        train: Ints,
        dev: Ints,
        report: Callable[[int, int, float], None],
        pause: Callable[[], None] | None = None,
    ) -> EpochResult: ...
    def slower(self) -> None: ...
    def weights(self) -> dict[str, Tensor]: ...
    def keep(self, folder: Path) -> None: ...
    def resume(self, folder: Path) -> bool: ...


class TrainingStart(NamedTuple):
    """What training begins with: a learner, what is said of it, the rows of train and of dev."""

    learner: EpochLearner
    facts: dict[str, Any]
    train: Ints
    dev: Ints


@dataclass
class EpochProgress:
    """How far an epoch is: batches that are done, their loss, over how many things, their words,
    and the seconds that they took.
    """

    done: int = 0
    loss: float = 0.0
    over: int = 0
    words: int = 0
    seconds: float = 0.0


@dataclass
class EncoderLearner:
    """An encoder and its lesson while it learns.

    words   a module of the vectors of words
    ranks   the processes that learn together
    also    rows of files that are judged after each epoch, too, by their names
    whole   whether the head of the lesson is kept, too
    """

    network: SentenceNetwork
    lesson: TrainingLesson
    words: WordEmbedding | FormEmbedding
    schedule: OptimizerSettings
    ranks: ProcessRank = field(default_factory=ProcessRank)
    epochs: list[EpochResult] = field(default_factory=list)
    part: EpochProgress = field(default_factory=EpochProgress)
    also: Mapping[str, Ints] = field(default_factory=dict)
    whole: bool = False

    def __post_init__(self) -> None:
        self.device = self.schedule.place
        self.network, self.head = self.network.to(self.device), self.lesson.head.to(self.device)
        self.words = self.words.to(self.device)
        self.modules = self.network, self.head, self.words
        self.parameters = [p for m in self.modules for p in m.parameters() if p.requires_grad]
        self.optimizer = self.schedule.optimizer_of(self.parameters)

    def encode(self, words: NumberedTexts, rows: Ints) -> SentencesRead:
        """Sentences of some rows, in their order."""
        lengths = words.lengths_of(rows)
        order = np.argsort(-lengths, kind="stable")
        vectors = self.words(torch.from_numpy(words.pad_rows(rows[order], -1)).to(self.device))
        read = self.network.read(vectors, torch.from_numpy(lengths[order]))
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        turned = torch.from_numpy(back)
        here = turned.to(self.device)
        return SentencesRead(read.sentences[here], read.words[here], read.lengths[turned])

    def weights(self) -> dict[str, Tensor]:
        """What the encoder is made of, by name; its words only where they were learnt."""
        named = {**self.network.state_dict(), **self.words.learned_weights()}
        if self.whole:
            named |= {
                f"{HEAD_WEIGHT_PREFIX}{name}": value
                for name, value in self.head.state_dict().items()
            }
        return {name: value.detach().cpu().contiguous() for name, value in named.items()}

    def epoch(
        self,
        train: Ints,
        dev: Ints,
        report: Callable[[int, int, float], None],
        pause: Callable[[], None] | None = None,
    ) -> EpochResult:
        """Learn from every example of train once, and judge on dev; `report` gets the words done,
        of how many, and the loss; `pause` is called every some minutes.
        """
        number, began = len(self.epochs) + 1, time.perf_counter() - self.part.seconds
        part, heard, kept = self.part, 0.0, time.perf_counter()
        lengths, seed = self.lesson.lengths, (self.schedule.seed, number)
        every = int(lengths[train].sum())
        for module in self.modules:
            module.train()
        work = self.ranks.own_batches(group_by_length(lengths, train, self.schedule.batch, seed))
        for at in range(part.done, len(work)):
            draws = np.random.default_rng((*seed, 1, at, self.ranks.rank))
            if self.schedule.falls:
                self._fall(number - 1 + at / len(work))
            with _seeded_dropout((*seed, 2, at, self.ranks.rank)):
                loss, over, words = self._step(work[at], draws, lengths)
            part.done, part.loss, part.over = at + 1, part.loss + loss, part.over + over
            part.words, now = part.words + words, time.perf_counter()
            part.seconds = now - began
            if not loss / max(over, 1) < _BROKEN:
                raise DataProblem(
                    f"epoch {number}: the loss is no number any more; take a lower rate than"
                    f" {self.schedule.rate:g}"
                )
            if now - heard > PROGRESS_INTERVAL_SECONDS:
                heard = now
                report(part.words, every, part.loss / max(part.over, 1))
            if pause is not None and now - kept > CHECKPOINT_INTERVAL_SECONDS:
                kept = now
                pause()
        figures = {**self._figures(dev), **self._elsewhere()}
        loss = part.loss / max(part.over, 1)
        report(every, every, loss)
        seconds = time.perf_counter() - began
        self.epochs.append(EpochResult(number, loss, figures, part.words, seconds))
        self.part = EpochProgress()
        return self.epochs[-1]

    def _step(
        self, rows: Ints, draws: np.random.Generator, lengths: Ints
    ) -> tuple[float, int, int]:
        """Learn from a batch; its loss, over how many things, and its words, of all processes."""
        self.optimizer.zero_grad(set_to_none=True)
        total, over, words = 0.0, 0, int(lengths[rows].sum())
        if len(rows):
            with self.schedule.precise():
                loss = self.lesson.loss(rows, self.encode, draws)
            torch.autograd.backward(loss.total / loss.over)
            total, over = float(loss.total.detach()), loss.over
        total, over, words = self.ranks.average_gradients(self.parameters, total, over, words)
        if self.schedule.clip:
            nn.utils.clip_grad_norm_(self.parameters, self.schedule.clip)
        self.optimizer.step()
        return total, over, words

    def _fall(self, done: float) -> None:
        """Set the rate for a step, after as many epochs."""
        left = max(1 - done / self.schedule.falls, 0.0)
        for group in self.optimizer.param_groups:
            group["lr"] = self.schedule.rate * left

    def _figures(self, rows: Ints) -> Figures:
        for module in self.modules:
            module.eval()
        with torch.inference_mode(), self.schedule.precise():
            return self.lesson.figures(rows, self.encode)

    def _elsewhere(self) -> Figures:
        """`--evaluate` scores other files after each epoch, without influence on training."""
        return {
            f"{name}{FIGURE_FILE_SEPARATOR}{file}": value
            for file, rows in self.also.items()
            for name, value in self._figures(rows).items()
        }

    def slower(self) -> None:
        """Halve the rate, unless it falls by itself."""
        if self.schedule.falls:
            return
        for group in self.optimizer.param_groups:
            group["lr"] /= 2

    def keep(self, folder: Path) -> None:
        """Write all that going on needs, in one file that is there whole or not at all."""
        tensors = {f"weights.{i}": p.detach() for i, p in enumerate(self.parameters)}
        for i, state in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{i}.{k}": v for k, v in state.items() if v is not None}
        facts = {
            "epochs": json.dumps([vars(epoch) for epoch in self.epochs]),
            "part": json.dumps(vars(self.part)),
            "rate": repr(self.optimizer.param_groups[0]["lr"]),
        }
        save_tensors(
            {k: v.contiguous() for k, v in tensors.items()}, folder / TRAINING_STATE_FILE, facts
        )

    def resume(self, folder: Path) -> bool:
        """Go on where a run was stopped; whether there was one."""
        kept = load_training_state(folder, "pt")
        if kept is None:
            return False
        facts, tensors = kept
        self.epochs = [EpochResult(**each) for each in json.loads(facts["epochs"])]
        self.part = EpochProgress(**json.loads(facts["part"]))
        with torch.no_grad():
            for i, parameter in enumerate(self.parameters):
                parameter.copy_(tensors[f"weights.{i}"])
        state = self.optimizer.state_dict()
        state["state"] = {i: dict(each) for i, each in _states(tensors)}
        state["param_groups"][0]["lr"] = float(facts["rate"])
        self.optimizer.load_state_dict(state)
        if self.epochs and not self.part.done:  # files may be asked for after the last epoch
            last = self.epochs[-1]
            self.epochs[-1] = replace(last, figures={**last.figures, **self._elsewhere()})
        return True


@contextmanager
def _seeded_dropout(seed: Sequence[int]) -> Iterator[None]:
    """What is dropped inside is drawn by the seed, and torch's own draws stay as they are."""
    with torch.random.fork_rng():
        torch.manual_seed(int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]))
        yield


def load_training_state(folder: Path, kind: str) -> tuple[dict[str, str], dict[str, Any]] | None:
    """What going on in a folder needs, as texts and as arrays of that kind; None where there is
    nothing, DataProblem where it is damaged.
    """
    from safetensors import SafetensorError, safe_open

    if not (folder / TRAINING_STATE_FILE).is_file():
        return None
    try:
        with safe_open(folder / TRAINING_STATE_FILE, kind) as file:
            return file.metadata(), {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise DataProblem(
            f"{folder / TRAINING_STATE_FILE} cannot be read ({error}); remove {folder}, and train"
            " anew"
        ) from None


def _states(tensors: Mapping[str, Tensor]) -> Iterator[tuple[int, Mapping[str, Tensor]]]:
    """The state of each weight's optimiser."""
    states: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        kind, number, *name = key.split(".", 2)
        if kind == "optimizer":
            states.setdefault(int(number), {})[name[0]] = tensor
    yield from sorted(states.items())
