"""Draw the figures of the pages from the results that are kept beside them: `make docs`, or
`python docs/write_figures.py`. The figures of published tables, and that of the README, are drawn
by the commands beside them.
"""

from __future__ import annotations

import csv
import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lingprobe.analysis.curves import Curve, Curves, History, Trend
from lingprobe.analysis.layers import Depth, Expected, Mean
from lingprobe.analysis.relation import Asked, Correlation, Relation
from lingprobe.analysis.row import ResultRow
from lingprobe.analysis.score_table import Measure, ScoreTable
from lingprobe.metrics.correlation import coefficients
from lingprobe.pages.curve_figures import curves_figure
from lingprobe.pages.plots import layers_figure
from lingprobe.pages.relate_figures import heat, within
from lingprobe.tables.drawing import save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOCS = Path(__file__).parent
NAN = math.nan
COPY, PAIRS = "bleu (copy)", "perplexity (pairs of pieces)"
# what needs no encoder, as results/trained.md has it
TRIVIAL = {"trained:translate-fr": {COPY: 0.5}, "trained:translate-de": {COPY: 0.6}}
SMALL = {
    "trained:translate-fr": {COPY: 0.2},
    "trained:translate-de": {},
    "trained:next": {PAIRS: 185.0},
}
# the scores on dev of trainings of four widths, from the same page
WIDTHS = {
    "translate-fr": ("bleu", (4.2, 5.5, 5.9, 4.1)),
    "infer": ("accuracy", (51.9, 52.0, 53.1, 53.3)),
}
HIDDEN = (64, 128, 256, 512)


def lines(name: str) -> Iterator[dict[str, str]]:
    """The lines of a file of results."""
    with (DOCS / "results" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def row(line: Mapping[str, str]) -> ResultRow:
    """A line of results as a row; what a figure does not show is left out."""
    needed = (f.name for f in dataclasses.fields(ResultRow) if f.default is dataclasses.MISSING)
    values: dict[str, Any] = dict.fromkeys(needed, "")
    values |= dict.fromkeys(("seeds", "folds", "train", "unusable", "cut", "unseen"), 0)
    values |= {name: float(line[name]) for name in ("score", "low", "high")}
    values |= {"task": line["task"], "control": "none", "n": int(line["n"])}
    values |= {"metric": line.get("metric", "accuracy")}
    values |= {"majority": float(line.get("majority", line.get("constant", "nan")))}
    return ResultRow(**values)


def curves(name: str, training: str, trivial: Mapping[str, Mapping[str, float]]) -> Figure:
    """The learning curves of some trainings, without word content where several are drawn."""
    groups: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for line in lines(name):
        if line["training"].startswith(training):
            key = line["task"], line["training"], line["read"], line["probe"], line["metric"]
            groups.setdefault(key, []).append(line)
    several = len({key[1] for key in groups}) > 1
    found = {k: v for k, v in groups.items() if not (several and "word-content" in k[0])}
    made = [
        Curve(*key, {int(line["at"]): row(line) for line in mine}, trend(mine[0]))
        for key, mine in found.items()
    ]
    histories = [history(one, found, trivial) for one in dict.fromkeys(key[1] for key in found)]
    return curves_figure(Curves(tuple(made), tuple(histories)))


def trend(line: Mapping[str, str]) -> Trend:
    """The trend of a curve."""
    names = "correlation", "correlation_low", "correlation_high", "p", "corrected"
    return Trend(*(float(line[name]) for name in names), "", int(line["points"]))


def history(
    training: str,
    groups: Mapping[tuple[str, ...], Sequence[Mapping[str, str]]],
    trivial: Mapping[str, Mapping[str, float]],
) -> History:
    """What the lines of a training say of it."""
    mine = next(each for key, each in groups.items() if key[1] == training)
    first = mine[0]
    return History(
        training,
        first["unit"],
        first["objective"],
        first["figure"],
        next((int(x["at"]) for x in mine if x["best"] == "1"), 0),
        len(mine) - 1,
        {int(x["at"]): {x["figure"]: float(x["dev"])} for x in mine if x["dev"] != "nan"},
        trivial.get(training, {}),
    )


def widths() -> Figure:
    """The scores of two trainings at four widths."""
    scores = {
        (x["task"], x["encoder"]): x for x in lines("trained-small") if x["probe"] == "logreg"
    }
    tasks = [task for task, encoder in scores if encoder == "infer" and task.startswith("ud/")]
    made, histories = [], []
    for name, (figure, dev) in WIDTHS.items():
        encoders = [name if hidden == 256 else f"{name}-w{hidden}" for hidden in HIDDEN]
        for task in tasks:
            mine = {h: scores[task, e] for h, e in zip(HIDDEN, encoders, strict=True)}
            points = {h: row(x) for h, x in mine.items()}
            pairs = np.array([[h, each.score] for h, each in points.items()])
            value, n = coefficients(pairs, [(0, 1)])[0, 1]
            made.append(Curve(task, name, "-", "logreg", "accuracy", points, Trend(value, n=n)))
        course = {h: {figure: value} for h, value in zip(HIDDEN, dev, strict=True)}
        histories.append(History(name, "hidden", figure=figure, figures=course))
    return curves_figure(Curves(tuple(made), tuple(histories)))


def correlations(name: str, draw: Callable[[Relation], Figure]) -> Figure:
    """The correlations of a file, its first columns below its second ones."""
    types = {field.name: field.type for field in dataclasses.fields(Correlation)}
    kinds = {"str": str, "int": int, "float": float}
    found = tuple(
        Correlation(**{k: kinds[str(types[k])](v) for k, v in line.items()}) for line in lines(name)
    )
    down, across = (
        list(dict.fromkeys(getattr(x, side) for x in found)) for side in ("first", "second")
    )
    columns = tuple(Measure(each, "", each) for each in (*down, *across))
    table = ScoreTable((), columns, np.zeros((0, len(columns))), np.zeros((0, len(columns))))
    places = range(len(down)), range(len(down), len(columns))
    return draw(Relation(found, table, Asked(), True, tuple(places[1]), tuple(places[0])))


def multilingual() -> Figure:
    """Each layer of two encoders on the tense of five languages of PUD."""
    groups: dict[tuple[str, str], dict[str, ResultRow]] = {}
    for line in lines("multilingual"):
        task, encoder = line["task"], line["encoder"]
        is_tense = line["folder"] == "pud" and task.startswith("ud/tense")
        if is_tense and encoder.startswith("hf:") and "lex+all" in encoder:
            groups.setdefault((task, encoder), {})[line["layer"]] = row(line)
    return layers_figure([depth(*key, mine) for key, mine in groups.items()])


def depth(task: str, encoder: str, mine: Mapping[str, ResultRow]) -> Depth:
    """The layers of an encoder, each alone."""
    single = {int(layer): each for layer, each in mine.items() if layer.isdigit()}
    nothing = Mean(NAN, NAN, NAN), NAN, Expected(NAN, NAN, NAN, NAN, NAN, ""), NAN
    return Depth(task, encoder, "logreg", single, {}, {}, mine.get("lex"), (), *nothing)


def small(training: str) -> Figure:
    """The learning curves of a training of the small size."""
    return curves("trained-small-curves", f"trained:{training}", SMALL)


FIGURES: dict[str, Callable[[], Figure]] = {
    "figures/trained.svg": lambda: curves("trained-curves", "trained:translate", TRIVIAL),
    "figures/trained-probes.svg": lambda: small("translate-fr"),
    "figures/trained-probes-de.svg": lambda: small("translate-de"),
    "figures/trained-probes-next.svg": lambda: small("next"),
    "figures/trained-widths.svg": widths,
    "figures/relate-ewt.svg": lambda: correlations("relate-ewt", heat),
    "figures/relate-bert.svg": lambda: correlations("relate-bert", within),
    "results/multilingual-layers.png": multilingual,
}


if __name__ == "__main__":
    for name, draw in FIGURES.items():
        save(draw, DOCS / name)
