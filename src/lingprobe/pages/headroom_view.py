"""What is shown of headroom: what an encoder adds to its own word embeddings, and how much of that
less is enough for: local context, random weights, a bag of words (Tenney et al. 2019, Table 2 and
Figure 2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from lingprobe.analysis.frame import RUN_KEYS, Columns, ResultFrame
from lingprobe.analysis.row import NO_CONTROL, PERCENT_SCALE
from lingprobe.analysis.statistics import MeanScore, explain_row_mismatch
from lingprobe.data.reading import SCALAR_MIX_LAYERS
from lingprobe.data.references import try_parse_reference
from lingprobe.metrics import compute_difference, compute_gap_share
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.groups import arrange_columns
from lingprobe.pages.view_figures import DotFigure
from lingprobe.pages.view_page import FrameView, ListTable

_LEXICAL, _BAG, _ORTHONORMAL = "lex", "lex with a bag of words", "orthonormal"
_FULL = (SCALAR_MIX_LAYERS, "mix", "cat:lex+top")
"""Reads of the whole encoder; headroom is up to the first that was measured."""
_ORDER = (_LEXICAL, _BAG, "CNN1", "CNN2", _ORTHONORMAL, *_FULL[::-1])
_KNOWN = (*_ORDER, *(f"{_ORTHONORMAL} {read}" for read in _FULL))
_PROBES: Mapping[tuple[tuple[str, str], ...], str] = {
    (("context", "1"),): "CNN1",
    (("context", "2"),): "CNN2",
    (("bag", "true"),): _BAG,
}
"""What a probe of word embeddings is called by its options."""
_FAMILY = ("task", "encoder", "probe")
_GAINS = (
    *("gain", "gain_low", "gain_high", "error_reduction"),
    *("share", "share_low", "share_high"),
)
_MEANS = ("score", "gain", "error_reduction", "share")
_NO_INTERVAL = (math.nan,) * 3


def name_reads(frame: ResultFrame) -> ResultFrame:
    """The rows of what is known here, with what was read as a column: the encoder with its own
    weights, and the probe that reads dimensions alone.
    """
    rows = frame.where(control=NO_CONTROL, role=("baseline", "trained"))
    rows = rows.arrange_roles("task", "metric")
    columns = map(rows.column, ("encoder", "probe", "layer"))
    named = [_name_read(*cells) for cells in zip(*columns, strict=True)]
    encoders, probes, reads = zip(*named, strict=True) if named else ((), (), ())
    made = rows.with_columns({"encoder": encoders, "probe": probes, "read_as": reads})
    return made.where(read_as=_KNOWN)


def _name_read(encoder: str, probe: str, layer: str) -> tuple[str, str, str]:
    """The encoder with its own weights, the probe that reads dimensions alone, and what was
    read.
    """
    parsed, read_by = try_parse_reference(encoder), try_parse_reference(probe)
    if parsed is None or read_by is None:
        return encoder, probe, ""
    options = tuple(option for option in read_by.options if option[0] in ("context", "bag"))
    name = _PROBES.get(options, "") if options else layer
    if options and layer != _LEXICAL:
        name = ""
    if ("weights", "orthonormal") in parsed.options:
        parsed = parsed.without("weights")
        name = f"{_ORTHONORMAL} {name}"
    return str(parsed), str(read_by.without("context", "bag")), name


@dataclass(frozen=True)
class HeadroomShare:
    """How much a score is above that of word embeddings: what was read (`reads`), '' where there
    is nothing to compare; points above (`gain`), in percent of what these lack to 100
    (`error_reduction`), and of what the whole encoder has above them (`compute_gap_share`, NaN
    where it is not clearly above), the former and the latter with their paired 95 % intervals; and
    why a row is not compared (`mismatch`).
    """

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        cells: list[Mapping[str, Any]] = [{} for _ in range(len(shown))]
        for rows in shown.groups(("task", "metric", "encoder", "probe")).values():
            known = {shown.column("read_as")[k]: k for k in rows}
            if _LEXICAL in known:
                for number, found in _HeadroomFamily(shown, known).compare().items():
                    cells[number] = found
        texts = {name: [cell.get(name, "") for cell in cells] for name in ("reads", "mismatch")}
        ranks = [_ORDER.index(read) if read else len(_ORDER) for read in texts["reads"]]
        numbers = {name: [cell.get(name, math.nan) for cell in cells] for name in _GAINS}
        return {**texts, "rank": ranks, "tasks": [0] * len(shown), **numbers}


@dataclass(frozen=True)
class _HeadroomFamily:
    """What was read of one encoder by one kind of probe for one task, by its name."""

    shown: ResultFrame
    read_rows: Mapping[str, int]

    def compare(self) -> dict[int, dict[str, Any]]:
        """The columns of each row."""
        known = self.read_rows
        why = {name: self._explain(k, known[_LEXICAL]) for name, k in known.items()}
        cells: dict[int, dict[str, Any]] = {k: {"mismatch": why[name]} for name, k in known.items()}
        read = next((name for name in _FULL if name in known), "")
        if not read or why[read] or why[_LEXICAL]:
            return cells
        is_clear = self._difference(known[read], known[_LEXICAL]).low > 0
        for name in _ORDER:
            written = f"{_ORTHONORMAL} {read}" if name == _ORTHONORMAL else name
            if written in known and not why[written]:
                full = known[read] if is_clear else None
                cells[known[written]] |= {"reads": name, **self._gain(known[written], full)}
        return cells

    def _explain(self, one: int, other: int) -> str:
        return explain_row_mismatch(self.shown, one, self.shown, other)

    def _difference(self, one: int, other: int) -> Any:
        metric = self.shown.column("metric")[one]
        return compute_difference(metric, self.shown.answers(one), self.shown.answers(other))

    def _gain(self, one: int, full: int | None) -> dict[str, float]:
        lexical = self.read_rows[_LEXICAL]
        least, added = self.shown.score(lexical), (0.0, 0.0, 0.0)
        if one != lexical:
            test = self._difference(one, lexical)
            added = (
                PERCENT_SCALE * test.value,
                PERCENT_SCALE * test.low,
                PERCENT_SCALE * test.high,
            )
        part = self._share(one, full)
        names = ("gain", "gain_low", "gain_high", "share", "share_low", "share_high")
        reduction = (
            PERCENT_SCALE * added[0] / (PERCENT_SCALE - least)
            if least < PERCENT_SCALE
            else math.nan
        )
        return dict(zip(names, (*added, *part), strict=True)) | {"error_reduction": reduction}

    def _share(self, one: int, full: int | None) -> tuple[float, ...]:
        """The share of headroom with its interval; 0 and 100 by definition of its two ends."""
        if full is None:
            return _NO_INTERVAL
        if one in (self.read_rows[_LEXICAL], full):
            return (PERCENT_SCALE * (one == full),) * 3
        answers = [self.shown.answers(k) for k in (one, self.read_rows[_LEXICAL], full)]
        part = compute_gap_share(self.shown.column("metric")[one], *answers)
        return PERCENT_SCALE * part.value, PERCENT_SCALE * part.low, PERCENT_SCALE * part.high


def add_means(shown: ResultFrame) -> ResultFrame:
    """The rows in the order of tables, with means over tasks below them, of what was read of each
    encoder on the same tasks, where these are several; `tasks` says how many.
    """
    named = _name_sections(shown.arrange(("task", "metric", *_FAMILY[1:]), "rank"))
    known = named.where(reads=_ORDER)
    first: list[int] = []
    means: list[tuple[float, ...]] = []
    counts: list[int] = []
    columns = [known.column(name) for name in _MEANS]
    reads, tasks, parts = map(known.column, ("reads", "task", "share"))
    for numbers in known.groups(("encoder", "probe")).values():
        there = [read for read in _ORDER if read in {reads[k] for k in numbers}]
        shared = [tasks[k] for k in numbers if not math.isnan(parts[k])]
        every = [task for task in dict.fromkeys(shared) if shared.count(task) == len(there)]
        for read in there if len(every) > 1 else ():
            rows = [k for k in numbers if reads[k] == read and tasks[k] in every]
            first.append(rows[0])
            means.append(tuple(fmean(column[k] for k in rows) for column in columns))
            counts.append(len(every))
    count = len(first)
    made = dict(zip(_MEANS, zip(*means, strict=True), strict=True)) if means else {}
    below: dict[str, Sequence[Any]] = {
        "tasks": counts,
        "section": ["mean"] * count,
        "mismatch": [""] * count,
    }
    return named.append(known.take(first).with_columns({**below, **made}))


def _name_sections(shown: ResultFrame) -> ResultFrame:
    """The rows with the sections that they stand in, what panels are called by their tasks, and
    how many encoders, and of these with probes, there are.
    """
    known = shown.where(reads=_ORDER)
    names = {c.task: c.name for c in arrange_columns([*dict.fromkeys(known.column("task"))])}
    families = zip(*map(shown.column, _FAMILY), strict=True)
    made = {
        "section": ["\n".join(family) for family in families],
        "panel": [names.get(task, task) for task in shown.column("task")],
        "encoders": [len({*known.column("encoder")})] * len(shown),
        "probed": [len(known.groups(("encoder", "probe")))] * len(shown),
    }
    return shown.with_columns(made)


_ABOUT = "Share of the gain, (x - lex) / (full - lex), in percent, with its 95 % interval."
HEADROOM_VIEW = FrameView(
    name="headroom",
    about="Gains over word embeddings, and how much of them local context, random weights or a bag"
    " of words reach.",
    keys=(*RUN_KEYS, "read_as"),
    prepare=name_reads,
    where={},
    statistics=(MeanScore(), HeadroomShare()),
    listed="reads and not tasks",
    nothing="no encoder was measured together with its word embeddings: `lingprobe run -e"
    " hf:NAME,layers=lex+all,pool=none --probe span --layers lex mix` measures both, and `--layers"
    " lex --probe span,context=1` a CNN",
    expand=add_means,
    tables=(
        ListTable(
            columns=(
                *(("read", "read"), ("score", "score"), ("gain", "gain")),
                *(("error reduction", "reduction"), ("share of gain", "share"), ("n", "n")),
            ),
            rows="reads",
            sections=("section",),
            heading="{{ heading(rows[0]) }}",
            line="{{ line(rows[0]) }}",
            apart="tasks",
            words=("read",),
            title="",
            lead="",
        ),
    ),
    fields=(
        *("task", "encoder", "probe", "reads", "score", "low", "high", "gain", "gain_low"),
        *("gain_high", "error_reduction", "share", "share_low", "share_high", "n=n_test"),
    ),
    sentences=Path(__file__).with_name("headroom.j2"),
    names=label_encoders,
    figure=DotFigure(
        rows="reads",
        order=_ORDER,
        by=_FAMILY,
        values=("share", "share_low", "share_high"),
        title="panel_title",
        told="share_told",
        about=_ABOUT,
        nothing="nothing to draw: no encoder is clearly above its word embeddings",
        grey="share in (0, 100)",
        when="reads and not tasks",
        notes=(f"s{_ABOUT[1:-1]}",),
    ),
)
