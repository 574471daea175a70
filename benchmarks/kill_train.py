"""Kill -9 while encoders are trained, twenty times at random: what the next run ends with is compared.

    python benchmarks/kill_train.py [--kills 20] [--seed 0]

Three trainings are killed at any moment from the start of the process to its end, over and over,
until each has ended: a BiLSTM that reconstructs, a classifier of pairs whose words are learnt, and
Sent2Vec. What going on needs is written every tenth of a second, not every five minutes, so that
most kills come between two such moments of one epoch. Weights, the state of the optimiser, figures
of all epochs and hashes of what was read must be those of a training that nobody disturbed, bit for
bit; only seconds may differ, and no draft of a file may be left behind.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

TRAININGS = {
    "reconstruct": ("bilstm-max", "autoencode", "text.txt", {"batch": 300}),
    "infer": ("bilstm-max", "infer", "pairs.tsv", {"batch": 300, "learned": True}),
    "sent2vec": ("bow", "cbow", "text.txt", {"buckets": 500}),
}
SMALL = {"hidden": 16, "decoder": 16, "dim": 20, "pieces": 300, "epochs": 3, "layers": 1}
WORDS = [f"w{i}" for i in range(200)]


def write(folder: Path) -> None:
    """The files that are trained on."""
    draws = random.Random(0)

    def sentence() -> str:
        return " ".join(draws.choices(WORDS, k=draws.randint(2, 12)))

    lines = [sentence() for _ in range(6000)]
    (folder / "text.txt").write_text("\n".join(lines) + "\n", "utf-8")
    pairs = [f"{sentence()}\t{sentence()}\t{draws.choice('ab')}" for _ in range(6000)]
    head = "premise\thypothesis\tlabel"
    (folder / "pairs.tsv").write_text("\n".join([head, *pairs]) + "\n", "utf-8")


def work(name: str, folder: Path, out: Path) -> None:
    """One training, to the end."""
    import torch

    import lingprobe
    from lingprobe_extensions.train import loop

    torch.set_num_threads(1)
    loop.CHECKPOINT_INTERVAL_SECONDS = 0.1
    architecture, objective, file, settings = TRAININGS[name]
    lingprobe.train(architecture, objective, folder / file, out, **{**SMALL, **settings})


def start(name: str, folder: Path, out: Path) -> subprocess.Popen[bytes]:
    """A training in a process of its own."""
    return subprocess.Popen(
        [sys.executable, __file__, "--work", name, str(folder), str(out)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def ended(name: str, folder: Path, out: Path, seconds: float) -> bool:
    """Whether a training came to its end before it was killed."""
    worker = start(name, folder, out)
    try:
        code = worker.wait(seconds)
    except subprocess.TimeoutExpired:
        worker.send_signal(signal.SIGKILL)
        return worker.wait() != -signal.SIGKILL
    if code:
        raise SystemExit(f"{name}: a training ended with {code}")
    return True


def _plain(said: Any) -> Any:
    """What a file says, without seconds."""
    if isinstance(said, dict):
        return {key: _plain(value) for key, value in said.items() if key != "seconds"}
    return [_plain(each) for each in said] if isinstance(said, list) else said


def known(folder: Path) -> dict[str, Any]:
    """What a folder holds, by file."""
    from safetensors import safe_open

    found: dict[str, Any] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix == ".safetensors":
            with safe_open(path, "np") as file:
                facts = {key: _read(value) for key, value in (file.metadata() or {}).items()}
                names = sorted(file.keys())
                bits = {key: np.asarray(file.get_tensor(key)).tobytes() for key in names}
            found[path.name] = _plain(facts), bits
        elif path.suffix == ".json":
            found[path.name] = _plain(json.loads(path.read_text("utf-8")))
        elif path.suffix == ".md":  # a table of the same with seconds
            found[path.name] = None
        else:
            found[path.name] = path.read_bytes()
    return found


def _read(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", nargs=3)
    chosen = parser.parse_args()
    sys.path.pop(0)  # numba imports the package coverage, and would get the script beside this one
    if chosen.work:
        name, *folders = chosen.work
        return work(name, *map(Path, folders))
    folder = Path(tempfile.mkdtemp(prefix="lingprobe-kill-"))
    try:
        wrong, kills = compare(folder, chosen.kills, random.Random(chosen.seed))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"kill_train kills={kills} differing={wrong} target=0")
    raise SystemExit(1 if wrong or kills < chosen.kills else 0)


def compare(folder: Path, wanted: int, chance: random.Random) -> tuple[int, int]:
    """How many files differ after kills, and how many kills hit a training at work."""
    write(folder)
    lasting, expected = {}, {}
    for name in TRAININGS:
        ended(name, folder, folder / "first", 600)  # which compiles
        shutil.rmtree(folder / "first")
        began = time.perf_counter()
        ended(name, folder, folder / name, 600)
        lasting[name], expected[name] = time.perf_counter() - began, known(folder / name)
        print(
            f"{name}, undisturbed: {lasting[name]:.1f} s, {len(expected[name])} files", flush=True
        )
    wrong = kills = rounds = 0
    while kills < wanted:
        name = list(TRAININGS)[rounds % len(TRAININGS)]
        rounds, out, hits = rounds + 1, folder / f"round-{rounds}", 0
        while not ended(name, folder, out, chance.uniform(0, lasting[name])):
            hits += 1
        found = known(out)
        names = expected[name].keys() | found.keys()
        differing = sorted(f for f in names if expected[name].get(f) != found.get(f))
        wrong, kills = wrong + len(differing), kills + hits
        print(
            f"{name}: killed {hits} times, then {len(found)} files, of which"
            f" {len(differing)} differ {' '.join(differing)}",
            flush=True,
        )
        shutil.rmtree(out)
    return wrong, kills


if __name__ == "__main__":
    main()
