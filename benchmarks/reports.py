"""How long a report takes of made results: 20 tasks, five seeds and as many encoders as it needs.

usage: python benchmarks/reports.py [--results 10000] [--examples 200]

The results are written in a folder as a run stores them, one file for each encoder and task. Then
`lingprobe report` reads them in a process of its own: as a table, as a page in HTML, and as a CSV
file. Printed are the processor seconds of each, start of Python included. Exits with 1 where a
table of 10,000 takes more than 8 s or the page more than 15.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fixtures.results import result, saying
from lingprobe.store.experiments import record_experiment
from lingprobe.store.results import ResultStore

CORPORA = ("UD_English-EWT", "UD_Polish-PDB", "UD_German-GSD", "UD_Finnish-TDT")
NAMES = ("tense", "passive", "subj-num", "obj-num", "sent-len")
SEEDS = 5
LIMITS = {"table": 8.0, "html": 15.0}


def write(folder: Path, number: int, n: int) -> None:
    """Write so many results, of encoders each a little better than the one before."""
    tasks = [f"ud/{name}:{corpus}" for corpus, name in product(CORPORA, NAMES)]
    store, ids = ResultStore(folder), []
    encoders = max(1, number // (len(tasks) * SEEDS))
    for (i, task), k in product(enumerate(tasks), range(encoders)):
        kind, name = ("baseline", "length") if k == 0 else ("trained", f"hf:org/model-{k:04}")
        fits = []
        for seed in range(SEEDS):
            share = 0.5 + 0.45 * k / encoders + 0.01 * ((7 * i + 3 * seed + k) % 5)
            made = result(share, n, task=task, encoder=name, read="-", seed=seed)
            fits.append((f"{i:04x}{k:06x}{seed:04x}".ljust(64, "0"), saying(made, kind=kind)))
        store.write(fits)
        ids += [trial for trial, _ in fits]
    record_experiment(folder, ids)


def seconds(*arguments: str) -> float:
    """Processor seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    order = [sys.executable, "-m", "lingprobe", *arguments]
    subprocess.run(order, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Time it and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=int, default=10_000)
    parser.add_argument("--examples", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "results"
        write(folder, given.results, given.examples)
        figures = {
            "table": seconds("report", str(folder)),
            "html": seconds("report", str(folder), "-o", f"{place}/page.html"),
            "csv": seconds("report", str(folder), "-o", f"{place}/page.csv"),
        }
        size = Path(place, "page.html").stat().st_size
    for name, figure in figures.items():
        print(f"{name}: {figure:.1f} s of processor time for {given.results:,} results")
    print(f"the page has {size:,} bytes")
    slow = given.results == 10_000 and any(figures[name] > LIMITS[name] for name in LIMITS)
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
