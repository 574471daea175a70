"""The files of results on trained encoders (benchmarks/results/trained.md), from what
examples/trained.sh left in a folder.

usage: python benchmarks/trained.py epochs FOLDER/models > docs/results/trained-figures.csv
       python benchmarks/trained.py scores FOLDER/learned > docs/results/trained-small.csv

`epochs` has a row for each epoch of each training: its loss, and its figures on dev. `scores` has
what encoders score without controls, over all folds.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lingprobe

USUAL_WIDTH = "256"
EPOCHS = (
    *("training", "architecture", "objective", "hidden", "seed", "train", "weights"),
    *("epoch", "loss", "perplexity", "accuracy", "bleu", "f1"),
)
SCORES = (
    *("task", "encoder", "probe", "score", "low", "high", "constant", "n", "folds", "missing"),
)
Row = dict[str, Any]


def main(what: str, place: str) -> None:
    """Write one of the files to standard output."""
    read, columns = {"epochs": (epochs, EPOCHS), "scores": (scores, SCORES)}[what]
    out = csv.DictWriter(sys.stdout, columns, lineterminator="\n")
    out.writeheader()
    out.writerows(read(Path(place)))


def epochs(folder: Path) -> Iterator[Row]:
    """A row for each epoch of each training below a folder."""
    for file in sorted(folder.glob("*/model.json")):
        known = json.loads(file.read_text("utf-8"))
        settings = known["settings"]
        for epoch in known["epochs"]:
            yield {
                "training": file.parent.name,
                **{key: known[key] for key in ("architecture", "objective")},
                **{key: settings[key] for key in ("hidden", "seed")},
                "train": known["counts"]["train"],
                "weights": known["parameters"],
                "epoch": epoch["epoch"],
                "loss": round(epoch["loss"], 4),
                **{key: _figure(epoch.get(f"dev {key}")) for key in EPOCHS[-4:]},
            }


def _figure(value: float | None) -> float | str:
    return "" if value is None else round(value, 2)


def scores(folder: Path) -> Iterator[Row]:
    """A row for each task, encoder and probe."""
    folds = defaultdict[tuple[str, str, str], set[str]](set)
    for result in lingprobe.results(folder):
        trial = result.trial
        task, _, options = trial.task.partition(",")
        key = task.partition(":")[0], short_name(trial.encoder), trial.probe.partition(",")[0]
        folds[key].add(options)
    for row in csv.DictReader(io.StringIO(lingprobe.report(folder).text("csv"))):
        if row["control"] != "none" or row["encoder"].startswith("("):
            continue
        task, encoder = row["task"].partition(",")[0].partition(":")[0], short_name(row["encoder"])
        yield {
            "task": task,
            "encoder": encoder,
            "probe": row["probe"],
            **{key: f"{float(row[key]):.1f}" for key in ("score", "low", "high")},
            "constant": f"{float(row['majority']):.1f}",
            "n": row["n"],
            "folds": len(folds[task, encoder, row["probe"].partition(",")[0]]),
            "missing": row["missing"],
        }


def short_name(encoder: str) -> str:
    """A training by the name of its folder; one without training by its seed, or by its width
    where that is not the usual one.
    """
    parsed = lingprobe.Reference.parse(encoder)
    if parsed.name == "trained":
        return Path(parsed.argument or "").name
    options = dict(parsed.options)
    if parsed.name == "untrained":
        width, seed = options.get("hidden", USUAL_WIDTH), options.get("seed", "0")
        return f"untrained-{seed if width == USUAL_WIDTH else f'w{width}'}"
    return parsed.name


if __name__ == "__main__":
    main(*sys.argv[1:])
