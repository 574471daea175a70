"""What came out: the verdicts, a figure, and the scores in one table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.analysis.scores import list_task_scores
from lingprobe.pages.charts import draw_scores, figure_of
from lingprobe.pages.grid import ScoreGrid
from lingprobe.pages.layer_curves import curves_of
from lingprobe.pages.records import format_csv
from lingprobe.pages.scores import describe_scores
from lingprobe.pages.web.study import ResultStudy, format_count
from lingprobe.pages.wide import BOLD_MARK, build_wide_table, explain_table, locate_scores
from lingprobe.tables.web import (
    FoldedBlock,
    PageBlock,
    PageChapter,
    ProseBlock,
    TableSheet,
    TextDownload,
    picture,
)

_DRAWN = 24  # encoders that a figure shows; the best where there are more
_SHADES = 8  # of a cell, from the constant answer to a hundred
_SHADED = (
    "The stronger the colour of a cell, the farther its score lies from the constant answer towards"
    " 100."
)
_ABOVE = "▲ marks a score above that of the task's oracle, the upper bound of its labels."
_CHOSEN = (
    "Each encoder is shown at the layer that is best on dev, which may differ from task to task."
)


def make_outcome_chapter(study: ResultStudy) -> PageChapter:
    """The verdicts, a figure, the table of scores."""
    said = study.statement
    blocks: list[PageBlock] = [ProseBlock(said.sentences or said.lines, "finding")]
    if said.sentences:
        blocks.append(ProseBlock((said.basis, said.next_step), "note"))
    blocks += [_picture(study), _sheet(study, study.score_grid, "Scores")]
    notes = [describe_scores(study.score_grid.rows)[0], *_reading(study), _SHADED]
    notes += [_CHOSEN] if study.has_chosen else []
    notes += (
        [_ABOVE]
        if any(study.is_above(row) for _, _, row in locate_scores(study.score_grid))
        else []
    )
    blocks.append(ProseBlock(tuple(notes), "note"))
    if study.has_chosen:
        every = _sheet(study, study.whole_grid, "Scores of all layers")
        blocks.append(FoldedBlock("All layers", (every,)))
    lines = list_task_scores(study.scores, said.verdicts.decisions)
    blocks.append(TextDownload("Scores as CSV", "scores.csv", format_csv(lines)))
    return PageChapter("outcome", "Results", tuple(blocks))


def _reading(study: ResultStudy) -> Iterator[str]:
    """How to read the table, where bold is bold."""
    yield from (
        text.replace(f" ({BOLD_MARK} in a terminal)", "")
        for text in explain_table(study.score_grid)
    )


def _picture(study: ResultStudy) -> PageBlock:
    """The figure that is asked for, by default that of layers where there are some; of many
    encoders those with the best scores.
    """
    kind = study.beside.figure
    if kind == "dots" and curves_of(study.whole_grid):
        return picture(lambda: figure_of("layers")(study.whole_grid), _CURVES)
    made, left = _grid_to_draw(study)
    caption = (
        f"The {format_count(_DRAWN, 'encoder')} with the highest scores; {left:,} more are in the"
        " table."
        if left
        else ""
    )
    return picture(lambda: draw_scores(kind, made), caption)


_CURVES = "Scores by layer, with their 95 % intervals."


def _grid_to_draw(study: ResultStudy) -> tuple[ScoreGrid, int]:
    """The lines that are drawn, and how many are not."""
    trained = study.lines("trained")
    best = sorted(trained, key=lambda line: -sum(row.score for row in line.cells.values()))[:_DRAWN]
    kept = {id(line) for line in best}
    lines = tuple(x for x in study.score_grid.lines if x.kind != "trained" or id(x) in kept)
    return replace(study.score_grid, lines=lines), len(trained) - len(best)


def _sheet(study: ResultStudy, made: ScoreGrid, caption: str) -> TableSheet:
    table = build_wide_table(made)
    classes = {}
    for r, c, row in locate_scores(made):
        look = [
            choose_shade(row.score, study.firsts[row.task].majority),
            "above" * study.is_above(row),
        ]
        classes[0, r, c] = " ".join(filter(None, look))
    groups = table.groups if len(made.groups) > 1 else ()  # the title names the only one
    return TableSheet(replace(table, sections=table.sections[:1], groups=groups), caption, classes)


def choose_shade(score: float, constant: float) -> str:
    """The look of a cell by how far its score lies between the constant answer and a hundred."""
    share = (score - constant) / max(PERCENT_SCALE - constant, 1e-9)
    step = 0 if math.isnan(share) else math.ceil(_SHADES * min(max(share, 0.0), 1.0))
    return f"h{step}" if step else ""
