"""Kill -9 in the middle of encoding and of fitting, twenty times at random: what the next run ends
with is compared.

    python benchmarks/kill.py [--kills 20] [--seed 0]

Each round starts on an empty store: a run is killed while it encodes, the next while it fits, a
third is left alone. The vectors of the third must
be the bytes, and its results the numbers and predictions, of a run that nobody disturbed. The
encoder is ours: its last bits depend on which sentences share a batch, as those of real ones do.
Leave lingprobe's sources alone meanwhile: they are part of what a result is stored under.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from lingprobe.data.core import Sentence
from lingprobe.data.vectors import Vectors
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialDesign, make_plan
from lingprobe.experiment.run import run_plan
from lingprobe.experiment.runners import WorkerPool
from lingprobe.store.results import ResultStore

TASKS = ("ud/tense:embedded", "ud/subj-num:embedded")
PROBES = ("mlp", "logreg", "span")
PASSING = ("date", "fit_seconds")  # what may differ between two runs


def tell(event: str) -> None:
    """Say what this process does now."""
    os.write(1, f"{event}\n".encode())


@dataclass(frozen=True)
class Slow:
    """Bags of hashed words, a third of a second a block, with last bits that depend on the
    batch.
    """

    name: str = "slow"
    takes = "sentences"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        tell("encode")
        time.sleep(0.3)
        batch = blake2b(b"".join(s.key for s in sentences), digest_size=4).digest()
        found = np.zeros((len(sentences), 64), np.float32)
        for i, sentence in enumerate(sentences):
            for word in sentence.words:
                found[i, blake2b(word.encode(), digest_size=2).digest()[0] % 64] += 1
        return Vectors((found * np.float32(1 + int.from_bytes(batch, "little") / 2**50),))


def work(root: Path) -> None:
    """One run, to the end."""

    def mapper(function: Callable[[Any], Any], groups: Iterable[Any]) -> Iterator[Any]:
        for group in groups:
            tell("fit")
            yield function(group)

    paths = RunPaths.of(root / "results", root / "cache")
    outcome = run_plan(
        make_plan(TrialDesign(TASKS, [Slow()], PROBES, ("none", "shuffled"), 1), paths),
        paths,
        WorkerPool(fit=mapper),
        progress=False,
    )
    assert outcome.results, outcome.failures
    assert not outcome.failures, outcome.failures


def start(root: Path) -> subprocess.Popen[bytes]:
    """A run in a process of its own."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, __file__, "--work", str(root)], stdout=subprocess.PIPE, env=environment
    )


def whole(root: Path) -> dict[str, list[float]]:
    """A run to the end; the moments, in seconds, at which each kind of event was told."""
    worker, began = start(root), time.perf_counter()
    assert worker.stdout is not None
    moments: dict[str, list[float]] = {"encode": [], "fit": []}
    for line in worker.stdout:
        moments[line.decode().strip()].append(time.perf_counter() - began)
    if worker.wait() != 0:
        raise SystemExit(f"a run that nobody killed ended with {worker.returncode}")
    return {**moments, "end": [time.perf_counter() - began]}


def killed(root: Path, event: str, number: int, seconds: float) -> bool:
    """A run that is killed some seconds after the numbered event; whether it was still at work
    then.
    """
    worker = start(root)
    assert worker.stdout is not None
    for line in worker.stdout:
        number -= line.decode().strip() == event
        if number < 0:
            break
    time.sleep(seconds)
    worker.send_signal(signal.SIGKILL)
    return worker.wait() == -signal.SIGKILL


def results(root: Path) -> dict[str, Any]:
    """Every result of a store by trial id, as plain values without what may differ."""
    found = {}
    for trial, result in ResultStore(root / "results").read():
        passing = {k: v for k, v in result.provenance.plain().items() if k not in PASSING}
        columns = [
            {k: v.tobytes() for k, v in column.arrays().items()}
            for column in (result.gold, result.predicted)
        ]
        strata = {key: (tags.codes.tobytes(), tags.names) for key, tags in result.strata.items()}
        clusters = {key: codes.tobytes() for key, codes in result.clusters.items()}
        found[trial] = (
            replace(result, gold=None, predicted=None, provenance={}, strata={}, clusters={}),
            passing,
            columns,
            strata,
            clusters,
        )
    return found


def vectors(root: Path) -> dict[str, bytes]:
    """The bytes of every file of vectors."""
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*.vectors"))}


def main() -> None:
    """Kill, run again, compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path)
    chosen = parser.parse_args()
    if chosen.work:
        return work(chosen.work)
    folder = Path(tempfile.mkdtemp(prefix="lingprobe-kill-"))
    try:
        wrong, kills = compare(folder, chosen.kills, np.random.default_rng(chosen.seed))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"kill kills={kills} differing={wrong} target=0")
    raise SystemExit(1 if wrong or kills < chosen.kills else 0)


def compare(folder: Path, wanted: int, chance: np.random.Generator) -> tuple[int, int]:
    """How many results and files of vectors differ after kills, and how many kills hit a run at
    work.
    """
    moments = whole(folder / "undisturbed")
    expected, bytes_expected = results(folder / "undisturbed"), vectors(folder / "undisturbed")
    print(
        f"undisturbed: {len(expected)} results, {len(bytes_expected)} blocks,"
        f" {moments['end'][0]:.1f} s"
    )
    gaps = {
        event: float(np.mean(np.diff([*moments[event], moments[after][0]])))
        for event, after in (("encode", "fit"), ("fit", "end"))
    }
    wrong = kills = attempts = 0
    while kills < wanted and attempts < 2 * wanted:
        root = folder / f"round-{attempts}"
        for event in ("encode", "fit"):
            number, seconds = (
                int(chance.integers(len(moments[event]))),
                float(chance.uniform(0, gaps[event])),
            )
            hit = killed(root, event, number, seconds)
            kills += hit
            attempts += 1
            print(
                f"{'killed' if hit else 'had ended'} {seconds:.2f} s after {event} {number + 1} of"
                f" {len(moments[event])}",
                flush=True,
            )
        whole(root)
        found, bytes_found = results(root), vectors(root)
        differing = [t for t in expected.keys() | found.keys() if expected.get(t) != found.get(t)]
        blocks = [
            b
            for b in bytes_expected.keys() | bytes_found.keys()
            if bytes_expected.get(b) != bytes_found.get(b)
        ]
        wrong += len(differing) + len(blocks)
        print(
            f"  the next run: {len(found)} results, {len(differing)} differ; {len(bytes_found)}"
            f" blocks, {len(blocks)} differ",
            flush=True,
        )
        shutil.rmtree(root)
    return wrong, kills


if __name__ == "__main__":
    main()
