"""Draw the figures of the pages from the results that are kept beside them: `make docs`, or
`python docs/write_figures.py`. The figures of published tables are drawn by the commands beside
them.
"""

from __future__ import annotations

import csv
import dataclasses
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.relation import Correlation, CorrelationTable, RelationRequest
from lingprobe.analysis.score_table import MeasuredTask, ScoreTable
from lingprobe.inside.languages.survey import SurveyRow
from lingprobe.inside.languages.survey_page import draw_survey_heat, draw_survey_map
from lingprobe.metrics.correlation import coefficients
from lingprobe.pages.curve_view import make_curve_view, name_points
from lingprobe.pages.layer_view import LAYER_VIEW
from lingprobe.pages.relate_figures import draw_correlation_heat, draw_family_heat
from lingprobe.pages.view_page import draw_view_figure
from lingprobe.tables.dots import DotPanels
from lingprobe.tables.drawing import save_figure
from lingprobe.tables.heat import HeatCell, HeatLook, HeatMap, draw_heat_maps
from lingprobe.tables.lines import LinePoint, draw_band, whole_numbers
from lingprobe.tables.panels import (
    draw_dot,
    draw_legend,
    make_figure,
    make_legend_line,
    make_legend_mark,
    make_panels,
)
from lingprobe.tables.style import BEST_COLOUR, CHART_BLUE, DARK_GREY, PALE_GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOCS = Path(__file__).parent
Row = TypeVar("Row")
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
# the encoders of figures by layer: colour, name, line and marker
E5 = {
    "hf:multilingual-e5-small,layers=all,*prompt=query%3A ": (
        CHART_BLUE,
        "multilingual-e5-small",
        "-",
        "o",
    ),
    "hf:multilingual-e5-small,*lexical=trained*": (
        CHART_BLUE,
        "e5 with untrained blocks",
        "--",
        "",
    ),
}
MINILM = {
    "hf:all-MiniLM-L6-v2,layers=all": (BEST_COLOUR, "MiniLM (English)", "-", "s"),
    "hf:all-MiniLM-L6-v2,*lexical=trained*": (
        BEST_COLOUR,
        "MiniLM with untrained blocks",
        "--",
        "",
    ),
}


def lines(name: str) -> Iterator[dict[str, str]]:
    """The lines of a file of results."""
    with (DOCS / "results" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def curves(name: str, training: str, trivial: Mapping[str, Mapping[str, float]]) -> Figure:
    """The learning curves of some trainings, without word content where several are drawn."""
    rows = [line for line in lines(name) if line["training"].startswith(training)]
    several = len({line["training"] for line in rows}) > 1
    shown = [line for line in rows if not (several and "word-content" in line["task"])]
    return draw_curves([point(line, trivial.get(line["training"], {})) for line in shown])


def point(line: Mapping[str, str], trivial: Mapping[str, float]) -> dict[str, Any]:
    """A line of results as a row of the view of curves."""
    texts = ("task", "training", "probe", "unit", "metric", "objective", "figure")
    numbers = ("score", "low", "high", "dev")
    bars = [value for name, value in trivial.items() if name.startswith(line["figure"])]
    best = min if line["figure"] == "perplexity" else max
    return {
        **{name: line[name] for name in texts},
        **{name: float(line[name]) for name in numbers},
        "layer": line["read"],
        "at": int(line["at"]),
        "is_best": int(line["best"]),
        "constant_score": float(line.get("majority", "nan")),
        "bar": best(bars) if bars else NAN,
        "trend": float(line["correlation"]),
        "trend_corrected": float(line["corrected"]),
    }


def draw_curves(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Points of trainings, drawn as the view of curves draws them."""
    usual = {"encoder": "", "role": "trained", "control": "none", "mark_notes": []}
    table = pa.Table.from_pylist([{**usual, **one} for one in rows])
    frame = ResultFrame(table, {})
    best = {row.training: row.at for row in frame if row.is_best}
    points = {"best": [best.get(row.training, 0) for row in frame], "of": [0] * len(frame)}
    return draw_view_figure(make_curve_view(), name_points(frame.with_columns(points)))


def widths() -> Figure:
    """The scores of two trainings at four widths."""
    scores = {
        (x["task"], x["encoder"]): x for x in lines("trained-small") if x["probe"] == "logreg"
    }
    tasks = [task for task, encoder in scores if encoder == "infer" and task.startswith("ud/")]
    rows: list[dict[str, Any]] = []
    for name, (figure, dev) in WIDTHS.items():
        encoders = [name if hidden == 256 else f"{name}-w{hidden}" for hidden in HIDDEN]
        for task in tasks:
            mine = [scores[task, encoder] for encoder in encoders]
            pairs = np.array([[h, float(x["score"])] for h, x in zip(HIDDEN, mine, strict=True)])
            value, _ = coefficients(pairs, [(0, 1)])[0, 1]
            for hidden, x, each in zip(HIDDEN, mine, dev, strict=True):
                known = {"training": name, "read": "-", "unit": "hidden", "metric": "accuracy"}
                known |= {"objective": "", "figure": figure, "at": f"{hidden}", "dev": f"{each}"}
                known |= {"best": "0", "correlation": f"{value}", "corrected": "nan"}
                rows.append(point({**x, **known, "majority": x["constant"]}, {}))
    return draw_curves(rows)


def read_rows(name: str, kind: type[Row]) -> Iterator[Row]:
    """The lines of a file as objects of a dataclass; an empty number is 0, or NaN."""
    readers = {"str": str, "int": lambda text: int(text or 0), "float": lambda x: float(x or NAN)}
    types = {field.name: str(field.type) for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    for line in lines(name):
        yield kind(**{key: readers[types[key]](text) for key, text in line.items()})


def correlations(name: str, draw: Callable[[CorrelationTable], Figure]) -> Figure:
    """The correlations of a file, its first columns below its second ones."""
    found = tuple(read_rows(name, Correlation))
    down, across = (
        list(dict.fromkeys(getattr(x, side) for x in found)) for side in ("first", "second")
    )
    columns = tuple(MeasuredTask(each, "", each) for each in (*down, *across))
    table = ScoreTable((), columns, np.zeros((0, len(columns))), np.zeros((0, len(columns))))
    places = range(len(down)), range(len(down), len(columns))
    return draw(
        CorrelationTable(found, table, RelationRequest(), True, tuple(places[1]), tuple(places[0]))
    )


def survey(draw: Callable[[Sequence[SurveyRow]], Figure]) -> Figure:
    """What treebanks support."""
    return draw(list(read_rows("survey", SurveyRow)))


def transfer() -> Figure:
    """A probe of tense from language to language, an encoder beside random vectors of subwords."""
    maps = []
    for pattern, title in (
        ("hf:multilingual-e5-small,layers=*prompt*", "multilingual-e5-small"),
        ("hf:multilingual-e5-small,layers=lex,weights=random", "random vectors of its subwords"),
    ):
        cells = [
            HeatCell(
                row["source"],
                row["target"],
                f"{score:.1f}",
                max(score - 50, 0) / 50,
                is_bold=row["source"] == row["target"],
            )
            for row in lines("transfer")
            if row["task"].startswith("ud/tense") and fnmatchcase(row["encoder"], pattern)
            for score in [float(row["score"])]
        ]
        maps.append(HeatMap(title, cells))
    return draw_heat_maps(maps, HeatLook("Accuracy on tense: trained in the language at the left."))


def erase() -> Figure:
    """How far scores fall where LEACE erased another property."""
    names = {"word-content": "words", "sent-len": "length", "tree-depth": "depth"}

    def name(task: str) -> str:
        short = task.partition(":")[0].removeprefix("ud/")
        return names.get(short, short)

    fallen: dict[tuple[str, str], HeatCell] = {}
    for row in lines("inside-erase"):
        tasks = row["erased"], row["measured"]
        plain = all(fnmatchcase(task, "ud/*:UD_English-EWT,limit=3000") for task in tasks)
        if plain and row["encoder"].startswith("hf:multilingual") and row["asked"] == "0":
            fall, place = float(row["fall"]), (name(tasks[0]), name(tasks[1]))
            share, is_bold = min(max(fall, 0) / 40, 1), row["verdict"] == "falls"
            fallen.setdefault(place, HeatCell(*place, f"{fall:.1f}", share, is_bold))
    cells = [*fallen.values()]
    look = HeatLook("Points by which a score falls after another property was erased.")
    return draw_heat_maps([HeatMap("erased (left), measured (above)", cells)], look)


def multilingual() -> Figure:
    """Each layer of two encoders on the tense of five languages of PUD."""
    rows: list[dict[str, Any]] = []
    for line in lines("multilingual"):
        task, encoder, read = line["task"], line["encoder"], line["layer"]
        is_tense = line["folder"] == "pud" and task.startswith("ud/tense")
        if is_tense and encoder.startswith("hf:") and "lex+all" in encoder:
            form, level = ("lexical", -1) if read == "lex" else ("alone", int(read))
            empty = dict.fromkeys(("score", "low", "high"), NAN)
            known = {name: float(line[name]) for name in empty}
            rows.append(
                {"task": task, "encoder": encoder, "probe": "logreg", "level": level}
                | {f"{x}_{k}": v for x in ("lexical", "alone", "mix") for k, v in empty.items()}
                | {f"{form}_{k}": v for k, v in known.items()}
                | {"is_mixed": False, "expected": NAN, "weight": NAN, "mark_notes": []}
            )
    frame = ResultFrame(pa.Table.from_pylist(rows), {})
    return draw_view_figure(LAYER_VIEW, frame.arrange(("task", "encoder"), "level"))


class LayerPanel(NamedTuple):
    """Scores of one question at several layers, beside its baselines."""

    title: str
    rows: Sequence[Mapping[str, str]]


def draw_layers(drawn: Sequence[LayerPanel], looks: Mapping[str, tuple[str, ...]]) -> Figure:
    """Panels of scores by layer: encoders as curves, their untrained copies dashed, and what bags
    and character n-grams reach as an area.

    looks  by the pattern of an encoder its colour, name, line and marker
    """
    names = ", ".join(panel.title for panel in drawn)
    size = max(6.4, 2.35 * len(drawn)), 3.2
    figure = make_figure(size, f"Accuracy by layer: {names}.")
    every = make_panels(figure, len(drawn), len(drawn), sharey=True)
    for axes, panel in zip(every, drawn, strict=True):
        axes.set_title(panel.title)
        axes.set_xlabel("layer")
        whole_numbers(axes)
        _draw_references(axes, panel.rows)
        for pattern, look in looks.items():
            read = [row for row in panel.rows if fnmatchcase(row["encoder"], pattern)]
            points = [
                LinePoint(*(float(row[key]) for key in ("layer", "score", "low", "high")), look[1])
                for row in read
            ]
            draw_band(axes, points, make_legend_line(*look), is_banded=read[0]["kind"] == "trained")
    every[0].set_ylabel("accuracy, %")
    area = make_legend_line(PALE_GREY, "up to the best bag of words or character n-grams")
    area.set_linewidth(8)
    bound = [make_legend_line(DARK_GREY, "upper bound", ":")] * any(
        row["kind"] == "oracle" for panel in drawn for row in panel.rows
    )
    draw_legend(
        figure,
        [*(make_legend_line(*look) for look in looks.values()), area, *bound],
        max(2, len(drawn) - 1),
    )
    return figure


def _draw_references(axes: Axes, rows: Sequence[Mapping[str, str]]) -> None:
    """The area of baselines without layers, and the upper bound."""
    surface = [row for row in rows if row["kind"] == "baseline" and row["layer"] == "-"]
    constant = float(rows[0].get("majority") or rows[0]["constant"])
    best = max(float(row["score"]) for row in surface)
    axes.axhspan(constant, best, color=PALE_GREY, alpha=0.5, lw=0)
    for row in rows:
        if row["kind"] == "oracle":
            axes.axhline(float(row["score"]), color=DARK_GREY, ls=":", lw=1)


def tense_layers() -> Figure:
    """Each layer of two encoders on the tense of four languages."""
    every: dict[str, list[dict[str, str]]] = {}
    for row in lines("tense-layers"):
        every.setdefault(re.split("[_-]", row["task"])[1], []).append(row)
    return draw_layers([LayerPanel(*each) for each in every.items()], E5 | MINILM)


def polish_features() -> Figure:
    """Each layer of an encoder on case and aspect in Polish."""
    every: dict[str, list[dict[str, str]]] = {}
    for name in ("polish-case", "polish-aspect"):
        for row in lines(name):
            where = "in sentences" if row["where"] == "in sentences" else "isolated words"
            every.setdefault(f"{row['feature']}, {where}", []).append(row)
    return draw_layers([LayerPanel(*each) for each in every.items()], E5)


def reviews() -> Figure:
    """Each layer of an encoder on reviews."""
    return draw_layers([LayerPanel("Complaint or praise?", list(lines("reviews-layers")))], MINILM)


def tuned() -> Figure:
    """A model and a fine-tuned copy of it on two tasks."""
    rows = list(lines("tuned"))
    tasks = {"ud/tense": "tense", "ud/subj-num": "number of the subject"}
    names = {
        "length": "length",
        "bow:*": "bag of words",
        "char-ngrams*": "character n-grams",
        "st:all-MiniLM*": "base",
        "st:tuned": "fine-tuned",
        "gold:*": "upper bound",
    }
    drawn = DotPanels.of([*tasks.values()], [*names.values()], "Scores of a model, tuned.", 0.2)
    for axes, task in zip(drawn.axes, tasks, strict=True):
        for place, (pattern, name) in enumerate(names.items()):
            row = next(
                row
                for row in rows
                if row["task"].startswith(task) and fnmatchcase(row["encoder"], pattern)
            )
            values = float(row["score"]), float(row["low"]), float(row["high"])
            shape = "D" if row["kind"] == "oracle" else "o"
            look = make_legend_mark(shape, CHART_BLUE if row["kind"] == "trained" else DARK_GREY)
            draw_dot(axes, place, values, look, f"{name}: {values[0]:.1f}")
    drawn.label_rows([not pattern.startswith("st:") for pattern in names])
    return drawn.figure


def small(training: str) -> Figure:
    """The learning curves of a training of the small size."""
    return curves("trained-small-curves", f"trained:{training}", SMALL)


FIGURES: dict[str, Callable[[], Figure]] = {
    "figures/trained.svg": lambda: curves("trained-curves", "trained:translate", TRIVIAL),
    "figures/trained-probes.svg": lambda: small("translate-fr"),
    "figures/trained-probes-de.svg": lambda: small("translate-de"),
    "figures/trained-probes-next.svg": lambda: small("next"),
    "figures/trained-widths.svg": widths,
    "figures/relate-ewt.svg": lambda: correlations("relate-ewt", draw_correlation_heat),
    "figures/relate-bert.svg": lambda: correlations("relate-bert", draw_family_heat),
    "results/multilingual-layers.png": multilingual,
    "figures/tense-layers.svg": tense_layers,
    "figures/polish-features.svg": polish_features,
    "figures/reviews-layers.svg": reviews,
    "figures/tuned.svg": tuned,
    "figures/languages-map.svg": lambda: survey(draw_survey_map),
    "figures/languages-tasks.svg": lambda: survey(draw_survey_heat),
    "figures/transfer.svg": transfer,
    "figures/erase.svg": erase,
}


if __name__ == "__main__":
    for name, draw in FIGURES.items():
        save_figure(draw, DOCS / name)
