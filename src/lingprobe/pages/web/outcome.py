"""What came out: the best in a sentence, a figure, and all scores in one table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from statistics import fmean

from lingprobe.analysis.row import PERCENT
from lingprobe.data.oracles import Kind
from lingprobe.pages.charts import figure_of
from lingprobe.pages.groups import Column
from lingprobe.pages.scores import score_notes
from lingprobe.pages.web.study import Study, many
from lingprobe.pages.wide import MARK, Grid, has_mean, label_of, matrix, mean_of, places, reading
from lingprobe.tables.web import Block, Chapter, Prose, Sheet, picture

DRAWN = 24  # encoders that a figure shows; the best where there are more
SHADES = 8  # of a cell, from the constant answer to a hundred
SHADED = (
    "The darker a cell, the farther its score lies from the constant answer towards 100. Columns"
    " are sorted within baselines, encoders and oracles."
)
ABOVE = "▲ marks a score above that of the task's oracle, the ceiling of its labels."


def outcome(study: Study) -> Chapter:
    """A finding, a figure, the table of scores."""
    blocks: list[Block] = [Prose(found, "finding")] if (found := tuple(_findings(study))) else []
    blocks += _picture(study)
    blocks.append(_sheet(study))
    notes = [score_notes(study.score_grid.rows)[0], *_reading(study), SHADED]
    notes += [ABOVE] if any(study.is_above(row) for _, _, row in places(study.score_grid)) else []
    return Chapter("outcome", "What came out", (*blocks, Prose(tuple(notes), "note")))


def _reading(study: Study) -> Iterator[str]:
    """How to read the table, where bold is bold."""
    yield from (text.replace(f" ({MARK} in a terminal)", "") for text in reading(study.score_grid))


def _findings(study: Study) -> Iterator[str]:
    """Of each group of tasks the best encoder by its mean, beside baseline and oracle."""
    for mine in study.score_grid.groups:
        if has_mean(study.score_grid, mine) and (best := _best_encoder(study, mine)):
            name, score = best
            beside = ", ".join(
                f"the best {kind} {other[1]:.1f}"
                for kind in ("baseline", "oracle")
                if (other := _best(study, mine, kind))
            )
            compared = f" ({beside})" if beside else ""
            yield (
                f"On average over the {many(len(mine), 'task')} of {mine[0].group}, {name} scores"
                f" {score:.1f}{compared}."
            )


def _best_encoder(study: Study, mine: list[Column]) -> tuple[str, float] | None:
    """The encoder with the highest mean over a group, at the layer of its verdict on each task;
    None where none has all tasks.
    """
    means = {
        name: fmean(verdicts[column.task].question.one.row.score for column in mine)
        for name, verdicts in study.verdicts.items()
        if all(column.task in verdicts for column in mine)
    }
    if not means:
        return None
    name = max(means, key=means.__getitem__)
    chosen = study.chosen_on(name)
    at = f", at the layer that is best on {chosen}," if chosen else ""
    return name + at, means[name]


def _best(study: Study, mine: list[Column], kind: Kind) -> tuple[str, float] | None:
    """The line of a kind with the highest mean over a group; None where none has all tasks."""
    means = [
        (label_of(study.score_grid, line), mean)
        for line in study.lines(kind)
        if not math.isnan(mean := mean_of(line, mine, lambda row: row.score))
    ]
    return max(means, key=lambda each: each[1], default=None)


def _picture(study: Study) -> list[Block]:
    """The figure that is asked for; of many encoders those with the best scores."""
    made, left = _grid_to_draw(study)
    caption = (
        f"The {DRAWN} encoders with the highest scores; {left:,} more are in the table."
        if left
        else ""
    )
    return [picture(lambda: figure_of(study.beside.figure)(made), caption)]


def _grid_to_draw(study: Study) -> tuple[Grid, int]:
    """The lines that are drawn, and how many are not."""
    trained = study.lines("trained")
    best = sorted(trained, key=lambda line: -sum(row.score for row in line.cells.values()))[:DRAWN]
    kept = {id(line) for line in best}
    lines = tuple(x for x in study.score_grid.lines if x.kind != "trained" or id(x) in kept)
    return replace(study.score_grid, lines=lines), len(trained) - len(best)


def _sheet(study: Study) -> Sheet:
    table = matrix(study.score_grid)
    classes = {}
    for r, c, row in places(study.score_grid):
        look = [shade(row.score, study.firsts[row.task].majority), "above" * study.is_above(row)]
        classes[0, r, c] = " ".join(filter(None, look))
    return Sheet(replace(table, sections=table.sections[:1]), "Scores", classes)


def shade(score: float, constant: float) -> str:
    """The look of a cell by how far its score lies between the constant answer and a hundred."""
    share = (score - constant) / max(PERCENT - constant, 1e-9)
    step = 0 if math.isnan(share) else math.ceil(SHADES * min(max(share, 0.0), 1.0))
    return f"h{step}" if step else ""
