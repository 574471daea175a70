"""What is shown of layers: where in an encoder each task is solved (Tenney et al. 2019b, "BERT
Rediscovers ..."). An overview has a line for each task, those solved lowest first; then each task
has a table with a line for each layer.

Layers are told by what was read: `0` to `L` alone, `mix:0-l` for growing mixes (`mix` is that of
all), `lex` below them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lingprobe.analysis.course_statistics import GrowingMixes, MixWeights
from lingprobe.analysis.frame import ANY_VALUE, RUN_KEYS, OwnValue, ResultFrame
from lingprobe.analysis.row import NO_CONTROL
from lingprobe.analysis.statistics import (
    BestRow,
    ClassNumber,
    ExampleMarks,
    MeanScore,
    OtherMaximum,
    OtherScore,
)
from lingprobe.data.core import DataProblem
from lingprobe.data.reading import SCALAR_MIX_LAYERS
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.view_figures import (
    BarFigure,
    FigureKey,
    FigureLine,
    FigurePanels,
    LineFigure,
)
from lingprobe.pages.view_page import FrameView, ListTable, ViewSpread
from lingprobe.tables.lines import BarLook
from lingprobe.tables.style import BEST_COLOUR, CHART_BLUE, DARK_GREY, PALE_GREY

_LEXICAL, _ALONE, _MIXED, _WHOLE, _UNREAD = "lexical", "alone", "mix", "whole", "unread"
_FORMS = (_ALONE, _MIXED, _LEXICAL)
_FAMILY = ("task", "encoder", "probe")
_READ = dict.fromkeys(("layer", "level", "form", "role", "site"), ANY_VALUE)
"""What rows of one family differ in."""


class PlacedRow(NamedTuple):
    """A row of a frame, the layer that it stands for, from 0, and in which form it was read."""

    number: int
    level: int
    form: str


def place_layers(frame: ResultFrame) -> ResultFrame:
    """The rows of layers, with the layer and the form in which it was read as columns, the layer
    below, the last of its encoder, and whether a mix of several was read; DataProblem where no two
    were read of one encoder.

    Growing mixes have those fits alone that all of them have, so that no difference of seeds is
    what a layer adds; those of the whole mix are there with all fits besides, for its weights.
    """
    placed: list[PlacedRow] = []
    facts: list[tuple[int, bool]] = []
    plain = frame.where(control=NO_CONTROL)
    for numbers in plain.groups(_FAMILY).values():
        if family := list(_place_family(plain, numbers)):
            placed += family
            forms = [form for _, _, form in {(0, row.level, row.form) for row in family}]
            is_weighted = _count_weights(plain, (k for k, _, form in family if form == _WHOLE)) > 0
            is_mixed = forms.count(_MIXED) > 1 or _ALONE not in forms or is_weighted
            facts += [(max(row.level for row in family), is_mixed)] * len(family)
    if not placed:
        raise DataProblem(
            "no task was measured on several layers of one encoder with one probe: `lingprobe run"
            " -e hf:NAME,layers=all,pool=none --probe span --layers layers --layers cumulative`"
            " measures them"
        )
    lasts, mixed = zip(*facts, strict=True)
    shown = plain.take([row.number for row in placed])
    pairs = zip(shown.column("encoder"), shown.column("probe"), strict=True)
    return shown.with_columns(
        {
            "level": [row.level for row in placed],
            "form": [row.form for row in placed],
            "below": [row.level - 1 for row in placed],
            "last": lasts,
            "is_mixed": mixed,
            "network": [f"{encoder}, {probe}" for encoder, probe in pairs],
        }
    )


def _place_family(frame: ResultFrame, numbers: Sequence[int]) -> Iterator[PlacedRow]:
    """The rows of one task, encoder and probe; none where no layers can be compared."""
    reads: dict[str, list[int]] = {}
    for number in numbers:
        reads.setdefault(frame.column("layer")[number], []).append(number)
    is_layered = any(
        re.fullmatch(r"\d+|mix(:0-\d+)?", read) or read == SCALAR_MIX_LAYERS for read in reads
    )
    if len(reads) < 2 or not is_layered:
        return
    alone, mixes = _by_layer(reads, r"(\d+)"), _by_layer(reads, r"mix:0-(\d+)")
    whole = "mix" if "mix" in reads else SCALAR_MIX_LAYERS
    weighted = _count_weights(frame, reads.get(whole, ()))
    last = max(0, weighted - 1, *alone, *mixes)
    if whole in reads:
        mixes.setdefault(last, whole)
    if 0 in alone:
        mixes.setdefault(0, "0")  # a mix of one layer is that layer
    for read in [whole] if weighted else [mixes[last]] if last in mixes else []:
        yield from (PlacedRow(k, last, _WHOLE) for k in reads[read])
    fits = {read: [_fit_of(frame, k) for k in reads[read]] for read in mixes.values()}
    shared = set.intersection(*map(set, fits.values())) if fits else set()
    for read, mine in fits.items() if shared else ():
        pairs = zip(reads[read], mine, strict=True)
        reads[read] = [k for k, fit in pairs if fit in shared]
    layers = [(_ALONE, sorted(alone.items())), (_MIXED, sorted(mixes.items()))]
    placed = [(layer, form, read) for form, pairs in layers for layer, read in pairs]
    placed += [(-1, _LEXICAL, "lex")] if "lex" in reads else []
    _, _, first = placed[0]
    placed += [(k, _UNREAD, first) for k in range(last + 1) if k not in alone and k not in mixes]
    yield from (PlacedRow(k, layer, form) for layer, form, read in placed for k in reads[read])


def _by_layer(reads: Iterable[str], pattern: str) -> dict[int, str]:
    """Reads by their layer, which is the group of the pattern."""
    return {int(m[1]): read for read in reads if (m := re.fullmatch(pattern, read))}


def _count_weights(frame: ResultFrame, numbers: Iterable[int]) -> int:
    """Of how many layers some rows tell the weights; 0 where none does."""
    runs = frame.column("run_id")
    longest = max((len(frame.predictions[runs[k]][0][0].mix) for k in numbers), default=0)
    return longest if longest > 1 else 0


def _fit_of(frame: ResultFrame, number: int) -> tuple[object, ...]:
    return tuple(frame.column(name)[number] for name in ("fold", "sample", "seed"))


_IS_MIXED = "rows|selectattr('is_mixed')|list"
_IS_CODED = "rows|rejectattr('alone_compression', 'unknown')|list"
_OVERVIEW = ListTable(
    columns=(
        *(("task", "task_name"), ("lexical", "lexical"), ("layer 0", "layer_0")),
        ("best alone", "best_alone"),
        *(("mix", "mix", _IS_MIXED), ("centre of gravity", "gravity", _IS_MIXED)),
        *(("bits", "weight_bits", _IS_MIXED), ("expected layer", "expected", _IS_MIXED)),
        *(("bits ", "gain_bits", _IS_MIXED), ("n", "n_most")),
    ),
    rows="true",
    lines=_FAMILY,
    sections=("network",),
    heading="{{ network }}",
    words=("task", "encoder", "probe", "layer", ""),
    title="overview_title",
    lead="",
    notes="overview_notes",
)
_BY_LAYER = ListTable(
    columns=(
        *(("layer", "level"), ("alone", "alone"), ("95 % interval", "alone_interval")),
        *(("compression", "compression", _IS_CODED), ("over prior", "over_prior", _IS_CODED)),
        *(("mixed", "mix_here", _IS_MIXED), ("95 % interval ", "mix_interval", _IS_MIXED)),
        *(("adds", "adds", _IS_MIXED), ("weight", "weight", _IS_MIXED)),
        ("", "weight_bar", _IS_MIXED),
    ),
    rows="true",
    tables=_FAMILY,
    sections=("task",),
    heading="{{ heading(rows) }}",
    line="{{ line(rows) }}",
    words=_OVERVIEW.words,
    title="",
    lead="",
    notes="test_notes",
)
_MIX = "mix of 0 to here; upright: its expected layer"
_FIGURE = LineFigure(
    about="Where {{ join_tasks(rows) }} by layer.",
    nothing="nothing to draw: no layer has a score",
    panels=(
        FigurePanels(
            by=_FAMILY,
            titles=("task_text", "encoder_text"),
            x="level",
            label="layer_text",
            lines=(
                FigureLine(
                    *("alone_score", "alone_told", "alone_low", "alone_high"),
                    look=(CHART_BLUE, "o"),
                    least=2,
                ),
                FigureLine(
                    *("mix_score", "mix_told", "mix_low", "mix_high"),
                    look=(BEST_COLOUR, "s"),
                    least=2,
                ),
            ),
            levels=(("rows[0].lexical_score", 1),),
            uprights=("expected",),
            bars=("weight", "weight_told"),
            ends="same",
            counted=("lexical_low", "lexical_score", "lexical_high"),
        ),
    ),
    key=(
        FigureKey("line", "alone", CHART_BLUE, "o"),
        FigureKey("line", _MIX, BEST_COLOUR, "s", when=_IS_MIXED),
        FigureKey("line", "lexical (dashed)", DARK_GREY, style="--"),
        FigureKey("patch", "weight in the mix", PALE_GREY, when=_IS_MIXED),
    ),
    least=7.4,
    high=(0.4, 0.0),
    notes="figure_notes",
    bars=BarFigure(
        by=_FAMILY,
        look=BarLook("Scores by layer", "layer 0 → mix", "no expected layer", "none"),
        labels=("task_text", "encoder_text"),
        values=("expected", "expected_low", "expected_high", "weight_centre", "last"),
        right="gain_text",
        told=("expected_told", "gravity_told"),
        key=(
            FigureKey("patch", "expected layer, with its interval", CHART_BLUE, alpha=0.5),
            FigureKey("sign", "centre of gravity of the mix", BEST_COLOUR, "D"),
        ),
        when=_IS_MIXED,
    ),
    key_columns=4,
)
LAYER_VIEW = FrameView(
    name="layers",
    about="Scores by layer for each task: each layer alone, growing mixes, the gain of each layer,"
    " weights.",
    keys=(*RUN_KEYS, "level", "form"),
    extra=("code", "question"),
    prepare=place_layers,
    where={"form": (*_FORMS, _UNREAD)},
    statistics=(
        MeanScore(),
        ClassNumber("classes"),
        ExampleMarks("mark", _FAMILY, where={"form": _FORMS}),
        BestRow("best", within=(*_FAMILY, "form")),
        OtherMaximum("n_most", "n_test", {**_READ, "form": _FORMS}),
        OtherScore("below_score", {"level": OwnValue("below"), "layer": ANY_VALUE}),
        GrowingMixes("expected", {**_READ, "form": _MIXED}, "level", "last"),
        MixWeights("weight", {**_READ, "form": _WHOLE}, "level"),
    ),
    spread=ViewSpread(
        keys=(*_FAMILY, "level"),
        by="form",
        values=_FORMS,
        columns=(
            *("layer", "score", "low", "high", "mark", "compression", "over_prior"),
            *("below_score", "best", "best_by_dev"),
        ),
    ),
    order=("expected", "weight_centre", _FAMILY, "level"),
    tables=(_OVERVIEW, _BY_LAYER),
    listed="level >= 0",
    fields=(
        *("task", "encoder", "probe", "layer=level", "score=alone_score", "low=alone_low"),
        *("high=alone_high", "mixed=mix_score", "mixed_low=mix_low", "mixed_high=mix_high"),
        *("weight", "n=n_test", "seeds"),
    ),
    sentences=Path(__file__).with_name("layers.j2"),
    names=label_encoders,
    figure=_FIGURE,
)
