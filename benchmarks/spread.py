"""How far scores move with precision and threads, everything else being the same; and whether
`--reproducible` is.

usage: python benchmarks/spread.py [FOLDER] [--tasks sent-len tense ...] [--seeds 3]      (FOLDER:
the data, with treebanks; or LINGPROBE_DATA)

MiniLM is probed on some `ud/` tasks of EWT under each setting, each from an empty cache in a
process of its own: reproducible (float32, one thread) twice, float32 with all threads, and bfloat16
for encoder and probe. Printed are, against the reproducible run, the mean and largest difference of
a cell (mean of its seeds), the largest of a single fit, and the share of test answers that differ.
Exits with 1 where the two reproducible runs differ in a single answer.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

SETTINGS = {
    "reproducible": ("float32", "float32", True),
    "reproducible again": ("float32", "float32", True),
    "float32, all threads": ("float32", "float32", False),
    "bfloat16, all threads": ("bfloat16", "bf16", False),
}
RUN = """
import json, sys
import lingprobe
tasks, dtype, precision, reproducible, seeds, cache = json.loads(sys.argv[1])
found = lingprobe.evaluate(f"st:all-MiniLM-L6-v2,dtype={dtype}", tasks, probes=[f"mlp,precision={precision}", "logreg"], seeds=seeds,
                       reproducible=reproducible, cache=cache, progress=False, baselines="none")
assert not found.failures, found.failures
rows = [[r.trial.task, r.trial.probe.partition(",")[0], r.trial.seed, r.score, r.predicted.ids.tolist()] for r in found.results]
print(json.dumps(rows))
"""


def measured(
    setting: tuple[str, str, bool], tasks: list[str], seeds: int
) -> dict[tuple[str, str, int], tuple[float, np.ndarray]]:
    """Fit -> its score and its answers, from a process of its own with an empty cache."""
    dtype, precision, reproducible = setting
    with tempfile.TemporaryDirectory() as cache:
        asked = json.dumps([tasks, dtype, precision, reproducible, seeds, cache])
        environment = {**os.environ, "OMP_NUM_THREADS": str(os.cpu_count())}
        done = subprocess.run(
            [sys.executable, "-c", RUN, asked],
            check=False,
            capture_output=True,
            text=True,
            env=environment,
        )
        assert done.returncode == 0, done.stderr[-2000:]
    rows = json.loads(done.stdout.splitlines()[-1])
    return {(task, probe, seed): (score, np.array(ids)) for task, probe, seed, score, ids in rows}


def compared(base: dict, other: dict) -> tuple[float, float, float, float]:
    """Mean and largest difference of a cell, the largest of a fit (points), and the share of
    answers that differ (percent).
    """
    assert base.keys() == other.keys()
    cells, fits, changed = defaultdict(list), [], []
    for fit, (score, answers) in base.items():
        difference = 100 * (other[fit][0] - score)
        cells[fit[0].partition(",fold")[0], fit[1]].append(difference)
        fits.append(abs(difference))
        changed.append(answers != other[fit][1])
    means = [abs(float(np.mean(each))) for each in cells.values()]
    return float(np.mean(means)), max(means), max(fits), 100 * float(np.concatenate(changed).mean())


def main() -> int:
    """Measure every setting and print how far each is from the first."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", default=os.environ.get("LINGPROBE_DATA"))
    parser.add_argument("--tasks", nargs="+", default=["sent-len", "tense", "subj-num", "top-deps"])
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    bank = Path(options.folder) / "treebanks" / "UD_English-EWT"
    tasks = [f"ud/{name}:{bank}" for name in options.tasks]
    found = {name: measured(setting, tasks, options.seeds) for name, setting in SETTINGS.items()}
    base = found.pop("reproducible")
    print(
        f"{len(base)} fits; against the reproducible run: points of a cell (mean, largest) and of a"
        " fit (largest), answers that differ"
    )
    differences = {name: compared(base, other) for name, other in found.items()}
    for name, (mean, cell, fit, changed) in differences.items():
        print(f"{name:24} {mean:6.2f} {cell:6.2f} {fit:6.2f} {changed:7.2f} %")
    return int(any(differences["reproducible again"]))


if __name__ == "__main__":
    sys.exit(main())
