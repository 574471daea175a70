"""What is shown of units: how many of them a property takes, and which; and of attention probes
what they look at.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lingprobe.analysis.frame import NON_EMPTY_VALUE, RUN_KEYS, ResultFrame
from lingprobe.analysis.row import NO_CONTROL
from lingprobe.analysis.statistics import ExampleMarks, MeanScore
from lingprobe.inside.units.curves import CURVE_KEYS, UnitCounts, add_pairs, add_units, split_probes
from lingprobe.inside.units.notes import AttentionNote
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.view_page import FrameView, ListTable

_TASK = ("task", "metric")


def arrange_tasks(frame: ResultFrame) -> ResultFrame:
    """The rows of each task, baselines first."""
    return frame.arrange_roles(*_TASK)


ATTENTION_VIEW = FrameView(
    name="attention",
    about="What attention probes look at.",
    keys=RUN_KEYS,
    extra=(AttentionNote,),
    prepare=arrange_tasks,
    where={
        "control": NO_CONTROL,
        "role": ("baseline", "trained"),
        AttentionNote.key: NON_EMPTY_VALUE,
    },
    statistics=(MeanScore(), ExampleMarks("mark", _TASK)),
    nothing="no task was measured with the attention probe (--probe attention)",
    tables=(
        ListTable(
            columns=(
                *(("encoder", "encoder"), ("layer", "layer"), ("score", "score")),
                *(("first", "first"), ("last", "last"), ("even", "even"), ("words", "words")),
            ),
            rows="true",
            sections=_TASK,
            words=("encoder", "layer", "words"),
            title="",
            lead="",
        ),
    ),
    fields=(
        "task",
        "encoder",
        "layer",
        "probe",
        "score",
        "low",
        "high",
        "n=n_test",
        AttentionNote.key,
    ),
    sentences=Path(__file__).with_name("attention.j2"),
    names=label_encoders,
)


_CURVE_NAME = (
    *(("encoder", "encoder"), ("layer", "layer"), ("ranked by", "ranked_by"), ("basis", "basis")),
)
_LEAST = ListTable(
    columns=(
        *_CURVE_NAME,
        *(("units", "width"), ("all", "full"), ("constant", "constant"), ("least k", "least")),
        *(("95 % interval", "least_interval"), ("same", "overlap"), ("n", "n")),
    ),
    rows="is_curve",
    lines=CURVE_KEYS,
    sections=("task",),
    words=("encoder", "layer", "ranked by", "basis"),
    title="least_title",
    lead="least_lead",
    notes="least_notes",
)
_BY_NUMBER = replace(
    _LEAST,
    columns=(
        *_CURVE_NAME,
        ("k = {{ k }}", "score", "true", "false", "k"),
        ("all", "full"),
    ),
    title="number_title",
    lead="",
    notes="",
)
_CHOSEN = ListTable(
    columns=(("unit", "unit"), ("value", "value"), ("label and sentence", "text")),
    rows="not is_curve",
    sections=CURVE_KEYS,
    heading="{{ heading(rows[0]) }}",
    words=("unit", "label and sentence"),
    title="chosen_title",
    lead="",
    notes="",
)
_UNITS = FrameView(
    name="units",
    about="How many dimensions of a vector it takes to predict a property, and which;"
    " `units:overlap` compares them between tasks and encoders.",
    keys=RUN_KEYS,
    extra=("probe",),
    prepare=split_probes,
    where={"is_sparse": True},
    statistics=(MeanScore(), UnitCounts()),
    listed="is_curve",
    nothing="no task was measured with sparse probes: `lingprobe run -t TASK -e ENCODER --probe"
    " logreg --probe sparse,k=1 --probe sparse,k=8` measures them",
    expand=add_units,
    tables=(_LEAST, _BY_NUMBER, _CHOSEN),
    fields=(
        *("task", "encoder", "layer", "by", "rotate", "k", "score", "low", "high", "full"),
        *("share", "n=n_test"),
    ),
    sentences=Path(__file__).with_name("units.j2"),
    names=label_encoders,
)
_PAIRS = ListTable(
    columns=(
        ("units of", "first"),
        ("and of", "second"),
        ("shared", "shared"),
        ("chance", "chance"),
    ),
    rows="not is_curve",
    sections=(),
    heading="",
    words=("units of", "and of"),
    title="pairs_title",
    lead="",
    notes="pairs_notes",
)
UNIT_VIEW = replace(
    _UNITS, variants={"overlap": replace(_UNITS, expand=add_pairs, tables=(_PAIRS,))}
)
