"""Training a sentence encoder from files: what is asked for, the folder that it is kept in, and the
card in it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from sonde.cache import draft, write_text
from sonde.core import DataProblem, Sentence
from sonde.corpora.files import digest
from sonde.corpora.text import letters
from sonde.encoders.tables import FileTable, RandomTable
from sonde.encoders.trained import MODEL, facts_of
from sonde.errors import UsageProblem
from sonde.nets.trainable import ARCHITECTURES, Architecture, Shape
from sonde.training.data import Example, Reading
from sonde.training.loop import Epoch, Learner, Schedule
from sonde.training.objectives import OBJECTIVES, Objective, copied, lesson_of
from sonde.vectors import Floats, Ints

CARD = "README.md"
FORMAT = 1
SHARE, MOST = 0.05, 2000  # of the examples that are dev where no file is


@dataclass(frozen=True)
class Settings:
    """How a sentence encoder is trained; docs/training.md says where each default is from.

    vectors    a file of static word vectors, which are not trained; random ones of `dim` numbers
               without
    hidden     units of a layer, of each direction
    layers     how many; 0: 2 recurrent ones, or 8 convolutions
    embedding  numbers of the sentence vector, by a linear layer; 0: the pooled states as they are
    decoder    units of each of the decoder's two layers
    pieces     how many pieces texts are cut into at most
    epochs     passes over the examples
    optimizer  adam, sgd, or auto: adam for recurrent networks, sgd for convolutions
    rate       of learning; 0: 0.001 for adam, 0.1 for sgd
    clip       the norm that gradients are scaled down to; 0 for none
    batch      words and pieces of a batch at most
    patience   epochs without a better figure on dev, after which training ends; 0 for no end
    drop, swap for `denoise`: how often a word is left out, and two neighbours change places
    longest    words of a sentence, beyond which it is left out
    english    quotes are made straight, and clitics split off, as English treebanks have them
    most       examples that are read at most; 0 for all
    seed       of weights, of the order of examples and of noise
    """

    vectors: Path | None = None
    dim: int = 300
    hidden: int = 512
    layers: int = 0
    embedding: int = 0
    decoder: int = 512
    pieces: int = 8000
    epochs: int = 8
    optimizer: str = "auto"
    rate: float = 0.0
    clip: float = 5.0
    batch: int = 4096
    patience: int = 3
    drop: float = 0.1
    swap: float = 0.1
    longest: int = 60
    english: bool = False
    most: int = 0
    seed: int = 0

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Settings:
        """Settings by name, whose values may be texts; UsageProblem for one that there is not."""
        kinds = {field.name: type(getattr(cls(), field.name)) for field in fields(cls)}
        made: dict[str, Any] = {}
        for name, value in options.items():
            if name not in kinds:
                raise UsageProblem(f"no setting {name!r}: choose one of {', '.join(kinds)}")
            try:
                made[name] = _read(kinds[name], value)
            except ValueError:
                raise UsageProblem(f"{name}={value}: not {NUMBERS[kinds[name]]}") from None
        return cls(**made)

    def __post_init__(self) -> None:
        if self.optimizer not in ("auto", "adam", "sgd"):
            raise UsageProblem(f"no optimizer {self.optimizer!r}: choose one of auto, adam, sgd")
        for name in ("hidden", "decoder", "pieces", "epochs", "batch", "longest", "dim"):
            if getattr(self, name) < 1:
                raise UsageProblem(f"{name}={getattr(self, name)}: a number of at least 1")


NUMBERS = {int: "a whole number", float: "a number", bool: "true or false"}


def _read(kind: type, value: Any) -> Any:
    """A value of a setting of that kind."""
    if kind is type(None):  # the file of vectors
        return None if value is None else Path(value)
    if kind is bool and isinstance(value, str):
        if value.lower() not in ("true", "false"):
            raise ValueError
        return value.lower() == "true"
    return kind(value)


@dataclass(frozen=True)
class Kit:
    """What a lesson is made with."""

    shape: Shape
    pieces: int
    decoder: int
    seed: int


@dataclass(frozen=True)
class Training:
    """A trained encoder, as `train` leaves it; printing it says what became of it.

    folder   the encoder is `trained:FOLDER`
    figure   by which the best epoch is told
    trivial  what needs no encoder does as well, on dev
    counts   sentences that were read, and left out and why
    """

    folder: Path
    objective: str
    figure: str
    best: int
    epochs: Sequence[Mapping[str, Any]]
    trivial: Mapping[str, float]
    counts: Mapping[str, int]
    parameters: int

    def __str__(self) -> str:
        head = f"{self.folder}: {self.objective}, {self.parameters:,} weights of the encoder"
        lines = [head, "", _table(self.epochs)]
        lines.append(f"best: epoch {self.best}, by {self.figure} on dev")
        lines += [f"{name}: {value:.1f}" for name, value in self.trivial.items()]
        lines.append(", ".join(f"{name}: {n:,}" for name, n in self.counts.items()))
        return "\n".join(lines)


def _table(epochs: Sequence[Mapping[str, Any]]) -> str:
    """Epochs as a table."""
    head = list(epochs[0]) if epochs else []
    rows = [head, *([_said(each[key]) for key in head] for each in epochs)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def _said(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


Told = Callable[[int, int, int, float], None]
"""Gets the number of the epoch, the words done in it, of how many, and the loss."""


@dataclass(frozen=True)
class Request:
    """What an encoder is to learn, and from what.

    files    that the objective reads
    dev      files to judge by; a part of the examples without
    where    of files with columns: which rows are read, as patterns by column
    exclude  sentences that are left out, as they will be probed
    """

    architecture: Architecture
    objective: str
    files: Sequence[Path]
    dev: Sequence[Path] = ()
    where: Mapping[str, str] | None = None
    exclude: Sequence[Sentence] = ()

    def check(self) -> Objective:
        """The objective; UsageProblem for a name that there is not."""
        for kind, name, known in (
            ("architecture", self.architecture, ARCHITECTURES),
            ("objective", self.objective, tuple(OBJECTIVES)),
        ):
            if name not in known:
                raise UsageProblem(f"no {kind} {name!r}: choose one of {', '.join(known)}")
        return OBJECTIVES[self.objective]


def train(request: Request, out: Path, settings: Settings, told: Told | None = None) -> Training:
    """Train an encoder and keep it in a folder, an epoch after the other; one that was stopped goes
    on.
    """
    objective = request.check()
    left_out = {letters(form) for s in request.exclude for form in (s.text, " ".join(s.words))}
    where = dict(request.where or {})
    how = Reading(settings.english, settings.longest, frozenset(left_out - {""}), where)
    asked = _asked(request, settings, how)
    _check(out, asked)
    parts = _split(request, how, settings)
    learner, facts = _learner(request, parts, settings)
    counts = how.counts + Counter(facts.pop("counts"))
    said = {**asked, **facts, "figure": objective.figure, "counts": dict(counts)}
    if learner.resume(out):
        _say(out, learner, objective, said)
    while not _over(learner.epochs, objective, settings):
        number = len(learner.epochs) + 1
        learner.epoch(parts.train, parts.dev, partial(told or _nothing, number))
        if _stalled(learner.epochs):
            learner.slower()
        _keep(out, learner)
        _say(out, learner, objective, said)
    return described(out)


def _nothing(*_: Any) -> None:
    """Nobody listens."""


class Parts(NamedTuple):
    """Examples, and which of them are train and dev."""

    examples: list[Example]
    train: Ints
    dev: Ints


def _learner(request: Request, parts: Parts, settings: Settings) -> tuple[Learner, dict[str, Any]]:
    """An encoder with its lesson, and what is said of them."""
    objective, words = request.check(), dict[str, int]()
    sizes = settings.hidden, settings.layers, settings.embedding
    shape = Shape(request.architecture, _dim(settings), *sizes)
    kit = Kit(shape, settings.pieces, settings.decoder, settings.seed)
    lesson = lesson_of(objective, parts.examples, words, kit)
    table, known = _vectors(list(words), settings)
    network = shape.network(settings.seed)
    learner = Learner(network, lesson, table, _schedule(objective, request, settings))
    with torch.inference_mode():
        trivial = dict(lesson.trivial(parts.train, parts.dev))
    if objective.figure == "bleu":
        trivial |= _copied(parts)
    counts = {"train": len(parts.train), "dev": len(parts.dev), "words": len(words)}
    return learner, {
        "shape": shape.plain(),
        "trivial": trivial,
        "parameters": sum(p.numel() for p in network.parameters()),
        "parameters of the head": sum(p.numel() for p in lesson.head.parameters()),
        "counts": {**counts, "words without a vector": int((~known).sum())},
    }


def _asked(request: Request, settings: Settings, how: Reading) -> dict[str, Any]:
    """What decides the weights, as the folder keeps it; how many epochs there are does not."""
    plain = {**asdict(settings), "vectors": settings.vectors and str(settings.vectors)}
    for name in ("epochs", "patience"):
        del plain[name]
    return {
        "format": FORMAT,
        "architecture": request.architecture,
        "objective": request.objective,
        "files": {str(path): digest([path]) for path in (*request.files, *request.dev)},
        "vectors": digest([settings.vectors]) if settings.vectors else "random",
        "where": dict(how.where),
        "excluded": len(how.left_out),
        "settings": plain,
    }


def _check(out: Path, asked: Mapping[str, Any]) -> None:
    """Refuse a folder that holds another training."""
    known = facts_of(out) if (out / MODEL).is_file() else None
    if known is None:
        return
    differ = [key for key, value in asked.items() if known.get(key) != value]
    if differ:
        raise UsageProblem(
            f"{out} holds another training (its {differ[0]} differ); name another folder with -o,"
            " or remove this one"
        )


def _split(request: Request, how: Reading, settings: Settings) -> Parts:
    """The examples, and which of them are train and dev; without files of dev a part is drawn, and
    none of its sentences is in train.
    """
    reads = request.check().reads
    examples = list(reads(request.files, how))
    if settings.most and len(examples) > settings.most:
        draws = np.random.default_rng(settings.seed)
        kept = np.sort(draws.choice(len(examples), settings.most, replace=False))
        examples = [examples[i] for i in kept.tolist()]
    many = len(examples)
    if request.dev:
        examples += reads(request.dev, how)
        dev = np.arange(many, len(examples))
    else:
        draws = np.random.default_rng((settings.seed, 1))
        dev = np.sort(draws.permutation(many)[: min(MOST, int(SHARE * many))])
    judged = {examples[i].first for i in dev.tolist()}
    rest = np.setdiff1d(np.arange(many), dev)
    train = np.array([i for i in rest.tolist() if examples[i].first not in judged], np.int64)
    how.counts["in dev, too"] = len(rest) - len(train)
    if not (len(train) and len(dev)):
        raise DataProblem(
            f"{len(train):,} examples are left to train on and {len(dev):,} to judge by; of what"
            f" was read: {', '.join(f'{name} {n:,}' for name, n in how.counts.items())}"
        )
    return Parts(examples, train, dev)


def _dim(settings: Settings) -> int:
    if settings.vectors is None:
        return settings.dim
    return int(FileTable(settings.vectors).look_up(["the"])[0].shape[1])


def _vectors(words: Sequence[str], settings: Settings) -> tuple[Floats, Any]:
    """The vector of each word, and whether it has one."""
    table = (
        RandomTable(settings.dim, settings.seed)
        if settings.vectors is None
        else FileTable(settings.vectors)
    )
    return table.look_up(words)


def _schedule(objective: Objective, request: Request, settings: Settings) -> Schedule:
    kind = settings.optimizer
    if kind == "auto":
        kind = "sgd" if request.architecture == "gated-convnet" else "adam"
    noise = (settings.drop, settings.swap) if objective.noise else (0.0, 0.0)
    rate = settings.rate or (0.1 if kind == "sgd" else 0.001)
    return Schedule(kind, rate, settings.clip, settings.batch, *noise, settings.seed)


def _copied(parts: Parts) -> Mapping[str, float]:
    judged = [parts.examples[i] for i in parts.dev.tolist()]
    return copied(
        [" ".join(example.first) for example in judged],
        [example.text for example in judged],
        [parts.examples[i].text for i in parts.train.tolist()],
    )


def _best(epochs: Sequence[Epoch], objective: Objective) -> int:
    """The number of the epoch with the best figure on dev; of equal ones the one with the lowest
    perplexity, or the first.
    """
    sign = 1 if objective.higher else -1

    def rank(epoch: Epoch) -> tuple[float, float, int]:
        figures = epoch.figures
        return sign * figures[objective.figure], -figures.get("perplexity", 0.0), -epoch.number

    return max(epochs, key=rank).number


def _since(epochs: Sequence[Epoch], objective: Objective) -> int:
    """Epochs since the best one."""
    return len(epochs) - _best(epochs, objective)


def _stalled(epochs: Sequence[Epoch]) -> bool:
    """Whether the last epoch is no better than the best before: by perplexity, which is surer than
    BLEU, or by accuracy where nothing is written.
    """
    steady = [e.figures.get("perplexity", -e.figures["accuracy"]) for e in epochs]
    return len(steady) > 1 and steady[-1] >= min(steady[:-1])


def _over(epochs: Sequence[Epoch], objective: Objective, settings: Settings) -> bool:
    if len(epochs) >= settings.epochs:
        return True
    return bool(epochs and settings.patience) and _since(epochs, objective) >= settings.patience


def _keep(out: Path, learner: Learner) -> None:
    """Write the encoder of the last epoch, then what going on needs."""
    from safetensors.torch import save_file

    weights = {k: v.detach().contiguous() for k, v in learner.network.state_dict().items()}
    with draft(out / f"epoch-{len(learner.epochs)}.safetensors") as part:
        save_file(weights, part)
    learner.keep(out)


def _say(out: Path, learner: Learner, objective: Objective, facts: Mapping[str, Any]) -> None:
    """Write what is known of the encoder."""
    said = {
        **facts,
        "best": _best(learner.epochs, objective),
        "epochs": [epoch.plain() for epoch in learner.epochs],
    }
    write_text(out / MODEL, json.dumps(said, indent=1, ensure_ascii=False) + "\n")
    write_text(out / CARD, _card(out, said))


def described(folder: Path) -> Training:
    """What is known of a trained encoder; DataProblem where a folder holds none."""
    facts = facts_of(folder)
    return Training(
        folder,
        facts["objective"],
        facts["figure"],
        facts["best"],
        facts["epochs"],
        facts["trivial"],
        facts["counts"],
        facts["parameters"],
    )


def _card(out: Path, facts: Mapping[str, Any]) -> str:
    files = "\n".join(f"- `{name}` ({mark})" for name, mark in facts["files"].items())
    return (
        f"# {out.name}\n\nA sentence encoder that `sonde train` made: {facts['architecture']},"
        f" {facts['parameters']:,} weights, trained to {facts['objective']}. Read it with"
        f" `trained:{out.name}`.\n\n## Data\n\n{files}\n\n"
        + ", ".join(f"{name}: {n:,}" for name, n in facts["counts"].items())
        + f"\n\n## Figures on dev\n\n```\n{_table(facts['epochs'])}\n```\n\nBest: epoch"
        f" {facts['best']}, by {facts['figure']}.\n\n"
        + "\n".join(f"- {name}: {value:.1f}" for name, value in facts["trivial"].items())
        + f"\n\n## Settings\n\n```json\n{json.dumps(facts['settings'], indent=1)}\n```\n"
    )
